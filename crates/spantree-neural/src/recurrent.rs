//! The bidirectional simple recurrent unit (Lei et al. 2018).
//!
//! One product over all rows gives, for each direction and unit, a candidate `u`, two gates before their squashing, and a
//! way past the unit `s`; what then runs along the sentence is elementwise, backwards for the second direction:
//!
//! ```text
//! f = σ(û_f + v_f c′)    r = σ(û_r + v_r c′)    c = f c′ + (1 − f) u    y = r c + (1 − r) s
//! ```
//! `c′` is the state of the row before, 0 at the start. When the input is as wide as the output, or as one direction of it, `s` is
//! the input itself: the half of it that belongs to the direction, or all of it for both.

use std::ops::Range;

use crate::layer::{LayerScratch, LayerTrace, PackedLayer};
use crate::linear::{Linear, Places, Rows};
use crate::product::ProductScratch;
use crate::random::Rng;
use crate::real::Real;
use crate::simd::{self, Kernel};

/// The layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct Recurrent {
    linear: Linear,
    units: usize,
    /// `v_f` and `v_r` of the first direction, then of the second.
    memory: Range<usize>,
}

impl Recurrent {
    /// A layer with `units` units in each direction, with places for its parameters.
    #[must_use]
    pub fn new(inputs: usize, units: usize, places: &mut Places) -> Self {
        let parts = if past_is_input(inputs, units) { 3 } else { 4 };
        let linear = Linear::new(inputs, 2 * units * parts, places);
        Self { linear, units, memory: places.take(4 * units) }
    }

    /// Width of the output.
    #[must_use]
    pub fn outputs(&self) -> usize {
        2 * self.units
    }

    /// Random weights.
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        self.linear.initialise(parameters, rng);
    }

    /// Packs the weights.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedLayer<T>) {
        self.linear.pack(parameters, backward, &mut packed.linear);
    }

    /// Runs over the sentences, whose rows in `x` are given by `starts`.
    pub fn forward<T: Real>(
        &self,
        (parameters, packed): (&[T], &PackedLayer<T>),
        (starts, x): (&[usize], &[T]),
        trace: &mut LayerTrace<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        let rows = x.len() / self.linear.inputs;
        let LayerTrace { gates, states, output, .. } = trace;
        let input = Rows { data: x, rows, step: self.linear.inputs };
        self.linear.forward(parameters, &packed.linear, input, gates, scratch);
        for buffer in [&mut *states, &mut *output] {
            buffer.resize(rows * self.outputs(), T::ZERO);
        }
        let skip = past_is_input(self.linear.inputs, self.units).then_some(x);
        for bounds in starts.windows(2) {
            for (direction, memory) in self.directions(parameters).enumerate() {
                let path = Path::new(bounds, direction);
                let units = self.units;
                let inputs = self.linear.inputs;
                simd::run(Scan { path, units, inputs, memory, skip, gates, states, output });
            }
        }
    }

    /// Adds the gradients of the parameters, and writes the gradient of the input to `dx`.
    pub fn backward<T: Real>(
        &self,
        (parameters, packed): (&[T], &PackedLayer<T>),
        (starts, x): (&[usize], &[T]),
        (trace, dy): (&LayerTrace<T>, &[T]),
        (gradient, dx): (&mut [T], &mut Vec<T>),
        scratch: &mut LayerScratch<T>,
    ) {
        let LayerScratch { gates: dgates, product, .. } = scratch;
        dgates.resize(trace.gates.len(), T::ZERO);
        dx.clear();
        dx.resize(x.len(), T::ZERO);
        let skip = past_is_input(self.linear.inputs, self.units);
        for bounds in starts.windows(2) {
            for (direction, memory) in self.directions(parameters).enumerate() {
                let path = Path::new(bounds, direction);
                let size = 2 * self.units;
                let dmemory = &mut gradient[self.memory.clone()][direction * size..][..size];
                let units = self.units;
                let past = if skip { Some((x, &mut dx[..])) } else { None };
                let inputs = self.linear.inputs;
                simd::run(Back { path, units, inputs, memory, trace, dy, past, dgates, dmemory });
            }
        }
        let rows = x.len() / self.linear.inputs;
        let input = Rows { data: x, rows, step: self.linear.inputs };
        self.linear.backward(&packed.linear, input, dgates, gradient, dx, product);
    }

    /// The weights of the states, by direction.
    fn directions<'a, T>(&self, parameters: &'a [T]) -> std::slice::ChunksExact<'a, T> {
        parameters[self.memory.clone()].chunks_exact(2 * self.units)
    }
}

