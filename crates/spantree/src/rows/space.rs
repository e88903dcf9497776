//! The weights of training: a row of numbered weights for every feature, one for each label seen with it.
//!
//! A feature has no weight for labels that were never right where it occurred: this leaves fewer weights to learn and to
//! store. (With weights for all candidates an English tagger gained 0.03 points and grew threefold.)

use super::RowsBuilder;
use crate::model::Quantised;

/// The empty row, of features that are too rare.
pub(crate) const NO_ROW: u32 = 0;

/// See the [module](self). Weights are numbered from 0, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    keys: Vec<u64>,
    starts: Vec<u32>,
    labels: Vec<u16>,
}

impl Default for Space {
    fn default() -> Self {
        Self { keys: vec![0], starts: vec![0, 0], labels: Vec::new() }
    }
}

impl Space {
    /// Adds a feature with the labels that it was seen with, in any order and with repetitions; returns its row.
    pub(crate) fn push(&mut self, key: u64, labels: &mut Vec<u16>) -> u32 {
        labels.sort_unstable();
        labels.dedup();
        self.labels.extend_from_slice(labels);
        self.keys.push(key);
        self.starts.push(self.labels.len() as u32);
        self.keys.len() as u32 - 1
    }

    /// Adds the features of one template, of which each item has one: `keys` by item. `labels` adds the labels of some
    /// items to a list. Returns the row of each item; features seen fewer than `min_count` times have none.
    pub(crate) fn add_template(
        &mut self,
        keys: &[u64],
        min_count: usize,
        labels: impl Fn(&[u32], &mut Vec<u16>),
    ) -> Vec<u32> {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&item| (keys[item as usize], item));
        let (mut rows, mut found) = (vec![NO_ROW; keys.len()], Vec::new());
        for group in order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
            if group.len() >= min_count {
                found.clear();
                labels(group, &mut found);
                let row = self.push(keys[group[0] as usize], &mut found);
                group.iter().for_each(|&item| rows[item as usize] = row);
            }
        }
        rows
    }

    /// The labels of a row with the numbers of their weights.
    #[inline]
    pub(crate) fn row(&self, row: u32) -> impl Iterator<Item = (u16, usize)> + '_ {
        let range = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
        self.labels[range.clone()].iter().copied().zip(range)
    }

    /// Drops all but the `kept` largest weights, and returns those; rows keep their numbers.
    pub(crate) fn retain(&mut self, weights: &[f32], kept: usize) -> Vec<f32> {
        let threshold = threshold(weights, kept);
        let (mut labels, mut starts, mut left) = (Vec::new(), vec![0], Vec::new());
        for row in 0..self.keys.len() as u32 {
            for (label, id) in self.row(row).filter(|&(_, id)| weights[id].abs() > threshold) {
                labels.push(label);
                left.push(weights[id]);
            }
            starts.push(labels.len() as u32);
        }
        (self.labels, self.starts) = (labels, starts);
        left
    }

    /// Number of weights.
    pub(crate) fn weights(&self) -> usize {
        self.labels.len()
    }

    /// Weights as rows of a model, the `kept` largest, and what one unit is worth.
    pub(crate) fn rows(&self, weights: &[f32], kept: usize) -> (RowsBuilder, f32) {
        let (threshold, rounded) = (threshold(weights, kept), Quantised::new(weights));
        let mut rows = RowsBuilder::default();
        for (row, &key) in (0..).zip(&self.keys).skip(1) {
            let large = self.row(row).filter(|&(_, id)| weights[id].abs() > threshold);
            let pairs = large.map(|(label, id)| (label, rounded.weights[id]));
            rows.push(key, pairs.filter(|pair| pair.1 != 0));
        }
        (rows, rounded.scale)
    }
}

/// The size above which at most `kept` weights are.
fn threshold(weights: &[f32], kept: usize) -> f32 {
    let mut sizes: Vec<f32> = weights.iter().map(|w| w.abs()).collect();
    if kept >= sizes.len() {
        return 0.0;
    }
    *sizes.select_nth_unstable_by(kept, |a, b| b.total_cmp(a)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_weights_for_the_labels_seen_with_them() {
        let mut space = Space::default();
        let gold = [2u16, 5, 2, 1, 5];
        let rows = space.add_template(&[7, 9, 9, 8, 7], 2, |items, labels| {
            labels.extend(items.iter().map(|&item| gold[item as usize]));
        });
        assert_eq!(rows, [1, 2, 2, NO_ROW, 1]);
        assert_eq!(space.row(1).collect::<Vec<_>>(), [(2, 0), (5, 1)]);
        assert_eq!(space.row(2).collect::<Vec<_>>(), [(2, 2), (5, 3)]);
        assert_eq!(space.row(NO_ROW).count(), 0);
        assert_eq!(space.weights(), 4);
    }

    #[test]
    fn the_largest_weights_are_retained_in_their_rows() {
        let mut space = Space::default();
        let rows = [space.push(7, &mut vec![1, 2]), space.push(8, &mut vec![3, 4])];
        assert_eq!(space.retain(&[0.5, -2.0, 1.0, -0.5], 2), [-2.0, 1.0]);
        assert_eq!(space.row(rows[0]).collect::<Vec<_>>(), [(2, 0)]);
        assert_eq!(space.row(rows[1]).collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(space.retain(&[0.0, 1.0], 9), [1.0], "zeros are never kept");
    }

    #[test]
    fn a_model_has_the_largest_weights_rounded() {
        let mut space = Space::default();
        space.push(7, &mut vec![1, 2]);
        space.push(8, &mut vec![3, 4]);
        let weights = [0.5, -2.0, 0.0, 1e-9];
        let (rows, scale) = space.rows(&weights, 4);
        assert_eq!(rows, builder(&[(7, &[(1, 8192), (2, -32767)])]));
        assert_eq!(scale, 2.0 / 32767.0);
        assert_eq!(space.rows(&weights, 1).0, builder(&[(7, &[(2, -32767)])]));
    }

    fn builder(rows: &[(u64, &[(u16, i16)])]) -> RowsBuilder {
        let mut builder = RowsBuilder::default();
        rows.iter().for_each(|&(key, row)| builder.push(key, row.iter().copied()));
        builder
    }
}
