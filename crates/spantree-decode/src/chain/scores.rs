//! Scores of a sequence of tags.

use crate::scores::{FORBIDDEN, storable};

/// A tag, numbered by whoever filled the table.
pub type TagId = u16;

/// Scores of tags at positions, of steps from tag to tag, and of the first and the last tag.
///
/// Everything starts at 0. As in [`ArcScores`](crate::ArcScores), −∞ forbids, NaN is stored as −∞ and +∞
/// as [`f32::MAX`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainScores {
    tags: usize,
    by_position: Vec<f32>,
    /// Rows are the second tag of a step.
    steps: Vec<f32>,
    starts: Vec<f32>,
    ends: Vec<f32>,
    positions: usize,
}

impl ChainScores {
    /// A table of zeros for `positions` positions and `tags` tags.
    pub fn new(positions: usize, tags: usize) -> Self {
        let mut scores = Self {
            tags,
            steps: vec![0.0; tags * tags],
            starts: vec![0.0; tags],
            ends: vec![0.0; tags],
            ..Self::default()
        };
        scores.reset(positions);
        scores
    }

    /// Sets the number of positions and all scores at positions to 0, for the next sentence; scores of
    /// steps, of the first and of the last tag stay, and memory is kept.
    pub fn reset(&mut self, positions: usize) {
        self.positions = positions;
        self.by_position.clear();
        self.by_position.resize(positions * self.tags, 0.0);
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Number of tags.
    pub fn tags(&self) -> usize {
        self.tags
    }

    /// The scores of all tags at a position.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn tags_at(&self, position: usize) -> &[f32] {
        &self.by_position[position * self.tags..(position + 1) * self.tags]
    }

    /// The score of tag `from` followed by tag `to`.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn step(&self, from: TagId, to: TagId) -> f32 {
        self.steps[self.step_index(from, to)]
    }

    /// The score of a tag as the first one of a sequence.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn start(&self, tag: TagId) -> f32 {
        self.starts[usize::from(tag)]
    }

    /// The score of a tag as the last one of a sequence.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn end(&self, tag: TagId) -> f32 {
        self.ends[usize::from(tag)]
    }

    /// Replaces the score of a tag at a position.
    ///
    /// # Panics
    /// If there is no such position or tag.
    pub fn set_tag(&mut self, position: usize, tag: TagId, score: f32) {
        *self.tag_mut(position, tag) = storable(score);
    }

    /// Adds a cost to the score of a tag at a position; a forbidden tag stays forbidden.
    ///
    /// # Panics
    /// If there is no such position or tag.
    pub fn add_cost(&mut self, position: usize, tag: TagId, cost: f32) {
        let cell = self.tag_mut(position, tag);
        if *cell > FORBIDDEN {
            *cell = storable(*cell + cost);
        }
    }

    /// Forbids a tag at a position.
    ///
    /// # Panics
    /// If there is no such position or tag.
    pub fn forbid_tag(&mut self, position: usize, tag: TagId) {
        self.set_tag(position, tag, FORBIDDEN);
    }

    /// Forbids all tags at a position for which `allowed` says no.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn allow_tags(&mut self, position: usize, allowed: impl Fn(TagId) -> bool) {
        for tag in (0..self.tags as TagId).filter(|&tag| !allowed(tag)) {
            self.forbid_tag(position, tag);
        }
    }

    /// Replaces the score of tag `from` followed by tag `to`.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn set_step(&mut self, from: TagId, to: TagId, score: f32) {
        let index = self.step_index(from, to);
        self.steps[index] = storable(score);
    }

    /// Forbids tag `to` right after tag `from`.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn forbid_step(&mut self, from: TagId, to: TagId) {
        self.set_step(from, to, FORBIDDEN);
    }

    /// Replaces the score of a tag as the first one of a sequence.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn set_start(&mut self, tag: TagId, score: f32) {
        self.starts[usize::from(tag)] = storable(score);
    }

    /// Replaces the score of a tag as the last one of a sequence.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn set_end(&mut self, tag: TagId, score: f32) {
        self.ends[usize::from(tag)] = storable(score);
    }

    /// The score of a sequence: −∞ if something in it is forbidden.
    ///
    /// # Panics
    /// If its length is not the number of positions, or a tag does not exist.
    pub fn sequence_score(&self, sequence: &[TagId]) -> f64 {
        assert_eq!(sequence.len(), self.positions, "sequence and scores differ in length");
        let (Some(&first), Some(&last)) = (sequence.first(), sequence.last()) else {
            return 0.0;
        };
        let ends = f64::from(self.start(first)) + f64::from(self.end(last));
        let tags = sequence.iter().enumerate().map(|(i, &tag)| self.tags_at(i)[usize::from(tag)]);
        let steps = sequence.windows(2).map(|pair| self.step(pair[0], pair[1]));
        ends + tags.chain(steps).map(f64::from).sum::<f64>()
    }

    /// Rows are the second tag of a step.
    pub(super) fn steps(&self) -> &[f32] {
        &self.steps
    }

    pub(super) fn ends(&self) -> &[f32] {
        &self.ends
    }

    fn tag_mut(&mut self, position: usize, tag: TagId) -> &mut f32 {
        &mut self.by_position[position * self.tags..(position + 1) * self.tags][usize::from(tag)]
    }

    fn step_index(&self, from: TagId, to: TagId) -> usize {
        let (from, to) = (usize::from(from), usize::from(to));
        assert!(from < self.tags && to < self.tags, "tag beyond the table");
        to * self.tags + from
    }
}
