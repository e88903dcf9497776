//! Training a transition parser: from treebank to model.
//!
//! One learner makes the weights of actions and of labels together, sentence by sentence: `greedy` corrects single actions on
//! the way that the parser itself takes, `log_linear` makes right ones there more likely, `beam` corrects whole sequences. After every epoch the development set is parsed with
//! averaged weights; the best epoch's weights are kept. Finally the probabilities by which a beam ranks what was learned action
//! by action, and those of confidences, are fitted to the development set.
//!
//! Projective systems learn from lifted trees whose labels say how to put crossing arcs back. Words without a head take part
//! without costs, except under the systems swap and arc-edit, which learn from complete trees only.

mod beam;
mod config;
mod greedy;
mod log_linear;
mod problem;
mod shortcuts;

use std::sync::Mutex;
use std::time::Instant;

use spantree_learn::{EpochStats, State};
use spantree_treebank::Sentence;
use spantree_treebank::repairs::REPARANDUM;
use spantree_treebank::transform::Scheme;

pub use config::{TransitionConfig, TransitionLearning, TransitionOracle};

use super::calibrate::calibrate;
use super::checkpoint::Checkpoint;
use super::data::{compare, encode, inspect};
use super::epoch::Epoch;
use super::evaluate::attachment;
use super::finish::TreeWeights;
use super::run::{say, scored};
use super::{Observer, Progress, TrainConfig, TrainError};
use crate::feature::Columns;
use crate::graph::{LabelFilter, LabelSet, MAX_LABELS};
use crate::model::{Calibration, DevScores, Quantised, Sections, TrainingInfo};
use crate::transition::{
    Engine, HASHING, Header, Parser, Ranking, Shortcuts, StateTemplateTexts, TransitionSystem,
    section,
};
use beam::Beam;
use greedy::Greedy;
use log_linear::LogLinear;
use problem::{Example, TransitionProblem};

/// What the inverse temperatures of the first ranking are multiplied with to find a better one.
const RANKING_FACTORS: [f32; 4] = [0.5, 0.7, 1.4, 2.0];

/// Trains on several versions of one treebank; see [`Trainer::train_versions`](super::Trainer::train_versions).
///
/// # Errors
/// When the data cannot be trained on, or a checkpoint fails.
pub fn train(
    config: &TrainConfig,
    (train, versions): (&[Sentence], usize),
    dev: &[Sentence],
    progress: Observer<'_>,
) -> Result<Parser, TrainError> {
    let mut run = Run::new(config, (train, versions.max(1)), dev, progress)?;
    run.learn()?;
    run.finish()
}

