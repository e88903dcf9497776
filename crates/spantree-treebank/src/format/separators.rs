//! Finds tabs and line feeds in one pass over the bytes of a block, eight at a time.
//!
//! Fields of a treebank are a few bytes long, so a search that starts anew for every field costs more than the search
//! itself. Here the positions in a machine word are bits of a mask, and the next separator is its lowest bit.

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const LOW_BITS: u64 = u64::from_ne_bytes([0x7f; 8]);

pub(super) struct Separators<'a> {
    bytes: &'a [u8],
    /// Where the current machine word starts.
    start: usize,
    /// The highest bit of each byte that is a separator not handed out yet.
    mask: u64,
}

impl<'a> Separators<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0, mask: separator_mask(bytes, 0) }
    }

    /// Position of the next tab or line feed; the length of the bytes when there is none.
    #[inline]
    pub(super) fn next(&mut self) -> usize {
        while self.mask == 0 {
            self.start += 8;
            if self.start >= self.bytes.len() {
                self.start = self.bytes.len();
                return self.bytes.len();
            }
            self.mask = separator_mask(self.bytes, self.start);
        }
        let found = self.start + self.mask.trailing_zeros() as usize / 8;
        self.mask &= self.mask - 1;
        found
    }

    /// Goes on at `position`.
    pub(super) fn skip_to(&mut self, position: usize) {
        self.start = position;
        self.mask = separator_mask(self.bytes, position);
    }
}

/// The highest bit of each of the eight bytes at `start` that is a tab or a line feed; the first byte is the lowest.
#[inline]
fn separator_mask(bytes: &[u8], start: usize) -> u64 {
    let rest = bytes.get(start..).unwrap_or_default();
    let word = match rest.first_chunk::<8>() {
        Some(&chunk) => u64::from_le_bytes(chunk),
        None => {
            let mut chunk = [0; 8];
            chunk[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(chunk)
        }
    };
    zero_bytes(word ^ (ONES * u64::from(b'\t'))) | zero_bytes(word ^ (ONES * u64::from(b'\n')))
}

/// The highest bit of each byte that is zero: adding `0x7f` carries into it unless the low bits are all clear.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_value_at_every_place() {
        for length in 0..20 {
            for place in 0..length {
                for value in 0..=255 {
                    let mut bytes = vec![b'x'; length];
                    bytes[place] = value;
                    let expected = if matches!(value, b'\t' | b'\n') { place } else { length };
                    assert_eq!(Separators::new(&bytes).next(), expected, "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn all_separators_in_order() {
        let bytes = b"\ta\t\tbcdefghijklmno\np\n\n";
        let mut separators = Separators::new(bytes);
        let found: Vec<_> = std::iter::from_fn(|| Some(separators.next())).take(8).collect();
        assert_eq!(found, [0, 2, 3, 18, 20, 21, 22, 22]);
        separators.skip_to(4);
        assert_eq!(separators.next(), 18);
    }
}
