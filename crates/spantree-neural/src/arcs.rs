//! The biaffine scorer of arcs (Dozat & Manning 2017) with buckets of distance.
//!
//! Every row has a vector `d` as a child and a vector `e` as a head. With `[p | q] = d · U + b` and `t = e · V + a`,
//!
//! ```text
//! score(head, child) = p(child) · e(head) + q(child)[bucket] + t(head)[bucket]
//! ```
//! where the bucket says how far and on which side of the child the head is. O(n²) per sentence.

use crate::linear::{Linear, PackedLinear, Places, Rows};
use crate::product::{ProductScratch, View, add_product_once};
use crate::random::Rng;
use crate::real::Real;

/// Number of buckets: heads to the left, to the right, and the root.
pub const BUCKETS: usize = 25;
const SIDE: usize = 12;

/// The bucket of an arc: exact distances up to 6, then 7–8, 9–11, 12–16, 17–24, 25–40 and more, on each side; the root is
/// the last.
#[must_use]
pub fn bucket(head: usize, child: usize) -> usize {
    if head == 0 {
        return 2 * SIDE;
    }
    let far = match head.abs_diff(child) {
        distance @ 0..=6 => distance.max(1) - 1,
        7..=8 => 6,
        9..=11 => 7,
        12..=16 => 8,
        17..=24 => 9,
        25..=40 => 10,
        _ => 11,
    };
    if head > child { SIDE + far } else { far }
}

/// The layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct ArcScorer {
    width: usize,
    child: Linear,
    head: Linear,
}

/// The packed weights of both sides.
#[derive(Clone, Debug, Default)]
pub struct PackedArcs<T> {
    child: PackedLinear<T>,
    head: PackedLinear<T>,
}

/// What the forward pass leaves.
#[derive(Clone, Debug, Default)]
pub struct ArcTrace<T> {
    /// `[p | q]` by row.
    child: Vec<T>,
    /// `t` by row.
    head: Vec<T>,
    /// The tables of all sentences, one after the other: for each row as a child, the scores of all rows as its head. Those
    /// of the root as a child mean nothing.
    pub scores: Vec<T>,
}

/// Vectors of the children and of the heads, in one matrix.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a, T> {
    /// The matrix, row by row.
    pub data: &'a [T],
    /// Width of the matrix.
    pub step: usize,
    /// Column where the vectors of children begin.
    pub child: usize,
    /// Column where the vectors of heads begin.
    pub head: usize,
}

impl<'a, T> Sides<'a, T> {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.data.len() / self.step
    }

    /// The vectors of children.
    #[must_use]
    pub fn children(&self) -> Rows<'a, T> {
        Rows { data: &self.data[self.child..], rows: self.rows(), step: self.step }
    }

    /// The vectors of heads.
    #[must_use]
    pub fn heads(&self) -> Rows<'a, T> {
        Rows { data: &self.data[self.head..], rows: self.rows(), step: self.step }
    }
}

impl ArcScorer {
    /// A scorer of vectors of this width, with places for its parameters.
    #[must_use]
    pub fn new(width: usize, places: &mut Places) -> Self {
        let child = Linear::new(width, width + BUCKETS, places);
        Self { width, child, head: Linear::new(width, BUCKETS, places) }
    }