/// Whether the input is its own way past the units.
fn past_is_input(inputs: usize, units: usize) -> bool {
    inputs == units || inputs == 2 * units
}

/// The rows of a sentence in the order of a direction.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) direction: usize,
}

impl Path {
    fn new(bounds: &[usize], direction: usize) -> Self {
        Self { first: bounds[0], len: bounds[1] - bounds[0], direction }
    }

    #[inline(always)]
    pub(crate) fn row(self, step: usize) -> usize {
        if self.direction == 0 { self.first + step } else { self.first + self.len - 1 - step }
    }

    /// Where in the input the way past the first unit of a row is.
    #[inline(always)]
    fn past(self, row: usize, inputs: usize, units: usize) -> usize {
        row * inputs + if inputs == units { 0 } else { self.direction * units }
    }
}

/// The forward scan; see the [module](self).
struct Scan<'a, T> {
    path: Path,
    units: usize,
    inputs: usize,
    memory: &'a [T],
    /// The input, if it is the way past.
    skip: Option<&'a [T]>,
    gates: &'a mut [T],
    states: &'a mut [T],
    output: &'a mut [T],
}

/// Units advanced together, in registers.
pub(crate) const LANES: usize = 16;

impl<T: Real> Kernel for Scan<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(mut self) {
        for lane in (0..self.units).step_by(LANES) {
            if lane + LANES <= self.units {
                self.lanes::<LANES>(lane);
            } else {
                (lane..self.units).for_each(|unit| self.lanes::<1>(unit));
            }
        }
    }
}

impl<T: Real> Scan<'_, T> {
    #[inline(always)]
    fn lanes<const N: usize>(&mut self, lane: usize) {
        let units = self.units;
        let width = 2 * units;
        let parts = if self.skip.is_some() { 3 } else { 4 };
        let forget_memory = take::<T, N>(self.memory, lane);
        let output_memory = take::<T, N>(self.memory, units + lane);
        let mut state = [T::ZERO; N];
        for step in 0..self.path.len {
            let row = self.path.row(step);
            let place = row * width + self.path.direction * units + lane;
            let start = (row * 2 + self.path.direction) * parts * units + lane;
            let candidate = take::<T, N>(self.gates, start);
            let mut forget = take::<T, N>(self.gates, start + units);
            let mut out = take::<T, N>(self.gates, start + 2 * units);
            let past = match self.skip {
                Some(x) => take::<T, N>(x, self.path.past(row, self.inputs, units) + lane),
                None => take::<T, N>(self.gates, start + 3 * units),
            };
            let mut y = [T::ZERO; N];
            for i in 0..N {
                forget[i] = (forget[i] + forget_memory[i] * state[i]).logistic();
                out[i] = (out[i] + output_memory[i] * state[i]).logistic();
                state[i] = candidate[i] + forget[i] * (state[i] - candidate[i]);
                y[i] = past[i] + out[i] * (state[i] - past[i]);
            }
            put(self.gates, start + units, forget);
            put(self.gates, start + 2 * units, out);
            put(self.states, place, state);
            put(self.output, place, y);
        }
    }
}

/// The `N` values from `start` on.
#[inline(always)]
#[expect(clippy::manual_memcpy, reason = "a call would cost more than the copy")]
pub(crate) fn take<T: Real, const N: usize>(values: &[T], start: usize) -> [T; N] {
    let values = &values[start..start + N];
    let mut taken = [T::ZERO; N];
    for i in 0..N {
        taken[i] = values[i];
    }
    taken
}

/// Writes `N` values from `start` on.
#[inline(always)]
#[expect(clippy::manual_memcpy, reason = "a call would cost more than the copy")]
pub(crate) fn put<T: Real, const N: usize>(values: &mut [T], start: usize, new: [T; N]) {
    let values = &mut values[start..start + N];
    for i in 0..N {
        values[i] = new[i];
    }
}

