//! Tags as further outputs of the network.
//!
//! The network scores the parts of tags (see [`TagSet`]); the score of a tag is the sum over its parts, and its probability the
//! softmax over all tags. The network reads the tags of a [`Tagger`](crate::tag::Tagger), which knows words well but sees few
//! neighbours, and learns where to correct them.

use spantree_treebank::Sentence;

use crate::parser::Retagging;
use crate::tag::TagConfidence;
use crate::tag::tagset::{COLUMNS, Tag, TagSet, columns};

/// The tag of each word, if it is one of the set.
pub(super) fn answers(tagset: &TagSet, sent: &Sentence) -> Vec<Option<Tag>> {
    let numbers = tagset.numbers();
    sent.words().map(|word| numbers.get(&columns(word)).copied()).collect()
}

/// Cross-entropy of the softmax over all tags, from the scores of their parts. Writes the gradient of these, times `weight`,
/// and returns the loss. `chances` is memory.
pub(super) fn loss(
    tagset: &TagSet,
    gold: Tag,
    weight: f32,
    (scores, gradient): (&[f32], &mut [f32]),
    chances: &mut Vec<f32>,
) -> f64 {
    distribution(tagset, scores, chances);
    gradient.fill(0.0);
    let mut add = |tag: Tag, value: f32| {
        tagset.parts(tag).iter().for_each(|&part| gradient[usize::from(part)] += value);
    };
    tagset.all().zip(&*chances).for_each(|(tag, chance)| add(tag, weight * chance));
    add(gold, -weight);
    -f64::from(chances[usize::from(gold)].max(f32::MIN_POSITIVE)).ln()
}

/// The best tag by the scores of parts; the most frequent one wins a tie.
pub(super) fn best(tagset: &TagSet, scores: &[f32]) -> Option<Tag> {
    let better = |best: (Tag, f32), tag: Tag| {
        let score = tagset.sum(tag, scores);
        if score > best.1 { (tag, score) } else { best }
    };
    let start = |tag| (tag, tagset.sum(tag, scores));
    let mut tags = tagset.all();
    tags.next().map(|first| tags.fold(start(first), better).0)
}

/// How probable the columns of a tag are, each summed over all tags that share it. `chances` is memory.
pub(super) fn confidence(
    tagset: &TagSet,
    chosen: Tag,
    scores: &[f32],
    chances: &mut Vec<f32>,
) -> TagConfidence {
    distribution(tagset, scores, chances);
    let chosen = tagset.columns(chosen);
    let sure = |column: usize| {
        let agree = tagset.names().iter().zip(&*chances);
        agree.filter(|(tag, _)| tag[column] == chosen[column]).map(|(_, chance)| chance).sum()
    };
    TagConfidence { upos: sure(0), xpos: sure(1), feats: sure(2) }
}

/// Overwrites the columns of a word that the treebank fills, if one is another; `scores` are those of the parts of tags.
pub(super) fn write(
    tagset: &TagSet,
    tag: Tag,
    scores: &[f32],
    sent: &mut Sentence,
    word: u32,
) -> Option<Retagging> {
    let (filled, new) = (tagset.filled(), tagset.columns(tag));
    let old = columns(sent.word(word));
    if (0..3).all(|column| !filled[column] || old[column] == new[column]) {
        return None;
    }
    let same = |tag: &Tag| tagset.columns(*tag).iter().eq(&old);
    let known = tagset.all().find(same).map(|old| tagset.sum(old, scores));
    let gain = known.map_or(f32::INFINITY, |known| tagset.sum(tag, scores) - known);
    let before = old.map(str::to_owned);
    for column in (0..3).filter(|&column| filled[column]) {
        sent.set(word, COLUMNS[column], &new[column]);
    }
    Some(Retagging { word, before, gain })
}

/// Shares of words whose columns are right, in per cent.
pub(super) fn accuracy(found: &[Sentence], gold: &[Sentence]) -> [f64; 3] {
    let (mut right, mut count) = ([0usize; 3], 0);
    let gold = gold.iter().flat_map(Sentence::words);
    for (found, gold) in found.iter().flat_map(Sentence::words).zip(gold) {
        count += 1;
        let same = |column: usize| columns(found)[column] == columns(gold)[column];
        (0..3).for_each(|column| right[column] += usize::from(same(column)));
    }
    right.map(|right| 100.0 * right as f64 / count.max(1) as f64)
}

