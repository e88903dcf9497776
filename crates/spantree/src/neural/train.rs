//! Training a learned parser: cross-entropy on heads or trees and on labels, by Adam.
//!
//! Sentences are learned from in batches of about the same number of words, in a new order each epoch. The rate falls
//! linearly to 0, so all epochs are run; after each the development set is parsed with averaged, rounded weights, and the
//! best epoch is kept. Words without a head or a label teach nothing; the rest of their sentence does.
//!
//! Everything is a function of data, configuration and seed, also when training was interrupted and resumed.

mod arcs;
mod batch;
mod checkpoint;
mod config;
mod run;
mod step;

use spantree_treebank::Sentence;

use super::Parser;
use crate::train::{Observer, TrainConfig, TrainError};
pub use arcs::ArcLoss;
pub use config::NeuralConfig;
use run::Run;

/// Trains on `versions` versions of one treebank, one after the other in `train`, that differ in tags or lemmas: each epoch
/// sees each sentence once, in one version after the other. Of the configuration, seed, decoder, threads, checkpoint and
/// [`NeuralConfig`] count.
///
/// # Errors
/// When the data cannot be trained on, or a checkpoint fails.
pub fn train(
    config: &TrainConfig,
    (train, versions): (&[Sentence], usize),
    dev: &[Sentence],
    progress: Observer<'_>,
) -> Result<Parser, TrainError> {
    let mut run = Run::new(config, (train, versions), dev, progress)?;
    run.learn()?;
    run.finish()
}
