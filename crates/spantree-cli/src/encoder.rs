//! `--encoder`: the pretrained encoder that a model was or is to be trained with.

use std::path::PathBuf;

use anyhow::{Error, Result};
use spantree::Pipeline;
use spantree::neural::Encoder;

use crate::bundled;

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

    /// Loads models, the English one if none is named, with the encoder that they need; several become an ensemble.
    pub(crate) fn load_models(&self, paths: &[PathBuf]) -> Result<Pipeline> {
        let encoder = self.load()?;
        let load = |path: &PathBuf| Ok(Pipeline::load(path)?);
        let first = bundled::load_or_english(paths.first().map(PathBuf::as_path))?;
        let others: Vec<_> = paths.iter().skip(1).map(load).collect::<Result<_>>()?;
        let wanted = needs_encoder(&first) || others.iter().any(needs_encoder);
        // If nobody needs an encoder, the first model refuses it.
        let first = give(first, encoder.clone(), wanted)?;
        let others = others.into_iter().map(|other| give(other, encoder.clone(), true));
        Ok(first.with_members(others.collect::<Result<_>>()?)?)
    }
}

fn needs_encoder(model: &Pipeline) -> bool {
    model.stages().parser.as_ref().is_some_and(|parser| parser.needs_encoder().is_some())
}

/// Gives a model an encoder, unless it needs none and another model does.
fn give(model: Pipeline, encoder: Option<Encoder>, wanted: bool) -> Result<Pipeline> {
    let encoder = encoder.filter(|_| !wanted || needs_encoder(&model));
    model.with_encoder(encoder).map_err(|error| match cfg!(feature = "encoder") {
        true => error.into(),
        false => Error::from(error)
            .context("this program was built without encoders; build it with --features encoder"),
    })
}
