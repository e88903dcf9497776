//! One sentence of a treebank: comments, words, multiword tokens, empty nodes, and layers on top.
//!
//! Every reader fills a [`Sentence`], every writer, parser, transformation and scorer takes one. All strings of a sentence
//! live in one arena, so reading costs one copy and a reused sentence allocates nothing; a changed value is appended to the
//! arena and the old bytes stay until [`Sentence::clear`].
//!
//! Words are numbered as in the files: `1..=len`, and `0` is the artificial root. [`Sentence::word`] takes such a number;
//! [`Sentence::token`] takes the position of a row, counting multiword ranges and empty nodes too.
//!
//! ```
//! use spantree_treebank::{Column, Sentence};
//! let mut sent = Sentence::from_words(&[("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root")]);
//! assert_eq!(sent.word(1).form(), "Dogs");
//! assert_eq!(sent.word(1).head(), Some(2));
//! sent.set(1, Column::Lemma, "dog");
//! assert_eq!(sent.tree().unwrap().children(2), [1]);
//! ```

mod token;

use std::sync::Arc;

pub use token::{Column, Dep, Token, TokenId, universal_part};
pub(crate) use token::{number, write_number};

use crate::tree::{Tree, TreeError};

/// A byte range in the arena of its sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// `HEAD` is `_`.
pub(crate) const NO_HEAD: u32 = u32::MAX;

/// The `_` at the start of every arena: the value of a column that a row lacks.
pub(crate) const UNDERSCORE: Span = Span { start: 0, end: 1 };

/// One line of the sentence. `fields` are the text columns in the order of [`Column`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: TokenId,
    pub(crate) head: u32,
    pub(crate) fields: [Span; Column::COUNT],
}

/// Values of columns beyond the ten of CoNLL-U; one per row and name, row by row.
#[derive(Clone, Debug, Default)]
struct Extra {
    names: Arc<[String]>,
    values: Vec<Span>,
}

/// A predicate with its sense and arguments (CoNLL-2008 and CoNLL-2009).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The word that evokes the predicate.
    pub word: u32,
    /// Its roleset, such as `give.01`; `_` when the sense is not annotated.
    pub sense: String,
    /// Argument word and role, in the order of the words.
    pub args: Vec<(u32, String)>,
}

/// A sentence; see the [module](self).
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Starts with `_`, see [`UNDERSCORE`].
    arena: String,
    comments: Vec<Span>,
    rows: Vec<Row>,
    /// Row of each word: word `i` is `rows[words[i - 1]]`.
    words: Vec<u32>,
    extra: Extra,
    predicates: Vec<Predicate>,
}

impl Default for Sentence {
    fn default() -> Self {
        Self::new()
    }
}

impl Sentence {
    /// An empty sentence.
    #[must_use]
    pub fn new() -> Self {
        Self {
            arena: "_".to_owned(),
            comments: Vec::new(),
            rows: Vec::new(),
            words: Vec::new(),
            extra: Extra::default(),
            predicates: Vec::new(),
        }
    }

    /// A sentence of `(form, upos, head, deprel)`; handy for examples and tests.
    #[must_use]
    pub fn from_words(words: &[(&str, &str, u32, &str)]) -> Self {
        let mut sent = Self::new();
        for &(form, upos, head, deprel) in words {
            let word = sent.push_word(form);
            sent.set(word, Column::Upos, upos);
            sent.set_head(word, Some(head));
            sent.set(word, Column::Deprel, deprel);
        }
        sent
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.arena.truncate(1);
        self.comments.clear();
        self.rows.clear();
        self.words.clear();
        self.extra.names = Arc::default();
        self.extra.values.clear();
        self.predicates.clear();
    }

