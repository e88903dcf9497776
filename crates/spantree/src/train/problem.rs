//! Training examples: a sentence's atoms with its gold tree, or with what is known of it.

use spantree_decode::{ArcScores, Heads};
use spantree_treebank::{Sentence, Tree};

use crate::feature::Atoms;
use crate::graph::{Candidates, Decoder, DecoderScratch, Engine};

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
    /// Reads a sentence; with `adapt`, a complete tree that the decoder cannot find gives way to one near it that it can.
    pub(super) fn new(engine: &Engine, sent: &Sentence, adapt: bool) -> Self {
        let mut atoms = Atoms::default();
        atoms.fill(&engine.atoms, sent);
        let mut heads: Vec<u32> = sent.heads().map(|head| head.unwrap_or(FREE_HEAD)).collect();
        if let (true, Ok(tree)) = (adapt, sent.tree()) {
            match engine.decoder {
                Decoder::Eisner | Decoder::Cube => heads = tree.lift().heads,
                Decoder::OneEndpointCrossing => heads = nearest(&tree, engine.decoder),
                Decoder::Mst => {}
            }
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

/// The tree of a decoder that has most arcs of another tree; words whose arcs it cannot have hang from an ancestor, rather a
/// near one. Lifting finds such a tree, so there is one.
fn nearest(tree: &Tree, decoder: Decoder) -> Vec<u32> {
    let heads = tree.heads();
    let mut scores = ArcScores::new(heads.len());
    for child in 1..=heads.len() {
        let (mut head, mut score) = (heads[child - 1] as usize, 1.0);
        scores.set(head, child, score);
        while head > 0 {
            (head, score) = (heads[head - 1] as usize, score.min(0.1) / 2.0);
            scores.set(head, child, score);
        }
    }
    let mut nearest = Heads::default();
    match decoder.decode(&scores, &mut DecoderScratch::default(), &mut nearest) {
        Some(_) => nearest.as_slice().to_vec(),
        None => heads.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_whose_arcs_cross_too_much_hang_from_an_ancestor() {
        // 3 → 6 is crossed by 1 → 5 and 2 → 4, which share no end.
        let tree = Tree::new(&[0, 1, 1, 2, 1, 3]).unwrap();
        let found = nearest(&tree, Decoder::OneEndpointCrossing);
        assert_eq!(found, [0, 1, 1, 1, 1, 3]);
        assert!(Heads::from(found).is_one_endpoint_crossing());
        let crossing = Tree::new(&[0, 1, 1, 2]).unwrap();
        assert_eq!(nearest(&crossing, Decoder::OneEndpointCrossing), crossing.heads());
        assert_eq!(nearest(&crossing, Decoder::Eisner), [0, 1, 1, 1]);
    }
}
