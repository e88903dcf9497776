//! Constraints keep exactly the trees that satisfy them; minimum risk is what it says.

use proptest::prelude::*;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{ArcScores, ChuLiuEdmonds, Eisner, Heads, MinRisk, TreeDecoder};

use super::tables::{all_trees, close, modes, projective, rounding, tables};

/// The best tree among those for which `keep` holds, from the unconstrained table.
fn best_kept(space: TreeSpace, scores: &ArcScores, keep: impl Fn(&Heads) -> bool) -> Option<f64> {
    space.ranked(scores).into_iter().find(|(tree, _)| keep(tree)).map(|(_, score)| score)
}

fn check_constrained(
    free: &ArcScores,
    constrained: &ArcScores,
    keep: impl Fn(&Heads) -> bool + Copy,
    mode: spantree_decode::RootMode,
) -> Result<(), TestCaseError> {
    let mut tree = Heads::default();
    let found = ChuLiuEdmonds::new(mode).decode(constrained, &mut Default::default(), &mut tree);
    let expected = best_kept(all_trees(mode), free, keep);
    prop_assert_eq!(found.is_some(), expected.is_some());
    prop_assert_eq!(found.is_none(), constrained.infeasible(mode).is_some());
    if let (Some(found), Some(expected)) = (found, expected) {
        prop_assert!(keep(&tree) && close(found, expected, rounding(free)));
    }
    let found = Eisner::new(mode).decode(constrained, &mut Default::default(), &mut tree);
    let expected = best_kept(projective(mode), free, keep);
    prop_assert_eq!(found.is_some(), expected.is_some());
    if let (Some(found), Some(expected)) = (found, expected) {
        prop_assert!(keep(&tree) && close(found, expected, rounding(free)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A partial tree: heads for some words, sensible or not.
    #[test]
    fn partial_trees(
        scores in tables(5),
        mode in modes(),
        wanted in prop::collection::vec(prop::option::weighted(0.4, 0..6u32), 5),
    ) {
        let words = scores.words() as u32;
        let wanted: Vec<_> = wanted[..words as usize]
            .iter()
            .map(|head| head.map(|head| head.min(words)))
            .collect();
        let mut constrained = scores.clone();
        constrained.require_heads(&wanted);
        let keep = |tree: &Heads| {
            wanted.iter().zip(tree.as_slice()).all(|(want, head)| want.is_none_or(|w| w == *head))
        };
        check_constrained(&scores, &constrained, keep, mode)?;
    }

    #[test]
    fn required_root_and_forbidden_arc(
        scores in tables(5),
        mode in modes(),
        arc in (0..5usize, 0..5usize),
        root in 0..5usize,
    ) {
        prop_assume!(scores.words() > 0);
        let fit = |word: usize| 1 + word % scores.words();
        let (head, child, root) = (fit(arc.0), fit(arc.1), fit(root));
        let mut constrained = scores.clone();
        constrained.require_only_root(root);
        constrained.forbid(head, child);
        let keep = |tree: &Heads| {
            tree.head(root) == 0 && tree.root_children() == 1 && tree.head(child) != head
        };
        check_constrained(&scores, &constrained, keep, mode)?;
    }

    #[test]
    fn infeasibility_is_explained(scores in tables(6), mode in modes()) {
        let none = all_trees(mode).ranked(&scores).is_empty();
        prop_assert_eq!(scores.infeasible(mode).is_some(), none);
    }

    #[test]
    fn minimum_risk(scores in tables(5), mode in modes()) {
        let mut tree = Heads::default();
        let all = MinRisk::all_trees(mode).decode(&scores, &mut Default::default(), &mut tree);
        check_risk(all_trees(mode), &scores, all, &tree)?;
        let nested = MinRisk::projective(mode).decode(&scores, &mut Default::default(), &mut tree);
        check_risk(projective(mode), &scores, nested, &tree)?;
    }
}

fn check_risk(
    space: TreeSpace,
    scores: &ArcScores,
    found: Option<f64>,
    tree: &Heads,
) -> Result<(), TestCaseError> {
    let marginals = space.marginals(scores);
    let correct = |tree: &Heads| tree.arcs().map(|(h, c)| marginals.get(h, c)).sum::<f64>();
    let trees = space.ranked(scores);
    prop_assert_eq!(found.is_some(), !trees.is_empty());
    if let Some(found) = found {
        let best = trees.iter().map(|(tree, _)| correct(tree)).fold(0.0, f64::max);
        prop_assert!(scores.tree_score(tree) > f64::NEG_INFINITY);
        prop_assert!(close(found, best, 1e-5) && close(correct(tree), best, 1e-5));
    }
    Ok(())
}
