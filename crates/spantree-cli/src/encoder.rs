//! `--encoder`: the pretrained encoder that a model was or is to be trained with.

#[cfg(feature = "encoder")]
use std::path::PathBuf;

use anyhow::{Error, Result};
use spantree::Pipeline;
use spantree::neural::Encoder;

/// The flag; there is none in programs without the feature `encoder`.
#[derive(clap::Args)]
pub(crate) struct EncoderFolder {
    /// Folder of a pretrained encoder like BERT (config.json, model.safetensors, and vocab.txt or tokenizer.json), whose vectors
    /// of words are a further input of a learned parser; a model that was trained with one needs the same one again
    #[cfg(feature = "encoder")]
    #[arg(long, value_name = "FOLDER")]
    encoder: Option<PathBuf>,
}

impl EncoderFolder {
    /// Loads the encoder, if one is named.
    #[cfg(feature = "encoder")]
    pub(crate) fn load(&self) -> Result<Option<Encoder>> {
        Ok(self.encoder.as_deref().map(spantree::encoder::load).transpose()?)
    }

    /// There is none.
    #[cfg(not(feature = "encoder"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn load(&self) -> Result<Option<Encoder>> {
        Ok(None)
    }

    /// Gives a model the encoder that it needs.
    pub(crate) fn join(&self, pipeline: Pipeline) -> Result<Pipeline> {
        pipeline.with_encoder(self.load()?).map_err(|error| match cfg!(feature = "encoder") {
            true => error.into(),
            false => Error::from(error).context(
                "this program was built without encoders; build it with --features encoder",
            ),
        })
    }
}
