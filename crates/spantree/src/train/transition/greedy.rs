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
use super::problem::{Example, LabelScratch, TransitionProblem};
use crate::feature::hash;
use crate::transition::weight_position;

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
    scores: Vec<f32>,
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
        let GreedyScratch { state, oracle, actions, scores, costs, labels, delta } = scratch;
        let engine = &problem.engine;
        engine.system.system().costs(state, &example.gold, actions, oracle, costs);
        self.oracle.restrict(costs);
        let table = problem.split(weights.weights()).actions;
        let buffers = &mut labels.engine;
        engine.score_actions(table, &example.atoms, state, actions, buffers, scores);
        let right = best(scores, costs, true).unwrap_or(0);
        let Some(wrong) = best(scores, costs, false) else { return (actions[right], None) };
        let loss = 1.0 - scores[right] + scores[wrong];
        let (right, wrong) = (actions[right], actions[wrong]);
        if loss > 0.0 {
            delta.clear();
            let mut features = 0;
            for (action, sign) in [(right, 1.0), (wrong, -1.0)] {
                if engine.system.has_places() {
                    let bits = problem.action_bits();
                    engine.find_action_positions(bits, &example.atoms, state, action, buffers);
                }
                let positions = buffers.positions.iter();
                positions.for_each(|&at| delta.add(weight_position(at, action), sign));
                features += buffers.positions.len();
            }
            weights.add(self.aggressiveness.min(loss / features.max(1) as f32), delta);
        }
        if problem.shortcuts {
            self.correct_clear(problem, example, weights, scratch);
        }
        (right, (loss >= 1.0).then_some(wrong))
    }

    /// Learns from the same state to decide by few templates; see [`Shortcuts`](crate::transition::Shortcuts).
    fn correct_clear(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        GreedyScratch { state, actions, scores, costs, labels, delta, .. }: &mut GreedyScratch,
    ) {
        let (table, buffers) = (problem.split(weights.weights()).clear, &mut labels.engine);
        let atoms = &example.atoms;
        problem.engine.score_clear_actions(table, atoms, state, actions, buffers, scores);
        let pair = best(scores, costs, true).zip(best(scores, costs, false));
        let Some((right, wrong)) = pair else { return };
        let loss = 1.0 - scores[right] + scores[wrong];
        if loss > 0.0 {
            let start = problem.clear_start() as u32;
            delta.clear();
            for (action, sign) in [(actions[right], 1.0), (actions[wrong], -1.0)] {
                let positions = buffers.positions.iter();
                positions.for_each(|&at| delta.add(start + weight_position(at, action), sign));
            }
            let features = 2 * buffers.positions.len().max(1);
            weights.add(self.aggressiveness.min(loss / features as f32), delta);
        }
    }
}

/// The first of the best actions that cost nothing, or of those that cost something.
fn best(scores: &[f32], costs: &[u32], free: bool) -> Option<usize> {
    let some = (0..scores.len()).filter(|&at| (costs[at] == 0) == free);
    some.reduce(|a, b| if scores[b] > scores[a] { b } else { a })
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
