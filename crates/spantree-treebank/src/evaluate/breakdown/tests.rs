use super::*;
use crate::Random;
use crate::evaluate::{Attachment, Document, Roots};
use crate::sentence::Sentence;

fn document(heads: &[&[u32]]) -> Document {
    let sentences = heads.iter().map(|heads| {
        let words: Vec<_> = heads.iter().map(|&head| ("w", "X", head, "dep")).collect();
        Sentence::from_words(&words)
    });
    Document::new("test", sentences.collect())
}

/// `(value, gold, found, system, correct)` of the unlabelled counts.
fn rows(gold: &Document, guess: &Document, factor: Factor) -> Vec<(String, [u64; 4])> {
    let comparison = Comparison::by_position(gold, guess, Roots::Many).unwrap();
    let breakdowns = comparison.breakdown(&[factor], &AttachmentOptions::default());
    let row = |bin: &Bin| {
        let Counts { gold, gold_found, system, system_correct } = bin.unlabelled;
        (bin.value.clone(), [gold, gold_found, system, system_correct])
    };
    breakdowns[0].bins.iter().map(row).collect()
}

#[track_caller]
fn check(factor: Factor, expected: &[(&str, [u64; 4])]) {
    // "A hearing is scheduled on the issue today": hearing → on crosses scheduled → today.
    let gold = document(&[&[2, 3, 0, 3, 2, 7, 5, 4]]);
    // on → scheduled instead: everything is projective.
    let guess = document(&[&[2, 3, 0, 3, 4, 7, 5, 4]]);
    let rows = rows(&gold, &guess, factor);
    let rows: Vec<_> = rows.iter().map(|(value, counts)| (value.as_str(), *counts)).collect();
    assert_eq!(rows, expected);
}

#[test]
fn every_structural_factor_by_hand() {
    check(Factor::SentenceLength, &[("1–10", [8, 7, 8, 7])]);
    check(
        Factor::ArcLength,
        &[("1", [4, 4, 5, 4]), ("2", [1, 1, 1, 1]), ("3", [2, 1, 1, 1]), ("4", [1, 1, 1, 1])],
    );
    // Depths in gold: 3 2 1 2 3 5 4 3; in the guess: the same, for scheduled is as deep as hearing.
    check(
        Factor::RootDistance,
        &[
            ("1", [1, 1, 1, 1]),
            ("2", [2, 2, 2, 2]),
            ("3", [3, 2, 3, 2]),
            ("4", [1, 1, 1, 1]),
            ("5", [1, 1, 1, 1]),
        ],
    );
    // Gold: hearing has A and on, is has two, scheduled, on, issue have one. Guess: hearing has one, scheduled two.
    check(Factor::Siblings, &[("0", [4, 4, 4, 4]), ("1", [4, 3, 4, 3])]);
    // Between hearing and on, only "is" hangs elsewhere; between scheduled and today, only "on".
    check(Factor::CrossingDegree, &[("0", [6, 6, 8, 7]), ("1", [2, 1, 0, 0])]);
    check(Factor::Projectivity, &[("projective", [6, 6, 8, 7]), ("non-projective", [2, 1, 0, 0])]);
    check(
        Factor::Direction,
        &[
            ("head to the left", [4, 3, 4, 3]),
            ("head to the right", [3, 3, 3, 3]),
            ("root", [1, 1, 1, 1]),
        ],
    );
}

#[test]
fn open_groups_and_group_labels() {
    let chain: Vec<u32> = (0..60).collect();
    let document = document(&[&chain]);
    let rows = |factor| rows(&document, &document, factor);
    assert_eq!(rows(Factor::SentenceLength), [("51+".to_owned(), [60; 4])]);
    let distances = rows(Factor::RootDistance);
    assert_eq!(distances.len(), 7);
    assert_eq!(distances[6], ("7+".to_owned(), [54; 4]));
    assert_eq!(Factor::SentenceLength.group_label(4), "41–50");
}

#[test]
fn relations_and_tags_come_in_the_order_of_their_frequency() {
    let gold = [("a", "X", 0, "root"), ("b", "Y", 1, "obj:x"), ("c", "Y", 1, "obj:y")];
    let guess = [("a", "X", 0, "root"), ("b", "X", 1, "obj:y"), ("c", "Y", 1, "obj:y")];
    let gold = Document::new("gold", vec![Sentence::from_words(&gold)]);
    let guess = Document::new("guess", vec![Sentence::from_words(&guess)]);
    let comparison = Comparison::by_position(&gold, &guess, Roots::One).unwrap();
    let factors = [Factor::Upos, Factor::Relation];
    let [upos, relation] = &comparison.breakdown(&factors, &AttachmentOptions::default())[..]
    else {
        panic!("two breakdowns")
    };
    let values = |breakdown: &Breakdown| -> Vec<String> {
        breakdown.bins.iter().map(|bin| bin.value.clone()).collect()
    };
    assert_eq!(values(upos), ["Y", "X"]);
    assert_eq!(values(relation), ["obj:x", "obj:y", "root"]);
    let counts = relation.bins[1].labelled;
    assert_eq!(counts, Counts { gold: 1, gold_found: 1, system: 2, system_correct: 1 });
    assert_eq!((counts.precision(), counts.recall()), (0.5, 1.0));
    assert!((counts.f1() - 2.0 / 3.0).abs() < 1e-12);
}

/// A random tree: each word hangs on the root or on a word earlier in a random order.
fn random_heads(random: &mut Random, len: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (1..=len as u32).collect();
    random.shuffle(&mut order);
    let mut heads = vec![0; len];
    for at in 1..len {
        let head = if random.chance(0.1) { 0 } else { order[random.below(at)] };
        heads[order[at] as usize - 1] = head;
    }
    heads
}

#[test]
fn groups_add_up_to_the_attachment_score() {
    let mut random = Random::new(3);
    let heads: Vec<_> = (0..40).map(|i| random_heads(&mut random, 1 + i % 13)).collect();
    let guesses: Vec<_> = (0..40).map(|i| random_heads(&mut random, 1 + i % 13)).collect();
    let gold = document(&heads.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let guess = document(&guesses.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let comparison = Comparison::by_position(&gold, &guess, Roots::Many).unwrap();
    let options = AttachmentOptions::default();
    let Attachment { las, uas, .. } = comparison.attachment(&options);
    for breakdown in comparison.breakdown(&Factor::ALL, &options) {
        let (mut labelled, mut unlabelled) = (Counts::default(), Counts::default());
        for bin in &breakdown.bins {
            labelled += bin.labelled;
            unlabelled += bin.unlabelled;
        }
        for (counts, score) in [(labelled, las), (unlabelled, uas)] {
            assert_eq!((counts.gold, counts.system), (score.gold, score.system));
            assert_eq!((counts.gold_found, counts.system_correct), (score.correct, score.correct));
        }
    }
}
