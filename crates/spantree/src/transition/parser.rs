//! The parser that users hold: loaded from one file, immutable, shared by any number of workers.

use std::sync::Arc;

use spantree_treebank::transform::PseudoProjective;

use super::engine::{ACTIONS, Engine, Weights};
use super::header::{HASHING, Header};
use super::worker::Worker;
use crate::graph::{LabelFilter, LabelSet, MAX_LABELS};
use crate::model::{Container, ModelError, ParserHeader, Sections};
use crate::parser::{check_labels, parser_model};

/// The sections of a transition model.
pub(crate) mod section {
    pub(crate) const ACTION: &str = "action_weights";
    pub(crate) const LABEL: &str = "action_label_weights";
    pub(crate) const LABEL_FILTER: &str = "action_label_filter";
    /// Only in a model with shortcuts.
    pub(crate) const CLEAR: &str = "action_clear_weights";
    /// All of them, in 16-bit numbers.
    pub(super) const ALL: [&str; 4] = [ACTION, LABEL, LABEL_FILTER, CLEAR];
}

/// Wider beams than this are not allowed in a model.
pub(crate) const MAX_BEAM: usize = 1024;

/// A trained parser: immutable, shared by any number of workers.
#[derive(Clone, Debug)]
pub struct Parser {
    container: Arc<Container>,
    header: Header,
    pub(super) engine: Engine,
    /// Puts back the crossing arcs that the labels encode.
    pub(super) crossing: Option<PseudoProjective>,
}

impl Parser {
    pub(crate) fn from_sections(sections: Sections, header: Header) -> Result<Self, ModelError> {
        let container = parser_model(sections, ParserHeader::Transition(header.clone()))?;
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
        if header.hashing != HASHING {
            let (found, known) = (header.hashing, HASHING);
            return Err(invalid(format!(
                "its features are hashed in way {found}, and this program knows way {known}; train it again"
            )));
        }
        if !(1..=MAX_BEAM).contains(&header.beam) {
            let problem = format!("its beam is {}; 1 to {MAX_BEAM} are possible", header.beam);
            return Err(invalid(problem));
        }
        let mut tables = vec![(section::ACTION, 2 * ACTIONS), (section::LABEL, MAX_LABELS)];
        if let Some(shortcuts) = header.shortcuts {
            tables.push((section::CLEAR, MAX_LABELS));
            if !header.system.has_shortcuts() || !shortcuts.are_positive() {
                return Err(invalid("it has shortcuts that do not fit its system".to_owned()));
            }
        }
        for (name, least) in tables {
            let weights = container.section::<i16>(name)?.len();
            if !weights.is_power_of_two() || weights < least {
                return Err(invalid(format!(
                    "section {name} has {weights} weights, which is no power of two above {least}"
                )));
            }
        }
        let labels = LabelSet::new(header.labels.clone());
        let filter =
            LabelFilter::from_words(container.section(section::LABEL_FILTER)?, labels.len())
                .ok_or_else(|| invalid("its label filter does not fit its relations".to_owned()))?;
        let engine = Engine::new(header.system, &header.templates, labels, filter)
            .map_err(|error| invalid(error.to_string()))?;
        let scheme =
            header.pseudo_projective.as_deref().map(str::parse).transpose().map_err(invalid)?;
        Ok(Self { container, header, engine, crossing: scheme.map(PseudoProjective::new) })
    }

    /// Adds the sections of this parser to those of a model.
    ///
    /// # Errors
    /// Never for a parser that was loaded or trained.
    pub fn write_sections(&self, sections: &mut Sections) -> Result<(), ModelError> {
        let shortcuts = self.header.shortcuts.is_some();
        for name in section::ALL.into_iter().filter(|&name| shortcuts || name != section::CLEAR) {
            sections.push(name, self.container.section::<i16>(name)?);
        }
        Ok(())
    }

    /// What the model says about itself: labels, templates, training data, scores.
    #[must_use]
    pub fn info(&self) -> &Header {
        &self.header
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }

    pub(super) fn weights(&self) -> Weights<'_, i16> {
        // Presence and size were checked on loading; an empty table cannot occur.
        let section = |name| self.container.section(name).unwrap_or(&[0; MAX_LABELS]);
        Weights {
            actions: section(section::ACTION),
            labels: section(section::LABEL),
            clear: section(section::CLEAR),
        }
    }
}