/// The backward scan of one sentence in one direction.
struct Back<'a, T> {
    path: Path,
    units: usize,
    inputs: usize,
    memory: &'a [T],
    trace: &'a LayerTrace<T>,
    dy: &'a [T],
    /// The input and its gradient, if the input is the way past.
    past: Option<(&'a [T], &'a mut [T])>,
    dgates: &'a mut [T],
    dmemory: &'a mut [T],
}

impl<T: Real> Kernel for Back<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(mut self) {
        for lane in (0..self.units).step_by(LANES) {
            if lane + LANES <= self.units {
                self.lanes::<LANES>(lane);
            } else {
                (lane..self.units).for_each(|unit| self.lanes::<1>(unit));
            }
        }
    }
}

impl<T: Real> Back<'_, T> {
    #[inline(always)]
    fn lanes<const N: usize>(&mut self, lane: usize) {
        let units = self.units;
        let parts = if self.past.is_some() { 3 } else { 4 };
        let side = self.path.direction * units + lane;
        let memory = [take::<T, N>(self.memory, lane), take(self.memory, units + lane)];
        let mut dmemory = [[T::ZERO; N]; 2];
        let mut carry = [T::ZERO; N];
        for step in (0..self.path.len).rev() {
            let row = self.path.row(step);
            let place = row * 2 * units + side;
            let start = (row * 2 + self.path.direction) * parts * units + lane;
            let gate = |part: usize| take::<T, N>(&self.trace.gates, start + part * units);
            let [candidate, forget, out] = [gate(0), gate(1), gate(2)];
            let previous = match step {
                0 => [T::ZERO; N],
                _ => take(&self.trace.states, self.path.row(step - 1) * 2 * units + side),
            };
            let state = take::<T, N>(&self.trace.states, place);
            let dy = take::<T, N>(self.dy, place);
            let before = self.path.past(row, self.inputs, units) + lane;
            let past = self.past.as_ref().map_or_else(|| gate(3), |(x, _)| take(x, before));
            let mut d = [[T::ZERO; N]; 4];
            for i in 0..N {
                let dstate = dy[i] * out[i] + carry[i];
                let change = previous[i] - candidate[i];
                d[0][i] = dstate * (T::ONE - forget[i]);
                d[1][i] = dstate * change * forget[i] * (T::ONE - forget[i]);
                d[2][i] = dy[i] * (state[i] - past[i]) * out[i] * (T::ONE - out[i]);
                d[3][i] = dy[i] * (T::ONE - out[i]);
                dmemory[0][i] += d[1][i] * previous[i];
                dmemory[1][i] += d[2][i] * previous[i];
                carry[i] = dstate * forget[i] + d[1][i] * memory[0][i] + d[2][i] * memory[1][i];
            }
            for (part, d) in d.into_iter().enumerate().take(parts) {
                put(self.dgates, start + part * units, d);
            }
            if let Some((_, dx)) = &mut self.past {
                dx[before..][..N].iter_mut().zip(d[3]).for_each(|(sum, d)| *sum += d);
            }
        }
        for (part, sums) in dmemory.iter().enumerate() {
            let target = &mut self.dmemory[part * units + lane..][..N];
            target.iter_mut().zip(sums).for_each(|(sum, &d)| *sum += d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    fn check(inputs: usize, units: usize) {
        let mut places = Places::default();
        let layer = Recurrent::new(inputs, units, &mut places);
        let starts = [0, 4, 5, 8];
        let rows = 8;
        let point = random(places.used() + rows * inputs);
        let judge = random(rows * layer.outputs());
        let mut scratch = LayerScratch::default();
        let mut packed = PackedLayer::default();
        check_gradient(&point, |point, gradient| {
            let (parameters, x) = point.split_at(places.used());
            layer.pack(parameters, true, &mut packed);
            let mut trace = LayerTrace::default();
            let (weights, input) = ((parameters, &packed), (&starts[..], x));
            layer.forward(weights, input, &mut trace, &mut scratch.product);
            let (dp, dx) = gradient.split_at_mut(places.used());
            let mut d = Vec::new();
            layer.backward(weights, input, (&trace, &judge), (dp, &mut d), &mut scratch);
            dx.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            trace.output.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }

    #[test]
    fn gradients_equal_finite_differences() {
        check(3, 2);
        check(4, 2);
        check(2, 2);
        check(5, 9);
    }
}
