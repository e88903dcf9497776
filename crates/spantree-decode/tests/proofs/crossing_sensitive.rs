//! Crossing-sensitive scores: the chart against all trees of short sentences, scored by a plain reading of the definition.

use std::collections::HashSet;

use proptest::prelude::*;
use spantree_decode::{
    ArcScores, CrossingSensitive, Heads, HigherOrderEisner, OneEndpointCrossing, PartScores,
    Ranked, TreeDecoder,
};

use super::higher_order::{Case, Order, cases};
use super::tables::{all_trees, close, modes};

/// The kind of random numbers for crossed arcs.
const CROSSED: u64 = 8;
const ERROR: f64 = 1e-9;

/// Random parts of an order that the decoder knows.
fn known(longest: usize) -> impl Strategy<Value = Case> {
    let orders = [Order::Siblings, Order::Grands, Order::GrandSiblings];
    let order = proptest::sample::select(orders.to_vec());
    (cases(longest), order).prop_map(|(mut case, order)| {
        case.order = order;
        case
    })
}

fn parts(case: &Case) -> PartScores {
    let mut parts = case.parts();
    parts.fill_crossed(|head, child| case.score([head, child, 0, 0], CROSSED));
    parts
}

/// The tree's score after Pitler (2014), section 3, without the types of this crate.
fn score(case: &Case, tree: &Heads) -> f64 {
    let heads: Vec<usize> = std::iter::once(0).chain(tree.arcs().map(|arc| arc.0)).collect();
    let ends = |child: usize| (heads[child].min(child), heads[child].max(child));
    let is_crossed = |child: usize| {
        let (a, b) = ends(child);
        (1..heads.len())
            .map(ends)
            .any(|(c, d)| (a < c && c < b && b < d) || (c < a && a < d && d < b))
    };
    let none = |word: Option<usize>| word.unwrap_or(99);
    let (has_siblings, has_grands, has_both) = match case.order {
        Order::Siblings => (true, false, false),
        Order::Grands => (false, true, false),
        _ => (true, true, true),
    };
    let arc = |child: usize| {
        let head = heads[child];
        let mut parts = vec![case.score([head, child, 0, 0], 2)];
        if is_crossed(child) {
            parts.push(case.score([head, child, 0, 0], CROSSED));
            return parts.into_iter().map(f64::from).sum::<f64>();
        }
        let inner = tree.inner_sibling(child);
        let grand = (head > 0).then(|| heads[head]);
        let sibling = inner.is_none_or(|inner| !is_crossed(inner));
        let grand_is_seen = head == 0 || !is_crossed(head);
        let grand_is_seen = grand_is_seen && !outer(&heads, child).into_iter().any(is_crossed);
        if sibling && has_siblings {
            parts.push(case.score([head, none(inner), child, 0], 3));
        }
        if grand_is_seen && has_grands {
            parts.push(case.score([none(grand), head, child, 0], 4));
        }
        if sibling && grand_is_seen && has_both {
            parts.push(case.score([none(grand), head, none(inner), child], 5));
        }
        parts.into_iter().map(f64::from).sum()
    };
    (1..heads.len()).map(arc).sum()
}

/// The siblings behind a child in the enumeration of its subset: inside of grandparent and head, from the head; or outside, from the
/// head and then round to the other side of the grandparent.
fn outer(heads: &[usize], child: usize) -> Vec<usize> {
    let head = heads[child];
    // The artificial parent of the root stands left of it; positions are shifted by one.
    let at = |word: usize| word as i64 + 1;
    let grand = if head == 0 { 0 } else { at(heads[head]) };
    let side = (at(head) - grand).signum();
    let children = (1..heads.len()).filter(|&word| heads[word] == head);
    // Along the line from the head away from the grandparent, wrapped behind its end.
    let place = |word: usize| {
        let away = (at(word) - at(head)) * side;
        if away > 0 { away } else { 1000 + away }
    };
    let is_inside = |word: usize| {
        let toward = (at(head) - at(word)) * side;
        0 < toward && toward < (at(head) - grand) * side
    };
    let later = |word: &usize| match is_inside(child) {
        true => is_inside(*word) && word.abs_diff(head) > child.abs_diff(head),
        false => !is_inside(*word) && place(*word) > place(child),
    };
    children.filter(later).collect()
}

