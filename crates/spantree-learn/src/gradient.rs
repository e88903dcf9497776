//! Log-linear models, one example at a time: stochastic gradient ascent with constant or adaptive rates and L2.
//!
//! Maximises `Σ_i [log p(allowed_i) − λ/2 ‖w‖²]`; λ is per example, so that it does not depend on the size of the data.
//! Each example makes a gradient step and then the proximal step of the regulariser (Duchi, Hazan, Singer 2011, composite
//! mirror descent), separately for each weight with gradient `g`:
//!
//! ```text
//! w ← (h w + η g) / (h + η λ),    h = 1 (constant rate)  or  h = ε + √(Σ g²) (AdaGrad, with a small or a large ε)
//! ```
//!
//! A weight without gradient shrinks by `h / (h + η λ)` per example. That is put off until the weight has a gradient again, or
//! the epoch ends, and then paid as one power; so an example costs as much as its features. Until then the stored, unpaid
//! weight is what examples are scored with. A constant rate does not converge by itself; the average of the [`State`] does.

use crate::epoch::{Learner, Outcome};
use crate::problem::LogLinear;
use crate::sparse::SparseVector;
use crate::state::State;

/// Keeps the first adaptive steps finite.
const EPSILON: f64 = 1e-6;

/// How the length of a step depends on the past of a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// It does not.
    Constant,
    /// Shorter for weights with large gradients in the past (AdaGrad).
    Adaptive,
    /// The same with this ε: a weight whose gradients have been smaller does not make up for it by longer steps.
    Damped(f32),
}

/// Stochastic gradient ascent; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StochasticGradient {
    /// η, the length of a step.
    pub step: f32,
    /// Constant or adaptive.
    pub rate: Rate,
    /// λ, the strength of the regulariser per example; 0 for none.
    pub l2: f32,
}

/// Buffers of [`StochasticGradient`].
#[derive(Debug, Default)]
pub struct GradientScratch<S> {
    pub(crate) problem: S,
    pub(crate) gradient: SparseVector,
}

impl StochasticGradient {
    /// Fills the tables that these settings need, if they are empty.
    fn prepare(&self, state: &mut State) {
        let len = state.weights.len();
        if self.rate != Rate::Constant && state.squares.is_empty() {
            state.squares.resize(len, 0.0);
        }
        if self.l2 > 0.0 && state.paid.is_empty() {
            state.paid.resize(len, state.steps as u32);
        }
    }

    /// `h` of the module's formula.
    fn scale(&self, state: &State, id: usize) -> f64 {
        match self.rate {
            Rate::Constant => 1.0,
            Rate::Adaptive => EPSILON + f64::from(state.squares[id]).sqrt(),
            Rate::Damped(epsilon) => f64::from(epsilon) + f64::from(state.squares[id]).sqrt(),
        }
    }

    /// What the regulariser adds to `h`.
    fn shrinkage(&self) -> f64 {
        f64::from(self.step) * f64::from(self.l2)
    }

    /// The weight after the regularisation that it owes for the examples before this one.
    fn paid_weight(&self, state: &State, id: usize) -> f64 {
        let weight = f64::from(state.weights[id]);
        if self.l2 <= 0.0 {
            return weight;
        }
        let owed = (state.steps as u32).wrapping_sub(state.paid[id]);
        let h = self.scale(state, id);
        weight * power(h / (h + self.shrinkage()), owed)
    }

    fn climb(&self, state: &mut State, id: usize, gradient: f32) {
        let weight = self.paid_weight(state, id);
        if self.rate != Rate::Constant {
            state.squares[id] += gradient * gradient;
        }
        let h = self.scale(state, id);
        let ascent = f64::from(self.step) * f64::from(gradient);
        state.set(id, ((h * weight + ascent) / (h + self.shrinkage())) as f32);
        if self.l2 > 0.0 {
            state.paid[id] = (state.steps as u32).wrapping_add(1);
        }
    }
}

/// `base` to an integer power by squaring: unlike `powi`, the same bits on every platform.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

impl<P: LogLinear> Learner<P> for StochasticGradient {
    type Scratch = GradientScratch<P::Scratch>;

    /// The loss is the negative log-likelihood; examples that allow no answer are skipped and cost nothing.
    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome {
        self.prepare(state);
        scratch.gradient.clear();
        let likelihood = problem.log_likelihood(
            state.weights(),
            example,
            &mut scratch.problem,
            &mut scratch.gradient,
        );
        if !likelihood.is_finite() {
            return Outcome::default();
        }
        scratch.gradient.compact();
        for (id, gradient) in scratch.gradient.entries() {
            self.climb(state, id as usize, gradient);
        }
        Outcome { loss: -likelihood, updated: !scratch.gradient.is_empty() }
    }

    fn settle(&self, state: &mut State) {
        if state.paid.is_empty() {
            return;
        }
        for id in 0..state.weights.len() {
            let weight = self.paid_weight(state, id);
            state.set(id, weight as f32);
        }
        state.paid.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Choice, Listed, assert_close, planted_chains};
    use crate::{Rng, epoch};

    fn run(learner: StochasticGradient, examples: &[Choice], order: &[u32], len: usize) -> State {
        let mut state = State::new(len);
        epoch(
            &learner,
            &Listed,
            examples,
            order,
            &mut state,
            &mut GradientScratch::default(),
            &|_| {},
        );
        state
    }

