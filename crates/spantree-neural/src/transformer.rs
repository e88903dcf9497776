//! A transformer encoder, forward only (Vaswani et al. 2017), in the order of layers that BERT has (Devlin et al. 2019).
//!
//! Rows of a text get vectors that see all of it. Each layer adds to a row what its heads attend to, then a nonlinear function
//! of the row, and brings the sum to normal form each time. Weights are given, not learned: a reader of pretrained models fills
//! in the parameters of [`Transformer::layers`]. Texts of a batch lie one below the other without padding, and attention looks at one text at a
//! time, so the vectors of a text do not depend on the batch.
//!
//! Cost per row and layer: 4·width² + 2·width·inner multiplications, and 2·width·length for attention.

use crate::linear::{Linear, PackedLinear, Places, Rows};
use crate::norm::LayerNorm;
use crate::product::{ProductScratch, View, add_product_once};
use crate::real::Real;
use crate::simd::{self, Kernel};

/// The sizes of an encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformerShape {
    /// Width of the rows, a multiple of `heads`.
    pub width: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of attention in each layer.
    pub heads: usize,
    /// Width between the two linear maps of a layer.
    pub inner: usize,
    /// What is added to variances.
    pub epsilon: f64,
}

/// An encoder without numbers; see the [module](self).
#[derive(Clone, Debug)]
pub struct Transformer {
    shape: TransformerShape,
    /// Of the input.
    pub norm: LayerNorm,
    /// The layers, first to last.
    pub layers: Vec<TransformerLayer>,
    parameters: usize,
}

/// The parts of a layer, with the places of their parameters.
#[derive(Clone, Debug)]
pub struct TransformerLayer {
    /// To queries, keys and values of all heads.
    pub attend: Linear,
    /// From what was attended to.
    pub mix: Linear,
    /// After attention.
    pub mix_norm: LayerNorm,
    /// To the inner width.
    pub widen: Linear,
    /// And back.
    pub narrow: Linear,
    /// At the end.
    pub norm: LayerNorm,
}

/// The parameters of an encoder, ready for use.
#[derive(Clone, Debug)]
pub struct TransformerWeights {
    parameters: Vec<f32>,
    packs: Vec<[PackedLinear<f32>; 4]>,
}

/// Memory of an encoder.
#[derive(Clone, Debug, Default)]
pub struct TransformerScratch {
    /// The rows after the last layer.
    rows: Vec<f32>,
    /// Queries, keys and values; then the inner values.
    wide: Vec<f32>,
    /// What was attended to.
    mixed: Vec<f32>,
    /// What is added to the rows.
    sums: Vec<f32>,
    scores: Vec<f32>,
    spread: Vec<f32>,
    product: ProductScratch<f32>,
}

impl Transformer {
    /// An encoder of these sizes.
    #[must_use]
    pub fn new(shape: TransformerShape) -> Self {
        let TransformerShape { width, inner, epsilon, .. } = shape;
        let mut places = Places::default();
        let norm = LayerNorm::with_epsilon(width, epsilon, &mut places);
        let layer = |_| TransformerLayer {
            attend: Linear::new(width, 3 * width, &mut places),
            mix: Linear::new(width, width, &mut places),
            mix_norm: LayerNorm::with_epsilon(width, epsilon, &mut places),
            widen: Linear::new(width, inner, &mut places),
            narrow: Linear::new(inner, width, &mut places),
            norm: LayerNorm::with_epsilon(width, epsilon, &mut places),
        };
        let layers = (0..shape.layers).map(layer).collect();
        Self { shape, norm, layers, parameters: places.used() }
    }

    /// Number of parameters.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Prepares parameters.
    ///
    /// # Panics
    /// If they are not as many as the encoder has.
    #[must_use]
    pub fn prepare(&self, parameters: Vec<f32>) -> TransformerWeights {
        assert_eq!(parameters.len(), self.parameters, "the parameters of an encoder");
        let pack = |layer: &TransformerLayer| {
            [&layer.attend, &layer.mix, &layer.widen, &layer.narrow].map(|linear| {
                let mut packed = PackedLinear::default();
                linear.pack(&parameters, false, &mut packed);
                packed
            })
        };
        let packs = self.layers.iter().map(pack).collect();
        TransformerWeights { parameters, packs }
    }

    /// Encodes some texts, whose rows in `embeddings` begin at `starts`, and calls `each` with the number of every layer and its
    /// rows. The embeddings are used up.
    pub fn forward(
        &self,
        weights: &TransformerWeights,
        (starts, embeddings): (&[usize], &mut [f32]),
        scratch: &mut TransformerScratch,
        mut each: impl FnMut(usize, &[f32]),
    ) {
        let TransformerScratch { rows, spread, .. } = scratch;
        self.norm.forward(&weights.parameters, embeddings, spread, rows);
        for (number, (layer, packs)) in self.layers.iter().zip(&weights.packs).enumerate() {
            self.layer(layer, (&weights.parameters, packs), starts, scratch);
            each(number, &scratch.rows);
        }
    }

