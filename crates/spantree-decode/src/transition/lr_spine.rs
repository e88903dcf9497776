//! LR-spine parsing (Sartorio, Satta and Nivre 2013) with a loss by dynamic programming (Goldberg, Sartorio and Satta 2014).
//!
//! As [`ArcStandard`](super::ArcStandard), but an arc may start at any word of a *spine*: the left spine of a tree is its
//! root, the leftmost left child of that, and so on; the right spine its mirror image. So arcs are built before their head has
//! all its children, or after it got its own head. With `s₁ s₀` the top of the stack:
//!
//! * **Left at k.** Valid when `s₁` is a word. Builds an arc from the k-th word of the left spine of `s₀` to `s₁`.
//! * **Right at k.** Valid when there is `s₁`. Builds an arc from the k-th word of the right spine of `s₁` to `s₀`; with one
//!   root, that word may be the root only when it has no child.
//! * **Shift.** Valid when the buffer is not empty. Pushes its front.
//!
//! Depths are counted from 0, the root of the tree; the child leaves the stack.
//!
//! **Loss.** As in arc-standard parsing, with spines: `T[i, j]` holds joined trees, each with its root, its spines and the number
//! of its wrong arcs. A tree is joined to another one by its gold arc if that starts on the spine, and otherwise, for one wrong
//! arc, as deep as possible, which leaves the most of the spine. Two rules keep the cells small: spines are kept as far as
//! words on them have gold children among the pieces still to come on that side, and of two trees with the same root the one goes that
//! has more wrong arcs and no spine of its own. (As printed the first rule looks at the pieces already joined, which
//! loses trees.)

use super::fragments::Fragments;
use super::oracle::{OracleScratch, costs_from_losses};
use super::state::{NONE, Place, State};
use super::{Action, Gold, System};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct LrSpine {
    mode: RootMode,
}

impl LrSpine {
    /// A system whose trees have as many root children as `mode` says.
    pub const fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// Whether a word may take a child on its right.
    fn is_open(self, state: &State, word: u32) -> bool {
        word != 0 || self.mode == RootMode::Many || state.node(0).rights == 0
    }
}

/// The left spine of a tree from its root on.
fn left_spine(state: &State, root: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors(Some(root), |&word| on_spine(state, state.node(word).left[0]))
}

/// The right spine of a tree from its root on.
fn right_spine(state: &State, root: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors(Some(root), |&word| on_spine(state, state.node(word).right[0]))
}

/// A child, if there is one and it can take children of its own.
fn on_spine(state: &State, child: u32) -> Option<u32> {
    (child != NONE && state.node(child).place != Place::Apart).then_some(child)
}

/// A tree joined from pieces.
#[derive(Clone, Debug, Default)]
struct Joined {
    root: u32,
    /// Words of the spines that have gold children to come, the highest first.
    left: Vec<u32>,
    right: Vec<u32>,
    wrong: u32,
}

/// Memory of the dynamic programme; see the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct SpineTable {
    fragments: Fragments,
    /// For each word, the number of the last piece `L` and of the last `R` that is its gold child, counted from 1; 0 for none.
    last_left: Vec<u32>,
    last_right: Vec<u32>,
    /// `T[i, j]` at `i · (r + 1) + j`, `i` and `j` without their first word.
    cells: Vec<Vec<Joined>>,
}

impl SpineTable {
    fn loss(&mut self, system: LrSpine, state: &State, gold: &Gold) -> u32 {
        self.fragments.collect(state.stack().iter().rev().copied(), state.buffer(), gold);
        self.find_last_children(gold);
        let left = self.fragments.left;
        let rights = self.fragments.words.len() - left + 1;
        self.cells.iter_mut().for_each(Vec::clear);
        self.cells.resize_with(left * rights, Vec::new);
        let first = self.piece(system, state, 0);
        self.offer(rights, (0, 0), first);
        for i in 0..left {
            for j in 0..rights {
                let joined = std::mem::take(&mut self.cells[i * rights + j]);
                for tree in &joined {
                    if i + 1 < left {
                        let piece = self.piece(system, state, i + 1);
                        self.join(system, gold, (i + 1, j), &piece, tree, tree.wrong);
                    }
                    if j + 1 < rights {
                        let piece = self.piece(system, state, left + j);
                        self.join(system, gold, (i, j + 1), tree, &piece, tree.wrong);
                    }
                }
                self.cells[i * rights + j] = joined;
            }
        }
        let complete = self.cells.last().into_iter().flatten().map(|tree| tree.wrong).min();
        gold.wrong_so_far(state) + complete.unwrap_or(0)
    }

    fn find_last_children(&mut self, gold: &Gold) {
        let (left, right) = self.fragments.words.split_at(self.fragments.left);
        for (last, words) in [(&mut self.last_left, left), (&mut self.last_right, right)] {
            last.clear();
            last.resize(gold.words() + 1, 0);
            for (number, &word) in (1..).zip(words).filter(|(_, word)| **word != 0) {
                if let Some(last) = last.get_mut(gold.head(word) as usize) {
                    *last = number;
                }
            }
        }
    }

