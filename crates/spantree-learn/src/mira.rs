//! k-best MIRA: the smallest change of the weights that separates gold from each of the k best answers by its loss.
//!
//! ```text
//! min ‖w' − w‖   such that   w' · (f(gold) − f(y)) ≥ loss(y)   for y in the k best answers under w
//! ```
//!
//! Hard constraints, without slack or aggressiveness (McDonald, Crammer, Pereira 2006). The dual is solved by
//! Hildreth's method over the k × k Gram matrix. With k = 1 this is [`PassiveAggressive::mira`](crate::PassiveAggressive::mira),
//! which is faster. One k-best decoding and k²/2 sparse products per example.

pub mod factored;
mod hildreth;

use crate::epoch::{Learner, Outcome};
use crate::problem::KBest;
use crate::sparse::SparseVector;
use crate::state::State;
pub use factored::FactoredMira;
use hildreth::hildreth;

/// k-best MIRA; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mira {
    /// Number of answers that gold is compared with; 5 in the paper.
    pub k: usize,
}

/// Buffers of [`Mira`].
#[derive(Debug, Default)]
pub struct MiraScratch<S, O> {
    problem: S,
    guesses: Vec<O>,
    /// `f(gold) − f(y)` of each constraint; only the first `targets.len()` are in use.
    deltas: Vec<SparseVector>,
    /// What is missing to the margin of each constraint, `loss − w · delta`.
    targets: Vec<f64>,
    gram: Vec<f64>,
    steps: Vec<f64>,
}

impl<S, O> MiraScratch<S, O> {
    /// One constraint per guess whose features differ from those of gold.
    fn collect_constraints<P>(&mut self, problem: &P, w: &[f32], example: &P::Example)
    where
        P: KBest<Scratch = S, Output = O>,
    {
        self.targets.clear();
        for guess in &self.guesses {
            if self.deltas.len() == self.targets.len() {
                self.deltas.push(SparseVector::new());
            }
            let delta = &mut self.deltas[self.targets.len()];
            delta.clear();
            problem.difference(example, guess, &mut self.problem, delta);
            delta.compact();
            if !delta.is_empty() {
                self.targets.push(f64::from(problem.loss(example, guess)) - delta.dot(w));
            }
        }
    }

    fn fill_gram(&mut self) {
        let deltas = &self.deltas[..self.targets.len()];
        self.gram.clear();
        for (row, delta) in deltas.iter().enumerate() {
            for column in 0..deltas.len() {
                let product = match column < row {
                    true => self.gram[column * deltas.len() + row],
                    false => delta.dot_sparse(&deltas[column]),
                };
                self.gram.push(product);
            }
        }
    }
}

impl<P: KBest> Learner<P> for Mira {
    type Scratch = MiraScratch<P::Scratch, P::Output>;

    fn learn(
        &self,
        problem: &P,
        example: &P::Example,
        state: &mut State,
        scratch: &mut Self::Scratch,
    ) -> Outcome {
        problem.k_best(
            state.weights(),
            example,
            self.k,
            &mut scratch.problem,
            &mut scratch.guesses,
        );
        let loss =
            scratch.guesses.first().map_or(0.0, |best| f64::from(problem.loss(example, best)));
        scratch.collect_constraints(problem, state.weights(), example);
        let updated = scratch.targets.iter().any(|&target| target > 0.0);
        if updated {
            scratch.fill_gram();
            hildreth(&scratch.gram, &mut scratch.targets, &mut scratch.steps);
            for (delta, &step) in scratch.deltas.iter().zip(&scratch.steps) {
                if step > 0.0 {
                    state.add(step as f32, delta);
                }
            }
        }
        Outcome { loss, updated }
    }
}

#[cfg(test)]
mod tests;
