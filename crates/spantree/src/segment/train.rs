//! Training a segmenter: from treebank to model.
//!
//! The treebank's raw text is walked over once with the gold answers; every question asked becomes an example, a yes-or-no
//! decision with its features. All questions are learned together by logistic regression (AdaGrad, averaged weights).
//! After each epoch the development set is segmented with rounded weights, the best epoch's weights are kept,
//! and last the threshold for sentence ends is chosen that gives the best F₁: a plain decision favours precision.
//!
//! Copies of some sentences with line breaks, of treebanks where tokens never touch copies with punctuation attached, and of those
//! without paragraphs one in another order keep the model from learning the layout of one corpus. The last shows each sentence
//! before another one, which is worth most where many have no full stop: 1.4 points of sentences on fr_sequoia. The same data, settings and seed give the same bytes.

mod examples;
mod measure;

use spantree_learn::{Rate, Rng, State, StochasticGradient, epoch, epoch_order};
use spantree_treebank::{Sentence, TokenId};
use thiserror::Error;

use super::feature::Question;
use super::layout::{Paragraph, Spacing, has_spacing, paragraphs, with_line_breaks};
use super::segmenter::{DevScores, Header, Segmenter};
use super::split::Splitter;
use super::walk::Facts;
use crate::model::{Quantised, Source};
use examples::{Decisions, facts};
use measure::measure;

/// Settings; the defaults are meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainConfig {
    /// Seed of the shuffles and of the copies with line breaks.
    pub seed: u64,
    /// Number of epochs.
    pub epochs: u64,
    /// Binary logarithm of the number of weights.
    pub bits: u32,
    /// Length of a step.
    pub step: f32,
    /// Strength of the regulariser, per example.
    pub l2: f32,
    /// Where the training data come from, for the header.
    pub sources: Vec<Source>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self { seed: 1, epochs: 10, bits: 19, step: 0.1, l2: 1e-7, sources: Vec::new() }
    }
}

/// Why training is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// There is no sentence with a token.
    #[error(
        "there is no token to train the segmenter on; give a treebank with at least one sentence"
    )]
    Empty,
    /// A size that cannot be.
    #[error("a segmenter cannot have 2^{bits} weights; choose between 2^10 and 2^28")]
    Bits {
        /// The binary logarithm asked for.
        bits: u32,
    },
}

/// What is going on; for progress bars and logs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Before the first epoch.
    Start {
        /// Decisions to learn from.
        decisions: usize,
    },
    /// An epoch is over.
    Epoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per decision.
        loss: f64,
        /// Scores on the development set, if there is one.
        dev: Option<DevScores>,
    },
    /// The threshold for sentence ends was chosen.
    Threshold {
        /// The score that a sentence end must exceed.
        threshold: f32,
        /// Scores with it.
        dev: DevScores,
    },
}

/// Learns a segmenter; `dev` may be empty.
///
/// # Errors
/// When there is nothing to learn from, or a setting is impossible.
pub fn train(
    config: &TrainConfig,
    train: &[Sentence],
    dev: &[Sentence],
    progress: &mut dyn FnMut(Progress),
) -> Result<Segmenter, TrainError> {
    if !(10..=28).contains(&config.bits) {
        return Err(TrainError::Bits { bits: config.bits });
    }
    let text = training_text(train, config.seed);
    if text.is_empty() {
        return Err(TrainError::Empty);
    }
    let splitter = Splitter::learn(train.iter().flat_map(multiword_tokens));
    let facts = facts(&text);
    let decisions = Decisions::record(&text, &facts, &splitter, config.bits);
    let header = Header {
        scale: 1.0,
        thresholds: vec![0.0; Question::COUNT],
        boundaries: facts.pairs.to_vec(),
        spaces_in_tokens: facts.spaces,
        common_words: !facts.common.is_empty(),
        sources: config.sources.clone(),
        sentences: train.len(),
        tokens: train.iter().map(|sent| sent.surface_tokens().count()).sum(),
        seed: config.seed,
        best_epoch: 0,
        dev: None,
    };
    progress(Progress::Start { decisions: decisions.len() });
    let dev = paragraphs(dev, Spacing::of(dev));
    let mut run = Run { config, decisions, header, facts, splitter, dev };
    let best = run.epochs(progress);
    Ok(run.choose_threshold(best, progress))
}

