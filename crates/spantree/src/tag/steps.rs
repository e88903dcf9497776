//! The weights of steps from tag to tag.

use std::collections::HashMap;

use super::tagset::{Tag, TagSet};
use crate::feature::hash;
use crate::rows::space::Space;

/// Keys of the rows of a tag before: one for each of its parts and one for itself.
pub(super) fn step_keys(tagset: &TagSet, before: Tag) -> impl Iterator<Item = u64> + '_ {
    let parts = tagset.parts(before).iter().map(|&part| hash::mix(0x57e9, part.into()));
    parts.chain([hash::mix(0x57ea, before.into())])
}

/// The rows of each tag as the one before, in training.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    rows: Vec<Vec<u32>>,
}

impl Steps {
    /// Adds the rows of steps between the tags of these sentences to the space.
    pub(super) fn new<'a>(
        tagset: &TagSet,
        sentences: impl Iterator<Item = &'a [Tag]>,
        space: &mut Space,
    ) -> Self {
        let mut seen: HashMap<u64, Vec<Tag>> = HashMap::new();
        for pair in sentences.flat_map(|gold| gold.windows(2)) {
            for key in step_keys(tagset, pair[0]) {
                seen.entry(key).or_default().push(pair[1]);
            }
        }
        let mut seen: Vec<_> = seen.into_iter().collect();
        seen.sort_unstable_by_key(|(key, _)| *key);
        let rows: HashMap<_, _> = seen
            .into_iter()
            .map(|(key, tags)| (key, space.push(key, &mut tagset.parts_of(tags))))
            .collect();
        let steps = |tag| step_keys(tagset, tag).filter_map(|key| rows.get(&key).copied());
        Self { rows: tagset.all().map(|tag| steps(tag).collect()).collect() }
    }

    /// Rows of a tag before.
    pub(super) fn from(&self, before: Tag) -> &[u32] {
        &self.rows[usize::from(before)]
    }
}
