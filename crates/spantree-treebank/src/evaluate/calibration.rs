//! Whether a system is as sure as it is right: its probabilities against gold.
//!
//! The probability of a head is `HeadProb` in MISC, that of head and relation its product with `LabelProb`. Words are aligned
//! by the [`Comparison`]; a word that gold does not have counts as wrong. The *expected calibration error* is the mean over
//! words of the distance between the accuracy and the mean probability of the bin that the word is in (Naeini, Cooper &
//! Hauskrecht 2015), with ten bins of equal width or of equal numbers of words. O(n log n) for the order by probability.

use serde::Serialize;

use super::attachment::AttachmentOptions;
use super::comparison::Comparison;
use crate::sentence::Token;

/// Number of bins.
const BINS: usize = 10;
/// Parts of the words, least sure first, for which errors are counted.
const REVIEWED: [f64; 3] = [0.05, 0.1, 0.2];

/// What a probability is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The head.
    Head,
    /// The head and its relation.
    Labelled,
}

impl Certainty {
    /// Both kinds.
    pub const ALL: [Certainty; 2] = [Certainty::Head, Certainty::Labelled];

    /// What the probability is about, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Head => "heads",
            Certainty::Labelled => "heads and relations",
        }
    }

    fn probability(self, word: Token<'_>) -> Option<f64> {
        let value = |name| {
            let value: f64 = word.misc_value(name)?.parse().ok()?;
            (0.0..=1.0).contains(&value).then_some(value)
        };
        let head = value("HeadProb")?;
        match self {
            Certainty::Head => Some(head),
            Certainty::Labelled => Some(head * value("LabelProb")?),
        }
    }
}

/// Words with similar probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Smallest probability: of the bin for bins of equal width, of its words for the others.
    pub low: f64,
    /// Largest probability, likewise.
    pub high: f64,
    /// Number of words.
    pub words: usize,
    /// Number of them that are right.
    pub correct: usize,
    /// Mean probability.
    pub mean: f64,
}

impl ReliabilityBin {
    /// Share of words that are right; 0 in an empty bin.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.words.max(1) as f64
    }
}

/// What somebody finds who looks at the least certain words only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Review {
    /// Part of all words.
    pub share: f64,
    /// Number of words.
    pub words: usize,
    /// Number of wrong ones among them.
    pub errors: usize,
}

impl Review {
    /// Share of these words that are right.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        1.0 - self.errors as f64 / self.words.max(1) as f64
    }
}

/// Probabilities against gold; see [`Comparison::calibration`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// What the probabilities are about.
    pub certainty: Certainty,
    /// Words with a probability.
    pub words: usize,
    /// Words without one; they count nowhere.
    pub without: usize,
    /// Number of words that are right.
    pub correct: usize,
    /// Mean probability.
    pub mean: f64,
    /// Ten bins of equal width.
    pub equal_width: Vec<ReliabilityBin>,
    /// Ten bins of as many words each.
    pub equal_mass: Vec<ReliabilityBin>,
    /// Expected calibration error with bins of equal width.
    pub ece_width: f64,
    /// Expected calibration error with bins of equal mass.
    pub ece_mass: f64,
    /// Errors among the 5, 10 and 20 % least certain words.
    pub reviews: Vec<Review>,
}

impl Comparison<'_> {
    /// How well the system's probabilities tell right words from wrong ones; `None` when no word has one.
    #[must_use]
    pub fn calibration(
        &self,
        certainty: Certainty,
        options: &AttachmentOptions,
    ) -> Option<Calibration> {
        let mut judged = Vec::new();
        let mut without = 0;
        for word in self.scored_system(options) {
            let Some(probability) = certainty.probability(self.system.words[word as usize].token)
            else {
                without += 1;
                continue;
            };
            let right = self.gold_of[word as usize].is_some_and(|gold| {
                let (head, label) = self.agreement(gold, word, options);
                head && (label || certainty == Certainty::Head)
            });
            judged.push((probability, right));
        }
        Calibration::new(certainty, judged, without)
    }
}

impl Calibration {
    /// From the probability of each word and whether it is right.
    fn new(certainty: Certainty, mut judged: Vec<(f64, bool)>, without: usize) -> Option<Self> {
        if judged.is_empty() {
            return None;
        }
        // Ties stay in the order of the words.
        judged.sort_by(|a, b| a.0.total_cmp(&b.0));
        let words = judged.len();
        let correct = |part: &[(f64, bool)]| part.iter().filter(|word| word.1).count();
        let reviews = REVIEWED.map(|share| {
            let count = (share * words as f64).ceil() as usize;
            Review { share, words: count, errors: count - correct(&judged[..count]) }
        });
        let (equal_width, equal_mass) = (equal_width(&judged), equal_mass(&judged));
        Some(Self {
            certainty,
            words,
            without,
            correct: correct(&judged),
            mean: mean(&judged),
            ece_width: expected_error(&equal_width),
            ece_mass: expected_error(&equal_mass),
            equal_width,
            equal_mass,
            reviews: reviews.to_vec(),
        })
    }

    /// Share of words that are right.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.words.max(1) as f64
    }

    /// Number of wrong words.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.words - self.correct
    }
}

