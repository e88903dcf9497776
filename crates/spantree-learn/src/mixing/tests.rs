//! The theorem's counter-example, one shard against serial training, and independence of threads.

use super::*;
use crate::testing::{
    CHAIN_FEATURES, Choice, Listed, accuracy, assert_close, multiclass, planted_chains,
};
use crate::{
    PassiveAggressive, Perceptron, Rate, Rng, StochasticGradient, epoch_order, shard_orders,
};

const WEIGHTINGS: [Weighting; 2] = [Weighting::Uniform, Weighting::ByUpdates];

/// The four examples of the paper's theorem 2: the first two are one shard, the last two the other.
fn counter_example() -> [Choice; 4] {
    [
        multiclass(3, 2, &[0, 1], 0),
        multiclass(3, 2, &[2], 1),
        multiclass(3, 2, &[1, 2], 0),
        multiclass(3, 2, &[0], 1),
    ]
}

fn shards() -> [Vec<u32>; 2] {
    [vec![0, 1], vec![2, 3]]
}

fn perceptron_to_convergence(examples: &[Choice], order: &[u32]) -> Vec<f32> {
    let (mut state, mut scratch) = (State::new(6), Default::default());
    while epoch(&Perceptron, &Listed, examples, order, &mut state, &mut scratch, &|_| {}).updates
        > 0
    {}
    state.weights().to_vec()
}

#[test]
fn mixing_once_does_not_separate() {
    let examples = counter_example();
    assert_eq!(
        accuracy(&examples, &[-1.0, 2.0, -1.0, 1.0, -2.0, 1.0]),
        1.0,
        "the data are separable"
    );
    let [first, second] = shards().map(|shard| perceptron_to_convergence(&examples, &shard));
    assert_eq!(first, [1.0, 1.0, 0.0, -1.0, -1.0, 0.0]);
    assert_eq!(second, [0.0, 1.0, 1.0, 0.0, -1.0, -1.0]);
    for percent in 0..=100 {
        let share = percent as f32 / 100.0;
        let mixed: Vec<f32> =
            first.iter().zip(&second).map(|(a, b)| share * a + (1.0 - share) * b).collect();
        assert!(accuracy(&examples, &mixed) < 1.0, "{percent}");
    }
}

#[test]
fn mixing_each_epoch_separates() {
    let examples = counter_example();
    for weighting in WEIGHTINGS {
        let (mut state, mut mixer) = (State::new(6), Mixer::new(weighting, 2));
        let mut run =
            || mixer.epoch(&Perceptron, &Listed, &examples, &shards(), &mut state, &|_| {});
        run();
        run();
        let third = run();
        assert_eq!((third.examples, third.updates), (4, 0));
        assert_eq!(state.weights(), [0.0, 1.0, 0.0, 0.0, -1.0, 0.0]);
        assert_eq!(accuracy(&examples, state.weights()), 1.0);
    }
}

#[test]
fn first_epoch_by_hand() {
    // Shards {a b → 0, c → 1} and {b c → 0, b c → 0, b c → 0}: each errs on its first example only (ties go to 1).
    let examples = counter_example();
    let shards = [vec![0, 1], vec![2, 2, 2]];
    let (mut state, mut mixer) = (State::new(6), Mixer::new(Weighting::Uniform, 2));
    let stats = mixer.epoch(&Perceptron, &Listed, &examples, &shards, &mut state, &|_| {});
    assert_eq!((stats.examples, stats.updates), (5, 2));
    // Half of (1, 1, 0 | −1, −1, 0) and half of (0, 1, 1 | 0, −1, −1).
    assert_eq!(state.weights(), [0.5, 0.5 + 0.5, 0.5, -0.5, -0.5 - 0.5, -0.5]);
    // The shorter shard waited, and no weight vector but the last of each shard was ever counted.
    assert_eq!(state.average(), state.weights());
    assert_eq!(state.steps(), 3);
}

#[test]
fn averages_of_shards_are_mixed_by_hand() {
    // {a → 1} is right at w = 0, so the first shard's vectors are 0, (1 | −1), (1 | −1) after a → 0 and while it waits for
    // the second, whose vectors are (1 | −1) three times. Sums: (2 | −2) and (3 | −3), halves of both over 3 steps.
    let examples = [multiclass(1, 2, &[0], 1), multiclass(1, 2, &[0], 0)];
    let (mut state, mut mixer) = (State::new(2), Mixer::new(Weighting::Uniform, 2));
    mixer.epoch(&Perceptron, &Listed, &examples, &[vec![0, 1], vec![1, 1, 1]], &mut state, &|_| {});
    assert_eq!(state.weights(), [1.0, -1.0]);
    assert_close(
        &state.average(),
        &[(2.0 / 2.0 + 3.0 / 2.0) / 3.0, -(2.0 / 2.0 + 3.0 / 2.0) / 3.0],
        1e-7,
    );
}

