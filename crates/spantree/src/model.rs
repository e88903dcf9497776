//! A model is one file: a JSON header that says what it is, and sections of numbers that can be memory-mapped.
//!
//! [`container`] knows bytes, sections and checksums; [`header`] knows what a parser needs to say about itself. The graph
//! parser writes and reads its model through both, see [`crate::graph::Parser`].

pub mod container;
pub mod header;

pub use container::{Container, ModelError, Sections};
pub use header::{Calibration, DevScores, Header, Source, TableInfo, TemplateTexts, TrainingInfo};
