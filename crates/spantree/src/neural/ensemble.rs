//! Several parsers as one: the tables of scores are averaged before the search.
//!
//! A learned parser leads. Each member turns its table into logarithms of probabilities of heads: learned ones word by
//! word, as they were trained, graph parsers (of any order) by their probabilities over all trees. The mean of these is the
//! table of the ensemble, a product of experts (Hinton 2002) that *k* best trees, heads to keep and confidences are taken from as from any
//! other. Labels are averaged over the learned members in the same way; the leader alone has a say in tags. All members read the
//! same tags.
//!
//! Cost: that of all members, less their searches. Members that build trees step by step have no table and are refused.

use std::sync::Arc;

use spantree_decode::ArcScores;
use spantree_treebank::Sentence;
use thiserror::Error;

use super::parser::Parser;
use super::scorer::{ScorerScratch, TagSource};
use super::vectors::EncoderMismatch;
use crate::graph;
use crate::model::Calibration;
use crate::parser;

/// Why parsers cannot be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// The first one is no learned parser.
    #[error(
        "the first parser of an ensemble must be a learned one (--parser neural); name such a model first"
    )]
    Leader,
    /// Another one has no table of arc scores.
    #[error(
        "model {number} of the ensemble has no learned parser and no graph parser; leave it out"
    )]
    Member {
        /// From 1.
        number: usize,
    },
}

/// The members behind a leader.
#[derive(Clone, Debug)]
pub(super) struct Ensemble {
    /// How the scores of the leader become probabilities.
    leader: Calibration,
    members: Vec<Member>,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "an ensemble has a few")]
enum Member {
    Network {
        parser: Parser,
        /// For each label of the leader its number here, if it has one.
        labels: Vec<Option<u16>>,
        /// Whether it has the tags of the leader, so that the same beliefs are about them.
        shares_tags: bool,
    },
    Graph(graph::Parser),
}

impl Parser {
    /// An ensemble that this parser leads; see the [module](self).
    ///
    /// # Errors
    /// When another one has no table of arc scores.
    pub fn with_members(self, others: Vec<parser::Parser>) -> Result<Self, EnsembleError> {
        if others.is_empty() {
            return Ok(self);
        }
        let member = |(index, other): (usize, parser::Parser)| match other {
            parser::Parser::Neural(parser) => {
                let names = self.labels.names().iter();
                let labels = names.map(|name| parser.labels.number(name)).collect();
                let shares_tags = parser.tagset == self.tagset;
                Ok(Member::Network { parser, labels, shares_tags })
            }
            parser::Parser::Graph(parser) => Ok(Member::Graph(parser)),
            parser::Parser::Transition(_) => Err(EnsembleError::Member { number: index + 2 }),
        };
        let members = others.into_iter().enumerate().map(member).collect::<Result<_, _>>()?;
        let mut header = self.info().clone();
        let leader = std::mem::take(&mut header.calibration);
        let mut joined = self.with_header(header);
        joined.ensemble = Some(Arc::new(Ensemble { leader, members }));
        Ok(joined)
    }
}

impl Ensemble {
    /// Whether a member sees predicted tags by the probabilities that they have with a tagger of the leader's tags.
    pub(super) fn weighs_tags(&self) -> bool {
        self.members.iter().any(|member| match member {
            Member::Network { parser, shares_tags, .. } => *shares_tags && parser.weighs_tags(),
            Member::Graph(_) => false,
        })
    }
}

/// What the members say of the sentences at hand.
#[derive(Debug, Default)]
pub(super) struct Panel<'p> {
    leader: Option<&'p Calibration>,
    seats: Vec<Seat<'p>>,
    table: ArcScores,
    chances: Vec<f32>,
}

#[derive(Debug)]
enum Seat<'p> {
    Network {
        parser: &'p Parser,
        labels: &'p [Option<u16>],
        shares_tags: bool,
        score: Box<ScorerScratch>,
    },
    Graph(Box<graph::Worker<'p>>),
}

/// What is least probable to a member that knows no better: it must not forbid what the others want.
const FLOOR: f32 = 1e-4;

