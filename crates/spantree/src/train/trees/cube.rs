//! Learning for cube pruning: what is corrected are places of the chart where gold falls behind most (Zhang et al. 2013).
//!
//! The answer of a search that is not exact may score less than gold, so that learning from whole trees would go astray; see
//! [`CubePruning::violation`](spantree_decode::CubePruning::violation). A learner takes the violation for an answer: its loss is
//! the cost of its arcs, and the difference is that of the steps.

use spantree_decode::cube::{LabelledArc, Step, Update, Violation};
use spantree_decode::{CubeScratch, Heads};
use spantree_learn::{CostMode, Problem, SparseVector, Structured};

use super::{TreeProblem, TreeScratch, label_positions};
use crate::graph::cube::{ArcLabels, StepScorer, each_part};
use crate::graph::table::Table;
use crate::train::problem::Example;

/// The same trees as those of a [`TreeProblem`], found by cube pruning.
pub(in crate::train) struct CubeProblem<'a> {
    pub(in crate::train) trees: &'a TreeProblem,
    pub(in crate::train) update: Update,
}

#[derive(Debug, Default)]
pub(in crate::train) struct CubeLearning {
    tree: TreeScratch,
    labels: ArcLabels,
    search: CubeScratch,
}

impl Problem for CubeProblem<'_> {
    type Example = Example;
    type Scratch = CubeLearning;
}

impl CubeProblem<'_> {
    /// Lists the labels of the candidates, the gold label among those of a gold arc.
    fn list_labels(&self, w: &[f32], example: &Example, scratch: &mut CubeLearning) {
        let problem = self.trees;
        let (scorer, table) = (&problem.engine.scorer, Table::new(problem.split(w)[1], 1.0));
        let CubeLearning { tree, labels, .. } = scratch;
        let gold: Vec<_> = {
            let (heads, labels) = tree.gold(example);
            heads.iter().copied().zip(labels.iter().copied()).collect()
        };
        let words = example.atoms.len();
        labels.reset(words);
        let mut list = Vec::new();
        for (child, &(gold_head, gold_label)) in (1..).zip(&gold) {
            let is_left = |&head: &usize| head != child && example.candidates.contains(head, child);
            for head in (0..=words).filter(is_left) {
                scorer.top_labels(table, &example.atoms, &mut tree.score, (head, child), &mut list);
                list.truncate(problem.engine.cube.labels);
                let is_gold = head == gold_head as usize;
                if is_gold && list.iter().all(|label| label.0 != gold_label) {
                    let score = problem.label_score(w, example, (head, child), gold_label, tree);
                    list.push((gold_label, score));
                }
                labels.set(head, child, &list);
            }
        }
    }
}

impl Structured for CubeProblem<'_> {
    type Output = Violation;

    fn decode(
        &self,
        w: &[f32],
        example: &Example,
        cost: CostMode,
        scratch: &mut CubeLearning,
        guess: &mut Violation,
    ) {
        let problem = self.trees;
        let Some(higher) = &problem.engine.higher else {
            *guess = Violation::default();
            return;
        };
        problem.score(w, example, &mut scratch.tree);
        problem.complete(w, example, &mut scratch.tree);
        self.list_labels(w, example, scratch);
        let CubeLearning { tree, labels, search } = scratch;
        higher.templates.sides(&example.atoms, &[], &mut tree.parts.sides);
        let model = StepScorer {
            higher,
            table: Table::new(problem.split(w)[2], 1.0),
            sentence: (&example.atoms, &tree.score.between),
            sides: &tree.parts.sides,
            arcs: &tree.score.scores,
            labels,
            cost: |arc: LabelledArc| match cost {
                CostMode::Augmented => problem.costs.word(example, arc.child, arc.head, arc.label),
                CostMode::Plain => 0.0,
            },
        };
        let (heads, gold_labels) = tree.gold(example);
        let gold = Heads::from(heads.to_vec());
        let gold = (&gold, gold_labels);
        let pruning = problem.engine.cube.search(&higher.templates);
        let found = pruning.violation(&model, gold, self.update, search);
        *guess = found.unwrap_or_default();
    }

    fn difference(
        &self,
        example: &Example,
        guess: &Violation,
        scratch: &mut CubeLearning,
        delta: &mut SparseVector,
    ) {
        let Violation { guess, gold, .. } = guess;
        for (steps, others, value) in [(gold, guess, 1.0), (guess, gold, -1.0)] {
            for step in steps.iter().filter(|step| !others.contains(step)) {
                self.add_step(example, step, value, scratch, delta);
            }
        }
    }

    fn loss(&self, example: &Example, guess: &Violation) -> f32 {
        let cost = |step: &Step| match *step {
            Step::Attach { arc, .. } => {
                self.trees.costs.word(example, arc.child, arc.head, arc.label)
            }
            Step::Complete { .. } => 0.0,
        };
        guess.guess.iter().map(cost).sum()
    }
}

impl CubeProblem<'_> {
    /// Adds the features of a step, `value` times.
    fn add_step(
        &self,
        example: &Example,
        step: &Step,
        value: f32,
        scratch: &CubeLearning,
        delta: &mut SparseVector,
    ) {
        let (problem, tree) = (self.trees, &scratch.tree);
        if let Step::Attach { arc, .. } = *step {
            let ends = (arc.head, arc.child);
            problem.add(example, &tree.score, ends, value, delta);
            problem.add_label(example, &tree.score, ends, (arc.label, value), delta);
        }
        each_part(step, |kind, part| problem.add_part(example, kind, part, value, tree, delta));
    }
}

impl TreeProblem {
    /// The score of one label of an arc.
    pub(super) fn label_score(
        &self,
        w: &[f32],
        example: &Example,
        arc: (usize, usize),
        label: u16,
        scratch: &mut TreeScratch,
    ) -> f32 {
        let TreeScratch { positions, score, .. } = scratch;
        positions.clear();
        let scorer = &self.engine.scorer;
        label_positions(scorer, self.label_bits, &example.atoms, score, arc, |position| {
            positions.push(position);
        });
        Table::new(self.split(w)[1], 1.0).sum(positions, u32::from(label))
    }
}
