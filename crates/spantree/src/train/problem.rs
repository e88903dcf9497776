//! Training examples: a sentence's atoms with its gold tree.

use spantree_treebank::Sentence;

use crate::feature::Atoms;
use crate::graph::Engine;

/// A sentence with its gold tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Example {
    pub(super) atoms: Atoms,
    pub(super) heads: Vec<u32>,
    pub(super) labels: Vec<u16>,
}

impl Example {
    /// Reads a sentence whose heads form a tree; `lift` makes the tree projective.
    pub(super) fn new(engine: &Engine, sent: &Sentence, lift: bool) -> Self {
        let mut atoms = Atoms::default();
        atoms.fill(&engine.atoms, sent);
        let mut heads: Vec<u32> = sent.heads().map(|head| head.unwrap_or(0)).collect();
        if let (true, Ok(tree)) = (lift, sent.tree()) {
            heads = tree.lift().heads;
        }
        let labels =
            sent.words().map(|word| engine.labels.number(word.deprel()).unwrap_or(0)).collect();
        Self { atoms, heads, labels }
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        self.atoms.memory() + self.heads.len() * 6
    }
}
