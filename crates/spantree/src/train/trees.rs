//! Learning trees: the problem whose answers are trees, with joint labels where there are label templates.
//!
//! What each learner needs is in a file of its own: best trees in `margin`, constraints on single arcs in `factored`,
//! likelihoods in `log_linear`, places of a chart in `cube`. Arcs of the gold tree are always scored, whatever the filter says.
//! Weights: the arc table, the label table, and in higher orders the table of parts.
//!
//! **Partial trees.** A word whose HEAD is `_` may have any head, a word whose DEPREL is `_` any label. Learners that need a
//! gold tree take the best tree under the present weights that agrees with what is given ([`TreeProblem::complete`]); the
//! others sum over these trees or leave the word out. Some tree agrees with every example: see `data`.

mod cube;
mod expected;
mod factored;
mod log_linear;
mod margin;
mod parts;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use spantree_decode::{ArcScores, ArcTable, Heads, PartScores, Ranked};
use spantree_learn::{Problem, SparseVector};

use super::TrainConfig;
use super::cost::WordCosts;
use super::problem::{Example, FREE_HEAD, FREE_LABEL};
use super::support::Support;
use crate::feature::hash::position;
use crate::feature::{ArcShape, Atoms, direction_side};
use crate::graph::scorer::{ArcScorer, ArcWeights, ScoreScratch};
use crate::graph::table::{ArcGroups, Table, fold, group_position};
use crate::graph::{DecoderScratch, Engine, PartScratch};
pub(super) use cube::CubeProblem;
use parts::PartTable;

/// See the [module](self).
pub(super) struct TreeProblem {
    pub(super) engine: Engine,
    costs: WordCosts,
    arc_bits: u32,
    label_bits: u32,
    arc_support: Support,
    label_support: Support,
    /// `None` in first order.
    parts: Option<PartTable>,
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
    /// The gold tree of an example that lacks some of it.
    completed: LabelledTree,
    /// The scores of the trees that agree with what is given.
    allowed: ArcScores,
    /// Positions of the label features of one arc.
    positions: Vec<u32>,
    /// The label that a gold arc gets when wrong ones have their cost added.
    costly_labels: Vec<u16>,
    trees: Ranked<Heads>,
    marginals: ArcTable<f64>,
    allowed_marginals: ArcTable<f64>,
    parts: PartScratch,
    /// Of parts.
    probabilities: PartScores,
}

impl TreeScratch {
    /// Gold heads and labels, after [`TreeProblem::complete`].
    fn gold<'a>(&'a self, example: &'a Example) -> (&'a [u32], &'a [u16]) {
        match example.is_complete() {
            true => (&example.heads, &example.labels),
            false => (self.completed.heads.as_slice(), &self.completed.labels),
        }
    }
}

impl Problem for TreeProblem {
    type Example = Example;
    type Scratch = TreeScratch;
}

impl TreeProblem {
    /// Sizes the tables for the features of the gold trees.
    pub(super) fn new(
        engine: Engine,
        costs: WordCosts,
        examples: &[Example],
        config: &TrainConfig,
    ) -> Self {
        let &TrainConfig { max_bits, max_label_bits, .. } = config;
        let all_features = config.all_graph_features();
        let scorer = &engine.scorer;
        let (arc_bits, arc_support) = Support::fit(max_bits, all_features, |bits, support| {
            each_gold_arc(scorer, examples, |atoms, scratch, arc, _| {
                arc_positions(scorer, bits, atoms, scratch, arc, |position| {
                    support.insert(position);
                });
            });
        });
        let (label_bits, label_support) =
            Support::fit(max_label_bits, all_features, |bits, support| {
                each_gold_arc(scorer, examples, |atoms, scratch, arc, label| {
                    if label != FREE_LABEL {
                        label_positions(scorer, bits, atoms, scratch, arc, |position| {
                            support.insert(position ^ u32::from(label));
                        });
                    }
                });
            });
        let parts = engine.higher.as_ref();
        let parts = parts.map(|higher| {
            PartTable::fit((higher, engine.decoder), examples, (max_bits, all_features))
        });
        Self { engine, costs, arc_bits, label_bits, arc_support, label_support, parts }
    }

    /// Number of weights.
    pub(super) fn weights(&self) -> usize {
        let parts = self.parts.as_ref().map_or(0, PartTable::weights);
        (1 << self.arc_bits) + (1 << self.label_bits) + parts
    }

