//! One of the two treebanks of a comparison, flattened: all words, tokens and sentences with the characters they cover.

use std::collections::HashMap;
use std::ops::Range;

use super::comparison::Roots;
use super::document::Document;
use super::error::{EvaluateError, Excerpt};
use crate::sentence::{Column, Dep, Sentence, Token, TokenId};
use crate::tree::Tree;

/// A word. Indices of words run through the whole document.
pub(super) struct Word<'a> {
    pub(super) token: Token<'a>,
    pub(super) sentence: u32,
    /// The bytes that its token covers in [`Side::text`].
    pub(super) span: Range<usize>,
    /// Whether it is part of a multiword token; `span` is that of the whole token then.
    pub(super) multiword: bool,
    /// Index of its head; `None` for the root.
    pub(super) head: Option<u32>,
    /// DEPREL without subtype.
    pub(super) relation: &'a str,
    /// Equal for words with the same universal features.
    pub(super) features: u32,
}

/// The words and characters of a sentence.
#[derive(Clone)]
pub(super) struct Extent {
    pub(super) words: Range<usize>,
    pub(super) span: Range<usize>,
}

/// A token: a word outside multiword tokens, or a multiword token.
pub(super) struct SurfaceToken {
    pub(super) sentence: u32,
    pub(super) row: u32,
    pub(super) span: Range<usize>,
}

pub(super) struct Side<'a> {
    pub(super) document: &'a Document,
    /// All tokens in a row, without spaces.
    pub(super) text: String,
    pub(super) words: Vec<Word<'a>>,
    pub(super) tokens: Vec<SurfaceToken>,
    pub(super) sentences: Vec<Extent>,
    /// The tree of each sentence.
    pub(super) trees: Vec<Tree>,
}

impl<'a> Side<'a> {
    pub(super) fn new(
        document: &'a Document,
        roots: Roots,
        features: &mut FeatureTable<'a>,
    ) -> Result<Self, EvaluateError> {
        let mut side = Self {
            document,
            text: String::new(),
            words: Vec::with_capacity(document.word_count()),
            tokens: Vec::with_capacity(document.word_count()),
            sentences: Vec::with_capacity(document.sentences().len()),
            trees: Vec::with_capacity(document.sentences().len()),
        };
        for (index, sent) in document.sentences().iter().enumerate() {
            side.trees.push(checked_tree(document, index, roots)?);
            check_deps(document, index)?;
            side.push(index, sent, features)?;
        }
        Ok(side)
    }

    fn push(
        &mut self,
        index: usize,
        sent: &'a Sentence,
        features: &mut FeatureTable<'a>,
    ) -> Result<(), EvaluateError> {
        let (first_word, first_byte) = (self.words.len(), self.text.len());
        let base = first_word as u32;
        // Last word of the multiword token that covers the current word, and its bytes.
        let mut covered = (0, 0..0);
        for token in sent.tokens() {
            match token.id() {
                TokenId::Empty(..) => {}
                TokenId::Range(_, last) => covered = (last, self.push_token(index, token)?),
                TokenId::Word(number) => {
                    let multiword = number <= covered.0;
                    let span =
                        if multiword { covered.1.clone() } else { self.push_token(index, token)? };
                    self.words.push(Word {
                        token,
                        sentence: index as u32,
                        span,
                        multiword,
                        head: token.head().filter(|&head| head > 0).map(|head| base + head - 1),
                        relation: token.universal_deprel(),
                        features: features.id(token),
                    });
                }
            }
        }
        self.sentences.push(Extent {
            words: first_word..self.words.len(),
            span: first_byte..self.text.len(),
        });
        Ok(())
    }

    /// Appends the form without its spaces; returns the bytes it takes.
    fn push_token(
        &mut self,
        sentence: usize,
        token: Token<'a>,
    ) -> Result<Range<usize>, EvaluateError> {
        let start = self.text.len();
        self.text.extend(token.form().chars().filter(|&c| !is_space(c)));
        let span = start..self.text.len();
        if span.is_empty() {
            return Err(EvaluateError::EmptyForm {
                place: self.document.row_place(sentence, token.index()),
                id: token.id().to_string(),
            });
        }
        let (sentence, row) = (sentence as u32, token.index() as u32);
        self.tokens.push(SurfaceToken { sentence, row, span: span.clone() });
        Ok(span)
    }

