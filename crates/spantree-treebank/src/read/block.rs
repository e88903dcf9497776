//! Cuts a byte stream into blocks of lines: the sentences of every block-based format, or single lines.
//!
//! The buffer grows to the longest block and is reused. Lines are found with `memchr`; a block is handed out as one slice.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::error::{Located, ReadErrorKind, WarningKind, Warnings};

/// A larger sentence is refused: offsets inside a sentence are 32 bits wide.
const LIMIT: usize = 1 << 30;
const CHUNK: usize = 1 << 16;

/// The lines of one sentence, without the blank line after them.
pub(crate) struct Block<'a> {
    bytes: &'a [u8],
    /// Number of its first line, from 1.
    pub(crate) line: u64,
}

impl<'a> Block<'a> {
    /// The lines as text; every line but perhaps the last ends in LF.
    pub(crate) fn text(&self) -> Located<&'a str> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let bad = error.valid_up_to();
            let before = &self.bytes[..bad];
            let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            let lines = before.iter().filter(|&&byte| byte == b'\n').count();
            (self.line + lines as u64, ReadErrorKind::InvalidUtf8 { byte: bad - start + 1 })
        })
    }
}

pub(crate) struct BlockReader {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The bytes not handed out yet: `buffer[start..end]`.
    start: usize,
    end: usize,
    at_end: bool,
    by_line: bool,
    limit: usize,
    /// Number of the line at `start`.
    line: u64,
    /// Bytes read into the buffer so far.
    bytes: u64,
    /// Holds a block whose carriage returns had to go.
    cleaned: Vec<u8>,
}

/// Where a block lies in the buffer.
struct Extent {
    start: usize,
    end: usize,
    line: u64,
    carriage_returns: u64,
}

