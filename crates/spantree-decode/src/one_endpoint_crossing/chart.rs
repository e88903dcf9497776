//! The recurrences (Pitler, Kannan and Marcus 2013, with edges instead of booleans for who has a head).
//!
//! Items are sets of pieces ([`signature`](super::signature)); `+` joins two of them and `|` is a choice. A
//! *span* `[i, j]` has edges between its words only. A *region* `[i, j; x]` also has edges from its inside to
//! one word `x` on either side; they are crossed, inside the region, by *nobody*, by edges of the *first* word
//! i, by edges of the *last* word j, or each by edges of one of these (*both*).
//!
//! ```text
//! span[i, j]      = open[i, j] + arc(i, j)?
//! open[i, j]      = nothing[i, i+1] + span[i+1, j]                 i has no edge here
//!                 | span[i, k] + span[k, j]                        k the last neighbour of i
//!                 | cover[i, l] + span[l, j] | cover[i, j]
//!                 | right[i, b, c] + first[c, j; b] | left[i, b, c] + nobody[c, j; b]
//! cover[i, l]     = both[i, k; l] + span[k, l]
//! right[i, b, c]  = last[i, b; c] + span[b, c]
//! left[i, b, c]   = span[i, b] + first[b, c; i]
//! region[i, j; x] = start[i, j; x] + arc(x, i)? + arc(x, j)?       for nobody, first and last
//! nobody start    = span[i, j] beside x | nobody[i, k; x] + span[k, j]
//! first start     = span[i, j] beside x | first[i, k; x] + nobody[k, j; i]
//!                 | (arc(x, k) + span[i, k]) + first[k, j; i]
//! last start      = span[i, j] beside x | last[k, j; x] + nobody[i, k; j]
//!                 | (arc(x, k) + span[k, j]) + last[i, k; j]
//! both[i, j; x]   = meet[i, j; x] + arc(i, j)?
//! meet[i, j; x]   = first[i, j; x] | last[i, j; x] | first[i, k; x] + last[k, j; x]
//! goal            = span[0, n] in which n hangs below 0
//! ```
//!
//! Where `k` splits a region but `meet`, it is a neighbour of `x`; in `open` and `cover` it is one of `i`, as is `b`
//! or `c` in `right` and `c` in `left`. So few arcs make a fast chart.
//!
//! Everything is a join of two items, listed once in [`Chart::each_way`] for the values and for the
//! way back; there are no back-pointers. Items with two points and those with three of the kinds in
//! [`STORED`] are kept, the others computed when asked for.

use std::sync::LazyLock;

use super::signature::{Join, Joins, NOTHING, Values};
use crate::heads::{Heads, RootMode};
use crate::scores::ArcScores;

/// By whom the edges of a region to the word beside it are crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Nobody,
    First,
    Last,
}

/// An item of the chart, or one of the smallest pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// A word alone.
    Word,
    /// Two words without an edge.
    Apart,
    /// An edge between two words, in either direction.
    Arc(usize, usize),
    /// The same, or none.
    MaybeArc(usize, usize),
    Span(usize, usize),
    Open(usize, usize),
    Cover(usize, usize),
    /// Three words from left to right.
    Right(usize, usize, usize),
    Left(usize, usize, usize),
    /// First and last word, and the word beside them.
    Region(By, usize, usize, usize),
    /// The same without an edge from the last word to the one beside.
    Half(By, usize, usize, usize),
    Start(By, usize, usize, usize),
    Both(usize, usize, usize),
    Meet(usize, usize, usize),
    /// An edge from the last argument to the second and a span; the split is right of the span.
    HookLeft(usize, usize, usize),
    /// An edge from the last argument to the first and a span.
    HookRight(usize, usize, usize),
}

use Item::{
    Apart, Arc, Both, Cover, Half, HookLeft, HookRight, Left, MaybeArc, Meet, Open, Region, Right,
    Span, Start, Word,
};

/// Number of kinds of items that are kept for every three words.
const STORED: usize = 7;

/// Memory of a chart.
#[derive(Clone, Debug, Default)]
pub(super) struct ChartScratch {
    spans: Vec<Values>,
    covers: Vec<Values>,
    triples: Vec<Values>,
    /// The words that an edge may join to each word, ascending: those of word `w` are
    /// `neighbours[starts[w]..starts[w + 1]]`.
    neighbours: Vec<usize>,
    starts: Vec<usize>,
    open: Vec<(Item, usize, f64)>,
}

/// The joins without the artificial root as a point, with it as the first word, and beside.
static JOINS: LazyLock<[Joins; 3]> = LazyLock::new(|| [None, Some('i'), Some('x')].map(Joins::new));

