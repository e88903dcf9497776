//! Scores of parts that span several arcs: what higher-order decoders read.
//!
//! A tree scores the sum, over its arcs `head → child`, of four parts:
//!
//! | part | of | order |
//! |---|---|---|
//! | arc | head, child | 1 |
//! | sibling | head, inner, child | 2 |
//! | grandparent | grand, head, child | 2 |
//! | grand-sibling | grand, head, inner, child | 3 |
//!
//! where *inner* is the nearest sibling between head and child ([`Heads::inner_sibling`]), or none, and
//! *grand* is the head of the head, or none for children of the root (McDonald and Pereira 2006; Koo and
//! Collins 2010). Only a given set of arcs exists, usually the few that a first-order model leaves; parts
//! exist where all their arcs do. With k heads per word there are O(k²n) grandparents and, for c possible
//! children of a head, c² sibling pairs.
//!
//! Parts are zero until filled. Costs are edits of arc scores ([`PartScores::add`]); a head that must be
//! kept is an arc without rivals in the set. NaN forbids, as in [`ArcScores`](crate::ArcScores).

use std::ops::Range;

use crate::heads::Heads;
use crate::scores::storable;
use crate::table::ArcTable;

/// The number of an arc in a set of arcs.
pub type ArcId = u32;

/// In place of an arc that the set does not have.
const ABSENT: ArcId = ArcId::MAX;

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
    words: usize,
    /// Head and child, ascending: the arcs of a head are neighbours, by child.
    arcs: Vec<(u32, u32)>,
    ids: ArcTable<ArcId>,
    /// The arcs of head `h`: `leaving[h]..leaving[h + 1]`.
    leaving: Vec<ArcId>,
    /// The first arc of each head that goes right.
    rightward: Vec<ArcId>,
    /// The arcs into word `w`, by head: `entering[entering_start[w]..entering_start[w + 1]]`.
    entering: Vec<ArcId>,
    entering_start: Vec<u32>,
    /// The place of each arc among those that enter the same word.
    rank: Vec<u32>,
    arc_scores: Vec<f32>,
    /// For each arc: without an inner sibling, then with each.
    siblings: Vec<f32>,
    sibling_start: Vec<usize>,
    /// For each arc: with each arc into its head; one cell for arcs of the root.
    grands: Vec<f32>,
    grand_start: Vec<usize>,
    /// For each arc: grandparents × inner siblings. Empty until filled.
    grand_siblings: Vec<f32>,
    grand_sibling_start: Vec<usize>,
    looks_up: bool,
}

