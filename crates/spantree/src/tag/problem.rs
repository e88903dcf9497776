//! Learning tags: the structured and log-linear problem whose answers are paths through the lattice of candidates.
//!
//! The cost of a wrong UPOS is 1, of another wrong tag ½.

use spantree_decode::{LatticeMarginals, LatticeScratch};
use spantree_learn::{CostMode, LogLinear, Problem, SparseVector, Structured};

use super::lattice::{Candidates, Lattice, Scorer};
use super::steps::Steps;
use super::tagset::{Part, Tag, TagSet};
use crate::rows::space::Space;

/// Probabilities up to this are left out of gradients.
const NEGLIGIBLE: f64 = 1e-4;

/// A sentence ready for learning.
#[derive(Clone, Debug, Default)]
pub(super) struct Example {
    /// Row numbers of the features of all words, as many for each.
    pub(super) features: Vec<u32>,
    /// Among them is the gold tag of each word.
    pub(super) candidates: Candidates,
    /// The gold tags.
    pub(super) gold: Vec<Tag>,
}

impl Example {
    fn rows(&self, word: usize) -> &[u32] {
        let width = self.features.len() / self.gold.len().max(1);
        &self.features[word * width..(word + 1) * width]
    }
}

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(super) struct TagProblem<'a> {
    /// The tags.
    pub(super) tagset: &'a TagSet,
    /// The weights.
    pub(super) space: &'a Space,
    /// Those of steps.
    pub(super) steps: &'a Steps,
}

/// Scores of one sentence under weights in training.
struct TrainingScorer<'a> {
    problem: TagProblem<'a>,
    w: &'a [f32],
    example: &'a Example,
    cost: CostMode,
}

impl TrainingScorer<'_> {
    fn add(&self, rows: &[u32], sums: &mut [f32]) {
        for &row in rows {
            for (part, id) in self.problem.space.row(row) {
                sums[usize::from(part)] += self.w[id];
            }
        }
    }
}

impl Scorer for TrainingScorer<'_> {
    type Sum = f32;

    fn add_word(&mut self, word: usize, sums: &mut [f32]) {
        self.add(self.example.rows(word), sums);
    }

    fn extra(&self, _place: usize, word: usize, tag: Tag) -> f64 {
        match self.cost {
            CostMode::Augmented => self.problem.cost(self.example.gold[word], tag).into(),
            CostMode::Plain => 0.0,
        }
    }

    fn steps(
        &mut self,
        before: Tag,
        tags: &[Tag],
        sums: &mut [f32],
        mut write: impl FnMut(usize, f64),
    ) {
        self.add(self.problem.steps.from(before), sums);
        for (to, &tag) in tags.iter().enumerate() {
            write(to, self.problem.tagset.sum(tag, sums).into());
        }
    }
}

/// Buffers of [`TagProblem`].
#[derive(Debug, Default)]
pub(super) struct TagScratch {
    lattice: Lattice<f32>,
    search: LatticeScratch,
    marginals: LatticeMarginals,
    path: Vec<u16>,
    change: Change,
}

/// How much more often parts are wanted than found; zero but for the parts touched.
#[derive(Debug, Default)]
struct Change {
    values: Vec<f32>,
    touched: Vec<Part>,
}

impl Change {
    fn add(&mut self, tagset: &TagSet, tag: Tag, value: f32) {
        self.values.resize(tagset.part_count(), 0.0);
        for &part in tagset.parts(tag) {
            self.values[usize::from(part)] += value;
            self.touched.push(part);
        }
    }

    /// Adds the change for all these rows and forgets it.
    fn write(&mut self, space: &Space, rows: &[u32], delta: &mut SparseVector) {
        for (part, id) in rows.iter().flat_map(|&row| space.row(row)) {
            let value = self.values[usize::from(part)];
            if value != 0.0 {
                delta.add(id as u32, value);
            }
        }
        self.touched.drain(..).for_each(|part| self.values[usize::from(part)] = 0.0);
    }
}

