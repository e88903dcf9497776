//! The one derivation of a projective tree: its places in the chart, and the steps below each.

use std::ops::Range;

use super::chart::Cell;
use super::{LabelledArc, Memory, Modifier, Modifiers, Step};
use crate::heads::Heads;
use crate::scores::LabelId;

/// A place of the chart, and which steps lead to it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) cell: Cell,
    pub(super) steps: Range<usize>,
}

/// All steps of a tree, those below a place of the chart next to each other, and the places, larger ones
/// after those that they are made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Derivation {
    pub(super) steps: Vec<Step>,
    pub(super) nodes: Vec<Node>,
}

/// Derives a projective tree.
pub(super) fn derive(tree: &Heads, labels: &[LabelId], memory: Memory) -> Derivation {
    let mut walk = Walk { tree, labels, memory, found: Derivation::default() };
    walk.half(0, true);
    walk.found
}

struct Walk<'a> {
    tree: &'a Heads,
    labels: &'a [LabelId],
    memory: Memory,
    found: Derivation,
}

impl Walk<'_> {
    /// Derives all modifiers of a word on one side; returns them and how far they reach.
    fn half(&mut self, head: usize, rightward: bool) -> (Modifiers, usize) {
        let start = self.found.steps.len();
        let (mut modifiers, mut end) = (Modifiers::default(), head);
        let is_modifier = |&word: &usize| self.tree.head(word) == head;
        let words: Vec<usize> = match rightward {
            true => (head + 1..=self.tree.words()).filter(is_modifier).collect(),
            false => (1..head).rev().filter(is_modifier).collect(),
        };
        for child in words {
            let label = self.labels[child - 1];
            let arc = LabelledArc { head, child, label };
            let (inside, _) = self.half(child, !rightward);
            self.found.steps.push(Step::Attach { arc, siblings: modifiers, inside });
            self.note(Cell::Arc(head, child), start);
            let (outside, reach) = self.half(child, rightward);
            self.found.steps.push(Step::Complete { arc, inside, outside });
            end = reach;
            self.note(Cell::Half(head, end), start);
            modifiers = modifiers.with(Modifier { word: child as u32, label }, self.memory);
        }
        (modifiers, end)
    }

    fn note(&mut self, cell: Cell, start: usize) {
        self.found.nodes.push(Node { cell, steps: start..self.found.steps.len() });
    }
}
