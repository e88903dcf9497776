//! One pass over a paragraph: tokens, then sentences, then words, each decision in turn.
//!
//! The walk asks a [`Judge`] one question after the other and goes on with its answers: a model answers by its weights, and
//! in training the treebank answers while the features of each question are recorded. So training and use see the same
//! features by construction. Linear in the number of characters.

use std::ops::Range;

use super::address;
use super::character::Class;
use super::common::CommonWords;
use super::feature::{
    Atoms, EMPTY, Features, Piece, Question, SentenceEnd, Shape, SpaceEnds, Split, TokenEnd, extend,
};
use super::scan::{Cell, EDGE, Scan};
use super::split::{Candidate, Splitter};

/// Answers questions about a paragraph.
pub(super) trait Judge {
    /// `place` is the position in the scan where the token or sentence would end, or the start of the token to split.
    fn judge(&mut self, question: Question, place: usize, features: &[u32]) -> bool;
}

/// What is known of a language besides weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Bit `r` of entry `l`: tokens may end between a character of class `l` and one of class `r`.
    pub(super) pairs: [u32; Class::LIMIT],
    /// Whether white space can be inside tokens.
    pub(super) spaces: bool,
    pub(super) common: CommonWords,
}

impl Facts {
    #[inline]
    fn possible(&self, left: Class, right: Class) -> bool {
        self.pairs[left as usize] >> (right as u32) & 1 == 1
    }
}

/// What is given and what is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// White space ends tokens, and nothing else.
    pub(super) tokens: bool,
    /// The paragraph is one sentence.
    pub(super) sentence: bool,
    /// Longest sentence, in tokens.
    pub(super) longest: usize,
}

/// The outcome, and the memory for the next paragraph.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    pub(super) scan: Scan,
    /// Positions in the scan.
    pub(super) tokens: Vec<Range<usize>>,
    /// Index behind the last token of each sentence.
    pub(super) sentences: Vec<usize>,
    /// How each token is split, where it is.
    pub(super) splits: Vec<Option<Candidate>>,
    atoms: Vec<Atoms>,
    rest: Vec<u64>,
    features: Features,
}

impl Walk {
    /// Segments a paragraph.
    pub(super) fn run(
        &mut self,
        text: &str,
        is_space: impl Fn(char) -> bool,
        given: Given,
        facts: &Facts,
        splitter: &Splitter,
        judge: &mut impl Judge,
    ) {
        self.scan.fill(text, is_space);
        self.find_tokens(given, facts, judge);
        self.find_atoms(facts);
        self.find_sentences(given, judge);
        self.find_words(text, splitter, judge);
    }

    /// Takes back the last sentence, or if there is only one, its last token: the text after it may change them.
    pub(super) fn leave_the_last_sentence(&mut self) {
        if self.sentences.len() > 1 {
            self.sentences.pop();
        } else if let [end] = &mut self.sentences[..] {
            *end = (*end - 1).max(1);
        }
    }

    fn find_tokens(&mut self, given: Given, facts: &Facts, judge: &mut impl Judge) {
        self.tokens.clear();
        let (mut previous, mut next) = (EMPTY, self.scan.stretch(EDGE));
        let mut open: Option<Open> = None;
        while let Some(stretch) = next {
            next = self.scan.stretch(stretch.end);
            let mut token = open.take().unwrap_or_else(|| Open::at(stretch.start));
            if given.tokens {
                self.tokens.push(stretch);
                continue;
            }
            if self.has_boundary(&stretch, facts) {
                let around = Around::new(self.scan.cells(), previous, next.clone());
                self.find_ends(&stretch, &mut token, &around, facts, judge);
                previous = self.rest.first().copied().unwrap_or(EMPTY);
            } else {
                let cells = self.scan.cells();
                token.extend(&cells[stretch.clone()]);
                previous = hash_back(&cells[stretch.clone()]);
            }
            if facts.spaces
                && let Some(next) = &next
                && !self.space_ends(&token, stretch.end, next, judge)
            {
                token.push(&Cell {
                    char: ' ',
                    folded: ' ',
                    class: Class::Space,
                    ..Cell::default()
                });
                token.spaces += 1;
                open = Some(token);
                continue;
            }
            self.tokens.push(token.start..stretch.end);
        }
    }

    /// Whether any token can end inside a stretch.
    fn has_boundary(&self, stretch: &Range<usize>, facts: &Facts) -> bool {
        self.scan.cells()[stretch.clone()]
            .windows(2)
            .any(|pair| facts.possible(pair[0].class, pair[1].class))
    }

