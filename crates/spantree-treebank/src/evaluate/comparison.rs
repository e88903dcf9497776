//! Two treebanks and which word of one is which word of the other.

use super::align;
use super::document::Document;
use super::error::EvaluateError;
use super::side::{FeatureTable, Side};
use crate::draw::GoldArc;

/// How many words of a sentence may be attached to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// Exactly one, as Universal Dependencies demand.
    One,
    /// Any number, as CoNLL-X allows.
    Many,
}

/// A gold treebank, a system's treebank, and the alignment of their words; see the [module](super).
pub struct Comparison<'a> {
    pub(super) gold: Side<'a>,
    pub(super) system: Side<'a>,
    /// Aligned words `(gold, system)`, ascending.
    pub(super) pairs: Vec<(u32, u32)>,
    /// The gold word aligned with each system word.
    pub(super) gold_of: Vec<Option<u32>>,
    /// The system word aligned with each gold word.
    pub(super) system_of: Vec<Option<u32>>,
    /// The gold sentence to which each system word counts: the one that holds its first character.
    pub(super) home: Vec<u32>,
}

impl<'a> Comparison<'a> {
    /// Aligns words by the characters they cover; tokens and sentences may differ, the text may not (spaces aside).
    ///
    /// Words outside multiword tokens are aligned when they cover the same characters; within a region covered by multiword
    /// tokens of either side, by a longest common subsequence of lower-cased forms. The rule is that of the CoNLL 2018 UD
    /// evaluation.
    ///
    /// # Errors
    /// When the texts differ, or a sentence of either side has no words or is not a tree.
    pub fn by_text(
        gold: &'a Document,
        system: &'a Document,
        roots: Roots,
    ) -> Result<Self, EvaluateError> {
        let (gold, system) = sides(gold, system, roots)?;
        check_text(&gold, &system)?;
        let pairs = align::by_text(&gold, &system)?;
        let homes = system.words.iter().map(|word| gold.sentence_at(word.span.start)).collect();
        Ok(Self::new(gold, system, pairs, homes))
    }

    /// Aligns the n-th word of each sentence with the n-th word of the other treebank's sentence.
    ///
    /// # Errors
    /// When numbers of sentences, numbers of words or forms differ, or a sentence is not a tree.
    pub fn by_position(
        gold: &'a Document,
        system: &'a Document,
        roots: Roots,
    ) -> Result<Self, EvaluateError> {
        check_words(gold, system)?;
        let (gold, system) = sides(gold, system, roots)?;
        let pairs = (0..gold.words.len() as u32).map(|word| (word, word)).collect();
        let homes = system.words.iter().map(|word| word.sentence).collect();
        Ok(Self::new(gold, system, pairs, homes))
    }

    fn new(gold: Side<'a>, system: Side<'a>, pairs: Vec<(u32, u32)>, home: Vec<u32>) -> Self {
        let mut gold_of = vec![None; system.words.len()];
        let mut system_of = vec![None; gold.words.len()];
        for &(g, s) in &pairs {
            gold_of[s as usize] = Some(g);
            system_of[g as usize] = Some(s);
        }
        Self { gold, system, pairs, gold_of, system_of, home }
    }

