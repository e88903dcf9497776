//! The toolkit: joins treebanks, decoders and learners into parsers.
//!
//! The crates below know nothing of each other; they are re-exported here so that one dependency is enough.

pub mod combine;

pub use spantree_decode as decode;
pub use spantree_treebank as treebank;
