//! A parser without its weights: system, templates and labels, ready to score.
//!
//! Built by training from a treebank and by [`Parser`](super::Parser) from a model file; the same engine runs in both.
//!
//! A feature of a state owns four weights side by side, one per action, so that an action costs no look-up of its own; Edit has a
//! weight in the group beside it. Where actions have places, each place is scored through a window of its own. The
//! label of an arc is chosen when the action that builds it has been, among the labels seen in training with the tags of its
//! ends; the weight of label `l` is at the position of a feature XOR `l`.

use spantree_decode::transition::{Action, State};

use super::system::TransitionSystem;
use crate::feature::state::{StateScratch, View};
use crate::feature::{AtomSet, Atoms, StateTemplates, TemplateError, direction_side, hash};
use crate::graph::labels::GivenLabels;
use crate::graph::table::Weight;
use crate::graph::{LabelFilter, LabelSet};

use super::header::StateTemplateTexts;
use super::shortcut::Shortcuts;

/// Weights per feature of an action: shift, left, right, and reduce or swap.
pub(crate) const ACTIONS: usize = 4;

/// Where the weight of an action is, given the position of a feature.
#[inline]
pub(crate) fn weight_position(position: u32, action: Action) -> u32 {
    match action {
        Action::Edit => position ^ ACTIONS as u32,
        action => position + class(action) as u32,
    }
}

/// The place of an action among the weights of a feature.
#[inline]
fn class(action: Action) -> usize {
    match action {
        Action::Shift | Action::Edit => 0,
        Action::Left | Action::LeftAt(_) => 1,
        Action::Right | Action::RightAt(_) => 2,
        Action::Reduce | Action::Swap => 3,
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) system: TransitionSystem,
    pub(crate) atoms: AtomSet,
    actions: StateTemplates,
    arc_labels: StateTemplates,
    clear_actions: StateTemplates,
    clear_labels: StateTemplates,
    pub(crate) filter: LabelFilter,
    pub(crate) labels: LabelSet,
}

/// What one unit of a sum of weights counts in an exponent when scores become probabilities: the scale of a table times an
/// inverse temperature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharpness {
    pub(crate) actions: f32,
    pub(crate) labels: f32,
}

/// Tables of weights, each of a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<'a, W> {
    pub(crate) actions: &'a [W],
    pub(crate) labels: &'a [W],
    /// Those of [clear](super::Shortcuts) actions and labels; empty without shortcuts.
    pub(crate) clear: &'a [W],
}

/// Buffers of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    features: StateScratch,
    /// Where the weights are that were looked at last.
    pub(crate) positions: Vec<u32>,
    /// Labels that must be kept.
    pub(crate) given: GivenLabels,
    /// Labels that an arc may still have.
    rivals: Vec<u16>,
    /// Scores of labels.
    scores: Vec<f32>,
}

impl Engine {
    /// Compiles the templates.
    ///
    /// # Errors
    /// When a template is not understood.
    pub(crate) fn new(
        system: TransitionSystem,
        templates: &StateTemplateTexts,
        labels: LabelSet,
        filter: LabelFilter,
    ) -> Result<Self, TemplateError> {
        let mut atoms = AtomSet::default();
        let actions = StateTemplates::new(&templates.action, &mut atoms)?;
        let arc_labels = StateTemplates::new(&templates.label, &mut atoms)?;
        let clear_actions = StateTemplates::new(&templates.clear_action, &mut atoms)?;
        let clear_labels = StateTemplates::new(&templates.clear_label, &mut atoms)?;
        Ok(Self { system, atoms, actions, arc_labels, clear_actions, clear_labels, filter, labels })
    }

    /// Overwrites `scores` with the scores of legal actions, without their scale; leaves the positions of the features of the
    /// last one in `scratch`.
    pub(crate) fn score_actions<W: Weight>(
        &self,
        weights: &[W],
        atoms: &Atoms,
        state: &State,
        actions: &[Action],
        scratch: &mut Scratch,
        scores: &mut Vec<f32>,
    ) {
        scores.clear();
        let bits = weights.len().trailing_zeros();
        let (mut seen, mut sums) = (None, [0.0; ACTIONS]);
        for &action in actions {
            let window = self.system.window(state, action);
            if seen != Some(window) {
                let templates = &self.actions;
                find_groups(templates, bits, atoms, View::new(state, window, None), scratch);
                sums = sum_groups(weights, &scratch.positions);
                seen = Some(window);
            }
            scores.push(match action {
                Action::Edit => label_score(weights, &scratch.positions, ACTIONS as u16),
                action => sums[class(action)],
            });
        }
    }

