//! What a model says about itself: the JSON header.

use serde::{Deserialize, Serialize};

use crate::{lemma, segment, tag};

/// The header of a model file: what its stages say about themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of Spantree that wrote it.
    pub tool_version: String,
    /// What it was trained on.
    pub sources: Vec<Source>,
    /// From text to sentences and words.
    pub segmenter: Option<segment::Header>,
    /// UPOS, XPOS and FEATS.
    pub tagger: Option<tag::Header>,
    /// Lemmas.
    pub lemmatiser: Option<lemma::Header>,
    /// Trees.
    pub parser: Option<ParserHeader>,
}

/// The part of the header that describes a graph parser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParserHeader {
    /// Kind of parser: `graph`.
    pub kind: String,
    /// `eisner` or `mst`; a model must be used with the decoder it was trained for (mst06).
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
    /// Scales of the weight tables.
    pub tables: TableInfo,
    /// How scores become probabilities.
    pub calibration: Calibration,
}

/// Training data and settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingInfo {
    /// The treebanks.
    pub sources: Vec<Source>,
    /// Sentences used.
    pub sentences: usize,
    /// Words used.
    pub words: usize,
    /// Share of words with a non-projective arc.
    pub non_projective: f64,
    /// Seed of the shuffles.
    pub seed: u64,
    /// Epochs run for the tree model.
    pub epochs: u64,
    /// The epoch whose weights were kept.
    pub best_epoch: u64,
}

/// A treebank and the licence that its users must respect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the treebank or file.
    pub name: String,
    /// Licence, if it was given.
    pub licence: Option<String>,
}

/// Scores on the development set, in per cent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevScores {
    /// Words scored.
    pub words: usize,
    /// Unlabelled attachment.
    pub uas: f64,
    /// Labelled attachment, relations cut at the colon.
    pub las: f64,
}

/// The template files of the three stages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateTexts {
    /// Arcs.
    pub arc: String,
    /// Labels scored with the arcs.
    pub label: String,
    /// Labels of a finished tree.
    pub relabel: String,
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
}

/// From scores to probabilities: see [`crate::graph::calibration`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Arc scores are multiplied by this before exponentiation.
    pub arc_inverse_temperature: f32,
    /// Label scores likewise.
    pub label_inverse_temperature: f32,
    /// Calibrated arc confidence at equally spaced raw confidences from 0 to 1; empty for the identity.
    pub arc_map: Vec<f32>,
    /// The same for labels.
    pub label_map: Vec<f32>,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            arc_inverse_temperature: 1.0,
            label_inverse_temperature: 1.0,
            arc_map: Vec::new(),
            label_map: Vec::new(),
        }
    }
}
