//! Weights as a model file holds them: embeddings in 8 bits with a scale per row, all others in 16 bits with one scale.
//!
//! Development scores are taken with rounded weights, so a saved model is the one that was judged.

use spantree_neural::Weights;
use spantree_neural::embedding::Table;

use crate::model::{Container, ModelError, Sections};

/// The sections of a learned parser.
mod section {
    pub(super) const EMBEDDINGS: &str = "network_embeddings";
    pub(super) const ROW_SCALES: &str = "network_row_scales";
    pub(super) const LAYERS: &str = "network_layers";
    pub(super) const LAYER_SCALE: &str = "network_layer_scale";
}

/// See the [module](self).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rounded {
    embeddings: Vec<i8>,
    row_scales: Vec<f32>,
    layers: Vec<i16>,
    layer_scale: f32,
}

impl Rounded {
    /// Rounds weights whose table has rows of this width.
    pub(crate) fn new(weights: &Weights<f32>, width: usize) -> Self {
        let rows = weights.embeddings.chunks_exact(width.max(1));
        let row_scales: Vec<_> = rows.clone().map(|row| scale(row, i8::MAX.into())).collect();
        let round = |(row, &scale): (&[f32], &f32)| {
            row.iter().map(|value| (value / scale).round() as i8).collect::<Vec<_>>()
        };
        let layer_scale = scale(&weights.dense, i16::MAX.into());
        let layers = weights.dense.iter().map(|value| (value / layer_scale).round() as i16);
        Self {
            embeddings: rows.zip(&row_scales).flat_map(round).collect(),
            row_scales,
            layers: layers.collect(),
            layer_scale,
        }
    }

    /// The embeddings.
    pub(crate) fn table(&self) -> Table<'_, f32> {
        Table::Rounded { values: &self.embeddings, scales: &self.row_scales }
    }

    /// The parameters of the layers in 32 bits.
    pub(crate) fn layers(&self) -> Vec<f32> {
        self.layers.iter().map(|&value| f32::from(value) * self.layer_scale).collect()
    }

    pub(crate) fn write(&self, sections: &mut Sections) {
        sections.push(section::EMBEDDINGS, &self.embeddings);
        sections.push(section::ROW_SCALES, &self.row_scales);
        sections.push(section::LAYERS, &self.layers);
        sections.push(section::LAYER_SCALE, &[self.layer_scale]);
    }

    /// Reads what [`Rounded::write`] wrote, for a network of these sizes.
    pub(crate) fn read(
        container: &Container,
        (rows, width, parameters): (usize, usize, usize),
    ) -> Result<Self, ModelError> {
        let rounded = Self {
            embeddings: container.section(section::EMBEDDINGS)?.to_vec(),
            row_scales: container.section(section::ROW_SCALES)?.to_vec(),
            layers: container.section(section::LAYERS)?.to_vec(),
            layer_scale: container
                .section(section::LAYER_SCALE)?
                .first()
                .copied()
                .unwrap_or_default(),
        };
        let fits = rounded.embeddings.len() == rows * width
            && rounded.row_scales.len() == rows
            && rounded.layers.len() == parameters
            && rounded.row_scales.iter().all(|scale| scale.is_finite())
            && rounded.layer_scale.is_finite();
        if fits {
            return Ok(rounded);
        }
        let problem = "its weights do not fit the sizes of its network".to_owned();
        Err(ModelError::Invalid { name: container.name().to_owned(), problem })
    }
}

/// What one unit is worth when the largest value is `most` units.
fn scale(values: &[f32], most: f32) -> f32 {
    let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    if largest > 0.0 { largest / most } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_small() {
        let weights = Weights {
            embeddings: vec![0.5, -1.0, 0.25, 0.001, -0.002, 0.0, 0.0, 0.0, 0.0],
            dense: vec![3.0, -0.1, 0.0],
        };
        let rounded = Rounded::new(&weights, 3);
        assert_eq!(rounded.embeddings, [64, -127, 32, 64, -127, 0, 0, 0, 0]);
        assert_eq!(rounded.row_scales, [1.0 / 127.0, 0.002 / 127.0, 1.0]);
        assert!(weights.dense.iter().zip(rounded.layers()).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}