/// The parts of the empty sentence.
impl Default for PartScores {
    fn default() -> Self {
        let mut parts = Self {
            words: 0,
            arcs: Vec::new(),
            ids: ArcTable::new(0, ABSENT),
            leaving: Vec::new(),
            rightward: Vec::new(),
            entering: Vec::new(),
            entering_start: Vec::new(),
            rank: Vec::new(),
            arc_scores: Vec::new(),
            siblings: Vec::new(),
            sibling_start: Vec::new(),
            grands: Vec::new(),
            grand_start: Vec::new(),
            grand_siblings: Vec::new(),
            grand_sibling_start: Vec::new(),
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
        self.words = words;
        self.ids.reset(words, ABSENT);
        self.arcs.clear();
        self.leaving.clear();
        self.rightward.clear();
        for head in 0..=words {
            self.leaving.push(self.arcs.len() as ArcId);
            for child in (1..=words).filter(|&child| child != head && exists(head, child)) {
                self.ids.set(head, child, self.arcs.len() as ArcId);
                self.arcs.push((head as u32, child as u32));
            }
            let is_left = |arc: &&(u32, u32)| arc.1 < arc.0;
            let first = *self.leaving.last().unwrap_or(&0);
            let left = self.arcs[first as usize..].iter().take_while(is_left).count();
            self.rightward.push(first + left as ArcId);
        }
        self.leaving.push(self.arcs.len() as ArcId);
        self.list_entering();
        self.lay_out();
    }

    fn list_entering(&mut self) {
        self.entering.clear();
        self.entering_start.clear();
        self.rank.clear();
        self.rank.resize(self.arcs.len(), 0);
        for child in 0..=self.words {
            let start = self.entering.len();
            self.entering_start.push(start as u32);
            for &arc in self.ids.heads_of(child).iter().filter(|&&arc| arc != ABSENT) {
                self.rank[arc as usize] = (self.entering.len() - start) as u32;
                self.entering.push(arc);
            }
        }
        self.entering_start.push(self.entering.len() as u32);
    }

    /// Gives every part its cell.
    fn lay_out(&mut self) {
        self.looks_up = false;
        self.grand_siblings.clear();
        for starts in
            [&mut self.sibling_start, &mut self.grand_start, &mut self.grand_sibling_start]
        {
            starts.clear();
        }
        let (mut siblings, mut grands, mut both) = (0, 0, 0);
        for arc in 0..self.arcs.len() as ArcId {
            self.sibling_start.push(siblings);
            self.grand_start.push(grands);
            self.grand_sibling_start.push(both);
            let inner = self.inner(arc).len() + 1;
            let above = self.entering(self.arc(arc).0).len().max(1);
            siblings += inner;
            grands += above;
            both += inner * above;
        }
        for (scores, len) in [
            (&mut self.arc_scores, self.arcs.len()),
            (&mut self.siblings, siblings),
            (&mut self.grands, grands),
        ] {
            scores.clear();
            scores.resize(len, 0.0);
        }
    }

    /// Scores every arc by `score(head, child)`.
    pub fn fill_arcs(&mut self, mut score: impl FnMut(usize, usize) -> f32) {
        for (cell, &(head, child)) in self.arc_scores.iter_mut().zip(&self.arcs) {
            *cell = storable(score(head as usize, child as usize));
        }
    }

    /// Scores every sibling part by `score(head, inner, child)`; the parts of an arc come together.
    pub fn fill_siblings(&mut self, mut score: impl FnMut(usize, Option<usize>, usize) -> f32) {
        let mut scores = std::mem::take(&mut self.siblings);
        scores.clear();
        for (arc, (head, child)) in self.arcs().enumerate() {
            let parts = self.inner_words(arc as ArcId).map(|inner| score(head, inner, child));
            scores.extend(parts.map(storable));
        }
        self.siblings = scores;
    }

    /// Scores every grandparent part by `score(grand, head, child)`; the parts of an arc come together.
    pub fn fill_grands(&mut self, mut score: impl FnMut(Option<usize>, usize, usize) -> f32) {
        self.looks_up = true;
        let mut scores = std::mem::take(&mut self.grands);
        scores.clear();
        for (head, child) in self.arcs() {
            let parts = self.grand_words(head).map(|grand| score(grand, head, child));
            scores.extend(parts.map(storable));
        }
        self.grands = scores;
    }

    /// Scores every grand-sibling part by `score(grand, head, inner, child)`; the parts of an arc come
    /// together, by grandparent.
    pub fn fill_grand_siblings(
        &mut self,
        mut score: impl FnMut(Option<usize>, usize, Option<usize>, usize) -> f32,
    ) {
        self.looks_up = true;
        let mut scores = std::mem::take(&mut self.grand_siblings);
        scores.clear();
        for (arc, (head, child)) in self.arcs().enumerate() {
            for grand in self.grand_words(head) {
                let inner_words = self.inner_words(arc as ArcId);
                scores.extend(inner_words.map(|inner| storable(score(grand, head, inner, child))));
            }
        }
        self.grand_siblings = scores;
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
        let tables =
            [&mut self.arc_scores, &mut self.siblings, &mut self.grands, &mut self.grand_siblings];
        for score in tables.into_iter().flatten() {
            *score = storable(*score * factor);
        }
    }

    /// Number of words, the root not counted.
    pub fn words(&self) -> usize {
        self.words
    }

    /// All arcs as (head, child), by number.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.arcs.iter().map(|&(head, child)| (head as usize, child as usize))
    }

