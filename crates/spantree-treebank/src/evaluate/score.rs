//! Counts of what is in gold, in a system's output, and right; and the ratios made of them.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// What a metric counted. Scores add up, so those of sentences give that of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Items in gold.
    pub gold: u64,
    /// Items in the system's output.
    pub system: u64,
    /// Items of the system that are right.
    pub correct: u64,
    /// Gold items whose word has a counterpart in the system's output, where the metric is about aligned words.
    pub aligned: Option<u64>,
}

impl Score {
    /// One item on both sides, right or not.
    #[must_use]
    pub fn item(correct: bool) -> Self {
        Self { gold: 1, system: 1, correct: u64::from(correct), aligned: None }
    }

    /// Share of the system's items that are right; 0 when it has none.
    #[must_use]
    pub fn precision(&self) -> f64 {
        ratio(self.correct, self.system)
    }

    /// Share of the gold items that the system found; 0 when there are none.
    #[must_use]
    pub fn recall(&self) -> f64 {
        ratio(self.correct, self.gold)
    }

    /// Harmonic mean of precision and recall; the accuracy when both sides have the same number of items.
    #[must_use]
    pub fn f1(&self) -> f64 {
        ratio(2 * self.correct, self.gold + self.system)
    }

    /// Share of the aligned gold items that are right.
    #[must_use]
    pub fn aligned_accuracy(&self) -> Option<f64> {
        self.aligned.map(|aligned| ratio(self.correct, aligned))
    }
}

/// `part / whole`, and 0 when the whole is nothing.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.gold += other.gold;
        self.system += other.system;
        self.correct += other.correct;
        self.aligned = match (self.aligned, other.aligned) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

impl Add for Score {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::default(), Add::add)
    }
}

/// The counts and, beside them, the ratios.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Score", 8)?;
        fields.serialize_field("precision", &self.precision())?;
        fields.serialize_field("recall", &self.recall())?;
        fields.serialize_field("f1", &self.f1())?;
        fields.serialize_field("aligned_accuracy", &self.aligned_accuracy())?;
        fields.serialize_field("correct", &self.correct)?;
        fields.serialize_field("gold", &self.gold)?;
        fields.serialize_field("system", &self.system)?;
        fields.serialize_field("aligned", &self.aligned)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_a_sum() {
        let first = Score { gold: 4, system: 3, correct: 2, aligned: Some(3) };
        let second = Score { gold: 4, system: 1, correct: 1, aligned: None };
        let sum: Score = [first, second].into_iter().sum();
        assert_eq!(sum, Score { gold: 8, system: 4, correct: 3, aligned: Some(3) });
        assert_eq!((sum.precision(), sum.recall(), sum.f1()), (0.75, 0.375, 0.5));
        assert_eq!(sum.aligned_accuracy(), Some(1.0));
    }

    #[test]
    fn nothing_scores_nothing() {
        let none = Score::default();
        assert_eq!((none.precision(), none.recall(), none.f1()), (0.0, 0.0, 0.0));
        assert_eq!(none.aligned_accuracy(), None);
        assert_eq!(Score { aligned: Some(0), ..none }.aligned_accuracy(), Some(0.0));
    }
}
