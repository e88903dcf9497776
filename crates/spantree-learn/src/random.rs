//! Seeded random numbers and the order in which examples are seen.
//!
//! The order of an epoch is a pure function of (seed, epoch, shard): training that stopped after epoch 3 goes on with
//! epoch 4 without any generator state to save.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, period 2⁶⁴, ample for shuffling and
//! initialisation, useless for secrets.

/// SplitMix64; see the [module](self).
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

    /// A number in `0..bound`, or 0 if `bound` is 0. Each number is as likely as any other up to `bound / 2⁶⁴`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts the items in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The order in which epoch number `epoch` sees `len` examples.
///
/// # Panics
/// If `len` exceeds `u32::MAX`.
#[must_use]
pub fn epoch_order(len: usize, seed: u64, epoch: u64) -> Vec<u32> {
    shard_orders(len, 1, seed, epoch).swap_remove(0)
}

/// The same for `shards` shards. Example `i` always belongs to shard `i mod shards`, so that neighbours, which tend to come
/// from one document, are spread evenly; zero shards count as one.
///
/// # Panics
/// If `len` exceeds `u32::MAX`.
#[must_use]
pub fn shard_orders(len: usize, shards: usize, seed: u64, epoch: u64) -> Vec<Vec<u32>> {
    let len = u32::try_from(len).expect("at most u32::MAX examples");
    let shards = shards.max(1);
    (0..shards)
        .map(|shard| {
            let mut order: Vec<u32> = (0..len).skip(shard).step_by(shards).collect();
            stream(seed, epoch, shard as u64).shuffle(&mut order);
            order
        })
        .collect()
}

/// A generator of its own for every (seed, epoch, shard): each number is mixed in through one step of the generator.
fn stream(seed: u64, epoch: u64, shard: u64) -> Rng {
    let by_seed = Rng::new(seed).next_u64();
    let by_epoch = Rng::new(by_seed ^ epoch).next_u64();
    Rng::new(Rng::new(by_epoch ^ shard).next_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_numbers() {
        let mut rng = Rng::new(1_234_567);
        let numbers: Vec<_> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn below_is_in_range_and_even() {
        let mut rng = Rng::new(3);
        assert_eq!(rng.below(0), 0);
        let mut counts = [0; 5];
        for _ in 0..50_000 {
            counts[rng.below(5)] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }

    #[test]
    fn shards_partition_the_examples() {
        for (len, shards) in [(0, 3), (1, 1), (2, 5), (10, 3), (100, 7), (4, 0)] {
            let orders = shard_orders(len, shards, 9, 2);
            assert_eq!(orders.len(), shards.max(1));
            let mut all: Vec<_> = orders.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..len as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn orders_differ_by_seed_and_epoch_and_keep_their_shard() {
        let order = epoch_order(50, 1, 0);
        assert_eq!(order, epoch_order(50, 1, 0));
        assert_ne!(order, epoch_order(50, 1, 1));
        assert_ne!(order, epoch_order(50, 2, 0));
        for epoch in 0..4 {
            for (shard, order) in shard_orders(50, 3, 1, epoch).iter().enumerate() {
                assert!(order.iter().all(|&example| example as usize % 3 == shard));
            }
        }
    }
}
