//! The structured perceptron (Collins 2002): wrong answers pay one feature difference.
//!
//! `w += f(gold) − f(guess)`, with `guess` the best answer under `w`. Use the average of the [`State`], which generalises
//! better than the last weights. One decoding per example.

use crate::epoch::{Learner, Outcome};
use crate::problem::{CostMode, Structured};
use crate::sparse::SparseVector;
use crate::state::State;

/// The perceptron update; see the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perceptron;

/// Buffers of the learners that compare gold with one guess.
#[derive(Debug, Default)]
pub struct OneBest<S, O> {
    pub(crate) problem: S,
    pub(crate) guess: O,
    pub(crate) delta: SparseVector,
}

impl<S, O> OneBest<S, O> {
    /// Decodes, leaves `f(gold) − f(guess)` in `delta`, compact, and returns the loss of the guess.
    pub(crate) fn compare<P>(
        &mut self,
        problem: &P,
        w: &[f32],
        example: &P::Example,
        cost: CostMode,
    ) -> f64
    where
        P: Structured<Scratch = S, Output = O>,
    {
        problem.decode(w, example, cost, &mut self.problem, &mut self.guess);
        self.delta.clear();
        problem.difference(example, &self.guess, &mut self.problem, &mut self.delta);
        self.delta.compact();
        f64::from(problem.loss(example, &self.guess))
    }
}

impl<P: Structured> Learner<P> for Perceptron {
    type Scratch = OneBest<P::Scratch, P::Output>;

    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome {
        let loss = scratch.compare(problem, state.weights(), example, CostMode::Plain);
        state.add(1.0, &scratch.delta);
        Outcome { loss, updated: !scratch.delta.is_empty() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epoch;
    use crate::testing::{Listed, multiclass};

    #[test]
    fn two_steps_by_hand() {
        // Classes 0 and 1, features a and b: ids 0a 1b | 2a 3b. Ties go to class 1.
        let examples = [multiclass(2, 2, &[0, 1], 0), multiclass(2, 2, &[1], 1)];
        let mut state = State::new(4);
        let stats = epoch(
            &Perceptron,
            &Listed,
            &examples,
            &[0, 1],
            &mut state,
            &mut OneBest::default(),
            &|_| {},
        );
        // {a, b} is taken for 1: w₁ = (1, 1, −1, −1). Then {b} is taken for 0: w₂ = w₁ + (0, −1, 0, 1).
        assert_eq!(state.weights(), [1.0, 1.0 - 1.0, -1.0, -1.0 + 1.0]);
        assert_eq!(state.average(), [1.0, (1.0 + 0.0) / 2.0, -1.0, (-1.0 + 0.0) / 2.0]);
        assert_eq!((stats.examples, stats.updates, stats.loss), (2, 2, 2.0));
    }
}