    /// Leaves the positions of the features of an action in `scratch`, for a table of `2^bits` weights; see
    /// [`weight_position`].
    pub(crate) fn find_action_positions(
        &self,
        bits: u32,
        atoms: &Atoms,
        state: &State,
        action: Action,
        scratch: &mut Scratch,
    ) {
        let view = View::new(state, self.system.window(state, action), None);
        find_groups(&self.actions, bits, atoms, view, scratch);
    }

    /// Overwrites `scores` with the scores of legal actions by the [clear](super::Shortcuts) ones of the templates, without
    /// their scale; leaves the positions of the features in `scratch`. For systems that have shortcuts.
    pub(crate) fn score_clear_actions<W: Weight>(
        &self,
        weights: &[W],
        atoms: &Atoms,
        state: &State,
        actions: &[Action],
        scratch: &mut Scratch,
        scores: &mut Vec<f32>,
    ) {
        let view = View::new(state, self.system.window(state, Action::Shift), None);
        let bits = weights.len().trailing_zeros();
        find_groups(&self.clear_actions, bits, atoms, view, scratch);
        let sums = sum_groups(weights, &scratch.positions);
        scores.clear();
        scores.extend(actions.iter().map(|&action| sums[class(action)]));
    }

    /// The labels that an arc may carry, the given one alone if there is one.
    pub(crate) fn allowed<'a>(
        &'a self,
        atoms: &Atoms,
        (head, child): (u32, u32),
        given: &'a GivenLabels,
    ) -> &'a [u16] {
        let tags = atoms.tags();
        let filter = self.filter.allowed(tags[head as usize], tags[child as usize], head > child);
        given.or(child as usize, filter)
    }

    /// Leaves the positions of the features of an arc's label in `scratch`, for a table of `2^bits` weights.
    pub(crate) fn find_label_positions(
        &self,
        bits: u32,
        atoms: &Atoms,
        state: &State,
        arc: (u32, u32),
        scratch: &mut Scratch,
    ) {
        let view = View::new(state, self.system.window(state, Action::Shift), Some(arc));
        find_label_features(&self.arc_labels, bits, atoms, (view, arc), scratch);
    }

    /// The same by the [clear](super::Shortcuts) ones of the templates.
    pub(crate) fn find_clear_label_positions(
        &self,
        bits: u32,
        atoms: &Atoms,
        state: &State,
        arc: (u32, u32),
        scratch: &mut Scratch,
    ) {
        let view = View::new(state, self.system.window(state, Action::Shift), Some(arc));
        find_label_features(&self.clear_labels, bits, atoms, (view, arc), scratch);
    }

    /// The best label of an arc; leaves the positions of its features in `scratch`.
    pub(crate) fn best_label<W: Weight>(
        &self,
        weights: &[W],
        atoms: &Atoms,
        state: &State,
        arc: (u32, u32),
        scratch: &mut Scratch,
    ) -> u16 {
        let allowed = self.allowed(atoms, arc, &scratch.given);
        if let &[label] = allowed {
            return label;
        }
        self.find_label_positions(weights.len().trailing_zeros(), atoms, state, arc, scratch);
        let allowed = self.allowed(atoms, arc, &scratch.given);
        best_of(allowed, weights, &scratch.positions).map_or(0, |(label, _)| label)
    }

    /// The best label of an arc; those that are clearly not are given up first.
    pub(crate) fn best_label_by_shortcuts<W: Weight>(
        &self,
        weights: Weights<'_, W>,
        shortcuts: Shortcuts,
        atoms: &Atoms,
        state: &State,
        arc: (u32, u32),
        scratch: &mut Scratch,
    ) -> u16 {
        if let &[label] = self.allowed(atoms, arc, &scratch.given) {
            return label;
        }
        let bits = weights.clear.len().trailing_zeros();
        self.find_clear_label_positions(bits, atoms, state, arc, scratch);
        let Scratch { positions, scores, given, rivals, .. } = scratch;
        let allowed = self.allowed(atoms, arc, given);
        scores.clear();
        scores.extend(allowed.iter().map(|&label| label_score(weights.clear, positions, label)));
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let scored = allowed.iter().zip(&*scores);
        let near = scored.filter(|&(_, score)| score + shortcuts.label_lead > best);
        rivals.clear();
        rivals.extend(near.map(|(&label, _)| label));
        if let [label] = rivals[..] {
            return label;
        }
        let bits = weights.labels.len().trailing_zeros();
        self.find_label_positions(bits, atoms, state, arc, scratch);
        best_of(&scratch.rivals, weights.labels, &scratch.positions).map_or(0, |(label, _)| label)
    }

    /// The probability of a label among those that an arc may carry, whose positions are in `scratch`.
    pub(crate) fn label_share<W: Weight>(
        &self,
        weights: &[W],
        atoms: &Atoms,
        (arc, label): ((u32, u32), u16),
        sharpness: f32,
        scratch: &Scratch,
    ) -> f32 {
        let allowed = self.allowed(atoms, arc, &scratch.given);
        if allowed.len() < 2 {
            return 1.0;
        }
        let score = |label| label_score(weights, &scratch.positions, label);
        share(score(label), allowed.iter().map(|&label| score(label)), sharpness)
    }
}

