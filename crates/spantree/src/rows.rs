//! Rows of labelled numbers under hashed keys: the weights of a linear classifier with many sparse features.
//!
//! A feature has a weight for the few labels that it was seen with. Its row lists just these, so a table grows with what was
//! seen and not with features × labels, features never share weights, and scoring touches non-zero weights alone. Taggers,
//! lemmatisers and enhancers keep their weights, dictionaries and word clusters in such tables.
//!
//! ```text
//! starts  u32  first place of each of the 2^b buckets in the rows, and their end
//! rows    u16  the rows of a bucket one after the other: 20 bits of check, 12 of length, then (label, value) pairs
//! ```
//! A key is found by b bits, which choose its bucket, and 20 more, the check. So a key that is not in the table is taken for
//! one that is about once in a million look-ups, and of two keys in the table one hides the other in about one of ten tables of
//! 150,000 rows. Two reads from memory per look-up. Values are `i16`; sums in `i32` are exact.

pub(crate) mod choice;
pub(crate) mod expanded;
pub(crate) mod space;

use std::ops::Range;

use crate::model::{Container, ModelError, Sections};

/// A table in a model file; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    starts: &'a [u32],
    stream: &'a [u16],
}

/// The row of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pairs: &'a [u16],
}

impl Row<'_> {
    /// The labels and their values.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u16, i16)> + '_ {
        self.pairs.chunks_exact(2).map(|pair| (pair[0], pair[1] as i16))
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len() / 2
    }

    /// Whether there is none, as for a key that is not in the table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

impl<'a> Rows<'a> {
    /// The table of two sections of a model file, checked as a whole: labels are below `labels`.
    ///
    /// # Errors
    /// When the sections are missing or are no such table.
    pub fn from_container(
        container: &'a Container,
        name: &str,
        labels: usize,
    ) -> Result<Self, ModelError> {
        let rows = Self {
            starts: container.section(&format!("{name}.starts"))?,
            stream: container.section(&format!("{name}.rows"))?,
        };
        match rows.problem(labels) {
            None => Ok(rows),
            Some(problem) => Err(ModelError::Invalid {
                name: container.name().to_owned(),
                problem: format!("table {name}: {problem}"),
            }),
        }
    }

    /// Copies the sections of a table from a model file to a new one under another name.
    ///
    /// # Errors
    /// When the sections are missing.
    pub fn copy(
        container: &Container,
        from: &str,
        to: &str,
        sections: &mut Sections,
    ) -> Result<(), ModelError> {
        for part in ["starts", "rows"] {
            sections
                .push(&format!("{to}.{part}"), container.section::<u8>(&format!("{from}.{part}"))?);
        }
        Ok(())
    }

    fn problem(&self, labels: usize) -> Option<&'static str> {
        let buckets = self.starts.len().wrapping_sub(1);
        if !buckets.is_power_of_two() || buckets > 1 << MAX_BITS {
            return Some("the number of buckets is no power of two");
        }
        if self.starts[0] != 0 || self.starts[buckets] as usize != self.stream.len() {
            return Some("the buckets do not cover the stream");
        }
        for bounds in self.starts.windows(2) {
            let bucket = self.stream.get(bounds[0] as usize..bounds[1] as usize);
            let Some(mut bucket) = bucket else { return Some("the buckets are out of order") };
            while !bucket.is_empty() {
                let Some((row, rest)) = split_row(bucket) else {
                    return Some("a row does not end with its bucket");
                };
                if row.iter().any(|(label, _)| usize::from(label) >= labels) {
                    return Some("a label is beyond the labels of the model");
                }
                bucket = rest;
            }
        }
        None
    }

    /// The row of a key; empty if there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Row<'a> {
        let (bucket, check) = place(key, (self.starts.len() - 1).trailing_zeros());
        let bucket = &self.stream[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        Row { pairs: find(bucket, check).map_or(&[], |row| &bucket[row]) }
    }

    /// Adds the rows of all keys to the sums of their labels; `found` is a buffer.
    ///
    /// Buckets first, then rows, then sums: the reads of one kind do not wait for each other.
    pub fn add_all(&self, keys: &[u64], found: &mut Vec<(usize, usize)>, sums: &mut [i32]) {
        let bits = (self.starts.len() - 1).trailing_zeros();
        found.clear();
        found.extend(keys.iter().map(|&key| {
            let bucket = place(key, bits).0;
            (self.starts[bucket] as usize, self.starts[bucket + 1] as usize)
        }));
        for (bounds, &key) in found.iter_mut().zip(keys) {
            let row = find(&self.stream[bounds.0..bounds.1], place(key, bits).1);
            // The row as a part of the stream.
            *bounds = row.map_or((0, 0), |row| (bounds.0 + row.start, bounds.0 + row.end));
        }
        for &(start, end) in &*found {
            for (label, value) in (Row { pairs: &self.stream[start..end] }).iter() {
                sums[usize::from(label)] += i32::from(value);
            }
        }
    }
}

/// Where in a bucket the row with this check is.
#[inline]
fn find(bucket: &[u16], check: u32) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(&[low, high]) = bucket.get(at..at + 2) {
        let (found, length) = unpack([low, high]);
        let end = at + 2 + 2 * length;
        if found == check {
            return Some(at + 2..end);
        }
        at = end;
    }
    None
}

/// Binary logarithm of the largest number of buckets.
const MAX_BITS: u32 = 28;

/// Most labels in a row: what 12 bits can count.
const LONGEST: usize = (1 << 12) - 1;

/// Bucket and check of a key.
#[inline]
fn place(key: u64, bits: u32) -> (usize, u32) {
    let hash = key.wrapping_mul(0xd6e8_feb8_6659_fd93);
    // A shift by 64 bits would be undefined; one bucket needs no bits.
    let bucket = (hash >> 1) >> (63 - bits);
    (bucket as usize, (hash >> 12) as u32 & 0xf_ffff)
}

