//! How do examples become weights?
//!
//! Online and batch learners for linear models over sparse features: parsers, taggers, rerankers. The crate knows nothing of
//! parsing, strings or files: it sees a task through the traits of [`problem`], and all that it learns is in a [`State`].
//!
//! | learner | update | needs of the task | per example |
//! |---|---|---|---|
//! | [`Perceptron`] | `f(gold) − f(best)` | [`Structured`] | one decoding |
//! | [`PassiveAggressive::mira`] | closed form, margin = loss | [`Structured`] | one decoding |
//! | [`PassiveAggressive::cost_augmented`] | closed form, at most C | [`Structured`] | one decoding |
//! | [`Mira`] | Hildreth over the k best | [`KBest`] | one k-best decoding, k²/2 products |
//! | [`FactoredMira`] | Hildreth over all parts | [`Factored`] | no decoding, sweeps over the parts |
//! | [`DualAveraging`] | AdaGrad with L1 from sums of gradients | gradients of its own | one step |
//! | [`logistic_steps`] | gold more likely in a list | differences from gold | k²/2 products |
//! | [`StochasticGradient`] | SGD or AdaGrad, lazy L2 | [`LogLinear`] | one pass of marginals |
//! | [`fit`] | L-BFGS on all examples | [`LogLinear`] | one pass of marginals per evaluation |
//!
//! There is one way in: [`epoch()`], one epoch from these weights over these examples in this order. [`Mixer::epoch`] runs it on
//! several shards in parallel and mixes their weights. Averaging is always on: [`State::weights`] are the last weights,
//! [`State::average`] their mean. Same seed, same bytes, at any number of threads; a [`State`] saved between two epochs goes on
//! as if training had not stopped.
//!
//! A classifier of two classes, each with its own copy of the features:
//!
//! ```
//! use spantree_learn::{CostMode, PassiveAggressive, Problem, SparseVector, State, Structured, epoch, epoch_order};
//!
//! struct TwoClasses;
//! type Example = (Vec<u32>, u32); // features 0..8, class 0 or 1
//!
//! impl Problem for TwoClasses {
//!     type Example = Example;
//!     type Scratch = ();
//! }
//!
//! impl Structured for TwoClasses {
//!     type Output = u32;
//!
//!     fn decode(&self, w: &[f32], (features, gold): &Example, cost: CostMode, _: &mut (), guess: &mut u32) {
//!         let score = |class: u32| {
//!             let loss = if cost == CostMode::Augmented && class != *gold { 1.0 } else { 0.0 };
//!             features.iter().map(|feature| w[(class * 8 + feature) as usize]).sum::<f32>() + loss
//!         };
//!         *guess = u32::from(score(1) > score(0));
//!     }
//!
//!     fn difference(&self, (features, gold): &Example, guess: &u32, _: &mut (), delta: &mut SparseVector) {
//!         for feature in features {
//!             delta.add(gold * 8 + feature, 1.0);
//!             delta.add(guess * 8 + feature, -1.0);
//!         }
//!     }
//!
//!     fn loss(&self, example: &Example, guess: &u32) -> f32 {
//!         if example.1 == *guess { 0.0 } else { 1.0 }
//!     }
//! }
//!
//! let examples = [(vec![0, 3], 0), (vec![1, 3], 1), (vec![0, 5], 0), (vec![1, 5, 6], 1)];
//! let (mut state, mut scratch) = (State::new(16), Default::default());
//! let learner = PassiveAggressive::cost_augmented(0.1);
//! for number in 0..10 {
//!     let order = epoch_order(examples.len(), 42, number);
//!     epoch(&learner, &TwoClasses, &examples, &order, &mut state, &mut scratch, &|_| {});
//! }
//! let mut guess = 0;
//! TwoClasses.decode(&state.average(), &(vec![1, 7], 0), CostMode::Plain, &mut (), &mut guess);
//! assert_eq!(guess, 1);
//! ```

pub mod batch;
pub mod dual_averaging;
pub mod epoch;
pub mod gradient;
pub mod jackknife;
pub mod lbfgs;
pub mod logistic;
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
pub use dual_averaging::DualAveraging;
pub use epoch::{EpochStats, Learner, Outcome, Progress, epoch};
pub use gradient::{Rate, StochasticGradient};
pub use jackknife::{Fold, jackknife, predict_folds};
pub use lbfgs::{Lbfgs, Minimum};
pub use logistic::logistic_steps;
pub use mira::{FactoredMira, Mira};
pub use mixing::{Mixer, Weighting};
pub use passive_aggressive::{Margin, PassiveAggressive};
pub use perceptron::Perceptron;
pub use problem::{CostMode, Factored, KBest, LogLinear, Problem, Structured};
pub use random::{Rng, epoch_order, shard_orders};
pub use sparse::SparseVector;
pub use state::{State, StateError, Tables};
