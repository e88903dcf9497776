//! 1-endpoint-crossing trees: the best and complete k-best lists.

use std::collections::HashSet;

use proptest::prelude::*;
use spantree_decode::{
    ArcScores, Heads, OneEndpointCrossing, OneEndpointCrossingScratch, Ranked, RootMode,
    TreeDecoder,
};

use super::tables::{all_trees, close, modes, projective, rounding, tables};

/// The scores of all trees of the space, best first.
fn ranked(mode: RootMode, scores: &ArcScores) -> Vec<f64> {
    let trees = all_trees(mode).ranked(scores).into_iter();
    trees.filter(|(tree, _)| tree.is_one_endpoint_crossing()).map(|(_, score)| score).collect()
}

fn check_tree(
    tree: &Heads,
    mode: RootMode,
    scores: &ArcScores,
    score: f64,
) -> Result<(), TestCaseError> {
    prop_assert!(tree.is_legal(mode) && tree.is_one_endpoint_crossing(), "{tree:?}");
    prop_assert_eq!(score, scores.tree_score(tree));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn best_tree(scores in tables(6), mode in modes()) {
        let (mut scratch, mut tree) = (OneEndpointCrossingScratch::default(), Heads::default());
        let found = OneEndpointCrossing::new(mode).decode(&scores, &mut scratch, &mut tree);
        let expected = ranked(mode, &scores).first().copied();
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            check_tree(&tree, mode, &scores, found)?;
            prop_assert!(close(found, expected, rounding(&scores)), "{} is not {}", found, expected);
        }
    }

    /// Between the best projective tree and the best of the space, and the best with as many heads as there are.
    #[test]
    fn few_heads(scores in tables(6), mode in modes(), heads in 1..8usize) {
        let (mut scratch, mut tree) = (OneEndpointCrossingScratch::default(), Heads::default());
        let decoder = OneEndpointCrossing::new(mode).among_best(heads);
        let found = decoder.decode(&scores, &mut scratch, &mut tree);
        let best = ranked(mode, &scores).first().copied();
        let projective = projective(mode).ranked(&scores).first().map(|(_, score)| *score);
        prop_assert_eq!(found.is_some(), best.is_some());
        if let (Some(found), Some(best)) = (found, best) {
            check_tree(&tree, mode, &scores, found)?;
            let error = rounding(&scores);
            prop_assert!(found <= best + error);
            prop_assert!(projective.is_none_or(|projective| found >= projective - error));
            prop_assert!(heads < 7 || close(found, best, error), "{} is not {}", found, best);
        }
    }

    /// Legal, distinct, sorted, complete, and with the right scores.
    #[test]
    fn k_best_trees(scores in tables(5), mode in modes(), k in 0..40usize) {
        let (mut scratch, mut trees) = (OneEndpointCrossingScratch::default(), Ranked::default());
        OneEndpointCrossing::new(mode).k_best(&scores, k, &mut scratch, &mut trees);
        let expected = ranked(mode, &scores);
        prop_assert_eq!(trees.len(), k.min(expected.len()));
        let distinct: HashSet<_> = trees.iter().map(|(tree, _)| tree).collect();
        prop_assert_eq!(distinct.len(), trees.len());
        let mut previous = f64::INFINITY;
        for ((tree, score), expected) in trees.iter().zip(expected) {
            check_tree(tree, mode, &scores, score)?;
            prop_assert!(score <= previous);
            prop_assert!(close(score, expected, rounding(&scores)), "{} is not {}", score, expected);
            previous = score;
        }
    }
}
