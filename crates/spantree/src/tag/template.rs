//! The features of a word in its sentence: combinations of atoms of the word and of its neighbours.

use super::atoms::Atom::{self, *};
use super::atoms::{Atoms, boundary};
use crate::feature::hash;

/// Each line is a feature: atoms at offsets from the word.
pub const TEMPLATES: &[&[(isize, Atom)]] = &[
    &[(0, Form)],
    &[(0, Lower)],
    &[(0, Suffix1)],
    &[(0, Suffix2)],
    &[(0, Suffix3)],
    &[(0, Suffix4)],
    &[(0, Suffix5)],
    &[(0, Prefix1)],
    &[(0, Prefix2)],
    &[(0, Prefix3)],
    &[(0, Prefix4)],
    &[(0, Shape)],
    &[(0, Coarse)],
    &[(0, Fine)],
    &[(0, Shape), (0, Suffix2)],
    &[(0, Shape), (-1, Shape)],
    &[(-1, Lower)],
    &[(1, Lower)],
    &[(-2, Lower)],
    &[(2, Lower)],
    &[(-1, Suffix3)],
    &[(1, Suffix3)],
    &[(-1, Suffix2)],
    &[(1, Suffix2)],
    &[(-1, Fine)],
    &[(1, Fine)],
    &[(-2, Fine)],
    &[(2, Fine)],
    &[(-1, Lower), (0, Lower)],
    &[(0, Lower), (1, Lower)],
    &[(-1, Lower), (1, Lower)],
    &[(-1, Fine), (0, Fine)],
    &[(0, Fine), (1, Fine)],
    &[(-1, Coarse), (0, Coarse), (1, Coarse)],
    &[(-2, Coarse), (-1, Coarse), (0, Coarse)],
    &[(0, Coarse), (1, Coarse), (2, Coarse)],
    &[(-1, Coarse), (0, Lower)],
    &[(0, Lower), (1, Coarse)],
    &[(-1, Coarse), (1, Coarse)],
    &[(-1, Coarse), (0, Suffix3)],
    &[(0, Suffix3), (1, Coarse)],
];

/// Calls `found` with the key of every feature of a word, in the order of [`TEMPLATES`].
pub fn features(sentence: &[Atoms], word: usize, mut found: impl FnMut(u64)) {
    let outside = boundary();
    for (number, template) in TEMPLATES.iter().enumerate() {
        let mut key = hash::mix(0x7a6, number as u64);
        for &(offset, atom) in *template {
            let atoms = word.checked_add_signed(offset).and_then(|place| sentence.get(place));
            key = hash::mix(key, atoms.unwrap_or(&outside)[atom as usize]);
        }
        found(key);
    }
}
