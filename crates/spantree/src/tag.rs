//! Tagger.
#![allow(missing_docs)]
pub mod atoms;
pub mod lattice;
pub mod lexicon;
pub mod problem;
pub mod space;
pub mod tagger;
pub mod tagset;
pub mod template;
pub mod train;
