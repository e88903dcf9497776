//! Every system against the enumeration of all its states, for all gold trees of short sentences.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::RootMode::{self, Many, One};
use crate::brute_force::TreeSpace;
use crate::heads::Heads;

/// Sentences up to this length are enumerated; `.ci/run` also runs the ignored test, with one more word.
const WORDS: usize = 4;

/// All states of a sentence.
fn explore<S: System>(system: &S, words: usize) -> HashMap<State, Vec<(Action, State)>> {
    let mut state = State::default();
    system.start(words, &mut state);
    explore_from(system, state)
}

/// All states that can be reached from `state`, with what follows each action; final states have no successor.
fn explore_from<S: System>(system: &S, state: State) -> HashMap<State, Vec<(Action, State)>> {
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

/// The actions of cost zero in each state on the way that the static oracle takes.
fn free_on_the_way<S: System>(system: &S, gold: &Gold) -> String {
    let (mut scratch, mut state) = (OracleScratch::default(), State::default());
    let (mut actions, mut costs, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    system.start(gold.words(), &mut state);
    while !system.is_final(&state) {
        system.actions(&state, &mut actions);
        system.costs(&state, gold, &actions, &mut scratch, &mut costs);
        let free = actions.iter().zip(&costs).filter(|(_, cost)| **cost == 0);
        let free: Vec<_> = free.map(|(action, _)| *action).collect();
        steps.push(free.iter().map(name).collect::<Vec<_>>().join("/"));
        system.apply(&mut state, free[0], 0);
    }
    steps.join(" ")
}

fn name(action: &Action) -> String {
    match action {
        Action::Shift => "sh".to_owned(),
        Action::Left => "la".to_owned(),
        Action::Right => "ra".to_owned(),
        Action::Reduce => "re".to_owned(),
        Action::Swap => "sw".to_owned(),
        Action::Edit => "ed".to_owned(),
        Action::LeftAt(place) => format!("la{place}"),
        Action::RightAt(place) => format!("ra{place}"),
    }
}

/// "she saw him today", worked out by hand.
#[test]
fn free_actions_of_every_system() {
    let gold = Gold::new(&Heads::from(vec![2, 0, 2, 2]));
    for (free, expected) in [
        (free_on_the_way(&ArcEager::new(One), &gold), "sh la sh ra re ra re la"),
        (free_on_the_way(&ArcHybrid::new(One), &gold), "sh la sh sh ra sh ra ra"),
        // "she" can be attached before or after "him".
        (free_on_the_way(&ArcStandard::new(One), &gold), "sh sh la/sh sh ra sh ra ra"),
        (free_on_the_way(&ArcQueue::new(One), &gold), "sh sh la/sh sh ra sh ra ra"),
        // "saw" can hang on the root before it has its right children.
        (free_on_the_way(&LrSpine::new(One), &gold), "sh sh la0/sh ra0/sh sh ra1 sh ra1"),
        (free_on_the_way(&EasyFirst::new(One), &gold), "la1/ra2 ra1 ra1 ra0"),
        (free_on_the_way(&ArcSwap::new(One), &gold), "sh sh la sh ra sh ra ra"),
    ] {
        assert_eq!(free, expected);
    }
    // "I we go": "I" can be edited at once, or when "we" has been attached.
    let gold = Gold::with_edits(&[1, 3, 0]);
    assert_eq!(free_on_the_way(&ArcEdit::new(One), &gold), "sh sh/ed la ed sh la");
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
        check_space(&ArcQueue::new(mode), mode, true, words);
        check_space(&LrSpine::new(mode), mode, true, words);
        check_space(&EasyFirst::new(mode), mode, true, words);
        check_costs(&ArcEager::new(mode), mode, words);
        check_costs(&ArcHybrid::new(mode), mode, words);
        check_costs(&ArcStandard::new(mode), mode, words);
        check_costs(&ArcQueue::new(mode), mode, words);
        check_costs(&LrSpine::new(mode), mode, words);
        check_costs(&EasyFirst::new(mode), mode, words);
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
                    assert_eq!(derive(&ArcQueue::new(mode), &tree).len(), 2 * words);
                    assert_eq!(derive(&LrSpine::new(mode), &tree).len(), 2 * words);
                    assert_eq!(derive(&EasyFirst::new(mode), &tree).len(), words);
                }
            }
        }
    }
}

