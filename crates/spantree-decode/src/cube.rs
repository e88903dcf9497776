//! Projective trees with labels and features of any order: cube pruning (Zhang and McDonald 2012).
//!
//! The chart is Eisner's, but every cell holds a short list of hypotheses instead of one value. A hypothesis
//! knows what scores may still ask about it, its *signature*: the last modifiers of its head with their
//! labels, and how many there are ([`Modifiers`]). A [`CubeModel`] scores two kinds of [`Step`]:
//!
//! * `Attach`: the arc `head → child` with a label, when the head's modifiers nearer to it and the
//!   child's modifiers on the side of the head are known;
//! * `Complete`: the same arc once the child's modifiers on its other side are known too.
//!
//! Two lists are joined best first, from the best pair to its neighbours (Huang and Chiang 2005), with labels as a
//! third dimension. Scores of steps are not monotone along this grid, so the search is approximate: a cell
//! takes the first [`beam`](CubePruning::beam) hypotheses in the order in which they come up. Of hypotheses with equal
//! signatures the best stays. Of hypotheses that differ in labels only at most [`labellings`](CubePruning::labellings)
//! stay, so that the list does not fill with labellings of one structure (Zhang and McDonald 2014).
//!
//! With an unbounded beam the search is exact. With [`Memory::NOTHING`] and steps that do not look at modifiers
//! it is Eisner's algorithm, whatever the beam. Time O(n³ b log b), memory O(n² b) for beam b. Ties: the first
//! hypothesis that came up.
//!
//! [`CubePruning::violation`] finds what a learner should correct when the search is not exact, by a [`Update`].

mod chart;
mod gold;

use crate::heads::{Heads, RootMode};
use crate::scores::LabelId;
use chart::Chart;
pub use chart::CubeScratch;

/// An arc with its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelledArc {
    /// The head; 0 is the root.
    pub head: usize,
    /// The child.
    pub child: usize,
    /// The label.
    pub label: LabelId,
}

/// A word below a head, with the label of the arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modifier {
    /// The word.
    pub word: u32,
    /// The label of the arc into it.
    pub label: LabelId,
}

/// What is remembered of the modifiers of a word on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// The one farthest from the word.
    pub last: Option<Modifier>,
    /// The one before it.
    pub previous: Option<Modifier>,
    /// Their number, up to that of [`Memory::count`].
    pub count: u8,
}

impl Modifiers {
    /// With one more modifier, as far as it is remembered.
    #[must_use]
    fn with(self, modifier: Modifier, memory: Memory) -> Self {
        let keep = |modifier: Modifier| match memory.labels {
            true => modifier,
            false => Modifier { label: 0, ..modifier },
        };
        Self {
            last: (memory.modifiers > 0).then_some(keep(modifier)),
            previous: self.last.filter(|_| memory.modifiers > 1),
            count: self.count.saturating_add(1).min(memory.count),
        }
    }

    /// The same without labels.
    fn bare(self) -> Self {
        let bare = |modifier: Modifier| Modifier { label: 0, ..modifier };
        Self { last: self.last.map(bare), previous: self.previous.map(bare), ..self }
    }
}

/// How much of its modifiers a hypothesis remembers; a model sees no more than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Up to two modifiers on each side.
    pub modifiers: u8,
    /// Whether with their labels.
    pub labels: bool,
    /// Up to which their number on each side; 0 if not at all.
    pub count: u8,
}

impl Memory {
    /// Nothing at all.
    pub const NOTHING: Self = Self { modifiers: 0, labels: false, count: 0 };
    /// All that can be remembered.
    pub const ALL: Self = Self { modifiers: 2, labels: true, count: u8::MAX };
}

/// A part of a tree that is scored as one; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An arc is built.
    Attach {
        /// The arc.
        arc: LabelledArc,
        /// The head's modifiers between head and child.
        siblings: Modifiers,
        /// The child's modifiers between head and child.
        inside: Modifiers,
    },
    /// The child of an arc has all its modifiers.
    Complete {
        /// The arc.
        arc: LabelledArc,
        /// The child's modifiers between head and child.
        inside: Modifiers,
        /// The child's modifiers on its other side.
        outside: Modifiers,
    },
}

/// Whoever scores the steps of one sentence.
pub trait CubeModel {
    /// Number of words.
    fn words(&self) -> usize;

    /// The labels that an arc may have, those that look best first; none if the arc is not allowed.
    fn labels(&self, head: usize, child: usize) -> &[LabelId];

