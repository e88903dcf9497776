//! LayerNorm: each row is brought to mean 0 and variance 1, then scaled and shifted (Ba, Kiros & Hinton 2016).

use std::ops::Range;

use crate::linear::Places;
use crate::real::Real;
use crate::simd::{self, Kernel};

/// Added to variances, so that rows of equal values stay finite.
const EPSILON: f64 = 1e-5;

/// The layer: its width, and where its parameters are.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    width: usize,
    epsilon: f64,
    scale: Range<usize>,
    shift: Range<usize>,
}

impl LayerNorm {
    /// A layer with places for its parameters.
    #[must_use]
    pub fn new(width: usize, places: &mut Places) -> Self {
        Self::with_epsilon(width, EPSILON, places)
    }

    /// A layer that adds another small number to variances.
    #[must_use]
    pub fn with_epsilon(width: usize, epsilon: f64, places: &mut Places) -> Self {
        Self { width, epsilon, scale: places.take(width), shift: places.take(width) }
    }

    /// Sets the parameters.
    ///
    /// # Panics
    /// If they are not as many as a row is wide.
    pub fn set<T: Real>(&self, parameters: &mut [T], scale: &[T], shift: &[T]) {
        parameters[self.scale.clone()].copy_from_slice(scale);
        parameters[self.shift.clone()].copy_from_slice(shift);
    }

    /// Scale 1, shift 0.
    pub fn initialise<T: Real>(&self, parameters: &mut [T]) {
        parameters[self.scale.clone()].fill(T::ONE);
    }

    /// Replaces the rows of `x` by their normal form and writes the output to `y`; `spread` gets 1 / deviation of each row.
    pub fn forward<T: Real>(
        &self,
        parameters: &[T],
        x: &mut [T],
        spread: &mut Vec<T>,
        y: &mut Vec<T>,
    ) {
        y.clear();
        y.resize(x.len(), T::ZERO);
        spread.clear();
        spread.resize(x.len() / self.width, T::ZERO);
        let (scale, shift) = (&parameters[self.scale.clone()], &parameters[self.shift.clone()]);
        simd::run(Normalise { scale, shift, epsilon: T::of(self.epsilon), x, spread, y });
    }

    /// Adds the gradients of the parameters, and replaces `dy` by the gradient of the input. `normal` and `spread` are what
    /// the forward pass left.
    pub fn backward<T: Real>(
        &self,
        parameters: &[T],
        normal: &[T],
        spread: &[T],
        dy: &mut [T],
        gradient: &mut [T],
    ) {
        let scale = &parameters[self.scale.clone()];
        let count = T::of(self.width as f64);
        let rows = dy.chunks_exact_mut(self.width).zip(normal.chunks_exact(self.width));
        for ((dy, normal), &spread) in rows.zip(spread) {
            let (mut sum, mut product) = (T::ZERO, T::ZERO);
            for i in 0..self.width {
                gradient[self.scale.start + i] += dy[i] * normal[i];
                gradient[self.shift.start + i] += dy[i];
                dy[i] *= scale[i];
                sum += dy[i];
                product += dy[i] * normal[i];
            }
            let (mean, slope) = (sum / count, product / count);
            for (d, &x) in dy.iter_mut().zip(normal) {
                *d = (*d - mean - x * slope) * spread;
            }
        }
    }
}

struct Normalise<'a, T> {
    scale: &'a [T],
    shift: &'a [T],
    epsilon: T,
    x: &'a mut [T],
    spread: &'a mut [T],
    y: &'a mut [T],
}

impl<T: Real> Kernel for Normalise<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(self) {
        let width = self.scale.len();
        let count = T::of(width as f64);
        let rows = self.x.chunks_exact_mut(width).zip(self.y.chunks_exact_mut(width));
        for ((x, y), spread) in rows.zip(self.spread) {
            let mean = sum(x, |value| value) / count;
            x.iter_mut().for_each(|value| *value = *value - mean);
            let variance = sum(x, |value| value * value) / count;
            *spread = T::ONE / (variance + self.epsilon).sqrt();
            for i in 0..width {
                x[i] *= *spread;
                y[i] = x[i].multiply_add::<FUSED>(self.scale[i], self.shift[i]);
            }
        }
    }
}

/// The sum of a function of the values, in eight partial sums.
#[inline(always)]
fn sum<T: Real>(values: &[T], of: impl Fn(T) -> T) -> T {
    let mut sums = [T::ZERO; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for i in 0..8 {
            sums[i] += of(chunk[i]);
        }
    }
    rest.iter().zip(&mut sums).for_each(|(&value, sum)| *sum += of(value));
    sums.into_iter().fold(T::ZERO, |all, sum| all + sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn rows_are_normal() {
        let mut places = Places::default();
        let layer = LayerNorm::new(11, &mut places);
        let mut parameters = vec![0.0; places.used()];
        layer.initialise(&mut parameters);
        let (mut x, mut spread, mut y) = (random(22), Vec::new(), Vec::new());
        layer.forward(&parameters, &mut x, &mut spread, &mut y);
        for row in y.chunks_exact(11) {
            assert!(row.iter().sum::<f64>().abs() < 1e-9);
            assert!((row.iter().map(|v| v * v).sum::<f64>() / 11.0 - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let mut places = Places::default();
        let layer = LayerNorm::new(10, &mut places);
        let point = random(places.used() + 30);
        let judge = random(30);
        check_gradient(&point, |point, gradient| {
            let (parameters, x) = point.split_at(places.used());
            let (mut x, mut spread, mut y) = (x.to_vec(), Vec::new(), Vec::new());
            layer.forward(parameters, &mut x, &mut spread, &mut y);
            let (dp, dx) = gradient.split_at_mut(places.used());
            let mut dy = judge.clone();
            layer.backward(parameters, &x, &spread, &mut dy, dp);
            dx.iter_mut().zip(dy).for_each(|(dx, d)| *dx += d);
            y.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }
}
