//! Scores of parts that span several arcs: what higher-order decoders read.
//!
//! A tree scores the sum, over its arcs `head → child`, of these parts:
//!
//! | part | of | order |
//! |---|---|---|
//! | arc | head, child | 1 |
//! | crossed | head, child of an arc that is crossed; for [`CrossingSensitive`](crate::CrossingSensitive) only | 1 |
//! | sibling | head, inner, child | 2 |
//! | grandparent | grand, head, child | 2 |
//! | outermost | head, child, the outermost child of the child on one side; one part for each side | 2 |
//! | grand-sibling | grand, head, inner, child | 3 |
//! | tri-sibling | head, second, inner, child | 3 |
//!
//! where *inner* is the nearest sibling between head and child ([`Heads::inner_sibling`]), or none, *second*
//! is the inner sibling of the inner one, or none, and *grand* is the head of the head, or none for children
//! of the root (McDonald and Pereira 2006; Carreras 2007; Koo and Collins 2010). An arc without an inner
//! sibling has no tri-sibling part. Only a given set of arcs exists, usually the few that a first-order model
//! leaves; parts exist where all their arcs do. With k heads per word there are O(k²n) grandparents and as many
//! outermost children, and, for c possible children of a head, c² sibling pairs and c³ of three.
//!
//! Parts are zero until filled. Costs are edits of arc scores ([`PartScores::add`]); a head that must be
//! kept is an arc without rivals in the set. NaN forbids, as in [`ArcScores`](crate::ArcScores).

mod arc_set;

use crate::heads::Heads;
use crate::scores::storable;
pub(crate) use arc_set::ArcSet;

/// The number of an arc in a set of arcs.
pub type ArcId = u32;

/// A side of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before it.
    Left,
    /// Behind it.
    Right,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// The words of a part; see the [module documentation](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words have the names of the table")]
pub enum PartWords {
    /// A single arc.
    Arc { head: usize, child: usize },
    /// With the inner sibling.
    Sibling { head: usize, inner: Option<usize>, child: usize },
    /// With the grandparent.
    Grand { grand: Option<usize>, head: usize, child: usize },
    /// With both.
    GrandSibling { grand: Option<usize>, head: usize, inner: Option<usize>, child: usize },
    /// With two inner siblings.
    TriSibling { head: usize, second: Option<usize>, inner: usize, child: usize },
    /// With the child's outermost child on one side.
    Outermost { head: usize, child: usize, side: Side, below: Option<usize> },
}

/// A set of arcs with the scores of all parts made of them; see the [module documentation](self).
///
/// ```
/// use spantree_decode::{Heads, PartScores};
/// let mut parts = PartScores::default();
/// parts.reset(3, |_head, _child| true);
/// parts.fill_arcs(|head, _child| head as f32);
/// parts.fill_siblings(|_head, inner, _child| if inner.is_some() { 10.0 } else { 0.0 });
/// assert_eq!(parts.tree_score(&Heads::from(vec![0, 1, 1])), 0.0 + 1.0 + 1.0 + 10.0);
/// ```
#[derive(Clone, Debug)]
pub struct PartScores {
    set: ArcSet,
    arc_scores: Vec<f32>,
    /// For each arc. Empty until filled.
    crossed: Vec<f32>,
    /// For each arc: without an inner sibling, then with each.
    siblings: Vec<f32>,
    sibling_start: Vec<usize>,
    /// For each arc: with each arc into its head; one cell for arcs of the root.
    grands: Vec<f32>,
    grand_start: Vec<usize>,
    /// For each arc: grandparents × inner siblings. Empty until filled.
    grand_siblings: Vec<f32>,
    grand_sibling_start: Vec<usize>,
    /// For each arc: no child on the left, none on the right, then each arc that leaves its child. Empty until filled.
    outermost: Vec<f32>,
    outermost_start: Vec<usize>,
    /// For each sibling part with an inner sibling: the sibling parts of that one. Empty until filled.
    tri_siblings: Vec<f32>,
    /// By sibling part.
    tri_sibling_start: Vec<usize>,
    looks_up: bool,
}