/// A chart over one table of scores.
#[derive(Debug)]
pub(super) struct Chart<'a> {
    scores: &'a ArcScores,
    mode: RootMode,
    joins: &'static [Joins; 3],
    scratch: &'a mut ChartScratch,
}

impl<'a> Chart<'a> {
    pub(super) fn new(
        scores: &'a ArcScores,
        mode: RootMode,
        scratch: &'a mut ChartScratch,
    ) -> Self {
        let mut chart = Self { scores, mode, joins: &JOINS, scratch };
        chart.list_neighbours();
        chart
    }

    fn list_neighbours(&mut self) {
        let ChartScratch { neighbours, starts, .. } = &mut *self.scratch;
        neighbours.clear();
        starts.clear();
        let words = self.scores.words();
        for word in 0..=words {
            starts.push(neighbours.len());
            let is_near = |&other: &usize| {
                self.scores.is_allowed(word, other) || self.scores.is_allowed(other, word)
            };
            neighbours.extend((0..=words).filter(is_near));
        }
        starts.push(neighbours.len());
    }

    /// Writes the best tree; an empty one if there is none.
    pub(super) fn best(mut self, tree: &mut Heads) {
        tree.reset(0);
        let words = self.scores.words();
        if words == 0 {
            return;
        }
        self.fill();
        /// The last point hangs below the first: the first signature of two points.
        const BELOW: usize = 0;
        let score = self.values(Span(0, words))[BELOW];
        if score == f64::NEG_INFINITY {
            return;
        }
        tree.reset(words);
        let mut open = std::mem::take(&mut self.scratch.open);
        open.push((Span(0, words), BELOW, score));
        while let Some((item, signature, value)) = open.pop() {
            match item {
                Word | Apart => {}
                Arc(a, b) | MaybeArc(a, b) => {
                    if let Some((head, child)) = self.direction(a, b, signature) {
                        tree.attach(head, child);
                    }
                }
                _ => open.extend(self.explain(item, (signature, value))),
            }
        }
        self.scratch.open = open;
    }

    /// Head and child of an edge with this signature; `None` for no edge.
    fn direction(&self, a: usize, b: usize, signature: usize) -> Option<(usize, usize)> {
        match signature {
            0 if !self.is_top(b) => Some((a, b)),
            2 => Some((b, a)),
            _ => None,
        }
    }

    /// The parts of the first way that reaches the value of an item.
    fn explain(&self, item: Item, goal: (usize, f64)) -> [(Item, usize, f64); 2] {
        let mut found = None;
        self.each_way(item, |join, first, second| {
            if found.is_none() {
                let values = [self.values(first), self.values(second)];
                let signatures = join.explain(&values[0], &values[1], goal);
                found =
                    signatures.map(|(a, b)| [(first, a, values[0][a]), (second, b, values[1][b])]);
            }
        });
        // The value was the largest of the same sums.
        found.unwrap_or([(Word, 0, 0.0); 2])
    }

    /// Computes all stored items, each after those that it is made of.
    fn fill(&mut self) {
        let words = self.scores.words();
        let triples = (words + 1) * words * words.saturating_sub(1) / 6;
        for (table, len) in [
            (&mut self.scratch.spans, (words + 1) * (words + 1)),
            (&mut self.scratch.covers, (words + 1) * (words + 1)),
            (&mut self.scratch.triples, triples * STORED),
        ] {
            table.clear();
            table.resize(len, NOTHING);
        }
        for i in (0..=words).rev() {
            for (a, b) in (i + 1..=words).flat_map(|a| (a + 1..=words).map(move |b| (a, b))) {
                [By::Nobody, By::First].into_iter().for_each(|by| self.store(Region(by, a, b, i)));
            }
            for j in i + 1..=words {
                self.store(Cover(i, j));
                self.store(Span(i, j));
                for x in j + 1..=words {
                    let all = [By::Nobody, By::First, By::Last];
                    all.into_iter().for_each(|by| self.store(Region(by, i, j, x)));
                    if self.are_near(i, x) {
                        self.store(Left(i, j, x));
                    }
                    if self.are_near(i, x) || self.are_near(i, j) {
                        self.store(Right(i, j, x));
                    }
                }
            }
        }
    }

    fn store(&mut self, item: Item) {
        let values = self.compute(item);
        if let Some(cell) = self.cell(item) {
            let table = match item {
                Span(..) => &mut self.scratch.spans,
                Cover(..) => &mut self.scratch.covers,
                _ => &mut self.scratch.triples,
            };
            table[cell] = values;
        }
    }

