//! Projective trees scored by siblings, grandparents and outermost grandchildren (McDonald and Pereira 2006, Carreras 2007, Koo
//! and Collins 2010).
//!
//! Finds the best trees under [`PartScores`], and sums over all of them. The chart is Eisner's with
//! siblings put together before their arc is scored, and with a *context* for every half-tree: what the
//! scores below it depend on. With parts that look up to the grandparent, the context of a word is the arc
//! into it; without, it is the word alone. For a context `c` of the word `h`, arcs `a = h → m` and
//! `b = h → s` with `s` between `h` and `m`, and the context `c'` that `m` has under `a`:
//!
//! ```text
//! half(c, h)   = outermost(c, none)                               on each side
//! half(c, e)   = Σ arc(c, a) · half(c', e) · outermost(c, a)      over arcs a of h towards e
//! arc(c, a)    = half(c', next to h) · score(c, a, none)          m is the first child on its side
//!              + Σ arc(c, b) · between(b, a) · score(c, a, b)     over inner siblings
//! between(b, a) = Σ half(under b, r) · half(under a, r + 1)       over the words r from s to m
//! goal = half(root, n)
//! ```
//!
//! in any [semiring](crate::semiring); every tree has one derivation. One root child means that arcs of
//! the root have no inner sibling. If only outermost children see their grandparent, the `c` of arcs is the word alone, as scores of
//! arcs do not depend on more. If three siblings have scores, an arc item is the sum over items that know its inner sibling:
//!
//! ```text
//! arc(c, a)    = Σ sibling(c, a, b)                               over inner siblings and none
//! sibling(c, a, none) = half(c', next to h) · score(c, a, none)
//! sibling(c, a, b) = Σ sibling(c, b, d) · between(b, a) · score(c, a, b) · tri(a, b, d)
//! ```
//!
//! Time O(n³) without grandparents and O(n⁴) with them, with outermost children or with three siblings when all arcs exist (O(n⁵) with
//! grandparents and three siblings); with at most k heads per word O(kn²) and O(k²n²) in practice. Memory is that of the parts and O(n) per context. Ties: of equally good
//! splits the first in the order above is taken. Crossing arcs: see [`rewiring`](crate::rewiring).
//!
//! ```
//! use spantree_decode::{Heads, HigherOrderEisner, PartScores, RootMode};
//! let mut parts = PartScores::default();
//! parts.reset(3, |_head, _child| true);
//! // Two children on one side are better than a chain.
//! parts.fill_siblings(|_head, inner, _child| if inner.is_some() { 1.0 } else { 0.0 });
//! let (mut scratch, mut tree) = Default::default();
//! let score = HigherOrderEisner::new(RootMode::One).decode(&parts, &mut scratch, &mut tree);
//! assert_eq!((score, tree), (Some(1.0), Heads::from(vec![0, 1, 1])));
//! ```

mod chart;

use crate::heads::{Heads, RootMode};
use crate::lazy::{Forest, LazyKBest};
use crate::parts::PartScores;
use crate::ranked::Ranked;
use crate::semiring::{Count, LogSum, Max, Semiring};
use crate::table::ArcTable;
use chart::{Chart, Item, Layout};

/// Best trees and sums over projective trees with parts of several arcs: see the
/// [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct HigherOrderEisner {
    mode: RootMode,
}

/// Memory of [`HigherOrderEisner`].
#[derive(Clone, Debug, Default)]
pub struct HigherOrderScratch {
    layout: Layout,
    values: Vec<f64>,
    counts: Vec<u128>,
    /// Probabilities of items.
    outside: Vec<f64>,
    items: Vec<Item>,
    best: Heads,
    lazy: LazyKBest<Item>,
}

