//! Best trees and complete k-best lists.

use std::collections::HashSet;

use proptest::prelude::*;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{ArcScores, ChuLiuEdmonds, Eisner, Heads, Ranked, TreeDecoder};

use super::tables::{all_trees, close, modes, projective, rounding, tables};

fn check_best<D: TreeDecoder>(
    decoder: &D,
    space: TreeSpace,
    scores: &ArcScores,
) -> Result<(), TestCaseError> {
    let mut tree = Heads::default();
    let found = decoder.decode(scores, &mut D::Scratch::default(), &mut tree);
    let expected = space.ranked(scores).first().map(|(_, score)| *score);
    prop_assert_eq!(found.is_some(), expected.is_some());
    if let (Some(found), Some(expected)) = (found, expected) {
        prop_assert!(tree.is_legal(space.mode), "{tree:?}");
        prop_assert!(!space.projective || tree.is_projective(), "{tree:?}");
        prop_assert_eq!(found, scores.tree_score(&tree));
        prop_assert!(close(found, expected, rounding(scores)), "{} is not {}", found, expected);
    }
    Ok(())
}

/// The whole list for any `k`: legal, distinct, sorted, complete, and with the right scores.
fn check_list<D: TreeDecoder>(
    decoder: &D,
    space: TreeSpace,
    scores: &ArcScores,
    k: usize,
) -> Result<(), TestCaseError> {
    let mut trees = Ranked::default();
    decoder.k_best(scores, k, &mut D::Scratch::default(), &mut trees);
    let expected = space.ranked(scores);
    prop_assert_eq!(trees.len(), k.min(expected.len()));
    let distinct: HashSet<_> = trees.iter().map(|(tree, _)| tree).collect();
    prop_assert_eq!(distinct.len(), trees.len());
    let mut previous = f64::INFINITY;
    for ((tree, score), (_, expected)) in trees.iter().zip(expected) {
        prop_assert!(tree.is_legal(space.mode), "{tree:?}");
        prop_assert!(!space.projective || tree.is_projective(), "{tree:?}");
        prop_assert_eq!(score, scores.tree_score(tree));
        prop_assert!(score <= previous);
        prop_assert!(close(score, expected, rounding(scores)), "{} is not {}", score, expected);
        previous = score;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn best_tree(scores in tables(6), mode in modes()) {
        check_best(&ChuLiuEdmonds::new(mode), all_trees(mode), &scores)?;
        check_best(&Eisner::new(mode), projective(mode), &scores)?;
    }

    #[test]
    fn k_best_trees(scores in tables(5), mode in modes(), k in 0..40usize) {
        check_list(&ChuLiuEdmonds::new(mode), all_trees(mode), &scores, k)?;
        check_list(&Eisner::new(mode), projective(mode), &scores, k)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn all_trees_in_order(scores in tables(5), mode in modes()) {
        check_list(&ChuLiuEdmonds::new(mode), all_trees(mode), &scores, usize::MAX)?;
        check_list(&Eisner::new(mode), projective(mode), &scores, usize::MAX)?;
    }
}

#[test]
fn all_trees_of_six_words() {
    for mode in [spantree_decode::RootMode::One, spantree_decode::RootMode::Many] {
        let scores = ArcScores::from_fn(6, |head, child| ((head * 37 + child * 23) % 17) as f32);
        check_list(&ChuLiuEdmonds::new(mode), all_trees(mode), &scores, usize::MAX).unwrap();
        check_list(&Eisner::new(mode), projective(mode), &scores, usize::MAX).unwrap();
    }
}
