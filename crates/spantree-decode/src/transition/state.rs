//! What a transition parser has done so far: a stack, a buffer, and the tree built between them.

use crate::heads::Heads;
use crate::scores::LabelId;

/// No word: the head of a word that has none yet, a child that does not exist.
pub const NONE: u32 = u32::MAX;

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Waiting in the buffer.
    Buffer,
    /// On the stack.
    Stack,
    /// Neither: nothing more can be attached to it.
    Done,
    /// Not part of what is parsed; see [`System::restart`](super::System::restart).
    Apart,
}

/// The root or a word, with its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its head, or [`NONE`].
    pub head: u32,
    /// Its leftmost child and the next one, both to its left, or [`NONE`].
    pub left: [u32; 2],
    /// Its rightmost child and the one before, both to its right, or [`NONE`].
    pub right: [u32; 2],
    /// The label of its arc; 0 without a head.
    pub label: LabelId,
    /// Number of children to its left.
    pub lefts: u16,
    /// Number of children to its right.
    pub rights: u16,
    /// Where it is.
    pub place: Place,
}

const FRESH: Node = Node {
    head: NONE,
    left: [NONE; 2],
    right: [NONE; 2],
    label: 0,
    lefts: 0,
    rights: 0,
    place: Place::Buffer,
};

/// Stack, buffer and tree. Copying (`clone_from`) is three copies of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The top is the last one.
    stack: Vec<u32>,
    /// The front is the last one.
    buffer: Vec<u32>,
    /// The root and the words.
    nodes: Vec<Node>,
}

impl State {
    /// All words in the buffer, the root nowhere yet.
    pub(super) fn reset(&mut self, words: usize) {
        self.stack.clear();
        self.nodes.clear();
        self.nodes.resize(words + 1, FRESH);
        self.buffer.clear();
        self.buffer.extend((1..=words as u32).rev());
    }

    /// Some words in the buffer, the others out of reach; arcs stay, but those from the root.
    pub(super) fn refill(&mut self, words: &[u32]) {
        self.stack.clear();
        self.buffer.clear();
        self.buffer.extend(words.iter().rev());
        for node in &mut self.nodes {
            node.place = Place::Apart;
            if node.head == 0 {
                (node.head, node.label) = (NONE, 0);
            }
        }
        self.nodes[0] = FRESH;
        words.iter().for_each(|&word| self.nodes[word as usize].place = Place::Buffer);
    }

    /// Puts the root behind the last word.
    pub(super) fn root_last(&mut self) {
        self.buffer.insert(0, 0);
    }

    /// Puts the root before the first word.
    pub(super) fn root_in_front(&mut self) {
        self.buffer.push(0);
    }

