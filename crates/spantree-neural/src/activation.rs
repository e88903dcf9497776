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

/// Dropout with one mask per sentence, the same for all its rows (Gal & Ghahramani 2016).
#[derive(Clone, Debug, Default)]
pub struct Dropout<T> {
    /// One row of factors per sentence: 0, or 1 / (1 − rate).
    masks: Vec<T>,
    width: usize,
}

impl<T: Real> Dropout<T> {
    /// Draws the masks of so many sentences.
    pub fn draw(&mut self, sentences: usize, width: usize, rate: f64, rng: &mut Rng) {
        self.width = width;
        self.masks.clear();
        let kept = T::of(1.0 / (1.0 - rate));
        let draw = || if rng.uniform() < rate { T::ZERO } else { kept };
        self.masks.extend(std::iter::repeat_with(draw).take(sentences * width));
    }

    /// No mask: nothing is dropped.
    pub fn clear(&mut self) {
        self.masks.clear();
    }

    /// Multiplies the rows of each sentence by its mask: values forward, gradients backward. Sentence `s` has the rows
    /// `starts[s]..starts[s + 1]`.
    pub fn apply(&self, starts: &[usize], values: &mut [T]) {
        if self.masks.is_empty() {
            return;
        }
        for (bounds, mask) in starts.windows(2).zip(self.masks.chunks_exact(self.width)) {
            let rows = &mut values[bounds[0] * self.width..bounds[1] * self.width];
            for row in rows.chunks_exact_mut(self.width) {
                row.iter_mut().zip(mask).for_each(|(value, &factor)| *value *= factor);
            }
        }
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
    fn masks_keep_the_mean_and_are_shared_within_a_sentence() {
        let mut dropout = Dropout::default();
        dropout.draw(2, 1000, 0.3, &mut Rng::new(1));
        let mut values = vec![1.0; 5000];
        dropout.apply(&[0, 2, 5], &mut values);
        assert_eq!(values[..1000], values[1000..2000]);
        assert_eq!(values[2000..3000], values[4000..]);
        assert_ne!(values[..1000], values[2000..3000]);
        let mean = values.iter().sum::<f64>() / 5000.0;
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
        dropout.clear();
        let before = values.clone();
        dropout.apply(&[0, 2, 5], &mut values);
        assert_eq!(values, before);
    }
}
