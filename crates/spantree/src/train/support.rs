//! Which weights may be changed: those of features that occur on a gold arc.
//!
//! Features that only wrong arcs have stay at zero, which leaves fewer weights to learn and to store. The number of supported
//! features also sets the size of the table. With [`TrainConfig::all_features`](super::TrainConfig::all_features) every
//! weight of it may be changed: slightly better, where they are cheap to find.

/// A set of positions in a table of weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    words: Vec<u64>,
}

impl Support {
    /// The empty set in a table of this size.
    pub(super) fn new(weights: usize) -> Self {
        Self { words: vec![0; weights.div_ceil(64)] }
    }

    pub(super) fn insert(&mut self, position: u32) {
        self.words[position as usize / 64] |= 1 << (position % 64);
    }

    pub(super) fn contains(&self, position: u32) -> bool {
        self.words[position as usize / 64] >> (position % 64) & 1 == 1
    }

    fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The smallest table, up to `2^max_bits`, that the supported features fill to at most a third.
    ///
    /// `mark` inserts the positions of all gold features into the set for a table of `2^bits` weights. With `all_features`
    /// the set has the other positions, too.
    pub(super) fn fit(
        max_bits: u32,
        all_features: bool,
        mark: impl Fn(u32, &mut Support),
    ) -> (u32, Self) {
        let (bits, mut support) = Self::of_gold(max_bits, mark);
        if all_features {
            support.words.fill(u64::MAX);
        }
        (bits, support)
    }

    fn of_gold(max_bits: u32, mark: impl Fn(u32, &mut Support)) -> (u32, Self) {
        let build = |bits: u32| {
            let mut support = Self::new(1 << bits);
            mark(bits, &mut support);
            support
        };
        let largest = build(max_bits);
        let needed = (largest.count() * 3).max(1 << MIN_BITS).next_power_of_two().trailing_zeros();
        if needed >= max_bits { (max_bits, largest) } else { (needed, build(needed)) }
    }
}

/// No table is smaller: a label feature owns a block of 256 weights.
const MIN_BITS: u32 = 12;
