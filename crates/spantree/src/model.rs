//! A model is one file: a JSON header that says what it is, and aligned sections of numbers that are used as they are.
//!
//! [`container`] knows bytes, sections and checksums; [`header`] knows what the stages say about themselves; `quantised`
//! rounds weights. Each stage writes and reads its own sections; [`crate::Pipeline`] puts them into one file.

pub mod container;
pub mod header;
mod quantised;

pub use container::{Container, ModelError, Sections};
pub use header::{Calibration, DevScores, Header, ParserHeader, Source, TrainingInfo};
pub(crate) use quantised::Quantised;
