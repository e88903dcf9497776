//! Training a graph parser: from treebank to model.
//!
//! [`Trainer`] runs two learning problems one after the other: the labels of gold trees (`labels`), then trees with joint
//! labels (`trees`). After every epoch of the second the development set is parsed with averaged weights; the best epoch's
//! weights are kept, and training stops when LAS has not risen for [`TrainConfig::patience`] epochs. Finally the
//! probabilities are calibrated on the development set (`finish`).
//!
//! Everything is a function of data, configuration and seed: the same three give the same bytes, also when training was
//! interrupted and resumed from its `checkpoint`.

mod checkpoint;
mod evaluate;
mod finish;
mod labels;
mod problem;
mod support;
mod trees;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;

use spantree_learn::{
    EpochStats, Learner, PassiveAggressive, Perceptron, State, Structured, epoch, epoch_order,
};
use spantree_treebank::transform::{PseudoProjective, Scheme};
use spantree_treebank::{Sentence, TreeError};
use thiserror::Error;

use crate::feature::{Columns, TemplateError};
use crate::graph::{Decoder, Engine, Filters, LabelSet, MAX_LABELS, Parser};
use crate::model::{Calibration, DevScores, ModelError, Source, TemplateTexts, TrainingInfo};
use checkpoint::Checkpoint;
use finish::{Parts, Quantised};
use labels::LabelProblem;
use problem::Example;
use trees::TreeProblem;

/// How weights are updated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Update {
    /// Averaged perceptron.
    Perceptron,
    /// 1-best MIRA: the smallest change that gives the gold tree a margin of its loss.
    Mira,
    /// Cost-augmented passive-aggressive with steps of at most C.
    PassiveAggressive {
        /// C.
        aggressiveness: f64,
    },
}

/// Settings; [`TrainConfig::default`] is meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainConfig {
    /// Seed of the shuffles.
    pub seed: u64,
    /// Largest number of epochs for trees.
    pub epochs: u64,
    /// Epochs for the labels of finished trees.
    pub label_epochs: u64,
    /// Stop when dev LAS has not risen for this many epochs.
    pub patience: u64,
    /// How weights are updated.
    pub update: Update,
    /// The decoder; `None` chooses by the share of non-projective arcs, see [`choose_decoder`].
    pub decoder: Option<Decoder>,
    /// What a projective decoder learns from crossing arcs: lifted arcs, or also labels by which they can be put back.
    pub pseudo_projective: Option<Scheme>,
    /// The templates; `None` chooses by the columns of the treebank.
    pub templates: Option<TemplateTexts>,
    /// Binary logarithm of the largest table of weights.
    pub max_bits: u32,
    /// Where the training data come from, for the model's header.
    pub sources: Vec<Source>,
    /// Where to save the state after each epoch.
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if there is one.
    pub resume: bool,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 12,
            label_epochs: 6,
            patience: 3,
            update: Update::PassiveAggressive { aggressiveness: 0.02 },
            decoder: None,
            pseudo_projective: None,
            templates: None,
            max_bits: 22,
            sources: Vec::new(),
            checkpoint: None,
            resume: false,
        }
    }
}

/// What is going on; for progress bars and logs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Before the first epoch.
    Start {
        /// Estimate of the memory that training will use, in bytes.
        memory: usize,
        /// The decoder that was chosen.
        decoder: Decoder,
        /// Share of words with a non-projective arc.
        non_projective: f64,
    },
    /// An epoch of the labelling stage is over.
    LabelEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word.
        loss: f64,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// An epoch of the tree stage is over.
    TreeEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word.
        loss: f64,
        /// Scores on the development set in per cent, if there is one: UAS and LAS.
        dev: Option<(f64, f64)>,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// Probabilities are being calibrated.
    Calibrate,
}

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No usable sentence.
    #[error("the training data have no sentence with words")]
    NoData,
    /// A sentence without a tree.
    #[error(
        "training sentence {number} (sent_id {sentence}): {source}; training needs complete trees"
    )]
    Tree {
        /// From 1.
        number: usize,
        /// `sent_id`, or `?`.
        sentence: String,
        /// What is wrong.
        source: TreeError,
    },
    /// Zero epochs asked for.
    #[error("no epoch was asked for; use at least one")]
    NoEpoch,
    /// Untagged data.
    #[error("the training data have no UPOS; tag them first")]
    NoTags,
    /// Too many relations.
    #[error(
        "the training data have {found} relations, more than the {MAX_LABELS} that a model can hold"
    )]
    TooManyLabels {
        /// How many.
        found: usize,
    },
    /// A bad template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A checkpoint or model that cannot be written or read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A checkpoint of another run.
    #[error(
        "{name} belongs to other data or settings: {difference}; remove it or train without --resume"
    )]
    OtherRun {
        /// The checkpoint.
        name: String,
        /// What differs.
        difference: String,
    },
}

