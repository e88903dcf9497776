//! The bidirectional long short-term memory (Hochreiter & Schmidhuber 1997) with one gate for both forgetting and input, as in
//! the coupled variant of Greff et al. (2017): a quarter fewer products.
//!
//! One product over all rows gives, for each direction and unit, what the input says of a candidate `u` and two gates. Along the
//! sentence, backwards for the second direction, the output of the row before adds its say by a second product:
//!
//! ```text
//! a = x · W + b + h′ · U    u = tanh(a_u)    f = σ(a_f)    r = σ(a_r)    c = f c′ + (1 − f) u    h = r tanh(c)
//! ```
//! `c′` and `h′` are 0 at the start. All sentences of a batch take a step together, the longest first, so that the second product
//! has as many rows as there are sentences with a word left.

use std::ops::Range;

use crate::layer::{LayerScratch, LayerTrace, PackedLayer};
use crate::linear::{Linear, Places, Rows};
use crate::product::{ProductScratch, View, add_product, add_product_once};
use crate::random::Rng;
use crate::real::Real;
use crate::recurrent::{LANES, Path, put, take};
use crate::simd::{self, Kernel};

/// Candidate, forget gate, output gate.
const PARTS: usize = 3;

/// The layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct Lstm {
    linear: Linear,
    units: usize,
    /// `U` of each direction.
    feedback: [Range<usize>; 2],
}

/// Memory of the steps along the sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps<T> {
    /// First row and length of each sentence, longest first.
    sentences: Vec<(usize, usize)>,
    /// `h′` of the sentences that go on, and what it says.
    hidden: Vec<T>,
    says: Vec<T>,
}

impl<T: Real> Steps<T> {
    /// Sorts the sentences and returns the length of the longest.
    fn sort(&mut self, starts: &[usize]) -> usize {
        self.sentences.clear();
        self.sentences.extend(starts.windows(2).map(|bounds| (bounds[0], bounds[1] - bounds[0])));
        self.sentences.sort_by_key(|&(_, len)| std::cmp::Reverse(len));
        self.sentences.first().map_or(0, |&(_, len)| len)
    }
}

impl Lstm {
    /// A layer with `units` units in each direction, with places for its parameters.
    #[must_use]
    pub fn new(inputs: usize, units: usize, places: &mut Places) -> Self {
        let linear = Linear::new(inputs, 2 * PARTS * units, places);
        let feedback = std::array::from_fn(|_| places.take(PARTS * units * units));
        Self { linear, units, feedback }
    }

    /// Width of the output.
    #[must_use]
    pub fn outputs(&self) -> usize {
        2 * self.units
    }

