//! The English model that is part of the program.

use std::path::Path;

use anyhow::Result;
use spantree::Pipeline;

/// Made by `models/make`; trained on UD English EWT.
static ENGLISH: &[u8] = include_bytes!("../../../models/english.spantree");

/// The English model.
pub(crate) fn english() -> Result<Pipeline> {
    Ok(Pipeline::from_bytes("the English model", ENGLISH)?)
}

/// The model in a file, or else the English one.
pub(crate) fn load_or_english(path: Option<&Path>) -> Result<Pipeline> {
    path.map_or_else(english, |path| Ok(Pipeline::load(path)?))
}
