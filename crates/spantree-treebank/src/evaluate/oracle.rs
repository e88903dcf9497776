//! What the best choice among several systems would reach (McDonald & Nivre 2007).
//!
//! The tree oracle takes for each sentence the best tree that some system has. The arc oracle builds the best tree out of the
//! arcs of all systems, which needs a spanning tree decoder; [`arc_votes`] gives it the arcs, with the number of systems that
//! have each (the weights of voting, Sagae & Lavie 2006) and whether gold has it (the weights of the oracle).

use std::collections::BTreeMap;

use serde::Serialize;

use super::score::Score;
use crate::sentence::Sentence;

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

/// A labelled arc that some system has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArcVote {
    /// The head, 0 for the root.
    pub head: u32,
    /// The child.
    pub child: u32,
    /// The label.
    pub label: String,
    /// Number of systems that have it.
    pub votes: u32,
    /// Whether gold has it too.
    pub in_gold: bool,
}

/// The labelled arcs of several systems for one sentence, by child, head and label.
///
/// `None` when a sentence has another number of words than gold. Words without a head give no arc.
#[must_use]
pub fn arc_votes(gold: &Sentence, systems: &[&Sentence]) -> Option<Vec<ArcVote>> {
    if systems.iter().any(|sent| sent.len() != gold.len()) {
        return None;
    }
    let mut votes: BTreeMap<(u32, u32, &str), u32> = BTreeMap::new();
    for (child, word) in systems.iter().flat_map(|sent| (1..).zip(sent.words())) {
        if let Some(head) = word.head() {
            *votes.entry((child, head, word.deprel())).or_default() += 1;
        }
    }
    let vote = |((child, head, label), votes): ((u32, u32, &str), u32)| {
        let word = gold.word(child);
        let in_gold = word.head() == Some(head) && word.deprel() == label;
        ArcVote { head, child, label: label.to_owned(), votes, in_gold }
    };
    Some(votes.into_iter().map(vote).collect())
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

    #[test]
    fn arcs_are_counted_by_head_and_label() {
        let sentence =
            |head, label| Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", head, label)]);
        let gold = sentence(1, "obj");
        let [first, second, third] = [sentence(1, "obj"), sentence(1, "obl"), sentence(1, "obj")];
        let votes = arc_votes(&gold, &[&first, &second, &third]).unwrap();
        let rows: Vec<_> =
            votes.iter().map(|v| (v.head, v.child, &*v.label, v.votes, v.in_gold)).collect();
        assert_eq!(
            rows,
            [(0, 1, "root", 3, true), (1, 2, "obj", 2, true), (1, 2, "obl", 1, false)]
        );
        assert_eq!(arc_votes(&gold, &[&Sentence::new()]), None);
    }
}
