//! A parser of any kind, as a pipeline and a program see it.
//!
//! Each kind is a module with a `Parser` (the loaded model), a `Worker` (one thread's buffers), a `Header` and a way to train;
//! this module says what they have in common. A new kind is a variant here and of [`ParserHeader`].

pub mod analysis;
pub mod calibration;
pub(crate) mod search;

use std::sync::Arc;

use spantree_treebank::Sentence;

use crate::graph::MAX_LABELS;
use crate::model::{Container, Header, ModelError, ParserHeader, Sections};
use crate::neural::{Encoder, EncoderInfo, EncoderMismatch, EnsembleError, vectors};
use crate::tag::{Beliefs, Mixture, TagSet};
use crate::{graph, neural, transition};

pub use analysis::{
    Analysis, CONFIDENCE_LIMIT, Confidence, PROJECTIVE_LIMIT, ParseError, ParseOptions,
    ParseWarning, ScoredTree, SpanSource, Timing,
};

/// A trained parser.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a program has one or two")]
pub enum Parser {
    /// A table of arc scores and a spanning tree.
    Graph(graph::Parser),
    /// The same with scores of a network.
    Neural(neural::Parser),
    /// A tree built action by action.
    Transition(transition::Parser),
}

impl Parser {
    /// A parser out of the sections of a model; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(container: Arc<Container>, header: ParserHeader) -> Result<Self, ModelError> {
        match header {
            ParserHeader::Graph(header) => graph::Parser::new(container, header).map(Self::Graph),
            ParserHeader::Neural(header) => {
                neural::Parser::new(&container, header).map(Self::Neural)
            }
            ParserHeader::Transition(header) => {
                transition::Parser::new(container, header).map(Self::Transition)
            }
        }
    }

    /// What the model says about itself.
    #[must_use]
    pub fn header(&self) -> ParserHeader {
        match self {
            Self::Graph(parser) => ParserHeader::Graph(parser.info().clone()),
            Self::Neural(parser) => ParserHeader::Neural(parser.info().clone()),
            Self::Transition(parser) => ParserHeader::Transition(parser.info().clone()),
        }
    }

    /// Adds the sections of this parser to those of a model.
    ///
    /// # Errors
    /// Never for a parser that was loaded or trained.
    pub fn write_sections(&self, sections: &mut Sections) -> Result<(), ModelError> {
        match self {
            Self::Graph(parser) => parser.write_sections(sections)?,
            Self::Neural(parser) => parser.write_sections(sections),
            Self::Transition(parser) => parser.write_sections(sections)?,
        }
        Ok(())
    }

    /// How its opinion of tags is to be joined with that of a tagger; `None` if it has none.
    #[must_use]
    pub fn tag_mixture(&self) -> Option<Mixture> {
        match self {
            Self::Neural(parser) => parser.info().retags.then_some(parser.info().mixture),
            Self::Graph(_) | Self::Transition(_) => None,
        }
    }

    /// The encoder that it was trained with, if any.
    #[must_use]
    pub fn needs_encoder(&self) -> Option<EncoderInfo> {
        match self {
            Self::Neural(parser) => parser.info().encoder,
            Self::Graph(_) | Self::Transition(_) => None,
        }
    }

    /// Whether it learned from the trees of another parser and expects them in its input; see [`guide`](crate::feature::guide).
    #[must_use]
    pub fn is_stacked(&self) -> bool {
        match self {
            Self::Graph(parser) => parser.info().templates.arc.contains("guide"),
            Self::Neural(parser) => {
                parser.info().inputs.iter().any(|name| name.starts_with("guide"))
            }
            Self::Transition(_) => false,
        }
    }

    /// The tags that it scores, if it does.
    #[must_use]
    pub fn tagset(&self) -> Option<&TagSet> {
        match self {
            Self::Neural(parser) => Some(parser.tagset()),
            Self::Graph(_) | Self::Transition(_) => None,
        }
    }

    /// Whether it sees predicted tags by the probabilities that a tagger with the same [tags](Self::tagset) gives them.
    #[must_use]
    pub fn weighs_tags(&self) -> bool {
        match self {
            Self::Neural(parser) => parser.weighs_tags(),
            Self::Graph(_) | Self::Transition(_) => false,
        }
    }

    /// The same parser with the encoder that it needs.
    ///
    /// # Errors
    /// When it needs another one, or needs one and has none, or has one and needs none.
    pub fn with_encoder(self, encoder: Option<Encoder>) -> Result<Self, EncoderMismatch> {
        vectors::check(self.needs_encoder(), encoder.as_ref().map(Encoder::info))?;
        Ok(match self {
            Self::Neural(parser) => Self::Neural(parser.with_encoder(encoder)),
            other => other,
        })
    }

    /// An ensemble of this parser, a learned one, and others; see [`crate::neural::ensemble`].
    ///
    /// # Errors
    /// When the first one is no learned parser, or another one has no table of arc scores.
    pub fn with_members(self, others: Vec<Self>) -> Result<Self, EnsembleError> {
        match self {
            single if others.is_empty() => Ok(single),
            Self::Neural(parser) => parser.with_members(others).map(Self::Neural),
            Self::Graph(_) | Self::Transition(_) => Err(EnsembleError::Leader),
        }
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        match self {
            Self::Graph(parser) => Worker::Graph(parser.worker()),
            Self::Neural(parser) => Worker::Neural(parser.worker()),
            Self::Transition(parser) => Worker::Transition(parser.worker()),
        }
    }
}

