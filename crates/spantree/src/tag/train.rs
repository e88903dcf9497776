//! Training a tagger: from treebank to model.

use std::sync::Arc;
use std::time::Instant;

use spantree_learn::{
    Learner, PassiveAggressive, Perceptron, Rate, State, StochasticGradient, epoch, epoch_order,
};
use spantree_treebank::{Column, Sentence};
use thiserror::Error;

use super::examples::{Tagged, add_features};
use super::lexicon::cluster_rows;
use super::list::Clusters;
use super::problem::{Example, TagProblem};
use super::steps::Steps;
use super::tagger::{Header, TagScores, Tagger};
use super::tagset::{TagSet, columns};
use super::template::Templates;
use super::worker::TagOptions;
use crate::model::{ModelError, Sections};
use crate::rows::RowsBuilder;
use crate::rows::space::Space;

/// How weights are updated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Update {
    /// Averaged perceptron.
    Perceptron,
    /// Cost-augmented passive-aggressive with steps of at most C.
    PassiveAggressive {
        /// C.
        aggressiveness: f64,
    },
    /// Conditional random field, by stochastic gradients with adaptive steps.
    Crf {
        /// Length of a step.
        step: f32,
        /// Strength of the regulariser per sentence.
        l2: f32,
    },
}

/// Settings; [`TaggerConfig::default`] is meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggerConfig {
    /// Seed of the shuffles.
    pub seed: u64,
    /// Largest number of epochs.
    pub epochs: u64,
    /// Stop when the mean accuracy of the columns has not risen for this many epochs.
    pub patience: u64,
    /// How weights are updated.
    pub update: Update,
    /// Features seen fewer times are left out.
    pub min_count: usize,
    /// At most this many weights are kept, the largest; each takes four bytes, and a feature four to eight more. `None` leaves
    /// the number to the size of the training data, see [`TaggerConfig::weights_for`].
    pub max_weights: Option<usize>,
    /// Clusters of forms, if there are any.
    pub clusters: Option<Clusters>,
}

impl Default for TaggerConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 10,
            patience: 2,
            update: Update::PassiveAggressive { aggressiveness: 0.01 },
            min_count: 2,
            max_weights: None,
            clusters: None,
        }
    }
}

/// Enough for a small treebank; one of a large treebank gains a little by more.
const FEWEST_WEIGHTS: usize = 600_000;
/// Weights per word of a large treebank.
const WEIGHTS_PER_WORD: usize = 8;

impl TaggerConfig {
    /// The most weights of a tagger that is trained on so many words.
    #[must_use]
    pub fn weights_for(&self, words: usize) -> usize {
        self.max_weights.unwrap_or(FEWEST_WEIGHTS.max(words.saturating_mul(WEIGHTS_PER_WORD)))
    }
}

/// After this many epochs all but the largest weights are dropped; the others go on learning without them, which restores
/// what the loss of small weights costs.
const DENSE_EPOCHS: u64 = 2;

/// An epoch is over; for progress bars and logs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochDone {
    /// From 1.
    pub epoch: u64,
    /// Mean loss per word, in the terms of the update.
    pub loss: f64,
    /// Scores on the development set, if there is one.
    pub dev: Option<TagScores>,
    /// Since the start, in seconds.
    pub seconds: f64,
}

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No usable sentence.
    #[error("the training data have no sentence with words")]
    NoData,
    /// Nothing to learn.
    #[error(
        "the training data have no UPOS, no XPOS and no FEATS; train the tagger on tagged data"
    )]
    NoTags,
    /// More tags than numbers for them.
    #[error(
        "the training data have more than 65,535 combinations of UPOS, XPOS and FEATS; are the columns in order?"
    )]
    TooManyTags,
    /// Zero epochs asked for.
    #[error("no epoch was asked for; use at least one")]
    NoEpoch,
    /// Tables that do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Trains taggers; see the [module](super).
#[derive(Clone, Debug, Default)]
pub struct TaggerTrainer {
    config: TaggerConfig,
}