    /// Random weights, and gates that forget little at first.
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        self.linear.initialise(parameters, rng);
        let bound = (6.0 / ((1 + PARTS) * self.units) as f64).sqrt();
        self.feedback.iter().for_each(|place| rng.fill(&mut parameters[place.clone()], bound));
        let biases = self.linear.bias(parameters).chunks_exact_mut(self.units);
        biases.skip(1).step_by(PARTS).for_each(|forget| forget.fill(T::ONE));
    }

    /// Packs the weights, for the backward pass too if asked.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedLayer<T>) {
        self.linear.pack(parameters, backward, &mut packed.linear);
        for (direction, place) in self.feedback.iter().enumerate() {
            let feedback = &parameters[place.clone()];
            let feedback = View::new(feedback, self.units, PARTS * self.units);
            packed.feedback[direction].pack(feedback);
            if backward {
                packed.feedback_back[direction].pack(feedback.transposed());
            }
        }
    }

    /// Runs over the sentences, whose rows in `x` are given by `starts`.
    pub fn forward<T: Real>(
        &self,
        (parameters, packed): (&[T], &PackedLayer<T>),
        (starts, x): (&[usize], &[T]),
        trace: &mut LayerTrace<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        let (rows, units) = (x.len() / self.linear.inputs, self.units);
        let LayerTrace { gates, states, hidden, output, steps } = trace;
        let input = Rows { data: x, rows, step: self.linear.inputs };
        self.linear.forward(parameters, &packed.linear, input, gates, scratch);
        for buffer in [&mut *states, &mut *hidden] {
            buffer.resize(rows * self.outputs(), T::ZERO);
        }
        let longest = steps.sort(starts);
        let Steps { sentences, hidden: before, says } = steps;
        for (direction, feedback) in packed.feedback.iter().enumerate() {
            before.clear();
            before.resize(sentences.len() * units, T::ZERO);
            for step in 0..longest {
                let going = sentences.partition_point(|&(_, len)| len > step);
                says.clear();
                says.resize(going * PARTS * units, T::ZERO);
                let view = View::new(before, going, units);
                add_product(view, feedback, says, PARTS * units, scratch);
                let at = Place { sentences: &sentences[..going], direction, step, units };
                simd::run(Forward { at, says, gates, states, hidden, before });
            }
        }
        output.clone_from(hidden);
    }

    /// Adds the gradients of the parameters, and writes the gradient of the input to `dx`.
    pub fn backward<T: Real>(
        &self,
        packed: &PackedLayer<T>,
        (starts, x): (&[usize], &[T]),
        (trace, dy): (&LayerTrace<T>, &[T]),
        (gradient, dx): (&mut [T], &mut Vec<T>),
        scratch: &mut LayerScratch<T>,
    ) {
        let (rows, units) = (x.len() / self.linear.inputs, self.units);
        let LayerScratch { gates: dgates, states: dstates, before, steps, product } = scratch;
        dgates.resize(trace.gates.len(), T::ZERO);
        let longest = steps.sort(starts);
        let Steps { sentences, hidden: dhidden, says: dsays } = steps;
        for direction in 0..2 {
            for buffer in [&mut *dhidden, &mut *dstates] {
                buffer.clear();
                buffer.resize(sentences.len() * units, T::ZERO);
            }
            for step in (0..longest).rev() {
                let going = sentences.partition_point(|&(_, len)| len > step);
                dsays.resize(going * PARTS * units, T::ZERO);
                let at = Place { sentences: &sentences[..going], direction, step, units };
                simd::run(Backward { at, trace, dy, dhidden, dstates, dsays, dgates });
                let dsays = View::new(dsays, going, PARTS * units);
                dhidden[..going * units].fill(T::ZERO);
                add_product(dsays, &packed.feedback_back[direction], dhidden, units, product);
            }
            self.outputs_before((sentences, direction), &trace.hidden, before);
            let before = View::new(before, rows, units).transposed();
            let dgates = &dgates[direction * PARTS * units..];
            let dgates = View::part(dgates, rows, PARTS * units, 2 * PARTS * units);
            let target = &mut gradient[self.feedback[direction].clone()];
            add_product_once(before, dgates, target, PARTS * units, product);
        }
        dx.clear();
        dx.resize(x.len(), T::ZERO);
        let input = Rows { data: x, rows, step: self.linear.inputs };
        self.linear.backward(&packed.linear, input, dgates, gradient, dx, product);
    }

    /// Writes `h′` of all rows in one direction.
    fn outputs_before<T: Real>(
        &self,
        (sentences, direction): (&[(usize, usize)], usize),
        hidden: &[T],
        before: &mut Vec<T>,
    ) {
        let units = self.units;
        before.resize(hidden.len() / 2, T::ZERO);
        for &(first, len) in sentences {
            let path = Path { first, len, direction };
            for step in 0..len {
                let target = &mut before[path.row(step) * units..][..units];
                if step == 0 {
                    target.fill(T::ZERO);
                } else {
                    let source = (path.row(step - 1) * 2 + direction) * units;
                    target.copy_from_slice(&hidden[source..source + units]);
                }
            }
        }
    }
}

