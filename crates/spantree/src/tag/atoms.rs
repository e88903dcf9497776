//! What a tagger sees of one word: hashes of its form, its ends, its shape, and what the lexicon says of it.

use crate::feature::hash;

/// One property of a word. The numbers live in model files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Atom {
    /// The form as it is.
    Form,
    /// In lower case.
    Lower,
    /// The last character in lower case, the last two …; the whole form if it is shorter.
    Suffix1,
    Suffix2,
    Suffix3,
    Suffix4,
    Suffix5,
    /// The first character in lower case, the first two …
    Prefix1,
    Prefix2,
    Prefix3,
    Prefix4,
    /// Classes of characters, runs cut to one.
    Shape,
    /// The UPOS that the form was seen with; for unknown forms its ending.
    Coarse,
    /// The tags that the form was seen with.
    Fine,
    /// The most frequent tag of the form.
    Top,
    /// The number of the word's cluster.
    Cluster,
}

/// Number of [`Atom`]s.
pub const ATOMS: usize = 16;

/// The atoms of one word.
pub type Atoms = [u64; ATOMS];

/// Longest suffix and prefix in characters.
pub const SUFFIXES: usize = 5;
pub const PREFIXES: usize = 4;

/// Atoms of the places before and after a sentence.
pub fn boundary() -> Atoms {
    [hash::mix(1, 0); ATOMS]
}

/// Fills the atoms that depend on the form alone; `lower` is a buffer.
pub fn of_form(form: &str, lower: &mut String) -> Atoms {
    lower.clear();
    if form.is_ascii() {
        lower.push_str(form);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(form.chars().flat_map(char::to_lowercase));
    }
    let mut atoms = [0; ATOMS];
    atoms[Atom::Form as usize] = hash::text(form);
    atoms[Atom::Lower as usize] = hash::text(lower);
    let mut ends = lower.char_indices().rev().map(|(start, _)| start);
    let mut start = lower.len();
    for length in 0..SUFFIXES {
        start = ends.next().unwrap_or(0).min(start);
        atoms[Atom::Suffix1 as usize + length] = hash::text(&lower[start..]);
    }
    let mut begins = lower.char_indices().map(|(start, c)| start + c.len_utf8());
    let mut end = 0;
    for length in 0..PREFIXES {
        end = begins.next().unwrap_or(lower.len()).max(end);
        atoms[Atom::Prefix1 as usize + length] = hash::text(&lower[..end]);
    }
    atoms[Atom::Shape as usize] = shape(form);
    atoms
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

/// Whether a word starts with a capital and whether it has a digit: what guesses by suffix are conditioned on.
pub fn guise(form: &str) -> u64 {
    let capital = form.chars().next().is_some_and(char::is_uppercase);
    let digit = form.bytes().any(|byte| byte.is_ascii_digit());
    u64::from(capital) + 2 * u64::from(digit)
}
