//! Where every token stands in the text of its sentence, in bytes and in characters.
//!
//! The text is `# text` where there is one, else it is rebuilt from the forms with [`Sentence::surface_text`]. Tokens are
//! found in it from left to right: white space around them is skipped, each form (or its `SpacesInToken`) must stand next.
//! Words inside a multiword token get the range of their token; empty nodes have none. O(length of the text).
//!
//! UDPipe keeps unusual white space in MISC, as `SpacesBefore`, `SpacesAfter` and `SpacesInToken`, with the escapes `\s`
//! (space), `\t`, `\r`, `\n`, `\p` (vertical bar) and `\\`; `SpaceAfter=No` stands for none, and nothing for one space.
//!
//! ```
//! use spantree_treebank::{Column, Sentence};
//! let mut sent = Sentence::from_words(&[("Où", "ADV", 0, "root"), ("?", "PUNCT", 1, "punct")]);
//! sent.set(1, Column::Misc, "SpaceAfter=No");
//! let offsets = sent.offsets().unwrap();
//! assert_eq!(offsets.text(), "Où?");
//! let mark = offsets.of_word(2).unwrap();
//! assert_eq!((mark.bytes, mark.chars), (3..4, 2..3));
//! ```

use std::borrow::Cow;
use std::ops::Range;

use thiserror::Error;

use crate::sentence::{Sentence, Token, TokenId};

/// The place of a token in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    /// In bytes of UTF-8.
    pub bytes: Range<usize>,
    /// In Unicode code points.
    pub chars: Range<usize>,
}

/// The places of all tokens of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets<'a> {
    text: Cow<'a, str>,
    /// One per row; `None` for empty nodes.
    rows: Vec<Option<TextRange>>,
    /// Row of each word.
    words: Vec<usize>,
}

/// The text does not contain the tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OffsetError {
    /// A token does not stand where it should.
    #[error(
        "token {id} is {form:?}, but the text goes on with {found:?}; correct # text, FORM or SpaceAfter"
    )]
    Mismatch {
        /// The token.
        id: TokenId,
        /// Its form.
        form: String,
        /// The text at that place, shortened.
        found: String,
    },
    /// Text is left after the last token.
    #[error(
        "the text has {found:?} after the last token; correct # text or add the missing tokens"
    )]
    TextLeft {
        /// What is left, shortened.
        found: String,
    },
}

impl Offsets<'_> {
    /// The text that the ranges refer to.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a word; words inside a multiword token have the place of their token. `None` when there is no such word.
    #[must_use]
    pub fn of_word(&self, number: u32) -> Option<TextRange> {
        let index = (number as usize).checked_sub(1)?;
        self.of_row(*self.words.get(index)?)
    }

    /// The place of the row at `index`; `None` for empty nodes.
    #[must_use]
    pub fn of_row(&self, index: usize) -> Option<TextRange> {
        self.rows.get(index)?.clone()
    }
}

impl Sentence {
    /// The text rebuilt from the surface tokens and the white space that MISC records, without white space at either end.
    #[must_use]
    pub fn surface_text(&self) -> String {
        let mut text = String::new();
        for token in self.surface_tokens() {
            if let Some(spaces) = token.misc_value("SpacesBefore") {
                unescape_spaces(spaces, &mut text);
            }
            match token.misc_value("SpacesInToken") {
                Some(original) => unescape_spaces(original, &mut text),
                None => text.push_str(token.form()),
            }
            match token.misc_value("SpacesAfter") {
                Some(spaces) => unescape_spaces(spaces, &mut text),
                None if token.space_after() => text.push(' '),
                None => {}
            }
        }
        text.truncate(text.trim_end().len());
        text.drain(..text.len() - text.trim_start().len());
        text
    }

    /// The place of every token in `# text`, or else in [`Sentence::surface_text`].
    ///
    /// # Errors
    /// When the tokens are not what `# text` says.
    pub fn offsets(&self) -> Result<Offsets<'_>, OffsetError> {
        let text = self.text().map_or_else(|| Cow::Owned(self.surface_text()), Cow::Borrowed);
        let mut scan = Scan { text: &text, byte: 0, char: 0 };
        let (mut rows, mut words) = (Vec::with_capacity(self.token_count()), Vec::new());
        let (mut covered, mut range) = (0, None);
        for token in self.tokens() {
            let place = match token.id() {
                TokenId::Empty(..) => None,
                TokenId::Word(number) if number <= covered => range.clone(),
                id => {
                    if let TokenId::Range(_, last) = id {
                        covered = last;
                    }
                    range = Some(scan.take(token)?);
                    range.clone()
                }
            };
            if token.number().is_some() {
                words.push(rows.len());
            }
            rows.push(place);
        }
        scan.skip_white_space();
        if scan.rest().is_empty() {
            return Ok(Offsets { rows, words, text });
        }
        Err(OffsetError::TextLeft { found: shortened(scan.rest(), 30) })
    }
}