/// The parts of the empty sentence.
impl Default for PartScores {
    fn default() -> Self {
        let mut parts = Self {
            set: ArcSet::new(),
            arc_scores: Vec::new(),
            crossed: Vec::new(),
            siblings: Vec::new(),
            sibling_start: Vec::new(),
            grands: Vec::new(),
            grand_start: Vec::new(),
            grand_siblings: Vec::new(),
            grand_sibling_start: Vec::new(),
            outermost: Vec::new(),
            outermost_start: Vec::new(),
            tri_siblings: Vec::new(),
            tri_sibling_start: Vec::new(),
            looks_up: false,
        };
        parts.reset(0, |_, _| false);
        parts
    }
}

impl PartScores {
    /// Starts anew with the arcs of `words` words for which `exists(head, child)`; all scores are zero.
    /// Memory is kept.
    pub fn reset(&mut self, words: usize, exists: impl Fn(usize, usize) -> bool) {
        self.set.reset(words, exists);
        self.lay_out();
    }

    /// Gives every part its cell.
    fn lay_out(&mut self) {
        self.looks_up = false;
        for scores in [
            &mut self.crossed,
            &mut self.grand_siblings,
            &mut self.outermost,
            &mut self.tri_siblings,
        ] {
            scores.clear();
        }
        for starts in [
            &mut self.sibling_start,
            &mut self.grand_start,
            &mut self.grand_sibling_start,
            &mut self.outermost_start,
        ] {
            starts.clear();
        }
        let (mut siblings, mut grands, mut both, mut outermost) = (0, 0, 0, 0);
        for arc in 0..self.set.len() as ArcId {
            self.sibling_start.push(siblings);
            self.grand_start.push(grands);
            self.grand_sibling_start.push(both);
            self.outermost_start.push(outermost);
            let (head, child) = self.set.arc(arc);
            let inner = self.set.inner(arc).len() + 1;
            let above = self.set.entering(head).len().max(1);
            siblings += inner;
            grands += above;
            both += inner * above;
            outermost += NO_CHILD + self.set.leaving(child).len();
        }
        for (scores, len) in [
            (&mut self.arc_scores, self.set.len()),
            (&mut self.siblings, siblings),
            (&mut self.grands, grands),
        ] {
            scores.clear();
            scores.resize(len, 0.0);
        }
    }

    /// Scores every arc by `score(head, child)`.
    pub fn fill_arcs(&mut self, mut score: impl FnMut(usize, usize) -> f32) {
        for (cell, (head, child)) in self.arc_scores.iter_mut().zip(self.set.iter()) {
            *cell = storable(score(head, child));
        }
    }

    /// Scores what every arc has beside its own score if another one crosses it, by `score(head, child)`; −∞ if it must not be
    /// crossed. Only [`CrossingSensitive`](crate::CrossingSensitive) asks.
    pub fn fill_crossed(&mut self, mut score: impl FnMut(usize, usize) -> f32) {
        self.crossed.clear();
        self.crossed.extend(self.set.iter().map(|(head, child)| storable(score(head, child))));
    }

    /// Scores every sibling part by `score(head, inner, child)`; the parts of an arc come together.
    pub fn fill_siblings(&mut self, mut score: impl FnMut(usize, Option<usize>, usize) -> f32) {
        self.siblings.clear();
        for (arc, (head, child)) in (0..).zip(self.set.iter()) {
            let parts = self.set.inner_words(arc).map(|inner| score(head, inner, child));
            self.siblings.extend(parts.map(storable));
        }
    }

    /// Scores every grandparent part by `score(grand, head, child)`; the parts of an arc come together.
    pub fn fill_grands(&mut self, mut score: impl FnMut(Option<usize>, usize, usize) -> f32) {
        self.looks_up = true;
        self.grands.clear();
        for (head, child) in self.set.iter() {
            let parts = self.set.grand_words(head).map(|grand| score(grand, head, child));
            self.grands.extend(parts.map(storable));
        }
    }

    /// Scores every grand-sibling part by `score(grand, head, inner, child)`; the parts of an arc come
    /// together, by grandparent.
    pub fn fill_grand_siblings(
        &mut self,
        mut score: impl FnMut(Option<usize>, usize, Option<usize>, usize) -> f32,
    ) {
        self.looks_up = true;
        self.grand_siblings.clear();
        for (arc, (head, child)) in (0..).zip(self.set.iter()) {
            for grand in self.set.grand_words(head) {
                let parts = self.set.inner_words(arc).map(|inner| score(grand, head, inner, child));
                self.grand_siblings.extend(parts.map(storable));
            }
        }
    }

