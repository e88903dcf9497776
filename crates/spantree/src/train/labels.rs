//! Learning the labels of finished trees: the structured problem whose answers are label sequences.
//!
//! The trees are gold, the cost of a wrong label is 1.

use spantree_learn::{CostMode, Problem, SparseVector, Structured};

use super::TrainConfig;
use super::problem::Example;
use super::support::Support;
use crate::feature::Between;
use crate::graph::Engine;
use crate::graph::relabel::{RelabelScratch, Relabeller};
use crate::graph::table::Table;

/// See the [module](self).
pub(super) struct LabelProblem {
    relabeller: Relabeller,
    bits: u32,
    support: Support,
}

#[derive(Debug, Default)]
pub(super) struct LabelScratch {
    relabel: RelabelScratch,
    between: Between,
}

impl LabelProblem {
    /// Sizes the table for the features of the gold labels.
    pub(super) fn new(engine: &Engine, examples: &[Example], config: &TrainConfig) -> Self {
        let (max_bits, all_features) = (config.max_label_bits, config.all_graph_features());
        let relabeller = engine.relabeller.clone();
        let (bits, support) = Support::fit(max_bits, all_features, |bits, support| {
            let problem =
                Self { relabeller: relabeller.clone(), bits, support: Support::default() };
            let mut scratch = LabelScratch::default();
            for example in examples {
                problem.visit(
                    example,
                    &example.labels,
                    &mut scratch,
                    |_, _| true,
                    |position| support.insert(position),
                );
            }
        });
        Self { relabeller, bits, support }
    }

    /// Binary logarithm of the number of weights.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// Calls `found` with the position of every feature of a labelling: those of a word when `wanted(word, None)`, those of
    /// a word and the sibling before when `wanted(word, Some(sibling))`, where the first child counts as its own sibling.
    fn visit(
        &self,
        example: &Example,
        labels: &[u16],
        scratch: &mut LabelScratch,
        wanted: impl Fn(usize, Option<usize>) -> bool,
        mut found: impl FnMut(u32),
    ) {
        let (atoms, relabel) = (&example.atoms, &mut scratch.relabel);
        relabel.neighbours.fill(&example.heads);
        scratch.between.fill(atoms.tags());
        for word in 1..=atoms.len() {
            let label = u32::from(labels[word - 1]);
            let head = relabel.neighbours.head(word);
            if wanted(word, None) {
                let (tree, positions) = (&relabel.neighbours, &mut relabel.positions);
                self.relabeller.positions(
                    self.bits,
                    atoms,
                    &scratch.between,
                    tree,
                    word,
                    positions,
                );
                positions.iter().for_each(|position| found(position ^ label));
            }
            let before = relabel.neighbours.left_sibling(word);
            if wanted(word, Some(before.unwrap_or(word))) {
                let before = before.map(|sibling| labels[sibling - 1]);
                let positions = self.relabeller.transitions(self.bits, atoms, (head, word), before);
                positions.iter().for_each(|position| found(position ^ label));
            }
        }
    }
}

impl Problem for LabelProblem {
    type Example = Example;
    type Scratch = LabelScratch;
}

impl Structured for LabelProblem {
    type Output = Vec<u16>;

    fn decode(
        &self,
        w: &[f32],
        example: &Example,
        cost: CostMode,
        scratch: &mut LabelScratch,
        guess: &mut Vec<u16>,
    ) {
        let gold = (cost == CostMode::Augmented).then_some(&example.labels[..]);
        scratch.between.fill(example.atoms.tags());
        let sentence = (&example.atoms, &scratch.between);
        self.relabeller.label(
            Table::new(w, 1.0),
            sentence,
            &example.heads,
            gold,
            &mut scratch.relabel,
            guess,
        );
    }

    fn difference(
        &self,
        example: &Example,
        guess: &Vec<u16>,
        scratch: &mut LabelScratch,
        delta: &mut SparseVector,
    ) {
        let gold = &example.labels;
        let wrong = |word: usize| gold[word - 1] != guess[word - 1];
        let wanted = |word, before: Option<usize>| wrong(word) || before.is_some_and(wrong);
        for (labels, value) in [(gold, 1.0), (guess, -1.0)] {
            self.visit(example, labels, scratch, wanted, |position| {
                if self.support.contains(position) {
                    delta.add(position, value);
                }
            });
        }
    }

    fn loss(&self, example: &Example, guess: &Vec<u16>) -> f32 {
        example.labels.iter().zip(guess).filter(|(gold, guess)| gold != guess).count() as f32
    }
}
