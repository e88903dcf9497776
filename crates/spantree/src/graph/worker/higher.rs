//! What a worker does in higher orders: choose the arcs, and score their parts.

use spantree_treebank::Sentence;

use super::Worker;
use crate::graph::decoder::Decoder;
use crate::parser::analysis::PROJECTIVE_LIMIT;

impl Worker<'_> {
    /// Whether parts of several arcs are scored: sentences beyond [`PROJECTIVE_LIMIT`] are parsed by arcs alone.
    pub(super) fn has_parts(&self) -> bool {
        self.higher.is_some() && self.atoms.len() <= PROJECTIVE_LIMIT
    }

    /// Chooses the arcs to score; those of the heads that must be kept among them.
    pub(super) fn prune(&mut self, sent: &Sentence, keep: bool) {
        self.score.candidates.clear();
        if !self.has_parts() {
            return;
        }
        if let (Some(weights), Some(higher)) = (self.higher, &self.parser.engine.higher) {
            self.prune.score.given.clone_from(&self.score.given);
            let scratch = (&mut self.prune, self.search.scratch());
            higher.pruner.prune(weights.pruner, &self.atoms, scratch, &mut self.score.candidates);
        }
        let given = sent.heads().enumerate().filter(|_| keep);
        for (index, head) in given.filter_map(|(index, head)| Some((index, head? as usize))) {
            if head <= sent.len() {
                self.score.candidates.insert(head, index + 1);
            }
        }
    }

    /// Scores the parts of the arcs that are left. The best tree by arcs alone is always among what they allow.
    pub(super) fn score_parts(&mut self) {
        let engine = &self.parser.engine;
        if !self.has_parts() || self.is_cube() {
            return;
        }
        if let (Some(weights), Some(higher)) = (self.higher, &engine.higher) {
            let score = &mut self.score;
            let mut decoder = engine.decoder;
            // The best projective tree is found sooner.
            let first = match decoder {
                Decoder::OneEndpointCrossing => Decoder::Eisner,
                _ => decoder,
            };
            let mut tree = self.search.best_tree(first, &score.scores);
            if tree.words() == 0 && first != decoder {
                tree = self.search.best_tree(decoder, &score.scores);
            }
            if tree.words() == 0 {
                // Given heads cross, or cross too much.
                decoder = Decoder::Mst;
                tree = self.search.best_tree(decoder, &score.scores);
            }
            tree.arcs().for_each(|(head, child)| score.candidates.insert(head, child));
            let sentence = (&self.atoms, &score.between);
            let arcs = (&score.candidates, &score.scores, score.best_labels());
            higher.score(weights.parts, sentence, arcs, decoder, &mut self.parts);
        }
    }
}
