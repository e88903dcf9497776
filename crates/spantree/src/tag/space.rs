//! The weights of training: a row of numbered weights for every feature, one for each part of a tag seen with it.
//!
//! Features that occur only with other tags have no weight for a part: this leaves fewer weights to learn and to store. With
//! weights for all candidates of a word English gained 0.03 points and the model grew threefold.

use std::collections::HashMap;

use super::tagset::{Part, Tag, TagSet};
use crate::feature::hash;

/// The empty row, of features that are too rare.
pub(super) const NO_ROW: u32 = 0;

/// See the [module](self). Weights are numbered from 0, row by row.
#[derive(Clone, Debug)]
pub(super) struct Space {
    keys: Vec<u64>,
    starts: Vec<u32>,
    labels: Vec<Part>,
    /// Rows of each tag as the one before.
    steps: Vec<Vec<u32>>,
}

/// Keys of the rows of a tag before: one for each of its parts and one for itself.
pub(super) fn step_keys(tagset: &TagSet, before: Tag) -> impl Iterator<Item = u64> + '_ {
    let parts = tagset.parts(before).iter().map(|&part| hash::mix(0x57e9, part.into()));
    parts.chain([hash::mix(0x57ea, before.into())])
}

impl Default for Space {
    fn default() -> Self {
        Self { keys: vec![0], starts: vec![0, 0], labels: Vec::new(), steps: Vec::new() }
    }
}

impl Space {
    /// Adds the features of one template, of which each word has one: `keys` by word, `gold` their tags. Returns the row of
    /// each word; features seen fewer than `min_count` times have none.
    pub(super) fn add_template(
        &mut self,
        tagset: &TagSet,
        keys: &[u64],
        gold: &[Tag],
        min_count: usize,
    ) -> Vec<u32> {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&word| (keys[word as usize], word));
        let mut rows = vec![NO_ROW; keys.len()];
        for group in order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
            if group.len() >= min_count {
                let mut tags: Vec<Tag> = group.iter().map(|&word| gold[word as usize]).collect();
                let row = self.push(keys[group[0] as usize], tagset, &mut tags);
                group.iter().for_each(|&word| rows[word as usize] = row);
            }
        }
        rows
    }

    /// Adds the rows of steps between the tags of these sentences.
    pub(super) fn add_steps<'a>(&mut self, tagset: &TagSet, sentences: impl Iterator<Item = &'a [Tag]>) {
        let mut seen: HashMap<u64, Vec<Tag>> = HashMap::new();
        for pair in sentences.flat_map(|gold| gold.windows(2)) {
            for key in step_keys(tagset, pair[0]) {
                seen.entry(key).or_default().push(pair[1]);
            }
        }
        let mut seen: Vec<_> = seen.into_iter().collect();
        seen.sort_unstable_by_key(|(key, _)| *key);
        let mut rows = HashMap::new();
        for (key, mut tags) in seen {
            rows.insert(key, self.push(key, tagset, &mut tags));
        }
        let steps = |tag| step_keys(tagset, tag).filter_map(|key| rows.get(&key).copied());
        self.steps = tagset.all().map(|tag| steps(tag).collect()).collect();
    }

    fn push(&mut self, key: u64, tagset: &TagSet, tags: &mut Vec<Tag>) -> u32 {
        tags.sort_unstable();
        tags.dedup();
        let mut parts: Vec<Part> =
            tags.iter().flat_map(|&tag| tagset.parts(tag)).copied().collect();
        parts.sort_unstable();
        parts.dedup();
        self.labels.extend(parts);
        self.keys.push(key);
        self.starts.push(self.labels.len() as u32);
        self.keys.len() as u32 - 1
    }

    /// The parts of a row with the numbers of their weights.
    #[inline]
    pub(super) fn row(&self, row: u32) -> impl Iterator<Item = (Part, usize)> + '_ {
        let range = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
        self.labels[range.clone()].iter().copied().zip(range)
    }

    /// Rows of a tag before.
    pub(super) fn steps(&self, before: Tag) -> &[u32] {
        &self.steps[usize::from(before)]
    }

    /// Number of weights.
    pub(super) fn weights(&self) -> usize {
        self.labels.len()
    }

    /// All rows and their keys.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..).zip(self.keys.iter().copied()).skip(1)
    }
}
