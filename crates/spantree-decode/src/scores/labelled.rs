//! Scores of labelled arcs, folded into plain arc scores before decoding.
//!
//! First-order decoders choose labels arc by arc: the best labelled tree is the best tree of the arcs'
//! best labels, and the partition function is that of the arcs' log-summed labels (McDonald and Satta,
//! 2007). O(n²·L). A k-best list made after folding ranks *trees*, each with its best labels.

use super::{ArcScores, FORBIDDEN, storable};
use crate::heads::Heads;
use crate::semiring::{LogSum, Semiring};

/// A label, numbered by whoever filled the table.
pub type LabelId = u16;

/// Scores of all labelled arcs of one sentence: `(n + 1) × (n + 1) × L`, the labels of an arc contiguous.
///
/// The rules of [`ArcScores`] hold for every label: see [the module](crate::scores).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledArcScores {
    words: usize,
    labels: usize,
    cells: Vec<f32>,
}

impl LabelledArcScores {
    /// A table for `words` words and `labels` labels in which everything is forbidden.
    pub fn new(words: usize, labels: usize) -> Self {
        let mut scores = Self::default();
        scores.reset(words, labels);
        scores
    }

    /// Resizes and forbids everything; memory is kept.
    pub fn reset(&mut self, words: usize, labels: usize) {
        self.words = words;
        self.labels = labels;
        self.cells.clear();
        self.cells.resize((words + 1) * (words + 1) * labels, FORBIDDEN);
    }

    /// Number of words, the root not counted.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The scores of the arc `head → child`, indexed by label.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn labels_of(&self, head: usize, child: usize) -> &[f32] {
        let start = self.start(head, child);
        &self.cells[start..start + self.labels]
    }

    /// Replaces the score of a labelled arc; without effect on cells that are not arcs.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words, or `label` the number of labels.
    pub fn set(&mut self, head: usize, child: usize, label: LabelId, score: f32) {
        let start = self.start(head, child);
        let cell = &mut self.cells[start..start + self.labels][usize::from(label)];
        if head != child && child != 0 {
            *cell = storable(score);
        }
    }

    /// The best label of an arc, the lowest of equals; `None` if every label is forbidden.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn best_label(&self, head: usize, child: usize) -> Option<LabelId> {
        let mut best = (None, FORBIDDEN);
        for (label, &score) in self.labels_of(head, child).iter().enumerate() {
            if score > best.1 {
                best = (Some(label as LabelId), score);
            }
        }
        best.0
    }

    /// Writes the best label of every word of a tree, in word order; `None` where the arc is forbidden.
    ///
    /// # Panics
    /// If the tree has a head or a child beyond the table.
    pub fn best_labels(&self, tree: &Heads, labels: &mut Vec<Option<LabelId>>) {
        labels.clear();
        labels.extend(tree.arcs().map(|(head, child)| self.best_label(head, child)));
    }

    /// Gives every arc the score of its best label.
    pub fn fold_max(&self, scores: &mut ArcScores) {
        let maximum = |labels: &[f32]| labels.iter().copied().fold(FORBIDDEN, f32::max);
        self.fold(scores, maximum);
    }

    /// Gives every arc the log-sum of its labels, for partition functions and marginals.
    pub fn fold_log_sum(&self, scores: &mut ArcScores) {
        self.fold(scores, |labels| log_sum(labels) as f32);
    }

    /// Writes the probability of each label given that the arc `head → child` is in the tree.
    ///
    /// The marginal of a labelled arc is the arc's marginal times this. All zero if the arc is forbidden.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn label_probabilities(&self, head: usize, child: usize, probabilities: &mut Vec<f64>) {
        let labels = self.labels_of(head, child);
        let total = log_sum(labels);
        probabilities.clear();
        probabilities.extend(labels.iter().map(|&score| {
            if total > LogSum::ZERO { (f64::from(score) - total).exp() } else { 0.0 }
        }));
    }

    fn fold(&self, scores: &mut ArcScores, combine: impl Fn(&[f32]) -> f32) {
        scores.reset(self.words);
        scores.fill(|head, child| combine(self.labels_of(head, child)));
    }

    fn start(&self, head: usize, child: usize) -> usize {
        assert!(head <= self.words && child <= self.words, "arc beyond the sentence");
        (child * (self.words + 1) + head) * self.labels
    }
}

fn log_sum(scores: &[f32]) -> f64 {
    let top = f64::from(scores.iter().copied().fold(FORBIDDEN, f32::max));
    if top == LogSum::ZERO {
        return LogSum::ZERO;
    }
    top + scores.iter().map(|&score| (f64::from(score) - top).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> LabelledArcScores {
        let mut scores = LabelledArcScores::new(1, 3);
        for (label, score) in [2.0, 3.0, 3.0].into_iter().enumerate() {
            scores.set(0, 1, label as LabelId, score);
        }
        scores
    }

    #[test]
    fn folding_takes_the_lowest_best_label() {
        let labelled = sample();
        let mut scores = ArcScores::default();
        labelled.fold_max(&mut scores);
        assert_eq!(scores.score(0, 1), 3.0);
        let mut labels = Vec::new();
        labelled.best_labels(&Heads::from(vec![0]), &mut labels);
        assert_eq!(labels, [Some(1)]);
    }

    #[test]
    fn log_sum_normalises_the_labels() {
        let labelled = sample();
        let mut scores = ArcScores::default();
        labelled.fold_log_sum(&mut scores);
        let expected = (2f64.exp() + 2.0 * 3f64.exp()).ln();
        assert!((f64::from(scores.score(0, 1)) - expected).abs() < 1e-6);
        let mut probabilities = Vec::new();
        labelled.label_probabilities(0, 1, &mut probabilities);
        assert!((probabilities[0] - 2f64.exp() / expected.exp()).abs() < 1e-12);
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_arc_without_labels_is_forbidden() {
        let labelled = LabelledArcScores::new(1, 2);
        let mut scores = ArcScores::default();
        labelled.fold_log_sum(&mut scores);
        assert!(!scores.is_allowed(0, 1));
        assert_eq!(labelled.best_label(0, 1), None);
        let mut probabilities = Vec::new();
        labelled.label_probabilities(0, 1, &mut probabilities);
        assert_eq!(probabilities, [0.0, 0.0]);
    }
}
