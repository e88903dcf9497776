//! The recurrences, written once: what the splits of an item are, and in which order items come.
//!
//! Best trees, k best trees, sums and counts are the same walk over [`Chart::each_split`]. No
//! back-pointers are stored; see [`eisner`](crate::eisner).

use std::ops::Range;

use crate::heads::RootMode;
use crate::lazy::Forest;
use crate::parts::{ArcId, PartScores};
use crate::semiring::{LogSum, Max, Semiring};

/// The three kinds of items: see the [recurrences](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Context and end.
    Half,
    /// Context and arc.
    Arc,
    /// Arc to the inner sibling, and arc.
    Between,
}

/// An item of the chart: its kind and two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    kind: Kind,
    first: u32,
    second: u32,
}

impl Item {
    fn new(kind: Kind, first: usize, second: usize) -> Self {
        Self { kind, first: first as u32, second: second as u32 }
    }
}

/// Where the values of a chart stand: halves, then arcs, then what is between siblings.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The word of each context. The root's context is 0.
    word: Vec<u32>,
    /// The first of the arc items of each context, and their number.
    arc_start: Vec<usize>,
    cells: usize,
}

impl Layout {
    /// Lays out a chart for these parts.
    pub(super) fn fill(&mut self, parts: &PartScores) {
        self.word.clear();
        self.word.push(0);
        if parts.looks_up() {
            self.word.extend(parts.arcs().map(|(_, child)| child as u32));
        } else {
            self.word.extend(1..=parts.words() as u32);
        }
        self.arc_start.clear();
        let mut next = self.word.len() * (parts.words() + 1);
        for &word in &self.word {
            self.arc_start.push(next);
            next += parts.leaving(word as usize).len();
        }
        self.cells = next + parts.sibling_cells();
    }

    /// The first cell of what is between siblings.
    fn between_start(&self, parts: &PartScores) -> usize {
        self.cells - parts.sibling_cells()
    }
}

/// A chart over parts in a semiring.
#[derive(Debug)]
pub(super) struct Chart<'a, S: Semiring> {
    parts: &'a PartScores,
    mode: RootMode,
    layout: &'a Layout,
    values: &'a mut Vec<S::Value>,
}

/// A split of an arc item: the first child of its side, or after the inner sibling numbered one less.
const FIRST_CHILD: u32 = 0;

impl<'a, S: Semiring> Chart<'a, S> {
    /// The chart whose values are in `values`, or will be after [`inside`](Self::inside).
    pub(super) fn new(
        parts: &'a PartScores,
        mode: RootMode,
        layout: &'a Layout,
        values: &'a mut Vec<S::Value>,
    ) -> Self {
        Self { parts, mode, layout, values }
    }

    /// Computes all values and returns that of the goal.
    pub(super) fn inside(self) -> S::Value {
        self.values.clear();
        self.values.resize(self.layout.cells, S::ZERO);
        for (context, &word) in self.layout.word.iter().enumerate() {
            let axiom = self.index_of(Item::new(Kind::Half, context, word as usize));
            self.values[axiom] = S::ONE;
        }
        each_item(self.parts, self.mode, |item| {
            let value = self.total(item);
            let index = self.index_of(item);
            self.values[index] = value;
        });
        self.value(self.goal_item())
    }

    /// The sum over the splits of an item.
    fn total(&self, item: Item) -> S::Value {
        if item.kind == Kind::Between {
            let (left, right, _) = self.halves(item);
            return S::dot(left, right);
        }
        let mut sum = S::ZERO;
        self.each_value(item, |_, value| sum = S::plus(sum, value));
        sum
    }

    /// Visits the splits of an item with their values.
    fn each_value(&self, item: Item, mut visit: impl FnMut(u32, S::Value)) {
        match item.kind {
            Kind::Half => {
                let (end, width) = (item.second as usize, self.parts.words() + 1);
                let (arcs, start) = self.arc_values(item.first);
                let word = self.layout.word[item.first as usize] as usize;
                for arc in self.parts.towards(word, end) {
                    let below = self.values[self.context(arc) * width + end];
                    visit(arc, S::times(arcs[(arc - start) as usize], below));
                }
            }
            Kind::Arc => {
                let [inside, _] = self.parts_of(item, FIRST_CHILD);
                let own = self.own_value(item, FIRST_CHILD);
                visit(FIRST_CHILD, S::times(self.value(inside), own));
                let (arcs, start) = self.arc_values(item.first);
                let splits = self.inner_splits(item);
                let between = self.layout.between_start(self.parts)
                    + self.parts.sibling_cell(item.second, self.parts.inner(item.second).start);
                for (place, split) in splits.enumerate() {
                    let before = arcs[(split - 1 - start) as usize];
                    let value = S::times(before, self.values[between + place]);
                    visit(split, S::times(value, self.own_value(item, split)));
                }
            }
            Kind::Between => {
                let (left, right, start) = self.halves(item);
                for (place, (&a, &b)) in left.iter().zip(right).enumerate() {
                    visit((start + place) as u32, S::times(a, b));
                }
            }
        }
    }

