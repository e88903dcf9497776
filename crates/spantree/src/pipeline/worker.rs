//! Runs the stages after segmentation over one sentence after the other.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use spantree_treebank::{Sentence, Token};
use thiserror::Error;

use super::{Pipeline, Stages};
use crate::parser::{self, Analysis, ParseError, ParseOptions, Parser};
use crate::tag::tagset::columns;
use crate::tag::{Beliefs, Dictionary, JointChoice, TagConfidence, TagOptions};
use crate::{enhance, lemma, tag};

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
    /// Graphs.
    pub enhance: Duration,
}

impl Timing {
    /// All together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.tag + self.lemmatise + self.parser.total() + self.enhance
    }
}

impl AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.tag += other.tag;
        self.lemmatise += other.lemmatise;
        self.parser += other.parser;
        self.enhance += other.enhance;
    }
}

/// Analyses sentences with one model; see [`Pipeline::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    annotator: Annotator<'p>,
    parser: Option<parser::Worker<'p>>,
    /// What was done to some sentences.
    states: Vec<State>,
    /// What the tagger thinks of them, if the parser sees it or has a say in tags.
    beliefs: Vec<Beliefs>,
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
            enhancer: stages.enhancer.as_ref().map(enhance::Enhancer::worker),
            joint: joint_choice(stages),
            weighs_tags: shares_tags(stages).is_some_and(|(_, parser)| parser.weighs_tags()),
            restricted: false,
            confidences: Vec::new(),
        };
        Self {
            annotator,
            parser: stages.parser.as_ref().map(Parser::worker),
            states: Vec::new(),
            beliefs: Vec::new(),
            tags: Vec::new(),
            tag_starts: Vec::new(),
        }
    }

    /// Restricts the forms of a dictionary to its tags; the parser then leaves all tags as they are.
    #[must_use]
    pub fn with_dictionary(mut self, dictionary: &'p Dictionary) -> Self {
        let tagger = self.annotator.tagger.take();
        self.annotator.tagger = tagger.map(|tagger| tagger.with_dictionary(dictionary));
        self.annotator.restricted = true;
        self
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
        self.beliefs.resize_with(1, Beliefs::default);
        let state = self.annotator.annotate(sent, options, &mut self.beliefs[0]);
        let Some(parser) = self.parser.as_mut().filter(|_| options.parse) else {
            self.annotator.enhance_given(sent, options);
            return Ok(Outcome { tags: &self.annotator.confidences, analysis: None });
        };
        if state.tags == Tags::Missing {
            return Err(untagged(sent));
        }
        let believed = (&mut *sent, state.believed(&self.beliefs));
        let analysis = parser.parse_believed(believed, &state.parse_options(options))?;
        self.annotator.follow(sent, state, (&self.beliefs[0], analysis));
        Ok(Outcome { tags: &self.annotator.confidences, analysis: Some(analysis) })
    }

    /// Does the same for several sentences, which is faster for some parsers, and hands each to `each` with its outcome.
    pub fn process_all(
        &mut self,
        sentences: &mut [Sentence],
        options: &Options,
        mut each: impl FnMut(&mut Sentence, Result<Outcome<'_>, PipelineError>),
    ) {
        let Self { annotator, parser, states, beliefs, tags, tag_starts } = self;
        states.clear();
        tags.clear();
        tag_starts.clear();
        beliefs.resize_with(sentences.len(), Beliefs::default);
        for (sent, beliefs) in sentences.iter_mut().zip(&mut *beliefs) {
            tag_starts.push(tags.len());
            states.push(annotator.annotate(sent, options, beliefs));
            tags.extend_from_slice(&annotator.confidences);
        }
        tag_starts.push(tags.len());
        let mut tags = tag_starts.windows(2).map(|bounds| &tags[bounds[0]..bounds[1]]);
        let mut unseen = &beliefs[..];
        let mut beliefs = beliefs.iter();
        let mut tell = |sent: &mut Sentence, state, found: Result<&Analysis, PipelineError>| {
            annotator.confidences.clear();
            annotator.confidences.extend_from_slice(tags.next().unwrap_or_default());
            let beliefs = beliefs.next().expect("one per sentence");
            let outcome = found.map(|analysis| {
                annotator.follow(sent, state, (beliefs, analysis));
                Outcome { tags: &annotator.confidences, analysis: Some(analysis) }
            });
            each(sent, outcome);
        };
        let Some(parser) = parser.as_mut().filter(|_| options.parse) else {
            for (sent, tags) in sentences.iter_mut().zip(tags) {
                annotator.enhance_given(sent, options);
                each(sent, Ok(Outcome { tags, analysis: None }));
            }
            return;
        };
        let mut rest = sentences;
        for group in states.chunk_by(|a, b| a == b) {
            let (sentences, after) = rest.split_at_mut(group.len());
            rest = after;
            let (believed, after) = unseen.split_at(group.len());
            unseen = after;
            let state = group[0];
            if state.tags == Tags::Missing {
                sentences.iter_mut().for_each(|sent| tell(sent, state, Err(untagged(sent))));
                continue;
            }
            let options = state.parse_options(options);
            let believed = (sentences, state.believed(believed));
            parser.parse_all(believed, &options, |sent, found| {
                tell(sent, state, found.map_err(PipelineError::Parse));
            });
        }
    }

    /// Where the time went so far.
    #[must_use]
    pub fn timing(&self) -> Timing {
        let parser = self.parser.as_ref().map(parser::Worker::timing).unwrap_or_default();
        Timing { parser, ..self.annotator.timing }
    }
}

