//! What a transition parser learns from: sentences with gold trees, and two tables of weights in one list.

use spantree_decode::Heads;
use spantree_decode::transition::{Gold, OracleScratch, State, static_action};
use spantree_learn::{self as learn, Problem, SparseVector};
use spantree_treebank::Sentence;
use spantree_treebank::repairs::edited_words;

use super::super::TrainConfig;
use super::super::support::Support;
use crate::feature::Atoms;
use crate::transition::{
    Engine, Scratch, TransitionSystem, Weights, best_of, heads_with_edits, label_score,
    weight_position,
};

/// The label of a word whose DEPREL is `_`: any.
const FREE_LABEL: u16 = u16::MAX;

/// A sentence with its gold tree, projective if the system is.
pub(super) struct Example {
    pub(super) atoms: Atoms,
    pub(super) gold: Gold,
    /// The heads under which the labels are learned.
    heads: Vec<u32>,
    labels: Vec<u16>,
}

impl Example {
    /// Reads a sentence; `None` if the system cannot learn from it.
    pub(super) fn new(engine: &Engine, sent: &Sentence) -> Option<Self> {
        let mut atoms = Atoms::default();
        atoms.fill(&engine.atoms, sent);
        let kind = engine.system;
        let tree = sent.tree().ok();
        let mut heads = Vec::new();
        let gold = match &tree {
            Some(tree) if kind == TransitionSystem::ArcEdit => {
                let edited = edited_words(sent).ok()?;
                heads = heads_with_edits(tree, &edited);
                let gold = Gold::with_edits(&heads);
                // Edited words learn labels where they are.
                let own = (1..).zip(&mut heads).filter(|(word, head)| word == *head);
                own.for_each(|(word, head)| *head = tree.head(word));
                gold
            }
            Some(tree) if kind.is_projective() => Gold::new(&Heads::from(tree.lift().heads)),
            Some(tree) => Gold::new(&Heads::from(tree.heads().to_vec())),
            None if kind.system().is_dynamic() => Gold::partial(sent.heads()),
            None => return None,
        };
        if heads.is_empty() {
            heads = (1..=sent.len() as u32).map(|word| gold.head(word)).collect();
        }
        let label = |name: &str| engine.labels.number(name).unwrap_or(FREE_LABEL);
        let labels = sent.words().map(|word| label(word.deprel())).collect();
        Some(Self { atoms, gold, heads, labels })
    }

    /// The label of an arc if it is gold and has one.
    pub(super) fn label(&self, (head, child): (u32, u32)) -> Option<u16> {
        let at = child as usize - 1;
        let label = self.labels[at];
        (self.heads[at] == head && label != FREE_LABEL).then_some(label)
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        self.atoms.memory() + 22 * self.labels.len()
    }
}

/// The engine and the sizes of its tables; the weights of labels follow those of actions.
pub(super) struct TransitionProblem {
    pub(super) engine: Engine,
    action_bits: u32,
    label_bits: u32,
    /// Whether clear decisions are learned, too.
    pub(super) shortcuts: bool,
}

/// Binary logarithm of the number of weights of clear decisions: as many as stay in the cache.
const CLEAR_BITS: u32 = 20;

impl Problem for TransitionProblem {
    type Example = Example;
    type Scratch = ();
}

/// What [`TransitionProblem::learn_label`] needs.
#[derive(Default)]
pub(super) struct LabelScratch {
    pub(super) engine: Scratch,
    delta: SparseVector,
}

impl TransitionProblem {
    /// Sizes the tables for the features on the way to the gold trees.
    pub(super) fn new(engine: Engine, examples: &[Example], config: &TrainConfig) -> Self {
        let mut problem = Self {
            engine,
            action_bits: 0,
            label_bits: 0,
            shortcuts: config.transition.takes_shortcuts(),
        };
        let TrainConfig { max_bits, max_label_bits, all_features, .. } = *config;
        let all_features = all_features.unwrap_or(false);
        problem.action_bits = Support::fit(max_bits, all_features, |bits, support| {
            problem.visit(examples, bits, max_label_bits, |actions, position| {
                if actions {
                    support.insert(position);
                }
            });
        })
        .0;
        problem.label_bits = Support::fit(max_label_bits, all_features, |bits, support| {
            problem.visit(examples, max_bits, bits, |actions, position| {
                if !actions {
                    support.insert(position);
                }
            });
        })
        .0;
        problem
    }

