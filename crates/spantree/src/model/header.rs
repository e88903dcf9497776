//! What a model says about itself: the JSON header.

use serde::{Deserialize, Serialize};
use spantree_neural::Cell;

use crate::{enhance, graph, lemma, neural, segment, tag, transition};

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
    /// Graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enhancer: Option<enhance::Header>,
}

/// The part of the header that describes a parser, by its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ParserHeader {
    /// See [`crate::graph`].
    Graph(graph::Header),
    /// See [`crate::neural`].
    Neural(neural::Header),
    /// See [`crate::transition`].
    Transition(transition::Header),
}

impl ParserHeader {
    /// The kind of parser and its main setting.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Graph(header) => format!("graph, decoder {}", header.decoder),
            Self::Neural(header) => {
                let neural::Sizes { layers, units, .. } = header.sizes;
                let kind = match header.cell {
                    Cell::Simple => "simple",
                    Cell::Lstm => "LSTM",
                };
                let tags = if header.retags { ", has a say in tags" } else { "" };
                let decoder = &header.decoder;
                format!("neural, decoder {decoder}, {layers} {kind} layers of 2 × {units}{tags}")
            }
            Self::Transition(header) => {
                format!("transition, system {}, beam {}", header.system, header.beam)
            }
        }
    }

    /// The relations by number.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        match self {
            Self::Graph(header) => &header.labels,
            Self::Neural(header) => &header.labels,
            Self::Transition(header) => &header.labels,
        }
    }

    /// What it was trained on, and how.
    #[must_use]
    pub fn training(&self) -> &TrainingInfo {
        match self {
            Self::Graph(header) => &header.training,
            Self::Neural(header) => &header.training,
            Self::Transition(header) => &header.training,
        }
    }

    /// Scores on the development set.
    #[must_use]
    pub fn dev(&self) -> Option<DevScores> {
        match self {
            Self::Graph(header) => header.dev,
            Self::Neural(header) => header.dev,
            Self::Transition(header) => header.dev,
        }
    }
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

/// From scores to probabilities: see [`crate::parser::calibration`].
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
