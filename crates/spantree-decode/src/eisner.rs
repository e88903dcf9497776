//! Projective trees scored arc by arc (Eisner, 1996).
//!
//! For words `s ≤ t`, a chart holds
//!
//! * `right(s, t)`: `s` with all its descendants up to `t`, and `left(s, t)`: `t` with all down to `s`;
//! * `open(h, c)`: the span between `h` and `c` with the arc `h → c`, `c` still lacking its outer half;
//!
//! ```text
//! link(s, t)  = Σ right(s, r) · left(r + 1, t)     s ≤ r < t      open(s, t) = link(s, t) · arc(s, t)
//! left(s, t)  = Σ left(s, r) · open(t, r)          s ≤ r < t      open(t, s) = link(s, t) · arc(t, s)
//! right(s, t) = Σ open(s, r) · right(r, t)         s < r ≤ t      goal = right(0, n)
//! ```
//!
//! in any [semiring](crate::semiring). The root needs no more than its row `s = 0`, and one root child
//! means that `link(0, t)` has the split `r = 0` only. Best trees, k best trees, sums, counts and
//! max-marginals all come from this one [chart]; its items are unique per tree.
//!
//! Time O(n³), memory O(n²); the k best trees add O(n²) for a first list and little for each tree, as only
//! the items that those trees touch are ever looked at again. Ties: of equally good splits `r` the lowest
//! is taken, from the whole sentence down. Crossing arcs: see [`spanning_tree`](crate::spanning_tree).
//!
//! ```
//! use spantree_decode::{ArcScores, Eisner, Heads, RootMode, TreeDecoder};
//! let scores = ArcScores::from_fn(3, |head, child| if head + 1 == child { 1.0 } else { 0.0 });
//! let (mut scratch, mut tree) = Default::default();
//! let score = Eisner::new(RootMode::One).decode(&scores, &mut scratch, &mut tree);
//! assert_eq!((score, tree), (Some(3.0), Heads::from(vec![0, 1, 2])));
//! ```

pub mod chart;
mod forest;

use crate::decoder::{TreeDecoder, TreeDistribution};
use crate::heads::{Heads, RootMode};
use crate::lazy::LazyKBest;
use crate::ranked::Ranked;
use crate::scores::ArcScores;
use crate::semiring::{Count, LogSum, Max, Outside, Semiring};
use crate::table::ArcTable;
use chart::Chart;
use forest::{Forest, Item};

/// Best trees and sums over projective trees: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Eisner {
    mode: RootMode,
}

/// Memory of [`Eisner`].
#[derive(Clone, Debug, Default)]
pub struct EisnerScratch {
    inside: Chart<f64>,
    outside: Chart<f64>,
    counts: Chart<u128>,
    items: Vec<Item>,
    best: Heads,
    lazy: LazyKBest<Item>,
}

impl Eisner {
    /// A decoder for trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// The number of allowed trees, saturating at [`u128::MAX`].
    pub fn count(&self, scores: &ArcScores, scratch: &mut EisnerScratch) -> u128 {
        let weight = |head, child| Count::weight(scores.score(head, child));
        scratch.counts.inside::<Count>(scores.words(), self.mode, weight)
    }

    /// Writes, for every arc, the score of the best tree that contains it (−∞ if there is none), and
    /// returns the best score; `None` if no tree is allowed.
    ///
    /// The difference to the best score is what using the arc costs: a measure for pruning.
    pub fn max_marginals(
        &self,
        scores: &ArcScores,
        scratch: &mut EisnerScratch,
        max_marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        self.totals::<Max>(scores, scratch, max_marginals)
    }

    fn inside<S: Semiring<Value = f64>>(
        &self,
        scores: &ArcScores,
        scratch: &mut EisnerScratch,
    ) -> Option<f64> {
        let weight = |head, child| S::weight(scores.score(head, child));
        let goal = scratch.inside.inside::<S>(scores.words(), self.mode, weight);
        (goal > S::ZERO).then_some(goal)
    }

    fn totals<S: Outside<Value = f64>>(
        &self,
        scores: &ArcScores,
        scratch: &mut EisnerScratch,
        totals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        totals.reset(scores.words(), S::UNREACHED);
        let goal = self.inside::<S>(scores, scratch)?;
        let weight = |head, child| S::weight(scores.score(head, child));
        scratch.inside.totals::<S>(self.mode, weight, &mut scratch.outside, totals);
        Some(goal)
    }
}

impl TreeDecoder for Eisner {
    type Scratch = EisnerScratch;

    fn decode(
        &self,
        scores: &ArcScores,
        scratch: &mut EisnerScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        tree.reset(0);
        self.inside::<Max>(scores, scratch)?;
        let forest = Forest::new(&scratch.inside, scores, self.mode);
        forest.best_tree(&mut scratch.items, tree);
        Some(scores.tree_score(tree))
    }

    fn k_best(
        &self,
        scores: &ArcScores,
        k: usize,
        scratch: &mut EisnerScratch,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        if self.inside::<Max>(scores, scratch).is_none() {
            return;
        }
        let forest = Forest::new(&scratch.inside, scores, self.mode);
        let best = &mut scratch.best;
        best.reset(scores.words());
        let mut search = scratch.lazy.search(&forest);
        while trees.len() < k && search.advance() {
            let is_first = trees.is_empty();
            trees.push_with(|tree| {
                tree.copy_from(best);
                search.visit(|item, _| {
                    if let Some((head, child)) = item.arc() {
                        tree.attach(head, child);
                    }
                });
                if is_first {
                    best.copy_from(tree);
                }
                scores.tree_score(tree)
            });
        }
        trees.settle();
    }
}

impl TreeDistribution for Eisner {
    type Scratch = EisnerScratch;

    fn log_partition(&self, scores: &ArcScores, scratch: &mut EisnerScratch) -> Option<f64> {
        self.inside::<LogSum>(scores, scratch)
    }

    fn marginals(
        &self,
        scores: &ArcScores,
        scratch: &mut EisnerScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        self.totals::<LogSum>(scores, scratch, marginals)
    }
}
