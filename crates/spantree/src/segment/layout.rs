//! From treebank to raw text: the paragraphs that a segmenter is trained and measured on, with their gold tokens.
//!
//! The text of a sentence is its `# text`, or is rebuilt from forms and MISC. Sentences of a paragraph are joined by the
//! white space that MISC gives, or by one space, or by nothing after `SpaceAfter=No`; `# newdoc`, `# newpar` and white space
//! with a blank line start a new paragraph. A treebank that says nothing about spaces gets them by rule: none in scripts
//! that are written without, else none before closing and after opening punctuation.

use std::ops::Range;

use spantree_learn::Rng;
use spantree_treebank::offset::unescape_spaces;
use spantree_treebank::{Sentence, Token, TokenId};

use super::character::{Class, class};

/// A stretch of raw text without blank lines, and what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) tokens: Vec<GoldToken>,
    /// Index behind the last token of each sentence.
    pub(super) sentences: Vec<usize>,
}

/// A token of a treebank in the text of its paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GoldToken {
    pub(super) bytes: Range<usize>,
    /// Its words, if it is a multiword token.
    pub(super) words: Vec<String>,
}

/// How the spaces between tokens are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spacing {
    /// `# text` or MISC says.
    Given,
    /// The script has none.
    Without,
    /// By punctuation.
    Guessed,
}

impl Spacing {
    /// How the spaces of a treebank are known.
    pub(super) fn of(sentences: &[Sentence]) -> Self {
        if has_spacing(sentences) || sentences.iter().any(|sent| sent.text().is_some()) {
            return Spacing::Given;
        }
        let (mut all, mut unspaced) = (0, 0);
        for c in sentences.iter().flat_map(Sentence::words).flat_map(|word| word.form().chars()) {
            all += 1;
            unspaced += usize::from(is_unspaced(c));
        }
        if 2 * unspaced > all { Spacing::Without } else { Spacing::Guessed }
    }
}

/// Whether MISC says anywhere that two tokens stand together.
pub(super) fn has_spacing(sentences: &[Sentence]) -> bool {
    let together =
        |token: Token<'_>| !token.space_after() || token.misc_value("SpacesAfter").is_some();
    sentences.iter().any(|sent| sent.surface_tokens().any(together))
}

