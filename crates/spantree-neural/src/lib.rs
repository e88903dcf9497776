//! A small recurrent encoder with a biaffine arc scorer, trained and run on the CPU.
//!
//! ```text
//! ids of each word → summed embeddings → LayerNorm → SRU or LSTM layers → leaky ReLU → arc scores, label scores
//! ```
//! Rows of all sentences of a [`Batch`] lie one below the other, the root first in each, so that every layer is one product
//! of matrices over the whole batch. Every sum has a fixed order: the scores of a sentence do not depend on the batch.
//!
//! | module | what |
//! |---|---|
//! | [`network`] | the layers put together: scores forward, gradients backward |
//! | [`layer`] | a recurrent layer: [`recurrent`] or [`lstm`] |
//! | [`linear`], [`norm`], [`activation`], [`arcs`], [`labels`] | one layer each |
//! | [`embedding`] | summed rows and their sparse gradient |
//! | [`loss`] | from scores and gold answers to gradients of scores |
//! | [`adam`] | from gradients to weights, with a running average |
//! | [`product`] | products of matrices |
//! | [`transformer`] | a pretrained encoder, forward only |
//! | [`simd`], [`real`], [`random`] | vector instructions, `f32` and `f64`, random numbers |
//!
//! Layers are shapes with places in one vector of parameters. All are generic over [`Real`], so that finite differences in
//! `f64` check every backward pass.

pub mod activation;
pub mod adam;
pub mod arcs;
pub mod embedding;
pub mod labels;
pub mod layer;
pub mod linear;
pub mod loss;
pub mod lstm;
pub mod network;
pub mod norm;
pub mod product;
pub mod random;
pub mod real;
pub mod recurrent;
pub mod simd;
#[cfg(test)]
mod testing;
pub mod transformer;

pub use adam::{Adam, AdamConfig};
pub use embedding::Summand;
pub use layer::Cell;
pub use network::{Batch, Gradients, Network, Shape, Trace, Weights};
pub use random::Rng;
pub use real::Real;
