//! The atoms of one sentence: every value that the templates of a model ask for, hashed once.
//!
//! Row 0 is the root, rows `1..=n` the words; two more rows stand for the words before and after the sentence.

use spantree_treebank::{Column, Sentence, Token};

use super::atom::Atom;
use super::hash;

/// Number of tag classes; see [`tag_class`].
pub const TAG_CLASSES: usize = 32;

const UNIVERSAL_TAGS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
];

/// A small number for a tag: 0 for the root, 1–17 for the universal tags in alphabetical order; other tags share 18–31.
#[must_use]
pub fn tag_class(tag: &str) -> u8 {
    match UNIVERSAL_TAGS.binary_search(&tag) {
        Ok(index) => index as u8 + 1,
        Err(_) => 18 + (hash::text(tag) % 14) as u8,
    }
}

const ADP: u8 = 2;
const AUX: u8 = 4;
const CCONJ: u8 = 5;
const PART: u8 = 10;
const PUNCT: u8 = 13;
const SCONJ: u8 = 14;
const VERB: u8 = 16;

/// Words between two others are counted up to one less.
pub(super) const COUNTS: u32 = 4;

/// Length of a stem.
const STEM: usize = 5;

/// The atoms that a model uses, in the order of the columns of [`Atoms`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomSet {
    columns: Vec<Atom>,
}

impl AtomSet {
    /// The column of a single-valued atom, which is added when it is new.
    pub fn column(&mut self, atom: Atom) -> usize {
        self.columns.iter().position(|&known| known == atom).unwrap_or_else(|| {
            self.columns.push(atom);
            self.columns.len() - 1
        })
    }
}

/// Hashed atoms of a sentence: rows for the root, the words, and what lies before and after.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    len: usize,
    width: usize,
    /// Row by row: root, words, before, after, nothing.
    values: Vec<u64>,
    /// FEATS of word `i`: `feats[feat_start[i]..feat_start[i + 1]]`, each a hash of key and of the pair.
    feats: Vec<(u32, u64)>,
    feat_start: Vec<u32>,
    /// Stems of the rows that have one, in the same form.
    stems: Vec<(u32, u64)>,
    stem_start: Vec<u32>,
    /// Class of the UPOS of each row.
    tags: Vec<u8>,
    /// Number of verbs, punctuation marks and conjunctions up to each row.
    counts: Vec<[u32; 3]>,
    /// Head and label hash that the guide gives to each word.
    guide: Vec<Option<(u32, u64)>>,
}

impl Atoms {
    /// Reads the atoms of `set` off a sentence.
    pub fn fill(&mut self, set: &AtomSet, sent: &Sentence) {
        self.len = sent.len();
        self.width = set.columns.len();
        self.guide.clear();
        self.guide.extend(sent.words().map(|word| {
            guide(word)
                .filter(|guide| guide.0 as usize <= sent.len())
                .map(|(head, label)| (head, hash::text(label)))
        }));
        self.tags.clear();
        self.tags.push(0);
        self.tags.extend(sent.words().map(|word| tag_class(word.upos())));
        self.fill_counts();
        self.fill_feats(sent);
        self.fill_stems(sent);
        self.values.clear();
        self.push_special(set, 1);
        for (index, word) in sent.words().enumerate() {
            for &atom in &set.columns {
                let value = self.value(atom, sent, word, index + 1);
                self.values.push(value);
            }
        }
        self.push_special(set, 2);
        self.push_special(set, 3);
        self.values.extend(set.columns.iter().map(|_| 1));
    }

    fn push_special(&mut self, set: &AtomSet, which: u64) {
        self.values.extend(set.columns.iter().map(|_| hash::mix(which, 0x5350_414e)));
    }

    fn fill_counts(&mut self) {
        self.counts.clear();
        let mut count = [0; 3];
        for &tag in &self.tags {
            let kinds = [matches!(tag, VERB | AUX), tag == PUNCT, tag == CCONJ];
            for (count, kind) in count.iter_mut().zip(kinds) {
                *count += u32::from(kind);
            }
            self.counts.push(count);
        }
    }

    fn fill_feats(&mut self, sent: &Sentence) {
        self.feats.clear();
        self.feat_start.clear();
        self.feat_start.extend([0, 0]);
        for word in sent.words() {
            for (key, value) in word.feats() {
                let key = hash::text(key);
                self.feats.push((key as u32, hash::mix(key, hash::text(value))));
            }
            self.feat_start.push(self.feats.len() as u32);
        }
    }

    fn fill_stems(&mut self, sent: &Sentence) {
        self.stems.clear();
        self.stem_start.clear();
        self.stem_start.extend([0, 0]);
        for word in sent.words() {
            let stem = prefix(word.form(), STEM);
            if stem.len() < word.form().len() {
                self.stems.push((0, hash::text(stem)));
            }
            self.stem_start.push(self.stems.len() as u32);
        }
    }