    /// The weights of arcs, of labels and of parts.
    pub(super) fn split<'a>(&self, w: &'a [f32]) -> [&'a [f32]; 3] {
        let (arcs, rest) = w.split_at(1 << self.arc_bits);
        let (labels, parts) = rest.split_at(1 << self.label_bits);
        [arcs, labels, parts]
    }

    /// The arc weights as a model holds them.
    pub(super) fn model_arcs<'a>(&self, arcs: &'a [f32]) -> Cow<'a, [f32]> {
        if self.engine.scorer.arcs.follow_direction_only() {
            Cow::Owned(fold(arcs))
        } else {
            Cow::Borrowed(arcs)
        }
    }

    /// Fills the table of scores, without costs.
    fn score(&self, w: &[f32], example: &Example, scratch: &mut TreeScratch) {
        let [arcs, labels, _] = self.split(w);
        let weights =
            ArcWeights { arcs: ArcGroups::new(arcs, 1.0, false), labels: Table::new(labels, 1.0) };
        scratch.score.candidates.clone_from(&example.candidates);
        self.engine.scorer.prepare(&example.atoms, &mut scratch.score);
        self.engine.scorer.score(weights, &example.atoms, Some(&example.heads), &mut scratch.score);
    }

    /// Leaves the scores of the trees that agree with the given heads in `scratch.allowed`.
    fn restrict(&self, example: &Example, scratch: &mut TreeScratch) {
        scratch.allowed.copy_from(&scratch.score.scores);
        for (index, &head) in example.heads.iter().enumerate().filter(|gold| *gold.1 != FREE_HEAD) {
            scratch.allowed.require(head as usize, index + 1);
        }
    }

    /// Finds the gold tree of a partial example: the best one that agrees with it.
    fn complete(&self, w: &[f32], example: &Example, scratch: &mut TreeScratch) {
        if example.is_complete() {
            return;
        }
        self.restrict(example, scratch);
        let TreeScratch { score, decode, parts, completed, allowed, .. } = scratch;
        self.search(w, example, (allowed, score), (decode, parts), &mut completed.heads);
        let label = |((head, child), &given): ((usize, usize), &u16)| match given {
            FREE_LABEL => score.best_label(head, child),
            given => given,
        };
        completed.labels.clear();
        completed.labels.extend(completed.heads.arcs().zip(&example.labels).map(label));
    }

    /// Adds the features of an arc, `value` times.
    fn add(
        &self,
        example: &Example,
        scratch: &ScoreScratch<f32>,
        arc: (usize, usize),
        value: f32,
        delta: &mut SparseVector,
    ) {
        let scorer = &self.engine.scorer;
        arc_positions(scorer, self.arc_bits, &example.atoms, scratch, arc, |position| {
            if self.arc_support.contains(position) {
                delta.add(position, value);
            }
        });
    }

    /// Adds the features of a label on an arc, `value` times.
    fn add_label(
        &self,
        example: &Example,
        scratch: &ScoreScratch<f32>,
        arc: (usize, usize),
        (label, value): (u16, f32),
        delta: &mut SparseVector,
    ) {
        let scorer = &self.engine.scorer;
        label_positions(scorer, self.label_bits, &example.atoms, scratch, arc, |position| {
            let position = position ^ u32::from(label);
            if self.label_support.contains(position) {
                delta.add((1 << self.arc_bits) + position, value);
            }
        });
    }
}

/// Visits the arcs that are given.
fn each_gold_arc(
    scorer: &ArcScorer,
    examples: &[Example],
    mut visit: impl FnMut(&Atoms, &ScoreScratch<f32>, (usize, usize), u16),
) {
    let mut scratch = ScoreScratch::<f32>::default();
    for example in examples {
        scorer.prepare(&example.atoms, &mut scratch);
        for (index, (&head, &label)) in example.heads.iter().zip(&example.labels).enumerate() {
            if head != FREE_HEAD {
                visit(&example.atoms, &scratch, (head as usize, index + 1), label);
            }
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
    let sentence = (atoms, &scratch.between);
    scorer.arcs.features(sentence, &scratch.arc_sides, (head, child), |feature| {
        for (turn, place) in feature.copies.places(shape) {
            found(group_position(feature.sum.wrapping_add(turn), place, bits));
        }
    });
}

/// The positions of the label features of an arc; the weight of label `l` is at position XOR `l`.
fn label_positions(
    scorer: &ArcScorer,
    bits: u32,
    atoms: &Atoms,
    scratch: &ScoreScratch<f32>,
    (head, child): (usize, usize),
    mut found: impl FnMut(u32),
) {
    let turn = direction_side(head > child);
    let sentence = (atoms, &scratch.between);
    scorer.labels.features(sentence, &scratch.label_sides, (head, child), |feature| {
        let turn = if feature.copies.direction { turn } else { 0 };
        found(position(feature.sum.wrapping_add(turn), bits));
    });
}
