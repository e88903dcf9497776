//! The best tree in which each arc is crossed from one word only (Pitler, Kannan and Marcus 2013).
//!
//! A tree is *1-endpoint-crossing* if for every arc all arcs that cross it have an end in common
//! ([`Heads::is_one_endpoint_crossing`]). All projective trees are, and nearly all trees of treebanks. Among
//! them the best by arc scores can be found exactly.
//!
//! Three steps, each of which may be the last:
//!
//! 1. the best of all trees ([`ChuLiuEdmonds`]), which is the answer if it is 1-endpoint-crossing;
//! 2. the best projective tree ([`Eisner`]), a lower bound. Each word's best arc gives an upper bound, and
//!    an arc that falls short of its word's best by more than the difference cannot be in the answer;
//! 3. a chart over the arcs that are left: the module `chart`.
//!
//! Time O(n⁴) and memory O(n³) in the third step; [`among_best`](OneEndpointCrossing::among_best) trades exactness
//! for a faster one. The k best trees are found by solving again without the
//! arcs of those found (Lawler 1972), each after O(n) calls. Ties: those of the step that answers.
//! Derivations are not unique, so there are no sums over these trees.
//!
//! ```
//! use spantree_decode::{ArcScores, Heads, OneEndpointCrossing, RootMode, TreeDecoder};
//! // Three arcs that cross each other: one of them must go.
//! let mut scores = ArcScores::from_fn(6, |head, child| if head + 3 == child { 9.0 } else { 0.0 });
//! scores.set(0, 3, 0.0);
//! let (mut scratch, mut tree) = Default::default();
//! let score = OneEndpointCrossing::new(RootMode::One).decode(&scores, &mut scratch, &mut tree);
//! assert_eq!(score, Some(18.0));
//! assert!(tree.is_one_endpoint_crossing() && !tree.is_projective());
//! ```

mod chart;
pub(crate) mod signature;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::decoder::TreeDecoder;
use crate::eisner::{Eisner, EisnerScratch};
use crate::heads::{Heads, RootMode};
use crate::ranked::Ranked;
use crate::scores::{ArcScores, FORBIDDEN};
use crate::spanning_tree::{ChuLiuEdmonds, ChuLiuEdmondsScratch};
use chart::{Chart, ChartScratch};

/// Best and k best 1-endpoint-crossing trees: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct OneEndpointCrossing {
    mode: RootMode,
    /// Most heads per word in the chart, if there is a limit.
    heads: Option<usize>,
}

/// Memory of [`OneEndpointCrossing`].
#[derive(Clone, Debug, Default)]
pub struct OneEndpointCrossingScratch {
    spanning_tree: ChuLiuEdmondsScratch,
    eisner: EisnerScratch,
    chart: ChartScratch,
    /// The table without arcs that cannot be in the answer.
    pruned: ArcScores,
    ranked: Vec<f32>,
    /// The table without trees that were found before.
    rest: ArcScores,
    parts: BinaryHeap<Part>,
}

