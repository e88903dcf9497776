//! The bilinear scorer of labels of given arcs.
//!
//! Every row has a vector `d` as a child and a vector `e` as a head, of small width `w`; for label `l`,
//!
//! ```text
//! score(l) = d · W_l · e + a_l · e + b_l · d + c_l
//! ```
//! which is one linear layer from `d` to `w + 1` numbers per label, then a dot product with `[e | 1]`.

use crate::arcs::Sides;
use crate::linear::{Linear, PackedLinear, Places};
use crate::product::ProductScratch;
use crate::random::Rng;
use crate::real::Real;
use crate::simd::{self, Kernel};

/// The layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct LabelScorer {
    width: usize,
    labels: usize,
    linear: Linear,
}

/// What the forward pass leaves.
#[derive(Clone, Debug, Default)]
pub struct LabelTrace<T> {
    /// `w + 1` numbers per row and label.
    forms: Vec<T>,
    /// Scores by row and label.
    pub scores: Vec<T>,
}

impl LabelScorer {
    /// A scorer of vectors of this width, with places for its parameters.
    #[must_use]
    pub fn new(width: usize, labels: usize, places: &mut Places) -> Self {
        Self { width, labels, linear: Linear::new(width, labels * (width + 1), places) }
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
        let LabelTrace { forms, scores } = trace;
        self.linear.forward(parameters, packed, sides.children(), forms, scratch);
        scores.clear();
        scores.resize(heads.len() * self.labels, T::ZERO);
        simd::run(Dots { width: self.width, labels: self.labels, sides, heads, forms, scores });
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
        let mut dforms = Vec::with_capacity(trace.forms.len());
        let forms = trace.forms.chunks_exact(self.labels * (width + 1));
        for ((forms, &head), dscores) in forms.zip(heads).zip(dscores.chunks_exact(self.labels)) {
            let place = head * sides.step + sides.head;
            let e = &sides.data[place..place + width];
            let de = &mut dsides[place..place + width];
            for (form, &d) in forms.chunks_exact(width + 1).zip(dscores) {
                de.iter_mut().zip(form).for_each(|(de, &form)| *de += d * form);
                dforms.extend(e.iter().map(|&e| d * e));
                dforms.push(d);
            }
        }
        let (children, place) = (sides.children(), &mut dsides[sides.child..]);
        self.linear.backward(packed, children, &dforms, gradient, place, scratch);
    }
}

struct Dots<'a, T> {
    width: usize,
    labels: usize,
    sides: Sides<'a, T>,
    heads: &'a [usize],
    forms: &'a [T],
    scores: &'a mut [T],
}

impl<T: Real> Kernel for Dots<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let size = self.width + 1;
        let forms = self.forms.chunks_exact(self.labels * size);
        let scores = self.scores.chunks_exact_mut(self.labels);
        for ((forms, scores), &head) in forms.zip(scores).zip(self.heads) {
            let place = head * self.sides.step + self.sides.head;
            let e = &self.sides.data[place..place + self.width];
            for (form, score) in forms.chunks_exact(size).zip(scores) {
                *score = form[self.width] + dot::<T, FUSED>(&form[..self.width], e);
            }
        }
    }
}

/// The dot product in eight partial sums.
#[inline(always)]
fn dot<T: Real, const FUSED: bool>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] = a[i].multiply_add::<FUSED>(b[i], sums[i]);
        }
    }
    let rest = a_rest.iter().zip(b_rest).fold(T::ZERO, |sum, (&a, &b)| sum + a * b);
    sums.into_iter().fold(rest, |all, sum| all + sum)
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
