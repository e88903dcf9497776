//! Fitting the probabilities of a parser to the development set; see [`crate::parser::calibration`].

use spantree_treebank::Sentence;

use super::TrainError;
use super::evaluate::{DevSet, in_parts};
use crate::model::Calibration;
use crate::parser::calibration::fit_map;
use crate::parser::{ParseOptions, Parser};
use crate::tag::Beliefs;

/// The calibration under which the probabilities of a parser fit `dev`; `with` makes the parser with a calibration. It does
/// not depend on the number of threads.
pub(crate) fn calibrate(
    dev: DevSet<'_>,
    threads: usize,
    with: impl Fn(Calibration) -> Result<Parser, TrainError>,
) -> Result<Calibration, TrainError> {
    let (sentences, beliefs) = sample(dev);
    let sample = DevSet { sentences: &sentences, beliefs: &beliefs };
    let mut calibration = best_factors(sample, threads, &with)?;
    let (arcs, labels) = observe(&with(calibration.clone())?, dev, threads);
    calibration.arc_map = fit_map(&arcs);
    calibration.label_map = fit_map(&labels);
    Ok(calibration)
}

/// The factors under which right and wrong heads, and labels, are most likely.
fn best_factors(
    sample: DevSet<'_>,
    threads: usize,
    with: impl Fn(Calibration) -> Result<Parser, TrainError>,
) -> Result<Calibration, TrainError> {
    let mut best = Calibration::default();
    let (mut arc_loss, mut label_loss) = (f64::INFINITY, f64::INFINITY);
    let mut try_step = |step: i32| -> Result<bool, TrainError> {
        let factor = (f64::from(step) / 2.0).exp2() as f32;
        let tried = Calibration {
            arc_inverse_temperature: factor,
            label_inverse_temperature: factor,
            ..Calibration::default()
        };
        let (arcs, labels) = observe(&with(tried)?, sample, threads);
        let (arcs, labels) = (surprise(&arcs), surprise(&labels));
        let is_better = arcs < arc_loss || labels < label_loss;
        if arcs < arc_loss {
            (arc_loss, best.arc_inverse_temperature) = (arcs, factor);
        }
        if labels < label_loss {
            (label_loss, best.label_inverse_temperature) = (labels, factor);
        }
        Ok(is_better)
    };
    // Likelihood has one peak, so two steps down are enough on either side.
    for towards in [1, -1] {
        let mut idle = 0;
        let steps = (0..).map(|step| step * towards).skip(usize::from(towards < 0));
        for step in steps.take_while(|step| FACTOR_STEPS.contains(step)) {
            idle = if try_step(step)? { 0 } else { idle + 1 };
            if idle == 2 {
                break;
            }
        }
    }
    Ok(best)
}

/// Words used to find the factors, in sentences up to a length; two numbers need few. The maps use all.
const SAMPLE_WORDS: usize = 3000;
const SAMPLE_LENGTH: usize = 60;

fn sample(dev: DevSet<'_>) -> (Vec<Sentence>, Vec<Beliefs>) {
    let length = |index: usize| dev.sentences[index].len();
    let mut words = 0;
    let short = (0..dev.sentences.len()).filter(|&index| length(index) <= SAMPLE_LENGTH);
    let few = short.take_while(|&index| {
        words += length(index);
        words <= SAMPLE_WORDS
    });
    let mut few: Vec<_> = few.collect();
    if few.is_empty() && !dev.sentences.is_empty() {
        few.push(0);
    }
    let beliefs = few.iter().flat_map(|&index| dev.beliefs_of(index)).cloned().collect();
    (few.iter().map(|&index| dev.sentences[index].clone()).collect(), beliefs)
}

/// Factors tried are powers of √2: margin-trained models are too modest, networks too sure.
const FACTOR_STEPS: std::ops::RangeInclusive<i32> = -8..=10;

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
fn observe(parser: &Parser, dev: DevSet<'_>, threads: usize) -> (Observed, Observed) {
    let count = dev.sentences.len();
    let parts = in_parts(count, threads, |part| observe_part(parser, dev.part(part)));
    let (arcs, labels): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    (arcs.concat(), labels.concat())
}

fn observe_part(parser: &Parser, dev: DevSet<'_>) -> (Observed, Observed) {
    // A parser that makes no difference between given and predicted tags ignores this; others were trained on predicted ones.
    let options =
        ParseOptions { confidence: true, predicted_tags: true, ..ParseOptions::default() };
    let (mut arcs, mut labels) = (Vec::new(), Vec::new());
    let mut worker = parser.worker();
    let mut parsed = Sentence::new();
    for (index, gold) in dev.sentences.iter().enumerate() {
        parsed.clone_from(gold);
        let believed = (&mut parsed, dev.beliefs_of(index));
        let Ok(analysis) = worker.parse_believed(believed, &options) else { continue };
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
