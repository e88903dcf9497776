//! The table of arc scores that every tree decoder reads.
//!
//! A scorer fills it; loss augmentation, pruning and constraints are edits of it. A tree scores the sum
//! of its arcs. The score −∞ forbids an arc. Three rules hold for every table, whatever is written to it:
//!
//! * arcs into the root and from a word to itself are forbidden;
//! * NaN is stored as −∞ (forbidden), so one bad score cannot poison a sentence;
//! * +∞ is stored as [`f32::MAX`], so sums in `f64` stay finite.

mod constraints;
mod labelled;

pub use constraints::Infeasible;
pub use labelled::{LabelId, LabelledArcScores};

use crate::heads::Heads;
use crate::table::ArcTable;

/// The score of a forbidden arc.
pub const FORBIDDEN: f32 = f32::NEG_INFINITY;

/// Scores of all arcs of one sentence; see the [module documentation](self) for the rules.
///
/// ```
/// use spantree_decode::ArcScores;
/// let scores = ArcScores::from_fn(3, |head, child| head as f32 - child as f32);
/// assert_eq!(scores.score(3, 1), 2.0);
/// assert!(!scores.is_allowed(2, 2) && !scores.is_allowed(1, 0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ArcScores {
    table: ArcTable<f32>,
}

/// The table of the empty sentence.
impl Default for ArcScores {
    fn default() -> Self {
        Self::new(0)
    }
}

impl ArcScores {
    /// A table for `words` words in which every arc is forbidden.
    pub fn new(words: usize) -> Self {
        Self { table: ArcTable::new(words, FORBIDDEN) }
    }

    /// A table whose arc `head → child` scores `score(head, child)`; arcs are visited child by child.
    pub fn from_fn(words: usize, score: impl FnMut(usize, usize) -> f32) -> Self {
        let mut scores = Self::new(words);
        scores.fill(score);
        scores
    }

    /// Resizes to `words` words and forbids every arc; memory is kept.
    pub fn reset(&mut self, words: usize) {
        self.table.reset(words, FORBIDDEN);
    }

    /// Replaces every arc's score by `score(head, child)`; arcs are visited child by child.
    pub fn fill(&mut self, mut score: impl FnMut(usize, usize) -> f32) {
        for child in 1..=self.words() {
            let row = self.table.heads_of_mut(child);
            for (head, cell) in row.iter_mut().enumerate() {
                if head != child {
                    *cell = storable(score(head, child));
                }
            }
        }
    }

    /// Number of words, the root not counted.
    pub fn words(&self) -> usize {
        self.table.words()
    }

    /// The score of the arc `head → child`.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn score(&self, head: usize, child: usize) -> f32 {
        self.table.get(head, child)
    }

    /// Whether the arc `head → child` may be used.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn is_allowed(&self, head: usize, child: usize) -> bool {
        self.score(head, child) > FORBIDDEN
    }

    /// The scores of all arcs into `child`, indexed by head `0..=n`.
    ///
    /// # Panics
    /// If `child` exceeds the number of words.
    pub fn heads_of(&self, child: usize) -> &[f32] {
        self.table.heads_of(child)
    }

    /// Replaces the score of the arc `head → child`; without effect on cells that are not arcs.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn set(&mut self, head: usize, child: usize, score: f32) {
        if head != child && child != 0 {
            self.table.set(head, child, storable(score));
        }
    }

    /// Adds `cost` to the score of the arc `head → child`; a forbidden arc stays forbidden.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn add(&mut self, head: usize, child: usize, cost: f32) {
        if self.is_allowed(head, child) {
            self.set(head, child, self.score(head, child) + cost);
        }
    }

    /// The sum of the arc scores of a tree: −∞ if it uses a forbidden arc.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn tree_score(&self, tree: &Heads) -> f64 {
        assert_eq!(tree.words(), self.words(), "tree and scores differ in length");
        tree.arcs().map(|(head, child)| f64::from(self.score(head, child))).sum()
    }

    /// Takes over size and scores of `other`; memory is kept.
    pub fn copy_from(&mut self, other: &Self) {
        self.table.copy_from(&other.table);
    }
}

/// The value stored for a score: see the rules of the module.
pub(crate) fn storable(score: f32) -> f32 {
    if score.is_nan() { FORBIDDEN } else { score.min(f32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arcs_can_be_set() {
        let mut scores = ArcScores::new(2);
        scores.set(1, 1, 5.0);
        scores.set(1, 0, 5.0);
        assert_eq!(scores, ArcScores::new(2));
        scores.set(0, 1, 5.0);
        assert_eq!(scores.score(0, 1), 5.0);
    }

    #[test]
    fn nan_forbids_and_infinity_is_capped() {
        let scores = ArcScores::from_fn(1, |_, _| f32::NAN);
        assert!(!scores.is_allowed(0, 1));
        let scores = ArcScores::from_fn(1, |_, _| f32::INFINITY);
        assert_eq!(scores.score(0, 1), f32::MAX);
    }

    #[test]
    fn costs_leave_forbidden_arcs_alone() {
        let mut scores = ArcScores::new(2);
        scores.set(0, 1, 1.5);
        scores.add(0, 1, 2.0);
        scores.add(0, 2, 2.0);
        assert_eq!(scores.score(0, 1), 3.5);
        assert!(!scores.is_allowed(0, 2));
    }
}
