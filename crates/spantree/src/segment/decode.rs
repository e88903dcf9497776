//! Bytes to text: UTF-8 is taken as it is, and every byte that is not part of a character becomes U+FFFD.
//!
//! The bytes that were replaced are remembered, so that the input can be rebuilt and offsets count the bytes of the input.

/// A decoder that takes its input in pieces of any size.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character whose end has not come.
    pending: Vec<u8>,
}

impl Decoder {
    /// Appends what `bytes` add to the text; `replaced` is given the place in `text` and the byte of each U+FFFD.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        text: &mut String,
        mut replaced: impl FnMut(usize, u8),
    ) {
        let joined;
        let mut rest = if self.pending.is_empty() {
            bytes
        } else {
            self.pending.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.pending);
            &joined[..]
        };
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return;
                }
                Err(error) => error,
            };
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(std::str::from_utf8(valid).unwrap_or_default());
            let Some(bad) = error.error_len() else {
                self.pending.extend_from_slice(after);
                return;
            };
            replace(&after[..bad], text, &mut replaced);
            rest = &after[bad..];
        }
    }

    /// The input is over: what is pending was no character.
    pub(super) fn finish(&mut self, text: &mut String, mut replaced: impl FnMut(usize, u8)) {
        replace(&std::mem::take(&mut self.pending), text, &mut replaced);
    }
}

fn replace(bytes: &[u8], text: &mut String, replaced: &mut impl FnMut(usize, u8)) {
    for &byte in bytes {
        replaced(text.len(), byte);
        text.push(char::REPLACEMENT_CHARACTER);
    }
}

/// The last place up to `at` where a character starts or the text ends.
pub(super) fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> (String, Vec<(usize, u8)>) {
        let (mut text, mut list) = (String::new(), Vec::new());
        let mut decoder = Decoder::default();
        for piece in pieces {
            decoder.push(piece, &mut text, |at, byte| list.push((at, byte)));
        }
        decoder.finish(&mut text, |at, byte| list.push((at, byte)));
        (text, list)
    }

    #[test]
    fn the_result_does_not_depend_on_the_pieces() {
        let bytes = b"a\xffb\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x80\xf0\x9f";
        let whole = decode(&[bytes]);
        assert_eq!(whole.0, "a\u{fffd}bé\u{fffd}\u{fffd}\u{fffd}😀\u{fffd}\u{fffd}");
        let replaced: Vec<_> = whole.1.iter().map(|&(_, byte)| byte).collect();
        assert_eq!(replaced, b"\xff\xed\xa0\x80\xf0\x9f");
        for first in 0..bytes.len() {
            for second in first..bytes.len() {
                assert_eq!(
                    decode(&[&bytes[..first], &bytes[first..second], &bytes[second..]]),
                    whole
                );
            }
        }
    }
}
