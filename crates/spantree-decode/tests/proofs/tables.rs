//! Random score tables of the kinds that break decoders.

use proptest::prelude::*;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{ArcScores, RootMode};

/// One score: smooth, tied, often forbidden, or so large that a sum of exponentials overflows.
pub(super) fn score(kind: usize) -> BoxedStrategy<f32> {
    let forbidden = Just(f32::NEG_INFINITY);
    match kind {
        0 => (-5.0f32..5.0).boxed(),
        1 => (0i8..=2).prop_map(f32::from).boxed(),
        2 => prop_oneof![(-3.0f32..3.0).boxed(), forbidden.boxed()].boxed(),
        3 => {
            prop_oneof![1 => (-2i8..=2).prop_map(f32::from).boxed(), 2 => forbidden.boxed()].boxed()
        }
        4 => prop_oneof![Just(1000.0f32), Just(-1000.0), -1000.0f32..1000.0].boxed(),
        _ => prop_oneof![-1e6f32..1e6, -1e-3f32..1e-3, Just(f32::NAN)].boxed(),
    }
}

pub(super) const KINDS: usize = 6;

/// Tables of up to `longest` words, every kind equally often.
pub(super) fn tables(longest: usize) -> impl Strategy<Value = ArcScores> {
    (0..=longest, 0..KINDS).prop_flat_map(|(words, kind)| {
        let cells = (words + 1) * (words + 1);
        prop::collection::vec(score(kind), cells).prop_map(move |cells| {
            ArcScores::from_fn(words, |head, child| cells[child * (words + 1) + head])
        })
    })
}

pub(super) fn modes() -> impl Strategy<Value = RootMode> {
    prop_oneof![Just(RootMode::One), Just(RootMode::Many)]
}

pub(super) fn all_trees(mode: RootMode) -> TreeSpace {
    TreeSpace { mode, projective: false }
}

pub(super) fn projective(mode: RootMode) -> TreeSpace {
    TreeSpace { mode, projective: true }
}

/// The size of rounding errors in sums of these scores: relative to the largest, not to a sum that
/// may be small.
pub(super) fn rounding(scores: &ArcScores) -> f64 {
    let cells = (1..=scores.words()).flat_map(|child| scores.heads_of(child)).copied();
    rounding_of(cells)
}

/// The same for any list of scores.
pub(super) fn rounding_of(scores: impl Iterator<Item = f32>) -> f64 {
    let finite = scores.filter(|score| score.is_finite());
    1e-14 * finite.fold(100.0, |top, score| f64::from(score).abs().max(top))
}

/// Equality up to an absolute error; infinities are equal to themselves.
pub(super) fn close(a: f64, b: f64, error: f64) -> bool {
    a == b || (a - b).abs() <= error
}
