//! What every parser does behind its scores of arcs or larger parts: heads to keep, the best trees, probabilities, the answer.

use spantree_decode::scores::FORBIDDEN;
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
    /// The probabilities, as something to be maximised.
    likely: ArcScores,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            decode: DecoderScratch::default(),
            tree: Heads::default(),
            trees: Ranked::default(),
            marginals: ArcTable::new(0, 0.0),
            likely: ArcScores::default(),
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

    /// Puts that projective tree first which has most right arcs on average over all trees (minimum Bayes risk, Goodman 1996), and
    /// leaves `k` trees; `false` if there is none.
    pub(crate) fn prefer_likely_arcs(
        &mut self,
        parts: &PartScores,
        k: usize,
        trees: &mut Vec<ScoredTree>,
    ) -> bool {
        let Self { decode, tree, marginals, likely, .. } = self;
        let decoder = Decoder::Eisner;
        if decoder.marginals_of_parts(parts, &Heads::default(), decode, marginals).is_none() {
            return false;
        }
        likely.reset(parts.words());
        likely.fill(|head, child| {
            let probability = marginals.get(head, child) as f32;
            if probability > 0.0 { probability } else { FORBIDDEN }
        });
        if decoder.decode(&*likely, decode, tree).is_none() {
            return false;
        }
        let score = parts.tree_score(tree);
        let first = ScoredTree { heads: tree.as_slice().to_vec(), score, ..ScoredTree::default() };
        trees.retain(|other| other.heads != first.heads);
        trees.insert(0, first);
        trees.truncate(k);
        true
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
    // What encodes crossing arcs in labels is not ASCII, and rare.
    let mut encoded = false;
    for (index, (&head, &label)) in best.heads.iter().zip(&best.labels).enumerate() {
        let word = index as u32 + 1;
        let name = labels.name(label);
        encoded |= !name.is_ascii();
        sent.set_head(word, Some(head));
        if !keep || sent.word(word).deprel() == "_" {
            sent.set(word, Column::Deprel, name);
        }
    }
    if let Some(crossing) = crossing.filter(|_| encoded) {
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

#[cfg(test)]
mod tests {
    use spantree_decode::brute_force::TreeSpace;
    use spantree_learn::Rng;

    use super::*;

    fn random_parts(words: usize, seed: u64) -> PartScores {
        let mut rng = Rng::new(seed);
        let mut score = || 4.0 * rng.uniform() as f32;
        let mut parts = PartScores::default();
        parts.reset(words, |head, child| head != child);
        parts.fill_arcs(|_, _| score());
        parts.fill_siblings(|_, _, _| score());
        parts.fill_grands(|_, _, _| score());
        parts
    }

    #[test]
    fn the_first_tree_has_most_expected_arcs_of_all() {
        let mut differ = 0;
        for seed in 0..100 {
            let parts = random_parts(5, seed);
            let (mut search, mut analysis) = (Search::default(), Analysis::default());
            assert!(search.run(Decoder::Eisner, Scores::Parts(&parts), 3, &mut analysis.trees));
            let by_score = analysis.trees[0].heads.clone();
            assert!(search.prefer_likely_arcs(&parts, 3, &mut analysis.trees));
            let space = TreeSpace { mode: RootMode::One, projective: true };
            let trees: Vec<_> =
                space.trees(5).map(|tree| (parts.tree_score(&tree).exp(), tree)).collect();
            let expected = |tree: &[u32]| -> f64 {
                let same = |other: &Heads| {
                    other.as_slice().iter().zip(tree).filter(|(a, b)| a == b).count() as f64
                };
                trees.iter().map(|(weight, other)| weight * same(other)).sum()
            };
            let most = trees.iter().map(|(_, tree)| expected(tree.as_slice())).fold(0.0, f64::max);
            let first = &analysis.trees[0];
            assert!(expected(&first.heads) > most * (1.0 - 1e-6), "seed {seed}");
            assert_eq!(first.score, parts.tree_score(&Heads::from(first.heads.clone())));
            assert_eq!(analysis.trees.len(), 3);
            differ += usize::from(first.heads != by_score);
            let copies = analysis.trees.iter().filter(|tree| tree.heads == first.heads).count();
            assert_eq!(copies, 1);
        }
        assert!(differ > 0, "the most likely tree was always the one");
    }
}
