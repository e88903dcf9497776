//! Learning trees: the structured problem whose answers are trees with joint labels.
//!
//! The cost of a wrong head is 1, of a wrong label on a right arc ½. Arcs of the gold tree are always scored, whatever the
//! filter says. Weights: the arc table, then the label table.

use std::borrow::Cow;

use spantree_decode::Heads;
use spantree_learn::{CostMode, Problem, SparseVector, Structured};

use super::problem::Example;
use super::support::Support;
use crate::feature::hash::position;
use crate::feature::{ArcShape, Atoms, direction_side};
use crate::graph::scorer::{ArcScorer, ArcWeights, Gold, ScoreScratch};
use crate::graph::table::{ArcGroups, Table, fold, group_position};
use crate::graph::{DecoderScratch, Engine};

/// See the [module](self).
pub(super) struct TreeProblem {
    pub(super) engine: Engine,
    arc_bits: u32,
    label_bits: u32,
    arc_support: Support,
    label_support: Support,
}

/// A tree with joint labels.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelledTree {
    heads: Heads,
    labels: Vec<u16>,
}

#[derive(Debug, Default)]
pub(super) struct TreeScratch {
    score: ScoreScratch<f32>,
    decode: DecoderScratch,
}

impl TreeProblem {
    /// Sizes the tables for the features of the gold trees.
    pub(super) fn new(engine: Engine, examples: &[Example], max_bits: u32) -> Self {
        let scorer = &engine.scorer;
        let (arc_bits, arc_support) = Support::fit(max_bits, |bits, support| {
            each_gold_arc(scorer, examples, |atoms, scratch, (head, child), _| {
                arc_positions(scorer, bits, atoms, scratch, (head, child), |position| {
                    support.insert(position);
                });
            });
        });
        let (label_bits, label_support) = Support::fit(max_bits - 1, |bits, support| {
            each_gold_arc(scorer, examples, |atoms, scratch, (head, child), label| {
                label_positions(scorer, bits, atoms, scratch, (head, child), label, |position| {
                    support.insert(position);
                });
            });
        });
        Self { engine, arc_bits, label_bits, arc_support, label_support }
    }

    /// Number of weights.
    pub(super) fn weights(&self) -> usize {
        (1 << self.arc_bits) + (1 << self.label_bits)
    }

    /// The arc weights and the label weights.
    pub(super) fn split<'a>(&self, w: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        w.split_at(1 << self.arc_bits)
    }

    /// The arc weights as a model holds them.
    pub(super) fn model_arcs<'a>(&self, arcs: &'a [f32]) -> Cow<'a, [f32]> {
        if self.engine.scorer.arcs.follow_direction_only() {
            Cow::Owned(fold(arcs))
        } else {
            Cow::Borrowed(arcs)
        }
    }

    fn add(
        &self,
        example: &Example,
        scratch: &ScoreScratch<f32>,
        arc: (usize, usize),
        value: f32,
        delta: &mut SparseVector,
    ) {
        arc_positions(
            &self.engine.scorer,
            self.arc_bits,
            &example.atoms,
            scratch,
            arc,
            |position| {
                if self.arc_support.contains(position) {
                    delta.add(position, value);
                }
            },
        );
    }

    fn add_label(
        &self,
        example: &Example,
        scratch: &ScoreScratch<f32>,
        arc: (usize, usize),
        (label, value): (u16, f32),
        delta: &mut SparseVector,
    ) {
        label_positions(
            &self.engine.scorer,
            self.label_bits,
            &example.atoms,
            scratch,
            arc,
            label,
            |position| {
                if self.label_support.contains(position) {
                    delta.add((1 << self.arc_bits) + position, value);
                }
            },
        );
    }
}

impl Problem for TreeProblem {
    type Example = Example;
    type Scratch = TreeScratch;
}

impl Structured for TreeProblem {
    type Output = LabelledTree;

