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

/// The tags of a treebank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagSet {
    tags: Vec<[String; 3]>,
    /// Parts of all tags one after the other; those of a tag begin at `starts[tag]`.
    parts: Vec<Part>,
    starts: Vec<u32>,
    /// The UPOS of each tag as a small number.
    coarse: Vec<u16>,
    part_count: usize,
    /// Columns that say something.
    filled: [bool; 3],
}

fn columns<'a>(word: Token<'a>) -> [&'a str; 3] {
    COLUMNS.map(|column| word.get(column))
}

impl TagSet {
    /// The tags of these sentences; equally frequent ones in alphabetical order.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence]) -> Self {
        let mut counts: HashMap<[&str; 3], usize> = HashMap::new();
        for word in sentences.iter().flat_map(Sentence::words) {
            *counts.entry(columns(word)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Self::new(counts.into_iter().map(|(tag, _)| tag.map(str::to_owned)).collect())
    }

    /// These tags, numbered from 0.
    #[must_use]
    pub fn new(tags: Vec<[String; 3]>) -> Self {
        let filled = [0, 1, 2].map(|column| tags.iter().any(|tag| tag[column] != "_"));
        let mut numbers: HashMap<String, Part> = HashMap::new();
        let (mut parts, mut starts, mut coarse) = (Vec::new(), vec![0], Vec::new());
        let mut upos = HashMap::new();
        for tag in &tags {
            let [u, x, f] = tag;
            let next = upos.len() as u16;
            coarse.push(*upos.entry(u.as_str()).or_insert(next));
            let mut add = |name: String| {
                let next = numbers.len() as Part;
                parts.push(*numbers.entry(name).or_insert(next));
            };
            add(format!("u {u}"));
            if filled[1] {
                add(format!("x {u} {x}"));
            }
            if filled[2] {
                add(format!("f {u} {f}"));
                f.split('|').filter(|pair| pair.contains('=')).for_each(|pair| add(pair.to_owned()));
            }
            starts.push(parts.len() as u32);
        }
        Self { parts, starts, coarse, part_count: numbers.len(), filled, tags }
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

    /// The columns of a tag.
    #[must_use]
    pub fn columns(&self, tag: Tag) -> &[String; 3] {
        &self.tags[usize::from(tag)]
    }

    /// All tags by number.
    #[must_use]
    pub fn tags(&self) -> &[[String; 3]] {
        &self.tags
    }

    /// A number for the UPOS of a tag.
    #[inline]
    #[must_use]
    pub fn coarse(&self, tag: Tag) -> u16 {
        self.coarse[usize::from(tag)]
    }

    /// Which of UPOS, XPOS and FEATS were ever filled in.
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
