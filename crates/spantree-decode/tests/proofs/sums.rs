//! Partition functions, marginals, counts and max-marginals.

use proptest::prelude::*;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{ArcScores, ArcTable, Eisner, MatrixTree, RootMode, TreeDistribution};

use super::tables::{all_trees, close, modes, projective, rounding, tables};

fn check_sums<D: TreeDistribution>(
    distribution: &D,
    space: TreeSpace,
    scores: &ArcScores,
) -> Result<(), TestCaseError> {
    let mut scratch = D::Scratch::default();
    let mut marginals = ArcTable::default();
    let expected = space.log_partition(scores);
    let log_z = distribution.log_partition(scores, &mut scratch);
    prop_assert_eq!(log_z.is_some(), expected.is_some());
    let again = distribution.marginals(scores, &mut scratch, &mut marginals);
    prop_assert_eq!(again.is_some(), expected.is_some());
    if let (Some(log_z), Some(again), Some(expected)) = (log_z, again, expected) {
        let error = rounding(scores);
        prop_assert!(close(log_z, expected, error), "{} is not {}", log_z, expected);
        prop_assert!(close(again, expected, error), "{} is not {}", again, expected);
        check_tables(&marginals, &space.marginals(scores), error)?;
    }
    Ok(())
}

fn check_tables(
    found: &ArcTable<f64>,
    expected: &ArcTable<f64>,
    error: f64,
) -> Result<(), TestCaseError> {
    for child in 1..=expected.words() {
        let heads = found.heads_of(child).iter().zip(expected.heads_of(child));
        for (head, (&a, &b)) in heads.enumerate() {
            prop_assert!(close(a, b, error), "{head} → {child}: {a} is not {b}");
        }
    }
    Ok(())
}

/// Marginals as central differences of the log partition function.
fn check_gradient<D: TreeDistribution>(
    distribution: &D,
    scores: &ArcScores,
) -> Result<(), TestCaseError> {
    const STEP: f32 = 1.0 / 1024.0;
    let mut scratch = D::Scratch::default();
    let mut marginals = ArcTable::default();
    if distribution.marginals(scores, &mut scratch, &mut marginals).is_none() {
        return Ok(());
    }
    for child in 1..=scores.words() {
        for head in (0..=scores.words()).filter(|&head| scores.is_allowed(head, child)) {
            let mut log_z = |cost: f32| {
                let mut moved = scores.clone();
                moved.add(head, child, cost);
                let step =
                    f64::from(moved.score(head, child)) - f64::from(scores.score(head, child));
                (distribution.log_partition(&moved, &mut scratch).unwrap(), step)
            };
            let ((up, step_up), (down, step_down)) = (log_z(STEP), log_z(-STEP));
            let slope = (up - down) / (step_up - step_down);
            prop_assert!(close(marginals.get(head, child), slope, 1e-6));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn sums_equal_brute_force(scores in tables(6), mode in modes()) {
        check_sums(&MatrixTree::new(mode), all_trees(mode), &scores)?;
        check_sums(&Eisner::new(mode), projective(mode), &scores)?;
    }

    #[test]
    fn marginals_are_the_gradient(scores in tables(5), mode in modes()) {
        // Differences of larger scores drown in the rounding of `f32`.
        if rounding(&scores) <= 1e-12 {
            check_gradient(&MatrixTree::new(mode), &scores)?;
            check_gradient(&Eisner::new(mode), &scores)?;
        }
    }

    #[test]
    fn max_marginals_equal_brute_force(scores in tables(6), mode in modes()) {
        let (mut scratch, mut found) = Default::default();
        let best = Eisner::new(mode).max_marginals(&scores, &mut scratch, &mut found);
        let expected = projective(mode).ranked(&scores);
        prop_assert_eq!(best.is_some(), !expected.is_empty());
        if best.is_some() {
            check_tables(&found, &projective(mode).max_marginals(&scores), rounding(&scores))?;
        }
    }

    #[test]
    fn counts_equal_brute_force(scores in tables(6), mode in modes()) {
        let count = Eisner::new(mode).count(&scores, &mut Default::default());
        prop_assert_eq!(count, projective(mode).ranked(&scores).len() as u128);
    }

    /// The mass of allowed trees is never more than that of all trees.
    #[test]
    fn a_mask_lowers_the_sum(scores in tables(5), mask in tables(5), mode in modes()) {
        let words = scores.words();
        let mut masked = scores.clone();
        masked.fill(|head, child| {
            let kept = mask.words() < words || mask.is_allowed(head, child);
            if kept { scores.score(head, child) } else { f32::NEG_INFINITY }
        });
        let matrix_tree = MatrixTree::new(mode);
        let all = matrix_tree.log_partition(&scores, &mut Default::default());
        let allowed = matrix_tree.log_partition(&masked, &mut Default::default());
        if let (Some(all), Some(allowed)) = (all, allowed) {
            prop_assert!(allowed <= all || close(allowed, all, rounding(&scores)));
        }
        prop_assert!(all.is_some() || allowed.is_none());
    }
}

#[test]
fn known_numbers_of_trees() {
    let (one, many) = (RootMode::One, RootMode::Many);
    let zeros = |words| ArcScores::from_fn(words, |_, _| 0.0);
    let projective = |mode: RootMode| -> Vec<u128> {
        (1..=6).map(|n| Eisner::new(mode).count(&zeros(n), &mut Default::default())).collect()
    };
    assert_eq!(projective(many), [1, 3, 12, 55, 273, 1428]);
    assert_eq!(projective(one), [1, 2, 7, 30, 143, 728]);
    for words in 1..=60 {
        let n = words as f64;
        for (mode, expected) in [(many, (n - 1.0) * (n + 1.0).ln()), (one, (n - 1.0) * n.ln())] {
            let log_z = MatrixTree::new(mode).log_partition(&zeros(words), &mut Default::default());
            assert!(close(log_z.unwrap(), expected, 1e-11), "{words} words: {log_z:?}");
        }
    }
}
