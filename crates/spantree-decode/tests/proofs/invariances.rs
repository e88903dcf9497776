//! What must hold for any length: relations between decoders and between tables.

use proptest::prelude::*;
use spantree_decode::{
    ArcScores, ChuLiuEdmonds, Eisner, Heads, MatrixTree, RootMode, TreeDecoder, TreeDistribution,
};

use super::tables::{close, modes, rounding, tables};

/// Distinct scores in general position, so that the best tree is unique.
fn general(words: usize) -> impl Strategy<Value = ArcScores> {
    prop::collection::vec(-8.0f32..8.0, (words + 1) * (words + 1)).prop_map(move |cells| {
        ArcScores::from_fn(words, |head, child| cells[child * (words + 1) + head])
    })
}

fn best<D: TreeDecoder>(decoder: &D, scores: &ArcScores) -> (Heads, Option<f64>) {
    let mut tree = Heads::default();
    let score = decoder.decode(scores, &mut D::Scratch::default(), &mut tree);
    (tree, score)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Multiples of 1/64 are added without rounding, so that nothing but the tree can change.
    #[test]
    fn a_constant_for_one_child_changes_no_tree(
        scores in general(14),
        child in 1..=14usize,
        constant in -640i16..640,
        mode in modes(),
    ) {
        let coarse = |score: f32| (score * 64.0).round() / 64.0;
        let before = ArcScores::from_fn(14, |h, c| coarse(scores.score(h, c)));
        let constant = f32::from(constant) / 64.0;
        let mut after = before.clone();
        (0..=14).for_each(|head| after.add(head, child, constant));
        let (cle, eisner) = (ChuLiuEdmonds::new(mode), Eisner::new(mode));
        let moved = f64::from(constant);
        prop_assert_eq!(best(&cle, &before).1.map(|s| s + moved), best(&cle, &after).1);
        prop_assert_eq!(best(&cle, &before).0, best(&cle, &after).0);
        prop_assert_eq!(best(&eisner, &before).0, best(&eisner, &after).0);
    }

    #[test]
    fn larger_spaces_have_better_trees(scores in tables(9)) {
        let error = rounding(&scores);
        let at_least = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => a >= b - error,
            (a, b) => a.is_some() || b.is_none(),
        };
        let cle = |mode| best(&ChuLiuEdmonds::new(mode), &scores).1;
        let eisner = |mode| best(&Eisner::new(mode), &scores).1;
        prop_assert!(at_least(cle(RootMode::Many), cle(RootMode::One)));
        prop_assert!(at_least(eisner(RootMode::Many), eisner(RootMode::One)));
        prop_assert!(at_least(cle(RootMode::One), eisner(RootMode::One)));
        prop_assert!(at_least(cle(RootMode::Many), eisner(RootMode::Many)));
    }

    #[test]
    fn sums_exceed_their_largest_term(scores in tables(9), mode in modes()) {
        let check = |best: Option<f64>, sum: Option<f64>| match (best, sum) {
            (Some(best), Some(sum)) => sum >= best - rounding(&scores),
            (best, sum) => best.is_none() && sum.is_none(),
        };
        let matrix_tree = MatrixTree::new(mode).log_partition(&scores, &mut Default::default());
        prop_assert!(check(best(&ChuLiuEdmonds::new(mode), &scores).1, matrix_tree));
        let eisner = Eisner::new(mode);
        let sum = eisner.log_partition(&scores, &mut Default::default());
        prop_assert!(check(best(&eisner, &scores).1, sum));
    }

    #[test]
    fn permuting_words_permutes_the_tree(
        scores in general(12),
        order in Just((1..=12usize).collect::<Vec<_>>()).prop_shuffle(),
        mode in modes(),
    ) {
        let place = |word: usize| if word == 0 { 0 } else { order[word - 1] };
        let mut permuted = ArcScores::new(12);
        for child in 1..=12 {
            for head in 0..=12 {
                permuted.set(place(head), place(child), scores.score(head, child));
            }
        }
        let decoder = ChuLiuEdmonds::new(mode);
        let (tree, moved) = (best(&decoder, &scores).0, best(&decoder, &permuted).0);
        for (head, child) in tree.arcs() {
            prop_assert_eq!(moved.head(place(child)), place(head));
        }
        let log_z = |s| MatrixTree::new(mode).log_partition(s, &mut Default::default()).unwrap();
        prop_assert!(close(log_z(&scores), log_z(&permuted), 1e-11));
    }

    /// Old memory must not show through: a scratch used for another table gives the same answer.
    #[test]
    fn scratch_is_forgotten(first in tables(9), second in tables(7), mode in modes()) {
        let decoder = ChuLiuEdmonds::new(mode);
        let (mut scratch, mut tree) = (Default::default(), Heads::default());
        decoder.decode(&first, &mut scratch, &mut tree);
        let again = decoder.decode(&second, &mut scratch, &mut tree);
        prop_assert_eq!((tree.clone(), again), best(&decoder, &second));
        let matrix_tree = MatrixTree::new(mode);
        let mut scratch = Default::default();
        matrix_tree.marginals(&first, &mut scratch, &mut Default::default());
        let again = matrix_tree.log_partition(&second, &mut scratch);
        prop_assert_eq!(again, matrix_tree.log_partition(&second, &mut Default::default()));
        let eisner = Eisner::new(mode);
        let mut scratch = Default::default();
        eisner.marginals(&first, &mut scratch, &mut Default::default());
        let again = eisner.decode(&second, &mut scratch, &mut tree);
        prop_assert_eq!((tree.clone(), again), best(&eisner, &second));
    }
}
