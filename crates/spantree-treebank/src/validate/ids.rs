//! Levels 1 and 2: identifiers in sequence, and references to identifiers that exist.

use std::collections::HashSet;

use super::block::{Block, Id, decimal};
use super::catalogue as test;
use super::{Checked, Report, done};

/// Level 1: words `1, 2, …`, ranges before their words, empty nodes behind theirs.
pub(super) fn check_sequence(block: &Block<'_>, report: &mut Report<'_>) -> Checked<()> {
    let mut ok = true;
    let mut state = SequenceState { next_empty: 1, ..SequenceState::default() };
    for row in &block.rows {
        if !matches!(row.id, Id::Empty(..) | Id::Invalid) {
            state.next_empty = 1;
        }
        match row.id {
            Id::Invalid => {
                let message = "not a word number (3), a range (3-4) or an empty node (3.1)";
                report.add(test::INVALID_WORD_ID, row.line, "ID", row.columns[0], message);
                ok = false;
            }
            Id::Word(number) => state.add_word(number, row.line),
            Id::Range(first, last) => {
                if first > state.words.last().copied().unwrap_or(0) {
                    state.tokens.push((first, last, row.line));
                } else {
                    let message = "a multiword range must stand before its first word; move it";
                    report.add(
                        test::MISPLACED_WORD_INTERVAL,
                        row.line,
                        "ID",
                        row.columns[0],
                        message,
                    );
                    ok = false;
                }
            }
            Id::Empty(word, index) => {
                for message in state.add_empty(word, index) {
                    report.add(test::MISPLACED_EMPTY_NODE, row.line, "ID", row.columns[0], message);
                    ok = false;
                }
            }
        }
    }
    ok &= state.check_numbers(block.line, report);
    done(ok)
}

#[derive(Default)]
struct SequenceState {
    words: Vec<u64>,
    /// First and last word of every token, and its line; words outside ranges are tokens too.
    tokens: Vec<(u64, u64, u64)>,
    last_word: u64,
    next_empty: u64,
}

impl SequenceState {
    fn add_word(&mut self, number: u64, line: u64) {
        self.last_word = number;
        self.words.push(number);
        let covered =
            self.tokens.last().is_some_and(|&(first, last, _)| (first..=last).contains(&number));
        if !covered {
            self.tokens.push((number, number, line));
        }
    }

    /// What is wrong with the place of an empty node.
    fn add_empty(&mut self, word: u64, index: u64) -> Vec<String> {
        let mut problems = Vec::new();
        if (word, index) != (self.last_word, self.next_empty) {
            let expected = format!("{}.{}", self.last_word, self.next_empty);
            problems.push(format!("an empty node out of place; here it would be {expected}"));
        }
        self.next_empty += 1;
        if let Some(&(first, last, _)) = self.tokens.last()
            && word == self.last_word
            && word < first
        {
            problems
                .push(format!("an empty node must stand before the range {first}-{last}; move it"));
        }
        problems
    }

    fn check_numbers(&self, line: u64, report: &mut Report<'_>) -> bool {
        let mut ok = true;
        if let Some((&found, expected)) =
            self.words.iter().zip(1..).find(|(found, expected)| *found != expected)
        {
            let message =
                format!("word {found} stands where word {expected} should; number words from 1");
            report.add(test::WORD_ID_SEQUENCE, line, "ID", &found.to_string(), message);
            ok = false;
        }
        for &(first, last, line) in &self.tokens {
            let (test, message) = if last < first {
                (
                    test::REVERSED_WORD_INTERVAL,
                    "a range that ends before it starts; swap its numbers",
                )
            } else if last > self.words.len() as u64 {
                (test::WORD_INTERVAL_OUT, "a token that covers words which do not exist")
            } else {
                continue;
            };
            report.add(test, line, "ID", &format!("{first}-{last}"), message);
            ok = false;
        }
        ok
    }
}

/// Level 1: multiword ranges do not overlap. The sequence has been checked, so they lie inside the sentence.
pub(super) fn check_overlaps(block: &Block<'_>, report: &mut Report<'_>) -> Checked<()> {
    let mut ok = true;
    let mut covered = vec![false; block.rows.len() + 1];
    for row in &block.rows {
        let Id::Range(first, last) = row.id else { continue };
        let words = &mut covered[first as usize..=last as usize];
        if words.contains(&true) {
            let message = "a range that overlaps another one";
            report.add(test::OVERLAPPING_WORD_INTERVALS, row.line, "ID", row.columns[0], message);
            ok = false;
        }
        words.fill(true);
    }
    done(ok)
}

/// Level 2: HEAD and DEPS refer to rows of the sentence.
pub(super) fn check_references(block: &Block<'_>, report: &mut Report<'_>) -> Checked<()> {
    let known: HashSet<&str> =
        block.rows.iter().filter(|row| !row.is_range()).map(|row| row.columns[0]).collect();
    let exists = |id: &str| id == "0" || known.contains(id);
    let mut ok = true;
    for row in block.rows.iter().filter(|row| !row.is_range()) {
        let mut add = |test, column, value: &str, message| {
            report.add(test, row.line, column, value, message);
            ok = false;
        };
        if row.is_word() {
            if !is_plain_number(row.head()) {
                add(
                    test::INVALID_HEAD,
                    "HEAD",
                    row.head(),
                    "HEAD must be 0 or the number of a word",
                );
            }
            if !exists(row.head()) {
                add(test::UNKNOWN_HEAD, "HEAD", row.head(), "HEAD is not in the sentence");
            }
        }
        let Some(deps) = split_deps(row.deps()) else {
            add(
                test::INVALID_DEPS,
                "DEPS",
                row.deps(),
                "DEPS must be _ or head:relation, separated by |",
            );
            continue;
        };
        for (head, _) in deps {
            let (word, index) = head.split_once('.').unwrap_or((head, "1"));
            if !is_plain_number(word) || !is_plain_number(index) || index == "0" {
                add(
                    test::INVALID_EHEAD,
                    "DEPS",
                    head,
                    "a head in DEPS must be 0, a word (3) or an empty node (3.1)",
                );
            }
            if !exists(head) {
                add(test::UNKNOWN_EHEAD, "DEPS", head, "a head in DEPS is not in the sentence");
            }
        }
    }
    done(ok)
}

/// `0`, or a number without leading zeros.
fn is_plain_number(text: &str) -> bool {
    decimal(text).is_some() && (text == "0" || !text.starts_with('0'))
}

/// Head and relation of each enhanced dependency; `None` when a colon is missing.
pub(super) fn split_deps(deps: &str) -> Option<Vec<(&str, &str)>> {
    if deps == "_" {
        return Some(Vec::new());
    }
    deps.split('|').map(|part| part.split_once(':')).collect()
}

/// The numbers of a head in DEPS; an ordinary word has 0 behind the dot.
pub(super) fn node_number(id: &str) -> (u64, u64) {
    let (word, index) = id.split_once('.').unwrap_or((id, "0"));
    (decimal(word).unwrap_or(u64::MAX), decimal(index).unwrap_or(u64::MAX))
}