impl From<graph::Parser> for Parser {
    fn from(parser: graph::Parser) -> Self {
        Self::Graph(parser)
    }
}

impl From<neural::Parser> for Parser {
    fn from(parser: neural::Parser) -> Self {
        Self::Neural(parser)
    }
}

impl From<transition::Parser> for Parser {
    fn from(parser: transition::Parser) -> Self {
        Self::Transition(parser)
    }
}

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a thread has one")]
pub enum Worker<'p> {
    /// See [`Parser::Graph`].
    Graph(graph::Worker<'p>),
    /// See [`Parser::Neural`].
    Neural(neural::Worker<'p>),
    /// See [`Parser::Transition`].
    Transition(transition::Worker<'p>),
}

impl Worker<'_> {
    /// Parses a sentence and writes HEAD and DEPREL; everything else in it stays.
    ///
    /// # Errors
    /// With [`ParseOptions::keep`], when the given heads allow no tree; or when the model needs an encoder that it was not
    /// given. The sentence is unchanged then.
    pub fn parse(
        &mut self,
        sent: &mut Sentence,
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        match self {
            Self::Graph(worker) => worker.parse(sent, options),
            Self::Neural(worker) => worker.parse(sent, options),
            Self::Transition(worker) => worker.parse(sent, options),
        }
    }

    /// The same with what a tagger thinks of the sentence, if that is known; see [`Parser::weighs_tags`].
    ///
    /// # Errors
    /// As those of [`Worker::parse`].
    pub fn parse_believed(
        &mut self,
        (sent, beliefs): (&mut Sentence, &[Beliefs]),
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        match self {
            Self::Neural(worker) => worker.parse_believed((sent, beliefs), options),
            Self::Graph(_) | Self::Transition(_) => self.parse(sent, options),
        }
    }

    /// Parses some sentences, with what a tagger thinks of each or with nothing of the kind, and hands each to `each` with what
    /// was found, as [`Worker::parse_believed`] would; faster for parsers that can score several at once.
    pub fn parse_all(
        &mut self,
        (sentences, beliefs): (&mut [Sentence], &[Beliefs]),
        options: &ParseOptions,
        mut each: impl FnMut(&mut Sentence, Result<&Analysis, ParseError>),
    ) {
        match self {
            Self::Graph(worker) => sentences.iter_mut().for_each(|sent| {
                let found = worker.parse(sent, options);
                each(sent, found);
            }),
            Self::Neural(worker) => worker.parse_all((sentences, beliefs), options, each),
            Self::Transition(worker) => sentences.iter_mut().for_each(|sent| {
                let found = worker.parse(sent, options);
                each(sent, found);
            }),
        }
    }

    /// Where the time went so far.
    #[must_use]
    pub fn timing(&self) -> Timing {
        match self {
            Self::Graph(worker) => worker.timing(),
            Self::Neural(worker) => worker.timing(),
            Self::Transition(worker) => worker.timing(),
        }
    }
}

/// A model that holds a parser alone.
pub(crate) fn parser_model(
    sections: Sections,
    header: ParserHeader,
) -> Result<Container, ModelError> {
    let file = Header {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        sources: header.training().sources.clone(),
        parser: Some(header),
        ..Header::default()
    };
    sections.into_container("the new model", &file)
}

/// Refuses a model with more relations than can be numbered, or none.
pub(crate) fn check_labels(container: &Container, labels: &[String]) -> Result<(), ModelError> {
    if (1..=MAX_LABELS).contains(&labels.len()) {
        return Ok(());
    }
    let problem =
        format!("it has {} relations; between 1 and {MAX_LABELS} are possible", labels.len());
    Err(ModelError::Invalid { name: container.name().to_owned(), problem })
}
