//! Adam (Kingma & Ba 2015) with lazy rows of the embedding table, clipping, and an exponential average of the weights.
//!
//! A row of the table moves only in steps that touch it. Its average catches up when it is next touched or read: while a
//! weight stands still, n steps of averaging with decay d are one step with decay dⁿ.

use crate::network::{Gradients, Weights};
use crate::real::Real;
use crate::simd::{self, Kernel};

/// Settings of the optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamConfig {
    /// Decay of the mean of gradients.
    pub mean_decay: f64,
    /// Decay of the mean of their squares.
    pub square_decay: f64,
    /// Gradients longer than this are shortened to it.
    pub clip: f64,
    /// Decay of the average of the weights; smaller in the first steps.
    pub average_decay: f64,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self { mean_decay: 0.9, square_decay: 0.95, clip: 5.0, average_decay: 0.995 }
    }
}

const EPSILON: f64 = 1e-8;

/// The state of the optimiser. All fields are needed to go on later.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<T> {
    /// Settings.
    pub config: AdamConfig,
    /// Steps taken.
    pub steps: u64,
    /// Sum of the logarithms of the decays of all steps.
    pub log_decay: f64,
    /// Mean gradients.
    pub means: Weights<T>,
    /// Mean squared gradients.
    pub squares: Weights<T>,
    /// Averaged weights; rows of the table as of `seen`.
    pub average: Weights<T>,
    /// For each row of the table, `log_decay` when its average was up to date.
    pub seen: Vec<f64>,
}

impl<T: Real> Adam<T> {
    /// Starts from these weights, whose table has rows of this width.
    #[must_use]
    pub fn new(config: AdamConfig, weights: &Weights<T>, width: usize) -> Self {
        let zeros = Weights {
            embeddings: vec![T::ZERO; weights.embeddings.len()],
            dense: vec![T::ZERO; weights.dense.len()],
        };
        Self {
            config,
            steps: 0,
            log_decay: 0.0,
            means: zeros.clone(),
            squares: zeros,
            average: weights.clone(),
            seen: vec![0.0; weights.embeddings.len() / width],
        }
    }

    /// Moves the weights against the gradients, which are clipped.
    pub fn step(&mut self, rate: f64, gradients: &mut Gradients<T>, weights: &mut Weights<T>) {
        self.clip(gradients);
        self.steps += 1;
        let before = self.log_decay;
        let steps = self.steps as f64;
        let decay = self.config.average_decay.min((1.0 + steps) / (10.0 + steps));
        self.log_decay += decay.ln();
        let rule = self.rule(rate, decay);
        let moments = (&mut self.means.dense[..], &mut self.squares.dense[..]);
        rule.step(&gradients.dense, moments, &mut weights.dense, &mut self.average.dense);
        for (row, gradient) in gradients.embeddings.iter() {
            let place = row * gradient.len()..(row + 1) * gradient.len();
            let weight = &mut weights.embeddings[place.clone()];
            let average = &mut self.average.embeddings[place.clone()];
            catch_up(before - self.seen[row], weight, average);
            let mean = &mut self.means.embeddings[place.clone()];
            let square = &mut self.squares.embeddings[place];
            rule.step(gradient, (mean, square), weight, average);
            self.seen[row] = self.log_decay;
        }
    }

    /// The averaged weights, all up to date.
    #[must_use]
    pub fn averaged(&self, weights: &Weights<T>) -> Weights<T> {
        let mut average = self.average.clone();
        let width = weights.embeddings.len() / self.seen.len().max(1);
        let rows = average.embeddings.chunks_exact_mut(width.max(1));
        for ((average, weight), seen) in
            rows.zip(weights.embeddings.chunks_exact(width.max(1))).zip(&self.seen)
        {
            catch_up(self.log_decay - seen, weight, average);
        }
        average
    }

    fn rule(&self, rate: f64, average_decay: f64) -> Rule<T> {
        let AdamConfig { mean_decay, square_decay, .. } = self.config;
        let steps = self.steps as i32;
        let correction = (1.0 - square_decay.powi(steps)).sqrt();
        Rule {
            rate: T::of(rate * correction / (1.0 - mean_decay.powi(steps))),
            epsilon: T::of(EPSILON * correction),
            mean_share: T::of(1.0 - mean_decay),
            square_share: T::of(1.0 - square_decay),
            average_share: T::of(1.0 - average_decay),
        }
    }

    /// Shortens the gradient to the length that is allowed.
    fn clip(&self, gradients: &mut Gradients<T>) {
        let squares = squares(&gradients.dense) + squares(gradients.embeddings.values());
        let length = squares.sqrt();
        if length > self.config.clip {
            let factor = T::of(self.config.clip / length);
            gradients.dense.iter_mut().for_each(|d| *d *= factor);
            gradients.embeddings.values_mut().iter_mut().for_each(|d| *d *= factor);
        }
    }
}

