//! The best sequence of tags under scores of tags and of neighbouring tags (Viterbi, 1967).
//!
//! Called by taggers and segmenters with a [`ChainScores`]. With `v(i, b)` the best score of a sequence
//! that ends with tag `b` at position `i`,
//!
//! ```text
//! v(0, b) = start(b) + tag(0, b)       v(i, b) = tag(i, b) + max over a of v(i − 1, a) + step(a, b)
//! ```
//!
//! and the goal is the maximum of `v(n − 1, b) + end(b)`; in another [semiring](crate::semiring) the same
//! recurrence gives sums and, run backwards, marginals. Masks are the score −∞, costs are added to tags.
//!
//! Time O(n·m²) for n positions and m tags, memory O(n·m + m²); the k best sequences are lazy and add
//! little. Ties: the lowest tag, decided from the last position to the first. Scores are first-order: a
//! tag sees its neighbour only.
//!
//! ```
//! use spantree_decode::{ChainScores, Viterbi};
//! let mut scores = ChainScores::new(3, 2);
//! scores.set_tag(0, 1, 2.0);
//! scores.forbid_step(1, 1);
//! let (mut scratch, mut tags) = Default::default();
//! let score = Viterbi.decode(&scores, &mut scratch, &mut tags);
//! assert_eq!((score, tags), (Some(2.0), vec![1, 0, 0]));
//! ```

mod forest;
mod scores;

pub use scores::{ChainScores, TagId};

use crate::lazy::LazyKBest;
use crate::ranked::Ranked;
use crate::semiring::{Count, LogSum, Max, Outside, Semiring};
use forest::{Forest, Prefix};

/// Best sequences and sums over sequences: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Viterbi;

/// Memory of [`Viterbi`].
#[derive(Clone, Debug, Default)]
pub struct ViterbiScratch {
    lattice: Lattice<f64>,
    outside: Lattice<f64>,
    counts: Lattice<u128>,
    best: Vec<TagId>,
    lazy: LazyKBest<Prefix>,
}

/// Probabilities of the parts of a sequence: what [`Viterbi::marginals`] writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainMarginals {
    tags: usize,
    by_position: Vec<f64>,
    steps: Vec<f64>,
}

impl ChainMarginals {
    /// The probabilities of all tags at a position.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn tags_at(&self, position: usize) -> &[f64] {
        &self.by_position[position * self.tags..(position + 1) * self.tags]
    }

    /// The expected number of times that tag `from` is followed by tag `to`.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn expected_steps(&self, from: TagId, to: TagId) -> f64 {
        let (from, to) = (usize::from(from), usize::from(to));
        assert!(from < self.tags, "tag beyond the table");
        self.steps[to * self.tags + from]
    }
}

impl Viterbi {
    /// Writes the best sequence and returns its score; `None`, and no tags, if no sequence is allowed.
    ///
    /// The empty sequence has score 0.
    pub fn decode(
        &self,
        scores: &ChainScores,
        scratch: &mut ViterbiScratch,
        tags: &mut Vec<TagId>,
    ) -> Option<f64> {
        tags.clear();
        if scratch.lattice.inside::<Max>(scores) == Max::ZERO {
            return None;
        }
        Forest::new(&scratch.lattice, scores).best_sequence(tags);
        Some(scores.sequence_score(tags))
    }

    /// Writes the `k` best sequences, best first and all different; fewer if there are fewer.
    pub fn k_best(
        &self,
        scores: &ChainScores,
        k: usize,
        scratch: &mut ViterbiScratch,
        sequences: &mut Ranked<Vec<TagId>>,
    ) {
        sequences.clear();
        if scratch.lattice.inside::<Max>(scores) == Max::ZERO {
            return;
        }
        let forest = Forest::new(&scratch.lattice, scores);
        let best = &mut scratch.best;
        best.clear();
        best.resize(scores.positions(), 0);
        let mut search = scratch.lazy.search(&forest);
        while sequences.len() < k && search.advance() {
            let is_first = sequences.is_empty();
            sequences.push_with(|tags| {
                tags.clone_from(best);
                search.visit(|item, split| forest.record(item, split, tags));
                if is_first {
                    best.clone_from(tags);
                }
                scores.sequence_score(tags)
            });
        }
        sequences.settle();
    }

    /// The logarithm of the summed weight of all sequences, or `None` if no sequence is allowed.
    pub fn log_partition(&self, scores: &ChainScores, scratch: &mut ViterbiScratch) -> Option<f64> {
        let goal = scratch.lattice.inside::<LogSum>(scores);
        (goal > LogSum::ZERO).then_some(goal)
    }