    /// Cuts a stretch; `token` is open at its start and at its end. Addresses are tokens without asking.
    fn find_ends(
        &mut self,
        stretch: &Range<usize>,
        token: &mut Open,
        around: &Around,
        facts: &Facts,
        judge: &mut impl Judge,
    ) {
        let cells = self.scan.cells();
        hashes_back(&cells[stretch.clone()], &mut self.rest);
        let mut address = next_address(cells, stretch.start, stretch.end);
        for at in stretch.start + 1..stretch.end {
            token.push(&cells[at - 1]);
            let (left, right) = (&cells[at - 1], &cells[at]);
            if right.sticks || (at > address.start && at < address.end) {
                continue;
            }
            let edge = at == address.start || at == address.end;
            if at == address.end {
                address = next_address(cells, at, stretch.end);
            }
            if edge {
                self.tokens.push(token.start..at);
                *token = Open::at(at);
                continue;
            }
            if !facts.possible(left.class, right.class) {
                continue;
            }
            TokenEnd {
                cells,
                at,
                start: token.start,
                stretch: stretch.start,
                token: token.hash,
                shape: token.shape.hash(),
                rest: self.rest[at - stretch.start],
                whole: self.rest[0],
                rest_length: stretch.end - at,
                previous: around.previous,
                next: around.next,
                next_class: around.next_class,
            }
            .features(&mut self.features);
            if judge.judge(Question::TokenEnd, at, self.features.hashes()) {
                self.tokens.push(token.start..at);
                *token = Open::at(at);
            }
        }
        token.push(&cells[stretch.end - 1]);
    }

    fn space_ends(
        &mut self,
        token: &Open,
        end: usize,
        next: &Range<usize>,
        judge: &mut impl Judge,
    ) -> bool {
        let cells = self.scan.cells();
        let (before, left) = pieces_before(cells, end);
        let (right, behind) = pieces_behind(cells, next.start);
        let pieces = [before, left, right, behind];
        SpaceEnds { token: token.folded, spaces: token.spaces, pieces }
            .features(&mut self.features);
        judge.judge(Question::SpaceEnds, end, self.features.hashes())
    }

    fn find_atoms(&mut self, facts: &Facts) {
        let cells = self.scan.cells();
        self.atoms.clear();
        for (index, token) in self.tokens.iter().enumerate() {
            let next = self.tokens.get(index + 1).map_or(token.end, |next| next.start);
            let gap = match &cells[token.end..next] {
                [] => 0,
                gap if gap.iter().any(|cell| cell.char == '\n') => 3,
                [one] if one.char == ' ' => 1,
                _ => 2,
            };
            let mut atoms = Atoms::new(&cells[token.clone()], gap);
            atoms.find_case(&facts.common);
            self.atoms.push(atoms);
        }
    }

    fn find_sentences(&mut self, given: Given, judge: &mut impl Judge) {
        self.sentences.clear();
        let (mut start, mut open, mut case) = (0, Brackets::default(), 0);
        for at in 0..self.tokens.len() {
            let token = self.tokens[at].clone();
            let cells = self.scan.cells();
            open.pass(&cells[token.clone()]);
            case |= match self.atoms[at].first {
                Class::Lower => 1,
                Class::Upper if at > start => 2,
                _ => 0,
            };
            let last = at + 1 == self.tokens.len() || at + 1 - start >= given.longest;
            let ends = last
                || (!given.sentence && {
                    let place =
                        SentenceEnd { tokens: &self.atoms, at, start, open: open.code(), case };
                    place.features(&mut self.features);
                    judge.judge(Question::SentenceEnd, token.end, self.features.hashes())
                });
            if ends {
                self.sentences.push(at + 1);
                (start, open, case) = (at + 1, Brackets::default(), 0);
            }
        }
    }

    fn find_words(&mut self, text: &str, splitter: &Splitter, judge: &mut impl Judge) {
        self.splits.clear();
        if splitter.is_empty() {
            return;
        }
        self.splits.resize(self.tokens.len(), None);
        let mut start = 0;
        for &end in &self.sentences {
            for at in start..end {
                let token = &self.tokens[at];
                let form = &text[self.scan.byte(token.start)..self.scan.byte(token.end)];
                let Some(candidate) = splitter.candidate(form, self.atoms[at].folded) else {
                    continue;
                };
                let (tokens, rule) = (&self.atoms[start..end], candidate.rule_hash());
                Split { tokens, at: at - start, rule }.features(&mut self.features);
                if judge.judge(Question::Split, token.start, self.features.hashes()) {
                    self.splits[at] = Some(candidate);
                }
            }
            start = end;
        }
    }
}

/// A token that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: usize,
    hash: u64,
    folded: u64,
    shape: Shape,
    spaces: usize,
}

