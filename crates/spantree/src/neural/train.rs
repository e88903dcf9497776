//! Training a learned parser: cross-entropy on heads or trees and on labels, by Adam.
//!
//! Sentences are learned from in batches of about the same number of words, in a new order each epoch. The rate falls
//! linearly to 0, so all epochs are run; after each the development set is parsed with averaged, rounded weights, and the
//! best epoch is kept. Given the right tags besides predicted ones, the network also learns to tag. Words without a head or a label teach nothing; the rest of their sentence does.
//!
//! Everything is a function of data, configuration and seed, also when training was interrupted and resumed.

mod arcs;
mod batch;
mod checkpoint;
mod config;
mod examples;
mod run;
mod step;

use spantree_treebank::Sentence;

use super::Parser;
use crate::tag::{Beliefs, TagSet};
use crate::train::{Observer, TrainConfig, TrainError};
pub use arcs::ArcLoss;
pub use config::NeuralConfig;
use run::Run;

/// What a parser learns from.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// Versions of one treebank, one after the other, that differ in tags or lemmas: each epoch sees each sentence once, in
    /// one version after the other.
    pub train: &'a [Sentence],
    /// How many versions there are.
    pub versions: usize,
    /// Sentences that another parser analysed, in one version; may be empty. An epoch sees some of them, see
    /// [`NeuralConfig::silver`].
    pub silver: &'a [Sentence],
    /// The development set; may be empty.
    pub dev: &'a [Sentence],
    /// If the tags of the first version, of silver and of the development set are predicted: the right ones. The network then learns to
    /// correct the tags that it reads.
    pub right_tags: Option<RightTags<'a>>,
}

/// The same sentences with the right tags.
#[derive(Clone, Copy, Debug)]
pub struct RightTags<'a> {
    /// The tags, with the numbers that the tagger gives them.
    pub tagset: &'a TagSet,
    /// Of the training data.
    pub train: &'a [Sentence],
    /// Of the sentences that another parser analysed: those that it chose.
    pub silver: &'a [Sentence],
    /// Of the development set.
    pub dev: &'a [Sentence],
    /// What the tagger thinks.
    pub beliefs: TaggerBeliefs<'a>,
}

/// What a tagger thinks of sentences that it did not learn from.
#[derive(Clone, Copy, Debug)]
pub struct TaggerBeliefs<'a> {
    /// Of the first version of the training data; if nothing is known of it, the network will see predicted tags as if they were
    /// certain.
    pub train: &'a [Beliefs],
    /// Of the sentences that another parser analysed.
    pub silver: &'a [Beliefs],
    /// Of the development set.
    pub dev: &'a [Beliefs],
}

impl<'a> Data<'a> {
    /// One version of a treebank, to be learned as it is.
    #[must_use]
    pub fn new(train: &'a [Sentence], dev: &'a [Sentence]) -> Self {
        Self { train, versions: 1, silver: &[], dev, right_tags: None }
    }
}

/// Trains a parser. Of the configuration, seed, decoder, threads, checkpoint and
/// [`NeuralConfig`] count.
///
/// # Errors
/// When the data cannot be trained on, or a checkpoint fails.
pub fn train(
    config: &TrainConfig,
    data: Data<'_>,
    progress: Observer<'_>,
) -> Result<Parser, TrainError> {
    let mut run = Run::new(config, data, progress)?;
    run.learn()?;
    run.finish()
}
