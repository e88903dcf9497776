//! Arc-hybrid parsing (Kuhlmann, Gómez-Rodríguez and Satta 2011; Goldberg and Nivre 2013).
//!
//! Bottom-up: a word gets its head when it has all its children, the left ones first. The root lies at the bottom of the
//! stack. With `s₁ s₀` the top of the stack and `b` the front of the buffer:
//!
//! * **Left.** Valid when `s₀` is a word and there is `b`. Builds `b → s₀` and pops `s₀`.
//! * **Right.** Valid when there is `s₁`; with one root, `s₁` may be the root only when the buffer is empty. Builds `s₁ → s₀`
//!   and pops `s₀`.
//! * **Shift.** Valid when there is `b`. Pushes `b`.
//!
//! **Loss.** A gold arc can be built as long as one of its ends is in the buffer, the other there or on the stack, or its head
//! lies on the stack directly below its child; the loss is the number of the others (Goldberg and Nivre 2013).

use super::oracle::{OracleScratch, costs_from_losses};
use super::state::{NONE, Place, State};
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcHybrid {
    mode: RootMode,
}

impl ArcHybrid {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }
}

/// Number of gold arcs that can no longer be built.
fn loss(state: &State, gold: &Gold) -> u32 {
    let lost = |&child: &u32| {
        let head = gold.head(child);
        if head == NONE {
            return false;
        }
        let places = (state.node(child).place, state.node(head).place);
        let done = places.0 == Place::Done || places.1 == Place::Done;
        let waiting = places.0 == Place::Buffer || places.1 == Place::Buffer;
        if state.is_headless(child) { done || !waiting } else { state.node(child).head != head }
    };
    let lost = (1..=state.words() as u32).filter(lost).count();
    let neighbours = state.stack().windows(2).filter(|pair| gold.head(pair[1]) == pair[0]).count();
    (lost - neighbours) as u32
}

impl System for ArcHybrid {
    fn place_root(&self, state: &mut State) {
        state.root_first();
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().len() == 1 && state.buffer().is_empty()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        let waiting = !state.buffer().is_empty();
        let above_root = state.stack().len() - 1;
        if above_root > 0 && waiting {
            actions.push(Action::Left);
        }
        if above_root > 1 || above_root == 1 && (self.mode == RootMode::Many || !waiting) {
            actions.push(Action::Right);
        }
        if waiting {
            actions.push(Action::Shift);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        match action {
            Action::Left => Some((state.buffer_at(0)?, state.stack_at(0)?)),
            Action::Right => Some((state.stack_at(1)?, state.stack_at(0)?)),
            _ => None,
        }
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        match self.arc(state, action) {
            Some(arc) => {
                state.attach(arc, label);
                state.pop();
            }
            None => state.shift(),
        }
    }

    fn costs(
        &self,
        state: &State,
        gold: &Gold,
        actions: &[Action],
        scratch: &mut OracleScratch,
        costs: &mut Vec<u32>,
    ) {
        let loss = |after: &State, _: &mut _| loss(after, gold);
        costs_from_losses(self, state, actions, scratch, costs, loss);
    }
}
