//! Learning tags: the structured and log-linear problem whose answers are paths through the lattice of candidates.

use spantree_decode::{LatticeMarginals, LatticeScratch};
use spantree_learn::{CostMode, LogLinear, Problem, SparseVector, Structured};

use super::lattice::{Candidates, Filled, Weights};
use super::space::Space;
use super::tagset::{Part, Tag, TagSet};

/// A sentence ready for learning.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Row numbers of the features of all words.
    pub features: Vec<u32>,
    /// Among them is the gold tag of each word.
    pub candidates: Candidates,
    /// The gold tags.
    pub gold: Vec<Tag>,
}

/// See the [module](self).
#[derive(Debug)]
pub struct TagProblem<'a> {
    pub tagset: &'a TagSet,
    pub space: &'a Space,
}

/// Weights in training.
struct Training<'a> {
    space: &'a Space,
    w: &'a [f32],
}

impl Weights for Training<'_> {
    type Row = u32;
    type Sum = f32;

    fn add(&self, row: u32, sums: &mut [f32]) {
        for (label, id) in self.space.row(row) {
            sums[usize::from(label)] += self.w[id];
        }
    }

    fn add_steps(&self, before: Option<Tag>, sums: &mut [f32]) {
        self.space.step_rows(before).iter().for_each(|&row| self.add(row, sums));
    }

    fn end(&self, tag: Tag) -> f32 {
        self.space.end(tag).map_or(0.0, |id| self.w[id])
    }
}

/// Buffers of [`TagProblem`].
#[derive(Debug, Default)]
pub struct TagScratch {
    filled: Filled<f32>,
    lattice: LatticeScratch,
    marginals: LatticeMarginals,
    path: Vec<u16>,
    change: Change,
}

/// How often parts are wanted more than they were found: sparse over parts.
#[derive(Debug, Default)]
struct Change {
    dense: Vec<f32>,
    touched: Vec<Part>,
}

impl Change {
    fn add(&mut self, tagset: &TagSet, tag: Tag, value: f32) {
        self.dense.resize(tagset.part_count(), 0.0);
        for &part in tagset.parts(tag) {
            if self.dense[usize::from(part)] == 0.0 {
                self.touched.push(part);
            }
            self.dense[usize::from(part)] += value;
        }
    }

    fn clear(&mut self) {
        for part in self.touched.drain(..) {
            self.dense[usize::from(part)] = 0.0;
        }
    }

    fn write(&self, space: &Space, rows: &[u32], delta: &mut SparseVector) {
        for &row in rows {
            for (label, id) in space.row(row) {
                let value = self.dense[usize::from(label)];
                if value != 0.0 {
                    delta.add(id as u32, value);
                }
            }
        }
    }
}

impl TagProblem<'_> {
    fn fill(&self, w: &[f32], example: &Example, cost: CostMode, scratch: &mut TagScratch) {
        let weights = Training { space: self.space, w };
        let gold = &example.gold;
        let extra = |word: usize, tag| match cost {
            CostMode::Augmented => f64::from(self.cost(gold[word], tag)),
            CostMode::Plain => 0.0,
        };
        scratch.filled.fill(
            self.tagset,
            &weights,
            &example.features,
            &example.candidates,
            Some(gold),
            extra,
        );
    }

    /// Half for a wrong UPOS, half for a wrong tag.
    fn cost(&self, gold: Tag, guess: Tag) -> f32 {
        if gold == guess {
            0.0
        } else if self.tagset.coarse(gold) == self.tagset.coarse(guess) {
            0.5
        } else {
            1.0
        }
    }

    fn width(&self, example: &Example) -> usize {
        example.features.len() / example.gold.len().max(1)
    }

    /// Adds `f(gold) − f(guess)` of single words and of steps.
    fn subtract(
        &self,
        example: &Example,
        guess: &[Tag],
        change: &mut Change,
        delta: &mut SparseVector,
    ) {
        let (gold, width) = (&example.gold, self.width(example));
        let mut before = (None, None);
        for (word, (&right, &found)) in gold.iter().zip(guess).enumerate() {
            if right != found {
                change.clear();
                change.add(self.tagset, right, 1.0);
                change.add(self.tagset, found, -1.0);
                change.write(self.space, &example.features[word * width..][..width], delta);
            }
            if right != found || before.0 != before.1 {
                for (tag, before, value) in [(right, before.0, 1.0), (found, before.1, -1.0)] {
                    change.clear();
                    change.add(self.tagset, tag, value);
                    change.write(self.space, self.space.step_rows(before), delta);
                }
            }
            before = (Some(right), Some(found));
        }
        for (tag, value) in [(before.0, 1.0), (before.1, -1.0)] {
            if let Some(id) = tag.and_then(|tag| self.space.end(tag)) {
                delta.add(id as u32, value);
            }
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
        self.fill(w, example, cost, scratch);
        let TagScratch { filled, lattice, path, .. } = scratch;
        // Every word has a candidate and nothing is forbidden, so there is a path.
        filled.scores.decode(lattice, path);
        guess.clear();
        guess.extend(
            path.iter()
                .enumerate()
                .map(|(word, &candidate)| filled.kept.get(word)[usize::from(candidate)]),
        );
    }

    fn difference(
        &self,
        example: &Example,
        guess: &Vec<Tag>,
        scratch: &mut TagScratch,
        delta: &mut SparseVector,
    ) {
        self.subtract(example, guess, &mut scratch.change, delta);
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
        self.fill(w, example, CostMode::Plain, scratch);
        let TagScratch { filled, lattice, marginals, path, change } = scratch;
        let Some(partition) = filled.scores.marginals(lattice, marginals) else {
            return f64::NEG_INFINITY;
        };
        path.clear();
        let width = self.width(example);
        for (word, &gold) in example.gold.iter().enumerate() {
            let kept = filled.kept.get(word);
            let Some(place) = kept.iter().position(|&tag| tag == gold) else {
                return f64::NEG_INFINITY;
            };
            path.push(place as u16);
            let nodes = marginals.nodes(&filled.scores, word);
            change.clear();
            change.add(self.tagset, gold, 1.0);
            for (&tag, &p) in kept.iter().zip(nodes).filter(|(_, p)| **p > NEGLIGIBLE) {
                change.add(self.tagset, tag, -p as f32);
            }
            change.write(self.space, &example.features[word * width..][..width], gradient);
            if word == 0 {
                change.write(self.space, self.space.step_rows(None), gradient);
                continue;
            }
            for (from, &before) in filled.kept.get(word - 1).iter().enumerate() {
                change.clear();
                if before == example.gold[word - 1] {
                    change.add(self.tagset, gold, 1.0);
                }
                for (to, &tag) in kept.iter().enumerate() {
                    let p = marginals.steps(&filled.scores, word, to)[from];
                    if p > NEGLIGIBLE {
                        change.add(self.tagset, tag, -p as f32);
                    }
                }
                change.write(self.space, self.space.step_rows(Some(before)), gradient);
            }
        }
        if let Some(last) = example.gold.len().checked_sub(1) {
            let nodes = marginals.nodes(&filled.scores, last);
            for (&tag, &p) in filled.kept.get(last).iter().zip(nodes) {
                let gold = f32::from(u8::from(tag == example.gold[last]));
                if let Some(id) = self.space.end(tag) {
                    gradient.add(id as u32, gold - p as f32);
                }
            }
        }
        filled.scores.path_score(path) - partition
    }
}

/// Probabilities up to this are left out of gradients.
const NEGLIGIBLE: f64 = 1e-3;
