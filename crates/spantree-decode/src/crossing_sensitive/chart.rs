//! Arcs that are not crossed, with blocks in the place of those that are: the recurrences.
//!
//! The chart is that of [`higher_order`](crate::higher_order) with [blocks](super::block) as further bricks. A *context* is what the
//! arcs of a word are scored with: the arc into the word, if that is not crossed, or none, which is the *plain* context
//! of the word. For a context `c` of word `h`, an arc `a = h → m` to its right (all is mirrored on the left) and `b = h → s` with
//! `s` between `h` and `m`:
//!
//! ```text
//! half(c, e)    = arc(c, a) + half(a, e) | chain(h, e)           all from h to e hangs below h; half(c, h) = 0
//! chain(h, e)   = block[h, k] with k below h + half(plain k, e)
//! arc(c, a)     = half(a, h + 1) + score(c, a, none)             m is the first child on its side
//!               | arc(c, b) + between(b, a) + score(c, a, b)
//!               | crossed(a) + score(c, a, crossed)              the inner sibling's arc is crossed
//! crossed(a)    = start(h, q) + half(a, q)
//! start(h, q)   = block[h, q] with two roots | block[h, k] with k below h + reach(plain k, q)
//! reach(c, q)   = half(c, q - 1) | half(c, p) + block[p, q] with two roots
//! between(b, a) = reach(b, q) + half(a, q)
//! gap[i, j]     = half(plain i, j) | half(plain j, i) | reach(plain i, q) + half(plain j, q)
//! goal          = half(root, n)
//! ```
//!
//! The word at the far end of a `half` has no child on that side, so that a block can begin there; `reach` adds it, or the
//! empty space before the next word. A word of a block is in its plain context except where its own arc is, which is what the
//! [definition](super) demands: it is headed by a crossed arc, or has a crossed child further out.

use super::block::{Blocks, Piece};
use crate::heads::{Heads, RootMode};
use crate::parts::{ArcId, ArcSet, PartScores};

/// An item: contexts by number, words, arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Nothing,
    Half(usize, usize),
    Chain(usize, usize),
    Arc(usize, ArcId),
    Crossed(ArcId),
    Start(usize, usize),
    Reach(usize, usize),
    /// Arc to the inner sibling, and arc.
    Between(ArcId, ArcId),
    /// The two contexts of a gap with two roots.
    Apart(usize, usize),
    /// Two words and the signature.
    Block(usize, usize, usize),
}

use Item::{Apart, Arc, Between, Block, Chain, Crossed, Half, Nothing, Reach, Start};

/// What is known of the sibling inside of an arc.
#[derive(Clone, Copy, Debug)]
enum Inner {
    Of(Option<ArcId>),
    Crossed,
}

/// Signatures of two points: the second is below the first, both are roots, the first is below the second.
const BELOW: usize = 0;
const APART: usize = 1;
const ABOVE: usize = 2;

/// Memory of a chart.
#[derive(Clone, Debug, Default)]
pub(super) struct ChartScratch {
    blocks: Blocks,
    /// The word of each context: the root's, those of arcs, those without.
    word: Vec<usize>,
    /// By context and end; see [`Chart::slot`].
    half: Vec<f64>,
    reach: Vec<f64>,
    /// By context: the first cell of its arcs.
    arc_start: Vec<usize>,
    arc: Vec<f64>,
    /// By arc.
    crossed: Vec<f64>,
    /// By sibling part.
    between: Vec<f64>,
    /// By two words.
    chain: Vec<f64>,
    start: Vec<f64>,
    open: Vec<Item>,
    pieces: Vec<(Piece, usize, f64)>,
}

/// A chart over parts.
#[derive(Debug)]
pub(super) struct Chart<'a> {
    parts: &'a PartScores,
    set: &'a ArcSet,
    mode: RootMode,
    scratch: &'a mut ChartScratch,
}

impl<'a> Chart<'a> {
    pub(super) fn new(
        parts: &'a PartScores,
        mode: RootMode,
        scratch: &'a mut ChartScratch,
    ) -> Self {
        let mut chart = Self { parts, set: parts.set(), mode, scratch };
        chart.lay_out();
        chart
    }

