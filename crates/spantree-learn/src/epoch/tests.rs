//! What all learners must do: separate separable data, and go on after a restart as if nothing had happened.

use super::*;
use crate::testing::{CHAIN_FEATURES, Choice, Listed, accuracy, multiclass, planted_chains};
use crate::{
    FactoredMira, Mira, PassiveAggressive, Perceptron, Rate, Rng, StochasticGradient, Tables,
    epoch_order,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs the same check for every learner.
macro_rules! for_each_learner {
    ($check:expr, $examples:expr) => {
        $check("perceptron", &Perceptron, $examples);
        $check("1-best MIRA", &PassiveAggressive::mira(), $examples);
        $check("5-best MIRA", &Mira { k: 5 }, $examples);
        $check("factored MIRA", &FactoredMira::default(), $examples);
        $check("passive-aggressive", &PassiveAggressive::cost_augmented(0.1), $examples);
        $check("SGD", &StochasticGradient { step: 0.2, rate: Rate::Constant, l2: 1e-4 }, $examples);
        $check(
            "AdaGrad",
            &StochasticGradient { step: 0.5, rate: Rate::Adaptive, l2: 1e-4 },
            $examples,
        );
    };
}

fn run<L: Learner<Listed>>(
    learner: &L,
    examples: &[Choice],
    mut state: State,
    epochs: std::ops::Range<u64>,
) -> State {
    let mut scratch = L::Scratch::default();
    for number in epochs {
        let order = epoch_order(examples.len(), 7, number);
        epoch(learner, &Listed, examples, &order, &mut state, &mut scratch, &|_| {});
    }
    state
}

fn check_separates<L: Learner<Listed>>(name: &str, learner: &L, examples: &[Choice]) {
    let state = run(learner, examples, State::new(CHAIN_FEATURES), 0..25);
    assert_eq!(accuracy(examples, state.weights()), 1.0, "{name}");
    assert_eq!(accuracy(examples, &state.average()), 1.0, "{name}, averaged");
}

#[test]
fn separable_chains_are_separated() {
    let examples = planted_chains(&mut Rng::new(30), 60);
    for_each_learner!(check_separates, &examples);
}

#[test]
fn separable_classes_are_separated() {
    // The class is the first active feature; the others are noise.
    let mut rng = Rng::new(31);
    let examples: Vec<Choice> = (0..60)
        .map(|_| {
            let class = rng.below(3) as u32;
            multiclass(11, 3, &[class, 3 + rng.below(8) as u32, 3 + rng.below(8) as u32], class)
        })
        .collect();
    for_each_learner!(check_separates, &examples);
}

fn check_resumes<L: Learner<Listed>>(name: &str, learner: &L, examples: &[Choice]) {
    let straight = run(learner, examples, State::new(CHAIN_FEATURES), 0..5);
    let stopped = run(learner, examples, State::new(CHAIN_FEATURES), 0..2);
    let Tables { weights, lag, squares, sums, steps } = stopped.tables();
    let saved = Tables {
        weights: weights.to_vec(),
        lag: lag.to_vec(),
        squares: squares.to_vec(),
        sums: sums.to_vec(),
        steps,
    };
    let resumed = run(learner, examples, State::from_tables(saved).unwrap(), 2..5);
    assert_eq!(resumed.tables(), straight.tables(), "{name}");
    assert!(straight.weights().iter().any(|&w| w != 0.0), "{name} learned nothing");
}

#[test]
fn resuming_is_bit_identical() {
    let examples = planted_chains(&mut Rng::new(32), 40);
    for_each_learner!(check_resumes, &examples);
}

#[test]
fn every_example_is_counted_and_reported() {
    let examples = planted_chains(&mut Rng::new(33), 10);
    let (reports, mut state) = (AtomicU64::new(0), State::new(CHAIN_FEATURES));
    let order = [0, 1, 2, 3, 0, 9];
    let stats = epoch(
        &Perceptron,
        &Listed,
        &examples,
        &order,
        &mut state,
        &mut Default::default(),
        &|_| {
            reports.fetch_add(1, Ordering::Relaxed);
        },
    );
    assert_eq!((stats.examples, reports.into_inner(), state.steps()), (6, 6, 6));
    assert!(
        stats.updates >= 1 && stats.updates <= 6 && stats.loss >= stats.updates as f64,
        "{stats:?}"
    );
}