struct Run<'a> {
    config: &'a TrainConfig,
    versions: usize,
    /// Without scored words: none.
    dev: &'a [Sentence],
    progress: Mutex<Observer<'a>>,
    start: Instant,
    templates: StateTemplateTexts,
    shortcuts: Option<Shortcuts>,
    crossing: Option<Scheme>,
    info: TrainingInfo,
    problem: TransitionProblem,
    examples: Vec<Example>,
    checkpoint: Checkpoint,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a TrainConfig,
        (train, versions): (&[Sentence], usize),
        dev: &'a [Sentence],
        progress: Observer<'a>,
    ) -> Result<Self, TrainError> {
        let start = Instant::now();
        config.check()?;
        let mut warn = |warning| progress(Progress::Warning(warning));
        let info = inspect(config, &train[..train.len() / versions], &mut warn)?;
        compare(train, dev, &mut warn);
        let dev = scored(dev, &mut warn);
        let data = (train, dev);
        let system = config.transition.system;
        let scheme = config.pseudo_projective.unwrap_or(Scheme::Head);
        let crossing = (system.is_projective() && info.non_projective > 0.0).then_some(scheme);
        let columns = Columns::of(train);
        let mut templates = StateTemplateTexts::new(system, columns);
        if config.transition.takes_shortcuts() {
            templates = templates.with_shortcuts(columns);
        }
        let train = &*encode(train, crossing);
        let engine = engine(config, &templates, train)?;
        let sentences = train.iter().filter(|sent| !sent.is_empty());
        let examples: Vec<_> = sentences.filter_map(|sent| Example::new(&engine, sent)).collect();
        if examples.is_empty() {
            return Err(TrainError::NoCompleteTree);
        }
        let problem = TransitionProblem::new(engine, &examples, config);
        let checkpoint = Checkpoint::new(config, data, 0, problem.weights())?;
        let memory = problem.weights() * 8 * config.threads.max(1)
            + examples.iter().map(Example::memory).sum::<usize>();
        let (decoder, non_projective) = (system.to_string(), info.non_projective);
        progress(Progress::Start { memory, decoder, non_projective });
        let progress = Mutex::new(progress);
        Ok(Self {
            config,
            versions,
            dev,
            progress,
            start,
            templates,
            shortcuts: None,
            crossing,
            info,
            problem,
            examples,
            checkpoint,
        })
    }

    fn learn(&mut self) -> Result<(), TrainError> {
        while self.checkpoint.tree_epochs < self.config.epochs
            && !self.checkpoint.is_stale(self.config.patience)
        {
            let number = self.checkpoint.tree_epochs;
            let sentences = self.examples.len() / self.versions;
            self.say(Progress::EpochStart { epoch: number + 1, sentences });
            let stats = self.epoch(number);
            self.checkpoint.tree_epochs += 1;
            let average = self.checkpoint.tree_state.average();
            let tables = self.problem.split(&average);
            // Actions stand in the place of arcs, clear decisions in that of parts.
            let weights = TreeWeights {
                arcs: Quantised::new(tables.actions),
                labels: Quantised::new(tables.labels),
                parts: Quantised::new(tables.clear),
            };
            let ranking = self.first_ranking();
            let dev = self.judge(&weights, ranking)?;
            self.checkpoint.record(dev, weights);
            self.checkpoint.save()?;
            self.say(Progress::TreeEpoch {
                epoch: number + 1,
                loss: stats.loss / self.info.words as f64,
                dev: dev.map(|scores| (scores.uas, scores.las)),
                seconds: self.start.elapsed().as_secs_f64(),
            });
        }
        Ok(())
    }

    fn epoch(&mut self, number: u64) -> EpochStats {
        let config = self.config;
        let tick = |_| say(&self.progress, Progress::Sentence);
        let epoch = Epoch { config, number, versions: self.versions, tick: &tick };
        let state = &mut self.checkpoint.tree_state;
        let settings = &config.transition;
        if settings.learning == TransitionLearning::LogLinear {
            let learner = LogLinear::new(config, number, self.examples.len() / self.versions);
            return epoch.run(&learner, &self.problem, &self.examples, state);
        }
        if !settings.is_global() || number < settings.greedy_epochs {
            return epoch.run(&Greedy::new(config, number), &self.problem, &self.examples, state);
        }
        if number == settings.greedy_epochs {
            // The average is to be one of weights that were learned with the beam.
            *state = State::from_weights(state.weights().to_vec());
        }
        epoch.run(&Beam::new(config), &self.problem, &self.examples, state)
    }

    /// Scores on the development set.
    fn judge(
        &self,
        weights: &TreeWeights,
        ranking: Option<Ranking>,
    ) -> Result<Option<DevScores>, TrainError> {
        if self.dev.is_empty() {
            return Ok(None);
        }
        let parser = self.assemble(weights, None, Calibration::default(), ranking)?;
        Ok(Some(attachment(self.dev, self.config.dev_threads(), || {
            let mut worker = parser.worker();
            move |sent: &mut Sentence| worker.parse(sent, &Default::default()).is_ok()
        })))
    }

    fn finish(mut self) -> Result<Parser, TrainError> {
        let Some(best) = self.checkpoint.best.take() else { return Err(TrainError::NoEpoch) };
        self.info.epochs = self.checkpoint.tree_epochs;
        self.info.best_epoch = best.epoch;
        let mut calibration = Calibration::default();
        let weights = &best.weights;
        let (ranking, mut scores) = self.best_ranking(weights, best.scores)?;
        if !self.dev.is_empty() {
            if self.problem.shortcuts {
                self.shortcuts = Some(shortcuts::find(&self.problem.engine, weights, self.dev));
                scores = self.judge(weights, ranking)?;
            }
            self.say(Progress::Calibrate);
            calibration = calibrate(self.dev.into(), self.config.dev_threads(), |tried| {
                Ok(self.assemble(weights, None, tried, ranking)?.into())
            })?;
        }
        let parser = self.assemble(weights, scores, calibration, ranking)?;
        self.checkpoint.remove();
        Ok(parser)
    }

    /// The ranking that suits what is learned; none where scores are to be added up.
    fn first_ranking(&self) -> Option<Ranking> {
        let settings = &self.config.transition;
        match settings.learning {
            _ if settings.is_global() => None,
            // Scores are logarithms of probabilities.
            TransitionLearning::LogLinear => Some(Ranking { actions: 1.0, labels: 1.0 }),
            _ => Some(Ranking::default()),
        }
    }

    /// The ranking under which a beam has the best LAS, given the scores under the first one.
    fn best_ranking(
        &self,
        weights: &TreeWeights,
        mut best: Option<DevScores>,
    ) -> Result<(Option<Ranking>, Option<DevScores>), TrainError> {
        let Some(mut ranking) = self.first_ranking() else { return Ok((None, best)) };
        if self.config.transition.beam > 1 {
            let Ranking { actions, labels } = ranking;
            for factor in RANKING_FACTORS {
                let tried = Ranking { actions: factor * actions, labels: factor * labels };
                let scores = self.judge(weights, Some(tried))?;
                if scores.zip(best).is_some_and(|(scores, best)| scores.las > best.las) {
                    (ranking, best) = (tried, scores);
                }
            }
        }
        Ok((Some(ranking), best))
    }

    /// Puts a model together.
    fn assemble(
        &self,
        weights: &TreeWeights,
        dev: Option<DevScores>,
        calibration: Calibration,
        ranking: Option<Ranking>,
    ) -> Result<Parser, TrainError> {
        let engine = &self.problem.engine;
        let TreeWeights { arcs: actions, labels, parts: clear } = weights;
        let mut sections = Sections::default();
        sections.push(section::ACTION, &actions.weights);
        sections.push(section::LABEL, &labels.weights);
        sections.push(section::LABEL_FILTER, &engine.filter.to_words());
        if self.shortcuts.is_some() {
            sections.push(section::CLEAR, &clear.weights);
        }
        let header = Header {
            system: engine.system,
            beam: self.config.transition.beam,
            pseudo_projective: self.crossing.map(|scheme| scheme.to_string()),
            training: self.info.clone(),
            dev,
            labels: engine.labels.names().to_vec(),
            templates: self.templates.clone(),
            action_scale: actions.scale,
            label_scale: labels.scale,
            calibration,
            ranking,
            shortcuts: self.shortcuts,
            hashing: HASHING,
        };
        Ok(Parser::from_sections(sections, header)?)
    }

    fn say(&self, progress: Progress) {
        say(&self.progress, progress);
    }
}

fn engine(
    config: &TrainConfig,
    templates: &StateTemplateTexts,
    train: &[Sentence],
) -> Result<Engine, TrainError> {
    let labels = LabelSet::from_treebank(train);
    if labels.len() > MAX_LABELS {
        return Err(TrainError::TooManyLabels { found: labels.len() });
    }
    let system = config.transition.system;
    if system == TransitionSystem::ArcEdit && labels.number(REPARANDUM).is_none() {
        return Err(TrainError::NoRepairs);
    }
    let filter = LabelFilter::from_treebank(train, &labels, 1);
    Ok(Engine::new(system, templates, labels, filter)?)
}