    /// The gold treebank.
    #[must_use]
    pub fn gold(&self) -> &'a Document {
        self.gold.document
    }

    /// The system's treebank.
    #[must_use]
    pub fn system(&self) -> &'a Document {
        self.system.document
    }

    /// What gold says of each word of a sentence of the system; `None` for words that gold does not have. Gold heads are
    /// given as words of that sentence.
    ///
    /// # Panics
    /// When the system's treebank has no such sentence.
    #[must_use]
    pub fn gold_arcs(&self, sentence: usize) -> Vec<Option<GoldArc<'a>>> {
        let words = self.system.sentences[sentence].words.clone();
        let number = |word: u32| {
            let word = word as usize;
            words.contains(&word).then(|| (word - words.start) as u32 + 1)
        };
        let arc = |word: usize| {
            let gold = &self.gold.words[self.gold_of[word]? as usize];
            let head = match gold.head {
                None => Some(0),
                Some(head) => self.system_of[head as usize].and_then(number),
            };
            Some(GoldArc { head, label: gold.token.deprel() })
        };
        words.clone().map(arc).collect()
    }

    /// Whether the heads of two aligned words are the root, or aligned with each other.
    pub(super) fn same_head(&self, gold: u32, system: u32) -> bool {
        let gold_head = self.gold.words[gold as usize].head;
        match self.system.words[system as usize].head {
            None => gold_head.is_none(),
            Some(head) => gold_head.is_some() && self.gold_of[head as usize] == gold_head,
        }
    }
}

fn sides<'a>(
    gold: &'a Document,
    system: &'a Document,
    roots: Roots,
) -> Result<(Side<'a>, Side<'a>), EvaluateError> {
    let mut features = FeatureTable::default();
    let gold = Side::new(gold, roots, &mut features)?;
    let system = Side::new(system, roots, &mut features)?;
    Ok((gold, system))
}

fn check_text(gold: &Side, system: &Side) -> Result<(), EvaluateError> {
    if gold.text == system.text {
        return Ok(());
    }
    let (mut left, mut right) = (gold.text.chars(), system.text.chars());
    let mut same = 0;
    while let (Some(a), Some(b)) = (left.next(), right.next()) {
        if a != b {
            break;
        }
        same += a.len_utf8();
    }
    match (gold.excerpt(same), system.excerpt(same)) {
        (Some(gold), Some(system)) => {
            Err(EvaluateError::Text { gold: Box::new(gold), system: Box::new(system) })
        }
        (Some(longer), None) => {
            let shorter = system.document.name().to_owned();
            Err(EvaluateError::TextEnds { shorter, longer: Box::new(longer) })
        }
        (None, Some(longer)) => {
            let shorter = gold.document.name().to_owned();
            Err(EvaluateError::TextEnds { shorter, longer: Box::new(longer) })
        }
        (None, None) => Ok(()),
    }
}