impl TaggerTrainer {
    /// A trainer with these settings.
    #[must_use]
    pub fn new(config: TaggerConfig) -> Self {
        Self { config }
    }

    /// Trains on `train`. With `dev` the best epoch is kept and probabilities are calibrated; without it all epochs are run.
    ///
    /// # Errors
    /// When the data cannot be trained on.
    pub fn train(
        &self,
        train: &[Sentence],
        dev: &[Sentence],
        progress: &mut dyn FnMut(EpochDone),
    ) -> Result<Tagger, TrainError> {
        let start = Instant::now();
        let mut run = Run::new(&self.config, train)?;
        let words: usize = train.iter().map(Sentence::len).sum();
        let mut state = State::new(run.space.weights());
        let mut best: Option<(f64, u64, Tagger)> = None;
        for number in 1..=self.config.epochs {
            if number == DENSE_EPOCHS + 1 && run.space.weights() > run.max_weights {
                let weights = run.space.retain(&state.average(), run.max_weights);
                state = State::from_weights(weights);
            }
            let loss = run.learn(number, &mut state);
            let mut tagger = run.tagger(&state)?;
            let scores = (!dev.is_empty()).then(|| evaluate(&tagger, dev));
            if let Some(scores) = scores {
                tagger = tagger.with_header(|header| header.dev = Some(scores));
            }
            let mean = scores.map_or(0.0, |scores| scores.upos + scores.xpos + scores.feats);
            if best.as_ref().is_none_or(|best| mean > best.0 || dev.is_empty()) {
                best = Some((mean, number, tagger));
            }
            let seconds = start.elapsed().as_secs_f64();
            progress(EpochDone { epoch: number, loss: loss / words as f64, dev: scores, seconds });
            if best.as_ref().is_some_and(|best| number - best.1 >= self.config.patience) {
                break;
            }
        }
        let (_, _, tagger) = best.ok_or(TrainError::NoEpoch)?;
        Ok(if dev.is_empty() { tagger } else { tagger.calibrated(dev) })
    }
}

/// One training run.
struct Run<'a> {
    config: &'a TaggerConfig,
    max_weights: usize,
    tagset: TagSet,
    space: Space,
    steps: Steps,
    examples: Vec<Example>,
    lexicon: RowsBuilder,
    clusters: Option<RowsBuilder>,
}

impl<'a> Run<'a> {
    fn new(config: &'a TaggerConfig, sentences: &[Sentence]) -> Result<Self, TrainError> {
        if sentences.iter().all(Sentence::is_empty) {
            return Err(TrainError::NoData);
        }
        let tagset = TagSet::from_treebank(sentences).ok_or(TrainError::TooManyTags)?;
        if tagset.filled() == [false; 3] {
            return Err(TrainError::NoTags);
        }
        let numbers = tagset.numbers();
        let tags = |sent: &Sentence| sent.words().map(|word| numbers[&columns(word)]).collect();
        let tagged = Tagged { sentences, gold: sentences.iter().map(tags).collect() };
        let clusters = config.clusters.as_ref().map(cluster_rows);
        let (mut examples, atoms) = tagged.look_up(&tagset, clusters.as_ref())?;
        let templates = Templates { clusters: clusters.is_some() };
        let (space, steps) =
            add_features(&mut examples, &atoms, &tagset, templates, config.min_count);
        let lexicon = tagged.lexicon(|_| true);
        let max_weights = config.weights_for(sentences.iter().map(Sentence::len).sum());
        Ok(Self { config, max_weights, tagset, space, steps, examples, lexicon, clusters })
    }

    /// Runs one epoch and returns its loss.
    fn learn(&self, number: u64, state: &mut State) -> f64 {
        let problem = TagProblem { tagset: &self.tagset, space: &self.space, steps: &self.steps };
        let order = epoch_order(self.examples.len(), self.config.seed, number);
        match self.config.update {
            Update::Perceptron => self.run(&Perceptron, &problem, &order, state),
            Update::PassiveAggressive { aggressiveness } => {
                let learner = PassiveAggressive::cost_augmented(aggressiveness);
                self.run(&learner, &problem, &order, state)
            }
            Update::Crf { step, l2 } => {
                let learner = StochasticGradient { step, rate: Rate::Adaptive, l2 };
                self.run(&learner, &problem, &order, state)
            }
        }
    }

