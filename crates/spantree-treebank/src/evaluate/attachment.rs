//! Attachment scores in the conventions of CoNLL-X, CoNLL 2007 and McDonald, Crammer & Pereira (2006).
//!
//! CoNLL-X leaves punctuation out, known as forms that are made of Unicode punctuation only; CoNLL 2007 scores every token.
//! Labels are compared whole unless [`Labels::Universal`] cuts their subtypes. What is scored is for the gold word to say; a
//! system word without a gold counterpart speaks for itself.

use std::ops::AddAssign;

use serde::Serialize;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::comparison::Comparison;
use super::score::Score;
use super::side::Word;
use crate::sentence::Token;

/// Which words count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Punctuation {
    /// All of them.
    #[default]
    Score,
    /// Those whose form is not made of Unicode punctuation only (the rule of CoNLL-X, so `_` is punctuation and `$` is not).
    SkipByForm,
    /// Those whose UPOS is not `PUNCT`.
    SkipByUpos,
}

/// How labels are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// Whole: `nsubj:pass` is not `nsubj`.
    #[default]
    Full,
    /// Up to the first colon.
    Universal,
}

/// Conventions of attachment scores, breakdowns and confusions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AttachmentOptions {
    /// Which words count.
    pub punctuation: Punctuation,
    /// How labels are compared.
    pub labels: Labels,
}

impl AttachmentOptions {
    /// Whether a gold word counts.
    #[must_use]
    pub fn counts(&self, word: Token<'_>) -> bool {
        match self.punctuation {
            Punctuation::Score => true,
            Punctuation::SkipByForm => !word.form().chars().all(is_punctuation),
            Punctuation::SkipByUpos => word.upos() != "PUNCT",
        }
    }

    /// The label of a word, as it is compared.
    #[must_use]
    pub fn label<'a>(&self, word: Token<'a>) -> &'a str {
        match self.labels {
            Labels::Full => word.deprel(),
            Labels::Universal => word.universal_deprel(),
        }
    }
}

fn is_punctuation(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// Attachment scores; as scores do, those of sentences add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Attachment {
    /// Words with the right head and label.
    pub las: Score,
    /// Words with the right head.
    pub uas: Score,
    /// Words with the right label.
    pub label: Score,
    /// Words attached to the root.
    pub root: Score,
    /// Sentences with all heads right.
    pub complete: Score,
    /// Sentences with all heads and labels right.
    pub labelled_complete: Score,
}

impl AddAssign for Attachment {
    fn add_assign(&mut self, other: Self) {
        self.las += other.las;
        self.uas += other.uas;
        self.label += other.label;
        self.root += other.root;
        self.complete += other.complete;
        self.labelled_complete += other.labelled_complete;
    }
}

impl Attachment {
    /// The scores with their names, in the order of a table.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Score); 6] {
        [
            ("LAS", self.las),
            ("UAS", self.uas),
            ("Label", self.label),
            ("Root", self.root),
            ("Complete", self.complete),
            ("Labelled complete", self.labelled_complete),
        ]
    }

    fn add_gold(&mut self, word: &Word) {
        for score in [&mut self.las, &mut self.uas, &mut self.label] {
            score.gold += 1;
        }
        self.root.gold += u64::from(word.head.is_none());
    }

    fn add_system(&mut self, word: &Word) {
        for score in [&mut self.las, &mut self.uas, &mut self.label] {
            score.system += 1;
        }
        self.root.system += u64::from(word.head.is_none());
    }

    fn finish_sentence(&mut self) {
        let all = |score: Score| {
            Score::item(score.correct == score.gold && score.correct == score.system)
        };
        self.complete = all(self.uas);
        self.labelled_complete = all(self.las);
    }
}