impl<'p> Panel<'p> {
    pub(super) fn new(ensemble: Option<&'p Arc<Ensemble>>) -> Self {
        let seat = |member: &'p Member| match member {
            &Member::Network { ref parser, ref labels, shares_tags } => {
                Seat::Network { parser, labels, shares_tags, score: Box::default() }
            }
            Member::Graph(parser) => Seat::Graph(Box::new(parser.worker())),
        };
        let seats = ensemble.map(|ensemble| ensemble.members.iter().map(seat).collect());
        let leader = ensemble.map(|ensemble| &ensemble.leader);
        Self { leader, seats: seats.unwrap_or_default(), ..Self::default() }
    }

    /// Has the networks see some sentences.
    pub(super) fn encode(
        &mut self,
        sentences: &[Sentence],
        tags: TagSource<'_>,
    ) -> Result<(), EncoderMismatch> {
        for seat in &mut self.seats {
            if let Seat::Network { parser, shares_tags, score, .. } = seat {
                let tags = if *shares_tags { tags } else { tags.without_beliefs() };
                parser.score(sentences, tags, score)?;
            }
        }
        Ok(())
    }

    /// Averages the arc scores of the leader, for the sentence with this number, with those of the others.
    pub(super) fn join_arcs(&mut self, index: usize, sent: &Sentence, scores: &mut ArcScores) {
        let Some(leader) = self.leader else { return };
        head_chances(scores, leader.arc_inverse_temperature);
        let mut count = 1.0;
        for seat in &mut self.seats {
            match seat {
                Seat::Network { parser, score, .. } => {
                    score.arcs(index, &mut self.table);
                    head_chances(
                        &mut self.table,
                        parser.info().calibration.arc_inverse_temperature,
                    );
                    add(scores, |head, child| self.table.score(head, child));
                }
                Seat::Graph(worker) => {
                    let Some(chances) = worker.head_probabilities(sent) else { continue };
                    add(scores, |head, child| (chances.get(head, child) as f32).max(FLOOR).ln());
                }
            }
            count += 1.0;
        }
        each(scores, |_, _, sum| sum / count);
    }

    /// Averages the label scores of the leader, given row by row for words with these heads, with those of other networks.
    pub(super) fn join_labels(&mut self, index: usize, heads: &[u32], scores: &mut [f32]) {
        let Some(leader) = self.leader else { return };
        let rows = heads.len() + 1;
        let width = scores.len() / rows;
        let own = scores.chunks_exact_mut(width.max(1));
        own.for_each(|row| log_softmax(row, leader.label_inverse_temperature));
        let mut count = 1.0;
        for seat in &mut self.seats {
            let Seat::Network { parser, labels, score, .. } = seat else { continue };
            parser.scorer.score_labels(index, heads, score);
            for (word, row) in scores.chunks_exact_mut(width.max(1)).enumerate().skip(1) {
                self.chances.clear();
                self.chances.extend_from_slice(score.labels(word));
                log_softmax(&mut self.chances, parser.info().calibration.label_inverse_temperature);
                for (sum, label) in row.iter_mut().zip(*labels) {
                    *sum += label.map_or(FLOOR.ln(), |label| self.chances[usize::from(label)]);
                }
            }
            count += 1.0;
        }
        scores.iter_mut().for_each(|sum| *sum /= count);
    }
}

/// Replaces every score of an arc by another.
fn each(scores: &mut ArcScores, mut new: impl FnMut(usize, usize, f32) -> f32) {
    for child in 1..=scores.words() {
        for head in (0..=scores.words()).filter(|&head| head != child) {
            scores.set(head, child, new(head, child, scores.score(head, child)));
        }
    }
}

fn add(scores: &mut ArcScores, mut more: impl FnMut(usize, usize) -> f32) {
    each(scores, |head, child, score| score + more(head, child));
}

/// Replaces scores, times a factor, by logarithms of the probabilities of heads.
fn head_chances(scores: &mut ArcScores, factor: f32) {
    let mut row = Vec::new();
    for child in 1..=scores.words() {
        let heads = || (0..=scores.words()).filter(move |&head| head != child);
        row.clear();
        row.extend(heads().map(|head| scores.score(head, child)));
        log_softmax(&mut row, factor);
        let places: Vec<_> = heads().collect();
        places.into_iter().zip(&row).for_each(|(head, &chance)| scores.set(head, child, chance));
    }
}

/// Replaces scores, times a factor, by logarithms of probabilities.
fn log_softmax(scores: &mut [f32], factor: f32) {
    let largest = scores.iter().fold(f32::NEG_INFINITY, |largest, &score| largest.max(score));
    let sum: f32 = scores.iter().map(|score| ((score - largest) * factor).exp()).sum();
    scores.iter_mut().for_each(|score| *score = (*score - largest) * factor - sum.ln());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_logarithms_of_probabilities() {
        let mut scores = ArcScores::from_fn(2, |head, child| (head * 2 + child) as f32);
        head_chances(&mut scores, 0.5);
        for child in 1..=2 {
            let heads = (0..=2).filter(|&head| head != child);
            let sum: f32 = heads.map(|head| scores.score(head, child).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-6);
        }
        let lead = scores.score(2, 1) - scores.score(0, 1);
        assert!((lead - 0.5 * 4.0).abs() < 1e-6, "{lead}");
    }
}
