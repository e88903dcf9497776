//! The items of a best-score chart as a hypergraph: back-pointers found when asked for.
//!
//! The chart stores values only. Where an item came from is found by looking for the split that gives its
//! value, which is exact: the same two numbers are added again. A tree needs this for 2n items, O(n²).

use super::chart::{Chart, root_splits};
use crate::heads::{Heads, RootMode};
use crate::lazy;
use crate::scores::ArcScores;

/// The three kinds of items: see the [recurrences](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Open,
    Left,
    Right,
}

/// An item of the chart: `open(from, to)` with the arc `from → to`, or `left` or `right` of the span
/// `from ≤ to`. Twelve bytes without cases for most questions, as lists of trees ask many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    kind: Kind,
    from: u32,
    to: u32,
}

impl Item {
    /// Head and child of the arc that this item adds, if it adds one.
    pub(super) fn arc(self) -> Option<(usize, usize)> {
        (self.kind == Kind::Open).then_some((self.from as usize, self.to as usize))
    }

    /// First and last word.
    fn span(self) -> (usize, usize) {
        (self.from.min(self.to) as usize, self.from.max(self.to) as usize)
    }

    /// Whether this is a single word without dependents.
    fn is_axiom(self) -> bool {
        self.from == self.to
    }

    /// The two items that a split consists of.
    fn parts(self, split: u32) -> [Self; 2] {
        let item = |kind, from, to| Self { kind, from, to };
        let (s, t) = (self.from.min(self.to), self.from.max(self.to));
        match self.kind {
            Kind::Open => [item(Kind::Right, s, split), item(Kind::Left, split + 1, t)],
            Kind::Left => [item(Kind::Left, s, split), item(Kind::Open, t, split)],
            Kind::Right => [item(Kind::Open, s, split), item(Kind::Right, split, t)],
        }
    }
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
            if item.is_axiom() {
                continue;
            }
            if let Some((head, child)) = item.arc() {
                tree.attach(head, child);
            }
            open.extend(item.parts(self.first_best_split(item)));
        }
    }

    fn goal_item(&self) -> Item {
        Item { kind: Kind::Right, from: 0, to: self.chart.words() as u32 }
    }

    /// The two slices whose element sums are an item's alternatives, and the split of the first one.
    fn alternatives(&self, item: Item) -> (&'a [f64], &'a [f64], usize) {
        let chart = self.chart;
        let (s, t) = item.span();
        match item.kind {
            Kind::Open => {
                let splits = if s == 0 { root_splits(self.mode, t) } else { t - s };
                (&chart.right(s)[s..s + splits], &chart.left(t)[s + 1..=s + splits], s)
            }
            Kind::Left => (&chart.left(s)[s..t], &chart.open(t)[s..t], s),
            Kind::Right => (&chart.open(s)[s + 1..=t], &chart.right(t)[s + 1..=t], s + 1),
        }
    }

    /// The lowest split that gives the item's value.
    fn first_best_split(&self, item: Item) -> u32 {
        let (s, t) = item.span();
        let value = match item.kind {
            Kind::Open => self.chart.link_value(s, t),
            Kind::Left => self.chart.left_value(s, t),
            Kind::Right => self.chart.right_value(s, t),
        };
        let (a, b, start) = self.alternatives(item);
        let place = a.iter().zip(b).position(|(x, y)| x + y == value).unwrap_or(0);
        (start + place) as u32
    }

    /// The part of an item's score that is not in its parts.
    fn arc_score(&self, item: Item) -> f64 {
        item.arc().map_or(0.0, |(head, child)| f64::from(self.scores.score(head, child)))
    }
}

impl lazy::Forest for Forest<'_> {
    type Item = Item;

    fn items(&self) -> usize {
        3 * (self.chart.words() + 1).pow(2)
    }

    fn index(&self, item: Item) -> usize {
        let width = self.chart.words() + 1;
        (item.kind as usize * width + item.from as usize) * width + item.to as usize
    }

    fn goal(&self) -> Item {
        self.goal_item()
    }

    fn is_axiom(&self, item: Item) -> bool {
        item.is_axiom()
    }

    fn best(&self, item: Item) -> f64 {
        let (from, to) = (item.from as usize, item.to as usize);
        match item.kind {
            Kind::Open => self.chart.open(from)[to],
            Kind::Left => self.chart.left_value(from, to),
            Kind::Right => self.chart.right_value(from, to),
        }
    }

    fn best_split(&self, item: Item) -> u32 {
        self.first_best_split(item)
    }

    fn each_split(&self, item: Item, mut visit: impl FnMut(u32, f64)) {
        let own = self.arc_score(item);
        let (a, b, start) = self.alternatives(item);
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            visit((start + i) as u32, x + y + own);
        }
    }

    fn parts(&self, item: Item, split: u32) -> [Item; 2] {
        item.parts(split)
    }

    fn own_score(&self, item: Item, _split: u32) -> f64 {
        self.arc_score(item)
    }
}
