//! Uphill from one tree: the best change again and again.

use crate::heads::{Heads, RootMode};
use crate::parts::PartScores;

/// A change that gains less is not made: rounding could go round in circles.
pub(super) const SMALLEST_GAIN: f64 = 1e-6;

/// A tree that is being changed.
#[derive(Debug)]
pub(super) struct Climb<'a> {
    parts: &'a PartScores,
    mode: RootMode,
    tree: &'a mut Heads,
}

/// New heads of one word or two, as (head, child).
#[derive(Clone, Copy, Debug)]
struct Change {
    gain: f64,
    first: (usize, usize),
    second: Option<(usize, usize)>,
}

impl<'a> Climb<'a> {
    pub(super) fn new(parts: &'a PartScores, mode: RootMode, tree: &'a mut Heads) -> Self {
        Self { parts, mode, tree }
    }

    /// Changes the tree until nothing gains, and returns its score.
    pub(super) fn finish(mut self) -> f64 {
        while let Some(change) = self.best_change() {
            for (head, child) in std::iter::once(change.first).chain(change.second) {
                self.tree.attach(head, child);
            }
        }
        self.parts.tree_score(self.tree)
    }

    fn best_change(&mut self) -> Option<Change> {
        let mut best = Change { gain: SMALLEST_GAIN, first: (0, 0), second: None };
        for child in 1..=self.parts.words() {
            for &arc in self.parts.set().entering(child) {
                let head = self.parts.set().arc(arc).0;
                if self.may_move(child, head) {
                    let gain = self.gain(child, head);
                    if gain > best.gain {
                        best = Change { gain, first: (head, child), second: None };
                    }
                }
            }
        }
        if self.mode == RootMode::One {
            self.try_new_roots(&mut best);
        }
        (best.first.1 > 0).then_some(best)
    }

    /// Whether moving one word leaves a tree with as many root children as wanted.
    fn may_move(&self, child: usize, head: usize) -> bool {
        let old = self.tree.head(child);
        let keeps_root = self.mode == RootMode::Many || (old != 0 && head != 0);
        head != old && keeps_root && !self.dominates(child, head)
    }

    /// Whether `word` is `top` or below it.
    fn dominates(&self, top: usize, mut word: usize) -> bool {
        while word != 0 && word != top {
            word = self.tree.head(word);
        }
        word == top
    }

    /// Another word as the only child of the root, and the old one below it.
    fn try_new_roots(&mut self, best: &mut Change) {
        let Some(old) = (1..=self.parts.words()).find(|&word| self.tree.head(word) == 0) else {
            return;
        };
        let before = self.parts.tree_score(self.tree);
        for new in (1..=self.parts.words()).filter(|&word| word != old) {
            if self.parts.id(0, new).is_none() {
                continue;
            }
            let head_of_new = self.tree.head(new);
            for &arc in self.parts.set().entering(old) {
                let head = self.parts.set().arc(arc).0;
                if head == 0 || !self.dominates(new, head) {
                    continue;
                }
                self.tree.attach(0, new);
                self.tree.attach(head, old);
                let gain = self.parts.tree_score(self.tree) - before;
                self.tree.attach(head_of_new, new);
                self.tree.attach(0, old);
                if gain > best.gain {
                    *best = Change { gain, first: (0, new), second: Some((head, old)) };
                }
            }
        }
    }

    /// What the score gains when `child` moves to `head`; a tree need not come out.
    ///
    /// Only these words contribute something else than before: the child, its children, whose grandparent
    /// changes, the one or two siblings outside its old and its new place, and both heads, whose outermost children may
    /// change.
    pub(super) fn gain(&mut self, child: usize, head: usize) -> f64 {
        let old_head = self.tree.head(child);
        if old_head == head {
            return 0.0;
        }
        let beside_old = self.outer_siblings(child);
        self.tree.attach(head, child);
        let beside_new = self.outer_siblings(child);
        let above = [old_head, head]
            .map(|word| Some(word).filter(|&word| word > 0 && self.parts.has_outermost()));
        let touched = [[Some(child), None], above, beside_old, beside_new];
        let touched = touched.as_flattened();
        let after = self.score_of(touched, child);
        self.tree.attach(old_head, child);
        after - self.score_of(touched, child)
    }

    /// The words whose parts have `child` as inner or as second sibling.
    fn outer_siblings(&self, child: usize) -> [Option<usize>; 2] {
        let next = self.tree.outer_sibling(child);
        let after = next.filter(|_| self.parts.has_tri_siblings());
        [next, after.and_then(|next| self.tree.outer_sibling(next))]
    }

    /// What these words and the children of one of them contribute, each once.
    fn score_of(&self, words: &[Option<usize>], parent: usize) -> f64 {
        let score = |word| self.parts.word_score(self.tree, word);
        let distinct = (0..words.len()).filter(|&place| !words[..place].contains(&words[place]));
        let sum: f64 = distinct.filter_map(|place| words[place]).map(score).sum();
        if !self.parts.looks_up() {
            return sum;
        }
        let children = self.tree.arcs().filter(|&(head, _)| head == parent);
        let others = children.filter(|&(_, child)| !words.contains(&Some(child)));
        sum + others.map(|(_, child)| score(child)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute_force::TreeSpace;

    /// Every single move of every tree: the predicted gain is the difference of the scores from scratch.
    #[test]
    fn gains_are_differences_of_scores() {
        let score = |a: usize, b: usize, c: usize| ((a * 31 + b * 17 + c * 7) % 13) as f32;
        let mut parts = PartScores::default();
        parts.reset(4, |_, _| true);
        parts.fill_arcs(|head, child| score(head, child, 1));
        parts.fill_siblings(|head, inner, child| score(head, inner.unwrap_or(9), child));
        parts.fill_grands(|grand, head, child| score(grand.unwrap_or(8), head, child + 5));
        parts.fill_outermost(|head, child, side, outermost| {
            score(head, child * 3, outermost.unwrap_or(6 + side as usize))
        });
        parts.fill_tri_siblings(|head, second, inner, child| {
            score(head * 5 + second.unwrap_or(7), inner, child)
        });
        let space = TreeSpace { mode: RootMode::Many, projective: false };
        for tree in space.trees(4) {
            for (child, head) in (1..=4).flat_map(|c| (0..=4).map(move |h| (c, h))) {
                if child != head {
                    let (mut changed, mut moved) = (tree.clone(), tree.clone());
                    let gain = Climb::new(&parts, RootMode::Many, &mut changed).gain(child, head);
                    assert_eq!(changed, tree, "only a trial");
                    moved.attach(head, child);
                    assert_eq!(gain, parts.tree_score(&moved) - parts.tree_score(&tree));
                }
            }
        }
    }
}
