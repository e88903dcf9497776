//! The words that a treebank writes in lower case.
//!
//! A capital on such a word is a sign that a sentence starts, also where the one before has no full stop: a title, an item of a list.
//! The set is a table of bits under hashes, sixteen for each word, so that a few in a hundred other words are taken for members.

/// See the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommonWords {
    /// A power of two of them, or none for an empty set.
    table: Vec<u64>,
}

impl CommonWords {
    /// The set of words with these hashes.
    pub(super) fn new(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        if hashes.is_empty() {
            return Self::default();
        }
        let mut set =
            Self { table: vec![0; (BITS_PER_WORD * hashes.len() / 64).next_power_of_two()] };
        for hash in hashes {
            let (place, bit) = set.place(hash);
            set.table[place] |= bit;
        }
        set
    }

    /// The set of a model file, or what is wrong with it.
    pub(super) fn from_table(table: Vec<u64>) -> Result<Self, String> {
        match table.len().is_power_of_two() {
            true => Ok(Self { table }),
            false => Err(format!("its set of common words has {} numbers", table.len())),
        }
    }

    pub(super) fn table(&self) -> &[u64] {
        &self.table
    }

    pub(super) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Whether a word is in the set, given the hash of its form in lower case.
    pub(super) fn contains(&self, hash: u64) -> bool {
        !self.is_empty() && {
            let (place, bit) = self.place(hash);
            self.table[place] & bit != 0
        }
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        ((hash >> 6) as usize & (self.table.len() - 1), 1 << (hash & 63))
    }
}

const BITS_PER_WORD: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::hash::mix;

    #[test]
    fn members_are_found_and_few_others() {
        let hash = |number: u64| mix(1, number);
        let set = CommonWords::new((0..1000).map(hash).collect());
        assert!((0..1000).all(|number| set.contains(hash(number))));
        let strangers = (1000..11_000).filter(|&number| set.contains(hash(number))).count();
        assert!(strangers < 700, "{strangers} of 10,000");
        let again = CommonWords::from_table(set.table().to_vec());
        assert_eq!(again, Ok(set));
        assert!(CommonWords::from_table(vec![0; 3]).is_err());
        assert!(!CommonWords::new(Vec::new()).contains(0));
    }
}
