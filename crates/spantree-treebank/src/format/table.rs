//! Formats with one token per line and tab-separated columns.
//!
//! A block is copied once into the arena of the sentence; fields are byte ranges in it. Reading checks what every later
//! step relies on: the number of columns, ids in sequence, heads that exist. CoNLL-U is lossless: what [`parse`] accepts
//! without a warning, [`write`] gives back byte for byte.

use std::io::{self, Write};
use std::sync::Arc;

use crate::read::{ReadErrorKind, WarningKind, Warnings};
use crate::sentence::{Column, NO_HEAD, Row, Sentence, Span, TokenId, UNDERSCORE, number};

/// What a column of a file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// ID
    Id,
    /// HEAD
    Head,
    /// A text column of CoNLL-U.
    Text(Column),
    /// A column that CoNLL-U does not have: the n-th of [`Layout::extra`].
    Extra(usize),
}

/// The columns of a file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Slot>,
    extra: Arc<[String]>,
    /// Whether `# global.columns` stands (and is written) as the first line.
    declared: bool,
}

const DECLARATION: &str = "global.columns";

impl Layout {
    /// The ten columns of CoNLL-U.
    #[must_use]
    pub fn conllu() -> Self {
        Self::named("ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC")
    }

    /// CoNLL-X: PHEAD and PDEPREL are extra columns.
    #[must_use]
    pub fn conllx() -> Self {
        Self::named("ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL PHEAD PDEPREL")
    }

    /// CoNLL-U Plus with the columns of CoNLL-U and these behind them.
    #[must_use]
    pub fn plus(extra: &[String]) -> Self {
        let names =
            "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC ".to_owned() + &extra.join(" ");
        Self { declared: true, ..Self::named(&names) }
    }

    /// The columns with these names, separated by white space; names that CoNLL-U does not have become extra columns.
    #[must_use]
    pub fn named(names: &str) -> Self {
        let mut extra = Vec::new();
        let slot = |name: &str| match name {
            "ID" => Slot::Id,
            "HEAD" => Slot::Head,
            _ => match Column::ALL.into_iter().find(|column| column.name() == name) {
                Some(column) => Slot::Text(column),
                None => {
                    extra.push(name.to_owned());
                    Slot::Extra(extra.len() - 1)
                }
            },
        };
        let slots = names.split_whitespace().map(slot).collect();
        Self { slots, extra: extra.into(), declared: false }
    }

    /// The layout of a line `# global.columns = …`; `None` for any other line.
    pub(crate) fn declared(line: &str) -> Option<Result<Self, ReadErrorKind>> {
        let names = declaration(line)?;
        let layout = Self { declared: true, ..Self::named(names) };
        let has = |slot| layout.slots.contains(&slot);
        Some(if !has(Slot::Id) {
            Err(ReadErrorKind::MissingColumn { column: "ID" })
        } else if !has(Slot::Text(Column::Form)) {
            Err(ReadErrorKind::MissingColumn { column: "FORM" })
        } else {
            Ok(layout)
        })
    }

    /// The meaning of each column.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Names of the columns that CoNLL-U does not have.
    #[must_use]
    pub fn extra(&self) -> &Arc<[String]> {
        &self.extra
    }

    fn name(&self, slot: Slot) -> &str {
        match slot {
            Slot::Id => "ID",
            Slot::Head => "HEAD",
            Slot::Text(column) => column.name(),
            Slot::Extra(index) => &self.extra[index],
        }
    }

    /// Writes `# global.columns` for CoNLL-U Plus, nothing for the other formats.
    pub(crate) fn write_declaration(&self, out: &mut impl Write) -> io::Result<()> {
        if self.declared {
            let names: Vec<_> = self.slots.iter().map(|&slot| self.name(slot)).collect();
            writeln!(out, "# {DECLARATION} = {}", names.join(" "))?;
        }
        Ok(())
    }
}

fn declaration(line: &str) -> Option<&str> {
    line.strip_prefix('#')?.trim_start().strip_prefix(DECLARATION)?.trim_start().strip_prefix('=')
}

type Parsed<T> = Result<T, ReadErrorKind>;

/// Reads a block that starts at `line` of its file.
pub(super) fn parse(
    layout: &Layout,
    text: &str,
    line: u64,
    sent: &mut Sentence,
    warnings: &mut Warnings,
) -> Result<(), (u64, ReadErrorKind)> {
    let mut start = sent.start(text);
    sent.set_extra_columns(Arc::clone(&layout.extra));
    let mut sequence = Sequence::default();
    for (number, content) in (line..).zip(text.split_terminator('\n')) {
        let span = Span { start: start as u32, end: (start + content.len()) as u32 };
        start += content.len() + 1;
        if content.starts_with('#') {
            if !(layout.declared && number == 1 && declaration(content).is_some()) {
                sent.push_parsed_comment(span);
            }
            if sent.token_count() > 0 {
                warnings.add(WarningKind::CommentInsideSentence, number);
            }
            continue;
        }
        let row = parse_row(layout, content, span.start, sent).map_err(|kind| (number, kind))?;
        sequence.check(row.id).map_err(|kind| (number, kind))?;
        if row.fields.iter().any(|field| field.start == field.end) {
            warnings.add(WarningKind::EmptyField, number);
        }
        sent.push_parsed(row);
    }
    if sent.token_count() == 0 {
        warnings.add(WarningKind::EmptySentence, line);
    }
    check_ends(sent, &sequence).map_err(|(row, kind)| (line + line_of_row(text, row), kind))
}