    /// Random weights.
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        self.child.initialise(parameters, rng);
        self.head.initialise(parameters, rng);
    }

    /// Packs the weights.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedArcs<T>) {
        self.child.pack(parameters, backward, &mut packed.child);
        self.head.pack(parameters, backward, &mut packed.head);
    }

    /// Scores all arcs within each sentence.
    pub fn forward<T: Real>(
        &self,
        parameters: &[T],
        packed: &PackedArcs<T>,
        starts: &[usize],
        sides: Sides<'_, T>,
        trace: &mut ArcTrace<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        let ArcTrace { child, head, scores } = trace;
        self.child.forward(parameters, &packed.child, sides.children(), child, scratch);
        self.head.forward(parameters, &packed.head, sides.heads(), head, scratch);
        scores.clear();
        let wide = self.width + BUCKETS;
        for (first, rows) in sentences(starts) {
            let start = scores.len();
            let of_heads = &head[first * BUCKETS..(first + rows) * BUCKETS];
            for c in 0..rows {
                let of_child = &child[(first + c) * wide + self.width..][..BUCKETS];
                let of_heads = of_heads.chunks_exact(BUCKETS).enumerate();
                scores.extend(of_heads.map(|(h, of_head)| {
                    let bucket = bucket(h, c);
                    of_child[bucket] + of_head[bucket]
                }));
            }
            let p = View::part(&child[first * wide..], rows, self.width, wide);
            let e = &sides.data[first * sides.step + sides.head..];
            let e = View::part(e, rows, self.width, sides.step).transposed();
            add_product_once(p, e, &mut scores[start..], rows, scratch);
        }
    }

    /// Adds the gradients of the parameters to `gradient` and those of the vectors to `dsides`, laid out as `sides`;
    /// `dscores` is laid out as the scores.
    pub fn backward<T: Real>(
        &self,
        packed: &PackedArcs<T>,
        (starts, sides): (&[usize], Sides<'_, T>),
        trace: &ArcTrace<T>,
        dscores: &[T],
        (gradient, dsides): (&mut [T], &mut [T]),
        scratch: &mut ProductScratch<T>,
    ) {
        let wide = self.width + BUCKETS;
        let mut dchild = vec![T::ZERO; sides.rows() * wide];
        let mut dhead = vec![T::ZERO; sides.rows() * BUCKETS];
        let mut table = dscores;
        for (first, rows) in sentences(starts) {
            let (d, rest) = table.split_at(rows * rows);
            table = rest;
            for c in 0..rows {
                for h in 0..rows {
                    let (d, bucket) = (d[c * rows + h], bucket(h, c));
                    dchild[(first + c) * wide + self.width + bucket] += d;
                    dhead[(first + h) * BUCKETS + bucket] += d;
                }
            }
            let d = View::new(d, rows, rows);
            let place = first * sides.step + sides.head;
            let e = View::part(&sides.data[place..], rows, self.width, sides.step);
            add_product_once(d, e, &mut dchild[first * wide..], wide, scratch);
            let p = View::part(&trace.child[first * wide..], rows, self.width, wide);
            add_product_once(d.transposed(), p, &mut dsides[place..], sides.step, scratch);
        }
        let dsides_child = &mut dsides[sides.child..];
        let children = sides.children();
        self.child.backward(&packed.child, children, &dchild, gradient, dsides_child, scratch);
        let dsides_head = &mut dsides[sides.head..];
        self.head.backward(&packed.head, sides.heads(), &dhead, gradient, dsides_head, scratch);
    }
}

/// First row and number of rows of each sentence.
fn sentences(starts: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    starts.windows(2).map(|bounds| (bounds[0], bounds[1] - bounds[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn buckets_are_complete() {
        let mut seen = [false; BUCKETS];
        for head in 0..100 {
            seen[bucket(head, 50)] = true;
        }
        assert!(seen.iter().all(|&seen| seen));
        assert_eq!(bucket(3, 4), 0);
        assert_eq!(bucket(5, 4), 12);
        assert_eq!(bucket(0, 4), 24);
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let mut places = Places::default();
        let layer = ArcScorer::new(3, &mut places);
        let starts = [0, 3, 4, 8];
        let step = 7;
        let point = random(places.used() + 8 * step);
        let judge = random(9 + 1 + 16);
        let mut packed = PackedArcs::default();
        let mut scratch = ProductScratch::default();
        check_gradient(&point, |point, gradient| {
            let (parameters, data) = point.split_at(places.used());
            layer.pack(parameters, true, &mut packed);
            let sides = Sides { data, step, child: 0, head: 3 };
            let mut trace = ArcTrace::default();
            layer.forward(parameters, &packed, &starts, sides, &mut trace, &mut scratch);
            let (dp, dx) = gradient.split_at_mut(places.used());
            layer.backward(&packed, (&starts, sides), &trace, &judge, (dp, dx), &mut scratch);
            trace.scores.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }
}