/// The stages around the parser.
#[derive(Debug)]
struct Annotator<'p> {
    timing: Timing,
    tagger: Option<tag::Worker<'p>>,
    lemmatiser: Option<lemma::Worker<'p>>,
    enhancer: Option<enhance::Worker<'p>>,
    /// How tags are chosen by the tagger and the parser together, if they are.
    joint: Option<JointChoice<'p>>,
    /// Whether the parser sees tags by their probabilities.
    weighs_tags: bool,
    /// Whether a dictionary restricts the tags.
    restricted: bool,
    /// Of the tags of the sentence at hand, if they were asked for.
    confidences: Vec<TagConfidence>,
}

/// Tagger and parser, if the parser knows the tags of the tagger.
fn shares_tags(stages: &Stages) -> Option<(&tag::Tagger, &Parser)> {
    let (tagger, parser) = (stages.tagger.as_ref()?, stages.parser.as_ref()?);
    (parser.tagset() == Some(tagger.tagset())).then_some((tagger, parser))
}

/// The joint choice of tags, if the parser has a say.
fn joint_choice(stages: &Stages) -> Option<JointChoice<'_>> {
    let (tagger, parser) = shares_tags(stages)?;
    Some(JointChoice::new(tagger.tagset(), parser.tag_mixture()?))
}

/// Where the tags of a sentence are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tags {
    /// There are words, and none has a tag.
    Missing,
    /// The input had them, or some of them, or a dictionary had a say.
    Given,
    /// The tagger chose them all.
    Predicted,
}

/// What was done to a sentence before it is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    tags: Tags,
    /// Whether the lemmas are predicted.
    lemmatised: bool,
    /// Whether the parser sees the tags by their probabilities.
    believed: bool,
}

impl State {
    /// What the parser is to know of what the tagger thinks.
    fn believed(self, beliefs: &[Beliefs]) -> &[Beliefs] {
        if self.believed { beliefs } else { &[] }
    }

    fn parse_options(self, options: &Options) -> ParseOptions {
        let predicted_tags = options.trees.predicted_tags || self.tags == Tags::Predicted;
        ParseOptions { predicted_tags, ..options.trees }
    }
}

impl Annotator<'_> {
    /// Fills in tags and lemmas; writes what the tagger thinks if the parser will see it or have a say.
    fn annotate(&mut self, sent: &mut Sentence, options: &Options, beliefs: &mut Beliefs) -> State {
        let start = Instant::now();
        let tags = self.tag(sent, options);
        if let Some(tagger) = self.tagger.as_mut().filter(|_| tags == Tags::Predicted)
            && (self.joint.is_some() || self.weighs_tags)
            && options.parse
        {
            tagger.write_beliefs(beliefs);
        }
        self.timing.tag += start.elapsed();
        let lemmatised = options.lemmatise
            && self.lemmatiser.is_some()
            && (options.retag || sent.words().all(|word| word.lemma() == "_"));
        if lemmatised {
            self.lemmatise(sent);
        }
        let believed = tags == Tags::Predicted && self.weighs_tags;
        State { tags, lemmatised, believed }
    }

    fn tag(&mut self, sent: &mut Sentence, options: &Options) -> Tags {
        self.confidences.clear();
        let untagged = sent.words().all(|word| word.upos() == "_");
        let Some(tagger) = self.tagger.as_mut().filter(|_| options.tag) else {
            return if untagged && !sent.is_empty() { Tags::Missing } else { Tags::Given };
        };
        if !options.retag && is_tagged(sent) {
            return Tags::Given;
        }
        let (keep, confidence) = (!options.retag, options.trees.confidence);
        let given = keep && sent.words().any(has_tag);
        let options = TagOptions { keep_upos: keep, keep_xpos: keep, keep_feats: keep, confidence };
        self.confidences.extend_from_slice(tagger.tag(sent, &options));
        if given || self.restricted { Tags::Given } else { Tags::Predicted }
    }

    fn lemmatise(&mut self, sent: &mut Sentence) {
        let start = Instant::now();
        if let Some(lemmatiser) = &mut self.lemmatiser {
            lemmatiser.lemmatise(sent, &lemma::LemmaOptions { keep: false });
        }
        self.timing.lemmatise += start.elapsed();
    }

    /// Follows the parser: with its scores tags may be others, and lemmas with them; a new tree has a new graph.
    fn follow(
        &mut self,
        sent: &mut Sentence,
        state: State,
        (beliefs, analysis): (&Beliefs, &Analysis),
    ) {
        let Self { joint, confidences, timing, .. } = self;
        let chosen = state.tags == Tags::Predicted && !analysis.tag_scores.is_empty();
        if let Some(joint) = joint.as_mut().filter(|_| chosen) {
            let start = Instant::now();
            let wanted = !confidences.is_empty();
            confidences.clear();
            let opinions = (beliefs, analysis.tag_scores.as_slice());
            let changed = joint.write(sent, opinions, wanted.then_some(confidences));
            timing.tag += start.elapsed();
            if changed && state.lemmatised {
                self.lemmatise(sent);
            }
        }
        self.enhance(sent);
    }

    fn enhance(&mut self, sent: &mut Sentence) {
        let start = Instant::now();
        if let Some(enhancer) = &mut self.enhancer {
            enhancer.enhance(sent);
        }
        self.timing.enhance += start.elapsed();
    }

    /// Adds the graph to a tree that the input has, for models without a parser.
    fn enhance_given(&mut self, sent: &mut Sentence, options: &Options) {
        if options.parse {
            self.enhance(sent);
        }
    }
}

fn untagged(sent: &Sentence) -> PipelineError {
    PipelineError::Untagged { sentence: sent.sent_id().unwrap_or("?").to_owned() }
}

fn is_tagged(sent: &Sentence) -> bool {
    sent.words().all(|word| word.upos() != "_")
}

fn has_tag(word: Token<'_>) -> bool {
    columns(word).iter().any(|column| *column != "_")
}
