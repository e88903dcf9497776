//! What the best choice among several systems would reach (McDonald & Nivre 2007).
//!
//! The tree oracle takes for each sentence the best tree that some system has. The arc oracle, the best tree made of the arcs
//! of all systems, needs a spanning tree decoder and is in the crate `spantree`.

use serde::Serialize;

use super::score::Score;

/// The best system of each sentence and what they reach together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeOracle {
    /// The score when each sentence comes from the system that does it best.
    pub score: Score,
    /// The system of each sentence; the first of several equally good ones.
    pub choice: Vec<usize>,
}

/// The tree oracle over the sentence scores of several systems against the same gold treebank.
///
/// `None` without systems, or when they differ in the number of sentences. With other tokens than gold the F1 of each
/// sentence decides, which need not give the best F1 of the whole.
#[must_use]
pub fn tree_oracle(systems: &[Vec<Score>]) -> Option<TreeOracle> {
    let sentences = systems.first()?.len();
    if systems.iter().any(|scores| scores.len() != sentences) {
        return None;
    }
    let best = |sentence: usize| {
        let f1 = |system: usize| systems[system][sentence].f1();
        (1..systems.len()).fold(0, |best, system| if f1(system) > f1(best) { system } else { best })
    };
    let choice: Vec<_> = (0..sentences).map(best).collect();
    let score =
        choice.iter().enumerate().map(|(sentence, &system)| systems[system][sentence]).sum();
    Some(TreeOracle { score, choice })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(correct: &[u64]) -> Vec<Score> {
        correct
            .iter()
            .map(|&correct| Score { gold: 4, system: 4, correct, aligned: None })
            .collect()
    }

    #[test]
    fn the_best_system_of_each_sentence() {
        let oracle = tree_oracle(&[scores(&[1, 4, 2]), scores(&[3, 3, 2])]).unwrap();
        assert_eq!(oracle.choice, [1, 0, 0]);
        assert_eq!(oracle.score.correct, 3 + 4 + 2);
        assert_eq!(oracle.score.gold, 12);
        assert_eq!(tree_oracle(&[]), None);
        assert_eq!(tree_oracle(&[scores(&[1]), scores(&[1, 2])]), None);
    }
}
