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

/// The best score of all sequences of actions from a state on, and their number.
fn enumerate(task: &Task<'_, i16>, state: &State, scratch: &mut Scratch) -> (f64, usize) {
    let system = task.engine.system.system();
    if system.is_final(state) {
        return (0.0, 1);
    }
    let mut actions = Vec::new();
    system.actions(state, &mut actions);
    let mut scores = Vec::new();
    let weights = task.weights.actions;
    task.engine.score_actions(weights, task.atoms, state, &actions, scratch, &mut scores);
    let mut result = (f64::NEG_INFINITY, 0);
    for (&action, &score) in actions.iter().zip(&scores) {
        let mut own = match task.sharpness {
            _ if actions.len() == 1 => 0.0,
            None => score,
            Some(sharpness) => share(score, scores.iter().copied(), sharpness.actions).ln(),
        };
        let (engine, weights, mut label) = (task.engine, task.weights.labels, 0);
        if let Some(arc) = system.arc(state, action) {
            label = engine.best_label(weights, task.atoms, state, arc, scratch);
            if let Some(Sharpness { labels, .. }) = task.sharpness {
                own += engine.label_share(weights, task.atoms, (arc, label), labels, scratch).ln();
            }
        }
        let own = f64::from(own);
        let mut after = state.clone();
        system.apply(&mut after, action, label);
        let (best, count) = enumerate(task, &after, scratch);
        result = (result.0.max(own + best), result.1 + count);
    }
    result
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
                let mut state = State::default();
                system.system().start(sent.len(), &mut state);
                let (best, count) = enumerate(&task, &state, &mut Scratch::default());
                search.run(&task);
                assert_eq!(search.items.len(), count, "{system}");
                assert!((search.items[0].score - best).abs() < 1e-4, "{system}, {sharpness:?}");
                let greedy = Task { width: 1, sharpness: None, ..task };
                search.run(&greedy);
                assert!(sharpness.is_some() || search.items[0].score <= best);
            }
        }
    }
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
