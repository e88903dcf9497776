//! Writing what was found as [`Sentence`]s: comments, words, white space, offsets.
//!
//! White space is recorded in MISC as UDPipe does: `SpaceAfter=No` for none, nothing for one space, else `SpacesAfter` with
//! escapes; `SpacesBefore` on the first token of a sentence for white space that follows no token; `SpacesInToken` for
//! a token with white space other than single spaces. A token with bytes that are not UTF-8 has them in
//! `InvalidUtf8`: for each U+FFFD in its form, the bytes in hexadecimal (`EFBFBD` for one that was in the text).

use std::fmt::Write;
use std::ops::Range;

use spantree_treebank::offset::escape_spaces;
use spantree_treebank::{Column, Sentence, TokenId};

use super::character::is_space;
use super::decode::floor_char_boundary;
use super::split::Splitter;
use super::walk::Walk;

/// The place of a token in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// In bytes of the input.
    pub bytes: Range<u64>,
    /// In characters; a byte that is not UTF-8 counts as one.
    pub chars: Range<u64>,
}

/// A sentence to be written.
pub(super) struct Draft<'a> {
    /// The text of the block, and the white space behind it.
    pub(super) text: &'a str,
    pub(super) walk: &'a Walk,
    pub(super) tokens: Range<usize>,
    pub(super) new_paragraph: bool,
    pub(super) splitter: &'a Splitter,
}

impl Draft<'_> {
    /// The bytes of a token.
    fn token(&self, index: usize) -> Range<usize> {
        let token = &self.walk.tokens[index];
        self.walk.scan.byte(token.start)..self.walk.scan.byte(token.end)
    }

    /// Where the white space behind a token ends.
    fn gap_end(&self, index: usize) -> usize {
        self.walk
            .tokens
            .get(index + 1)
            .map_or(self.text.len(), |next| self.walk.scan.byte(next.start))
    }
}

/// What is known from sentence to sentence, and buffers.
#[derive(Debug, Default)]
pub(super) struct Output {
    ranges: bool,
    /// The document has not been announced; its id.
    new_document: Option<Option<String>>,
    /// Sentences written.
    sentences: u64,
    /// Of the text that was written.
    bytes: u64,
    chars: u64,
    /// White space before the next token that follows no token.
    before: String,
    places: Vec<Place>,
    form: String,
    misc: String,
}

impl Output {
    pub(super) fn new(ranges: bool) -> Self {
        Self { ranges, new_document: Some(None), ..Self::default() }
    }

