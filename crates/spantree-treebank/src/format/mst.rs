//! MSTParser's format: per sentence a line of forms, one of tags, one of labels and one of heads, then a blank line.
//!
//! Items are separated by tabs. The line of labels may be missing (MSTParser's unlabelled mode): a sentence in which every
//! DEPREL is `_` is written so. The tag is UPOS, or XPOS where UPOS is `_`; a missing head is `_`. The format has nothing
//! else: comments, lemmas, features, multiword ranges and empty nodes are left out. Defined by the MSTParser distribution
//! (McDonald, Crammer & Pereira 2006).

use super::{single_tag, visible};
use crate::read::{Located, ReadErrorKind, WarningKind, Warnings};
use crate::sentence::{Column, Sentence, Token, number, write_number};

/// Reads a block that starts at `line` of its file.
pub(super) fn parse(
    text: &str,
    line: u64,
    sent: &mut Sentence,
    warnings: &mut Warnings,
) -> Located<()> {
    let mut separator = '\t';
    // Forms may contain spaces, heads do not.
    let has_spaces =
        text.trim_end_matches('\n').rsplit('\n').next().is_some_and(|heads| heads.contains(' '));
    if has_spaces && !text.contains('\t') {
        warnings.add(WarningKind::SpacesForTabs, line);
        separator = ' ';
    }
    sent.clear();
    let mut lines = (line..).zip(text.split_terminator('\n'));
    let count = text.split_terminator('\n').count();
    let columns = match count {
        4 => &[Column::Form, Column::Upos, Column::Deprel][..],
        3 => &[Column::Form, Column::Upos],
        _ => {
            let what = "lines in a block (forms, tags, labels, heads)";
            return Err((line, ReadErrorKind::Count { what, found: count, expected: 4 }));
        }
    };
    for (&column, (number, items)) in columns.iter().zip(&mut lines) {
        if items.split(separator).any(str::is_empty) {
            warnings.add(WarningKind::EmptyField, number);
        }
        read_items(sent, column, items.split(separator)).map_err(|kind| (number, kind))?;
    }
    let (number, heads) = lines.next().unwrap_or((line, ""));
    read_heads(sent, heads.split(separator)).map_err(|kind| (number, kind))
}

/// Fills a column; that of the forms makes the words.
fn read_items<'a>(
    sent: &mut Sentence,
    column: Column,
    items: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ReadErrorKind> {
    if column == Column::Form {
        for form in items {
            sent.push_word(form);
        }
        return Ok(());
    }
    let what = if column == Column::Upos { "tags, one per form" } else { "labels, one per form" };
    check_count(sent, what, items.clone().count())?;
    for (word, item) in (1..).zip(items) {
        sent.set(word, column, item);
    }
    Ok(())
}

fn read_heads<'a>(
    sent: &mut Sentence,
    items: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ReadErrorKind> {
    check_count(sent, "heads, one per form", items.clone().count())?;
    let len = sent.len();
    for (word, item) in (1..).zip(items).filter(|&(_, item)| item != "_") {
        let id = word.to_string();
        let Some(head) = number(item) else {
            return Err(ReadErrorKind::Head { id, value: item.to_owned() });
        };
        if head as usize > len {
            return Err(ReadErrorKind::HeadOutOfRange { id, head, len });
        }
        sent.set_head(word, Some(head));
    }
    Ok(())
}

fn check_count(sent: &Sentence, what: &'static str, found: usize) -> Result<(), ReadErrorKind> {
    let expected = sent.len();
    if found == expected { Ok(()) } else { Err(ReadErrorKind::Count { what, found, expected }) }
}

/// Appends a sentence and its blank line; a sentence without words is left out.
pub(super) fn write(sent: &Sentence, out: &mut Vec<u8>) {
    if sent.is_empty() {
        return;
    }
    write_line(sent, out, |word, out| out.extend_from_slice(visible(word.form()).as_bytes()));
    write_line(sent, out, |word, out| out.extend_from_slice(visible(single_tag(word)).as_bytes()));
    if sent.words().any(|word| word.deprel() != "_") {
        write_line(sent, out, |word, out| out.extend_from_slice(visible(word.deprel()).as_bytes()));
    }
    write_line(sent, out, |word, out| match word.head() {
        Some(head) => write_number(head, out),
        None => out.push(b'_'),
    });
    out.push(b'\n');
}

fn write_line(sent: &Sentence, out: &mut Vec<u8>, write_item: impl Fn(Token<'_>, &mut Vec<u8>)) {
    for (index, word) in sent.words().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        write_item(word, out);
    }
    out.push(b'\n');
}