fn mean(judged: &[(f64, bool)]) -> f64 {
    judged.iter().map(|word| word.0).sum::<f64>() / judged.len().max(1) as f64
}

fn bin(judged: &[(f64, bool)], low: f64, high: f64) -> ReliabilityBin {
    let correct = judged.iter().filter(|word| word.1).count();
    ReliabilityBin { low, high, words: judged.len(), correct, mean: mean(judged) }
}

/// Bins `(low, high]`; the first holds 0 too.
fn equal_width(sorted: &[(f64, bool)]) -> Vec<ReliabilityBin> {
    let edge = |number: usize| number as f64 / BINS as f64;
    let up_to = |number: usize| match number {
        0 => 0,
        _ => sorted.partition_point(|word| word.0 <= edge(number)),
    };
    let of = |number: usize| {
        bin(&sorted[up_to(number)..up_to(number + 1)], edge(number), edge(number + 1))
    };
    (0..BINS).map(of).collect()
}

fn equal_mass(sorted: &[(f64, bool)]) -> Vec<ReliabilityBin> {
    let start = |number: usize| number * sorted.len() / BINS;
    let parts = (0..BINS).map(|number| &sorted[start(number)..start(number + 1)]);
    let of = |part: &[(f64, bool)]| Some(bin(part, part.first()?.0, part.last()?.0));
    parts.filter_map(of).collect()
}

fn expected_error(bins: &[ReliabilityBin]) -> f64 {
    let words: usize = bins.iter().map(|bin| bin.words).sum();
    let distance = |bin: &ReliabilityBin| bin.words as f64 * (bin.accuracy() - bin.mean).abs();
    bins.iter().map(distance).sum::<f64>() / words.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Document, Roots};
    use crate::sentence::{Column, Sentence};

    fn calibration(judged: &[(f64, bool)]) -> Calibration {
        Calibration::new(Certainty::Head, judged.to_vec(), 0).unwrap()
    }

    #[test]
    fn errors_are_distances_weighted_by_words() {
        // Bin (0.8, 0.9]: two of four right at 0.9; bin (0.1, 0.2]: one of one right at 0.2.
        let judged = [(0.9, true), (0.9, false), (0.2, true), (0.9, true), (0.9, false)];
        let found = calibration(&judged);
        assert!((found.ece_width - (4.0 * 0.4 + 1.0 * 0.8) / 5.0).abs() < 1e-12);
        assert_eq!((found.equal_width[8].words, found.equal_width[8].correct), (4, 2));
        assert_eq!((found.equal_width[1].words, found.equal_width[1].correct), (1, 1));
        // One word a bin: 0.2 right, then 0.9 right, wrong, right, wrong.
        assert!((found.ece_mass - (0.8 + 0.1 + 0.9 + 0.1 + 0.9) / 5.0).abs() < 1e-12);
        assert_eq!((found.words, found.correct, found.equal_mass.len()), (5, 3, 5));
    }

    #[test]
    fn perfectly_calibrated_words_have_no_error() {
        let judged: Vec<_> = (0..1000).map(|i| (0.75, i % 4 != 0)).collect();
        let found = calibration(&judged);
        assert!(found.ece_width < 1e-12 && found.ece_mass < 1e-12, "{found:?}");
        let ends = calibration(&[(0.0, false), (1.0, true)]);
        assert_eq!((ends.equal_width[0].words, ends.equal_width[9].words), (1, 1));
        assert_eq!(ends.ece_width, 0.0);
    }

    #[test]
    fn reviewing_starts_with_the_least_certain() {
        let judged: Vec<_> = (0..100).map(|i| (1.0 - f64::from(i) / 100.0, i < 85)).collect();
        let errors: Vec<_> =
            calibration(&judged).reviews.iter().map(|r| (r.words, r.errors)).collect();
        assert_eq!(errors, [(5, 5), (10, 10), (20, 15)]);
    }

    #[test]
    fn probabilities_come_from_misc_and_truth_from_gold() {
        let gold = [("a", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 1, "obj")];
        let mut system = Sentence::from_words(&[
            ("a", "X", 0, "root"),
            ("b", "X", 1, "mod"),
            ("c", "X", 2, "obj"),
        ]);
        system.set(1, Column::Misc, "HeadProb=0.9|LabelProb=0.5");
        system.set(2, Column::Misc, "HeadProb=0.8|LabelProb=0.5");
        let documents = (
            Document::new("gold", vec![Sentence::from_words(&gold)]),
            Document::new("system", vec![system]),
        );
        let comparison = Comparison::by_text(&documents.0, &documents.1, Roots::One).unwrap();
        let options = AttachmentOptions::default();
        let heads = comparison.calibration(Certainty::Head, &options).unwrap();
        assert_eq!((heads.words, heads.without, heads.correct), (2, 1, 2));
        assert!((heads.mean - 0.85).abs() < 1e-12);
        let labelled = comparison.calibration(Certainty::Labelled, &options).unwrap();
        assert_eq!(labelled.correct, 1);
        assert!((labelled.mean - 0.425).abs() < 1e-12);
        let none = Comparison::by_text(&documents.0, &documents.0, Roots::One).unwrap();
        assert_eq!(none.calibration(Certainty::Head, &options), None);
    }
}
