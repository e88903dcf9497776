//! A tag chosen by a tagger and a parser together.
//!
//! A tagger knows words well but sees few neighbours; a learned parser that scores tags as well reads the tagger's choice and
//! sees the whole sentence. Both have a say: with `p` the tagger's probability of a tag and `s` the parser's score, the tag with the largest
//!
//! ```text
//! log max(p, floor) + weight · s
//! ```
//! is taken. [`Mixture`] is found on the development set when the parser is trained.

use serde::{Deserialize, Serialize};
use spantree_treebank::Sentence;

use super::beliefs::Beliefs;
use super::tagset::{COLUMNS, Tag, TagSet};
use super::worker::TagConfidence;

/// How two opinions become one: a tag with probability `p` by the tagger and score `s` by the parser counts
/// `log max(p, floor) + weight · s`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// What the parser's scores count.
    pub weight: f32,
    /// The least probability that a tag has with the tagger.
    pub floor: f32,
}

impl Default for Mixture {
    fn default() -> Self {
        Self { weight: 1.0, floor: 0.03 }
    }
}

impl Mixture {
    /// What training tries on the development set.
    #[must_use]
    pub fn choices() -> Vec<Self> {
        let weights = [0.5, 0.7, 0.85, 1.0, 1.2, 1.5];
        let floors = [0.003, 0.01, 0.03];
        weights.iter().flat_map(|&weight| floors.map(|floor| Self { weight, floor })).collect()
    }
}

/// Chooses tags; holds buffers.
#[derive(Clone, Debug)]
pub struct JointChoice<'t> {
    tagset: &'t TagSet,
    mixture: Mixture,
    /// What each tag counts for the word at hand.
    totals: Vec<f32>,
}

impl<'t> JointChoice<'t> {
    /// For the tags that both know.
    #[must_use]
    pub fn new(tagset: &'t TagSet, mixture: Mixture) -> Self {
        Self { tagset, mixture, totals: Vec::new() }
    }

    /// Overwrites the tags of a sentence, given the beliefs of the tagger and the parser's scores of the parts of tags, word by
    /// word. Adds one confidence per word if asked, and returns whether a tag changed.
    pub fn write(
        &mut self,
        sent: &mut Sentence,
        (beliefs, scores): (&Beliefs, &[f32]),
        mut confidences: Option<&mut Vec<TagConfidence>>,
    ) -> bool {
        let mut changed = false;
        let rows = scores.chunks_exact(self.tagset.part_count().max(1));
        for (word, scores) in rows.enumerate().take(beliefs.words()) {
            let tag = self.choose((beliefs, word), scores);
            changed |= set(self.tagset, tag, sent, word as u32 + 1);
            if let Some(confidences) = &mut confidences {
                confidences.push(self.confidence(tag));
            }
        }
        changed
    }

    /// The best tag of a word; the most frequent one wins a tie.
    fn choose(&mut self, (beliefs, word): (&Beliefs, usize), scores: &[f32]) -> Tag {
        let Mixture { weight, floor } = self.mixture;
        self.totals.clear();
        self.totals.extend(self.tagset.all().map(|tag| weight * self.tagset.sum(tag, scores)));
        for &(tag, chance) in beliefs.word(word) {
            self.totals[usize::from(tag)] += (chance.max(floor) / floor).ln();
        }
        let better = |best, tag| if self.total(tag) > self.total(best) { tag } else { best };
        self.tagset.all().fold(0, better)
    }

    fn total(&self, tag: Tag) -> f32 {
        self.totals[usize::from(tag)]
    }

    /// How probable the columns of the chosen tag are, each summed over all tags that share it.
    fn confidence(&mut self, chosen: Tag) -> TagConfidence {
        let largest = self.total(chosen);
        self.totals.iter_mut().for_each(|total| *total = (*total - largest).exp());
        let all: f32 = self.totals.iter().sum();
        let chosen = self.tagset.columns(chosen);
        let mut sure = [0.0; 3];
        for (tag, chance) in self.tagset.names().iter().zip(&self.totals) {
            for (column, sum) in sure.iter_mut().enumerate() {
                *sum += if tag[column] == chosen[column] { chance / all } else { 0.0 };
            }
        }
        let [upos, xpos, feats] = sure;
        TagConfidence { upos, xpos, feats }
    }
}

