//! Training examples, and the gradient of one batch of them.

use std::sync::Arc;

use spantree_neural::loss::cross_entropy;
use spantree_neural::network::{DropoutRates, Numbers, ScoreGradients};
use spantree_neural::{Batch, Gradients, Network, Rng, Summand, Trace};
use spantree_treebank::Sentence;

use super::arcs::{ArcLearner, ArcLoss};
use crate::graph::LabelSet;
use crate::neural::input::{Input, Inputs, ROOT_ROW, Values, WordTags};
use crate::neural::tags;
use crate::neural::vectors::Short;
use crate::tag::TagSet;
use crate::tag::tagset::Tag;

/// A sentence with its gold tree, or what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Example {
    inputs: Vec<Input>,
    /// Where the inputs of each word begin, and where the last ones end.
    starts: Vec<usize>,
    heads: Vec<Option<u32>>,
    labels: Vec<Option<u16>>,
    /// The row that says that the tags are predicted.
    source: Option<u32>,
    /// The right tags; empty when tags are not to be learned from this sentence.
    tags: Vec<Option<Tag>>,
    /// The vectors of the root and of the words, if the network takes such.
    vectors: Option<Arc<[Short]>>,
}

impl Example {
    pub(super) fn new(inputs: &Inputs, labels: &LabelSet, sent: &Sentence) -> Self {
        Self::with_tags(inputs, labels, sent, WordTags::Given)
    }

    fn with_tags(inputs: &Inputs, labels: &LabelSet, sent: &Sentence, tags: WordTags<'_>) -> Self {
        let mut values = Values::default();
        inputs.read(sent, &mut values);
        let mut example = Self {
            inputs: Vec::new(),
            starts: vec![0],
            heads: sent.heads().collect(),
            labels: sent.words().map(|word| labels.number(word.deprel())).collect(),
            source: None,
            tags: Vec::new(),
            vectors: None,
        };
        for word in 1..=sent.len() {
            example.inputs.extend(inputs.of_word(&values, word, tags));
            example.starts.push(example.inputs.len());
        }
        example
    }

