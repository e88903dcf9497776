//! Vectors of words from elsewhere, such as a pretrained encoder gives: a further input of the network.
//!
//! The network adds a learned projection of the vector of a word to the sum of its embeddings. The vectors themselves are not
//! learned, and a model file does not hold what makes them: it knows the [`EncoderInfo`] by which to ask for it. In training a
//! `Memory` computes them once per sentence.

use std::collections::HashMap;
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spantree_treebank::Sentence;
use thiserror::Error;

use crate::feature::hash;
use crate::train::evaluate::in_parts;

/// Gives words vectors.
pub trait WordVectors: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// What it is known by.
    fn info(&self) -> EncoderInfo;

    /// Adds the vectors of some sentences, in each that of the root first. Those of a sentence depend on its forms alone.
    fn add_vectors(&self, sentences: &[Sentence], vectors: &mut Vec<f32>);
}

/// What an encoder is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncoderInfo {
    /// Numbers per word.
    pub width: usize,
    /// Of all that its vectors depend on.
    pub checksum: u64,
}

impl EncoderInfo {
    /// Wider vectors are refused, whatever a file says.
    pub(crate) const WIDEST: usize = 1 << 16;
}

/// A shared encoder. Two of them are equal if they are known by the same.
#[derive(Clone, Debug)]
pub struct Encoder(Arc<dyn WordVectors>);

impl Encoder {
    /// Shares an encoder.
    #[must_use]
    pub fn new(vectors: impl WordVectors + 'static) -> Self {
        Self(Arc::new(vectors))
    }

    /// What it is known by.
    #[must_use]
    pub fn info(&self) -> EncoderInfo {
        self.0.info()
    }

    /// See [`WordVectors::add_vectors`].
    pub fn add_vectors(&self, sentences: &[Sentence], vectors: &mut Vec<f32>) {
        self.0.add_vectors(sentences, vectors);
    }
}

impl PartialEq for Encoder {
    fn eq(&self, other: &Self) -> bool {
        self.info() == other.info()
    }
}

/// Why an encoder does not go with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncoderMismatch {
    /// None was given.
    #[error(
        "the model was trained with a pretrained encoder (checksum {:016x}) and needs it again: give its folder with --encoder",
        .needed.checksum
    )]
    Missing {
        /// The one that the model needs.
        needed: EncoderInfo,
    },
    /// Another one was given.
    #[error(
        "the model needs the encoder with checksum {:016x} ({} numbers per word), but this one has {:016x} ({}); give the one that it was trained with",
        .needed.checksum, .needed.width, .found.checksum, .found.width
    )]
    Other {
        /// The one that the model needs.
        needed: EncoderInfo,
        /// The one that was given.
        found: EncoderInfo,
    },
    /// One was given in vain.
    #[error("the model takes no encoder; leave it out")]
    NotWanted,
}

/// Whether an encoder is the one that a model needs, if it needs any.
pub(crate) fn check(
    needed: Option<EncoderInfo>,
    found: Option<EncoderInfo>,
) -> Result<(), EncoderMismatch> {
    match (needed, found) {
        (None, None) => Ok(()),
        (Some(needed), Some(found)) if needed == found => Ok(()),
        (Some(needed), Some(found)) => Err(EncoderMismatch::Other { needed, found }),
        (Some(needed), None) => Err(EncoderMismatch::Missing { needed }),
        (None, Some(_)) => Err(EncoderMismatch::NotWanted),
    }
}

/// An encoder that remembers the vectors of some sentences, in 16 bits per number.
#[derive(Debug)]
pub(crate) struct Memory {
    encoder: Encoder,
    known: HashMap<u64, Arc<[Short]>>,
}

/// The upper half of an `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short(u16);

