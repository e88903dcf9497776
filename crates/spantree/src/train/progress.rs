//! What training says while it runs.

use crate::graph::Decoder;

/// What is going on; for progress bars and logs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Before the first epoch.
    Start {
        /// Estimate of the memory that training will use, in bytes.
        memory: usize,
        /// The decoder that was chosen.
        decoder: Decoder,
        /// Share of words with a non-projective arc.
        non_projective: f64,
    },
    /// An epoch of the labelling stage is over.
    LabelEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word.
        loss: f64,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// An epoch of the tree stage is over.
    TreeEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word.
        loss: f64,
        /// Scores on the development set in per cent, if there is one: UAS and LAS.
        dev: Option<(f64, f64)>,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// Probabilities are being calibrated.
    Calibrate,
}