    /// Scores the outermost children of every child by `score(head, child, side, outermost)`, `None` standing for no child on
    /// that side; the parts of an arc come together.
    pub fn fill_outermost(
        &mut self,
        mut score: impl FnMut(usize, usize, Side, Option<usize>) -> f32,
    ) {
        self.outermost.clear();
        for (head, child) in self.set.iter() {
            let none = Side::BOTH.map(|side| score(head, child, side, None));
            self.outermost.extend(none.map(storable));
            for (_, word) in self.set.leaving(child).map(|arc| self.set.arc(arc)) {
                let score = score(head, child, side_of(child, word), Some(word));
                self.outermost.push(storable(score));
            }
        }
    }

    /// Scores every tri-sibling part by `score(head, second, inner, child)`; the parts of an arc come together, by inner
    /// sibling.
    pub fn fill_tri_siblings(
        &mut self,
        mut score: impl FnMut(usize, Option<usize>, usize, usize) -> f32,
    ) {
        self.tri_siblings.clear();
        self.tri_sibling_start.clear();
        for (arc, (head, child)) in (0..).zip(self.set.iter()) {
            // Without an inner sibling there is nothing.
            self.tri_sibling_start.push(self.tri_siblings.len());
            for inner in self.set.inner(arc) {
                self.tri_sibling_start.push(self.tri_siblings.len());
                let word = self.set.arc(inner).1;
                let parts =
                    self.set.inner_words(inner).map(|second| score(head, second, word, child));
                self.tri_siblings.extend(parts.map(storable));
            }
        }
    }

