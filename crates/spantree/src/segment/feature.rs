//! What the segmenter sees when it decides: hashed features of the four questions.
//!
//! Every question is a yes-or-no decision by a sum of weights. A feature is a question, a template number and a value; its
//! hash is one multiplication. Template numbers are part of model files: a changed template is a new number.
//!
//! Strings are hashed while they are walked over ([`extend`]), so nothing here looks at more than a few characters or
//! tokens around the place of the decision.

use super::character::Class;
use super::common::CommonWords;
use super::scan::Cell;
use crate::feature::hash::mix;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Question {
    /// Does a token end between these two characters?
    TokenEnd,
    /// Does the token end before this white space?
    SpaceEnds,
    /// Does a sentence end after this token?
    SentenceEnd,
    /// Is this token several words?
    Split,
}

impl Question {
    pub(super) const COUNT: usize = 4;
}

/// The hash of an empty string.
pub(super) const EMPTY: u64 = 0x51_7c_c1_b7_27_22_0a_95;

/// Adds a character to the hash of a string.
#[inline]
pub(super) fn extend(hash: u64, c: char) -> u64 {
    mix(hash, c.into())
}

/// The features of one decision, as 32-bit hashes.
#[derive(Clone, Debug)]
pub(super) struct Features {
    hashes: Vec<u32>,
    salt: u64,
    template: u64,
}

impl Default for Features {
    fn default() -> Self {
        Self { hashes: Vec::with_capacity(64), salt: 0, template: 0 }
    }
}

impl Features {
    fn start(&mut self, question: Question) {
        self.hashes.clear();
        self.salt = mix(EMPTY, question as u64);
        self.template = 0;
        self.add(0);
    }

    /// Adds the next template with this value.
    #[inline]
    fn add(&mut self, value: u64) {
        self.template = self.template.wrapping_add(0xd1b5_4a32_d192_ed03);
        self.hashes.push((mix(self.salt ^ self.template, value) >> 32) as u32);
    }

    /// Leaves out `count` templates, so that later ones keep their numbers.
    fn skip(&mut self, count: u64) {
        self.template = self.template.wrapping_add(0xd1b5_4a32_d192_ed03_u64.wrapping_mul(count));
    }

    #[inline]
    fn add2(&mut self, first: u64, second: u64) {
        self.add(mix(first, second));
    }

    #[inline]
    fn add3(&mut self, first: u64, second: u64, third: u64) {
        self.add(mix(mix(first, second), third));
    }

    pub(super) fn hashes(&self) -> &[u32] {
        &self.hashes
    }
}

/// Small, medium and large numbers: exact up to 4, then in steps that grow.
fn bucket(count: usize) -> u64 {
    let steps = [5, 6, 8, 10, 13, 17, 22, 30, 40, 60];
    if count < 5 {
        count as u64
    } else {
        4 + steps.iter().filter(|&&step| count >= step).count() as u64
    }
}

/// A stretch of characters around a possible token end.
pub(super) struct TokenEnd<'a> {
    /// All cells; the token might end before `at`.
    pub(super) cells: &'a [Cell],
    pub(super) at: usize,
    /// Where the token starts.
    pub(super) start: usize,
    /// Where the stretch without white space starts.
    pub(super) stretch: usize,
    /// Hash of the token up to `at`, of the shape of it, of the rest of the stretch and of all of it.
    pub(super) token: u64,
    pub(super) shape: u64,
    pub(super) rest: u64,
    pub(super) whole: u64,
    /// Characters of the stretch behind `at`.
    pub(super) rest_length: usize,
    /// The stretches before and behind, and the class with which the latter starts.
    pub(super) previous: u64,
    pub(super) next: u64,
    pub(super) next_class: Class,
}

