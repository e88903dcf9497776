//! Tags: what the columns UPOS, XPOS and FEATS of a word say together, and the parts that tags share.
//!
//! A tag is one triple of columns that was seen in training. Weights belong to the parts of a tag: its UPOS, its XPOS, its
//! FEATS and each single feature, so that what is learned of `Case=Nom` on nouns helps rare tags with the same case (Müller,
//! Schmid & Schütze 2013). The score of a tag is the sum over its parts.

use std::collections::HashMap;

use spantree_treebank::{Column, Sentence, Token};

/// A tag, the most frequent first.
pub type Tag = u16;
/// A part of a tag.
pub type Part = u16;

/// The columns that make a tag.
pub const COLUMNS: [Column; 3] = [Column::Upos, Column::Xpos, Column::Feats];

/// What a word with some tag is to the words around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Verb,
    Auxiliary,
    Noun,
    Pronoun,
    Other,
}

/// The columns of a word.
pub fn columns<'a>(word: Token<'a>) -> [&'a str; 3] {
    COLUMNS.map(|column| word.get(column))
}

/// The tags of a treebank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagSet {
    tags: Vec<[String; 3]>,
    /// Parts of all tags one after the other; those of a tag begin at `starts[tag]`, its UPOS first.
    parts: Vec<Part>,
    starts: Vec<u32>,
    /// The UPOS of each tag as a small number.
    coarse: Vec<u16>,
    part_count: usize,
    /// Columns that say something.
    filled: [bool; 3],
}

impl TagSet {
    /// The tags of these sentences; equally frequent ones in alphabetical order. `None` when there are too many.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence]) -> Option<Self> {
        let mut counts: HashMap<[&str; 3], usize> = HashMap::new();
        for word in sentences.iter().flat_map(Sentence::words) {
            *counts.entry(columns(word)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Self::new(counts.into_iter().map(|(tag, _)| tag.map(str::to_owned)).collect())
    }

    /// These tags, numbered from 0; `None` when they or their parts are more than 65,535.
    #[must_use]
    pub fn new(tags: Vec<[String; 3]>) -> Option<Self> {
        let filled = [0, 1, 2].map(|column| tags.iter().any(|tag| tag[column] != "_"));
        let (mut numbers, mut upos) = (HashMap::new(), HashMap::new());
        let (mut parts, mut starts, mut coarse) = (Vec::new(), vec![0], Vec::new());
        for [u, x, f] in &tags {
            let next = upos.len();
            coarse.push(*upos.entry(u.as_str()).or_insert(next) as u16);
            let mut names = vec![format!("u {u}")];
            names.extend(filled[1].then(|| format!("x {u} {x}")));
            names.extend(filled[2].then(|| format!("f {u} {f}")));
            names.extend(f.split('|').filter(|pair| pair.contains('=')).map(str::to_owned));
            for name in names {
                let next = numbers.len();
                parts.push(*numbers.entry(name).or_insert(next) as Part);
            }
            starts.push(parts.len() as u32);
        }
        let part_count = numbers.len();
        let fits = tags.len().max(part_count) <= Part::MAX.into();
        fits.then_some(Self { tags, parts, starts, coarse, part_count, filled })
    }

    /// Number of tags.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// All tags, in order.
    pub fn all(&self) -> impl ExactSizeIterator<Item = Tag> + use<> {
        0..self.tags.len() as Tag
    }

    /// Number of parts.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.part_count
    }

    /// The parts of a tag.
    #[inline]
    #[must_use]
    pub fn parts(&self, tag: Tag) -> &[Part] {
        let tag = usize::from(tag);
        &self.parts[self.starts[tag] as usize..self.starts[tag + 1] as usize]
    }

    /// The parts of some tags.
    pub(super) fn parts_of(&self, mut tags: Vec<Tag>) -> Vec<Part> {
        tags.sort_unstable();
        tags.dedup();
        tags.iter().flat_map(|&tag| self.parts(tag)).copied().collect()
    }

    /// The sum over the parts of a tag.
    #[inline]
    pub fn sum<S: Copy + Default + std::ops::AddAssign>(&self, tag: Tag, sums: &[S]) -> S {
        let mut sum = S::default();
        self.parts(tag).iter().for_each(|&part| sum += sums[usize::from(part)]);
        sum
    }

    /// The columns of a tag.
    #[must_use]
    pub fn columns(&self, tag: Tag) -> &[String; 3] {
        &self.tags[usize::from(tag)]
    }

    /// The columns of all tags by number.
    #[must_use]
    pub fn names(&self) -> &[[String; 3]] {
        &self.tags
    }

    /// A number for the UPOS of a tag.
    #[inline]
    #[must_use]
    pub fn coarse(&self, tag: Tag) -> u16 {
        self.coarse[usize::from(tag)]
    }

    /// The role of words with a tag, by its UPOS.
    pub(super) fn role(&self, tag: Tag) -> Role {
        match &*self.tags[usize::from(tag)][0] {
            "VERB" => Role::Verb,
            "AUX" => Role::Auxiliary,
            "NOUN" | "PROPN" => Role::Noun,
            "PRON" => Role::Pronoun,
            _ => Role::Other,
        }
    }

    /// Which of UPOS, XPOS and FEATS were ever filled in; the others are not predicted.
    #[must_use]
    pub fn filled(&self) -> [bool; 3] {
        self.filled
    }

    /// A look-up from columns to tags.
    #[must_use]
    pub fn numbers(&self) -> HashMap<[&str; 3], Tag> {
        let names = self.tags.iter().map(|tag| [0, 1, 2].map(|column| tag[column].as_str()));
        names.zip(0..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(columns: [&str; 3]) -> [String; 3] {
        columns.map(str::to_owned)
    }

    #[test]
    fn tags_share_parts() {
        let tagset = TagSet::new(vec![
            tag(["NOUN", "_", "Case=Nom|Number=Sing"]),
            tag(["ADJ", "_", "Case=Nom|Number=Sing"]),
            tag(["NOUN", "_", "_"]),
        ])
        .unwrap();
        // UPOS, FEATS with UPOS, two features; XPOS says nothing.
        assert_eq!(tagset.parts(0), [0, 1, 2, 3]);
        assert_eq!(tagset.parts(1), [4, 5, 2, 3]);
        assert_eq!(tagset.parts(2), [0, 6]);
        assert_eq!(tagset.filled(), [true, false, true]);
        assert_eq!((tagset.coarse(0), tagset.coarse(1), tagset.coarse(2)), (0, 1, 0));
        assert_eq!(tagset.sum(1, &[0, 0, 10, 200, 3000, 40_000, 0]), 43_210);
    }

    #[test]
    fn frequent_tags_have_small_numbers() {
        let sent =
            Sentence::from_words(&[("a", "X", 0, "_"), ("b", "Y", 0, "_"), ("c", "Y", 0, "_")]);
        let tagset = TagSet::from_treebank(&[sent]).unwrap();
        assert_eq!(tagset.numbers()[&["Y", "_", "_"]], 0);
        assert_eq!(tagset.columns(1), &tag(["X", "_", "_"]));
    }

    #[test]
    fn too_many_tags_are_none() {
        let tags =
            |count: u32| TagSet::new((0..count).map(|i| tag([&i.to_string(), "_", "_"])).collect());
        assert!(tags(65_535).is_some());
        assert!(tags(65_536).is_none());
    }
}
