//! Learning single actions where the parser's own way leads (Goldberg and Nivre 2012, 2013).
//!
//! In every state the best action of cost zero must win by a margin of 1 over the best of the others; if it does not, both get a
//! passive-aggressive step. After the first epochs the parser goes on from its mistakes most of the time, so that it learns
//! what to do after them; costs are exact in every state. Under the swap system, and with other oracles than the dynamic one,
//! it always follows the gold tree.
//! One scoring per action; deterministic for a seed.

use spantree_decode::transition::{Action, OracleScratch, State};
use spantree_learn::{self as learn, Learner, Outcome, Rng, SparseVector};

use super::super::TrainConfig;
use super::config::TransitionOracle;
use super::problem::{Example, LabelScratch, TransitionProblem, step};
use crate::feature::hash;
use crate::transition::class;

/// See the [module](self).
pub(super) struct Greedy {
    seed: u64,
    oracle: TransitionOracle,
    /// How often a mistake is followed.
    explore: f64,
    aggressiveness: f32,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct GreedyScratch {
    state: State,
    oracle: OracleScratch,
    actions: Vec<Action>,
    costs: Vec<u32>,
    labels: LabelScratch,
    delta: SparseVector,
}

impl Greedy {
    /// The learner of an epoch, counted from 0.
    pub(super) fn new(config: &TrainConfig, epoch: u64) -> Self {
        let settings = &config.transition;
        let explores =
            settings.oracle == TransitionOracle::Dynamic && epoch >= settings.explore_after;
        Self {
            seed: config.seed,
            oracle: settings.oracle,
            explore: if explores { settings.explore } else { 0.0 },
            aggressiveness: settings.aggressiveness as f32,
        }
    }

    /// Learns from one state with several legal actions; the best action of cost zero, and the best of the others if that has
    /// a higher score.
    fn correct(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        scratch: &mut GreedyScratch,
    ) -> (Action, Option<Action>) {
        let GreedyScratch { state, oracle, actions, costs, labels, delta } = scratch;
        let engine = &problem.engine;
        engine.system.system().costs(state, &example.gold, actions, oracle, costs);
        if self.oracle == TransitionOracle::Static {
            // Only the first action without cost is right.
            let free = costs.iter_mut().filter(|cost| **cost == 0);
            free.skip(1).for_each(|cost| *cost = 1);
        }
        let table = problem.split(weights.weights()).0;
        let scores = engine.score_actions(table, &example.atoms, state, &mut labels.engine);
        let score = |action: Action| scores[class(action)];
        let best = |free: bool| {
            let some = actions.iter().zip(&*costs).filter(|(_, cost)| (**cost == 0) == free);
            some.map(|(action, _)| *action).reduce(|a, b| if score(b) > score(a) { b } else { a })
        };
        let right = best(true).unwrap_or(actions[0]);
        let Some(wrong) = best(false) else { return (right, None) };
        let loss = 1.0 - score(right) + score(wrong);
        if loss > 0.0 {
            let positions = &labels.engine.positions;
            delta.clear();
            for &position in positions {
                delta.add(position + class(right) as u32, 1.0);
                delta.add(position + class(wrong) as u32, -1.0);
            }
            weights.add(step(self.aggressiveness, loss, positions.len()), delta);
        }
        (right, (loss >= 1.0).then_some(wrong))
    }
}

impl Learner<TransitionProblem> for Greedy {
    type Scratch = GreedyScratch;

    fn learn(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        scratch: &mut GreedyScratch,
    ) -> Outcome {
        let system = problem.engine.system.system();
        let explore = if system.is_dynamic() { self.explore } else { 0.0 };
        let mut rng = Rng::new(hash::mix(self.seed, weights.steps()));
        let mut mistakes = 0;
        system.start(example.atoms.len(), &mut scratch.state);
        while !system.is_final(&scratch.state) {
            system.actions(&scratch.state, &mut scratch.actions);
            let mut action = scratch.actions[0];
            if scratch.actions.len() > 1 {
                let (right, mistake) = self.correct(problem, example, weights, scratch);
                action = mistake.filter(|_| rng.uniform() < explore).unwrap_or(right);
                mistakes += u32::from(mistake.is_some());
            }
            let state = &mut scratch.state;
            let label = system.arc(state, action).map_or(0, |arc| {
                let labels = &mut scratch.labels;
                problem.learn_label(example, state, arc, self.aggressiveness, weights, labels)
            });
            system.apply(state, action, label);
        }
        Outcome { loss: mistakes.into(), updated: mistakes > 0 }
    }
}
