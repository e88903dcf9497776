//! Settings of training.

use std::path::PathBuf;

use spantree_treebank::transform::Scheme;

use crate::graph::Decoder;
use crate::model::{Source, TemplateTexts};

/// How weights are updated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Update {
    /// Averaged perceptron.
    Perceptron,
    /// 1-best MIRA: the smallest change that gives the gold tree a margin of its loss.
    Mira,
    /// Cost-augmented passive-aggressive with steps of at most C.
    PassiveAggressive {
        /// C.
        aggressiveness: f64,
    },
}

/// Settings; [`TrainConfig::default`] is meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainConfig {
    /// Seed of the shuffles.
    pub seed: u64,
    /// Largest number of epochs for trees.
    pub epochs: u64,
    /// Epochs for the labels of finished trees.
    pub label_epochs: u64,
    /// Stop when dev LAS has not risen for this many epochs.
    pub patience: u64,
    /// How weights are updated.
    pub update: Update,
    /// The decoder; `None` chooses by the share of non-projective arcs, see [`choose_decoder`].
    pub decoder: Option<Decoder>,
    /// What a projective decoder learns from crossing arcs: lifted arcs, or also labels by which they can be put back.
    pub pseudo_projective: Option<Scheme>,
    /// The templates; `None` chooses by the columns of the treebank.
    pub templates: Option<TemplateTexts>,
    /// Binary logarithm of the largest table of weights.
    pub max_bits: u32,
    /// Where the training data come from, for the model's header.
    pub sources: Vec<Source>,
    /// Where to save the state after each epoch.
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if there is one.
    pub resume: bool,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 12,
            label_epochs: 6,
            patience: 3,
            update: Update::PassiveAggressive { aggressiveness: 0.02 },
            decoder: None,
            pseudo_projective: None,
            templates: None,
            max_bits: 22,
            sources: Vec::new(),
            checkpoint: None,
            resume: false,
        }
    }
}
