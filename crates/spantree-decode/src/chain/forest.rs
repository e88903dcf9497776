//! The lattice of best scores as a hypergraph for [`lazy`]: a prefix of a sequence has one part, the
//! prefix before it.

use super::{ChainScores, Lattice, TagId};
use crate::lazy::{self, ItemId, NOTHING};

/// A lattice filled with best scores, and the scores it was filled from.
///
/// Item `i·m + b` is a prefix that ends with tag `b` at position `i`; its split is the tag before. The
/// goal comes after all positions; its split is the last tag.
pub(super) struct Forest<'a> {
    lattice: &'a Lattice<f64>,
    scores: &'a ChainScores,
}

impl<'a> Forest<'a> {
    pub(super) fn new(lattice: &'a Lattice<f64>, scores: &'a ChainScores) -> Self {
        Self { lattice, scores }
    }

    /// Follows the best splits from the goal.
    pub(super) fn best_sequence(&self, tags: &mut Vec<TagId>) {
        tags.clear();
        tags.resize(self.scores.positions(), 0);
        let mut item = lazy::Forest::goal(self);
        while !lazy::Forest::is_axiom(self, item) {
            let split = lazy::Forest::best_split(self, item);
            self.record(item, split, tags);
            [item, _] = lazy::Forest::parts(self, item, split);
        }
    }

    /// Writes down the tag that a split stands for.
    pub(super) fn record(&self, item: ItemId, split: u32, tags: &mut [TagId]) {
        tags[self.position(item) - 1] = split as TagId;
    }

    fn position(&self, item: ItemId) -> usize {
        item as usize / self.scores.tags()
    }

    fn is_goal(&self, item: ItemId) -> bool {
        item as usize == self.lattice.values.len()
    }

    /// The two slices whose element sums are an item's alternatives, by the tag before.
    fn alternatives(&self, item: ItemId) -> (&'a [f64], &'a [f64]) {
        let tags = self.scores.tags();
        let before = self.lattice.row(self.position(item) - 1);
        if self.is_goal(item) {
            return (before, &self.lattice.ends);
        }
        let tag = item as usize % tags;
        (before, &self.lattice.steps[tag * tags..(tag + 1) * tags])
    }

    fn tag_score(&self, item: ItemId) -> f64 {
        if self.is_goal(item) {
            return 0.0;
        }
        let tag = item as usize % self.scores.tags();
        f64::from(self.scores.tags_at(self.position(item))[tag])
    }
}

impl lazy::Forest for Forest<'_> {
    fn items(&self) -> usize {
        self.lattice.values.len() + 1
    }

    fn goal(&self) -> ItemId {
        self.lattice.values.len() as ItemId
    }

    /// The first tags, and the goal of the empty sequence.
    fn is_axiom(&self, item: ItemId) -> bool {
        self.scores.positions() == 0 || self.position(item) == 0
    }

    fn best(&self, item: ItemId) -> f64 {
        if self.is_goal(item) {
            let (a, b) = self.alternatives(item);
            return a.iter().zip(b).map(|(x, y)| x + y).fold(f64::NEG_INFINITY, f64::max);
        }
        self.lattice.values[item as usize]
    }

    fn best_split(&self, item: ItemId) -> u32 {
        let (a, b) = self.alternatives(item);
        let mut best = (0, f64::NEG_INFINITY);
        for (tag, (x, y)) in a.iter().zip(b).enumerate() {
            if x + y > best.1 {
                best = (tag, x + y);
            }
        }
        best.0 as u32
    }

    fn each_split(&self, item: ItemId, mut visit: impl FnMut(u32, f64)) {
        let own = self.tag_score(item);
        let (a, b) = self.alternatives(item);
        for (tag, (x, y)) in a.iter().zip(b).enumerate() {
            visit(tag as u32, x + y + own);
        }
    }

    fn parts(&self, item: ItemId, split: u32) -> [ItemId; 2] {
        let before = (self.position(item) - 1) * self.scores.tags();
        [before as ItemId + split, NOTHING]
    }

    fn own_score(&self, item: ItemId, split: u32) -> f64 {
        self.alternatives(item).1[split as usize] + self.tag_score(item)
    }
}
