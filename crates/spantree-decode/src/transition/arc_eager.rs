//! Arc-eager parsing with the root at the end of the buffer (Nivre 2003; Goldberg and Nivre 2013).
//!
//! A word takes its left children, then its head if that is on its left, then its right children: every arc is built as
//! soon as both ends are seen. With `s` the top of the stack and `b` the front of the buffer:
//!
//! * **Right.** Valid when `b` is a word. Builds `s → b` and pushes `b`.
//! * **Left.** Valid when `s` has no head. Builds `b → s` and pops `s`.
//! * **Shift.** Valid when `b` is a word. Pushes `b`.
//! * **Reduce.** Valid when `s` has a head. Pops `s`.
//!
//! **Loss.** A gold arc can be built as long as its child has no head and its ends are both in the buffer, or the head is
//! on the stack and the child in the buffer, or the other way round; arcs that can be built one by one can be built
//! together (Goldberg and Nivre 2013), so the loss is the number of the others.
//!
//! **One root.** Words without a head at the end hang on the root, so the last word may only be pushed when it leaves one
//! such word on the stack (Nivre, Goldberg and McDonald 2014: the sentence is a span of one component). In the loss this
//! adds two cases. Let `r` be the gold child of the root. (1) On the stack above a word without a head, `r` is lost.
//! (2) Climb from the last word along gold heads to the first word that is on the stack: if it or words below it are
//! without a head, and more than one of them, all but one must be popped before the last word is pushed, which breaks one
//! arc of the climb.

use super::oracle::{OracleScratch, costs_from_losses};
use super::state::{NONE, Place, State};
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcEager {
    mode: RootMode,
}

impl ArcEager {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// Number of gold arcs that can no longer be built.
    fn loss(self, state: &State, gold: &Gold) -> u32 {
        let lost = |&child: &u32| {
            let head = gold.head(child);
            if head == NONE {
                return false;
            }
            let node = state.node(child);
            match (node.place, state.node(head).place) {
                _ if !state.is_headless(child) => node.head != head,
                (Place::Buffer, place) => place == Place::Done,
                (_, place) => place != Place::Buffer,
            }
        };
        let arcs = (1..=state.words() as u32).filter(lost).count() as u32;
        arcs + if self.mode == RootMode::One { lost_to_one_root(state, gold) } else { 0 }
    }
}

/// Words without a head on the stack, from the bottom to the word `top`.
fn headless_up_to(state: &State, top: u32) -> usize {
    let up_to = state.stack().iter().take_while(|&&word| word != top).chain([&top]);
    up_to.filter(|&&word| state.is_headless(word)).count()
}

/// Gold arcs that are lost because the root may have one child only; see the [module](self).
fn lost_to_one_root(state: &State, gold: &Gold) -> u32 {
    let on_stack = |word: u32| state.node(word).place == Place::Stack;
    let buried =
        |&root: &u32| on_stack(root) && state.is_headless(root) && headless_up_to(state, root) > 1;
    let roots = gold.roots().filter(buried).count() as u32;
    let mut word = state.words() as u32;
    while word != 0 && word != NONE && state.node(word).place == Place::Buffer {
        word = gold.head(word);
    }
    let is_climb = ![state.words() as u32, 0, NONE].contains(&word) && on_stack(word);
    roots + u32::from(is_climb && headless_up_to(state, word) > 1)
}

impl System for ArcEager {
    fn place_root(&self, state: &mut State) {
        state.root_last();
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().is_empty() && state.buffer().len() <= 1
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        let is_last = self.mode == RootMode::One && state.buffer().len() == 2;
        let Some(top) = state.stack_at(0) else {
            actions.extend((state.buffer().len() > 1).then_some(Action::Shift));
            return;
        };
        if state.buffer().len() > 1 && (!is_last || headless_up_to(state, top) == 1) {
            actions.push(Action::Right);
        }
        if state.is_headless(top) {
            actions.push(Action::Left);
        }
        if state.buffer().len() > 1 && !is_last {
            actions.push(Action::Shift);
        }
        if !state.is_headless(top) {
            actions.push(Action::Reduce);
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
            Action::Shift | Action::Right => state.shift(),
            _ => state.pop(),
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
        let loss = |after: &State, _: &mut _| self.loss(after, gold);
        costs_from_losses(self, state, actions, scratch, costs, loss);
    }
}
