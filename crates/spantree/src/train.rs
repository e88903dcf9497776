//! Training a graph parser: from treebank to model.
//!
//! [`Trainer`] runs two learning problems one after the other: the labels of gold trees (`labels`), then trees with joint
//! labels (`trees`). After every epoch of the second the development set is parsed with averaged weights; the best epoch's
//! weights are kept, and training stops when LAS has not risen for [`TrainConfig::patience`] epochs. Finally the
//! probabilities are calibrated on the development set (`finish`).
//!
//! Sentences may lack heads (HEAD `_`): the trees are then learned from what is given, the labels from the other sentences.
//!
//! Everything is a function of data, configuration and seed: the same three give the same bytes, also when training was
//! interrupted and resumed from its `checkpoint`.

pub(crate) mod calibrate;
pub(crate) mod checkpoint;
mod config;
mod cost;
pub(crate) mod data;
mod epoch;
mod error;
pub(crate) mod evaluate;
mod finish;
mod labels;
mod problem;
mod progress;
mod prune;
pub(crate) mod run;
mod support;
mod transition;
mod trees;

use spantree_treebank::Sentence;

pub use config::{Kind, LearnerConfig, Mixing, Rule, TrainConfig, Violations};
pub use cost::Cost;
pub use data::{Annotation, DataProblem, annotation};
pub use error::TrainError;
pub use progress::{Progress, TrainWarning};
pub use transition::{
    TransitionConfig, TransitionLearning, TransitionOracle, train as train_transition,
};

use crate::graph::{Decoder, Parser};
use run::Run;

/// The decoder for a treebank in which this share of the arcs is non-projective.
///
/// A rule of thumb: above 2 % the spanning tree is chosen, else Eisner's algorithm.
#[must_use]
pub fn choose_decoder(non_projective: f64) -> Decoder {
    if non_projective > 0.02 { Decoder::Mst } else { Decoder::Eisner }
}

/// Whoever wants to know what is going on. Called by one thread at a time.
pub type Observer<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// Trains parsers; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Trainer {
    config: TrainConfig,
}

impl Trainer {
    /// A trainer with these settings.
    #[must_use]
    pub fn new(config: TrainConfig) -> Self {
        Self { config }
    }

    /// Trains on `train`. Without `dev` all epochs are run and probabilities are not calibrated.
    ///
    /// # Errors
    /// When the data cannot be trained on, or a checkpoint fails.
    pub fn train(
        &self,
        train: &[Sentence],
        dev: &[Sentence],
        progress: Observer<'_>,
    ) -> Result<Parser, TrainError> {
        self.train_versions(train, 1, dev, progress)
    }

    /// Trains on several versions of one treebank, one after the other in `train`, that differ in tags or lemmas: each epoch
    /// sees each sentence once, in one version after the other. Heads and relations must be the same in all.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn train_versions(
        &self,
        train: &[Sentence],
        versions: usize,
        dev: &[Sentence],
        progress: Observer<'_>,
    ) -> Result<Parser, TrainError> {
        let mut run = Run::new(&self.config, (train, versions), dev, progress)?;
        run.learn_labels()?;
        run.learn_trees()?;
        run.finish()
    }
}
