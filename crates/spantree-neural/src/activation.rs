//! Leaky ReLU and dropout.

use crate::random::Rng;
use crate::real::Real;

/// Slope of the leaky ReLU below zero.
const SLOPE: f64 = 0.1;

/// Applies the leaky ReLU in place.
pub fn leaky<T: Real>(values: &mut [T]) {
    let slope = T::of(SLOPE);
    for value in values {
        *value = if *value > T::ZERO { *value } else { *value * slope };
    }
}

/// Multiplies gradients by the slope at each *output* of the leaky ReLU.
pub fn leaky_backward<T: Real>(outputs: &[T], gradient: &mut [T]) {
    let slope = T::of(SLOPE);
    for (&output, d) in outputs.iter().zip(gradient) {
        *d = if output > T::ZERO { *d } else { *d * slope };
    }
}

/// Dropout: a random factor for each value, 0 or what keeps the mean (Srivastava et al. 2014).
#[derive(Clone, Debug, Default)]
pub struct Dropout<T> {
    /// 0 or 1 / (1 − rate); empty when nothing is dropped.
    mask: Vec<T>,
}

impl<T: Real> Dropout<T> {
    /// Draws a mask for so many values.
    pub fn draw(&mut self, count: usize, rate: f64, rng: &mut Rng) {
        let kept = T::of(1.0 / (1.0 - rate));
        let limit = (rate * 65536.0) as u64;
        self.mask.clear();
        self.mask.reserve(count + 3);
        while self.mask.len() < count {
            let bits = rng.next_u64();
            let draw =
                |part: u64| if (bits >> (16 * part)) & 0xffff < limit { T::ZERO } else { kept };
            self.mask.extend((0..4).map(draw));
        }
        self.mask.truncate(count);
    }

    /// Multiplies values by the mask, if one was drawn: values forward, gradients backward.
    pub fn apply(&self, values: &mut [T]) {
        values.iter_mut().zip(&self.mask).for_each(|(value, &factor)| *value *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn leaky_gradients_equal_finite_differences() {
        let judge = random(20);
        check_gradient(&random(20), |point, gradient| {
            let mut y = point.to_vec();
            leaky(&mut y);
            let mut d = judge.clone();
            leaky_backward(&y, &mut d);
            gradient.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            y.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }

    #[test]
    fn masks_keep_the_mean() {
        let mut dropout = Dropout::default();
        let mut values = vec![1.0; 5001];
        dropout.apply(&mut values);
        assert!(values.iter().all(|&value| value == 1.0), "nothing was drawn");
        dropout.draw(values.len(), 0.3, &mut Rng::new(1));
        dropout.apply(&mut values);
        let mean = values.iter().sum::<f64>() / 5001.0;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        assert!(values.iter().all(|&value| value == 0.0 || (value - 1.0 / 0.7).abs() < 1e-12));
    }
}
