//! Parts of several arcs in learning: the table of their weights, the search that sees them, their features in updates.

use spantree_decode::{ArcScores, Heads, VisibleParts};
use spantree_learn::SparseVector;

use super::{TreeProblem, TreeScratch};
use crate::feature::hash::position;
use crate::feature::{Between, Part, PartKind, PartLabels, PartSides};
use crate::graph::scorer::ScoreScratch;
use crate::graph::table::Table;
use crate::graph::{Decoder, DecoderScratch, HigherOrder, PartScratch};
use crate::train::problem::Example;
use crate::train::support::Support;

/// Size and support of the table of part weights.
pub(super) struct PartTable {
    bits: u32,
    support: Support,
}

impl PartTable {
    /// The table for the parts of the gold trees; partial trees have none that are sure.
    pub(super) fn fit(
        (higher, decoder): (&HigherOrder, Decoder),
        examples: &[Example],
        (max_bits, all_features): (u32, bool),
    ) -> Self {
        let (bits, support) = Support::fit(max_bits, all_features, |bits, support| {
            let (mut between, mut sides) = (Between::default(), PartSides::default());
            for example in examples.iter().filter(|example| example.has_all_heads()) {
                between.fill(example.atoms.tags());
                higher.templates.sides(&example.atoms, &gold_labels(example), &mut sides);
                let sentence = (&example.atoms, &between);
                let tree = TreeParts::new(&example.heads, decoder);
                for (child, kind) in each_part(example.heads.len()) {
                    let Some(part) = tree.part(child, kind) else { continue };
                    let part = (part, sides.labels(part));
                    higher.templates.features(kind, sentence, &sides, part, |feature| {
                        support.insert(position(feature, bits));
                    });
                }
            }
        });
        Self { bits, support }
    }

    /// Whether a weight may be changed.
    pub(super) fn supports(&self, position: u32) -> bool {
        self.support.contains(position)
    }

    /// Number of weights.
    pub(super) fn weights(&self) -> usize {
        1 << self.bits
    }
}

/// A tree with what counts of its parts.
struct TreeParts<'a> {
    heads: &'a [u32],
    /// By word; only for a decoder that knows crossed arcs.
    visible: Option<Vec<VisibleParts>>,
}

impl<'a> TreeParts<'a> {
    fn new(heads: &'a [u32], decoder: Decoder) -> Self {
        let visible = (decoder == Decoder::OneEndpointCrossing).then(|| {
            let mut visible = Vec::new();
            VisibleParts::fill(&Heads::from(heads.to_vec()), &mut visible);
            visible
        });
        Self { heads, visible }
    }

    /// The part of a kind that a word has, if it counts.
    fn part(&self, child: usize, kind: PartKind) -> Option<Part> {
        let counts = match &self.visible {
            None => kind != PartKind::Crossed,
            Some(visible) => {
                let VisibleParts { crossed, sibling, grand } = visible[child - 1];
                match kind {
                    PartKind::Sibling => sibling,
                    PartKind::Grand => grand,
                    PartKind::GrandSibling => sibling && grand,
                    PartKind::Crossed => crossed,
                    PartKind::TriSibling | PartKind::First | PartKind::Last => false,
                }
            }
        };
        let part = || Part::of(self.heads, child, kind);
        counts.then(part).filter(|&part| kind.applies_to(part))
    }
}

/// The labels of gold arcs where those of all arcs would be.
fn gold_labels(example: &Example) -> Vec<u16> {
    let width = example.heads.len() + 1;
    let mut labels = vec![0; width * width];
    for (child, (&head, &label)) in (1..).zip(example.heads.iter().zip(&example.labels)) {
        labels[child * width + head as usize] = label;
    }
    labels
}

/// Every word with every kind of part.
fn each_part(words: usize) -> impl Iterator<Item = (usize, PartKind)> {
    (1..=words).flat_map(|child| PartKind::ALL.map(|kind| (child, kind)))
}

impl TreeProblem {
    /// Writes the best tree under these scores of arcs and the weights of parts.
    pub(super) fn search(
        &self,
        w: &[f32],
        example: &Example,
        (arcs, score): (&ArcScores, &ScoreScratch<f32>),
        (decode, parts): (&mut DecoderScratch, &mut PartScratch),
        tree: &mut Heads,
    ) {
        let decoder = self.engine.decoder;
        let higher = self.score_parts(w, example, (arcs, score), parts);
        // Pruning leaves the gold tree, but perhaps none of those that agree with a partial one.
        if !higher || decoder.decode(&parts.scores, decode, tree).is_none() {
            decoder.decode(arcs, decode, tree);
        }
    }

    /// Scores the parts of a sentence; `false` if the order is the first.
    pub(super) fn score_parts(
        &self,
        w: &[f32],
        example: &Example,
        (arcs, score): (&ArcScores, &ScoreScratch<f32>),
        parts: &mut PartScratch,
    ) -> bool {
        let Some(higher) = &self.engine.higher else { return false };
        let table = Table::new(self.split(w)[2], 1.0);
        let sentence = (&example.atoms, &score.between);
        let arcs = (&example.candidates, arcs, score.best_labels());
        higher.score(table, sentence, arcs, self.engine.decoder, parts);
        true
    }

    /// Adds the features of the parts that only one of two trees has.
    pub(super) fn add_part_difference(
        &self,
        example: &Example,
        (gold, guess): (&[u32], &[u32]),
        scratch: &TreeScratch,
        delta: &mut SparseVector,
    ) {
        if self.parts.is_none() {
            return;
        }
        let words = gold.len();
        let trees = [gold, guess].map(|tree| TreeParts::new(tree, self.engine.decoder));
        for (child, kind) in each_part(words) {
            let [gold, guess] = trees.each_ref().map(|tree| tree.part(child, kind));
            if gold == guess {
                continue;
            }
            let parts = [(gold, 1.0), (guess, -1.0)];
            for (part, value) in parts.into_iter().filter_map(|(part, value)| Some((part?, value)))
            {
                let part = (part, scratch.parts.sides.labels(part));
                self.add_part(example, kind, part, value, scratch, delta);
            }
        }
    }

    /// Adds the features of a part, `value` times.
    pub(super) fn add_part(
        &self,
        example: &Example,
        kind: PartKind,
        part: (Part, PartLabels),
        value: f32,
        scratch: &TreeScratch,
        delta: &mut SparseVector,
    ) {
        let (Some(higher), Some(table)) = (&self.engine.higher, &self.parts) else { return };
        let start = (1 << self.arc_bits) + (1 << self.label_bits);
        let sentence = (&example.atoms, &scratch.score.between);
        higher.templates.features(kind, sentence, &scratch.parts.sides, part, |feature| {
            let position = position(feature, table.bits);
            if table.supports(position) {
                delta.add(start + position, value);
            }
        });
    }
}
