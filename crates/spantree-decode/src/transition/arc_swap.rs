//! Arc-standard parsing with reordering, for all trees (Nivre 2009; Nivre, Kuhlmann and Hall 2009).
//!
//! As [`ArcStandard`], and with `s₁ s₀` the top of the stack:
//!
//! * **Swap.** Valid when `s₁` is a word that stands before `s₀` in the sentence. Moves `s₁` back to the front of the buffer.
//!
//! Two words are swapped at most once, so there are at most n² steps; treebanks need little more than 2n.
//!
//! **Costs** lead to the gold tree from states on the way to it: the one right action has cost 0 and the others 1. Arcs are
//! built when the child is complete. Words are swapped when they stand in the wrong order in a walk over the gold tree that
//! visits every word between its left and its right children, but not before the maximal projective subtree on top of the
//! stack is complete (the lazy oracle of Nivre, Kuhlmann and Hall 2009), which saves most swaps. From other states costs
//! mean nothing.

use super::arc_standard::ArcStandard;
use super::oracle::OracleScratch;
use super::state::State;
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcSwap {
    standard: ArcStandard,
}

impl ArcSwap {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { standard: ArcStandard::new(mode) }
    }
}

/// The next action on the way to the gold tree.
fn next(state: &State, gold: &Gold) -> Option<Action> {
    let arc_or_shift = gold.bottom_up(state);
    if let (Some(Action::Shift) | None, Some(top), Some(second)) =
        (arc_or_shift, state.stack_at(0), state.stack_at(1))
    {
        let grows = state.buffer_at(0).is_some_and(|front| gold.same_component(top, front));
        if second != 0 && gold.rank(second) > gold.rank(top) && !grows {
            return Some(Action::Swap);
        }
    }
    arc_or_shift
}

impl System for ArcSwap {
    fn place_root(&self, state: &mut State) {
        self.standard.place_root(state);
    }

    fn is_final(&self, state: &State) -> bool {
        self.standard.is_final(state)
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.standard.actions(state, actions);
        if let (Some(top), Some(second)) = (state.stack_at(0), state.stack_at(1))
            && second != 0
            && second < top
        {
            actions.push(Action::Swap);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        self.standard.arc(state, action)
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        match action {
            Action::Swap => state.unshift_second(),
            _ => self.standard.apply(state, action, label),
        }
    }

    fn costs(
        &self,
        state: &State,
        gold: &Gold,
        actions: &[Action],
        _: &mut OracleScratch,
        costs: &mut Vec<u32>,
    ) {
        let next = if gold.is_partial() { None } else { next(state, gold) };
        let right = actions.iter().any(|&action| Some(action) == next);
        costs.clear();
        costs.extend(actions.iter().map(|&action| u32::from(right && Some(action) != next)));
    }

    fn is_dynamic(&self) -> bool {
        false
    }
}
