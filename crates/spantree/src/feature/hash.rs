//! The fixed hash of features: strings to atoms, atoms to sides, sums of sides to positions in a weight table.
//!
//! Positions live in model files, so these functions never change; golden tests hold them. A feature's hash is the *sum* of
//! one 32-bit side per place it looks at (head, child, arc …). Sides depend on one place each and are computed once per
//! token; an arc feature then costs an addition and a shift.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash of a string.
#[must_use]
pub fn text(text: &str) -> u64 {
    bytes(text.as_bytes())
}

/// Hash of bytes; also the checksum of the sections of a model file.
#[must_use]
pub fn bytes(bytes: &[u8]) -> u64 {
    let mut hash = mix(MULTIPLIER, bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    mix(hash, u64::from_le_bytes(last))
}

/// Adds a value to a running hash; the order of values matters.
#[inline]
#[must_use]
pub fn mix(hash: u64, value: u64) -> u64 {
    let product = (hash ^ value).wrapping_mul(MULTIPLIER);
    product ^ (product >> 29)
}

/// The 32 bits that a finished running hash adds to the features it is part of.
#[inline]
#[must_use]
pub fn side(hash: u64) -> u32 {
    (hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

/// Where the sum of a feature's sides falls in a table of `2^bits` weights.
#[inline]
#[must_use]
pub fn position(sum: u32, bits: u32) -> u32 {
    sum >> (32 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_values() {
        assert_eq!(text(""), 0x688c786267a80152);
        assert_eq!(text("Häuser"), 0x474b25a6e679faa6);
        assert_eq!(text("spantree"), 0x47295aa91037d30d);
        assert_eq!(mix(1, 2), 0xdaa66d2aa8ec1d5c);
        assert_eq!(side(3), 0x84bafc29);
        assert_eq!(position(0xffff_0000, 20), 0xffff0);
    }

    #[test]
    fn length_and_order_matter() {
        assert_ne!(text("a"), text("a\0"));
        assert_ne!(text("12345678"), text("12345678\0"));
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
    }

    #[test]
    fn positions_of_neighbouring_pairs_spread_evenly() {
        let mut counts = [0u32; 256];
        for head in 0..64 {
            for child in 0..64 {
                counts
                    [position(side(mix(1, head)).wrapping_add(side(mix(2, child))), 8) as usize] +=
                    1;
            }
        }
        // 4,096 pairs over 256 cells: 16 each; a Poisson count above 40 or of 0 would be a bad hash.
        assert!(counts.iter().all(|&count| (1..40).contains(&count)), "{counts:?}");
    }
}
