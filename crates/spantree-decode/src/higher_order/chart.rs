//! The recurrences, written once: what the splits of an item are, and in which order items come.
//!
//! Best trees, k best trees, sums and counts are the same walk over [`Chart::each_split`]. No
//! back-pointers are stored; see [`eisner`](crate::eisner).

use std::ops::Range;

use crate::heads::RootMode;
use crate::lazy::Forest;
use crate::parts::{ArcId, ArcSet, PartScores, Side};
use crate::semiring::{LogSum, Max, Semiring};

/// The kinds of items: see the [recurrences](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Context and slot.
    Half,
    /// Context of arcs, and arc.
    Arc,
    /// Context of arcs, and sibling part; only where scores see three siblings.
    Sibling,
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

    /// An axiom without score, where a split has one part only: nothing hangs on the left of the root.
    const NOTHING: Self = Self { kind: Kind::Half, first: 0, second: 0 };
}

/// Where the values of a chart stand: halves, arcs, arcs with inner siblings, what is between siblings.
///
/// A half-tree of word `w` has one of n + 2 slots: its end, if that is on the left, else one more. So `w` and `w + 1` are the slots
/// of the sides without children.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The word of each context. The root's context is 0.
    word: Vec<u32>,
    /// The first of the arc items of each context of arcs.
    arc_start: Vec<usize>,
    /// The first of its sibling items.
    sibling_start: Vec<usize>,
    /// The first cell of what is between siblings.
    between_start: usize,
    cells: usize,
    /// The arc of each sibling part.
    sibling_arcs: Vec<ArcId>,
}

impl Layout {
    /// Lays out a chart for these parts.
    pub(super) fn fill(&mut self, parts: &PartScores) {
        self.word.clear();
        self.word.push(0);
        if parts.looks_up() || parts.has_outermost() {
            self.word.extend(parts.arcs().map(|(_, child)| child as u32));
        } else {
            self.word.extend(1..=parts.words() as u32);
        }
        self.cells = self.word.len() * (parts.words() + 2);
        self.arc_start.clear();
        self.sibling_start.clear();
        self.sibling_arcs.clear();
        let contexts = if parts.looks_up() { self.word.len() } else { parts.words() + 1 };
        for context in 0..contexts {
            self.arc_start.push(self.cells);
            self.cells += parts.set().leaving(self.word_of_arcs(parts, context)).len();
        }
        if parts.has_tri_siblings() {
            for context in 0..contexts {
                self.sibling_start.push(self.cells);
                let arcs = parts.set().leaving(self.word_of_arcs(parts, context));
                self.cells +=
                    parts.first_sibling_cell(arcs.end) - parts.first_sibling_cell(arcs.start);
            }
            for arc in 0..parts.set().len() as ArcId {
                let siblings = parts.set().inner(arc).len() + 1;
                self.sibling_arcs.extend(std::iter::repeat_n(arc, siblings));
            }
        }
        self.between_start = self.cells;
        self.cells += parts.sibling_cells();
    }

    /// The word of a context of arcs: that of the half-trees where arcs look up, else the word itself.
    fn word_of_arcs(&self, parts: &PartScores, context: usize) -> usize {
        if parts.looks_up() { self.word[context] as usize } else { context }
    }
}

