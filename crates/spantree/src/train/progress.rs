//! What training says while it runs.

use std::fmt;

use spantree_treebank::Column;

/// What is going on; for progress bars and logs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Something odd about the data.
    Warning(TrainWarning),
    /// Before the first epoch.
    Start {
        /// Estimate of the memory that training will use, in bytes.
        memory: usize,
        /// The decoder or the transition system that was chosen.
        decoder: String,
        /// Share of words with a non-projective arc.
        non_projective: f64,
    },
    /// The pruner of a higher-order parser is learned, and the training data are pruned.
    Pruned {
        /// Heads left per word.
        heads: f64,
        /// Share of all arcs, in per cent.
        share: f64,
        /// Share of gold arcs among them before the others were put back, in per cent.
        recall: f64,
    },
    /// A pretrained encoder gives the words of the data their vectors.
    Encode {
        /// Sentences to encode.
        sentences: usize,
    },
    /// An epoch begins.
    EpochStart {
        /// From 1.
        epoch: u64,
        /// Sentences to learn from.
        sentences: usize,
    },
    /// One more sentence of the epoch was learned from; sent by the thread that did.
    Sentence,
    /// An epoch of the labelling stage is over.
    LabelEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word.
        loss: f64,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// An epoch of the tree stage is over.
    TreeEpoch {
        /// From 1.
        epoch: u64,
        /// Mean loss per word, in the learner's own terms.
        loss: f64,
        /// Scores on the development set in per cent, if there is one: UAS and LAS.
        dev: Option<(f64, f64)>,
        /// Since the start, in seconds.
        seconds: f64,
    },
    /// Both decoders were tried on the development set, and the better one is kept.
    Decoder {
        /// Its name.
        decoder: String,
        /// UAS and LAS with it.
        dev: (f64, f64),
    },
    /// The parser chooses tags, too: accuracy of UPOS, XPOS and FEATS on the development set in per cent.
    Retagged {
        /// Of the tags that it reads.
        read: [f64; 3],
        /// Of those that it chooses.
        corrected: [f64; 3],
    },
    /// Probabilities are being calibrated.
    Calibrate,
}

/// Something that a user should know about the data. Displayed as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrainWarning {
    /// Words without a head.
    Partial {
        /// Sentences that have such words.
        sentences: usize,
        /// How many words.
        words: usize,
    },
    /// Given heads that cross in a sentence that lacks others: no use to a projective decoder.
    CrossingPartial {
        /// Sentences left out.
        sentences: usize,
    },
    /// A column that the training data have and the development data have not.
    MissingColumn {
        /// The column.
        column: Column,
    },
    /// Relations of the development data that the training data do not have.
    UnknownRelations {
        /// Words with such a relation.
        words: usize,
        /// The first of them.
        relation: String,
    },
    /// Development data without a scored word.
    EmptyDev,
}

impl fmt::Display for TrainWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partial { sentences, words } => write!(
                f,
                "{words} words in {sentences} sentences have no head: any will do for them, and labels are learned from the other sentences"
            ),
            Self::CrossingPartial { sentences } => write!(
                f,
                "{sentences} sentences with missing heads are left out: their given heads cross, which a projective decoder cannot follow"
            ),
            Self::MissingColumn { column } => write!(
                f,
                "the training data have {}, the development data have not: their scores say little",
                column.name()
            ),
            Self::UnknownRelations { words, relation } => write!(
                f,
                "{words} words of the development data have relations that the training data lack, the first \"{relation}\": they cannot be right"
            ),
            Self::EmptyDev => f.write_str(
                "the development data have no words with a head: all epochs are run and confidences are not calibrated",
            ),
        }
    }
}
