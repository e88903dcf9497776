//! Factored MIRA: a margin for every part instead of for whole answers.
//!
//! For trees: the gold head of each word must score at least 1 more than any other head. If these O(n²) constraints hold, every
//! tree keeps a margin of its number of wrong heads, so no decoder is needed in training (McDonald, Crammer, Pereira 2006,
//! §3.2.3). The converse does not hold: the factored constraints are stricter.
//!
//! The Gram matrix of so many constraints would be O(n⁴), so Hildreth's steps are made in turn, straight on the weights, which
//! stand for `δ`. A sweep costs one sparse product per constraint; memory is the features of all constraints of one example.

use crate::epoch::{Learner, Outcome};
use crate::problem::Factored;
use crate::sparse::SparseVector;
use crate::state::State;

/// Factored MIRA; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactoredMira {
    /// Sweeps over the constraints of an example end when none is violated by more than this. Weights are `f32`: below 10⁻⁶
    /// rounding decides.
    pub tolerance: f64,
    /// Largest number of sweeps over one example.
    pub sweeps: usize,
}

impl Default for FactoredMira {
    /// Constraints hold to 10⁻⁵, or as well as 1,000 sweeps can make them.
    fn default() -> Self {
        Self { tolerance: 1e-5, sweeps: 1_000 }
    }
}

#[derive(Debug, Default)]
struct Constraint {
    delta: SparseVector,
    squared_norm: f64,
    margin: f64,
    /// Dual variable: how much of `delta` has been added.
    alpha: f64,
}

impl Constraint {
    fn missing(&self, w: &[f32]) -> f64 {
        self.margin - self.delta.dot(w)
    }
}

/// Buffers of [`FactoredMira`].
#[derive(Debug, Default)]
pub struct FactoredScratch<S> {
    problem: S,
    constraints: Vec<Constraint>,
}

impl<S> FactoredScratch<S> {
    /// The constraints of an example that weights can change.
    fn collect<P: Factored<Scratch = S>>(
        &mut self,
        problem: &P,
        example: &P::Example,
    ) -> &mut [Constraint] {
        let mut used = 0;
        for index in 0..problem.constraints(example, &mut self.problem) {
            if self.constraints.len() == used {
                self.constraints.push(Constraint::default());
            }
            let slot = &mut self.constraints[used];
            slot.delta.clear();
            slot.margin =
                f64::from(problem.constraint(example, index, &mut self.problem, &mut slot.delta));
            slot.delta.compact();
            slot.squared_norm = slot.delta.squared_norm();
            slot.alpha = 0.0;
            used += usize::from(!slot.delta.is_empty());
        }
        &mut self.constraints[..used]
    }
}

impl FactoredMira {
    /// One step of Hildreth's method per constraint; returns the largest violation met.
    fn sweep(&self, constraints: &mut [Constraint], state: &mut State) -> f64 {
        let mut worst = 0.0_f64;
        for constraint in constraints {
            let missing = constraint.missing(state.weights());
            let violation = if constraint.alpha > 0.0 { missing.abs() } else { missing };
            worst = worst.max(violation);
            if violation > self.tolerance {
                let step = (missing / constraint.squared_norm).max(-constraint.alpha);
                constraint.alpha += step;
                state.add(step as f32, &constraint.delta);
            }
        }
        worst
    }
}

impl<P: Factored> Learner<P> for FactoredMira {
    type Scratch = FactoredScratch<P::Scratch>;

    /// The loss is the sum of what is missing to the margins.
    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome {
        let constraints = scratch.collect(problem, example);
        let loss =
            constraints.iter().map(|constraint| constraint.missing(state.weights()).max(0.0)).sum();
        for _ in 0..self.sweeps {
            if self.sweep(constraints, state) <= self.tolerance {
                break;
            }
        }
        Outcome { loss, updated: constraints.iter().any(|constraint| constraint.alpha > 0.0) }
    }
}
