//! The parser that users hold: loaded from one file, immutable, shared by any number of workers.

use std::path::Path;

use spantree_treebank::transform::PseudoProjective;

use super::decoder::Decoder;
use super::engine::Engine;
use super::filter::{ArcFilter, Filters};
use super::labels::{LabelFilter, LabelSet};
use super::scorer::ArcWeights;
use super::table::{ArcGroups, Table};
use super::worker::Worker;
use crate::model::{Container, Header, ModelError, Sections};

/// Labels beyond this do not fit the aligned block of weights that a label feature owns.
pub const MAX_LABELS: usize = 256;

/// The sections of a graph model.
pub(crate) mod section {
    pub(crate) const ARC: &str = "arc_weights";
    pub(crate) const LABEL: &str = "label_weights";
    pub(crate) const RELABEL: &str = "relabel_weights";
    pub(crate) const LABEL_FILTER: &str = "label_filter";
    pub(crate) const RELABEL_FILTER: &str = "relabel_filter";
    pub(crate) const ARC_FILTER: &str = "arc_filter";
}

/// A trained parser; see the [module](self).
#[derive(Debug)]
pub struct Parser {
    container: Container,
    header: Header,
    pub(super) engine: Engine,
    /// Puts back the crossing arcs that the labels encode.
    pub(super) crossing: Option<PseudoProjective>,
}

impl Parser {
    /// Maps a model file and checks it.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is not a graph parser of this version.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (container, header) = Container::open(path)?;
        Self::new(container, header)
    }

    /// Reads a model that is in memory; `name` stands for it in messages.
    ///
    /// # Errors
    /// As [`Parser::load`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let (container, header) = Container::from_bytes(name, bytes)?;
        Self::new(container, header)
    }

    pub(crate) fn from_sections(sections: Sections, header: Header) -> Result<Self, ModelError> {
        Self::new(sections.into_container("the new model", &header)?, header)
    }

    fn new(container: Container, header: Header) -> Result<Self, ModelError> {
        let invalid =
            |problem: String| ModelError::Invalid { name: container.name().to_owned(), problem };
        if header.kind != "graph" {
            return Err(invalid(format!(
                "it is a model of kind \"{}\", not a graph parser",
                header.kind
            )));
        }
        if header.labels.is_empty() || header.labels.len() > MAX_LABELS {
            return Err(invalid(format!(
                "it has {} relations; between 1 and {MAX_LABELS} are possible",
                header.labels.len()
            )));
        }
        let decoder: Decoder = header
            .decoder
            .parse()
            .map_err(|_| invalid(format!("unknown decoder \"{}\"", header.decoder)))?;
        let labels = LabelSet::new(header.labels.clone());
        let label_filter = |name| {
            LabelFilter::from_words(container.section(name)?, labels.len())
                .ok_or_else(|| invalid(format!("section {name} does not fit its relations")))
        };
        let filters = Filters {
            arcs: ArcFilter::from_words(container.section(section::ARC_FILTER)?)
                .ok_or_else(|| invalid("its arc filter has the wrong size".to_owned()))?,
            labels: label_filter(section::LABEL_FILTER)?,
            relabels: label_filter(section::RELABEL_FILTER)?,
        };
        for name in [section::ARC, section::LABEL, section::RELABEL] {
            let weights = container.section::<i16>(name)?.len();
            if !weights.is_power_of_two() || weights < MAX_LABELS {
                return Err(invalid(format!(
                    "section {name} has {weights} weights, which is no power of two above {MAX_LABELS}"
                )));
            }
        }
        let engine = Engine::new(&header.templates, labels, filters, decoder)
            .map_err(|error| invalid(error.to_string()))?;
        let scheme =
            header.pseudo_projective.as_deref().map(str::parse).transpose().map_err(invalid)?;
        Ok(Self { container, header, engine, crossing: scheme.map(PseudoProjective::new) })
    }

    /// Writes the model file; it appears under its name when it is complete.
    ///
    /// # Errors
    /// When writing fails.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        self.container.save(path)
    }

    /// What the model says about itself: labels, templates, training data, scores.
    #[must_use]
    pub fn info(&self) -> &Header {
        &self.header
    }

    /// Size of the model file in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.container.size()
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }

    pub(super) fn arc_weights(&self) -> ArcWeights<'_, i16> {
        let tables = self.header.tables;
        ArcWeights {
            arcs: ArcGroups::new(
                self.weights(section::ARC),
                tables.arc_scale,
                self.engine.scorer.arcs.follow_direction_only(),
            ),
            labels: Table::new(self.weights(section::LABEL), tables.label_scale),
        }
    }

    pub(super) fn relabel_weights(&self) -> Table<'_, i16> {
        Table::new(self.weights(section::RELABEL), self.header.tables.relabel_scale)
    }

    fn weights(&self, name: &str) -> &[i16] {
        // Presence and size were checked on loading; an empty table cannot occur.
        self.container.section(name).unwrap_or(&[0])
    }
}