    fn decode(
        &self,
        w: &[f32],
        example: &Example,
        cost: CostMode,
        scratch: &mut TreeScratch,
        guess: &mut LabelledTree,
    ) {
        let scorer = &self.engine.scorer;
        let (arcs, labels) = self.split(w);
        let weights =
            ArcWeights { arcs: ArcGroups::new(arcs, 1.0, false), labels: Table::new(labels, 1.0) };
        let gold = Gold {
            heads: &example.heads,
            labels: &example.labels,
            cost: cost == CostMode::Augmented,
        };
        scorer.prepare(&example.atoms, &mut scratch.score);
        scorer.score(weights, &example.atoms, Some(gold), &mut scratch.score);
        // Every arc has a finite score, so there is a tree.
        self.engine.decoder.decode(&scratch.score.scores, &mut scratch.decode, &mut guess.heads);
        guess.labels.clear();
        guess
            .labels
            .extend(guess.heads.arcs().map(|(head, child)| scratch.score.best_label(head, child)));
    }

    fn difference(
        &self,
        example: &Example,
        guess: &LabelledTree,
        scratch: &mut TreeScratch,
        delta: &mut SparseVector,
    ) {
        for ((guess_head, child), &guess_label) in guess.heads.arcs().zip(&guess.labels) {
            let (head, label) = (example.heads[child - 1] as usize, example.labels[child - 1]);
            if head != guess_head {
                self.add(example, &scratch.score, (head, child), 1.0, delta);
                self.add(example, &scratch.score, (guess_head, child), -1.0, delta);
            }
            if (head, label) != (guess_head, guess_label) {
                self.add_label(example, &scratch.score, (head, child), (label, 1.0), delta);
                self.add_label(
                    example,
                    &scratch.score,
                    (guess_head, child),
                    (guess_label, -1.0),
                    delta,
                );
            }
        }
    }

    fn loss(&self, example: &Example, guess: &LabelledTree) -> f32 {
        let label_cost = if self.engine.scorer.labels.is_empty() { 0.0 } else { 0.5 };
        let words = guess.heads.arcs().zip(&guess.labels);
        let cost = |((head, child), &label): ((usize, usize), &u16)| {
            if head != example.heads[child - 1] as usize {
                1.0
            } else if label != example.labels[child - 1] {
                label_cost
            } else {
                0.0
            }
        };
        words.map(cost).sum()
    }
}

fn each_gold_arc(
    scorer: &ArcScorer,
    examples: &[Example],
    mut visit: impl FnMut(&Atoms, &ScoreScratch<f32>, (usize, usize), u16),
) {
    let mut scratch = ScoreScratch::<f32>::default();
    for example in examples {
        scorer.prepare(&example.atoms, &mut scratch);
        for (index, (&head, &label)) in example.heads.iter().zip(&example.labels).enumerate() {
            visit(&example.atoms, &scratch, (head as usize, index + 1), label);
        }
    }
}

fn arc_positions(
    scorer: &ArcScorer,
    bits: u32,
    atoms: &Atoms,
    scratch: &ScoreScratch<f32>,
    (head, child): (usize, usize),
    mut found: impl FnMut(u32),
) {
    let shape = ArcShape::new(head, child);
    scorer.arcs.features(atoms, &scratch.between, &scratch.arc_sides, (head, child), |feature| {
        for (turn, place) in feature.copies.places(shape) {
            found(group_position(feature.sum.wrapping_add(turn), place, bits));
        }
    });
}

fn label_positions(
    scorer: &ArcScorer,
    bits: u32,
    atoms: &Atoms,
    scratch: &ScoreScratch<f32>,
    (head, child): (usize, usize),
    label: u16,
    mut found: impl FnMut(u32),
) {
    let turn = direction_side(head > child);
    scorer.labels.features(
        atoms,
        &scratch.between,
        &scratch.label_sides,
        (head, child),
        |feature| {
            let turn = if feature.copies.direction { turn } else { 0 };
            found(position(feature.sum.wrapping_add(turn), bits) ^ u32::from(label));
        },
    );
}
