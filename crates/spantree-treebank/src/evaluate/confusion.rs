//! Which label is taken for which.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::attachment::AttachmentOptions;
use super::comparison::Comparison;
use crate::sentence::Column;

/// How often a gold label was given as another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfusionCell {
    /// The gold label.
    pub gold: String,
    /// The system's label.
    pub system: String,
    /// Number of aligned words.
    pub count: u64,
}

/// All pairs of labels of aligned words, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// The pairs that occur, right ones included.
    pub cells: Vec<ConfusionCell>,
}

impl Confusion {
    /// The pairs of different labels, the most frequent first.
    pub fn errors(&self) -> impl Iterator<Item = &ConfusionCell> {
        self.cells.iter().filter(|cell| cell.gold != cell.system)
    }

    /// The `limit` labels that take part in most errors, and for each pair of them the count, gold label first.
    #[must_use]
    pub fn matrix(&self, limit: usize) -> (Vec<&str>, Vec<Vec<u64>>) {
        let mut involved: BTreeMap<&str, u64> = BTreeMap::new();
        for cell in self.errors() {
            *involved.entry(&cell.gold).or_default() += cell.count;
            *involved.entry(&cell.system).or_default() += cell.count;
        }
        let mut labels: Vec<_> = involved.into_iter().collect();
        labels.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        labels.truncate(limit);
        let labels: Vec<_> = labels.into_iter().map(|(label, _)| label).collect();
        let index: HashMap<_, _> =
            labels.iter().enumerate().map(|(i, &label)| (label, i)).collect();
        let mut counts = vec![vec![0; labels.len()]; labels.len()];
        for cell in &self.cells {
            if let (Some(&row), Some(&column)) =
                (index.get(cell.gold.as_str()), index.get(cell.system.as_str()))
            {
                counts[row][column] = cell.count;
            }
        }
        (labels, counts)
    }
}

impl Comparison<'_> {
    /// The confusions of a column over the aligned words that count; DEPREL as `options` says, other columns whole.
    #[must_use]
    pub fn confusion(&self, column: Column, options: &AttachmentOptions) -> Confusion {
        let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for gold in self.scored_gold(options) {
            let Some(system) = self.system_of[gold as usize] else { continue };
            let (g, s) = (&self.gold.words[gold as usize], &self.system.words[system as usize]);
            let pair = match column {
                Column::Deprel => (options.label(g.token), options.label(s.token)),
                _ => (g.token.get(column), s.token.get(column)),
            };
            *counts.entry(pair).or_default() += 1;
        }
        let cell = |((gold, system), count): ((&str, &str), u64)| ConfusionCell {
            gold: gold.to_owned(),
            system: system.to_owned(),
            count,
        };
        let mut cells: Vec<_> = counts.into_iter().map(cell).collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(cell.count));
        Confusion { cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Document, Labels, Punctuation, Roots};
    use crate::sentence::Sentence;

    fn document(labels: &[&str]) -> Document {
        let words: Vec<_> =
            (0..).zip(labels).map(|(i, &label)| ("w", "X", u32::from(i > 0), label)).collect();
        Document::new("test", vec![Sentence::from_words(&words)])
    }

    #[test]
    fn pairs_are_counted_and_sorted() {
        let gold = document(&["root", "obj", "obj", "obj", "nsubj", "obl:arg"]);
        let guess = document(&["root", "obj", "nsubj", "nsubj", "obj", "obl"]);
        let comparison = Comparison::by_position(&gold, &guess, Roots::One).unwrap();
        let options =
            AttachmentOptions { punctuation: Punctuation::Score, labels: Labels::Universal };
        let confusion = comparison.confusion(Column::Deprel, &options);
        let errors: Vec<_> = confusion.errors().map(|c| (&*c.gold, &*c.system, c.count)).collect();
        assert_eq!(errors, [("obj", "nsubj", 2), ("nsubj", "obj", 1)]);
        let (labels, counts) = confusion.matrix(5);
        assert_eq!(labels, ["nsubj", "obj"]);
        assert_eq!(counts, [[0, 1], [2, 1]]);
        let full = comparison.confusion(Column::Deprel, &AttachmentOptions::default());
        assert_eq!(full.errors().count(), 3);
    }
}
