//! Weights as a model holds them: 16-bit numbers with one scale.
//!
//! Sums of such weights are exact in integers, so what a model finds does not depend on the order of summation. Development
//! scores are taken with rounded weights.

/// See the [module](self).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantised {
    pub(crate) weights: Vec<i16>,
    /// What one unit is worth.
    pub(crate) scale: f32,
}

impl Quantised {
    /// Rounds weights; the largest becomes the largest 16-bit number.
    pub(crate) fn new(weights: &[f32]) -> Self {
        let largest = weights.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        let scale = if largest > 0.0 { largest / f32::from(i16::MAX) } else { 1.0 };
        Self { weights: weights.iter().map(|w| (w / scale).round() as i16).collect(), scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weight_sets_the_scale() {
        let rounded = Quantised::new(&[0.5, -2.0, 0.0]);
        assert_eq!(rounded.weights, [8192, -32767, 0]);
        assert_eq!(rounded.scale, 2.0 / 32767.0);
        assert_eq!(Quantised::new(&[0.0]), Quantised { weights: vec![0], scale: 1.0 });
    }
}
