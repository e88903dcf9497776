//! Is one system better than another, or is it chance?
//!
//! Both tests take the scores of two systems for the same gold sentences and ask how often a difference in F1 at least as
//! large arises when there is none. *Shuffling* (stratified approximate randomisation, Noreen 1989; Yeh 2000) exchanges the
//! two systems on a random half of the sentences; the *bootstrap* (Efron & Tibshirani 1993; Koehn 2004) draws as many
//! sentences with replacement and centres the differences at zero. Both are two-sided and count the observed difference as one
//! of the rounds, so that p is never 0. Time is rounds × sentences.

use std::fmt;

use serde::Serialize;

use super::score::Score;
use crate::random::Random;

/// A paired significance test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairedTest {
    /// Exchange the systems on random sentences.
    #[default]
    Shuffling,
    /// Draw sentences with replacement.
    Bootstrap,
}

impl fmt::Display for PairedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PairedTest::Shuffling => "shuffling",
            PairedTest::Bootstrap => "bootstrap",
        })
    }
}

/// How to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestOptions {
    /// Which test.
    pub test: PairedTest,
    /// Number of random rounds.
    pub rounds: u32,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self { test: PairedTest::default(), rounds: 10_000, seed: 1 }
    }
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Significance {
    /// Which test.
    pub test: PairedTest,
    /// Number of random rounds.
    pub rounds: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// F1 of the first system.
    pub first: f64,
    /// F1 of the second system.
    pub second: f64,
    /// `second - first`.
    pub difference: f64,
    /// Probability of a difference at least as large, in either direction, if the systems were equally good.
    pub p_value: f64,
    /// Where the middle 95 % of the differences lie when sentences are drawn anew; bootstrap only.
    pub interval: Option<(f64, f64)>,
}

/// Tests the difference between two systems, given their scores for each gold sentence.
///
/// `None` when the numbers of sentences differ or are 0, or no round is asked for.
#[must_use]
pub fn paired_test(
    first: &[Score],
    second: &[Score],
    options: &TestOptions,
) -> Option<Significance> {
    if first.len() != second.len() || first.is_empty() || options.rounds == 0 {
        return None;
    }
    let pairs: Vec<_> = first.iter().copied().zip(second.iter().copied()).collect();
    let total = pairs.iter().fold((Score::default(), Score::default()), add);
    let observed = difference(&total);
    let mut random = Random::new(options.seed);
    let mut differences: Vec<f64> = (0..options.rounds)
        .map(|_| match options.test {
            PairedTest::Shuffling => shuffled(&pairs, &mut random),
            PairedTest::Bootstrap => resampled(&pairs, &mut random),
        })
        .collect();
    let centre = if options.test == PairedTest::Bootstrap { observed } else { 0.0 };
    // Equal counts may give floats that differ in their last bits.
    let as_large = |&other: &f64| (other - centre).abs() >= observed.abs() - 1e-12;
    let extreme = differences.iter().filter(|other| as_large(other)).count();
    differences.sort_by(f64::total_cmp);
    let quantile =
        |share: f64| differences[(share * (differences.len() - 1) as f64).round() as usize];
    Some(Significance {
        test: options.test,
        rounds: options.rounds,
        seed: options.seed,
        first: total.0.f1(),
        second: total.1.f1(),
        difference: observed,
        p_value: (extreme + 1) as f64 / (f64::from(options.rounds) + 1.0),
        interval: (options.test == PairedTest::Bootstrap)
            .then(|| (quantile(0.025), quantile(0.975))),
    })
}

type Pair = (Score, Score);

fn add(sum: Pair, pair: &Pair) -> Pair {
    (sum.0 + pair.0, sum.1 + pair.1)
}

fn difference(total: &Pair) -> f64 {
    total.1.f1() - total.0.f1()
}

/// The difference after exchanging the systems on each sentence with probability one half.
fn shuffled(pairs: &[Pair], random: &mut Random) -> f64 {
    let mut total = Pair::default();
    for chunk in pairs.chunks(64) {
        let mut coins = random.next_u64();
        for &(first, second) in chunk {
            let pair = if coins & 1 == 0 { (first, second) } else { (second, first) };
            total = add(total, &pair);
            coins >>= 1;
        }
    }
    difference(&total)
}