/// Overwrites the columns of a word that the treebank fills; returns whether one was another.
fn set(tagset: &TagSet, tag: Tag, sent: &mut Sentence, word: u32) -> bool {
    let (filled, new) = (tagset.filled(), tagset.columns(tag));
    let mut changed = false;
    for column in (0..3).filter(|&column| filled[column]) {
        if sent.word(word).get(COLUMNS[column]) != new[column] {
            sent.set(word, COLUMNS[column], &new[column]);
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::tagset::columns;

    fn tagset() -> TagSet {
        let tags = [["NOUN", "N", "Case=Nom"], ["NOUN", "N", "Case=Acc"], ["ADJ", "A", "Case=Nom"]];
        TagSet::new(tags.map(|tag| tag.map(str::to_owned)).to_vec()).unwrap()
    }

    /// Scores of parts such that a tag has this score by its FEATS with UPOS, which no other tag has.
    fn scores(tagset: &TagSet, wanted: [f32; 3]) -> Vec<f32> {
        let mut scores = vec![0.0; tagset.part_count()];
        for (tag, score) in tagset.all().zip(wanted) {
            scores[usize::from(tagset.parts(tag)[2])] = score;
        }
        scores
    }

    #[test]
    fn both_opinions_count() {
        let tagset = tagset();
        let mut beliefs = Beliefs::default();
        beliefs.push([(2, 0.9), (0, 0.1)]);
        // Tag 0 needs a lead of log 9 over tag 2; tag 1, which the tagger did not consider, one of log 90.
        for (wanted, weight, upos, feats) in [
            ([2.0, 0.0, 0.0], 1.0, "ADJ", "Case=Nom"),
            ([2.4, 0.0, 0.0], 1.0, "NOUN", "Case=Nom"),
            ([2.4, 0.0, 0.0], 0.5, "ADJ", "Case=Nom"),
            ([0.0, 4.4, 0.0], 1.0, "ADJ", "Case=Nom"),
            ([0.0, 4.6, 0.0], 1.0, "NOUN", "Case=Acc"),
        ] {
            let mut sent = Sentence::from_words(&[("alte", "ADJ", 0, "root")]);
            let mut choice = JointChoice::new(&tagset, Mixture { weight, floor: 0.01 });
            let scores = scores(&tagset, wanted);
            let mut sure = Vec::new();
            choice.write(&mut sent, (&beliefs, &scores), Some(&mut sure));
            assert_eq!(columns(sent.word(1))[0], upos, "{wanted:?} {weight}");
            assert_eq!(columns(sent.word(1))[2], feats, "{wanted:?} {weight}");
            assert!(sure[0].upos > 0.4 && sure[0].feats <= 1.0 + 1e-6, "{sure:?}");
        }
    }

    #[test]
    fn probabilities_are_those_of_columns() {
        let tagset = tagset();
        let mut sent = Sentence::from_words(&[("alte", "X", 0, "root")]);
        let beliefs = Beliefs::certain(&tagset, &sent);
        let scores = scores(&tagset, [1.0, 2.0, 3.0].map(f32::ln));
        let (mut choice, mut sure) = (JointChoice::new(&tagset, Mixture::default()), Vec::new());
        assert!(choice.write(&mut sent, (&beliefs, &scores), Some(&mut sure)));
        let close = |p: f32, q: f32| (p - q).abs() < 1e-6;
        assert!(close(sure[0].upos, 0.5) && close(sure[0].xpos, 0.5), "{sure:?}");
        assert!(close(sure[0].feats, 4.0 / 6.0), "{sure:?}");
        assert!(!choice.write(&mut sent, (&beliefs, &scores), None), "nothing is left to change");
    }

    #[test]
    fn only_columns_that_the_treebank_fills_are_written() {
        let tag = ["VERB", "_", "Tense=Past"].map(str::to_owned);
        let tagset = TagSet::new(vec![tag]).unwrap();
        let mut sent = Sentence::from_words(&[("went", "NOUN", 0, "root")]);
        sent.set(1, COLUMNS[1], "NN");
        let scores = vec![0.0; tagset.part_count()];
        let beliefs = Beliefs::certain(&tagset, &sent);
        let mut choice = JointChoice::new(&tagset, Mixture::default());
        assert!(choice.write(&mut sent, (&beliefs, &scores), None));
        assert_eq!(columns(sent.word(1)), ["VERB", "NN", "Tense=Past"]);
    }
}
