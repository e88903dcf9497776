//! Every system against the enumeration of all its states, for all gold trees of short sentences.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::RootMode::{self, Many, One};
use crate::brute_force::TreeSpace;
use crate::heads::Heads;

/// Sentences up to this length are enumerated; `.ci/run` also runs the ignored test, with one more word.
const WORDS: usize = 4;

/// All states that can be reached from `state`, with what follows each action; final states have no successor.
fn explore<S: System>(system: &S, words: usize) -> HashMap<State, Vec<(Action, State)>> {
    let mut state = State::default();
    system.start(words, &mut state);
    let (mut known, mut waiting, mut actions) = (HashMap::new(), vec![state], Vec::new());
    while let Some(state) = waiting.pop() {
        if known.contains_key(&state) {
            continue;
        }
        let mut successors = Vec::new();
        if !system.is_final(&state) {
            system.actions(&state, &mut actions);
            assert!(!actions.is_empty(), "stuck in {state:?}");
            for &action in &actions {
                let mut after = state.clone();
                system.apply(&mut after, action, 0);
                waiting.push(after.clone());
                successors.push((action, after));
            }
        }
        known.insert(state, successors);
    }
    known
}

/// The least loss of a final state that can be reached from each state.
fn best_losses(
    successors: &HashMap<State, Vec<(Action, State)>>,
    loss: impl Fn(&State) -> usize,
) -> HashMap<State, usize> {
    fn best(
        state: &State,
        successors: &HashMap<State, Vec<(Action, State)>>,
        loss: &impl Fn(&State) -> usize,
        known: &mut HashMap<State, usize>,
    ) -> usize {
        if let Some(&least) = known.get(state) {
            return least;
        }
        let behind =
            successors[state].iter().map(|(_, after)| best(after, successors, loss, known));
        let least = behind.min().unwrap_or_else(|| loss(state));
        known.insert(state.clone(), least);
        least
    }
    let mut known = HashMap::new();
    for state in successors.keys() {
        best(state, successors, &loss, &mut known);
    }
    known
}

/// Trees of all final states.
fn trees(successors: &HashMap<State, Vec<(Action, State)>>) -> HashSet<Heads> {
    successors
        .iter()
        .filter(|(_, after)| after.is_empty())
        .map(|(state, _)| state.heads())
        .collect()
}

/// No state is stuck, and the final states hold exactly the trees of the space.
fn check_space<S: System>(system: &S, mode: RootMode, projective: bool, words: usize) {
    let expected: HashSet<_> = TreeSpace { mode, projective }.trees(words).collect();
    assert_eq!(trees(&explore(system, words)), expected, "{mode:?}, {words} words");
}

/// The costs of all actions in all states are the differences of the best losses.
fn check_costs<S: System>(system: &S, mode: RootMode, words: usize) {
    let successors = explore(system, words);
    let (mut scratch, mut costs) = (OracleScratch::default(), Vec::new());
    for tree in (TreeSpace { mode, projective: true }).trees(words) {
        let gold = Gold::new(&tree);
        let losses = best_losses(&successors, |state| words - state.heads().correct(&tree));
        for (state, after) in successors.iter().filter(|(_, after)| !after.is_empty()) {
            let actions: Vec<_> = after.iter().map(|(action, _)| *action).collect();
            system.costs(state, &gold, &actions, &mut scratch, &mut costs);
            let expected = after.iter().map(|(_, after)| (losses[after] - losses[state]) as u32);
            let expected: Vec<_> = expected.collect();
            assert_eq!(costs, expected, "{mode:?}, gold {tree:?}, {actions:?} in {state:?}");
        }
    }
}

/// The static oracle leads to the gold tree; returns its actions.
fn derive<S: System>(system: &S, tree: &Heads) -> Vec<Action> {
    let (gold, mut scratch, mut state) =
        (Gold::new(tree), OracleScratch::default(), State::default());
    system.start(tree.words(), &mut state);
    let mut actions = Vec::new();
    while !system.is_final(&state) {
        let action = static_action(system, &state, &gold, &mut scratch).unwrap();
        system.apply(&mut state, action, 0);
        actions.push(action);
    }
    assert_eq!(&state.heads(), tree);
    actions
}

fn check_projective_systems(words: usize) {
    for mode in [One, Many] {
        check_space(&ArcEager::new(mode), mode, true, words);
        check_space(&ArcHybrid::new(mode), mode, true, words);
        check_space(&ArcStandard::new(mode), mode, true, words);
        check_costs(&ArcEager::new(mode), mode, words);
        check_costs(&ArcHybrid::new(mode), mode, words);
        check_costs(&ArcStandard::new(mode), mode, words);
    }
}

