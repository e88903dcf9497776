//! How sure a parser is of each arc: the probability of the action that built it.
//!
//! The way to the tree is gone once more. Where an action had alternatives, the legal ones get probabilities by their scores
//! (softmax), as do the labels of each arc; a monotone map fitted on the development set then turns them into shares of right
//! arcs and labels (after Goldberg 2013, whose probabilities come from training). A word that was edited has the probability of that.
//! A *doubtful* label has an alternative, the second best one, for a human to choose (after Jain and Jain 2013, who find that more than
//! one do not pay).
//! Costs as much as greedy parsing.

use spantree_decode::transition::{Action, State};

use super::engine::{Engine, Scratch, Sharpness, Weights, best_of, share};
use super::system::TransitionSystem;
use crate::feature::Atoms;
use crate::model::Calibration;
use crate::parser::Confidence;
use crate::parser::calibration;

/// Labels that are less probable are doubtful.
const DOUBT: f32 = 0.9;

/// Appends the confidences of the words to `confidences`, in order; returns the words with doubtful labels, and the second best
/// labels.
pub(super) fn confidences(
    engine: &Engine,
    weights: Weights<'_, i16>,
    (sharpness, calibration): (Sharpness, &Calibration),
    atoms: &Atoms,
    history: &[(Action, u16)],
    scratch: &mut Scratch,
    confidences: &mut Vec<Confidence>,
) -> Vec<(u32, u16)> {
    let mut doubts = Vec::new();
    let system = engine.system.system();
    let (mut state, mut actions, mut scores) = (State::default(), Vec::new(), Vec::new());
    confidences.resize(atoms.len(), Confidence { head: 1.0, label: 1.0 });
    system.start(atoms.len(), &mut state);
    for &(action, label) in history {
        let arc = system.arc(&state, action);
        let mut head = 1.0;
        if arc.is_some() || action == Action::Edit {
            system.actions(&state, &mut actions);
            if engine.system == TransitionSystem::EasyFirst {
                // Arcs elsewhere are no rivals: they can be built later.
                let child = arc.map(|arc| arc.1);
                let touches = |arc: (u32, u32)| Some(arc.0) == child || Some(arc.1) == child;
                actions.retain(|&rival| system.arc(&state, rival).is_some_and(touches));
            }
            let table = weights.actions;
            engine.score_actions(table, atoms, &state, &actions, scratch, &mut scores);
            let own = actions.iter().position(|&rival| rival == action);
            let own = own.map_or(0.0, |at| scores[at]);
            head = share(own, scores.iter().copied(), sharpness.actions);
        }
        let head = calibration::apply(&calibration.arc_map, head);
        if let Some(arc) = arc {
            engine.find_label_positions(
                weights.labels.len().trailing_zeros(),
                atoms,
                &state,
                arc,
                scratch,
            );
            let choice = (arc, label);
            let label =
                engine.label_share(weights.labels, atoms, choice, sharpness.labels, scratch);
            let label = calibration::apply(&calibration.label_map, label);
            if label < DOUBT {
                let others = engine.allowed(atoms, arc, &scratch.given).iter();
                let others = others.filter(|&&other| other != choice.1);
                let second = best_of(others, weights.labels, &scratch.positions);
                doubts.extend(second.map(|(second, _)| (arc.1, second)));
            }
            confidences[arc.1 as usize - 1] = Confidence { head, label };
        }
        let edited = state.stack_at(0).filter(|_| action == Action::Edit);
        system.apply(&mut state, action, label);
        if let Some(word) = edited {
            confidences[word as usize - 1] = Confidence { head, label: head };
        }
    }
    doubts
}
