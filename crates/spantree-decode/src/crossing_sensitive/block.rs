//! Blocks: what hangs together by crossing.
//!
//! A *block* `[i, j]` is a set of arcs that are connected by crossings, with first word i and last word j, and all
//! that is between its words. Its arcs are all crossed, and scored one by one. Between two words of it that follow
//! each other is a *gap*, a span without an arc to the outside; gaps come from the [chart](super::chart).
//!
//! Pieces and joins are those of [`signature`]; `+` joins two of them and `|` is a choice. A *region* `[i, j; x]` has, beside
//! its gaps, at least one arc from `x`, a word on either side, to a word strictly inside. These arcs are crossed by an
//! arc outside the region, and inside it by *nobody*, by arcs of the *first* word i, or by arcs of the *last* word j.
//!
//! ```text
//! nobody[i, j; x]    = nobody'[i, k; x] + gap[k, j]                    k the last neighbour of x
//! nobody'[i, j; x]   = (nobody[i, j; x] | gap[i, j]) + arc(x, j)
//! inside[i, j; x]    = first'[i, k; x] + (nobody[k, j; i] | gap[k, j])   k the last neighbour of x
//!                    | arc(x, k) + gap[i, k] + first[k, j; i]            k the only neighbour of x
//! first[i, j; x]     = inside[i, j; x] + arc(i, j)?
//! first'[i, j; x]    = (first[i, j; x] | gap[i, j]) + arc(x, j)
//! tight[i, j; x]     = inside[i, j; x] + arc(i, j)
//!                    | arc(x, k) + gap[i, k] + tight[k, j; i]
//! last, last'        = the mirror images of first and first'
//! split[i, j; x]     = tight[i, j; x] + arc(x, j)?
//! both[i, j; x]      = first[i, j; x] | last[i, j; x] | split[i, k; x] + last[k, j; x]
//! stem[i, b, c]      = (last[i, b; c] + arc(i, b) | last'[i, b; c]) + gap[b, c]
//! left[i, b, c]      = gap[i, b] + first'[b, c; i]
//! block[i, j]        = both[i, k; j] + arc(i, k) + gap[k, j]
//!                    | stem[i, b, c] + (first'[c, j; b] | tight[c, j; b])
//!                    | left[i, b, c] + nobody'[c, j; b]
//! ```
//!
//! This is the grammar of [`one_endpoint_crossing`](crate::one_endpoint_crossing) with two promises more: every arc in it is crossed,
//! and every end of a gap is an end of a crossed arc. Pieces that do not exist take no room but a number.

use std::sync::LazyLock;

use crate::heads::RootMode;
use crate::one_endpoint_crossing::signature::{Join, NOTHING, Values};
use crate::table::ArcTable;

/// The kinds of pieces that are kept for three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nobody,
    NobodyTo,
    First,
    FirstTo,
    Tight,
    Last,
    LastTo,
    Split,
    Stem,
    Left,
}

use Kind::{First, FirstTo, Last, LastTo, Left, Nobody, NobodyTo, Split, Stem, Tight};

/// A piece. Regions have their first and last word and the word beside; others their words from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word alone.
    Word,
    Gap(usize, usize),
    /// A crossed arc in either direction.
    Arc(usize, usize),
    /// The same, or none.
    MaybeArc(usize, usize),
    /// A piece that is kept.
    Of(Kind, usize, usize, usize),
    /// A region of this kind, or a gap beside a word.
    OrGap(Kind, usize, usize, usize),
    /// A region of this kind without the arc between its ends.
    Inside(Kind, usize, usize, usize),
    /// An arc from the last argument to the second, and a gap before that.
    HookLeft(usize, usize, usize),
    /// An arc from the last argument to the first, and a gap behind that.
    HookRight(usize, usize, usize),
    /// A stem without its gap.
    Bare(usize, usize, usize),
    Both(usize, usize, usize),
    /// The same with the arc between its ends.
    Roof(usize, usize, usize),
    Block(usize, usize),
}

