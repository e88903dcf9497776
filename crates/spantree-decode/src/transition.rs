//! Transition systems: trees built word by word, and oracles that say what each step costs.
//!
//! A parser starts in [`System::start`], takes one of [`System::actions`] at a time, and has a tree when
//! [`System::is_final`] says so. Scoring the actions is the caller's business; [`System::costs`] says how many
//! wrong heads each of them makes unavoidable, from any state, which is what training needs.
//!
//! | system | trees | steps | loss of a state | source |
//! |---|---|---|---|---|
//! | [`ArcEager`] | projective | 2n | by arcs | Nivre 2003; Goldberg and Nivre 2013 |
//! | [`ArcEdit`] | projective trees of a part of the words | 2n and more | only on the way to the gold tree | Honnibal and Johnson 2014 |
//! | [`ArcHybrid`] | projective | 2n | by arcs | Kuhlmann et al. 2011; Goldberg and Nivre 2013 |
//! | [`ArcStandard`] | projective | 2n | by table, O(n³) | Nivre 2004; Goldberg, Sartorio and Satta 2014 |
//! | [`ArcQueue`] | projective | 2n | the same | Nivre 2004; Wu et al. 2013 |
//! | [`LrSpine`] | projective | 2n | by table | Sartorio, Satta and Nivre 2013; Goldberg, Sartorio and Satta 2014 |
//! | [`EasyFirst`] | projective | n, each among 2n actions | by arcs | Goldberg and Elhadad 2010; Goldberg and Nivre 2013 |
//! | [`ArcSwap`] | all | 2n and the swaps, at most n² | only on the way to the gold tree | Nivre, Kuhlmann and Hall 2009 |
//!
//! # One root
//!
//! With [`RootMode::One`](crate::RootMode) the single child of the root is part of the legality of actions: no legal
//! sequence ends in another tree or gets stuck, and every tree of the system with one root child can be reached. The
//! loss of [`ArcEager`] accounts for it; that of the others is the same in both modes, because a word that would have
//! become a second child of the root is wrong wherever it goes.
//!
//! # Oracles
//!
//! The *loss* of a state is the smallest number of wrong heads of any tree that can still be reached; the *cost* of an
//! action is the loss behind it above that of the best action. Actions of cost zero are the dynamic oracle. On the
//! way to the gold tree they are also the non-deterministic oracle, and their first one, in the order of
//! [`System::actions`], the static one ([`static_action`]). Costs are exact when the gold tree is projective, as the
//! tests prove by enumerating all states and all trees of short sentences; otherwise they are a guide. With a part of the heads
//! ([`Gold::partial`]) the actions of cost zero are those that can keep them all, if any can (required arcs and one root at once;
//! for arc-eager parsing compare Nivre, Goldberg and McDonald 2014).
//!
//! ```
//! use spantree_decode::transition::{ArcEager, Gold, OracleScratch, State, System, static_action};
//! use spantree_decode::{Heads, RootMode};
//!
//! let gold = Gold::new(&Heads::from(vec![2, 0, 2]));
//! let (system, mut state, mut scratch) = (ArcEager::new(RootMode::One), State::default(), OracleScratch::default());
//! system.start(3, &mut state);
//! while !system.is_final(&state) {
//!     let Some(action) = static_action(&system, &state, &gold, &mut scratch) else { break };
//!     system.apply(&mut state, action, 0);
//! }
//! assert_eq!(state.heads(), Heads::from(vec![2, 0, 2]));
//! ```

pub mod arc_eager;
pub mod arc_edit;
pub mod arc_hybrid;
pub mod arc_queue;
pub mod arc_standard;
pub mod arc_swap;
pub mod easy_first;
mod fragments;
mod gold;
pub mod lr_spine;
mod oracle;
pub mod spans;
mod state;
#[cfg(test)]
mod tests;

pub use arc_eager::ArcEager;
pub use arc_edit::ArcEdit;
pub use arc_hybrid::ArcHybrid;
pub use arc_queue::ArcQueue;
pub use arc_standard::ArcStandard;
pub use arc_swap::ArcSwap;
pub use easy_first::EasyFirst;
pub use gold::Gold;
pub use lr_spine::LrSpine;
pub use oracle::{OracleScratch, static_action};
pub use spans::Spans;
pub use state::{NONE, Node, Place, State};

use crate::scores::LabelId;

/// One step of a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Moves the front of the buffer to the stack.
    Shift,
    /// Builds an arc to the left and takes its child from the stack.
    Left,
    /// Builds an arc to the right.
    Right,
    /// Takes the top from the stack, which has a head.
    Reduce,
    /// Moves the word below the top of the stack back to the buffer.
    Swap,
    /// Takes the top of the stack back, with all below it on its right.
    Edit,
    /// Builds an arc to the left at a place among several: a gap of a list, a depth of a spine.
    LeftAt(u32),
    /// Builds an arc to the right at a place among several.
    RightAt(u32),
}

/// What a parser may do in a state, and what that leads to. See the [module](self).
pub trait System: Sync {
    /// Puts the root in its place when all words are in the buffer.
    fn place_root(&self, state: &mut State);

    /// Makes `state` the first one of a sentence.
    fn start(&self, words: usize, state: &mut State) {
        state.reset(words);
        self.place_root(state);
    }

    /// Makes `state` the first one of a part of its words, given in their order. Arcs that were built stay, but those from the
    /// root; see [`Spans`].
    fn restart(&self, words: &[u32], state: &mut State) {
        state.refill(words);
        self.place_root(state);
    }

    /// Whether the tree is complete.
    fn is_final(&self, state: &State) -> bool;

    /// Overwrites `actions` with what is legal, in the order in which the static oracle prefers it. Never empty before a
    /// final state.
    fn actions(&self, state: &State, actions: &mut Vec<Action>);

    /// The arc `(head, child)` that a legal action builds.
    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)>;

    /// Takes a legal action; `label` is that of the arc it builds.
    fn apply(&self, state: &mut State, action: Action, label: LabelId);

    /// Overwrites `costs` with the costs of `actions`, which are all that are legal, in the same order; at least one is zero.
    fn costs(
        &self,
        state: &State,
        gold: &Gold,
        actions: &[Action],
        scratch: &mut OracleScratch,
        costs: &mut Vec<u32>,
    );

    /// Whether costs are right in every state, and not only on the way to the gold tree.
    fn is_dynamic(&self) -> bool {
        true
    }
}
