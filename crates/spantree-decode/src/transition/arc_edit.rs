//! Arc-eager parsing of speech with repairs (Honnibal and Johnson 2014): a word can be taken back.
//!
//! As [`ArcEager`], and with `s` the top of the stack:
//!
//! * **Edit.** Valid when there is `s`; with one root, not when it would leave no word for it. Makes `s` and all below it on its
//!   right *disfluent*: they lose their arcs and are their own heads from then on. The left children of `s` return to the
//!   stack.
//!
//! The tree is one of the words that are left. With one root, words that Edit brings back can hang on the root only if that has
//! no child; otherwise they are edited too.
//!
//! **Costs** lead to the gold tree from states on the way to it: actions after which it can still be built have cost 0, the
//! others 1. (The rules were found by search; those in use look at the stack alone, and are wrong in some states.) Let the
//! words that *wait* be the stack and, again and again, the left children of words that wait and must be edited. With `b` the
//! front of the buffer, and of fluent words where nothing else is said:
//!
//! * **Shift** is right when `b` must be edited, or neither its head nor a child of it waits.
//! * **Right** is right when `b` must be edited, or `s` is its head.
//! * **Left** is right when `b` must be edited, or is the head of `s`.
//! * **Reduce** is right when no child of `s` is in the buffer; if `s` must be edited, when its head must be too, and all below it.
//! * **Edit** is right when `s` must be edited.
//!
//! With one root, words below the child of the root are edited before it is shifted, because the last word may be pushed only
//! above one word without a head; a few actions that can be made good later are held for wrong by that. From other states
//! costs mean nothing.

use super::arc_eager::ArcEager;
use super::oracle::{OracleScratch, subtract_least};
use super::state::{Place, State};
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcEdit {
    mode: RootMode,
    eager: ArcEager,
}

impl ArcEdit {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode, eager: ArcEager::new(mode) }
    }

    /// Whether the top of the stack may be edited.
    fn can_edit(self, state: &State) -> bool {
        let Some(top) = state.stack_at(0) else { return false };
        let last = state.buffer().len() == 1 && state.stack().len() == 1;
        let root_is_free = self.mode == RootMode::One && state.node(0).rights == 0;
        !(last && root_is_free && state.node(top).lefts == 0)
    }
}

impl ArcEdit {
    /// Whether the gold tree can still be built after an action, if it can be built before.
    fn keeps(self, state: &State, gold: &Gold, action: Action) -> bool {
        let blocks_root = self.mode == RootMode::One
            && action == Action::Shift
            && state.buffer_at(0).is_some_and(|front| gold.head(front) == 0)
            && state.stack().iter().any(|&word| state.is_headless(word));
        !blocks_root && keeps(state, gold, action)
    }
}

/// The same for any number of roots.
fn keeps(state: &State, gold: &Gold, action: Action) -> bool {
    let (top, front) = (state.stack_at(0), state.buffer_at(0).unwrap_or(0));
    let edited = |word: u32| gold.is_edited(word);
    let free = edited(front);
    match (action, top) {
        (Action::Shift, _) => free || !waiting(state, gold).any(|word| related(gold, word, front)),
        (Action::Right, Some(top)) => free || gold.head(front) == top,
        (Action::Left, Some(top)) => free || !edited(top) && gold.head(top) == front,
        (Action::Reduce, Some(top)) if edited(top) => {
            edited(state.node(top).head) && subtree(state, top).all(edited)
        }
        (Action::Reduce, Some(top)) => {
            let child = |&word: &u32| word != 0 && !edited(word) && gold.head(word) == top;
            !state.buffer().iter().any(child)
        }
        (Action::Edit, Some(top)) => edited(top),
        _ => false,
    }
}

/// Whether an arc of the gold tree joins two words, one of which is fluent.
fn related(gold: &Gold, word: u32, fluent: u32) -> bool {
    gold.head(fluent) == word || !gold.is_edited(word) && gold.head(word) == fluent
}

/// The words of the stack, and those that edits will bring back to it.
fn waiting<'a>(state: &'a State, gold: &'a Gold) -> impl Iterator<Item = u32> + 'a {
    let waits = move |&word: &u32| {
        let mut word = word;
        // A left child of an edited word comes back when that is edited.
        while state.node(word).place != Place::Stack {
            let head = state.node(word).head;
            if head == super::NONE || head <= word || !gold.is_edited(head) {
                return false;
            }
            word = head;
        }
        true
    };
    (1..=state.words() as u32).filter(waits)
}

/// A word and all words below it so far.
fn subtree(state: &State, top: u32) -> impl Iterator<Item = u32> + '_ {
    (1..=state.words() as u32).filter(move |&word| state.is_below(word, top))
}

impl System for ArcEdit {
    fn place_root(&self, state: &mut State) {
        self.eager.place_root(state);
    }

    fn is_final(&self, state: &State) -> bool {
        self.eager.is_final(state)
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.eager.actions(state, actions);
        let root_is_taken = self.mode == RootMode::One && state.node(0).rights > 0;
        if root_is_taken {
            actions.retain(|&action| action != Action::Left);
        }
        if self.can_edit(state) {
            actions.push(Action::Edit);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        self.eager.arc(state, action)
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        match action {
            Action::Edit => state.edit(),
            _ => self.eager.apply(state, action, label),
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
        costs.clear();
        if gold.is_partial() {
            costs.resize(actions.len(), 0);
            return;
        }
        costs.extend(actions.iter().map(|&action| u32::from(!self.keeps(state, gold, action))));
        subtract_least(costs);
    }

    fn is_dynamic(&self) -> bool {
        false
    }
}
