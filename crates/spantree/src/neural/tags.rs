//! Tags as further outputs of the network.
//!
//! The network scores the parts of tags (see [`TagSet`]); the score of a tag is the sum over its parts, and its probability the
//! softmax over all tags. The network reads the tags of a [`Tagger`](crate::tag::Tagger), which knows words well but sees few
//! neighbours, and learns where to correct them; both choose the tag [together](crate::tag::JointChoice).

use spantree_treebank::Sentence;

use crate::tag::tagset::{Tag, TagSet, columns};

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
}
