//! Parts of several arcs: charts and rewiring against all trees of short sentences.

use std::collections::HashSet;

use proptest::prelude::*;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{
    ArcTable, Eisner, Heads, HigherOrderEisner, PartScores, Ranked, Rewiring, RootMode, TreeDecoder,
};

use super::tables::{all_trees, close, modes, projective, tables};

/// Which parts have scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Siblings,
    Grands,
    /// Siblings and outermost grandchildren (Carreras 2007).
    Outermost,
    GrandSiblings,
    TriSiblings,
    All,
}

impl Order {
    const ALL: [Self; 6] = [
        Self::Siblings,
        Self::Grands,
        Self::Outermost,
        Self::GrandSiblings,
        Self::TriSiblings,
        Self::All,
    ];
}

/// A sentence with random parts: `density` in 256 of its arcs exist, scores are smooth or tied.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) words: usize,
    seed: u64,
    density: u64,
    tied: bool,
    pub(super) order: Order,
}

impl Case {
    /// A number that depends on the seed and a part only.
    fn random(&self, part: [usize; 4], kind: u64) -> u64 {
        let mut hash = self.seed ^ kind;
        for value in part {
            hash = (hash ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        hash
    }

    pub(super) fn score(&self, part: [usize; 4], kind: u64) -> f32 {
        let random = self.random(part, kind);
        if self.tied { (random % 3) as f32 } else { (random % 10_000) as f32 / 1000.0 - 5.0 }
    }

    pub(super) fn parts(&self) -> PartScores {
        let mut parts = PartScores::default();
        parts.reset(self.words, |head, child| {
            self.random([head, child, 0, 0], 1) % 256 < self.density
        });
        self.fill(&mut parts);
        parts
    }

    fn fill(&self, parts: &mut PartScores) {
        let none = |word: Option<usize>| word.unwrap_or(99);
        parts.fill_arcs(|head, child| self.score([head, child, 0, 0], 2));
        if self.order != Order::Grands {
            parts.fill_siblings(|head, inner, child| self.score([head, none(inner), child, 0], 3));
        }
        if [Order::Grands, Order::GrandSiblings, Order::All].contains(&self.order) {
            parts.fill_grands(|grand, head, child| self.score([none(grand), head, child, 0], 4));
        }
        if [Order::GrandSiblings, Order::All].contains(&self.order) {
            parts.fill_grand_siblings(|grand, head, inner, child| {
                self.score([none(grand), head, none(inner), child], 5)
            });
        }
        if [Order::Outermost, Order::All].contains(&self.order) {
            parts.fill_outermost(|head, child, side, outermost| {
                self.score([head, child, side as usize, none(outermost)], 6)
            });
        }
        if [Order::TriSiblings, Order::All].contains(&self.order) {
            parts.fill_tri_siblings(|head, second, inner, child| {
                self.score([head, none(second), inner, child], 7)
            });
        }
    }
}

pub(super) fn cases(longest: usize) -> impl Strategy<Value = Case> {
    let order = proptest::sample::select(&Order::ALL[..]);
    (
        0..=longest,
        any::<u64>(),
        prop_oneof![Just(256u64), Just(200), Just(120)],
        any::<bool>(),
        order,
    )
        .prop_map(|(words, seed, density, tied, order)| Case {
            words,
            seed,
            density,
            tied,
            order,
        })
}

/// All trees that use existing arcs only, with their scores, best first.
fn ranked(space: TreeSpace, parts: &PartScores) -> Vec<(Heads, f64)> {
    let scored = space.trees(parts.words()).map(|tree| {
        let score = parts.tree_score(&tree);
        (tree, score)
    });
    let mut trees: Vec<_> = scored.filter(|(_, score)| *score > f64::NEG_INFINITY).collect();
    trees.sort_by(|a, b| b.1.total_cmp(&a.1));
    trees
}

const ERROR: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn best_projective_tree(case in cases(6), mode in modes()) {
        let parts = case.parts();
        let mut tree = Heads::default();
        let found =
            HigherOrderEisner::new(mode).decode(&parts, &mut Default::default(), &mut tree);
        let expected = ranked(projective(mode), &parts).first().map(|(_, score)| *score);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!(tree.is_legal(mode) && tree.is_projective(), "{tree:?}");
            prop_assert_eq!(found, parts.tree_score(&tree));
            prop_assert!(close(found, expected, ERROR), "{} is not {}", found, expected);
        }
    }

