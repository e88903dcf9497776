//! Reading treebanks, sentence by sentence, in any supported format.
//!
//! [`TreebankReader`] holds one block of lines (a sentence) at a time, so memory is bounded by the longest sentence.
//! Deviations whose meaning is clear (CRLF, a byte order mark, a missing last blank line …) are accepted and collected in
//! [`TreebankReader::warnings`]; everything else is a [`ReadError`] that names file and line. After an error in one sentence
//! the next call goes on with the next sentence.
//!
//! ```
//! use spantree_treebank::{Format, Sentence, TreebankReader};
//! let text = "# sent_id = 1\n1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n";
//! let mut reader = TreebankReader::new(text.as_bytes(), "inline", Format::Conllu);
//! let mut sent = Sentence::new(); // reused: no allocation per sentence
//! while reader.read(&mut sent)? {
//!     assert_eq!(sent.word(1).form(), "Hi");
//! }
//! # Ok::<(), spantree_treebank::ReadError>(())
//! ```

mod block;
mod error;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub(crate) use block::BlockReader;
pub(crate) use error::Located;
pub use error::{ReadError, ReadErrorKind, Warning, WarningKind, Warnings};

use crate::file;
use crate::format::{Format, Layout};
use crate::sentence::Sentence;

/// Reads sentences from a stream; see the [module](self).
pub struct TreebankReader {
    blocks: BlockReader,
    name: Arc<str>,
    format: Format,
    layout: Arc<Layout>,
    warnings: Warnings,
    /// First line of the sentence read last.
    sentence_line: u64,
    failed: bool,
}

impl TreebankReader {
    /// Reads `input` as `format`; `name` stands for it in messages.
    pub fn new(input: impl Read + Send + 'static, name: &str, format: Format) -> Self {
        Self {
            blocks: BlockReader::new(Box::new(input), format.is_by_line()),
            name: Arc::from(name),
            format,
            layout: Arc::new(format.layout()),
            warnings: Warnings::default(),
            sentence_line: 1,
            failed: false,
        }
    }

    /// Opens a file, or standard input for `-`; gzip and Zstandard are recognised by their first bytes.
    ///
    /// Without a format it is taken from the file name, see [`Format::from_path`]; what says nothing is CoNLL-U.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, ReadError> {
        let name = file::display_name(path);
        let format = format.or_else(|| Format::from_path(path)).unwrap_or(Format::Conllu);
        match file::open(path) {
            Ok(input) => Ok(Self::new(input, &name, format)),
            Err(error) => Err(ReadError { name: name.into(), line: 0, kind: error.into() }),
        }
    }

    /// Reads the next sentence into `sent`; `false` at the end of the input.
    ///
    /// # Errors
    /// When the sentence is malformed (the next call reads the one after it) or reading fails (the next call gives `false`).
    /// `sent` is empty then.
    pub fn read(&mut self, sent: &mut Sentence) -> Result<bool, ReadError> {
        sent.clear();
        if self.failed {
            return Ok(false);
        }
        let block = match self.blocks.next(&mut self.warnings) {
            Ok(None) => return Ok(false),
            Ok(Some(block)) => block,
            Err((line, kind)) => {
                self.failed = kind.is_fatal();
                return Err(ReadError { name: self.name.clone(), line, kind });
            }
        };
        self.sentence_line = block.line;
        let result = block.text().and_then(|text| {
            if let Some(layout) = self.format.declared_layout(text, block.line) {
                self.layout = Arc::new(layout.map_err(|kind| (block.line, kind))?);
                self.format = Format::ConlluPlus;
            }
            self.format.parse(&self.layout, text, block.line, sent, &mut self.warnings)
        });
        result.map(|()| true).map_err(|(line, kind)| {
            sent.clear();
            self.failed = kind.is_fatal();
            ReadError { name: self.name.clone(), line, kind }
        })
    }

    /// The format; CoNLL-U becomes CoNLL-U Plus when the first line declares columns.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The columns; those of CoNLL-U Plus are known once the first sentence has been read.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// What was odd but clear, up to here.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// The name given for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were read so far, after decompression.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// The first line of the sentence read last, from 1.
    #[must_use]
    pub fn sentence_line(&self) -> u64 {
        self.sentence_line
    }

    /// The line after the last one read, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.blocks.line()
    }
}

impl Iterator for TreebankReader {
    type Item = Result<Sentence, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut sent = Sentence::new();
        match self.read(&mut sent) {
            Ok(true) => Some(Ok(sent)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// All sentences of a file.
///
/// # Errors
/// The first error of [`TreebankReader::open`] or [`TreebankReader::read`].
pub fn load(path: &Path) -> Result<Vec<Sentence>, ReadError> {
    TreebankReader::open(path, None)?.collect()
}
