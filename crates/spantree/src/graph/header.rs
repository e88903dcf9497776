//! What a graph parser says about itself in the header of a model.

use serde::{Deserialize, Serialize};

use super::cube::CubeWidth;
use super::pruner::Pruning;
use crate::model::{Calibration, DevScores, TrainingInfo};

/// See the [module](self).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// `eisner`, `mst`, `1ec` or `cube`; a model must be used with the decoder it was trained for (mst06).
    pub decoder: String,
    /// The scheme by which crossing arcs are encoded in the labels, see
    /// [`PseudoProjective`](spantree_treebank::transform::PseudoProjective).
    pub pseudo_projective: Option<String>,
    /// What it was trained on, and how.
    pub training: TrainingInfo,
    /// Scores on the development set.
    pub dev: Option<DevScores>,
    /// The relations by number.
    pub labels: Vec<String>,
    /// The template files.
    pub templates: TemplateTexts,
    /// How many arcs a higher-order parser scores.
    #[serde(default)]
    pub pruning: Pruning,
    /// How wide the decoder `cube` searches.
    #[serde(default)]
    pub cube: CubeWidth,
    /// Whether the tree of the most likely arcs is wanted rather than the most likely tree.
    #[serde(default)]
    pub minimum_risk: bool,
    /// Scales of the weight tables.
    pub tables: TableInfo,
    /// How scores become probabilities.
    pub calibration: Calibration,
}

/// The template files of the stages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateTexts {
    /// Arcs.
    pub arc: String,
    /// Labels scored with the arcs.
    pub label: String,
    /// Labels of a finished tree.
    pub relabel: String,
    /// Arcs, for the pruner of a higher-order parser.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pruner: String,
    /// Parts of several arcs; none in a first-order parser.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
}

/// What one unit of each weight table is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Arc weights.
    pub arc_scale: f32,
    /// Label weights.
    pub label_scale: f32,
    /// Relabelling weights.
    pub relabel_scale: f32,
    /// Weights of the pruner; 0 in first order.
    #[serde(default)]
    pub pruner_scale: f32,
    /// Weights of parts; 0 in first order.
    #[serde(default)]
    pub part_scale: f32,
}