    /// The token that covers a byte of the text, with some neighbours; `None` behind the end.
    pub(super) fn excerpt(&self, byte: usize) -> Option<Excerpt> {
        const NEIGHBOURS: usize = 5;
        let at = self.tokens.partition_point(|token| token.span.end <= byte);
        let token = self.tokens.get(at)?;
        let around = at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(self.tokens.len());
        let forms: Vec<_> = around
            .map(|index| {
                let form = &self.text[self.tokens[index].span.clone()];
                if index == at { format!("[{form}]") } else { form.to_owned() }
            })
            .collect();
        let place = self.document.row_place(token.sentence as usize, token.row as usize);
        Some(Excerpt { place, text: forms.join(" ") })
    }

    /// The sentence that holds a byte of the text; the last one for bytes behind the end.
    pub(super) fn sentence_at(&self, byte: usize) -> u32 {
        let index = self.sentences.partition_point(|sentence| sentence.span.end <= byte);
        index.min(self.sentences.len().saturating_sub(1)) as u32
    }
}

fn checked_tree(document: &Document, index: usize, roots: Roots) -> Result<Tree, EvaluateError> {
    let sent = &document.sentences()[index];
    if sent.is_empty() {
        return Err(EvaluateError::EmptySentence { place: document.place(index) });
    }
    let tree = sent.tree().and_then(|tree| {
        if roots == Roots::One {
            tree.root()?;
        }
        Ok(tree)
    });
    tree.map_err(|error| EvaluateError::Tree { place: document.place(index), error })
}

fn check_deps(document: &Document, index: usize) -> Result<(), EvaluateError> {
    let sent = &document.sentences()[index];
    for (number, word) in (1..).zip(sent.words()) {
        let problem = |value: &str| match Dep::parse(value) {
            None => Some("is not head:relation"),
            Some(dep) if dep.head as usize > sent.len() => Some("names a head that does not exist"),
            Some(_) => None,
        };
        let parts = word.get(Column::Deps).split('|').filter(|&part| part != "_");
        if let Some((value, problem)) = parts.filter_map(|p| Some((p, problem(p)?))).next() {
            let place = document.row_place(index, word.index());
            let value = value.to_owned();
            return Err(EvaluateError::Deps { place, word: number, value, problem });
        }
    }
    Ok(())
}

/// Whether a character is a space: general category Zs.
pub(super) fn is_space(c: char) -> bool {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
    c == ' ' || (!c.is_ascii() && c.general_category() == GeneralCategory::SpaceSeparator)
}

/// The features that count for the UD metrics, sorted.
const UNIVERSAL_FEATURES: [&str; 21] = [
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "NumType", "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
];

/// Numbers for FEATS that agree exactly when the universal features do, whatever their order.
#[derive(Default)]
pub(super) struct FeatureTable<'a> {
    seen: HashMap<&'a str, u32>,
    universal: HashMap<Vec<&'a str>, u32>,
}

impl<'a> FeatureTable<'a> {
    fn id(&mut self, token: Token<'a>) -> u32 {
        let text = token.get(Column::Feats);
        if let Some(&id) = self.seen.get(text) {
            return id;
        }
        let is_universal = |feature: &&str| {
            let name = feature.split('=').next().unwrap_or_default();
            UNIVERSAL_FEATURES.binary_search(&name).is_ok()
        };
        let mut features: Vec<_> = text.split('|').filter(is_universal).collect();
        features.sort_unstable();
        let next = self.universal.len() as u32;
        let id = *self.universal.entry(features).or_insert(next);
        self.seen.insert(text, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_sorted_for_binary_search() {
        assert!(UNIVERSAL_FEATURES.is_sorted());
    }

    #[test]
    fn broken_enhanced_dependencies_are_refused() {
        let message = |deps: &str| {
            let mut sent = Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", 1, "dep")]);
            sent.set(2, Column::Deps, deps);
            let document = Document::new("d", vec![sent]);
            let side = Side::new(&document, Roots::One, &mut FeatureTable::default());
            side.err().map(|error| error.to_string())
        };
        for good in ["_", "0:root|1:dep", "1.1:x|2.7:y"] {
            assert_eq!(message(good), None, "{good}");
        }
        let expected = "d:2: DEPS \"3:x\" of word 2 names a head that does not exist";
        assert_eq!(message("1:dep|3:x").as_deref(), Some(expected));
        assert_eq!(
            message("dep").as_deref(),
            Some("d:2: DEPS \"dep\" of word 2 is not head:relation")
        );
    }
}
