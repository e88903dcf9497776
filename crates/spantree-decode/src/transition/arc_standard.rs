//! Arc-standard parsing (Nivre 2004) with a loss by dynamic programming (Goldberg, Sartorio and Satta 2014).
//!
//! Bottom-up: arcs join the two topmost words of the stack, at whose bottom lies the root. With `s₁ s₀` the top of the stack:
//!
//! * **Left.** Valid when `s₁` is a word. Builds `s₀ → s₁` and takes `s₁` off the stack.
//! * **Right.** Valid when there is `s₁`; with one root, `s₁` may be the root only when the buffer is empty. Builds `s₁ → s₀`
//!   and pops `s₀`.
//! * **Shift.** Valid when the buffer is not empty. Pushes its front.
//!
//! **Loss.** Arcs that can be built one by one cannot always be built together, so the best tree is searched for. Let
//! `L₁ L₂ …` be the stack from its top, and `R₁ = L₁, R₂ …` the words of the buffer that gold subtrees inside the buffer hang
//! on (see `fragments`). `T[i, j](h)` is the least number of wrong arcs that
//! join `L₁ … Lᵢ` and `R₁ … Rⱼ` into one tree with root `h`:
//!
//! ```text
//! T[1, 1](L₁) = 0
//! T[i, j](h) + wrong(h → d)  offers  T'(h)     for d = Lᵢ₊₁ into T[i+1, j] and for d = Rⱼ₊₁ into T[i, j+1]
//! T[i, j](h) + wrong(d → h)  offers  T'(d)
//! ```
//!
//! The loss is `T` of everything at the root, and the wrong arcs built so far. (As printed the first line counts the arcs below
//! `L₁` a second time.) O(l · r · (l + r)) for l words `L` and r words `R`, which are few.

use super::fragments::Fragments;
use super::oracle::{OracleScratch, costs_from_losses};
use super::state::State;
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ArcStandard {
    mode: RootMode,
}

impl ArcStandard {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }
}

/// Memory of the dynamic programme; see the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct LossTable {
    fragments: Fragments,
    /// `T[i, j](h)` at `(i · (r + 1) + j) · (l + r) + h`, `i` and `j` without their first word.
    cells: Vec<u32>,
}

impl LossTable {
    /// The loss of a state with these trees, the last one first, and these words still to come, the next one last.
    pub(super) fn loss(
        &mut self,
        state: &State,
        trees: impl Iterator<Item = u32>,
        rest: &[u32],
        gold: &Gold,
    ) -> u32 {
        self.fragments.collect(trees, rest, gold);
        gold.wrong_so_far(state) + self.join(gold)
    }

    /// Fills the table.
    fn join(&mut self, gold: &Gold) -> u32 {
        let (width, left) = (self.fragments.words.len(), self.fragments.left);
        let right = width - left + 1;
        let cell = |i: usize, j: usize| (i * right + j) * width;
        self.cells.clear();
        self.cells.resize(left * right * width, u32::MAX);
        self.cells[0] = 0;
        for i in 0..left {
            for j in 0..right {
                // The roots of this cell: L up to i, R up to j.
                for root in (0..=i).chain(left..left + j) {
                    let loss = self.cells[cell(i, j) + root];
                    if loss == u32::MAX {
                        continue;
                    }
                    if i + 1 < left {
                        self.offer(cell(i + 1, j), root, i + 1, loss, gold);
                    }
                    if j + 1 < right {
                        self.offer(cell(i, j + 1), root, left + j, loss, gold);
                    }
                }
            }
        }
        // The root is the last word of L.
        self.cells[cell(left - 1, right - 1) + left - 1]
    }

    /// Joins a tree with root `root` and the word at `other`, in both directions.
    fn offer(&mut self, cell: usize, root: usize, other: usize, loss: u32, gold: &Gold) {
        for (head, child) in [(root, other), (other, root)] {
            let (head_word, child_word) = (self.fragments.words[head], self.fragments.words[child]);
            if child_word != 0 {
                let wrong = u32::from(!gold.allows(head_word, child_word));
                let best = &mut self.cells[cell + head];
                *best = (*best).min(loss + wrong);
            }
        }
    }
}

impl System for ArcStandard {
    fn place_root(&self, state: &mut State) {
        state.root_first();
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().len() == 1 && state.buffer().is_empty()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        let waiting = !state.buffer().is_empty();
        match state.stack().len() {
            0 | 1 => {}
            2 if self.mode == RootMode::One && waiting => {}
            2 => actions.push(Action::Right),
            _ => actions.extend([Action::Left, Action::Right]),
        }
        if waiting {
            actions.push(Action::Shift);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        let (second, top) = (state.stack_at(1)?, state.stack_at(0)?);
        match action {
            Action::Left => Some((top, second)),
            Action::Right => Some((second, top)),
            _ => None,
        }
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        if let Some(arc) = self.arc(state, action) {
            state.attach(arc, label);
        }
        match action {
            Action::Left => state.pop_second(),
            Action::Right => state.pop(),
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
        let loss = |after: &State, scratch: &mut OracleScratch| {
            let trees = after.stack().iter().rev().copied();
            scratch.table.loss(after, trees, after.buffer(), gold)
        };
        costs_from_losses(self, state, actions, scratch, costs, loss);
    }
}