    fn lay_out(&mut self) {
        let (words, parts) = (self.set.words(), self.parts);
        let crossed = (0..)
            .zip(parts.arcs())
            .map(|(arc, (head, child))| (head, child, parts.crossed_score(arc)));
        let scratch = &mut *self.scratch;
        scratch.blocks.reset(words, self.mode, crossed);
        scratch.word.clear();
        scratch.word.push(0);
        scratch.word.extend(parts.arcs().map(|(_, child)| child));
        scratch.word.extend(0..=words);
        let mut arcs = 0;
        scratch.arc_start.clear();
        for &word in &scratch.word {
            scratch.arc_start.push(arcs);
            arcs += self.set.leaving(word).len();
        }
        let ends = scratch.word.len() * (words + 2);
        let pairs = (words + 1) * (words + 1);
        for (table, len) in [
            (&mut scratch.half, ends),
            (&mut scratch.reach, ends),
            (&mut scratch.arc, arcs),
            (&mut scratch.crossed, self.set.len()),
            (&mut scratch.between, parts.sibling_cells()),
            (&mut scratch.chain, pairs),
            (&mut scratch.start, pairs),
        ] {
            table.clear();
            table.resize(len, f64::NEG_INFINITY);
        }
        for (context, &word) in scratch.word.iter().enumerate() {
            scratch.half[context * (words + 2) + word..][..2].fill(0.0);
        }
    }

    /// Writes the best tree and returns its score; `None` if there is none.
    pub(super) fn best(mut self, tree: &mut Heads) -> Option<f64> {
        let words = self.set.words();
        for (from, to) in (1..=words).flat_map(|w| (0..=words - w).map(move |s| (s, s + w))) {
            self.fill(from, to);
        }
        let score = self.value(Half(0, words));
        if score == f64::NEG_INFINITY {
            tree.reset(0);
            return None;
        }
        tree.reset(words);
        let mut open = std::mem::take(&mut self.scratch.open);
        open.push(Half(0, words));
        while let Some(item) = open.pop() {
            match item {
                Nothing => {}
                Block(i, j, signature) => self.read_block((i, j, signature), &mut open, tree),
                _ => {
                    if let Arc(_, arc) = item {
                        let (head, child) = self.set.arc(arc);
                        tree.attach(head, child);
                    }
                    open.extend(self.best_way(item));
                }
            }
        }
        self.scratch.open = open;
        Some(score)
    }

    /// Writes the arcs of the best block, and opens its gaps.
    fn read_block(
        &mut self,
        (i, j, signature): (usize, usize, usize),
        open: &mut Vec<Item>,
        tree: &mut Heads,
    ) {
        let mut pieces = std::mem::take(&mut self.scratch.pieces);
        let blocks = &self.scratch.blocks;
        pieces.push((Piece::Block(i, j), signature, blocks.block(i, j)[signature]));
        while let Some((piece, signature, value)) = pieces.pop() {
            match piece {
                Piece::Word => {}
                Piece::Arc(a, b) | Piece::MaybeArc(a, b) => {
                    if let Some((head, child)) = blocks.direction(a, b, signature) {
                        tree.attach(head, child);
                    }
                }
                Piece::Gap(i, j) => open.push(self.gap_item(i, j, signature)),
                _ => pieces.extend(blocks.explain(piece, (signature, value)).into_iter().flatten()),
            }
        }
        self.scratch.pieces = pieces;
    }

    fn gap_item(&self, i: usize, j: usize, signature: usize) -> Item {
        let (first, last) = (self.plain(i), self.plain(j));
        match signature {
            BELOW => Half(first, j),
            APART => Apart(first, last),
            _ => Half(last, i),
        }
    }

