//! The one derivation of a projective tree: its places in the chart, and the steps below each.

use std::ops::Range;

use super::chart::Cell;
use super::{LabelledArc, Memory, Modifier, Modifiers, Step, Update};
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

impl Derivation {
    /// The places to correct, given how far the search is ahead at each; those where it is behind do not count.
    pub(super) fn choose(&self, ahead: &[f64], update: Update) -> Vec<usize> {
        let is_level = |&place: &usize| ahead[place] >= 0.0;
        let largest = |one: &usize, other: &usize| ahead[*one].total_cmp(&ahead[*other]);
        let all = 0..self.nodes.len();
        match update {
            Update::Whole => all.last().filter(is_level).into_iter().collect(),
            Update::Node => all.filter(is_level).max_by(largest).into_iter().collect(),
            Update::Frontier => self.frontier(ahead).filter(is_level).collect(),
        }
    }

    /// The highest places at which the search is at least as far ahead as anywhere below.
    fn frontier(&self, ahead: &[f64]) -> impl Iterator<Item = usize> {
        let mut top: Vec<usize> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            // What is below comes before, and covers some of the same steps.
            let below =
                top.iter().rposition(|&other| self.nodes[other].steps.start < node.steps.start);
            let below = below.map_or(0, |last| last + 1);
            if top[below..].iter().all(|&other| ahead[other] <= ahead[place]) {
                top.truncate(below);
                top.push(place);
            }
        }
        top.into_iter()
    }
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
