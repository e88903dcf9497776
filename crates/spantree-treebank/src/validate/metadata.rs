//! Level 2: `# sent_id` and `# parallel_id`.

use std::collections::hash_map::Entry;

use super::block::{Block, decimal};
use super::catalogue as test;
use super::{Report, State, Test};

/// The value of `# key = value`, without white space before it.
pub(super) fn comment_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix(key)?;
    Some(rest.trim_start().strip_prefix('=')?.trim_start())
}

/// Whether a comment looks like `# key`, well-formed or not.
fn mentions(comment: &str, key: &str) -> bool {
    comment
        .strip_prefix("# ")
        .or_else(|| comment.strip_prefix('#'))
        .is_some_and(|rest| rest.starts_with(key))
}

/// There is one `sent_id`, and no other sentence has it.
pub(super) fn check_sent_id(block: &Block<'_>, state: &mut State, report: &mut Report<'_>) {
    let mut add = |test: Test, value: &str, message: &str| {
        report.add(test, block.line, "", value, message);
    };
    let mut ids = Vec::new();
    for comment in &block.comments {
        match comment_value(comment, "sent_id")
            .filter(|id| !id.is_empty() && !id.contains(char::is_whitespace))
        {
            Some(id) => ids.push(id),
            None if mentions(comment, "sent_id") => {
                add(
                    test::INVALID_SENT_ID,
                    comment,
                    "write # sent_id = id, where id has no white space",
                );
            }
            None => {}
        }
    }
    let id = match ids[..] {
        [] => return add(test::MISSING_SENT_ID, "", "no sent_id; add # sent_id = id"),
        [id] => id,
        _ => return add(test::MULTIPLE_SENT_ID, ids[1], "several sent_id; keep one"),
    };
    if !state.sent_ids.insert(id.to_owned()) {
        add(test::NON_UNIQUE_SENT_ID, id, "another sentence has this sent_id; choose a new one");
    }
    if id.matches('/').count() > 1 {
        add(
            test::SLASH_IN_SENT_ID,
            id,
            "more than one slash in a sent_id; slashes are reserved for parallel treebanks",
        );
    }
}

/// `corpus/sentence`, and the number of its alternative and of its part.
struct ParallelId<'a> {
    sentence: &'a str,
    alternative: Option<u64>,
    part: Option<u64>,
}

impl<'a> ParallelId<'a> {
    fn new(value: &'a str) -> Option<Self> {
        let (corpus, rest) = value.split_once('/')?;
        let (name, suffix) = match rest.split_once('/') {
            Some((name, suffix)) => (name, Some(suffix)),
            None => (rest, None),
        };
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let corpus_ok = !corpus.is_empty() && corpus.bytes().all(|byte| byte.is_ascii_lowercase());
        if !corpus_ok || name.is_empty() || !name.bytes().all(is_name) {
            return None;
        }
        let mut id = Self {
            sentence: &value[..corpus.len() + 1 + name.len()],
            alternative: None,
            part: None,
        };
        let Some(mut suffix) = suffix else { return Some(id) };
        if let Some(rest) = suffix.strip_prefix("alt") {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            id.alternative = Some(positive(&rest[..digits])?);
            suffix = &rest[digits..];
        }
        if let Some(rest) = suffix.strip_prefix("part") {
            id.part = Some(positive(rest)?);
            suffix = "";
        }
        (suffix.is_empty() && (id.alternative.is_some() || id.part.is_some())).then_some(id)
    }
}

fn positive(text: &str) -> Option<u64> {
    decimal(text).filter(|_| !text.starts_with('0'))
}

/// `parallel_id` is optional, but well-formed, unique, and numbered without gaps.
pub(super) fn check_parallel_id(block: &Block<'_>, state: &mut State, report: &mut Report<'_>) {
    let mut add = |test: Test, value: &str, message: &str| {
        report.add(test, block.line, "", value, message);
    };
    let mut ids = Vec::new();
    for comment in &block.comments {
        let value = comment_value(comment, "parallel_id");
        match value.and_then(|value| Some((value, ParallelId::new(value)?))) {
            Some(id) => ids.push(id),
            None if mentions(comment, "parallel_id") => {
                let message = "write # parallel_id = corpus/sentence, if need be with /alt1, /part1 or /alt1part1";
                add(test::INVALID_PARALLEL_ID, comment, message);
            }
            None => {}
        }
    }
    let (value, id) = match &ids[..] {
        [] => return,
        [(value, id)] => (*value, id),
        [_, (value, _), ..] => {
            return add(test::MULTIPLE_PARALLEL_ID, value, "several parallel_id; keep one");
        }
    };
    if !state.parallel_ids.insert(value.to_owned()) {
        return add(test::NON_UNIQUE_PARALLEL_ID, value, "another sentence has this parallel_id");
    }
    let now = (id.alternative, id.part);
    let before = match state.parallel_last.entry(id.sentence.to_owned()) {
        Entry::Occupied(mut entry) => Some(entry.insert(now)),
        Entry::Vacant(entry) => {
            entry.insert(now);
            None
        }
    };
    let message = "alternatives and parts of a sentence count from 1 without gaps, and all or none are numbered";
    if !follows(before.map(|last| last.0), now.0) {
        add(test::PARALLEL_ID_ALT, value, message);
    }
    if !follows(before.map(|last| last.1), now.1) {
        add(test::PARALLEL_ID_PART, value, message);
    }
}

/// Whether a number continues the count; `before` is `None` for the first sentence.
fn follows(before: Option<Option<u64>>, now: Option<u64>) -> bool {
    match (before, now) {
        (Some(None) | None, None) => true,
        (None, Some(number)) => number == 1,
        (Some(Some(last)), Some(number)) => last.checked_add(1) == Some(number),
        (Some(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_ids() {
        let read = |value| ParallelId::new(value).map(|id| (id.sentence, id.alternative, id.part));
        assert_eq!(read("pud/n01-2"), Some(("pud/n01-2", None, None)));
        assert_eq!(read("pud/n01/alt2"), Some(("pud/n01", Some(2), None)));
        assert_eq!(read("pud/n01/alt2part13"), Some(("pud/n01", Some(2), Some(13))));
        assert_eq!(read("pud/n01/part1"), Some(("pud/n01", None, Some(1))));
        for bad in [
            "pud",
            "Pud/n",
            "pud/",
            "pud/N",
            "pud/n/",
            "pud/n/alt0",
            "pud/n/x",
            "pud/n/alt1x",
            "pud/n/part1alt1",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