    /// Computes all items from word `from` to word `to`, after those within.
    fn fill(&mut self, from: usize, to: usize) {
        self.scratch.blocks.fill(from, to);
        // Nothing hangs on the left of the root.
        let directions = [(from, to), (to, from)].into_iter().filter(|arc| arc.1 > 0);
        for (word, end) in directions.clone() {
            let cell = self.pair(word, end);
            self.scratch.chain[cell] = self.best_value(Chain(word, end));
            self.scratch.start[cell] = self.best_value(Start(word, end));
        }
        for (word, end) in directions.clone() {
            self.fill_arc(word, end);
        }
        for (word, end) in directions {
            self.each_context(word, end, |chart, context| {
                let cell = chart.end(context, end);
                chart.scratch.half[cell] = chart.best_value(Half(context, end));
                chart.scratch.reach[cell] = chart.best_value(Reach(context, end));
            });
        }
        self.fill_between(from, to);
        let gap = [BELOW, APART, ABOVE].map(|signature| {
            let item = self.gap_item(from, to, signature);
            if signature == APART { self.best_value(item) } else { self.value(item) }
        });
        self.scratch.blocks.set_gap(from, to, gap);
    }

    fn fill_arc(&mut self, head: usize, child: usize) {
        let Some(arc) = self.set.id(head, child) else { return };
        self.scratch.crossed[arc as usize] = self.best_value(Crossed(arc));
        self.each_context(head, child, |chart, context| {
            let cell = chart.arc_cell(context, arc);
            chart.scratch.arc[cell] = chart.best_value(Arc(context, arc));
        });
    }

    /// Computes what is between two words as children of one head.
    fn fill_between(&mut self, from: usize, to: usize) {
        for &one in self.set.entering(from) {
            let head = self.set.arc(one).0;
            if let (false, Some(other)) = ((from..=to).contains(&head), self.set.id(head, to)) {
                let [inner, arc] = if head < from { [one, other] } else { [other, one] };
                let cell = self.parts.sibling_cell(arc, inner);
                self.scratch.between[cell] = self.best_value(Between(inner, arc));
            }
        }
    }

    /// Visits the contexts of a word that it can have with what hangs from it up to `end`. The root has one child, or is in a
    /// block and has none beside.
    fn each_context(&mut self, word: usize, end: usize, mut visit: impl FnMut(&mut Self, usize)) {
        let span = word.min(end)..=word.max(end);
        for &arc in self.set.entering(word) {
            if !span.contains(&self.set.arc(arc).0) {
                visit(self, arc as usize + 1);
            }
        }
        if word == 0 {
            visit(self, 0);
        }
        visit(self, self.plain(word));
    }

    fn best_value(&self, item: Item) -> f64 {
        let mut best = f64::NEG_INFINITY;
        self.each_way(item, |value, _| best = best.max(value));
        best
    }

    /// The parts of the first of the best ways to an item.
    fn best_way(&self, item: Item) -> [Item; 2] {
        let mut best = (f64::NEG_INFINITY, [Nothing; 2]);
        self.each_way(item, |value, parts| {
            if value > best.0 {
                best = (value, parts);
            }
        });
        best.1
    }

    /// Visits the values and parts of all ways to make an item.
    fn each_way(&self, item: Item, mut visit: impl FnMut(f64, [Item; 2])) {
        let mut join = |own: f64, first: Item, second: Item| {
            visit(own + self.value(first) + self.value(second), [first, second]);
        };
        match item {
            Nothing | Block(..) => {}
            Half(context, end) => {
                let word = self.scratch.word[context];
                if word != end && !(self.has_one_child(word) && context != 0) {
                    for arc in self.set.towards(word, end) {
                        join(0.0, Arc(context, arc), Half(arc as usize + 1, end));
                    }
                    join(0.0, Chain(word, end), Nothing);
                }
            }
            Chain(word, end) => {
                for k in steps(word, end) {
                    join(0.0, self.block_below(word, k), Half(self.plain(k), end));
                }
            }
            Arc(context, arc) => self.each_arc(context, arc, join),
            Crossed(arc) => {
                let (head, child) = self.set.arc(arc);
                for q in steps(head, child) {
                    join(0.0, Start(head, q), Half(arc as usize + 1, q));
                }
            }
            Start(word, end) => {
                join(0.0, block_apart(word, end), Nothing);
                for k in steps(word, end).filter(|&k| k != end) {
                    join(0.0, self.block_below(word, k), Reach(self.plain(k), end));
                }
            }
            Reach(context, end) => {
                let word = self.scratch.word[context];
                let before = if end > word { end - 1 } else { end + 1 };
                join(0.0, Half(context, before), Nothing);
                for p in std::iter::once(word).chain(steps(word, before)) {
                    join(0.0, Half(context, p), block_apart(p, end));
                }
            }
            Between(inner, arc) => {
                let (left, right) = (inner.min(arc) as usize + 1, inner.max(arc) as usize + 1);
                self.each_meeting(left, right, join);
            }
            Apart(left, right) => self.each_meeting(left, right, join),
        }
    }