    /// Replaces the rows by those of the next layer.
    fn layer(
        &self,
        layer: &TransformerLayer,
        (parameters, packs): (&[f32], &[PackedLinear<f32>; 4]),
        starts: &[usize],
        scratch: &mut TransformerScratch,
    ) {
        let TransformerShape { width, inner, .. } = self.shape;
        let [attend, mix, widen, narrow] = packs;
        let TransformerScratch { rows, wide, mixed, sums, scores, spread, product } = scratch;
        layer.attend.forward(parameters, attend, all_rows(rows, width), wide, product);
        self.attend(starts, wide, mixed, (scores, product));
        layer.mix.forward(parameters, mix, all_rows(mixed, width), sums, product);
        add(sums, rows);
        layer.mix_norm.forward(parameters, sums, spread, rows);
        layer.widen.forward(parameters, widen, all_rows(rows, width), wide, product);
        simd::run(Gelu { values: wide });
        layer.narrow.forward(parameters, narrow, all_rows(wide, inner), sums, product);
        add(sums, rows);
        layer.norm.forward(parameters, sums, spread, rows);
    }

    /// Writes what the heads of each row attend to, given queries, keys and values.
    fn attend(
        &self,
        starts: &[usize],
        wide: &[f32],
        mixed: &mut Vec<f32>,
        (scores, product): (&mut Vec<f32>, &mut ProductScratch<f32>),
    ) {
        let TransformerShape { width, heads, .. } = self.shape;
        let (depth, step) = (width / heads, 3 * width);
        mixed.clear();
        mixed.resize(wide.len() / 3, 0.0);
        for bounds in starts.windows(2).filter(|bounds| bounds[0] < bounds[1]) {
            let (first, rows) = (bounds[0], bounds[1] - bounds[0]);
            for head in 0..heads {
                let part = |kind: usize| {
                    let start = first * step + kind * width + head * depth;
                    View::part(&wide[start..], rows, depth, step)
                };
                scores.clear();
                scores.resize(rows * rows, 0.0);
                add_product_once(part(0), part(1).transposed(), scores, rows, product);
                let scale = 1.0 / (depth as f32).sqrt();
                simd::run(Softmax { scores, rows, scale });
                let target = &mut mixed[first * width + head * depth..];
                add_product_once(View::new(scores, rows, rows), part(2), target, width, product);
            }
        }
    }
}

/// All rows of a matrix without gaps.
fn all_rows(data: &[f32], width: usize) -> Rows<'_, f32> {
    Rows { data, rows: data.len() / width, step: width }
}

fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// Turns each row of scores, times `scale`, into probabilities.
struct Softmax<'a> {
    scores: &'a mut [f32],
    rows: usize,
    scale: f32,
}

impl Kernel for Softmax<'_> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(self) {
        for row in self.scores.chunks_exact_mut(self.rows) {
            let largest = row.iter().fold(f32::NEG_INFINITY, |largest, &score| largest.max(score));
            row.iter_mut().for_each(|score| *score = Real::exp((*score - largest) * self.scale));
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|score| *score /= sum);
        }
    }
}

/// x · Φ(x) in place, where Φ is the distribution function of the normal distribution (Hendrycks & Gimpel 2016).
struct Gelu<'a> {
    values: &'a mut [f32],
}

impl Kernel for Gelu<'_> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(self) {
        for value in self.values {
            *value *= normal_distribution(*value);
        }
    }
}