impl HigherOrderEisner {
    /// A decoder for trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// Writes the best tree to `tree` and returns its score; `None`, and an empty `tree`, if no tree is
    /// allowed.
    pub fn decode(
        &self,
        parts: &PartScores,
        scratch: &mut HigherOrderScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        tree.reset(0);
        self.inside::<Max>(parts, scratch)?;
        let HigherOrderScratch { layout, values, items, .. } = scratch;
        let chart = Chart::<Max>::new(parts, self.mode, layout, values);
        tree.reset(parts.words());
        items.clear();
        items.push(chart.goal());
        while let Some(item) = items.pop() {
            if chart.is_axiom(item) {
                continue;
            }
            if let Some((head, child)) = chart.arc(item) {
                tree.attach(head, child);
            }
            items.extend(chart.parts(item, chart.best_split(item)));
        }
        Some(parts.tree_score(tree))
    }

    /// Writes the `k` best trees to `trees`, best first and all different; fewer if there are fewer.
    pub fn k_best(
        &self,
        parts: &PartScores,
        k: usize,
        scratch: &mut HigherOrderScratch,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        if self.inside::<Max>(parts, scratch).is_none() {
            return;
        }
        let HigherOrderScratch { layout, values, best, lazy, .. } = scratch;
        let chart = Chart::<Max>::new(parts, self.mode, layout, values);
        best.reset(parts.words());
        let mut search = lazy.search(&chart);
        while trees.len() < k && search.advance() {
            let is_first = trees.is_empty();
            trees.push_with(|tree| {
                tree.copy_from(best);
                search.visit(|item, _| {
                    if let Some((head, child)) = chart.arc(item) {
                        tree.attach(head, child);
                    }
                });
                if is_first {
                    best.copy_from(tree);
                }
                parts.tree_score(tree)
            });
        }
        trees.settle();
    }

    /// The logarithm of the summed weight of all trees, or `None` if no tree is allowed.
    pub fn log_partition(
        &self,
        parts: &PartScores,
        scratch: &mut HigherOrderScratch,
    ) -> Option<f64> {
        self.inside::<LogSum>(parts, scratch)
    }

    /// Writes the probability of every arc to `marginals` and returns the log partition function; `None`,
    /// and zeros, if no tree is allowed.
    pub fn marginals(
        &self,
        parts: &PartScores,
        scratch: &mut HigherOrderScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        marginals.reset(parts.words(), 0.0);
        let total = self.inside::<LogSum>(parts, scratch)?;
        let HigherOrderScratch { layout, values, outside, items, .. } = scratch;
        let chart = Chart::<LogSum>::new(parts, self.mode, layout, values);
        chart.probabilities(items, outside, |item, _, share| {
            if let Some((head, child)) = chart.arc(item) {
                marginals.set(head, child, marginals.get(head, child) + share);
            }
        });
        Some(total)
    }

    /// Writes the probability of every part to `probabilities` and returns the log partition function; `None`, and zeros, if
    /// no tree is allowed.
    pub fn part_marginals(
        &self,
        parts: &PartScores,
        scratch: &mut HigherOrderScratch,
        probabilities: &mut PartScores,
    ) -> Option<f64> {
        probabilities.reset_like(parts);
        let total = self.inside::<LogSum>(parts, scratch)?;
        let HigherOrderScratch { layout, values, outside, items, .. } = scratch;
        let chart = Chart::<LogSum>::new(parts, self.mode, layout, values);
        chart.probabilities(items, outside, |item, split, share| {
            chart.add_share(item, split, share, probabilities);
        });
        chart.add_childless(outside, probabilities);
        Some(total)
    }

    /// The number of allowed trees, saturating at [`u128::MAX`].
    pub fn count(&self, parts: &PartScores, scratch: &mut HigherOrderScratch) -> u128 {
        scratch.layout.fill(parts);
        Chart::<Count>::new(parts, self.mode, &scratch.layout, &mut scratch.counts).inside()
    }

    fn inside<S: Semiring<Value = f64>>(
        &self,
        parts: &PartScores,
        scratch: &mut HigherOrderScratch,
    ) -> Option<f64> {
        scratch.layout.fill(parts);
        let goal = Chart::<S>::new(parts, self.mode, &scratch.layout, &mut scratch.values).inside();
        (goal > S::ZERO).then_some(goal)
    }
}
