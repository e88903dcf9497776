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