    /// With arcs alone, the chart is Eisner's.
    #[test]
    fn arcs_alone_are_first_order(scores in tables(6), mode in modes(), look_up in any::<bool>()) {
        let mut parts = PartScores::default();
        parts.reset(scores.words(), |head, child| scores.is_allowed(head, child));
        parts.fill_arcs(|head, child| scores.score(head, child));
        if look_up {
            parts.fill_grands(|_, _, _| 0.0);
        }
        let (mut tree, mut other) = (Heads::default(), Heads::default());
        let found =
            HigherOrderEisner::new(mode).decode(&parts, &mut Default::default(), &mut tree);
        let expected = Eisner::new(mode).decode(&scores, &mut Default::default(), &mut other);
        prop_assert_eq!(found.is_some(), expected.is_some());
        let (found, expected) = (found.unwrap_or(0.0), expected.unwrap_or(0.0));
        prop_assert!(close(found, expected, 1e-12 * expected.abs().max(1e6)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn k_best_projective_trees(case in cases(5), mode in modes(), k in 0..60usize) {
        let parts = case.parts();
        let mut trees = Ranked::default();
        HigherOrderEisner::new(mode).k_best(&parts, k, &mut Default::default(), &mut trees);
        let expected = ranked(projective(mode), &parts);
        prop_assert_eq!(trees.len(), k.min(expected.len()));
        let distinct: HashSet<_> = trees.iter().map(|(tree, _)| tree).collect();
        prop_assert_eq!(distinct.len(), trees.len());
        for ((tree, score), (_, expected)) in trees.iter().zip(expected) {
            prop_assert!(tree.is_legal(mode) && tree.is_projective(), "{tree:?}");
            prop_assert_eq!(score, parts.tree_score(tree));
            prop_assert!(close(score, expected, ERROR), "{} is not {}", score, expected);
        }
    }

    #[test]
    fn sums_over_projective_trees(case in cases(5), mode in modes()) {
        let parts = case.parts();
        let (mut marginals, mut scratch) = (ArcTable::default(), Default::default());
        let decoder = HigherOrderEisner::new(mode);
        let found = decoder.marginals(&parts, &mut scratch, &mut marginals);
        let trees = ranked(projective(mode), &parts);
        prop_assert_eq!(found.is_some(), !trees.is_empty());
        let top = trees.first().map_or(0.0, |(_, score)| *score);
        let total: f64 = trees.iter().map(|(_, score)| (score - top).exp()).sum();
        if let Some(found) = found {
            prop_assert!(close(found, top + total.ln(), ERROR));
            prop_assert_eq!(decoder.log_partition(&parts, &mut scratch), Some(found));
        }
        for child in 1..=case.words {
            for head in 0..=case.words {
                let with = trees.iter().filter(|(tree, _)| tree.head(child) == head);
                let mass: f64 = with.map(|(_, score)| (score - top).exp() / total).sum();
                prop_assert!(close(marginals.get(head, child), mass, ERROR));
            }
        }
    }

    /// Under the probabilities of parts any other scores have the mean that they have over trees.
    #[test]
    fn probabilities_of_parts(case in cases(5), mode in modes(), seed in 0..100u64) {
        let parts = case.parts();
        let mut other = parts.clone();
        Case { seed, ..case }.fill(&mut other);
        let (mut probabilities, mut scratch) = Default::default();
        let decoder = HigherOrderEisner::new(mode);
        let found = decoder.part_marginals(&parts, &mut scratch, &mut probabilities);
        let trees = ranked(projective(mode), &parts);
        prop_assert_eq!(found.is_some(), !trees.is_empty());
        let Some(total) = found else { return Ok(()) };
        let over_trees: f64 =
            trees.iter().map(|(tree, score)| (score - total).exp() * other.tree_score(tree)).sum();
        let mut over_parts = 0.0;
        let (mut shares, mut scores) = (Vec::new(), Vec::new());
        probabilities.each_part(|part, share| shares.push((part, share)));
        other.each_part(|part, score| scores.push((part, score)));
        for ((part, share), (same, score)) in shares.into_iter().zip(scores) {
            prop_assert_eq!(part, same);
            over_parts += f64::from(share) * f64::from(score);
        }
        prop_assert!(close(over_trees, over_parts, 1e-3), "{over_trees} {over_parts}");
    }
}

#[test]
fn every_tree_is_counted_once() {
    for (mode, expected) in [
        (RootMode::Many, [1, 1, 3, 12, 55, 273, 1428, 7752]),
        (RootMode::One, [1, 1, 2, 7, 30, 143, 728, 3876]),
    ] {
        for order in Order::ALL {
            let counts = std::array::from_fn(|words| {
                let case = Case { words, seed: 1, density: 256, tied: false, order };
                HigherOrderEisner::new(mode).count(&case.parts(), &mut Default::default())
            });
            assert_eq!(counts, expected, "{mode:?} {order:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// At least as good as the best projective tree, at most as good as the best of all, and at the top: no
    /// other head of a single word is better.
    #[test]
    fn rewired_trees(case in cases(6), mode in modes(), restarts in 0..4u32) {
        let parts = case.parts();
        let (mut tree, mut exact) = (Heads::default(), Heads::default());
        let found = Rewiring::new(mode, restarts).decode(&parts, &mut Default::default(), &mut tree);
        let lower =
            HigherOrderEisner::new(mode).decode(&parts, &mut Default::default(), &mut exact);
        let trees = ranked(all_trees(mode), &parts);
        prop_assert_eq!(found.is_some(), !trees.is_empty());
        let Some(found) = found else { return Ok(()) };
        prop_assert!(tree.is_legal(mode), "{tree:?}");
        prop_assert_eq!(found, parts.tree_score(&tree));
        prop_assert!(found <= trees[0].1 + ERROR);
        prop_assert!(lower.is_none_or(|lower| found >= lower - ERROR));
        let differ_in_one = |other: &Heads| other.correct(&tree) + 1 == case.words;
        for (neighbour, score) in trees.iter().filter(|(other, _)| differ_in_one(other)) {
            prop_assert!(*score <= found + 1e-5, "{neighbour:?} is better");
        }
    }

    #[test]
    fn lists_around_rewired_trees(case in cases(5), mode in modes(), k in 0..20usize) {
        let parts = case.parts();
        let mut trees = Ranked::default();
        Rewiring::new(mode, 0).k_best(&parts, k, &mut Default::default(), &mut trees);
        let all = ranked(all_trees(mode), &parts);
        prop_assert_eq!(trees.len(), k.min(all.len()));
        let distinct: HashSet<_> = trees.iter().map(|(tree, _)| tree).collect();
        prop_assert_eq!(distinct.len(), trees.len());
        let scores: Vec<f64> = trees.iter().map(|(_, score)| score).collect();
        prop_assert!(scores.is_sorted_by(|a, b| a >= b));
        for (tree, score) in trees.iter() {
            prop_assert!(tree.is_legal(mode));
            prop_assert_eq!(score, parts.tree_score(tree));
        }
    }
}

/// Arcs that prefer to be short, as in sentences, under wild scores of larger parts.
#[test]
fn restarts_find_most_of_the_best_trees() {
    let missed = |restarts| {
        let misses = |seed: &u64| {
            let case = Case { words: 6, seed: *seed, density: 256, tied: false, order: Order::All };
            let mut parts = case.parts();
            parts.fill_arcs(|head, child| {
                case.score([head, child, 0, 0], 2) * 3.0 - head.abs_diff(child) as f32
            });
            let decoder = Rewiring::new(RootMode::One, restarts);
            let found = decoder.decode(&parts, &mut Default::default(), &mut Heads::default());
            found.unwrap() < ranked(all_trees(RootMode::One), &parts)[0].1 - ERROR
        };
        (0..100).filter(misses).count()
    };
    let (none, many) = (missed(0), missed(30));
    assert!(none <= 30 && many <= 2, "{none} and {many} of 100");
}