    /// The values of the arc items of a context, and the first of their arcs.
    fn arc_values(&self, context: u32) -> (&[S::Value], ArcId) {
        let arcs = self.parts.leaving(self.layout.word[context as usize] as usize);
        let cells = &self.values[self.layout.arc_start[context as usize]..];
        (&cells[..arcs.len()], arcs.start)
    }

    /// The splits of an arc item with an inner sibling.
    fn inner_splits(&self, item: Item) -> Range<u32> {
        let inner = self.parts.inner(item.second);
        match self.mode {
            RootMode::One if item.first == 0 => 0..0,
            _ => inner.start + 1..inner.end + 1,
        }
    }

    /// The two halves of an item between siblings, by split, and the first split.
    fn halves(&self, item: Item) -> (&[S::Value], &[S::Value], usize) {
        let [left, right] = self.ordered(item);
        let (start, end) = (self.parts.arc(left).1, self.parts.arc(right).1);
        let row = |arc: ArcId| self.context(arc) * (self.parts.words() + 1);
        let (left, right) = (row(left), row(right));
        (
            &self.values[left + start..left + end],
            &self.values[right + start + 1..=right + end],
            start,
        )
    }

    /// The two arcs of an item between siblings, from left to right.
    fn ordered(&self, item: Item) -> [ArcId; 2] {
        [item.first.min(item.second), item.first.max(item.second)]
    }

    fn parts_of(&self, item: Item, split: u32) -> [Item; 2] {
        let (first, second) = (item.first as usize, item.second as usize);
        let half = |arc: ArcId, end: usize| Item::new(Kind::Half, self.context(arc), end);
        match item.kind {
            Kind::Half => [Item { kind: Kind::Arc, second: split, ..item }, half(split, second)],
            Kind::Arc if split == FIRST_CHILD => {
                let (head, child) = self.parts.arc(item.second);
                let end = if child > head { head + 1 } else { head - 1 };
                [half(item.second, end), Item::new(Kind::Half, first, head)]
            }
            Kind::Arc => [
                Item { second: split - 1, ..item },
                Item::new(Kind::Between, split as usize - 1, second),
            ],
            Kind::Between => {
                let [left, right] = self.ordered(item);
                [half(left, split as usize), half(right, split as usize + 1)]
            }
        }
    }

    /// The value of what an arc item adds to its parts.
    fn own_value(&self, item: Item, split: u32) -> S::Value {
        let inner = split.checked_sub(1);
        let scores = self.parts.scores(item.second, self.grand(item.first), inner);
        let [arc, sibling, grand, both] = scores.map(S::weight);
        S::times(S::times(arc, sibling), S::times(grand, both))
    }

    /// The arc into the word of a context, if scores depend on it.
    fn grand(&self, context: u32) -> Option<ArcId> {
        if self.parts.looks_up() { context.checked_sub(1) } else { None }
    }

    /// The context that the child of an arc has below it.
    fn context(&self, arc: ArcId) -> usize {
        if self.parts.looks_up() { arc as usize + 1 } else { self.parts.arc(arc).1 }
    }

    fn index_of(&self, item: Item) -> usize {
        let (first, second) = (item.first as usize, item.second as usize);
        match item.kind {
            Kind::Half => first * (self.parts.words() + 1) + second,
            Kind::Arc => {
                let word = self.layout.word[first] as usize;
                self.layout.arc_start[first] + second - self.parts.leaving(word).start as usize
            }
            Kind::Between => {
                self.layout.between_start(self.parts)
                    + self.parts.sibling_cell(item.second, item.first)
            }
        }
    }

    fn value(&self, item: Item) -> S::Value {
        self.values[self.index_of(item)]
    }

    fn goal_item(&self) -> Item {
        Item::new(Kind::Half, 0, self.parts.words())
    }

