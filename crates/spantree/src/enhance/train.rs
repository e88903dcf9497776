//! Training an enhancer: from a treebank with DEPS to a model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use spantree_learn::{PassiveAggressive, State, epoch, epoch_order};
use spantree_treebank::Sentence;
use thiserror::Error;

use super::enhancer::{Enhancer, Header, NO_ARC};
use super::label::Pattern;
use super::view::{Candidate, FEATURES, View};
use crate::model::{ModelError, Sections};
use crate::rows::RowsBuilder;
use crate::rows::choice::{ChoiceProblem, examples};

/// Settings; the default is meant to be good for every treebank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnhancerConfig {
    /// Seed of the shuffles.
    pub seed: u64,
    /// Number of epochs.
    pub epochs: u64,
    /// Largest step of an update.
    pub aggressiveness: f64,
    /// Features seen with fewer candidates are left out.
    pub min_count: usize,
    /// At most this many weights are kept, the largest.
    pub max_weights: usize,
    /// Let graphs have cycles.
    pub cycles: bool,
}

impl Default for EnhancerConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 8,
            aggressiveness: 0.05,
            min_count: 2,
            max_weights: 200_000,
            cycles: false,
        }
    }
}

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EnhanceError {
    /// Nothing to learn.
    #[error(
        "the training data have no enhanced graphs (column DEPS) over trees; train on data that have, or leave the stage out"
    )]
    NoGraphs,
    /// More labels than numbers for them.
    #[error(
        "the training data have {found} labels in DEPS, more than 65,534; are the columns in order?"
    )]
    TooManyLabels {
        /// How many.
        found: usize,
    },
    /// Tables that do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The candidates of a treebank.
#[derive(Default)]
struct Candidates {
    features: Vec<[u64; FEATURES]>,
    gold: Vec<u16>,
}

/// Trains on the sentences of `train` that have a tree and DEPS; `dev` is scored at the end.
///
/// # Errors
/// When the data cannot be trained on.
pub fn train(
    config: &EnhancerConfig,
    train: &[Sentence],
    dev: &[Sentence],
) -> Result<Enhancer, EnhanceError> {
    let labels = labels(train)?;
    let numbers: HashMap<&str, u16> = labels.iter().map(String::as_str).zip(1..).collect();
    let paths = paths(train, &numbers);
    let candidates = candidates(train, &numbers, &paths);
    let (examples, space) = examples(&candidates.features, &candidates.gold, config.min_count);
    let problem = ChoiceProblem { space: &space, labels: labels.len() + 1 };
    let learner = PassiveAggressive::cost_augmented(config.aggressiveness);
    let (mut state, mut scratch) = (State::new(space.weights()), Default::default());
    for number in 1..=config.epochs {
        let order = epoch_order(examples.len(), config.seed, number);
        epoch(&learner, &problem, &examples, &order, &mut state, &mut scratch, &|_| ());
    }
    let mut sections = Sections::default();
    space.rows(&state.average(), config.max_weights).0.write("weights", &mut sections);
    let mut rows = RowsBuilder::default();
    for (path, labels) in paths {
        rows.push(path, labels.into_keys().map(|label| (label, 0)));
    }
    rows.write("paths", &mut sections);
    let header = Header { labels, cycles: config.cycles, dev: None };
    let container = sections.into_container("the new enhancer", &header)?;
    let enhancer = Enhancer::new(Arc::new(container), "", header)?;
    let score = evaluate(&enhancer, dev);
    Ok(enhancer.with_dev(score))
}

/// Visits the sentences with trees and graphs.
fn each_graph(train: &[Sentence], mut visit: impl FnMut(&Sentence, &View)) {
    let mut view = View::default();
    let has_graph = |sent: &&Sentence| sent.words().all(|word| word.deps().next().is_some());
    for sent in train.iter().filter(|sent| !sent.is_empty()).filter(has_graph) {
        if view.fill(sent) {
            visit(sent, &view);
        }
    }
}

/// The pattern of the arc between two words in the gold graph.
fn gold(sent: &Sentence, view: &View, head: u32, child: u32) -> Option<Pattern> {
    let word = sent.word(child);
    let mut arcs = word.deps().filter(|dep| dep.empty == 0 && dep.head == head);
    arcs.next().map(|dep| Pattern::of(dep.label, view, child, word.deprel()))
}

/// The patterns of the treebank as text, the frequent ones first but for that of the tree.
fn labels(train: &[Sentence]) -> Result<Vec<String>, EnhanceError> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    each_graph(train, |sent, view| {
        for (child, word) in (1..).zip(sent.words()) {
            for dep in word.deps().filter(|dep| dep.empty == 0) {
                let pattern = Pattern::of(dep.label, view, child, word.deprel());
                *counts.entry(pattern.to_text()).or_default() += 1;
            }
        }
    });
    if counts.is_empty() {
        return Err(EnhanceError::NoGraphs);
    }
    let same = Pattern::SAME.to_text();
    counts.insert(same, usize::MAX);
    let mut labels: Vec<_> = counts.into_iter().collect();
    labels.sort_by_key(|label| std::cmp::Reverse(label.1));
    if labels.len() >= u16::MAX.into() {
        return Err(EnhanceError::TooManyLabels { found: labels.len() });
    }
    Ok(labels.into_iter().map(|(text, _)| text).collect())
}