/// The first two numbers of a row: its check and its length.
#[inline]
fn pack(check: u32, length: usize) -> [u16; 2] {
    [check as u16, ((check >> 16) as u16) << 12 | length as u16]
}

/// What [`pack`] packed.
#[inline]
fn unpack([low, high]: [u16; 2]) -> (u32, usize) {
    (u32::from(low) | u32::from(high >> 12) << 16, usize::from(high) & LONGEST)
}

/// The first row of a part of a bucket, and what follows it.
fn split_row(bucket: &[u16]) -> Option<(Row<'_>, &[u16])> {
    let (&[low, high], rest) = bucket.split_first_chunk()?;
    let (pairs, rest) = rest.split_at_checked(2 * unpack([low, high]).1)?;
    Some((Row { pairs }, rest))
}

/// Collects rows and writes them as sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowsBuilder {
    rows: Vec<(u64, Vec<(u16, i16)>)>,
}

impl RowsBuilder {
    /// Adds the row of a key; empty rows are left out, of two rows of one key the first is found. Rows are cut at 4,095
    /// labels.
    pub fn push(&mut self, key: u64, row: impl IntoIterator<Item = (u16, i16)>) {
        let row: Vec<_> = row.into_iter().take(LONGEST).collect();
        if !row.is_empty() {
            self.rows.push((key, row));
        }
    }

    /// Writes the table as two sections.
    pub fn write(&self, name: &str, sections: &mut Sections) {
        let bits = self.rows.len().max(1).next_power_of_two().trailing_zeros().min(MAX_BITS);
        // About one row per bucket, up to two.
        let bits = bits.saturating_sub(1);
        let mut order: Vec<_> = (0..self.rows.len()).collect();
        order.sort_by_key(|&row| place(self.rows[row].0, bits).0);
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        let mut stream: Vec<u16> = Vec::new();
        for row in order {
            let (key, pairs) = &self.rows[row];
            let (bucket, check) = place(*key, bits);
            while starts.len() <= bucket {
                starts.push(stream.len() as u32);
            }
            stream.extend(pack(check, pairs.len()));
            stream.extend(pairs.iter().flat_map(|&(label, value)| [label, value as u16]));
        }
        starts.resize((1 << bits) + 1, stream.len() as u32);
        sections.push(&format!("{name}.starts"), &starts);
        sections.push(&format!("{name}.rows"), &stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spantree_learn::Rng;

    fn container(builder: &RowsBuilder) -> Container {
        let mut sections = Sections::default();
        builder.write("t", &mut sections);
        sections.into_container("test", &"").unwrap()
    }

    #[test]
    fn rows_come_back_under_their_keys() {
        let mut rng = Rng::new(1);
        for count in [0, 1, 2, 3, 100, 5000] {
            let mut builder = RowsBuilder::default();
            let mut expected = Vec::new();
            for _ in 0..count {
                let key = rng.next_u64();
                let row: Vec<_> = (0..rng.below(5) as u16 + 1)
                    .map(|label| (label, rng.next_u64() as i16))
                    .collect();
                builder.push(key, row.iter().copied());
                expected.push((key, row));
            }
            let container = container(&builder);
            let rows = Rows::from_container(&container, "t", 5).unwrap();
            let (mut keys, mut sums) = (Vec::new(), [0; 5]);
            for (key, row) in expected {
                assert_eq!(rows.get(key).iter().collect::<Vec<_>>(), row);
                keys.push(key);
                row.iter().for_each(|pair| sums[usize::from(pair.0)] += i32::from(pair.1));
            }
            keys.push(rng.next_u64());
            let mut found = [0; 5];
            rows.add_all(&keys, &mut Vec::new(), &mut found);
            assert_eq!(found, sums);
            let strangers = (0..10_000).filter(|_| !rows.get(rng.next_u64()).is_empty()).count();
            assert!(strangers < 5, "{strangers} of 10,000 keys found by accident");
        }
    }

    #[test]
    fn the_longest_rows_are_cut_and_the_next_is_found() {
        let mut builder = RowsBuilder::default();
        builder.push(1, (0..5000).map(|label| (label, 1)));
        builder.push(2, [(7, -1)]);
        let container = container(&builder);
        let rows = Rows::from_container(&container, "t", 5000).unwrap();
        assert_eq!((rows.get(1).len(), rows.get(2).len()), (LONGEST, 1));
        assert_eq!(unpack(pack(0xf_1234, LONGEST)), (0xf_1234, LONGEST));
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        let check = |starts: &[u32], stream: &[u16]| {
            let mut sections = Sections::default();
            sections.push("t.starts", starts);
            sections.push("t.rows", stream);
            let container = sections.into_container("test", &"").unwrap();
            Rows::from_container(&container, "t", 2).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[0, 4], &[9, 1, 1, 7]), Ok(()));
        for (starts, stream) in [
            (&[][..], &[][..]),
            (&[0], &[]),
            (&[0, 0, 0, 0], &[]),
            (&[1, 4], &[9, 1, 1, 7]),
            (&[0, 3], &[9, 1, 1, 7]),
            (&[0, 9], &[9, 1, 1, 7]),
            (&[0, 7, 4], &[9, 1, 1, 7]),
            (&[0, 4], &[9, 1, 2, 7]),
            (&[0, 4], &[9, 2, 1, 7]),
            (&[0, 4], &[9, 0, 1, 7]),
            (&[0, 1], &[9]),
        ] {
            assert!(
                check(starts, stream).unwrap_err().contains("table t"),
                "{starts:?} {stream:?}"
            );
        }
    }
}
