//! The shape that all tree decoders share.
//!
//! Decoders are small immutable values; the memory they need belongs to the caller, is made by
//! `Default` and is reused, so that decoding allocates nothing once the largest sentence has been seen.

use crate::heads::Heads;
use crate::ranked::Ranked;
use crate::scores::ArcScores;
use crate::table::ArcTable;

/// Finds the best trees of a search space: for callers that are generic over the space.
pub trait TreeDecoder {
    /// Memory reused from sentence to sentence.
    type Scratch: Default;

    /// Writes the best tree to `tree` and returns its score; `None`, and an empty `tree`, if no tree is
    /// allowed.
    fn decode(
        &self,
        scores: &ArcScores,
        scratch: &mut Self::Scratch,
        tree: &mut Heads,
    ) -> Option<f64>;

    /// Writes the `k` best trees to `trees`, best first and all different; fewer if there are fewer.
    fn k_best(
        &self,
        scores: &ArcScores,
        k: usize,
        scratch: &mut Self::Scratch,
        trees: &mut Ranked<Heads>,
    );
}

/// Sums over all trees of a search space, each weighted by the exponential of its score.
pub trait TreeDistribution {
    /// Memory reused from sentence to sentence.
    type Scratch: Default;

    /// The logarithm of the summed weight of all trees, or `None` if no tree is allowed.
    fn log_partition(&self, scores: &ArcScores, scratch: &mut Self::Scratch) -> Option<f64>;

    /// Writes the probability of every arc to `marginals` and returns the log partition function; `None`,
    /// and zeros, if no tree is allowed.
    ///
    /// Marginals are the gradient of the log partition function. The gradient of the probability mass of
    /// *allowed* trees takes two calls, one on a table with the other arcs forbidden.
    fn marginals(
        &self,
        scores: &ArcScores,
        scratch: &mut Self::Scratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64>;
}
