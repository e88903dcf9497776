//! Parsing with reused buffers, one sentence or several at once.

use spantree_decode::ArcScores;
use spantree_treebank::Sentence;

use super::ensemble::Panel;
use super::parser::Parser;
use super::scorer::{ScorerScratch, TagSource};
use crate::graph::Decoder;
use crate::graph::labels::GivenLabels;
use crate::parser::analysis::Stopwatch;
use crate::parser::search::{self, Search};
use crate::parser::{
    Analysis, Confidence, ParseError, ParseOptions, ScoredTree, Timing, calibration,
};
use crate::tag::Beliefs;

/// Rows that the network sees at once: enough for fast products, few enough for their results to stay in the cache.
const ROWS_AT_ONCE: usize = 192;

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    score: ScorerScratch,
    panel: Panel<'p>,
    scores: ArcScores,
    search: Search,
    given: GivenLabels,
    analysis: Analysis,
    timing: Timing,
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser) -> Self {
        Self {
            parser,
            score: ScorerScratch::default(),
            panel: Panel::new(parser.ensemble.as_ref()),
            scores: ArcScores::default(),
            search: Search::default(),
            given: GivenLabels::default(),
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
    /// With [`ParseOptions::keep`], when the given heads allow no tree; or when the model needs an encoder that it was not
    /// given. The sentence is unchanged then.
    pub fn parse(
        &mut self,
        sent: &mut Sentence,
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        self.parse_believed((sent, &[]), options)
    }

    /// The same with what a tagger thinks of the sentence, if that is known.
    ///
    /// # Errors
    /// As those of [`Worker::parse`].
    pub fn parse_believed(
        &mut self,
        (sent, beliefs): (&mut Sentence, &[Beliefs]),
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        self.encode((std::slice::from_ref(sent), beliefs), options)?;
        self.parse_encoded(0, sent, options)
    }

    /// Parses some sentences, with what a tagger thinks of each or with nothing of the kind, and hands each to `each` with what
    /// was found. The network sees several of them at once, which is faster; the results are those of [`Worker::parse_believed`].
    pub fn parse_all(
        &mut self,
        (sentences, beliefs): (&mut [Sentence], &[Beliefs]),
        options: &ParseOptions,
        mut each: impl FnMut(&mut Sentence, Result<&Analysis, ParseError>),
    ) {
        let (mut rest, mut beliefs) = (sentences, beliefs);
        while !rest.is_empty() {
            let mut rows = 0;
            let fits = |sent: &&Sentence| {
                rows += sent.len() + 1;
                rows <= ROWS_AT_ONCE
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (group, after) = rest.split_at_mut(count);
            let (believed, believed_after) = beliefs.split_at(count.min(beliefs.len()));
            let encoded = self.encode((group, believed), options);
            for (index, sent) in group.iter_mut().enumerate() {
                let encoded = encoded.clone();
                let found = encoded.and_then(|()| self.parse_encoded(index, sent, options));
                each(sent, found);
            }
            (rest, beliefs) = (after, believed_after);
        }
    }

    fn encode(
        &mut self,
        (sentences, beliefs): (&[Sentence], &[Beliefs]),
        options: &ParseOptions,
    ) -> Result<(), ParseError> {
        let mut watch = Stopwatch::start();
        let tags = match options.predicted_tags {
            true => TagSource::Predicted(beliefs),
            false => TagSource::Given,
        };
        self.parser.score(sentences, tags, &mut self.score)?;
        if options.predicted_tags && self.parser.info().retags {
            self.parser.scorer.score_tags(&mut self.score);
        }
        self.panel.encode(sentences, tags)?;
        watch.lap(&mut self.timing.scores);
        Ok(())
    }

    /// Parses the sentence with this number among those that were encoded.
    fn parse_encoded(
        &mut self,
        index: usize,
        sent: &mut Sentence,
        options: &ParseOptions,
    ) -> Result<&Analysis, ParseError> {
        self.analysis.clear();
        if sent.is_empty() {
            return Ok(&self.analysis);
        }
        let mut watch = Stopwatch::start();
        self.score.arcs(index, &mut self.scores);
        self.panel.join_arcs(index, sent, &mut self.scores);
        self.given.clear();
        if options.keep {
            self.given.fill(sent, &self.parser.labels);
            search::require_given(&mut self.scores, sent)?;
        }
        let wanted = (&*sent, options.k_best);
        let (decoder, scores) = (self.parser.decoder, &self.scores);
        let decoder = self.search.find(decoder, scores, wanted, &mut self.analysis)?;
        watch.lap(&mut self.timing.search);
        // The best tree comes last, so that its scores are still there for the confidences.
        for tree in self.analysis.trees.iter_mut().rev() {
            self.parser.scorer.score_labels(index, &tree.heads, &mut self.score);
            self.panel.join_labels(index, &tree.heads, self.score.all_labels());
            label(&self.score, &self.given, tree);
        }
        watch.lap(&mut self.timing.labels);
        if options.confidence {
            self.add_confidences(decoder);
            watch.lap(&mut self.timing.confidence);
        }
        let best = &self.analysis.trees[0];
        search::write(sent, best, &self.parser.labels, None, options.keep);
        if options.predicted_tags && self.parser.info().retags {
            self.analysis.tag_scores.extend_from_slice(self.score.tags(index));
            watch.lap(&mut self.timing.labels);
        }
        Ok(&self.analysis)
    }

    fn add_confidences(&mut self, decoder: Decoder) {
        let calibration = &self.parser.info().calibration;
        let sharpness = calibration.arc_inverse_temperature;
        let (scores, analysis) = (&mut self.scores, &mut self.analysis);
        let Some(marginals) = self.search.weigh(decoder, scores, sharpness, analysis) else {
            return;
        };
        let best = &self.analysis.trees[0];
        for (index, (&head, &label)) in best.heads.iter().zip(&best.labels).enumerate() {
            let (word, scores) = (index + 1, self.score.labels(index + 1));
            let sure = probability(scores, label, calibration.label_inverse_temperature);
            let sure = if self.given.get(word).is_some() { 1.0 } else { sure };
            let marginal = marginals.get(head as usize, word) as f32;
            self.analysis.confidences.push(Confidence {
                head: calibration::apply(&calibration.arc_map, marginal),
                label: calibration::apply(&calibration.label_map, sure),
            });
        }
    }
}

/// Writes the best label of each word, or the given one; the lowest number wins a tie.
fn label(score: &ScorerScratch, given: &GivenLabels, tree: &mut ScoredTree) {
    tree.labels.clear();
    for word in 1..=tree.heads.len() {
        let scores = score.labels(word);
        let best = (0..scores.len())
            .fold(0, |best, label| if scores[label] > scores[best] { label } else { best });
        tree.labels.push(given.get(word).unwrap_or(best as u16));
    }
}

/// The probability of a label when scores are multiplied by `sharpness`.
fn probability(scores: &[f32], label: u16, sharpness: f32) -> f32 {
    let chosen = scores[label as usize];
    1.0 / scores.iter().map(|score| ((score - chosen) * sharpness).exp()).sum::<f32>()
}
