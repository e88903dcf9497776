//! One training run: labels, then trees, then calibration.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use spantree_treebank::Sentence;
use spantree_treebank::transform::Scheme;

use super::checkpoint::Checkpoint;
use super::cost::WordCosts;
use super::data::{compare, encode, fits, inspect};
use super::epoch::Epoch;
use super::evaluate;
use super::finish::{Parts, TreeWeights};
use super::labels::LabelProblem;
use super::problem::Example;
use super::prune::{Learned, learn_pruner};
use super::trees::TreeProblem;
use super::{Observer, Progress, Rule, TrainConfig, TrainError, TrainWarning};
use crate::feature::Columns;
use crate::graph::{
    CubeWidth, Decoder, Engine, Filters, LabelSet, MAX_LABELS, Parser, Pruning, TemplateTexts,
};
use crate::model::{Calibration, DevScores, Quantised, TrainingInfo};
use crate::parser::ParseOptions;

/// See the [module](self).
pub(super) struct Run<'a> {
    /// All settled.
    config: TrainConfig,
    /// Number of versions of each example; see [`Trainer::train_versions`](super::Trainer::train_versions).
    versions: usize,
    /// Without scored words: none.
    dev: &'a [Sentence],
    progress: Mutex<Observer<'a>>,
    start: Instant,
    templates: TemplateTexts,
    crossing: Option<Scheme>,
    info: TrainingInfo,
    labels: LabelProblem,
    trees: TreeProblem,
    /// Weights of the pruner of a higher-order parser.
    pruner: Option<Quantised>,
    /// Complete gold trees for the labels; for the trees themselves, adapted to the decoder.
    label_examples: Vec<Example>,
    tree_examples: Vec<Example>,
    checkpoint: Checkpoint,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        config: &TrainConfig,
        (train, versions): (&[Sentence], usize),
        dev: &'a [Sentence],
        progress: Observer<'a>,
    ) -> Result<Self, TrainError> {
        let start = Instant::now();
        config.check()?;
        let mut warn = |warning| progress(Progress::Warning(warning));
        let info = inspect(config, &train[..train.len() / versions.max(1)], &mut warn)?;
        compare(train, dev, &mut warn);
        let dev = scored(dev, &mut warn);
        let (config, decoder) = config.settled(info.non_projective)?;
        let checkpoint_data = (train, dev);
        let templates = templates(&config, decoder, train)?;
        let crossing = config.pseudo_projective.filter(|_| decoder.is_projective());
        let train = &*encode(train, crossing);
        let mut engine = engine(&templates, train, decoder, (config.pruning, config.cube))?;
        engine.minimum_risk = config.has_likelihood_of_parts();
        let costs = WordCosts::new(&config.cost, &engine.labels, !engine.scorer.labels.is_empty())?;
        let (label_examples, mut tree_examples) = examples(&engine, train, &mut warn)?;
        let labels = LabelProblem::new(&engine, &label_examples, &config);
        let pruner = engine.higher.as_ref().map(|higher| {
            let versions = versions.max(1);
            let learned = learn_pruner(&engine, higher, &mut tree_examples, versions, &config);
            let Learned { heads, share, recall, .. } = learned;
            progress(Progress::Pruned { heads, share, recall });
            Quantised::new(&learned.weights)
        });
        let trees = TreeProblem::new(engine, costs, &tree_examples, &config);
        let checkpoint =
            Checkpoint::new(&config, checkpoint_data, 1 << labels.bits(), trees.weights())?;
        let memory = memory(&config, trees.weights() + (1 << labels.bits()))
            + 2 * tree_examples.iter().map(Example::memory).sum::<usize>();
        let (decoder, non_projective) = (decoder.to_string(), info.non_projective);
        progress(Progress::Start { memory, decoder, non_projective });
        Ok(Self {
            config,
            versions: versions.max(1),
            dev,
            progress: Mutex::new(progress),
            start,
            templates,
            crossing,
            info,
            labels,
            trees,
            pruner,
            label_examples,
            tree_examples,
            checkpoint,
        })
    }

    pub(super) fn learn_labels(&mut self) -> Result<(), TrainError> {
        let words: usize = self.label_examples.iter().map(|example| example.heads.len()).sum();
        let words = words / self.versions;
        while self.checkpoint.label_epochs < self.config.label_epochs {
            let number = self.checkpoint.label_epochs;
            self.say(Progress::EpochStart {
                epoch: number + 1,
                sentences: self.label_examples.len() / self.versions,
            });
            let tick = |_| say(&self.progress, Progress::Sentence);
            let stats =
                Epoch { config: &self.config, number, versions: self.versions, tick: &tick }
                    .learn_labels(
                        &self.labels,
                        &self.label_examples,
                        &mut self.checkpoint.label_state,
                    );
            self.checkpoint.label_epochs += 1;
            self.checkpoint.save()?;
            self.say(Progress::LabelEpoch {
                epoch: number + 1,
                loss: stats.loss / words as f64,
                seconds: self.seconds(),
            });
        }
        Ok(())
    }

    pub(super) fn learn_trees(&mut self) -> Result<(), TrainError> {
        let words = self.info.words as f64;
        let relabel = Quantised::new(&self.checkpoint.label_state.average());
        while self.checkpoint.tree_epochs < self.config.epochs
            && !self.checkpoint.is_stale(self.config.patience)
        {
            let number = self.checkpoint.tree_epochs;
            self.say(Progress::EpochStart {
                epoch: number + 1,
                sentences: self.tree_examples.len() / self.versions,
            });
            let tick = |_| say(&self.progress, Progress::Sentence);
            let stats =
                Epoch { config: &self.config, number, versions: self.versions, tick: &tick }
                    .learn_trees(&self.trees, &self.tree_examples, &mut self.checkpoint.tree_state);
            self.checkpoint.tree_epochs += 1;
            let scores = self.judge(&relabel)?;
            self.checkpoint.save()?;
            self.say(Progress::TreeEpoch {
                epoch: number + 1,
                loss: stats.loss / words,
                dev: scores.map(|scores| (scores.uas, scores.las)),
                seconds: self.seconds(),
            });
        }
        Ok(())
    }

    /// Parses the development set with the averaged weights and keeps them if they are the best so far.
    fn judge(&mut self, relabel: &Quantised) -> Result<Option<DevScores>, TrainError> {
        let average = self.checkpoint.tree_state.average();
        let [arcs, labels, parts] = self.trees.split(&average);
        let weights = TreeWeights {
            arcs: Quantised::new(&self.trees.model_arcs(arcs)),
            labels: Quantised::new(labels),
            parts: Quantised::new(parts),
        };
        let mut scores = None;
        if !self.dev.is_empty() {
            let parts = self.parts(&weights, relabel, None);
            let parser = parts.assemble(Calibration::default())?;
            scores = Some(evaluate::attachment(self.dev, self.config.dev_threads(), || {
                let mut worker = parser.worker();
                move |sent| worker.parse(sent, &ParseOptions::default()).is_ok()
            }));
        }
        self.checkpoint.record(scores, weights);
        Ok(scores)
    }

    pub(super) fn finish(mut self) -> Result<Parser, TrainError> {
        let relabel = Quantised::new(&self.checkpoint.label_state.average());
        let Some(best) = self.checkpoint.best.take() else { return Err(TrainError::NoEpoch) };
        self.info.epochs = self.checkpoint.tree_epochs;
        self.info.best_epoch = best.epoch;
        let parts = self.parts(&best.weights, &relabel, best.scores);
        let parser = if self.dev.is_empty() {
            parts.assemble(Calibration::default())?
        } else {
            self.say(Progress::Calibrate);
            parts.assemble_calibrated(self.dev, self.config.dev_threads())?
        };
        self.checkpoint.remove();
        Ok(parser)
    }

    fn parts<'b>(
        &'b self,
        weights: &'b TreeWeights,
        relabel: &'b Quantised,
        dev: Option<DevScores>,
    ) -> Parts<'b> {
        Parts {
            engine: &self.trees.engine,
            templates: &self.templates,
            info: &self.info,
            weights,
            relabel,
            pruner: self.pruner.as_ref(),
            dev,
            crossing: self.crossing,
        }
    }

    fn say(&self, progress: Progress) {
        say(&self.progress, progress);
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// Learner threads report too, one at a time.
pub(super) fn say(observer: &Mutex<Observer<'_>>, progress: Progress) {
    let mut observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
    (*observer)(progress);
}

/// The development data, or nothing if no word of them can be scored.
pub(crate) fn scored<'a>(
    dev: &'a [Sentence],
    warn: &mut dyn FnMut(TrainWarning),
) -> &'a [Sentence] {
    let usable = dev.iter().flat_map(Sentence::heads).any(|head| head.is_some());
    if !usable && !dev.is_empty() {
        warn(TrainWarning::EmptyDev);
    }
    if usable { dev } else { &[] }
}

