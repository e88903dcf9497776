//! Atoms of a word that depend on words further away: the nearest verbs and nouns, capitals in the sentence.
//!
//! Agreement and verb chains reach over more words than a window does: whether `walked` is a participle depends on the
//! last auxiliary, its person on the last noun or pronoun. What is a verb or a noun is told by the most frequent tag alone.

use spantree_treebank::Sentence;

use super::atoms::{Atom, Atoms};
use super::lattice::Candidates;
use super::tagset::{Role, TagSet};
use crate::feature::hash;

/// Words further away are not looked for.
const REACH: usize = 8;

/// Completes the atoms of a sentence whose words have these candidates, the most likely first.
pub(super) fn add_surroundings(
    tagset: &TagSet,
    sent: &Sentence,
    candidates: &Candidates,
    atoms: &mut [Atoms],
) {
    let capitals = capitals(sent);
    let role = |word: usize| candidates.get(word).first().map_or(Role::Other, |&t| tagset.role(t));
    let (mut verb, mut noun) = (None, None);
    for word in 0..atoms.len() {
        let (verb_before, noun_before) = (describe(atoms, word, verb), describe(atoms, word, noun));
        atoms[word].set(Atom::Capitals, capitals);
        atoms[word].set(Atom::VerbBefore, verb_before);
        atoms[word].set(Atom::NounBefore, noun_before);
        match role(word) {
            Role::Verb | Role::Auxiliary => verb = Some((word, role(word))),
            Role::Noun | Role::Pronoun => noun = Some((word, role(word))),
            Role::Other => (),
        }
    }
    verb = None;
    for word in (0..atoms.len()).rev() {
        let verb_after = describe(atoms, word, verb);
        atoms[word].set(Atom::VerbAfter, verb_after);
        if let Role::Verb | Role::Auxiliary = role(word) {
            verb = Some((word, role(word)));
        }
    }
}

/// A word near another: function words by their form, others by their tags.
fn describe(atoms: &[Atoms], from: usize, found: Option<(usize, Role)>) -> u64 {
    match found.filter(|(word, _)| word.abs_diff(from) <= REACH) {
        Some((word, Role::Auxiliary | Role::Pronoun)) => atoms[word].get(Atom::Lower),
        Some((word, _)) => hash::mix(2, atoms[word].get(Atom::Fine)),
        None => 0,
    }
}

/// How much of a sentence is capitalised: in headlines a capital says little.
fn capitals(sent: &Sentence) -> u64 {
    let (mut upper, mut lower) = (0u64, 0u64);
    for first in sent.words().filter_map(|word| word.form().chars().next()) {
        upper += u64::from(first.is_uppercase());
        lower += u64::from(first.is_lowercase());
    }
    match (upper, lower) {
        (_, 0) => 9,
        _ => 8 * upper / (upper + lower),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_a_share() {
        let share = |forms: &[&str]| {
            let mut sent = Sentence::new();
            forms.iter().for_each(|form| {
                sent.push_word(form);
            });
            capitals(&sent)
        };
        assert_eq!(share(&["One", "two", "three", "four"]), 2);
        assert_eq!(share(&["ONE", "!"]), 9);
        assert_eq!(share(&[]), 9);
    }

    #[test]
    fn the_nearest_verb_and_noun_are_found() {
        let tags = ["NOUN", "AUX", "ADV", "VERB"];
        let tagset = TagSet::new(tags.map(|u| [u, "_", "_"].map(str::to_owned)).to_vec()).unwrap();
        let (mut sent, mut lower) = (Sentence::new(), String::new());
        let (mut atoms, mut candidates) = (Vec::new(), Candidates::default());
        for (form, tag) in [("dogs", 0), ("have", 1), ("often", 2), ("barked", 3)] {
            sent.push_word(form);
            atoms.push(Atoms::of_form(form, &mut lower));
            candidates.push(&[tag]);
        }
        add_surroundings(&tagset, &sent, &candidates, &mut atoms);
        assert_eq!(atoms[3].get(Atom::VerbBefore), hash::text("have"));
        assert_eq!(atoms[0].get(Atom::VerbAfter), hash::text("have"));
        assert_eq!(atoms[1].get(Atom::NounBefore), atoms[3].get(Atom::NounBefore));
        assert_eq!((atoms[0].get(Atom::NounBefore), atoms[1].get(Atom::VerbBefore)), (0, 0));
        assert_ne!(
            atoms[1].get(Atom::VerbAfter),
            hash::text("barked"),
            "a verb counts by its tags"
        );
    }
}