    fn is_leaf(&self, item: Item) -> bool {
        item.kind == Kind::Half && self.layout.word[item.first as usize] == item.second
    }

    /// Head and child of the arc that an item adds, if it adds one.
    pub(super) fn arc(&self, item: Item) -> Option<(usize, usize)> {
        (item.kind == Kind::Arc).then(|| self.parts.arc(item.second))
    }
}

/// Visits the items that a tree can have, but for the leaves; each after its parts.
fn each_item(parts: &PartScores, mode: RootMode, mut visit: impl FnMut(Item)) {
    let words = parts.words();
    for (start, end) in (1..=words).flat_map(|w| (0..=words - w).map(move |s| (s, s + w))) {
        // Nothing hangs on the left of the root.
        let directions = [(start, end), (end, start)].into_iter().filter(|arc| arc.1 > 0);
        for (head, child) in directions.clone() {
            if let Some(arc) = parts.id(head, child) {
                each_context(parts, (head, child), |context| {
                    visit(Item::new(Kind::Arc, context, arc as usize));
                });
            }
        }
        for span in directions {
            each_context(parts, span, |context| {
                visit(Item::new(Kind::Half, context, span.1));
            });
        }
        each_pair(parts, mode, (start, end), &mut visit);
    }
}

/// Visits the items between `start` and `end` as children of one head.
fn each_pair(
    parts: &PartScores,
    mode: RootMode,
    (start, end): (usize, usize),
    mut visit: impl FnMut(Item),
) {
    for &one in parts.entering(start) {
        let head = parts.arc(one).0;
        let excluded = (start..=end).contains(&head) || (head == 0 && mode == RootMode::One);
        if let (false, Some(other)) = (excluded, parts.id(head, end)) {
            let [inner, arc] = if head < start { [one, other] } else { [other, one] };
            visit(Item::new(Kind::Between, inner as usize, arc as usize));
        }
    }
}

/// Visits the contexts of a word whose head is outside the span from the word to `end`.
fn each_context(parts: &PartScores, (word, end): (usize, usize), mut visit: impl FnMut(usize)) {
    if !parts.looks_up() || word == 0 {
        return visit(word);
    }
    let span = word.min(end)..=word.max(end);
    for &arc in parts.entering(word) {
        if !span.contains(&parts.arc(arc).0) {
            visit(arc as usize + 1);
        }
    }
}

impl Chart<'_, LogSum> {
    /// Calls `found` with the probability of each arc in each context.
    pub(super) fn probabilities(
        &self,
        items: &mut Vec<Item>,
        outside: &mut Vec<f64>,
        mut found: impl FnMut(usize, usize, f64),
    ) {
        items.clear();
        each_item(self.parts, self.mode, |item| items.push(item));
        outside.clear();
        outside.resize(self.layout.cells, 0.0);
        outside[self.index_of(self.goal_item())] = 1.0;
        while let Some(item) = items.pop() {
            let probability = outside[self.index_of(item)];
            if probability == 0.0 {
                continue;
            }
            if let Some((head, child)) = self.arc(item) {
                found(head, child, probability);
            }
            let value = self.value(item);
            self.each_value(item, |split, score| {
                let share = probability * (score - value).exp();
                for part in self.parts_of(item, split) {
                    outside[self.index_of(part)] += share;
                }
            });
        }
    }
}

impl Forest for Chart<'_, Max> {
    type Item = Item;

    fn items(&self) -> usize {
        self.layout.cells
    }

    fn index(&self, item: Item) -> usize {
        self.index_of(item)
    }

    fn goal(&self) -> Item {
        self.goal_item()
    }

    fn is_axiom(&self, item: Item) -> bool {
        self.is_leaf(item)
    }

    fn best(&self, item: Item) -> f64 {
        self.value(item)
    }

    fn best_split(&self, item: Item) -> u32 {
        let mut best = (0, f64::NEG_INFINITY);
        self.each_value(item, |split, score| {
            if score > best.1 {
                best = (split, score);
            }
        });
        best.0
    }

    fn each_split(&self, item: Item, visit: impl FnMut(u32, f64)) {
        self.each_value(item, visit);
    }

    fn parts(&self, item: Item, split: u32) -> [Item; 2] {
        self.parts_of(item, split)
    }

    fn own_score(&self, item: Item, split: u32) -> f64 {
        match item.kind {
            Kind::Arc => self.own_value(item, split),
            _ => 0.0,
        }
    }
}
