//! AdaGrad with L1 by regularised dual averaging (Duchi, Hazan and Singer 2011, as in Goldberg 2013).
//!
//! A weight is derived from the sum `g` of its gradients and the sum `G` of their squares:
//!
//! ```text
//! w = α / √(G + ρ) · sign(g) · max(0, |g| − t λ)
//! ```
//!
//! with λ the price of a weight per example and `t` the number of examples so far, so that a feature must keep
//! proving useful or its weight is exactly zero. (As printed, the condition of the shrinkage compares `|g − t λ|` with zero; there
//! `t` counts updates.) Weights are derived anew when they have a gradient, and all of them at the end of an epoch. They are not
//! averaged. Called by trainers that compute gradients themselves, such as that of transition parsers.

use crate::sparse::SparseVector;
use crate::state::State;

/// See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualAveraging {
    /// α, the length of a step.
    pub step: f32,
    /// ρ, which keeps the first steps short.
    pub offset: f32,
    /// λ, the price of a weight per example.
    pub l1: f32,
}

impl DualAveraging {
    /// Climbs along a gradient, entry by entry.
    ///
    /// # Panics
    /// If an id is not below the number of weights.
    pub fn climb(&self, state: &mut State, gradient: &SparseVector) {
        let len = state.weights.len();
        for table in [&mut state.squares, &mut state.sums] {
            table.resize(len, 0.0);
        }
        for (id, value) in gradient.entries() {
            let id = id as usize;
            state.sums[id] += value;
            state.squares[id] += value * value;
            state.weights[id] = self.weight(state, id);
        }
    }

    /// Derives all weights anew; for the end of an epoch.
    pub fn settle(&self, state: &mut State) {
        for id in 0..state.sums.len() {
            state.weights[id] = self.weight(state, id);
        }
    }

    fn weight(&self, state: &State, id: usize) -> f32 {
        let sum = state.sums[id];
        let left = (sum.abs() - state.steps as f32 * self.l1).max(0.0);
        self.step / (state.squares[id] + self.offset).sqrt() * left.copysign(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(entries: &[(u32, f32)]) -> SparseVector {
        let mut gradient = SparseVector::new();
        entries.iter().for_each(|&(id, value)| gradient.add(id, value));
        gradient
    }

    #[test]
    fn two_steps_by_hand() {
        let learner = DualAveraging { step: 2.0, offset: 1.0, l1: 0.5 };
        let mut state = State::new(3);
        learner.climb(&mut state, &gradient(&[(0, 3.0), (1, -1.0)]));
        assert_eq!(state.weights(), [2.0 / 10f32.sqrt() * 3.0, -2.0 / 2f32.sqrt(), 0.0]);
        state.steps = 4;
        learner.climb(&mut state, &gradient(&[(0, 1.0)]));
        // |4| − 4 · 0.5, over the root of 9 + 1 + 1.
        assert_eq!(state.weights()[0], 2.0 / 11f32.sqrt() * 2.0);
        // Not touched: what was derived without a price stays until the end of the epoch, where its price is too high.
        assert_eq!(state.weights()[1], -2.0 / 2f32.sqrt());
        learner.settle(&mut state);
        assert_eq!(state.weights()[1..], [0.0, 0.0]);
        assert_eq!(state.average(), state.weights());
    }

    #[test]
    fn without_a_price_it_is_dual_averaging_with_adaptive_rates() {
        let learner = DualAveraging { step: 1.0, offset: 0.01, l1: 0.0 };
        let (mut state, mut sum, mut squares) = (State::new(1), 0.0f32, 0.0f32);
        for value in [0.5f32, -0.25, 1.0, 0.125] {
            learner.climb(&mut state, &gradient(&[(0, value)]));
            state.steps += 1;
            (sum, squares) = (sum + value, squares + value * value);
            assert_eq!(state.weights(), [1.0 / (squares + 0.01).sqrt() * sum]);
        }
    }
}
