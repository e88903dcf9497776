//! From raw text to sentences, tokens and words, learned from a treebank.
//!
//! ```text
//! bytes → text → paragraphs → tokens → sentences → words → Sentence
//! ```
//! A [`Segmenter`] is the loaded model, [`Segmentation`] runs it over a stream of bytes with bounded memory, and
//! [`train()`] learns one. Text, lines of sentences and lines of tokens all go the same way, see [`Input`].
//!
//! Everything is a chain of yes-or-no decisions from left to right, each a sum of hashed weights: does a token end between
//! these characters, or at this space (languages with spaces inside words), does a sentence end behind this token, is this token
//! several words? White space ends tokens unless the treebank has tokens with spaces; blank lines end sentences; web and
//! e-mail addresses and clusters of characters (accents, emoji with joiners) stay whole. The pointwise decisions follow
//! Neubig, Nakata and Mori (2011); deciding sentences after tokens lets them see words on both sides.
//!
//! Nothing is lost: [`Segmentation`] records all white space as UDPipe does, and where the bytes are not UTF-8, the bytes.
//! Time is linear in the text and memory bounded, whatever the text.
//!
//! ```
//! use spantree::segment::{TrainConfig, train};
//! use spantree::treebank::{Column, Sentence};
//! let mut sent = Sentence::from_words(&[("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root"), (".", "PUNCT", 2, "punct")]);
//! sent.set(2, Column::Misc, "SpaceAfter=No");
//! let segmenter = train(&TrainConfig::default(), &vec![sent; 20], &[], &mut |_| {})?;
//! let found = segmenter.segment("Cats bark. Dogs bark.");
//! assert_eq!(found.len(), 2);
//! assert_eq!(found[1].text(), Some("Dogs bark."));
//! # Ok::<(), spantree::segment::TrainError>(())
//! ```

mod address;
mod character;
mod common;
mod decode;
mod feature;
pub mod layout;
pub mod output;
mod scan;
pub mod segmenter;
mod split;
pub mod stream;
pub mod train;
mod walk;

pub use layout::raw_text;
pub use output::Place;
pub use segmenter::{DevScores, Header, Segmenter};
pub use stream::{Input, Options, Segmentation};
pub use train::{TrainConfig, TrainError, train};

#[cfg(test)]
mod tests;