fn distribution(tagset: &TagSet, scores: &[f32], chances: &mut Vec<f32>) {
    chances.clear();
    chances.extend(tagset.all().map(|tag| tagset.sum(tag, scores)));
    let largest = chances.iter().fold(f32::NEG_INFINITY, |max, &score| max.max(score));
    let mut sum = 0.0;
    for chance in &mut *chances {
        *chance = (*chance - largest).exp();
        sum += *chance;
    }
    chances.iter_mut().for_each(|chance| *chance /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagset() -> TagSet {
        let tags = [["NOUN", "N", "Case=Nom"], ["NOUN", "N", "Case=Acc"], ["ADJ", "A", "Case=Nom"]];
        TagSet::new(tags.map(|tag| tag.map(str::to_owned)).to_vec()).unwrap()
    }

    fn scores(count: usize) -> Vec<f32> {
        (0..count).map(|part| (part * part % 7) as f32 / 3.0 - 1.0).collect()
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let tagset = tagset();
        let mut point = scores(tagset.part_count());
        let (mut gradient, mut chances) = (point.clone(), Vec::new());
        for gold in tagset.all() {
            loss(&tagset, gold, 1.0, (&point, &mut gradient), &mut chances);
            for part in 0..point.len() {
                let (before, mut unused) = (point[part], point.clone());
                let mut at = |value: f32| {
                    point[part] = value;
                    loss(&tagset, gold, 1.0, (&point, &mut unused), &mut chances)
                };
                let slope = (at(before + 0.01) - at(before - 0.01)) / 0.02;
                point[part] = before;
                assert!((f64::from(gradient[part]) - slope).abs() < 1e-3, "{gold} {part}");
            }
        }
    }

    #[test]
    fn the_best_tag_has_the_largest_sum_and_probabilities_are_those_of_its_columns() {
        let tagset = tagset();
        let scores = scores(tagset.part_count());
        let sum = |tag| tagset.sum(tag, &scores);
        let best = best(&tagset, &scores).unwrap();
        assert!(tagset.all().all(|tag| sum(tag) <= sum(best)));
        let total: f32 = tagset.all().map(|tag| sum(tag).exp()).sum();
        let sure = confidence(&tagset, 0, &scores, &mut Vec::new());
        assert!((sure.upos - (sum(0).exp() + sum(1).exp()) / total).abs() < 1e-6);
        assert!((sure.xpos - sure.upos).abs() < 1e-6);
        assert!((sure.feats - (sum(0).exp() + sum(2).exp()) / total).abs() < 1e-6);
        assert_eq!(super::best(&TagSet::default(), &[]), None);
    }

    #[test]
    fn the_gain_of_a_change_is_the_difference_of_the_scores() {
        let tagset = tagset();
        let scores = scores(tagset.part_count());
        let mut sent = Sentence::from_words(&[("der", "ADJ", 0, "root")]);
        assert!(write(&tagset, 2, &scores, &mut sent, 1).is_some());
        let change = write(&tagset, 0, &scores, &mut sent, 1).unwrap();
        assert_eq!(change.gain, tagset.sum(0, &scores) - tagset.sum(2, &scores));
    }

    #[test]
    fn only_columns_that_the_treebank_fills_are_written() {
        let tagset =
            TagSet::new(vec![["VERB".to_owned(), "_".to_owned(), "Tense=Past".to_owned()]])
                .unwrap();
        let mut sent = Sentence::from_words(&[("went", "NOUN", 0, "root")]);
        sent.set(1, COLUMNS[1], "NN");
        let scores = scores(tagset.part_count());
        let change = write(&tagset, 0, &scores, &mut sent, 1).unwrap();
        assert_eq!((change.word, change.gain), (1, f32::INFINITY));
        assert_eq!(change.before, ["NOUN", "NN", "_"]);
        assert_eq!(columns(sent.word(1)), ["VERB", "NN", "Tense=Past"]);
        assert_eq!(write(&tagset, 0, &scores, &mut sent, 1), None, "nothing is left to change");
        assert_eq!(answers(&tagset, &sent), [None], "its XPOS is not of the set");
    }
}
