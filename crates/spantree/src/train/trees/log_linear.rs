//! The likelihood of trees and its gradient (McDonald, Satta 2007; Täckström, McDonald, Nivre 2013).
//!
//! `p(tree) = exp(score) / Z` over the trees of the decoder's space: inside–outside for projective trees, the matrix-tree
//! theorem for all trees, O(n³). A partial tree has the summed probability of the trees that agree with it,
//! `log Z(allowed) − log Z(all)`, and its gradient is the difference of two tables of arc marginals.
//! Labels take no part. Arcs that the filter rules out have no probability while the gold tree is complete.

use spantree_learn::{LogLinear, SparseVector};

use super::{TreeProblem, TreeScratch};
use crate::graph::scorer::UNSEEN;
use crate::train::problem::Example;

/// Arcs whose marginals differ by less are left out of the gradient: most arcs, and all their features.
const NEGLIGIBLE: f64 = 1e-4;

impl TreeProblem {
    /// Fills the marginals of the allowed trees and returns the logarithm of their sum.
    fn sum_allowed(&self, example: &Example, scratch: &mut TreeScratch) -> Option<f64> {
        if !example.has_all_heads() {
            self.restrict(example, scratch);
            let TreeScratch { decode, allowed, allowed_marginals, .. } = scratch;
            return self.engine.decoder.marginals(allowed, decode, allowed_marginals);
        }
        let TreeScratch { score, allowed_marginals, .. } = scratch;
        allowed_marginals.reset(example.heads.len(), 0.0);
        let mut sum = 0.0;
        for (child, &head) in (1..).zip(&example.heads) {
            allowed_marginals.set(head as usize, child, 1.0);
            sum += f64::from(score.scores.score(head as usize, child));
        }
        // A gold tree with several roots is outside the space.
        (example.heads.iter().filter(|&&head| head == 0).count() == 1).then_some(sum)
    }

    /// Forbids the arcs that the filter rules out, which would weigh nothing.
    fn forbid_unseen(scratch: &mut TreeScratch) {
        let scores = &mut scratch.score.scores;
        for child in 1..=scores.words() {
            for head in 0..=scores.words() {
                if scores.score(head, child) == UNSEEN {
                    scores.forbid(head, child);
                }
            }
        }
    }
}

impl LogLinear for TreeProblem {
    fn log_likelihood(
        &self,
        w: &[f32],
        example: &Example,
        scratch: &mut TreeScratch,
        gradient: &mut SparseVector,
    ) -> f64 {
        if self.parts.is_some() {
            return self.part_likelihood(w, example, scratch, gradient);
        }
        self.score(w, example, scratch);
        if example.has_all_heads() {
            Self::forbid_unseen(scratch);
        }
        let Some(allowed) = self.sum_allowed(example, scratch) else { return f64::NEG_INFINITY };
        let TreeScratch { score, decode, marginals, allowed_marginals, .. } = scratch;
        let Some(all) = self.engine.decoder.marginals(&score.scores, decode, marginals) else {
            return f64::NEG_INFINITY;
        };
        for child in 1..=example.atoms.len() {
            let rows = allowed_marginals.heads_of(child).iter().zip(marginals.heads_of(child));
            for (head, (allowed, all)) in rows.enumerate() {
                let change = allowed - all;
                if change.abs() > NEGLIGIBLE {
                    self.add(example, score, (head, child), change as f32, gradient);
                }
            }
        }
        allowed - all
    }
}
