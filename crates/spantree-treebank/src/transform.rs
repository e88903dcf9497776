//! Changes to whole sentences.

mod lift;
mod pseudo_projective;

pub use lift::Lifting;
pub use pseudo_projective::{EncodeError, MAX_RANK, PseudoProjective, Scheme};
