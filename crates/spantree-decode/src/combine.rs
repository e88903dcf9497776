//! One tree from several: votes of parsers, and the best tree that their arcs could give.
//!
//! Both fill an [`ArcScores`] from trees; any decoder finds the tree, projective or not. For labelled
//! arcs, give each label its own votes in a [`LabelledArcScores`](crate::LabelledArcScores) and fold.

use crate::heads::Heads;
use crate::scores::ArcScores;

/// Votes of parsers on the arcs of one sentence (Sagae and Lavie, 2006; Nivre et al., 2007).
///
/// An arc scores the summed weights of the parsers that propose it. Arcs that nobody proposes score 0
/// and stay allowed, so that a tree always exists in both root modes.
///
/// ```
/// use spantree_decode::{ChuLiuEdmonds, Heads, RootMode, TreeDecoder, combine::Votes};
/// let mut votes = Votes::new(2);
/// votes.add(&Heads::from(vec![0, 1]), |_child| 1.0);
/// votes.add(&Heads::from(vec![2, 0]), |_child| 1.0);
/// votes.add(&Heads::from(vec![2, 0]), |_child| 0.5);
/// let (mut scratch, mut tree) = Default::default();
/// ChuLiuEdmonds::new(RootMode::One).decode(votes.scores(), &mut scratch, &mut tree);
/// assert_eq!(tree, Heads::from(vec![2, 0]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Votes {
    scores: ArcScores,
}

impl Votes {
    /// No votes yet for a sentence of `words` words.
    pub fn new(words: usize) -> Self {
        let mut votes = Self::default();
        votes.reset(words);
        votes
    }

    /// Forgets all votes, for a sentence of `words` words; memory is kept.
    pub fn reset(&mut self, words: usize) {
        self.scores.reset(words);
        self.scores.fill(|_, _| 0.0);
    }

    /// Adds a parser's tree; `weight` says how much the parser is trusted on a word, which may depend on
    /// the word's tag or be the probability that the parser gives to the arc.
    ///
    /// # Panics
    /// If the tree has a head or a child beyond the sentence.
    pub fn add(&mut self, tree: &Heads, weight: impl Fn(usize) -> f32) {
        for (head, child) in tree.arcs() {
            self.scores.add(head, child, weight(child));
        }
    }

    /// The votes as scores, to be decoded.
    pub fn scores(&self) -> &ArcScores {
        &self.scores
    }
}

/// Fills `scores` so that the best tree is the best one made of arcs of `candidates`, and its score the
/// number of its heads that agree with `gold` (McDonald and Nivre, 2007).
///
/// Arcs in some candidate score 1 if they are right and 0 if not; all others are forbidden.
///
/// # Panics
/// If the candidates differ from `gold` in length or have a head beyond it.
pub fn arc_union_oracle(gold: &Heads, candidates: &[Heads], scores: &mut ArcScores) {
    scores.reset(gold.words());
    for candidate in candidates {
        assert_eq!(candidate.words(), gold.words(), "candidate and gold differ in length");
        for (head, child) in candidate.arcs() {
            scores.set(head, child, f32::from(gold.head(child) == head));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChuLiuEdmonds, Eisner, RootMode, TreeDecoder};

    fn heads(list: &[u32]) -> Heads {
        Heads::from(list.to_vec())
    }

    fn best(scores: &ArcScores, mode: RootMode) -> (Heads, Option<f64>) {
        let (mut scratch, mut tree) = Default::default();
        let score = ChuLiuEdmonds::new(mode).decode(scores, &mut scratch, &mut tree);
        (tree, score)
    }

    #[test]
    fn a_single_voter_wins_and_so_do_three_copies() {
        let tree = heads(&[3, 3, 0, 1]);
        let mut votes = Votes::new(4);
        for _ in 0..3 {
            votes.add(&tree, |_| 1.0);
            assert_eq!(best(votes.scores(), RootMode::One).0, tree);
        }
    }

    #[test]
    fn weights_may_depend_on_the_word() {
        // The second parser is trusted on word 3 only.
        let mut votes = Votes::new(3);
        votes.add(&heads(&[2, 0, 2]), |_| 1.0);
        votes.add(&heads(&[0, 1, 1]), |child| if child == 3 { 2.0 } else { 0.1 });
        assert_eq!(best(votes.scores(), RootMode::One).0, heads(&[2, 0, 1]));
    }

    #[test]
    fn voters_with_several_roots_still_give_one() {
        let mut votes = Votes::new(3);
        votes.add(&heads(&[0, 0, 0]), |_| 1.0);
        assert_eq!(best(votes.scores(), RootMode::One).0.root_children(), 1);
        let (mut scratch, mut tree) = Default::default();
        Eisner::new(RootMode::One).decode(votes.scores(), &mut scratch, &mut tree);
        assert_eq!(tree.root_children(), 1);
    }

    #[test]
    fn the_oracle_beats_every_candidate_and_uses_only_their_arcs() {
        let gold = heads(&[2, 0, 2, 3]);
        let candidates = [heads(&[2, 0, 1, 2]), heads(&[0, 1, 2, 3])];
        let mut scores = ArcScores::default();
        arc_union_oracle(&gold, &candidates, &mut scores);
        let (tree, score) = best(&scores, RootMode::One);
        assert_eq!(score, Some(4.0));
        assert_eq!(tree, gold);
        arc_union_oracle(&gold, &candidates[..1], &mut scores);
        assert_eq!(best(&scores, RootMode::One), (candidates[0].clone(), Some(2.0)));
    }
}