/// A position in the text.
struct Scan<'a> {
    text: &'a str,
    byte: usize,
    char: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.byte..]
    }

    fn skip_white_space(&mut self) {
        let rest = self.rest();
        let spaces = &rest[..rest.len() - rest.trim_start().len()];
        self.byte += spaces.len();
        self.char += spaces.chars().count();
    }

    /// Moves behind `token`, which must stand next.
    fn take(&mut self, token: Token<'_>) -> Result<TextRange, OffsetError> {
        self.skip_white_space();
        let mut form = Cow::Borrowed(token.form().trim());
        if !self.rest().starts_with(&*form) {
            form = token.misc_value("SpacesInToken").map_or(form, |original| {
                let mut surface = String::new();
                unescape_spaces(original, &mut surface);
                Cow::Owned(surface.trim().to_owned())
            });
        }
        if !self.rest().starts_with(&*form) {
            let (form, found) = (shortened(token.form(), 30), shortened(self.rest(), 30));
            return Err(OffsetError::Mismatch { id: token.id(), form, found });
        }
        let (byte, char) = (self.byte, self.char);
        self.byte += form.len();
        self.char += form.chars().count();
        Ok(TextRange { bytes: byte..self.byte, chars: char..self.char })
    }
}

/// At most `limit` characters, with `…` for the others.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => text[..end].to_owned() + "…",
        None => text.to_owned(),
    }
}

/// Appends `spaces` as `SpacesBefore`, `SpacesAfter` and `SpacesInToken` write it, with UDPipe's escapes.
pub fn escape_spaces(spaces: &str, out: &mut String) {
    for char in spaces.chars() {
        match char {
            ' ' => out.push_str("\\s"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\n' => out.push_str("\\n"),
            '|' => out.push_str("\\p"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
}

/// Appends `spaces` with UDPipe's escapes resolved; an unknown escape stands for itself.
pub fn unescape_spaces(spaces: &str, out: &mut String) {
    let mut chars = spaces.chars();
    while let Some(char) = chars.next() {
        let mut rest = chars.clone();
        let meaning = match (char, rest.next()) {
            ('\\', Some('s')) => ' ',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some('n')) => '\n',
            ('\\', Some('p')) => '|',
            ('\\', Some('\\')) => '\\',
            _ => {
                out.push(char);
                continue;
            }
        };
        out.push(meaning);
        chars = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::Column;

    fn sentence(words: &[(&str, &str)]) -> Sentence {
        let mut sent = Sentence::new();
        for (form, misc) in words {
            let word = sent.push_word(form);
            sent.set(word, Column::Misc, misc);
        }
        sent
    }

    #[test]
    fn white_space_is_rebuilt() {
        let sent = sentence(&[
            ("«", "SpacesBefore=\\n|SpaceAfter=No"),
            ("a", "SpacesAfter=\\s\\s\\t"),
            ("b c", "SpacesInToken=b\\n\\nc|SpacesAfter=\\p\\\\\\x"),
            ("!", "SpacesAfter=\\n"),
        ]);
        assert_eq!(sent.surface_text(), "«a  \tb\n\nc|\\\\x!");
    }

    #[test]
    fn escapes_come_back() {
        let (mut escaped, mut back) = (String::new(), String::new());
        escape_spaces(" \t\r\n|\\s\u{a0}x", &mut escaped);
        assert_eq!(escaped, "\\s\\t\\r\\n\\p\\\\s\u{a0}x");
        unescape_spaces(&escaped, &mut back);
        assert_eq!(back, " \t\r\n|\\s\u{a0}x");
    }

    #[test]
    fn offsets_in_the_rebuilt_text() {
        let sent = sentence(&[("Ça", "_"), ("va", "SpaceAfter=No"), ("?", "_")]);
        let offsets = sent.offsets().unwrap();
        assert_eq!(offsets.text(), "Ça va?");
        let places: Vec<_> = (1..=3).map(|word| offsets.of_word(word).unwrap()).collect();
        let bytes: Vec<_> = places.iter().map(|place| place.bytes.clone()).collect();
        let chars: Vec<_> = places.iter().map(|place| place.chars.clone()).collect();
        assert_eq!((bytes, chars), (vec![0..3, 4..6, 6..7], vec![0..2, 3..5, 5..6]));
        assert_eq!((offsets.of_word(0), offsets.of_word(4)), (None, None));
    }

    #[test]
    fn multiword_tokens_and_empty_nodes() {
        let mut sent = Sentence::new();
        sent.push_comment("# text = del  mar");
        let range = sent.push_row(TokenId::Range(1, 2));
        sent.set_token(range, Column::Form, "del");
        sent.push_word("de");
        sent.push_word("el");
        let empty = sent.push_row(TokenId::Empty(2, 1));
        sent.push_word("mar");
        let offsets = sent.offsets().unwrap();
        for word in [1, 2] {
            assert_eq!(offsets.of_word(word).unwrap().bytes, 0..3);
        }
        assert_eq!(offsets.of_row(range).unwrap().bytes, 0..3);
        assert_eq!(offsets.of_row(empty), None);
        assert_eq!(offsets.of_word(3).unwrap().bytes, 5..8);
    }

    #[test]
    fn a_token_that_is_not_in_the_text_is_named() {
        let mut sent = sentence(&[("Hello", "_"), ("world", "_")]);
        sent.push_comment("# text = Hello there, my dear and patient reader");
        assert_eq!(
            sent.offsets().unwrap_err().to_string(),
            "token 2 is \"world\", but the text goes on with \"there, my dear and patient rea…\"; \
             correct # text, FORM or SpaceAfter"
        );
        sent.set_comment("text", "Hello world !");
        let error = OffsetError::TextLeft { found: "!".to_owned() };
        assert_eq!(sent.offsets(), Err(error));
    }
}
