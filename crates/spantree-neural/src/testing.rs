//! Finite differences: the judge of every backward pass.

use crate::random::Rng;

/// Fixed random numbers between −1 and 1.
pub(crate) fn random(len: usize) -> Vec<f64> {
    let mut values = vec![0.0; len];
    Rng::new(len as u64).fill(&mut values, 1.0);
    values
}

/// Checks the gradient that `function` adds to its second argument against central differences of its value.
pub(crate) fn check_gradient(point: &[f64], mut function: impl FnMut(&[f64], &mut [f64]) -> f64) {
    let mut gradient = vec![0.0; point.len()];
    function(point, &mut gradient);
    let mut ignored = vec![0.0; point.len()];
    let mut moved = point.to_vec();
    let step = 1e-5;
    for i in 0..point.len() {
        moved[i] = point[i] + step;
        let above = function(&moved, &mut ignored);
        moved[i] = point[i] - step;
        let below = function(&moved, &mut ignored);
        moved[i] = point[i];
        let expected = (above - below) / (2.0 * step);
        let error = (gradient[i] - expected).abs() / (1.0 + expected.abs());
        assert!(error < 1e-6, "coordinate {i}: gradient {}, difference {expected}", gradient[i]);
    }
}