    fn value(&self, atom: Atom, sent: &Sentence, word: Token<'_>, index: usize) -> u64 {
        match atom {
            Atom::Form => hash::text(word.form()),
            Atom::Lower => lower(word.form()),
            Atom::Lemma => hash::text(word.lemma()),
            Atom::Upos => hash::text(word.upos()),
            Atom::Xpos => hash::text(word.xpos()),
            Atom::Feats => hash::text(word.get(Column::Feats)),
            Atom::Fine => fine(word),
            Atom::Shape => shape(word.form()),
            Atom::Marker => self.marker(sent, index),
            Atom::Edge => u64::from(index == 1) + 2 * u64::from(index == self.len),
            Atom::Prefix(length) => hash::text(prefix(word.form(), length.into())),
            Atom::Suffix(length) => hash::text(suffix(word.form(), length.into())),
            Atom::GuideLabel => self.guide[index - 1].map_or(0, |guide| guide.1),
            Atom::GuideOffset => self.guide[index - 1].map_or(0, |guide| offset(guide.0, index)),
            Atom::GuideTag => {
                self.guide[index - 1].map_or(0, |guide| 1 + u64::from(self.tags[guide.0 as usize]))
            }
            Atom::Stem | Atom::Feat => 0,
        }
    }

    /// See [`Atom::Marker`].
    fn marker(&self, sent: &Sentence, index: usize) -> u64 {
        let is_marker = |i: &usize| matches!(self.tags[*i], ADP | PART | SCONJ);
        // Determiners, adjectives, numerals, adverbs, auxiliaries and what has no universal tag are looked over.
        let stops = |i: &usize| matches!(self.tags[*i], CCONJ | 8 | 11 | 12 | PUNCT | VERB);
        let left = (1..index).rev().take(5).take_while(|i| !stops(i)).find(is_marker);
        let found = left
            .or_else(|| (index + 1..=self.len).take(3).take_while(|i| !stops(i)).find(is_marker));
        found.map_or(0, |i| hash::mix(u64::from(i > index), lower(sent.word(i as u32).form())))
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        8 * self.values.len() + 16 * self.feats.len() + 5 * self.tags.len()
    }

    /// The tag classes of the root and the words.
    #[must_use]
    pub fn tags(&self) -> &[u8] {
        &self.tags
    }

    /// The values of a row, by column.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.values[row * self.width..][..self.width]
    }

    /// The pairs of FEATS of a row.
    #[inline]
    pub(crate) fn feats(&self, row: usize) -> &[(u32, u64)] {
        self.list(Atom::Feat, row)
    }

    /// Number of verbs (0), punctuation marks (1) or conjunctions (2) strictly between two rows, up to 3.
    #[inline]
    pub(super) fn between(&self, kind: usize, a: usize, b: usize) -> u32 {
        let (from, to) = (a.min(b), a.max(b));
        if from == to {
            0
        } else {
            (self.counts[to - 1][kind] - self.counts[from][kind]).min(COUNTS - 1)
        }
    }

    /// The value in `column` of the row `offset` away from `row`.
    #[inline]
    pub(super) fn at(&self, row: usize, offset: i8, column: usize) -> u64 {
        self.values[self.neighbour(row, offset) * self.width + column]
    }

    /// The row `offset` away from a row, which may be one before or behind the sentence.
    #[inline]
    fn neighbour(&self, row: usize, offset: i8) -> usize {
        let row = row as isize + offset as isize;
        if row < 0 {
            self.len + 1
        } else if row as usize > self.len {
            self.len + 2
        } else {
            row as usize
        }
    }

    /// Where the values of the row `offset` away from a row begin among [`values`](Self::values); `None` has 1 in all columns.
    #[inline]
    pub(super) fn start(&self, row: Option<usize>, offset: i8) -> usize {
        self.width * row.map_or(self.len + 3, |row| self.neighbour(row, offset))
    }

    /// The values of all rows.
    #[inline]
    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }

    /// The values of a list atom of a row.
    pub(super) fn list(&self, atom: Atom, row: usize) -> &[(u32, u64)] {
        let (list, start) = match atom {
            Atom::Stem => (&self.stems, &self.stem_start),
            _ => (&self.feats, &self.feat_start),
        };
        &list[start[row] as usize..start[row + 1] as usize]
    }

    /// In which keys of FEATS two rows agree, and in which they do not.
    pub(super) fn agreement(&self, one: usize, other: usize) -> u64 {
        let (mut sum, others) = (2_u64, self.feats(other));
        for &(key, value) in self.feats(one) {
            if let Some(feat) = others.iter().find(|feat| feat.0 == key) {
                sum = sum.wrapping_add(hash::mix(key.into(), u64::from(feat.1 == value)));
            }
        }
        sum
    }

    /// What the guide says about an arc: nothing (no guide), another head, or this head with a label.
    pub(super) fn guide(&self, head: usize, child: usize) -> u64 {
        match self.guide[child - 1] {
            None => 0,
            Some((guided, label)) if guided as usize == head => hash::mix(2, label),
            Some(_) => 1,
        }
    }
}

