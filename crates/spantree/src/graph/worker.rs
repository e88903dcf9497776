//! Parsing one sentence after the other with reused buffers.

use spantree_decode::{ArcTable, Heads, Infeasible, Ranked, RootMode};
use spantree_treebank::{Column, Sentence};

use super::decoder::{Decoder, DecoderScratch};
use super::parser::Parser;
use super::relabel::RelabelScratch;
use super::scorer::{ArcWeights, ScoreScratch};
use super::table::Table;
use crate::feature::Atoms;
use crate::parser::analysis::{CONFIDENCE_LIMIT, PROJECTIVE_LIMIT, Stopwatch};
use crate::parser::{
    Analysis, Confidence, ParseError, ParseOptions, ParseWarning, ScoredTree, Timing, calibration,
};

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    arcs: ArcWeights<'p, i16>,
    relabel: Table<'p, i16>,
    atoms: Atoms,
    score: ScoreScratch<i16>,
    decode: DecoderScratch,
    relabel_scratch: RelabelScratch,
    tree: Heads,
    trees: Ranked<Heads>,
    marginals: ArcTable<f64>,
    label_confidences: Vec<f32>,
    analysis: Analysis,
    timing: Timing,
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser) -> Self {
        Self {
            parser,
            arcs: parser.arc_weights(),
            relabel: parser.relabel_weights(),
            atoms: Atoms::default(),
            score: ScoreScratch::default(),
            decode: DecoderScratch::default(),
            relabel_scratch: RelabelScratch::default(),
            tree: Heads::default(),
            trees: Ranked::default(),
            marginals: ArcTable::new(0, 0.0),
            label_confidences: Vec::new(),
            analysis: Analysis::default(),
            timing: Timing::default(),
        }
    }

    /// Where the time went so far.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Parses a sentence and writes HEAD and DEPREL; everything else in it stays.
    ///
    /// # Errors
    /// Only with [`ParseOptions::keep`], when the given heads allow no tree. The sentence is unchanged then.
    pub fn parse(
        &mut self,
        sent: &mut Sentence,
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        self.analysis.confidences.clear();
        self.analysis.warnings.clear();
        self.analysis.trees.clear();
        if sent.is_empty() {
            return Ok(&self.analysis);
        }
        let mut watch = Stopwatch::start();
        let engine = &self.parser.engine;
        self.score.given.clear();
        if options.keep {
            self.score.given.fill(sent, &engine.labels);
        }
        self.relabel_scratch.given.clone_from(&self.score.given);
        self.atoms.fill(&engine.atoms, sent);
        engine.scorer.prepare(&self.atoms, &mut self.score);
        watch.lap(&mut self.timing.features);
        engine.scorer.score(self.arcs, &self.atoms, None, &mut self.score);
        watch.lap(&mut self.timing.scores);
        if options.keep {
            self.require_given(sent)?;
        }
        let decoder = self.search(sent, options)?;
        watch.lap(&mut self.timing.search);
        self.label_trees();
        watch.lap(&mut self.timing.labels);
        if options.confidence {
            self.add_confidences(decoder);
            watch.lap(&mut self.timing.confidence);
        }
        self.write(sent, options.keep);
        Ok(&self.analysis)
    }

    fn require_given(&mut self, sent: &Sentence) -> Result<(), ParseError> {
        let len = sent.len();
        for (index, head) in sent.heads().enumerate() {
            let (Some(head), word) = (head, index as u32 + 1) else { continue };
            if head as usize > len || head == word {
                let form = sent.word(word).form().to_owned();
                return Err(ParseError::HeadOutOfRange {
                    sentence: name(sent),
                    word,
                    form,
                    head,
                    len,
                });
            }
            self.score.scores.require(head as usize, word as usize);
        }
        match self.score.scores.infeasible(RootMode::One) {
            Some(reason) => Err(ParseError::Infeasible { sentence: name(sent), reason }),
            None => Ok(()),
        }
    }

    /// Finds the trees and returns the decoder that was used.
    fn search(&mut self, sent: &Sentence, options: &ParseOptions) -> Result<Decoder, ParseError> {
        let mut decoder = self.parser.engine.decoder;
        if decoder == Decoder::Eisner && sent.len() > PROJECTIVE_LIMIT {
            self.analysis.warnings.push(ParseWarning::TooLongForEisner);
            decoder = Decoder::Mst;
        }
        if !self.run(decoder, options.k_best) {
            // Some tree exists, so it was projectivity that left none.
            self.analysis.warnings.push(ParseWarning::CrossingHeads);
            decoder = Decoder::Mst;
            if !self.run(decoder, options.k_best) {
                return Err(ParseError::Infeasible {
                    sentence: name(sent),
                    reason: Infeasible::SeveralRoots,
                });
            }
        }
        Ok(decoder)
    }

    fn run(&mut self, decoder: Decoder, k: usize) -> bool {
        let trees = &mut self.analysis.trees;
        let tree = |heads: &Heads, score| ScoredTree {
            heads: heads.as_slice().to_vec(),
            score,
            ..ScoredTree::default()
        };
        if k > 1 {
            decoder.k_best(&self.score.scores, k, &mut self.decode, &mut self.trees);
            trees.extend(self.trees.iter().map(|(heads, score)| tree(heads, score)));
        } else if let Some(score) =
            decoder.decode(&self.score.scores, &mut self.decode, &mut self.tree)
        {
            trees.push(tree(&self.tree, score));
        }
        !trees.is_empty()
    }

    /// Labels all trees, the best one last, so that its scores are still there for the confidences.
    fn label_trees(&mut self) {
        let relabeller = &self.parser.engine.relabeller;
        for tree in self.analysis.trees.iter_mut().rev() {
            let sentence = (&self.atoms, &self.score.between);
            relabeller.label(
                self.relabel,
                sentence,
                &tree.heads,
                None,
                &mut self.relabel_scratch,
                &mut tree.labels,
            );
        }
    }

    fn add_confidences(&mut self, decoder: Decoder) {
        let n = self.atoms.len();
        if n > CONFIDENCE_LIMIT {
            self.analysis.warnings.push(ParseWarning::TooLongForConfidence);
            return;
        }
        let calibration = &self.parser.info().calibration;
        let sharpness = calibration.arc_inverse_temperature;
        let scores = &mut self.score.scores;
        for child in 1..=n {
            for head in (0..=n).filter(|&head| head != child) {
                scores.set(head, child, scores.score(head, child) * sharpness);
            }
        }
        let Some(log_partition) = decoder.marginals(scores, &mut self.decode, &mut self.marginals)
        else {
            return;
        };
        for tree in &mut self.analysis.trees {
            tree.log_probability = Some(tree.score * f64::from(sharpness) - log_partition);
        }
        let best = &self.analysis.trees[0];
        self.parser.engine.relabeller.confidences(
            self.relabel,
            &self.atoms,
            &best.labels,
            calibration.label_inverse_temperature,
            &self.relabel_scratch,
            &mut self.label_confidences,
        );
        let words = best.heads.iter().zip(&self.label_confidences).enumerate();
        self.analysis.confidences.extend(words.map(|(index, (&head, &label))| Confidence {
            head: calibration::apply(
                &calibration.arc_map,
                self.marginals.get(head as usize, index + 1) as f32,
            ),
            label: calibration::apply(&calibration.label_map, label),
        }));
    }

    fn write(&self, sent: &mut Sentence, keep: bool) {
        let given: Vec<_> = if keep { sent.heads().collect() } else { Vec::new() };
        let labels = &self.parser.engine.labels;
        let best = &self.analysis.trees[0];
        for (index, (&head, &label)) in best.heads.iter().zip(&best.labels).enumerate() {
            let word = index as u32 + 1;
            sent.set_head(word, Some(head));
            if !keep || sent.word(word).deprel() == "_" {
                sent.set(word, Column::Deprel, labels.name(label));
            }
        }
        if let Some(crossing) = &self.parser.crossing {
            // The heads are a tree, so decoding cannot fail.
            let _ = crossing.decode(sent);
            set_heads(sent, given.iter().copied());
            if keep && sent.tree().is_err() {
                set_heads(sent, best.heads.iter().copied().map(Some));
            }
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