/// The number of no epoch, for the order of sentences in a copy.
const SHUFFLED: u64 = u64::MAX;

/// The paragraphs to learn from, with copies in other layouts.
fn training_text(train: &[Sentence], seed: u64) -> Vec<Paragraph> {
    let spacing = Spacing::of(train);
    let mut text = paragraphs(train, spacing);
    if text.len() == 1 {
        let order = epoch_order(train.len(), seed, SHUFFLED);
        let shuffled: Vec<_> = order.iter().map(|&index| train[index as usize].clone()).collect();
        text.extend(paragraphs(&shuffled, spacing));
    }
    if !has_spacing(train) && spacing != Spacing::Without {
        let other = if spacing == Spacing::Given { Spacing::Guessed } else { Spacing::Given };
        text.extend(paragraphs(train, other));
    }
    let copies = with_line_breaks(&text, &mut Rng::new(seed));
    text.extend(copies);
    text
}

fn multiword_tokens(sent: &Sentence) -> impl Iterator<Item = (&str, Vec<&str>)> {
    sent.tokens().filter_map(|token| match token.id() {
        TokenId::Range(first, last) => {
            Some((token.form(), (first..=last).map(|word| sent.word(word).form()).collect()))
        }
        _ => None,
    })
}

struct Run<'a> {
    config: &'a TrainConfig,
    decisions: Decisions,
    header: Header,
    facts: Facts,
    splitter: Splitter,
    dev: Vec<Paragraph>,
}

impl Run<'_> {
    /// Learns, and gives back the best epoch's segmenter.
    fn epochs(&mut self, progress: &mut dyn FnMut(Progress)) -> Segmenter {
        let learner =
            StochasticGradient { step: self.config.step, rate: Rate::Adaptive, l2: self.config.l2 };
        let mut state = State::new(1 << self.config.bits);
        let mut scratch = Default::default();
        let mut best = self.segmenter(0, &state.average());
        let mut best_score = f64::NEG_INFINITY;
        for number in 0..self.config.epochs {
            let order = epoch_order(self.decisions.len(), self.config.seed, number);
            let examples = self.decisions.examples();
            let stats = epoch(
                &learner,
                &self.decisions,
                examples,
                &order,
                &mut state,
                &mut scratch,
                &|_| {},
            );
            let candidate = self.segmenter(number + 1, &state.average());
            let dev = (!self.dev.is_empty()).then(|| measure(&candidate, &self.dev));
            let loss = stats.loss / stats.examples.max(1) as f64;
            progress(Progress::Epoch { epoch: number + 1, loss, dev });
            // Without a development set the last epoch is the best.
            let score = dev.map_or(number as f64, |dev| dev.tokens + dev.sentences + dev.multiword);
            if score > best_score {
                (best, best_score) = (candidate, score);
            }
        }
        best
    }

    /// Weights rounded to 16 bits, as they will be in the file.
    fn segmenter(&self, epoch: u64, weights: &[f32]) -> Segmenter {
        let Quantised { weights, scale } = Quantised::new(weights);
        let header = Header { scale, best_epoch: epoch, ..self.header.clone() };
        Segmenter::assemble(header, weights, self.facts.clone(), self.splitter.clone())
    }

    /// The segmenter with the threshold for sentence ends that is best on the development set.
    fn choose_threshold(&self, plain: Segmenter, progress: &mut dyn FnMut(Progress)) -> Segmenter {
        if self.dev.is_empty() {
            return plain;
        }
        let mut best: Option<(DevScores, Segmenter)> = None;
        for step in THRESHOLD_STEPS {
            let mut tried = plain.clone();
            tried.set_threshold(Question::SentenceEnd, step as f32 * 0.25);
            let dev = measure(&tried, &self.dev);
            if best.as_ref().is_none_or(|(best, _)| dev.sentences > best.sentences) {
                tried.set_dev(dev);
                best = Some((dev, tried));
            }
        }
        let Some((dev, best)) = best else { return plain };
        let threshold = best.info().thresholds[Question::SentenceEnd as usize];
        progress(Progress::Threshold { threshold, dev });
        best
    }
}

/// Thresholds tried, in quarters, from the plain one outwards so that ties go to it.
const THRESHOLD_STEPS: [i32; 25] =
    [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8, -9, 9, -10, 10, -11, 11, -12, 12];
