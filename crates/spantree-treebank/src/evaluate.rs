//! Scoring a system's treebank against a gold one.
//!
//! Two [`Document`]s become a [`Comparison`], which knows what word of one is what word of the other: by the characters they
//! cover when a system splits the text itself ([`Comparison::by_text`], the rule of the UD evaluations), or by their place
//! when both have the same words ([`Comparison::by_position`], the rule of CoNLL-X to CoNLL-2009). Every figure is then a
//! sum over gold sentences of a [`Score`] (how many in gold, in the system's output, and right):
//!
//! | question | where |
//! |---|---|
//! | the official UD metrics, Tokens to ELAS | [`Metric`], [`Comparison::score`] |
//! | LAS, UAS, label accuracy, Root, Complete; punctuation in or out | [`Attachment`], [`Comparison::attachment`] |
//! | predicates and arguments (CoNLL-2008/2009) | [`Semantic`], [`Comparison::semantic`] |
//! | where are the errors? | [`Factor`], [`Comparison::breakdown`]; [`Comparison::confusion`] |
//! | is the system as sure as it is right? | [`Calibration`], [`Comparison::calibration`] |
//! | what does gold say of a sentence, for a picture? | [`Comparison::gold_arcs`] |
//! | how good would the best choice among systems be? | [`tree_oracle`] |
//! | is one system better than the other? | [`paired_test`] |
//! | all of this as text, JSON or a web page | [`Report`] |
//!
//! Everything takes time linear in the text, except that words inside multiword tokens are aligned by a longest common
//! subsequence within the region that such tokens cover.
//!
//! ```
//! use spantree_treebank::Sentence;
//! use spantree_treebank::evaluate::{Comparison, Document, Metric, Roots};
//! let gold = [("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root")];
//! let guess = [("Dogs", "NOUN", 2, "obj"), ("bark", "VERB", 0, "root")];
//! let gold = Document::new("gold", vec![Sentence::from_words(&gold)]);
//! let guess = Document::new("guess", vec![Sentence::from_words(&guess)]);
//! let comparison = Comparison::by_text(&gold, &guess, Roots::One)?;
//! assert_eq!(comparison.score(Metric::Uas).f1(), 1.0);
//! assert_eq!(comparison.score(Metric::Las).f1(), 0.5);
//! # Ok::<(), spantree_treebank::evaluate::EvaluateError>(())
//! ```

mod align;
mod attachment;
mod breakdown;
mod calibration;
mod comparison;
mod confusion;
mod document;
mod empty_nodes;
mod enhanced;
mod error;
mod metric;
mod oracle;
mod repairs;
pub mod report;
mod score;
mod semantic;
mod side;
mod significance;

pub use attachment::{Attachment, AttachmentOptions, Labels, Punctuation};
pub use breakdown::{Bin, Breakdown, Counts, Factor};
pub use calibration::{Calibration, Certainty, ReliabilityBin, Review};
pub use comparison::{Comparison, Roots};
pub use confusion::{Confusion, ConfusionCell};
pub use document::Document;
pub use error::{EvaluateError, Excerpt, Place};
pub use metric::Metric;
pub use oracle::{TreeOracle, tree_oracle};
pub use report::{Convention, Report, ReportOptions};
pub use score::Score;
pub use semantic::{Macro, Semantic};
pub use significance::{PairedTest, Significance, TestOptions, paired_test};
