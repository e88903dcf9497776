//! The linear layer: `y = x · W + b`.

use std::ops::Range;

use crate::product::{Packed, ProductScratch, View, add_product, add_product_once, write_product};
use crate::random::Rng;
use crate::real::Real;

/// Hands out places in the vector of parameters.
#[derive(Clone, Debug, Default)]
pub struct Places {
    used: usize,
}

impl Places {
    /// The next `count` parameters.
    pub fn take(&mut self, count: usize) -> Range<usize> {
        self.used += count;
        self.used - count..self.used
    }

    /// Parameters handed out so far.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }
}

/// A linear layer: its shape, and where its parameters are.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Width of the input.
    pub inputs: usize,
    /// Width of the output.
    pub outputs: usize,
    weight: Range<usize>,
    bias: Range<usize>,
}

/// The weights of a layer, packed for both directions; see [`crate::product`].
#[derive(Clone, Debug, Default)]
pub struct PackedLinear<T> {
    forward: Packed<T>,
    backward: Packed<T>,
}

/// A matrix whose rows begin `step` apart, of which a layer reads or writes the first columns.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// The numbers, from the first one used.
    pub data: &'a [T],
    /// Number of rows.
    pub rows: usize,
    /// Distance of rows.
    pub step: usize,
}

impl Linear {
    /// A layer with places for its parameters.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, places: &mut Places) -> Self {
        Self { inputs, outputs, weight: places.take(inputs * outputs), bias: places.take(outputs) }
    }

    /// Random weights of variance 2 / (inputs + outputs), biases 0 (Glorot & Bengio 2010).
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        let bound = (6.0 / (self.inputs + self.outputs) as f64).sqrt();
        rng.fill(&mut parameters[self.weight.clone()], bound);
    }

    /// Sets the weights and biases of some outputs, those from `first` on: a row of weights per output, one after the other.
    ///
    /// # Panics
    /// If there are more outputs than the layer has, or rows of another length.
    pub fn set<T: Real>(&self, parameters: &mut [T], first: usize, rows: &[T], biases: &[T]) {
        assert_eq!(rows.len(), biases.len() * self.inputs, "the rows of a linear layer");
        parameters[self.bias.clone()][first..first + biases.len()].copy_from_slice(biases);
        let weight = &mut parameters[self.weight.clone()];
        for (output, row) in rows.chunks_exact(self.inputs).enumerate() {
            let column = weight[first + output..].iter_mut().step_by(self.outputs);
            column.zip(row).for_each(|(place, &value)| *place = value);
        }
    }

    /// The biases.
    pub(crate) fn bias<'a, T>(&self, parameters: &'a mut [T]) -> &'a mut [T] {
        &mut parameters[self.bias.clone()]
    }

    /// Packs the weights, for the backward pass too if asked.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedLinear<T>) {
        let weight = View::new(&parameters[self.weight.clone()], self.inputs, self.outputs);
        packed.forward.pack(weight);
        if backward {
            packed.backward.pack(weight.transposed());
        }
    }

    /// Writes the output of all rows, without gaps.
    pub fn forward<T: Real>(
        &self,
        parameters: &[T],
        packed: &PackedLinear<T>,
        x: Rows<'_, T>,
        y: &mut Vec<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        let bias = &parameters[self.bias.clone()];
        y.resize(x.rows * self.outputs, T::ZERO);
        let x = View::part(x.data, x.rows, self.inputs, x.step);
        write_product(x, &packed.forward, bias, y, scratch);
    }

    /// Adds the gradients of the parameters to `gradient`, and that of the input to `dx`, whose rows begin `x.step` apart.
    pub fn backward<T: Real>(
        &self,
        packed: &PackedLinear<T>,
        x: Rows<'_, T>,
        dy: &[T],
        gradient: &mut [T],
        dx: &mut [T],
        scratch: &mut ProductScratch<T>,
    ) {
        let dy_view = View::new(dy, x.rows, self.outputs);
        add_product(dy_view, &packed.backward, dx, x.step, scratch);
        self.backward_parameters(x, dy, gradient, scratch);
    }

    /// Adds the gradients of the parameters alone, for an input that is not learned.
    pub fn backward_parameters<T: Real>(
        &self,
        x: Rows<'_, T>,
        dy: &[T],
        gradient: &mut [T],
        scratch: &mut ProductScratch<T>,
    ) {
        let dy_view = View::new(dy, x.rows, self.outputs);
        let x = View::part(x.data, x.rows, self.inputs, x.step);
        let dw = &mut gradient[self.weight.clone()];
        add_product_once(x.transposed(), dy_view, dw, self.outputs, scratch);
        let db = &mut gradient[self.bias.clone()];
        for row in dy.chunks_exact(self.outputs) {
            db.iter_mut().zip(row).for_each(|(sum, &d)| *sum += d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn gradients_equal_finite_differences() {
        let mut places = Places::default();
        let layer = Linear::new(3, 4, &mut places);
        let rows = 5;
        // Parameters, then the input, whose rows have one column more than the layer reads.
        let point = random(places.used() + rows * 4);
        let judge = random(rows * layer.outputs);
        let mut scratch = ProductScratch::default();
        let mut packed = PackedLinear::default();
        check_gradient(&point, |point, gradient| {
            let (parameters, x) = point.split_at(places.used());
            layer.pack(parameters, true, &mut packed);
            let x = Rows { data: x, rows, step: 4 };
            let mut y = Vec::new();
            layer.forward(parameters, &packed, x, &mut y, &mut scratch);
            let (dp, dx) = gradient.split_at_mut(places.used());
            layer.backward(&packed, x, &judge, dp, dx, &mut scratch);
            y.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }
}
