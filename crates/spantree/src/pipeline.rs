//! From text to trees: the stages of one model file, run one after the other over the same [`Sentence`].
//!
//! ```text
//! text → Segmenter → Tagger → Lemmatiser → Parser → Enhancer → the same Sentence, with offsets, tags, lemmas, a tree, a graph
//! ```
//! A [`Pipeline`] is immutable and shared by any number of [`Worker`]s. Every stage may be missing from a model; what is
//! given in the input is kept unless [`Options::retag`] says otherwise. [`train`] makes a pipeline from a treebank.
//!
//! [`Sentence`]: spantree_treebank::Sentence

mod folds;
pub mod train;
mod worker;

use std::path::Path;
use std::sync::Arc;

use crate::enhance::Enhancer;
use crate::lemma::Lemmatiser;
use crate::model::{Container, Header, ModelError, Sections, Source};
use crate::neural::{Encoder, EncoderMismatch, EnsembleError, vectors};
use crate::parser::Parser;
use crate::segment::Segmenter;
use crate::tag::Tagger;

pub use worker::{Options, Outcome, PipelineError, Timing, Worker};

const TAGGER: &str = "tagger.";
const LEMMATISER: &str = "lemmatiser.";
const ENHANCER: &str = "enhancer.";

/// The stages of a model, each of which may be missing.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// From text to sentences and words.
    pub segmenter: Option<Segmenter>,
    /// UPOS, XPOS and FEATS.
    pub tagger: Option<Tagger>,
    /// Lemmas.
    pub lemmatiser: Option<Lemmatiser>,
    /// Trees.
    pub parser: Option<Parser>,
    /// Graphs.
    pub enhancer: Option<Enhancer>,
}

/// A loaded model; see the [module](self).
#[derive(Clone, Debug)]
pub struct Pipeline {
    container: Arc<Container>,
    header: Header,
    stages: Stages,
}

impl Pipeline {
    /// Puts stages together into one model.
    ///
    /// # Errors
    /// Never for stages that were loaded or trained.
    pub fn new(stages: &Stages, sources: Vec<Source>) -> Result<Self, ModelError> {
        let mut sections = Sections::default();
        if let Some(segmenter) = &stages.segmenter {
            segmenter.push_sections(&mut sections);
        }
        if let Some(tagger) = &stages.tagger {
            tagger.write_sections(TAGGER, &mut sections)?;
        }
        if let Some(lemmatiser) = &stages.lemmatiser {
            lemmatiser.write_sections(LEMMATISER, &mut sections)?;
        }
        if let Some(parser) = &stages.parser {
            parser.write_sections(&mut sections)?;
        }
        if let Some(enhancer) = &stages.enhancer {
            enhancer.write_sections(ENHANCER, &mut sections)?;
        }
        let header = Header {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            sources,
            segmenter: stages.segmenter.as_ref().map(|stage| stage.info().clone()),
            tagger: stages.tagger.as_ref().map(|stage| stage.header().clone()),
            lemmatiser: stages.lemmatiser.as_ref().map(|stage| stage.header().clone()),
            parser: stages.parser.as_ref().map(Parser::header),
            enhancer: stages.enhancer.as_ref().map(|stage| stage.header().clone()),
        };
        Self::of_file(sections.into_container("the new model", &header)?, header)
    }

    /// Maps a model file and checks it.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is of another version.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (container, header) = Container::open(path)?;
        Self::of_file(container, header)
    }

    /// Reads a model that is in memory; `name` stands for it in messages.
    ///
    /// # Errors
    /// As [`Pipeline::load`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let (container, header) = Container::from_bytes(name, bytes)?;
        Self::of_file(container, header)
    }

    fn of_file(container: Container, header: Header) -> Result<Self, ModelError> {
        let container = Arc::new(container);
        let share = || Arc::clone(&container);
        let Header { segmenter, tagger, lemmatiser, parser, enhancer, .. } = header.clone();
        let stages = Stages {
            segmenter: segmenter
                .map(|header| Segmenter::from_container(&container, header))
                .transpose()?,
            tagger: tagger.map(|header| Tagger::new(share(), TAGGER, header)).transpose()?,
            lemmatiser: lemmatiser
                .map(|header| Lemmatiser::new(share(), LEMMATISER, header))
                .transpose()?,
            parser: parser.map(|header| Parser::new(share(), header)).transpose()?,
            enhancer: enhancer
                .map(|header| Enhancer::new(share(), ENHANCER, header))
                .transpose()?,
        };
        Ok(Self { container, header, stages })
    }

    /// Writes the model file; it appears under its name when it is complete.
    ///
    /// # Errors
    /// When writing fails.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        self.container.save(path)
    }

    /// The same model with the pretrained encoder that its parser was trained with, if it was.
    ///
    /// # Errors
    /// When it needs another one, or needs one and has none, or has one and needs none.
    pub fn with_encoder(mut self, encoder: Option<Encoder>) -> Result<Self, EncoderMismatch> {
        match self.stages.parser.take() {
            Some(parser) => self.stages.parser = Some(parser.with_encoder(encoder)?),
            None => vectors::check(None, encoder.as_ref().map(Encoder::info))?,
        }
        Ok(self)
    }

    /// The same model whose parser is joined with those of other models into an ensemble; see [`crate::neural::ensemble`].
    ///
    /// # Errors
    /// When the parser of this model is no learned one, or another model has none with a table of arc scores.
    pub fn with_members(mut self, others: Vec<Self>) -> Result<Self, EnsembleError> {
        if others.is_empty() {
            return Ok(self);
        }
        let member = |(index, other): (usize, Self)| {
            other.stages.parser.ok_or(EnsembleError::Member { number: index + 2 })
        };
        let members = others.into_iter().enumerate().map(member).collect::<Result<_, _>>()?;
        let leader = self.stages.parser.take().ok_or(EnsembleError::Leader)?;
        self.stages.parser = Some(leader.with_members(members)?);
        Ok(self)
    }

    /// What the model says about itself.
    #[must_use]
    pub fn info(&self) -> &Header {
        &self.header
    }

    /// Size of the model file in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.container.size()
    }

    /// The stages.
    #[must_use]
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }
}
