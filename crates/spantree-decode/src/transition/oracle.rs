//! From losses of states to costs of actions.

use super::state::State;
use super::{Action, Gold, System};

/// Memory of oracles; belongs to the caller and is reused.
#[derive(Clone, Debug, Default)]
pub struct OracleScratch {
    /// The state behind an action.
    after: State,
    actions: Vec<Action>,
    costs: Vec<u32>,
    /// Gold children of each word that can still be attached.
    pub(super) children: Vec<u32>,
    pub(super) table: super::arc_standard::LossTable,
    pub(super) spines: super::lr_spine::SpineTable,
}

/// Costs from losses: each action is tried on a copy of the state.
pub(super) fn costs_from_losses(
    system: &impl System,
    state: &State,
    actions: &[Action],
    scratch: &mut OracleScratch,
    costs: &mut Vec<u32>,
    loss: impl Fn(&State, &mut OracleScratch) -> u32,
) {
    costs.clear();
    let mut after = std::mem::take(&mut scratch.after);
    for &action in actions {
        after.clone_from(state);
        system.apply(&mut after, action, 0);
        costs.push(loss(&after, scratch));
    }
    scratch.after = after;
    subtract_least(costs);
}

/// Makes the least cost zero.
pub(super) fn subtract_least(costs: &mut [u32]) {
    let least = costs.iter().copied().min().unwrap_or(0);
    costs.iter_mut().for_each(|cost| *cost -= least);
}

/// The static oracle: the first action of cost zero in the order of [`System::actions`]; `None` in a final state.
pub fn static_action(
    system: &(impl System + ?Sized),
    state: &State,
    gold: &Gold,
    scratch: &mut OracleScratch,
) -> Option<Action> {
    let (mut actions, mut costs) =
        (std::mem::take(&mut scratch.actions), std::mem::take(&mut scratch.costs));
    system.actions(state, &mut actions);
    system.costs(state, gold, &actions, scratch, &mut costs);
    let free = actions.iter().zip(&costs).find(|(_, cost)| **cost == 0).map(|(action, _)| *action);
    (scratch.actions, scratch.costs) = (actions, costs);
    free
}
