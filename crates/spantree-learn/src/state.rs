//! The state of training: weights, their running average, and what a learner must remember between examples.
//!
//! A learner changes the weights through [`State::add`]; [`epoch`](crate::epoch) counts examples. Averaging is lazy: with
//! `w_t` the weights after example `t` of `T`, the average is
//!
//! ```text
//! (w_1 + … + w_T) / T = w_T − u / T,    u = Σ (t − 1) δ_t over the updates δ_t made at example t
//! ```
//!
//! so one more table `u`, touched where the weights are touched, is enough. It holds `f32`: the terms of `u` are those of `w`
//! times `t − 1 < T`, so `u / T` is rounded no worse than `w` itself, and half the memory of `f64` means fewer cache misses.
//!
//! Memory: 8 bytes per weight, 16 once [`StochasticGradient`](crate::StochasticGradient) has run.
//! [`State::tables`] and [`State::from_tables`] save and restore a state exactly; orders of examples need no state
//! (see [`random`](crate::random)).

use crate::sparse::SparseVector;
use thiserror::Error;

/// Weights, averages and counters; see the [module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(crate) weights: Vec<f32>,
    /// `u` of the module's formula.
    pub(crate) lag: Vec<f32>,
    /// Sums of squared gradients, for learners that adapt their rates; otherwise empty.
    pub(crate) squares: Vec<f32>,
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
        Self { weights, lag, squares: Vec::new(), steps: 0 }
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
        for &(id, value) in delta.entries() {
            let change = scale * value;
            self.weights[id as usize] += change;
            self.lag[id as usize] += steps * change;
        }
    }

    /// Everything there is to save.
    #[must_use]
    pub fn tables(&self) -> Tables<&[f32]> {
        Tables { weights: &self.weights, lag: &self.lag, squares: &self.squares, steps: self.steps }
    }

    /// The state that [`tables`](Self::tables) came from.
    ///
    /// # Errors
    /// If the tables differ in length.
    pub fn from_tables(tables: Tables<Vec<f32>>) -> Result<Self, StateError> {
        let Tables { weights, lag, squares, steps } = tables;
        let check = |table, found| match found == weights.len() {
            true => Ok(()),
            false => Err(StateError::Length { table, found, weights: weights.len() }),
        };
        check("lag", lag.len())?;
        if !squares.is_empty() {
            check("squares", squares.len())?;
        }
        Ok(Self { weights, lag, squares, steps })
    }
}