impl TokenEnd<'_> {
    pub(super) fn features(&self, out: &mut Features) {
        out.start(Question::TokenEnd);
        let window = &self.cells[self.at - 4..self.at + 4];
        let c = |i: usize| u64::from(window[i].folded);
        let pack = |from: usize, to: usize| (from..to).fold(0, |hash, i| (hash << 21) | c(i));
        let classes = |from: usize, to: usize| {
            (from..to).fold(1, |hash, i| (hash << 5) | window[i].class as u64)
        };
        let length = bucket(self.at - self.start);
        out.add(pack(3, 5));
        out.add(pack(2, 5));
        out.add(pack(3, 6));
        out.add(pack(1, 4));
        out.add(pack(4, 7));
        out.add2(pack(2, 4), pack(4, 6));
        out.add2(pack(1, 4), c(4));
        out.add2(c(3), pack(4, 7));
        out.add(classes(0, 8));
        out.add(classes(1, 7));
        out.add(classes(2, 6));
        out.add((classes(3, 5) << 8) | length);
        out.add(self.token);
        out.add2(self.token, c(4));
        out.add(self.rest);
        out.add2(self.rest, c(3));
        out.add2(self.whole, (self.at - self.stretch) as u64);
        out.add2(self.shape, classes(4, 6));
        out.add2(self.shape, classes(4, 8));
        out.add2(self.token, classes(4, 7));
        out.add2(self.rest, self.shape);
        out.add3(pack(1, 4), pack(4, 6), 0);
        if self.rest_length <= 2 {
            let next = self.next_class as u64;
            out.add3(self.token, self.rest, next);
            out.add3(self.shape, self.rest, next);
            out.add3(length, self.rest, next);
            out.add2(self.rest, self.next);
            out.add3(self.rest, self.token, self.next);
        } else {
            out.skip(5);
        }
        if self.start == self.stretch {
            out.add2(self.previous, self.token);
        }
    }
}

/// White space inside a token, or at its end.
pub(super) struct SpaceEnds {
    /// Hash of the token up to the space, and the number of spaces that it has already.
    pub(super) token: u64,
    pub(super) spaces: usize,
    /// Pieces of letters (or of other characters) around the space: two before, two behind.
    pub(super) pieces: [Piece; 4],
}

/// A run of letters and digits, or of other characters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    /// In lower case.
    pub(super) folded: u64,
    pub(super) shape: u64,
}

impl SpaceEnds {
    pub(super) fn features(&self, out: &mut Features) {
        out.start(Question::SpaceEnds);
        let [before, left, right, behind] = self.pieces;
        out.add(left.folded);
        out.add(right.folded);
        out.add2(left.folded, right.folded);
        out.add3(before.folded, left.folded, right.folded);
        out.add3(left.folded, right.folded, behind.folded);
        out.add2(right.folded, behind.folded);
        out.add2(before.folded, left.folded);
        out.add2(before.folded, right.folded);
        out.add2(left.folded, behind.folded);
        out.add(self.token);
        out.add2(self.token, right.folded);
        out.add2(self.token, right.shape);
        out.add2(left.shape, right.shape);
        out.add3(before.shape, left.shape, right.shape);
        out.add3(left.shape, right.shape, behind.shape);
        out.add3(self.spaces as u64, left.shape, right.shape);
        out.add2(self.spaces as u64, left.folded);
        out.add2(left.folded, right.shape);
        out.add2(left.shape, right.folded);
        out.add3(mix(before.shape, left.shape), right.shape, behind.shape);
    }
}

/// What the decisions about sentences and words see of a token.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Atoms {
    pub(super) form: u64,
    pub(super) folded: u64,
    /// Its classes, with runs shortened.
    pub(super) shape: u64,
    /// Its last three characters in lower case.
    pub(super) suffix: u64,
    pub(super) first: Class,
    /// Its first and last character in lower case.
    pub(super) initial: char,
    pub(super) last: char,
    pub(super) last_class: Class,
    /// White space behind: 0 none, 1 a space, 2 other spaces, 3 a line break.
    pub(super) gap: u8,
    /// What its capital says, if that is known.
    pub(super) case: Option<Case>,
}

/// What the first character of a token says, given how the treebank writes the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// It is no capital.
    Plain,
    /// A capital on a word that is written with one, or is not known.
    Name,
    /// A capital on a word that the treebank has in lower case.
    Raised,
}

/// The shape of a string as it grows: every run of a class counts as one or as several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    hash: u64,
    last: Class,
    run: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self { hash: EMPTY, last: Class::Edge, run: 0 }
    }
}

impl Shape {
    #[inline]
    pub(super) fn push(&mut self, class: Class) {
        if class == self.last {
            self.run += 1;
            if self.run == 2 {
                self.hash = mix(self.hash, 0xff);
            }
        } else {
            self.hash = mix(self.hash, class as u64);
            (self.last, self.run) = (class, 1);
        }
    }

