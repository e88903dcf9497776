//! Settings of transition parsers.

use serde::{Deserialize, Serialize};

use super::super::TrainError;
use crate::transition::{MAX_BEAM, TransitionSystem};

/// What a transition parser learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransitionLearning {
    /// Single actions, along the way that the parser takes by itself, by a margin; a beam ranks sequences by their probability.
    #[default]
    Local,
    /// The same by their likelihood; few weights are not zero, and the parser samples its way.
    LogLinear,
    /// Whole sequences of actions with the beam, where the last one on the way to the gold tree falls out of it; a beam ranks
    /// sequences by the sum of their scores, as in the following ones.
    EarlyUpdate,
    /// The same, where the best of the beam is furthest ahead.
    MaxViolation,
    /// The same, by the sequence of the beam that is costliest for its score.
    SentenceCost,
    /// The same, by all sequences of the beam: the gold one becomes more likely among them.
    Logistic,
}

/// Which actions `local` learning holds for right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransitionOracle {
    /// One per state, on the way to the gold tree.
    Static,
    /// All that lead to the gold tree, on the way to it.
    NonDeterministic,
    /// All that lead to the best tree that can still be built, wherever the parser goes; see `explore`.
    #[default]
    Dynamic,
}

impl TransitionOracle {
    /// Given costs of actions, makes all dear that it does not hold for right.
    pub(super) fn restrict(self, costs: &mut [u32]) {
        if self == Self::Static {
            let free = costs.iter_mut().filter(|cost| **cost == 0);
            free.skip(1).for_each(|cost| *cost = 1);
        }
    }
}

/// What only transition parsers ask for; part of [`TrainConfig`](crate::train::TrainConfig).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransitionConfig {
    /// The transition system.
    pub system: TransitionSystem,
    /// Number of states that are kept side by side; 1 is greedy.
    pub beam: usize,
    /// What is learned.
    pub learning: TransitionLearning,
    /// With a beam: epochs of `local` learning before sequences are learned.
    pub greedy_epochs: u64,
    /// `local`: which actions are right.
    pub oracle: TransitionOracle,
    /// `dynamic`: epochs before the parser follows its own mistakes.
    pub explore_after: u64,
    /// `dynamic`: how often it follows a mistake from then on, 0 to 1.
    pub explore: f64,
    /// The largest step on one action or label.
    pub aggressiveness: f64,
    /// `log-linear`: the length of a step.
    pub step: f64,
    /// `log-linear`: what a weight must be worth per epoch so as not to be zero.
    pub l1: f64,
    /// `logistic`: how dear changes of the weights are.
    pub price: f64,
}

impl Default for TransitionConfig {
    fn default() -> Self {
        Self {
            system: TransitionSystem::default(),
            beam: 1,
            learning: TransitionLearning::default(),
            greedy_epochs: 3,
            oracle: TransitionOracle::default(),
            explore_after: 1,
            explore: 0.9,
            aggressiveness: 0.05,
            step: 1.0,
            l1: 0.1,
            price: 1e5,
        }
    }
}

impl TransitionConfig {
    /// Whether the beam takes part in training.
    pub(super) fn is_global(&self) -> bool {
        use TransitionLearning::{Local, LogLinear};
        self.beam > 1 && !matches!(self.learning, Local | LogLinear)
    }

    /// Whether single decisions are learned and taken, so that clear ones need few templates.
    pub(super) fn takes_shortcuts(&self) -> bool {
        let local = self.learning == TransitionLearning::Local;
        local && self.beam == 1 && self.system.has_shortcuts()
    }

    pub(crate) fn check(&self) -> Result<(), TrainError> {
        if !(1..=MAX_BEAM).contains(&self.beam) {
            return Err(TrainError::setting(
                "transition.beam",
                self.beam,
                "a number from 1 to 1024",
            ));
        }
        if !(0.0..=1.0).contains(&self.explore) {
            return Err(TrainError::setting(
                "transition.explore",
                self.explore,
                "a number from 0 to 1",
            ));
        }
        for (name, value) in [
            ("transition.aggressiveness", self.aggressiveness),
            ("transition.step", self.step),
            ("transition.price", self.price),
        ] {
            if !(value > 0.0 && value <= 1e6) {
                return Err(TrainError::setting(name, value, "a positive number up to 1000000"));
            }
        }
        if !(0.0..=1e6).contains(&self.l1) {
            return Err(TrainError::setting(
                "transition.l1",
                self.l1,
                "a number from 0 to 1000000",
            ));
        }
        Ok(())
    }
}