/// Leaves the positions of the weights of features of actions in `scratch`, for a table of `2^bits` weights.
fn find_groups(
    templates: &StateTemplates,
    bits: u32,
    atoms: &Atoms,
    view: View<'_>,
    Scratch { features, positions, .. }: &mut Scratch,
) {
    positions.clear();
    let position = |sum| hash::position(sum, bits) & !(ACTIONS as u32 - 1);
    templates.features(atoms, view, features, position, positions);
}

/// Leaves the positions of features of an arc's label in `scratch`, for a table of `2^bits` weights.
fn find_label_features(
    templates: &StateTemplates,
    bits: u32,
    atoms: &Atoms,
    (view, arc): (View<'_>, (u32, u32)),
    Scratch { features, positions, .. }: &mut Scratch,
) {
    let turn = direction_side(arc.0 > arc.1);
    positions.clear();
    let position = |sum: u32| hash::position(sum.wrapping_add(turn), bits);
    templates.features(atoms, view, features, position, positions);
}

/// The sums of the weights of each action but Edit.
fn sum_groups<W: Weight>(weights: &[W], positions: &[u32]) -> [f32; ACTIONS] {
    // A short loop without branches, so that many look-ups are under way at a time: twice as fast as one over slices.
    let (groups, _) = weights.as_chunks::<ACTIONS>();
    let [mut shift, mut left, mut right, mut other] = [W::Sum::default(); ACTIONS];
    for &position in positions {
        let group = groups[position as usize / ACTIONS];
        shift += group[0].widen();
        left += group[1].widen();
        right += group[2].widen();
        other += group[3].widen();
    }
    [shift, left, right, other].map(W::to_f32)
}

/// The probability of a score among all, its own included.
pub(crate) fn share(score: f32, all: impl Iterator<Item = f32>, sharpness: f32) -> f32 {
    1.0 / all.map(|rival| ((rival - score) * sharpness).exp()).sum::<f32>().max(1.0)
}

/// The first of the best labels and its score, without scale.
pub(crate) fn best_of<'a, W: Weight>(
    labels: impl IntoIterator<Item = &'a u16>,
    weights: &[W],
    positions: &[u32],
) -> Option<(u16, f32)> {
    let scored = labels.into_iter().map(|&label| (label, label_score(weights, positions, label)));
    scored.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The score of a label, without its scale.
#[inline]
pub(crate) fn label_score<W: Weight>(weights: &[W], positions: &[u32], label: u16) -> f32 {
    let mut sum = W::Sum::default();
    for &position in positions {
        sum += weights[(position ^ u32::from(label)) as usize].widen();
    }
    W::to_f32(sum)
}
