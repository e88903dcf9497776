//! Settings of transition parsers.

use serde::{Deserialize, Serialize};

use super::super::TrainError;
use crate::transition::{MAX_BEAM, TransitionSystem};

/// What a transition parser learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransitionLearning {
    /// Single actions, along the way that the parser takes by itself; a beam ranks sequences by their probability.
    #[default]
    Local,
    /// Whole sequences of actions with the beam, by max violation; a beam ranks sequences by the sum of their scores.
    MaxViolation,
    /// The same, by the sequence of the beam that is costliest for its score.
    SentenceCost,
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
    /// `max-violation` and `sentence-cost`: epochs of `local` learning before the beam is used.
    pub greedy_epochs: u64,
    /// `local`: which actions are right.
    pub oracle: TransitionOracle,
    /// `dynamic`: epochs before the parser follows its own mistakes.
    pub explore_after: u64,
    /// `dynamic`: how often it follows a mistake from then on, 0 to 1.
    pub explore: f64,
    /// The largest step on one action or label.
    pub aggressiveness: f64,
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
        }
    }
}

impl TransitionConfig {
    /// Whether the beam takes part in training.
    pub(super) fn is_global(&self) -> bool {
        self.beam > 1 && self.learning != TransitionLearning::Local
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
        if !(self.aggressiveness > 0.0 && self.aggressiveness <= 1e6) {
            let (name, value) = ("transition.aggressiveness", self.aggressiveness);
            return Err(TrainError::setting(name, value, "a positive number up to 1000000"));
        }
        Ok(())
    }
}
