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

use spantree_decode::{Heads, PartWords};
use spantree_learn::SparseVector;

use super::{TreeProblem, TreeScratch};
use crate::feature::{Part, PartKind};
use crate::train::problem::Example;

/// Parts whose probability is as near to what gold says are left out of the gradient.
const NEGLIGIBLE: f32 = 1e-3;

impl TreeProblem {
    /// See the [module](self); −∞ if no projective tree is left.
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
        let Some(all) = decoder.part_marginals(&parts.scores, decode, probabilities) else {
            return f64::NEG_INFINITY;
        };
        let heads = Heads::from(scratch.gold(example).0.to_vec());
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
            let costly = scratch.costly_labels[child - 1];
            if costly != gold {
                let mut score = |label| self.label_score(w, example, (head, child), label, scratch);
                lost += f64::from(score(costly) - score(gold) + self.costs.label(gold));
            }
        }
        lost
    }

    /// Adds the features of gold, less the expected ones.
    fn add_expected(&self, example: &Example, scratch: &TreeScratch, gradient: &mut SparseVector) {
        let (heads, labels) = scratch.gold(example);
        scratch.probabilities.each_part(|words, probability| {
            let (kind, part) = part_of(words);
            let is_gold_arc = heads[part.child - 1] as usize == part.head;
            let arc = (part.head, part.child);
            let Some(kind) = kind else {
                let change = f32::from(u8::from(is_gold_arc)) - probability;
                if change.abs() > NEGLIGIBLE {
                    self.add(example, &scratch.score, arc, change, gradient);
                }
                let (gold, guess) = match is_gold_arc {
                    true => (Some(labels[part.child - 1]), scratch.costly_labels[part.child - 1]),
                    false => (None, scratch.score.best_label(part.head, part.child)),
                };
                let changes = match gold == Some(guess) {
                    true => [(Some(guess), change), (None, 0.0)],
                    false => [(gold, 1.0), (Some(guess), -probability)],
                };
                for (label, change) in changes {
                    if let (Some(label), true) = (label, change.abs() > NEGLIGIBLE) {
                        self.add_label(example, &scratch.score, arc, (label, change), gradient);
                    }
                }
                return;
            };
            let is_gold = is_gold_arc && Part::of(heads, part.child, kind) == part;
            let change = f32::from(u8::from(is_gold)) - probability;
            if change.abs() > NEGLIGIBLE && kind.applies_to(part) {
                let part = (part, scratch.parts.sides.labels(part));
                self.add_part(example, kind, part, change, scratch, gradient);
            }
        });
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
