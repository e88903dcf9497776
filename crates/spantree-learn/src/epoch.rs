//! One epoch from these weights on this shard: the single way in which learners meet examples.
//!
//! The training loop calls [`epoch()`], or [`Mixer::epoch`](crate::Mixer::epoch), which calls it per shard.

use crate::problem::Problem;
use crate::state::State;
use std::ops::AddAssign;

/// A rule that turns one example into a change of the weights.
///
/// Learners are immutable settings; what changes is in the [`State`] and in the scratch.
pub trait Learner<P: Problem>: Sync {
    /// Buffers that one thread reuses from example to example.
    type Scratch: Default + Send;

    /// Looks at one example and changes the weights if need be.
    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome;

    /// Called at the end of an epoch, for work that a learner puts off.
    fn settle(&self, _state: &mut State) {}
}

/// What one example did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The loss of the example under the weights before the update, in the learner's own terms.
    pub loss: f64,
    /// Whether the weights changed.
    pub updated: bool,
}

/// What one epoch did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EpochStats {
    /// Examples seen.
    pub examples: u64,
    /// Examples that changed the weights.
    pub updates: u64,
    /// Sum of the losses.
    pub loss: f64,
}

impl EpochStats {
    fn record(&mut self, outcome: Outcome) {
        self.examples += 1;
        self.updates += u64::from(outcome.updated);
        self.loss += outcome.loss;
    }
}

impl AddAssign for EpochStats {
    fn add_assign(&mut self, other: Self) {
        self.examples += other.examples;
        self.updates += other.updates;
        self.loss += other.loss;
    }
}

/// Called after every example, on the thread that learned from it.
pub type Progress<'a> = &'a (dyn Fn(Outcome) + Sync);

/// Learns from `examples[i]` for every `i` of `order`, in this order.
///
/// # Panics
/// If `order` holds an index that is not below `examples.len()`, or the problem an id that is not below the number of weights.
pub fn epoch<P: Problem, L: Learner<P>>(
    learner: &L,
    problem: &P,
    examples: &[P::Example],
    order: &[u32],
    state: &mut State,
    scratch: &mut L::Scratch,
    progress: Progress<'_>,
) -> EpochStats {
    let mut stats = EpochStats::default();
    for &index in order {
        let outcome = learner.learn(problem, &examples[index as usize], state, scratch);
        state.steps += 1;
        stats.record(outcome);
        progress(outcome);
    }
    learner.settle(state);
    stats
}

#[cfg(test)]
mod tests;
