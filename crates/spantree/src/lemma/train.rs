//! Training a lemmatiser: from treebank to model.

use std::collections::HashMap;
use std::sync::Arc;

use spantree_learn::{PassiveAggressive, State, epoch, epoch_order};
use spantree_treebank::{Column, Sentence, Token};
use thiserror::Error;

use super::feature::Word;
use super::lemmatiser::{Header, LemmaOptions, Lemmatiser};
use super::script::Script;
use crate::model::{ModelError, Sections};
use crate::rows::RowsBuilder;
use crate::rows::choice::{ChoiceProblem, examples};

/// Settings; the default is meant to be good for every treebank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemmatiserConfig {
    /// Seed of the shuffles.
    pub seed: u64,
    /// Number of epochs.
    pub epochs: u64,
    /// Largest step of an update.
    pub aggressiveness: f64,
    /// Features seen with fewer words are left out.
    pub min_count: usize,
    /// At most this many weights are kept, the largest.
    pub max_weights: usize,
}

impl Default for LemmatiserConfig {
    fn default() -> Self {
        Self { seed: 1, epochs: 8, aggressiveness: 0.05, min_count: 2, max_weights: 200_000 }
    }
}

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LemmaError {
    /// Nothing to learn.
    #[error(
        "the training data have no lemmas; train the lemmatiser on data that have, or leave it out"
    )]
    NoLemmas,
    /// More scripts than numbers for them.
    #[error(
        "the training data have {found} ways to make lemmas from forms, more than 65,535; are the columns in order?"
    )]
    TooManyScripts {
        /// How many.
        found: usize,
    },
    /// Tables that do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Trains lemmatisers; see the [module](super).
#[derive(Clone, Debug, Default)]
pub struct LemmatiserTrainer {
    config: LemmatiserConfig,
}

/// A form with tags and lemma, seen at least once.
struct Entry<'a> {
    form: &'a str,
    word: Word,
    script: u16,
    count: usize,
}

/// Whether a word has a lemma: `_` is none, except of itself.
fn has_lemma(word: &Token<'_>) -> bool {
    word.lemma() != "_" || word.form() == "_"
}

impl LemmatiserTrainer {
    /// A trainer with these settings.
    #[must_use]
    pub fn new(config: LemmatiserConfig) -> Self {
        Self { config }
    }

    /// Trains on `train`; `progress` gets the number of each epoch, from 1, and its mean loss. `dev` is scored at the end.
    ///
    /// # Errors
    /// When the data cannot be trained on.
    pub fn train(
        &self,
        train: &[Sentence],
        dev: &[Sentence],
        progress: &mut dyn FnMut(u64, f64),
    ) -> Result<Lemmatiser, LemmaError> {
        let (entries, scripts, general) = entries(train)?;
        let taught: Vec<&Entry<'_>> =
            entries.iter().filter(|entry| usize::from(entry.script) < general).collect();
        let mut lower = String::new();
        let features: Vec<_> =
            taught.iter().map(|entry| entry.word.features(entry.form, &mut lower)).collect();
        let gold: Vec<_> = taught.iter().map(|entry| entry.script).collect();
        let (examples, space) = examples(&features, &gold, self.config.min_count);
        let problem = ChoiceProblem { space: &space, labels: general };
        let learner = PassiveAggressive::cost_augmented(self.config.aggressiveness);
        let (mut state, mut scratch) = (State::new(space.weights()), Default::default());
        for number in 1..=self.config.epochs {
            let order = epoch_order(examples.len(), self.config.seed, number);
            let stats =
                epoch(&learner, &problem, &examples, &order, &mut state, &mut scratch, &|_| ());
            progress(number, stats.loss / examples.len().max(1) as f64);
        }
        let mut sections = Sections::default();
        let (weights, _) = space.rows(&state.average(), self.config.max_weights);
        weights.write("weights", &mut sections);
        dictionary(&entries).write("dictionary", &mut sections);
        let header = Header { scripts, general, dev: None };
        let container = sections.into_container("the new lemmatiser", &header)?;
        let lemmatiser = Lemmatiser::new(Arc::new(container), "", header)?;
        Ok(match evaluate(&lemmatiser, dev) {
            Some(accuracy) => lemmatiser.with_dev(accuracy),
            None => lemmatiser,
        })
    }
}