impl BlockReader {
    pub(crate) fn new(input: Box<dyn Read + Send>, by_line: bool) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            at_end: false,
            by_line,
            limit: LIMIT,
            line: 1,
            bytes: 0,
            cleaned: Vec::new(),
        }
    }

    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Bytes up to the end of the last block.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes - (self.end - self.start) as u64
    }

    /// The next block; `None` at the end.
    pub(crate) fn next(&mut self, warnings: &mut Warnings) -> Located<Option<Block<'_>>> {
        self.skip_byte_order_mark(warnings).map_err(|error| (self.line, error.into()))?;
        let Some(extent) = self.find_block(warnings)? else { return Ok(None) };
        let bytes = &self.buffer[extent.start..extent.end];
        if extent.carriage_returns == 0 {
            return Ok(Some(Block { bytes, line: extent.line }));
        }
        for _ in 0..extent.carriage_returns {
            warnings.add(WarningKind::CarriageReturn, extent.line);
        }
        self.cleaned.clear();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                Some(content) => {
                    self.cleaned.extend_from_slice(content);
                    self.cleaned.push(b'\n');
                }
                None => self.cleaned.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line)),
            }
        }
        Ok(Some(Block { bytes: &self.cleaned, line: extent.line }))
    }

    fn skip_byte_order_mark(&mut self, warnings: &mut Warnings) -> io::Result<()> {
        if self.line == 1 && self.start == 0 {
            while self.end < 3 && !self.at_end {
                self.fill()?;
            }
            if self.buffer[..self.end].starts_with(b"\xEF\xBB\xBF") {
                warnings.add(WarningKind::ByteOrderMark, 1);
                self.start = 3;
            }
        }
        Ok(())
    }

    /// Finds the next block and moves past it and its blank line.
    fn find_block(&mut self, warnings: &mut Warnings) -> Located<Option<Extent>> {
        // `position` is relative to `start`, which moves when the buffer is refilled.
        let mut position = 0;
        let mut first_line = self.line;
        let mut carriage_returns = 0;
        loop {
            let Some(length) = self.line_length(position)? else {
                return Ok(self.last_block(position, first_line, carriage_returns, warnings));
            };
            let line = &self.buffer[self.start + position..self.start + position + length];
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let blank = content.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
            if blank && !content.is_empty() {
                let kind = match content {
                    b"\r" => WarningKind::CarriageReturn,
                    _ => WarningKind::BlankLineWithSpaces,
                };
                warnings.add(kind, self.line);
            }
            self.line += 1;
            if !blank {
                carriage_returns += u64::from(content.ends_with(b"\r"));
                position += length;
                if !self.by_line {
                    continue;
                }
            } else if position == 0 {
                if !self.by_line {
                    warnings.add(WarningKind::ExtraBlankLine, self.line - 1);
                }
                self.start += length;
                first_line = self.line;
                continue;
            }
            let (start, end) = (self.start, self.start + position);
            self.start = if self.by_line { end } else { end + length };
            return Ok(Some(Extent { start, end, line: first_line, carriage_returns }));
        }
    }

    /// What is left when the input ends without a blank line.
    fn last_block(
        &mut self,
        position: usize,
        line: u64,
        carriage_returns: u64,
        warnings: &mut Warnings,
    ) -> Option<Extent> {
        if position == 0 {
            return None;
        }
        warnings.add(WarningKind::MissingFinalBlankLine, self.line - 1);
        let (start, end) = (self.start, self.start + position);
        self.start = end;
        Some(Extent { start, end, line, carriage_returns })
    }

    /// Length of the line at `start + position`, with its line feed; `None` at the end of the input.
    fn line_length(&mut self, position: usize) -> Located<Option<usize>> {
        let mut searched = 0;
        loop {
            let from = self.start + position;
            if let Some(found) = memchr(b'\n', &self.buffer[from + searched..self.end]) {
                return Ok(Some(searched + found + 1));
            }
            searched = self.end - from;
            if self.at_end {
                return Ok((searched > 0).then_some(searched));
            }
            if self.end - self.start >= self.limit {
                let limit = self.limit;
                return Err((self.line, ReadErrorKind::SentenceTooLarge { limit }));
            }
            self.fill().map_err(|error| (self.line, error.into()))?;
        }
    }

    /// Reads more bytes, after moving what is left to the front of the buffer.
    fn fill(&mut self) -> io::Result<()> {
        if self.buffer.len() - self.end < CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.buffer.len() - self.end < CHUNK {
                self.buffer.resize((self.buffer.len() * 2).max(4 * CHUNK), 0);
            }
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.bytes += read as u64;
        self.at_end = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte per call, the worst case for refilling.
    struct OneByte<'a>(&'a [u8]);

    impl Read for OneByte<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
            out[0] = first;
            self.0 = rest;
            Ok(1)
        }
    }

    /// Line and text of each block; kind, line and count of each warning.
    type Blocks = (Vec<(u64, String)>, Vec<(WarningKind, u64, u64)>);

    fn blocks(text: &'static str, by_line: bool) -> Blocks {
        let mut reader = BlockReader::new(Box::new(OneByte(text.as_bytes())), by_line);
        let mut warnings = Warnings::default();
        let mut found = Vec::new();
        while let Some(block) = reader.next(&mut warnings).unwrap() {
            found.push((block.line, block.text().unwrap().to_owned()));
        }
        (found, warnings.iter().map(|w| (w.kind, w.line, w.count)).collect())
    }

    #[test]
    fn blocks_end_at_blank_lines() {
        let (found, warnings) = blocks("a\nb\n\nc\n\n", false);
        assert_eq!(found, [(1, "a\nb\n".to_owned()), (4, "c\n".to_owned())]);
        assert!(warnings.is_empty());
    }

    #[test]
    fn odd_line_ends_are_repaired_with_a_warning() {
        let (found, warnings) = blocks("\u{feff}\r\na\r\nb\r\n \r\n\nc", false);
        assert_eq!(found, [(2, "a\nb\n".to_owned()), (6, "c".to_owned())]);
        let expected = [
            (WarningKind::ByteOrderMark, 1, 1),
            (WarningKind::CarriageReturn, 1, 3),
            (WarningKind::ExtraBlankLine, 1, 2),
            (WarningKind::BlankLineWithSpaces, 4, 1),
            (WarningKind::MissingFinalBlankLine, 6, 1),
        ];
        assert_eq!(warnings, expected);
    }

    #[test]
    fn a_carriage_return_before_the_blank_line_counts() {
        let (found, warnings) = blocks("a\n\r\n", false);
        assert_eq!(found, [(1, "a\n".to_owned())]);
        assert_eq!(warnings, [(WarningKind::CarriageReturn, 2, 1)]);
    }

    #[test]
    fn a_block_without_end_is_refused() {
        let endless = io::repeat(b'x');
        let mut reader = BlockReader::new(Box::new(endless), false);
        reader.limit = 1 << 20;
        let Err((line, kind)) = reader.next(&mut Warnings::default()) else { panic!("accepted") };
        let message = "more than 1048576 bytes without a blank line; is this a treebank?";
        assert_eq!((line, kind.to_string()), (1, message.to_owned()));
    }

    #[test]
    fn single_lines() {
        let (found, _) = blocks("a\n\nb\nc", true);
        assert_eq!(found, [(1, "a\n".to_owned()), (3, "b\n".to_owned()), (4, "c".to_owned())]);
    }

    #[test]
    fn empty_inputs() {
        for text in ["", "\n", "\n\n \n"] {
            assert!(blocks(text, false).0.is_empty(), "{text:?}");
        }
    }
}