use Piece::{
    Arc, Bare, Block, Both, Gap, HookLeft, HookRight, Inside, MaybeArc, Of, OrGap, Roof, Word,
};

/// Number of kinds; a region's word beside may be on the right or on the left.
const KINDS: usize = 10;
/// The kinds with a word on the right, and the others, in the order in which they are computed.
const RIGHT: [Kind; 8] = [Nobody, NobodyTo, First, FirstTo, Tight, Last, LastTo, Split];
const OTHER: [Kind; 7] = [Nobody, NobodyTo, First, FirstTo, Tight, Stem, Left];

/// The pieces of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    words: usize,
    one_root: bool,
    /// Scores of crossed arcs.
    scores: ArcTable<f64>,
    /// The words that an arc may join to each word, ascending: those of word `w` are
    /// `neighbours[starts[w]..starts[w + 1]]`.
    neighbours: Vec<usize>,
    starts: Vec<usize>,
    /// By first and last word.
    gaps: Vec<Values>,
    blocks: Vec<Values>,
    /// The place of each kept piece among `kept`; the first is for those that do not exist.
    places: Vec<u32>,
    kept: Vec<Values>,
    /// For each last word, the word beside and the first word of all tight regions that exist, if that is on the left.
    tight: Vec<Vec<(usize, usize)>>,
}

impl Blocks {
    /// Starts anew with so many words and scores of crossed arcs.
    pub(super) fn reset(
        &mut self,
        words: usize,
        mode: RootMode,
        arcs: impl Iterator<Item = (usize, usize, f64)>,
    ) {
        self.words = words;
        self.one_root = mode == RootMode::One;
        self.scores.reset(words, f64::NEG_INFINITY);
        for (head, child, score) in arcs.filter(|arc| arc.2 > f64::NEG_INFINITY) {
            self.scores.set(head, child, score);
        }
        self.list_neighbours();
        let points = words + 1;
        for table in [&mut self.gaps, &mut self.blocks] {
            table.clear();
            table.resize(points * points, NOTHING);
        }
        self.places.clear();
        self.places.resize(points * words * words.saturating_sub(1) / 6 * 2 * KINDS, 0);
        self.kept.clear();
        self.kept.push(NOTHING);
        self.tight.iter_mut().for_each(Vec::clear);
        self.tight.resize_with(points.max(self.tight.len()), Vec::new);
    }

    fn list_neighbours(&mut self) {
        self.neighbours.clear();
        self.starts.clear();
        for word in 0..=self.words {
            self.starts.push(self.neighbours.len());
            let scores = &self.scores;
            let near = (0..=self.words).filter(|&other| are_near(scores, word, other));
            self.neighbours.extend(near);
        }
        self.starts.push(self.neighbours.len());
    }

    /// Computes all pieces from word `a` to word `b`, after those within.
    pub(super) fn fill(&mut self, a: usize, b: usize) {
        for m in a + 1..b {
            let [right, left] = [self.reaches(b, a, m), self.reaches(a, m, b)];
            for kind in RIGHT.into_iter().filter(|_| right) {
                self.keep(kind, (a, m, b));
            }
            for kind in OTHER {
                let words = if is_region(kind) { (m, b, a) } else { (a, m, b) };
                let may_exist = !is_region(kind) || left;
                if may_exist && self.keep(kind, words) && kind == Tight {
                    self.tight[b].push((a, m));
                }
            }
        }
        self.blocks[a * (self.words + 1) + b] = self.compute(Block(a, b));
    }

    /// Computes a piece and keeps it if it exists.
    fn keep(&mut self, kind: Kind, (i, j, x): (usize, usize, usize)) -> bool {
        let values = self.compute(Of(kind, i, j, x));
        let exists = values != NOTHING;
        if exists {
            let cell = cell(kind, i, j, x);
            self.places[cell] = self.kept.len() as u32;
            self.kept.push(values);
        }
        exists
    }