    /// Adds `cost` to the score of an arc; without effect on arcs that do not exist.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn add(&mut self, head: usize, child: usize, cost: f32) {
        if let Some(arc) = self.id(head, child) {
            let cell = &mut self.arc_scores[arc as usize];
            *cell = storable(*cell + cost);
        }
    }

    /// Multiplies all scores by a positive factor.
    pub fn scale(&mut self, factor: f32) {
        for score in self.tables().into_iter().flatten() {
            *score = storable(*score * factor);
        }
    }

    /// All scores.
    fn tables(&mut self) -> [&mut Vec<f32>; 7] {
        [
            &mut self.arc_scores,
            &mut self.crossed,
            &mut self.siblings,
            &mut self.grands,
            &mut self.grand_siblings,
            &mut self.outermost,
            &mut self.tri_siblings,
        ]
    }

    /// Visits all parts that have cells, with what these hold, in a fixed order.
    pub fn each_part(&self, mut visit: impl FnMut(PartWords, f32)) {
        let mut siblings = self.siblings.iter();
        let mut grands = self.grands.iter();
        let mut grand_siblings = self.grand_siblings.iter();
        let mut tri_siblings = self.tri_siblings.iter();
        for (arc, (head, child)) in (0..).zip(self.set.iter()) {
            visit(PartWords::Arc { head, child }, self.arc_score(arc));
            for (inner, &value) in self.set.inner_words(arc).zip(&mut siblings) {
                visit(PartWords::Sibling { head, inner, child }, value);
            }
            for grand in self.set.grand_words(head) {
                if let Some(&value) = grands.next() {
                    visit(PartWords::Grand { grand, head, child }, value);
                }
                for (inner, &value) in self.set.inner_words(arc).zip(&mut grand_siblings) {
                    visit(PartWords::GrandSibling { grand, head, inner, child }, value);
                }
            }
            for inner in self.set.inner(arc) {
                let word = self.set.arc(inner).1;
                for (second, &value) in self.set.inner_words(inner).zip(&mut tri_siblings) {
                    visit(PartWords::TriSibling { head, second, inner: word, child }, value);
                }
            }
            self.each_outermost(arc, &mut visit);
        }
    }

    /// The same for the outermost children of the child of an arc.
    fn each_outermost(&self, arc: ArcId, mut visit: impl FnMut(PartWords, f32)) {
        if !self.has_outermost() {
            return;
        }
        let (head, child) = self.set.arc(arc);
        for side in Side::BOTH {
            let part = PartWords::Outermost { head, child, side, below: None };
            visit(part, self.childless(arc, side));
        }
        let below = self.set.leaving(child).map(|below| self.set.arc(below).1);
        for (word, &value) in below.zip(self.outermost(arc)) {
            let side = side_of(child, word);
            visit(PartWords::Outermost { head, child, side, below: Some(word) }, value);
        }
    }

    /// Number of words, the root not counted.
    pub fn words(&self) -> usize {
        self.set.words()
    }

    /// All arcs as (head, child), by number.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.set.iter()
    }

    /// The number of an arc, if it exists.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn id(&self, head: usize, child: usize) -> Option<ArcId> {
        self.set.id(head, child)
    }

    /// The arcs that exist.
    pub(crate) fn set(&self) -> &ArcSet {
        &self.set
    }

    /// The score of a tree, part by part: −∞ if it uses an arc that does not exist.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn tree_score(&self, tree: &Heads) -> f64 {
        assert_eq!(tree.words(), self.words(), "tree and scores differ in length");
        tree.arcs().map(|(_, child)| self.word_score(tree, child)).sum()
    }

    /// What the arc into `child` contributes to the score of a tree.
    pub(crate) fn word_score(&self, tree: &Heads, child: usize) -> f64 {
        let head = tree.head(child);
        let beside = tree.inner_sibling(child);
        let arc = self.id(head, child);
        let inner = beside.map(|inner| self.id(head, inner));
        let grand = (head != 0).then(|| self.id(tree.head(head), head));
        match (arc, inner, grand) {
            (None, _, _) | (_, Some(None), _) | (_, _, Some(None)) => f64::NEG_INFINITY,
            (Some(arc), inner, grand) => {
                sum(self.scores(arc, grand.flatten(), inner.flatten()))
                    + self.tri_sibling_in(tree, arc, beside)
                    + self.outermost_in(tree, arc)
            }
        }
    }

    /// The score of the tri-sibling part of an arc in a tree.
    fn tri_sibling_in(&self, tree: &Heads, arc: ArcId, inner: Option<usize>) -> f64 {
        let Some(inner) = inner.filter(|_| self.has_tri_siblings()) else { return 0.0 };
        let head = self.set.arc(arc).0;
        let second = tree.inner_sibling(inner).map(|second| self.id(head, second));
        match (self.id(head, inner), second) {
            (None, _) | (_, Some(None)) => f64::NEG_INFINITY,
            (Some(inner), second) => {
                let place = second.flatten().map_or(0, |second| self.inner_place(inner, second));
                f64::from(self.tri_siblings(arc, inner)[place])
            }
        }
    }

    /// The scores of the two parts of an arc and outermost children in a tree.
    fn outermost_in(&self, tree: &Heads, arc: ArcId) -> f64 {
        if !self.has_outermost() {
            return 0.0;
        }
        let word = self.set.arc(arc).1;
        let is_child = |&other: &usize| tree.head(other) == word;
        let first = (1..word).find(is_child);
        let last = (word + 1..=tree.words()).rev().find(is_child);
        let score = |(side, outermost): (Side, Option<usize>)| match outermost {
            None => f64::from(self.childless(arc, side)),
            Some(child) => self.id(word, child).map_or(f64::NEG_INFINITY, |below| {
                let place = below - self.set.leaving(word).start;
                f64::from(self.outermost(arc)[place as usize])
            }),
        };
        Side::BOTH.into_iter().zip([first, last]).map(score).sum()
    }

    /// The scores of arc, sibling, grandparent and grand-sibling, given the arc into the head and the arc to the inner sibling.
    pub(crate) fn scores(
        &self,
        arc: ArcId,
        grand: Option<ArcId>,
        inner: Option<ArcId>,
    ) -> [f32; 4] {
        let [sibling, grand, both] = self.cells(arc, grand, inner);
        [
            self.arc_scores[arc as usize],
            self.siblings[sibling],
            self.grands[grand],
            self.grand_siblings.get(both).copied().unwrap_or(0.0),
        ]
    }

    /// The cells of sibling, grandparent and grand-sibling.
    fn cells(&self, arc: ArcId, grand: Option<ArcId>, inner: Option<ArcId>) -> [usize; 3] {
        let at = arc as usize;
        let above = grand.map_or(0, |grand| self.set.rank(grand));
        let beside = inner.map_or(0, |inner| self.inner_place(arc, inner));
        let width = self.set.inner(arc).len() + 1;
        [
            self.sibling_start[at] + beside,
            self.grand_start[at] + above,
            self.grand_sibling_start[at] + above * width + beside,
        ]
    }

    /// Becomes a table of zeros for the same parts as `other`.
    pub(crate) fn reset_like(&mut self, other: &Self) {
        self.clone_from(other);
        self.tables().into_iter().for_each(|table| table.fill(0.0));
    }

    /// Adds to the cells that [`scores`](Self::scores) reads.
    pub(crate) fn add_parts(
        &mut self,
        arc: ArcId,
        (grand, inner): (Option<ArcId>, Option<ArcId>),
        value: f32,
    ) {
        let [sibling, grand, both] = self.cells(arc, grand, inner);
        self.arc_scores[arc as usize] += value;
        self.siblings[sibling] += value;
        self.grands[grand] += value;
        if let Some(cell) = self.grand_siblings.get_mut(both) {
            *cell += value;
        }
    }

    /// Adds to the cell of three siblings that is at `place` in [`tri_siblings`](Self::tri_siblings).
    pub(crate) fn add_tri_sibling(&mut self, arc: ArcId, inner: ArcId, place: usize, value: f32) {
        let start = self.tri_sibling_start[self.sibling_cell(arc, inner)];
        self.tri_siblings[start + place] += value;
    }

    /// Adds to the cell of an outermost child, given as the arc to it or the side where there is none.
    pub(crate) fn add_outermost(&mut self, arc: ArcId, below: Result<ArcId, Side>, value: f32) {
        let place = match below {
            Ok(below) => NO_CHILD + (below - self.set.leaving(self.set.arc(arc).1).start) as usize,
            Err(side) => side as usize,
        };
        self.outermost[self.outermost_start[arc as usize] + place] += value;
    }

    /// The place of an inner sibling among those of an arc: 0 is for none.
    fn inner_place(&self, arc: ArcId, inner: ArcId) -> usize {
        (inner - self.set.inner(arc).start) as usize + 1
    }

    /// The score of an arc alone.
    pub(crate) fn arc_score(&self, arc: ArcId) -> f32 {
        self.arc_scores[arc as usize]
    }

    /// The score of an arc that another one crosses.
    pub(crate) fn crossed_score(&self, arc: ArcId) -> f64 {
        let crossed = self.crossed.get(arc as usize).copied().unwrap_or(0.0);
        f64::from(self.arc_score(arc)) + f64::from(crossed)
    }

    /// The scores of the outermost children of the child of an arc, by arc.
    pub(crate) fn outermost(&self, arc: ArcId) -> &[f32] {
        let start = self.outermost_start[arc as usize] + NO_CHILD;
        &self.outermost[start..][..self.set.leaving(self.set.arc(arc).1).len()]
    }

    /// The score of no child on one side of the child of an arc.
    pub(crate) fn childless(&self, arc: ArcId, side: Side) -> f32 {
        self.outermost[self.outermost_start[arc as usize] + side as usize]
    }

    /// The scores of an arc with an inner sibling: without a second one, then with each.
    pub(crate) fn tri_siblings(&self, arc: ArcId, inner: ArcId) -> &[f32] {
        let start = self.tri_sibling_start[self.sibling_cell(arc, inner)];
        &self.tri_siblings[start..][..self.set.inner(inner).len() + 1]
    }

    /// Whether any part of an arc depends on grandparents.
    pub(crate) fn looks_up(&self) -> bool {
        self.looks_up
    }

    /// Whether outermost children have scores.
    pub(crate) fn has_outermost(&self) -> bool {
        !self.outermost.is_empty()
    }

    /// Whether three siblings have scores.
    pub(crate) fn has_tri_siblings(&self) -> bool {
        !self.tri_siblings.is_empty()
    }

    /// The number of the sibling part of an arc and an inner sibling.
    pub(crate) fn sibling_cell(&self, arc: ArcId, inner: ArcId) -> usize {
        self.sibling_start[arc as usize] + self.inner_place(arc, inner)
    }

    /// The number of the first sibling part of an arc, the one without an inner sibling.
    pub(crate) fn first_sibling_cell(&self, arc: ArcId) -> usize {
        self.sibling_start.get(arc as usize).copied().unwrap_or(self.siblings.len())
    }

    /// Number of sibling parts.
    pub(crate) fn sibling_cells(&self) -> usize {
        self.siblings.len()
    }
}

/// Cells of an arc for no outermost child: one for each [`Side`].
const NO_CHILD: usize = 2;

/// On which side of a word another one is.
fn side_of(word: usize, other: usize) -> Side {
    if other < word { Side::Left } else { Side::Right }
}

/// The sum of parts.
pub(crate) fn sum(parts: [f32; 4]) -> f64 {
    parts.into_iter().map(f64::from).sum()
}
