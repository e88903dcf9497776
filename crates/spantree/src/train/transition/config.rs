//! Settings of transition parsers.

use serde::{Deserialize, Serialize};

use super::super::TrainError;
use crate::transition::{MAX_BEAM, TransitionSystem};

/// What only transition parsers ask for; part of [`TrainConfig`](crate::train::TrainConfig).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransitionConfig {
    /// The transition system.
    pub system: TransitionSystem,
    /// Number of states that are kept side by side; 1 is greedy.
    pub beam: usize,
    /// With a beam: epochs of greedy training before the beam is used.
    pub greedy_epochs: u64,
    /// Greedy: epochs before the parser follows its own mistakes.
    pub explore_after: u64,
    /// Greedy: how often it follows a mistake from then on, 0 to 1.
    pub explore: f64,
    /// The largest step on one action or label.
    pub aggressiveness: f64,
}

impl Default for TransitionConfig {
    fn default() -> Self {
        Self {
            system: TransitionSystem::default(),
            beam: 1,
            greedy_epochs: 3,
            explore_after: 1,
            explore: 0.9,
            aggressiveness: 0.05,
        }
    }
}

impl TransitionConfig {
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