    /// Puts the root below the first word.
    pub(super) fn root_first(&mut self) {
        self.push(0);
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// The stack, its top at the end.
    pub fn stack(&self) -> &[u32] {
        &self.stack
    }

    /// The buffer, its front at the end.
    pub fn buffer(&self) -> &[u32] {
        &self.buffer
    }

    /// The word that lies `depth` below the top of the stack.
    #[inline]
    pub fn stack_at(&self, depth: usize) -> Option<u32> {
        self.stack.iter().nth_back(depth).copied()
    }

    /// The word that is `depth` behind the front of the buffer.
    #[inline]
    pub fn buffer_at(&self, depth: usize) -> Option<u32> {
        self.buffer.iter().nth_back(depth).copied()
    }

    /// The root or a word.
    ///
    /// # Panics
    /// If there is no such word.
    #[inline]
    pub fn node(&self, word: u32) -> &Node {
        &self.nodes[word as usize]
    }

    /// The last word that hangs on the root.
    pub fn root_child(&self) -> Option<u32> {
        Some(self.node(0).right[0]).filter(|&child| child != NONE)
    }

    /// Whether a word is still without a head; so is the root.
    #[inline]
    pub fn is_headless(&self, word: u32) -> bool {
        self.node(word).head == NONE
    }

    /// Whether a word was taken back; see [`ArcEdit`](super::ArcEdit).
    pub fn is_edited(&self, word: u32) -> bool {
        word != 0 && self.node(word).head == word
    }

    /// Whether a word hangs on another one so far, or is it.
    pub(super) fn is_below(&self, mut word: u32, top: u32) -> bool {
        while word != top && !self.is_headless(word) && !self.is_edited(word) {
            word = self.node(word).head;
        }
        word == top
    }

    /// The tree, in which words without a head hang on the root, and edited words on themselves.
    pub fn heads(&self) -> Heads {
        let head = |node: &Node| if node.head == NONE { 0 } else { node.head };
        Heads::from(self.nodes.iter().skip(1).map(head).collect::<Vec<u32>>())
    }

    pub(super) fn push(&mut self, word: u32) {
        self.nodes[word as usize].place = Place::Stack;
        self.stack.push(word);
    }

    /// Takes the top off the stack for good.
    pub(super) fn pop(&mut self) {
        if let Some(word) = self.stack.pop() {
            self.nodes[word as usize].place = Place::Done;
        }
    }

    /// Takes the word below the top off the stack for good.
    pub(super) fn pop_second(&mut self) {
        if let Some(at) = self.stack.len().checked_sub(2) {
            self.remove(at);
        }
    }

    /// Takes a word off the stack for good.
    pub(super) fn remove(&mut self, at: usize) {
        let word = self.stack.remove(at);
        self.nodes[word as usize].place = Place::Done;
    }

    /// Takes the front off the buffer for good and puts the top of the stack in its place.
    pub(super) fn replace_front(&mut self) {
        if let (Some(top), Some(front)) = (self.stack.pop(), self.buffer.pop()) {
            self.nodes[front as usize].place = Place::Done;
            self.nodes[top as usize].place = Place::Buffer;
            self.buffer.push(top);
        }
    }

    /// Moves the front of the buffer to the stack.
    pub(super) fn shift(&mut self) {
        if let Some(word) = self.buffer.pop() {
            self.push(word);
        }
    }

    /// Moves the word below the top of the stack to the front of the buffer.
    pub(super) fn unshift_second(&mut self) {
        if let Some(at) = self.stack.len().checked_sub(2) {
            let word = self.stack.remove(at);
            self.nodes[word as usize].place = Place::Buffer;
            self.buffer.push(word);
        }
    }

    /// Takes the top of the stack and all below it on its right back; its left children return to the stack.
    pub(super) fn edit(&mut self) {
        let Some(top) = self.stack.pop() else { return };
        self.detach(top);
        let right: Vec<u32> = (top + 1..self.nodes.len() as u32)
            .take_while(|&word| self.is_below(word, top) || self.is_edited(word))
            .collect();
        let left: Vec<u32> = (1..top).filter(|&word| self.node(word).head == top).collect();
        for word in right.into_iter().chain([top]) {
            self.nodes[word as usize] = Node { head: word, place: Place::Done, ..FRESH };
        }
        for word in left {
            (self.nodes[word as usize].head, self.nodes[word as usize].label) = (NONE, 0);
            self.push(word);
        }
    }

    /// Removes the arc to the last right child of its head.
    fn detach(&mut self, child: u32) {
        let head = std::mem::replace(&mut self.nodes[child as usize].head, NONE);
        if head == NONE {
            return;
        }
        let before = self.node(head).right[1];
        let next = (head + 1..before.min(child)).rev().find(|&word| self.node(word).head == head);
        let node = &mut self.nodes[head as usize];
        node.right = [before, next.unwrap_or(NONE)];
        node.rights = node.rights.saturating_sub(1);
    }

    /// Builds an arc.
    pub(super) fn attach(&mut self, (head, child): (u32, u32), label: LabelId) {
        let node = &mut self.nodes[child as usize];
        (node.head, node.label) = (head, label);
        let parent = &mut self.nodes[head as usize];
        if child < head {
            parent.lefts = parent.lefts.saturating_add(1);
            let [first, second] = parent.left;
            if child < first {
                parent.left = [child, first];
            } else if child < second {
                parent.left[1] = child;
            }
        } else {
            parent.rights = parent.rights.saturating_add(1);
            let [last, before] = parent.right;
            if last == NONE || child > last {
                parent.right = [child, last];
            } else if before == NONE || child > before {
                parent.right[1] = child;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_children_are_known_in_whatever_order_they_come() {
        for order in [[1, 2, 3], [3, 2, 1], [2, 1, 3], [2, 3, 1]] {
            let mut state = State::default();
            state.reset(7);
            for child in order {
                state.attach((4, child), 0);
                state.attach((4, child + 4), 0);
            }
            let node = state.node(4);
            assert_eq!((node.left, node.right), ([1, 2], [7, 6]), "{order:?}");
            assert_eq!((node.lefts, node.rights), (3, 3));
        }
    }
}
