//! The layers put together.
//!
//! A parser calls [`Network::encode`] on a batch, decodes the arc scores, and asks [`Network::label`] for the labels of the
//! arcs it chose. A trainer turns the same scores into gradients of scores ([`crate::loss`], or marginals of trees) and calls
//! [`Network::backward`]. A [`Network`] is shapes only; the numbers are in [`Weights`] and [`Packs`].

use crate::activation::{Dropout, leaky, leaky_backward};
use crate::arcs::{ArcScorer, ArcTrace, PackedArcs, Sides};
use crate::embedding::{self, Bags, SparseRows, Summand, Table};
use crate::labels::{LabelScorer, LabelTrace};
use crate::layer::{Cell, Layer, LayerScratch, LayerTrace, PackedLayer};
use crate::linear::{Linear, PackedLinear, Places, Rows};
use crate::norm::LayerNorm;
use crate::product::ProductScratch;
use crate::random::Rng;
use crate::real::Real;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the embedding table.
    pub rows: usize,
    /// Width of the embeddings.
    pub width: usize,
    /// What recurrent layers are made of.
    pub cell: Cell,
    /// Recurrent layers.
    pub layers: usize,
    /// Units of a recurrent layer in each direction.
    pub units: usize,
    /// Width of the vectors that score arcs.
    pub arc: usize,
    /// Width of the vectors that score labels.
    pub label: usize,
    /// Number of labels.
    pub labels: usize,
    /// Width of the vectors that score tags.
    pub tag: usize,
    /// Scores of tags per row; 0 for a network that does not tag.
    pub tags: usize,
    /// Width of the vectors that rows are given besides their ids; 0 for none.
    pub vectors: usize,
}

/// What the rows of some sentences are the sums of, the root first in each, and their vectors, if the network takes such.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    starts: Vec<usize>,
    summands: Vec<Summand>,
    summand_starts: Vec<usize>,
    vectors: Vec<f32>,
}

impl Default for Batch {
    fn default() -> Self {
        let (starts, summand_starts) = (vec![0], vec![0]);
        Self { starts, summands: Vec::new(), summand_starts, vectors: Vec::new() }
    }
}

impl Batch {
    /// Forgets all sentences.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.summands.clear();
        self.summand_starts.truncate(1);
        self.vectors.clear();
    }

    /// Adds a row to the sentence at the end.
    pub fn push_row(&mut self, summands: impl IntoIterator<Item: Into<Summand>>) {
        self.summands.extend(summands.into_iter().map(Into::into));
        self.summand_starts.push(self.summands.len());
    }

    /// Adds the vectors of the next rows that have none yet; a network that takes vectors needs one for every row.
    pub fn push_vectors(&mut self, vectors: impl IntoIterator<Item = f32>) {
        self.vectors.extend(vectors);
    }

    /// Ends the sentence; the next row begins another.
    pub fn end_sentence(&mut self) {
        self.starts.push(self.rows());
    }

    /// Where the rows of each sentence begin, and where the last ones end.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.summand_starts.len() - 1
    }

    fn bags(&self) -> Bags<'_> {
        Bags { summands: &self.summands, starts: &self.summand_starts }
    }
}

/// A network without numbers; see the [module](self).
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    norm: LayerNorm,
    layers: Vec<Layer>,
    /// From the encoder to the vectors of arcs (child, head), labels (child, head) and tags.
    sides: Linear,
    arcs: ArcScorer,
    labels: LabelScorer,
    tags: Linear,
    /// From the vectors of rows to summands of their embeddings.
    projection: Option<Linear>,
    parameters: usize,
}

/// All that is learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights<T> {
    /// The embedding table, row by row.
    pub embeddings: Vec<T>,
    /// The parameters of the layers.
    pub dense: Vec<T>,
}

