//! Log-linear models on all examples at once: L-BFGS on the regularised log-likelihood.
//!
//! Minimises the same function as [`StochasticGradient`](crate::StochasticGradient), per example:
//!
//! ```text
//! −(1/N) Σ_i log p(allowed_i) + λ/2 ‖w‖²
//! ```
//!
//! It is convex, with one minimum, if each example allows a single answer; with partial annotation a local minimum is found.
//! Examples are summed in blocks of fixed size and order, so the result does not depend on the number of threads.
//! Memory: `8 n (2 memory + 5)` bytes for n weights (see [`lbfgs`](crate::lbfgs)), 640 MB for 2²² weights and memory 7; large
//! tables are better served by [`StochasticGradient`](crate::StochasticGradient).

use crate::gradient::GradientScratch;
use crate::lbfgs::{Lbfgs, Minimum};
use crate::problem::LogLinear;

/// Examples per block: enough work for a thread, few enough that their gradients fit in memory.
const BLOCK: usize = 64;

/// Settings of [`fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// λ, the strength of the regulariser per example.
    pub l2: f64,
    /// The minimiser.
    pub minimiser: Lbfgs,
    /// Number of threads; zero counts as one.
    pub threads: usize,
}

/// Changes `weights` into those that minimise the function of the [module](self). `progress` gets the number of each iteration
/// and the value after it. Examples that allow no answer are skipped.
///
/// # Panics
/// If the problem uses an id that is not below the number of weights.
pub fn fit<P: LogLinear>(
    settings: &Fit,
    problem: &P,
    examples: &[P::Example],
    weights: &mut [f32],
    progress: impl FnMut(usize, f64),
) -> Minimum {
    let mut workers: Vec<Worker<P::Scratch>> = Vec::new();
    workers.resize_with(settings.threads.max(1), Worker::default);
    let mut w = weights.to_vec();
    let scale = 1.0 / examples.len().max(1) as f64;
    let objective = |x: &[f64], gradient: &mut [f64]| {
        w.iter_mut().zip(x).for_each(|(w, &x)| *w = x as f32);
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = settings.l2 * x);
        let likelihood =
            add_negative_gradient(problem, examples, &w, scale, &mut workers, gradient);
        settings.l2 / 2.0 * x.iter().map(|x| x * x).sum::<f64>() - scale * likelihood
    };
    let mut x: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
    let minimum = settings.minimiser.minimise(&mut x, objective, progress);
    weights.iter_mut().zip(x).for_each(|(w, x)| *w = x as f32);
    minimum
}

/// One thread's buffers, and the result of its last block.
#[derive(Default)]
struct Worker<S> {
    scratch: GradientScratch<S>,
    sum: Vec<(u32, f32)>,
    likelihood: f64,
}

impl<S> Worker<S> {
    fn run<P: LogLinear<Scratch = S>>(&mut self, problem: &P, block: &[P::Example], w: &[f32]) {
        self.sum.clear();
        self.likelihood = 0.0;
        let GradientScratch { problem: scratch, gradient } = &mut self.scratch;
        for example in block {
            gradient.clear();
            let likelihood = problem.log_likelihood(w, example, scratch, gradient);
            if likelihood.is_finite() {
                self.likelihood += likelihood;
                gradient.compact();
                self.sum.extend(gradient.entries());
            }
        }
    }
}

/// Subtracts the scaled gradient of the log-likelihood of all examples, which is returned. Threads compute blocks; the calling
/// thread adds them up in the order of the examples.
fn add_negative_gradient<P: LogLinear>(
    problem: &P,
    examples: &[P::Example],
    w: &[f32],
    scale: f64,
    workers: &mut [Worker<P::Scratch>],
    gradient: &mut [f64],
) -> f64 {
    let mut likelihood = 0.0;
    for round in examples.chunks(BLOCK * workers.len()) {
        std::thread::scope(|scope| {
            for (worker, block) in workers.iter_mut().zip(round.chunks(BLOCK)) {
                scope.spawn(move || worker.run(problem, block, w));
            }
        });
        for (worker, _) in workers.iter().zip(round.chunks(BLOCK)) {
            likelihood += worker.likelihood;
            for &(id, value) in &worker.sum {
                gradient[id as usize] -= scale * f64::from(value);
            }
        }
    }
    likelihood
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CHAIN_FEATURES, Choice, Listed, accuracy, assert_close, planted_chains};
    use crate::{Rate, Rng, SparseVector, State, StochasticGradient, Tables, epoch, epoch_order};

    const SETTINGS: Fit = Fit {
        l2: 0.05,
        minimiser: Lbfgs { memory: 7, iterations: 100, tolerance: 1e-5 },
        threads: 1,
    };

    fn solve(settings: &Fit, examples: &[Choice]) -> Vec<f32> {
        let mut weights = vec![0.0; CHAIN_FEATURES];
        assert!(fit(settings, &Listed, examples, &mut weights, |_, _| {}).converged);
        weights
    }

    #[test]
    fn two_answers_by_hand() {
        // One example with features 0 and 1: at the minimum 1 − p = λ w₀ and w₁ = −w₀.
        let example = Choice::new(&[(&[(0, 1.0)], 0.0), (&[(1, 1.0)], 1.0)]);
        let mut w = [0.0; 2];
        fit(&SETTINGS, &Listed, &[example], &mut w, |_, _| {});
        let wrong = 1.0 / (1.0 + (w[0] - w[1]).exp());
        assert_close(&w, &[wrong / 0.05, -wrong / 0.05], 1e-4);
    }

    #[test]
    fn gradient_vanishes_and_data_are_separated() {
        let examples = planted_chains(&mut Rng::new(1), 200);
        let w = solve(&Fit { l2: 1e-3, ..SETTINGS }, &examples);
        assert_eq!(accuracy(&examples, &w), 1.0);
        let mut sum = SparseVector::new();
        examples.iter().for_each(|example| {
            Listed.log_likelihood(&w, example, &mut (), &mut sum);
        });
        sum.compact();
        let slopes = sum.entries().map(|(id, g)| g / examples.len() as f32 - 1e-3 * w[id as usize]);
        assert!(slopes.map(f32::abs).fold(0.0, f32::max) < 1e-4);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let examples = planted_chains(&mut Rng::new(6), 5 * BLOCK + 3);
        let serial = solve(&SETTINGS, &examples);
        for threads in [0, 2, 7] {
            assert_eq!(solve(&Fit { threads, ..SETTINGS }, &examples), serial);
        }
    }

    #[test]
    fn stochastic_gradient_finds_the_same_minimum() {
        let examples = planted_chains(&mut Rng::new(3), 40);
        let expected = solve(&SETTINGS, &examples);
        for (rate, step) in [(Rate::Constant, 0.02), (Rate::Adaptive, 0.2)] {
            let learner = StochasticGradient { step, rate, l2: SETTINGS.l2 as f32 };
            let (mut state, mut scratch) = (State::new(CHAIN_FEATURES), GradientScratch::default());
            for number in 0..200 {
                if number == 60 {
                    // The average must forget the way to the minimum.
                    let Tables { weights, squares, .. } = state.tables();
                    let (lag, weights, squares) =
                        (vec![0.0; weights.len()], weights.to_vec(), squares.to_vec());
                    state = State::from_tables(Tables {
                        weights,
                        lag,
                        squares,
                        sums: vec![],
                        steps: 0,
                    })
                    .unwrap();
                }
                let order = epoch_order(examples.len(), 1, number);
                epoch(&learner, &Listed, &examples, &order, &mut state, &mut scratch, &|_| {});
            }
            assert_close(&state.average(), &expected, 0.03);
        }
    }
}