impl OneEndpointCrossing {
    /// A decoder for trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode, heads: None }
    }

    /// The same with a chart over the so many best heads of each word and those of the best projective tree. The
    /// answer is then 1-endpoint-crossing and no worse than the projective one, but perhaps not the best.
    pub fn among_best(self, heads: usize) -> Self {
        Self { heads: Some(heads.max(1)), ..self }
    }

    /// Copies the arcs that are to be tried: those that a tree as good as `reached` can have, and of these the
    /// best.
    fn prune(
        &self,
        scores: &ArcScores,
        (projective, reached): (&Heads, Option<f64>),
        scratch: &mut OneEndpointCrossingScratch,
    ) {
        let best = |child: usize| scores.heads_of(child).iter().copied().fold(FORBIDDEN, f32::max);
        let bound: f64 = (1..=scores.words()).map(|child| f64::from(best(child))).sum();
        let floor = reached.unwrap_or(f64::NEG_INFINITY);
        // The sums are rounded.
        let slack = (bound - floor) + 1e-9 * (bound.abs() + floor.abs());
        let OneEndpointCrossingScratch { pruned, ranked, .. } = scratch;
        pruned.copy_from(scores);
        for child in 1..=scores.words() {
            let mut least = f64::from(best(child)) - slack;
            if let (Some(heads), Some(_)) = (self.heads, reached) {
                ranked.clear();
                ranked.extend_from_slice(scores.heads_of(child));
                ranked.sort_by(|a, b| b.total_cmp(a));
                least = least.max(f64::from(ranked[heads.min(ranked.len()) - 1]));
            }
            let is_kept = |head: usize| reached.is_some() && projective.head(child) == head;
            for head in (0..=scores.words()).filter(|&head| !is_kept(head)) {
                if f64::from(scores.score(head, child)) < least {
                    pruned.forbid(head, child);
                }
            }
        }
    }

    /// Adds the best tree of a part of the trees to the queue.
    fn queue(&self, mut part: Part, scores: &ArcScores, scratch: &mut OneEndpointCrossingScratch) {
        let mut rest = std::mem::take(&mut scratch.rest);
        part.restrict(scores, &mut rest);
        if let Some(score) = self.decode(&rest, scratch, &mut part.tree) {
            part.score = score;
            scratch.parts.push(part);
        }
        scratch.rest = rest;
    }
}

impl TreeDecoder for OneEndpointCrossing {
    type Scratch = OneEndpointCrossingScratch;

    fn decode(
        &self,
        scores: &ArcScores,
        scratch: &mut OneEndpointCrossingScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        let spanning_tree = ChuLiuEdmonds::new(self.mode);
        let score = spanning_tree.decode(scores, &mut scratch.spanning_tree, tree)?;
        if tree.is_one_endpoint_crossing() {
            return Some(score);
        }
        let reached = Eisner::new(self.mode).decode(scores, &mut scratch.eisner, tree);
        self.prune(scores, (tree, reached), scratch);
        Chart::new(&scratch.pruned, self.mode, &mut scratch.chart).best(tree);
        (tree.words() > 0).then(|| scores.tree_score(tree))
    }

    /// Allocates a little per tree.
    fn k_best(
        &self,
        scores: &ArcScores,
        k: usize,
        scratch: &mut OneEndpointCrossingScratch,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        scratch.parts.clear();
        if k > 0 {
            self.queue(Part::default(), scores, scratch);
        }
        while let Some(part) = scratch.parts.pop() {
            trees.push_with(|tree| {
                tree.copy_from(&part.tree);
                part.score
            });
            if trees.len() == k {
                break;
            }
            part.split().for_each(|part| self.queue(part, scores, scratch));
        }
    }
}

/// A set of trees, with its best: they agree on the heads of the first words, and the next word has none of
/// some heads.
#[derive(Clone, Debug, Default)]
struct Part {
    tree: Heads,
    score: f64,
    /// So many words have the heads of `tree`.
    fixed: usize,
    /// What is not the head of the word after them.
    excluded: Vec<u32>,
}

impl Part {
    /// Overwrites `rest` with the scores of the trees of this part.
    fn restrict(&self, scores: &ArcScores, rest: &mut ArcScores) {
        rest.copy_from(scores);
        for (head, child) in self.tree.arcs().take(self.fixed) {
            rest.require(head, child);
        }
        for &head in &self.excluded {
            rest.forbid(head as usize, self.fixed + 1);
        }
    }

    /// All trees but the best, as disjoint parts.
    fn split(&self) -> impl Iterator<Item = Part> + '_ {
        (self.fixed..self.tree.words()).map(|fixed| {
            let mut excluded = vec![self.tree.as_slice()[fixed]];
            if fixed == self.fixed {
                excluded.extend(&self.excluded);
            }
            Part { tree: self.tree.clone(), score: 0.0, fixed, excluded }
        })
    }
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal trees the first in lexicographic order.
        self.score.total_cmp(&other.score).then_with(|| other.tree.cmp(&self.tree))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}
