//! From scores to honest probabilities, fitted on a development set.
//!
//! Scores of a margin-trained model are multiplied by one factor before they become probabilities (Guo et al. 2017), the
//! factor under which the development set is most likely. A monotone map from raw to observed accuracy, isotonic regression by
//! pooling adjacent violators (Zadrozny & Elkan 2002), then corrects what one factor cannot.

/// Number of intervals of a map; most words of a good parser are near 1, where differences count.
const STEPS: usize = 100;
/// Pseudo-observations per interval that pull the map towards the identity.
const PRIOR: f64 = 3.0;

/// Applies a map made by [`fit_map`]: linear between its knots; the empty map is the identity.
#[must_use]
pub fn apply(map: &[f32], raw: f32) -> f32 {
    let raw = raw.clamp(0.0, 1.0);
    if map.len() < 2 {
        return raw;
    }
    let place = raw * (map.len() - 1) as f32;
    let low = (place as usize).min(map.len() - 2);
    let part = place - low as f32;
    map[low] + part * (map[low + 1] - map[low])
}

/// The monotone map from raw confidences to accuracy: `observed` holds (raw confidence, whether it was right).
#[must_use]
pub fn fit_map(observed: &[(f32, bool)]) -> Vec<f32> {
    if observed.is_empty() {
        return Vec::new();
    }
    let mut bins: Vec<(f64, f64)> =
        (0..=STEPS).map(|knot| (PRIOR, PRIOR * knot as f64 / STEPS as f64)).collect();
    // Each observation counts for the two knots around it, by nearness.
    for &(raw, right) in observed {
        let place = f64::from(raw.clamp(0.0, 1.0)) * STEPS as f64;
        let low = (place as usize).min(STEPS - 1);
        let part = place - low as f64;
        for (knot, weight) in [(low, 1.0 - part), (low + 1, part)] {
            bins[knot].0 += weight;
            bins[knot].1 += weight * f64::from(u8::from(right));
        }
    }
    isotonic(&bins)
}

/// The non-decreasing sequence nearest to the means of `(weight, weighted sum)` bins in weighted squares.
fn isotonic(bins: &[(f64, f64)]) -> Vec<f32> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(weight, sum) in bins {
        let mut pool = (weight, sum, 1);
        while let Some(&(w, s, count)) =
            pools.last().filter(|last| last.1 / last.0 >= pool.1 / pool.0)
        {
            pool = (pool.0 + w, pool.1 + s, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    pools
        .iter()
        .flat_map(|&(weight, sum, count)| std::iter::repeat_n((sum / weight) as f32, count))
        .collect()
}

/// Expected calibration error over ten bins of equal width: the mean distance of confidence and accuracy.
#[must_use]
pub fn expected_error(observed: &[(f32, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0); 10];
    for &(confidence, right) in observed {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        bin.0 += f64::from(confidence);
        bin.1 += f64::from(u8::from(right));
    }
    bins.iter().map(|(confidence, right)| (confidence - right).abs()).sum::<f64>()
        / observed.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_monotone_and_the_empty_one_is_the_identity() {
        assert_eq!(apply(&[], 0.3), 0.3);
        assert_eq!(apply(&[0.0, 0.5, 1.0], 0.75), 0.75);
        assert_eq!(apply(&[0.2, 0.4], 2.0), 0.4);
        let noisy: Vec<_> = (0..4000).map(|i| ((i % 100) as f32 / 100.0, i % 7 < 3)).collect();
        let map = fit_map(&noisy);
        assert!(map.windows(2).all(|pair| pair[0] <= pair[1]), "{map:?}");
    }

    #[test]
    fn isotonic_regression_pools_violators() {
        let means = isotonic(&[(1.0, 0.1), (1.0, 0.5), (1.0, 0.3), (2.0, 1.8)]);
        let expected = [0.1, 0.4, 0.4, 0.9];
        assert!(
            means.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6),
            "{means:?}"
        );
    }

    #[test]
    fn a_map_removes_overconfidence() {
        // Says 0.9, is right 60 times in 100; says 0.3, is right 30 times in 100.
        let observed: Vec<_> = (0..10_000)
            .map(|i| if i % 2 == 0 { (0.9, i % 200 < 120) } else { (0.3, i % 200 < 60) })
            .collect();
        assert!(expected_error(&observed) > 0.14);
        let map = fit_map(&observed);
        let mapped: Vec<_> =
            observed.iter().map(|&(raw, right)| (apply(&map, raw), right)).collect();
        assert!(expected_error(&mapped) < 0.01, "{}", expected_error(&mapped));
    }
}