/// Weights of the layers in the order in which products read them.
#[derive(Clone, Debug, Default)]
pub struct Packs<T> {
    layers: Vec<PackedLayer<T>>,
    sides: PackedLinear<T>,
    arcs: PackedArcs<T>,
    labels: PackedLinear<T>,
    tags: PackedLinear<T>,
    projection: PackedLinear<T>,
}

/// The numbers that a network computes with.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a, T> {
    /// The embeddings.
    pub table: Table<'a, T>,
    /// The parameters of the layers.
    pub dense: &'a [T],
    /// The same, packed.
    pub packs: &'a Packs<T>,
}

impl<'a, T> Numbers<'a, T> {
    /// Those of exact weights.
    #[must_use]
    pub fn new(weights: &'a Weights<T>, packs: &'a Packs<T>) -> Self {
        Self { table: Table::Exact(&weights.embeddings), dense: &weights.dense, packs }
    }
}

/// The gradient of a loss.
#[derive(Clone, Debug)]
pub struct Gradients<T> {
    /// Of the embedding table.
    pub embeddings: SparseRows<T>,
    /// Of the parameters of the layers.
    pub dense: Vec<T>,
}

impl<T: Real> Gradients<T> {
    /// Sets all to 0.
    pub fn clear(&mut self) {
        self.embeddings.clear();
        self.dense.fill(T::ZERO);
    }

    /// Adds other gradients of the same network.
    pub fn add(&mut self, other: &Self) {
        self.embeddings.add(&other.embeddings);
        self.dense.iter_mut().zip(&other.dense).for_each(|(sum, &d)| *sum += d);
    }
}

/// The gradients of all scores of a batch.
#[derive(Clone, Copy, Debug)]
pub struct ScoreGradients<'a, T> {
    /// Of [`Trace::arc_scores`].
    pub arcs: &'a [T],
    /// Of [`Trace::label_scores`], asked for all rows.
    pub labels: &'a [T],
    /// Of [`Trace::tag_scores`].
    pub tags: &'a [T],
}

/// Shares of values that are dropped in training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DropoutRates {
    /// Of the embeddings.
    pub input: f64,
    /// Between layers.
    pub layer: f64,
    /// Of the vectors that score arcs, labels and tags.
    pub sides: f64,
}

/// Values of all layers for one batch, with the memory to compute them; reused from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct Trace<T> {
    /// The vectors of the rows, and what they add to the embeddings.
    vectors: Vec<T>,
    projected: Vec<T>,
    /// Embeddings in normal form, and 1 / deviation.
    normal: Vec<T>,
    spread: Vec<T>,
    input: Vec<T>,
    layers: Vec<LayerTrace<T>>,
    sides: Vec<T>,
    arcs: ArcTrace<T>,
    labels: LabelTrace<T>,
    tags: Vec<T>,
    /// Masks of the input, of each layer, of the sides.
    dropout: Vec<Dropout<T>>,
    scratch: ProductScratch<T>,
    recurrent: LayerScratch<T>,
    gradients: [Vec<T>; 2],
}

impl<T> Trace<T> {
    /// The arc scores: for each sentence with r rows, a table of r × r, child by child. The row of the root as a child means
    /// nothing, nor do arcs from a row to itself.
    #[must_use]
    pub fn arc_scores(&self) -> &[T] {
        &self.arcs.scores
    }

    /// The scores of the labels that were asked for last, row by row.
    #[must_use]
    pub fn label_scores(&self) -> &[T] {
        &self.labels.scores
    }

    /// The scores of tags, row by row; those of the root mean nothing.
    #[must_use]
    pub fn tag_scores(&self) -> &[T] {
        &self.tags
    }
}

