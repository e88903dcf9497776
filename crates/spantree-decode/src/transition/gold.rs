//! The tree that an oracle leads to, with what oracles ask about it.

use super::arc_standard::ArcStandard;
use super::state::{NONE, State};
use super::{Action, System};
use crate::heads::{Heads, RootMode};

/// A gold tree, prepared once per sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// Head of each word, [`NONE`] if any will do; that of the root is the root.
    heads: Vec<u32>,
    /// Number of children of the root and of each word.
    children: Vec<u32>,
    /// Rank of the root and each word when every head stands between its left and its right children.
    order: Vec<u32>,
    /// One number for all words of a subtree that is built without reordering.
    component: Vec<u32>,
}

impl Gold {
    /// Prepares a tree. O(n).
    ///
    /// # Panics
    /// If the heads are not a tree.
    pub fn new(tree: &Heads) -> Self {
        assert!(tree.is_tree(), "{tree:?} is not a tree");
        let mut heads = vec![0];
        heads.extend_from_slice(tree.as_slice());
        let mut children = vec![0; heads.len()];
        heads[1..].iter().for_each(|&head| children[head as usize] += 1);
        let order = projective_order(&heads);
        let mut gold = Self { heads, children, order, component: Vec::new() };
        gold.component = gold.components();
        gold
    }

    /// A projective tree of some words, the others being edited: they are their own heads. For
    /// [`ArcEdit`](super::ArcEdit).
    pub fn with_edits(heads: &[u32]) -> Self {
        let edited = |(word, &head): (u32, &u32)| word == head;
        if !(1..).zip(heads).any(edited) {
            return Self::new(&Heads::from(heads.to_vec()));
        }
        let heads: Vec<u32> = std::iter::once(0).chain(heads.iter().copied()).collect();
        // Nothing is reordered.
        let order = (0..heads.len() as u32).collect();
        Self { heads, children: Vec::new(), order, component: Vec::new() }
    }

    /// Whether a word must be edited.
    pub fn is_edited(&self, word: u32) -> bool {
        word != 0 && self.head(word) == word
    }

    /// Some heads of a tree: costs count these alone. As long as a tree of the system can still have all of them, exactly the
    /// actions of cost zero keep it so; otherwise costs are a guide. [`ArcSwap`](super::ArcSwap) is not guided by them. Heads
    /// beyond the sentence are left out.
    pub fn partial(given: impl Iterator<Item = Option<u32>>) -> Self {
        let mut heads = vec![0];
        heads.extend(given.map(|head| head.unwrap_or(NONE)));
        let len = heads.len();
        heads.iter_mut().filter(|head| **head as usize >= len).for_each(|head| *head = NONE);
        Self { heads, children: Vec::new(), order: Vec::new(), component: Vec::new() }
    }

    /// Whether there is no head for some word.
    pub(super) fn is_partial(&self) -> bool {
        self.order.is_empty()
    }

    /// The head of a word, or [`NONE`] if any will do; the root is its own.
    #[inline]
    pub fn head(&self, word: u32) -> u32 {
        self.heads[word as usize]
    }

    /// Whether an arc agrees with the tree.
    #[inline]
    pub fn allows(&self, head: u32, child: u32) -> bool {
        self.head(child) == head || self.head(child) == NONE
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.heads.len() - 1
    }

    /// The words that hang on the root.
    pub(super) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.heads.len() as u32).filter(|&word| self.head(word) == 0)
    }

    /// Number of words that got a wrong head.
    pub fn wrong_so_far(&self, state: &State) -> u32 {
        let wrong =
            |&word: &u32| !state.is_headless(word) && !self.allows(state.node(word).head, word);
        (1..=state.words() as u32).filter(wrong).count() as u32
    }

    /// Whether a word has all its children.
    pub(super) fn is_complete(&self, state: &State, word: u32) -> bool {
        let node = state.node(word);
        self.children[word as usize] == u32::from(node.lefts) + u32::from(node.rights)
    }

    /// Rank of a word in the order in which the tree is projective.
    pub(super) fn rank(&self, word: u32) -> u32 {
        self.order[word as usize]
    }

    /// Whether two words belong to one subtree that is built without reordering.
    pub(super) fn same_component(&self, a: u32, b: u32) -> bool {
        self.component[a as usize] == self.component[b as usize]
    }

    /// The next arc that arc-standard can build with both children lists complete, or a shift.
    pub(super) fn bottom_up(&self, state: &State) -> Option<Action> {
        if let (Some(top), Some(second)) = (state.stack_at(0), state.stack_at(1)) {
            if second != 0 && self.head(second) == top && self.is_complete(state, second) {
                return Some(Action::Left);
            }
            if self.head(top) == second && self.is_complete(state, top) {
                return Some(Action::Right);
            }
        }
        (!state.buffer().is_empty()).then_some(Action::Shift)
    }

    /// What is left on the stack when the words are taken in their own order: the maximal projective components.
    fn components(&self) -> Vec<u32> {
        let system = ArcStandard::new(RootMode::Many);
        let mut state = State::default();
        system.start(self.words(), &mut state);
        while let Some(action) = self.bottom_up(&state) {
            system.apply(&mut state, action, 0);
        }
        let top = |mut word: u32| {
            while !state.is_headless(word) {
                word = state.node(word).head;
            }
            word
        };
        (0..self.heads.len() as u32).map(top).collect()
    }
}

/// Ranks in a walk that visits left children, the word itself, right children.
fn projective_order(heads: &[u32]) -> Vec<u32> {
    let len = heads.len();
    // Children as linked lists from left to right.
    let (mut first, mut next) = (vec![0; len], vec![0; len]);
    for word in (1..len).rev() {
        let head = heads[word] as usize;
        next[word] = first[head];
        first[head] = word;
    }
    let mut order = vec![0; len];
    let mut rank = 0;
    // Words whose children are being visited, each with the child to visit next.
    let mut path = vec![(0, first[0], false)];
    while let Some((word, child, ranked)) = path.last_mut() {
        if !*ranked && (*child == 0 || *child > *word) {
            (order[*word], *ranked) = (rank, true);
            rank += 1;
        }
        let child = std::mem::replace(child, next[*child]);
        match child {
            0 => {
                path.pop();
            }
            child => path.push((child, first[child], false)),
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_make_the_tree_projective() {
        // Words 1 and 3 belong together around word 2, which belongs to word 4.
        let gold = Gold::new(&Heads::from(vec![4, 4, 1, 0]));
        assert_eq!((1..=4).map(|word| gold.rank(word)).collect::<Vec<_>>(), [1, 3, 2, 4]);
        let projective = Gold::new(&Heads::from(vec![2, 0, 4, 2]));
        assert_eq!((0..=4).map(|word| projective.rank(word)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(projective.same_component(1, 4));
    }
}
