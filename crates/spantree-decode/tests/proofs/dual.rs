//! An outside algebra: log-sums that carry a directional derivative.
//!
//! Run backwards, it gives the derivative of every marginal: second derivatives of the log partition
//! function, which no code in the crate knows about.

use proptest::prelude::*;
use spantree_decode::eisner::chart::Chart;
use spantree_decode::{ArcScores, ArcTable, Eisner, LogSum, Outside, Semiring, TreeDistribution};

use super::tables::{close, modes, rounding, tables};

/// A logarithm and its derivative along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dual {
    log: f64,
    slope: f64,
}

struct DualLogSum;

impl Semiring for DualLogSum {
    type Value = Dual;
    const ZERO: Dual = Dual { log: f64::NEG_INFINITY, slope: 0.0 };
    const ONE: Dual = Dual { log: 0.0, slope: 0.0 };

    fn plus(a: Dual, b: Dual) -> Dual {
        let log = LogSum::plus(a.log, b.log);
        let part =
            |x: Dual| if x.log > f64::NEG_INFINITY { (x.log - log).exp() * x.slope } else { 0.0 };
        Dual { log, slope: part(a) + part(b) }
    }

    fn times(a: Dual, b: Dual) -> Dual {
        Dual { log: a.log + b.log, slope: a.slope + b.slope }
    }

    fn weight(score: f32) -> Dual {
        Dual { log: f64::from(score), slope: 0.0 }
    }
}

impl Outside for DualLogSum {}

/// An arbitrary direction in the space of scores.
fn direction(head: usize, child: usize) -> f64 {
    ((head * 7 + child * 3) % 5) as f64 / 4.0 - 0.5
}

fn moved(scores: &ArcScores, step: f32) -> ArcScores {
    ArcScores::from_fn(scores.words(), |head, child| {
        scores.score(head, child) + step * direction(head, child) as f32
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn slopes_of_sums_and_marginals(scores in tables(6), mode in modes()) {
        prop_assume!(rounding(&scores) <= 1e-12);
        let weight = |head, child| {
            Dual { log: f64::from(scores.score(head, child)), slope: direction(head, child) }
        };
        let mut chart = Chart::default();
        let goal = chart.inside::<DualLogSum>(scores.words(), mode, weight);
        let (mut scratch, mut marginals) = (Default::default(), ArcTable::default());
        let eisner = Eisner::new(mode);
        if eisner.marginals(&scores, &mut scratch, &mut marginals).is_none() {
            return Ok(());
        }
        let mut totals = ArcTable::new(0, DualLogSum::ZERO);
        let mut outside = Chart::default();
        chart.totals::<DualLogSum>(mode, weight, &mut outside, &mut totals);
        let (mut up, mut down) = (ArcTable::default(), ArcTable::default());
        const STEP: f32 = 1.0 / 128.0;
        eisner.marginals(&moved(&scores, STEP), &mut scratch, &mut up);
        eisner.marginals(&moved(&scores, -STEP), &mut scratch, &mut down);
        let mut slope = 0.0;
        for child in 1..=scores.words() {
            for head in (0..=scores.words()).filter(|&head| scores.is_allowed(head, child)) {
                let marginal = marginals.get(head, child);
                slope += marginal * direction(head, child);
                let Dual { log, slope } = totals.get(head, child);
                let found = (log - goal.log).exp() * (slope - goal.slope);
                let difference = up.get(head, child) - down.get(head, child);
                prop_assert!(close(found, difference / (2.0 * f64::from(STEP)), 1e-3));
            }
        }
        prop_assert!(close(goal.slope, slope, 1e-10));
    }
}
