//! One epoch with the learner that the settings ask for, on one thread or on shards of the data that are mixed.
//!
//! `threads` is the number of shards, so the result is a function of the settings; one shard is plain serial training.

use spantree_learn::{
    EpochStats, Learner, Mixer, Outcome, PassiveAggressive, Perceptron, Problem, State, epoch,
    shard_orders,
};

use super::config::LearnerConfig;
use super::labels::LabelProblem;
use super::problem::Example;
use super::trees::{CubeProblem, TreeProblem};
use super::{Rule, TrainConfig};
use crate::graph::Decoder;

/// What an epoch needs to know beside its problem.
#[derive(Clone, Copy)]
pub(super) struct Epoch<'a> {
    pub(super) config: &'a TrainConfig,
    /// From 0.
    pub(super) number: u64,
    /// Number of versions of each example, one after the other in the list of examples.
    pub(super) versions: usize,
    /// Called after every sentence.
    pub(super) tick: &'a (dyn Fn(Outcome) + Sync),
}

impl Epoch<'_> {
    pub(super) fn learn_trees(
        &self,
        problem: &TreeProblem,
        examples: &[Example],
        state: &mut State,
    ) -> EpochStats {
        let learner = &self.config.learner;
        if problem.engine.decoder == Decoder::Cube {
            let problem = &CubeProblem { trees: problem, update: learner.violation.into() };
            return match learner.rule() {
                Rule::Mira => self.run(&PassiveAggressive::mira(), problem, examples, state),
                Rule::Perceptron => self.run(&Perceptron, problem, examples, state),
                _ => self.run(&learner.passive_aggressive(), problem, examples, state),
            };
        }
        match learner.rule() {
            Rule::Pa => self.run(&learner.passive_aggressive(), problem, examples, state),
            Rule::Mira => self.run(&PassiveAggressive::mira(), problem, examples, state),
            Rule::MiraK => self.run(&learner.mira_k(), problem, examples, state),
            Rule::MiraFactored => {
                self.run(&LearnerConfig::mira_factored(), problem, examples, state)
            }
            Rule::Perceptron => self.run(&Perceptron, problem, examples, state),
            Rule::LogLinear => self.run(&learner.stochastic_gradient(), problem, examples, state),
        }
    }

    /// Labels are learned with the same rule where it makes sense for whole label sequences, else with its nearest relative.
    pub(super) fn learn_labels(
        &self,
        problem: &LabelProblem,
        examples: &[Example],
        state: &mut State,
    ) -> EpochStats {
        let learner = &self.config.learner;
        match learner.rule() {
            Rule::Pa | Rule::LogLinear => {
                self.run(&learner.passive_aggressive(), problem, examples, state)
            }
            Rule::Mira | Rule::MiraK | Rule::MiraFactored => {
                self.run(&PassiveAggressive::mira(), problem, examples, state)
            }
            Rule::Perceptron => self.run(&Perceptron, problem, examples, state),
        }
    }

    pub(super) fn run<P: Problem, L: Learner<P>>(
        &self,
        learner: &L,
        problem: &P,
        examples: &[P::Example],
        state: &mut State,
    ) -> EpochStats {
        let TrainConfig { seed, threads, mixing, .. } = *self.config;
        let count = examples.len() / self.versions;
        let mut orders = shard_orders(count, threads, seed, self.number);
        for index in orders.iter_mut().flatten() {
            let version = (u64::from(*index) + self.number) % self.versions as u64;
            *index += version as u32 * count as u32;
        }
        match &orders[..] {
            [order] => {
                let mut scratch = L::Scratch::default();
                epoch(learner, problem, examples, order, state, &mut scratch, self.tick)
            }
            shards => Mixer::new(mixing.into(), threads)
                .epoch(learner, problem, examples, shards, state, self.tick),
        }
    }
}
