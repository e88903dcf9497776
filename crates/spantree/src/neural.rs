//! Parsing with a learned scorer: a small recurrent network fills the table of arc scores.
//!
//! ```text
//! Sentence → Inputs, vectors → Scorer (network) → ArcScores → Decoder → heads → Scorer → labels
//!                                    ↘ tags, better than those that it read
//! ```
//! [`Parser`] is the loaded model, [`Worker`] parses with it, [`train`] makes it. The network itself, which knows numbers
//! only, is in [`spantree_neural`]; what is behind the table of scores is shared with [`crate::graph`].

pub mod ensemble;
pub mod header;
pub mod input;
pub mod parser;
pub(crate) mod rounded;
pub mod scorer;
mod tags;
pub mod train;
pub mod vectors;
pub mod worker;

pub use ensemble::EnsembleError;
pub use header::{Header, Sizes};
pub use parser::Parser;
pub use train::NeuralConfig;
pub use vectors::{Encoder, EncoderInfo, EncoderMismatch, WordVectors};
pub use worker::Worker;