    /// Where an item is stored; `None` if it is not.
    fn cell(&self, item: Item) -> Option<usize> {
        let triple = |kind: usize, a: usize, b: usize, c: usize| {
            (c * (c - 1) * c.saturating_sub(2) / 6 + b * (b - 1) / 2 + a) * STORED + kind
        };
        Some(match item {
            Span(i, j) | Cover(i, j) => i * (self.scores.words() + 1) + j,
            Region(by, i, j, x) if x > j => triple(by as usize, i, j, x),
            Region(by @ (By::Nobody | By::First), i, j, x) => triple(3 + by as usize, x, i, j),
            Left(a, b, c) => triple(5, a, b, c),
            Right(a, b, c) => triple(6, a, b, c),
            _ => return None,
        })
    }

    fn values(&self, item: Item) -> Values {
        match item {
            Word => {
                let mut values = NOTHING;
                values[0] = 0.0;
                values
            }
            Apart => self.edge(None, 0.0),
            Arc(a, b) => self.edge(Some((a, b)), f64::NEG_INFINITY),
            MaybeArc(a, b) => self.edge(Some((a, b)), 0.0),
            Span(..) => self.scratch.spans[self.cell(item).unwrap_or(0)],
            Cover(..) => self.scratch.covers[self.cell(item).unwrap_or(0)],
            _ => match self.cell(item) {
                Some(cell) => self.scratch.triples[cell],
                None => self.compute(item),
            },
        }
    }

    /// The values of an edge, by [signature](Self::direction), with `none` for no edge.
    fn edge(&self, ends: Option<(usize, usize)>, none: f64) -> Values {
        let mut values = NOTHING;
        values[1] = none;
        if let Some((a, b)) = ends {
            let score = |head, child| f64::from(self.scores.score(head, child));
            values[2] = score(b, a);
            if self.is_top(b) {
                // See `Signature::all`: there is no edge to the root, but one signature more without.
                values[..2].copy_from_slice(&[none, f64::NEG_INFINITY]);
            } else {
                values[0] = score(a, b);
            }
        }
        values
    }

    fn compute(&self, item: Item) -> Values {
        let mut values = NOTHING;
        self.each_way(item, |join, first, second| {
            join.apply(&self.values(first), &self.values(second), &mut values);
        });
        values
    }

    /// Whether this is the artificial root and must have one child.
    fn is_top(&self, word: usize) -> bool {
        self.mode == RootMode::One && word == 0
    }

    fn are_near(&self, a: usize, b: usize) -> bool {
        self.scores.is_allowed(a, b) || self.scores.is_allowed(b, a)
    }

    /// The neighbours of a word strictly between two others.
    fn between(&self, word: usize, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let ChartScratch { neighbours, starts, .. } = &*self.scratch;
        let all = &neighbours[starts[word]..starts[word + 1]];
        let first = all.partition_point(|&other| other <= from);
        all[first..].iter().copied().take_while(move |&other| other < to)
    }