/// A chart over parts in a semiring.
#[derive(Debug)]
pub(super) struct Chart<'a, S: Semiring> {
    parts: &'a PartScores,
    set: &'a ArcSet,
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
        Self { parts, set: parts.set(), mode, layout, values }
    }

    /// Computes all values and returns that of the goal.
    pub(super) fn inside(self) -> S::Value {
        self.values.clear();
        self.values.resize(self.layout.cells, S::ZERO);
        for (context, &word) in self.layout.word.iter().enumerate() {
            let axioms = context * (self.set.words() + 2) + word as usize;
            let arc = context.checked_sub(1).filter(|_| self.parts.has_outermost());
            for side in Side::BOTH {
                self.values[axioms + side as usize] =
                    arc.map_or(S::ONE, |arc| S::weight(self.parts.childless(arc as ArcId, side)));
            }
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
            Kind::Half => self.each_outermost(item, visit),
            Kind::Arc if self.parts.has_tri_siblings() => {
                let first = self.parts.first_sibling_cell(item.second);
                for split in std::iter::once(FIRST_CHILD).chain(self.inner_splits(item)) {
                    let place = split
                        .checked_sub(1)
                        .map_or(0, |inner| self.parts.sibling_cell(item.second, inner) - first);
                    let sibling = Item::new(Kind::Sibling, item.first as usize, first + place);
                    visit(split, self.value(sibling));
                }
            }
            Kind::Arc => {
                visit(FIRST_CHILD, self.first_child(item.second, item.first));
                let (arcs, start) = self.arc_values(item.first);
                let splits = self.inner_splits(item);
                let between = self.layout.between_start
                    + self.parts.sibling_cell(item.second, self.set.inner(item.second).start);
                for (place, split) in splits.enumerate() {
                    let before = arcs[(split - 1 - start) as usize];
                    let value = S::times(before, self.values[between + place]);
                    let own = self.own_value(item.second, item.first, Some(split - 1));
                    visit(split, S::times(value, own));
                }
            }
            Kind::Sibling => match self.siblings(item) {
                (arc, None) => visit(FIRST_CHILD, self.first_child(arc, item.first)),
                (arc, Some(inner)) => {
                    let between = self.layout.between_start + item.second as usize;
                    let own = self.own_value(arc, item.first, Some(inner));
                    let own = S::times(own, self.values[between]);
                    let cell = self.parts.first_sibling_cell(inner);
                    let first = self.index_of(Item { second: cell as u32, ..item });
                    let scores = self.parts.tri_siblings(arc, inner);
                    for ((place, &score), &value) in (0..).zip(scores).zip(&self.values[first..]) {
                        visit(place, S::times(S::times(value, own), S::weight(score)));
                    }
                }
            },
            Kind::Between => {
                let (left, right, start) = self.halves(item);
                for (place, (&a, &b)) in left.iter().zip(right).enumerate() {
                    visit((start + place) as u32, S::times(a, b));
                }
            }
        }
    }

    /// Visits the outermost arcs of a half-tree.
    fn each_outermost(&self, item: Item, mut visit: impl FnMut(u32, S::Value)) {
        let (arcs, start) = self.arc_values(self.context_of_arcs(item.first));
        let (word, end) = self.span(item);
        let slot = item.second as usize;
        let width = self.set.words() + 2;
        let towards = self.set.towards(word, end);
        let value = |arc: ArcId| {
            S::times(arcs[(arc - start) as usize], self.values[self.context(arc) * width + slot])
        };
        match self.above(item.first) {
            Some(above) if self.parts.has_outermost() => {
                let scores = self.parts.outermost(above);
                towards.for_each(|arc| {
                    let score = S::weight(scores[(arc - start) as usize]);
                    visit(arc, S::times(value(arc), score));
                });
            }
            _ => towards.for_each(|arc| visit(arc, value(arc))),
        }
    }

    /// The value of an arc to the first child of its side.
    fn first_child(&self, arc: ArcId, context: u32) -> S::Value {
        let inside = self.value(self.inside_half(arc));
        S::times(inside, self.own_value(arc, context, None))
    }

    /// The half-tree of the child of an arc that reaches to the word next to the head.
    fn inside_half(&self, arc: ArcId) -> Item {
        let (head, child) = self.set.arc(arc);
        // The slot of a half-tree on the right is one more than its end.
        let slot = if child > head { head + 1 } else { head };
        Item::new(Kind::Half, self.context(arc), slot)
    }

    /// The values of the arc items of a context of arcs, and the first of their arcs.
    fn arc_values(&self, context: u32) -> (&[S::Value], ArcId) {
        let arcs = self.set.leaving(self.layout.word_of_arcs(self.parts, context as usize));
        let cells = &self.values[self.layout.arc_start[context as usize]..];
        (&cells[..arcs.len()], arcs.start)
    }

    /// The splits of an arc item with an inner sibling.
    fn inner_splits(&self, item: Item) -> Range<u32> {
        let inner = self.set.inner(item.second);
        match self.mode {
            RootMode::One if item.first == 0 => 0..0,
            _ => inner.start + 1..inner.end + 1,
        }
    }

    /// Arc and inner sibling of a sibling item.
    fn siblings(&self, item: Item) -> (ArcId, Option<ArcId>) {
        let arc = self.layout.sibling_arcs[item.second as usize];
        let place = item.second - self.parts.first_sibling_cell(arc) as u32;
        (arc, place.checked_sub(1).map(|place| self.set.inner(arc).start + place))
    }

    /// The two halves of an item between siblings, by split, and the first split.
    fn halves(&self, item: Item) -> (&[S::Value], &[S::Value], usize) {
        let [left, right] = self.ordered(item);
        let (start, end) = (self.set.arc(left).1, self.set.arc(right).1);
        let row = |arc: ArcId| self.context(arc) * (self.set.words() + 2);
        let (left, right) = (row(left), row(right));
        (
            &self.values[left + start + 1..=left + end],
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
        let half = |arc: ArcId, slot: usize| Item::new(Kind::Half, self.context(arc), slot);
        match item.kind {
            Kind::Half => {
                let context = self.context_of_arcs(item.first) as usize;
                [Item::new(Kind::Arc, context, split as usize), half(split, second)]
            }
            Kind::Arc if self.parts.has_tri_siblings() => {
                let cell = match split.checked_sub(1) {
                    None => self.parts.first_sibling_cell(item.second),
                    Some(inner) => self.parts.sibling_cell(item.second, inner),
                };
                [Item::new(Kind::Sibling, first, cell), Item::NOTHING]
            }
            Kind::Arc if split == FIRST_CHILD => [self.inside_half(item.second), Item::NOTHING],
            Kind::Arc => [
                Item { second: split - 1, ..item },
                Item::new(Kind::Between, split as usize - 1, second),
            ],
            Kind::Sibling => match self.siblings(item) {
                (arc, None) => [self.inside_half(arc), Item::NOTHING],
                (arc, Some(inner)) => [
                    Item { second: self.parts.first_sibling_cell(inner) as u32 + split, ..item },
                    Item::new(Kind::Between, inner as usize, arc as usize),
                ],
            },
            Kind::Between => {
                let [left, right] = self.ordered(item);
                [half(left, split as usize + 1), half(right, split as usize + 1)]
            }
        }
    }

    /// The value of what an arc with an inner sibling adds in a context of arcs.
    fn own_value(&self, arc: ArcId, context: u32, inner: Option<ArcId>) -> S::Value {
        let grand = if self.parts.looks_up() { context.checked_sub(1) } else { None };
        let scores = self.parts.scores(arc, grand, inner);
        let [arc, sibling, grand, both] = scores.map(S::weight);
        S::times(S::times(arc, sibling), S::times(grand, both))
    }

    /// The arc into the word of a context, if anything depends on it.
    fn above(&self, context: u32) -> Option<ArcId> {
        if self.halves_look_up() { context.checked_sub(1) } else { None }
    }

    /// The context that the child of an arc has below it.
    fn context(&self, arc: ArcId) -> usize {
        if self.halves_look_up() { arc as usize + 1 } else { self.set.arc(arc).1 }
    }

    /// The context of the arcs of a half-tree.
    fn context_of_arcs(&self, context: u32) -> u32 {
        if self.parts.looks_up() { context } else { self.layout.word[context as usize] }
    }

    fn halves_look_up(&self) -> bool {
        self.parts.looks_up() || self.parts.has_outermost()
    }

    /// Word and end of a half-tree.
    fn span(&self, item: Item) -> (usize, usize) {
        let (word, slot) = (self.layout.word[item.first as usize] as usize, item.second as usize);
        (word, slot - usize::from(slot > word))
    }

    fn index_of(&self, item: Item) -> usize {
        let (first, second) = (item.first as usize, item.second as usize);
        let arcs = || self.set.leaving(self.layout.word_of_arcs(self.parts, first));
        match item.kind {
            Kind::Half => first * (self.set.words() + 2) + second,
            Kind::Arc => self.layout.arc_start[first] + second - arcs().start as usize,
            Kind::Sibling => {
                self.layout.sibling_start[first] + second
                    - self.parts.first_sibling_cell(arcs().start)
            }
            Kind::Between => {
                self.layout.between_start + self.parts.sibling_cell(item.second, item.first)
            }
        }
    }

    fn value(&self, item: Item) -> S::Value {
        self.values[self.index_of(item)]
    }

    fn goal_item(&self) -> Item {
        Item::new(Kind::Half, 0, self.set.words() + 1)
    }

    fn is_leaf(&self, item: Item) -> bool {
        let is_half = item.kind == Kind::Half;
        is_half && [0, 1].contains(&item.second.wrapping_sub(self.layout.word[item.first as usize]))
    }

    /// Head and child of the arc that an item adds, if it adds one.
    pub(super) fn arc(&self, item: Item) -> Option<(usize, usize)> {
        match item.kind {
            Kind::Arc if !self.parts.has_tri_siblings() => Some(self.set.arc(item.second)),
            Kind::Sibling => Some(self.set.arc(self.layout.sibling_arcs[item.second as usize])),
            _ => None,
        }
    }
}

