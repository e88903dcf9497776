//! The chain against all sequences.

use std::collections::HashSet;

use proptest::prelude::*;
use spantree_decode::{ChainMarginals, ChainScores, Ranked, TagId, Viterbi};

use super::tables::{KINDS, close, rounding_of, score};

/// Chains of up to five positions and four tags; starts, ends, tags and steps of one kind.
fn chains() -> impl Strategy<Value = ChainScores> {
    (0..=5usize, 1..=4usize, 0..KINDS).prop_flat_map(|(positions, tags, kind)| {
        let numbers = prop::collection::vec(score(kind), tags * (positions + tags + 2));
        numbers.prop_map(move |numbers| chain(positions, tags as TagId, numbers))
    })
}

fn chain(positions: usize, tags: TagId, numbers: Vec<f32>) -> ChainScores {
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().unwrap();
    let mut scores = ChainScores::new(positions, usize::from(tags));
    for tag in 0..tags {
        scores.set_start(tag, next());
        scores.set_end(tag, next());
        (0..tags).for_each(|to| scores.set_step(tag, to, next()));
        (0..positions).for_each(|position| scores.set_tag(position, tag, next()));
    }
    scores
}

/// All allowed sequences with their scores, best first.
fn ranked(scores: &ChainScores) -> Vec<(Vec<TagId>, f64)> {
    let (tags, positions) = (scores.tags(), scores.positions());
    let sequences = (0..tags.pow(positions as u32)).map(|number| {
        (0..positions).map(|i| (number / tags.pow(i as u32) % tags) as TagId).collect::<Vec<_>>()
    });
    let mut all: Vec<_> = sequences.map(|s| (s.clone(), scores.sequence_score(&s))).collect();
    all.retain(|(_, score)| *score > f64::NEG_INFINITY);
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn rounding(scores: &ChainScores) -> f64 {
    let tags = (0..scores.positions()).flat_map(|position| scores.tags_at(position)).copied();
    let all = 0..scores.tags() as TagId;
    let steps = all.clone().flat_map(|a| all.clone().map(move |b| scores.step(a, b)));
    let ends = all.clone().flat_map(|tag| [scores.start(tag), scores.end(tag)]);
    rounding_of(tags.chain(steps).chain(ends)).max(1e-11)
}

fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = values.clone().fold(f64::NEG_INFINITY, f64::max);
    top + values.map(|value| (value - top).exp()).sum::<f64>().ln()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn best_and_k_best(scores in chains(), k in 0..2000usize) {
        let expected = ranked(&scores);
        let (mut scratch, mut tags) = Default::default();
        let found = Viterbi.decode(&scores, &mut scratch, &mut tags);
        prop_assert_eq!(found.is_some(), !expected.is_empty());
        if let Some(found) = found {
            prop_assert_eq!(found, scores.sequence_score(&tags));
            prop_assert!(close(found, expected[0].1, rounding(&scores)));
        }
        let mut list = Ranked::default();
        Viterbi.k_best(&scores, k, &mut scratch, &mut list);
        prop_assert_eq!(list.len(), k.min(expected.len()));
        let distinct: HashSet<_> = list.iter().map(|(tags, _)| tags).collect();
        prop_assert_eq!(distinct.len(), list.len());
        for ((tags, score), (_, expected)) in list.iter().zip(expected) {
            prop_assert_eq!(score, scores.sequence_score(tags));
            prop_assert!(close(score, expected, rounding(&scores)));
        }
    }

    #[test]
    fn sums(scores in chains()) {
        let expected = ranked(&scores);
        let (mut scratch, mut marginals, mut best) =
            (Default::default(), ChainMarginals::default(), Vec::new());
        prop_assert_eq!(Viterbi.count(&scores, &mut scratch), expected.len() as u128);
        let log_z = Viterbi.marginals(&scores, &mut scratch, &mut marginals);
        prop_assert_eq!(log_z.is_some(), !expected.is_empty());
        let Some(log_z) = log_z else { return Ok(()) };
        prop_assert!(close(log_z, log_sum(expected.iter().map(|(_, score)| *score)), rounding(&scores)));
        Viterbi.max_marginals(&scores, &mut scratch, &mut best);
        let probability = |score: f64| (score - log_z).exp();
        for position in 0..scores.positions() {
            for tag in 0..scores.tags() {
                let with = expected.iter().filter(|(s, _)| usize::from(s[position]) == tag);
                let sum: f64 = with.clone().map(|(_, score)| probability(*score)).sum();
                prop_assert!((marginals.tags_at(position)[tag] - sum).abs() < rounding(&scores));
                let top = with.map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(close(best[position * scores.tags() + tag], top, rounding(&scores)));
            }
        }
        for from in 0..scores.tags() as TagId {
            for to in 0..scores.tags() as TagId {
                let steps = |s: &[TagId]| s.windows(2).filter(|pair| *pair == [from, to]).count();
                let sum: f64 = expected.iter().map(|(s, v)| steps(s) as f64 * probability(*v)).sum();
                prop_assert!((marginals.expected_steps(from, to) - sum).abs() < rounding(&scores));
            }
        }
    }
}

#[test]
fn costs_and_masks_change_the_best_sequence() {
    let mut scores = ChainScores::new(3, 3);
    (0..3).for_each(|position| scores.set_tag(position, 2, 1.0));
    let (mut scratch, mut tags) = Default::default();
    Viterbi.decode(&scores, &mut scratch, &mut tags);
    assert_eq!(tags, [2, 2, 2]);
    scores.add_cost(1, 0, 2.5);
    assert_eq!(Viterbi.decode(&scores, &mut scratch, &mut tags), Some(4.5));
    assert_eq!(tags, [2, 0, 2]);
    scores.allow_tags(0, |tag| tag == 1);
    scores.forbid_step(1, 0);
    assert_eq!(Viterbi.decode(&scores, &mut scratch, &mut tags), Some(2.0));
    assert_eq!(tags, [1, 2, 2]);
    scores.forbid_step(1, 2);
    scores.forbid_step(1, 1);
    assert_eq!(Viterbi.decode(&scores, &mut scratch, &mut tags), None);
}
