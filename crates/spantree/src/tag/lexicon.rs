//! The lexicon: which tags a form was seen with, and which tags words with its ending had.

use std::collections::HashMap;

use super::atoms::{Atom, Atoms, SUFFIXES, guise, of_form};
use super::tagset::{Tag, TagSet};
use crate::feature::hash;
use crate::model::Sections;
use crate::rows::{Row, Rows, RowsBuilder};

/// A form seen this often keeps to the tags that it was seen with.
pub const ENOUGH: i32 = 10;
/// Forms up to this count teach what endings mean.
const RARE: u32 = 10;
/// Guesses go to shorter endings until one was seen this often.
const TRUSTED: i32 = 20;
/// At most this many tags are kept per ending.
const GUESSES: usize = 40;

/// Keys of forms, lower-cased forms and endings are kept apart.
fn form_key(atoms: &Atoms) -> u64 {
    hash::mix(11, atoms[Atom::Form as usize])
}

fn lower_key(atoms: &Atoms) -> u64 {
    hash::mix(12, atoms[Atom::Lower as usize])
}

fn ending_key(atoms: &Atoms, guise: u64, length: usize) -> u64 {
    let ending = if length == 0 { 0 } else { atoms[Atom::Suffix1 as usize + length - 1] };
    hash::mix(hash::mix(13 + length as u64, guise), ending)
}

/// A lexicon in a model file.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon<'a> {
    rows: Rows<'a>,
}

impl<'a> Lexicon<'a> {
    pub fn new(rows: Rows<'a>) -> Self {
        Self { rows }
    }

    /// Writes into `candidates` the tags that a word may have, and into its atoms what the lexicon says of it.
    pub fn look_up(
        &self,
        tagset: &TagSet,
        form: &str,
        atoms: &mut Atoms,
        candidates: &mut Vec<Tag>,
    ) {
        candidates.clear();
        let exact = self.rows.get(form_key(atoms));
        let lower = self.rows.get(lower_key(atoms));
        let known = if exact.is_empty() { lower } else { exact };
        describe(tagset, known, atoms);
        extend(candidates, exact);
        if total(exact) >= ENOUGH {
            return;
        }
        extend(candidates, lower);
        let guise = guise(form);
        let mut seen = 0;
        for length in (0..=SUFFIXES).rev() {
            let row = self.rows.get(ending_key(atoms, guise, length));
            extend(candidates, row);
            seen += total(row);
            if seen >= TRUSTED {
                break;
            }
        }
        if candidates.is_empty() {
            candidates.extend(0..tagset.len() as Tag);
        }
    }
}

fn total(row: Row<'_>) -> i32 {
    row.iter().map(|(_, count)| i32::from(count)).sum()
}

fn extend(candidates: &mut Vec<Tag>, row: Row<'_>) {
    for (tag, _) in row.iter() {
        if !candidates.contains(&tag) {
            candidates.push(tag);
        }
    }
}

/// Fills the atoms that depend on the tags of a form.
fn describe(tagset: &TagSet, row: Row<'_>, atoms: &mut Atoms) {
    let Some((top, _)) = row.iter().next() else {
        let ending = hash::mix(atoms[Atom::Shape as usize], atoms[Atom::Suffix2 as usize]);
        for atom in [Atom::Coarse, Atom::Fine, Atom::Top] {
            atoms[atom as usize] = hash::mix(5, ending);
        }
        return;
    };
    let share = total(row) / 20;
    let (mut coarse, mut fine) = (0u64, 0u64);
    for (tag, count) in row.iter() {
        if i32::from(count) > share {
            coarse |= 1 << (tagset.coarse(tag) % 64);
            fine = fine.wrapping_add(hash::mix(3, tag.into()));
        }
    }
    atoms[Atom::Coarse as usize] = hash::mix(hash::mix(6, coarse), tagset.coarse(top).into());
    atoms[Atom::Fine as usize] = hash::mix(hash::mix(7, fine), top.into());
    atoms[Atom::Top as usize] = hash::mix(8, top.into());
}

/// Counts of tags under the keys of a lexicon.
#[derive(Debug, Default)]
pub struct LexiconBuilder {
    forms: HashMap<String, HashMap<Tag, u32>>,
}

impl LexiconBuilder {
    /// Counts a word.
    pub fn count(&mut self, form: &str, tag: Tag) {
        if !self.forms.contains_key(form) {
            self.forms.insert(form.to_owned(), HashMap::new());
        }
        if let Some(tags) = self.forms.get_mut(form) {
            *tags.entry(tag).or_default() += 1;
        }
    }

    /// Writes the lexicon as sections.
    pub fn write(&self, name: &str, sections: &mut Sections) {
        let mut counts: HashMap<u64, HashMap<Tag, u32>> = HashMap::new();
        let mut lower = String::new();
        for (form, tags) in &self.forms {
            let atoms = of_form(form, &mut lower);
            let seen: u32 = tags.values().sum();
            let mut keys = vec![form_key(&atoms), lower_key(&atoms)];
            if seen <= RARE {
                let guise = guise(form);
                keys.extend((0..=SUFFIXES).map(|length| ending_key(&atoms, guise, length)));
            }
            for key in keys {
                let counts = counts.entry(key).or_default();
                tags.iter().for_each(|(&tag, count)| *counts.entry(tag).or_default() += count);
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(key, _)| *key);
        let mut builder = RowsBuilder::default();
        for (key, tags) in counts {
            let mut tags: Vec<_> = tags.into_iter().collect();
            tags.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            tags.truncate(GUESSES);
            let value = |(tag, count): (Tag, u32)| (tag, count.min(i16::MAX as u32) as i16);
            builder.push(key, tags.into_iter().map(value));
        }
        builder.write(name, sections);
    }
}
