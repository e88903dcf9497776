//! Why training fails.

use std::fmt::Display;

use thiserror::Error;

use super::data::DataProblem;
use crate::feature::TemplateError;
use crate::graph::MAX_LABELS;
use crate::model::ModelError;

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No usable sentence.
    #[error("the training data have no sentence with words")]
    NoData,
    /// A sentence whose heads allow no tree.
    #[error(
        "training sentence {number} (sent_id {sentence}): {problem}; correct it or leave the sentence out"
    )]
    Tree {
        /// From 1.
        number: usize,
        /// `sent_id`, or `?`.
        sentence: String,
        /// What is wrong.
        problem: DataProblem,
    },
    /// No sentence has heads and labels for all words.
    #[error(
        "no training sentence has a head and a label for every word; labels are learned from complete trees"
    )]
    NoCompleteTree,
    /// No word has a head and a label.
    #[error(
        "no word of the training data has a head and a label, so there is nothing to learn; are HEAD and DEPREL filled in?"
    )]
    NoArc,
    /// Repairs are to be learned, and there are none.
    #[error(
        "the system arc-edit learns from the relation reparandum, which the training data do not have; choose another system"
    )]
    NoRepairs,
    /// A setting that makes no sense.
    #[error("{name} is {value}; give {remedy}")]
    Setting {
        /// Its name in a settings file.
        name: String,
        /// Its value.
        value: String,
        /// What would do.
        remedy: &'static str,
    },
    /// A weight for a relation that does not occur.
    #[error(
        "cost.relations gives a weight to \"{name}\", which the training data do not have; remove it"
    )]
    UnknownRelation {
        /// The relation.
        name: String,
    },
    /// Zero epochs asked for.
    #[error("no epoch was asked for; use at least one")]
    NoEpoch,
    /// Untagged data.
    #[error("the training data have no UPOS; tag them first")]
    NoTags,
    /// Too many relations.
    #[error(
        "the training data have {found} relations, more than the {MAX_LABELS} that a model can hold"
    )]
    TooManyLabels {
        /// How many.
        found: usize,
    },
    /// A bad template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A checkpoint or model that cannot be written or read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A checkpoint of another run.
    #[error(
        "{name} belongs to other data or settings: {difference}; remove it or train without --resume"
    )]
    OtherRun {
        /// The checkpoint.
        name: String,
        /// What differs.
        difference: String,
    },
}

impl TrainError {
    pub(crate) fn setting(name: &str, value: impl Display, remedy: &'static str) -> Self {
        Self::Setting { name: name.to_owned(), value: value.to_string(), remedy }
    }
}