    /// The score of a step.
    fn score(&self, step: &Step) -> f64;
}

/// Approximate search for trees under a [`CubeModel`]: see the [module documentation](self).
#[derive(Clone, Copy, Debug)]
pub struct CubePruning {
    /// The number of root children.
    pub mode: RootMode,
    /// Hypotheses per cell.
    pub beam: usize,
    /// Hypotheses per cell that differ in labels only.
    pub labellings: usize,
    /// What hypotheses remember.
    pub memory: Memory,
}

/// Which places of the chart a learner corrects (Zhang, Huang, Zhao and McDonald 2013).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// The whole tree, where the search is ahead of gold; nothing is learned from other sentences.
    Whole,
    /// The one place at which the search is farthest ahead.
    #[default]
    Node,
    /// All places at which it is farther ahead than anywhere below, unless that holds for a place above, too. They do not overlap.
    Frontier,
}

/// Where a gold tree falls behind: the same places of the chart in the gold tree and in the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Violation {
    /// By how much the search scores more, summed over the places: at least 0.
    pub amount: f64,
    /// The steps of the best hypotheses.
    pub guess: Vec<Step>,
    /// The steps of the gold tree.
    pub gold: Vec<Step>,
}

impl CubePruning {
    /// Writes the best tree found and its labels, and returns its score; `None`, and an empty tree, if none
    /// was found.
    pub fn decode(
        &self,
        model: &impl CubeModel,
        scratch: &mut CubeScratch,
        tree: &mut Heads,
        labels: &mut Vec<LabelId>,
    ) -> Option<f64> {
        tree.reset(0);
        labels.clear();
        let mut chart = Chart::new(*self, model, scratch);
        chart.fill();
        let (score, goal) = chart.goal()?;
        tree.reset(model.words());
        labels.resize(model.words(), 0);
        chart.each_step(goal, |step| {
            if let Step::Attach { arc, .. } = step {
                tree.attach(arc.head, arc.child);
                labels[arc.child - 1] = arc.label;
            }
        });
        Some(score)
    }

    /// The steps of a projective tree, in the order in which a chart takes them; their scores sum up to its
    /// own.
    ///
    /// # Panics
    /// If the tree is no projective tree, or has another number of labels than of words.
    pub fn steps(&self, tree: &Heads, labels: &[LabelId]) -> Vec<Step> {
        assert_eq!(tree.words(), labels.len(), "tree and labels differ in length");
        assert!(tree.is_tree() && tree.is_projective(), "no projective tree");
        gold::derive(tree, labels, self.memory).steps
    }

    /// The places of the chart at which the best hypothesis is ahead of the gold tree or level with it and
    /// which `update` chooses; `None` if there is none.
    ///
    /// Correcting only the whole tree goes wrong when the search is not exact: if gold was lost on the way, the
    /// answer may score less than gold, and an update would teach nothing. Costs of wrong arcs
    /// belong to the model. Of equal violations the one of the largest structure is taken.
    ///
    /// # Panics
    /// As [`steps`](Self::steps), and if the model has another number of words.
    pub fn violation(
        &self,
        model: &impl CubeModel,
        (tree, labels): (&Heads, &[LabelId]),
        update: Update,
        scratch: &mut CubeScratch,
    ) -> Option<Violation> {
        assert_eq!(tree.words(), model.words(), "tree and model differ in length");
        assert_eq!(tree.words(), labels.len(), "tree and labels differ in length");
        assert!(tree.is_tree() && tree.is_projective(), "no projective tree");
        let mut chart = Chart::new(*self, model, scratch);
        chart.fill();
        let gold = gold::derive(tree, labels, self.memory);
        let scores: Vec<f64> = gold.steps.iter().map(|step| model.score(step)).collect();
        let ahead = |node: &gold::Node| {
            let own: f64 = scores[node.steps.clone()].iter().sum();
            chart.best(node.cell).map_or(f64::NEG_INFINITY, |best| best.0 - own)
        };
        let amounts: Vec<f64> = gold.nodes.iter().map(ahead).collect();
        let mut found = Violation::default();
        let chosen = gold.choose(&amounts, update);
        for &place in &chosen {
            let node = &gold.nodes[place];
            let (_, best) = chart.best(node.cell)?;
            chart.each_step(best, |step| found.guess.push(step));
            found.gold.extend_from_slice(&gold.steps[node.steps.clone()]);
            found.amount += amounts[place];
        }
        (!chosen.is_empty()).then_some(found)
    }
}
