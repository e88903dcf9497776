//! Views of one row of a sentence, and its identifier.

use std::fmt;
use std::str::FromStr;

use super::{NO_HEAD, Sentence};

/// Identifier of a row: `3`, `3-4` or `3.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenId {
    /// A word, from 1.
    Word(u32),
    /// A multiword token that covers the words from the first to the second number.
    Range(u32, u32),
    /// The n-th empty node after a word (0 = before the first word).
    Empty(u32, u32),
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TokenId::Word(word) => write!(f, "{word}"),
            TokenId::Range(first, last) => write!(f, "{first}-{last}"),
            TokenId::Empty(word, index) => write!(f, "{word}.{index}"),
        }
    }
}

impl FromStr for TokenId {
    type Err = ();

    /// Plain decimal numbers only: no sign, no leading zero, no white space.
    fn from_str(text: &str) -> Result<Self, ()> {
        let id = if let Some((first, last)) = text.split_once('-') {
            TokenId::Range(positive(first)?, positive(last)?)
        } else if let Some((word, index)) = text.split_once('.') {
            TokenId::Empty(number(word).ok_or(())?, positive(index)?)
        } else {
            TokenId::Word(positive(text)?)
        };
        Ok(id)
    }
}

fn positive(text: &str) -> Result<u32, ()> {
    number(text).filter(|&value| value > 0).ok_or(())
}

/// A plain decimal number below `u32::MAX`, without sign or leading zeros.
pub(crate) fn number(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > 9 || (bytes[0] == b'0' && bytes.len() > 1) {
        return None;
    }
    let mut value = 0;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    Some(value)
}

/// Appends a number in decimal.
pub(crate) fn write_number(mut value: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// The text columns of a row. ID and HEAD are not among them: they are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Column {
    /// FORM
    Form,
    /// LEMMA
    Lemma,
    /// UPOS (the coarse tag in CoNLL-X)
    Upos,
    /// XPOS (the fine tag in CoNLL-X)
    Xpos,
    /// FEATS
    Feats,
    /// DEPREL
    Deprel,
    /// DEPS
    Deps,
    /// MISC
    Misc,
}

impl Column {
    /// Number of text columns.
    pub const COUNT: usize = 8;
    /// All text columns in file order.
    pub const ALL: [Column; Self::COUNT] = [
        Column::Form,
        Column::Lemma,
        Column::Upos,
        Column::Xpos,
        Column::Feats,
        Column::Deprel,
        Column::Deps,
        Column::Misc,
    ];

    /// The name in CoNLL-U's `# global.columns`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL", "DEPS", "MISC"][self as usize]
    }
}

/// One enhanced dependency out of DEPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dep<'a> {
    /// Number of the head word; 0 is the root.
    pub head: u32,
    /// 0 for a word, else the index of the empty node after it.
    pub empty: u32,
    /// The relation, with its subtypes.
    pub label: &'a str,
}

impl<'a> Dep<'a> {
    /// Reads one part of DEPS, `head:label`.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let (head, label) = text.split_once(':')?;
        let (head, empty) = match head.split_once('.') {
            Some((head, empty)) => (number(head)?, number(empty).filter(|&index| index > 0)?),
            None => (number(head)?, 0),
        };
        Some(Self { head, empty, label })
    }
}

/// A row of a sentence: a word, a multiword range or an empty node.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    sent: &'a Sentence,
    index: usize,
}

impl<'a> Token<'a> {
    pub(super) fn new(sent: &'a Sentence, index: usize) -> Self {
        assert!(
            index < sent.token_count(),
            "no row {index} in a sentence of {}",
            sent.token_count()
        );
        Self { sent, index }
    }

    /// Position among all rows, from 0: what [`Sentence::token`] takes.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// The identifier.
    #[must_use]
    pub fn id(self) -> TokenId {
        self.sent.row(self.index).id
    }

    /// The number of a word; `None` for ranges and empty nodes.
    #[must_use]
    pub fn number(self) -> Option<u32> {
        match self.id() {
            TokenId::Word(number) => Some(number),
            _ => None,
        }
    }