    fn run<'p, L: Learner<TagProblem<'p>>>(
        &self,
        learner: &L,
        problem: &TagProblem<'p>,
        order: &[u32],
        state: &mut State,
    ) -> f64 {
        let mut scratch = L::Scratch::default();
        epoch(learner, problem, &self.examples, order, state, &mut scratch, &|_| ()).loss
    }

    /// The tagger with the average weights so far.
    fn tagger(&self, state: &State) -> Result<Tagger, TrainError> {
        let (rows, scale) = self.space.rows(&state.average(), self.max_weights);
        let mut sections = Sections::default();
        rows.write("weights", &mut sections);
        self.lexicon.write("lexicon", &mut sections);
        if let Some(clusters) = &self.clusters {
            clusters.write("clusters", &mut sections);
        }
        let header = Header {
            tags: self.tagset.names().to_vec(),
            clusters: self.clusters.is_some(),
            inverse_temperature: scale,
            dev: None,
        };
        let container = sections.into_container("the new tagger", &header)?;
        Ok(Tagger::new(Arc::new(container), "", header)?)
    }
}

/// Accuracy of the columns.
#[must_use]
pub fn evaluate(tagger: &Tagger, gold: &[Sentence]) -> TagScores {
    let mut worker = tagger.worker();
    let mut guess = Sentence::new();
    let (mut words, mut right) = (0, [0; 3]);
    for gold in gold {
        guess.clone_from(gold);
        worker.tag(&mut guess, &TagOptions::default());
        for (gold, guess) in gold.words().zip(guess.words()) {
            words += 1;
            for (count, (gold, guess)) in
                right.iter_mut().zip(columns(gold).iter().zip(columns(guess)))
            {
                *count += usize::from(*gold == guess);
            }
        }
    }
    let [upos, xpos, feats] = right.map(|right| 100.0 * right as f64 / words.max(1) as f64);
    TagScores { words, upos, xpos, feats }
}

/// Factors tried are powers of √2.
const FACTORS: std::ops::RangeInclusive<i32> = -8..=8;

impl Tagger {
    /// The tagger under whose probabilities the right and wrong UPOS of these sentences, from which it did not learn, are most likely.
    #[must_use]
    pub fn calibrated(&self, gold: &[Sentence]) -> Self {
        let scale = self.header().inverse_temperature;
        let mut best = (f64::INFINITY, self.clone());
        for step in FACTORS {
            let factor = (f64::from(step) / 2.0).exp2() as f32;
            let tried =
                self.clone().with_header(|header| header.inverse_temperature = scale * factor);
            let surprise = surprise(&tried, gold);
            if surprise < best.0 {
                best = (surprise, tried);
            }
        }
        best.1
    }
}

/// Sentences used to find the factor: one number needs few.
const SAMPLE: usize = 300;

fn surprise(tagger: &Tagger, dev: &[Sentence]) -> f64 {
    let options = TagOptions { confidence: true, ..TagOptions::default() };
    let (mut worker, mut sum) = (tagger.worker(), 0.0);
    for gold in dev.iter().take(SAMPLE) {
        let mut guess = gold.clone();
        let confidences = worker.tag(&mut guess, &options);
        for ((gold, guess), confidence) in gold.words().zip(guess.words()).zip(confidences) {
            let right = gold.get(Column::Upos) == guess.get(Column::Upos);
            let p = if right { confidence.upos } else { 1.0 - confidence.upos };
            sum -= f64::from(p).max(1e-6).ln();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_size_grows_with_the_treebank() {
        let config = TaggerConfig::default();
        assert_eq!(
            [0, 75_000, 200_000].map(|n| config.weights_for(n)),
            [600_000, 600_000, 1_600_000]
        );
        let fixed = TaggerConfig { max_weights: Some(5), ..config };
        assert_eq!(fixed.weights_for(usize::MAX), 5);
    }
}
