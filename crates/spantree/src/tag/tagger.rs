//! The tagger that users hold: immutable, shared by any number of workers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::examples::lexicon;
use super::tagset::TagSet;
use super::template::Templates;
use super::worker::Worker;
use crate::model::{Container, ModelError, Sections};
use crate::rows::Rows;
use crate::rows::expanded::Expanded;

/// What a tagger says about itself: part of the header of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// UPOS, XPOS and FEATS of each tag.
    pub tags: Vec<[String; 3]>,
    /// Whether the model has clusters of forms.
    pub clusters: bool,
    /// What one unit of a weight is worth, times the factor that makes scores into log-probabilities.
    pub inverse_temperature: f32,
    /// Scores on the development set.
    pub dev: Option<TagScores>,
}

/// Accuracy in per cent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TagScores {
    /// Words scored.
    pub words: usize,
    /// UPOS.
    pub upos: f64,
    /// XPOS.
    pub xpos: f64,
    /// FEATS, all features.
    pub feats: f64,
}

/// A trained tagger; see the [module](super).
#[derive(Clone, Debug)]
pub struct Tagger {
    container: Arc<Container>,
    prefix: String,
    header: Header,
    tagset: TagSet,
    weights: Arc<Expanded>,
}

impl Tagger {
    /// A tagger out of the sections of a model whose names start with `prefix`; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(
        container: Arc<Container>,
        prefix: &str,
        header: Header,
    ) -> Result<Self, ModelError> {
        let invalid = |problem: String| ModelError::Invalid {
            name: container.name().to_owned(),
            problem: format!("the tagger {problem}"),
        };
        let count = header.tags.len();
        let tagset = TagSet::new(header.tags.clone()).filter(|tagset| !tagset.is_empty());
        let tagset = tagset.ok_or_else(|| invalid(format!("has {count} tags")))?;
        let factor = header.inverse_temperature;
        if !(factor.is_finite() && factor > 0.0) {
            return Err(invalid(format!("has the inverse temperature {factor}")));
        }
        lexicon(&container, prefix, &tagset, header.clusters)?;
        let parts = tagset.part_count();
        let weights = Rows::from_container(&container, &format!("{prefix}weights"), parts)?;
        let weights = Arc::new(Expanded::new(weights, parts));
        Ok(Self { container, prefix: prefix.to_owned(), header, tagset, weights })
    }

    /// What the tagger says about itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The same tagger with another header; the tags and sections must stay.
    pub(super) fn with_header(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.header);
        self
    }

    /// The tags.
    #[must_use]
    pub fn tagset(&self) -> &TagSet {
        &self.tagset
    }

    /// Adds the sections of this tagger to those of a model, with names that start with `prefix`.
    ///
    /// # Errors
    /// Never for a tagger that was loaded or trained.
    pub fn write_sections(&self, prefix: &str, sections: &mut Sections) -> Result<(), ModelError> {
        let clusters = if self.header.clusters { Some("clusters") } else { None };
        for name in ["lexicon", "weights"].into_iter().chain(clusters) {
            Rows::copy(
                &self.container,
                &format!("{}{name}", self.prefix),
                &format!("{prefix}{name}"),
                sections,
            )?;
        }
        Ok(())
    }

    /// A worker with its own buffers; make one per thread.
    ///
    /// # Panics
    /// Never: the sections were checked on loading.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let clusters = self.header.clusters;
        let lexicon = lexicon(&self.container, &self.prefix, &self.tagset, clusters);
        let lexicon = lexicon.expect("checked on loading");
        Worker::new(self, lexicon, &self.weights, Templates { clusters })
    }
}