impl Network {
    /// A network of these sizes.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let mut places = Places::default();
        let norm = LayerNorm::new(shape.width, &mut places);
        let layers = (0..shape.layers).map(|layer| {
            let inputs = if layer == 0 { shape.width } else { 2 * shape.units };
            Layer::new(shape.cell, inputs, shape.units, &mut places)
        });
        let layers: Vec<_> = layers.collect();
        let encoded = if layers.is_empty() { shape.width } else { 2 * shape.units };
        let vectors = 2 * (shape.arc + shape.label) + shape.tag;
        let sides = Linear::new(encoded, vectors, &mut places);
        let arcs = ArcScorer::new(shape.arc, &mut places);
        let labels = LabelScorer::new(shape.label, shape.labels, &mut places);
        let tags = Linear::new(shape.tag, shape.tags, &mut places);
        let projection =
            (shape.vectors > 0).then(|| Linear::new(shape.vectors, shape.width, &mut places));
        let parameters = places.used();
        Self { shape, norm, layers, sides, arcs, labels, tags, projection, parameters }
    }

    /// The sizes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of parameters of the layers, embeddings not counted.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Random weights.
    #[must_use]
    pub fn initial<T: Real>(&self, seed: u64) -> Weights<T> {
        let mut rng = Rng::new(seed);
        let mut embeddings = vec![T::ZERO; self.shape.rows * self.shape.width];
        rng.fill(&mut embeddings, EMBEDDING_BOUND);
        let mut dense = vec![T::ZERO; self.parameters];
        self.norm.initialise(&mut dense);
        self.layers.iter().for_each(|layer| layer.initialise(&mut dense, &mut rng));
        self.sides.initialise(&mut dense, &mut rng);
        self.arcs.initialise(&mut dense, &mut rng);
        self.labels.initialise(&mut dense, &mut rng);
        self.tags.initialise(&mut dense, &mut rng);
        self.projection.iter().for_each(|layer| layer.initialise(&mut dense, &mut rng));
        Weights { embeddings, dense }
    }

    /// Gradients of 0.
    #[must_use]
    pub fn gradients<T: Real>(&self) -> Gradients<T> {
        Gradients {
            embeddings: SparseRows::new(self.shape.rows, self.shape.width),
            dense: vec![T::ZERO; self.parameters],
        }
    }

    /// Packs the weights of the layers, for the backward pass too if asked.
    pub fn pack<T: Real>(&self, dense: &[T], backward: bool, packs: &mut Packs<T>) {
        packs.layers.resize_with(self.layers.len(), PackedLayer::default);
        for (layer, packed) in self.layers.iter().zip(&mut packs.layers) {
            layer.pack(dense, backward, packed);
        }
        self.sides.pack(dense, backward, &mut packs.sides);
        self.arcs.pack(dense, backward, &mut packs.arcs);
        self.labels.pack(dense, backward, &mut packs.labels);
        self.tags.pack(dense, backward, &mut packs.tags);
        if let Some(projection) = &self.projection {
            projection.pack(dense, false, &mut packs.projection);
        }
    }

    /// Draws the masks of a batch.
    pub fn draw_dropout<T: Real>(
        &self,
        batch: &Batch,
        rates: DropoutRates,
        rng: &mut Rng,
        trace: &mut Trace<T>,
    ) {
        let rows = batch.rows();
        trace.dropout.resize_with(self.layers.len() + 2, Dropout::default);
        let (last, masks) = trace.dropout.split_last_mut().expect("two more than layers");
        for (index, mask) in masks.iter_mut().enumerate() {
            let encoded = 2 * self.shape.units;
            let (width, rate) =
                if index == 0 { (self.shape.width, rates.input) } else { (encoded, rates.layer) };
            mask.draw(rows * width, rate, rng);
        }
        last.draw(rows * self.sides.outputs, rates.sides, rng);
    }

    /// Scores all arcs of a batch; with dropout if [`Network::draw_dropout`] was called on this trace.
    pub fn encode<T: Real>(&self, numbers: Numbers<'_, T>, batch: &Batch, trace: &mut Trace<T>) {
        let Numbers { dense, packs, .. } = numbers;
        let starts = &batch.starts;
        self.embed(numbers, batch, trace);
        let Trace { normal, spread, input, layers, sides, arcs, dropout, scratch, .. } = trace;
        dropout.resize_with(self.layers.len() + 2, Dropout::default);
        self.norm.forward(dense, normal, spread, input);
        dropout[0].apply(input);
        layers.resize_with(self.layers.len(), LayerTrace::default);
        let mut x: &[T] = input;
        for (index, (layer, trace)) in self.layers.iter().zip(layers).enumerate() {
            layer.forward((dense, &packs.layers[index]), (starts, x), trace, scratch);
            dropout[index + 1].apply(&mut trace.output);
            x = &trace.output;
        }
        let x = Rows { data: x, rows: batch.rows(), step: self.sides.inputs };
        self.sides.forward(dense, &packs.sides, x, sides, scratch);
        leaky(sides);
        dropout[self.layers.len() + 1].apply(sides);
        self.arcs.forward(dense, &packs.arcs, starts, self.arc_sides(sides), arcs, scratch);
    }

    /// Scores all tags of a batch, after [`Network::encode`].
    pub fn tag<T: Real>(&self, numbers: Numbers<'_, T>, trace: &mut Trace<T>) {
        let Trace { sides, tags, scratch, .. } = trace;
        if self.shape.tags > 0 {
            let rows = self.tag_rows(sides);
            self.tags.forward(numbers.dense, &numbers.packs.tags, rows, tags, scratch);
        }
    }

    /// Sums the embeddings of each row and what its vector adds.
    fn embed<T: Real>(&self, numbers: Numbers<'_, T>, batch: &Batch, trace: &mut Trace<T>) {
        let Numbers { table, dense, packs } = numbers;
        let Trace { vectors, projected, normal, scratch, .. } = trace;
        embedding::forward(table, self.shape.width, batch.bags(), normal);
        let Some(projection) = &self.projection else { return };
        vectors.clear();
        vectors.extend(batch.vectors.iter().map(|&value| T::of(value.into())));
        let x = Rows { data: vectors, rows: batch.rows(), step: projection.inputs };
        projection.forward(dense, &packs.projection, x, projected, scratch);
        normal.iter_mut().zip(projected).for_each(|(sum, added)| *sum += *added);
    }

    /// Scores the labels of the arcs from row `first + heads[i]` of the batch to row `first + i`, after [`Network::encode`].
    pub fn label<T: Real>(
        &self,
        numbers: Numbers<'_, T>,
        (first, heads): (usize, &[usize]),
        trace: &mut Trace<T>,
    ) {
        let Trace { sides, labels, scratch, .. } = trace;
        let step = self.sides.outputs;
        let sides = self.label_sides(&sides[first * step..(first + heads.len()) * step]);
        self.labels.forward(numbers.dense, &numbers.packs.labels, sides, heads, labels, scratch);
    }

    /// Adds the gradients of a loss, given those of the scores that [`Network::encode`], [`Network::label`] and [`Network::tag`] left.
    pub fn backward<T: Real>(
        &self,
        numbers: Numbers<'_, T>,
        (batch, heads): (&Batch, &[usize]),
        trace: &mut Trace<T>,
        scores: ScoreGradients<'_, T>,
        gradients: &mut Gradients<T>,
    ) {
        let Numbers { dense, packs, .. } = numbers;
        let starts = &batch.starts;
        let gradient = &mut gradients.dense;
        let Trace { vectors, normal, spread, input, layers, sides, .. } = trace;
        let Trace { arcs, labels, dropout, scratch, gradients: [dy, dx], .. } = trace;
        let mut dsides = vec![T::ZERO; sides.len()];
        let arc_sides = (starts.as_slice(), self.arc_sides(sides));
        self.arcs.backward(
            &packs.arcs,
            arc_sides,
            arcs,
            scores.arcs,
            (gradient, &mut dsides),
            scratch,
        );
        let label_sides = (self.label_sides(sides), heads);
        let targets = (gradient.as_mut_slice(), dsides.as_mut_slice());
        self.labels.backward(&packs.labels, label_sides, labels, scores.labels, targets, scratch);
        if self.shape.tags > 0 && !dsides.is_empty() {
            let dx = &mut dsides[self.tag_column()..];
            let x = self.tag_rows(sides);
            self.tags.backward(&packs.tags, x, scores.tags, gradient, dx, scratch);
        }
        dropout[self.layers.len() + 1].apply(&mut dsides);
        leaky_backward(sides, &mut dsides);
        let encoded = layers.last().map_or(&*input, |layer| &layer.output);
        dy.clear();
        dy.resize(encoded.len(), T::ZERO);
        let x = Rows { data: encoded, rows: batch.rows(), step: self.sides.inputs };
        self.sides.backward(&packs.sides, x, &dsides, gradient, dy, scratch);
        for index in (0..self.layers.len()).rev() {
            dropout[index + 1].apply(dy);
            let x = if index == 0 { &*input } else { &layers[index - 1].output };
            self.layers[index].backward(
                (dense, &packs.layers[index]),
                (starts, x),
                (&layers[index], dy),
                (gradient, dx),
                &mut trace.recurrent,
            );
            std::mem::swap(dy, dx);
        }
        dropout[0].apply(dy);
        self.norm.backward(dense, normal, spread, dy, gradient);
        if let Some(projection) = &self.projection {
            let x = Rows { data: vectors, rows: batch.rows(), step: projection.inputs };
            projection.backward_parameters(x, dy, gradient, scratch);
        }
        gradients.embeddings.backward(batch.bags(), dy);
    }

    fn arc_sides<'a, T>(&self, data: &'a [T]) -> Sides<'a, T> {
        Sides { data, step: self.sides.outputs, child: 0, head: self.shape.arc }
    }

    fn label_sides<'a, T>(&self, data: &'a [T]) -> Sides<'a, T> {
        let child = 2 * self.shape.arc;
        Sides { data, step: self.sides.outputs, child, head: child + self.shape.label }
    }

    /// Where the vector that scores tags begins in a row of sides.
    fn tag_column(&self) -> usize {
        2 * (self.shape.arc + self.shape.label)
    }

    fn tag_rows<'a, T>(&self, sides: &'a [T]) -> Rows<'a, T> {
        let step = self.sides.outputs;
        let data = sides.get(self.tag_column()..).unwrap_or_default();
        Rows { data, rows: sides.len() / step, step }
    }
}