    pub(super) fn start_document(&mut self, id: Option<&str>) {
        self.new_document = Some(id.map(str::to_owned));
        (self.bytes, self.chars) = (0, 0);
        self.before.clear();
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// Passes white space that follows no token; at most `limit` bytes of it are written.
    pub(super) fn skip(&mut self, spaces: &str, limit: usize) {
        let room = floor_char_boundary(spaces, limit.saturating_sub(self.before.len()));
        self.before.push_str(&spaces[..room]);
        self.pass(spaces);
    }

    fn pass(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        self.chars += text.chars().count() as u64;
    }

    /// Overwrites `sent`; `replaced` gives the bytes that were replaced before a place in the text, one after the
    /// other, each with its place.
    /// Returns where the white space behind the sentence ends.
    pub(super) fn write(
        &mut self,
        sent: &mut Sentence,
        draft: &Draft<'_>,
        mut replaced: impl FnMut(usize) -> Option<(usize, u8)>,
    ) -> usize {
        sent.clear();
        self.places.clear();
        self.write_comments(sent, draft);
        for index in draft.tokens.clone() {
            let (token, gap_end) = (draft.token(index), draft.gap_end(index));
            let (surface, gap) = (&draft.text[token.clone()], &draft.text[token.end..gap_end]);
            self.misc.clear();
            self.describe_spaces(surface, gap);
            self.describe_bytes(token.start, surface, || replaced(token.end));
            self.fill_form(surface);
            let words = draft.walk.splits.get(index).copied().flatten();
            let words = words.map(|way| draft.splitter.words(surface, way)).unwrap_or_default();
            push_token(sent, &self.form, &words, &self.misc);
            self.pass(gap);
        }
        draft.tokens.clone().next_back().map_or(0, |last| draft.gap_end(last))
    }

    fn write_comments(&mut self, sent: &mut Sentence, draft: &Draft<'_>) {
        match self.new_document.take() {
            Some(Some(id)) => sent.push_comment(&format!("# newdoc id = {id}")),
            Some(None) => sent.push_comment("# newdoc"),
            None => {}
        }
        if draft.new_paragraph {
            sent.push_comment("# newpar");
        }
        self.sentences += 1;
        sent.push_comment(&format!("# sent_id = {}", self.sentences));
        sent.push_comment(&format!("# text = {}", self.plain_text(draft)));
    }

    /// The text of a sentence as UDPipe gives it and validators want it: forms, with a space for any white space.
    fn plain_text(&mut self, draft: &Draft<'_>) -> String {
        let mut text = String::new();
        for index in draft.tokens.clone() {
            let token = draft.token(index);
            self.fill_form(&draft.text[token.clone()]);
            text.push_str(&self.form);
            if draft.gap_end(index) > token.end && index + 1 < draft.tokens.end {
                text.push(' ');
            }
        }
        text
    }

    /// Adds an attribute whose value the caller appends.
    fn attribute(&mut self, name: &str) -> &mut String {
        if !self.misc.is_empty() {
            self.misc.push('|');
        }
        self.misc.push_str(name);
        self.misc.push('=');
        &mut self.misc
    }

    fn describe_spaces(&mut self, surface: &str, gap: &str) {
        if !self.before.is_empty() {
            let before = std::mem::take(&mut self.before);
            escape_spaces(&before, self.attribute("SpacesBefore"));
        }
        match gap {
            "" => self.attribute("SpaceAfter").push_str("No"),
            " " => {}
            _ => escape_spaces(gap, self.attribute("SpacesAfter")),
        }
        let plain = |pair: (char, char)| pair.0 != ' ' || pair.1 != ' ';
        let odd = surface.chars().any(|c| is_space(c) && c != ' ')
            || !surface.chars().zip(surface.chars().skip(1)).all(plain);
        if odd {
            escape_spaces(surface, self.attribute("SpacesInToken"));
        }
    }

    /// Records the place of a token and its bytes that are not UTF-8; `replaced` gives them and where they were.
    fn describe_bytes(
        &mut self,
        start: usize,
        surface: &str,
        mut replaced: impl FnMut() -> Option<(usize, u8)>,
    ) {
        let (bytes, chars) = (self.bytes, self.chars);
        self.pass(surface);
        let mut next = replaced();
        if next.is_some() {
            let mut comma = "";
            self.attribute("InvalidUtf8");
            for (at, _) in surface.match_indices(char::REPLACEMENT_CHARACTER) {
                self.misc.push_str(comma);
                comma = ",";
                match next {
                    Some((place, byte)) if place == start + at => {
                        // Writing to a string cannot fail.
                        let _ = write!(self.misc, "{byte:02X}");
                        self.bytes -= char::REPLACEMENT_CHARACTER.len_utf8() as u64 - 1;
                        next = replaced();
                    }
                    _ => self.misc.push_str("EFBFBD"),
                }
            }
        }
        if self.ranges {
            let (start, end) = (chars, self.chars);
            let _ = write!(self.attribute("TokenRange"), "{start}:{end}");
        }
        self.places.push(Place { bytes: bytes..self.bytes, chars: chars..self.chars });
    }

    /// The form: every run of white space is one space.
    fn fill_form(&mut self, surface: &str) {
        self.form.clear();
        for c in surface.chars() {
            match is_space(c) {
                true if self.form.ends_with(' ') => {}
                true => self.form.push(' '),
                false => self.form.push(c),
            }
        }
    }
}

fn push_token(sent: &mut Sentence, form: &str, words: &[String], misc: &str) {
    let row = if words.is_empty() {
        sent.push_word(form);
        sent.token_count() - 1
    } else {
        let first = sent.len() as u32 + 1;
        let row = sent.push_row(TokenId::Range(first, first + words.len() as u32 - 1));
        sent.set_token(row, Column::Form, form);
        for word in words {
            sent.push_word(word);
        }
        row
    };
    if !misc.is_empty() {
        sent.set_token(row, Column::Misc, misc);
    }
}
