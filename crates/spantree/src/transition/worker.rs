//! Parsing one sentence after the other with reused buffers.

use spantree_decode::transition::{
    Action, ArcSwap, Gold, OracleScratch, State, System, static_action,
};
use spantree_decode::{ArcScores, ChuLiuEdmonds, Heads, RootMode, TreeDecoder};
use spantree_treebank::{Sentence, Tree};

use super::confidence::confidences;
use super::engine::Weights;
use super::header::Ranking;
use super::parser::Parser;
use super::search::{Search, Task};
use crate::feature::Atoms;
use crate::parser::analysis::Stopwatch;
use crate::parser::search::{require_given, write};
use crate::parser::{Analysis, ParseError, ParseOptions, ParseWarning, ScoredTree, Timing};

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    weights: Weights<'p, i16>,
    atoms: Atoms,
    search: Search,
    analysis: Analysis,
    timing: Timing,
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser) -> Self {
        Self {
            parser,
            weights: parser.weights(),
            atoms: Atoms::default(),
            search: Search::default(),
            analysis: Analysis::default(),
            timing: Timing::default(),
        }
    }

    /// Where the time went so far; scores are part of the search.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Parses a sentence and writes HEAD and DEPREL; everything else in it stays.
    ///
    /// More than one tree comes from a beam at least as wide as their number. Heads to be kept lead the search of a projective
    /// system, which finds a tree that has them unless they cross; otherwise the nearest tree that has them is taken.
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
        self.search.scratch.given.clear();
        let mut allowed = None;
        if options.keep {
            self.search.scratch.given.fill(sent, &engine.labels);
            let mut scores = ArcScores::from_fn(sent.len(), |_, _| 0.0);
            require_given(&mut scores, sent)?;
            allowed = Some(scores);
        }
        self.atoms.fill(&engine.atoms, sent);
        watch.lap(&mut self.timing.features);
        self.run(sent, options);
        let found = self.analysis.trees[0].heads.clone();
        if let Some(allowed) = allowed {
            self.keep_given(sent, &allowed);
        }
        if options.confidence {
            watch.lap(&mut self.timing.search);
            let history = self.history(&found);
            self.add_confidences(&history);
            if options.keep {
                self.trust_given(sent);
            }
            watch.lap(&mut self.timing.confidence);
        }
        let best = &self.analysis.trees[0];
        write(sent, best, &engine.labels, self.parser.crossing.as_ref(), options.keep);
        watch.lap(&mut self.timing.search);
        Ok(&self.analysis)
    }

    /// Searches, and takes over the different trees that were found.
    fn run(&mut self, sent: &Sentence, options: &ParseOptions) {
        let header = self.parser.info();
        let heads = sent.heads().map(|head| head.filter(|_| options.keep));
        let guide = options.keep.then(|| Gold::partial(heads));
        let task = Task {
            engine: &self.parser.engine,
            weights: self.weights,
            atoms: &self.atoms,
            width: header.beam.max(options.k_best),
            guide: guide.as_ref(),
            sharpness: header.ranking.map(|ranking| header.sharpness(ranking)),
        };
        self.search.run(&task);
        // Scores of actions have a scale, probabilities have none.
        let by_probability = task.sharpness.is_some() && task.width > 1;
        let scale = if by_probability { 1.0 } else { f64::from(header.action_scale) };
        let trees = &mut self.analysis.trees;
        for item in &self.search.items {
            let nodes = (1..=sent.len() as u32).map(|word| item.state.node(word));
            let (heads, labels): (Vec<_>, Vec<_>) =
                nodes.map(|node| (node.head, node.label)).unzip();
            if trees.len() < options.k_best.max(1) && trees.iter().all(|tree| tree.heads != heads) {
                let score = item.score * scale;
                trees.push(ScoredTree { heads, labels, score, log_probability: None });
            }
        }
    }

    /// How the best tree is built, given the heads that the search found for it.
    fn history(&self, found: &[u32]) -> Vec<(Action, u16)> {
        let (best, mut history) = (&self.analysis.trees[0], Vec::new());
        if best.heads == found {
            self.search.history(self.search.items[0].step, &mut history);
            return history;
        }
        // Another tree took its place, to keep the given heads. Crossing arcs are out of reach of a projective system.
        let kind = self.parser.engine.system;
        let lifted = Tree::new(&best.heads).map(|tree| tree.lift().heads);
        let heads = lifted.ok().filter(|_| kind.is_projective());
        let gold = Gold::new(&Heads::from(heads.unwrap_or_else(|| best.heads.clone())));
        let (system, mut state) = (kind.system(), State::default());
        let mut oracle = OracleScratch::default();
        system.start(best.heads.len(), &mut state);
        while let Some(action) = static_action(system, &state, &gold, &mut oracle) {
            let arc = system.arc(&state, action);
            let label = arc.map_or(0, |(_, child)| best.labels[child as usize - 1]);
            system.apply(&mut state, action, label);
            history.push((action, label));
        }
        history
    }

    /// What is given is certain.
    fn trust_given(&mut self, sent: &Sentence) {
        for (word, confidence) in sent.words().zip(&mut self.analysis.confidences) {
            if word.head().is_some() {
                confidence.head = 1.0;
            }
            if word.deprel() != "_" {
                confidence.label = 1.0;
            }
        }
    }

    fn add_confidences(&mut self, history: &[(Action, u16)]) {
        let header = self.parser.info();
        let calibration = &header.calibration;
        let sharpness = header.sharpness(Ranking {
            actions: calibration.arc_inverse_temperature,
            labels: calibration.label_inverse_temperature,
        });
        confidences(
            &self.parser.engine,
            self.weights,
            (sharpness, calibration),
            &self.atoms,
            history,
            &mut self.search.scratch,
            &mut self.analysis.confidences,
        );
    }

    /// Replaces trees without the given heads by the nearest ones that have them, crossing if need be.
    fn keep_given(&mut self, sent: &Sentence, allowed: &ArcScores) {
        let mut trees = std::mem::take(&mut self.analysis.trees);
        for tree in &mut trees {
            let lost =
                |(given, &head): (Option<u32>, &u32)| given.is_some_and(|given| given != head);
            if !sent.heads().zip(&tree.heads).any(lost) {
                continue;
            }
            let mut scores = allowed.clone();
            let arcs = (1..).zip(&tree.heads);
            arcs.for_each(|(child, &head)| scores.add(head as usize, child, 1.0));
            let mut nearest = Heads::default();
            let decoder = ChuLiuEdmonds::new(RootMode::One);
            if decoder.decode(&scores, &mut Default::default(), &mut nearest).is_some() {
                self.relabel(tree, &nearest);
                self.analysis.warnings.push(ParseWarning::CrossingHeads);
            }
        }
        self.analysis.trees = trees;
    }

    /// Gives a tree other heads, and new labels to the words that change theirs.
    fn relabel(&mut self, tree: &mut ScoredTree, heads: &Heads) {
        let (system, gold) = (ArcSwap::new(RootMode::One), Gold::new(heads));
        let (mut state, mut oracle) = (State::default(), OracleScratch::default());
        system.start(heads.words(), &mut state);
        while let Some(action) = static_action(&system, &state, &gold, &mut oracle) {
            let mut label = 0;
            if let Some((head, child)) = system.arc(&state, action) {
                let (old_head, old_label) =
                    (&mut tree.heads[child as usize - 1], &mut tree.labels[child as usize - 1]);
                if *old_head != head {
                    *old_head = head;
                    *old_label = self.parser.engine.best_label(
                        self.weights.labels,
                        &self.atoms,
                        &state,
                        (head, child),
                        &mut self.search.scratch,
                    );
                }
                label = *old_label;
            }
            system.apply(&mut state, action, label);
        }
    }
}
