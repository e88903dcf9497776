//! Changes to sentences and to the order of a treebank.
//!
//! | wish | call |
//! |---|---|
//! | projective trees | [`Tree::lift`](crate::Tree::lift) |
//! | … that can be undone after parsing | [`PseudoProjective`] |
//! | labels without subtypes | [`Sentence::strip_subtypes`](crate::Sentence::strip_subtypes) |
//! | no words, only tags and trees | [`Sentence::delexicalise`](crate::Sentence::delexicalise) |
//! | other tags or labels | [`ValueMap`] |
//! | words from right to left | [`Sentence::reverse`](crate::Sentence::reverse) |
//! | random order, samples, parts, folds | [`shuffle`], [`sample`], [`split`], [`folds`] |
//!
//! Everything is deterministic; what is random takes a seed.

pub mod divide;
mod lift;
pub mod pseudo_projective;
mod reverse;
mod simplify;
pub mod value_map;

pub use divide::{DivideError, Part, Unit, folds, sample, shuffle, split};
pub use lift::Lifting;
pub use pseudo_projective::{EncodeError, MAX_RANK, PseudoProjective, Scheme};
pub use simplify::Replacement;
pub use value_map::{Unlisted, UnlistedValue, ValueMap, ValueMapError, ValueMapErrorKind};