/// The decoder for a treebank in which this share of the arcs is non-projective.
///
/// A rule of thumb: above 2 % the spanning tree is chosen, else Eisner's algorithm.
#[must_use]
pub fn choose_decoder(non_projective: f64) -> Decoder {
    if non_projective > 0.02 { Decoder::Mst } else { Decoder::Eisner }
}

/// Trains parsers; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Trainer {
    config: TrainConfig,
}

impl Trainer {
    /// A trainer with these settings.
    #[must_use]
    pub fn new(config: TrainConfig) -> Self {
        Self { config }
    }

    /// Trains on `train`. Without `dev` all epochs are run and probabilities are not calibrated.
    ///
    /// # Errors
    /// When the data cannot be trained on, or a checkpoint fails.
    pub fn train(
        &self,
        train: &[Sentence],
        dev: &[Sentence],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Parser, TrainError> {
        let mut run = Run::new(&self.config, train, dev, progress)?;
        run.learn_labels()?;
        run.learn_trees()?;
        run.finish()
    }
}

/// One training run.
struct Run<'a> {
    config: &'a TrainConfig,
    dev: &'a [Sentence],
    progress: &'a mut dyn FnMut(Progress),
    start: Instant,
    templates: TemplateTexts,
    crossing: Option<Scheme>,
    info: TrainingInfo,
    labels: LabelProblem,
    trees: TreeProblem,
    /// Gold trees for the labels; for the trees themselves, lifted when the decoder is projective.
    label_examples: Vec<Example>,
    tree_examples: Vec<Example>,
    checkpoint: Checkpoint,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a TrainConfig,
        train: &[Sentence],
        dev: &'a [Sentence],
        progress: &'a mut dyn FnMut(Progress),
    ) -> Result<Self, TrainError> {
        let start = Instant::now();
        let info = inspect(config, train)?;
        let decoder = config.decoder.unwrap_or_else(|| choose_decoder(info.non_projective));
        let templates = match &config.templates {
            Some(templates) => templates.clone(),
            None => TemplateTexts::for_columns(Columns::of(train))?,
        };
        let crossing = config.pseudo_projective.filter(|_| decoder == Decoder::Eisner);
        let train = &*encode(train, crossing);
        let labels = LabelSet::from_treebank(train);
        if labels.len() > MAX_LABELS {
            return Err(TrainError::TooManyLabels { found: labels.len() });
        }
        let filters = Filters::from_treebank(train, &labels);
        let engine = Engine::new(&templates, labels, filters, decoder)?;
        let example =
            |lift| train.iter().filter(|sent| !sent.is_empty()).map(move |sent| (sent, lift));
        let label_examples: Vec<_> =
            example(false).map(|(sent, lift)| Example::new(&engine, sent, lift)).collect();
        let lift = decoder == Decoder::Eisner;
        let tree_examples: Vec<_> =
            example(lift).map(|(sent, lift)| Example::new(&engine, sent, lift)).collect();
        let labels = LabelProblem::new(&engine, &label_examples, config.max_bits);
        let trees = TreeProblem::new(engine, &tree_examples, config.max_bits);
        let checkpoint = Checkpoint::new(config, &info, labels.bits(), trees.weights())?;
        let memory = 8 * (trees.weights() + (1 << labels.bits()))
            + 2 * tree_examples.iter().map(Example::memory).sum::<usize>();
        progress(Progress::Start { memory, decoder, non_projective: info.non_projective });
        Ok(Self {
            config,
            dev,
            progress,
            start,
            templates,
            crossing,
            info,
            labels,
            trees,
            label_examples,
            tree_examples,
            checkpoint,
        })
    }

    fn learn_labels(&mut self) -> Result<(), TrainError> {
        let words = self.info.words as f64;
        while self.checkpoint.label_epochs < self.config.label_epochs {
            let number = self.checkpoint.label_epochs;
            let stats = one_epoch(
                self.config,
                &self.labels,
                &self.label_examples,
                number,
                &mut self.checkpoint.label_state,
            );
            self.checkpoint.label_epochs += 1;
            self.checkpoint.save()?;
            let seconds = self.start.elapsed().as_secs_f64();
            (self.progress)(Progress::LabelEpoch {
                epoch: number + 1,
                loss: stats.loss / words,
                seconds,
            });
        }
        Ok(())
    }

    fn learn_trees(&mut self) -> Result<(), TrainError> {
        let words = self.info.words as f64;
        let relabel = Quantised::new(&self.checkpoint.label_state.average());
        while self.checkpoint.tree_epochs < self.config.epochs
            && !self.checkpoint.is_stale(self.config.patience)
        {
            let number = self.checkpoint.tree_epochs;
            let stats = one_epoch(
                self.config,
                &self.trees,
                &self.tree_examples,
                number,
                &mut self.checkpoint.tree_state,
            );
            self.checkpoint.tree_epochs += 1;
            let average = self.checkpoint.tree_state.average();
            let (arcs, labels) = self.trees.split(&average);
            let arcs = Quantised::new(&self.trees.model_arcs(arcs));
            let labels = Quantised::new(labels);
            let scores = if self.dev.is_empty() {
                None
            } else {
                let parser =
                    self.parts(&arcs, &labels, &relabel, None).assemble(Calibration::default())?;
                Some(evaluate::attachment(&parser, self.dev))
            };
            self.checkpoint.record(scores, arcs, labels);
            self.checkpoint.save()?;
            let dev = scores.map(|scores| (scores.uas, scores.las));
            let seconds = self.start.elapsed().as_secs_f64();
            (self.progress)(Progress::TreeEpoch {
                epoch: number + 1,
                loss: stats.loss / words,
                dev,
                seconds,
            });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Parser, TrainError> {
        let relabel = Quantised::new(&self.checkpoint.label_state.average());
        let Some(best) = self.checkpoint.best.take() else { return Err(TrainError::NoEpoch) };
        self.info.epochs = self.checkpoint.tree_epochs;
        self.info.best_epoch = best.epoch;
        let parts = self.parts(&best.arcs, &best.labels, &relabel, best.scores);
        let parser = if self.dev.is_empty() {
            parts.assemble(Calibration::default())?
        } else {
            parts.assemble_calibrated(self.dev)?
        };
        self.checkpoint.remove();
        Ok(parser)
    }

    fn parts<'b>(
        &'b self,
        arcs: &'b Quantised,
        labels: &'b Quantised,
        relabel: &'b Quantised,
        dev: Option<DevScores>,
    ) -> Parts<'b> {
        Parts {
            engine: &self.trees.engine,
            templates: &self.templates,
            info: &self.info,
            arcs,
            labels,
            relabel,
            dev,
            crossing: self.crossing,
        }
    }
}

