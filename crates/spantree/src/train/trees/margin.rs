//! Best trees, with and without costs: what the perceptron, MIRA and passive-aggressive learners ask for.

use spantree_learn::{CostMode, KBest, SparseVector, Structured};

use super::{LabelledTree, TreeProblem, TreeScratch, label_positions};
use crate::graph::table::Table;
use crate::train::problem::{Example, FREE_HEAD};

impl TreeProblem {
    /// Adds its cost to every wrong arc. A gold arc gets what its best label scores when wrong ones have their cost added,
    /// and that label is kept in `scratch.costly_labels`.
    pub(super) fn add_costs(&self, w: &[f32], example: &Example, scratch: &mut TreeScratch) {
        let n = example.atoms.len();
        scratch.costly_labels.clear();
        scratch.costly_labels.resize(n, 0);
        for child in 1..=n {
            let (head, label) = (example.heads[child - 1], example.labels[child - 1]);
            if head == FREE_HEAD {
                continue;
            }
            let head = head as usize;
            let cost = self.costs.head(label);
            for other in (0..=n).filter(|&other| other != head) {
                scratch.score.scores.add(other, child, cost);
            }
            let (costly, gain) = self.costly_label(w, example, (head, child), scratch);
            scratch.costly_labels[child - 1] = costly;
            scratch.score.scores.add(head, child, gain);
        }
    }

    /// The best label of a gold arc when wrong labels have their cost added, and how much it gains over the best without.
    fn costly_label(
        &self,
        w: &[f32],
        example: &Example,
        (head, child): (usize, usize),
        scratch: &mut TreeScratch,
    ) -> (u16, f32) {
        let gold = example.labels[child - 1];
        let cost = self.costs.label(gold);
        let best = scratch.score.best_label(head, child);
        if cost == 0.0 {
            return (best, 0.0);
        }
        let (scorer, tags) = (&self.engine.scorer, example.atoms.tags());
        let (positions, bits) = (&mut scratch.positions, self.label_bits);
        positions.clear();
        label_positions(scorer, bits, &example.atoms, &scratch.score, (head, child), |position| {
            positions.push(position);
        });
        let table = Table::new(self.split(w)[1], 1.0);
        let score = |label: u16| table.sum(positions, u32::from(label));
        let mut costly = (best, f32::NEG_INFINITY);
        for &label in scorer.label_filter.allowed(tags[head], tags[child], head > child) {
            let score = score(label) + if label == gold { 0.0 } else { cost };
            if score > costly.1 {
                costly = (label, score);
            }
        }
        (costly.0, (costly.1 - score(best)).max(0.0))
    }
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
        self.score(w, example, scratch);
        self.complete(w, example, scratch);
        if cost == CostMode::Augmented {
            self.add_costs(w, example, scratch);
        }
        // Every arc has a finite score, so there is a tree.
        let TreeScratch { score, decode, parts, .. } = scratch;
        self.search(w, example, (&score.scores, score), (decode, parts), &mut guess.heads);
        guess.labels.clear();
        guess.labels.extend(guess.heads.arcs().map(|(head, child)| {
            let is_gold = example.heads[child - 1] as usize == head;
            match cost {
                CostMode::Augmented if is_gold => scratch.costly_labels[child - 1],
                _ => scratch.score.best_label(head, child),
            }
        }));
    }

    fn difference(
        &self,
        example: &Example,
        guess: &LabelledTree,
        scratch: &mut TreeScratch,
        delta: &mut SparseVector,
    ) {
        let (heads, labels) = scratch.gold(example);
        self.add_part_difference(example, (heads, guess.heads.as_slice()), scratch, delta);
        let gold = heads.iter().zip(labels);
        for (((guess_head, child), &guess_label), (&head, &label)) in
            guess.heads.arcs().zip(&guess.labels).zip(gold)
        {
            let (gold_arc, guess_arc) = ((head as usize, child), (guess_head, child));
            if gold_arc != guess_arc {
                self.add(example, &scratch.score, gold_arc, 1.0, delta);
                self.add(example, &scratch.score, guess_arc, -1.0, delta);
            }
            if (gold_arc, label) != (guess_arc, guess_label) {
                self.add_label(example, &scratch.score, gold_arc, (label, 1.0), delta);
                self.add_label(example, &scratch.score, guess_arc, (guess_label, -1.0), delta);
            }
        }
    }

    fn loss(&self, example: &Example, guess: &LabelledTree) -> f32 {
        let words = guess.heads.arcs().zip(&guess.labels);
        words.map(|((head, child), &label)| self.costs.word(example, child, head, label)).sum()
    }
}

impl KBest for TreeProblem {
    /// The k best trees, each with its best labels.
    fn k_best(
        &self,
        w: &[f32],
        example: &Example,
        k: usize,
        scratch: &mut TreeScratch,
        guesses: &mut Vec<LabelledTree>,
    ) {
        self.score(w, example, scratch);
        self.complete(w, example, scratch);
        let TreeScratch { score, decode, parts, trees, .. } = scratch;
        match self.score_parts(w, example, (&score.scores, score), parts) {
            true => self.engine.decoder.k_best(&parts.scores, k, decode, trees),
            false => self.engine.decoder.k_best(&score.scores, k, decode, trees),
        }
        guesses.resize_with(trees.len(), LabelledTree::default);
        for (guess, (heads, _)) in guesses.iter_mut().zip(trees.iter()) {
            guess.heads.clone_from(heads);
            guess.labels.clear();
            guess.labels.extend(heads.arcs().map(|(head, child)| score.best_label(head, child)));
        }
    }
}
