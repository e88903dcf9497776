//! Clear decisions by few templates.
//!
//! Most decisions of a greedy search are clear from a few features (after Strubell, Vilnis, Silverstein and McCallum 2015). A
//! model with shortcuts has a second, small set of templates with weights of their own, in a table that stays in the cache.
//! Where its best action is far enough ahead, it is taken, and labels that are far behind are no longer asked for; else all
//! templates decide. How far that is, training fits to the development set, so that few decisions change. Beams and
//! confidences ask all templates.

use serde::{Deserialize, Serialize};

/// How far ahead the best candidate must be to be clear, in units of sums of weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shortcuts {
    /// The best action, ahead of all others.
    pub action_lead: f32,
    /// The best label, ahead of each one that is given up.
    pub label_lead: f32,
}

impl Shortcuts {
    /// Whether both leads are.
    pub(super) fn are_positive(self) -> bool {
        self.action_lead > 0.0 && self.label_lead > 0.0
    }
}
