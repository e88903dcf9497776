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

    fn add_word(&mut self, word: usize, _candidates: &[Tag], sums: &mut [f32]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use spantree_learn::Rng;

    struct Toy {
        tagset: TagSet,
        space: Space,
        steps: Steps,
        example: Example,
    }

    /// Four words with up to three candidates out of four tags that share parts, two features each.
    fn toy(rng: &mut Rng) -> Toy {
        let tag = |u: &str, f: &str| [u.to_owned(), "_".to_owned(), f.to_owned()];
        let tagset = TagSet::new(vec![
            tag("A", "Case=Nom"),
            tag("B", "Case=Nom|Number=Sing"),
            tag("A", "_"),
            tag("B", "Number=Sing"),
        ]);
        let tagset = tagset.unwrap();
        let mut space = Space::default();
        let rows: Vec<u32> = (1..4)
            .map(|key| space.push(key, &mut tagset.parts_of(vec![rng.below(4) as Tag, 1])))
            .collect();
        let gold: Vec<Tag> = (0..4).map(|_| rng.below(4) as Tag).collect();
        let others: Vec<Tag> = (0..8).map(|_| rng.below(4) as Tag).collect();
        let steps = Steps::new(&tagset, [&gold[..], &others].into_iter(), &mut space);
        let mut example = Example { gold, ..Example::default() };
        for word in 0..4 {
            let mut tags = vec![example.gold[word], rng.below(4) as Tag, rng.below(4) as Tag];
            tags.sort_unstable();
            tags.dedup();
            example.candidates.push(&tags);
            example.features.extend((0..2).map(|_| rows[rng.below(3)]));
        }
        Toy { tagset, space, steps, example }
    }

    fn paths(candidates: &Candidates) -> Vec<Vec<Tag>> {
        (0..candidates.len()).fold(vec![Vec::new()], |paths, word| {
            let extend = |path: Vec<Tag>| {
                candidates.get(word).iter().map(move |&tag| [&path[..], &[tag]].concat())
            };
            paths.into_iter().flat_map(extend).collect()
        })
    }

    /// `w · f(path) − w · f(gold)`.
    fn lead(problem: &TagProblem<'_>, w: &[f32], example: &Example, path: &Vec<Tag>) -> f64 {
        let mut delta = SparseVector::new();
        problem.difference(example, path, &mut TagScratch::default(), &mut delta);
        -delta.dot(w)
    }

    fn weights(rng: &mut Rng, count: usize) -> Vec<f32> {
        (0..count).map(|_| rng.below(41) as f32 / 8.0 - 2.5).collect()
    }

    #[test]
    fn decoding_equals_brute_force() {
        let mut rng = Rng::new(5);
        let (mut scratch, mut guess) = (TagScratch::default(), Vec::new());
        for round in 0..400 {
            let Toy { tagset, space, steps, example } = toy(&mut rng);
            let problem = TagProblem { tagset: &tagset, space: &space, steps: &steps };
            let w = weights(&mut rng, space.weights());
            let cost = if round % 2 == 0 { CostMode::Plain } else { CostMode::Augmented };
            let score = |path: &Vec<Tag>| {
                let loss = if round % 2 == 0 { 0.0 } else { problem.loss(&example, path) };
                lead(&problem, &w, &example, path) + f64::from(loss)
            };
            let best = paths(&example.candidates).iter().map(score).fold(f64::MIN, f64::max);
            problem.decode(&w, &example, cost, &mut scratch, &mut guess);
            assert_eq!(score(&guess), best);
        }
    }

    #[test]
    fn likelihoods_equal_brute_force_and_gradients_finite_differences() {
        let mut rng = Rng::new(6);
        let mut scratch = TagScratch::default();
        for _ in 0..40 {
            let Toy { tagset, space, steps, example } = toy(&mut rng);
            let problem = TagProblem { tagset: &tagset, space: &space, steps: &steps };
            let w = weights(&mut rng, space.weights());
            let mut value = |w: &[f32], gradient: &mut SparseVector| {
                problem.log_likelihood(w, &example, &mut scratch, gradient)
            };
            let mut gradient = SparseVector::new();
            let found = value(&w, &mut gradient);
            let leads = paths(&example.candidates);
            let leads = leads.iter().map(|path| lead(&problem, &w, &example, path).exp());
            assert!((found + leads.sum::<f64>().ln()).abs() < 1e-4, "{found}");
            gradient.compact();
            for id in 0..w.len() {
                let (mut up, mut down) = (w.clone(), w.clone());
                up[id] += 0.01;
                down[id] -= 0.01;
                let mut ignored = SparseVector::new();
                let slope = (value(&up, &mut ignored) - value(&down, &mut ignored)) / 0.02;
                let entry = gradient.entries().find(|entry| entry.0 == id as u32);
                let found = f64::from(entry.map_or(0.0, |entry| entry.1));
                assert!((slope - found).abs() < 2e-3, "{id}: {found}, by differences {slope}");
            }
        }
    }
}
