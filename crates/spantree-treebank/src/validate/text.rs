//! Level 2: document and paragraph breaks, and `# text` against the forms and `SpaceAfter`.

use std::collections::HashSet;

use super::block::{Block, Id, Row};
use super::catalogue as test;
use super::metadata::comment_value;
use super::{Report, State, is_space};

pub(super) fn check(block: &Block<'_>, state: &mut State, report: &mut Report<'_>) {
    let documents = block.comments.iter().filter(|line| is_break(line, "newdoc")).count();
    let paragraphs = block.comments.iter().filter(|line| is_break(line, "newpar")).count();
    if documents > 1 {
        report.add(test::MULTIPLE_NEWDOC, block.line, "", "", "several newdoc; keep one");
    }
    if paragraphs > 1 {
        report.add(test::MULTIPLE_NEWPAR, block.line, "", "", "several newpar; keep one");
    }
    if documents + paragraphs > 0 && state.no_space_after {
        let message = "a document or paragraph starts, but the sentence before ends in SpaceAfter=No; remove that";
        report.add(test::SPACEAFTER_NEWDOCPAR, block.line, "", "", message);
    }
    let texts: Vec<&str> =
        block.comments.iter().filter_map(|line| comment_value(line, "text")).collect();
    match texts[..] {
        [] => report.add(test::MISSING_TEXT, block.line, "", "", "no text; add # text = …"),
        [text] => check_text(block, text, state, report),
        _ => report.add(test::MULTIPLE_TEXT, block.line, "", texts[1], "several text; keep one"),
    }
}

/// Whether a comment is `# newdoc`, or `# newdoc x` with one word behind it.
fn is_break(comment: &str, key: &str) -> bool {
    let Some(rest) = comment.strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix(key))
    else {
        return false;
    };
    let word = rest.trim_start();
    rest.is_empty()
        || (word.len() < rest.len() && !word.is_empty() && !word.contains(char::is_whitespace))
}

fn check_text(block: &Block<'_>, text: &str, state: &mut State, report: &mut Report<'_>) {
    if text.is_empty() {
        report.add(test::EMPTY_TEXT, block.line, "", "", "the text is empty; give the sentence");
    } else if text.ends_with(is_space) {
        let message = "white space at the end of the text; remove it";
        report.add(test::TEXT_TRAILING_WHITESPACE, block.line, "", text, message);
    }
    let mut rest = text;
    let mut inner_words = HashSet::new();
    let mut mismatch = false;
    for row in &block.rows {
        check_space_after_value(row, block.line, report);
        if !is_surface_token(row, &mut inner_words, report) {
            continue;
        }
        let Some(behind) = rest.strip_prefix(row.form()) else {
            if !std::mem::replace(&mut mismatch, true) {
                report_mismatch(row, rest, report);
            }
            continue;
        };
        rest = behind;
        state.no_space_after = row.misc().split('|').any(|part| part == "SpaceAfter=No");
        if !state.no_space_after {
            if !rest.is_empty() && !rest.starts_with(is_space) {
                let message =
                    format!("the text goes on with {:?}; add SpaceAfter=No", start_of(rest));
                report.add(test::MISSING_SPACEAFTER, row.line, "MISC", row.misc(), message);
            }
            rest = rest.trim_start_matches(is_space);
        }
    }
    if !rest.is_empty() {
        let message = "the text has more than the forms; shorten it or add tokens";
        report.add(test::TEXT_EXTRA_CHARS, block.line, "", rest, message);
    }
}

fn check_space_after_value(row: &Row<'_>, first_line: u64, report: &mut Report<'_>) {
    if row.misc().contains("NoSpaceAfter=Yes") {
        let message = "write SpaceAfter=No instead of NoSpaceAfter=Yes";
        report.add(test::NOSPACEAFTER_YES, first_line, "MISC", row.misc(), message);
    }
    let is_odd = |part: &str| part.starts_with("SpaceAfter=") && part != "SpaceAfter=No";
    if row.misc().split('|').any(is_odd) {
        let message = "SpaceAfter can only be No; SpacesAfter takes other values";
        report.add(test::SPACEAFTER_VALUE, row.line, "MISC", row.misc(), message);
    }
}

/// Whether the row stands in the text; empty nodes and words inside ranges do not, and have no `SpaceAfter=No`.
fn is_surface_token(
    row: &Row<'_>,
    inner_words: &mut HashSet<u64>,
    report: &mut Report<'_>,
) -> bool {
    let (test, message) = match row.id {
        Id::Range(first, last) => {
            inner_words.extend(first..=last);
            return true;
        }
        Id::Word(number) if !inner_words.contains(&number) => return true,
        Id::Word(_) => (
            test::SPACEAFTER_MWT_NODE,
            "SpaceAfter=No on a word inside a multiword token; move it to the range",
        ),
        _ => (test::SPACEAFTER_EMPTY_NODE, "SpaceAfter=No on an empty node; remove it"),
    };
    if row.misc().contains("SpaceAfter=No") {
        report.add(test, row.line, "MISC", row.misc(), message);
    }
    false
}

fn report_mismatch(row: &Row<'_>, rest: &str, report: &mut Report<'_>) {
    let mut message =
        format!("the text goes on with {:?}; correct the text or the form", start_of(rest));
    if rest.starts_with(is_space) {
        message.push_str(", or remove SpaceAfter=No from the token before");
    }
    report.add(test::TEXT_FORM_MISMATCH, row.line, "FORM", row.form(), message);
}

/// At most 20 characters.
fn start_of(text: &str) -> &str {
    text.char_indices().nth(20).map_or(text, |(end, _)| &text[..end])
}
