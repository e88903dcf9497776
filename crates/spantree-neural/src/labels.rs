//! The scorer of labels of given arcs, bilinear of low rank.
//!
//! Every row has a vector `d` as a child and a vector `e` as a head, both of width `w`; the scores of all labels are a linear
//! layer over `[d ⊙ e | d | e]`. With `d = D x` and `e = E y` the first part is `x · Dᵀ diag(v) E · y` for each label: a
//! bilinear form of rank `w` whose factors all labels share. O(w · labels) per arc.

use crate::arcs::Sides;
use crate::linear::{Linear, PackedLinear, Places, Rows};
use crate::product::ProductScratch;
use crate::random::Rng;
use crate::real::Real;

/// The layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct LabelScorer {
    width: usize,
    linear: Linear,
}

/// What the forward pass leaves.
#[derive(Clone, Debug, Default)]
pub struct LabelTrace<T> {
    /// `[d ⊙ e | d | e]` by row.
    pairs: Vec<T>,
    /// Scores by row and label.
    pub scores: Vec<T>,
}

impl LabelScorer {
    /// A scorer of vectors of this width, with places for its parameters.
    #[must_use]
    pub fn new(width: usize, labels: usize, places: &mut Places) -> Self {
        Self { width, linear: Linear::new(3 * width, labels, places) }
    }

    /// Random weights.
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        self.linear.initialise(parameters, rng);
    }

    /// Packs the weights.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedLinear<T>) {
        self.linear.pack(parameters, backward, packed);
    }

    /// Scores the labels of the arcs from row `heads[row]` to each `row`.
    pub fn forward<T: Real>(
        &self,
        parameters: &[T],
        packed: &PackedLinear<T>,
        sides: Sides<'_, T>,
        heads: &[usize],
        trace: &mut LabelTrace<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        let LabelTrace { pairs, scores } = trace;
        pairs.clear();
        for (row, &head) in heads.iter().enumerate() {
            let (d, e) = self.arc(sides, row, head);
            pairs.extend(d.iter().zip(e).map(|(&d, &e)| d * e));
            pairs.extend_from_slice(d);
            pairs.extend_from_slice(e);
        }
        self.linear.forward(parameters, packed, self.rows(pairs), scores, scratch);
    }

    /// Adds the gradients of the parameters to `gradient` and those of the vectors to `dsides`, laid out as `sides`.
    pub fn backward<T: Real>(
        &self,
        packed: &PackedLinear<T>,
        (sides, heads): (Sides<'_, T>, &[usize]),
        trace: &LabelTrace<T>,
        dscores: &[T],
        (gradient, dsides): (&mut [T], &mut [T]),
        scratch: &mut ProductScratch<T>,
    ) {
        let width = self.width;
        let mut dpairs = vec![T::ZERO; trace.pairs.len()];
        let pairs = self.rows(&trace.pairs);
        self.linear.backward(packed, pairs, dscores, gradient, &mut dpairs, scratch);
        for ((row, &head), dpair) in heads.iter().enumerate().zip(dpairs.chunks_exact(3 * width)) {
            let (d, e) = self.arc(sides, row, head);
            let (child, head) = (row * sides.step + sides.child, head * sides.step + sides.head);
            for i in 0..width {
                dsides[child + i] += dpair[i] * e[i] + dpair[width + i];
                dsides[head + i] += dpair[i] * d[i] + dpair[2 * width + i];
            }
        }
    }

    /// The vectors of the child and the head of an arc.
    fn arc<'a, T: Real>(
        &self,
        sides: Sides<'a, T>,
        child: usize,
        head: usize,
    ) -> (&'a [T], &'a [T]) {
        let vector = |row: usize, column: usize| {
            let start = row * sides.step + column;
            &sides.data[start..start + self.width]
        };
        (vector(child, sides.child), vector(head, sides.head))
    }

    fn rows<'a, T>(&self, pairs: &'a [T]) -> Rows<'a, T> {
        let step = self.linear.inputs;
        Rows { data: pairs, rows: pairs.len() / step, step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn gradients_equal_finite_differences() {
        let mut places = Places::default();
        let layer = LabelScorer::new(9, 3, &mut places);
        let heads = [0, 0, 1, 1];
        let step = 20;
        let point = random(places.used() + 4 * step);
        let judge = random(4 * 3);
        let mut packed = PackedLinear::default();
        let mut scratch = ProductScratch::default();
        check_gradient(&point, |point, gradient| {
            let (parameters, data) = point.split_at(places.used());
            layer.pack(parameters, true, &mut packed);
            let sides = Sides { data, step, child: 1, head: 10 };
            let mut trace = LabelTrace::default();
            layer.forward(parameters, &packed, sides, &heads, &mut trace, &mut scratch);
            let (dp, dx) = gradient.split_at_mut(places.used());
            layer.backward(&packed, (sides, &heads), &trace, &judge, (dp, dx), &mut scratch);
            trace.scores.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }
}
