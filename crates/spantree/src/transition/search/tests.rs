use std::collections::HashMap;

use spantree_learn::Rng;
use spantree_treebank::{Generator, GeneratorConfig, Sentence};

use super::super::engine::{best_of, share};
use super::*;
use crate::feature::Columns;
use crate::graph::{LabelFilter, LabelSet};
use crate::transition::{StateTemplateTexts, TransitionSystem};

/// Sentences, an engine for them, and random weights of actions and labels.
fn setting(system: TransitionSystem) -> (Vec<Sentence>, Engine, Vec<i16>, Vec<i16>) {
    let sentences: Vec<_> = Generator::new(GeneratorConfig::default()).take(40).collect();
    let labels = LabelSet::from_treebank(&sentences);
    let filter = LabelFilter::from_treebank(&sentences, &labels, 1);
    let columns = Columns::of(&sentences);
    let templates = StateTemplateTexts::new(system, columns).with_shortcuts(columns);
    let engine = Engine::new(system, &templates, labels, filter).unwrap();
    let mut rng = Rng::new(3);
    let mut random = |bits: u32| (0..1 << bits).map(|_| rng.below(2000) as i16 - 1000).collect();
    let (actions, labels) = (random(14), random(12));
    (sentences, engine, actions, labels)
}

/// A greedy search without anything that is given.
fn task<'a>(engine: &'a Engine, weights: Weights<'a, i16>, atoms: &'a Atoms) -> Task<'a, i16> {
    let (guide, first, sharpness, shortcuts) = (None, None, None, None);
    Task { engine, weights, atoms, width: 1, guide, first, sharpness, shortcuts }
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
            let weights = Weights { actions: &actions[..], labels: &labels[..], clear: &[] };
            for sharpness in [None, Some(Sharpness { actions: 1e-3, labels: 2e-3 })] {
                let (engine, atoms, width) = (&engine, &atoms, usize::MAX);
                let task = Task { width, sharpness, ..task(engine, weights, atoms) };
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
        let weights = Weights { actions: &actions[..], labels: &labels[..], clear: &[] };
        search.run(&Task { width: 5, ..task(&engine, weights, &atoms) });
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

/// The state at the end of a greedy search by the templates of clear decisions alone.
fn by_clear_templates(engine: &Engine, clear: &[i16], atoms: &Atoms) -> State {
    let (system, mut state) = (engine.system.system(), State::default());
    let (mut actions, mut scores, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
    system.start(atoms.len(), &mut state);
    while !system.is_final(&state) {
        system.actions(&state, &mut actions);
        engine.score_clear_actions(clear, atoms, &state, &actions, &mut scratch, &mut scores);
        let action = actions[lead(&scores).0];
        let label = system.arc(&state, action).map_or(0, |arc| {
            engine.find_clear_label_positions(12, atoms, &state, arc, &mut scratch);
            let allowed = engine.allowed(atoms, arc, &scratch.given);
            best_of(allowed, clear, &scratch.positions).unwrap().0
        });
        system.apply(&mut state, action, label);
    }
    state
}

#[test]
fn clear_decisions_are_taken_by_few_templates_and_others_by_all() {
    for system in TransitionSystem::ALL.into_iter().filter(|system| system.has_shortcuts()) {
        let (sentences, engine, actions, labels) = setting(system);
        let (mut search, mut differ) = (Search::default(), 0);
        for sent in sentences.iter().filter(|sent| !sent.is_empty()) {
            let mut atoms = Atoms::default();
            atoms.fill(&engine.atoms, sent);
            let weights = Weights { actions: &actions[..], labels: &labels[..], clear: &labels };
            let mut end = |leads: Option<(f32, f32)>| {
                let shortcuts =
                    leads.map(|(action_lead, label_lead)| Shortcuts { action_lead, label_lead });
                search.run(&Task { shortcuts, ..task(&engine, weights, &atoms) });
                search.items[0].state.clone()
            };
            let all = end(None);
            assert_eq!(end(Some((f32::MAX, f32::MAX))), all);
            assert_eq!(end(Some((0.0, 0.5))), by_clear_templates(&engine, &labels, &atoms));
            differ += u32::from(end(Some((0.0, 0.5))) != all);
        }
        assert!(differ > 20, "{system}: {differ}");
    }
}

#[test]
fn the_lead_is_that_of_the_first_of_the_best() {
    assert_eq!(lead(&[1.0]), (0, f32::INFINITY));
    assert_eq!(lead(&[1.0, 4.0, 3.0]), (1, 1.0));
    assert_eq!(lead(&[4.0, 1.0, 4.0]), (0, 0.0));
}
