//! The items of a best-score chart as a hypergraph: back-pointers found when asked for.
//!
//! The chart stores values only. Where an item came from is found by looking for the split that gives its
//! value, which is exact: the same two numbers are added again. A tree needs this for 2n items, O(n²).

use super::chart::{Chart, root_splits};
use crate::heads::{Heads, RootMode};
use crate::lazy::{self, ItemId};
use crate::scores::ArcScores;

/// An item of the chart: see the [recurrences](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Open { head: usize, child: usize },
    Left { s: usize, t: usize },
    Right { s: usize, t: usize },
}

/// A chart filled with best scores, and the scores it was filled from.
pub(super) struct Forest<'a> {
    chart: &'a Chart<f64>,
    scores: &'a ArcScores,
    mode: RootMode,
}

impl<'a> Forest<'a> {
    pub(super) fn new(chart: &'a Chart<f64>, scores: &'a ArcScores, mode: RootMode) -> Self {
        Self { chart, scores, mode }
    }

    /// Follows the best splits from the goal; `open` is scratch.
    pub(super) fn best_tree(&self, open: &mut Vec<Item>, tree: &mut Heads) {
        tree.reset(self.chart.words());
        open.clear();
        open.push(self.goal_item());
        while let Some(item) = open.pop() {
            if is_axiom(item) {
                continue;
            }
            if let Item::Open { head, child } = item {
                tree.attach(head, child);
            }
            let (a, b) = self.parts(item, self.first_best_split(item));
            open.extend([a, b]);
        }
    }

    /// Records the arc of an item that has one.
    pub(super) fn attach(&self, item: ItemId, tree: &mut Heads) {
        if let Item::Open { head, child } = self.item(item) {
            tree.attach(head, child);
        }
    }

    fn goal_item(&self) -> Item {
        Item::Right { s: 0, t: self.chart.words() }
    }

    /// The two slices whose element sums are an item's alternatives, and the split of the first one.
    fn alternatives(&self, item: Item) -> (&'a [f64], &'a [f64], usize) {
        let chart = self.chart;
        match item {
            Item::Open { head, child } => {
                let (s, t) = (head.min(child), head.max(child));
                let splits = if s == 0 { root_splits(self.mode, t) } else { t - s };
                (&chart.right(s)[s..s + splits], &chart.left(t)[s + 1..=s + splits], s)
            }
            Item::Left { s, t } => (&chart.left(s)[s..t], &chart.open(t)[s..t], s),
            Item::Right { s, t } => (&chart.open(s)[s + 1..=t], &chart.right(t)[s + 1..=t], s + 1),
        }
    }

    fn parts(&self, item: Item, split: usize) -> (Item, Item) {
        match item {
            Item::Open { head, child } => {
                let (s, t) = (head.min(child), head.max(child));
                (Item::Right { s, t: split }, Item::Left { s: split + 1, t })
            }
            Item::Left { s, t } => {
                (Item::Left { s, t: split }, Item::Open { head: t, child: split })
            }
            Item::Right { s, t } => {
                (Item::Open { head: s, child: split }, Item::Right { s: split, t })
            }
        }
    }

    /// The lowest split that gives the item's value.
    fn first_best_split(&self, item: Item) -> usize {
        let value = match item {
            Item::Open { head, child } => self.chart.link_value(head.min(child), head.max(child)),
            Item::Left { s, t } => self.chart.left_value(s, t),
            Item::Right { s, t } => self.chart.right_value(s, t),
        };
        let (a, b, start) = self.alternatives(item);
        start + a.iter().zip(b).position(|(x, y)| x + y == value).unwrap_or(0)
    }

    fn value(&self, item: Item) -> f64 {
        match item {
            Item::Open { head, child } => self.chart.open(head)[child],
            Item::Left { s, t } => self.chart.left_value(s, t),
            Item::Right { s, t } => self.chart.right_value(s, t),
        }
    }

    /// The part of an item's score that is not in its parts.
    fn own_score(&self, item: Item) -> f64 {
        match item {
            Item::Open { head, child } => f64::from(self.scores.score(head, child)),
            _ => 0.0,
        }
    }

    fn id(&self, item: Item) -> ItemId {
        let width = self.chart.words() + 1;
        let (kind, row, column) = match item {
            Item::Open { head, child } => (0, head, child),
            Item::Left { s, t } => (1, s, t),
            Item::Right { s, t } => (2, s, t),
        };
        ((kind * width + row) * width + column) as ItemId
    }

    fn item(&self, id: ItemId) -> Item {
        let width = self.chart.words() + 1;
        let (row, column) = (id as usize / width, id as usize % width);
        match row / width {
            0 => Item::Open { head: row, child: column },
            1 => Item::Left { s: row - width, t: column },
            _ => Item::Right { s: row - 2 * width, t: column },
        }
    }
}

/// Whether an item is a single word without dependents.
fn is_axiom(item: Item) -> bool {
    match item {
        Item::Open { .. } => false,
        Item::Left { s, t } | Item::Right { s, t } => s == t,
    }
}

impl lazy::Forest for Forest<'_> {
    fn items(&self) -> usize {
        3 * (self.chart.words() + 1).pow(2)
    }

    fn goal(&self) -> ItemId {
        self.id(self.goal_item())
    }

    fn is_axiom(&self, item: ItemId) -> bool {
        is_axiom(self.item(item))
    }

    fn best(&self, item: ItemId) -> f64 {
        self.value(self.item(item))
    }

    fn best_split(&self, item: ItemId) -> u32 {
        self.first_best_split(self.item(item)) as u32
    }

    fn each_split(&self, item: ItemId, mut visit: impl FnMut(u32, f64)) {
        let item = self.item(item);
        let own = self.own_score(item);
        let (a, b, start) = self.alternatives(item);
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            visit((start + i) as u32, x + y + own);
        }
    }

    fn parts(&self, item: ItemId, split: u32) -> [ItemId; 2] {
        let (a, b) = Self::parts(self, self.item(item), split as usize);
        [self.id(a), self.id(b)]
    }

    fn own_score(&self, item: ItemId, _split: u32) -> f64 {
        Self::own_score(self, self.item(item))
    }
}
