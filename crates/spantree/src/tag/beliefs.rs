//! What a tagger thinks of the words of a sentence: the tags that it considered, with their probabilities.
//!
//! A [`Worker`](super::Worker) writes it. A learned parser sees tags by their probabilities, and has a say in which is chosen
//! ([`JointChoice`](super::JointChoice)).

use std::collections::HashMap;

use spantree_treebank::Sentence;

use super::tagset::{Tag, TagSet, columns};

/// What a tagger thinks of the words of one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beliefs {
    tags: Vec<(Tag, f32)>,
    /// Where the tags of each word end.
    ends: Vec<u32>,
}

impl Beliefs {
    /// The beliefs of somebody who is sure of the tags that a sentence has; unknown tags are no beliefs.
    #[must_use]
    pub fn certain(tagset: &TagSet, sent: &Sentence) -> Self {
        let numbers = tagset.numbers();
        let mut beliefs = Self::default();
        for word in sent.words() {
            beliefs.push(numbers.get(&columns(word)).map(|&tag| (tag, 1.0)));
        }
        beliefs
    }

    /// Beliefs of a single word.
    #[cfg(test)]
    pub(crate) fn of_one_word(tags: impl IntoIterator<Item = (Tag, f32)>) -> Self {
        let mut beliefs = Self::default();
        beliefs.push(tags);
        beliefs
    }

    /// The same under the numbers of another set of tags; tags that it does not have are left out.
    #[must_use]
    pub(crate) fn renumbered(&self, from: &TagSet, to: &HashMap<[&str; 3], Tag>) -> Self {
        let number = |&(tag, chance): &(Tag, f32)| {
            let names = from.columns(tag);
            Some((*to.get(&[0, 1, 2].map(|column| names[column].as_str()))?, chance))
        };
        let mut beliefs = Self::default();
        for word in 0..self.words() {
            beliefs.push(self.word(word).iter().filter_map(number));
        }
        beliefs
    }

    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.tags.clear();
        self.ends.clear();
    }

    /// Adds the tags of the next word, with their probabilities.
    pub(super) fn push(&mut self, tags: impl IntoIterator<Item = (Tag, f32)>) {
        self.tags.extend(tags);
        self.ends.push(self.tags.len() as u32);
    }

    /// The tags of a word, from 0, with their probabilities.
    pub(crate) fn word(&self, word: usize) -> &[(Tag, f32)] {
        let start = if word == 0 { 0 } else { self.ends[word - 1] };
        &self.tags[start as usize..self.ends[word] as usize]
    }

    /// Number of words.
    #[must_use]
    pub(crate) fn words(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_numbers_say_the_same() {
        let tag = |upos: &str| [upos, "_", "_"].map(str::to_owned);
        let few = TagSet::new(vec![tag("NOUN"), tag("VERB"), tag("X")]).unwrap();
        let many = TagSet::new(vec![tag("ADJ"), tag("VERB"), tag("NOUN")]).unwrap();
        let mut beliefs = Beliefs::default();
        beliefs.push([(0, 0.6), (1, 0.3), (2, 0.1)]);
        beliefs.push([]);
        beliefs.push([(1, 1.0)]);
        let renumbered = beliefs.renumbered(&few, &many.numbers());
        assert_eq!(renumbered.words(), 3);
        assert_eq!(renumbered.word(0), [(2, 0.6), (1, 0.3)], "X is not known");
        assert_eq!((renumbered.word(1), renumbered.word(2)), (&[][..], &[(1, 1.0)][..]));
    }
}