/// Visits the items that a tree can have, but for the leaves; each after its parts.
fn each_item(parts: &PartScores, mode: RootMode, mut visit: impl FnMut(Item)) {
    let set = parts.set();
    let words = set.words();
    for (start, end) in (1..=words).flat_map(|w| (0..=words - w).map(move |s| (s, s + w))) {
        // Nothing hangs on the left of the root.
        let directions = [(start, end), (end, start)].into_iter().filter(|arc| arc.1 > 0);
        for (head, child) in directions.clone() {
            if let Some(arc) = set.id(head, child) {
                each_context(set, (head, child), parts.looks_up(), |context| {
                    if parts.has_tri_siblings() {
                        each_sibling(parts, mode, (context, arc), &mut visit);
                    }
                    visit(Item::new(Kind::Arc, context, arc as usize));
                });
            }
        }
        for (word, end) in directions {
            let slot = end + usize::from(end > word);
            each_context(set, (word, end), parts.looks_up() || parts.has_outermost(), |context| {
                visit(Item::new(Kind::Half, context, slot));
            });
        }
        each_pair(set, mode, (start, end), &mut visit);
    }
}

/// Visits the sibling items of an arc in a context of arcs.
fn each_sibling(
    parts: &PartScores,
    mode: RootMode,
    (context, arc): (usize, ArcId),
    mut visit: impl FnMut(Item),
) {
    let first = parts.first_sibling_cell(arc);
    let siblings = match mode {
        RootMode::One if context == 0 => 0,
        _ => parts.set().inner(arc).len(),
    };
    for cell in first..=first + siblings {
        visit(Item::new(Kind::Sibling, context, cell));
    }
}

