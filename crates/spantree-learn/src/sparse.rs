//! Sparse vectors: what one example changes.
//!
//! Problems [`add`](SparseVector::add) entries in any order, with repetitions; learners [`compact`](SparseVector::compact) them
//! once per example. Compacting sorts, O(m log m) for m entries, and works in place. Entries that share an id are summed
//! in double precision, so that what gold and guess share cancels to zero, and in an order that depends on their values
//! alone, so that the result is the same on every platform and toolchain.

/// A list of (feature id, value).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVector {
    entries: Vec<(u32, f32)>,
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
        self.entries.push((id, value));
    }

    /// Back to zero; the memory stays for reuse.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries as they are stored: in order of [`add`](Self::add), or sorted and distinct after
    /// [`compact`](Self::compact).
    #[must_use]
    pub fn entries(&self) -> &[(u32, f32)] {
        &self.entries
    }

    /// True if nothing is stored. After [`compact`](Self::compact): true if the vector is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sorts by id, sums the entries of one id and drops zeros.
    pub fn compact(&mut self) {
        self.entries.sort_unstable_by_key(|&(id, value)| {
            (u64::from(id) << 32) | u64::from(value.to_bits())
        });
        let (mut read, mut written) = (0, 0);
        while let Some(&(id, _)) = self.entries.get(read) {
            let mut sum = 0.0;
            while let Some(&(same, value)) = self.entries.get(read)
                && same == id
            {
                sum += f64::from(value);
                read += 1;
            }
            self.entries[written] = (id, sum as f32);
            written += usize::from(sum != 0.0);
        }
        self.entries.truncate(written);
    }

    /// `w · self`, summed in double precision.
    ///
    /// # Panics
    /// If an id is not below `w.len()`.
    #[must_use]
    pub fn dot(&self, w: &[f32]) -> f64 {
        self.entries.iter().map(|&(id, value)| f64::from(w[id as usize]) * f64::from(value)).sum()
    }

    /// Squared Euclidean length of a compact vector.
    pub(crate) fn squared_norm(&self) -> f64 {
        debug_assert!(self.is_compact());
        self.entries.iter().map(|&(_, value)| f64::from(value) * f64::from(value)).sum()
    }

    /// Inner product of two compact vectors.
    pub(crate) fn dot_sparse(&self, other: &Self) -> f64 {
        debug_assert!(self.is_compact() && other.is_compact());
        let (mut rest, mut sum) = (other.entries.as_slice(), 0.0);
        for &(id, value) in &self.entries {
            rest = &rest[rest.iter().take_while(|entry| entry.0 < id).count()..];
            match rest.first() {
                Some(&(same, factor)) if same == id => sum += f64::from(value) * f64::from(factor),
                Some(_) => {}
                None => break,
            }
        }
        sum
    }

    fn is_compact(&self) -> bool {
        self.entries.windows(2).all(|pair| pair[0].0 < pair[1].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn vector(entries: &[(u32, f32)]) -> SparseVector {
        SparseVector { entries: entries.to_vec() }
    }

    #[test]
    fn compact_sums_repeated_ids_and_drops_zeros() {
        let mut v = vector(&[(7, 1.0), (2, 1.0), (7, -1.0), (2, 0.5), (0, -3.0), (9, 0.0)]);
        v.compact();
        assert_eq!(v.entries(), [(0, -3.0), (2, 1.5)]);
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
            let mut reversed = vector(&v.entries().iter().rev().copied().collect::<Vec<_>>());
            v.compact();
            reversed.compact();
            let expected: Vec<_> = (0..40).zip(dense).filter(|&(_, value)| value != 0.0).collect();
            assert_eq!(v.entries(), expected);
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