    /// Writes the probabilities of tags and steps (forward-backward) and returns the log partition
    /// function, or `None` if no sequence is allowed.
    pub fn marginals(
        &self,
        scores: &ChainScores,
        scratch: &mut ViterbiScratch,
        marginals: &mut ChainMarginals,
    ) -> Option<f64> {
        let goal = self.log_partition(scores, scratch)?;
        let ViterbiScratch { lattice, outside, .. } = scratch;
        lattice.outside::<LogSum>(scores, outside);
        marginals.tags = scores.tags();
        marginals.by_position.clone_from(&outside.values);
        marginals.steps.clone_from(&outside.steps);
        Some(goal)
    }

    /// Writes, for every position and tag, the score of the best sequence that has it, and returns the
    /// best score; `None` if no sequence is allowed. Rows are positions.
    pub fn max_marginals(
        &self,
        scores: &ChainScores,
        scratch: &mut ViterbiScratch,
        max_marginals: &mut Vec<f64>,
    ) -> Option<f64> {
        let ViterbiScratch { lattice, outside, .. } = scratch;
        let goal = lattice.inside::<Max>(scores);
        if goal == Max::ZERO {
            return None;
        }
        lattice.outside::<Max>(scores, outside);
        max_marginals.clear();
        let totals = lattice.values.iter().zip(&outside.values).map(|(&a, &b)| Max::total(a, b));
        max_marginals.extend(totals);
        Some(goal)
    }

    /// The number of allowed sequences, saturating at [`u128::MAX`].
    pub fn count(&self, scores: &ChainScores, scratch: &mut ViterbiScratch) -> u128 {
        scratch.counts.inside::<Count>(scores)
    }
}

/// Values of all sequences that end (or, outside, begin) at a position with a tag, in any semiring.
#[derive(Clone, Debug, Default)]
struct Lattice<V> {
    tags: usize,
    /// Rows are positions.
    values: Vec<V>,
    /// Rows are the second tag of a step, so that the alternatives of one tag are contiguous.
    steps: Vec<V>,
    ends: Vec<V>,
    /// The values at a position before its own tag scores are multiplied in.
    arriving: Vec<V>,
}

impl<V: Copy> Lattice<V> {
    /// Fills the lattice and returns the goal value.
    fn inside<S: Semiring<Value = V>>(&mut self, scores: &ChainScores) -> V {
        self.tags = scores.tags();
        for list in [&mut self.values, &mut self.steps, &mut self.ends, &mut self.arriving] {
            list.clear();
        }
        self.steps.extend(scores.steps().iter().map(|&score| S::weight(score)));
        self.ends.extend(scores.ends().iter().map(|&score| S::weight(score)));
        if scores.positions() == 0 {
            return S::ONE;
        }
        for position in 0..scores.positions() {
            for (tag, &score) in scores.tags_at(position).iter().enumerate() {
                let arriving = match position.checked_sub(1) {
                    None => S::weight(scores.start(tag as TagId)),
                    Some(before) => S::dot(self.row(before), self.steps_to(tag)),
                };
                self.arriving.push(arriving);
                self.values.push(S::times(arriving, S::weight(score)));
            }
        }
        S::dot(self.row(scores.positions() - 1), &self.ends)
    }

    /// After [`inside`](Self::inside): what reaches every tag and every step from the goal.
    fn outside<S: Outside<Value = V>>(&self, scores: &ChainScores, outside: &mut Self) {
        let tags = self.tags;
        outside.tags = tags;
        let sizes = [self.values.len(), tags * tags, tags, 0];
        let lists =
            [&mut outside.values, &mut outside.steps, &mut outside.ends, &mut outside.arriving];
        for (list, size) in lists.into_iter().zip(sizes) {
            list.clear();
            list.resize(size, S::UNREACHED);
        }
        let Some(last) = scores.positions().checked_sub(1) else { return };
        let last_row = &mut outside.values[last * tags..];
        let goal = S::dot(self.row(last), &self.ends);
        S::spread(goal, S::GOAL, (self.row(last), &self.ends), (last_row, &mut outside.ends));
        for position in (1..=last).rev() {
            let (earlier, later) = outside.values.split_at_mut(position * tags);
            let before = &mut earlier[(position - 1) * tags..];
            for (tag, &score) in scores.tags_at(position).iter().enumerate() {
                let steps = tag * tags..(tag + 1) * tags;
                let outer = S::behind(S::weight(score), later[tag]);
                let parts = (self.row(position - 1), self.steps_to(tag));
                let outer_parts = (&mut *before, &mut outside.steps[steps]);
                S::spread(self.arriving[position * tags + tag], outer, parts, outer_parts);
            }
        }
    }

    fn row(&self, position: usize) -> &[V] {
        &self.values[position * self.tags..(position + 1) * self.tags]
    }

    /// Values of the steps to a tag, by the tag before.
    fn steps_to(&self, tag: usize) -> &[V] {
        &self.steps[tag * self.tags..(tag + 1) * self.tags]
    }
}
