//! Tagged text: one sentence per line, `form_TAG form_TAG …`, or with `/` for `_` as in the Brown corpus.
//!
//! The *last* separator of an item divides form and tag, so forms may contain it (`snake_case_NOUN`); one at the very start
//! does not divide. The tag is UPOS (written from XPOS where UPOS is `_`). An item without separator, or with nothing
//! behind it, has no tag. A space inside a form stands as a no-break space (U+00A0), as in UDPipe's horizontal format. Tags
//! that contain the separator cannot be written as they are: it becomes `-`. Everything else is left out.

use super::{single_tag, visible};
use crate::read::{WarningKind, Warnings};
use crate::sentence::{Column, Sentence};

const NO_BREAK_SPACE: char = '\u{a0}';

/// Reads one line.
pub(super) fn parse(
    separator: char,
    text: &str,
    line: u64,
    sent: &mut Sentence,
    warnings: &mut Warnings,
) {
    sent.clear();
    for item in text.split_ascii_whitespace() {
        let (form, tag) = match item.rsplit_once(separator) {
            Some((form, tag)) if !form.is_empty() => (form, tag),
            _ => (item, ""),
        };
        let word = sent.push_word(&form.replace(NO_BREAK_SPACE, " "));
        sent.set(word, Column::Upos, &tag.replace(NO_BREAK_SPACE, " "));
    }
    if sent.is_empty() {
        warnings.add(WarningKind::EmptySentence, line);
    }
}

/// Appends a sentence as one line; a sentence without words is left out.
pub(super) fn write(separator: char, sent: &Sentence, out: &mut Vec<u8>) {
    for (index, word) in sent.words().enumerate() {
        let form = visible(word.form()).replace(char::is_whitespace, "\u{a0}");
        let tag = visible(single_tag(word));
        let tagged = tag != "_";
        out.extend_from_slice(if index > 0 { b" " } else { b"" });
        out.extend_from_slice(form.as_bytes());
        if tagged || form.contains(separator) {
            out.push(separator as u8);
        }
        if tagged {
            let tag = tag.replace(separator, "-").replace(char::is_whitespace, "\u{a0}");
            out.extend_from_slice(tag.as_bytes());
        }
    }
    if !sent.is_empty() {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(separator: char, text: &str) -> Vec<(String, String)> {
        let mut sent = Sentence::new();
        parse(separator, text, 1, &mut sent, &mut Warnings::default());
        sent.words().map(|word| (word.form().to_owned(), word.upos().to_owned())).collect()
    }

    #[track_caller]
    fn check(separator: char, text: &str, expected: &[(&str, &str)]) {
        let found = read(separator, text);
        let found: Vec<_> = found.iter().map(|(form, tag)| (&form[..], &tag[..])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_separator_divides() {
        check('_', "Dogs_NOUN bark_VERB", &[("Dogs", "NOUN"), ("bark", "VERB")]);
        check('_', "a_b_X __PUNCT", &[("a_b", "X"), ("_", "PUNCT")]);
        check(
            '_',
            "bare end_ _ _X __",
            &[("bare", "_"), ("end", "_"), ("_", "_"), ("_X", "_"), ("_", "_")],
        );
        check('_', "New\u{a0}York_PROPN", &[("New York", "PROPN")]);
        check('/', "and/or/CC 1_2/CD", &[("and/or", "CC"), ("1_2", "CD")]);
    }

    #[test]
    fn words_survive_writing_and_reading() {
        let words = [
            ("a_b", "_"),
            ("_", "_"),
            ("_", "X"),
            ("x y", "X"),
            ("_X", "_"),
            ("a", "_"),
            ("/", "SYM"),
        ];
        let mut sent = Sentence::new();
        for (form, tag) in words {
            let word = sent.push_word(form);
            sent.set(word, Column::Upos, tag);
        }
        for separator in ['_', '/'] {
            let mut out = Vec::new();
            write(separator, &sent, &mut out);
            check(separator, std::str::from_utf8(&out).unwrap(), &words);
        }
    }
}
