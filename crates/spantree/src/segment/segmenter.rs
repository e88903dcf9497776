//! The model: weights, thresholds, where tokens can end, multiword tokens; and its place in a model file.

use serde::{Deserialize, Serialize};
use spantree_treebank::Sentence;

use super::character::Class;
use super::common::CommonWords;
use super::feature::Question;
use super::split::Splitter;
use super::stream::{Options, Segmentation};
use super::walk::{Facts, Judge};
use crate::feature::hash::position;
use crate::model::{Container, ModelError, Sections, Source};

const WEIGHTS: &str = "segment_weights";
const MULTIWORD: &str = "segment_multiword";
const COMMON: &str = "segment_common";

/// What a segmenter says about itself in the header of a model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What one unit of a weight is worth.
    pub scale: f32,
    /// The score that each kind of decision must exceed: token end, token end at a space, sentence end, split.
    pub thresholds: Vec<f32>,
    /// For each class of characters, a bit for every class that can start a token right behind it.
    pub boundaries: Vec<u32>,
    /// Whether tokens can contain white space.
    pub spaces_in_tokens: bool,
    /// Whether it knows which words are written in lower case.
    #[serde(default)]
    pub common_words: bool,
    /// The treebanks it was trained on.
    pub sources: Vec<Source>,
    /// Sentences used in training.
    pub sentences: usize,
    /// Tokens used in training.
    pub tokens: usize,
    /// Seed of the shuffles.
    pub seed: u64,
    /// The epoch whose weights were kept, from 1.
    pub best_epoch: u64,
    /// Scores on the development set.
    pub dev: Option<DevScores>,
}

/// F₁ on the raw text of the development set, in per cent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevScores {
    /// Tokens found.
    pub tokens: f64,
    /// Sentences found.
    pub sentences: f64,
    /// Multiword tokens found and split into the right words; 100 when there is none.
    pub multiword: f64,
}

/// A trained segmenter; see the [module](super).
#[derive(Clone, Debug)]
pub struct Segmenter {
    header: Header,
    weights: Vec<i16>,
    thresholds: [i32; Question::COUNT],
    pub(super) facts: Facts,
    pub(super) splitter: Splitter,
}

impl Segmenter {
    /// Takes the segmenter out of a model file, of which `header` is a part.
    ///
    /// # Errors
    /// When sections are missing or do not fit the header.
    pub fn from_container(container: &Container, header: Header) -> Result<Self, ModelError> {
        let invalid =
            |problem: String| ModelError::Invalid { name: container.name().to_owned(), problem };
        let weights = container.section::<i16>(WEIGHTS)?;
        let multiword = std::str::from_utf8(container.section::<u8>(MULTIWORD)?)
            .map_err(|_| invalid(format!("section {MULTIWORD} is not UTF-8")))?;
        let splitter = Splitter::from_text(multiword).map_err(invalid)?;
        let common = match header.common_words {
            true => CommonWords::from_table(container.section::<u64>(COMMON)?.to_vec()),
            false => Ok(CommonWords::default()),
        };
        let common = common.map_err(invalid)?;
        Self::new(header, weights.to_vec(), common, splitter).map_err(invalid)
    }

    /// Puts a segmenter together, or says what does not fit.
    pub(super) fn new(
        header: Header,
        weights: Vec<i16>,
        common: CommonWords,
        splitter: Splitter,
    ) -> Result<Self, String> {
        let bits = weights.len().trailing_zeros();
        if !weights.len().is_power_of_two() || !(1..=30).contains(&bits) {
            return Err(format!(
                "section {WEIGHTS} has {} weights, which is no power of two",
                weights.len()
            ));
        }
        if !(header.scale > 0.0 && header.scale.is_finite()) {
            return Err(format!("the scale of its segmenter is {}", header.scale));
        }
        let pairs: [u32; Class::LIMIT] = header.boundaries[..].try_into().map_err(|_| {
            format!(
                "its segmenter knows {} classes of characters instead of {}",
                header.boundaries.len(),
                Class::LIMIT
            )
        })?;
        let thresholds: &[f32; Question::COUNT] =
            header.thresholds[..].try_into().map_err(|_| {
                format!(
                    "its segmenter has {} thresholds instead of {}",
                    header.thresholds.len(),
                    Question::COUNT
                )
            })?;
        if let Some(bad) = thresholds.iter().find(|threshold| !threshold.is_finite()) {
            return Err(format!("a threshold of its segmenter is {bad}"));
        }
        let thresholds = thresholds.map(|threshold| (threshold / header.scale) as i32);
        let facts = Facts { pairs, spaces: header.spaces_in_tokens, common };
        Ok(Self { header, weights, thresholds, facts, splitter })
    }

    /// Adds its sections to a model file; the file's header must contain [`Segmenter::info`].
    pub fn push_sections(&self, sections: &mut Sections) {
        sections.push(WEIGHTS, &self.weights);
        sections.push(MULTIWORD, self.splitter.to_text().as_bytes());
        if self.header.common_words {
            sections.push(COMMON, self.facts.common.table());
        }
    }

    /// What the segmenter says about itself.
    #[must_use]
    pub fn info(&self) -> &Header {
        &self.header
    }

    /// Numbers of forms and of suffix rules by which tokens are split into words.
    #[must_use]
    pub fn multiword_counts(&self) -> (usize, usize) {
        self.splitter.counts()
    }

    /// A run over one or several documents; make one per thread.
    #[must_use]
    pub fn segmentation(&self, options: Options) -> Segmentation<'_> {
        Segmentation::new(self, options)
    }

    /// All sentences of a text.
    #[must_use]
    pub fn segment(&self, text: &str) -> Vec<Sentence> {
        let mut run = self.segmentation(Options::default());
        run.feed(text.as_bytes());
        run.finish();
        let (mut list, mut sent) = (Vec::new(), Sentence::new());
        while run.next(&mut sent) {
            list.push(sent.clone());
        }
        list
    }

    /// A segmenter as training makes it.
    pub(super) fn assemble(
        header: Header,
        weights: Vec<i16>,
        facts: Facts,
        splitter: Splitter,
    ) -> Self {
        Self { header, weights, thresholds: [0; Question::COUNT], facts, splitter }
    }

    /// Records the scores on the development set.
    pub(super) fn set_dev(&mut self, dev: DevScores) {
        self.header.dev = Some(dev);
    }

    /// Sets the score that a decision must exceed.
    pub(super) fn set_threshold(&mut self, question: Question, threshold: f32) {
        self.header.thresholds[question as usize] = threshold;
        self.thresholds[question as usize] = (threshold / self.header.scale) as i32;
    }
}

/// Answers by weights.
impl Judge for &Segmenter {
    #[inline]
    fn judge(&mut self, question: Question, _: usize, features: &[u32]) -> bool {
        let bits = self.weights.len().trailing_zeros();
        let sum: i32 = features
            .iter()
            .map(|&hash| i32::from(self.weights[position(hash, bits) as usize]))
            .sum();
        sum > self.thresholds[question as usize]
    }
}