    pub(super) fn hash(self) -> u64 {
        self.hash
    }
}

impl Atoms {
    /// The atoms of a token; `behind` are the cells after it.
    pub(super) fn new(token: &[Cell], gap: u8) -> Self {
        let mut atoms = Self { form: EMPTY, folded: EMPTY, suffix: EMPTY, gap, ..Self::default() };
        let mut shape = Shape::default();
        for cell in token {
            atoms.form = extend(atoms.form, cell.char);
            atoms.folded = extend(atoms.folded, cell.folded);
            shape.push(cell.class);
        }
        for cell in &token[token.len().saturating_sub(3)..] {
            atoms.suffix = extend(atoms.suffix, cell.folded);
        }
        atoms.first = token.first().map_or(Class::Edge, |cell| cell.class);
        atoms.initial = token.first().map_or('\0', |cell| cell.folded);
        atoms.last = token.last().map_or('\0', |cell| cell.folded);
        atoms.last_class = token.last().map_or(Class::Edge, |cell| cell.class);
        atoms.shape = shape.hash();
        atoms
    }

    /// Finds out what the capital of the token says; models without common words do not know.
    pub(super) fn find_case(&mut self, common: &CommonWords) {
        self.case = (!common.is_empty()).then(|| match self.first {
            Class::Upper if common.contains(self.folded) => Case::Raised,
            Class::Upper => Case::Name,
            _ => Case::Plain,
        });
    }
}

/// A place between two tokens where a sentence might end.
pub(super) struct SentenceEnd<'a> {
    /// The tokens of the paragraph; the sentence might end behind `at`.
    pub(super) tokens: &'a [Atoms],
    pub(super) at: usize,
    /// Where the sentence starts.
    pub(super) start: usize,
    /// Quotation marks and brackets open in the sentence: parity and depth up to 1.
    pub(super) open: u64,
    /// Whether the sentence has words in lower case, in upper case.
    pub(super) case: u64,
}

impl SentenceEnd<'_> {
    pub(super) fn features(&self, out: &mut Features) {
        out.start(Question::SentenceEnd);
        let token = |index: usize| self.tokens.get(index).copied().unwrap_or_default();
        let (this, next, second) = (token(self.at), token(self.at + 1), token(self.at + 2));
        let third = token(self.at + 3);
        let before = if self.at > self.start { token(self.at - 1) } else { Atoms::default() };
        let earlier = if self.at > self.start + 1 { token(self.at - 2) } else { Atoms::default() };
        let first = token(self.start);
        let gap = u64::from(this.gap);
        let length = bucket(self.at + 1 - self.start);
        let left = bucket((self.tokens.len() - self.at).min(20));
        let shapes = mix(this.shape, next.shape);
        out.add2(this.folded, gap);
        out.add2(next.folded, gap);
        out.add2(next.form, gap);
        out.add(before.folded);
        out.add(second.folded);
        out.add2(this.folded, next.folded);
        out.add2(this.folded, next.form);
        out.add2(before.folded, this.folded);
        out.add2(next.form, second.folded);
        out.add3(before.folded, this.folded, next.folded);
        out.add3(this.folded, next.folded, second.folded);
        out.add2(this.folded, next.shape);
        out.add2(this.shape, next.form);
        out.add2(shapes, gap);
        out.add2(before.shape, shapes);
        out.add2(shapes, second.shape);
        out.add3(before.shape, shapes, second.shape);
        out.add3(earlier.shape, before.shape, shapes);
        out.add3(shapes, second.shape, third.shape);
        out.add3(before.shape, this.folded, next.shape);
        out.add3(this.folded, next.shape, second.shape);
        out.add3(this.folded, mix(gap, next.shape), second.folded);
        out.add3(before.folded, this.folded, next.shape);
        out.add2(this.suffix, next.shape);
        out.add2(this.suffix, next.suffix);
        out.add(length);
        out.add2(length, this.folded);
        out.add2(length, next.shape);
        out.add2(length, shapes);
        out.add2(first.folded, this.folded);
        out.add3(first.folded, length, next.shape);
        out.add2(first.shape, shapes);
        out.add2(self.open, this.folded);
        out.add2(self.open, shapes);
        out.add3(self.open, this.folded, next.folded);
        out.add2(self.case, shapes);
        out.add3(self.case, length, next.shape);
        out.add2(left, this.folded);
        out.add2(left, shapes);
        out.add2(left, length);
        out.add2(this.form, next.first as u64);
        out.add3(gap, length, next.first as u64);
        out.add3(gap, this.shape, mix(next.first as u64, second.first as u64));
        out.add2(this.last.into(), next.initial.into());
        out.add2(this.last.into(), next.shape);
        out.add3(this.last.into(), length, next.first as u64);
        out.add2(this.suffix, length);
        out.add3(this.last_class as u64, next.first as u64, gap);
        out.add3(
            mix(before.first as u64, this.last_class as u64),
            next.first as u64,
            second.first as u64,
        );
        out.add2(next.suffix, second.suffix);
        out.add3(before.suffix, this.suffix, next.suffix);
        if let (Some(case), Some(next_case)) = (this.case, next.case) {
            let (case, next_case) = (case as u64, next_case as u64);
            let after = second.case.map_or(3, |case| case as u64);
            let last = this.last_class as u64;
            out.add3(next_case, last, gap);
            out.add3(next_case, case, last);
            out.add3(next_case, length, last);
            out.add2(next_case, this.folded);
            out.add2(next_case, this.suffix);
            out.add3(mix(next_case, after), case, last);
            out.add3(next_case, before.folded, this.folded);
            out.add3(mix(next_case, self.case), length, last);
            out.add3(mix(next_case, self.open), case, last);
            out.add3(mix(next_case, after), length, last);
            out.add3(mix(next_case, after), next.suffix, last);
            out.add3(next_case, this.suffix, after);
        }
    }
}

