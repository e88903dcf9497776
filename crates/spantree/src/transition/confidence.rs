//! How sure a parser is of each arc: the probability of the action that built it.
//!
//! The way to the tree is gone once more. Where an action had alternatives, the legal ones get probabilities by their scores
//! (softmax), as do the labels of each arc; a monotone map fitted on the development set then turns them into shares of right
//! arcs and labels (after Goldberg 2013, whose probabilities come from training). Costs as much as greedy parsing.

use spantree_decode::transition::{Action, State};

use super::engine::{Engine, Scratch, Sharpness, Weights, class, share};
use crate::feature::Atoms;
use crate::model::Calibration;
use crate::parser::Confidence;
use crate::parser::calibration;

/// Appends the confidences of the words to `confidences`, in order.
pub(super) fn confidences(
    engine: &Engine,
    weights: Weights<'_, i16>,
    (sharpness, calibration): (Sharpness, &Calibration),
    atoms: &Atoms,
    history: &[(Action, u16)],
    scratch: &mut Scratch,
    confidences: &mut Vec<Confidence>,
) {
    let system = engine.system.system();
    let (mut state, mut actions) = (State::default(), Vec::new());
    confidences.resize(atoms.len(), Confidence { head: 1.0, label: 1.0 });
    system.start(atoms.len(), &mut state);
    for &(action, label) in history {
        if let Some(arc) = system.arc(&state, action) {
            system.actions(&state, &mut actions);
            let scores = engine.score_actions(weights.actions, atoms, &state, scratch);
            let rivals = actions.iter().map(|&rival| scores[class(rival)]);
            let head = share(scores[class(action)], rivals, sharpness.actions);
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
            confidences[arc.1 as usize - 1] = Confidence {
                head: calibration::apply(&calibration.arc_map, head),
                label: calibration::apply(&calibration.label_map, label),
            };
        }
        system.apply(&mut state, action, label);
    }
}
