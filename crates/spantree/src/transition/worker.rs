//! Parsing one sentence after the other with reused buffers.

use spantree_decode::transition::{
    Action, ArcSwap, Gold, OracleScratch, Spans, State, System, static_action,
};
use spantree_decode::{ArcScores, ChuLiuEdmonds, Heads, RootMode, TreeDecoder};
use spantree_treebank::repairs::REPARANDUM;
use spantree_treebank::{Column, Sentence, TokenId, Tree};

use super::confidence::confidences;
use super::engine::Weights;
use super::header::Ranking;
use super::parser::Parser;
use super::repairs::{attach_edited, note};
use super::search::{Search, Task};
use super::system::TransitionSystem;
use crate::feature::Atoms;
use crate::graph::LabelSet;
use crate::parser::analysis::Stopwatch;
use crate::parser::search::{require_given, write};
use crate::parser::{
    Analysis, ParseError, ParseOptions, ParseWarning, ScoredTree, SpanSource, Timing,
};

/// Parses sentences with one model; see [`Parser::worker`].
#[derive(Debug)]
pub struct Worker<'p> {
    pub(super) parser: &'p Parser,
    pub(super) weights: Weights<'p, i16>,
    pub(super) atoms: Atoms,
    pub(super) search: Search,
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

    /// Parses a sentence and writes HEAD and DEPREL; everything else in it stays, but a system with edits notes them in MISC
    /// (`Edited=Yes`) and the text without them as a comment (`fluent_text`).
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
        let spans = spans(sent, options.spans);
        self.run(sent, options, &spans);
        let found = self.analysis.trees[0].heads.clone();
        if let Some(allowed) = allowed {
            self.keep_given(sent, &allowed);
        }
        let mut doubts = Vec::new();
        if options.confidence {
            watch.lap(&mut self.timing.search);
            // Where spans were parsed by themselves, there is no one way to the tree.
            let history = self.history(spans.is_empty().then_some(&found[..]));
            doubts = self.add_confidences(&history);
            if options.keep {
                self.trust_given(sent);
            }
            watch.lap(&mut self.timing.confidence);
        }
        let best = &self.analysis.trees[0];
        write(sent, best, &engine.labels, self.parser.crossing.as_ref(), options.keep);
        if options.confidence {
            note_alternatives(sent, &doubts, &engine.labels);
        }
        if !spans.is_empty() {
            self.hold_spans(sent, &spans);
        }
        if engine.system == TransitionSystem::ArcEdit {
            note(sent);
        }
        watch.lap(&mut self.timing.search);
        Ok(&self.analysis)
    }

    /// Searches, and takes over the different trees that were found.
    fn run(&mut self, sent: &Sentence, options: &ParseOptions, spans: &Spans) {
        let header = self.parser.info();
        // Words and heads that are parsed apart from each other meet by chance only.
        let together =
            |word: u32, head: u32| head <= sent.len() as u32 && spans.together(word, head);
        let given = (1..).zip(sent.heads());
        let heads = given.map(|(word, head)| head.filter(|&head| together(word, head)));
        let guide = options.keep.then(|| Gold::partial(heads));
        let task = Task {
            engine: &self.parser.engine,
            weights: self.weights,
            atoms: &self.atoms,
            width: header.beam.max(options.k_best),
            guide: guide.as_ref(),
            first: None,
            sharpness: header.ranking.map(|ranking| header.sharpness(ranking)),
            shortcuts: header.shortcuts,
        };
        Self::search_spans(&mut self.search, &task, spans);
        // Scores of actions have a scale, probabilities have none.
        let scale = if task.by_probability() { 1.0 } else { f64::from(header.action_scale) };
        let trees = &mut self.analysis.trees;
        for item in &self.search.items {
            let nodes = (1..=sent.len() as u32).map(|word| item.state.node(word));
            let (mut heads, mut labels): (Vec<_>, Vec<_>) =
                nodes.map(|node| (node.head, node.label)).unzip();
            if task.engine.system == TransitionSystem::ArcEdit {
                let (tree, mut history) = ((&mut heads[..], &mut labels[..]), Vec::new());
                self.search.history(item.step, &mut history);
                let reparandum = task.engine.labels.number(REPARANDUM).unwrap_or(0);
                attach_edited(tree, &history, reparandum);
            }
            if trees.len() < options.k_best.max(1) && trees.iter().all(|tree| tree.heads != heads) {
                let score = item.score * scale;
                trees.push(ScoredTree { heads, labels, score, log_probability: None });
            }
        }
    }

    /// Searches the spans, and then the rest of the sentence.
    fn search_spans(search: &mut Search, task: &Task<'_, i16>, spans: &Spans) {
        if spans.is_empty() {
            return search.run(task);
        }
        let (system, mut state) = (task.engine.system.system(), State::default());
        system.start(task.atoms.len(), &mut state);
        spans.parse(system, &mut state, |state| {
            search.run(&Task { first: Some(&*state), ..*task });
            state.clone_from(&search.items[0].state);
        });
    }

    /// How the best tree is built, given the heads that the search found for it if its way is known.
    fn history(&self, found: Option<&[u32]>) -> Vec<(Action, u16)> {
        let (best, mut history) = (&self.analysis.trees[0], Vec::new());
        if found == Some(&best.heads[..]) {
            self.search.history(self.search.items[0].step, &mut history);
            return history;
        }
        // Another tree may have taken its place, to keep the given heads. Crossing arcs are out of reach of a projective system.
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

    /// Takes crossing arcs back that labels encode if they break spans.
    fn hold_spans(&mut self, sent: &mut Sentence, spans: &Spans) {
        let holds = |heads: Vec<u32>| spans.hold(&Heads::from(heads));
        let best = &self.analysis.trees[0].heads;
        if !holds(best.clone()) {
            self.analysis.warnings.push(ParseWarning::BrokenSpans);
        } else if !holds(sent.heads().flatten().collect()) {
            (1..).zip(best).for_each(|(word, &head)| sent.set_head(word, Some(head)));
        }
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

    /// Returns alternatives to doubtful labels; see [`confidences`].
    fn add_confidences(&mut self, history: &[(Action, u16)]) -> Vec<(u32, u16)> {
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
        )
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

/// Writes alternatives to doubtful labels to MISC, and removes older ones.
fn note_alternatives(sent: &mut Sentence, doubts: &[(u32, u16)], labels: &LabelSet) {
    const NAME: &str = "LabelAlternative";
    for word in 1..=sent.len() as u32 {
        let token = sent.word(word);
        let doubt = doubts.iter().find(|(doubtful, _)| *doubtful == word);
        // What encodes crossing arcs is no part of the label.
        let second = doubt.and_then(|&(_, label)| labels.name(label).split(['↑', '↓']).next());
        let second = second.filter(|&second| second != token.deprel());
        if second.is_some() || token.misc_value(NAME).is_some() {
            let row = token.index();
            sent.set_attribute(row, Column::Misc, NAME, second);
        }
    }
}

/// The spans that a sentence names; those of a broken file overlap, and are left out.
fn spans(sent: &Sentence, source: SpanSource) -> Spans {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    match source {
        SpanSource::None => {}
        SpanSource::Multiword => spans.extend(sent.tokens().filter_map(|token| match token.id() {
            TokenId::Range(first, last) => Some((first, last)),
            _ => None,
        })),
        SpanSource::Misc => {
            let mut before = None;
            for (number, word) in (1..).zip(sent.words()) {
                let name = word.misc_value("Span");
                match spans.last_mut() {
                    Some(span) if name.is_some() && name == before => span.1 = number,
                    _ => spans.extend(name.map(|_| (number, number))),
                }
                before = name;
            }
        }
    }
    let len = sent.len() as u32;
    Spans::new(spans.into_iter().filter(|span| span.1 <= len)).unwrap_or_default()
}
