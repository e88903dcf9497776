//! Arc-standard parsing over the front of a queue (Nivre 2004 as used by Wu et al. 2013).
//!
//! The front of the buffer is a tree too, and arcs join it with the top of the stack; [`ArcStandard`](super::ArcStandard) has the
//! same states with the front on top of its stack, and so the same actions, costs and trees. The root comes first. With `s`
//! the top of the stack and `b` the front of the buffer:
//!
//! * **Left.** Valid when `s` is a word. Builds `b → s` and pops `s`.
//! * **Right.** Valid when there is `s`; with one root, `s` may be the root only when `b` is the last word. Builds `s → b` and puts
//!   `s` in the place of `b`.
//! * **Shift.** Valid when `b` is not the last word. Pushes `b`.
//!
//! **Loss.** By the table of arc-standard parsing, with the front as the first of the trees.

use super::oracle::{OracleScratch, costs_from_losses};
use super::state::State;
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcQueue {
    mode: RootMode,
}

impl ArcQueue {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }
}

impl System for ArcQueue {
    fn place_root(&self, state: &mut State) {
        state.root_in_front();
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().is_empty() && state.buffer().len() == 1
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        let is_last = state.buffer().len() == 1;
        match state.stack_at(0) {
            Some(0) if is_last || self.mode == RootMode::Many => actions.push(Action::Right),
            Some(0) | None => {}
            Some(_) => actions.extend([Action::Left, Action::Right]),
        }
        if !is_last {
            actions.push(Action::Shift);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        let (top, front) = (state.stack_at(0)?, state.buffer_at(0)?);
        match action {
            Action::Left => Some((front, top)),
            Action::Right => Some((top, front)),
            _ => None,
        }
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        if let Some(arc) = self.arc(state, action) {
            state.attach(arc, label);
        }
        match action {
            Action::Left => state.pop(),
            Action::Right => state.replace_front(),
            _ => state.shift(),
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
        let loss = |after: &State, scratch: &mut OracleScratch| match after.buffer() {
            [rest @ .., front] => {
                let trees = std::iter::once(front).chain(after.stack().iter().rev()).copied();
                scratch.table.loss(after, trees, rest, gold)
            }
            [] => 0,
        };
        costs_from_losses(self, state, actions, scratch, costs, loss);
    }
}
