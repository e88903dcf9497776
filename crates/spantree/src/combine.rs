//! One tree from several parsers: votes, and the best tree that the parsers together could have given.
//!
//! All parsers must have the same words in the same sentences. Both questions fill a table of arc scores and leave the rest
//! to a maximum spanning tree: weighted votes (Sagae & Lavie 2006; Nivre et al. 2007) and the arc oracle of McDonald &
//! Nivre (2007). O(n² + s·n) per sentence for `s` parsers.
//!
//! ```
//! use spantree::combine::vote;
//! use spantree::treebank::Sentence;
//! let left = Sentence::from_words(&[("a", "X", 2, "dep"), ("b", "X", 0, "root")]);
//! let right = Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", 1, "dep")]);
//! let best = vote(&[&left, &right, &left], &[1.0, 1.0, 1.0]).unwrap();
//! assert_eq!(best.word(1).head(), Some(2));
//! ```

use spantree_decode::combine::{Votes, arc_union_oracle};
use spantree_decode::{ArcScores, ChuLiuEdmonds, Heads, RootMode, TreeDecoder};
use spantree_treebank::{Column, Sentence, Token, TreeError};
use thiserror::Error;

/// Why trees cannot be combined.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CombineError {
    /// No parser at all, or another number of weights than parsers.
    #[error("{systems} systems and {weights} weights; each system needs one")]
    Weights {
        /// Number of systems.
        systems: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A weight that is no weight.
    #[error("system {system} has the weight {weight}; give a finite number from 0")]
    Weight {
        /// Number of the system, from 1.
        system: usize,
        /// Its weight.
        weight: f32,
    },
    /// The words differ.
    #[error("word {word} is {first:?} in the first system and {other:?} in system {system}")]
    Words {
        /// The first word that differs, from 1.
        word: usize,
        /// What the first system has, `""` for nothing.
        first: String,
        /// What the other has.
        other: String,
        /// Number of the other system, from 1.
        system: usize,
    },
    /// A system's heads are not a tree.
    #[error("system {system}: {error}")]
    Tree {
        /// Number of the system, from 1.
        system: usize,
        /// What is wrong.
        error: TreeError,
    },
}

/// The tree with one root that has the most votes, as a copy of the first system's sentence.
///
/// Each system votes for its arcs with its weight; an arc gets the label that has most votes on it, the first of equals. Arcs
/// that nobody proposed are used only where nothing else gives a tree, and keep the label of the first system.
///
/// # Errors
/// When words differ, a system has no tree, or there is not one finite weight from 0 per system.
pub fn vote(systems: &[&Sentence], weights: &[f32]) -> Result<Sentence, CombineError> {
    vote_by(systems, weights, |_, _| 1.0)
}

/// The same, where each vote also counts as much as the system is sure of the arc, or of the label: by `HeadProb` and `LabelProb`
/// in MISC, and 1 without them (after Johansson & Nugues 2007, who add up scores of two parsers).
///
/// # Errors
/// Those of [`vote`].
pub fn vote_by_confidence(
    systems: &[&Sentence],
    weights: &[f32],
) -> Result<Sentence, CombineError> {
    vote_by(systems, weights, |word, name| {
        let share = word.misc_value(name).and_then(|value| value.parse().ok());
        share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or(1.0)
    })
}

