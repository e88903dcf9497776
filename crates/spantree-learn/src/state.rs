//! The state of training: weights, their running average, and what a learner must remember between examples.
//!
//! A learner changes the weights through [`State::add`]; [`epoch`](crate::epoch()) counts examples. Averaging is lazy: with
//! `w_t` the weights after example `t` of `T`, the average is
//!
//! ```text
//! (w_1 + … + w_T) / T = w_T − u / T,    u = Σ (t − 1) δ_t over the updates δ_t made at example t
//! ```
//!
//! so one more table `u`, touched where the weights are touched, is enough. It holds `f32`: the terms of `u` are those of `w`
//! times `t − 1 < T`, so `u / T` is rounded no worse than `w` itself, and half the memory of `f64` means fewer cache misses.
//!
//! Memory: 8 bytes per weight, 16 once [`StochasticGradient`](crate::StochasticGradient) or
//! [`DualAveraging`](crate::DualAveraging) has run.
//! [`State::tables`] and [`State::from_tables`] save and restore a state exactly; orders of examples need no state
//! (see [`random`](crate::random)).

use crate::sparse::SparseVector;
use thiserror::Error;

/// Weights, averages and counters; see the [module](self).
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) weights: Vec<f32>,
    /// `u` of the module's formula.
    pub(crate) lag: Vec<f32>,
    /// Sums of squared gradients, for learners that adapt their rates; otherwise empty.
    pub(crate) squares: Vec<f32>,
    /// Sums of gradients, for learners that derive weights from them; otherwise empty.
    pub(crate) sums: Vec<f32>,
    /// Number of examples, modulo 2³², whose regularisation each weight has paid for; empty between epochs.
    pub(crate) paid: Vec<u32>,
    /// Examples seen.
    pub(crate) steps: u64,
}

/// The contents of a [`State`], borrowed for saving or owned after loading.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<T> {
    /// Current weights.
    pub weights: T,
    /// Lazy averaging: as long as `weights`.
    pub lag: T,
    /// Sums of squared gradients: as long as `weights`, or empty.
    pub squares: T,
    /// Sums of gradients: as long as `weights`, or empty.
    pub sums: T,
    /// Examples seen.
    pub steps: u64,
}

/// Why tables do not make a state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StateError {
    /// Two tables of different length.
    #[error(
        "table '{table}' of the training state has {found} entries, but there are {weights} weights; start training afresh"
    )]
    Length {
        /// Name of the table.
        table: &'static str,
        /// Its length.
        found: usize,
        /// Number of weights.
        weights: usize,
    },
}

