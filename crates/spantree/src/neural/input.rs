//! From words to rows of the embedding table.
//!
//! Each [`Atom`] of a word that was seen often enough in training owns a row; the embedding of a word is the sum of its rows.
//! Row 0 is the root. The next rows, one per atom, stand for values that are not known. Then follow the known values, in the
//! order of their keys, which a model file keeps.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use spantree_treebank::Sentence;

use crate::feature::{Atom, AtomSet, Atoms, Columns, hash};

/// The row of the root.
pub const ROOT_ROW: u32 = 0;

/// What a network sees of a word; see the [module](self).
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Atoms with one value per word, in the order of the columns of `set`.
    single: Vec<Atom>,
    set: AtomSet,
    /// Whether each pair of FEATS is an input.
    feats: bool,
    keys: Vec<u64>,
    rows: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

/// Keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash::bytes(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// One input of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its row.
    pub row: u32,
    /// The row that stands for an unknown value; `None` for an input that is then left out.
    pub unknown: Option<u32>,
    /// Whether it tells which word it is, and not only what it looks like.
    pub names_word: bool,
}

/// The atoms that suit the columns of a treebank.
#[must_use]
pub fn default_atoms(columns: Columns) -> Vec<Atom> {
    let mut atoms = vec![Atom::Lower, Atom::Shape, Atom::Upos];
    atoms.extend((1..=3).map(Atom::Prefix));
    atoms.extend((1..=4).map(Atom::Suffix));
    if columns.lemma {
        atoms.push(Atom::Lemma);
    }
    if columns.xpos {
        atoms.push(Atom::Xpos);
    }
    if columns.feats {
        atoms.extend([Atom::Feats, Atom::Feat]);
    }
    atoms
}

impl Inputs {
    /// The inputs of a treebank: a row for every value seen at least `minimum` times.
    #[must_use]
    pub fn from_treebank(atoms: &[Atom], sentences: &[Sentence], minimum: usize) -> Self {
        let empty = Self::new(atoms, Vec::new());
        let mut counts: HashMap<u64, usize> = HashMap::new();
        let mut values = Atoms::default();
        for sent in sentences {
            values.fill(&empty.set, sent);
            for word in 1..=sent.len() {
                empty.keys(&values, word).for_each(|(_, key)| *counts.entry(key).or_default() += 1);
            }
        }
        let frequent = counts.into_iter().filter(|&(_, count)| count >= minimum);
        let mut keys: Vec<_> = frequent.map(|(key, _)| key).collect();
        keys.sort_unstable();
        Self::new(atoms, keys)
    }

    /// Inputs with these known keys, in the order of their rows.
    #[must_use]
    pub fn new(atoms: &[Atom], keys: Vec<u64>) -> Self {
        let mut set = AtomSet::default();
        let mut single = Vec::new();
        for &atom in atoms.iter().filter(|atom| !atom.is_list()) {
            if set.column(atom) == single.len() {
                single.push(atom);
            }
        }
        let first = 1 + single.len() as u32;
        let rows = (first..).zip(&keys).map(|(row, &key)| (key, row)).collect();
        Self { single, set, feats: atoms.contains(&Atom::Feat), keys, rows }
    }

    /// Number of rows of the table.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 + self.single.len() + self.keys.len()
    }

    /// The keys of the known values.
    #[must_use]
    pub fn known(&self) -> &[u64] {
        &self.keys
    }

    /// The atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.single.iter().copied().chain(self.feats.then_some(Atom::Feat))
    }

    /// Reads the values of a sentence.
    pub fn read(&self, sent: &Sentence, values: &mut Atoms) {
        values.fill(&self.set, sent);
    }

    /// The inputs of a word of the sentence that was read.
    pub fn of_word<'a>(&'a self, values: &'a Atoms, word: usize) -> impl Iterator<Item = Input> {
        self.keys(values, word).filter_map(|(column, key)| {
            let unknown = column.map(|column| 1 + column as u32);
            let row = self.rows.get(&key).copied().or(unknown)?;
            let names_word = column.is_some_and(|column| {
                matches!(self.single[column], Atom::Form | Atom::Lower | Atom::Lemma)
            });
            Some(Input { row, unknown, names_word })
        })
    }

    /// The rows of a word of the sentence that was read.
    pub fn rows_of<'a>(&'a self, values: &'a Atoms, word: usize) -> impl Iterator<Item = u32> {
        self.of_word(values, word).map(|input| input.row)
    }

    /// The keys of a word, with the column of each; pairs of FEATS have none.
    fn keys<'a>(
        &'a self,
        values: &'a Atoms,
        word: usize,
    ) -> impl Iterator<Item = (Option<usize>, u64)> {
        let single = values.row(word).iter().enumerate();
        let single = single.map(|(column, &value)| (Some(column), hash::mix(column as u64, value)));
        let feats = if self.feats { values.feats(word) } else { &[] };
        single.chain(feats.iter().map(|&(_, pair)| (None, hash::mix(FEATS_COLUMN, pair))))
    }
}

/// Stands for the pairs of FEATS in keys.
const FEATS_COLUMN: u64 = 255;