fn check_words(gold: &Document, system: &Document) -> Result<(), EvaluateError> {
    let (gold_count, system_count) = (gold.sentences().len(), system.sentences().len());
    if gold_count != system_count {
        let (gold, system) = (gold.name().to_owned(), system.name().to_owned());
        return Err(EvaluateError::SentenceCount { gold, gold_count, system, system_count });
    }
    for (index, (left, right)) in gold.sentences().iter().zip(system.sentences()).enumerate() {
        if left.len() != right.len() {
            return Err(EvaluateError::WordCount {
                gold: Box::new(gold.place(index)),
                gold_count: left.len(),
                system: Box::new(system.place(index)),
                system_count: right.len(),
            });
        }
        if let Some((a, b)) = left.words().zip(right.words()).find(|(a, b)| a.form() != b.form()) {
            return Err(EvaluateError::Form {
                gold: Box::new(gold.row_place(index, a.index())),
                gold_form: a.form().to_owned(),
                system: Box::new(system.row_place(index, b.index())),
                system_form: b.form().to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::{Column, Sentence};

    fn document(name: &str, sentences: &[&[(&str, u32)]]) -> Document {
        let sentences = sentences.iter().map(|words| {
            let words: Vec<_> =
                words.iter().map(|&(form, head)| (form, "X", head, "dep")).collect();
            Sentence::from_words(&words)
        });
        Document::new(name, sentences.collect())
    }

    fn message(gold: &Document, system: &Document) -> String {
        Comparison::by_text(gold, system, Roots::One).err().unwrap().to_string()
    }

    #[test]
    fn a_text_mismatch_names_both_places() {
        let gold = document("g", &[&[("a", 0), ("b", 1)], &[("cat", 2), ("sat", 0), ("on", 2)]]);
        let system = document("s", &[&[("ab", 0), ("ca", 1), ("tse", 1), ("t", 1)]]);
        assert_eq!(
            message(&gold, &system),
            "the texts differ, first at g:5: \"a b cat [sat] on\" against s:3: \"ab ca [tse] t\"; \
             both must come from the same text"
        );
    }

    #[test]
    fn a_text_that_ends_early_is_named() {
        let long = document("long", &[&[("a", 0), ("b", 1)]]);
        let short = document("short", &[&[("a", 0)]]);
        let expected =
            "short ends where long:2: \"a [b]\" goes on; both must come from the same text";
        assert_eq!(message(&long, &short), expected);
        assert_eq!(message(&short, &long), expected);
    }

    #[test]
    fn sentences_that_are_no_trees_are_refused() {
        let good = document("good", &[&[("a", 0), ("b", 1), ("c", 1)]]);
        let cases = [
            ([("a", 2), ("b", 1), ("c", 0)], "bad:1: words 1, 2 form a cycle"),
            (
                [("a", 0), ("b", 1), ("c", 0)],
                "bad:1: words 1, 3 are all attached to the root, but a tree needs exactly one",
            ),
            (
                [("a", 0), ("b", 1), ("c", 9)],
                "bad:1: the head of word 3 is 9, but the sentence has 3 words",
            ),
        ];
        for (words, expected) in cases {
            let bad = document("bad", &[&words]);
            assert_eq!(message(&good, &bad), expected);
            assert_eq!(message(&bad, &good), expected);
        }
        let several = document("several", &[&[("a", 0), ("b", 1), ("c", 0)]]);
        assert!(Comparison::by_text(&good, &several, Roots::Many).is_ok());
        let mut headless = Sentence::from_words(&[("abc", "X", 0, "root")]);
        headless.set_comment("sent_id", "s9");
        headless.set_head(1, None);
        let headless = Document::new("h", vec![headless]);
        assert_eq!(message(&good, &headless), "h:1 (sentence s9): word 1 has no head");
    }

    #[test]
    fn empty_sentences_and_forms_are_refused() {
        let good = document("good", &[&[("a", 0)]]);
        let empty = Document::new("e", vec![Sentence::new()]);
        assert!(message(&good, &empty).starts_with("e:1: a sentence without words"));
        let mut blank = Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", 1, "dep")]);
        blank.set(2, Column::Form, "\u{a0} ");
        let blank = Document::new("b", vec![blank]);
        assert!(message(&good, &blank).starts_with("b:2: token 2 has a FORM without"));
    }

    #[test]
    fn spaces_do_not_matter_for_the_text() {
        let gold = document("g", &[&[("New\u{a0}York 1", 0)]]);
        let system = document("s", &[&[("New", 0), ("York1", 1)]]);
        let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
        assert!(comparison.pairs.is_empty());
    }

    #[test]
    fn positions_must_hold_the_same_words() {
        let gold = document("g", &[&[("a", 0), ("b", 1)]]);
        let message = |system: &Document| {
            Comparison::by_position(&gold, system, Roots::Many).err().unwrap().to_string()
        };
        let two = document("s", &[&[("a", 0)], &[("b", 0)]]);
        assert!(message(&two).starts_with("g has 1 sentences and s has 2;"));
        let longer = document("s", &[&[("a", 0), ("b", 1), ("c", 1)]]);
        assert!(message(&longer).starts_with("g:1 has 2 words and s:1 has 3;"));
        let other = document("s", &[&[("a", 0), ("c", 1)]]);
        assert!(message(&other).starts_with("g:2 has the word \"b\" and s:2 has \"c\";"));
        let same = Comparison::by_position(&gold, &gold, Roots::Many).unwrap();
        assert_eq!(same.pairs, [(0, 0), (1, 1)]);
    }
}
