//! Segmenting a stream of bytes with bounded memory.
//!
//! Text is worked on in blocks: a paragraph, that is, everything up to a blank line, or its first 64 KiB if it is
//! longer. Of a block that is no whole paragraph the last sentence is left for the next block, so that it is seen complete;
//! a sentence that fills a block is cut before its last token, and a token that fills one is cut there. Where a block ends
//! depends on the text alone, so the result does not depend on the pieces in which the text came.
//!
//! Memory is that of a block and of the largest piece fed. White space between sentences beyond 64 KiB is counted
//! in the offsets, but not written.

use std::collections::VecDeque;
use std::io::{self, Read};

use spantree_treebank::Sentence;

use super::character::is_space;
use super::decode::{Decoder, floor_char_boundary};
use super::output::{Draft, Output, Place};
use super::segmenter::Segmenter;
use super::walk::{Given, Walk};

/// The most text that is worked on at once.
const BLOCK: usize = 1 << 16;

/// What the input is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Running text: sentences and tokens are found, blank lines separate paragraphs.
    #[default]
    Text,
    /// A sentence a line: tokens are found.
    Lines,
    /// A sentence a line, tokens separated by white space; a no-break space stands for a space inside a token.
    Tokens,
}

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What the input is.
    pub input: Input,
    /// Write `TokenRange=start:end` (characters, from the start of the document) in MISC, as UDPipe's option `ranges` does.
    pub ranges: bool,
    /// Longer sentences are cut: later stages take time and memory that grow faster than the sentence.
    pub longest_sentence: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { input: Input::Text, ranges: false, longest_sentence: 1000 }
    }
}

/// One run over a stream; see the [module](self).
///
/// Feed bytes, take sentences until [`Segmentation::next`] says no, feed more; [`Segmentation::finish`] ends a document.
#[derive(Debug)]
pub struct Segmentation<'a> {
    segmenter: &'a Segmenter,
    options: Options,
    decoder: Decoder,
    /// Text that was fed; `start` bytes of it are done.
    text: String,
    start: usize,
    /// Bytes of the text after `start` in which no end of a paragraph was found.
    searched: usize,
    finished: bool,
    /// Line breaks in the white space before `start`: a blank line, or the start of the document, has two.
    line_breaks: usize,
    /// Replaced bytes: place in `text`, byte.
    replaced: VecDeque<(usize, u8)>,
    walk: Walk,
    /// Sentences of the walk that are still to be written, and the next one.
    ready: usize,
    next: usize,
    /// The end of the block and the white space behind it, from `start`.
    block_end: usize,
    output: Output,
}

/// The end of a block.
struct Block {
    /// Of the text, and of the white space behind it; relative to the start.
    text: usize,
    spaces: usize,
    /// Whether it ends a paragraph.
    whole: bool,
}

impl<'a> Segmentation<'a> {
    pub(super) fn new(segmenter: &'a Segmenter, options: Options) -> Self {
        Self {
            segmenter,
            output: Output::new(options.ranges),
            options,
            decoder: Decoder::default(),
            text: String::new(),
            start: 0,
            searched: 0,
            finished: false,
            line_breaks: 2,
            replaced: VecDeque::new(),
            walk: Walk::default(),
            ready: 0,
            next: 0,
            block_end: 0,
        }
    }

    /// Starts a new document, with an id if it has one; what was fed before and not taken is dropped.
    pub fn start_document(&mut self, id: Option<&str>) {
        self.decoder = Decoder::default();
        self.text.clear();
        self.replaced.clear();
        (self.start, self.searched, self.ready, self.next) = (0, 0, 0, 0);
        (self.finished, self.line_breaks) = (false, 2);
        self.output.start_document(id);
    }