    /// Number of words; multiword ranges and empty nodes do not count.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Number of rows: words, multiword ranges and empty nodes.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.rows.len()
    }

    /// Word `number`, from 1.
    ///
    /// # Panics
    /// When `number` is 0 or larger than [`Sentence::len`].
    #[must_use]
    pub fn word(&self, number: u32) -> Token<'_> {
        self.token(self.row_of_word(number))
    }

    /// The row at `index`, from 0, counting multiword ranges and empty nodes.
    ///
    /// # Panics
    /// When `index` is not below [`Sentence::token_count`].
    #[must_use]
    pub fn token(&self, index: usize) -> Token<'_> {
        Token::new(self, index)
    }

    /// The words from left to right.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = Token<'_>> + ExactSizeIterator {
        self.words.iter().map(|&row| self.token(row as usize))
    }

    /// All rows in the order of the file.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Token<'_>> + ExactSizeIterator {
        (0..self.rows.len()).map(|index| self.token(index))
    }

    /// The surface tokens: multiword ranges, and the words outside them.
    pub fn surface_tokens(&self) -> impl Iterator<Item = Token<'_>> {
        let mut covered = 0;
        self.tokens().filter(move |token| match token.id() {
            TokenId::Range(_, last) => {
                covered = last;
                true
            }
            TokenId::Word(number) => number > covered,
            TokenId::Empty(..) => false,
        })
    }

    /// Head of every word, `None` for `_`.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.words().map(|word| word.head())
    }

    /// The basic tree.
    ///
    /// # Errors
    /// When a head is missing or out of range, or the arcs form a cycle. Several roots are fine here: see [`Tree::root`].
    pub fn tree(&self) -> Result<Tree, TreeError> {
        let mut heads = Vec::with_capacity(self.len());
        for (index, head) in self.heads().enumerate() {
            heads.push(head.ok_or(TreeError::MissingHead { word: index as u32 + 1 })?);
        }
        Tree::new(&heads)
    }

    // ---- comments ----------------------------------------------------------------------------

    /// The comment lines, each with its `#`.
    pub fn comments(&self) -> impl ExactSizeIterator<Item = &str> {
        self.comments.iter().map(|&span| self.str(span))
    }

    /// The value of the first comment `# key = value`; for `newdoc` and `newpar` also of the bare `# key` (an empty string).
    #[must_use]
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.comments().find_map(|line| comment_value(line, key))
    }

    /// Adds a comment line; a missing `#` is put in front and line breaks become spaces.
    pub fn push_comment(&mut self, line: &str) {
        let start = self.arena.len();
        if !line.starts_with('#') {
            self.arena.push_str("# ");
        }
        self.push_clean(line, &['\n', '\r']);
        self.comments.push(Span { start: start as u32, end: self.arena.len() as u32 });
    }

    /// Replaces the first comment `# key = …`, or adds one at the end.
    pub fn set_comment(&mut self, key: &str, value: &str) {
        let found = self.comments().position(|line| comment_value(line, key).is_some());
        self.push_comment(&format!("# {key} = {value}"));
        if let Some(index) = found {
            self.comments.swap_remove(index);
        }
    }

    /// Drops the comments for which `keep` says no.
    pub fn retain_comments(&mut self, mut keep: impl FnMut(&str) -> bool) {
        let arena = &self.arena;
        self.comments.retain(|span| keep(&arena[span.start as usize..span.end as usize]));
    }

    /// `# sent_id`.
    #[must_use]
    pub fn sent_id(&self) -> Option<&str> {
        self.comment("sent_id")
    }

    /// `# text`.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.comment("text")
    }

    // ---- building and changing ---------------------------------------------------------------

    /// Appends a word with this form and `_` everywhere else; returns its number.
    pub fn push_word(&mut self, form: &str) -> u32 {
        let number = self.words.len() as u32 + 1;
        self.push_row(TokenId::Word(number));
        self.set(number, Column::Form, form);
        number
    }

    /// Appends a row with `_` in all columns: the words of a range follow it, an empty node follows its word.
    ///
    /// Ids are not checked here; the readers and [`crate::validate`] do that.
    pub fn push_row(&mut self, id: TokenId) -> usize {
        let index = self.rows.len();
        self.push_parsed(Row { id, head: NO_HEAD, fields: [UNDERSCORE; Column::COUNT] });
        index
    }

    /// Sets a text column of word `number`. Tabs and line breaks in `value` become spaces, an empty value becomes `_`.
    ///
    /// # Panics
    /// When there is no such word.
    pub fn set(&mut self, number: u32, column: Column, value: &str) {
        self.set_token(self.row_of_word(number), column, value);
    }

    /// Sets a text column of the row at `index`, as [`Sentence::set`].
    ///
    /// # Panics
    /// When there is no such row.
    pub fn set_token(&mut self, index: usize, column: Column, value: &str) {
        let span = self.intern(value);
        self.rows[index].fields[column as usize] = span;
    }

    /// Sets the head of word `number`; `None` is `_`.
    ///
    /// # Panics
    /// When there is no such word.
    pub fn set_head(&mut self, number: u32, head: Option<u32>) {
        let row = self.row_of_word(number);
        self.rows[row].head = head.unwrap_or(NO_HEAD);
    }

    /// Sets (`Some`) or removes (`None`) one `key=value` of FEATS or MISC of the row at `index`; FEATS stay sorted.
    pub fn set_attribute(&mut self, index: usize, column: Column, key: &str, value: Option<&str>) {
        let old = self.token(index).get(column).to_owned();
        let is_key = |pair: &str| pair.split_once('=').map_or(pair, |(name, _)| name) == key;
        let mut pairs: Vec<String> = old
            .split('|')
            .filter(|pair| *pair != "_" && !is_key(pair))
            .map(str::to_owned)
            .collect();
        pairs.extend(value.map(|value| format!("{key}={value}")));
        if column == Column::Feats {
            pairs.sort_by_key(|pair| pair.to_lowercase());
        }
        self.set_token(index, column, &pairs.join("|"));
    }

    // ---- further layers ----------------------------------------------------------------------

    /// Names of the columns beyond those of CoNLL-U.
    #[must_use]
    pub fn extra_columns(&self) -> &[String] {
        &self.extra.names
    }

    /// Declares the extra columns; values already there are dropped.
    pub fn set_extra_columns(&mut self, names: Arc<[String]>) {
        self.extra.names = names;
        self.extra.values.clear();
    }

    /// Sets the value of an extra column of the row at `index`; unknown names are ignored.
    pub fn set_extra(&mut self, index: usize, name: &str, value: &str) {
        let Some(column) = self.extra.names.iter().position(|known| known == name) else { return };
        let span = self.intern(value);
        let width = self.extra.names.len();
        if self.extra.values.len() < self.rows.len() * width {
            self.extra.values.resize(self.rows.len() * width, UNDERSCORE);
        }
        self.extra.values[index * width + column] = span;
    }

    /// Predicates and their arguments, in the order of the words.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// Replaces the predicates; they and their arguments are sorted by word. Senses and roles are cleaned as in
    /// [`Sentence::set`].
    pub fn set_predicates(&mut self, mut predicates: Vec<Predicate>) {
        for predicate in &mut predicates {
            predicate.args.sort_by_key(|arg| arg.0);
            clean(&mut predicate.sense);
            predicate.args.iter_mut().for_each(|(_, role)| clean(role));
        }
        predicates.sort_by_key(|predicate| predicate.word);
        self.predicates = predicates;
    }

    // ---- for the readers ---------------------------------------------------------------------

    /// Starts a sentence with `text` in its arena, behind the `_`.
    pub(crate) fn start(&mut self, text: &str) {
        self.clear();
        self.arena.push_str(text);
    }

    pub(crate) fn push_parsed_comment(&mut self, span: Span) {
        self.comments.push(span);
    }

    pub(crate) fn push_parsed(&mut self, row: Row) {
        if let TokenId::Word(_) = row.id {
            self.words.push(self.rows.len() as u32);
        }
        self.rows.push(row);
    }

    pub(crate) fn push_parsed_extra(&mut self, span: Span) {
        self.extra.values.push(span);
    }

    pub(crate) fn row(&self, index: usize) -> &Row {
        &self.rows[index]
    }

    pub(crate) fn str(&self, span: Span) -> &str {
        &self.arena[span.start as usize..span.end as usize]
    }

    /// Which extra column has this name.
    pub(crate) fn extra_column(&self, name: &str) -> Option<usize> {
        self.extra.names.iter().position(|known| known == name)
    }

    /// The value of an extra column, given by its position among them.
    pub(crate) fn extra_at(&self, index: usize, column: usize) -> &str {
        let span = self.extra.values.get(index * self.extra.names.len() + column);
        span.map_or("_", |&span| self.str(span))
    }

    /// Row index of word `number`; number 0 wraps to an index that is always out of range.
    fn row_of_word(&self, number: u32) -> usize {
        self.words[(number as usize).wrapping_sub(1)] as usize
    }

    fn intern(&mut self, value: &str) -> Span {
        if value.is_empty() || value == "_" {
            return UNDERSCORE;
        }
        let start = self.arena.len();
        self.push_clean(value, &['\t', '\n', '\r']);
        Span { start: start as u32, end: self.arena.len() as u32 }
    }

    fn push_clean(&mut self, value: &str, separators: &[char]) {
        if value.contains(separators) {
            self.arena.extend(value.chars().map(|c| if separators.contains(&c) { ' ' } else { c }));
        } else {
            self.arena.push_str(value);
        }
    }
}

