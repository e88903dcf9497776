//! The lines of a sentence as the validator sees them: nothing repaired, nothing skipped.

use std::io::{self, BufRead};

/// Reads blocks of lines. Every blank line ends a block, so that a superfluous one is a block of its own.
pub(super) struct BlockLines<R> {
    input: R,
    bytes: Vec<u8>,
    /// Number of the last line read.
    pub(super) line: u64,
    /// Whether a line ended in CR LF.
    pub(super) carriage_returns: bool,
}

impl<R: BufRead> BlockLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, bytes: Vec::new(), line: 0, carriage_returns: false }
    }

    /// The next block as text without its last line feed, and the number of its first line; `None` at the end.
    ///
    /// Bytes that are not UTF-8 become U+FFFD, which is a finding of its own.
    pub(super) fn next(&mut self) -> io::Result<Option<(String, u64)>> {
        self.bytes.clear();
        let first = self.line + 1;
        loop {
            let start = self.bytes.len();
            if self.input.read_until(b'\n', &mut self.bytes)? == 0 {
                break;
            }
            self.line += 1;
            if self.bytes.ends_with(b"\r\n") {
                self.carriage_returns = true;
                self.bytes.truncate(self.bytes.len() - 2);
                self.bytes.push(b'\n');
            }
            if String::from_utf8_lossy(&self.bytes[start..]).chars().all(char::is_whitespace) {
                break;
            }
        }
        if self.line < first {
            return Ok(None);
        }
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        Ok(Some((String::from_utf8_lossy(bytes).into_owned(), first)))
    }
}

/// The identifier of a row. Numbers too large for the machine count as the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id {
    Word(u64),
    Range(u64, u64),
    Empty(u64, u64),
    Invalid,
}

impl Id {
    pub(super) fn new(text: &str) -> Self {
        let positive = |text: &str| decimal(text).filter(|_| !text.starts_with('0'));
        let parsed = if let Some((first, last)) = text.split_once('-') {
            positive(first).zip(positive(last)).map(|(first, last)| Id::Range(first, last))
        } else if let Some((word, index)) = text.split_once('.') {
            decimal(word).zip(positive(index)).map(|(word, index)| Id::Empty(word, index))
        } else {
            positive(text).map(Id::Word)
        };
        parsed.unwrap_or(Id::Invalid)
    }
}

/// A number of ASCII digits, leading zeros allowed.
pub(super) fn decimal(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

pub(super) const COLUMNS: [&str; 10] =
    ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"];

/// A row with ten columns.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) line: u64,
    pub(super) id: Id,
    pub(super) columns: [&'a str; 10],
}

impl<'a> Row<'a> {
    /// The row on `line`, or its number of columns when that is not ten.
    pub(super) fn new(line: u64, text: &'a str) -> Result<Self, usize> {
        let mut columns = [""; 10];
        let mut found = 0;
        for field in text.split('\t') {
            if let Some(column) = columns.get_mut(found) {
                *column = field;
            }
            found += 1;
        }
        if found == 10 { Ok(Self { line, id: Id::new(columns[0]), columns }) } else { Err(found) }
    }

    pub(super) fn form(&self) -> &'a str {
        self.columns[1]
    }

    pub(super) fn head(&self) -> &'a str {
        self.columns[6]
    }

    pub(super) fn deps(&self) -> &'a str {
        self.columns[8]
    }

    pub(super) fn misc(&self) -> &'a str {
        self.columns[9]
    }

    pub(super) fn is_word(&self) -> bool {
        matches!(self.id, Id::Word(_))
    }

    pub(super) fn is_range(&self) -> bool {
        matches!(self.id, Id::Range(..))
    }

    pub(super) fn is_empty_node(&self) -> bool {
        matches!(self.id, Id::Empty(..))
    }
}

/// A sentence whose lines have the right shape.
pub(super) struct Block<'a> {
    /// The comment lines.
    pub(super) comments: Vec<&'a str>,
    pub(super) rows: Vec<Row<'a>>,
    /// The line of the first row.
    pub(super) line: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_every_line() {
        let mut lines = BlockLines::new(&b"\n# c\r\n1\xff\n\xc2\xa0\nx"[..]);
        let mut blocks = Vec::new();
        while let Some(block) = lines.next().unwrap() {
            blocks.push(block);
        }
        let expected = [("", 1), ("# c\n1\u{fffd}\n\u{a0}", 2), ("x", 5)];
        assert_eq!(blocks, expected.map(|(text, line)| (text.to_owned(), line)));
        assert_eq!((lines.line, lines.carriage_returns), (5, true));
    }

    #[test]
    fn identifiers_follow_the_official_patterns() {
        let cases = [
            ("12", Id::Word(12)),
            ("3-4", Id::Range(3, 4)),
            ("00.1", Id::Empty(0, 1)),
            ("99999999999999999999", Id::Word(u64::MAX)),
        ];
        for (text, id) in cases {
            assert_eq!(Id::new(text), id, "{text}");
        }
        for text in ["", "0", "01", "1-", "0-1", "1.0", "1-2-3", "1.1.1", "+1", " 1", "１"] {
            assert_eq!(Id::new(text), Id::Invalid, "{text}");
        }
    }
}
