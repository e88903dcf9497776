//! A layer that runs along sentences in both directions: one of two kinds of cells.

use crate::linear::{PackedLinear, Places};
use crate::lstm::{Lstm, Steps};
use crate::product::{Packed, ProductScratch};
use crate::random::Rng;
use crate::real::Real;
use crate::recurrent::Recurrent;

/// What the layers of an encoder are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// [Simple recurrent units](crate::recurrent): fast.
    #[default]
    Simple,
    /// [Long short-term memory](crate::lstm): sees more of what came before, for about twice the time.
    Lstm,
}

/// A layer; see the [module](self).
#[derive(Clone, Debug)]
pub enum Layer {
    /// Of [`Cell::Simple`].
    Simple(Recurrent),
    /// Of [`Cell::Lstm`].
    Lstm(Lstm),
}

/// The packed weights of a layer.
#[derive(Clone, Debug, Default)]
pub struct PackedLayer<T> {
    pub(crate) linear: PackedLinear<T>,
    /// From the outputs of the rows before, in each direction; only of [`Cell::Lstm`].
    pub(crate) feedback: [Packed<T>; 2],
    /// The same, transposed.
    pub(crate) feedback_back: [Packed<T>; 2],
}

/// What the forward pass leaves for the backward pass.
#[derive(Clone, Debug, Default)]
pub struct LayerTrace<T> {
    /// Per row and direction: candidates, forget gates, output gates and, where there are such, ways past.
    pub(crate) gates: Vec<T>,
    /// States, laid out as the output.
    pub(crate) states: Vec<T>,
    /// What is fed back; only of [`Cell::Lstm`].
    pub(crate) hidden: Vec<T>,
    pub(crate) steps: Steps<T>,
    /// The output: the units of the first direction, then of the second.
    pub output: Vec<T>,
}

/// Memory of the backward pass.
#[derive(Clone, Debug, Default)]
pub struct LayerScratch<T> {
    pub(crate) gates: Vec<T>,
    pub(crate) states: Vec<T>,
    pub(crate) before: Vec<T>,
    pub(crate) steps: Steps<T>,
    pub(crate) product: ProductScratch<T>,
}

impl Layer {
    /// A layer with `units` units in each direction, with places for its parameters.
    #[must_use]
    pub fn new(cell: Cell, inputs: usize, units: usize, places: &mut Places) -> Self {
        match cell {
            Cell::Simple => Self::Simple(Recurrent::new(inputs, units, places)),
            Cell::Lstm => Self::Lstm(Lstm::new(inputs, units, places)),
        }
    }

    /// Random weights.
    pub fn initialise<T: Real>(&self, parameters: &mut [T], rng: &mut Rng) {
        match self {
            Self::Simple(layer) => layer.initialise(parameters, rng),
            Self::Lstm(layer) => layer.initialise(parameters, rng),
        }
    }

    /// Packs the weights, for the backward pass too if asked.
    pub fn pack<T: Real>(&self, parameters: &[T], backward: bool, packed: &mut PackedLayer<T>) {
        match self {
            Self::Simple(layer) => layer.pack(parameters, backward, packed),
            Self::Lstm(layer) => layer.pack(parameters, backward, packed),
        }
    }

    /// Runs over the sentences, whose rows in `x` are given by `starts`.
    pub fn forward<T: Real>(
        &self,
        (parameters, packed): (&[T], &PackedLayer<T>),
        input: (&[usize], &[T]),
        trace: &mut LayerTrace<T>,
        scratch: &mut ProductScratch<T>,
    ) {
        match self {
            Self::Simple(layer) => layer.forward((parameters, packed), input, trace, scratch),
            Self::Lstm(layer) => layer.forward((parameters, packed), input, trace, scratch),
        }
    }

    /// Adds the gradients of the parameters, and writes the gradient of the input to the last of `targets`.
    pub fn backward<T: Real>(
        &self,
        (parameters, packed): (&[T], &PackedLayer<T>),
        input: (&[usize], &[T]),
        (trace, dy): (&LayerTrace<T>, &[T]),
        targets: (&mut [T], &mut Vec<T>),
        scratch: &mut LayerScratch<T>,
    ) {
        match self {
            Self::Simple(layer) => {
                layer.backward((parameters, packed), input, (trace, dy), targets, scratch);
            }
            Self::Lstm(layer) => layer.backward(packed, input, (trace, dy), targets, scratch),
        }
    }
}
