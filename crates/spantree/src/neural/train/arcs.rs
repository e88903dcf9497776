//! Losses of arc scores: how far the right heads are from being chosen.

use serde::{Deserialize, Serialize};
use spantree_decode::{ArcScores, ArcTable, Heads};
use spantree_neural::loss::cross_entropy;

use crate::graph::{Decoder, DecoderScratch};

/// What arcs are learned by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ArcLoss {
    /// Every word chooses its head by itself: cross-entropy per word.
    #[default]
    Heads,
    /// Trees with one root compete: −ln of the probability of all trees that have the given heads, by the matrix-tree
    /// theorem. The gradient is the difference of two sets of marginals. O(n³).
    Trees,
    /// The best tree must be right by a margin of one per wrong head: the structured hinge loss, by the best tree when wrong
    /// heads are worth one more (Taskar et al. 2005). O(n²). Of a partial tree, the best completion is taken for right.
    Hinge,
}

/// Computes a loss with its gradient.
#[derive(Debug)]
pub(super) struct ArcLearner {
    loss: ArcLoss,
    scores: ArcScores,
    decode: DecoderScratch,
    free: ArcTable<f64>,
    given: ArcTable<f64>,
    /// The tree that is wrong, and the one that is right.
    trees: [Heads; 2],
}

impl ArcLearner {
    pub(super) fn new(loss: ArcLoss) -> Self {
        Self {
            loss,
            scores: ArcScores::default(),
            decode: DecoderScratch::default(),
            free: ArcTable::new(0, 0.0),
            given: ArcTable::new(0, 0.0),
            trees: Default::default(),
        }
    }

    /// Returns the sum of the losses of some sentences with these heads and writes the gradient, times `weight`; the tables
    /// of scores and of gradients are those of [`Trace::arc_scores`](spantree_neural::Trace::arc_scores).
    pub(super) fn loss<'h>(
        &mut self,
        trees: impl Iterator<Item = &'h [Option<u32>]>,
        weight: f32,
        scores: &[f32],
        gradient: &mut Vec<f32>,
    ) -> f64 {
        gradient.clear();
        gradient.resize(scores.len(), 0.0);
        let (mut start, mut sum) = (0, 0.0);
        for heads in trees {
            let end = start + (heads.len() + 1) * (heads.len() + 1);
            let (scores, gradient) = (&scores[start..end], &mut gradient[start..end]);
            sum += match self.loss {
                ArcLoss::Heads => of_heads(heads, weight, scores, gradient),
                ArcLoss::Trees => self.of_trees(heads, weight, scores, gradient),
                ArcLoss::Hinge => self.hinge(heads, weight, scores, gradient),
            };
            start = end;
        }
        sum
    }

    fn of_trees(
        &mut self,
        heads: &[Option<u32>],
        weight: f32,
        scores: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let rows = heads.len() + 1;
        self.scores.reset(heads.len());
        self.scores.fill(|head, child| scores[child * rows + head]);
        let all = Decoder::Mst.marginals(&self.scores, &mut self.decode, &mut self.free);
        require(&mut self.scores, heads);
        let some = Decoder::Mst.marginals(&self.scores, &mut self.decode, &mut self.given);
        let (Some(all), Some(some)) = (all, some) else { return 0.0 };
        for child in 1..rows {
            let cells = &mut gradient[child * rows..][..rows];
            let probabilities = self.free.heads_of(child).iter().zip(self.given.heads_of(child));
            for (cell, (free, given)) in cells.iter_mut().zip(probabilities) {
                *cell = weight * (free - given) as f32;
            }
            cells[child] = 0.0;
        }
        all - some
    }

    fn hinge(
        &mut self,
        heads: &[Option<u32>],
        weight: f32,
        scores: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let rows = heads.len() + 1;
        self.scores.reset(heads.len());
        let is_wrong =
            |head: usize, child: usize| heads[child - 1].is_some_and(|gold| gold as usize != head);
        let cost = |head, child| if is_wrong(head, child) { 1.0 } else { 0.0 };
        self.scores.fill(|head, child| scores[child * rows + head] + cost(head, child));
        let [wrong, right] = &mut self.trees;
        let best = Decoder::Mst.decode(&self.scores, &mut self.decode, wrong);
        require(&mut self.scores, heads);
        let given = Decoder::Mst.decode(&self.scores, &mut self.decode, right);
        let (Some(best), Some(given)) = (best, given) else { return 0.0 };
        for (tree, sign) in [(wrong, weight), (right, -weight)] {
            for (head, child) in tree.arcs() {
                gradient[child * rows + head] += sign;
            }
        }
        best - given
    }
}

