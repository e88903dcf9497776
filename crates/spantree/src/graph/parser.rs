//! The parser that users hold: loaded from one file, immutable, shared by any number of workers.

use std::path::Path;
use std::sync::Arc;

use spantree_treebank::transform::PseudoProjective;

use super::decoder::Decoder;
use super::engine::Engine;
use super::filter::{ArcFilter, Filters};
use super::header::Header;
use super::labels::{LabelFilter, LabelSet};
use super::scorer::ArcWeights;
use super::table::{ArcGroups, Table};
use super::worker::Worker;
use crate::model::{self, Container, ModelError, ParserHeader, Sections};
use crate::parser::{check_labels, parser_model};

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
    pub(crate) const PRUNER: &str = "pruner_weights";
    pub(crate) const PART: &str = "part_weights";
    /// Those that every graph model has, in 16-bit numbers.
    pub(super) const FIRST_ORDER: [&str; 6] =
        [ARC, LABEL, RELABEL, LABEL_FILTER, RELABEL_FILTER, ARC_FILTER];
    /// Those of higher orders.
    pub(super) const HIGHER_ORDER: [&str; 2] = [PRUNER, PART];
}

/// The weights that a higher-order parser has beside those of arcs and labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct HigherWeights<'p> {
    pub(super) pruner: ArcGroups<'p, i16>,
    pub(super) parts: Table<'p, i16>,
}

/// A trained parser; see the [module](self).
#[derive(Clone, Debug)]
pub struct Parser {
    container: Arc<Container>,
    header: Header,
    pub(super) engine: Engine,
    /// Puts back the crossing arcs that the labels encode.
    pub(super) crossing: Option<PseudoProjective>,
}

impl Parser {
    /// Maps a model file and checks its parser.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or has no graph parser of this version.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (container, header) = Container::open(path)?;
        Self::of_file(container, header)
    }

    /// Reads a model that is in memory; `name` stands for it in messages.
    ///
    /// # Errors
    /// As [`Parser::load`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let (container, header) = Container::from_bytes(name, bytes)?;
        Self::of_file(container, header)
    }

    fn of_file(container: Container, header: model::Header) -> Result<Self, ModelError> {
        let name = container.name().to_owned();
        let problem = "it has no graph parser; train one with `--stages parse`".to_owned();
        match header.parser {
            Some(ParserHeader::Graph(header)) => Self::new(Arc::new(container), header),
            _ => Err(ModelError::Invalid { name, problem }),
        }
    }

    pub(crate) fn from_sections(sections: Sections, header: Header) -> Result<Self, ModelError> {
        let container = parser_model(sections, ParserHeader::Graph(header.clone()))?;
        Self::new(Arc::new(container), header)
    }

    /// A parser out of the sections of a model; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(container: Arc<Container>, header: Header) -> Result<Self, ModelError> {
        let invalid =
            |problem: String| ModelError::Invalid { name: container.name().to_owned(), problem };
        check_labels(&container, &header.labels)?;
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
        let higher: &[&str] =
            if header.templates.part.is_empty() { &[] } else { &section::HIGHER_ORDER };
        for &name in [section::ARC, section::LABEL, section::RELABEL].iter().chain(higher) {
            let weights = container.section::<i16>(name)?.len();
            if !weights.is_power_of_two() || weights < MAX_LABELS {
                return Err(invalid(format!(
                    "section {name} has {weights} weights, which is no power of two above {MAX_LABELS}"
                )));
            }
        }
        let mut engine =
            Engine::new(&header.templates, labels, filters, decoder, (header.pruning, header.cube))
                .map_err(|error| invalid(error.to_string()))?;
        engine.minimum_risk = header.minimum_risk;
        let scheme =
            header.pseudo_projective.as_deref().map(str::parse).transpose().map_err(invalid)?;
        Ok(Self { container, header, engine, crossing: scheme.map(PseudoProjective::new) })
    }

    /// Adds the sections of this parser to those of a model.
    ///
    /// # Errors
    /// Never for a parser that was loaded or trained.
    pub fn write_sections(&self, sections: &mut Sections) -> Result<(), ModelError> {
        let higher = section::HIGHER_ORDER.iter().filter(|_| self.engine.higher.is_some());
        for name in section::FIRST_ORDER.iter().chain(higher) {
            sections.push(name, self.container.section::<i16>(name)?);
        }
        Ok(())
    }

    /// Writes the model file; it appears under its name when it is complete.
    ///
    /// # Errors
    /// When writing fails.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        self.container.save(path)
    }

    /// The same parser with another search space. Scores are best searched with the decoder they were trained for, which
    /// [`Parser::info`] and saved files go on to name: see `experiments/first-order` for what a change costs.
    #[must_use]
    pub fn with_decoder(mut self, decoder: Decoder) -> Self {
        self.engine.decoder = decoder;
        self
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

    /// The weights of pruner and parts, of a higher-order parser.
    pub(super) fn higher_weights(&self) -> Option<HigherWeights<'_>> {
        let tables = self.header.tables;
        self.engine.higher.as_ref().map(|higher| HigherWeights {
            pruner: ArcGroups::new(
                self.weights(section::PRUNER),
                tables.pruner_scale,
                higher.pruner.scorer.arcs.follow_direction_only(),
            ),
            parts: Table::new(self.weights(section::PART), tables.part_scale),
        })
    }

    fn weights(&self, name: &str) -> &[i16] {
        // Presence and size were checked on loading; an empty table cannot occur.
        self.container.section(name).unwrap_or(&[0])
    }
}
