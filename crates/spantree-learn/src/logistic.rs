//! Logistic updates on a list of answers (Johansson 2007): gold becomes more likely among them, at a price per answer.
//!
//! With `d_j = f(gold) − f(y_j)` the weights change by `Σ α_j d_j`, where α maximises
//!
//! ```text
//! log p(α) − Σ s_j α_j²,    p(α) = 1 / (1 + Σ_k exp(b_k − Σ_j α_j d_j·d_k))
//! ```
//!
//! `b_k` is by how much `y_k` is ahead of gold before the update, so that `p` is the probability of gold after it. With
//! `s_j = γ / (max(0, b_j) + cost_j)` this is the paper's scaled prior variance with a Gaussian prior, the best of its rules for
//! trees. The function is concave; each coordinate in turn takes a Newton step, halved until nothing is lost. k²/2 products
//! of sparse vectors and at most 200 sweeps of O(k²). Called by beams of transition parsers.

use crate::sparse::SparseVector;

/// Sweeps over the coordinates.
const SWEEPS: usize = 200;
/// Gradients below this count as none.
const TOLERANCE: f64 = 1e-7;

/// The α of the [module](self), from compact differences, the leads `b` and the prices `s` of the answers, which are positive.
#[must_use]
pub fn logistic_steps(differences: &[SparseVector], leads: &[f64], prices: &[f64]) -> Vec<f64> {
    let product = |j: usize, k: usize| differences[j].dot_sparse(&differences[k]);
    let len = differences.len();
    let mut gram = vec![0.0; len * len];
    for j in 0..len {
        for k in j..len {
            gram[j * len + k] = product(j, k);
            gram[k * len + j] = gram[j * len + k];
        }
    }
    Ascent { gram, prices, leads: leads.to_vec(), steps: vec![0.0; len] }.run()
}

struct Ascent<'a> {
    gram: Vec<f64>,
    prices: &'a [f64],
    /// The leads after the update so far.
    leads: Vec<f64>,
    steps: Vec<f64>,
}

impl Ascent<'_> {
    fn run(mut self) -> Vec<f64> {
        for _ in 0..SWEEPS {
            let mut moved = false;
            for at in 0..self.steps.len() {
                moved |= self.climb(at);
            }
            if !moved {
                break;
            }
        }
        self.steps
    }

    /// Moves one coordinate uphill; whether it moved.
    fn climb(&mut self, at: usize) -> bool {
        let (slope, curvature) = self.slope(at);
        if slope.abs() < TOLERANCE {
            return false;
        }
        let before = self.value(at);
        let mut step = slope / curvature;
        for _ in 0..60 {
            self.shift(at, step);
            if self.value(at) >= before {
                return true;
            }
            self.shift(at, -step);
            step /= 2.0;
        }
        false
    }

    fn row(&self, at: usize) -> &[f64] {
        let len = self.steps.len();
        &self.gram[at * len..(at + 1) * len]
    }

    fn shift(&mut self, at: usize, step: f64) {
        let len = self.steps.len();
        self.steps[at] += step;
        let row = &self.gram[at * len..(at + 1) * len];
        self.leads.iter_mut().zip(row).for_each(|(lead, product)| *lead -= step * product);
    }

    /// The function, as far as it depends on one coordinate.
    fn value(&self, at: usize) -> f64 {
        -log_total(&self.leads) - self.prices[at] * self.steps[at] * self.steps[at]
    }

    /// The derivative by a coordinate, and the second one with its sign turned.
    fn slope(&self, at: usize) -> (f64, f64) {
        let total = log_total(&self.leads);
        let (mut mean, mut square) = (0.0, 0.0);
        for (lead, product) in self.leads.iter().zip(self.row(at)) {
            let share = (lead - total).exp();
            mean += share * product;
            square += share * product * product;
        }
        let price = 2.0 * self.prices[at];
        (mean - price * self.steps[at], square - mean * mean + price)
    }
}

