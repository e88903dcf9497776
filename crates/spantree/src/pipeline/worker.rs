//! Runs the stages after segmentation over one sentence after the other.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use spantree_treebank::{Column, Sentence};
use thiserror::Error;

use super::Pipeline;
use crate::parser::{self, Analysis, ParseError, ParseOptions, Parser};
use crate::tag::{TagConfidence, TagOptions};
use crate::{lemma, tag};

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Predict tags.
    pub tag: bool,
    /// Predict lemmas.
    pub lemmatise: bool,
    /// Predict trees.
    pub parse: bool,
    /// Predict tags and lemmas even where the input has them. Without it a sentence in which every word has a UPOS is not
    /// tagged, and one in which any word has a lemma is not lemmatised.
    pub retag: bool,
    /// How to parse.
    pub trees: ParseOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tag: true,
            lemmatise: true,
            parse: true,
            retag: false,
            trees: ParseOptions::default(),
        }
    }
}

/// Why a sentence was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// Tags are missing.
    #[error(
        "sentence {sentence}: its words have no UPOS and the model has no tagger; tag it first, or use a model with a tagger"
    )]
    Untagged {
        /// `sent_id`, or `?`.
        sentence: String,
    },
    /// The parser refused it.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// What was found out besides the columns of the sentence.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// One per word that the tagger tagged, if confidence was asked for.
    pub tags: &'a [TagConfidence],
    /// Trees and confidences, if the sentence was parsed.
    pub analysis: Option<&'a Analysis>,
}

/// Where the time of a [`Worker`] went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Tags.
    pub tag: Duration,
    /// Lemmas.
    pub lemmatise: Duration,
    /// Trees.
    pub parser: parser::Timing,
}

impl Timing {
    /// All together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.tag + self.lemmatise + self.parser.total()
    }
}

impl AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.tag += other.tag;
        self.lemmatise += other.lemmatise;
        self.parser += other.parser;
    }
}

/// Analyses sentences with one model; see [`Pipeline::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    annotator: Annotator<'p>,
    parser: Option<parser::Worker<'p>>,
    /// Confidences of the tags of some sentences, one sentence after the other, and where each begins.
    tags: Vec<TagConfidence>,
    tag_starts: Vec<usize>,
}

impl<'p> Worker<'p> {
    pub(super) fn new(pipeline: &'p Pipeline) -> Self {
        let stages = pipeline.stages();
        let annotator = Annotator {
            timing: Timing::default(),
            tagger: stages.tagger.as_ref().map(tag::Tagger::worker),
            lemmatiser: stages.lemmatiser.as_ref().map(lemma::Lemmatiser::worker),
        };
        let parser = stages.parser.as_ref().map(Parser::worker);
        Self { annotator, parser, tags: Vec::new(), tag_starts: Vec::new() }
    }

    /// Fills in what the model has stages for and the sentence lacks.
    ///
    /// # Errors
    /// When the parser needs tags that nobody gave, or the heads to keep allow no tree; HEAD and DEPREL are unchanged then.
    pub fn process(
        &mut self,
        sent: &mut Sentence,
        options: &Options,
    ) -> Result<Outcome<'_>, PipelineError> {
        let tags = self.annotator.annotate(sent, options);
        let analysis = match &mut self.parser {
            Some(parser) if options.parse => {
                if is_untagged(sent) {
                    return Err(untagged(sent));
                }
                Some(parser.parse(sent, &options.trees)?)
            }
            _ => None,
        };
        Ok(Outcome { tags, analysis })
    }

    /// Does the same for several sentences, which is faster for some parsers, and hands each to `each` with its outcome.
    pub fn process_all(
        &mut self,
        sentences: &mut [Sentence],
        options: &Options,
        mut each: impl FnMut(&mut Sentence, Result<Outcome<'_>, PipelineError>),
    ) {
        let Self { annotator, parser, tags, tag_starts } = self;
        tags.clear();
        tag_starts.clear();
        for sent in &mut *sentences {
            tag_starts.push(tags.len());
            tags.extend_from_slice(annotator.annotate(sent, options));
        }
        tag_starts.push(tags.len());
        let mut tags = tag_starts.windows(2).map(|bounds| &tags[bounds[0]..bounds[1]]);
        let mut tell = |sent: &mut Sentence, found: Result<Option<&Analysis>, PipelineError>| {
            let tags = tags.next().unwrap_or_default();
            each(sent, found.map(|analysis| Outcome { tags, analysis }));
        };
        let Some(parser) = parser.as_mut().filter(|_| options.parse) else {
            return sentences.iter_mut().for_each(|sent| tell(sent, Ok(None)));
        };
        for group in sentences.chunk_by_mut(|a, b| is_untagged(a) == is_untagged(b)) {
            if is_untagged(&group[0]) {
                group.iter_mut().for_each(|sent| tell(sent, Err(untagged(sent))));
            } else {
                parser.parse_all(group, &options.trees, |sent, found| {
                    tell(sent, found.map(Some).map_err(PipelineError::Parse));
                });
            }
        }
    }

    /// Where the time went so far.
    #[must_use]
    pub fn timing(&self) -> Timing {
        let parser = self.parser.as_ref().map(parser::Worker::timing).unwrap_or_default();
        Timing { parser, ..self.annotator.timing }
    }
}

/// The stages between segmenter and parser.
#[derive(Debug)]
struct Annotator<'p> {
    timing: Timing,
    tagger: Option<tag::Worker<'p>>,
    lemmatiser: Option<lemma::Worker<'p>>,
}

impl Annotator<'_> {
    /// Fills in tags and lemmas; returns the confidences of the tags, if any were asked for.
    fn annotate(&mut self, sent: &mut Sentence, options: &Options) -> &[TagConfidence] {
        let start = Instant::now();
        let tags = match &mut self.tagger {
            Some(tagger) if options.tag && (options.retag || !is_tagged(sent)) => {
                let keep = !options.retag;
                let options = TagOptions {
                    keep_upos: keep,
                    keep_xpos: keep,
                    keep_feats: keep,
                    confidence: options.trees.confidence,
                };
                tagger.tag(sent, &options)
            }
            _ => &[],
        };
        self.timing.tag += start.elapsed();
        let start = Instant::now();
        if let Some(lemmatiser) = &mut self.lemmatiser
            && options.lemmatise
            && (options.retag || sent.words().all(|word| word.lemma() == "_"))
        {
            lemmatiser.lemmatise(sent, &lemma::LemmaOptions { keep: false });
        }
        self.timing.lemmatise += start.elapsed();
        tags
    }
}

/// Whether there are words and none of them has a tag.
fn is_untagged(sent: &Sentence) -> bool {
    !sent.is_empty() && sent.words().all(|word| word.upos() == "_")
}

fn untagged(sent: &Sentence) -> PipelineError {
    PipelineError::Untagged { sentence: sent.sent_id().unwrap_or("?").to_owned() }
}

fn is_tagged(sent: &Sentence) -> bool {
    sent.words().all(|word| word.get(Column::Upos) != "_")
}
