//! What a worker remembers from sentence to sentence: words and pairs of tags repeat.
//!
//! Both caches are tables of fixed size in which a newcomer replaces whoever has its place, so memory stays bounded. They hold
//! nothing but what would be computed again: results do not depend on them.

use super::atoms::Atoms;
use super::tagset::Tag;
use crate::feature::hash;

/// Number of words remembered.
const FORMS: usize = 1 << 12;
/// Words with more candidates are not remembered.
const MOST: usize = 16;

/// What is known of a form: atoms, candidates, and what each candidate scores without context.
#[derive(Clone, Debug)]
pub(super) struct KnownForm {
    pub(super) atoms: Atoms,
    hash: u64,
    count: usize,
    tags: [Tag; MOST],
    scores: [i32; MOST],
}

impl KnownForm {
    pub(super) fn tags(&self) -> &[Tag] {
        &self.tags[..self.count]
    }

    pub(super) fn scores(&self) -> &[i32] {
        &self.scores[..self.count]
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct FormCache {
    slots: Vec<KnownForm>,
}

/// The place of a form, and its hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    place: usize,
    hash: u64,
}

impl Default for FormCache {
    fn default() -> Self {
        // No form has a count of 0.
        let empty = KnownForm {
            atoms: Atoms::OUTSIDE,
            hash: 0,
            count: 0,
            tags: [0; MOST],
            scores: [0; MOST],
        };
        Self { slots: vec![empty; FORMS] }
    }
}

impl FormCache {
    pub(super) fn slot(&self, form: &str) -> Slot {
        let hash = hash::text(form);
        Slot { place: (hash >> 32) as usize % FORMS, hash }
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&KnownForm> {
        Some(&self.slots[slot.place]).filter(|known| known.hash == slot.hash && known.count > 0)
    }

    pub(super) fn put(&mut self, slot: Slot, atoms: Atoms, tags: &[Tag], scores: &[i32]) {
        if tags.len() > MOST || tags.len() != scores.len() {
            return;
        }
        let known = &mut self.slots[slot.place];
        (known.atoms, known.hash, known.count) = (atoms, slot.hash, tags.len());
        known.tags[..tags.len()].copy_from_slice(tags);
        known.scores[..tags.len()].copy_from_slice(scores);
    }
}

/// Number of steps remembered.
const STEPS: usize = 1 << 14;
/// No pair of tags: a tag is below `u16::MAX`.
const NO_STEP: u32 = u32::MAX;

/// Scores of steps; see the [module](self).
#[derive(Clone, Debug)]
pub(super) struct StepCache {
    slots: Vec<(u32, i32)>,
}

impl Default for StepCache {
    fn default() -> Self {
        Self { slots: vec![(NO_STEP, 0); STEPS] }
    }
}

impl StepCache {
    /// The score of a step, computed if it is not there.
    #[inline]
    pub(super) fn get_or(&mut self, before: Tag, tag: Tag, compute: impl FnOnce() -> i32) -> i32 {
        let pair = u32::from(before) << 16 | u32::from(tag);
        let place = (hash::mix(1, pair.into()) >> 40) as usize % STEPS;
        if self.slots[place].0 != pair {
            self.slots[place] = (pair, compute());
        }
        self.slots[place].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_replace_each_other_and_nothing_else_is_found() {
        let mut cache = FormCache::default();
        assert!(cache.get(cache.slot("")).is_none());
        let (first, second) = (Slot { place: 3, hash: 1 }, Slot { place: 3, hash: 2 });
        cache.put(first, Atoms::OUTSIDE, &[4, 5], &[-1, 7]);
        let known = cache.get(first).unwrap();
        assert_eq!((known.tags(), known.scores()), (&[4, 5][..], &[-1, 7][..]));
        assert!(cache.get(second).is_none());
        cache.put(second, Atoms::OUTSIDE, &[6], &[0]);
        assert!(cache.get(first).is_none());
        assert_eq!(cache.get(second).unwrap().tags(), [6]);
        cache.put(first, Atoms::OUTSIDE, &[0; MOST + 1], &[0; MOST + 1]);
        assert_eq!(cache.get(second).unwrap().tags(), [6], "too many candidates to remember");
    }

    #[test]
    fn steps_are_computed_once() {
        let mut cache = StepCache::default();
        assert_eq!(cache.get_or(1, 2, || 5), 5);
        assert_eq!(cache.get_or(1, 2, || 6), 5);
        assert_eq!(cache.get_or(2, 1, || 7), 7);
    }
}