    /// The joins for an item with this first word and this word beside.
    fn joins(&self, first: usize, beside: usize) -> &'static Joins {
        &self.joins[if self.is_top(first) {
            1
        } else if self.is_top(beside) {
            2
        } else {
            0
        }]
    }

    /// Visits all pairs of items that an item can be made of.
    fn each_way(&self, item: Item, mut visit: impl FnMut(&'static Join, Item, Item)) {
        match item {
            Word | Apart | Arc(..) | MaybeArc(..) => {}
            Span(i, j) => visit(&self.joins(i, j).own_arc, Open(i, j), MaybeArc(i, j)),
            Open(i, j) => self.each_open(i, j, visit),
            Cover(i, l) => {
                for k in self.between(i, i + 1, l) {
                    visit(&self.joins(i, l).cover, Both(i, k, l), Span(k, l));
                }
            }
            Right(i, b, c) => {
                visit(&self.joins(i, c).cross_right, Region(By::Last, i, b, c), Span(b, c));
            }
            Left(i, b, c) => {
                visit(&self.joins(i, c).cross_left, Span(i, b), Region(By::First, b, c, i));
            }
            Region(by, i, j, x) => {
                visit(&self.joins(i, x).arc_to_last, Half(by, i, j, x), MaybeArc(x, j));
            }
            Half(by, i, j, x) => {
                visit(&self.joins(i, x).arc_to_first, Start(by, i, j, x), MaybeArc(x, i));
            }
            Start(by, i, j, x) => self.each_start(by, (i, j, x), visit),
            Both(i, j, x) => {
                visit(&self.joins(i, x).arc_within, Meet(i, j, x), MaybeArc(i, j));
            }
            Meet(i, j, x) => {
                let joins = self.joins(i, x);
                for by in [By::First, By::Last] {
                    visit(&joins.same_region, Region(by, i, j, x), Word);
                }
                for k in i + 1..j {
                    visit(&joins.meet, Region(By::First, i, k, x), Region(By::Last, k, j, x));
                }
            }
            HookLeft(i, k, x) => visit(&self.joins(i, x).hook_left, Arc(x, k), Span(i, k)),
            HookRight(k, j, x) => visit(&self.joins(k, x).hook_right, Arc(x, k), Span(k, j)),
        }
    }

    fn each_open(&self, i: usize, j: usize, mut visit: impl FnMut(&'static Join, Item, Item)) {
        let joins = self.joins(i, j);
        if j == i + 1 {
            visit(&joins.same_span, Apart, Word);
            return;
        }
        visit(&joins.concat, Apart, Span(i + 1, j));
        for k in self.between(i, i, j) {
            visit(&joins.concat, Span(i, k), Span(k, j));
        }
        visit(&joins.same_span, Cover(i, j), Word);
        for l in i + 2..j {
            visit(&joins.concat, Cover(i, l), Span(l, j));
        }
        for c in i + 2..j {
            let is_near = self.are_near(i, c);
            for b in (i + 1..c).filter(|&b| is_near || self.are_near(i, b)) {
                visit(&joins.over_cross, Right(i, b, c), Region(By::First, c, j, b));
                if is_near {
                    visit(&joins.over_cross, Left(i, b, c), Region(By::Nobody, c, j, b));
                }
            }
        }
    }

    fn each_start(
        &self,
        by: By,
        (i, j, x): (usize, usize, usize),
        mut visit: impl FnMut(&'static Join, Item, Item),
    ) {
        let joins = self.joins(i, x);
        visit(&joins.beside, Span(i, j), Word);
        for k in self.between(x, i, j) {
            match by {
                By::Nobody => visit(&joins.region_span, Region(by, i, k, x), Span(k, j)),
                By::First => {
                    let rest = &joins.regions_left;
                    visit(rest, Region(by, i, k, x), Region(By::Nobody, k, j, i));
                    visit(rest, HookLeft(i, k, x), Region(by, k, j, i));
                }
                By::Last => {
                    let rest = &joins.regions_right;
                    visit(rest, Region(by, k, j, x), Region(By::Nobody, i, k, j));
                    visit(rest, HookRight(k, j, x), Region(by, i, k, j));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute_force::TreeSpace;

    /// The best tree of the chart alone, without the shortcuts.
    fn best(scores: &ArcScores, mode: RootMode, scratch: &mut ChartScratch) -> Heads {
        let mut tree = Heads::default();
        Chart::new(scores, mode, scratch).best(&mut tree);
        tree
    }

    /// For every tree, the chart over its arcs alone finds it if it belongs to the space, and else nothing.
    fn accepted(words: usize, mode: RootMode) -> usize {
        let mut scratch = ChartScratch::default();
        let all = TreeSpace { mode: RootMode::Many, projective: false };
        let is_found = |tree: &Heads| {
            let mut scores = ArcScores::new(words);
            tree.arcs().for_each(|(head, child)| scores.set(head, child, 1.0));
            let found = best(&scores, mode, &mut scratch);
            let belongs = tree.is_one_endpoint_crossing() && tree.is_legal(mode);
            assert_eq!(found, if belongs { tree.clone() } else { Heads::default() });
            belongs
        };
        all.trees(words).filter(is_found).count()
    }

    #[test]
    fn exactly_the_trees_of_the_space() {
        for (words, trees) in (1..).zip([1, 3, 16, 125, 1104, 10024]) {
            assert_eq!(accepted(words, RootMode::Many), trees);
        }
        for (words, trees) in (1..).zip([1, 2, 9, 64, 545, 4876]) {
            assert_eq!(accepted(words, RootMode::One), trees);
        }
    }

    #[test]
    #[ignore = "takes a while; run by .ci/run"]
    fn exactly_the_trees_of_seven_words() {
        assert_eq!(accepted(7, RootMode::Many), 92344);
    }

    #[test]
    fn the_best_of_all_trees_of_the_space() {
        let (mut scratch, mut seed) = (ChartScratch::default(), 1u32);
        for (words, mode) in (3..=6).flat_map(|n| [(n, RootMode::One), (n, RootMode::Many)]) {
            let space = TreeSpace { mode, projective: false }.trees(words);
            let trees: Vec<Heads> = space.filter(Heads::is_one_endpoint_crossing).collect();
            for _ in 0..100 {
                let scores = ArcScores::from_fn(words, |_, _| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 16) as f32
                });
                let tree = best(&scores, mode, &mut scratch);
                assert!(trees.contains(&tree), "{tree:?}");
                let most = trees.iter().map(|tree| scores.tree_score(tree)).fold(0.0, f64::max);
                assert_eq!(scores.tree_score(&tree), most);
            }
        }
    }
}
