//! One constraint per word and rival head: what factored MIRA asks for (McDonald, Crammer, Pereira 2006, §3.2.3).
//!
//! The gold head must score more than any other head, by the cost of a wrong one. Labels take no part: constraint number
//! `(child − 1) (n + 1) + head` is about the bare arc. Words without a gold head have no constraints, nor have arcs that the
//! filter rules out.

use spantree_learn::{Factored, SparseVector};

use super::{TreeProblem, TreeScratch};
use crate::train::problem::{Example, FREE_HEAD};

impl Factored for TreeProblem {
    fn constraints(&self, example: &Example, scratch: &mut TreeScratch) -> usize {
        self.engine.scorer.prepare(&example.atoms, &mut scratch.score);
        let n = example.atoms.len();
        n * (n + 1)
    }

    fn constraint(
        &self,
        example: &Example,
        index: usize,
        scratch: &mut TreeScratch,
        delta: &mut SparseVector,
    ) -> f32 {
        let n = example.atoms.len();
        let (child, rival) = (index / (n + 1) + 1, index % (n + 1));
        let (head, label) = (example.heads[child - 1], example.labels[child - 1]);
        let seen = self.engine.scorer.arc_filter.allows(example.atoms.tags(), rival, child);
        if head == FREE_HEAD || rival == child || rival == head as usize || !seen {
            return 0.0;
        }
        self.add(example, &scratch.score, (head as usize, child), 1.0, delta);
        self.add(example, &scratch.score, (rival, child), -1.0, delta);
        self.costs.head(label)
    }
}