/// Where all sentences that go on are.
#[derive(Clone, Copy)]
struct Place<'a> {
    sentences: &'a [(usize, usize)],
    direction: usize,
    step: usize,
    units: usize,
}

impl Place<'_> {
    /// Where the units of this step of a sentence are in matrices as wide as the output, and those of the step before, if any.
    #[inline(always)]
    fn of(self, sentence: usize) -> (usize, Option<usize>) {
        let (first, len) = self.sentences[sentence];
        let path = Path { first, len, direction: self.direction };
        let place = |step: usize| (path.row(step) * 2 + self.direction) * self.units;
        (place(self.step), (self.step > 0).then(|| place(self.step - 1)))
    }
}

#[inline(always)]
fn tanh<T: Real>(x: T) -> T {
    let two = T::of(2.0);
    two * (two * x).logistic() - T::ONE
}

/// One step of all sentences; see the [module](self).
struct Forward<'a, T> {
    at: Place<'a>,
    says: &'a [T],
    gates: &'a mut [T],
    states: &'a mut [T],
    hidden: &'a mut [T],
    before: &'a mut [T],
}

impl<T: Real> Kernel for Forward<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(mut self) {
        let units = self.at.units;
        for sentence in 0..self.at.sentences.len() {
            for unit in (0..units).step_by(LANES) {
                if unit + LANES <= units {
                    self.lanes::<LANES>(sentence, unit);
                } else {
                    (unit..units).for_each(|unit| self.lanes::<1>(sentence, unit));
                }
            }
        }
    }
}

impl<T: Real> Forward<'_, T> {
    #[inline(always)]
    fn lanes<const N: usize>(&mut self, sentence: usize, unit: usize) {
        let units = self.at.units;
        let (place, earlier) = self.at.of(sentence);
        let start = place * PARTS + unit;
        let said = sentence * PARTS * units + unit;
        let mut gates = [[T::ZERO; N]; PARTS];
        for part in 0..PARTS {
            let input = take::<T, N>(self.gates, start + part * units);
            let says = take::<T, N>(self.says, said + part * units);
            for i in 0..N {
                let sum = input[i] + says[i];
                gates[part][i] = if part == 0 { tanh(sum) } else { sum.logistic() };
            }
            put(self.gates, start + part * units, gates[part]);
        }
        let mut state = match earlier {
            Some(earlier) => take::<T, N>(self.states, earlier + unit),
            None => [T::ZERO; N],
        };
        let mut hidden = [T::ZERO; N];
        for i in 0..N {
            state[i] = gates[0][i] + gates[1][i] * (state[i] - gates[0][i]);
            hidden[i] = gates[2][i] * tanh(state[i]);
        }
        put(self.states, place + unit, state);
        put(self.hidden, place + unit, hidden);
        put(self.before, sentence * units + unit, hidden);
    }
}

/// One step of all sentences, backwards.
struct Backward<'a, T> {
    at: Place<'a>,
    trace: &'a LayerTrace<T>,
    dy: &'a [T],
    /// Gradient of `h` by the next step.
    dhidden: &'a [T],
    /// Gradient of `c` by the next step, replaced by that of `c′`.
    dstates: &'a mut [T],
    dsays: &'a mut [T],
    dgates: &'a mut [T],
}

impl<T: Real> Kernel for Backward<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(mut self) {
        let units = self.at.units;
        for sentence in 0..self.at.sentences.len() {
            for unit in (0..units).step_by(LANES) {
                if unit + LANES <= units {
                    self.lanes::<LANES>(sentence, unit);
                } else {
                    (unit..units).for_each(|unit| self.lanes::<1>(sentence, unit));
                }
            }
        }
    }
}

