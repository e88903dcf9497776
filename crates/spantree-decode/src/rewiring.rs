//! All trees, scored by parts of several arcs: greedy rewiring (McDonald and Pereira 2006).
//!
//! The best tree with crossing arcs is NP-hard to find once scores look at more than one arc. So this
//! search starts from a good tree and, as long as the score rises, applies the best of these changes:
//!
//! * a word gets another head, one that it does not dominate;
//! * with one root child, another word takes its place, and the old one a head below the new one.
//!
//! It starts from the best projective tree ([`HigherOrderEisner`]), so that it never does worse; from the
//! best tree by arcs alone; and from the best trees by arcs with random numbers added, as often as wished
//! (Zhang et al. 2014 start from random trees). The best of all ends is the answer.
//!
//! A change is judged by the parts it touches, O(n); with k heads per word a round costs O(kn²). The answer
//! is a local optimum, exact only for one start in a set of trees without better neighbours. Deterministic:
//! the random numbers are a fixed sequence, and of equal changes the first is made, by child and then head.
//!
//! ```
//! use spantree_decode::{Heads, PartScores, Rewiring, RewiringScratch, RootMode};
//! let mut parts = PartScores::default();
//! parts.reset(4, |_head, _child| true);
//! // Two crossing arcs, 1 → 3 and 2 → 4.
//! parts.fill_arcs(|head, child| if head + 2 == child { 2.0 } else { 0.0 });
//! let (mut scratch, mut tree) = (RewiringScratch::default(), Heads::default());
//! let score = Rewiring::new(RootMode::One, 0).decode(&parts, &mut scratch, &mut tree);
//! assert_eq!((score, tree.head(3), tree.head(4)), (Some(6.0), 1, 2));
//! ```

mod climb;

use crate::decoder::TreeDecoder;
use crate::heads::{Heads, RootMode};
use crate::higher_order::{HigherOrderEisner, HigherOrderScratch};
use crate::parts::PartScores;
use crate::ranked::Ranked;
use crate::scores::{ArcScores, FORBIDDEN};
use crate::spanning_tree::{ChuLiuEdmonds, ChuLiuEdmondsScratch};
use climb::{Climb, SMALLEST_GAIN};

/// Good trees with crossing arcs under parts of several arcs: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rewiring {
    mode: RootMode,
    restarts: u32,
}

/// Memory of [`Rewiring`].
#[derive(Clone, Debug, Default)]
pub struct RewiringScratch {
    projective: HigherOrderScratch,
    spanning_tree: ChuLiuEdmondsScratch,
    scores: ArcScores,
    tree: Heads,
    best: Heads,
    near: Ranked<Heads>,
}

impl Rewiring {
    /// A search with so many random starts beside the projective tree and the best by arcs alone.
    pub fn new(mode: RootMode, restarts: u32) -> Self {
        Self { mode, restarts }
    }

    /// Writes the best tree found to `tree` and returns its score; `None`, and an empty `tree`, if no tree
    /// is allowed.
    pub fn decode(
        &self,
        parts: &PartScores,
        scratch: &mut RewiringScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        let projective = HigherOrderEisner::new(self.mode);
        let mut best = projective
            .decode(parts, &mut scratch.projective, tree)
            .map_or(f64::NEG_INFINITY, |_| Climb::new(parts, self.mode, tree).finish());
        for start in 0..=self.restarts {
            if !self.start(parts, start, scratch) {
                break;
            }
            let score = Climb::new(parts, self.mode, &mut scratch.tree).finish();
            if score > best + SMALLEST_GAIN {
                best = score;
                tree.copy_from(&scratch.tree);
            }
        }
        if best == f64::NEG_INFINITY {
            tree.reset(0);
            return None;
        }
        Some(best)
    }

    /// Writes up to `k` good trees to `trees`, best first and all different.
    ///
    /// They are the tree of [`decode`](Self::decode) and the best trees under the scores that arcs have
    /// when its other arcs are kept ([`linearise`](Self::linearise)).
    pub fn k_best(
        &self,
        parts: &PartScores,
        k: usize,
        scratch: &mut RewiringScratch,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        let mut best = std::mem::take(&mut scratch.best);
        if k > 0 && self.decode(parts, scratch, &mut best).is_some() {
            let RewiringScratch { spanning_tree, scores, near, .. } = scratch;
            fill_gains(parts, &mut best, scores);
            ChuLiuEdmonds::new(self.mode).k_best(scores, k, spanning_tree, near);
            let others = near.iter().map(|(tree, _)| tree).filter(|tree| **tree != best);
            for tree in std::iter::once(&best).chain(others).take(k) {
                trees.push_with(|copy| {
                    copy.copy_from(tree);
                    parts.tree_score(copy)
                });
            }
            trees.settle();
        }
        scratch.best = best;
    }

    /// Overwrites `scores` with what each arc gains over the arc that its child has in `tree` when all other
    /// words keep their heads: an arc-factored model of the trees around this one.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn linearise(parts: &PartScores, tree: &Heads, scores: &mut ArcScores) {
        fill_gains(parts, &mut tree.clone(), scores);
    }

    /// Puts a start into `scratch.tree`: the best tree by arcs for number 0, else a random one.
    fn start(&self, parts: &PartScores, number: u32, scratch: &mut RewiringScratch) -> bool {
        let RewiringScratch { spanning_tree, scores, tree, .. } = scratch;
        scores.reset(parts.words());
        for (arc, (head, child)) in (0..).zip(parts.arcs()) {
            let score = match (parts.arc_score(arc), number) {
                (FORBIDDEN, _) => FORBIDDEN,
                (score, 0) => score,
                _ => random(number, arc),
            };
            scores.set(head, child, score);
        }
        ChuLiuEdmonds::new(self.mode).decode(scores, spanning_tree, tree).is_some()
    }
}

/// See [`Rewiring::linearise`]; the tree comes out as it went in.
fn fill_gains(parts: &PartScores, tree: &mut Heads, scores: &mut ArcScores) {
    let mut climb = Climb::new(parts, RootMode::Many, tree);
    scores.reset(parts.words());
    for (head, child) in parts.arcs() {
        scores.set(head, child, climb.gain(child, head) as f32);
    }
}

/// A number from 0 to 1 that looks random (the finaliser of SplitMix64).
fn random(start: u32, arc: u32) -> f32 {
    let mut mixed = (u64::from(start) << 32 | u64::from(arc)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 40) as f32 / (1u32 << 24) as f32
}