fn one_epoch<P: Structured<Example = Example>>(
    config: &TrainConfig,
    problem: &P,
    examples: &[Example],
    number: u64,
    state: &mut State,
) -> EpochStats {
    fn run<P: Structured<Example = Example>, L: Learner<P>>(
        learner: &L,
        problem: &P,
        examples: &[Example],
        order: &[u32],
        state: &mut State,
    ) -> EpochStats {
        epoch(learner, problem, examples, order, state, &mut L::Scratch::default(), &|_| ())
    }
    let order = epoch_order(examples.len(), config.seed, number);
    match config.update {
        Update::Perceptron => run(&Perceptron, problem, examples, &order, state),
        Update::Mira => run(&PassiveAggressive::mira(), problem, examples, &order, state),
        Update::PassiveAggressive { aggressiveness } => run(
            &PassiveAggressive::cost_augmented(aggressiveness),
            problem,
            examples,
            &order,
            state,
        ),
    }
}

/// At most this many labels for crossing arcs.
const CROSSING_LABELS: usize = 60;

/// The training data with crossing arcs written into the labels, if asked for.
fn encode(train: &[Sentence], crossing: Option<Scheme>) -> Cow<'_, [Sentence]> {
    let Some(scheme) = crossing else { return Cow::Borrowed(train) };
    let encoder = PseudoProjective::new(scheme).fit(train, CROSSING_LABELS);
    let mut encoded = train.to_vec();
    for sent in &mut encoded {
        // Every sentence has a tree; one whose labels contain arrows already is left as it is.
        let _ = encoder.encode(sent);
    }
    Cow::Owned(encoded)
}

/// Checks the data and counts what the header reports.
fn inspect(config: &TrainConfig, train: &[Sentence]) -> Result<TrainingInfo, TrainError> {
    let mut info = TrainingInfo {
        sources: config.sources.clone(),
        seed: config.seed,
        ..TrainingInfo::default()
    };
    let mut crossing = 0;
    let mut tagged = false;
    for (index, sent) in train.iter().enumerate().filter(|(_, sent)| !sent.is_empty()) {
        let tree = sent.tree().map_err(|source| TrainError::Tree {
            number: index + 1,
            sentence: sent.sent_id().unwrap_or("?").to_owned(),
            source,
        })?;
        info.sentences += 1;
        info.words += sent.len();
        crossing += tree.non_projective_words().len();
        tagged |= sent.words().any(|word| word.upos() != "_");
    }
    if info.words == 0 {
        return Err(TrainError::NoData);
    }
    if !tagged {
        return Err(TrainError::NoTags);
    }
    info.non_projective = crossing as f64 / info.words as f64;
    Ok(info)
}