impl Short {
    /// Rounds to the nearest.
    fn new(value: f32) -> Self {
        let bits = value.to_bits();
        Self((bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16)
    }

    pub(crate) fn value(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// Sentences that are encoded at once.
const AT_ONCE: usize = 8;

impl Memory {
    /// Encodes sentences by some threads, and remembers them.
    pub(crate) fn new(encoder: &Encoder, treebanks: [&[Sentence]; 3], threads: usize) -> Self {
        let encode = |part: &[Sentence]| {
            let (mut found, mut vectors) = (Vec::new(), Vec::new());
            for some in part.chunks(AT_ONCE) {
                vectors.clear();
                encoder.add_vectors(some, &mut vectors);
                let mut rest = vectors.as_slice();
                for sent in some {
                    let (own, after) = rest.split_at((sent.len() + 1) * encoder.info().width);
                    found.push((key(sent), own.iter().copied().map(Short::new).collect()));
                    rest = after;
                }
            }
            found
        };
        let parts = treebanks
            .into_iter()
            .flat_map(|some| in_parts(some.len(), threads, |part| encode(&some[part])));
        Self { encoder: encoder.clone(), known: parts.flatten().collect() }
    }

    /// The vectors of a sentence, if they are remembered.
    pub(crate) fn get(&self, sent: &Sentence) -> Option<Arc<[Short]>> {
        self.known.get(&key(sent)).cloned()
    }
}

impl WordVectors for Memory {
    fn info(&self) -> EncoderInfo {
        self.encoder.info()
    }

    fn add_vectors(&self, sentences: &[Sentence], vectors: &mut Vec<f32>) {
        for sent in sentences {
            match self.known.get(&key(sent)) {
                Some(known) => vectors.extend(known.iter().map(|short| short.value())),
                None => self.encoder.add_vectors(std::slice::from_ref(sent), vectors),
            }
        }
    }
}

/// What the vectors of a sentence depend on.
fn key(sent: &Sentence) -> u64 {
    sent.words().fold(0, |key, word| hash::mix(key, hash::text(word.form())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts letters.
    #[derive(Debug)]
    pub(super) struct Letters;

    impl WordVectors for Letters {
        fn info(&self) -> EncoderInfo {
            EncoderInfo { width: 2, checksum: 1 }
        }

        fn add_vectors(&self, sentences: &[Sentence], vectors: &mut Vec<f32>) {
            for sent in sentences {
                vectors.extend([0.0, sent.len() as f32]);
                vectors.extend(sent.words().flat_map(|word| [word.form().len() as f32, 1.01]));
            }
        }
    }

    #[test]
    fn what_is_remembered_is_what_the_encoder_gives_in_eight_bits() {
        let sentences: Vec<_> = ["a b", "abc", "", "de d e f g"]
            .map(|text| {
                let mut sent = Sentence::new();
                text.split_whitespace().for_each(|form| {
                    sent.push_word(form);
                });
                sent
            })
            .into();
        let encoder = Encoder::new(Letters);
        let memory = Memory::new(&encoder, [&sentences[..2], &sentences[2..3], &[]], 2);
        assert!(memory.get(&sentences[1]).is_some() && memory.get(&sentences[3]).is_none());
        let (mut exact, mut remembered) = (Vec::new(), Vec::new());
        encoder.add_vectors(&sentences, &mut exact);
        memory.add_vectors(&sentences, &mut remembered);
        assert_eq!(exact.len(), remembered.len());
        assert!(exact.iter().zip(&remembered).all(|(a, b)| (a - b).abs() <= a.abs() / 256.0));
        assert_eq!(Short::new(-2.0).value(), -2.0);
        assert_eq!(Short::new(1.01).value(), 1.0078125);
    }

    #[test]
    fn an_encoder_goes_with_a_model_that_was_trained_with_it() {
        let [one, other] = [1, 2].map(|checksum| EncoderInfo { width: 2, checksum });
        assert_eq!(check(None, None), Ok(()));
        assert_eq!(check(Some(one), Some(one)), Ok(()));
        assert_eq!(check(Some(one), None), Err(EncoderMismatch::Missing { needed: one }));
        assert_eq!(check(None, Some(one)), Err(EncoderMismatch::NotWanted));
        let error = check(Some(one), Some(other)).unwrap_err();
        assert_eq!(error, EncoderMismatch::Other { needed: one, found: other });
    }
}