    /// Visits the ways to fill the space between the words of two contexts.
    fn each_meeting(&self, left: usize, right: usize, mut join: impl FnMut(f64, Item, Item)) {
        let [from, to] = [left, right].map(|context| self.scratch.word[context]);
        for q in from + 1..=to {
            join(0.0, Reach(left, q), Half(right, q));
        }
    }

    fn each_arc(&self, context: usize, arc: ArcId, mut join: impl FnMut(f64, Item, Item)) {
        let (head, child) = self.set.arc(arc);
        let next = if child > head { head + 1 } else { head - 1 };
        let own = |inner: Inner| self.own_score(context, arc, inner);
        join(own(Inner::Of(None)), Half(arc as usize + 1, next), Nothing);
        if self.has_one_child(head) {
            return;
        }
        for inner in self.set.inner(arc) {
            join(own(Inner::Of(Some(inner))), Arc(context, inner), Between(inner, arc));
        }
        join(own(Inner::Crossed), Crossed(arc), Nothing);
    }

    /// The scores of the parts that an arc has.
    fn own_score(&self, context: usize, arc: ArcId, inner: Inner) -> f64 {
        let grand = context.checked_sub(1).filter(|&arc| arc < self.set.len());
        let sibling = match inner {
            Inner::Of(sibling) => sibling,
            Inner::Crossed => None,
        };
        let scores = self.parts.scores(arc, grand.map(|arc| arc as ArcId), sibling);
        let has_grand = context <= self.set.len();
        let has_sibling = matches!(inner, Inner::Of(_));
        super::visible_sum(scores, has_sibling, has_grand)
    }

    fn value(&self, item: Item) -> f64 {
        let scratch = &self.scratch;
        match item {
            Nothing => 0.0,
            Half(context, end) => scratch.half[self.end(context, end)],
            Reach(context, end) => scratch.reach[self.end(context, end)],
            Chain(word, end) => scratch.chain[self.pair(word, end)],
            Start(word, end) => scratch.start[self.pair(word, end)],
            Arc(context, arc) => scratch.arc[self.arc_cell(context, arc)],
            Crossed(arc) => scratch.crossed[arc as usize],
            Between(inner, arc) => scratch.between[self.parts.sibling_cell(arc, inner)],
            Block(i, j, signature) => scratch.blocks.block(i, j)[signature],
            Apart(..) => self.best_value(item),
        }
    }

    /// A block that begins at `word`, with its other end below it.
    fn block_below(&self, word: usize, end: usize) -> Item {
        if end > word { Block(word, end, BELOW) } else { Block(end, word, ABOVE) }
    }

    /// The context of a word that is in a block.
    fn plain(&self, word: usize) -> usize {
        1 + self.set.len() + word
    }

    fn has_one_child(&self, word: usize) -> bool {
        self.mode == RootMode::One && word == 0
    }

    /// The cell of a context and an end: each word has one for itself on either side.
    fn end(&self, context: usize, end: usize) -> usize {
        let word = self.scratch.word[context];
        context * (self.set.words() + 2) + end + usize::from(end > word)
    }

    fn pair(&self, word: usize, end: usize) -> usize {
        word * (self.set.words() + 1) + end
    }

    fn arc_cell(&self, context: usize, arc: ArcId) -> usize {
        let first = self.set.leaving(self.scratch.word[context]).start;
        self.scratch.arc_start[context] + (arc - first) as usize
    }
}

/// A block with two roots.
fn block_apart(word: usize, end: usize) -> Item {
    Block(word.min(end), word.max(end), APART)
}

/// The words from the one next to `word` to `end`, if there are any on the way.
fn steps(word: usize, end: usize) -> impl Iterator<Item = usize> {
    let (right, left) = if end > word { (word + 1..end + 1, 0..0) } else { (0..0, end..word) };
    right.chain(left.rev())
}
