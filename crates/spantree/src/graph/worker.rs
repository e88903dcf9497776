//! Parsing one sentence after the other with reused buffers.

mod cube;
mod higher;

use spantree_decode::ArcTable;
use spantree_treebank::Sentence;

use super::decoder::{Decoder, Scores};
use super::higher::PartScratch;
use super::parser::{HigherWeights, Parser};
use super::pruner::PruneScratch;
use super::relabel::RelabelScratch;
use super::scorer::{ArcWeights, ScoreScratch};
use super::table::Table;
use crate::feature::Atoms;
use crate::parser::analysis::Stopwatch;
use crate::parser::search::{self, Search};
use crate::parser::{Analysis, Confidence, ParseError, ParseOptions, Timing, calibration};
use cube::CubeSearch;

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    arcs: ArcWeights<'p, i16>,
    /// Of a higher-order parser.
    higher: Option<HigherWeights<'p>>,
    relabel: Table<'p, i16>,
    atoms: Atoms,
    score: ScoreScratch<i16>,
    prune: PruneScratch<i16>,
    parts: PartScratch,
    cube: CubeSearch,
    search: Search,
    relabel_scratch: RelabelScratch,
    label_confidences: Vec<f32>,
    analysis: Analysis,
    timing: Timing,
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser) -> Self {
        Self {
            parser,
            arcs: parser.arc_weights(),
            higher: parser.higher_weights(),
            relabel: parser.relabel_weights(),
            atoms: Atoms::default(),
            score: ScoreScratch::default(),
            prune: PruneScratch::default(),
            parts: PartScratch::default(),
            cube: CubeSearch::default(),
            search: Search::default(),
            relabel_scratch: RelabelScratch::default(),
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
        self.analysis.clear();
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
        self.prune(sent, options.keep);
        engine.scorer.score(self.arcs, &self.atoms, None, &mut self.score);
        if options.keep {
            search::require_given(&mut self.score.scores, sent)?;
        }
        self.score_parts();
        watch.lap(&mut self.timing.scores);
        let decoder = match self.is_cube() && self.search_cube(options.k_best) {
            true => engine.decoder,
            false => self.find_trees(sent, options.k_best)?,
        };
        watch.lap(&mut self.timing.search);
        self.label_trees();
        watch.lap(&mut self.timing.labels);
        if options.confidence {
            self.add_confidences(decoder);
            watch.lap(&mut self.timing.confidence);
        }
        let (best, crossing) = (&self.analysis.trees[0], self.parser.crossing.as_ref());
        search::write(sent, best, &engine.labels, crossing, options.keep);
        Ok(&self.analysis)
    }

    /// The probabilities of all arcs of a sentence; none if it is too long.
    pub(crate) fn head_probabilities(&mut self, sent: &Sentence) -> Option<&ArcTable<f64>> {
        let options = ParseOptions { confidence: true, ..ParseOptions::default() };
        // Without heads to keep there is always a tree.
        let analysis = self.parse(&mut sent.clone(), &options).ok()?;
        (!analysis.confidences.is_empty()).then_some(())?;
        Some(self.search.marginals())
    }

    /// Adds the `k` best trees to the analysis and returns the decoder that was used.
    fn find_trees(&mut self, sent: &Sentence, k: usize) -> Result<Decoder, ParseError> {
        let decoder = self.parser.engine.decoder;
        let has_parts = self.has_parts() && !self.is_cube();
        let minimum_risk = self.parser.engine.minimum_risk && has_parts;
        let Self { search, parts, analysis, .. } = self;
        let only_one = minimum_risk && k <= 1;
        if only_one && search.prefer_likely_arcs(&parts.scores, 1, &mut analysis.trees) {
            return Ok(decoder);
        }
        let scores = match has_parts {
            true => Scores::Parts(&parts.scores),
            false => Scores::Arcs(&self.score.scores),
        };
        let decoder = search.find(decoder, scores, (sent, k), analysis)?;
        if minimum_risk && decoder.is_projective() {
            search.prefer_likely_arcs(&parts.scores, k.max(1), &mut analysis.trees);
        }
        Ok(decoder)
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
        let calibration = &self.parser.info().calibration;
        let sharpness = calibration.arc_inverse_temperature;
        let (higher, cube) = (self.has_parts(), self.is_cube());
        let Self { search, score, parts, analysis, .. } = self;
        let marginals = match higher {
            true if cube => search.weigh_near(decoder, &mut score.scores, sharpness, analysis),
            true => search.weigh_parts(decoder, &mut parts.scores, sharpness, analysis),
            false => search.weigh(decoder, &mut score.scores, sharpness, analysis),
        };
        let Some(marginals) = marginals else { return };
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
                marginals.get(head as usize, index + 1) as f32,
            ),
            label: calibration::apply(&calibration.label_map, label),
        }));
    }
}