/// The templates asked for, or those that suit the treebank; rules that score bare arcs have no use for label templates.
fn templates(
    config: &TrainConfig,
    decoder: Decoder,
    train: &[Sentence],
) -> Result<TemplateTexts, TrainError> {
    let columns = Columns::of(train);
    let mut templates = match &config.templates {
        Some(templates) => templates.clone(),
        None => TemplateTexts::for_columns(columns, config.order, config.grandchildren, decoder)?,
    };
    if config.valency && decoder == Decoder::Cube {
        templates.add_valency(columns)?;
    }
    if config.order == 1 && !config.learner.rule().is_joint() {
        templates.label.clear();
    }
    Ok(templates)
}

fn engine(
    templates: &TemplateTexts,
    train: &[Sentence],
    decoder: Decoder,
    widths: (Pruning, CubeWidth),
) -> Result<Engine, TrainError> {
    let labels = LabelSet::from_treebank(train);
    if labels.len() > MAX_LABELS {
        return Err(TrainError::TooManyLabels { found: labels.len() });
    }
    let filters = Filters::from_treebank(train, &labels);
    Ok(Engine::new(templates, labels, filters, decoder, widths)?)
}

/// The examples of the label stage and of the tree stage.
fn examples(
    engine: &Engine,
    train: &[Sentence],
    warn: &mut dyn FnMut(TrainWarning),
) -> Result<(Vec<Example>, Vec<Example>), TrainError> {
    let sentences = || train.iter().filter(|sent| !sent.is_empty());
    let mut labels: Vec<_> = sentences().map(|sent| Example::new(engine, sent, false)).collect();
    labels.retain(Example::is_complete);
    if labels.is_empty() {
        return Err(TrainError::NoCompleteTree);
    }
    let mut trees: Vec<_> = sentences().map(|sent| Example::new(engine, sent, true)).collect();
    let before = trees.len();
    trees.retain(|example| fits(engine.decoder, example));
    if trees.len() < before {
        warn(TrainWarning::CrossingPartial { sentences: before - trees.len() });
    }
    Ok((labels, trees))
}

/// Bytes of the weights with all that learners keep beside them.
fn memory(config: &TrainConfig, weights: usize) -> usize {
    let state = if config.learner.rule() == Rule::LogLinear { 16 } else { 8 };
    let mixing = if config.threads > 1 { (config.threads + 2) * state } else { 0 };
    weights * (state + mixing)
}