/// `log(1 + Σ exp(lead))`.
fn log_total(leads: &[f64]) -> f64 {
    let highest = leads.iter().copied().fold(0.0, f64::max);
    let sum: f64 = leads.iter().map(|lead| (lead - highest).exp()).sum();
    highest + ((-highest).exp() + sum).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn random_list(rng: &mut Rng, len: usize) -> (Vec<SparseVector>, Vec<f64>, Vec<f64>) {
        let mut vectors = Vec::new();
        for _ in 0..len {
            let mut vector = SparseVector::new();
            (0..4).for_each(|_| vector.add(rng.below(6) as u32, rng.uniform() as f32 * 4.0 - 2.0));
            vector.compact();
            vectors.push(vector);
        }
        let mut numbers = |low: f64, high: f64| -> Vec<f64> {
            (0..len).map(|_| low + (high - low) * rng.uniform()).collect()
        };
        (vectors, numbers(-3.0, 3.0), numbers(0.01, 2.0))
    }

    /// The function of the module, from its definition.
    fn value(vectors: &[SparseVector], leads: &[f64], prices: &[f64], steps: &[f64]) -> f64 {
        let behind = |k: usize| -> f64 {
            (0..steps.len()).map(|j| steps[j] * vectors[j].dot_sparse(&vectors[k])).sum()
        };
        let rivals: f64 = (0..steps.len()).map(|k| (leads[k] - behind(k)).exp()).sum();
        let price: f64 = steps.iter().zip(prices).map(|(step, price)| price * step * step).sum();
        -(1.0 + rivals).ln() - price
    }

    #[test]
    fn no_other_steps_are_better() {
        let mut rng = Rng::new(4);
        for round in 0..100 {
            let (vectors, leads, prices) = random_list(&mut rng, 1 + round % 5);
            let steps = logistic_steps(&vectors, &leads, &prices);
            let best = value(&vectors, &leads, &prices, &steps);
            for size in [1.0, 0.1, 0.01] {
                for _ in 0..20 {
                    let moved: Vec<f64> =
                        steps.iter().map(|step| step + size * (rng.uniform() - 0.5)).collect();
                    assert!(value(&vectors, &leads, &prices, &moved) <= best + 1e-6);
                }
            }
        }
    }

    #[test]
    fn gold_never_becomes_less_likely() {
        let mut rng = Rng::new(5);
        for _ in 0..100 {
            let (vectors, leads, prices) = random_list(&mut rng, 3);
            let steps = logistic_steps(&vectors, &leads, &prices);
            let none = [0.0; 3];
            let gain =
                value(&vectors, &leads, &none, &steps) - value(&vectors, &leads, &none, &none);
            assert!(gain >= -1e-12, "{gain}");
        }
    }

    #[test]
    fn one_answer_by_hand() {
        // d·d = 4, b = 0, s = 1: the slope 4 / (1 + exp(4 α)) − 2 α is zero at α = 0.37038….
        let mut vector = SparseVector::new();
        vector.add(0, 2.0);
        let steps = logistic_steps(&[vector], &[0.0], &[1.0]);
        let slope = 4.0 / (1.0 + (4.0 * steps[0]).exp()) - 2.0 * steps[0];
        assert!(slope.abs() < 1e-6 && (steps[0] - 0.370_387).abs() < 1e-5, "{steps:?}");
    }

    #[test]
    fn slopes_agree_with_differences() {
        let mut rng = Rng::new(6);
        let (vectors, leads, prices) = random_list(&mut rng, 4);
        let len = vectors.len();
        let gram = (0..len * len).map(|at| vectors[at / len].dot_sparse(&vectors[at % len]));
        let mut ascent = Ascent {
            gram: gram.collect(),
            prices: &prices,
            leads: leads.clone(),
            steps: vec![0.0; len],
        };
        (0..len).for_each(|at| ascent.shift(at, 0.1 * at as f64));
        for at in 0..len {
            let (slope, curvature) = ascent.slope(at);
            let at_distance = |by: f64| {
                let mut steps = ascent.steps.clone();
                steps[at] += by;
                value(&vectors, &leads, &prices, &steps)
            };
            let (low, middle, high) = (at_distance(-1e-4), at_distance(0.0), at_distance(1e-4));
            assert!((slope - (high - low) / 2e-4).abs() < 1e-5);
            assert!(
                (curvature + (high - 2.0 * middle + low) / 1e-8).abs() < 1e-3 * curvature.max(1.0)
            );
        }
    }
}
