//! From rounded weights to a model: sections, the header, calibration.

use spantree_treebank::Sentence;
use spantree_treebank::transform::Scheme;

use super::TrainError;
use super::calibrate::calibrate;
use crate::graph::parser::section;
use crate::graph::{Engine, Header, Parser, Pruning, TableInfo, TemplateTexts};
use crate::model::{Calibration, DevScores, Quantised, Sections, TrainingInfo};

/// The weights that the tree stage learns, rounded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeWeights {
    pub(super) arcs: Quantised,
    pub(super) labels: Quantised,
    /// Of parts with several arcs; empty in first order.
    pub(super) parts: Quantised,
}

impl TreeWeights {
    pub(super) fn tables(&self) -> [&Quantised; 3] {
        [&self.arcs, &self.labels, &self.parts]
    }
}

/// The parts of a model.
pub(super) struct Parts<'a> {
    pub(super) engine: &'a Engine,
    pub(super) templates: &'a TemplateTexts,
    pub(super) info: &'a TrainingInfo,
    pub(super) weights: &'a TreeWeights,
    pub(super) relabel: &'a Quantised,
    /// `None` in first order.
    pub(super) pruner: Option<&'a Quantised>,
    pub(super) dev: Option<DevScores>,
    pub(super) crossing: Option<Scheme>,
}

impl Parts<'_> {
    /// Puts a model together.
    pub(super) fn assemble(&self, calibration: Calibration) -> Result<Parser, TrainError> {
        let mut sections = Sections::default();
        let TreeWeights { arcs, labels, parts } = self.weights;
        sections.push(section::ARC, &arcs.weights);
        sections.push(section::LABEL, &labels.weights);
        sections.push(section::RELABEL, &self.relabel.weights);
        sections.push(section::LABEL_FILTER, &self.engine.scorer.label_filter.to_words());
        sections.push(section::RELABEL_FILTER, &self.engine.relabeller.filter().to_words());
        sections.push(section::ARC_FILTER, self.engine.scorer.arc_filter.to_words());
        if let Some(pruner) = self.pruner {
            sections.push(section::PRUNER, &pruner.weights);
            sections.push(section::PART, &parts.weights);
        }
        let header = Header {
            decoder: self.engine.decoder.to_string(),
            pseudo_projective: self.crossing.map(|scheme| scheme.to_string()),
            training: self.info.clone(),
            dev: self.dev,
            labels: self.engine.labels.names().to_vec(),
            templates: self.templates.clone(),
            pruning: self
                .engine
                .higher
                .as_ref()
                .map_or_else(Pruning::default, |h| h.pruner.pruning),
            cube: self.engine.cube,
            minimum_risk: self.engine.minimum_risk,
            tables: TableInfo {
                arc_scale: arcs.scale,
                label_scale: labels.scale,
                relabel_scale: self.relabel.scale,
                pruner_scale: self.pruner.map_or(0.0, |pruner| pruner.scale),
                part_scale: self.pruner.map_or(0.0, |_| parts.scale),
            },
            calibration,
        };
        Ok(Parser::from_sections(sections, header)?)
    }

    /// Puts a model together whose probabilities fit the development set.
    pub(super) fn assemble_calibrated(
        &self,
        dev: &[Sentence],
        threads: usize,
    ) -> Result<Parser, TrainError> {
        let with = |calibration| Ok(self.assemble(calibration)?.into());
        self.assemble(calibrate(dev.into(), threads, with)?)
    }
}
