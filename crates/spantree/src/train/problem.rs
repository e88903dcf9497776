//! Training examples: a sentence's atoms with its gold tree, or with what is known of it.

use spantree_treebank::Sentence;

use crate::feature::Atoms;
use crate::graph::{Candidates, Engine};

/// The head of a word whose HEAD is `_`: any.
pub(super) const FREE_HEAD: u32 = u32::MAX;
/// The label of a word whose DEPREL is `_`: any.
pub(super) const FREE_LABEL: u16 = u16::MAX;

/// A sentence with its gold tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Example {
    pub(super) atoms: Atoms,
    /// Gold heads; [`FREE_HEAD`] where none is given.
    pub(super) heads: Vec<u32>,
    /// Gold labels; [`FREE_LABEL`] where none is given.
    pub(super) labels: Vec<u16>,
    /// The arcs that a pruner left, gold arcs among them; all in first order.
    pub(super) candidates: Candidates,
}

impl Example {
    /// Reads a sentence; `lift` makes a complete tree projective.
    pub(super) fn new(engine: &Engine, sent: &Sentence, lift: bool) -> Self {
        let mut atoms = Atoms::default();
        atoms.fill(&engine.atoms, sent);
        let mut heads: Vec<u32> = sent.heads().map(|head| head.unwrap_or(FREE_HEAD)).collect();
        if let (true, Ok(tree)) = (lift, sent.tree()) {
            heads = tree.lift().heads;
        }
        let label = |name: &str| engine.labels.number(name).unwrap_or(FREE_LABEL);
        let labels = sent.words().map(|word| label(word.deprel())).collect();
        Self { atoms, heads, labels, candidates: Candidates::default() }
    }

    /// Whether every word has a head.
    pub(super) fn has_all_heads(&self) -> bool {
        !self.heads.contains(&FREE_HEAD)
    }

    /// Whether every word has a head and a label.
    pub(super) fn is_complete(&self) -> bool {
        self.has_all_heads() && !self.labels.contains(&FREE_LABEL)
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        self.atoms.memory() + self.heads.len() * 6
    }
}