    /// Adds bytes of the document.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.forget_done();
        let replaced = &mut self.replaced;
        self.decoder.push(bytes, &mut self.text, |at, byte| replaced.push_back((at, byte)));
    }

    /// The document is over: the next calls of [`Segmentation::next`] give its last sentences.
    pub fn finish(&mut self) {
        let replaced = &mut self.replaced;
        self.decoder.finish(&mut self.text, |at, byte| replaced.push_back((at, byte)));
        self.finished = true;
    }

    /// Overwrites `sent` with the next sentence; `false` when more input is needed, or there is no more.
    pub fn next(&mut self, sent: &mut Sentence) -> bool {
        while self.next == self.ready {
            if !self.work() {
                sent.clear();
                return false;
            }
        }
        self.write(sent);
        true
    }

    /// Reads all sentences of a document and gives each to `take`.
    ///
    /// # Errors
    /// When reading fails, or `take` does.
    pub fn read_all(
        &mut self,
        mut input: impl Read,
        mut take: impl FnMut(&Sentence) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffer = vec![0; BLOCK];
        let mut sent = Sentence::new();
        while !self.finished {
            match input.read(&mut buffer) {
                Ok(0) => self.finish(),
                Ok(length) => self.feed(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            while self.next(&mut sent) {
                take(&sent)?;
            }
        }
        Ok(())
    }

    /// Where the surface tokens of the sentence written last are in the document.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        self.output.places()
    }

    /// Drops text that is done, once it is the larger part, so that moving the rest costs no more than reading it did.
    fn forget_done(&mut self) {
        if self.next < self.ready || 2 * self.start < self.text.len() {
            return;
        }
        self.text.drain(..self.start);
        for (at, _) in &mut self.replaced {
            *at -= self.start;
        }
        self.start = 0;
    }

    /// Segments the next block; `false` when there is none.
    fn work(&mut self) -> bool {
        self.skip_spaces();
        let Some(block) = self.block() else { return false };
        let text = &self.text[self.start..self.start + block.text];
        let tokens = self.options.input == Input::Tokens;
        let sentence = self.options.input != Input::Text;
        let given = Given { tokens, sentence, longest: self.options.longest_sentence.max(1) };
        let space = |c: char| is_space(c) && !(tokens && c == '\u{a0}');
        let mut judge = self.segmenter;
        let Segmenter { facts, splitter, .. } = self.segmenter;
        self.walk.run(text, space, given, facts, splitter, &mut judge);
        if !block.whole {
            self.walk.leave_the_last_sentence();
        }
        (self.next, self.ready, self.searched) = (0, self.walk.sentences.len(), 0);
        self.block_end = block.text + block.spaces;
        true
    }

    /// Takes white space at the start of the text; it belongs to no block.
    fn skip_spaces(&mut self) {
        let rest = &self.text[self.start..];
        let spaces = &rest[..rest.len() - rest.trim_start_matches(is_space).len()];
        if !spaces.is_empty() {
            self.line_breaks += line_breaks(spaces);
            self.output.skip(spaces, BLOCK);
            self.start += spaces.len();
            self.searched = 0;
        }
    }

    /// The next block, if enough text is there to know where it ends. The text starts with no white space.
    fn block(&mut self) -> Option<Block> {
        let rest = &self.text[self.start..];
        let limit = floor_char_boundary(rest, BLOCK);
        let (text, whole) = match paragraph_end(&rest[..limit], self.searched, self.options.input) {
            Ok(end) => (end, true),
            Err(_) if rest.len() > BLOCK => (limit, false),
            Err(_) if self.finished => (rest.trim_end_matches(is_space).len(), true),
            Err(searched) => {
                self.searched = searched;
                return None;
            }
        };
        if !whole || text == 0 {
            return (text > 0).then_some(Block { text, spaces: 0, whole });
        }
        let behind = &rest[text..];
        let spaces = behind.len() - behind.trim_start_matches(is_space).len();
        if spaces == behind.len() && spaces < BLOCK && !self.finished {
            return None;
        }
        Some(Block { text, spaces: spaces.min(floor_char_boundary(behind, BLOCK)), whole })
    }

    /// Writes the next sentence of the block.
    fn write(&mut self, sent: &mut Sentence) {
        let first = self.next.checked_sub(1).map_or(0, |before| self.walk.sentences[before]);
        let draft = Draft {
            text: &self.text[self.start..self.start + self.block_end],
            walk: &self.walk,
            tokens: first..self.walk.sentences[self.next],
            new_paragraph: std::mem::take(&mut self.line_breaks) > 1,
            splitter: &self.segmenter.splitter,
        };
        let (replaced, start) = (&mut self.replaced, self.start);
        let end = self.output.write(sent, &draft, |end| {
            let &(at, byte) = replaced.front().filter(|(at, _)| *at < start + end)?;
            replaced.pop_front();
            Some((at - start, byte))
        });
        self.next += 1;
        if self.next == self.ready {
            let last = self.walk.tokens[draft_end(&self.walk)].end;
            self.line_breaks =
                line_breaks(&self.text[start + self.walk.scan.byte(last)..start + end]);
            self.start += end;
        }
    }
}

fn line_breaks(spaces: &str) -> usize {
    memchr::memchr_iter(b'\n', spaces.as_bytes()).count()
}

/// The index of the last token that was written.
fn draft_end(walk: &Walk) -> usize {
    walk.sentences.last().map_or(0, |&end| end - 1)
}

/// Where a paragraph (or a line) that starts at the start of `text` ends, or from where to search when there is more text.
fn paragraph_end(text: &str, searched: usize, input: Input) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'\n', &bytes[searched..]).map(|at| searched + at) {
        let end = text[..at].trim_end_matches(is_space).len();
        if input != Input::Text {
            return Ok(end);
        }
        let line = text[at + 1..].find(|c: char| c == '\n' || !is_space(c));
        match line.map(|blank| bytes[at + 1 + blank]) {
            Some(b'\n') => return Ok(end),
            Some(_) => {}
            None => return Err(at),
        }
    }
    Err(text.len())
}
