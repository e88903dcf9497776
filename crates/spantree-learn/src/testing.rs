//! Toy problems of the unit tests: answers are listed one by one, so every trait is a loop over them.

use crate::problem::{CostMode, Factored, KBest, LogLinear, Problem, Structured};
use crate::random::Rng;
use crate::sparse::SparseVector;

/// The features of an answer.
pub(crate) type Features = Vec<(u32, f32)>;

/// An example: the features and the loss of every answer. Gold is the first allowed answer.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    answers: Vec<(Features, f32)>,
    allowed: Vec<usize>,
}

impl Choice {
    /// Gold comes first in the list.
    pub(crate) fn new(answers: &[(&[(u32, f32)], f32)]) -> Self {
        Self {
            answers: answers.iter().map(|&(features, loss)| (features.to_vec(), loss)).collect(),
            allowed: vec![0],
        }
    }

    pub(crate) fn allow(mut self, allowed: &[usize]) -> Self {
        self.allowed = allowed.to_vec();
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.answers.len()
    }

    fn score(&self, w: &[f32], answer: usize) -> f64 {
        self.answers[answer]
            .0
            .iter()
            .map(|&(id, value)| f64::from(w[id as usize]) * f64::from(value))
            .sum()
    }

    fn log_partition(&self, w: &[f32], answers: impl Iterator<Item = usize> + Clone) -> f64 {
        let best =
            answers.clone().map(|answer| self.score(w, answer)).fold(f64::NEG_INFINITY, f64::max);
        best + answers.map(|answer| (self.score(w, answer) - best).exp()).sum::<f64>().ln()
    }

    fn add(&self, answer: usize, scale: f64, vector: &mut SparseVector) {
        for &(id, value) in &self.answers[answer].0 {
            vector.add(id, (scale * f64::from(value)) as f32);
        }
    }

    fn rival(&self, index: usize) -> usize {
        if index < self.allowed[0] { index } else { index + 1 }
    }
}

/// One of `classes` classes, each with a copy of the features: class `c` has `active + c · dimensions`.
pub(crate) fn multiclass(dimensions: u32, classes: u32, active: &[u32], gold: u32) -> Choice {
    let answers = (0..classes)
        .map(|class| {
            let features =
                active.iter().map(|&feature| (class * dimensions + feature, 1.0)).collect();
            (features, f32::from(u8::from(class != gold)))
        })
        .collect();
    Choice { answers, allowed: vec![gold as usize] }
}

/// Label sequences over `words`, with features (word, label) and (label, next label); the loss counts wrong labels.
pub(crate) fn chain(vocabulary: u32, labels: u32, words: &[u32], gold: &[u32]) -> Choice {
    let sequences = (0..labels.pow(words.len() as u32))
        .map(|code| {
            (0..words.len() as u32).map(|i| code / labels.pow(i) % labels).collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    let allowed = vec![sequences.iter().position(|sequence| sequence == gold).unwrap()];
    let answers = sequences
        .iter()
        .map(|sequence| {
            let emissions =
                words.iter().zip(sequence).map(|(word, label)| (word * labels + label, 1.0));
            let moves = sequence
                .windows(2)
                .map(|pair| (vocabulary * labels + pair[0] * labels + pair[1], 1.0));
            let wrong = sequence.iter().zip(gold).filter(|(guess, gold)| guess != gold).count();
            (emissions.chain(moves).collect(), wrong as f32)
        })
        .collect();
    Choice { answers, allowed }
}

/// `answers` answers with random features in `dimensions` dimensions and losses 0, 1, 2, …
pub(crate) fn random_choice(rng: &mut Rng, dimensions: usize, answers: usize) -> Choice {
    let answers = (0..answers)
        .map(|answer| {
            let features =
                (0..5).map(|_| (rng.below(dimensions) as u32, rng.uniform() as f32)).collect();
            (features, answer as f32)
        })
        .collect();
    Choice { answers, allowed: vec![0] }
}

/// Four words out of 0..8, tagged by a planted rule: the label is the word's parity, but word 0 is 2 after a 1. Separable
/// by features of words and label pairs, not by words alone.
pub(crate) fn planted_chains(rng: &mut Rng, count: usize) -> Vec<Choice> {
    (0..count)
        .map(|_| {
            let words: Vec<u32> = (0..4).map(|_| rng.below(8) as u32).collect();
            let mut gold = Vec::new();
            for &word in &words {
                gold.push(if word == 0 && gold.last() == Some(&1) { 2 } else { word % 2 });
            }
            chain(8, 3, &words, &gold)
        })
        .collect()
}

/// Number of features of [`planted_chains`].
pub(crate) const CHAIN_FEATURES: usize = 8 * 3 + 3 * 3;

/// Share of examples whose best answer is gold.
pub(crate) fn accuracy(examples: &[Choice], w: &[f32]) -> f64 {
    let right = examples.iter().filter(|example| {
        let mut guess = 0;
        Listed.decode(w, example, CostMode::Plain, &mut (), &mut guess);
        guess == example.allowed[0]
    });
    right.count() as f64 / examples.len() as f64
}

#[track_caller]
pub(crate) fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    let close =
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()));
    assert!(close, "{found:?} is not {expected:?}");
}

/// The toy problem. Ties go to the last answer.
pub(crate) struct Listed;

impl Problem for Listed {
    type Example = Choice;
    type Scratch = ();
}

impl Structured for Listed {
    type Output = usize;

    fn decode(&self, w: &[f32], example: &Choice, cost: CostMode, (): &mut (), guess: &mut usize) {
        let total = |answer: usize| match cost {
            CostMode::Plain => example.score(w, answer),
            CostMode::Augmented => example.score(w, answer) + f64::from(example.answers[answer].1),
        };
        *guess = (0..example.len()).max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap();
    }

    fn difference(&self, example: &Choice, guess: &usize, (): &mut (), delta: &mut SparseVector) {
        example.add(example.allowed[0], 1.0, delta);
        example.add(*guess, -1.0, delta);
    }

    fn loss(&self, example: &Choice, guess: &usize) -> f32 {
        example.answers[*guess].1
    }
}

impl KBest for Listed {
    fn k_best(&self, w: &[f32], example: &Choice, k: usize, (): &mut (), guesses: &mut Vec<usize>) {
        guesses.clear();
        guesses.extend((0..example.len()).rev());
        guesses.sort_by(|&a, &b| example.score(w, b).total_cmp(&example.score(w, a)));
        guesses.truncate(k);
    }
}

impl Factored for Listed {
    fn constraints(&self, example: &Choice, (): &mut ()) -> usize {
        example.len() - 1
    }

    fn constraint(
        &self,
        example: &Choice,
        index: usize,
        (): &mut (),
        delta: &mut SparseVector,
    ) -> f32 {
        let rival = example.rival(index);
        self.difference(example, &rival, &mut (), delta);
        self.loss(example, &rival)
    }
}

impl LogLinear for Listed {
    fn log_likelihood(
        &self,
        w: &[f32],
        example: &Choice,
        (): &mut (),
        gradient: &mut SparseVector,
    ) -> f64 {
        let all = example.log_partition(w, 0..example.len());
        let allowed = example.log_partition(w, example.allowed.iter().copied());
        for answer in 0..example.len() {
            example.add(answer, -(example.score(w, answer) - all).exp(), gradient);
        }
        for &answer in &example.allowed {
            example.add(answer, (example.score(w, answer) - allowed).exp(), gradient);
        }
        allowed - all
    }
}