/// The scores of all trees of the space that use existing arcs only, best first.
fn ranked(case: &Case, mode: spantree_decode::RootMode) -> Vec<(Heads, f64)> {
    let parts = case.parts();
    let exists = |tree: &Heads| tree.arcs().all(|(head, child)| parts.id(head, child).is_some());
    let trees = all_trees(mode).trees(case.words);
    let trees = trees.filter(|tree| tree.is_one_endpoint_crossing() && exists(tree));
    let mut trees: Vec<_> = trees.map(|tree| (tree.clone(), score(case, &tree))).collect();
    trees.sort_by(|a, b| b.1.total_cmp(&a.1));
    trees
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn best_tree(case in known(6), mode in modes()) {
        let parts = parts(&case);
        let mut tree = Heads::default();
        let found = CrossingSensitive::new(mode).decode(&parts, &mut Default::default(), &mut tree);
        let expected = ranked(&case, mode).first().map(|(_, score)| *score);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!(tree.is_legal(mode) && tree.is_one_endpoint_crossing(), "{tree:?}");
            prop_assert!(close(found, score(&case, &tree), ERROR));
            prop_assert!(close(found, CrossingSensitive::score(&parts, &tree), ERROR));
            prop_assert!(close(found, expected, ERROR), "{} is not {}", found, expected);
        }
    }

    /// If no arc may be crossed, the tree is that of the projective chart.
    #[test]
    fn without_crossing_it_is_projective(case in known(9), mode in modes()) {
        let mut parts = case.parts();
        parts.fill_crossed(|_, _| f32::NEG_INFINITY);
        let (mut tree, mut other) = (Heads::default(), Heads::default());
        let found = CrossingSensitive::new(mode).decode(&parts, &mut Default::default(), &mut tree);
        let expected = HigherOrderEisner::new(mode).decode(&parts, &mut Default::default(), &mut other);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!(tree.is_legal(mode) && tree.is_projective(), "{tree:?}");
            prop_assert!(close(found, expected, ERROR), "{} is not {}", found, expected);
        }
    }

    /// With arcs alone, the tree is that of the first order.
    #[test]
    fn arcs_alone_are_first_order(case in cases(12), mode in modes()) {
        let full = case.parts();
        let scores = ArcScores::from_fn(case.words, |head, child| {
            match full.id(head, child) {
                Some(_) => case.score([head, child, 0, 0], 2),
                None => f32::NEG_INFINITY,
            }
        });
        let mut parts = PartScores::default();
        parts.reset(case.words, |head, child| scores.is_allowed(head, child));
        parts.fill_arcs(|head, child| scores.score(head, child));
        let (mut tree, mut other) = (Heads::default(), Heads::default());
        let found = CrossingSensitive::new(mode).decode(&parts, &mut Default::default(), &mut tree);
        let expected = OneEndpointCrossing::new(mode).decode(&scores, &mut Default::default(), &mut other);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!(tree.is_legal(mode) && tree.is_one_endpoint_crossing(), "{tree:?}");
            prop_assert!(close(found, expected, ERROR), "{} is not {}", found, expected);
        }
    }

    /// The best tree comes first; the others are projective, different and in order.
    #[test]
    fn k_best_trees(case in known(5), mode in modes(), k in 0..20usize) {
        let (parts, mut trees) = (parts(&case), Ranked::default());
        CrossingSensitive::new(mode).k_best(&parts, k, &mut Default::default(), &mut trees);
        let all = ranked(&case, mode);
        let projective = all.iter().filter(|(tree, _)| tree.is_projective()).count();
        prop_assert!(trees.len() >= k.min(projective) && trees.len() <= k);
        let distinct: HashSet<_> = trees.iter().map(|(tree, _)| tree).collect();
        prop_assert_eq!(distinct.len(), trees.len());
        let mut previous = f64::INFINITY;
        for (place, (tree, value)) in trees.iter().enumerate() {
            prop_assert!(place == 0 || tree.is_projective());
            prop_assert!(close(value, score(&case, tree), ERROR), "{} is not {}", value, score(&case, tree));
            prop_assert!(value <= previous + ERROR);
            prop_assert!(place > 0 || close(value, all[0].1, ERROR));
            previous = value;
        }
    }
}
