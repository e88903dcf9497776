//! One margin constraint per example, solved in closed form: passive-aggressive learning and 1-best MIRA.
//!
//! With `Δ = f(gold) − f(guess)` and the required margin `m`, the smallest change of `w` after which `w · Δ ≥ m` is
//!
//! ```text
//! w += τ Δ,    τ = min(C, max(0, (m − w · Δ) / ‖Δ‖²))
//! ```
//!
//! | | guess | m | C |
//! |---|---|---|---|
//! | [`PassiveAggressive::mira`] (McDonald, Crammer, Pereira 2006, k = 1) | best under `w` | loss | ∞ |
//! | [`PassiveAggressive::cost_augmented`] (Crammer et al. 2006; Johansson, Nugues 2008) | best under `w` plus loss | loss | given |
//!
//! One decoding per example.

use crate::epoch::{Learner, Outcome};
use crate::perceptron::OneBest;
use crate::problem::{CostMode, Structured};
use crate::state::State;

/// The margin that a guess of a given loss must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Margin {
    /// The loss itself.
    Loss,
    /// Its square root, which asks less of long inputs. It goes with [`CostMode::Plain`] unless decoding adds the same
    /// square root, which exact searches cannot.
    SquareRoot,
}

impl Margin {
    fn of(self, loss: f64) -> f64 {
        match self {
            Self::Loss => loss,
            Self::SquareRoot => loss.sqrt(),
        }
    }
}

/// The closed-form margin update; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassiveAggressive {
    /// `C`, the largest step on one example; infinite means that the margin holds after every update.
    pub aggressiveness: f64,
    /// Whether the guess is found with the loss added to its score.
    pub decoding: CostMode,
    /// The margin as a function of the loss.
    pub margin: Margin,
}

impl PassiveAggressive {
    /// 1-best MIRA: plain decoding, hard constraints.
    #[must_use]
    pub const fn mira() -> Self {
        Self { aggressiveness: f64::INFINITY, decoding: CostMode::Plain, margin: Margin::Loss }
    }

    /// Cost-augmented decoding with steps of at most `aggressiveness`.
    #[must_use]
    pub const fn cost_augmented(aggressiveness: f64) -> Self {
        Self { aggressiveness, decoding: CostMode::Augmented, margin: Margin::Loss }
    }
}

impl<P: Structured> Learner<P> for PassiveAggressive {
    type Scratch = OneBest<P::Scratch, P::Output>;

    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome {
        let loss = scratch.compare(problem, state.weights(), example, self.decoding);
        let delta = &scratch.delta;
        let violation = self.margin.of(loss) - delta.dot(state.weights());
        let step = (violation / delta.squared_norm()).min(self.aggressiveness) as f32;
        let updated = violation > 0.0 && !delta.is_empty() && step.is_finite();
        if updated {
            state.add(step, delta);
        }
        Outcome { loss, updated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Choice, Listed, assert_close, random_choice};
    use crate::{Rng, epoch};

    const AGGRESSIVE: PassiveAggressive = PassiveAggressive::cost_augmented(f64::INFINITY);

    fn run(learner: PassiveAggressive, examples: &[Choice], order: &[u32], len: usize) -> State {
        let mut state = State::new(len);
        epoch(&learner, &Listed, examples, order, &mut state, &mut OneBest::default(), &|_| {});
        state
    }

    /// Two answers, three features; the wrong answer wins ties.
    fn two_examples() -> [Choice; 2] {
        [
            // Δ = (1, −1, 0), ‖Δ‖² = 2.
            Choice::new(&[(&[(0, 1.0)], 0.0), (&[(1, 1.0)], 1.0)]),
            // Δ = (1, 0, −2), ‖Δ‖² = 5.
            Choice::new(&[(&[(0, 1.0)], 0.0), (&[(2, 2.0)], 4.0)]),
        ]
    }

    #[test]
    fn two_steps_by_hand() {
        // τ₁ = (1 − 0) / 2, w₁ = (1/2, −1/2, 0). Example 2 is then right without cost, and scores 1/2 of the margin 4.
        let (first, satisfied) =
            (1.0 / 2.0, run(PassiveAggressive::mira(), &two_examples(), &[0, 1], 3));
        assert_close(satisfied.weights(), &[first, -first, 0.0], 1e-7);
        // With cost: τ₂ = (4 − 1/2) / 5.
        let second = (4.0 - first) / 5.0;
        let state = run(AGGRESSIVE, &two_examples(), &[0, 1], 3);
        assert_close(state.weights(), &[first + second, -first, -2.0 * second], 1e-7);
        // w₁ counts once and w₂ once.
        assert_close(&state.average(), &[first + second / 2.0, -first, -second], 1e-7);
    }

    #[test]
    fn square_root_cost_and_cap_by_hand() {
        let learner = PassiveAggressive { margin: Margin::SquareRoot, ..AGGRESSIVE };
        // τ₁ = 1 / 2; τ₂ = (√4 − 1/2) / 5.
        let second = (2.0 - 0.5) / 5.0;
        let state = run(learner, &two_examples(), &[0, 1], 3);
        assert_close(state.weights(), &[0.5 + second, -0.5, -2.0 * second], 1e-7);
        // τ₁ = min(0.1, 0.5), τ₂ = min(0.1, (4 − 0.1) / 5).
        let state = run(PassiveAggressive::cost_augmented(0.1), &two_examples(), &[0, 1], 3);
        assert_close(state.weights(), &[0.1 + 0.1, -0.1, -0.2], 1e-7);
    }

    #[test]
    fn margin_holds_with_equality_after_an_uncapped_step() {
        let mut rng = Rng::new(11);
        let mut updates = 0;
        for _ in 0..200 {
            let example = random_choice(&mut rng, 12, 6);
            let mut state =
                State::from_weights((0..12).map(|_| rng.uniform() as f32 - 0.5).collect());
            let mut scratch = OneBest::default();
            let outcome = AGGRESSIVE.learn(&Listed, &example, &mut state, &mut scratch);
            if outcome.updated {
                updates += 1;
                assert!((scratch.delta.dot(state.weights()) - outcome.loss).abs() < 1e-5);
            }
        }
        assert!(updates > 100, "{updates}");
    }

    #[test]
    fn answers_with_the_features_of_gold_change_nothing() {
        let same = Choice::new(&[(&[(0, 1.0)], 0.0), (&[(0, 1.0)], 1.0)]);
        let state = run(AGGRESSIVE, &[same], &[0], 1);
        assert_eq!(state.weights(), [0.0]);
    }
}