/// A token that may be several words.
pub(super) struct Split<'a> {
    /// The tokens of the sentence.
    pub(super) tokens: &'a [Atoms],
    pub(super) at: usize,
    /// Which rule splits it; tokens of the dictionary have none.
    pub(super) rule: u64,
}

impl Split<'_> {
    pub(super) fn features(&self, out: &mut Features) {
        out.start(Question::Split);
        let token = |index: Option<usize>| {
            index.and_then(|index| self.tokens.get(index)).copied().unwrap_or_default()
        };
        let this = token(Some(self.at));
        let (before, next) = (token(self.at.checked_sub(1)), token(Some(self.at + 1)));
        let (earlier, second) = (token(self.at.checked_sub(2)), token(Some(self.at + 2)));
        // What is known of the token: its form if the dictionary has it, else the rule.
        let what = if self.rule == 0 { this.folded } else { self.rule };
        out.add(what);
        out.add2(what, this.form);
        out.add2(what, this.shape);
        out.add2(what, next.folded);
        out.add2(what, next.suffix);
        out.add2(what, next.shape);
        out.add2(what, second.folded);
        out.add2(what, second.suffix);
        out.add2(what, before.folded);
        out.add2(what, before.suffix);
        out.add2(what, before.shape);
        out.add2(what, earlier.folded);
        out.add3(what, before.folded, next.folded);
        out.add3(what, before.folded, next.suffix);
        out.add3(what, before.suffix, next.suffix);
        out.add3(what, earlier.folded, before.folded);
        out.add3(what, next.suffix, second.suffix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_hashes() {
        let mut out = Features::default();
        out.start(Question::SentenceEnd);
        out.add2(extend(EMPTY, 'a'), 1);
        out.skip(1);
        out.add(7);
        assert_eq!(out.hashes(), [1_687_247_795, 4_277_821_653, 2_408_069_554]);
    }

    #[test]
    fn buckets_grow() {
        let buckets: Vec<_> = [0, 4, 5, 6, 7, 8, 59, 60, 1000].into_iter().map(bucket).collect();
        assert_eq!(buckets, [0, 4, 5, 6, 6, 7, 13, 14, 14]);
    }

    #[test]
    fn shapes_tell_one_from_several() {
        let shape = |text: &str| {
            let mut shape = Shape::default();
            text.chars().for_each(|c| shape.push(super::super::character::class(c)));
            shape.hash()
        };
        assert_eq!(shape("House"), shape("Cats"));
        assert_ne!(shape("I"), shape("IT"));
        assert_eq!(shape("IT"), shape("NATO"));
    }
}
