//! Scores of arcs and labels: sentences through the network, several at once.

use spantree_decode::ArcScores;
use spantree_neural::network::Packs;
use spantree_neural::{Batch, Network, Trace, Weights};
use spantree_treebank::Sentence;

use super::input::{Inputs, ROOT_ROW};
use crate::feature::Atoms;

/// A network with its weights and what it sees.
#[derive(Clone, Debug)]
pub struct Scorer {
    /// What it sees.
    pub inputs: Inputs,
    network: Network,
    weights: Weights<f32>,
    packs: Packs<f32>,
}

/// Memory of a [`Scorer`], with the scores of the sentences seen last.
#[derive(Clone, Debug, Default)]
pub struct ScorerScratch {
    values: Atoms,
    batch: Batch,
    trace: Trace<f32>,
    /// Where the table of each sentence begins in the arc scores.
    tables: Vec<usize>,
    /// Head of each row of the batch.
    heads: Vec<usize>,
}

impl Scorer {
    /// A scorer with these weights.
    #[must_use]
    pub fn new(inputs: Inputs, network: Network, weights: Weights<f32>) -> Self {
        let mut packs = Packs::default();
        network.pack(&weights, false, &mut packs);
        Self { inputs, network, weights, packs }
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Scores the arcs of some sentences. The scores of a sentence do not depend on the others.
    pub fn score<'s>(
        &self,
        sentences: impl IntoIterator<Item = &'s Sentence>,
        scratch: &mut ScorerScratch,
    ) {
        let ScorerScratch { values, batch, trace, tables, heads } = scratch;
        batch.clear();
        tables.clear();
        let mut table = 0;
        for sent in sentences {
            self.inputs.read(sent, values);
            batch.push_row([ROOT_ROW]);
            for word in 1..=sent.len() {
                batch.push_row(self.inputs.rows_of(values, word));
            }
            batch.end_sentence();
            tables.push(table);
            table += (sent.len() + 1) * (sent.len() + 1);
        }
        heads.clear();
        heads.resize(batch.rows(), 0);
        self.network.encode(&self.weights, &self.packs, batch, trace);
    }

    /// Scores the labels of the arcs set by [`ScorerScratch::set_heads`].
    pub fn score_labels(&self, scratch: &mut ScorerScratch) {
        let ScorerScratch { trace, heads, .. } = scratch;
        self.network.label(&self.weights, &self.packs, heads, trace);
    }
}

impl ScorerScratch {
    /// Writes the arc scores of a sentence.
    pub fn arcs(&self, sentence: usize, scores: &mut ArcScores) {
        let rows = self.batch.starts()[sentence + 1] - self.batch.starts()[sentence];
        let table = &self.trace.arc_scores()[self.tables[sentence]..][..rows * rows];
        scores.reset(rows - 1);
        scores.fill(|head, child| table[child * rows + head]);
    }

    /// Notes the heads of a sentence.
    pub fn set_heads(&mut self, sentence: usize, heads: &[u32]) {
        let first = self.batch.starts()[sentence];
        for (row, &head) in self.heads[first + 1..].iter_mut().zip(heads) {
            *row = first + head as usize;
        }
    }

    /// The scores of the labels of a word.
    #[must_use]
    pub fn labels(&self, sentence: usize, word: usize) -> &[f32] {
        let count = self.trace.label_scores().len() / self.batch.rows().max(1);
        &self.trace.label_scores()[(self.batch.starts()[sentence] + word) * count..][..count]
    }
}
