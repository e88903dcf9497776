//! What a tagger sees of one word: hashes of its form, its ends, its shape, and what the lexicon says of it.

use crate::feature::hash;

/// One property of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Atom {
    /// The form as it is.
    Form,
    /// In lower case.
    Lower,
    /// The last character in lower case; the whole form if it is shorter, as for all ends.
    Suffix1,
    /// The last two.
    Suffix2,
    /// The last three.
    Suffix3,
    /// The last four.
    Suffix4,
    /// The last five.
    Suffix5,
    /// The first character in lower case.
    Prefix1,
    /// The first two.
    Prefix2,
    /// The first three.
    Prefix3,
    /// The first four.
    Prefix4,
    /// Classes of characters, runs cut to one.
    Shape,
    /// The UPOS that the form was seen with; for unknown forms shape and ending.
    Coarse,
    /// The tags that the form was seen with; for unknown forms shape and ending.
    Fine,
    /// The UPOS that the form was seen with in lower case.
    LowerCoarse,
    /// The number of the word's cluster.
    Cluster,
    /// How much of the sentence is capitalised.
    Capitals,
    /// The nearest verb or auxiliary to the left.
    VerbBefore,
    /// The nearest noun or pronoun to the left.
    NounBefore,
    /// The nearest verb or auxiliary to the right.
    VerbAfter,
}

/// Number of [`Atom`]s.
const ATOMS: usize = Atom::VerbAfter as usize + 1;
/// Longest suffix in characters.
pub(super) const SUFFIXES: usize = 5;
const PREFIXES: usize = 4;

/// The atoms of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atoms([u64; ATOMS]);

impl Atoms {
    /// Atoms of the places before and after a sentence.
    pub(super) const OUTSIDE: Self = Self([0x5eed; ATOMS]);

    /// The atoms that depend on the form alone; `lower` is a buffer.
    pub(crate) fn of_form(form: &str, lower: &mut String) -> Self {
        lower_case(form, lower);
        let mut atoms = Self([0; ATOMS]);
        atoms.set(Atom::Form, hash::text(form));
        atoms.set(Atom::Lower, hash::text(lower));
        let mut places = lower.char_indices().rev().map(|(start, _)| start);
        for suffix in 0..SUFFIXES {
            let start = places.next().unwrap_or(0);
            atoms.0[Atom::Suffix1 as usize + suffix] = hash::text(&lower[start..]);
        }
        let mut places = lower.char_indices().skip(1).map(|(start, _)| start);
        for prefix in 0..PREFIXES {
            let end = places.next().unwrap_or(lower.len());
            atoms.0[Atom::Prefix1 as usize + prefix] = hash::text(&lower[..end]);
        }
        atoms.set(Atom::Shape, shape(form));
        atoms
    }

    /// The hash of one property.
    #[inline]
    pub(crate) fn get(&self, atom: Atom) -> u64 {
        self.0[atom as usize]
    }

    /// The last `length` characters, at most [`SUFFIXES`]; 0 for none.
    #[inline]
    pub(super) fn suffix(&self, length: usize) -> u64 {
        if length == 0 { 0 } else { self.0[Atom::Suffix1 as usize + length - 1] }
    }

    /// Replaces one property.
    #[inline]
    pub(super) fn set(&mut self, atom: Atom, value: u64) {
        self.0[atom as usize] = value;
    }
}

/// Overwrites `lower` with the form in lower case.
fn lower_case(form: &str, lower: &mut String) {
    lower.clear();
    if form.is_ascii() {
        lower.push_str(form);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(form.chars().flat_map(char::to_lowercase));
    }
}

/// Kind of a character in a shape.
fn kind(c: char) -> u64 {
    match c {
        'a'..='z' => 1,
        'A'..='Z' => 2,
        '0'..='9' => 3,
        _ if c.is_ascii() => u64::from(u32::from(c)),
        _ if c.is_lowercase() => 1,
        _ if c.is_uppercase() => 2,
        _ if c.is_alphabetic() => 4,
        _ if c.is_numeric() => 3,
        _ => 5,
    }
}

/// Runs of one kind count once, except that one capital differs from several.
fn shape(form: &str) -> u64 {
    let (mut shape, mut before, mut run) = (7, 0, 0);
    for kind in form.chars().map(kind) {
        run = if kind == before { run + 1 } else { 0 };
        if run == 0 || (run == 1 && kind == 2) {
            shape = hash::mix(shape, kind);
        }
        before = kind;
    }
    shape
}

/// Whether a word starts with a capital and whether it has a digit: what guesses by ending are conditioned on.
pub(super) fn guise(form: &str) -> u64 {
    let capital = form.chars().next().is_some_and(char::is_uppercase);
    let digit = form.bytes().any(|byte| byte.is_ascii_digit());
    u64::from(capital) + 2 * u64::from(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_characters_in_lower_case() {
        let mut lower = String::new();
        let atoms = Atoms::of_form("Ősök", &mut lower);
        assert_eq!(atoms.get(Atom::Suffix2), hash::text("ök"));
        assert_eq!(atoms.get(Atom::Suffix5), hash::text("ősök"));
        assert_eq!(atoms.get(Atom::Prefix1), hash::text("ő"));
        assert_eq!(atoms.get(Atom::Prefix4), hash::text("ősök"));
        assert_eq!(atoms.suffix(1), hash::text("k"));
        assert_eq!(Atoms::of_form("", &mut lower).get(Atom::Suffix3), hash::text(""));
    }

    #[test]
    fn shapes() {
        assert_eq!(shape("Anna"), shape("Béla"));
        assert_eq!(shape("2005-06"), shape("1-2"));
        assert_ne!(shape("USA"), shape("Usa"));
        assert_ne!(shape("a.b"), shape("a-b"));
        assert_eq!((guise("B2"), guise("b"), guise("Ő")), (3, 0, 1));
    }
}