/// Allows only trees with these heads.
fn require(scores: &mut ArcScores, heads: &[Option<u32>]) {
    for (index, head) in heads.iter().enumerate() {
        if let Some(head) = *head {
            scores.require(head as usize, index + 1);
        }
    }
}

fn of_heads(heads: &[Option<u32>], weight: f32, scores: &[f32], gradient: &mut [f32]) -> f64 {
    let rows = heads.len() + 1;
    let tables = scores.chunks_exact(rows).zip(gradient.chunks_exact_mut(rows)).skip(1);
    let mut sum = 0.0;
    for (index, ((scores, gradient), head)) in tables.zip(heads).enumerate() {
        if let Some(head) = *head {
            sum += cross_entropy(scores, head as usize, Some(index + 1), weight, gradient);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use spantree_learn::Rng;

    use super::*;

    fn scores(rows: usize) -> Vec<f32> {
        let mut rng = Rng::new(rows as u64);
        (0..rows * rows).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect()
    }

    fn loss(kind: ArcLoss, heads: &[Option<u32>], scores: &[f32]) -> (f64, Vec<f32>) {
        let mut gradient = Vec::new();
        let sum = ArcLearner::new(kind).loss([heads].into_iter(), 1.0, scores, &mut gradient);
        (sum, gradient)
    }

    #[test]
    fn gradients_equal_finite_differences() {
        for kind in [ArcLoss::Heads, ArcLoss::Trees, ArcLoss::Hinge] {
            for heads in [&[Some(2), Some(0), Some(2)][..], &[None, Some(0), None]] {
                let mut point = scores(4);
                let (_, gradient) = loss(kind, heads, &point);
                for cell in 0..16 {
                    let (before, step) = (point[cell], 0.01);
                    point[cell] = before + step;
                    let above = loss(kind, heads, &point).0;
                    point[cell] = before - step;
                    let below = loss(kind, heads, &point).0;
                    point[cell] = before;
                    let expected = (above - below) / (2.0 * f64::from(step));
                    let error = (f64::from(gradient[cell]) - expected).abs();
                    assert!(error < 1e-4, "{kind:?} {cell}: {} {expected}", gradient[cell]);
                }
            }
        }
    }

    #[test]
    fn trees_without_given_heads_cost_nothing() {
        for kind in [ArcLoss::Trees, ArcLoss::Hinge] {
            let (sum, gradient) = loss(kind, &[None; 3], &scores(4));
            assert!(sum.abs() < 1e-12 && gradient.iter().all(|d| d.abs() < 1e-6), "{kind:?}");
        }
    }

    #[test]
    fn the_margin_is_one_per_wrong_head() {
        // The right tree 2 → 1, 0 → 2 wins by `lead` over the only other one, 0 → 1, 1 → 2.
        for (lead, expected) in [(-1.0, 3.0), (0.0, 2.0), (1.5, 0.5), (2.0, 0.0), (5.0, 0.0)] {
            let mut table = [0.0; 9];
            table[3 + 2] = lead;
            let (sum, gradient) = loss(ArcLoss::Hinge, &[Some(2), Some(0)], &table);
            assert!((sum - expected).abs() < 1e-6, "{lead}: {sum}");
            if expected > 0.0 {
                assert_eq!(gradient, [0.0, 0.0, 0.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0]);
            }
        }
    }

    #[test]
    fn the_only_tree_costs_nothing() {
        for kind in [ArcLoss::Trees, ArcLoss::Hinge] {
            let (sum, _) = loss(kind, &[Some(0)], &scores(2));
            assert!(sum.abs() < 1e-9, "{kind:?}: {sum}");
        }
    }
}