/// Head and relation that another parser, the guide, gave a word: `Guide=HEAD:DEPREL` in MISC. A parser that learns from
/// sentences with a guide is stacked on it (Nivre & McDonald 2008).
#[must_use]
pub fn guide(word: Token<'_>) -> Option<(u32, &str)> {
    let (head, label) = word.misc_value("Guide")?.split_once(':')?;
    Some((head.parse().ok()?, label))
}

/// Number of a head's place as seen from a word: 1 for the root, else by distance and side.
fn offset(head: u32, word: usize) -> u64 {
    let far = (head as usize).abs_diff(word).min(11) as u64;
    match head as usize {
        0 => 1,
        head => 2 + 2 * far + u64::from(head > word),
    }
}

/// What lies between two tokens, for all pairs of a sentence.
#[derive(Clone, Debug, Default)]
pub struct Between {
    len: usize,
    /// Set of tag classes strictly between `i < j`, at `i * (len + 1) + j`.
    sets: Vec<u32>,
    /// Number of verbs, punctuation marks and conjunctions up to each token.
    counts: Vec<[u16; 3]>,
}

impl Between {
    /// Prepares a sentence with these tag classes (the root first): O(n²) time and memory.
    pub fn fill(&mut self, tags: &[u8]) {
        self.len = tags.len() - 1;
        self.sets.clear();
        self.sets.resize(tags.len() * tags.len(), 0);
        for i in 0..tags.len() {
            let mut set = 0;
            for j in i + 1..tags.len() {
                self.sets[i * tags.len() + j] = set;
                set |= 1 << tags[j];
            }
        }
        self.counts.clear();
        let mut count = [0u16; 3];
        for &tag in tags {
            let kinds = [matches!(tag, VERB | AUX), tag == PUNCT, tag == CCONJ];
            for (count, kind) in count.iter_mut().zip(kinds) {
                *count += u16::from(kind);
            }
            self.counts.push(count);
        }
    }

    /// The tag classes strictly between two tokens.
    #[inline]
    #[must_use]
    pub fn set(&self, a: usize, b: usize) -> u32 {
        self.sets[a.min(b) * (self.len + 1) + a.max(b)]
    }

    /// Numbers of verbs, punctuation marks and conjunctions strictly between two different tokens, each below [`COUNTS`].
    #[inline]
    #[must_use]
    pub(super) fn counts(&self, a: usize, b: usize) -> [u32; 3] {
        let (before, after) = (self.counts[a.min(b)], self.counts[a.max(b) - 1]);
        std::array::from_fn(|kind| u32::from(after[kind] - before[kind]).min(COUNTS - 1))
    }
}

fn lower(form: &str) -> u64 {
    if form.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return hash::text(form);
    }
    let mut ascii = [0; 64];
    if let Some(ascii) = ascii.get_mut(..form.len()).filter(|_| form.is_ascii()) {
        let lower = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
        ascii.iter_mut().zip(form.bytes()).for_each(|(to, byte)| *to = lower(byte));
        return hash::bytes(ascii);
    }
    let lower: String = form
        .chars()
        .map(|c| if c.is_numeric() { '0' } else { c })
        .flat_map(char::to_lowercase)
        .collect();
    hash::text(&lower)
}

/// See [`Atom::Fine`].
fn fine(word: Token<'_>) -> u64 {
    let tells = |key: &str| matches!(key, "Case" | "VerbForm" | "Mood" | "PronType");
    let told = word.feats().filter(|(key, _)| tells(key));
    let tag = hash::mix(hash::text(word.upos()), hash::text(word.xpos()));
    told.fold(tag, |tag, (_, value)| hash::mix(tag, hash::text(value)))
}

fn shape(form: &str) -> u64 {
    let mut kinds = 0;
    for (index, c) in form.chars().enumerate() {
        kinds |= match c {
            c if c.is_lowercase() => 1,
            c if c.is_uppercase() && index == 0 => 2,
            c if c.is_uppercase() => 4,
            c if c.is_numeric() => 8,
            c if c.is_alphabetic() => 16,
            '-' | '\'' | '.' => 32,
            _ => 64,
        };
    }
    kinds
}

fn prefix(form: &str, length: usize) -> &str {
    form.char_indices().nth(length).map_or(form, |(end, _)| &form[..end])
}

fn suffix(form: &str, length: usize) -> &str {
    form.char_indices().rev().nth(length - 1).map_or(form, |(start, _)| &form[start..])
}