/// The difference on as many sentences, drawn with replacement.
fn resampled(pairs: &[Pair], random: &mut Random) -> f64 {
    let total =
        pairs.iter().fold(Pair::default(), |sum, _| add(sum, &pairs[random.below(pairs.len())]));
    difference(&total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(correct: u64) -> Score {
        Score { gold: 10, system: 10, correct, aligned: None }
    }

    fn options(test: PairedTest) -> TestOptions {
        TestOptions { test, rounds: 20_000, seed: 9 }
    }

    /// Share of all 2ⁿ exchanges whose difference is at least as large as the observed one.
    fn exact_shuffling(first: &[u64], second: &[u64]) -> f64 {
        let gains: Vec<i64> =
            first.iter().zip(second).map(|(&a, &b)| b as i64 - a as i64).collect();
        let observed: i64 = gains.iter().sum();
        let sum = |mask: u32| -> i64 {
            gains.iter().enumerate().map(|(i, &g)| if mask >> i & 1 == 1 { -g } else { g }).sum()
        };
        let all = 1u32 << gains.len();
        let extreme = (0..all).filter(|&mask| sum(mask).abs() >= observed.abs()).count();
        extreme as f64 / f64::from(all)
    }

    #[test]
    fn shuffling_estimates_the_exact_probability() {
        let first = [5, 6, 7, 8, 5, 6, 7, 8, 4, 3];
        let second = [7, 6, 8, 8, 6, 7, 6, 9, 5, 3];
        let exact = exact_shuffling(&first, &second);
        let scores = |counts: &[u64]| counts.iter().map(|&c| score(c)).collect::<Vec<_>>();
        let found = paired_test(&scores(&first), &scores(&second), &options(PairedTest::Shuffling))
            .unwrap();
        assert!((found.p_value - exact).abs() < 0.01, "{} against {exact}", found.p_value);
        assert!((found.difference - 0.06).abs() < 1e-12);
        assert_eq!(found.interval, None);
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let scores: Vec<_> = (0..50).map(|i| score(i % 11)).collect();
        for test in [PairedTest::Shuffling, PairedTest::Bootstrap] {
            let found = paired_test(&scores, &scores, &options(test)).unwrap();
            assert_eq!((found.difference, found.p_value), (0.0, 1.0));
        }
    }

    #[test]
    fn a_steady_gain_is_significant_and_a_shaky_one_is_not() {
        let base: Vec<_> = (0..200).map(|i| score(i % 8)).collect();
        let steady: Vec<_> = (0..200).map(|i| score(i % 8 + u64::from(i % 4 == 0))).collect();
        let shaky: Vec<_> = (0..200).map(|i| score(7 - i % 8 + u64::from(i % 16 == 0))).collect();
        for test in [PairedTest::Shuffling, PairedTest::Bootstrap] {
            let p = |other: &[Score]| paired_test(&base, other, &options(test)).unwrap().p_value;
            assert!(p(&steady) < 0.001, "{test:?} {}", p(&steady));
            assert!(p(&shaky) > 0.5, "{test:?} {}", p(&shaky));
        }
    }

    #[test]
    fn the_bootstrap_interval_is_that_of_the_normal_distribution() {
        // Gains of 0 or 1 word out of 10, half of each: mean 0.05, standard error 0.05 / sqrt(400).
        let base: Vec<_> = (0..400).map(|_| score(5)).collect();
        let better: Vec<_> = (0..400).map(|i| score(5 + i % 2)).collect();
        let found = paired_test(&base, &better, &options(PairedTest::Bootstrap)).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!((low - (0.05 - 1.96 * 0.0025)).abs() < 3e-4, "{low}");
        assert!((high - (0.05 + 1.96 * 0.0025)).abs() < 3e-4, "{high}");
    }

    #[test]
    fn the_seed_decides() {
        let first: Vec<_> = (0..30).map(|i| score(i % 5)).collect();
        let second: Vec<_> = (0..30).map(|i| score(i % 7)).collect();
        let run = |seed| {
            let options = TestOptions { seed, rounds: 1_000, ..TestOptions::default() };
            paired_test(&first, &second, &options).unwrap().p_value
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn nothing_to_compare() {
        let one = [score(1)];
        assert_eq!(paired_test(&one, &[], &TestOptions::default()), None);
        assert_eq!(paired_test(&[], &[], &TestOptions::default()), None);
        assert_eq!(
            paired_test(&one, &one, &TestOptions { rounds: 0, ..TestOptions::default() }),
            None
        );
    }
}
