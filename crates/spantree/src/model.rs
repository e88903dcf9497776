//! A model is one file: a JSON header that says what it is, and sections of numbers that can be memory-mapped.
//!
//! [`container`] knows bytes, sections and checksums; [`header`] knows what the stages say about themselves. Each stage
//! writes and reads its own sections; [`crate::Pipeline`] puts them into one file.

pub mod container;
pub mod header;

pub use container::{Container, ModelError, Sections};
pub use header::{Calibration, DevScores, Header, ParserHeader, Source, TrainingInfo};