    /// The head, 0 for the root; `None` when HEAD is `_`.
    #[must_use]
    pub fn head(self) -> Option<u32> {
        let head = self.sent.row(self.index).head;
        (head != NO_HEAD).then_some(head)
    }

    /// The text of a column; `_` when there is none.
    #[must_use]
    pub fn get(self, column: Column) -> &'a str {
        self.sent.str(self.sent.row(self.index).fields[column as usize])
    }

    /// FORM.
    #[must_use]
    pub fn form(self) -> &'a str {
        self.get(Column::Form)
    }

    /// LEMMA.
    #[must_use]
    pub fn lemma(self) -> &'a str {
        self.get(Column::Lemma)
    }

    /// UPOS.
    #[must_use]
    pub fn upos(self) -> &'a str {
        self.get(Column::Upos)
    }

    /// XPOS.
    #[must_use]
    pub fn xpos(self) -> &'a str {
        self.get(Column::Xpos)
    }

    /// DEPREL, with its subtype.
    #[must_use]
    pub fn deprel(self) -> &'a str {
        self.get(Column::Deprel)
    }

    /// DEPREL up to the first colon.
    #[must_use]
    pub fn universal_deprel(self) -> &'a str {
        universal_part(self.deprel())
    }

    /// The `(name, value)` pairs of FEATS.
    pub fn feats(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        attributes(self.get(Column::Feats))
    }

    /// The value of one feature.
    #[must_use]
    pub fn feat(self, name: &str) -> Option<&'a str> {
        self.feats().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The `(name, value)` pairs of MISC; the value is empty where there is no `=`.
    pub fn misc(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        attributes(self.get(Column::Misc))
    }

    /// The value of one MISC attribute.
    #[must_use]
    pub fn misc_value(self, name: &str) -> Option<&'a str> {
        self.misc().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Whether white space follows in the text (no `SpaceAfter=No`).
    #[must_use]
    pub fn space_after(self) -> bool {
        self.misc_value("SpaceAfter") != Some("No")
    }

    /// The enhanced dependencies; parts of DEPS that are not `head:label` are skipped.
    pub fn deps(self) -> impl Iterator<Item = Dep<'a>> {
        pairs(self.get(Column::Deps)).filter_map(Dep::parse)
    }

    /// The value of a column beyond those of CoNLL-U; `None` when the sentence has no such column.
    #[must_use]
    pub fn extra(self, name: &str) -> Option<&'a str> {
        let column = self.sent.extra_column(name)?;
        Some(self.sent.extra_at(self.index, column))
    }
}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), self.form())
    }
}

/// A relation up to its first colon: `nsubj:pass` → `nsubj`.
#[must_use]
pub fn universal_part(label: &str) -> &str {
    label.split(':').next().unwrap_or(label)
}

fn pairs(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').filter(|part| !part.is_empty() && *part != "_")
}

fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    pairs(text).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_strictly() {
        assert_eq!("12".parse(), Ok(TokenId::Word(12)));
        assert_eq!("3-4".parse(), Ok(TokenId::Range(3, 4)));
        assert_eq!("0.1".parse(), Ok(TokenId::Empty(0, 1)));
        for bad in
            ["", "0", "01", "+1", "1 ", "1-", "0-1", "1.0", "1.", "a", "1-2-3", "4294967296", "１"]
        {
            assert_eq!(bad.parse::<TokenId>(), Err(()), "{bad:?}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for value in [0, 7, 10, 99, 100, 123_456, u32::MAX] {
            let mut out = Vec::new();
            write_number(value, &mut out);
            assert_eq!(out, value.to_string().as_bytes());
        }
    }

    #[test]
    fn enhanced_dependencies_may_point_to_empty_nodes() {
        let mut sent = Sentence::from_words(&[("x", "X", 0, "root")]);
        sent.set(1, Column::Deps, "0:root|2.1:conj:and|broken|x:y");
        let deps: Vec<_> = sent.word(1).deps().collect();
        assert_eq!(
            deps,
            [
                Dep { head: 0, empty: 0, label: "root" },
                Dep { head: 2, empty: 1, label: "conj:and" }
            ]
        );
    }
}