/// Visits the items between `start` and `end` as children of one head.
fn each_pair(
    set: &ArcSet,
    mode: RootMode,
    (start, end): (usize, usize),
    mut visit: impl FnMut(Item),
) {
    for &one in set.entering(start) {
        let head = set.arc(one).0;
        let excluded = (start..=end).contains(&head) || (head == 0 && mode == RootMode::One);
        if let (false, Some(other)) = (excluded, set.id(head, end)) {
            let [inner, arc] = if head < start { [one, other] } else { [other, one] };
            visit(Item::new(Kind::Between, inner as usize, arc as usize));
        }
    }
}

/// Visits the contexts of a word whose head is outside the span from the word to `end`.
fn each_context(
    set: &ArcSet,
    (word, end): (usize, usize),
    looks_up: bool,
    mut visit: impl FnMut(usize),
) {
    if !looks_up || word == 0 {
        return visit(word);
    }
    let span = word.min(end)..=word.max(end);
    for &arc in set.entering(word) {
        if !span.contains(&set.arc(arc).0) {
            visit(arc as usize + 1);
        }
    }
}

/// Probabilities below this are not passed on: most items have next to none, and all of them together weigh less than rounding to
/// nine digits.
const NEGLIGIBLE: f64 = 1e-13;

impl Chart<'_, LogSum> {
    /// Calls `found` with each item, each of its splits and the probability of both.
    pub(super) fn probabilities(
        &self,
        items: &mut Vec<Item>,
        outside: &mut Vec<f64>,
        mut found: impl FnMut(Item, u32, f64),
    ) {
        items.clear();
        each_item(self.parts, self.mode, |item| items.push(item));
        outside.clear();
        outside.resize(self.layout.cells, 0.0);
        outside[self.index_of(self.goal_item())] = 1.0;
        while let Some(item) = items.pop() {
            let probability = outside[self.index_of(item)];
            if probability < NEGLIGIBLE {
                continue;
            }
            let value = self.value(item);
            self.each_value(item, |split, score| {
                let share = probability * (score - value).exp();
                if share < NEGLIGIBLE {
                    return;
                }
                found(item, split, share);
                for part in self.parts_of(item, split) {
                    outside[self.index_of(part)] += share;
                }
            });
        }
    }

    /// Adds the probability of an item and one of its splits to the parts that both make.
    pub(super) fn add_share(&self, item: Item, split: u32, share: f64, table: &mut PartScores) {
        let share = share as f32;
        let grand = if self.parts.looks_up() { item.first.checked_sub(1) } else { None };
        match item.kind {
            Kind::Arc if !self.parts.has_tri_siblings() => {
                table.add_parts(item.second, (grand, split.checked_sub(1)), share);
            }
            Kind::Sibling => {
                let (arc, inner) = self.siblings(item);
                table.add_parts(arc, (grand, inner), share);
                if let Some(inner) = inner {
                    table.add_tri_sibling(arc, inner, split as usize, share);
                }
            }
            Kind::Half if self.parts.has_outermost() => {
                if let Some(above) = self.above(item.first) {
                    table.add_outermost(above, Ok(split), share);
                }
            }
            _ => {}
        }
    }

    /// Adds the probabilities of words without children on a side, after [`probabilities`](Self::probabilities).
    pub(super) fn add_childless(&self, outside: &[f64], table: &mut PartScores) {
        let arcs = if self.parts.has_outermost() { self.set.len() } else { 0 };
        for (arc, (_, word)) in self.set.iter().enumerate().take(arcs) {
            let axioms = (arc + 1) * (self.set.words() + 2) + word;
            for side in Side::BOTH {
                let share = outside[axioms + side as usize] as f32;
                table.add_outermost(arc as ArcId, Err(side), share);
            }
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
            Kind::Half if self.parts.has_outermost() => {
                let start = self.set.leaving(self.span(item).0).start;
                let score = |above| self.parts.outermost(above)[(split - start) as usize];
                self.above(item.first).map_or(0.0, |above| f64::from(score(above)))
            }
            Kind::Arc if !self.parts.has_tri_siblings() => {
                self.own_value(item.second, item.first, split.checked_sub(1))
            }
            Kind::Sibling => {
                let (arc, inner) = self.siblings(item);
                let third = |inner| self.parts.tri_siblings(arc, inner)[split as usize];
                let third = inner.map_or(0.0, |inner| f64::from(third(inner)));
                self.own_value(arc, item.first, inner) + third
            }
            _ => 0.0,
        }
    }
}
