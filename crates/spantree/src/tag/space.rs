//! The weights of training: a row of numbered weights for every feature, one for each part of a tag seen with it.

use super::tagset::{Part, Tag, TagSet};
use crate::feature::hash;

/// The row of features that are too rare.
pub const NO_ROW: u32 = 0;

/// See the [module](self). Weights are numbered from 0, row by row.
#[derive(Clone, Debug)]
pub struct Space {
    keys: Vec<u64>,
    starts: Vec<u32>,
    labels: Vec<Part>,
    /// Rows of each tag as the one before, then those of the start.
    steps: Vec<Vec<u32>>,
    /// Weight of each tag as the last one.
    ends: Vec<Option<u32>>,
}

/// Key of the weights of tags as the last one, by part.
pub fn end_key() -> u64 {
    hash::mix(0x57e9, u64::MAX)
}

/// Keys of the rows of a tag before.
pub fn step_keys(tagset: &TagSet, before: Option<Tag>) -> Vec<u64> {
    let Some(tag) = before else { return vec![hash::mix(0x57e9, 0x10000)] };
    let whole = hash::mix(0x57ea, tag.into());
    let parts = tagset.parts(tag).iter().map(|&part| hash::mix(0x57e9, part.into()));
    parts.chain([whole]).collect()
}

impl Space {
    pub fn new() -> Self {
        Self {
            keys: vec![0],
            starts: vec![0, 0],
            labels: Vec::new(),
            steps: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds the features of one template: `keys` has one key per token, `gold` their tags. Returns the row of each token.
    pub fn add_template(
        &mut self,
        tagset: &TagSet,
        keys: &[u64],
        gold: &[Tag],
        min_count: usize,
    ) -> Vec<u32> {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&token| (keys[token as usize], token));
        let mut rows = vec![NO_ROW; keys.len()];
        let mut labels = Vec::new();
        for group in order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
            if group.len() < min_count {
                continue;
            }
            labels.clear();
            let mut tags: Vec<Tag> = group.iter().map(|&token| gold[token as usize]).collect();
            tags.sort_unstable();
            tags.dedup();
            labels.extend(tags.iter().flat_map(|&tag| tagset.parts(tag)));
            let row = self.push(keys[group[0] as usize], &mut labels);
            group.iter().for_each(|&token| rows[token as usize] = row);
        }
        rows
    }

    fn push(&mut self, key: u64, labels: &mut Vec<Part>) -> u32 {
        labels.sort_unstable();
        labels.dedup();
        self.labels.extend_from_slice(labels);
        self.keys.push(key);
        self.starts.push(self.labels.len() as u32);
        self.keys.len() as u32 - 1
    }

    /// Adds the rows of steps between the tags of these sentences.
    pub fn add_steps<'a>(&mut self, tagset: &TagSet, sentences: impl Iterator<Item = &'a [Tag]>) {
        let mut seen = Vec::new();
        for gold in sentences {
            let before = std::iter::once(None).chain(gold.iter().copied().map(Some));
            for (before, &tag) in before.zip(gold) {
                for key in step_keys(tagset, before) {
                    seen.push((key, tag));
                }
            }
            if let Some(&last) = gold.last() {
                seen.push((end_key(), last));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        let mut labels = Vec::new();
        let mut rows = std::collections::HashMap::new();
        for group in seen.chunk_by(|a, b| a.0 == b.0) {
            labels.clear();
            labels.extend(group.iter().flat_map(|&(_, tag)| tagset.parts(tag)));
            rows.insert(group[0].0, self.push(group[0].0, &mut labels));
        }
        let all = (0..tagset.len() as Tag).map(Some).chain([None]);
        self.steps = all
            .map(|before| {
                let keys = step_keys(tagset, before);
                keys.iter().filter_map(|key| rows.get(key).copied()).collect()
            })
            .collect();
        let end = rows.get(&end_key()).copied().unwrap_or(NO_ROW);
        self.ends = (0..tagset.len() as Tag)
            .map(|tag| {
                let part = tagset.parts(tag)[0];
                self.row(end).find(|&(label, _)| label == part).map(|(_, id)| id as u32)
            })
            .collect();
    }

    /// The parts of a row with the numbers of their weights.
    #[inline]
    pub fn row(&self, row: u32) -> impl Iterator<Item = (Part, usize)> + '_ {
        let range = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
        self.labels[range.clone()].iter().copied().zip(range)
    }

    /// Rows of a tag before, or of the start.
    pub fn step_rows(&self, before: Option<Tag>) -> &[u32] {
        &self.steps[before.map_or(self.steps.len() - 1, usize::from)]
    }

    /// Number of the weight of a tag as the last one.
    pub fn end(&self, tag: Tag) -> Option<usize> {
        self.ends[usize::from(tag)].map(|id| id as usize)
    }

    /// Number of weights.
    pub fn weights(&self) -> usize {
        self.labels.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.keys.len()
    }

    /// Key of a row.
    pub fn key(&self, row: u32) -> u64 {
        self.keys[row as usize]
    }
}
