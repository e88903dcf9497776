//! Features are data: template files, one table of atoms, a fixed hash.

mod arc;
mod atom;
mod atoms;
mod defaults;
pub mod hash;
mod part;
pub mod state;
pub mod template;
mod tree;

pub use arc::{ArcFeature, ArcShape, ArcSides, ArcTemplates, ArcValues, DISTANCES, GROUP, Run};
pub use atom::{ArcAtom, Atom};
pub use atoms::{AtomSet, Atoms, Between, TAG_CLASSES, guide, tag_class};
pub use defaults::{Columns, MST06};
pub use part::{Part, PartKind, PartLabels, PartSides, PartTemplates};
pub use state::StateTemplates;
pub use template::{Copies, Place, Template, TemplateError, TokenAtom};
pub use tree::{Neighbours, TreeTemplates};

/// What the direction of an arc adds to the sum of a label feature that has a copy for it.
#[inline]
#[must_use]
pub fn direction_side(leftward: bool) -> u32 {
    if leftward { 0x5bd1_e995 } else { 0x2c1b_3c6d }
}

#[cfg(test)]
mod tests;