    /// Sets what may stand between two words: the second below the first, both roots, the first below the second.
    pub(super) fn set_gap(&mut self, i: usize, j: usize, [below, apart, above]: [f64; 3]) {
        let gap = &mut self.gaps[i * (self.words + 1) + j];
        gap[..3].copy_from_slice(&[below, apart, above]);
    }

    /// The values of a block; the first three are as for a gap, unless i is the root with one child: then there is the first.
    pub(super) fn block(&self, i: usize, j: usize) -> &Values {
        &self.blocks[i * (self.words + 1) + j]
    }

    pub(super) fn values(&self, piece: Piece) -> Values {
        match piece {
            Word => {
                let mut values = NOTHING;
                values[0] = 0.0;
                values
            }
            Arc(a, b) => self.arc(a, b, f64::NEG_INFINITY),
            MaybeArc(a, b) => self.arc(a, b, 0.0),
            Gap(i, j) => self.gaps[i * (self.words + 1) + j],
            Block(i, j) => *self.block(i, j),
            Of(kind, i, j, x) => self.kept[self.places[cell(kind, i, j, x)] as usize],
            _ => self.compute(piece),
        }
    }

    /// The values of an arc, by [signature](Self::direction), with `none` for no arc.
    fn arc(&self, a: usize, b: usize, none: f64) -> Values {
        let mut values = NOTHING;
        values[2] = self.scores.get(b, a);
        if self.is_top(b) {
            values[0] = none;
        } else {
            values[0] = self.scores.get(a, b);
            values[1] = none;
        }
        values
    }

    /// Head and child of an arc with this signature; `None` for no arc.
    pub(super) fn direction(&self, a: usize, b: usize, signature: usize) -> Option<(usize, usize)> {
        match signature {
            0 if !self.is_top(b) => Some((a, b)),
            2 => Some((b, a)),
            _ => None,
        }
    }

    fn compute(&self, piece: Piece) -> Values {
        let mut values = NOTHING;
        self.each_way(piece, |join, first, second| {
            if self.may_exist(first) && self.may_exist(second) {
                join.apply(&self.values(first), &self.values(second), &mut values);
            }
        });
        values
    }

    /// Whether a piece may have values: a quick look.
    fn may_exist(&self, piece: Piece) -> bool {
        match piece {
            Of(kind, i, j, x) => self.places[cell(kind, i, j, x)] > 0,
            Arc(a, b) => are_near(&self.scores, a, b),
            _ => true,
        }
    }

    /// The parts of the first way that reaches the value of a piece under a signature.
    pub(super) fn explain(
        &self,
        piece: Piece,
        goal: (usize, f64),
    ) -> Option<[(Piece, usize, f64); 2]> {
        let mut found = None;
        self.each_way(piece, |join, first, second| {
            if found.is_none() {
                let values = [self.values(first), self.values(second)];
                let signatures = join.explain(&values[0], &values[1], goal);
                found =
                    signatures.map(|(a, b)| [(first, a, values[0][a]), (second, b, values[1][b])]);
            }
        });
        found
    }

    /// Whether this is the artificial root and must have one child.
    fn is_top(&self, word: usize) -> bool {
        self.one_root && word == 0
    }

    /// The neighbours of a word strictly between two others.
    fn between(&self, word: usize, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let all = &self.neighbours[self.starts[word]..self.starts[word + 1]];
        let first = all.partition_point(|&other| other <= from);
        all[first..].iter().copied().take_while(move |&other| other < to)
    }

    /// Whether a word has a neighbour between two others, which count.
    fn reaches(&self, word: usize, from: usize, to: usize) -> bool {
        let all = &self.neighbours[self.starts[word]..self.starts[word + 1]];
        all.get(all.partition_point(|&other| other < from)).is_some_and(|&other| other <= to)
    }

