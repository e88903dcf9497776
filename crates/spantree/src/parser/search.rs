//! What every parser does behind its scores of arcs or larger parts: heads to keep, the best trees, probabilities, the answer.

use spantree_decode::{ArcScores, ArcTable, Heads, Infeasible, PartScores, Ranked, RootMode};
use spantree_treebank::transform::PseudoProjective;
use spantree_treebank::{Column, Sentence};

use super::analysis::{
    Analysis, CONFIDENCE_LIMIT, PROJECTIVE_LIMIT, ParseError, ParseWarning, ScoredTree,
};
use crate::graph::{Decoder, DecoderScratch, LabelSet, Scores};

/// Memory of decoding.
#[derive(Debug)]
pub(crate) struct Search {
    decode: DecoderScratch,
    tree: Heads,
    trees: Ranked<Heads>,
    marginals: ArcTable<f64>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            decode: DecoderScratch::default(),
            tree: Heads::default(),
            trees: Ranked::default(),
            marginals: ArcTable::new(0, 0.0),
        }
    }
}

impl Search {
    /// Adds the `k` best trees to an analysis and returns the decoder that was used.
    pub(crate) fn find<'a>(
        &mut self,
        mut decoder: Decoder,
        scores: impl Into<Scores<'a>>,
        (sent, k): (&Sentence, usize),
        analysis: &mut Analysis,
    ) -> Result<Decoder, ParseError> {
        let scores = scores.into();
        if decoder.is_projective() && scores.words() > PROJECTIVE_LIMIT {
            analysis.warnings.push(ParseWarning::TooLongForEisner);
            decoder = Decoder::Mst;
        }
        if !self.run(decoder, scores, k, &mut analysis.trees) {
            // Some tree exists, so it was projectivity that left none.
            analysis.warnings.push(ParseWarning::CrossingHeads);
            decoder = Decoder::Mst;
            if !self.run(decoder, scores, k, &mut analysis.trees) {
                return Err(ParseError::Infeasible {
                    sentence: name(sent),
                    reason: Infeasible::SeveralRoots,
                });
            }
        }
        Ok(decoder)
    }

    fn run(
        &mut self,
        decoder: Decoder,
        scores: Scores<'_>,
        k: usize,
        trees: &mut Vec<ScoredTree>,
    ) -> bool {
        let tree = |heads: &Heads, score| ScoredTree {
            heads: heads.as_slice().to_vec(),
            score,
            ..ScoredTree::default()
        };
        if k > 1 {
            decoder.k_best(scores, k, &mut self.decode, &mut self.trees);
            trees.extend(self.trees.iter().map(|(heads, score)| tree(heads, score)));
        } else if let Some(score) = decoder.decode(scores, &mut self.decode, &mut self.tree) {
            trees.push(tree(&self.tree, score));
        }
        !trees.is_empty()
    }

    /// Multiplies the scores by `sharpness`, computes the probabilities of arcs and adds those of the trees; `None` when the
    /// sentence is too long.
    pub(crate) fn weigh(
        &mut self,
        decoder: Decoder,
        scores: &mut ArcScores,
        sharpness: f32,
        analysis: &mut Analysis,
    ) -> Option<&ArcTable<f64>> {
        let n = scores.words();
        if n > CONFIDENCE_LIMIT {
            analysis.warnings.push(ParseWarning::TooLongForConfidence);
            return None;
        }
        for child in 1..=n {
            for head in (0..=n).filter(|&head| head != child) {
                scores.set(head, child, scores.score(head, child) * sharpness);
            }
        }
        let log_partition = decoder.marginals(scores, &mut self.decode, &mut self.marginals)?;
        analysis.add_probabilities(sharpness, log_partition);
        Some(&self.marginals)
    }

    /// The same for trees whose scores have more to them than arcs, and for sentences that are not too long: the best tree has the
    /// probability that arcs alone give it, and the others are compared with it.
    pub(crate) fn weigh_near(
        &mut self,
        decoder: Decoder,
        scores: &mut ArcScores,
        sharpness: f32,
        analysis: &mut Analysis,
    ) -> Option<&ArcTable<f64>> {
        let best = &analysis.trees[0];
        let beyond_arcs = best.score - scores.tree_score(&Heads::from(best.heads.clone()));
        self.weigh(decoder, scores, sharpness, analysis)?;
        for tree in &mut analysis.trees {
            let log_probability = tree.log_probability.as_mut();
            log_probability.into_iter().for_each(|p| *p -= beyond_arcs * f64::from(sharpness));
        }
        Some(&self.marginals)
    }

    /// The same for scores of parts, which are only given for sentences that are not too long.
    pub(crate) fn weigh_parts(
        &mut self,
        decoder: Decoder,
        parts: &mut PartScores,
        sharpness: f32,
        analysis: &mut Analysis,
    ) -> Option<&ArcTable<f64>> {
        parts.scale(sharpness);
        let Self { decode, marginals, .. } = self;
        let best = Heads::from(analysis.trees[0].heads.clone());
        let log_partition = decoder.marginals_of_parts(parts, &best, decode, marginals)?;
        analysis.add_probabilities(sharpness, log_partition);
        Some(marginals)
    }

    /// The best tree alone, without an analysis; empty if there is none.
    pub(crate) fn best_tree(&mut self, decoder: Decoder, scores: &ArcScores) -> &Heads {
        decoder.decode(scores, &mut self.decode, &mut self.tree);
        &self.tree
    }

    /// The probabilities of arcs that were computed last.
    pub(crate) fn marginals(&self) -> &ArcTable<f64> {
        &self.marginals
    }

    /// Memory for whoever decodes on the way.
    pub(crate) fn scratch(&mut self) -> &mut DecoderScratch {
        &mut self.decode
    }
}

