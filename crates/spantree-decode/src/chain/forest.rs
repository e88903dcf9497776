//! The lattice of best scores as a hypergraph for [`lazy`]: a prefix of a sequence has one part, the
//! prefix before it.

use super::{ChainScores, Lattice, TagId};
use crate::lazy::{self, Forest as _};

/// An item: all sequences up to a position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Prefix {
    /// Nothing: the part before a first tag, and the second part of everything.
    Empty,
    /// Up to `position`, which has `tag`. Its split is the tag before.
    Tagged { position: usize, tag: usize },
    /// The whole sequence, of at least one position. Its split is the last tag.
    Whole,
}

/// A lattice filled with best scores, and the scores it was filled from.
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
        let mut item = self.goal();
        while !self.is_axiom(item) {
            let split = self.best_split(item);
            self.record(item, split, tags);
            [item, _] = self.parts(item, split);
        }
    }

    /// Writes down the tag that a split stands for.
    pub(super) fn record(&self, item: Prefix, split: u32, tags: &mut [TagId]) {
        tags[self.position(item) - 1] = split as TagId;
    }

    fn position(&self, item: Prefix) -> usize {
        match item {
            Prefix::Empty => 0,
            Prefix::Tagged { position, .. } => position,
            Prefix::Whole => self.scores.positions(),
        }
    }

    /// The two slices whose element sums are an item's alternatives, by the tag before.
    fn alternatives(&self, item: Prefix) -> (&'a [f64], &'a [f64]) {
        let before = self.lattice.row(self.position(item) - 1);
        match item {
            Prefix::Tagged { tag, .. } => (before, self.lattice.steps_to(tag)),
            _ => (before, &self.lattice.ends),
        }
    }

    fn tag_score(&self, item: Prefix) -> f64 {
        match item {
            Prefix::Tagged { position, tag } => f64::from(self.scores.tags_at(position)[tag]),
            _ => 0.0,
        }
    }
}

impl lazy::Forest for Forest<'_> {
    type Item = Prefix;

    fn items(&self) -> usize {
        self.lattice.values.len() + 1
    }

    fn index(&self, item: Prefix) -> usize {
        match item {
            Prefix::Tagged { position, tag } => position * self.scores.tags() + tag,
            _ => self.lattice.values.len(),
        }
    }

    fn goal(&self) -> Prefix {
        if self.scores.positions() == 0 { Prefix::Empty } else { Prefix::Whole }
    }

    fn is_axiom(&self, item: Prefix) -> bool {
        self.position(item) == 0
    }

    fn best(&self, item: Prefix) -> f64 {
        match item {
            Prefix::Empty => 0.0,
            Prefix::Tagged { position, tag } => self.lattice.row(position)[tag],
            Prefix::Whole => {
                let (a, b) = self.alternatives(item);
                a.iter().zip(b).map(|(x, y)| x + y).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    fn best_split(&self, item: Prefix) -> u32 {
        let (a, b) = self.alternatives(item);
        let mut best = (0, f64::NEG_INFINITY);
        for (tag, (x, y)) in a.iter().zip(b).enumerate() {
            if x + y > best.1 {
                best = (tag, x + y);
            }
        }
        best.0 as u32
    }

    fn each_split(&self, item: Prefix, mut visit: impl FnMut(u32, f64)) {
        let own = self.tag_score(item);
        let (a, b) = self.alternatives(item);
        for (tag, (x, y)) in a.iter().zip(b).enumerate() {
            visit(tag as u32, x + y + own);
        }
    }

    fn parts(&self, item: Prefix, split: u32) -> [Prefix; 2] {
        let position = self.position(item) - 1;
        [Prefix::Tagged { position, tag: split as usize }, Prefix::Empty]
    }

    fn own_score(&self, item: Prefix, split: u32) -> f64 {
        self.alternatives(item).1[split as usize] + self.tag_score(item)
    }
}