/// The sum of squares; eight sums run side by side, because each addition waits for the one before.
fn squares<T: Real>(values: &[T]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        sums.iter_mut().zip(eight).for_each(|(sum, d)| *sum += d.wide() * d.wide());
    }
    sums.iter().sum::<f64>() + rest.iter().map(|d| d.wide() * d.wide()).sum::<f64>()
}

/// Moves an average towards weights that stood still while the decays had this sum of logarithms.
fn catch_up<T: Real>(log_decay: f64, weights: &[T], average: &mut [T]) {
    let share = T::of(1.0 - log_decay.exp());
    average.iter_mut().zip(weights).for_each(|(average, &w)| *average += share * (w - *average));
}

/// The numbers of one step.
#[derive(Clone, Copy)]
struct Rule<T> {
    rate: T,
    epsilon: T,
    mean_share: T,
    square_share: T,
    average_share: T,
}

impl<T: Real> Rule<T> {
    fn step(
        self,
        gradient: &[T],
        moments: (&mut [T], &mut [T]),
        weights: &mut [T],
        average: &mut [T],
    ) {
        simd::run(Move { rule: self, gradient, moments, weights, average });
    }
}

/// A step of some weights. Nothing in it is fused, so that it is the same on all processors.
struct Move<'a, T> {
    rule: Rule<T>,
    gradient: &'a [T],
    /// Means of gradients and of their squares.
    moments: (&'a mut [T], &'a mut [T]),
    weights: &'a mut [T],
    average: &'a mut [T],
}

impl<T: Real> Kernel for Move<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(self) {
        let Self { rule, gradient, moments: (means, squares), weights, average } = self;
        let moments = means.iter_mut().zip(squares);
        let values = weights.iter_mut().zip(average);
        for ((&d, (mean, square)), (w, average)) in gradient.iter().zip(moments).zip(values) {
            *mean += rule.mean_share * (d - *mean);
            *square += rule.square_share * (d * d - *square);
            *w = *w - rule.rate * *mean / (square.sqrt() + rule.epsilon);
            *average += rule.average_share * (*w - *average);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{Bags, SparseRows};

    fn weights() -> Weights<f64> {
        Weights { embeddings: vec![1.0, -1.0, 2.0], dense: vec![0.5] }
    }

    fn gradients(row: u32, dense: f64) -> Gradients<f64> {
        let mut embeddings = SparseRows::new(3, 1);
        embeddings.backward(Bags { summands: &[row.into()], starts: &[0, 1] }, &[1.0]);
        Gradients { embeddings, dense: vec![dense] }
    }

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let mut w = weights();
        let mut adam = Adam::new(AdamConfig::default(), &w, 1);
        adam.step(0.1, &mut gradients(1, -3.0), &mut w);
        assert!((w.dense[0] - 0.6).abs() < 1e-6, "against the sign of the gradient");
        assert!((w.embeddings[1] + 1.1).abs() < 1e-6);
        assert_eq!(w.embeddings[0], 1.0);
    }

    #[test]
    fn lazy_averages_equal_eager_ones() {
        let mut w = weights();
        let config = AdamConfig { average_decay: 0.3, ..AdamConfig::default() };
        let mut adam = Adam::new(config, &w, 1);
        let mut eager = w.embeddings.clone();
        for (step, row) in [0, 0, 2, 1, 0].into_iter().enumerate() {
            adam.step(0.1, &mut gradients(row, 0.0), &mut w);
            let step = step as f64 + 1.0;
            let decay = 0.3f64.min((1.0 + step) / (10.0 + step));
            for (average, w) in eager.iter_mut().zip(&w.embeddings) {
                *average = decay * *average + (1.0 - decay) * w;
            }
        }
        let lazy = adam.averaged(&w).embeddings;
        assert!(lazy.iter().zip(&eager).all(|(a, b)| (a - b).abs() < 1e-12), "{lazy:?} {eager:?}");
    }

    #[test]
    fn long_gradients_are_shortened() {
        let adam = Adam::new(AdamConfig { clip: 1.0, ..AdamConfig::default() }, &weights(), 1);
        let mut long = gradients(0, 7.0);
        adam.clip(&mut long);
        let length = long.dense[0].hypot(long.embeddings.values()[0]);
        assert!((length - 1.0).abs() < 1e-12);
        assert!((long.dense[0] / long.embeddings.values()[0] - 7.0).abs() < 1e-9);
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let mut w = weights();
        let mut adam = Adam::new(AdamConfig::default(), &w, 1);
        for step in 0..2000 {
            let mut gradients = gradients(0, 2.0 * (w.dense[0] - 3.0));
            adam.step(0.05 * (1.0 - f64::from(step) / 2000.0), &mut gradients, &mut w);
        }
        assert!((w.dense[0] - 3.0).abs() < 1e-3, "{}", w.dense[0]);
    }
}
