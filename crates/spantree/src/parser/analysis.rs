//! What is asked of a parser of any kind, and what it answers.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use spantree_decode::Infeasible;
use thiserror::Error;

use crate::neural::EncoderMismatch;

/// Sentences longer than this are decoded without projectivity: Eisner's algorithm would take too long.
pub const PROJECTIVE_LIMIT: usize = 512;
/// Sentences longer than this get no confidences.
pub const CONFIDENCE_LIMIT: usize = 1024;

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Keep the HEAD and DEPREL that are filled in.
    pub keep: bool,
    /// Compute probabilities of arcs, labels and the tree.
    pub confidence: bool,
    /// Number of trees wanted; 0 and 1 mean the best one.
    pub k_best: usize,
    /// Parts of the sentence that must each hang together: one word has its head outside, and no other is the head of a word outside.
    /// For transition parsers without edits.
    pub spans: SpanSource,
    /// The tags are those of a tagger and may be wrong: a parser that can do better scores tags, too.
    pub predicted_tags: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            keep: false,
            confidence: false,
            k_best: 1,
            spans: SpanSource::None,
            predicted_tags: false,
        }
    }
}

/// Where the parts of a sentence are named that must hang together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanSource {
    /// Nowhere.
    #[default]
    None,
    /// In MISC: neighbours with the same value of `Span`.
    Misc,
    /// The words of each multiword token.
    Multiword,
}

/// Why a sentence was not parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A given head that no tree can have.
    #[error(
        "sentence {sentence}: the given head {head} of word {word} ({form}) cannot be kept; a head is 0 or another word up to {len}"
    )]
    HeadOutOfRange {
        /// `sent_id`, or `?`.
        sentence: String,
        /// The word.
        word: u32,
        /// Its form.
        form: String,
        /// The head.
        head: u32,
        /// Number of words.
        len: usize,
    },
    /// Given heads that allow no tree together.
    #[error(
        "sentence {sentence}: the given heads allow no tree: {reason}; set the HEAD of one of these words to `_`"
    )]
    Infeasible {
        /// `sent_id`, or `?`.
        sentence: String,
        /// The first word concerned.
        reason: Infeasible,
    },
    /// The model needs a pretrained encoder that it does not have.
    #[error(transparent)]
    Encoder(#[from] EncoderMismatch),
}

/// Something that a user should know about a parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseWarning {
    /// The sentence is longer than [`PROJECTIVE_LIMIT`], so crossing arcs were allowed.
    TooLongForEisner,
    /// The given heads cross, so crossing arcs were allowed.
    CrossingHeads,
    /// The sentence is longer than [`CONFIDENCE_LIMIT`], so it has no confidences.
    TooLongForConfidence,
    /// With the given heads not all spans could hang together.
    BrokenSpans,
}

/// One tree with labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredTree {
    /// Heads of the words.
    pub heads: Vec<u32>,
    /// Relations of the words, as numbers of the parser's labels.
    pub labels: Vec<u16>,
    /// Score of the tree under the model; that of a greedy transition parser leaves out decisions that were
    /// [clear](crate::transition::Shortcuts).
    pub score: f64,
    /// Logarithm of its probability, if asked for.
    pub log_probability: Option<f64>,
}

/// How sure the parser is of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Confidence {
    /// Probability that the head is right.
    pub head: f32,
    /// Probability that the relation is right, given the head.
    pub label: f32,
}

/// What a parser found for one sentence.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The trees, best first; the first is the one written to the sentence.
    pub trees: Vec<ScoredTree>,
    /// One per word of the best tree, if asked for.
    pub confidences: Vec<Confidence>,
    /// Scores of the parts of tags, word by word, if the tags are predicted and the parser has a say in them.
    pub tag_scores: Vec<f32>,
    /// What happened on the way.
    pub warnings: Vec<ParseWarning>,
}

impl Analysis {
    /// Forgets the last sentence.
    pub(crate) fn clear(&mut self) {
        self.trees.clear();
        self.confidences.clear();
        self.tag_scores.clear();
        self.warnings.clear();
    }
}

/// Where the time of a worker went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Atoms and sides of features.
    pub features: Duration,
    /// Look-up of weights.
    pub scores: Duration,
    /// Decoding.
    pub search: Duration,
    /// Labels of the finished tree.
    pub labels: Duration,
    /// Probabilities.
    pub confidence: Duration,
}

impl Timing {
    /// All together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.features + self.scores + self.search + self.labels + self.confidence
    }
}

impl AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.features += other.features;
        self.scores += other.scores;
        self.search += other.search;
        self.labels += other.labels;
        self.confidence += other.confidence;
    }
}

/// Measures one step after the other.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn lap(&mut self, total: &mut Duration) {
        let now = Instant::now();
        *total += now - self.0;
        self.0 = now;
    }
}
