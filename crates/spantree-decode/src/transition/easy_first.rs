//! Easy-first parsing (Goldberg and Elhadad 2010; Goldberg and Nivre 2013): arcs in any order, wherever the parser is surest.
//!
//! All words without a head lie in one list, behind the root; here that is the stack, and the buffer stays empty. An arc joins two
//! neighbours of the list and takes its child out. With `a b` the words around gap `g`, counted from 0:
//!
//! * **Left at g.** Valid when `a` is a word. Builds `b → a`.
//! * **Right at g.** Valid when there is `b`; with one root, `a` may be the root only when `b` is the last word left. Builds `a → b`.
//!
//! There are n steps, and up to 2n actions in each.
//!
//! **Loss.** A gold arc can be built as long as both its ends are in the list; the loss is the number of the others. So an arc
//! costs the gold children of its child in the list, and one more if the gold head of its child is there and is another word.

use super::oracle::{OracleScratch, subtract_least};
use super::state::{NONE, Place, State};
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct EasyFirst {
    mode: RootMode,
}

impl EasyFirst {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }
}

impl System for EasyFirst {
    fn place_root(&self, state: &mut State) {
        state.root_first();
        (0..state.buffer().len()).for_each(|_| state.shift());
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().len() == 1
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        let gaps = state.stack().len() as u32 - 1;
        if gaps > 0 && (gaps == 1 || self.mode == RootMode::Many) {
            actions.push(Action::RightAt(0));
        }
        actions.extend((1..gaps).flat_map(|gap| [Action::LeftAt(gap), Action::RightAt(gap)]));
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        let word = |at: u32| state.stack().get(at as usize).copied();
        match action {
            Action::LeftAt(gap) => Some((word(gap + 1)?, word(gap)?)),
            Action::RightAt(gap) => Some((word(gap)?, word(gap + 1)?)),
            _ => None,
        }
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        if let Some(arc) = self.arc(state, action) {
            state.attach(arc, label);
        }
        match action {
            Action::LeftAt(gap) => state.remove(gap as usize),
            Action::RightAt(gap) => state.remove(gap as usize + 1),
            _ => {}
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
        let children = &mut scratch.children;
        children.clear();
        children.resize(state.words() + 1, 0);
        for &word in state.stack().iter().filter(|&&word| word != 0) {
            if let Some(count) = children.get_mut(gold.head(word) as usize) {
                *count += 1;
            }
        }
        let is_listed = |word: u32| word != NONE && state.node(word).place == Place::Stack;
        costs.clear();
        costs.extend(actions.iter().filter_map(|&action| {
            let (head, child) = self.arc(state, action)?;
            let better = gold.head(child) != head && is_listed(gold.head(child));
            Some(children[child as usize] + u32::from(better))
        }));
        subtract_least(costs);
    }
}