    /// The joins for a piece with this first word and this word beside.
    fn joins(&self, first: usize, beside: usize) -> &'static Joins {
        match (self.is_top(first), self.is_top(beside)) {
            (true, _) => &JOINS[1],
            (_, true) => &JOINS[2],
            _ => &JOINS[0],
        }
    }

    /// Visits all pairs of pieces that a piece can be made of.
    fn each_way(&self, piece: Piece, mut visit: impl FnMut(&'static Join, Piece, Piece)) {
        match piece {
            Word | Gap(..) | Arc(..) | MaybeArc(..) => {}
            Of(kind, i, j, x) => self.each_way_of(kind, (i, j, x), visit),
            OrGap(kind, i, j, x) => {
                visit(&self.joins(i, x).same, Of(kind, i, j, x), Word);
                visit(&self.joins(i, x).beside, Gap(i, j), Word);
            }
            Inside(First, i, j, x) => self.each_first(i, j, x, visit),
            Inside(_, i, j, x) => self.each_last(i, j, x, visit),
            HookLeft(i, k, x) => visit(&self.joins(i, x).hook_left, Arc(x, k), Gap(i, k)),
            HookRight(k, j, x) => visit(&self.joins(k, x).hook_right, Arc(x, k), Gap(k, j)),
            Bare(i, b, c) => {
                visit(&self.joins(i, c).arc_within, Of(Last, i, b, c), Arc(i, b));
                visit(&self.joins(i, c).same, Of(LastTo, i, b, c), Word);
            }
            Both(i, j, x) => {
                let joins = self.joins(i, x);
                visit(&joins.same, Of(First, i, j, x), Word);
                visit(&joins.same, Of(Last, i, j, x), Word);
                for k in i + 1..j {
                    visit(&joins.meet, Of(Split, i, k, x), Of(Last, k, j, x));
                }
            }
            Roof(i, j, x) => visit(&self.joins(i, x).arc_within, Both(i, j, x), Arc(i, j)),
            Block(i, j) => self.each_block(i, j, visit),
        }
    }

    fn each_way_of(
        &self,
        kind: Kind,
        (i, j, x): (usize, usize, usize),
        mut visit: impl FnMut(&'static Join, Piece, Piece),
    ) {
        let joins = self.joins(i, x);
        match kind {
            Nobody => {
                for k in self.between(x, i, j) {
                    visit(&joins.region_gap, Of(NobodyTo, i, k, x), Gap(k, j));
                }
            }
            NobodyTo => visit(&joins.arc_to_last, OrGap(Nobody, i, j, x), Arc(x, j)),
            First | Last => visit(&joins.arc_within, Inside(kind, i, j, x), MaybeArc(i, j)),
            FirstTo => visit(&joins.arc_to_last, OrGap(First, i, j, x), Arc(x, j)),
            LastTo => visit(&joins.arc_to_first, OrGap(Last, i, j, x), Arc(x, i)),
            Tight => {
                visit(&joins.arc_within, Inside(First, i, j, x), Arc(i, j));
                for k in self.between(x, i, j) {
                    visit(&joins.regions_left, HookLeft(i, k, x), Of(Tight, k, j, i));
                }
            }
            Split => visit(&joins.arc_to_last, Of(Tight, i, j, x), MaybeArc(x, j)),
            Stem => visit(&joins.stem, Bare(i, j, x), Gap(j, x)),
            Left => visit(&joins.left, Gap(i, j), Of(FirstTo, j, x, i)),
        }
    }

    fn each_first(
        &self,
        i: usize,
        j: usize,
        x: usize,
        mut visit: impl FnMut(&'static Join, Piece, Piece),
    ) {
        let joins = self.joins(i, x);
        for k in self.between(x, i, j) {
            visit(&joins.regions_left, Of(FirstTo, i, k, x), Of(Nobody, k, j, i));
            visit(&joins.region_gap, Of(FirstTo, i, k, x), Gap(k, j));
            visit(&joins.regions_left, HookLeft(i, k, x), Of(First, k, j, i));
        }
    }

    fn each_last(
        &self,
        i: usize,
        j: usize,
        x: usize,
        mut visit: impl FnMut(&'static Join, Piece, Piece),
    ) {
        let joins = self.joins(i, x);
        for k in self.between(x, i, j) {
            visit(&joins.regions_right, Of(LastTo, k, j, x), Of(Nobody, i, k, j));
            visit(&joins.gap_region, Of(LastTo, k, j, x), Gap(i, k));
            visit(&joins.regions_right, HookRight(k, j, x), Of(Last, i, k, j));
        }
    }

    fn each_block(&self, i: usize, j: usize, mut visit: impl FnMut(&'static Join, Piece, Piece)) {
        let joins = self.joins(i, j);
        for k in self.between(i, i + 1, j) {
            visit(&joins.cover, Roof(i, k, j), Gap(k, j));
        }
        for b in self.between(j, i, j) {
            for c in b + 1..j {
                visit(&joins.block, Of(Stem, i, b, c), Of(FirstTo, c, j, b));
                visit(&joins.block, Of(Left, i, b, c), Of(NobodyTo, c, j, b));
            }
        }
        for &(b, c) in self.tight[j].iter().filter(|&&(b, _)| b > i) {
            visit(&joins.block, Of(Stem, i, b, c), Of(Tight, c, j, b));
        }
    }
}

/// Whether a piece of this kind has a word beside it.
fn is_region(kind: Kind) -> bool {
    !matches!(kind, Stem | Left)
}

/// Whether there may be a crossed arc between two words.
fn are_near(scores: &ArcTable<f64>, a: usize, b: usize) -> bool {
    scores.get(a, b).max(scores.get(b, a)) > f64::NEG_INFINITY
}

/// Where the place of a kept piece is.
fn cell(kind: Kind, i: usize, j: usize, x: usize) -> usize {
    let (a, b, c, kind) =
        if x < i { (x, i, j, KINDS + kind as usize) } else { (i, j, x, kind as usize) };
    (c * (c - 1) * (c - 2) / 6 + b * (b - 1) / 2 + a) * 2 * KINDS + kind
}

/// The joins without the artificial root as a point, with it as the first word, and beside.
static JOINS: LazyLock<[Joins; 3]> = LazyLock::new(|| [None, Some('i'), Some('x')].map(Joins::new));

/// All joins; the letters are those of the recurrences.
#[derive(Clone, Debug)]
struct Joins {
    same: Join,
    beside: Join,
    arc_to_first: Join,
    arc_to_last: Join,
    arc_within: Join,
    region_gap: Join,
    gap_region: Join,
    hook_left: Join,
    hook_right: Join,
    regions_left: Join,
    regions_right: Join,
    meet: Join,
    cover: Join,
    stem: Join,
    left: Join,
    block: Join,
}

impl Joins {
    /// The joins; `top` is the letter of the artificial root if it must have one child.
    fn new(top: Option<char>) -> Self {
        let join = |first, second, result| Join::new(first, second, result, top);
        Self {
            same: join("ijx", "x", "ijx"),
            beside: join("ij", "x", "ijx"),
            arc_to_first: join("ijx", "xi", "ijx"),
            arc_to_last: join("ijx", "xj", "ijx"),
            arc_within: join("ijx", "ij", "ijx"),
            region_gap: join("ikx", "kj", "ijx"),
            gap_region: join("kjx", "ik", "ijx"),
            hook_left: join("xk", "ik", "ikx"),
            hook_right: join("xk", "kj", "kjx"),
            regions_left: join("ikx", "kji", "ijx"),
            regions_right: join("kjx", "ikj", "ijx"),
            meet: join("ikx", "kjx", "ijx"),
            cover: join("ikx", "kx", "ix"),
            stem: join("ibc", "bc", "ibc"),
            left: join("ib", "bci", "ibc"),
            block: join("ibc", "cjb", "ij"),
        }
    }
}