    /// Calls `found` with every position on the way to the gold trees, and whether it is one of actions, for tables of these sizes.
    fn visit(
        &self,
        examples: &[Example],
        action_bits: u32,
        label_bits: u32,
        mut found: impl FnMut(bool, u32),
    ) {
        let system = self.engine.system.system();
        let (mut state, mut oracle, mut scratch) =
            (State::default(), OracleScratch::default(), Scratch::default());
        for example in examples {
            system.start(example.atoms.len(), &mut state);
            while let Some(action) = static_action(system, &state, &example.gold, &mut oracle) {
                self.engine.find_action_positions(
                    action_bits,
                    &example.atoms,
                    &state,
                    action,
                    &mut scratch,
                );
                let positions = scratch.positions.iter();
                positions.for_each(|&at| found(true, weight_position(at, action)));
                let mut label = 0;
                if let Some(arc) = system.arc(&state, action)
                    && let Some(gold) = example.label(arc)
                {
                    label = gold;
                    self.engine.find_label_positions(
                        label_bits,
                        &example.atoms,
                        &state,
                        arc,
                        &mut scratch,
                    );
                    let mask = u32::from(gold);
                    scratch.positions.iter().for_each(|position| found(false, position ^ mask));
                }
                system.apply(&mut state, action, label);
            }
        }
    }

    /// Number of weights.
    pub(super) fn weights(&self) -> usize {
        self.clear_start() + if self.shortcuts { 1 << CLEAR_BITS } else { 0 }
    }

    /// Where the weights of clear decisions begin.
    pub(super) fn clear_start(&self) -> usize {
        (1 << self.action_bits) + (1 << self.label_bits)
    }

    /// Binary logarithm of the number of label weights.
    pub(super) fn label_bits(&self) -> u32 {
        self.label_bits
    }

    /// Binary logarithm of the number of action weights.
    pub(super) fn action_bits(&self) -> u32 {
        self.action_bits
    }

    /// The tables in a list of weights.
    pub(super) fn split<'a>(&self, weights: &'a [f32]) -> Weights<'a, f32> {
        let (actions, others) = weights.split_at(1 << self.action_bits);
        let (labels, clear) = others.split_at(1 << self.label_bits);
        Weights { actions, labels, clear }
    }

    /// The label that the weights give to an arc. If the arc is gold and its label does not win by a margin of 1, the weights
    /// change.
    pub(super) fn learn_label(
        &self,
        example: &Example,
        state: &State,
        arc: (u32, u32),
        aggressiveness: f32,
        weights: &mut learn::State,
        scratch: &mut LabelScratch,
    ) -> u16 {
        let LabelScratch { engine: buffers, delta } = scratch;
        let engine = &self.engine;
        let table = self.split(weights.weights()).labels;
        engine.find_label_positions(self.label_bits, &example.atoms, state, arc, buffers);
        let allowed = engine.allowed(&example.atoms, arc, &buffers.given);
        let best = best_of(allowed, table, &buffers.positions).map_or(0, |best| best.0);
        let Some(gold) = example.label(arc) else { return best };
        if let Some(violation) = violation(gold, allowed, table, &buffers.positions) {
            let start = 1 << self.action_bits;
            step(violation, start, &buffers.positions, aggressiveness, weights, delta);
        }
        if self.shortcuts {
            engine.find_clear_label_positions(CLEAR_BITS, &example.atoms, state, arc, buffers);
            let allowed = engine.allowed(&example.atoms, arc, &buffers.given);
            let table = self.split(weights.weights()).clear;
            if let Some(violation) = violation(gold, allowed, table, &buffers.positions) {
                let start = self.clear_start() as u32;
                step(violation, start, &buffers.positions, aggressiveness, weights, delta);
            }
        }
        best
    }
}

/// A label that is not a margin of 1 ahead of a rival.
struct Violation {
    gold: u16,
    rival: u16,
    loss: f32,
}

/// Whether the gold label is less than a margin of 1 ahead of its best rival.
fn violation(gold: u16, allowed: &[u16], table: &[f32], positions: &[u32]) -> Option<Violation> {
    let rivals = allowed.iter().filter(|&&label| label != gold);
    let (rival, score) = best_of(rivals, table, positions)?;
    let loss = 1.0 - label_score(table, positions, gold) + score;
    (loss > 0.0).then_some(Violation { gold, rival, loss })
}

/// A passive-aggressive step on the features of a label, whose table begins at `start`.
fn step(
    Violation { gold, rival, loss }: Violation,
    start: u32,
    positions: &[u32],
    aggressiveness: f32,
    weights: &mut learn::State,
    delta: &mut SparseVector,
) {
    delta.clear();
    for &position in positions {
        delta.add(start + (position ^ u32::from(gold)), 1.0);
        delta.add(start + (position ^ u32::from(rival)), -1.0);
    }
    let features = 2 * positions.len().max(1);
    weights.add(aggressiveness.min(loss / features as f32), delta);
}
