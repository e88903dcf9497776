//! k-best and factored MIRA by hand, against each other, and against their constraints.

use super::*;
use crate::testing::{Choice, Listed, assert_close, random_choice};
use crate::{PassiveAggressive, Rng, SparseVector, Structured, epoch};

const EXACT: FactoredMira = FactoredMira { tolerance: 1e-7, sweeps: 10_000 };

fn learn<L: Learner<Listed>>(learner: &L, examples: &[Choice], start: &[f32]) -> State {
    let order: Vec<u32> = (0..examples.len() as u32).collect();
    let mut state = State::from_weights(start.to_vec());
    epoch(learner, &Listed, examples, &order, &mut state, &mut L::Scratch::default(), &|_| {});
    state
}

/// Three answers: gold and two rivals with one feature of their own each.
fn three_answers(losses: [f32; 2]) -> Choice {
    Choice::new(&[(&[(0, 1.0)], 0.0), (&[(1, 1.0)], losses[0]), (&[(2, 1.0)], losses[1])])
}

#[test]
fn two_steps_by_hand() {
    // a₁ = (1, −1, 0), a₂ = (1, 0, −1), b = (1, 1); Gram [2 1; 1 2]. Both active: 2α₁ + α₂ = 1 = α₁ + 2α₂, so α = 1/3.
    let first = 1.0 / 3.0;
    let state = learn(&Mira { k: 3 }, &[three_answers([1.0, 1.0])], &[0.0; 3]);
    assert_close(state.weights(), &[first + first, -first, -first], 1e-6);
    // Then losses (2, 1): b = (2, 1) − (1, 1) = (1, 0). Only the first is active, α = 1/2, which gives the second 1/2 > 0.
    let state =
        learn(&Mira { k: 3 }, &[three_answers([1.0, 1.0]), three_answers([2.0, 1.0])], &[0.0; 3]);
    assert_close(
        state.weights(),
        &[2.0 / 3.0 + 1.0 / 2.0, -1.0 / 3.0 - 1.0 / 2.0, -1.0 / 3.0],
        1e-6,
    );
    let factored =
        learn(&EXACT, &[three_answers([1.0, 1.0]), three_answers([2.0, 1.0])], &[0.0; 3]);
    assert_close(factored.weights(), state.weights(), 1e-6);
}

#[test]
fn one_constraint_is_the_closed_form() {
    let mut rng = Rng::new(8);
    for _ in 0..100 {
        let examples: Vec<_> = (0..6).map(|_| random_choice(&mut rng, 10, 4)).collect();
        let hildreth = learn(&Mira { k: 1 }, &examples, &[0.0; 10]);
        let closed_form = learn(&PassiveAggressive::mira(), &examples, &[0.0; 10]);
        assert_close(hildreth.weights(), closed_form.weights(), 1e-5);
    }
}

/// What is missing to the margin of each answer of an example.
fn missing(example: &Choice, w: &[f32]) -> impl Iterator<Item = f64> {
    (0..example.len()).filter_map(move |answer| {
        let mut delta = SparseVector::new();
        Listed.difference(example, &answer, &mut (), &mut delta);
        delta.compact();
        (!delta.is_empty()).then(|| f64::from(Listed.loss(example, &answer)) - delta.dot(w))
    })
}

#[test]
fn all_constraints_hold_after_each_update() {
    let mut rng = Rng::new(21);
    for _ in 0..200 {
        // Six answers in 30 dimensions: the constraints do not contradict each other.
        let example = random_choice(&mut rng, 30, 6);
        let start: Vec<f32> = (0..30).map(|_| rng.uniform() as f32 - 0.5).collect();
        let whole = learn(&Mira { k: 6 }, std::slice::from_ref(&example), &start);
        assert!(missing(&example, whole.weights()).all(|missing| missing < 1e-6));
        let factored = learn(&EXACT, std::slice::from_ref(&example), &start);
        assert!(missing(&example, factored.weights()).all(|missing| missing < 1e-6));
        // Both projected the same point on the same polyhedron, one by a Gram matrix and one on the weights.
        assert_close(whole.weights(), factored.weights(), 1e-5);
    }
}

#[test]
fn satisfied_examples_change_nothing() {
    let start = [2.0, 0.0, 0.0];
    for example in [three_answers([1.0, 2.0]), Choice::new(&[(&[(0, 1.0)], 0.0)])] {
        let examples = [example];
        assert_eq!(learn(&Mira { k: 3 }, &examples, &start).weights(), start);
        assert_eq!(learn(&EXACT, &examples, &start).weights(), start);
    }
}

#[test]
fn a_list_of_no_answers_changes_nothing() {
    assert_eq!(learn(&Mira { k: 0 }, &[three_answers([1.0, 1.0])], &[0.0; 3]).weights(), [0.0; 3]);
}