#[test]
fn costs_are_differences_of_reachable_losses() {
    (0..=WORDS).for_each(check_projective_systems);
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn costs_are_differences_of_reachable_losses_with_one_more_word() {
    check_projective_systems(WORDS + 1);
}

#[test]
fn swaps_reach_all_trees() {
    for mode in [One, Many] {
        (0..=WORDS).for_each(|words| check_space(&ArcSwap::new(mode), mode, false, words));
    }
}

#[test]
fn static_oracles_lead_to_every_tree() {
    for mode in [One, Many] {
        for words in 1..=5 {
            for tree in (TreeSpace { mode, projective: false }).trees(words) {
                let swaps = derive(&ArcSwap::new(mode), &tree);
                let swaps = swaps.iter().filter(|&&action| action == Action::Swap).count();
                assert_eq!(swaps == 0, tree.is_projective(), "{tree:?}");
                if tree.is_projective() {
                    assert_eq!(derive(&ArcEager::new(mode), &tree).len(), 2 * words);
                    assert_eq!(derive(&ArcHybrid::new(mode), &tree).len(), 2 * words);
                    assert_eq!(derive(&ArcStandard::new(mode), &tree).len(), 2 * words);
                }
            }
        }
    }
}

/// A trace of Johansson and Nugues (2006), who stop when the last word has been taken from the buffer.
#[test]
fn arc_eager_trace_of_thirteen_words() {
    let tree = Heads::from(vec![4, 3, 1, 0, 7, 7, 4, 7, 10, 7, 10, 11, 4]);
    let name = |action: &Action| match action {
        Action::Shift => "sh",
        Action::Left => "la",
        Action::Right => "ra",
        Action::Reduce => "re",
        Action::Swap => "sw",
    };
    let actions = derive(&ArcEager::new(One), &tree);
    let names: Vec<_> = actions.iter().take(24).map(name).collect();
    assert_eq!(
        names.join(" "),
        "sh sh la ra re la sh sh sh la la ra ra sh la re ra ra ra re re re re ra"
    );
}

/// "A hearing is scheduled on the issue today": "on the issue" becomes one subtree first, and only its head is then swapped
/// with "is" and "scheduled" (Nivre, Kuhlmann and Hall 2009: 2 swaps instead of 6).
#[test]
fn lazy_swaps_wait_for_projective_subtrees() {
    let tree = Heads::from(vec![2, 3, 0, 3, 2, 7, 5, 4]);
    let actions = derive(&ArcSwap::new(One), &tree);
    let swaps = actions.iter().filter(|&&action| action == Action::Swap).count();
    assert_eq!((actions.len(), swaps), (16 + 2 * 2, 2));
}

/// All sets of heads that some tree of a space has.
fn partial_trees(space: TreeSpace, words: usize) -> HashSet<Vec<Option<u32>>> {
    let subsets = |tree: Heads| {
        (0..1u32 << words).map(move |set| {
            let given = (0..words).map(|index| set >> index & 1 == 1);
            given.zip(tree.as_slice()).map(|(given, &head)| given.then_some(head)).collect()
        })
    };
    space.trees(words).flat_map(subsets).collect()
}

/// From every state in which given heads can still be had, exactly the actions of cost zero lead to such states again: a parser
/// that takes no other ends in a tree with all of them.
fn check_given_heads<S: System>(system: &S, mode: RootMode, words: usize) {
    let successors = explore(system, words);
    let (mut scratch, mut costs) = (OracleScratch::default(), Vec::new());
    for given in partial_trees(TreeSpace { mode, projective: true }, words) {
        let gold = Gold::partial(given.iter().copied());
        let lost = |state: &State| {
            let heads = state.heads();
            let pairs = given.iter().zip(heads.as_slice());
            pairs.filter(|(given, head)| given.is_some_and(|given| given != **head)).count()
        };
        let losses = best_losses(&successors, lost);
        for (state, after) in &successors {
            if after.is_empty() || losses[state] > 0 {
                continue;
            }
            let actions: Vec<_> = after.iter().map(|(action, _)| *action).collect();
            system.costs(state, &gold, &actions, &mut scratch, &mut costs);
            let keeps: Vec<_> = after.iter().map(|(_, after)| losses[after] == 0).collect();
            let free: Vec<_> = costs.iter().map(|&cost| cost == 0).collect();
            assert_eq!(free, keeps, "{mode:?}, given {given:?}, {actions:?} in {state:?}");
        }
    }
}

fn check_given_heads_in_all_systems(words: usize) {
    for mode in [One, Many] {
        check_given_heads(&ArcEager::new(mode), mode, words);
        check_given_heads(&ArcHybrid::new(mode), mode, words);
        check_given_heads(&ArcStandard::new(mode), mode, words);
    }
}

#[test]
fn given_heads_can_be_kept_to_the_end() {
    (0..=WORDS).for_each(check_given_heads_in_all_systems);
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn given_heads_can_be_kept_to_the_end_with_one_more_word() {
    check_given_heads_in_all_systems(WORDS + 1);
}
