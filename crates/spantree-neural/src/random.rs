//! Seeded random numbers for initial weights and dropout: SplitMix64 (Steele, Lea, Flood 2014).

use crate::real::Real;

/// A generator with 64 bits of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator for this seed; every seed is a good one.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Fills a slice with numbers in `[-bound, bound)`.
    pub fn fill<T: Real>(&mut self, values: &mut [T], bound: f64) {
        values.iter_mut().for_each(|value| *value = T::of((2.0 * self.uniform() - 1.0) * bound));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_fixed_and_in_range() {
        assert_eq!(Rng::new(0).next_u64(), 0xe220_a839_7b1d_cdaf, "the reference implementation");
        let mut values = [0.0f64; 1000];
        Rng::new(1).fill(&mut values, 0.5);
        assert!(values.iter().all(|value| (-0.5..0.5).contains(value)));
        assert!(values.iter().sum::<f64>().abs() < 30.0);
    }
}
