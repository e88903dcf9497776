//! The learned parser that users hold: loaded from one file, immutable, shared by any number of workers.

use std::path::Path;
use std::sync::Arc;

use spantree_neural::Network;
use spantree_treebank::Sentence;

use super::ensemble::Ensemble;
use super::header::{Header, Sizes};
use super::input::Inputs;
use super::rounded::Rounded;
use super::scorer::{Scorer, ScorerScratch, TagSource};
use super::vectors::{self, Encoder, EncoderInfo, EncoderMismatch};
use super::worker::Worker;
use crate::feature::Atom;
use crate::graph::{Decoder, LabelSet};
use crate::model::{Container, ModelError, ParserHeader, Sections};
use crate::parser::check_labels;
use crate::tag::TagSet;

/// The section with the keys of known inputs.
const KEYS: &str = "network_keys";

/// A trained parser; see the [module](self).
#[derive(Clone, Debug)]
pub struct Parser {
    header: Header,
    pub(super) scorer: Arc<Scorer>,
    pub(super) labels: LabelSet,
    pub(super) decoder: Decoder,
    /// The tags that the network scores; none if it does not tag.
    pub(super) tagset: TagSet,
    /// Gives words vectors, if the network takes such.
    pub(super) encoder: Option<Encoder>,
    /// Those that it parses together with.
    pub(super) ensemble: Option<Arc<Ensemble>>,
}

impl Parser {
    /// Loads a model file and checks its parser.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or has no learned parser of this version.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (container, header): (_, crate::model::Header) = Container::open(path)?;
        match header.parser {
            Some(ParserHeader::Neural(header)) => Self::new(&container, header),
            _ => Err(invalid(&container, "it has no learned parser".to_owned())),
        }
    }

    /// A parser out of the sections of a model; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(container: &Container, header: Header) -> Result<Self, ModelError> {
        let invalid = |problem| invalid(container, problem);
        check_labels(container, &header.labels)?;
        if let Some((name, size)) =
            header.sizes.named().into_iter().find(|&(_, size)| size == 0 || size > Sizes::LIMIT)
        {
            return Err(invalid(format!("its size {name} is {size}")));
        }
        let most = EncoderInfo::WIDEST;
        if let Some(encoder) = header.encoder.filter(|encoder| !(1..=most).contains(&encoder.width))
        {
            return Err(invalid(format!("its encoder gives {} numbers per word", encoder.width)));
        }
        let atom = |name: &String| -> Result<Atom, ModelError> {
            name.parse().map_err(|()| invalid(format!("unknown input \"{name}\"")))
        };
        let atoms: Vec<_> = header.inputs.iter().map(atom).collect::<Result<_, _>>()?;
        let keys = container.section(KEYS)?.to_vec();
        let inputs = Inputs::new(&atoms, keys).with_grams(header.grams);
        let Some(tagset) = TagSet::new(header.tags.clone()) else {
            return Err(invalid(format!("it has {} tags", header.tags.len())));
        };
        let network = Network::new(header.shape(inputs.rows(), tagset.part_count()));
        let size = (inputs.rows(), header.sizes.width, network.parameters());
        let rounded = Rounded::read(container, size)?;
        if header.decoder.parse::<Decoder>().is_err() {
            return Err(invalid(format!("unknown decoder \"{}\"", header.decoder)));
        }
        Ok(Self::assemble(header, inputs, tagset, rounded))
    }

    /// A parser out of parts that fit each other.
    pub(super) fn assemble(
        header: Header,
        inputs: Inputs,
        tagset: TagSet,
        rounded: Rounded,
    ) -> Self {
        let network = Network::new(header.shape(inputs.rows(), tagset.part_count()));
        Self {
            scorer: Arc::new(Scorer::new(inputs, &tagset, network, rounded)),
            labels: LabelSet::new(header.labels.clone()),
            decoder: header.decoder.parse().unwrap_or(Decoder::Mst),
            tagset,
            encoder: None,
            ensemble: None,
            header,
        }
    }

    /// The same network with another decoder, other probabilities or another use of its tags.
    pub(super) fn with_header(&self, header: Header) -> Self {
        let decoder = header.decoder.parse().unwrap_or(self.decoder);
        Self { header, decoder, ..self.clone() }
    }

    /// The same network with the encoder that it needs, or none.
    pub(crate) fn with_encoder(&self, encoder: Option<Encoder>) -> Self {
        Self { encoder, ..self.clone() }
    }

    /// Has the network see some sentences.
    pub(super) fn score(
        &self,
        sentences: &[Sentence],
        tags: TagSource<'_>,
        scratch: &mut ScorerScratch,
    ) -> Result<(), EncoderMismatch> {
        let encoder = self.encoder.as_ref();
        vectors::check(self.header.encoder, encoder.map(Encoder::info))?;
        let tags = if self.header.weighs_tags { tags } else { tags.without_beliefs() };
        self.scorer.score((sentences, encoder), tags, scratch);
        Ok(())
    }

    /// Adds the sections of this parser to those of a model.
    pub fn write_sections(&self, sections: &mut Sections) {
        sections.push(KEYS, self.scorer.inputs.known());
        self.scorer.rounded().write(sections);
    }

    /// What the model says about itself: labels, inputs, training data, scores.
    #[must_use]
    pub fn info(&self) -> &Header {
        &self.header
    }

    /// The tags that the network scores; none if it does not tag.
    #[must_use]
    pub fn tagset(&self) -> &TagSet {
        &self.tagset
    }

    /// Whether it, or one that it leads, sees predicted tags by the probabilities that a tagger with the same tags gives them.
    #[must_use]
    pub fn weighs_tags(&self) -> bool {
        self.header.weighs_tags || self.ensemble.as_ref().is_some_and(|all| all.weighs_tags())
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }
}

fn invalid(container: &Container, problem: String) -> ModelError {
    ModelError::Invalid { name: container.name().to_owned(), problem }
}
