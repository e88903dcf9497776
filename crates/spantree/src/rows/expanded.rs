//! Rows laid out for sums of a few labels.
//!
//! A tagger asks for the sums of the labels of a word's candidates alone, while the rows of frequent features list hundreds of labels.
//! Here such long rows have one number for each label, zeros included, so that only those that are wanted are read: on
//! English text 94 of 100 weights that a word meets are in rows of more than 32 labels.
//!
//! The layout is that of [`Rows`], except that a long row has the length [`LONGEST`] and, instead of pairs, its place among
//! the long ones as two numbers. It is made when a model is loaded.

use super::{LONGEST, Rows, pack, place, split_row, unpack};

/// Rows with more labels are long.
const LONG: usize = 32;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Expanded {
    bits: u32,
    starts: Vec<u32>,
    stream: Vec<u16>,
    labels: usize,
    /// The long rows one after the other.
    long: Vec<i16>,
}

/// What a key leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// A bucket: a part of the stream, with its first two numbers.
    Bucket([u32; 2], [u16; 2]),
    /// The pairs of a short row: a part of the stream.
    Short(u32, u32),
    /// A long row, by the place of its first number.
    Long(usize),
}

impl Expanded {
    /// Another layout of a table whose labels are below `labels`.
    pub(crate) fn new(rows: Rows<'_>, labels: usize) -> Self {
        let bits = (rows.starts.len() - 1).trailing_zeros();
        let mut expanded =
            Self { bits, starts: vec![0], stream: Vec::new(), labels, long: Vec::new() };
        for bounds in rows.starts.windows(2) {
            let mut bucket = &rows.stream[bounds[0] as usize..bounds[1] as usize];
            while let Some((row, rest)) = split_row(bucket) {
                let head = &bucket[..2];
                if row.len() > LONG {
                    let place = (expanded.long.len() / labels) as u32;
                    let start = expanded.long.len();
                    expanded.long.resize(start + labels, 0);
                    row.iter().for_each(|(label, value)| {
                        expanded.long[start + usize::from(label)] = value;
                    });
                    let (check, _) = unpack([head[0], head[1]]);
                    expanded.stream.extend(pack(check, LONGEST));
                    expanded.stream.extend([place as u16, (place >> 16) as u16]);
                } else {
                    expanded.stream.extend_from_slice(head);
                    expanded.stream.extend_from_slice(row.pairs);
                }
                bucket = rest;
            }
            expanded.starts.push(expanded.stream.len() as u32);
        }
        expanded
    }

    /// Adds the rows of all keys to the sums of the labels that are `wanted`; other sums mean nothing. `found` is a buffer.
    ///
    /// Buckets first, then how they begin, then rows, then sums: the reads of one kind do not wait for each other.
    pub(crate) fn add_all(
        &self,
        keys: &[u64],
        wanted: &[u16],
        found: &mut Vec<Found>,
        sums: &mut [i32],
    ) {
        found.clear();
        found.extend(keys.iter().map(|&key| {
            let bucket = place(key, self.bits).0;
            Found::Bucket([self.starts[bucket], self.starts[bucket + 1]], [0; 2])
        }));
        for found in found.iter_mut() {
            if let Found::Bucket([start, _], head) = found {
                let start = *start as usize;
                *head = self.stream.get(start..start + 2).map_or([0; 2], |h| [h[0], h[1]]);
            }
        }
        for (found, &key) in found.iter_mut().zip(keys) {
            if let Found::Bucket(bucket, head) = *found {
                *found = self.find(bucket, head, place(key, self.bits).1);
            }
        }
        for found in &*found {
            match *found {
                Found::Bucket(..) => (),
                Found::Short(start, end) => {
                    let pairs = self.stream[start as usize..end as usize].as_chunks::<2>().0;
                    for &[label, value] in pairs {
                        sums[usize::from(label)] += i32::from(value as i16);
                    }
                }
                Found::Long(start) => {
                    let row = &self.long[start..start + self.labels];
                    for &label in wanted {
                        sums[usize::from(label)] += i32::from(row[usize::from(label)]);
                    }
                }
            }
        }
    }

    /// The row with this check in a bucket that begins with `head`.
    #[inline]
    fn find(&self, bucket: [u32; 2], mut head: [u16; 2], check: u32) -> Found {
        let [mut at, end] = bucket.map(|place| place as usize);
        while at < end {
            let (found, length) = unpack(head);
            let start = at + 2;
            let next = start + if length == LONGEST { 2 } else { 2 * length };
            if found == check && length == LONGEST {
                let [low, high] = [self.stream[start], self.stream[start + 1]].map(usize::from);
                return Found::Long((low | high << 16) * self.labels);
            }
            if found == check {
                return Found::Short(start as u32, next as u32);
            }
            at = next;
            if at < end {
                head = [self.stream[at], self.stream[at + 1]];
            }
        }
        Found::Short(0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sections;
    use crate::rows::RowsBuilder;
    use spantree_learn::Rng;

    #[test]
    fn sums_of_wanted_labels_are_those_of_the_rows() {
        const LABELS: usize = 90;
        let mut rng = Rng::new(3);
        let mut builder = RowsBuilder::default();
        let mut keys = vec![rng.next_u64()];
        for _ in 0..500 {
            let (key, share) = (rng.next_u64(), rng.below(4));
            let labels: Vec<_> = (0..LABELS as u16).filter(|_| rng.below(4) <= share).collect();
            builder.push(key, labels.into_iter().map(|label| (label, rng.next_u64() as i16)));
            keys.push(key);
        }
        let mut sections = Sections::default();
        builder.write("t", &mut sections);
        let container = sections.into_container("test", &"").unwrap();
        let rows = Rows::from_container(&container, "t", LABELS).unwrap();
        let expanded = Expanded::new(rows, LABELS);
        assert!(!expanded.long.is_empty(), "there are long rows");
        let wanted = [3, 4, 88, 0];
        let (mut all, mut some) = ([0; LABELS], [0; LABELS]);
        rows.add_all(&keys, &mut Vec::new(), &mut all);
        expanded.add_all(&keys, &wanted, &mut Vec::new(), &mut some);
        for label in wanted.map(usize::from) {
            assert_eq!(all[label], some[label], "{label}");
        }
    }
}
