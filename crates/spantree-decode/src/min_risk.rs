//! The tree with the most heads expected to be right: a spanning tree over marginals.
//!
//! Under a distribution over trees, the expected number of correct heads of a tree is the sum of its arcs'
//! marginals, so the best tree for that measure is found by the decoder of the space (McDonald and Satta,
//! 2007; Goodman, 1996). Arcs forbidden in the scores stay forbidden.
//!
//! Costs one call for the marginals and one for the tree. Marginals are rounded to `f32` on the way, so
//! trees whose expectations agree to about seven digits are not told apart.

use crate::decoder::{TreeDecoder, TreeDistribution};
use crate::eisner::Eisner;
use crate::heads::{Heads, RootMode};
use crate::matrix_tree::MatrixTree;
use crate::scores::{ArcScores, FORBIDDEN};
use crate::spanning_tree::ChuLiuEdmonds;
use crate::table::ArcTable;

/// A distribution over trees and the decoder of the same trees.
///
/// ```
/// use spantree_decode::{ArcScores, MinRisk, RootMode};
/// let scores = ArcScores::from_fn(2, |_, _| 0.0);
/// let (mut scratch, mut tree) = Default::default();
/// let expected = MinRisk::all_trees(RootMode::One).decode(&scores, &mut scratch, &mut tree);
/// assert_eq!(expected, Some(1.0)); // Both trees are equally likely: half a head wrong per word.
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MinRisk<P, D> {
    distribution: P,
    decoder: D,
}

/// Memory of [`MinRisk`].
#[derive(Clone, Debug, Default)]
pub struct MinRiskScratch<P, D> {
    distribution: P,
    decoder: D,
    marginals: ArcTable<f64>,
    scores: ArcScores,
}

impl MinRisk<MatrixTree, ChuLiuEdmonds> {
    /// Over all trees.
    pub fn all_trees(mode: RootMode) -> Self {
        Self { distribution: MatrixTree::new(mode), decoder: ChuLiuEdmonds::new(mode) }
    }
}

impl MinRisk<Eisner, Eisner> {
    /// Over projective trees.
    pub fn projective(mode: RootMode) -> Self {
        Self { distribution: Eisner::new(mode), decoder: Eisner::new(mode) }
    }
}

impl<P: TreeDistribution, D: TreeDecoder> MinRisk<P, D> {
    /// Writes the tree with the most expected correct heads and returns their number; `None`, and an
    /// empty `tree`, if no tree is allowed.
    pub fn decode(
        &self,
        scores: &ArcScores,
        scratch: &mut MinRiskScratch<P::Scratch, D::Scratch>,
        tree: &mut Heads,
    ) -> Option<f64> {
        tree.reset(0);
        let MinRiskScratch { distribution, decoder, marginals, scores: expected } = scratch;
        self.distribution.marginals(scores, distribution, marginals)?;
        expected.reset(scores.words());
        expected.fill(|head, child| {
            let allowed = scores.is_allowed(head, child);
            if allowed { marginals.get(head, child) as f32 } else { FORBIDDEN }
        });
        self.decoder.decode(expected, decoder, tree)
    }
}
