//! The features of a word in its sentence: combinations of atoms of the word and of its neighbours.

use super::atoms::Atom::{self, *};
use super::atoms::Atoms;
use crate::feature::hash;

/// A feature: atoms at offsets from the word.
type Template = &'static [(isize, Atom)];

/// Features of the form alone: the same wherever the word stands. The order of lines is part of a model.
const OF_FORM: &[Template] = &[
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
    &[(0, Shape), (0, Suffix3)],
    &[(0, Shape), (0, LowerCoarse)],
    &[(0, Prefix2), (0, Suffix3)],
];

/// Features of the word among its neighbours.
const OF_CONTEXT: &[Template] = &[
    &[(-1, Lower)],
    &[(1, Lower)],
    &[(-2, Lower)],
    &[(2, Lower)],
    &[(-3, Lower)],
    &[(3, Lower)],
    &[(-1, Suffix2)],
    &[(1, Suffix2)],
    &[(-1, Suffix3)],
    &[(1, Suffix3)],
    &[(-1, Fine)],
    &[(1, Fine)],
    &[(-2, Fine)],
    &[(2, Fine)],
    &[(-2, Lower), (-1, Lower)],
    &[(-1, Lower), (0, Lower)],
    &[(0, Lower), (1, Lower)],
    &[(1, Lower), (2, Lower)],
    &[(-1, Lower), (1, Lower)],
    &[(-1, Lower), (0, Lower), (1, Lower)],
    &[(-1, Fine), (0, Fine)],
    &[(0, Fine), (1, Fine)],
    &[(-1, Lower), (0, Fine)],
    &[(0, Fine), (1, Lower)],
    &[(-1, Fine), (0, Lower)],
    &[(0, Lower), (1, Fine)],
    &[(-1, Coarse), (1, Coarse)],
    &[(-1, Coarse), (0, Coarse), (1, Coarse)],
    &[(-2, Coarse), (-1, Coarse), (0, Coarse)],
    &[(0, Coarse), (1, Coarse), (2, Coarse)],
    &[(-3, Coarse), (-2, Coarse), (-1, Coarse)],
    &[(1, Coarse), (2, Coarse), (3, Coarse)],
    &[(-2, Coarse), (-1, Coarse), (0, Coarse), (1, Coarse)],
    &[(-1, Coarse), (0, Coarse), (1, Coarse), (2, Coarse)],
    &[(-1, Coarse), (0, Suffix3)],
    &[(0, Suffix3), (1, Coarse)],
    &[(-1, Suffix3), (0, Suffix3)],
    &[(0, Suffix3), (1, Suffix3)],
    &[(0, Shape), (-1, Shape)],
    &[(0, LowerCoarse), (0, Shape), (-1, Shape)],
    &[(0, LowerCoarse), (0, Shape), (1, Shape)],
    &[(0, LowerCoarse), (0, Shape), (0, Capitals)],
    &[(0, VerbBefore), (0, Fine)],
    &[(0, VerbBefore), (0, Suffix2)],
    &[(0, NounBefore), (0, Fine)],
    &[(0, NounBefore), (0, Suffix2)],
    &[(0, VerbAfter), (0, Fine)],
    &[(0, VerbBefore), (0, NounBefore), (0, Coarse)],
    &[(0, VerbBefore), (0, VerbAfter), (0, Coarse)],
];

/// Features of models with clusters.
const OF_CLUSTERS: &[Template] = &[
    &[(0, Cluster)],
    &[(-1, Cluster)],
    &[(1, Cluster)],
    &[(-1, Cluster), (0, Cluster)],
    &[(0, Cluster), (1, Cluster)],
    &[(-1, Cluster), (1, Cluster)],
];

/// The templates of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Templates {
    /// Whether words have clusters.
    pub(super) clusters: bool,
}

impl Templates {
    /// Number of features of a word.
    pub(super) fn len(self) -> usize {
        OF_FORM.len() + OF_CONTEXT.len() + if self.clusters { OF_CLUSTERS.len() } else { 0 }
    }

    /// Calls `found` with the number of the template and the key of each feature of the form alone.
    #[inline]
    pub(super) fn of_form(self, atoms: &Atoms, mut found: impl FnMut(usize, u64)) {
        for (number, template) in OF_FORM.iter().enumerate() {
            found(number, key(number, template, std::slice::from_ref(atoms), 0));
        }
    }

    /// The same for the features of a word, from 0, among its neighbours.
    #[inline]
    pub(super) fn of_context(
        self,
        sentence: &[Atoms],
        word: usize,
        mut found: impl FnMut(usize, u64),
    ) {
        let clusters = if self.clusters { OF_CLUSTERS } else { &[] };
        for (number, template) in (OF_FORM.len()..).zip(OF_CONTEXT.iter().chain(clusters)) {
            found(number, key(number, template, sentence, word));
        }
    }
}

#[inline]
fn key(number: usize, template: Template, sentence: &[Atoms], word: usize) -> u64 {
    let mut key = hash::mix(0x7a6, number as u64);
    for &(offset, atom) in template {
        let atoms = word.checked_add_signed(offset).and_then(|place| sentence.get(place));
        key = hash::mix(key, atoms.unwrap_or(&Atoms::OUTSIDE).get(atom));
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_template_and_depend_on_neighbours_only_in_context() {
        let mut lower = String::new();
        let mut sentence = ["a", "b", "c"].map(|form| Atoms::of_form(form, &mut lower));
        let keys = |sentence: &[Atoms]| {
            let (mut form, mut context) = (Vec::new(), Vec::new());
            let templates = Templates { clusters: true };
            templates.of_form(&sentence[1], |number, key| form.push((number, key)));
            templates.of_context(sentence, 1, |number, key| context.push((number, key)));
            (form, context)
        };
        let (form, context) = keys(&sentence);
        let mut all: Vec<_> = form.iter().chain(&context).map(|&(_, key)| key).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Templates { clusters: true }.len());
        assert!(form.iter().chain(&context).map(|&(number, _)| number).eq(0..all.len()));
        sentence[2] = Atoms::of_form("d", &mut lower);
        let changed = keys(&sentence);
        assert_eq!(changed.0, form);
        assert!(changed.1 != context);
    }
}
