//! The items of a best-score chart as a hypergraph: back-pointers found when asked for.
//!
//! The chart stores values only. Where an item came from is found by looking for the split that gives its
//! value, which is exact: the same two numbers are added again. A tree needs this for 2n items, O(n²).

use super::chart::{Chart, root_splits};
use crate::heads::{Heads, RootMode};
use crate::lazy;
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
            open.extend(parts(item, self.first_best_split(item)));
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

    /// The part of an item's score that is not in its parts.
    fn arc_score(&self, item: Item) -> f64 {
        match item {
            Item::Open { head, child } => f64::from(self.scores.score(head, child)),
            _ => 0.0,
        }
    }
}

/// The two items that a split of an item consists of.
fn parts(item: Item, split: usize) -> [Item; 2] {
    match item {
        Item::Open { head, child } => {
            let (s, t) = (head.min(child), head.max(child));
            [Item::Right { s, t: split }, Item::Left { s: split + 1, t }]
        }
        Item::Left { s, t } => [Item::Left { s, t: split }, Item::Open { head: t, child: split }],
        Item::Right { s, t } => [Item::Open { head: s, child: split }, Item::Right { s: split, t }],
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
    type Item = Item;

    fn items(&self) -> usize {
        3 * (self.chart.words() + 1).pow(2)
    }

    fn index(&self, item: Item) -> usize {
        let width = self.chart.words() + 1;
        let (kind, row, column) = match item {
            Item::Open { head, child } => (0, head, child),
            Item::Left { s, t } => (1, s, t),
            Item::Right { s, t } => (2, s, t),
        };
        (kind * width + row) * width + column
    }

    fn goal(&self) -> Item {
        self.goal_item()
    }

    fn is_axiom(&self, item: Item) -> bool {
        is_axiom(item)
    }

    fn best(&self, item: Item) -> f64 {
        match item {
            Item::Open { head, child } => self.chart.open(head)[child],
            Item::Left { s, t } => self.chart.left_value(s, t),
            Item::Right { s, t } => self.chart.right_value(s, t),
        }
    }

    fn best_split(&self, item: Item) -> u32 {
        self.first_best_split(item) as u32
    }

    fn each_split(&self, item: Item, mut visit: impl FnMut(u32, f64)) {
        let own = self.arc_score(item);
        let (a, b, start) = self.alternatives(item);
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            visit((start + i) as u32, x + y + own);
        }
    }

    fn parts(&self, item: Item, split: u32) -> [Item; 2] {
        parts(item, split as usize)
    }

    fn own_score(&self, item: Item, _split: u32) -> f64 {
        self.arc_score(item)
    }
}