/// Characters of scripts without spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer, Tibetan.
fn is_unspaced(c: char) -> bool {
    matches!(class(c), Class::Han | Class::Hiragana | Class::Katakana)
        || matches!(c, '\u{e00}'..='\u{eff}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// The paragraphs of a treebank.
pub(super) fn paragraphs(sentences: &[Sentence], spacing: Spacing) -> Vec<Paragraph> {
    let mut list: Vec<Paragraph> = Vec::new();
    let mut gap = String::new();
    for sent in sentences.iter().filter(|sent| !sent.is_empty()) {
        let Some((text, ranges)) = place_tokens(sent, spacing) else { continue };
        let breaks = sent.comment("newdoc").is_some() || sent.comment("newpar").is_some();
        if list.is_empty() || breaks || gap.matches('\n').count() > 1 {
            list.push(Paragraph::default());
        } else if let Some(paragraph) = list.last_mut() {
            paragraph.text.push_str(&gap);
        }
        if let Some(paragraph) = list.last_mut() {
            paragraph.push(sent, &text, ranges);
        }
        gap = gap_after(sent, spacing);
    }
    list
}

/// The raw text of a treebank, as it is published beside UD treebanks: a blank line between paragraphs.
///
/// A treebank without `# text` and `SpaceAfter` gets its spaces by rule; see the [module](self).
#[must_use]
pub fn raw_text(sentences: &[Sentence]) -> String {
    let mut text = String::new();
    for paragraph in paragraphs(sentences, Spacing::of(sentences)) {
        text.push_str(&paragraph.text);
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

impl Paragraph {
    fn push(&mut self, sent: &Sentence, text: &str, ranges: Vec<Range<usize>>) {
        let base = self.text.len();
        self.text.push_str(text);
        for (token, range) in sent.surface_tokens().zip(ranges) {
            let words = match token.id() {
                TokenId::Range(first, last) => {
                    (first..=last).map(|word| sent.word(word).form().to_owned()).collect()
                }
                _ => Vec::new(),
            };
            self.tokens.push(GoldToken { bytes: base + range.start..base + range.end, words });
        }
        self.sentences.push(self.tokens.len());
    }

    /// A paragraph of some of the sentences.
    pub(super) fn part(&self, sentences: Range<usize>) -> Self {
        let first = sentences.start.checked_sub(1).map_or(0, |before| self.sentences[before]);
        let ends = &self.sentences[sentences];
        let last = ends.last().copied().unwrap_or(first);
        let tokens = &self.tokens[first..last];
        let start = tokens.first().map_or(0, |token| token.bytes.start);
        let end = tokens.last().map_or(start, |token| token.bytes.end);
        let moved = |token: &GoldToken| GoldToken {
            bytes: token.bytes.start - start..token.bytes.end - start,
            words: token.words.clone(),
        };
        Self {
            text: self.text[start..end].to_owned(),
            tokens: tokens.iter().map(moved).collect(),
            sentences: ends.iter().map(|end| end - first).collect(),
        }
    }

    /// Puts line breaks for spaces: after every sentence, or wherever a line of `width` characters is full.
    pub(super) fn break_lines(&mut self, width: Option<usize>) {
        let mut breaks = Vec::new();
        let mut line_start = 0;
        for (index, pair) in self.tokens.windows(2).enumerate() {
            let gap = pair[0].bytes.end..pair[1].bytes.start;
            let full = match width {
                Some(width) => pair[1].bytes.end - line_start > width,
                None => self.sentences.binary_search(&(index + 1)).is_ok(),
            };
            if full && &self.text[gap.clone()] == " " {
                breaks.push(gap.start);
                line_start = gap.end;
            }
        }
        for at in breaks {
            self.text.replace_range(at..=at, "\n");
        }
    }
}

/// The text of a sentence and where its surface tokens are; `None` when the tokens contradict even the rebuilt text.
fn place_tokens(sent: &Sentence, spacing: Spacing) -> Option<(String, Vec<Range<usize>>)> {
    if spacing != Spacing::Given {
        return Some(join(sent, spacing));
    }
    let rebuilt;
    let offsets = match sent.offsets() {
        Ok(offsets) => offsets,
        Err(_) => {
            let mut copy = sent.clone();
            copy.retain_comments(|line| !line.trim_start_matches(['#', ' ']).starts_with("text"));
            rebuilt = copy;
            rebuilt.offsets().ok()?
        }
    };
    let places =
        sent.surface_tokens().map(|token| offsets.of_row(token.index()).map(|place| place.bytes));
    Some((offsets.text().to_owned(), places.collect::<Option<_>>()?))
}

/// Tokens joined by rule.
fn join(sent: &Sentence, spacing: Spacing) -> (String, Vec<Range<usize>>) {
    let (mut text, mut ranges) = (String::new(), Vec::new());
    // Quotation marks whose direction does not show open and close by turns.
    let (mut previous, mut in_quotes) = ("", false);
    for form in sent.surface_tokens().map(Token::form) {
        let straight = form == "\"";
        let opens = if straight { !in_quotes } else { opens(form) };
        let closes = if straight { in_quotes } else { closes(form) };
        let spaced = match spacing {
            Spacing::Without => ends_in_latin(previous) && starts_in_latin(form),
            _ => !previous.is_empty() && !closes && !(opens_before(previous, in_quotes)),
        };
        if spaced && !text.is_empty() {
            text.push(' ');
        }
        ranges.push(text.len()..text.len() + form.len());
        text.push_str(form);
        in_quotes = if straight { opens } else { in_quotes };
        previous = form;
    }
    (text, ranges)
}

fn opens(form: &str) -> bool {
    matches!(form, "(" | "[" | "{" | "«" | "“" | "„" | "‘" | "¿" | "¡")
}

/// Whether the token before sticks to the next one.
fn opens_before(previous: &str, in_quotes: bool) -> bool {
    opens(previous) || (previous == "\"" && in_quotes)
}

fn closes(form: &str) -> bool {
    let closing = matches!(form, ")" | "]" | "}" | "»" | "”" | "’" | "%" | "...");
    closing
        || form.chars().all(|c| {
            matches!(class(c), Class::FullStop | Class::Comma | Class::Colon | Class::Stop)
        }) && !opens(form)
}

fn ends_in_latin(form: &str) -> bool {
    form.ends_with(|c: char| c.is_ascii_alphanumeric())
}

fn starts_in_latin(form: &str) -> bool {
    form.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// White space between a sentence and the next one.
fn gap_after(sent: &Sentence, spacing: Spacing) -> String {
    let mut gap = String::new();
    let Some(last) = sent.surface_tokens().last() else { return gap };
    match last.misc_value("SpacesAfter") {
        Some(spaces) => unescape_spaces(spaces, &mut gap),
        None if last.space_after() && spacing != Spacing::Without => gap.push(' '),
        None => {}
    }
    gap
}

/// Paragraphs with other line breaks than the treebank's, which has none: short runs of sentences, one a line or wrapped.
pub(super) fn with_line_breaks(paragraphs: &[Paragraph], rng: &mut Rng) -> Vec<Paragraph> {
    let mut list = Vec::new();
    for paragraph in paragraphs {
        let mut start = 0;
        while start < paragraph.sentences.len() {
            let end = (start + 1 + rng.below(8)).min(paragraph.sentences.len());
            if rng.below(5) == 0 {
                let mut part = paragraph.part(start..end);
                part.break_lines((rng.below(2) == 0).then(|| 50 + rng.below(40)));
                list.push(part);
            }
            start = end;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use spantree_treebank::{Column, Format, TreebankReader};

    fn sentence(words: &[(&str, &str)]) -> Sentence {
        let mut sent = Sentence::new();
        for (form, misc) in words {
            let word = sent.push_word(form);
            sent.set(word, Column::Misc, misc);
        }
        sent
    }

    #[test]
    fn sentences_are_joined_as_misc_says() {
        let mut list = vec![
            sentence(&[("Yes", "SpaceAfter=No"), (".", "_")]),
            sentence(&[("No", "SpaceAfter=No"), ("!", "SpaceAfter=No")]),
            sentence(&[("So", "SpacesAfter=\\n")]),
            sentence(&[("There", "_")]),
        ];
        assert_eq!(raw_text(&list), "Yes. No!So\nThere\n");
        list[1].push_comment("# newpar");
        list[3].push_comment("# newdoc id = x");
        assert_eq!(raw_text(&list), "Yes.\n\nNo!So\n\nThere\n");
    }

    #[test]
    fn spaces_are_guessed_where_nothing_is_known() {
        let words = ["He", "said", ":", "\"", "Come", "(", "now", ")", "!", "\"", "."];
        let sent = sentence(&words.map(|form| (form, "_")));
        assert_eq!(raw_text(&[sent]), "He said: \"Come (now)!\".\n");
        let words = ["その", "例外の", "一つが", "Mac", "OS", "、"];
        let sent = sentence(&words.map(|form| (form, "_")));
        assert_eq!(raw_text(&[sent]), "その例外の一つがMac OS、\n");
    }

    #[test]
    fn tokens_know_their_place_and_words() {
        let text = "# text = Va  au lac.\n1\tVa\t_\t_\t_\t_\t_\t_\t_\t_\n2-3\tau\t_\t_\t_\t_\t_\t_\t_\t_\n\
            2\tà\t_\t_\t_\t_\t_\t_\t_\t_\n3\tle\t_\t_\t_\t_\t_\t_\t_\t_\n\
            4\tlac\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n5\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
        let reader = TreebankReader::new(text.as_bytes(), "inline", Format::Conllu);
        let list: Vec<_> = reader.map(Result::unwrap).collect();
        let list = [list[0].clone(), list[0].clone()];
        let paragraph = paragraphs(&list, Spacing::Given).remove(0);
        assert_eq!(paragraph.text, "Va  au lac. Va  au lac.");
        assert_eq!(
            paragraph.tokens[1],
            GoldToken { bytes: 4..6, words: vec!["à".into(), "le".into()] }
        );
        assert_eq!(paragraph.sentences, [4, 8]);
        let mut second = paragraph.part(1..2);
        assert_eq!(second, paragraph.part(0..1));
        second.break_lines(Some(3));
        assert_eq!(second.text, "Va  au\nlac.");
        let mut both = paragraph.part(0..2);
        both.break_lines(None);
        assert_eq!(both.text, "Va  au lac.\nVa  au lac.");
    }
}