/// Calls `found` with every candidate and its label, [`NO_ARC`] where the gold graph has none.
fn each_label(
    train: &[Sentence],
    numbers: &HashMap<&str, u16>,
    mut found: impl FnMut(&View, Candidate, u16),
) {
    each_graph(train, |sent, view| {
        view.each_candidate(|candidate| {
            let pattern = gold(sent, view, candidate.head, candidate.child);
            let label = pattern.and_then(|pattern| numbers.get(&*pattern.to_text()).copied());
            found(view, candidate, label.unwrap_or(NO_ARC));
        });
    });
}

/// The paths that arcs were seen on, with their labels.
fn paths(train: &[Sentence], numbers: &HashMap<&str, u16>) -> BTreeMap<u64, BTreeMap<u16, usize>> {
    let mut paths: BTreeMap<u64, BTreeMap<u16, usize>> = BTreeMap::new();
    each_label(train, numbers, |_, candidate, label| {
        if label != NO_ARC {
            *paths.entry(candidate.path).or_default().entry(label).or_default() += 1;
        }
    });
    paths.values_mut().for_each(|labels| labels.retain(|_, count| *count >= MIN_ARCS));
    paths.retain(|_, labels| !labels.is_empty());
    paths
}

/// A label must have been seen so often on a path to be given again.
const MIN_ARCS: usize = 2;

fn candidates(
    train: &[Sentence],
    numbers: &HashMap<&str, u16>,
    paths: &BTreeMap<u64, BTreeMap<u16, usize>>,
) -> Candidates {
    let mut candidates = Candidates::default();
    each_label(train, numbers, |view, candidate, label| {
        if paths.contains_key(&candidate.path) {
            candidates.features.push(view.features(candidate));
            candidates.gold.push(label);
        }
    });
    candidates
}

/// F1 of labelled arcs between words in per cent, given the trees; `None` if there is no graph.
#[must_use]
pub fn evaluate(enhancer: &Enhancer, gold: &[Sentence]) -> Option<f64> {
    let (mut worker, mut guess) = (enhancer.worker(), Sentence::new());
    let (mut arcs, mut right) = (0, 0);
    each_graph(gold, |gold, _| {
        guess.clone_from(gold);
        worker.enhance(&mut guess);
        for (gold, guess) in gold.words().zip(guess.words()) {
            let is_right = |dep| guess.deps().any(|other| dep == other);
            arcs += gold.deps().count() + guess.deps().count();
            right += gold.deps().filter(|&dep| is_right(dep)).count();
        }
    });
    (arcs > 0).then(|| 200.0 * right as f64 / arcs as f64)
}

#[cfg(test)]
mod tests {
    use spantree_treebank::Column;

    use super::*;

    /// `N` coordinated verbs that share their subject, and a relative clause.
    fn treebank() -> Vec<Sentence> {
        let sentence = |subject: &str, verb: &str| {
            let mut sent = Sentence::from_words(&[
                (subject, "NOUN", 2, "nsubj"),
                (verb, "VERB", 0, "root"),
                ("and", "CCONJ", 4, "cc"),
                ("sing", "VERB", 2, "conj"),
            ]);
            for (word, lemma) in [(1, subject), (2, verb), (3, "and"), (4, "sing")] {
                sent.set(word, Column::Lemma, lemma);
            }
            for (word, deps) in
                [(1, "2:nsubj|4:nsubj"), (2, "0:root"), (3, "4:cc"), (4, "0:root|2:conj:and")]
            {
                sent.set(word, Column::Deps, deps);
            }
            sent
        };
        [("cats", "dance"), ("dogs", "bark"), ("birds", "fly"), ("cows", "dance")]
            .map(|(subject, verb)| sentence(subject, verb))
            .to_vec()
    }

    #[test]
    fn shared_arcs_are_learned_and_written() {
        let train_data = treebank();
        let enhancer = train(&EnhancerConfig::default(), &train_data, &train_data).unwrap();
        assert_eq!(enhancer.header().dev, Some(100.0));
        let mut sent = train_data[0].clone();
        (1..=4).for_each(|word| sent.set(word, Column::Deps, "_"));
        enhancer.worker().enhance(&mut sent);
        let deps: Vec<_> = sent.words().map(|word| word.get(Column::Deps)).collect();
        assert_eq!(deps, ["2:nsubj|4:nsubj", "0:root", "4:cc", "0:root|2:conj:and"]);
    }

    #[test]
    fn graphs_stay_acyclic_unless_cycles_are_wanted() {
        // Every subject is also the head of its verb: a cycle.
        let mut data = treebank();
        data.iter_mut().for_each(|sent| sent.set(2, Column::Deps, "0:root|1:acl"));
        for cycles in [false, true] {
            let config = EnhancerConfig { cycles, ..EnhancerConfig::default() };
            let enhancer = train(&config, &data, &[]).unwrap();
            let mut sent = data[0].clone();
            enhancer.worker().enhance(&mut sent);
            let expected = if cycles { "0:root|1:acl" } else { "0:root" };
            assert_eq!(sent.word(2).get(Column::Deps), expected);
        }
    }

    #[test]
    fn a_treebank_without_graphs_is_refused() {
        let mut data = treebank();
        data.iter_mut().for_each(|sent| sent.set(1, Column::Deps, "_"));
        let error = train(&EnhancerConfig::default(), &data, &[]).unwrap_err();
        assert!(error.to_string().contains("DEPS"), "{error}");
    }
}