/// Votes that count as much as `sure` says of a word and `HeadProb` or `LabelProb`.
fn vote_by(
    systems: &[&Sentence],
    weights: &[f32],
    sure: impl Fn(Token<'_>, &str) -> f32,
) -> Result<Sentence, CombineError> {
    let bad = (1..).zip(weights).find(|(_, weight)| !weight.is_finite() || **weight < 0.0);
    if let Some((system, &weight)) = bad {
        return Err(CombineError::Weight { system, weight });
    }
    let heads = checked_heads(systems, weights.len())?;
    let mut votes = Votes::new(systems[0].len());
    for ((tree, &weight), system) in heads.iter().zip(weights).zip(systems) {
        votes.add(tree, |child| weight * sure(system.word(child as u32), "HeadProb"));
    }
    let tree = best_tree(votes.scores()).unwrap_or_default();
    let mut result = systems[0].clone();
    for (head, child) in tree.arcs() {
        let word = child as u32;
        let voters = (0..systems.len()).filter(|&system| heads[system].head(child) == head);
        let label = best_label(voters.map(|system| {
            let word = systems[system].word(word);
            (word.deprel(), weights[system] * sure(word, "LabelProb"))
        }));
        result.set_head(word, Some(head as u32));
        if let Some(label) = label {
            result.set(word, Column::Deprel, label);
        }
    }
    Ok(result)
}

/// How many of the words that count are right in the best tree made of the systems' arcs.
///
/// `same` says whether a system's word is right, given that its head is, and `counts` which words count.
///
/// # Errors
/// When words differ or a sentence has no tree.
pub fn arc_oracle(
    gold: &Sentence,
    systems: &[&Sentence],
    counts: impl Fn(Token<'_>) -> bool,
    same: impl Fn(Token<'_>, Token<'_>) -> bool,
) -> Result<usize, CombineError> {
    let mut all = vec![gold];
    all.extend_from_slice(systems);
    let heads = checked_heads(&all, all.len())?;
    let (gold_heads, candidates) = heads.split_at(1);
    let mut scores = ArcScores::default();
    arc_union_oracle(&gold_heads[0], candidates, &mut scores);
    for (head, child) in candidates.iter().flat_map(Heads::arcs) {
        let word = gold.word(child as u32);
        let right = |(system, tree): (&&Sentence, &Heads)| {
            tree.head(child) == head && same(word, system.word(child as u32))
        };
        let is_right = counts(word) && systems.iter().zip(candidates).any(right);
        if scores.score(head, child) > 0.0 && !is_right {
            scores.set(head, child, 0.0);
        }
    }
    Ok(best_score(&scores))
}

fn best_tree(scores: &ArcScores) -> Option<Heads> {
    let (mut scratch, mut tree) = Default::default();
    ChuLiuEdmonds::new(RootMode::One).decode(scores, &mut scratch, &mut tree)?;
    Some(tree)
}

/// The score of the best tree; trees of gold standards may have several roots.
fn best_score(scores: &ArcScores) -> usize {
    let (mut scratch, mut tree) = Default::default();
    let score = ChuLiuEdmonds::new(RootMode::Many).decode(scores, &mut scratch, &mut tree);
    score.map_or(0, |score| score.round() as usize)
}

/// The heads of all systems, after checking that they have the same words and trees.
fn checked_heads(systems: &[&Sentence], weights: usize) -> Result<Vec<Heads>, CombineError> {
    if systems.is_empty() || systems.len() != weights {
        return Err(CombineError::Weights { systems: systems.len(), weights });
    }
    let mut heads = Vec::with_capacity(systems.len());
    for (number, system) in (1..).zip(systems) {
        same_words(systems[0], system, number)?;
        let tree = system.tree().map_err(|error| CombineError::Tree { system: number, error })?;
        heads.push(Heads::from(tree.heads().to_vec()));
    }
    Ok(heads)
}

fn same_words(first: &Sentence, other: &Sentence, system: usize) -> Result<(), CombineError> {
    let form = |sent: &Sentence, index: usize| {
        if index < sent.len() {
            sent.word(index as u32 + 1).form().to_owned()
        } else {
            String::new()
        }
    };
    for index in 0..first.len().max(other.len()) {
        let (first, other) = (form(first, index), form(other, index));
        if first != other {
            return Err(CombineError::Words { word: index + 1, first, other, system });
        }
    }
    Ok(())
}

/// The label with the largest summed weight, the first of equals.
fn best_label<'a>(votes: impl Iterator<Item = (&'a str, f32)>) -> Option<&'a str> {
    let mut sums: Vec<(&str, f32)> = Vec::new();
    for (label, weight) in votes {
        match sums.iter_mut().find(|(known, _)| *known == label) {
            Some((_, sum)) => *sum += weight,
            None => sums.push((label, weight)),
        }
    }
    sums.into_iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words `a b c …` with these heads and labels.
    fn sentence(arcs: &[(u32, &str)]) -> Sentence {
        let forms = ["a", "b", "c", "d"];
        let words: Vec<_> = forms
            .iter()
            .zip(arcs)
            .map(|(form, &(head, label))| (*form, "X", head, label))
            .collect();
        Sentence::from_words(&words)
    }

    fn arcs(sent: &Sentence) -> Vec<(u32, &str)> {
        sent.words().map(|word| (word.head().unwrap(), word.deprel())).collect()
    }

    #[test]
    fn one_system_wins_alone_and_three_copies_agree() {
        let one = sentence(&[(2, "nsubj"), (0, "root"), (2, "obj")]);
        assert_eq!(arcs(&vote(&[&one], &[1.0]).unwrap()), arcs(&one));
        assert_eq!(arcs(&vote(&[&one, &one, &one], &[1.0; 3]).unwrap()), arcs(&one));
    }

    #[test]
    fn heads_and_labels_are_voted_apart_from_each_other() {
        let a = sentence(&[(2, "nsubj"), (0, "root"), (2, "obj")]);
        let b = sentence(&[(2, "nsubj"), (0, "root"), (2, "obl")]);
        let c = sentence(&[(2, "csubj"), (0, "root"), (1, "nmod")]);
        assert_eq!(
            arcs(&vote(&[&c, &b, &a], &[1.0; 3]).unwrap()),
            [(2, "nsubj"), (0, "root"), (2, "obl")]
        );
        // 2.5 outweighs the two others.
        assert_eq!(arcs(&vote(&[&c, &b, &a], &[2.5, 1.0, 1.0]).unwrap()), arcs(&c));
    }

    #[test]
    fn a_vote_counts_as_much_as_it_is_sure() {
        let sure = |arcs: &[(u32, &str)], misc: &str| {
            let mut sent = sentence(arcs);
            (1..=arcs.len() as u32).for_each(|word| sent.set(word, Column::Misc, misc));
            sent
        };
        let a = sure(&[(2, "nsubj"), (0, "root"), (2, "obj")], "HeadProb=0.9|LabelProb=0.4");
        let b = sure(&[(0, "root"), (1, "obj"), (2, "obl")], "HeadProb=0.8|LabelProb=0.5");
        let voted = vote_by_confidence(&[&b, &a], &[1.0; 2]).unwrap();
        assert_eq!(arcs(&voted), [(2, "nsubj"), (0, "root"), (2, "obl")]);
        // Without a number, or with one that is none, a vote is sure.
        for misc in ["_", "HeadProb=NaN", "HeadProb=7"] {
            let c = sure(&[(0, "root"), (1, "obj"), (1, "obl")], misc);
            assert_eq!(
                arcs(&vote_by_confidence(&[&a, &c], &[1.0; 2]).unwrap()),
                arcs(&c),
                "{misc}"
            );
        }
    }

    #[test]
    fn the_oracle_counts_what_some_tree_of_the_union_gets_right() {
        let label = |word: Token<'_>| word.universal_deprel().to_owned();
        let heads = |gold, systems: &[&Sentence]| arc_oracle(gold, systems, |_| true, |_, _| true);
        let labelled = |gold, systems: &[&Sentence]| {
            arc_oracle(gold, systems, |_| true, |a, b| label(a) == label(b))
        };
        let gold = sentence(&[(2, "nsubj"), (0, "root"), (2, "obj"), (3, "nmod:of")]);
        let a = sentence(&[(2, "nsubj"), (0, "root"), (2, "iobj"), (2, "nmod")]);
        let b = sentence(&[(3, "nsubj"), (3, "conj"), (0, "root"), (3, "nmod")]);
        assert_eq!((heads(&gold, &[&a]), labelled(&gold, &[&a])), (Ok(3), Ok(2)));
        assert_eq!((heads(&gold, &[&b]), labelled(&gold, &[&b])), (Ok(1), Ok(1)));
        assert_eq!((heads(&gold, &[&a, &b]), labelled(&gold, &[&a, &b])), (Ok(4), Ok(3)));
        let but_the_last = arc_oracle(&gold, &[&a, &b], |word| word.form() != "d", |_, _| true);
        assert_eq!(but_the_last, Ok(3));
    }

    #[test]
    fn what_cannot_be_combined_is_named() {
        let a = sentence(&[(0, "root")]);
        let longer = sentence(&[(0, "root"), (1, "dep")]);
        let cyclic = sentence(&[(1, "dep")]);
        assert_eq!(
            vote(&[], &[]).unwrap_err().to_string(),
            "0 systems and 0 weights; each system needs one"
        );
        let error = vote(&[&a, &a], &[1.0, f32::NAN]).unwrap_err().to_string();
        assert_eq!(error, "system 2 has the weight NaN; give a finite number from 0");
        assert!(vote(&[&a], &[-1.0]).is_err());
        let error = vote(&[&a, &longer], &[1.0; 2]).unwrap_err().to_string();
        assert_eq!(error, r#"word 2 is "" in the first system and "b" in system 2"#);
        let error = vote(&[&a, &cyclic], &[1.0; 2]).unwrap_err().to_string();
        assert_eq!(error, "system 2: words 1 form a cycle");
    }
}
