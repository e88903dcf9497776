//! What a learner may know of a task: these traits, and nothing else.
//!
//! A parser, a tagger or a reranker implements the traits that its learner asks for:
//!
//! | trait | offers | asked for by |
//! |---|---|---|
//! | [`Problem`] | the types of examples and buffers | all |
//! | [`Structured`] | best structure, feature difference to gold, loss | [`Perceptron`](crate::Perceptron), [`PassiveAggressive`](crate::PassiveAggressive) |
//! | [`KBest`] | the k best structures | [`Mira`](crate::Mira) |
//! | [`Factored`] | one margin constraint per part | [`FactoredMira`](crate::FactoredMira) |
//! | [`LogLinear`] | log-likelihood and its gradient | [`StochasticGradient`](crate::StochasticGradient), [`fit`](crate::fit) |
//!
//! Weights are a plain slice `w`, so that a table in training and one of a model file look the same. The features of an
//! answer `y` are a sparse vector `f(y)` of ids below `w.len()`, and its score is `w · f(y)`.
//! Implementations must be deterministic: the same weights, example and arguments give the same answer, whatever the
//! buffers held before.

use crate::sparse::SparseVector;

/// The types that every task names.
pub trait Problem: Sync {
    /// An input with its gold answer, ready for feature extraction.
    type Example: Sync;
    /// Buffers that one thread reuses from example to example.
    type Scratch: Default + Send;
}

/// Whether decoding sees the cost of a wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostMode {
    /// `argmax_y w · f(y)`, as at run time.
    Plain,
    /// `argmax_y w · f(y) + loss(y)`: the answer that violates its margin most.
    Augmented,
}

/// A task whose answers can be searched for the best one.
pub trait Structured: Problem {
    /// An answer.
    type Output: Default + Send;

    /// Overwrites `guess` with the best answer under `w`.
    fn decode(
        &self,
        w: &[f32],
        example: &Self::Example,
        cost: CostMode,
        scratch: &mut Self::Scratch,
        guess: &mut Self::Output,
    );

    /// Adds `f(gold) − f(guess)` to `delta`; parts that both share may be left out, and ids may repeat.
    fn difference(
        &self,
        example: &Self::Example,
        guess: &Self::Output,
        scratch: &mut Self::Scratch,
        delta: &mut SparseVector,
    );

    /// How wrong `guess` is: 0 for the gold answer, positive otherwise. [`CostMode::Augmented`] adds the same number.
    fn loss(&self, example: &Self::Example, guess: &Self::Output) -> f32;
}

/// A task whose answers can be listed, best first.
pub trait KBest: Structured {
    /// Overwrites `guesses` with up to `k` distinct answers by descending `w · f(y)`. Old elements are there to be reused.
    fn k_best(
        &self,
        w: &[f32],
        example: &Self::Example,
        k: usize,
        scratch: &mut Self::Scratch,
        guesses: &mut Vec<Self::Output>,
    );
}

/// A task whose margin splits into constraints on single parts, for instance "the gold head of this word scores at least 1
/// more than that other head".
pub trait Factored: Problem {
    /// Number of constraints of an example. Called before the first of them is asked for, so that `scratch` can be prepared.
    fn constraints(&self, example: &Self::Example, scratch: &mut Self::Scratch) -> usize;

    /// Adds `f(gold part) − f(rival part)` of constraint `index` to `delta` and returns the margin that it must score.
    ///
    /// A constraint that adds nothing is left out.
    fn constraint(
        &self,
        example: &Self::Example,
        index: usize,
        scratch: &mut Self::Scratch,
        delta: &mut SparseVector,
    ) -> f32;
}

/// A task with a probability for every answer, `p(y) = exp(w · f(y)) / Z`.
pub trait LogLinear: Problem {
    /// Returns the log-probability of the allowed answers, `log Z(allowed) − log Z(all)`, and adds its gradient
    /// `E[f | allowed] − E[f]` to `gradient`; ids may repeat.
    ///
    /// With full supervision the gold answer alone is allowed; a partial annotation allows every answer that agrees with it.
    /// An example without any allowed answer returns −∞ and is skipped by the learners.
    fn log_likelihood(
        &self,
        w: &[f32],
        example: &Self::Example,
        scratch: &mut Self::Scratch,
        gradient: &mut SparseVector,
    ) -> f64;
}