/// Initial embeddings lie between −0.1 and 0.1: what is summed and then normalised need not be large.
const EMBEDDING_BOUND: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::cross_entropy;
    use crate::simd::{Instructions, limited_to};
    use crate::testing::check_gradient;

    const SHAPE: Shape = Shape {
        rows: 7,
        width: 3,
        cell: Cell::Simple,
        layers: 2,
        units: 2,
        arc: 3,
        label: 2,
        labels: 3,
        tag: 2,
        tags: 4,
        vectors: 2,
    };

    fn batch(sentences: &[&[u32]]) -> Batch {
        let mut batch = Batch::default();
        for words in sentences {
            batch.push_row([0]);
            words.iter().for_each(|&word| batch.push_row([word, word / 2 + 3]));
            batch.push_vectors([0.0; 2]);
            batch.push_vectors(words.iter().flat_map(|&word| [1.0, -0.5 * word as f32]));
            batch.end_sentence();
        }
        batch
    }

    #[test]
    fn gradients_of_the_whole_network_equal_finite_differences() {
        for cell in [Cell::Simple, Cell::Lstm] {
            check_gradients(&Network::new(Shape { cell, ..SHAPE }));
        }
    }

    fn check_gradients(network: &Network) {
        let batch = batch(&[&[1, 2], &[3]]);
        let heads = [0, 2, 0, 3, 3];
        let weights = network.initial::<f64>(1);
        let table = weights.embeddings.len();
        let point = [weights.embeddings, weights.dense].concat();
        check_gradient(&point, |point, gradient| {
            let (embeddings, dense) = point.split_at(table);
            let weights = Weights { embeddings: embeddings.to_vec(), dense: dense.to_vec() };
            let (mut packs, mut trace) = (Packs::default(), Trace::default());
            network.pack(&weights.dense, true, &mut packs);
            let numbers = Numbers::new(&weights, &packs);
            let rates = DropoutRates { input: 0.1, layer: 0.2, sides: 0.2 };
            network.draw_dropout(&batch, rates, &mut Rng::new(4), &mut trace);
            network.encode(numbers, &batch, &mut trace);
            network.label(numbers, (0, &heads), &mut trace);
            network.tag(numbers, &mut trace);
            let mut loss = 0.0;
            let mut darcs = [0.0; 9 + 4];
            let mut dlabels = [0.0; 5 * 3];
            for (row, gold) in [(1, 2), (2, 0)] {
                let scores = &trace.arc_scores()[row * 3..][..3];
                loss += cross_entropy(scores, gold, Some(row), 1.0, &mut darcs[row * 3..][..3]);
            }
            for (row, gold) in [(1, 2), (2, 0), (4, 1)] {
                let scores = &trace.label_scores()[row * 3..][..3];
                loss += cross_entropy(scores, gold, None, 1.0, &mut dlabels[row * 3..][..3]);
            }
            let mut dtags = [0.0; 5 * 4];
            for (row, gold) in [(1, 3), (4, 0)] {
                let scores = &trace.tag_scores()[row * 4..][..4];
                loss += cross_entropy(scores, gold, None, 1.0, &mut dtags[row * 4..][..4]);
            }
            let mut gradients = network.gradients();
            let scores = ScoreGradients { arcs: &darcs, labels: &dlabels, tags: &dtags };
            network.backward(numbers, (&batch, &heads), &mut trace, scores, &mut gradients);
            for (row, d) in gradients.embeddings.iter() {
                gradient[row * 3..][..3].iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            }
            gradient[table..].iter_mut().zip(&gradients.dense).for_each(|(sum, d)| *sum += d);
            loss
        });
    }

    #[test]
    fn scores_do_not_depend_on_the_batch() {
        let network = Network::new(Shape { width: 20, units: 9, arc: 17, label: 5, ..SHAPE });
        let weights = network.initial::<f32>(3);
        let mut packs = Packs::default();
        network.pack(&weights.dense, false, &mut packs);
        let numbers = Numbers::new(&weights, &packs);
        let sentences: [&[u32]; 4] = [&[1, 2, 3], &[4], &[], &[2, 2, 5, 1, 6, 3, 2]];
        let mut together = Trace::default();
        network.encode(numbers, &batch(&sentences), &mut together);
        let mut rest = together.arc_scores();
        for sentence in sentences {
            let mut alone = Trace::default();
            network.encode(numbers, &batch(&[sentence]), &mut alone);
            let (scores, after) = rest.split_at(alone.arc_scores().len());
            assert_eq!(scores, alone.arc_scores(), "bit for bit");
            rest = after;
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn longer_vectors_change_no_bit() {
        for cell in [Cell::Simple, Cell::Lstm] {
            let network = Network::new(Shape { cell, width: 40, units: 23, arc: 33, ..SHAPE });
            let weights = network.initial::<f32>(3);
            let (mut packs, batch) = (Packs::default(), batch(&[&[1, 2, 3], &[4, 5, 6, 1, 2]]));
            network.pack(&weights.dense, false, &mut packs);
            let [_, eight, sixteen] = Instructions::ALL.map(|limit| {
                let (mut trace, numbers) = (Trace::default(), Numbers::new(&weights, &packs));
                limited_to(limit, || {
                    network.encode(numbers, &batch, &mut trace);
                    network.tag(numbers, &mut trace);
                });
                [trace.arc_scores(), trace.tag_scores()].concat()
            });
            assert_eq!(eight, sixteen, "{cell:?}");
        }
    }
}