/// Reads one token line; `offset` is where it starts in the arena.
fn parse_row(layout: &Layout, content: &str, offset: u32, sent: &mut Sentence) -> Parsed<Row> {
    let mut row = Row { id: TokenId::Word(1), head: NO_HEAD, fields: [UNDERSCORE; Column::COUNT] };
    let (mut id, mut head) = ("", "_");
    let mut found = 0;
    let mut start = 0;
    for field in content.split('\t') {
        let span =
            Span { start: offset + start as u32, end: offset + (start + field.len()) as u32 };
        start += field.len() + 1;
        match layout.slots.get(found) {
            Some(Slot::Text(column)) => row.fields[*column as usize] = span,
            Some(Slot::Id) => id = field,
            Some(Slot::Head) => head = field,
            Some(Slot::Extra(_)) => sent.push_parsed_extra(span),
            None => {}
        }
        found += 1;
    }
    if found != layout.slots.len() {
        return Err(ReadErrorKind::ColumnCount { found, expected: layout.slots.len() });
    }
    row.id = id.parse().map_err(|()| ReadErrorKind::Id { value: id.to_owned() })?;
    if head != "_" {
        let bad = || ReadErrorKind::Head { id: id.to_owned(), value: head.to_owned() };
        row.head = number(head).ok_or_else(bad)?;
    }
    Ok(row)
}

/// Checks that ids come in sequence.
#[derive(Default)]
struct Sequence {
    previous: Option<TokenId>,
    words: u32,
    /// Empty nodes after the last word.
    empty: u32,
    /// Last word of the last range.
    covered: u32,
}

impl Sequence {
    fn check(&mut self, id: TokenId) -> Parsed<()> {
        let expected = match id {
            TokenId::Word(_) => TokenId::Word(self.words + 1),
            TokenId::Range(_, last) => TokenId::Range(self.words + 1, last),
            TokenId::Empty(..) => TokenId::Empty(self.words, self.empty + 1),
        };
        if id != expected {
            return Err(self.out_of_order(id, expected));
        }
        match id {
            TokenId::Word(number) => {
                self.words = number;
                self.empty = 0;
            }
            TokenId::Empty(_, index) => self.empty = index,
            TokenId::Range(first, last) => {
                let problem = if last < first {
                    Some("ends before it starts")
                } else if first <= self.covered {
                    Some("overlaps the range before it")
                } else {
                    None
                };
                if let Some(problem) = problem {
                    return Err(ReadErrorKind::Range { value: id.to_string(), problem });
                }
                self.covered = last;
            }
        }
        self.previous = Some(id);
        Ok(())
    }

    fn out_of_order(&self, id: TokenId, expected: TokenId) -> ReadErrorKind {
        let value = id.to_string();
        let duplicate = match id {
            TokenId::Word(number) => number <= self.words,
            TokenId::Empty(word, index) => word == self.words && index <= self.empty,
            TokenId::Range(first, _) => first <= self.words && first <= self.covered,
        };
        if duplicate {
            return ReadErrorKind::DuplicateId { value };
        }
        let previous = self.previous.map_or_else(|| "nothing".to_owned(), |id| id.to_string());
        ReadErrorKind::IdOrder { value, previous, expected: expected.to_string() }
    }
}

/// Checks what needs the whole sentence; an error names its row.
fn check_ends(sent: &Sentence, sequence: &Sequence) -> Result<(), (usize, ReadErrorKind)> {
    let len = sent.len();
    if sequence.covered as usize > len {
        let range = sent.tokens().rev().find(|token| matches!(token.id(), TokenId::Range(..)));
        let (row, value) =
            range.map_or((0, String::new()), |token| (token.index(), token.id().to_string()));
        return Err((
            row,
            ReadErrorKind::Range { value, problem: "covers words that do not exist" },
        ));
    }
    let beyond = sent
        .tokens()
        .find_map(|token| Some((token, token.head().filter(|&head| head as usize > len)?)));
    match beyond {
        None => Ok(()),
        Some((token, head)) => Err((
            token.index(),
            ReadErrorKind::HeadOutOfRange { id: token.id().to_string(), head, len },
        )),
    }
}

/// The line of a row inside its block, from 0.
fn line_of_row(text: &str, row: usize) -> u64 {
    let mut rows = text.split('\n').enumerate().filter(|(_, line)| !line.starts_with('#'));
    rows.nth(row).map_or(0, |(line, _)| line as u64)
}

/// Writes a sentence and its blank line.
pub(super) fn write(layout: &Layout, sent: &Sentence, out: &mut impl Write) -> io::Result<()> {
    for comment in sent.comments() {
        writeln!(out, "{comment}")?;
    }
    for token in sent.tokens() {
        for (index, &slot) in layout.slots.iter().enumerate() {
            if index > 0 {
                out.write_all(b"\t")?;
            }
            match slot {
                Slot::Id => write!(out, "{}", token.id())?,
                Slot::Head => match token.head() {
                    Some(head) => write!(out, "{head}")?,
                    None => out.write_all(b"_")?,
                },
                Slot::Text(column) => out.write_all(token.get(column).as_bytes())?,
                Slot::Extra(column) => {
                    let value = token.extra(&layout.extra[column]).unwrap_or("_");
                    out.write_all(value.as_bytes())?;
                }
            }
        }
        out.write_all(b"\n")?;
    }
    out.write_all(b"\n")
}