    /// Gold has feature 0, the other answer feature 1: the gradient is (1 − p, −(1 − p)).
    fn two_answers() -> Choice {
        Choice::new(&[(&[(0, 1.0)], 0.0), (&[(1, 1.0)], 1.0)])
    }

    fn wrong_probability(w: &[f32]) -> f32 {
        1.0 / (1.0 + (w[0] - w[1]).exp())
    }

    #[test]
    fn two_steps_by_hand() {
        let learner = StochasticGradient { step: 0.5, rate: Rate::Constant, l2: 0.2 };
        // w₁ = (0 + 0.5 · 0.5) / (1 + 0.5 · 0.2), then p = σ(w₁ − (−w₁)), w₂ = (w₁ + 0.5 (1 − p)) / 1.1.
        let first = (0.5 * 0.5) / (1.0 + 0.5 * 0.2);
        let second = (first + 0.5 * wrong_probability(&[first, -first])) / 1.1;
        let state = run(learner, &[two_answers()], &[0, 0], 2);
        assert_close(state.weights(), &[second, -second], 1e-6);
        assert_close(&state.average(), &[(first + second) / 2.0, -(first + second) / 2.0], 1e-6);
    }

    #[test]
    fn two_adaptive_steps_by_hand() {
        for (rate, epsilon) in [(Rate::Adaptive, 0.0), (Rate::Damped(0.3), 0.3)] {
            let learner = StochasticGradient { step: 0.5, rate, l2: 0.2 };
            // g₁ = 0.5, h₁ = ε + √0.25; w₁ = 0.5 · 0.5 / (h₁ + 0.1). g₂ = 1 − p, h₂ = ε + √(0.25 + g₂²).
            let first = (0.5 * 0.5) / (epsilon + 0.5 + 0.5 * 0.2);
            let g = wrong_probability(&[first, -first]);
            let h = epsilon + (0.25 + g * g).sqrt();
            let second = (h * first + 0.5 * g) / (h + 0.1);
            let state = run(learner, &[two_answers()], &[0, 0], 2);
            assert_close(state.weights(), &[second, -second], 1e-5);
        }
    }

    #[test]
    fn regularisation_put_off_is_paid_in_full() {
        // Examples 1 to 3 do not touch features 0 and 1, which must shrink three times; so must the new weights later.
        let other = Choice::new(&[(&[(2, 1.0)], 0.0), (&[(3, 1.0)], 1.0)]);
        for rate in [Rate::Constant, Rate::Adaptive] {
            let learner = StochasticGradient { step: 0.5, rate, l2: 0.2 };
            let once = run(learner, &[two_answers()], &[0], 4).weights()[0];
            let h = if rate == Rate::Constant { 1.0 } else { 0.5 };
            let shrunk = once * (h / (h + 0.1)) * (h / (h + 0.1)) * (h / (h + 0.1));
            let state = run(learner, &[two_answers(), other.clone()], &[0, 1, 1, 1], 4);
            assert_close(&state.weights()[..2], &[shrunk, -shrunk], 1e-5);
            // The payment comes before the next gradient step of the same weight.
            let again = run(learner, &[two_answers(), other.clone()], &[0, 1, 1, 1, 0], 4);
            let g = wrong_probability(&[once, -once]);
            let h = if rate == Rate::Constant { 1.0 } else { (0.25 + g * g).sqrt() };
            assert_close(&again.weights()[..1], &[(h * shrunk + 0.5 * g) / (h + 0.1)], 1e-5);
        }
    }

    #[test]
    fn powers() {
        for exponent in 0..40 {
            let expected = (0..exponent).fold(1.0, |product, _| product * 0.75);
            assert!((power(0.75, exponent) / expected - 1.0).abs() < 1e-13);
        }
        assert_eq!(power(1.0, u32::MAX), 1.0);
    }

    #[test]
    fn gradient_of_the_toy_is_its_finite_difference() {
        let mut rng = Rng::new(2);
        for example in planted_chains(&mut rng, 5) {
            for example in [example.clone(), example.clone().allow(&[0, 3, 7, 40])] {
                let w: Vec<f32> = (0..33).map(|_| rng.uniform() as f32 - 0.5).collect();
                let value = |w: &[f32]| {
                    Listed.log_likelihood(w, &example, &mut (), &mut SparseVector::new())
                };
                let mut gradient = SparseVector::new();
                Listed.log_likelihood(&w, &example, &mut (), &mut gradient);
                gradient.compact();
                for id in 0..33 {
                    let (mut up, mut down) = (w.clone(), w.clone());
                    up[id] += 0.01;
                    down[id] -= 0.01;
                    let slope = (value(&up) - value(&down)) / f64::from(up[id] - down[id]);
                    let found = gradient
                        .entries()
                        .find(|entry| entry.0 == id as u32)
                        .map_or(0.0, |entry| entry.1);
                    assert!(
                        (slope - f64::from(found)).abs() < 1e-3,
                        "feature {id}: {found}, by differences {slope}"
                    );
                }
            }
        }
    }

    #[test]
    fn examples_without_allowed_answers_are_skipped() {
        let learner = StochasticGradient { step: 0.5, rate: Rate::Adaptive, l2: 0.0 };
        let state = run(learner, &[two_answers().allow(&[])], &[0], 2);
        assert_eq!(state.weights(), [0.0, 0.0]);
    }
}
