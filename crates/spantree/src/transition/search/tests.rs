use std::collections::HashMap;

use spantree_learn::Rng;
use spantree_treebank::{Generator, GeneratorConfig, Sentence};

use super::*;
use crate::feature::Columns;
use crate::graph::{LabelFilter, LabelSet};
use crate::transition::{StateTemplateTexts, TransitionSystem};

/// Sentences, an engine for them, and random weights of actions and labels.
fn setting(system: TransitionSystem) -> (Vec<Sentence>, Engine, Vec<i16>, Vec<i16>) {
    let sentences: Vec<_> = Generator::new(GeneratorConfig::default()).take(40).collect();
    let labels = LabelSet::from_treebank(&sentences);
    let filter = LabelFilter::from_treebank(&sentences, &labels, 1);
    let templates = StateTemplateTexts::new(system, Columns::of(&sentences));
    let engine = Engine::new(system, &templates, labels, filter).unwrap();
    let mut rng = Rng::new(3);
    let mut random = |bits: u32| (0..1 << bits).map(|_| rng.below(2000) as i16 - 1000).collect();
    let (actions, labels) = (random(14), random(12));
    (sentences, engine, actions, labels)
}

/// A state and all arcs that were built on the way to it, in order.
type Reached = (State, Vec<(u32, u32)>);

/// All sequences of actions from a state on: what each leads to, and its score.
fn enumerate(
    task: &Task<'_, i16>,
    ((state, arcs), score): (&Reached, f64),
    scratch: &mut Scratch,
    found: &mut Vec<(Reached, f64)>,
) {
    let system = task.engine.system.system();
    if system.is_final(state) {
        found.push(((state.clone(), arcs.clone()), score));
        return;
    }
    let mut actions = Vec::new();
    system.actions(state, &mut actions);
    let mut scores = Vec::new();
    let weights = task.weights.actions;
    task.engine.score_actions(weights, task.atoms, state, &actions, scratch, &mut scores);
    for (&action, &own) in actions.iter().zip(&scores) {
        let mut own = match task.sharpness {
            _ if actions.len() == 1 => 0.0,
            None => own,
            Some(sharpness) => share(own, scores.iter().copied(), sharpness.actions).ln(),
        };
        let (engine, weights, mut label) = (task.engine, task.weights.labels, 0);
        if let Some(arc) = system.arc(state, action) {
            label = engine.best_label(weights, task.atoms, state, arc, scratch);
            if let Some(Sharpness { labels, .. }) = task.sharpness {
                own += engine.label_share(weights, task.atoms, (arc, label), labels, scratch).ln();
            }
        }
        let mut after = (state.clone(), arcs.clone());
        after.1.extend(system.arc(state, action));
        after.1.sort_unstable();
        system.apply(&mut after.0, action, label);
        enumerate(task, (&after, score + f64::from(own)), scratch, found);
    }
}

#[test]
fn an_unbounded_beam_finds_the_best_of_all_sequences() {
    for system in TransitionSystem::ALL {
        let (sentences, engine, actions, labels) = setting(system);
        let mut search = Search::default();
        for sent in sentences.iter().filter(|sent| (1..=4).contains(&sent.len())).take(5) {
            let mut atoms = Atoms::default();
            atoms.fill(&engine.atoms, sent);
            let weights = Weights { actions: &actions[..], labels: &labels[..] };
            for sharpness in [None, Some(Sharpness { actions: 1e-3, labels: 2e-3 })] {
                let (engine, atoms, width) = (&engine, &atoms, usize::MAX);
                let task =
                    Task { engine, weights, atoms, width, guide: None, first: None, sharpness };
                let (mut first, mut all) = (Reached::default(), Vec::new());
                system.system().start(sent.len(), &mut first.0);
                enumerate(&task, (&first, 0.0), &mut Scratch::default(), &mut all);
                search.run(&task);
                check(&search.items, &all, sharpness.is_some());
                let best = search.items[0].score;
                let greedy = Task { width: 1, sharpness: None, ..task };
                search.run(&greedy);
                assert!(sharpness.is_some() || search.items[0].score <= best);
            }
        }
    }
}

/// Items are the results of all sequences, best first; those that are the same are joined if they have probabilities.
#[track_caller]
fn check(items: &[Item], all: &[(Reached, f64)], joined: bool) {
    assert!(items.is_sorted_by(|a, b| a.score >= b.score));
    if !joined {
        let best = all.iter().fold(f64::NEG_INFINITY, |best, result| best.max(result.1));
        assert_eq!(items.len(), all.len());
        assert!((items[0].score - best).abs() < 1e-4);
        return;
    }
    let mut sums: HashMap<&Reached, f64> = HashMap::new();
    all.iter().for_each(|(reached, score)| *sums.entry(reached).or_default() += score.exp());
    let mut sums: Vec<_> = sums.into_values().collect();
    sums.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(items.len(), sums.len());
    items.iter().zip(sums).for_each(|(item, sum)| assert!((item.score.exp() - sum).abs() < 1e-5));
}

#[test]
fn the_history_of_an_item_leads_to_its_state() {
    let (sentences, engine, actions, labels) = setting(TransitionSystem::ArcEager);
    let (mut search, mut history) = (Search::default(), Vec::new());
    for sent in sentences.iter().filter(|sent| !sent.is_empty()).take(10) {
        let mut atoms = Atoms::default();
        atoms.fill(&engine.atoms, sent);
        let weights = Weights { actions: &actions[..], labels: &labels[..] };
        let task = Task {
            engine: &engine,
            weights,
            atoms: &atoms,
            width: 5,
            guide: None,
            first: None,
            sharpness: None,
        };
        search.run(&task);
        for item in &search.items {
            search.history(item.step, &mut history);
            let system = engine.system.system();
            let mut state = State::default();
            system.start(sent.len(), &mut state);
            history.iter().for_each(|&(action, label)| system.apply(&mut state, action, label));
            assert_eq!(state, item.state);
        }
    }
}
