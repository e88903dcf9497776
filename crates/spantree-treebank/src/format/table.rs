//! Formats with one token per line and tab-separated columns.
//!
//! A block is copied once into the arena of the sentence; fields are byte ranges in it. Reading checks what every later
//! step relies on: the number of columns, ids in sequence, heads that exist. CoNLL-U is lossless: what [`parse`] accepts
//! without a warning, [`write`] gives back byte for byte. The other formats have neither comments nor multiword ranges nor
//! empty nodes: [`write`] leaves them out, [`parse`] takes them with a warning.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr;

use super::layout::{Layout, Slot, declaration};
use super::roles::{RoleReader, RoleWriter};
use super::separators::Separators;
use super::sequence::Sequence;
use crate::read::{Located, ReadErrorKind, WarningKind, Warnings};
use crate::sentence::{
    Column, NO_HEAD, Row, Sentence, Span, Token, TokenId, UNDERSCORE, number, write_number,
};

/// Reads a block that starts at `line` of its file.
pub(super) fn parse(
    layout: &Layout,
    text: &str,
    line: u64,
    sent: &mut Sentence,
    warnings: &mut Warnings,
) -> Located<()> {
    let text =
        if layout.full { Cow::Borrowed(text) } else { tabs_for_spaces(text, line, warnings) };
    sent.start(&text);
    sent.set_extra_columns(Arc::clone(&layout.extra));
    let mut block = BlockParser {
        layout,
        text: &text,
        sent,
        separators: Separators::new(text.as_bytes()),
        sequence: Sequence::default(),
        roles: layout.has_roles().then(RoleReader::default),
        last_head: 0,
        oddities: Oddities::default(),
    };
    let (mut start, mut number) = (0, line);
    while start < text.len() {
        start = block.read_line(start, number).map_err(|kind| (number, kind))?;
        block.oddities.report(number, warnings);
        number += 1;
    }
    block.finish(line, warnings)
}

/// Which odd things a line has; reported at its end, so that the common line costs one comparison.
#[derive(Default, PartialEq)]
struct Oddities {
    misplaced_comment: bool,
    misplaced_declaration: bool,
    empty_field: bool,
    missing_columns: bool,
    foreign: bool,
}

impl Oddities {
    fn report(&mut self, line: u64, warnings: &mut Warnings) {
        if *self == Self::default() {
            return;
        }
        let found = std::mem::take(self);
        let kinds = [
            (found.misplaced_comment, WarningKind::CommentInsideSentence),
            (found.misplaced_declaration, WarningKind::MisplacedDeclaration),
            (found.empty_field, WarningKind::EmptyField),
            (found.missing_columns, WarningKind::MissingColumns),
            (found.foreign, WarningKind::NotInFormat),
        ];
        for (_, kind) in kinds.into_iter().filter(|(there, _)| *there) {
            warnings.add(kind, line);
        }
    }
}

struct BlockParser<'a> {
    layout: &'a Layout,
    text: &'a str,
    sent: &'a mut Sentence,
    separators: Separators<'a>,
    sequence: Sequence,
    roles: Option<RoleReader>,
    /// The largest head of the sentence.
    last_head: u32,
    oddities: Oddities,
}

/// The span in the arena of `start..end` of the block: the arena starts with `_`.
fn arena_span(start: usize, end: usize) -> Span {
    Span { start: start as u32 + 1, end: end as u32 + 1 }
}