impl Comparison<'_> {
    /// The attachment scores of the whole document.
    #[must_use]
    pub fn attachment(&self, options: &AttachmentOptions) -> Attachment {
        let mut total = Attachment::default();
        for sentence in self.sentence_attachments(options) {
            total += sentence;
        }
        total
    }

    /// The attachment scores of each gold sentence.
    #[must_use]
    pub fn sentence_attachments(&self, options: &AttachmentOptions) -> Vec<Attachment> {
        let mut scores = vec![Attachment::default(); self.gold.sentences.len()];
        for word in self.scored_gold(options) {
            let word = &self.gold.words[word as usize];
            scores[word.sentence as usize].add_gold(word);
        }
        for word in self.scored_system(options) {
            let sentence = &mut scores[self.home[word as usize] as usize];
            sentence.add_system(&self.system.words[word as usize]);
            let Some(gold) = self.gold_of[word as usize] else { continue };
            let (head, label) = self.agreement(gold, word, options);
            let is_root = head && self.gold.words[gold as usize].head.is_none();
            sentence.uas.correct += u64::from(head);
            sentence.label.correct += u64::from(label);
            sentence.las.correct += u64::from(head && label);
            sentence.root.correct += u64::from(is_root);
        }
        scores.iter_mut().for_each(Attachment::finish_sentence);
        scores
    }

    /// Whether the heads and whether the labels of two aligned words agree.
    pub(super) fn agreement(
        &self,
        gold: u32,
        system: u32,
        options: &AttachmentOptions,
    ) -> (bool, bool) {
        let (g, s) = (&self.gold.words[gold as usize], &self.system.words[system as usize]);
        (self.same_head(gold, system), options.label(g.token) == options.label(s.token))
    }

    /// The gold words that count.
    pub(super) fn scored_gold(&self, options: &AttachmentOptions) -> impl Iterator<Item = u32> {
        let words = self.gold.words.iter().enumerate();
        words.filter(|(_, word)| options.counts(word.token)).map(|(index, _)| index as u32)
    }

    /// The system words that count.
    pub(super) fn scored_system(&self, options: &AttachmentOptions) -> impl Iterator<Item = u32> {
        let judge = |index: usize| match self.gold_of[index] {
            Some(gold) => &self.gold.words[gold as usize],
            None => &self.system.words[index],
        };
        let words = 0..self.system.words.len();
        words.filter(move |&index| options.counts(judge(index).token)).map(|index| index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Document, Roots};
    use crate::sentence::Sentence;

    type Words = [(&'static str, &'static str, u32, &'static str)];

    fn document(sentences: &[&Words]) -> Document {
        Document::new("test", sentences.iter().map(|words| Sentence::from_words(words)).collect())
    }

    fn counts(attachment: &Attachment) -> [(u64, u64, u64); 6] {
        attachment.named().map(|(_, score)| (score.gold, score.system, score.correct))
    }

    const GOLD: [&Words; 2] = [
        &[("He", "PRON", 2, "nsubj:pass"), ("ate", "VERB", 0, "root"), ("?!", "PUNCT", 2, "punct")],
        &[("$", "SYM", 0, "root"), ("_", "X", 0, "root"), (".", "PUNCT", 1, "punct")],
    ];
    const GUESS: [&Words; 2] = [
        &[("He", "PRON", 2, "nsubj"), ("ate", "VERB", 0, "root"), ("?!", "PUNCT", 1, "punct")],
        &[("$", "SYM", 0, "root"), ("_", "X", 1, "root"), (".", "X", 1, "x")],
    ];

    #[test]
    fn all_words_and_whole_labels() {
        let (gold, guess) = (document(&GOLD), document(&GUESS));
        let comparison = Comparison::by_position(&gold, &guess, Roots::Many).unwrap();
        let scores = comparison.attachment(&AttachmentOptions::default());
        let expected = [(6, 6, 2), (6, 6, 4), (6, 6, 4), (3, 2, 2), (2, 2, 0), (2, 2, 0)];
        assert_eq!(counts(&scores), expected);
    }

    #[test]
    fn punctuation_is_known_by_form_or_by_tag() {
        let (gold, guess) = (document(&GOLD), document(&GUESS));
        let comparison = Comparison::by_position(&gold, &guess, Roots::Many).unwrap();
        let scores = |punctuation| {
            let options = AttachmentOptions { punctuation, labels: Labels::Universal };
            counts(&comparison.attachment(&options))
        };
        // He, ate, $ are left: `_` is connector punctuation.
        let by_form = [(3, 3, 3), (3, 3, 3), (3, 3, 3), (2, 2, 2), (2, 2, 2), (2, 2, 2)];
        assert_eq!(scores(Punctuation::SkipByForm), by_form);
        // The gold tag of "." decides.
        let by_upos = [(4, 4, 3), (4, 4, 3), (4, 4, 4), (3, 2, 2), (2, 2, 1), (2, 2, 1)];
        assert_eq!(scores(Punctuation::SkipByUpos), by_upos);
    }

    #[test]
    fn other_tokens_count_on_their_own_side() {
        let gold = document(&[&[("ab", "X", 0, "root"), ("c", "X", 1, "dep")]]);
        let guess =
            document(&[&[("a", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 1, "dep")]]);
        let comparison = Comparison::by_text(&gold, &guess, Roots::One).unwrap();
        let scores = comparison.attachment(&AttachmentOptions::default());
        let expected = [(2, 3, 0), (2, 3, 0), (2, 3, 1), (1, 1, 0), (1, 1, 0), (1, 1, 0)];
        assert_eq!(counts(&scores), expected);
    }
}