impl TagProblem<'_> {
    fn fill(&self, w: &[f32], example: &Example, cost: CostMode, lattice: &mut Lattice<f32>) {
        let mut scorer = TrainingScorer { problem: *self, w, example, cost };
        lattice.fill(self.tagset, &mut scorer, &example.candidates, Some(&example.gold));
    }

    fn cost(&self, gold: Tag, guess: Tag) -> f32 {
        if gold == guess {
            0.0
        } else if self.tagset.coarse(gold) == self.tagset.coarse(guess) {
            0.5
        } else {
            1.0
        }
    }

    /// Adds the gradient of the step into `word`: gold minus expected, by the candidate before.
    fn add_step_gradient(
        &self,
        example: &Example,
        word: usize,
        (lattice, marginals): (&Lattice<f32>, &LatticeMarginals),
        change: &mut Change,
        gradient: &mut SparseVector,
    ) {
        for (from, &before) in lattice.kept.get(word - 1).iter().enumerate() {
            if before == example.gold[word - 1] {
                change.add(self.tagset, example.gold[word], 1.0);
            }
            for (to, &tag) in lattice.kept.get(word).iter().enumerate() {
                let p = marginals.steps(&lattice.scores, word, to)[from];
                if p > NEGLIGIBLE {
                    change.add(self.tagset, tag, -p as f32);
                }
            }
            change.write(self.space, self.steps.from(before), gradient);
        }
    }
}

impl Problem for TagProblem<'_> {
    type Example = Example;
    type Scratch = TagScratch;
}

impl Structured for TagProblem<'_> {
    type Output = Vec<Tag>;

    fn decode(
        &self,
        w: &[f32],
        example: &Example,
        cost: CostMode,
        scratch: &mut TagScratch,
        guess: &mut Vec<Tag>,
    ) {
        let TagScratch { lattice, search, path, .. } = scratch;
        self.fill(w, example, cost, lattice);
        // Every word has a candidate and nothing is forbidden, so there is a path.
        lattice.scores.decode(search, path);
        guess.clear();
        guess.extend(lattice.tags(path));
    }

    fn difference(
        &self,
        example: &Example,
        guess: &Vec<Tag>,
        scratch: &mut TagScratch,
        delta: &mut SparseVector,
    ) {
        let (gold, change) = (&example.gold, &mut scratch.change);
        for word in 0..gold.len() {
            if gold[word] != guess[word] {
                change.add(self.tagset, gold[word], 1.0);
                change.add(self.tagset, guess[word], -1.0);
                change.write(self.space, example.rows(word), delta);
            }
            if word > 0 && gold[word - 1..=word] != guess[word - 1..=word] {
                for (tags, value) in [(gold, 1.0), (guess, -1.0)] {
                    change.add(self.tagset, tags[word], value);
                    change.write(self.space, self.steps.from(tags[word - 1]), delta);
                }
            }
        }
    }

    fn loss(&self, example: &Example, guess: &Vec<Tag>) -> f32 {
        example.gold.iter().zip(guess).map(|(&gold, &guess)| self.cost(gold, guess)).sum()
    }
}

impl LogLinear for TagProblem<'_> {
    fn log_likelihood(
        &self,
        w: &[f32],
        example: &Example,
        scratch: &mut TagScratch,
        gradient: &mut SparseVector,
    ) -> f64 {
        let TagScratch { lattice, search, marginals, path, change } = scratch;
        self.fill(w, example, CostMode::Plain, lattice);
        let Some(partition) = lattice.scores.marginals(search, marginals) else {
            return f64::NEG_INFINITY;
        };
        path.clear();
        for (word, &gold) in example.gold.iter().enumerate() {
            let kept = lattice.kept.get(word);
            let Some(place) = kept.iter().position(|&tag| tag == gold) else {
                return f64::NEG_INFINITY;
            };
            path.push(place as u16);
            if kept.len() > 1 {
                change.add(self.tagset, gold, 1.0);
                for (&tag, &p) in kept.iter().zip(marginals.nodes(&lattice.scores, word)) {
                    change.add(self.tagset, tag, -p as f32);
                }
                change.write(self.space, example.rows(word), gradient);
            }
            if word > 0 {
                self.add_step_gradient(example, word, (lattice, marginals), change, gradient);
            }
        }
        lattice.scores.path_score(path) - partition
    }
}