    /// A sentence with tags that a tagger predicted, and the same with those that are to be learned.
    pub(super) fn corrected(
        inputs: &Inputs,
        labels: &LabelSet,
        (predicted, tags, right): (&Sentence, WordTags<'_>, &Sentence),
        tagset: &TagSet,
    ) -> Self {
        let example = Self::with_tags(inputs, labels, predicted, tags);
        let source = inputs.predicted_row();
        Self { tags: tags::answers(tagset, right), source, ..example }
    }

    /// The same with the vectors that an encoder gave it.
    pub(super) fn with_vectors(self, vectors: Option<Arc<[Short]>>) -> Self {
        Self { vectors, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }
}

/// Shares of what is withheld from the network in training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Withheld {
    /// Words that are made unknown.
    pub(super) words: f64,
    /// Words whose tags and lemma are left out, of sentences with predicted ones.
    pub(super) tags: f64,
    /// Single inputs.
    pub(super) inputs: f64,
    /// Values inside the network.
    pub(super) values: DropoutRates,
}

/// Memory for learning from batches.
#[derive(Debug)]
pub(super) struct BatchScratch {
    batch: Batch,
    trace: Trace<f32>,
    heads: Vec<usize>,
    arcs: ArcLearner,
    darcs: Vec<f32>,
    dlabels: Vec<f32>,
    dtags: Vec<f32>,
    chances: Vec<f32>,
}

impl BatchScratch {
    /// For learning with this loss of arcs.
    pub(super) fn new(loss: ArcLoss) -> Self {
        Self {
            batch: Batch::default(),
            trace: Trace::default(),
            heads: Vec::new(),
            arcs: ArcLearner::new(loss),
            darcs: Vec::new(),
            dlabels: Vec::new(),
            dtags: Vec::new(),
            chances: Vec::new(),
        }
    }
}

/// Adds the gradient of the loss of some examples, times `weight`, and returns the loss.
pub(super) fn learn(
    (network, tagset): (&Network, &TagSet),
    numbers: Numbers<'_, f32>,
    (examples, weight): (&[&Example], f32),
    withheld: &Withheld,
    rng: &mut Rng,
    (scratch, gradients): (&mut BatchScratch, &mut Gradients<f32>),
) -> f64 {
    let BatchScratch { batch, trace, heads, arcs, darcs, dlabels, dtags, chances } = scratch;
    fill(examples, withheld, rng, batch);
    gold_heads(examples, heads);
    network.draw_dropout(batch, withheld.values, rng, trace);
    network.encode(numbers, batch, trace);
    network.tag(numbers, trace);
    network.label(numbers, (0, heads), trace);
    let trees = examples.iter().map(|example| example.heads.as_slice());
    let loss = arcs.loss(trees, weight, trace.arc_scores(), darcs)
        + label_loss(examples, weight, trace.label_scores(), dlabels)
        + tag_loss(tagset, examples, weight, (trace.tag_scores(), dtags), chances);
    let scores = ScoreGradients { arcs: darcs, labels: dlabels, tags: dtags };
    network.backward(numbers, (batch, heads), trace, scores, gradients);
    loss
}

/// The rows of a batch, with some inputs withheld.
fn fill(examples: &[&Example], withheld: &Withheld, rng: &mut Rng, batch: &mut Batch) {
    batch.clear();
    for example in examples {
        batch.push_row([ROOT_ROW]);
        // Right tags may be trusted.
        let tags = if example.tags.is_empty() { 0.0 } else { withheld.tags };
        for bounds in example.starts.windows(2) {
            let unknown = rng.uniform() < withheld.words;
            let untagged = rng.uniform() < tags;
            let rows = example.inputs[bounds[0]..bounds[1]].iter().filter_map(|input| {
                if untagged && input.from_tags {
                    None
                } else if unknown && input.names_word {
                    input.unknown.map(Summand::from)
                } else {
                    (rng.uniform() >= withheld.inputs).then_some(Summand::from(*input))
                }
            });
            batch.push_row(rows.chain(example.source.map(Summand::from)));
        }
        let vectors = example.vectors.iter().flat_map(|vectors| vectors.iter());
        batch.push_vectors(vectors.map(|short| short.value()));
        batch.end_sentence();
    }
}

/// The row of the gold head of each row; the root and words without a head have the root.
fn gold_heads(examples: &[&Example], heads: &mut Vec<usize>) {
    heads.clear();
    for example in examples {
        let first = heads.len();
        heads.push(first);
        heads.extend(example.heads.iter().map(|head| first + head.unwrap_or(0) as usize));
    }
}

fn label_loss(examples: &[&Example], weight: f32, scores: &[f32], gradient: &mut Vec<f32>) -> f64 {
    gradient.clear();
    gradient.resize(scores.len(), 0.0);
    let rows: usize = examples.iter().map(|example| example.len() + 1).sum();
    let count = scores.len() / rows.max(1);
    let (mut row, mut loss) = (0, 0.0);
    for example in examples {
        for (index, (head, label)) in example.heads.iter().zip(&example.labels).enumerate() {
            let place = (row + index + 1) * count;
            if let (Some(_), Some(label)) = (head, *label) {
                let (row, d) = (&scores[place..place + count], &mut gradient[place..place + count]);
                loss += cross_entropy(row, label as usize, None, weight, d);
            }
        }
        row += example.len() + 1;
    }
    loss
}

fn tag_loss(
    tagset: &TagSet,
    examples: &[&Example],
    weight: f32,
    (scores, gradient): (&[f32], &mut Vec<f32>),
    chances: &mut Vec<f32>,
) -> f64 {
    gradient.clear();
    gradient.resize(scores.len(), 0.0);
    let count = tagset.part_count();
    let (mut row, mut loss) = (0, 0.0);
    for example in examples {
        for (index, tag) in example.tags.iter().enumerate() {
            let place = (row + index + 1) * count;
            if let Some(tag) = *tag {
                let (row, d) = (&scores[place..place + count], &mut gradient[place..place + count]);
                loss += tags::loss(tagset, tag, weight, (row, d), chances);
            }
        }
        row += example.len() + 1;
    }
    loss
}