impl Open {
    fn at(start: usize) -> Self {
        Self { start, hash: EMPTY, folded: EMPTY, shape: Shape::default(), spaces: 0 }
    }

    #[inline]
    fn push(&mut self, cell: &Cell) {
        self.hash = extend(self.hash, cell.char);
        self.folded = extend(self.folded, cell.folded);
        self.shape.push(cell.class);
    }

    fn extend(&mut self, cells: &[Cell]) {
        cells.iter().for_each(|cell| self.push(cell));
    }
}

/// The stretches around the one that is cut.
struct Around {
    previous: u64,
    next: u64,
    next_class: Class,
}

impl Around {
    fn new(cells: &[Cell], previous: u64, next: Option<Range<usize>>) -> Self {
        let next = next.map_or(&[] as &[Cell], |next| &cells[next]);
        // Long stretches differ in their first characters.
        let hash = next.iter().take(16).fold(EMPTY, |hash, cell| extend(hash, cell.folded));
        Self {
            previous,
            next: hash,
            next_class: next.first().map_or(Class::Edge, |cell| cell.class),
        }
    }
}

/// The hash of a stretch from its end.
fn hash_back(cells: &[Cell]) -> u64 {
    if cells.len() > LONGEST_STRETCH {
        return EMPTY;
    }
    cells.iter().rev().fold(EMPTY, |hash, cell| extend(hash, cell.folded))
}

/// The hash, from its end, of every rest of a stretch; of rests that are long, one hash for all.
fn hashes_back(cells: &[Cell], rest: &mut Vec<u64>) {
    rest.clear();
    rest.resize(cells.len(), EMPTY);
    let mut hash = EMPTY;
    for (cell, rest) in cells.iter().zip(rest.iter_mut()).rev().take(LONGEST_STRETCH) {
        hash = extend(hash, cell.folded);
        *rest = hash;
    }
}

/// The next address in `from..to`, as positions; empty at the end if there is none.
fn next_address(cells: &[Cell], from: usize, to: usize) -> Range<usize> {
    match address::find(&cells[from..to]) {
        Some(found) => from + found.start..from + found.end,
        None => to..to,
    }
}

/// The last two pieces before a position; a piece is a run of letters and digits, or of other characters.
fn pieces_before(cells: &[Cell], end: usize) -> (Piece, Piece) {
    let (start, last) = piece_before(cells, end);
    (piece_before(cells, start).1, last)
}

fn piece_before(cells: &[Cell], mut end: usize) -> (usize, Piece) {
    while cells[end - 1].class == Class::Space {
        end -= 1;
    }
    let kind = kind(&cells[end - 1]);
    let mut start = end;
    while kind != Kind::None && end - start < LONGEST_PIECE && self::kind(&cells[start - 1]) == kind
    {
        start -= 1;
    }
    (start, piece(&cells[start..end]))
}

/// The first two pieces from a position on.
fn pieces_behind(cells: &[Cell], start: usize) -> (Piece, Piece) {
    let (end, first) = piece_behind(cells, start);
    (first, piece_behind(cells, end).1)
}

fn piece_behind(cells: &[Cell], mut start: usize) -> (usize, Piece) {
    while cells[start].class == Class::Space {
        start += 1;
    }
    let kind = kind(&cells[start]);
    let mut end = start;
    while kind != Kind::None && end - start < LONGEST_PIECE && self::kind(&cells[end]) == kind {
        end += 1;
    }
    (end, piece(&cells[start..end]))
}

const LONGEST_PIECE: usize = 32;

/// Longer stretches are not words but text without spaces: nothing is learned from them as a whole.
const LONGEST_STRETCH: usize = 24;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Word,
    Other,
}

fn kind(cell: &Cell) -> Kind {
    match cell.class {
        Class::Edge | Class::Space => Kind::None,
        class if class.is_word() => Kind::Word,
        _ => Kind::Other,
    }
}

fn piece(cells: &[Cell]) -> Piece {
    let mut shape = Shape::default();
    cells.iter().for_each(|cell| shape.push(cell.class));
    let folded = cells.iter().fold(EMPTY, |hash, cell| extend(hash, cell.folded));
    Piece { folded, shape: shape.hash() }
}

/// What is open in a sentence.
#[derive(Clone, Copy, Debug, Default)]
struct Brackets {
    quote: bool,
    depth: u32,
}

impl Brackets {
    fn pass(&mut self, token: &[Cell]) {
        let [cell] = token else { return };
        match cell.class {
            Class::Quote => self.quote = !self.quote,
            Class::Open => self.depth += 1,
            Class::Close => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn code(self) -> u64 {
        u64::from(self.quote) | u64::from(self.depth.min(1)) << 1
    }
}