#[test]
fn shards_without_errors_count_nothing_by_updates() {
    let examples = [multiclass(1, 2, &[0], 0), multiclass(1, 2, &[0], 1)];
    for (weighting, expected) in WEIGHTINGS.into_iter().zip([[0.5, -0.5], [1.0, -1.0]]) {
        let (mut state, mut mixer) = (State::new(2), Mixer::new(weighting, 2));
        mixer.epoch(&Perceptron, &Listed, &examples, &[vec![0], vec![1]], &mut state, &|_| {});
        assert_eq!(state.weights(), expected);
    }
}

#[test]
fn shards_count_by_their_updates() {
    // Features a and b have a shard each. b → 0, 1, 0: wrong each time, (1 | −1), 0, (1 | −1). a → 0: wrong once.
    let examples =
        [multiclass(2, 2, &[0], 0), multiclass(2, 2, &[1], 0), multiclass(2, 2, &[1], 1)];
    let (mut state, mut mixer) = (State::new(4), Mixer::new(Weighting::ByUpdates, 2));
    let stats = mixer.epoch(
        &Perceptron,
        &Listed,
        &examples,
        &[vec![0], vec![1, 2, 1]],
        &mut state,
        &|_| {},
    );
    assert_eq!(stats.updates, 1 + 3);
    assert_eq!(state.weights(), [1.0 / 4.0, 3.0 / 4.0, -1.0 / 4.0, -3.0 / 4.0]);
}

/// Three epochs over a fixed number of shards.
fn train<L: Learner<Listed>>(
    learner: &L,
    examples: &[Choice],
    shards: usize,
    mut mixer: Mixer<L::Scratch>,
) -> State {
    let mut state = State::new(CHAIN_FEATURES);
    for number in 0..3 {
        let orders = shard_orders(examples.len(), shards, 5, number);
        mixer.epoch(learner, &Listed, examples, &orders, &mut state, &|_| {});
    }
    state
}

fn check_one_shard<L: Learner<Listed>>(learner: &L, weighting: Weighting) {
    let examples = planted_chains(&mut Rng::new(13), 60);
    let (mut serial, mut scratch) = (State::new(CHAIN_FEATURES), L::Scratch::default());
    for number in 0..3 {
        let order = epoch_order(examples.len(), 5, number);
        epoch(learner, &Listed, &examples, &order, &mut serial, &mut scratch, &|_| {});
    }
    assert_eq!(train(learner, &examples, 1, Mixer::new(weighting, 2)).tables(), serial.tables());
}

#[test]
fn one_shard_is_serial_bit_for_bit() {
    for weighting in WEIGHTINGS {
        check_one_shard(&PassiveAggressive::cost_augmented(0.1), weighting);
        check_one_shard(
            &StochasticGradient { step: 0.1, rate: Rate::Adaptive, l2: 0.01 },
            weighting,
        );
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let examples = planted_chains(&mut Rng::new(14), 61);
    let learner = PassiveAggressive::cost_augmented(0.1);
    for weighting in WEIGHTINGS {
        let one = train(&learner, &examples, 7, Mixer::new(weighting, 1));
        for threads in [0, 2, 3, 7, 20] {
            assert_eq!(
                train(&learner, &examples, 7, Mixer::new(weighting, threads)).tables(),
                one.tables()
            );
        }
    }
}

#[test]
fn separable_chains_are_separated_by_seven_shards() {
    let examples = planted_chains(&mut Rng::new(15), 60);
    let (mut state, mut mixer) = (State::new(CHAIN_FEATURES), Mixer::new(Weighting::Uniform, 2));
    for number in 0..30 {
        let orders = shard_orders(examples.len(), 7, 5, number);
        mixer.epoch(&Perceptron, &Listed, &examples, &orders, &mut state, &|_| {});
    }
    assert_eq!(accuracy(&examples, state.weights()), 1.0);
}

#[test]
fn no_shards_and_empty_shards_change_nothing() {
    for shards in [vec![], vec![vec![], vec![]]] {
        let mut state = State::from_weights(vec![1.0, -2.0]);
        let mut mixer = Mixer::new(Weighting::Uniform, 2);
        mixer.epoch(&Perceptron, &Listed, &[], &shards, &mut state, &|_| {});
        assert_eq!(state.weights(), [1.0, -2.0]);
    }
}

#[test]
fn more_shards_than_examples_keep_every_table() {
    let examples = planted_chains(&mut Rng::new(16), 3);
    let learner = StochasticGradient { step: 0.1, rate: Rate::Adaptive, l2: 0.01 };
    let state = train(&learner, &examples, 5, Mixer::new(Weighting::Uniform, 2));
    assert_eq!(state.tables().squares.len(), CHAIN_FEATURES);
    assert!(state.tables().squares.iter().any(|&square| square > 0.0));
}
