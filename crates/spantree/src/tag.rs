//! Tagging: UPOS, XPOS and FEATS of the words of a sentence.
//!
//! ```text
//! Sentence → Lexicon → candidates and atoms → features → lattice → best path → the same Sentence
//! ```
//! A tag is a triple of columns, scored as the sum over its parts ([`tagset`]). A word's candidates are the tags that its
//! form, or words with its ending, had in training (`lexicon`); linear features of the word and its neighbours and of the tag
//! before score them, and Viterbi finds the best path, exact over the ten best candidates per word ([`spantree_decode::lattice`]). So the
//! cost does not depend on the number of tags. Weights are rows of 16-bit numbers ([`crate::rows`]), so sums are exact.
//!
//! [`Tagger`] is the loaded model, [`Worker`] tags with it, [`TaggerTrainer`] makes it: passive-aggressive by default, or a
//! perceptron, or a conditional random field.

mod atoms;
mod beliefs;
mod cache;
mod examples;
mod joint;
mod lattice;
mod lexicon;
mod list;
pub mod neighbours;
mod problem;
mod scorer;
mod steps;
mod surroundings;
mod tagger;
pub mod tagset;
mod template;
mod train;
mod worker;

pub use beliefs::Beliefs;
pub use joint::{JointChoice, Mixture};
pub use list::{Clusters, Dictionary, ListError};
pub use neighbours::Neighbours;
pub use tagger::{Header, TagScores, Tagger};
pub use tagset::TagSet;
pub use train::{EpochDone, TaggerConfig, TaggerTrainer, TrainError, Update, evaluate};
pub use worker::{TagConfidence, TagOptions, Worker};

pub(crate) use atoms::{Atom, Atoms};