    /// The piece at a place of the list, `L` first.
    fn piece(&self, system: LrSpine, state: &State, at: usize) -> Joined {
        let root = self.fragments.words[at];
        // Pieces of the rest are known by their root only, and what is built already may go on growing on both sides.
        let depth = if at < self.fragments.left { usize::MAX } else { 1 };
        Joined {
            root,
            left: left_spine(state, root).take(depth).collect(),
            right: right_spine(state, root)
                .take(depth)
                .filter(|&word| system.is_open(state, word))
                .collect(),
            wrong: 0,
        }
    }

    /// Joins two neighbours in both directions and offers the results to a cell.
    fn join(
        &mut self,
        system: LrSpine,
        gold: &Gold,
        cell: (usize, usize),
        one: &Joined,
        other: &Joined,
        wrong: u32,
    ) {
        let rights = self.fragments.words.len() - self.fragments.left + 1;
        let (kept, cost) = hang(gold, other.root, &one.right);
        let right = one.right[..kept].iter().filter(|&&word| {
            // A root that may have one child has it now.
            word != 0 || system.mode == RootMode::Many
        });
        let joined = Joined {
            root: one.root,
            left: one.left.clone(),
            right: right.chain(&other.right).copied().collect(),
            wrong: wrong + cost,
        };
        self.offer(rights, cell, joined);
        if one.root != 0 {
            let (kept, cost) = hang(gold, one.root, &other.left);
            let joined = Joined {
                root: other.root,
                left: other.left[..kept].iter().chain(&one.left).copied().collect(),
                right: other.right.clone(),
                wrong: wrong + cost,
            };
            self.offer(rights, cell, joined);
        }
    }

    /// Adds a tree to a cell unless one there is at least as good, and takes out those that are not better than it.
    fn offer(&mut self, rights: usize, (i, j): (usize, usize), mut tree: Joined) {
        tree.left.retain(|&word| self.last_left[word as usize] > i as u32 + 1);
        tree.right.retain(|&word| self.last_right[word as usize] > j as u32);
        let covers = |good: &Joined, bad: &Joined| {
            good.root == bad.root
                && good.wrong <= bad.wrong
                && bad.left.iter().all(|word| good.left.contains(word))
                && bad.right.iter().all(|word| good.right.contains(word))
        };
        let cell = &mut self.cells[i * rights + j];
        if !cell.iter().any(|known| covers(known, &tree)) {
            cell.retain(|known| !covers(&tree, known));
            cell.push(tree);
        }
    }
}

/// How a tree with this root hangs best on a spine: how much of the spine stays, and the wrong arc.
fn hang(gold: &Gold, root: u32, spine: &[u32]) -> (usize, u32) {
    let head = gold.head(root);
    let deepest = spine.len();
    match spine.iter().position(|&word| word == head) {
        Some(at) => (at + 1, 0),
        None => (deepest, u32::from(head != NONE)),
    }
}

impl System for LrSpine {
    fn place_root(&self, state: &mut State) {
        state.root_first();
    }

    fn is_final(&self, state: &State) -> bool {
        state.stack().len() == 1 && state.buffer().is_empty()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.clear();
        if let (Some(top), Some(second)) = (state.stack_at(0), state.stack_at(1)) {
            if second != 0 {
                let depths = (0..).zip(left_spine(state, top));
                actions.extend(depths.map(|(depth, _)| Action::LeftAt(depth)));
            }
            let open = |(_, word): &(u32, u32)| self.is_open(state, *word);
            let depths = (0..).zip(right_spine(state, second)).filter(open);
            actions.extend(depths.map(|(depth, _)| Action::RightAt(depth)));
        }
        if !state.buffer().is_empty() {
            actions.push(Action::Shift);
        }
    }

    fn arc(&self, state: &State, action: Action) -> Option<(u32, u32)> {
        let (second, top) = (state.stack_at(1)?, state.stack_at(0)?);
        match action {
            Action::LeftAt(depth) => Some((left_spine(state, top).nth(depth as usize)?, second)),
            Action::RightAt(depth) => Some((right_spine(state, second).nth(depth as usize)?, top)),
            _ => None,
        }
    }

    fn apply(&self, state: &mut State, action: Action, label: LabelId) {
        if let Some(arc) = self.arc(state, action) {
            state.attach(arc, label);
        }
        match action {
            Action::LeftAt(_) => state.pop_second(),
            Action::RightAt(_) => state.pop(),
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
        let loss =
            |after: &State, scratch: &mut OracleScratch| scratch.spines.loss(*self, after, gold);
        costs_from_losses(self, state, actions, scratch, costs, loss);
    }
}
