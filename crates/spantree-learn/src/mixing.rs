//! Iterative parameter mixing: training in parallel with any learner (McDonald, Hall, Mann 2010).
//!
//! The examples are cut into S shards. Each shard runs one epoch from the common weights; the results are mixed,
//! `w = Σ μ_i w_i` with `Σ μ_i = 1`, and the next epoch starts from there. The perceptron keeps its guarantee to separate
//! separable data, which it loses when shards are trained to the end and mixed once.
//!
//! - [`Weighting::Uniform`]: `μ_i = 1 / S`.
//! - [`Weighting::ByUpdates`]: `μ_i` proportional to the examples of shard i that changed its weights, 0 for a shard without
//!   errors. In the worst case it needs no more epochs than serial training.
//!
//! **Average.** The sums of weight vectors behind the shards' averages are mixed by the same `μ`. For that a shard that ends
//! before the longest one waits, and its weights are counted as if it went on without errors; then `lag` (see
//! [`state`](crate::state)) mixes like the weights do.
//!
//! **Determinism.** The result depends on the shards, not on the threads that run them. One shard is bit for bit
//! [`epoch`](crate::epoch()): sums are in `f64`, where multiplying a weight by an integer and dividing it again is exact.
//!
//! **Memory.** One copy of the [`State`] per thread, not per shard, and twice a state for the sums: with 2²² weights and two
//! threads, 32 MB for the state itself, 64 MB for copies, 64 MB for sums.

use crate::epoch::{EpochStats, Learner, Progress, epoch};
use crate::problem::Problem;
use crate::state::State;
use std::panic::resume_unwind;

/// How much each shard counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// The same.
    Uniform,
    /// By the number of its examples that changed the weights.
    ByUpdates,
}

/// Runs epochs over shards and mixes the results. Owns a copy of the state and the buffers of each thread, which are reused
/// from epoch to epoch; `S` is the scratch of the learner.
#[derive(Debug)]
pub struct Mixer<S> {
    weighting: Weighting,
    threads: usize,
    workers: Vec<(State, S)>,
    sum: MixtureSum,
}

impl<S: Default + Send> Mixer<S> {
    /// A mixer that keeps up to `threads` threads busy; zero counts as one.
    #[must_use]
    pub fn new(weighting: Weighting, threads: usize) -> Self {
        Self { weighting, threads, workers: Vec::new(), sum: MixtureSum::default() }
    }

    /// Learns from `examples[i]` for every `i` of every shard, each shard in its own order from the same weights, and mixes.
    /// Orders come from [`shard_orders`](crate::shard_orders).
    ///
    /// # Panics
    /// As [`epoch`](crate::epoch()).
    pub fn epoch<P: Problem, L: Learner<P, Scratch = S>>(
        &mut self,
        learner: &L,
        problem: &P,
        examples: &[P::Example],
        shards: &[Vec<u32>],
        state: &mut State,
        progress: Progress<'_>,
    ) -> EpochStats {
        self.workers.resize_with(self.threads.clamp(1, shards.len().max(1)), || {
            (State::new(0), S::default())
        });
        self.sum.clear();
        let mut total = EpochStats::default();
        for round in shards.chunks(self.workers.len()) {
            let run = |order: &[u32], (result, scratch): &mut (State, S)| {
                result.copy_from(state);
                epoch(learner, problem, examples, order, result, scratch, progress)
            };
            for (stats, (result, _)) in
                run_each(round, &mut self.workers, run).iter().zip(&self.workers)
            {
                self.sum.add(self.weighting, stats, result);
                total += *stats;
            }
        }
        self.sum.write(state);
        state.steps += shards.iter().map(|shard| shard.len() as u64).max().unwrap_or(0);
        total
    }
}

/// One thread per shard and worker; results in the order of the shards.
fn run_each<W: Send>(
    shards: &[Vec<u32>],
    workers: &mut [W],
    run: impl Fn(&[u32], &mut W) -> EpochStats + Sync,
) -> Vec<EpochStats> {
    let run = &run;
    std::thread::scope(|scope| {
        let threads: Vec<_> = shards
            .iter()
            .zip(workers)
            .map(|(shard, worker)| scope.spawn(move || run(shard, worker)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// `Σ c_i w_i` and `Σ c_i`, for each table of the state.
#[derive(Debug, Default)]
struct MixtureSum {
    weights: Vec<f64>,
    lag: Vec<f64>,
    squares: Vec<f64>,
    sums: Vec<f64>,
    coefficients: f64,
}

impl MixtureSum {
    fn clear(&mut self) {
        self.weights.clear();
        self.lag.clear();
        self.squares.clear();
        self.sums.clear();
        self.coefficients = 0.0;
    }

    fn add(&mut self, weighting: Weighting, stats: &EpochStats, result: &State) {
        let coefficient = match weighting {
            Weighting::Uniform => 1.0,
            Weighting::ByUpdates => stats.updates as f64,
        };
        if coefficient == 0.0 {
            return;
        }
        self.coefficients += coefficient;
        add_scaled(&mut self.weights, coefficient, &result.weights);
        add_scaled(&mut self.lag, coefficient, &result.lag);
        add_scaled(&mut self.squares, coefficient, &result.squares);
        add_scaled(&mut self.sums, coefficient, &result.sums);
    }

    /// Replaces the tables of `state` by the mixture. Without any contribution nothing has changed.
    fn write(&self, state: &mut State) {
        if self.coefficients == 0.0 {
            return;
        }
        let mixed = |sum: &f64| (sum / self.coefficients) as f32;
        for (table, sum) in [
            (&mut state.weights, &self.weights),
            (&mut state.lag, &self.lag),
            (&mut state.squares, &self.squares),
            (&mut state.sums, &self.sums),
        ] {
            table.clear();
            table.extend(sum.iter().map(mixed));
        }
    }
}

/// An empty table, of a shard whose learner never needed it, counts as zeros.
fn add_scaled(sum: &mut Vec<f64>, scale: f64, table: &[f32]) {
    sum.resize(sum.len().max(table.len()), 0.0);
    sum.iter_mut().zip(table).for_each(|(sum, &value)| *sum += scale * f64::from(value));
}

#[cfg(test)]
mod tests;
