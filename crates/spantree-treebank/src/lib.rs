//! Dependency treebanks: what the data is, and everything that can be done with it without a model.
//!
//! | question | module |
//! |---|---|
//! | what is a sentence, a tree? | [`sentence`], [`tree`] |
//! | how do I read and write files? | [`read`](mod@read), [`write`](mod@write), [`format`](mod@format), [`file`](mod@file) |
//! | where is a token in the text? | [`offset`] |
//! | is the file valid? | [`validate`] |
//! | what is in a treebank? | [`stats`] |
//! | how good is a system? | [`evaluate`] |
//! | how do I show trees? | [`draw`] |
//! | projective trees, other labels, splits, folds? | [`transform`] |
//! | test data? | [`generate`], [`random`] |
//!
//! ```
//! use spantree_treebank::{Format, TreebankReader};
//! let text = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! for sent in TreebankReader::new(text.as_bytes(), "example", Format::Conllu) {
//!     let sent = sent?;
//!     let tree = sent.tree().unwrap();
//!     assert_eq!(tree.root(), Ok(2));
//!     assert_eq!(tree.path(1, 2).labels(&sent), "nsubj↑");
//! }
//! # Ok::<(), spantree_treebank::ReadError>(())
//! ```
//!
//! The crate knows no weights and starts no threads. Nothing here panics on input; see each function for the few
//! panics on indices out of range.

pub mod draw;
pub mod evaluate;
pub mod file;
pub mod format;
pub mod generate;
mod markup;
pub mod offset;
pub mod random;
pub mod read;
pub mod repairs;
pub mod sentence;
pub mod stats;
pub mod transform;
pub mod tree;
pub mod validate;
pub mod write;
pub use format::{Format, Layout};
pub use generate::{Generator, GeneratorConfig};
pub use offset::{OffsetError, Offsets, TextRange};
pub use random::Random;
pub use read::{ReadError, ReadErrorKind, TreebankReader, load};
pub use sentence::{Column, Dep, Predicate, Sentence, Token, TokenId, universal_part};
pub use tree::{Path, Step, Tree, TreeError};
pub use write::TreebankWriter;
