//! Why training fails.

use spantree_treebank::TreeError;
use thiserror::Error;

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
    /// A sentence without a tree.
    #[error(
        "training sentence {number} (sent_id {sentence}): {source}; training needs complete trees"
    )]
    Tree {
        /// From 1.
        number: usize,
        /// `sent_id`, or `?`.
        sentence: String,
        /// What is wrong.
        source: TreeError,
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
