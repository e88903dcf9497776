//! What a learned parser says about itself in the header of a model.

use serde::{Deserialize, Serialize};
use spantree_neural::{Cell, Shape};

use super::vectors::EncoderInfo;
use crate::model::{Calibration, DevScores, TrainingInfo};
use crate::tag::Mixture;

/// See the [module](self).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// `eisner` or `mst`.
    pub decoder: String,
    /// What it was trained on, and how.
    pub training: TrainingInfo,
    /// Scores on the development set.
    pub dev: Option<DevScores>,
    /// The relations by number.
    pub labels: Vec<String>,
    /// The names of the atoms that the network sees of a word.
    pub inputs: Vec<String>,
    /// Length of the runs of characters that it sees, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grams: Option<u8>,
    /// What its layers are made of; models that do not say it have simple recurrent units.
    #[serde(default, with = "CellName")]
    pub cell: Cell,
    /// The sizes of the network.
    pub sizes: Sizes,
    /// How scores become probabilities.
    pub calibration: Calibration,
    /// The tags (UPOS, XPOS, FEATS) that the network scores; none if it does not tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<[String; 3]>,
    /// Whether tags are better when it has a say in them.
    #[serde(default)]
    pub retags: bool,
    /// How much of a say.
    #[serde(default)]
    pub mixture: Mixture,
    /// Whether it sees predicted tags by their probabilities.
    #[serde(default)]
    pub weighs_tags: bool,
    /// The encoder whose vectors it takes besides its inputs, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderInfo>,
}

impl Header {
    /// The shape of the network with so many embeddings and parts of tags.
    #[must_use]
    pub fn shape(&self, rows: usize, tags: usize) -> Shape {
        let vectors = self.encoder.map_or(0, |encoder| encoder.width);
        Shape { vectors, ..self.sizes.shape(self.cell, rows, self.labels.len(), tags) }
    }
}

/// The names of cells in settings and headers.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Cell", rename_all = "kebab-case")]
pub(crate) enum CellName {
    Simple,
    Lstm,
}

/// The sizes of a network that are settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sizes {
    /// Width of the embeddings.
    pub width: usize,
    /// Recurrent layers.
    pub layers: usize,
    /// Units of a recurrent layer in each direction.
    pub units: usize,
    /// Width of the vectors that score arcs.
    pub arc: usize,
    /// Width of the vectors that score labels.
    pub label: usize,
    /// Width of the vectors that score tags.
    pub tag: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { width: 128, layers: 3, units: 128, arc: 256, label: 128, tag: 64 }
    }
}

impl Sizes {
    /// Larger networks than this are not built, whatever a file says.
    pub(crate) const LIMIT: usize = 4096;

    /// Each size with its name in settings.
    pub(crate) fn named(&self) -> [(&'static str, usize); 6] {
        let Self { width, layers, units, arc, label, tag } = *self;
        [
            ("width", width),
            ("layers", layers),
            ("units", units),
            ("arc", arc),
            ("label", label),
            ("tag", tag),
        ]
    }

    /// The shape of the network of these cells with so many embeddings, labels and parts of tags, and no vectors.
    #[must_use]
    pub fn shape(&self, cell: Cell, rows: usize, labels: usize, tags: usize) -> Shape {
        let Self { width, layers, units, arc, label, tag } = *self;
        let tag = if tags == 0 { 0 } else { tag };
        Shape { rows, width, cell, layers, units, arc, label, labels, tag, tags, vectors: 0 }
    }
}
