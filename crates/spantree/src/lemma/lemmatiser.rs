//! The lemmatiser that users hold, and its worker.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spantree_treebank::{Column, Sentence};

use super::feature::Word;
use super::script::Script;
use crate::model::{Container, ModelError, Sections};
use crate::rows::choice::best;
use crate::rows::{Row, Rows};

/// What a lemmatiser says about itself: part of the header of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The scripts by number, as text; the first `general` of them can be chosen for unknown words.
    pub scripts: Vec<String>,
    /// See `scripts`.
    pub general: usize,
    /// Accuracy on the development set in per cent, with the tags given there.
    pub dev: Option<f64>,
}

/// A trained lemmatiser; see the [module](super).
#[derive(Clone, Debug)]
pub struct Lemmatiser {
    container: Arc<Container>,
    prefix: String,
    header: Header,
    scripts: Vec<Script>,
}

impl Lemmatiser {
    /// A lemmatiser out of the sections of a model whose names start with `prefix`; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(
        container: Arc<Container>,
        prefix: &str,
        header: Header,
    ) -> Result<Self, ModelError> {
        let invalid = |problem: String| ModelError::Invalid {
            name: container.name().to_owned(),
            problem: format!("the lemmatiser {problem}"),
        };
        let mut scripts = Vec::new();
        for text in &header.scripts {
            let script = Script::from_text(text);
            scripts.push(script.ok_or_else(|| invalid(format!("has the script \"{text}\"")))?);
        }
        if header.general > scripts.len() || scripts.len() > u16::MAX.into() {
            let (general, count) = (header.general, scripts.len());
            return Err(invalid(format!("has {general} general scripts of {count}")));
        }
        let lemmatiser = Self { container, prefix: prefix.to_owned(), header, scripts };
        lemmatiser.tables()?;
        Ok(lemmatiser)
    }

    /// The dictionary and the weights.
    fn tables(&self) -> Result<(Rows<'_>, Rows<'_>), ModelError> {
        let rows = |name: &str, labels| {
            Rows::from_container(&self.container, &format!("{}{name}", self.prefix), labels)
        };
        Ok((rows("dictionary", self.scripts.len())?, rows("weights", self.header.general)?))
    }

    /// What the lemmatiser says about itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn with_dev(mut self, accuracy: f64) -> Self {
        self.header.dev = Some(accuracy);
        self
    }

    /// Adds the sections of this lemmatiser to those of a model, with names that start with `prefix`.
    ///
    /// # Errors
    /// Never for a lemmatiser that was loaded or trained.
    pub fn write_sections(&self, prefix: &str, sections: &mut Sections) -> Result<(), ModelError> {
        for name in ["dictionary", "weights"] {
            let (from, to) = (format!("{}{name}", self.prefix), format!("{prefix}{name}"));
            Rows::copy(&self.container, &from, &to, sections)?;
        }
        Ok(())
    }

    /// A worker with its own buffers; make one per thread.
    ///
    /// # Panics
    /// Never: the sections were checked on loading.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let (dictionary, weights) = self.tables().expect("checked on loading");
        Worker {
            lemmatiser: self,
            dictionary,
            weights,
            sums: Vec::new(),
            lower: String::new(),
            chars: Vec::new(),
            lemma: String::new(),
        }
    }
}

/// What to predict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LemmaOptions {
    /// Keep lemmas that are not `_`.
    pub keep: bool,
}

/// Lemmatises sentences with one model; see [`Lemmatiser::worker`].
#[derive(Debug)]
pub struct Worker<'l> {
    lemmatiser: &'l Lemmatiser,
    dictionary: Rows<'l>,
    weights: Rows<'l>,
    sums: Vec<i32>,
    lower: String,
    chars: Vec<char>,
    lemma: String,
}

impl Worker<'_> {
    /// Writes the lemmas of a tagged sentence.
    pub fn lemmatise(&mut self, sent: &mut Sentence, options: &LemmaOptions) {
        for number in 1..=sent.len() as u32 {
            let token = sent.word(number);
            if options.keep && token.lemma() != "_" {
                continue;
            }
            let word = Word::new(token);
            if !self.apply_known(&word, token.form()) && !self.apply_best(&word, token.form()) {
                self.lemma.clear();
                self.lemma.push_str(token.form());
            }
            sent.set(number, Column::Lemma, &self.lemma);
        }
    }

    /// The lemma by the dictionary.
    fn apply_known(&mut self, word: &Word, form: &str) -> bool {
        let [exact, coarse] = word.dictionary_keys();
        let first = |row: Row<'_>| row.iter().next().map(|(script, _)| script);
        let script =
            first(self.dictionary.get(exact)).or_else(|| first(self.dictionary.get(coarse)));
        script.is_some_and(|script| self.apply(script, form))
    }

    /// The lemma by the best script that fits the form.
    fn apply_best(&mut self, word: &Word, form: &str) -> bool {
        self.sums.clear();
        self.sums.resize(self.lemmatiser.header.general, 0);
        for key in word.features(form, &mut self.lower) {
            for (script, weight) in self.weights.get(key).iter() {
                self.sums[usize::from(script)] += i32::from(weight);
            }
        }
        for _ in 0..ATTEMPTS {
            let Some(script) = best(&self.sums) else { return false };
            if self.apply(script, form) {
                return true;
            }
            self.sums[usize::from(script)] = i32::MIN;
        }
        false
    }

    fn apply(&mut self, script: u16, form: &str) -> bool {
        self.lemmatiser.scripts[usize::from(script)].apply(form, &mut self.chars, &mut self.lemma)
    }
}

/// Scripts tried on a form before it becomes its own lemma.
const ATTEMPTS: usize = 4;
