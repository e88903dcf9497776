//! Hard constraints as edits of the score table, and the reason when nothing is left.
//!
//! Whatever the decoder, a constraint only forbids arcs: a required arc forbids the child's other heads.
//! A decoder answers `None` when the constraints leave no tree; [`ArcScores::infeasible`] then says why.

use thiserror::Error;

use super::{ArcScores, FORBIDDEN};
use crate::heads::RootMode;

/// Why a table allows no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Infeasible {
    /// Every arc into a word is forbidden.
    #[error("word {child} has no allowed head; allow at least one arc into it")]
    NoHead {
        /// The word.
        child: usize,
    },
    /// No chain of allowed arcs leads from the root to a word.
    #[error(
        "word {child} cannot be reached from the root; allow an arc into its part of the sentence"
    )]
    Unreachable {
        /// The first such word.
        child: usize,
    },
    /// Trees exist, but all of them have several root children.
    #[error(
        "every allowed tree has several root children; allow more arcs between words, or decode with RootMode::Many"
    )]
    SeveralRoots,
}

impl ArcScores {
    /// Forbids the arc `head → child`.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn forbid(&mut self, head: usize, child: usize) {
        self.set(head, child, FORBIDDEN);
    }

    /// Forbids every arc into `child` but the one from `head`, which keeps its score.
    ///
    /// An arc that was forbidden stays so: two different requirements for one word leave it headless,
    /// and every decoder reports that no tree is allowed. A requirement that is no arc does the same.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn require(&mut self, head: usize, child: usize) {
        assert!(head <= self.words(), "head beyond the sentence");
        let row = self.table.heads_of_mut(child);
        row[..head].fill(FORBIDDEN);
        row[head + 1..].fill(FORBIDDEN);
    }

    /// Requires the heads that are given, as in a partially annotated sentence: `heads[i]` is for word
    /// `i + 1`.
    ///
    /// # Panics
    /// If there are more heads than words or a head exceeds the number of words.
    pub fn require_heads(&mut self, heads: &[Option<u32>]) {
        for (i, head) in heads.iter().enumerate() {
            if let Some(head) = *head {
                self.require(head as usize, i + 1);
            }
        }
    }

    /// Requires `child` to be attached to the root and forbids this to every other word.
    ///
    /// # Panics
    /// If `child` exceeds the number of words.
    pub fn require_only_root(&mut self, child: usize) {
        self.require(0, child);
        for other in (1..=self.words()).filter(|&word| word != child) {
            self.forbid(0, other);
        }
    }

    /// The reason why no tree at all is allowed, or `None` if there is one.
    ///
    /// Concerns all trees: a table may allow trees but no projective one. O(n²) time; for messages, not
    /// for hot loops, as it allocates.
    pub fn infeasible(&self, mode: RootMode) -> Option<Infeasible> {
        let words = self.words();
        let headless = |&child: &usize| self.heads_of(child).iter().all(|&s| s == FORBIDDEN);
        if let Some(child) = (1..=words).find(headless) {
            return Some(Infeasible::NoHead { child });
        }
        let reached = self.reached_from(0);
        if let Some(child) = (1..=words).find(|&word| !reached[word]) {
            return Some(Infeasible::Unreachable { child });
        }
        let one_root = mode == RootMode::Many || words == 0 || self.has_single_root();
        (!one_root).then_some(Infeasible::SeveralRoots)
    }

    /// Whether some word may hang from the root and reaches every other word.
    ///
    /// The words that reach all others are mutually reachable, and the last start of a depth-first
    /// search over all words is one of them if there are any.
    fn has_single_root(&self) -> bool {
        let words = self.words();
        let mut seen = vec![false; words + 1];
        let mut last_start = 0;
        for start in 1..=words {
            if !seen[start] {
                self.reach(start, false, &mut seen);
                last_start = start;
            }
        }
        if !self.reached_from(last_start)[1..].iter().all(|&word| word) {
            return false;
        }
        let mut reaches = vec![false; words + 1];
        self.reach(last_start, true, &mut reaches);
        (1..=words).any(|word| reaches[word] && self.is_allowed(0, word))
    }

    fn reached_from(&self, start: usize) -> Vec<bool> {
        let mut seen = vec![false; self.words() + 1];
        self.reach(start, false, &mut seen);
        seen
    }

    /// Marks everything reached from `start` along allowed arcs, or against them if `backwards`.
    fn reach(&self, start: usize, backwards: bool, seen: &mut [bool]) {
        let mut open = vec![start];
        seen[start] = true;
        while let Some(word) = open.pop() {
            for next in 0..=self.words() {
                let (head, child) = if backwards { (next, word) } else { (word, next) };
                if !seen[next] && self.is_allowed(head, child) {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requiring_keeps_the_score_of_one_head() {
        let mut scores = ArcScores::from_fn(3, |head, _| head as f32);
        scores.require_heads(&[None, Some(3)]);
        assert_eq!(scores.heads_of(2), [FORBIDDEN, FORBIDDEN, FORBIDDEN, 3.0]);
        assert_eq!(scores.heads_of(1), [0.0, FORBIDDEN, 2.0, 3.0]);
    }

    #[test]
    fn contradiction_leaves_no_head() {
        let mut scores = ArcScores::from_fn(3, |_, _| 0.0);
        scores.require(1, 2);
        scores.require(3, 2);
        let reason = scores.infeasible(RootMode::Many);
        assert_eq!(reason, Some(Infeasible::NoHead { child: 2 }));
    }

    #[test]
    fn an_island_is_unreachable() {
        let mut scores = ArcScores::from_fn(3, |_, _| 0.0);
        scores.require(3, 2);
        scores.require(2, 3);
        assert_eq!(scores.infeasible(RootMode::Many), Some(Infeasible::Unreachable { child: 2 }));
    }

    #[test]
    fn one_root_needs_a_word_that_reaches_all() {
        let mut scores = ArcScores::from_fn(3, |_, _| 0.0);
        scores.require(0, 1);
        scores.require(0, 3);
        assert_eq!(scores.infeasible(RootMode::Many), None);
        assert_eq!(scores.infeasible(RootMode::One), Some(Infeasible::SeveralRoots));
        let mut scores = ArcScores::from_fn(3, |_, _| 0.0);
        scores.require_only_root(2);
        assert_eq!(scores.infeasible(RootMode::One), None);
        // Word 2 reaches the others but must not hang from the root.
        scores.require(2, 1);
        scores.require(2, 3);
        scores.forbid(0, 2);
        scores.forbid(1, 2);
        scores.set(3, 2, 0.0);
        assert_eq!(scores.infeasible(RootMode::One), Some(Infeasible::Unreachable { child: 1 }));
    }
}
