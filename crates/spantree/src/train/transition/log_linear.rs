//! Learning the probabilities of single actions and labels (Goldberg 2013).
//!
//! In every state the actions of cost zero are to be more likely together: for action `y` the gradient is its probability among
//! them less its probability among all legal actions. The gold label of an arc becomes more likely among those that the arc may
//! have. Steps are AdaGrad's with L1 ([`DualAveraging`]), so that few weights are not zero. After the first epochs the next action
//! is drawn by its probability: the model fits its data so fast that its own best actions show it few mistakes.
//!
//! One scoring per action; deterministic for a seed. (The paper calls the loss convex; with several right actions it is not.)

use spantree_decode::transition::{Action, OracleScratch, State};
use spantree_learn::{self as learn, DualAveraging, Learner, Outcome, Rng, SparseVector};

use super::super::TrainConfig;
use super::config::TransitionOracle;
use super::problem::{Example, TransitionProblem};
use crate::feature::hash;
use crate::transition::{Scratch, label_score, weight_position};

/// Gradients below this are left out.
const SMALL: f32 = 1e-3;
/// Added to sums of squared gradients, as in the paper.
const OFFSET: f32 = 0.01;

/// See the [module](self).
pub(super) struct LogLinear {
    seed: u64,
    oracle: TransitionOracle,
    /// Whether the next action is drawn.
    samples: bool,
    rule: DualAveraging,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct LogLinearScratch {
    state: State,
    oracle: OracleScratch,
    actions: Vec<Action>,
    scores: Vec<f32>,
    costs: Vec<u32>,
    engine: Scratch,
    gradient: SparseVector,
}

impl LogLinear {
    /// The learner of an epoch, counted from 0, over this number of sentences.
    pub(super) fn new(config: &TrainConfig, epoch: u64, sentences: usize) -> Self {
        let settings = &config.transition;
        let explores =
            settings.oracle == TransitionOracle::Dynamic && epoch >= settings.explore_after;
        let l1 = settings.l1 as f32 / sentences.max(1) as f32;
        Self {
            seed: config.seed,
            oracle: settings.oracle,
            samples: explores,
            rule: DualAveraging { step: settings.step as f32, offset: OFFSET, l1 },
        }
    }

    /// Learns from one state with several legal actions. Leaves the probabilities of actions in `scores`, and returns the number
    /// of the best one of cost zero, and whether another one is best.
    fn learn_action(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        scratch: &mut LogLinearScratch,
    ) -> (usize, bool) {
        let LogLinearScratch { state, oracle, actions, scores, costs, engine: buffers, gradient } =
            scratch;
        let engine = &problem.engine;
        engine.system.system().costs(state, &example.gold, actions, oracle, costs);
        self.oracle.restrict(costs);
        let table = problem.split(weights.weights()).actions;
        engine.score_actions(table, &example.atoms, state, actions, buffers, scores);
        softmax(scores);
        let free = || (0..actions.len()).filter(|&at| costs[at] == 0);
        let right: f32 = free().map(|at| scores[at]).sum();
        gradient.clear();
        for (at, &action) in actions.iter().enumerate() {
            let wanted =
                if costs[at] == 0 { scores[at] / right.max(f32::MIN_POSITIVE) } else { 0.0 };
            let slope = wanted - scores[at];
            if slope.abs() > SMALL {
                if engine.system.has_places() {
                    let bits = problem.action_bits();
                    engine.find_action_positions(bits, &example.atoms, state, action, buffers);
                }
                let positions = buffers.positions.iter();
                positions.for_each(|&at| gradient.add(weight_position(at, action), slope));
            }
        }
        self.rule.climb(weights, gradient);
        let better = |a: usize, b: usize| if scores[b] > scores[a] { b } else { a };
        let best = free().reduce(better).unwrap_or(0);
        (best, (0..actions.len()).fold(best, better) != best)
    }

    /// The label that the weights give to an arc; learns from it if the arc is gold.
    fn learn_label(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        arc: (u32, u32),
        weights: &mut learn::State,
        scratch: &mut LogLinearScratch,
    ) -> u16 {
        let LogLinearScratch { state, scores, engine: buffers, gradient, .. } = scratch;
        let engine = &problem.engine;
        engine.find_label_positions(problem.label_bits(), &example.atoms, state, arc, buffers);
        let allowed = engine.allowed(&example.atoms, arc, &buffers.given);
        let (positions, table) = (&buffers.positions, problem.split(weights.weights()).labels);
        scores.clear();
        scores.extend(allowed.iter().map(|&label| label_score(table, positions, label)));
        softmax(scores);
        let better = |a: usize, b: usize| if scores[b] > scores[a] { b } else { a };
        let best = (0..allowed.len()).reduce(better).map_or(0, |at| allowed[at]);
        let Some(gold) = example.label(arc) else { return best };
        gradient.clear();
        for (&label, share) in allowed.iter().zip(&*scores) {
            let slope = f32::from(label == gold) - share;
            if slope.abs() > SMALL {
                let start = 1 << problem.action_bits();
                let mask = u32::from(label);
                positions.iter().for_each(|at| gradient.add(start + (at ^ mask), slope));
            }
        }
        self.rule.climb(weights, gradient);
        best
    }
}

impl Learner<TransitionProblem> for LogLinear {
    type Scratch = LogLinearScratch;

    fn learn(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        scratch: &mut LogLinearScratch,
    ) -> Outcome {
        let system = problem.engine.system.system();
        let samples = self.samples && system.is_dynamic();
        let mut rng = Rng::new(hash::mix(self.seed, weights.steps()));
        let mut mistakes = 0;
        system.start(example.atoms.len(), &mut scratch.state);
        while !system.is_final(&scratch.state) {
            system.actions(&scratch.state, &mut scratch.actions);
            let mut choice = 0;
            if scratch.actions.len() > 1 {
                let (right, mistake) = self.learn_action(problem, example, weights, scratch);
                choice = if samples { draw(&scratch.scores, &mut rng) } else { right };
                mistakes += u32::from(mistake);
            }
            let action = scratch.actions[choice];
            let label = system
                .arc(&scratch.state, action)
                .map_or(0, |arc| self.learn_label(problem, example, arc, weights, scratch));
            system.apply(&mut scratch.state, action, label);
        }
        Outcome { loss: mistakes.into(), updated: true }
    }

    fn settle(&self, weights: &mut learn::State) {
        self.rule.settle(weights);
    }
}

/// Turns scores into probabilities.
fn softmax(scores: &mut [f32]) {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let total: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
}

/// The number of an item, drawn by probability.
fn draw(probabilities: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.uniform() as f32;
    let found = probabilities.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    found.unwrap_or(probabilities.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_become_probabilities_and_are_drawn_by_them() {
        let mut scores = [0.0, 2f32.ln(), 5f32.ln()];
        softmax(&mut scores);
        for (share, expected) in scores.iter().zip([0.125, 0.25, 0.625]) {
            assert!((share - expected).abs() < 1e-6);
        }
        let (mut rng, mut counts) = (Rng::new(1), [0u32; 3]);
        (0..80_000).for_each(|_| counts[draw(&scores, &mut rng)] += 1);
        for (count, expected) in counts.iter().zip([10_000, 20_000, 50_000]) {
            assert!(count.abs_diff(expected) < 300, "{counts:?}");
        }
    }
}
