//! A whole treebank in memory that knows the lines it came from, so that messages can name them.

use std::path::Path;

use super::error::Place;
use crate::format::Format;
use crate::read::{ReadError, TreebankReader, Warnings};
use crate::sentence::Sentence;

/// The sentences of a file.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    sentences: Vec<Sentence>,
    /// First line of each sentence, and the line after its last.
    lines: Vec<(u64, u64)>,
    warnings: Warnings,
}

impl Document {
    /// Sentences from elsewhere than a file; lines are counted as if they stood in a CoNLL-U file.
    #[must_use]
    pub fn new(name: &str, sentences: Vec<Sentence>) -> Self {
        let mut next = 1;
        let lines = sentences.iter().map(|sent| {
            let first = next;
            next += (sent.comments().len() + sent.token_count()) as u64 + 1;
            (first, next - 1)
        });
        let lines = lines.collect();
        Self { name: name.to_owned(), sentences, lines, warnings: Warnings::default() }
    }

    /// Reads a file, or standard input for `-`; see [`TreebankReader::open`].
    ///
    /// # Errors
    /// The first error in the file.
    pub fn load(path: &Path, format: Option<Format>) -> Result<Self, ReadError> {
        Self::read(TreebankReader::open(path, format)?)
    }

    /// Reads the rest of a stream.
    ///
    /// # Errors
    /// The first error in the stream.
    pub fn read(mut reader: TreebankReader) -> Result<Self, ReadError> {
        let (mut sentences, mut lines) = (Vec::new(), Vec::new());
        let mut sent = Sentence::new();
        while reader.read(&mut sent)? {
            lines.push((reader.sentence_line(), reader.line()));
            sentences.push(std::mem::take(&mut sent));
        }
        let warnings = reader.warnings().clone();
        Ok(Self { name: reader.name().to_owned(), sentences, lines, warnings })
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sentences.
    #[must_use]
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// What was odd in the file.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// Number of words.
    #[must_use]
    pub fn word_count(&self) -> usize {
        self.sentences.iter().map(Sentence::len).sum()
    }

    /// Whether any word has enhanced dependencies.
    #[must_use]
    pub fn has_enhanced(&self) -> bool {
        self.sentences.iter().flat_map(Sentence::words).any(|word| word.deps().next().is_some())
    }

    /// Whether any sentence has predicates.
    #[must_use]
    pub fn has_predicates(&self) -> bool {
        self.sentences.iter().any(|sent| !sent.predicates().is_empty())
    }

    pub(super) fn sentences_mut(&mut self) -> &mut [Sentence] {
        &mut self.sentences
    }

    /// Where a sentence stands.
    pub(super) fn place(&self, sentence: usize) -> Place {
        let sent_id = self.sentences[sentence].sent_id().map(str::to_owned);
        Place { name: self.name.clone(), line: self.lines[sentence].0, sent_id }
    }

    /// Where a row of a sentence stands; in formats without a line per token, the last line of the sentence at most.
    pub(super) fn row_place(&self, sentence: usize, row: usize) -> Place {
        let (first, end) = self.lines[sentence];
        let line = first + (self.sentences[sentence].comments().len() + row) as u64;
        Place { line: line.min(end.saturating_sub(1)), ..self.place(sentence) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_file() {
        let text = "\n# sent_id = a\n1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n2\ty\t_\t_\t_\t_\t1\tdep\t_\t_\n\n\
                    1\tz\t_\t_\t_\t_\t0\troot\t_\t_\n";
        let reader = TreebankReader::new(text.as_bytes(), "file", Format::Conllu);
        let document = Document::read(reader).unwrap();
        assert_eq!(document.place(0).to_string(), "file:2 (sentence a)");
        assert_eq!(document.row_place(0, 1).to_string(), "file:4 (sentence a)");
        assert_eq!(document.row_place(1, 0).to_string(), "file:6");
        assert_eq!(document.warnings().iter().count(), 2);
        let copy = Document::new("copy", document.sentences().to_vec());
        assert_eq!(copy.row_place(0, 1).line, 3);
        assert_eq!(copy.row_place(1, 0).line, 5);
    }
}
