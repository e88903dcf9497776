//! Sparse vectors: what one example changes.
//!
//! Problems [`add`](SparseVector::add) entries in any order, with repetitions; learners [`compact`](SparseVector::compact) them
//! once per example. Compacting sorts, O(m log m) for m entries, and works in place. Entries that share an id are summed
//! in double precision, so that what gold and guess share cancels to zero, and in an order that depends on their values
//! alone, so that the result is the same on every platform and toolchain.

/// A list of (feature id, value).
///
/// Entries are packed, the id above the bits of the value: integers sort faster than pairs (2,000 entries: 15 against 21 ns
/// each, compacted).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseVector {
    packed: Vec<u64>,
}

fn pack(id: u32, value: f32) -> u64 {
    (u64::from(id) << 32) | u64::from(value.to_bits())
}

fn unpack(packed: u64) -> (u32, f32) {
    ((packed >> 32) as u32, f32::from_bits(packed as u32))
}

impl SparseVector {
    /// The zero vector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `value` to the component `id`.
    #[inline]
    pub fn add(&mut self, id: u32, value: f32) {
        self.packed.push(pack(id, value));
    }

    /// Back to zero; the memory stays for reuse.
    pub fn clear(&mut self) {
        self.packed.clear();
    }

    /// The entries as they are stored: in order of [`add`](Self::add), or sorted and distinct after
    /// [`compact`](Self::compact).
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (u32, f32)> + Clone {
        self.packed.iter().map(|&entry| unpack(entry))
    }

    /// True if nothing is stored. After [`compact`](Self::compact): true if the vector is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Sorts by id, sums the entries of one id and drops zeros.
    pub fn compact(&mut self) {
        self.packed.sort_unstable();
        let (mut read, mut written) = (0, 0);
        while let Some((id, mut sum)) = self.unpacked(read) {
            read += 1;
            while let Some((same, value)) = self.unpacked(read)
                && same == id
            {
                sum += value;
                read += 1;
            }
            self.packed[written] = pack(id, sum as f32);
            written += usize::from(sum != 0.0);
        }
        self.packed.truncate(written);
    }

    fn unpacked(&self, position: usize) -> Option<(u32, f64)> {
        let (id, value) = unpack(*self.packed.get(position)?);
        Some((id, f64::from(value)))
    }

    /// `w · self`, summed in double precision.
    ///
    /// # Panics
    /// If an id is not below `w.len()`.
    #[must_use]
    pub fn dot(&self, w: &[f32]) -> f64 {
        self.entries().map(|(id, value)| f64::from(w[id as usize]) * f64::from(value)).sum()
    }

    /// Squared Euclidean length of a compact vector.
    pub(crate) fn squared_norm(&self) -> f64 {
        debug_assert!(self.is_compact());
        self.entries().map(|(_, value)| f64::from(value) * f64::from(value)).sum()
    }

    /// Inner product of two compact vectors.
    pub(crate) fn dot_sparse(&self, other: &Self) -> f64 {
        debug_assert!(self.is_compact() && other.is_compact());
        let mut rest = other.entries().peekable();
        let mut sum = 0.0;
        for (id, value) in self.entries() {
            while rest.next_if(|entry| entry.0 < id).is_some() {}
            if let Some((_, factor)) = rest.next_if(|entry| entry.0 == id) {
                sum += f64::from(value) * f64::from(factor);
            }
        }
        sum
    }

    fn is_compact(&self) -> bool {
        self.packed.windows(2).all(|pair| unpack(pair[0]).0 < unpack(pair[1]).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn vector(entries: &[(u32, f32)]) -> SparseVector {
        SparseVector { packed: entries.iter().map(|&(id, value)| pack(id, value)).collect() }
    }

    #[test]
    fn compact_sums_repeated_ids_and_drops_zeros() {
        let mut v = vector(&[(7, 1.0), (2, 1.0), (7, -1.0), (2, 0.5), (0, -3.0), (9, 0.0)]);
        v.compact();
        assert_eq!(v, vector(&[(0, -3.0), (2, 1.5)]));
        assert_eq!(v.squared_norm(), 9.0 + 2.25);
        assert_eq!(v.dot(&[2.0, 100.0, 4.0]), 2.0 * -3.0 + 4.0 * 1.5);
        assert_eq!(v.dot_sparse(&vector(&[(1, 5.0), (2, 4.0), (8, 7.0)])), 1.5 * 4.0);
        assert_eq!(vector(&[(1, 5.0), (2, 4.0), (8, 7.0)]).dot_sparse(&v), 4.0 * 1.5);
    }

    #[test]
    fn compact_equals_dense_sums_whatever_the_order() {
        let mut rng = Rng::new(5);
        for round in 0..50 {
            let mut dense = [0.0_f32; 40];
            let mut v = SparseVector::new();
            for _ in 0..round * 7 {
                let (id, value) = (rng.below(40) as u32, rng.below(9) as f32 - 4.0);
                dense[id as usize] += value;
                v.add(id, value);
            }
            let mut reversed = v.clone();
            reversed.packed.reverse();
            v.compact();
            reversed.compact();
            let expected: Vec<_> = (0..40).zip(dense).filter(|&(_, value)| value != 0.0).collect();
            assert_eq!(v, vector(&expected));
            assert_eq!(reversed, v);
        }
    }

    #[test]
    fn what_cancels_leaves_nothing() {
        // In single precision 0.1 + 0.7 − 0.1 − 0.7 is not 0, and a margin divided by its square explodes.
        let mut v = vector(&[(1, 0.1), (1, 0.7), (1, -0.1), (1, -0.7), (1, 0.3), (1, -0.3)]);
        v.compact();
        assert!(v.is_empty());
    }

    #[test]
    fn sums_do_not_depend_on_the_order_of_entries() {
        let mut a = vector(&[(1, 1e8), (1, 1.0), (1, -1e8), (1, 3.0)]);
        let mut b = vector(&[(1, 3.0), (1, -1e8), (1, 1e8), (1, 1.0)]);
        a.compact();
        b.compact();
        assert_eq!(a, b);
    }
}
