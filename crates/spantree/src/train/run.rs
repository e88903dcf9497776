//! One training run: labels, then trees, then calibration.

use std::time::Instant;

use spantree_treebank::Sentence;
use spantree_treebank::transform::Scheme;

use super::checkpoint::Checkpoint;
use super::data::{encode, inspect};
use super::epoch::one_epoch;
use super::evaluate;
use super::finish::{Parts, Quantised};
use super::labels::LabelProblem;
use super::problem::Example;
use super::trees::TreeProblem;
use super::{Progress, TrainConfig, TrainError, choose_decoder};
use crate::feature::Columns;
use crate::graph::{Decoder, Engine, Filters, LabelSet, MAX_LABELS, Parser};
use crate::model::{Calibration, DevScores, TemplateTexts, TrainingInfo};

/// One training run.
pub(super) struct Run<'a> {
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
    pub(super) fn new(
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

    pub(super) fn learn_labels(&mut self) -> Result<(), TrainError> {
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

    pub(super) fn learn_trees(&mut self) -> Result<(), TrainError> {
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

    pub(super) fn finish(mut self) -> Result<Parser, TrainError> {
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
