//! The English model that is part of the program.

use anyhow::Result;
use spantree::Pipeline;

/// Made by `models/make`; trained on UD English EWT.
static ENGLISH: &[u8] = include_bytes!("../../../models/english.spantree");

/// The English model.
pub(crate) fn english() -> Result<Pipeline> {
    Ok(Pipeline::from_bytes("the English model", ENGLISH)?)
}
