//! Scores of arcs and labels: sentences through the network, several at once.

use spantree_decode::ArcScores;
use spantree_neural::network::{Numbers, Packs};
use spantree_neural::{Batch, Network, Summand, Trace};
use spantree_treebank::Sentence;

use super::input::{Inputs, ROOT_ROW, TagInputs, Values, WordTags};
use super::rounded::Rounded;
use super::vectors::Encoder;
use crate::tag::{Beliefs, TagSet};

/// A network with its weights and what it sees.
#[derive(Clone, Debug)]
pub struct Scorer {
    /// What it sees.
    pub inputs: Inputs,
    tag_inputs: TagInputs,
    network: Network,
    /// The weights as they are in a file; embeddings are used in this form.
    rounded: Rounded,
    layers: Vec<f32>,
    packs: Packs<f32>,
}

/// Where the tags of some sentences are from.
#[derive(Clone, Copy, Debug)]
pub enum TagSource<'a> {
    /// They were given.
    Given,
    /// A tagger predicted them; what it thinks of each sentence, or nothing if that is not known.
    Predicted(&'a [Beliefs]),
}

impl<'a> TagSource<'a> {
    /// The same with nothing known of what the tagger thinks.
    pub(super) fn without_beliefs(self) -> Self {
        match self {
            Self::Given => Self::Given,
            Self::Predicted(_) => Self::Predicted(&[]),
        }
    }

    /// Where the tags of the sentence with this number are from. Beliefs that are not about its words are none.
    pub(super) fn of(self, index: usize, sent: &Sentence, inputs: &'a TagInputs) -> WordTags<'a> {
        let Self::Predicted(beliefs) = self else { return WordTags::Given };
        match beliefs.get(index).filter(|beliefs| beliefs.words() == sent.len()) {
            Some(beliefs) => WordTags::Believed(inputs, beliefs),
            None => WordTags::Predicted,
        }
    }
}

/// Memory of a [`Scorer`], with the scores of the sentences seen last.
#[derive(Clone, Debug, Default)]
pub struct ScorerScratch {
    values: Values,
    vectors: Vec<f32>,
    batch: Batch,
    trace: Trace<f32>,
    /// Where the table of each sentence begins in the arc scores.
    tables: Vec<usize>,
    /// Heads of the rows of one sentence.
    heads: Vec<usize>,
    /// The label scores of the same rows.
    labels: Vec<f32>,
}

impl Scorer {
    /// A scorer with these weights, which fit the network; beliefs will be about tags of this set.
    pub(crate) fn new(inputs: Inputs, tagset: &TagSet, network: Network, rounded: Rounded) -> Self {
        let (layers, mut packs) = (rounded.layers(), Packs::default());
        network.pack(&layers, false, &mut packs);
        let tag_inputs = TagInputs::new(&inputs, tagset);
        Self { inputs, tag_inputs, network, rounded, layers, packs }
    }

    /// The weights.
    pub(crate) fn rounded(&self) -> &Rounded {
        &self.rounded
    }

    fn numbers(&self) -> Numbers<'_, f32> {
        Numbers { table: self.rounded.table(), dense: &self.layers, packs: &self.packs }
    }

    /// Scores the arcs of some sentences, whose tags are given or predicted. The scores of a sentence do not depend on the
    /// others. A network that takes vectors needs the encoder that gives them.
    pub fn score(
        &self,
        (sentences, encoder): (&[Sentence], Option<&Encoder>),
        tags: TagSource<'_>,
        scratch: &mut ScorerScratch,
    ) {
        let ScorerScratch { values, vectors, batch, trace, tables, .. } = scratch;
        batch.clear();
        tables.clear();
        let mut table = 0;
        for (index, sent) in sentences.iter().enumerate() {
            self.inputs.read(sent, values);
            batch.push_row([ROOT_ROW]);
            let tags = tags.of(index, sent, &self.tag_inputs);
            let source = match tags {
                WordTags::Given => None,
                WordTags::Predicted | WordTags::Believed(..) => self.inputs.predicted_row(),
            };
            for word in 1..=sent.len() {
                let inputs = self.inputs.of_word(values, word, tags).map(Summand::from);
                batch.push_row(inputs.chain(source.map(Summand::from)));
            }
            batch.end_sentence();
            tables.push(table);
            table += (sent.len() + 1) * (sent.len() + 1);
        }
        if let Some(encoder) = encoder {
            vectors.clear();
            encoder.add_vectors(sentences, vectors);
            batch.push_vectors(vectors.iter().copied());
        }
        self.network.encode(self.numbers(), batch, trace);
    }

    /// Scores the parts of tags of all words, after [`Scorer::score`].
    pub fn score_tags(&self, scratch: &mut ScorerScratch) {
        self.network.tag(self.numbers(), &mut scratch.trace);
    }

    /// Scores the labels of all words of a sentence with these heads.
    pub fn score_labels(&self, sentence: usize, tree: &[u32], scratch: &mut ScorerScratch) {
        let ScorerScratch { batch, trace, heads, labels, .. } = scratch;
        heads.clear();
        heads.extend(std::iter::once(0).chain(tree.iter().map(|&head| head as usize)));
        let arcs = (batch.starts()[sentence], heads.as_slice());
        self.network.label(self.numbers(), arcs, trace);
        labels.clear();
        labels.extend_from_slice(trace.label_scores());
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

    /// The scores of the parts of tags of the words of a sentence, word by word; none if the network does not tag.
    #[must_use]
    pub fn tags(&self, sentence: usize) -> &[f32] {
        let count = self.trace.tag_scores().len() / self.batch.rows().max(1);
        let starts = self.batch.starts();
        &self.trace.tag_scores()[(starts[sentence] + 1) * count..starts[sentence + 1] * count]
    }

    /// The scores of the labels of a word of the sentence whose labels were scored last.
    #[must_use]
    pub fn labels(&self, word: usize) -> &[f32] {
        let count = self.labels.len() / self.heads.len().max(1);
        &self.labels[word * count..][..count]
    }

    /// The same of the root and all words, to be joined with those of others.
    pub(super) fn all_labels(&mut self) -> &mut [f32] {
        &mut self.labels
    }
}