/// Φ, within 10⁻⁶ (Abramowitz & Stegun 1964, 7.1.26).
#[inline(always)]
fn normal_distribution(x: f32) -> f32 {
    let y = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * y);
    let mut p = t * 1.061_405_4 - 1.453_152_1;
    p = p * t + 1.421_413_8;
    p = p * t - 0.284_496_72;
    p = p * t + 0.254_829_6;
    let tail = 0.5 * p * t * Real::exp(-y * y);
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    const SHAPE: TransformerShape =
        TransformerShape { width: 6, layers: 2, heads: 3, inner: 5, epsilon: 1e-12 };

    fn random(rng: &mut Rng, len: usize) -> Vec<f32> {
        let mut values = vec![0.0; len];
        rng.fill(&mut values, 1.0);
        values
    }

    fn encode(starts: &[usize], embeddings: &[f32]) -> Vec<Vec<f32>> {
        let network = Transformer::new(SHAPE);
        let weights = network.prepare(random(&mut Rng::new(5), network.parameters()));
        let (mut layers, mut scratch) = (Vec::new(), TransformerScratch::default());
        let mut sums = embeddings.to_vec();
        network.forward(&weights, (starts, &mut sums), &mut scratch, |number, rows| {
            assert_eq!(number, layers.len());
            layers.push(rows.to_vec());
        });
        layers
    }

    /// The definition, one text and one number at a time, in double precision.
    struct Plain<'a> {
        parameters: &'a [f32],
    }

    impl Plain<'_> {
        fn take(&mut self, count: usize) -> Vec<f64> {
            let (taken, rest) = self.parameters.split_at(count);
            self.parameters = rest;
            taken.iter().map(|&value| value.into()).collect()
        }

        fn linear(&mut self, x: &[Vec<f64>], outputs: usize) -> Vec<Vec<f64>> {
            let inputs = x[0].len();
            let (weight, bias) = (self.take(inputs * outputs), self.take(outputs));
            let value = |row: &[f64], output: usize| -> f64 {
                let sum: f64 = (0..inputs).map(|i| row[i] * weight[i * outputs + output]).sum();
                sum + bias[output]
            };
            x.iter().map(|row| (0..outputs).map(|output| value(row, output)).collect()).collect()
        }

        fn norm(&mut self, x: &mut [Vec<f64>]) {
            let (scale, shift) = (self.take(SHAPE.width), self.take(SHAPE.width));
            for row in x {
                let mean = row.iter().sum::<f64>() / row.len() as f64;
                let square: f64 = row.iter().map(|value| (value - mean).powi(2)).sum();
                let deviation = (square / row.len() as f64).sqrt();
                for (i, value) in row.iter_mut().enumerate() {
                    *value = (*value - mean) / deviation * scale[i] + shift[i];
                }
            }
        }

        fn encode(mut self, mut x: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
            self.norm(&mut x);
            for _ in 0..SHAPE.layers {
                let wide = self.linear(&x, 3 * SHAPE.width);
                let mixed = attended(&wide);
                let added = self.linear(&mixed, SHAPE.width);
                add_rows(&mut x, &added);
                self.norm(&mut x);
                let mut inner = self.linear(&x, SHAPE.inner);
                inner.iter_mut().flatten().for_each(|value| *value *= slow_distribution(*value));
                let added = self.linear(&inner, SHAPE.width);
                add_rows(&mut x, &added);
                self.norm(&mut x);
            }
            x
        }
    }

    fn add_rows(x: &mut [Vec<f64>], added: &[Vec<f64>]) {
        let pairs = x.iter_mut().flatten().zip(added.iter().flatten());
        pairs.for_each(|(sum, value)| *sum += value);
    }

    fn attended(wide: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let depth = SHAPE.width / SHAPE.heads;
        let row = |query: &Vec<f64>| {
            let value = |column: usize| {
                let places = column / depth * depth..(column / depth + 1) * depth;
                let score = |key: &Vec<f64>| -> f64 {
                    let sum: f64 = places.clone().map(|i| query[i] * key[SHAPE.width + i]).sum();
                    (sum / (depth as f64).sqrt()).exp()
                };
                let all: f64 = wide.iter().map(score).sum();
                wide.iter().map(|key| score(key) / all * key[2 * SHAPE.width + column]).sum()
            };
            (0..SHAPE.width).map(value).collect()
        };
        wide.iter().map(row).collect()
    }

    /// Φ by adding up the density.
    fn slow_distribution(x: f64) -> f64 {
        let steps = 20_000;
        let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let width = x / f64::from(steps);
        0.5 + (0..steps).map(|i| density((f64::from(i) + 0.5) * width)).sum::<f64>() * width
    }

    #[test]
    fn rows_equal_the_definition() {
        let embeddings = random(&mut Rng::new(1), 4 * SHAPE.width);
        let network = Transformer::new(SHAPE);
        let parameters = random(&mut Rng::new(5), network.parameters());
        let wide = embeddings.chunks_exact(SHAPE.width);
        let wide = wide.map(|row| row.iter().map(|&value| value.into()).collect());
        let expected = Plain { parameters: &parameters }.encode(wide.collect());
        let layers = encode(&[0, 4], &embeddings);
        for (value, expected) in layers[1].iter().zip(expected.iter().flatten()) {
            assert!((f64::from(*value) - expected).abs() < 1e-5, "{value} {expected}");
        }
    }

    #[test]
    fn texts_do_not_see_each_other() {
        let embeddings = random(&mut Rng::new(2), 9 * SHAPE.width);
        let together = encode(&[0, 2, 2, 9], &embeddings);
        let (first, second) = embeddings.split_at(2 * SHAPE.width);
        let alone = [encode(&[0, 2], first), encode(&[0, 7], second)];
        for layer in 0..SHAPE.layers {
            let alone: Vec<_> = alone.iter().flat_map(|layers| layers[layer].clone()).collect();
            assert_eq!(together[layer], alone, "bit for bit");
        }
    }

    #[test]
    fn the_normal_distribution_is_accurate() {
        for step in -60..=60 {
            let x = step as f32 / 10.0;
            let error = f64::from(normal_distribution(x)) - slow_distribution(x.into());
            assert!(error.abs() < 1e-6, "{x}: {error}");
        }
    }
}
