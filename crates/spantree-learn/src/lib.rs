//! How do examples become weights?
//!
//! Online and batch learners for linear models over sparse features. The crate knows nothing of parsing, strings or files: it
//! sees a task through the traits of [`problem`], and everything it learns is in a [`State`].

pub mod epoch;
pub mod perceptron;
pub mod problem;
pub mod random;
pub mod sparse;
pub mod state;

pub use epoch::{EpochStats, Learner, Outcome, Progress, epoch};
pub use perceptron::Perceptron;
pub use problem::{CostMode, Factored, KBest, LogLinear, Problem, Structured};
pub use random::{Rng, epoch_order, shard_orders};
pub use sparse::SparseVector;
pub use state::{State, StateError, Tables};
