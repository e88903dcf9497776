//! Pretrained encoders as input of a learned parser: a folder with a BERT-like model becomes vectors of words.
//!
//! The folder has `config.json`, `model.safetensors`, and `vocab.txt` or `tokenizer.json`, as Hugging Face stores models such as
//! MiniLM. [`load`] gives an [`Encoder`] for training and parsing; its weights stay as they are. The vector of a word is the mean
//! over its pieces of the last layers, one after the other; that of the root is the one of `[CLS]`. Sentences that are too
//! long for the model are cut. With the feature `encoder` only.
//!
//! Devlin et al. 2019, *BERT*; Wang et al. 2020, *MiniLM*. MiniLM of 6 layers takes about 14 million multiplications per word.

mod bert;
mod pieces;
mod tensors;

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::neural::Encoder;

/// Why an encoder cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncoderError {
    /// A file cannot be read.
    #[error(
        "{name}: cannot read; an encoder is a folder with config.json, model.safetensors, and vocab.txt or tokenizer.json"
    )]
    Io {
        /// The file.
        name: String,
        /// The cause.
        source: io::Error,
    },
    /// A file that makes no sense, or a kind of model that is not known.
    #[error("{name}: {problem}")]
    Invalid {
        /// The file.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

/// Loads the encoder in a folder.
///
/// # Errors
/// When a file is missing or damaged, or the model is not like BERT.
pub fn load(folder: &Path) -> Result<Encoder, EncoderError> {
    bert::Bert::load(folder).map(Encoder::new)
}

/// A file of an encoder, for messages.
struct Named<'a> {
    name: &'a str,
}

impl Named<'_> {
    fn invalid(&self, problem: impl Into<String>) -> EncoderError {
        EncoderError::Invalid { name: self.name.to_owned(), problem: problem.into() }
    }
}

/// A file whole.
fn read(path: &Path) -> Result<Vec<u8>, EncoderError> {
    let name = || path.display().to_string();
    std::fs::read(path).map_err(|source| EncoderError::Io { name: name(), source })
}