/// The different words of a treebank, its scripts, and how many of those, the first, are general.
///
/// A script is general when it was seen with two forms and is not a lemma written out; of general scripts, and of others,
/// the frequent ones come first.
fn entries(train: &[Sentence]) -> Result<(Vec<Entry<'_>>, Vec<String>, usize), LemmaError> {
    let mut words: HashMap<([&str; 4], &str), (usize, Word)> = HashMap::new();
    for token in train.iter().flat_map(Sentence::words).filter(has_lemma) {
        let columns = [token.form(), token.upos(), token.xpos(), token.get(Column::Feats)];
        let entry = words.entry((columns, token.lemma()));
        entry.or_insert_with(|| (0, Word::new(token))).0 += 1;
    }
    if words.is_empty() {
        return Err(LemmaError::NoLemmas);
    }
    let mut words: Vec<_> = words.into_iter().collect();
    words.sort_unstable_by_key(|entry| entry.0);
    let scripts: Vec<Script> =
        words.iter().map(|((columns, lemma), _)| Script::between(columns[0], lemma)).collect();
    // Script: how many forms it was seen with; words are sorted, so equal forms are neighbours.
    let mut forms: HashMap<String, (usize, &str)> = HashMap::new();
    for (((columns, _), _), script) in words.iter().zip(&scripts) {
        let (count, last) = forms.entry(script.to_text()).or_default();
        *count += usize::from(*count == 0 || *last != columns[0]);
        *last = columns[0];
    }
    let mut order: Vec<(bool, usize, String)> = forms
        .into_iter()
        .map(|(text, (count, _))| (count > 1 && !text.starts_with('W'), count, text))
        .collect();
    order.sort_unstable_by(|a, b| (b.0, b.1, &a.2).cmp(&(a.0, a.1, &b.2)));
    if order.len() > u16::MAX.into() {
        return Err(LemmaError::TooManyScripts { found: order.len() });
    }
    let general = order.iter().filter(|script| script.0).count();
    let texts: Vec<String> = order.into_iter().map(|script| script.2).collect();
    let numbers: HashMap<&str, u16> = texts.iter().map(String::as_str).zip(0..).collect();
    let entries = words
        .iter()
        .zip(&scripts)
        .map(|(((columns, _), (count, word)), script)| Entry {
            form: columns[0],
            word: *word,
            script: numbers[&*script.to_text()],
            count: *count,
        })
        .collect();
    Ok((entries, texts, general))
}

/// The most frequent script of every form with its UPOS, and with all its tags where that is another.
fn dictionary(entries: &[Entry<'_>]) -> RowsBuilder {
    let mut counts: [HashMap<u64, HashMap<u16, usize>>; 2] = Default::default();
    let mut coarse: HashMap<u64, u64> = HashMap::new();
    for entry in entries {
        let keys = entry.word.dictionary_keys();
        for (counts, key) in counts.iter_mut().zip(keys) {
            *counts.entry(key).or_default().entry(entry.script).or_default() += entry.count;
        }
        coarse.insert(keys[0], keys[1]);
    }
    let [exact, coarse_counts] = counts.map(|counts| {
        let best = |scripts: HashMap<u16, usize>| {
            scripts.into_iter().max_by_key(|&(script, count)| (count, std::cmp::Reverse(script)))
        };
        let entries = counts.into_iter().filter_map(|(key, scripts)| Some((key, best(scripts)?.0)));
        entries.collect::<HashMap<u64, u16>>()
    });
    let differs = |&(key, script): &(u64, u16)| {
        coarse.get(&key).and_then(|key| coarse_counts.get(key)) != Some(&script)
    };
    let mut all: Vec<_> = exact.into_iter().filter(differs).collect();
    all.extend(coarse_counts.iter().map(|(&key, &script)| (key, script)));
    all.sort_unstable();
    let mut rows = RowsBuilder::default();
    all.into_iter().for_each(|(key, script)| rows.push(key, [(script, 0)]));
    rows
}

/// Percentage of words whose lemma is right, of those that have one; `None` if no word has. Tags are taken as they are.
#[must_use]
pub fn evaluate(lemmatiser: &Lemmatiser, gold: &[Sentence]) -> Option<f64> {
    let mut worker = lemmatiser.worker();
    let mut guess = Sentence::new();
    let (mut words, mut right) = (0, 0);
    for gold in gold {
        guess.clone_from(gold);
        worker.lemmatise(&mut guess, &LemmaOptions::default());
        for (gold, guess) in gold.words().zip(guess.words()).filter(|(gold, _)| has_lemma(gold)) {
            words += 1;
            right += usize::from(gold.lemma() == guess.lemma());
        }
    }
    (words > 0).then(|| 100.0 * right as f64 / words as f64)
}
