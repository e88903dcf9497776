//! Learning the pruner of a higher-order parser, and pruning the training data with it.
//!
//! The arcs of a training sentence are chosen by a pruner that did not see it (jack-knifing): one that did would leave fewer
//! wrong arcs than the parser will meet. Gold arcs are always left in. The pruner of the model sees all sentences.
//!
//! It learns log-likelihood over all trees, because heads are kept by their probability, and weights of features that only
//! wrong arcs have, because it is these arcs that it has to know.

use std::ops::Range;

use spantree_learn::{Rate, State, StochasticGradient, epoch, jackknife, shard_orders};

use super::TrainConfig;
use super::cost::WordCosts;
use super::problem::{Example, FREE_HEAD};
use super::trees::TreeProblem;
use crate::graph::pruner::PruneScratch;
use crate::graph::table::ArcGroups;
use crate::graph::{Candidates, Decoder, DecoderScratch, Engine, HigherOrder};

/// Number of parts in jack-knifing.
const FOLDS: usize = 3;
/// After so many epochs a pruner is close to its best.
const EPOCHS: u64 = 4;
/// Length of its steps.
const STEP: f32 = 0.05;
/// Binary logarithm of the largest table: a pruner looks at every arc, so that its weights should stay in the cache.
const MAX_BITS: u32 = 20;

/// The pruner of a model, and what it does to the training data.
pub(super) struct Learned {
    /// The weights as a model holds them.
    pub(super) weights: Vec<f32>,
    /// Heads left per word.
    pub(super) heads: f64,
    /// Share of the arcs that were left, in per cent.
    pub(super) share: f64,
    /// Share of the gold arcs that were among them, in per cent.
    pub(super) recall: f64,
}

/// Learns the pruner of `engine` and leaves in every example the arcs to score.
///
/// `versions` is the number of versions of each sentence, one after the other in `examples`.
pub(super) fn learn_pruner(
    engine: &Engine,
    higher: &HigherOrder,
    examples: &mut [Example],
    versions: usize,
    config: &TrainConfig,
) -> Learned {
    let problem = problem(engine, higher, examples, config);
    let count = examples.len() / versions;
    let lesson = Lesson { problem: &problem, versions, count, seed: config.seed };
    let mut left = vec![Candidates::default(); examples.len()];
    let mut kept = 0;
    for fold in jackknife(count, FOLDS).unwrap_or_default() {
        let w = lesson.learn(examples, &fold.held_out);
        let mut scratch = (PruneScratch::default(), DecoderScratch::default());
        for index in (0..examples.len()).filter(|index| fold.held_out.contains(&(index % count))) {
            let [w, ..] = problem.split(&w);
            kept += prune(higher, w, &examples[index], &mut scratch, &mut left[index]);
        }
    }
    let w = lesson.learn(examples, &(0..0));
    let arcs: usize = left.iter().map(Candidates::count).sum();
    let lengths = || examples.iter().map(|example| example.heads.len());
    let words = lengths().sum::<usize>() as f64;
    let possible = lengths().map(|words| words * words).sum::<usize>() as f64;
    examples.iter_mut().zip(left).for_each(|(example, left)| example.candidates = left);
    Learned {
        weights: problem.model_arcs(problem.split(&w)[0]).into_owned(),
        heads: arcs as f64 / words,
        share: 100.0 * arcs as f64 / possible,
        recall: 100.0 * kept as f64 / words,
    }
}

/// The problem of bare arcs with the pruner's templates, over all trees.
fn problem(
    engine: &Engine,
    higher: &HigherOrder,
    examples: &[Example],
    config: &TrainConfig,
) -> TreeProblem {
    let costs = WordCosts::of_heads();
    let engine = Engine {
        scorer: higher.pruner.scorer.clone(),
        decoder: Decoder::Mst,
        higher: None,
        ..engine.clone()
    };
    let config = TrainConfig {
        max_bits: MAX_BITS.min(config.max_bits),
        all_features: Some(true),
        ..config.clone()
    };
    TreeProblem::new(engine, costs, examples, &config)
}

/// What stays the same from fold to fold.
struct Lesson<'a> {
    problem: &'a TreeProblem,
    versions: usize,
    count: usize,
    seed: u64,
}

impl Lesson<'_> {
    /// The averaged weights after some epochs without the sentences that are held out.
    fn learn(&self, examples: &[Example], held_out: &Range<usize>) -> Vec<f32> {
        let learner = StochasticGradient { step: STEP, rate: Rate::Adaptive, l2: 0.0 };
        let mut state = State::new(self.problem.weights());
        let mut scratch = Default::default();
        for number in 0..EPOCHS {
            let mut order = shard_orders(self.count, 1, self.seed, number).concat();
            order.retain(|&index| !held_out.contains(&(index as usize)));
            for index in &mut order {
                let version = (u64::from(*index) + number) % self.versions as u64;
                *index += version as u32 * self.count as u32;
            }
            epoch(&learner, self.problem, examples, &order, &mut state, &mut scratch, &|_| ());
        }
        state.average()
    }
}

/// Overwrites `left` with the arcs of one example that the pruner keeps, and the gold ones; returns how many were both.
fn prune(
    higher: &HigherOrder,
    w: &[f32],
    example: &Example,
    (prune, decode): &mut (PruneScratch<f32>, DecoderScratch),
    left: &mut Candidates,
) -> usize {
    let groups = ArcGroups::new(w, 1.0, false);
    higher.pruner.prune(groups, &example.atoms, (prune, decode), left);
    let mut kept = 0;
    for (index, &head) in example.heads.iter().enumerate().filter(|gold| *gold.1 != FREE_HEAD) {
        kept += usize::from(left.contains(head as usize, index + 1));
        left.insert(head as usize, index + 1);
    }
    kept
}
