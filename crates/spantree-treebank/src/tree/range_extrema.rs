//! Smallest and largest value in any range of a fixed array: O(n log n) to build, O(1) to ask (a sparse table).

use std::ops::Range;

pub(super) struct RangeExtrema {
    /// `levels[k][i]` covers the values from `i` to `i + 2^k - 1`.
    levels: Vec<Vec<(u32, u32)>>,
}

impl RangeExtrema {
    pub(super) fn new(values: &[u32]) -> Self {
        Self::from_pairs(values.iter().map(|&value| (value, value)).collect())
    }

    /// Minimum of the first and maximum of the second components.
    pub(super) fn from_pairs(pairs: Vec<(u32, u32)>) -> Self {
        let mut levels = vec![pairs];
        for width in (0..).map(|k| 1usize << k) {
            let last = &levels[levels.len() - 1];
            if last.len() <= width {
                break;
            }
            levels.push(last.iter().zip(&last[width..]).map(|(&a, &b)| join(a, b)).collect());
        }
        Self { levels }
    }

    /// `None` for an empty range.
    pub(super) fn of(&self, range: Range<usize>) -> Option<(u32, u32)> {
        let len = range.end.checked_sub(range.start).filter(|&len| len > 0)?;
        let level = len.ilog2();
        let row = &self.levels[level as usize];
        Some(join(row[range.start], row[range.end - (1 << level)]))
    }
}

fn join(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_of_a_small_array() {
        let values = [5, 3, 8, 1, 9, 2, 7];
        let table = RangeExtrema::new(&values);
        for start in 0..=values.len() {
            for end in start..=values.len() {
                let slice = &values[start..end];
                let expected = slice.iter().min().map(|&low| (low, *slice.iter().max().unwrap()));
                assert_eq!(table.of(start..end), expected, "{start}..{end}");
            }
        }
    }
}
