//! Graph-based parsing: a table of arc scores, a decoder, labels.
//!
//! ```text
//! Sentence → Atoms → ArcScorer → ArcScores → Decoder → heads → Relabeller → labels
//! ```
//! [`Parser`] is the loaded model, [`Worker`] parses with it. Training is in [`crate::train`].

pub mod cube;
pub mod decoder;
pub mod engine;
pub mod filter;
pub mod header;
pub mod higher;
pub mod labels;
pub mod parser;
pub mod pruner;
pub mod relabel;
pub mod scorer;
pub mod table;
pub mod worker;

pub use cube::CubeWidth;
pub use decoder::{Decoder, DecoderScratch, Scores};
pub use engine::Engine;
pub use filter::{ArcFilter, Filters};
pub use header::{Header, TableInfo, TemplateTexts};
pub use higher::{Grandchildren, HigherOrder, PartScratch};
pub use labels::{LabelFilter, LabelSet};
pub use parser::{MAX_LABELS, Parser};
pub use pruner::{Candidates, Pruner, Pruning};
pub use worker::Worker;
