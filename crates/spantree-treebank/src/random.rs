//! The one source of randomness: a small generator whose numbers never change between versions or platforms.
//!
//! Shuffling, sampling, folds, bootstrap tests and synthetic treebanks all take a seed and draw from here, so that the same
//! seed gives the same bytes everywhere. The generator is SplitMix64 (Steele, Lea & Flood 2014): 64 bits of state, period
//! 2⁶⁴, equidistributed, one multiplication chain per number. Bounded numbers are unbiased (Lemire 2019). Not for secrets.
//!
//! ```
//! use spantree_treebank::Random;
//! let mut random = Random::new(7);
//! let mut deck: Vec<u32> = (0..10).collect();
//! random.shuffle(&mut deck);
//! assert!(random.below(6) < 6);
//! ```

/// A seeded generator of random numbers; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator whose numbers depend on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator for one of many independent tasks (a thread, a replicate, a document) under the same seed.
    #[must_use]
    pub fn stream(seed: u64, task: u64) -> Self {
        let base = Self::new(seed).next_u64();
        Self::new(Self::new(base.wrapping_add(task)).next_u64())
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, all equally likely; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            // Of the 2⁶⁴ low halves, the first `2⁶⁴ mod bound` are drawn once too often.
            if product as u64 >= bound || product as u64 >= bound.wrapping_neg() % bound.max(1) {
                return (product >> 64) as usize;
            }
        }
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `true` with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the items, all equally likely; `None` when there is none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// An index drawn in proportion to `weights`; negative ones count as 0, and without any positive one it is 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let total: f64 = weights.iter().map(|weight| weight.max(0.0)).sum();
        let mut left = self.unit() * total;
        let mut last = 0;
        for (index, &weight) in weights.iter().enumerate().filter(|&(_, &weight)| weight > 0.0) {
            if left < weight {
                return index;
            }
            left -= weight;
            last = index;
        }
        last
    }

    /// Puts the items in random order, all orders equally likely (Fisher & Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<_> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn bounded_numbers_and_weights_have_the_right_shares() {
        let mut random = Random::new(1);
        let (mut even, mut weighted) = ([0; 7], [0; 4]);
        for _ in 0..70_000 {
            even[random.below(7)] += 1;
            weighted[random.weighted(&[1.0, 0.0, 2.0, -3.0])] += 1;
        }
        assert!(even.iter().all(|count| (9_700..10_300).contains(count)), "{even:?}");
        assert!((22_800..23_900).contains(&weighted[0]) && weighted[1] + weighted[3] == 0);
        assert_eq!((random.below(0), random.below(1), random.weighted(&[])), (0, 0, 0));
    }

    #[test]
    fn shuffling_reaches_every_order_equally() {
        let mut random = Random::new(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut items = [1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn streams_differ_from_each_other_and_between_seeds() {
        let first = |seed, task| Random::stream(seed, task).next_u64();
        let mut numbers: Vec<_> = (0..100).map(|i| first(i / 10, i % 10)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 100);
    }
}