impl<T: Real> Backward<'_, T> {
    #[inline(always)]
    fn lanes<const N: usize>(&mut self, sentence: usize, unit: usize) {
        let units = self.at.units;
        let (place, earlier) = self.at.of(sentence);
        let start = place * PARTS + unit;
        let gate = |part: usize| take::<T, N>(&self.trace.gates, start + part * units);
        let [candidate, forget, out] = [gate(0), gate(1), gate(2)];
        let state = take::<T, N>(&self.trace.states, place + unit);
        let previous = match earlier {
            Some(earlier) => take::<T, N>(&self.trace.states, earlier + unit),
            None => [T::ZERO; N],
        };
        let dy = take::<T, N>(self.dy, place + unit);
        let dhidden = take::<T, N>(self.dhidden, sentence * units + unit);
        let mut dstate = take::<T, N>(self.dstates, sentence * units + unit);
        let mut d = [[T::ZERO; N]; PARTS];
        for i in 0..N {
            let (dh, squashed) = (dy[i] + dhidden[i], tanh(state[i]));
            dstate[i] += dh * out[i] * (T::ONE - squashed * squashed);
            d[0][i] = dstate[i] * (T::ONE - forget[i]) * (T::ONE - candidate[i] * candidate[i]);
            let change = previous[i] - candidate[i];
            d[1][i] = dstate[i] * change * forget[i] * (T::ONE - forget[i]);
            d[2][i] = dh * squashed * out[i] * (T::ONE - out[i]);
            dstate[i] *= forget[i];
        }
        put(self.dstates, sentence * units + unit, dstate);
        for (part, d) in d.into_iter().enumerate() {
            put(self.dgates, start + part * units, d);
            put(self.dsays, (sentence * PARTS + part) * units + unit, d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn gradients_equal_finite_differences() {
        for (inputs, units) in [(3, 2), (4, 9)] {
            let mut places = Places::default();
            let layer = Lstm::new(inputs, units, &mut places);
            let starts = [0, 2, 6, 7, 7, 9];
            let point = random(places.used() + 9 * inputs);
            let judge = random(9 * layer.outputs());
            let mut packed = PackedLayer::default();
            let (mut trace, mut scratch) = (LayerTrace::default(), LayerScratch::default());
            let mut product = ProductScratch::default();
            check_gradient(&point, |point, gradient| {
                let (parameters, x) = point.split_at(places.used());
                layer.pack(parameters, true, &mut packed);
                let input = (&starts[..], x);
                layer.forward((parameters, &packed), input, &mut trace, &mut product);
                let (dp, dx) = gradient.split_at_mut(places.used());
                let mut d = Vec::new();
                let target = (dp, &mut d);
                layer.backward(&packed, input, (&trace, &judge), target, &mut scratch);
                dx.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
                trace.output.iter().zip(&judge).map(|(y, j)| y * j).sum()
            });
        }
    }

    #[test]
    fn a_sentence_alone_has_the_outputs_it_has_among_others() {
        let mut places = Places::default();
        let layer = Lstm::new(5, 12, &mut places);
        let mut parameters = vec![0.0f32; places.used()];
        layer.initialise(&mut parameters, &mut Rng::new(1));
        let (mut packed, mut trace) = (PackedLayer::default(), LayerTrace::default());
        layer.pack(&parameters, false, &mut packed);
        let mut x = vec![0.0f32; 20 * 5];
        Rng::new(2).fill(&mut x, 1.0);
        let starts = [0, 3, 4, 13, 20];
        let mut product = ProductScratch::default();
        let weights = (&parameters[..], &packed);
        layer.forward(weights, (&starts, &x), &mut trace, &mut product);
        let together = trace.output.clone();
        for bounds in starts.windows(2) {
            let (x, len) = (&x[bounds[0] * 5..bounds[1] * 5], bounds[1] - bounds[0]);
            layer.forward(weights, (&[0, len], x), &mut trace, &mut product);
            assert_eq!(trace.output, together[bounds[0] * 24..bounds[1] * 24], "bit for bit");
        }
    }
}