impl Analysis {
    /// Notes the probabilities of the trees.
    fn add_probabilities(&mut self, sharpness: f32, log_partition: f64) {
        for tree in &mut self.trees {
            tree.log_probability = Some(tree.score * f64::from(sharpness) - log_partition);
        }
    }
}

/// Forbids all arcs that contradict the heads of a sentence.
pub(crate) fn require_given(scores: &mut ArcScores, sent: &Sentence) -> Result<(), ParseError> {
    let len = sent.len();
    for (index, head) in sent.heads().enumerate() {
        let (Some(head), word) = (head, index as u32 + 1) else { continue };
        if head as usize > len || head == word {
            let form = sent.word(word).form().to_owned();
            let sentence = name(sent);
            return Err(ParseError::HeadOutOfRange { sentence, word, form, head, len });
        }
        scores.require(head as usize, word as usize);
    }
    match scores.infeasible(RootMode::One) {
        Some(reason) => Err(ParseError::Infeasible { sentence: name(sent), reason }),
        None => Ok(()),
    }
}

/// Writes a tree to its sentence; with `keep`, over nothing that is given. `crossing` puts back the arcs that the labels
/// encode.
pub(crate) fn write(
    sent: &mut Sentence,
    best: &ScoredTree,
    labels: &LabelSet,
    crossing: Option<&PseudoProjective>,
    keep: bool,
) {
    let given: Vec<_> = if keep { sent.heads().collect() } else { Vec::new() };
    for (index, (&head, &label)) in best.heads.iter().zip(&best.labels).enumerate() {
        let word = index as u32 + 1;
        sent.set_head(word, Some(head));
        if !keep || sent.word(word).deprel() == "_" {
            sent.set(word, Column::Deprel, labels.name(label));
        }
    }
    if let Some(crossing) = crossing {
        // The heads are a tree, so decoding cannot fail.
        let _ = crossing.decode(sent);
        set_heads(sent, given.iter().copied());
        if keep && sent.tree().is_err() {
            set_heads(sent, best.heads.iter().copied().map(Some));
        }
    }
}

fn set_heads(sent: &mut Sentence, heads: impl Iterator<Item = Option<u32>>) {
    for (word, head) in (1..).zip(heads) {
        if head.is_some() {
            sent.set_head(word, head);
        }
    }
}

/// How a sentence is called in messages.
fn name(sent: &Sentence) -> String {
    sent.sent_id().unwrap_or("?").to_owned()
}
