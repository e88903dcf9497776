//! The way through a tree from one word to another: up to the lowest common ancestor, then down.

use std::fmt::Write;

use super::Tree;
use crate::sentence::Sentence;

/// One arc of a path, named by the word whose arc it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// From this word to its head.
    Up(u32),
    /// To this word from its head.
    Down(u32),
}

/// A path; empty when both ends are the same word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The arcs in the order of the walk.
    pub steps: Vec<Step>,
    /// The highest vertex on the way.
    pub top: u32,
}

impl Path {
    /// Number of arcs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether both ends are the same word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The labels with directions, such as `nsubj↑ obj↓`.
    #[must_use]
    pub fn labels(&self, sent: &Sentence) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let (word, arrow) = match *step {
                Step::Up(word) => (word, '↑'),
                Step::Down(word) => (word, '↓'),
            };
            let space = if text.is_empty() { "" } else { " " };
            // Writing to a String cannot fail.
            let _ = write!(text, "{space}{}{arrow}", sent.word(word).deprel());
        }
        text
    }
}

impl Tree {
    /// The path between two vertices.
    #[must_use]
    pub fn path(&self, from: u32, to: u32) -> Path {
        let top = self.lowest_common_ancestor(from, to);
        let climb = |start| {
            std::iter::successors(Some(start), |&v| Some(self.head(v)))
                .take_while(move |&v| v != top)
        };
        let mut steps: Vec<_> = climb(from).map(Step::Up).collect();
        let turn = steps.len();
        steps.extend(climb(to).map(Step::Down));
        steps[turn..].reverse();
        Path { steps, top }
    }
}