impl BlockParser<'_> {
    /// Reads the line at `start`, number `line` of the file; returns where the next one starts.
    fn read_line(&mut self, start: usize, line: u64) -> Result<usize, ReadErrorKind> {
        let bytes = self.text.as_bytes();
        if bytes[start] == b'#' {
            let length = memchr(b'\n', &bytes[start..]).unwrap_or(bytes.len() - start);
            self.read_comment(start, start + length, line);
            self.separators.skip_to(start + length + 1);
            return Ok(start + length + 1);
        }
        let (row, end) = self.read_row(start)?;
        self.sequence.check(row.id)?;
        if let Some(roles) = &mut self.roles {
            roles.end_row(row.id)?;
        }
        if row.head != NO_HEAD {
            self.last_head = self.last_head.max(row.head);
        }
        self.oddities.foreign |= !self.layout.full && !matches!(row.id, TokenId::Word(_));
        self.sent.push_parsed(row);
        Ok(end + 1)
    }

    fn read_comment(&mut self, start: usize, end: usize, line: u64) {
        if declaration(&self.text[start..end]).is_none() {
            self.sent.push_parsed_comment(arena_span(start, end));
        } else {
            self.oddities.misplaced_declaration |= line > 1 || !self.layout.is_declared();
        }
        self.oddities.foreign |= !self.layout.full;
        self.oddities.misplaced_comment |= self.sent.token_count() > 0;
    }

    /// Reads the token line at `start`; returns it and the position of its end.
    fn read_row(&mut self, start: usize) -> Result<(Row, usize), ReadErrorKind> {
        let bytes = self.text.as_bytes();
        let slots = &self.layout.slots[..];
        let mut row =
            Row { id: TokenId::Word(1), head: NO_HEAD, fields: [UNDERSCORE; Column::COUNT] };
        let (mut id, mut head) = ("", "_");
        let (mut field, mut found) = (start, 0);
        let end = loop {
            let end = self.separators.next();
            let span = arena_span(field, end);
            self.oddities.empty_field |= field == end;
            match slots.get(found) {
                Some(Slot::Text(column)) => row.fields[*column as usize] = span,
                Some(Slot::Tag) => row.fields[Column::Xpos as usize] = span,
                Some(Slot::Id) => id = &self.text[field..end],
                Some(Slot::Head) => head = &self.text[field..end],
                Some(Slot::Extra(_)) => self.sent.push_parsed_extra(span),
                Some(Slot::FillPredicate | Slot::Predicate) | None => {
                    if let Some(roles) = &mut self.roles {
                        roles.push(slots.get(found), &self.text[field..end]);
                    }
                }
            }
            found += 1;
            if bytes.get(end) != Some(&b'\t') {
                break end;
            }
            field = end + 1;
        };
        if found != slots.len() {
            self.check_column_count(found)?;
        }
        row.id = id.parse().map_err(|()| ReadErrorKind::Id { value: id.to_owned() })?;
        if head != "_" {
            let bad = || ReadErrorKind::Head { id: id.to_owned(), value: head.to_owned() };
            row.head = number(head).ok_or_else(bad)?;
        }
        Ok((row, end))
    }

    /// Accepts argument columns and blind test files, whose rows end early.
    fn check_column_count(&mut self, found: usize) -> Result<(), ReadErrorKind> {
        let (expected, required) = (self.layout.slots.len(), self.layout.required);
        if found > expected && self.roles.is_some() {
            return Ok(());
        }
        if found < required && required < expected {
            return Err(ReadErrorKind::TooFewColumns { found, expected });
        }
        if found < required || found > expected {
            return Err(ReadErrorKind::ColumnCount { found, expected });
        }
        self.oddities.missing_columns = true;
        let missing = self.layout.slots[found..].iter();
        for _ in missing.filter(|slot| matches!(slot, Slot::Extra(_))) {
            self.sent.push_parsed_extra(UNDERSCORE);
        }
        Ok(())
    }

    /// Checks what needs the whole sentence, which starts at `line`.
    fn finish(self, line: u64, warnings: &mut Warnings) -> Located<()> {
        if self.sent.token_count() == 0 {
            warnings.add(WarningKind::EmptySentence, line);
        }
        let words = self.sent.len();
        let last_reference = self.sequence.covered.max(self.last_head);
        if last_reference as usize > words
            && let Some((row, kind)) = beyond_the_end(self.sent)
        {
            return Err((line + line_of_row(self.text, row), kind));
        }
        match self.roles {
            None => Ok(()),
            Some(roles) => roles.finish(self.sent, line, warnings).map_err(|kind| (line, kind)),
        }
    }
}

