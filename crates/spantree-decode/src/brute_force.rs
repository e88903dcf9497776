//! Every tree of a short sentence, one by one: the oracle of the tests.
//!
//! Exponential: `(n + 1)ⁿ` head lists are tried, so up to about seven words. Behind the feature
//! `brute-force`, for the tests and benchmarks of this and other crates.

use crate::heads::{Heads, RootMode};
use crate::scores::ArcScores;
use crate::semiring::{LogSum, Semiring};
use crate::table::ArcTable;

/// A set of trees to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSpace {
    /// The number of root children.
    pub mode: RootMode,
    /// Whether only projective trees belong to the space.
    pub projective: bool,
}

impl TreeSpace {
    /// All trees of `words` words, in lexicographic order of their heads.
    pub fn trees(self, words: usize) -> impl Iterator<Item = Heads> {
        let mut next = Some(vec![0; words]);
        let lists = std::iter::from_fn(move || {
            let list = next.take()?;
            next = successor(&list);
            Some(Heads::from(list))
        });
        lists.filter(move |tree| {
            tree.is_legal(self.mode) && (!self.projective || tree.is_projective())
        })
    }

    /// All trees that use no forbidden arc, with their scores, best first; ties in lexicographic order.
    pub fn ranked(self, scores: &ArcScores) -> Vec<(Heads, f64)> {
        let scored = self.trees(scores.words()).map(|tree| {
            let score = scores.tree_score(&tree);
            (tree, score)
        });
        let mut trees: Vec<_> = scored.filter(|(_, score)| *score > f64::NEG_INFINITY).collect();
        trees.sort_by(|a, b| b.1.total_cmp(&a.1));
        trees
    }

    /// The logarithm of the summed weight of all trees, or `None` if there is none.
    pub fn log_partition(self, scores: &ArcScores) -> Option<f64> {
        let values: Vec<f64> = self.ranked(scores).into_iter().map(|(_, score)| score).collect();
        let top = *values.first()?;
        Some(top + values.iter().map(|score| (score - top).exp()).sum::<f64>().ln())
    }

    /// The probability of every arc; all zero if there is no tree.
    pub fn marginals(self, scores: &ArcScores) -> ArcTable<f64> {
        let trees = self.ranked(scores);
        let top = trees.first().map_or(0.0, |(_, score)| *score);
        let total: f64 = trees.iter().map(|(_, score)| (score - top).exp()).sum();
        let mut marginals = ArcTable::new(scores.words(), 0.0);
        for (tree, score) in &trees {
            for (head, child) in tree.arcs() {
                let sum = marginals.get(head, child) + (score - top).exp() / total;
                marginals.set(head, child, sum);
            }
        }
        marginals
    }

    /// The score of the best tree that contains each arc: −∞ if there is none.
    pub fn max_marginals(self, scores: &ArcScores) -> ArcTable<f64> {
        let mut best = ArcTable::new(scores.words(), LogSum::ZERO);
        for (tree, score) in self.ranked(scores) {
            for (head, child) in tree.arcs() {
                best.set(head, child, best.get(head, child).max(score));
            }
        }
        best
    }
}

/// The next list of heads in lexicographic order.
fn successor(list: &[u32]) -> Option<Vec<u32>> {
    let largest = list.len() as u32;
    let at = list.iter().rposition(|&head| head < largest)?;
    let mut next = list.to_vec();
    next[at] += 1;
    next[at + 1..].fill(0);
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(mode: RootMode, projective: bool) -> Vec<usize> {
        (1..=6).map(|words| TreeSpace { mode, projective }.trees(words).count()).collect()
    }

    #[test]
    fn known_numbers_of_trees() {
        assert_eq!(counts(RootMode::Many, false), [1, 3, 16, 125, 1296, 16807]);
        assert_eq!(counts(RootMode::One, false), [1, 2, 9, 64, 625, 7776]);
        assert_eq!(counts(RootMode::Many, true), [1, 3, 12, 55, 273, 1428]);
        assert_eq!(counts(RootMode::One, true), [1, 2, 7, 30, 143, 728]);
    }
}