/// Makes a value fit for a column: no tabs or line breaks, not empty.
fn clean(value: &mut String) {
    if value.is_empty() {
        value.push('_');
    } else if value.contains(['\t', '\n', '\r']) {
        *value = value.replace(['\t', '\n', '\r'], " ");
    }
}

/// The value when `line` is `# key = value`, or an empty value when it is `# newdoc` or `# newpar`.
fn comment_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix(key)?;
    match rest.trim_start().strip_prefix('=') {
        Some(value) => Some(value.trim()),
        None if matches!(key, "newdoc" | "newpar") => {
            (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some("")
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_replaced_and_kept_in_place() {
        let mut sent = Sentence::new();
        sent.push_comment("# newdoc id = d1");
        sent.push_comment("# newpar");
        sent.push_comment("# text = a = b ");
        sent.push_comment("free remark");
        assert_eq!(sent.comment("newdoc id"), Some("d1"));
        assert_eq!(sent.comment("newdoc"), Some(""));
        assert_eq!(sent.comment("newpar"), Some(""));
        assert_eq!(sent.text(), Some("a = b"));
        assert_eq!(sent.comment("tex"), None);
        sent.set_comment("text", "c");
        let lines: Vec<_> = sent.comments().collect();
        assert_eq!(lines, ["# newdoc id = d1", "# newpar", "# text = c", "# free remark"]);
    }

    #[test]
    fn values_that_would_break_the_file_are_cleaned() {
        let mut sent = Sentence::from_words(&[("a\tb\nc", "X", 0, "root")]);
        sent.set(1, Column::Misc, "");
        assert_eq!(sent.word(1).form(), "a b c");
        assert_eq!(sent.word(1).get(Column::Misc), "_");
    }

    #[test]
    fn surface_tokens_skip_covered_words_and_empty_nodes() {
        let mut sent = Sentence::new();
        let range = sent.push_row(TokenId::Range(1, 2));
        sent.set_token(range, Column::Form, "del");
        sent.push_word("de");
        sent.push_word("el");
        sent.push_row(TokenId::Empty(2, 1));
        sent.push_word("mar");
        let forms: Vec<_> = sent.surface_tokens().map(|token| token.form()).collect();
        assert_eq!(forms, ["del", "mar"]);
        assert_eq!((sent.len(), sent.token_count()), (3, 5));
    }

    #[test]
    fn attributes_are_replaced_sorted_and_removed() {
        let mut sent = Sentence::from_words(&[("x", "X", 0, "root")]);
        sent.set(1, Column::Feats, "Number=Sing|VerbForm=Fin");
        sent.set_attribute(0, Column::Feats, "abbr", Some("Yes"));
        sent.set_attribute(0, Column::Feats, "Number", Some("Plur"));
        assert_eq!(sent.word(1).get(Column::Feats), "abbr=Yes|Number=Plur|VerbForm=Fin");
        for key in ["abbr", "Number", "VerbForm"] {
            sent.set_attribute(0, Column::Feats, key, None);
        }
        assert_eq!(sent.word(1).get(Column::Feats), "_");
    }

    #[test]
    fn extra_columns_default_to_underscore() {
        let mut sent = Sentence::from_words(&[("x", "X", 2, "dep"), ("y", "X", 0, "root")]);
        sent.set_extra_columns(Arc::from(vec!["A".to_owned(), "B".to_owned()]));
        assert_eq!(sent.word(2).extra("B"), Some("_"));
        sent.set_extra(1, "B", "v");
        assert_eq!(sent.word(2).extra("B"), Some("v"));
        assert_eq!(sent.word(1).extra("B"), Some("_"));
        assert_eq!(sent.word(1).extra("C"), None);
    }
}