/// The first row that refers to a word behind the last one.
fn beyond_the_end(sent: &Sentence) -> Option<(usize, ReadErrorKind)> {
    let len = sent.len();
    let problem = |token: Token<'_>| match (token.id(), token.head()) {
        (TokenId::Range(_, last), _) if last as usize > len => Some(ReadErrorKind::Range {
            value: token.id().to_string(),
            problem: "covers words that do not exist",
        }),
        (id, Some(head)) if head as usize > len => {
            Some(ReadErrorKind::HeadOutOfRange { id: id.to_string(), head, len })
        }
        _ => None,
    };
    sent.tokens().find_map(|token| Some((token.index(), problem(token)?)))
}

/// The line of a row inside its block, from 0.
fn line_of_row(text: &str, row: usize) -> u64 {
    let mut rows = text.split('\n').enumerate().filter(|(_, line)| !line.starts_with('#'));
    rows.nth(row).map_or(0, |(line, _)| line as u64)
}

/// The shared tasks separate columns by any white space: tabs, in a block that has only spaces.
fn tabs_for_spaces<'a>(text: &'a str, line: u64, warnings: &mut Warnings) -> Cow<'a, str> {
    if text.contains('\t') || !text.contains(' ') {
        return Cow::Borrowed(text);
    }
    warnings.add(WarningKind::SpacesForTabs, line);
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with('#') {
            result.push_str(line);
            continue;
        }
        for (index, field) in line.split_ascii_whitespace().enumerate() {
            result.push_str(if index > 0 { "\t" } else { "" });
            result.push_str(field);
        }
        result.push('\n');
    }
    Cow::Owned(result)
}

/// Appends a sentence and its blank line.
pub(super) fn write(layout: &Layout, sent: &Sentence, out: &mut Vec<u8>) {
    if layout.full {
        for comment in sent.comments() {
            out.extend_from_slice(comment.as_bytes());
            out.push(b'\n');
        }
    }
    let columns: Vec<_> = layout.extra.iter().map(|name| sent.extra_column(name)).collect();
    let mut roles = layout
        .has_roles()
        .then(|| RoleWriter::new(sent, layout.slots.contains(&Slot::FillPredicate)));
    for token in sent.tokens().filter(|token| layout.full || token.number().is_some()) {
        for (index, &slot) in layout.slots.iter().enumerate() {
            if index > 0 {
                out.push(b'\t');
            }
            match (slot, &mut roles) {
                (Slot::Extra(extra), _) => match (columns[extra], layout.substitutes[extra]) {
                    (Some(column), _) => {
                        out.extend_from_slice(sent.extra_at(token.index(), column).as_bytes());
                    }
                    (None, Some(slot)) => write_slot(token, slot, out),
                    (None, None) => out.push(b'_'),
                },
                (Slot::FillPredicate, Some(roles)) => roles.write_flag(token, out),
                (Slot::Predicate, Some(roles)) => roles.write_sense_and_arguments(token, out),
                _ => write_slot(token, slot, out),
            }
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// Appends the value of a slot that is part of every sentence.
fn write_slot(token: Token<'_>, slot: Slot, out: &mut Vec<u8>) {
    match slot {
        Slot::Id => write_id(token.id(), out),
        Slot::Head => match token.head() {
            Some(head) => write_number(head, out),
            None => out.push(b'_'),
        },
        Slot::Text(column) => out.extend_from_slice(token.get(column).as_bytes()),
        Slot::Tag => {
            let tag = if token.xpos() == "_" { token.upos() } else { token.xpos() };
            out.extend_from_slice(tag.as_bytes());
        }
        Slot::Extra(_) | Slot::FillPredicate | Slot::Predicate => out.push(b'_'),
    }
}

fn write_id(id: TokenId, out: &mut Vec<u8>) {
    let (first, second) = match id {
        TokenId::Word(word) => (word, None),
        TokenId::Range(first, last) => (first, Some((b'-', last))),
        TokenId::Empty(word, index) => (word, Some((b'.', index))),
    };
    write_number(first, out);
    if let Some((separator, number)) = second {
        out.push(separator);
        write_number(number, out);
    }
}
