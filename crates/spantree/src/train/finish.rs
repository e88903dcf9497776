//! From weights to a model: rounding to 16 bits, the header, calibration on the development set.

use spantree_treebank::Sentence;
use spantree_treebank::transform::Scheme;

use super::TrainError;
use crate::graph::parser::section;
use crate::graph::{Engine, Header, Parser, TableInfo, TemplateTexts};
use crate::model::{Calibration, DevScores, Sections, TrainingInfo};
use crate::parser::ParseOptions;
use crate::parser::calibration::fit_map;

/// Weights as 16-bit numbers with one scale.
///
/// Sums of such weights are exact in integers, so a parse does not depend on the order of summation.
/// Development scores are taken with rounded weights.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantised {
    pub(super) weights: Vec<i16>,
    pub(super) scale: f32,
}

impl Quantised {
    pub(super) fn new(weights: &[f32]) -> Self {
        let largest = weights.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        let scale = if largest > 0.0 { largest / f32::from(i16::MAX) } else { 1.0 };
        Self { weights: weights.iter().map(|w| (w / scale).round() as i16).collect(), scale }
    }
}

/// The parts of a model.
pub(super) struct Parts<'a> {
    pub(super) engine: &'a Engine,
    pub(super) templates: &'a TemplateTexts,
    pub(super) info: &'a TrainingInfo,
    pub(super) arcs: &'a Quantised,
    pub(super) labels: &'a Quantised,
    pub(super) relabel: &'a Quantised,
    pub(super) dev: Option<DevScores>,
    pub(super) crossing: Option<Scheme>,
}

impl Parts<'_> {
    /// Puts a model together.
    pub(super) fn assemble(&self, calibration: Calibration) -> Result<Parser, TrainError> {
        let mut sections = Sections::default();
        sections.push(section::ARC, &self.arcs.weights);
        sections.push(section::LABEL, &self.labels.weights);
        sections.push(section::RELABEL, &self.relabel.weights);
        sections.push(section::LABEL_FILTER, &self.engine.scorer.label_filter.to_words());
        sections.push(section::RELABEL_FILTER, &self.engine.relabeller.filter().to_words());
        sections.push(section::ARC_FILTER, self.engine.scorer.arc_filter.to_words());
        let header = Header {
            decoder: self.engine.decoder.to_string(),
            pseudo_projective: self.crossing.map(|scheme| scheme.to_string()),
            training: self.info.clone(),
            dev: self.dev,
            labels: self.engine.labels.names().to_vec(),
            templates: self.templates.clone(),
            tables: TableInfo {
                arc_scale: self.arcs.scale,
                label_scale: self.labels.scale,
                relabel_scale: self.relabel.scale,
            },
            calibration,
        };
        Ok(Parser::from_sections(sections, header)?)
    }

    /// Puts a model together whose probabilities fit the development set.
    pub(super) fn assemble_calibrated(&self, dev: &[Sentence]) -> Result<Parser, TrainError> {
        let mut calibration = self.best_factors(&sample(dev))?;
        let parser = self.assemble(calibration.clone())?;
        let (arcs, labels) = observe(&parser, dev);
        calibration.arc_map = fit_map(&arcs);
        calibration.label_map = fit_map(&labels);
        self.assemble(calibration)
    }

    /// The factors under which right and wrong heads, and labels, are most likely.
    fn best_factors(&self, sample: &[Sentence]) -> Result<Calibration, TrainError> {
        let mut best = Calibration::default();
        let (mut arc_loss, mut label_loss) = (f64::INFINITY, f64::INFINITY);
        let mut last_gain = *FACTOR_STEPS.start();
        for step in FACTOR_STEPS {
            // Likelihood has one peak, so two steps down are enough.
            if step > last_gain + 2 {
                break;
            }
            let factor = (f64::from(step) / 2.0).exp2() as f32;
            let tried = Calibration {
                arc_inverse_temperature: factor,
                label_inverse_temperature: factor,
                ..Calibration::default()
            };
            let (arcs, labels) = observe(&self.assemble(tried)?, sample);
            if surprise(&arcs) < arc_loss {
                (arc_loss, best.arc_inverse_temperature) = (surprise(&arcs), factor);
                last_gain = step;
            }
            if surprise(&labels) < label_loss {
                (label_loss, best.label_inverse_temperature) = (surprise(&labels), factor);
                last_gain = step;
            }
        }
        Ok(best)
    }
}

/// Words used to find the factors, in sentences up to a length; two numbers need few. The maps use all.
const SAMPLE_WORDS: usize = 3000;
const SAMPLE_LENGTH: usize = 60;

fn sample(dev: &[Sentence]) -> Vec<Sentence> {
    let mut words = 0;
    let short = dev.iter().filter(|sent| sent.len() <= SAMPLE_LENGTH);
    let few = short.take_while(|sent| {
        words += sent.len();
        words <= SAMPLE_WORDS
    });
    let few: Vec<_> = few.cloned().collect();
    if few.is_empty() { dev.iter().take(1).cloned().collect() } else { few }
}

/// Factors tried are powers of √2.
const FACTOR_STEPS: std::ops::RangeInclusive<i32> = -2..=10;

/// Negative log-likelihood.
fn surprise(observed: &[(f32, bool)]) -> f64 {
    observed
        .iter()
        .map(|&(p, right)| -f64::from(if right { p } else { 1.0 - p }).max(1e-6).ln())
        .sum()
}

/// A confidence, and whether it was about something right.
type Observed = Vec<(f32, bool)>;

/// Confidences of heads, and of labels on right heads, with whether they were right.
fn observe(parser: &Parser, dev: &[Sentence]) -> (Observed, Observed) {
    let options = ParseOptions { confidence: true, ..ParseOptions::default() };
    let (mut arcs, mut labels) = (Vec::new(), Vec::new());
    let mut worker = parser.worker();
    let mut parsed = Sentence::new();
    for gold in dev {
        parsed.clone_from(gold);
        let Ok(analysis) = worker.parse(&mut parsed, &options) else { continue };
        for ((gold, guess), confidence) in
            gold.words().zip(parsed.words()).zip(&analysis.confidences)
        {
            let right = gold.head() == guess.head();
            arcs.push((confidence.head, right));
            if right {
                labels
                    .push((confidence.label, gold.universal_deprel() == guess.universal_deprel()));
            }
        }
    }
    (arcs, labels)
}