impl State {
    /// `len` zero weights.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self::from_weights(vec![0.0; len])
    }

    /// Training that goes on from these weights, with an average that starts here.
    #[must_use]
    pub fn from_weights(weights: Vec<f32>) -> Self {
        let lag = vec![0.0; weights.len()];
        Self { weights, lag, squares: Vec::new(), sums: Vec::new(), paid: Vec::new(), steps: 0 }
    }

    /// The current weights.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Number of examples seen.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Overwrites `average` with the mean of the weights after each example, or with the weights before the first one.
    pub fn average_into(&self, average: &mut Vec<f32>) {
        let steps = self.steps.max(1) as f64;
        average.clear();
        average.extend(
            self.weights
                .iter()
                .zip(&self.lag)
                .map(|(&w, &u)| (f64::from(w) - f64::from(u) / steps) as f32),
        );
    }

    /// The mean of the weights after each example.
    #[must_use]
    pub fn average(&self) -> Vec<f32> {
        let mut average = Vec::new();
        self.average_into(&mut average);
        average
    }

    /// `w += scale · delta`.
    ///
    /// # Panics
    /// If an id of `delta` is not below the number of weights.
    pub fn add(&mut self, scale: f32, delta: &SparseVector) {
        let steps = self.steps as f32;
        for (id, value) in delta.entries() {
            let change = scale * value;
            self.weights[id as usize] += change;
            self.lag[id as usize] += steps * change;
        }
    }

    /// Sets one weight, for learners that do more than add.
    pub(crate) fn set(&mut self, id: usize, weight: f32) {
        self.lag[id] += self.steps as f32 * (weight - self.weights[id]);
        self.weights[id] = weight;
    }

    /// Becomes a copy of `other`, without new memory if the sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.weights.clone_from(&other.weights);
        self.lag.clone_from(&other.lag);
        self.squares.clone_from(&other.squares);
        self.sums.clone_from(&other.sums);
        self.paid.clone_from(&other.paid);
        self.steps = other.steps;
    }

    /// Everything there is to save between two epochs.
    #[must_use]
    pub fn tables(&self) -> Tables<&[f32]> {
        let Self { weights, lag, squares, sums, steps, .. } = self;
        Tables { weights, lag, squares, sums, steps: *steps }
    }

    /// The state that [`tables`](Self::tables) came from.
    ///
    /// # Errors
    /// If the tables differ in length.
    pub fn from_tables(tables: Tables<Vec<f32>>) -> Result<Self, StateError> {
        let Tables { weights, lag, squares, sums, steps } = tables;
        let check = |table, found| match found == weights.len() {
            true => Ok(()),
            false => Err(StateError::Length { table, found, weights: weights.len() }),
        };
        check("lag", lag.len())?;
        for (name, table) in [("squares", &squares), ("sums", &sums)] {
            if !table.is_empty() {
                check(name, table.len())?;
            }
        }
        Ok(Self { weights, lag, squares, sums, paid: Vec::new(), steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// Random sparse updates; the naive sum of all weight vectors in double precision beside the lazy average.
    fn lazy_and_explicit(examples: u64, len: usize) -> (Vec<f32>, Vec<f32>) {
        let mut rng = Rng::new(17);
        let (mut state, mut sum) = (State::new(len), vec![0.0_f64; len]);
        for _ in 0..examples {
            let mut delta = SparseVector::new();
            for _ in 0..rng.below(4) {
                delta.add(rng.below(len) as u32, rng.uniform() as f32 - 0.4);
            }
            state.add(0.01, &delta);
            state.steps += 1;
            sum.iter_mut().zip(state.weights()).for_each(|(sum, &w)| *sum += f64::from(w));
        }
        (state.average(), sum.iter().map(|sum| (sum / examples as f64) as f32).collect())
    }

    #[test]
    fn lazy_average_is_the_explicit_average() {
        let (lazy, explicit) = lazy_and_explicit(50, 20);
        crate::testing::assert_close(&lazy, &explicit, 1e-6);
    }

    #[test]
    fn single_precision_is_enough_for_long_training() {
        // 60,000 updates of each weight.
        let (lazy, explicit) = lazy_and_explicit(200_000, 5);
        crate::testing::assert_close(&lazy, &explicit, 2e-5);
    }

    #[test]
    fn two_steps_by_hand() {
        let mut state = State::new(2);
        assert_eq!(state.average(), [0.0, 0.0]);
        let mut delta = SparseVector::new();
        delta.add(0, 3.0);
        state.add(2.0, &delta);
        state.steps += 1;
        delta.add(1, 1.0);
        state.add(-1.0, &delta);
        state.steps += 1;
        assert_eq!(state.weights(), [6.0 - 3.0, -1.0]);
        assert_eq!(state.average(), [(6.0 + 3.0) / 2.0, (0.0 - 1.0) / 2.0]);
    }

    #[test]
    fn tables_of_different_length_are_refused() {
        let tables = Tables {
            weights: vec![0.0; 3],
            lag: vec![0.0; 3],
            squares: vec![0.0; 2],
            sums: vec![],
            steps: 1,
        };
        let error = State::from_tables(tables).unwrap_err();
        assert_eq!(error, StateError::Length { table: "squares", found: 2, weights: 3 });
        let tables =
            Tables { weights: vec![0.0; 3], lag: vec![], squares: vec![], sums: vec![], steps: 1 };
        assert!(State::from_tables(tables).is_err());
    }
}
