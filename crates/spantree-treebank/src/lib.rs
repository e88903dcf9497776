//! What the data is.
pub mod file;
pub mod format;
pub mod offset;
pub mod random;
pub mod read;
pub mod sentence;
pub mod stats;
pub mod transform;
pub mod tree;
pub mod validate;
pub mod write;
pub use format::{Format, Layout};
pub use offset::{OffsetError, Offsets, TextRange};
pub use random::Random;
pub use read::{ReadError, ReadErrorKind, TreebankReader, load};
pub use sentence::{Column, Dep, Predicate, Sentence, Token, TokenId, universal_part};
pub use tree::{Path, Step, Tree, TreeError};
pub use write::TreebankWriter;
