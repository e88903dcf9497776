//! The likelihood of trees with parts of several arcs and its gradient, by the probabilities of all parts.
//!
//! What is maximised is the softmax margin (Gimpel & Smith 2010): every mistake has its cost added, so that
//!
//! ```text
//! score(gold) − log Σ exp(score(tree) + cost(tree))       over the projective trees that pruning left
//! ```
//!
//! Each arc has its best label under costs; gold arcs have their gold label in `score(gold)`. The gradient is the features of
//! gold minus the expected ones, and those differ in the few parts that are neither sure nor out of question.

use spantree_decode::{Heads, PartWords, RootMode};
use spantree_learn::SparseVector;

use super::{TreeProblem, TreeScratch};
use crate::feature::{Part, PartKind};
use crate::train::problem::Example;

/// Parts whose probability is as near to what gold says are left out of the gradient.
const NEGLIGIBLE: f32 = 1e-3;

impl TreeProblem {
    /// See the [module](self); −∞ if no projective tree is left, or gold has several roots.
    pub(super) fn part_likelihood(
        &self,
        w: &[f32],
        example: &Example,
        scratch: &mut TreeScratch,
        gradient: &mut SparseVector,
    ) -> f64 {
        self.score(w, example, scratch);
        self.complete(w, example, scratch);
        self.add_costs(w, example, scratch);
        let TreeScratch { score, decode, parts, probabilities, .. } = scratch;
        self.score_parts(w, example, (&score.scores, score), parts);
        let decoder = self.engine.decoder;
        let all = decoder.part_marginals(&parts.scores, decode, probabilities);
        let heads = Heads::from(scratch.gold(example).0.to_vec());
        let Some(all) = all.filter(|_| heads.is_legal(RootMode::One)) else {
            return f64::NEG_INFINITY;
        };
        let gold = scratch.parts.scores.tree_score(&heads);
        self.add_expected(example, scratch, gradient);
        gold - self.lost_by_labels(w, example, scratch) - all
    }

    /// By how much the labels that gold arcs have under costs score more than the gold ones.
    fn lost_by_labels(&self, w: &[f32], example: &Example, scratch: &mut TreeScratch) -> f64 {
        let mut lost = 0.0;
        for child in 1..=example.atoms.len() {
            let (heads, labels) = scratch.gold(example);
            let (head, gold) = (heads[child - 1] as usize, labels[child - 1]);
            let guess = label_under_costs(example, (head, child), scratch);
            if guess != gold {
                let mut score = |label| self.label_score(w, example, (head, child), label, scratch);
                let behind = score(guess) - score(gold);
                lost += f64::from(behind + self.costs.word(example, child, head, guess));
            }
        }
        lost
    }

    /// Adds the features of gold, less the expected ones.
    fn add_expected(&self, example: &Example, scratch: &TreeScratch, gradient: &mut SparseVector) {
        let heads = scratch.gold(example).0;
        scratch.probabilities.each_part(|words, probability| {
            let (kind, part) = part_of(words);
            let is_gold_arc = heads[part.child - 1] as usize == part.head;
            let Some(kind) = kind else {
                let arc = (part.head, part.child, is_gold_arc);
                return self.add_expected_arc(example, arc, probability, scratch, gradient);
            };
            let is_gold = is_gold_arc && Part::of(heads, part.child, kind) == part;
            let change = f32::from(u8::from(is_gold)) - probability;
            if change.abs() > NEGLIGIBLE && kind.applies_to(part) {
                let part = (part, scratch.parts.sides.labels(part));
                self.add_part(example, kind, part, change, scratch, gradient);
            }
        });
    }

    /// The same for an arc and its label.
    fn add_expected_arc(
        &self,
        example: &Example,
        (head, child, is_gold): (usize, usize, bool),
        probability: f32,
        scratch: &TreeScratch,
        gradient: &mut SparseVector,
    ) {
        let (arc, score) = ((head, child), &scratch.score);
        let change = f32::from(u8::from(is_gold)) - probability;
        if change.abs() > NEGLIGIBLE {
            self.add(example, score, arc, change, gradient);
        }
        let guess = label_under_costs(example, arc, scratch);
        let gold = scratch.gold(example).1[child - 1];
        let changes = match is_gold && gold != guess {
            true => [(gold, 1.0), (guess, -probability)],
            false => [(guess, change), (guess, 0.0)],
        };
        for label in changes.into_iter().filter(|(_, change)| change.abs() > NEGLIGIBLE) {
            self.add_label(example, score, arc, label, gradient);
        }
    }
}

/// The label of an arc after costs were added.
fn label_under_costs(
    example: &Example,
    (head, child): (usize, usize),
    scratch: &TreeScratch,
) -> u16 {
    match example.heads[child - 1] as usize == head {
        true => scratch.costly_labels[child - 1],
        false => scratch.score.best_label(head, child),
    }
}

/// A part with its kind; none for a single arc.
fn part_of(words: PartWords) -> (Option<PartKind>, Part) {
    let none = Part::default();
    match words {
        PartWords::Arc { head, child } => (None, Part { head, child, ..none }),
        PartWords::Sibling { head, inner, child } => {
            (Some(PartKind::Sibling), Part { head, inner, child, ..none })
        }
        PartWords::Grand { grand, head, child } => {
            (Some(PartKind::Grand), Part { grand, head, child, ..none })
        }
        PartWords::GrandSibling { grand, head, inner, child } => {
            (Some(PartKind::GrandSibling), Part { grand, head, inner, child, ..none })
        }
        PartWords::TriSibling { head, second, inner, child } => {
            let inner = Some(inner);
            (Some(PartKind::TriSibling), Part { head, second, inner, child, ..none })
        }
        PartWords::Outermost { head, child, side, below } => {
            (Some(PartKind::outermost(side)), Part { head, child, below, ..none })
        }
    }
}
