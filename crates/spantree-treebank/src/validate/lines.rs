//! Level 1: characters, lines and columns.

use std::ops::ControlFlow;

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::block::{Block, COLUMNS, Row};
use super::catalogue as test;
use super::metadata::comment_value;
use super::{Checked, Report, is_space};

/// Checks the lines of a block that starts at `first`; breaks when no further test makes sense.
pub(super) fn check<'a>(text: &'a str, first: u64, report: &mut Report<'_>) -> Checked<Block<'a>> {
    let lines: Vec<&str> = text.split('\n').collect();
    let start = check_lines(&lines, first, report)?;
    let (comments, rest) = lines.split_at(start);
    let rows = match rest.split_last() {
        Some((last, rows)) if is_blank(last) => rows,
        _ => rest,
    };
    let line = first + start as u64;
    let rows = check_columns(rows, line, report)?;
    ControlFlow::Continue(Block { comments: comments.to_vec(), rows, line })
}

fn is_blank(line: &str) -> bool {
    line.chars().all(char::is_whitespace)
}

/// What kinds of lines there are and in which order; gives the number of comments at the top.
fn check_lines(lines: &[&str], first: u64, report: &mut Report<'_>) -> Checked<usize> {
    let (mut ok, mut seen_row, mut comments) = (true, false, None);
    for (index, &line) in lines.iter().enumerate() {
        let number = first + index as u64;
        check_characters(line, number, report);
        if line.starts_with('#') {
            if let Some(id) = comment_value(line, "sent_id").filter(|id| is_one_word(id)) {
                report.sent_id = Some(id.to_owned());
            }
            if comments.is_some() {
                let message = "a comment inside the sentence; move it above the first token";
                report.add(test::MISPLACED_COMMENT, number, "", line, message);
                ok = false;
            }
            continue;
        }
        comments.get_or_insert(index);
        if line.starts_with(is_digit) {
            seen_row = true;
        } else if !is_blank(line) {
            let message = "a line starts with neither a digit nor #; remove or repair it";
            report.add(test::INVALID_LINE, number, "", line, message);
            ok = false;
        } else {
            if !line.is_empty() {
                let message = "a line looks empty but contains white space; remove the white space";
                report.add(test::PSEUDO_EMPTY_LINE, number, "", line, message);
            }
            if !seen_row {
                let message =
                    "no token before the empty line; use one empty line after each sentence";
                report.add(test::EMPTY_SENTENCE, number, "", "", message);
                ok = false;
            }
        }
    }
    if !lines.last().is_some_and(|line| is_blank(line)) {
        let number = first + lines.len() as u64 - 1;
        let message = "no empty line after the sentence; add one at the end of the file";
        report.add(test::MISSING_EMPTY_LINE, number, "", "", message);
        ok = seen_row;
    }
    match comments {
        Some(comments) if ok => ControlFlow::Continue(comments),
        _ => ControlFlow::Break(()),
    }
}

fn is_one_word(value: &str) -> bool {
    !value.is_empty() && !value.contains(char::is_whitespace)
}

fn is_digit(char: char) -> bool {
    char.is_ascii_digit() || char.general_category() == GeneralCategory::DecimalNumber
}

/// Whether a line is proper Unicode.
fn check_characters(line: &str, number: u64, report: &mut Report<'_>) {
    if line.is_ascii() {
        return;
    }
    if let Some((column, field)) = find_field(line, |field| field.contains('\u{fffd}')) {
        let message =
            "bytes that are not UTF-8, or the replacement character U+FFFD; restore the text";
        report.add(test::INVALID_UTF, number, column, field, message);
    }
    if !is_nfc(line) {
        let (column, field) = find_field(line, |field| !is_nfc(field)).unwrap_or(("", line));
        let normal: String = field.nfc().collect();
        let message = format!("characters are not in the composed form NFC; write {normal:?}");
        report.add(test::UNICODE_NORMALIZATION, number, column, field, message);
    }
}

/// The first field of a row (or the whole of another line) that `is_bad`, with the name of its column.
fn find_field(line: &str, is_bad: impl Fn(&str) -> bool) -> Option<(&'static str, &str)> {
    if !line.contains('\t') {
        return is_bad(line).then_some(("", line));
    }
    let mut fields = line.split('\t').enumerate();
    let (index, field) = fields.find(|(_, field)| is_bad(field))?;
    Some((COLUMNS.get(index).copied().unwrap_or(""), field))
}

/// Ten columns per row, with white space only where it may be.
fn check_columns<'a>(
    lines: &[&'a str],
    first: u64,
    report: &mut Report<'_>,
) -> Checked<Vec<Row<'a>>> {
    let mut rows = Vec::with_capacity(lines.len());
    for (number, line) in (first..).zip(lines) {
        match Row::new(number, line) {
            Ok(row) => {
                check_white_space(&row, report);
                rows.push(row);
            }
            Err(found) => {
                let message = format!("{found} columns instead of 10; separate columns by tabs");
                report.add(test::NUMBER_OF_COLUMNS, number, "", line, message);
            }
        }
    }
    if rows.len() == lines.len() { ControlFlow::Continue(rows) } else { ControlFlow::Break(()) }
}

fn check_white_space(row: &Row<'_>, report: &mut Report<'_>) {
    for (name, value) in COLUMNS.into_iter().zip(row.columns) {
        let mut add = |test, message| report.add(test, row.line, name, value, message);
        let may_have_space = matches!(name, "FORM" | "LEMMA" | "MISC");
        let has_space = value.contains(char::is_whitespace);
        if has_space && row.is_range() && matches!(name, "FORM" | "LEMMA") {
            add(
                test::INVALID_WHITESPACE_MWT,
                "white space in a multiword token; split it into tokens",
            );
        } else if has_space && !may_have_space {
            add(test::INVALID_WHITESPACE, "white space is not allowed in this column; remove it");
        } else if value.is_empty() {
            add(test::EMPTY_COLUMN, "an empty column; write _");
        } else {
            if value.starts_with(is_space) {
                add(test::LEADING_WHITESPACE, "white space at the start; remove it");
            }
            if value.ends_with(is_space) {
                add(test::TRAILING_WHITESPACE, "white space at the end; remove it");
            }
            let mut pairs = value.chars().zip(value.chars().skip(1));
            if has_space && pairs.any(|(a, b)| a.is_whitespace() && b.is_whitespace()) {
                add(test::REPEATED_WHITESPACE, "several white space characters in a row; keep one");
            }
        }
    }
}
