//! How do examples become weights?
//!
//! Online and batch learners for linear models over sparse features. The crate knows nothing of parsing, strings or files: it
//! sees a task through the traits of [`problem`], and everything it learns is in a [`State`].

pub mod batch;
pub mod epoch;
pub mod gradient;
pub mod jackknife;
pub mod lbfgs;
pub mod mira;
pub mod mixing;
pub mod passive_aggressive;
pub mod perceptron;
pub mod problem;
pub mod random;
pub mod sparse;
pub mod state;
#[cfg(test)]
mod testing;

pub use batch::{Fit, fit};
pub use epoch::{EpochStats, Learner, Outcome, Progress, epoch};
pub use gradient::{Rate, StochasticGradient};
pub use jackknife::{Fold, jackknife};
pub use lbfgs::{Lbfgs, Minimum};
pub use mira::{FactoredMira, Mira};
pub use mixing::{Mixer, Weighting};
pub use passive_aggressive::{Margin, PassiveAggressive};
pub use perceptron::Perceptron;
pub use problem::{CostMode, Factored, KBest, LogLinear, Problem, Structured};
pub use random::{Rng, epoch_order, shard_orders};
pub use sparse::SparseVector;
pub use state::{State, StateError, Tables};
