//! Writing treebanks, sentence by sentence, in any supported format.

use std::io::{self, Write};
use std::sync::Arc;

use crate::format::{Format, Layout};
use crate::sentence::Sentence;

/// Writes sentences to a stream.
///
/// ```
/// use spantree_treebank::{Format, Sentence, TreebankWriter};
/// let sent = Sentence::from_words(&[("Hi", "INTJ", 0, "root")]);
/// let mut writer = TreebankWriter::new(Vec::new(), Format::Conllu);
/// writer.write(&sent)?;
/// assert_eq!(writer.into_inner(), b"1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TreebankWriter<W> {
    out: W,
    format: Format,
    layout: Option<Arc<Layout>>,
    started: bool,
    /// One sentence, written to `out` at once.
    buffer: Vec<u8>,
}

impl<W: Write> TreebankWriter<W> {
    /// Writes `format` to `out`, with one call per sentence. CoNLL-U Plus gets the extra columns of the first sentence.
    pub fn new(out: W, format: Format) -> Self {
        let layout = (format != Format::ConlluPlus).then(|| Arc::new(format.layout()));
        Self { out, format, layout, started: false, buffer: Vec::new() }
    }

    /// As [`TreebankWriter::new`], with the columns of [`TreebankReader::layout`](crate::TreebankReader::layout).
    pub fn with_layout(out: W, format: Format, layout: Arc<Layout>) -> Self {
        Self { out, format, layout: Some(layout), started: false, buffer: Vec::new() }
    }

    /// Writes one sentence.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, sent: &Sentence) -> io::Result<()> {
        let layout =
            self.layout.get_or_insert_with(|| Arc::new(Layout::plus(sent.extra_columns())));
        if !self.started {
            layout.write_declaration(&mut self.out)?;
            self.started = true;
        }
        self.buffer.clear();
        self.format.write(layout, sent, &mut self.buffer);
        self.out.write_all(&self.buffer)
    }

    /// The stream, in between.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// The stream.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl Sentence {
    /// The sentence as CoNLL-U, with its blank line.
    #[must_use]
    pub fn to_conllu(&self) -> String {
        let mut writer = TreebankWriter::new(Vec::new(), Format::Conllu);
        // Writing to memory cannot fail, and all parts are strings.
        let _ = writer.write(self);
        String::from_utf8(writer.into_inner()).unwrap_or_default()
    }
}
