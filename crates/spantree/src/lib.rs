//! The toolkit: joins treebanks, decoders and learners into parsers.
//!
//! | module | question |
//! |---|---|
//! | [`combine`] | what do several parsers say together? |
//! | [`feature`] | what does a parser see? templates, atoms, hashes |
//! | [`graph`] | which tree, which labels, how sure? |
//! | [`model`] | what is in a model file? |
//! | [`train`] | how does a treebank become a model? |
//!
//! The three crates below know nothing of each other; they are re-exported here so that one dependency is enough.

pub mod combine;
pub mod feature;
pub mod graph;
pub mod model;
pub mod train;

pub use spantree_decode as decode;
pub use spantree_learn as learn;
pub use spantree_treebank as treebank;