    /// The number of an arc, if it exists.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn id(&self, head: usize, child: usize) -> Option<ArcId> {
        Some(self.ids.get(head, child)).filter(|&arc| arc != ABSENT)
    }

    /// The score of a tree, part by part: −∞ if it uses an arc that does not exist.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn tree_score(&self, tree: &Heads) -> f64 {
        assert_eq!(tree.words(), self.words, "tree and scores differ in length");
        tree.arcs().map(|(_, child)| self.word_score(tree, child)).sum()
    }

    /// What the arc into `child` contributes to the score of a tree.
    pub(crate) fn word_score(&self, tree: &Heads, child: usize) -> f64 {
        let head = tree.head(child);
        let arc = self.id(head, child);
        let inner = tree.inner_sibling(child).map(|inner| self.id(head, inner));
        let grand = (head != 0).then(|| self.id(tree.head(head), head));
        match (arc, inner, grand) {
            (None, _, _) | (_, Some(None), _) | (_, _, Some(None)) => f64::NEG_INFINITY,
            (Some(arc), inner, grand) => sum(self.scores(arc, grand.flatten(), inner.flatten())),
        }
    }

    /// The scores of the four parts of an arc, given the arc into its head and the arc to the inner sibling.
    pub(crate) fn scores(
        &self,
        arc: ArcId,
        grand: Option<ArcId>,
        inner: Option<ArcId>,
    ) -> [f32; 4] {
        let at = arc as usize;
        let above = grand.map_or(0, |grand| self.rank[grand as usize] as usize);
        let beside = inner.map_or(0, |inner| (inner - self.inner(arc).start) as usize + 1);
        let width = self.inner(arc).len() + 1;
        let both = self.grand_sibling_start[at] + above * width + beside;
        [
            self.arc_scores[at],
            self.siblings[self.sibling_start[at] + beside],
            self.grands[self.grand_start[at] + above],
            self.grand_siblings.get(both).copied().unwrap_or(0.0),
        ]
    }

    /// The score of an arc alone.
    pub(crate) fn arc_score(&self, arc: ArcId) -> f32 {
        self.arc_scores[arc as usize]
    }

    /// Whether any part depends on grandparents.
    pub(crate) fn looks_up(&self) -> bool {
        self.looks_up
    }

    /// Head and child of an arc.
    pub(crate) fn arc(&self, arc: ArcId) -> (usize, usize) {
        let (head, child) = self.arcs[arc as usize];
        (head as usize, child as usize)
    }

    /// The arcs of a head, by child.
    pub(crate) fn leaving(&self, head: usize) -> Range<ArcId> {
        self.leaving[head]..self.leaving[head + 1]
    }

    /// The arcs of a head whose children lie between it and `end`, which counts.
    pub(crate) fn towards(&self, head: usize, end: usize) -> Range<ArcId> {
        let Range { start, end: stop } = self.leaving(head);
        let middle = self.rightward[head];
        if end > head {
            let arcs = &self.arcs[middle as usize..stop as usize];
            middle..middle + arcs.partition_point(|arc| arc.1 as usize <= end) as ArcId
        } else {
            let arcs = &self.arcs[start as usize..middle as usize];
            start + arcs.partition_point(|arc| (arc.1 as usize) < end) as ArcId..middle
        }
    }

    /// The arcs into a word, by head.
    pub(crate) fn entering(&self, word: usize) -> &[ArcId] {
        let (start, end) = (self.entering_start[word], self.entering_start[word + 1]);
        &self.entering[start as usize..end as usize]
    }

    /// The arcs to possible inner siblings.
    pub(crate) fn inner(&self, arc: ArcId) -> Range<ArcId> {
        let (head, child) = self.arc(arc);
        if child > head { self.rightward[head]..arc } else { arc + 1..self.rightward[head] }
    }

    /// The number of the sibling part of an arc and an inner sibling.
    pub(crate) fn sibling_cell(&self, arc: ArcId, inner: ArcId) -> usize {
        self.sibling_start[arc as usize] + (inner - self.inner(arc).start) as usize + 1
    }

    /// Number of sibling parts.
    pub(crate) fn sibling_cells(&self) -> usize {
        self.siblings.len()
    }

    /// No inner sibling, then each.
    fn inner_words(&self, arc: ArcId) -> impl Iterator<Item = Option<usize>> + '_ {
        std::iter::once(None).chain(self.inner(arc).map(|inner| Some(self.arc(inner).1)))
    }

    /// Each possible head of a head; none for the root.
    fn grand_words(&self, head: usize) -> impl Iterator<Item = Option<usize>> + '_ {
        let above = self.entering(head);
        let none = above.is_empty().then_some(None);
        none.into_iter().chain(above.iter().map(|&arc| Some(self.arc(arc).0)))
    }
}

/// The sum of parts.
pub(crate) fn sum(parts: [f32; 4]) -> f64 {
    parts.into_iter().map(f64::from).sum()
}