/// A trace of Johansson and Nugues (2006), who stop when the last word has been taken from the buffer.
#[test]
fn arc_eager_trace_of_thirteen_words() {
    let tree = Heads::from(vec![4, 3, 1, 0, 7, 7, 4, 7, 10, 7, 10, 11, 4]);
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
        check_given_heads(&ArcQueue::new(mode), mode, words);
        check_given_heads(&LrSpine::new(mode), mode, words);
        check_given_heads(&EasyFirst::new(mode), mode, words);
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

/// All projective trees of all parts of a sentence, the other words being their own heads.
fn trees_with_edits(mode: RootMode, words: usize) -> HashSet<Heads> {
    let mut found = HashSet::new();
    for edited in 0..1u32 << words {
        let fluent: Vec<u32> =
            (1..=words as u32).filter(|word| edited >> (word - 1) & 1 == 0).collect();
        if fluent.is_empty() && words > 0 && mode == One {
            continue;
        }
        for tree in (TreeSpace { mode, projective: true }).trees(fluent.len()) {
            let mut heads: Vec<u32> = (1..=words as u32).collect();
            for (&word, &head) in fluent.iter().zip(tree.as_slice()) {
                heads[word as usize - 1] = if head == 0 { 0 } else { fluent[head as usize - 1] };
            }
            found.insert(Heads::from(heads));
        }
    }
    found
}

/// Every tree of every part can be built, and nothing else. From states in which the gold tree can still be built, actions of cost
/// zero lead to such states again; with many roots these are all such actions.
fn check_edits(mode: RootMode, words: usize) {
    let system = ArcEdit::new(mode);
    let successors = explore(&system, words);
    let expected = trees_with_edits(mode, words);
    assert_eq!(trees(&successors), expected, "{mode:?}, {words} words");
    for tree in expected {
        let gold = Gold::with_edits(tree.as_slice());
        let losses = best_losses(&successors, |state| usize::from(state.heads() != tree));
        let right = |state: &&State| losses[*state] == 0 && !successors[*state].is_empty();
        let states: Vec<&State> = match mode {
            Many => successors.keys().filter(right).collect(),
            One => follow_free_actions(&system, &successors, &gold),
        };
        for state in states {
            let after = &successors[state];
            let free = free_actions(&system, state, after, &gold);
            let keeps: Vec<_> = after.iter().map(|(_, after)| losses[after] == 0).collect();
            let is_right = match mode {
                Many => free == keeps,
                One => free.iter().zip(&keeps).all(|(free, keeps)| *keeps || !free),
            };
            assert!(is_right, "{mode:?}, gold {tree:?}, {free:?} for {keeps:?} in {state:?}");
        }
    }
}

/// Which actions have cost zero.
fn free_actions<S: System>(
    system: &S,
    state: &State,
    after: &[(Action, State)],
    gold: &Gold,
) -> Vec<bool> {
    let actions: Vec<_> = after.iter().map(|(action, _)| *action).collect();
    let mut costs = Vec::new();
    system.costs(state, gold, &actions, &mut OracleScratch::default(), &mut costs);
    costs.iter().map(|&cost| cost == 0).collect()
}

/// The states that are not final among those that actions of cost zero lead to.
fn follow_free_actions<'a, S: System>(
    system: &S,
    successors: &'a HashMap<State, Vec<(Action, State)>>,
    gold: &Gold,
) -> Vec<&'a State> {
    let mut start = State::default();
    system.start(gold.words(), &mut start);
    let (mut known, mut waiting) = (HashSet::new(), vec![start]);
    while let Some(state) = waiting.pop() {
        let (state, after) = successors.get_key_value(&state).unwrap();
        if !after.is_empty() && known.insert(state) {
            let free = free_actions(system, state, after, gold);
            let free = after.iter().zip(free).filter(|(_, free)| *free);
            waiting.extend(free.map(|((_, after), _)| after.clone()));
        }
    }
    known.into_iter().collect()
}

#[test]
fn edits_keep_the_gold_tree_in_reach() {
    for mode in [Many, One] {
        (0..=WORDS).for_each(|words| check_edits(mode, words));
    }
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn edits_keep_the_gold_tree_in_reach_with_one_more_word() {
    [Many, One].into_iter().for_each(|mode| check_edits(mode, WORDS + 1));
}

/// All sets of one or two spans in a sentence.
fn all_spans(words: u32) -> Vec<Spans> {
    let one = (1..words).flat_map(|first| (first + 1..=words).map(move |last| (first, last)));
    let one: Vec<_> = one.collect();
    let pairs = one.iter().flat_map(|&span| one.iter().map(move |&other| [span, other]));
    let sets = one.iter().map(|&span| vec![span]).chain(pairs.map(Vec::from));
    sets.filter_map(Spans::new).collect()
}

/// What is found when every sequence of actions is taken in every part of the sentence are exactly the trees with these spans.
fn check_spans<S: System>(system: &S, mode: RootMode, projective: bool, words: usize) {
    for spans in all_spans(words as u32) {
        let mut found = HashSet::new();
        // Ways through the parts, by the numbers of their final states; a way goes on until all have been taken.
        let mut ways = vec![Vec::new()];
        while let Some(way) = ways.pop() {
            let (mut state, mut part) = (State::default(), 0);
            system.start(words, &mut state);
            spans.parse(system, &mut state, |state| {
                let states = explore_from(system, state.clone());
                let mut ends: Vec<_> = states
                    .into_iter()
                    .filter(|(_, after)| after.is_empty())
                    .map(|(end, _)| end)
                    .collect();
                ends.sort_by_key(|end| end.heads().as_slice().to_vec());
                let choice = way.get(part).copied().unwrap_or(0);
                if part >= way.len() {
                    let taken = way.iter().copied().chain(vec![0; part - way.len()]);
                    let taken: Vec<usize> = taken.collect();
                    ways.extend(
                        (1..ends.len()).map(|other| {
                            taken.iter().copied().chain([other]).collect::<Vec<usize>>()
                        }),
                    );
                }
                *state = ends[choice].clone();
                part += 1;
            });
            found.insert(state.heads());
        }
        let trees = (TreeSpace { mode, projective }).trees(words);
        let expected: HashSet<_> = trees.filter(|tree| spans.hold(tree)).collect();
        assert_eq!(found, expected, "{mode:?}, {spans:?} in {words} words");
    }
}

#[test]
fn spans_lead_to_all_trees_that_have_them() {
    for words in 2..=WORDS {
        check_spans(&ArcEager::new(One), One, true, words);
        check_spans(&ArcHybrid::new(One), One, true, words);
        check_spans(&ArcStandard::new(One), One, true, words);
        check_spans(&ArcQueue::new(One), One, true, words);
        check_spans(&LrSpine::new(One), One, true, words);
        check_spans(&EasyFirst::new(One), One, true, words);
        check_spans(&ArcSwap::new(One), One, false, words);
    }
}
