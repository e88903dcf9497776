//! The search for the best sequences of actions: greedy, or with a beam.
//!
//! In each step all states of the beam take all their legal actions, and the best results stay (Zhang and Clark 2008). A state
//! is copied only when more than one of its successors stays. A beam of one is a loop of its own that copies nothing. The label of an arc is
//! chosen when the arc has been. An action without an alternative scores nothing.
//!
//! A beam is ranked in one of two ways. Weights that were learned action by action say which action is best in a state, but
//! their sums do not compare sequences: there, the logarithms of the probabilities of actions and labels are added up, and a
//! label counts from the step after its arc. Sequences that differ only in the order of their actions meet in the same state, and
//! are one from there on, with the sum of their probabilities. Weights that were learned on whole sequences are added up as they
//! are.
//!
//! With a *guide*, heads that are to be kept, only actions of the least cost under it are taken; see
//! [`Gold::partial`]. O(width · n) scorings of states.

use spantree_decode::transition::{Action, Gold, OracleScratch, State};
use spantree_decode::{LogSum, Semiring};

use super::engine::{Engine, Scratch, Sharpness, Weights};
use super::shortcut::Shortcuts;
use crate::feature::{Atoms, hash};
use crate::graph::table::Weight;

/// A state, how it came about, and what that scores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) state: State,
    /// Sum of the scores of its actions, without scale, or the logarithm of its probability.
    pub(crate) score: f64,
    /// Its last step, counted from 1; 0 for none.
    pub(crate) step: u32,
    /// A hash of all arcs that were built on the way to it, in whatever order; some systems take arcs back.
    arcs: u64,
}

/// One action on the way to an item.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The step before, counted from 1; 0 for none.
    before: u32,
    action: Action,
    label: u16,
}

/// A successor of an item that may stay.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    item: usize,
    /// `None` if the item is final.
    action: Option<Action>,
    score: f64,
}

/// What a search needs to know of a sentence.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a, W> {
    pub(crate) engine: &'a Engine,
    pub(crate) weights: Weights<'a, W>,
    pub(crate) atoms: &'a Atoms,
    pub(crate) width: usize,
    pub(crate) guide: Option<&'a Gold>,
    /// The first state, if it is not that of the whole sentence.
    pub(crate) first: Option<&'a State>,
    /// How scores become probabilities in a beam; `None` adds up scores.
    pub(crate) sharpness: Option<Sharpness>,
    /// When greedy decisions are clear; an action that is adds nothing to the score.
    pub(crate) shortcuts: Option<Shortcuts>,
}

impl<W> Task<'_, W> {
    /// Whether sequences are ranked by their probabilities.
    pub(crate) fn by_probability(&self) -> bool {
        self.sharpness.is_some() && self.width > 1
    }

    /// How decisions can be taken one by one, as soon as they are clear.
    fn shortcuts(&self) -> Option<Shortcuts> {
        self.shortcuts.filter(|_| self.width == 1)
    }
}

/// The beam and its memory; belongs to one thread and is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// The states of the beam, best first.
    pub(crate) items: Vec<Item>,
    next: Vec<Item>,
    spare: Vec<State>,
    steps: Vec<Step>,
    candidates: Vec<Candidate>,
    /// How many successors of each item stay.
    uses: Vec<u32>,
    actions: Vec<Action>,
    scores: Vec<f32>,
    costs: Vec<u32>,
    oracle: OracleScratch,
    pub(crate) scratch: Scratch,
}

impl Search {
    /// Searches to the end; the items are final then.
    pub(crate) fn run<W: Weight>(&mut self, task: &Task<'_, W>) {
        self.start(task);
        while self.advance(task) {}
        // The last labels have not been ranked.
        self.items.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// The first state alone.
    pub(crate) fn start<W: Weight>(&mut self, task: &Task<'_, W>) {
        self.spare.extend(self.items.drain(..).map(|item| item.state));
        self.steps.clear();
        let mut state = self.spare.pop().unwrap_or_default();
        match task.first {
            Some(first) => state.clone_from(first),
            None => task.engine.system.system().start(task.atoms.len(), &mut state),
        }
        self.items.push(Item { state, score: 0.0, step: 0, arcs: 0 });
    }

    /// One action for every item; `false`, and nothing changes, when all are final.
    pub(crate) fn advance<W: Weight>(&mut self, task: &Task<'_, W>) -> bool {
        if task.width == 1 && self.items.len() == 1 {
            return self.advance_greedily(task);
        }
        self.candidates.clear();
        for item in 0..self.items.len() {
            self.expand(item, task);
        }
        if self.candidates.iter().all(|candidate| candidate.action.is_none()) {
            return false;
        }
        self.candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.candidates.truncate(task.width);
        self.uses.clear();
        self.uses.resize(self.items.len(), 0);
        self.candidates.iter().for_each(|candidate| self.uses[candidate.item] += 1);
        for at in 0..self.candidates.len() {
            let item = self.succeed(self.candidates[at], task);
            let same = |other: &&mut Item| other.arcs == item.arcs && other.state == item.state;
            match self.next.iter_mut().filter(|_| task.by_probability()).find(same) {
                Some(other) => {
                    other.score = LogSum::plus(other.score, item.score);
                    self.spare.push(item.state);
                }
                None => self.next.push(item),
            }
        }
        std::mem::swap(&mut self.items, &mut self.next);
        self.spare.extend(self.next.drain(..).map(|item| item.state));
        true
    }

    /// The best action for the only item; `false` if it is final.
    fn advance_greedily<W: Weight>(&mut self, task: &Task<'_, W>) -> bool {
        if !self.find_actions(0, task) {
            return false;
        }
        let (best, _) = lead(&self.scores);
        let item = &mut self.items[0];
        item.score += f64::from(self.scores[best]);
        take(item, self.actions[best], task, &mut self.scratch, &mut self.steps);
        true
    }

    /// Adds the successors of an item to the candidates.
    fn expand<W: Weight>(&mut self, item: usize, task: &Task<'_, W>) {
        let is_final = !self.find_actions(item, task);
        let score = self.items[item].score;
        if is_final {
            self.candidates.push(Candidate { item, action: None, score });
            return;
        }
        let added = self.actions.iter().zip(&self.scores).map(|(&action, &gain)| Candidate {
            item,
            action: Some(action),
            score: score + f64::from(gain),
        });
        self.candidates.extend(added);
    }

    /// Leaves the actions that an item may take in `actions`, and what each adds to its score in `scores`; `false` if it is
    /// final. An action that is clear has no alternative.
    fn find_actions<W: Weight>(&mut self, item: usize, task: &Task<'_, W>) -> bool {
        let (state, actions, scores) =
            (&self.items[item].state, &mut self.actions, &mut self.scores);
        let (engine, system) = (task.engine, task.engine.system.system());
        if system.is_final(state) {
            return false;
        }
        system.actions(state, actions);
        if let (Some(guide), true) = (task.guide, actions.len() > 1) {
            system.costs(state, guide, actions, &mut self.oracle, &mut self.costs);
            let (least, mut costs) = (self.costs.iter().min(), self.costs.iter());
            actions.retain(|_| costs.next() == least);
        }
        if let Some(shortcuts) = task.shortcuts().filter(|_| actions.len() > 1) {
            let (clear, scratch) = (task.weights.clear, &mut self.scratch);
            engine.score_clear_actions(clear, task.atoms, state, actions, scratch, scores);
            let (best, lead) = lead(scores);
            if lead >= shortcuts.action_lead {
                actions.swap(0, best);
                actions.truncate(1);
            }
        }
        if actions.len() == 1 {
            scores.clear();
            scores.push(0.0);
            return true;
        }
        let (weights, scratch) = (task.weights.actions, &mut self.scratch);
        engine.score_actions(weights, task.atoms, state, actions, scratch, scores);
        if let Some(sharpness) = task.sharpness.filter(|_| task.by_probability()) {
            shares(scores, sharpness.actions);
        }
        true
    }

    /// The item that a candidate stands for; the last use of a state takes it.
    fn succeed<W: Weight>(&mut self, candidate: Candidate, task: &Task<'_, W>) -> Item {
        let parent = &mut self.items[candidate.item];
        let mut item = Item {
            state: self.spare.pop().unwrap_or_default(),
            score: candidate.score,
            step: parent.step,
            arcs: parent.arcs,
        };
        self.uses[candidate.item] -= 1;
        if self.uses[candidate.item] == 0 {
            std::mem::swap(&mut item.state, &mut parent.state);
        } else {
            item.state.clone_from(&parent.state);
        }
        if let Some(action) = candidate.action {
            take(&mut item, action, task, &mut self.scratch, &mut self.steps);
        }
        item
    }

    /// The step before a step of this sentence, and the action between.
    pub(crate) fn last(&self, step: u32) -> Option<(u32, Action)> {
        let step = self.steps[step.checked_sub(1)? as usize];
        Some((step.before, step.action))
    }

    /// Overwrites `actions` with the actions up to a step of this sentence, and the labels of their arcs.
    pub(crate) fn history(&self, step: u32, actions: &mut Vec<(Action, u16)>) {
        actions.clear();
        let mut at = step;
        while let Some(step) = at.checked_sub(1).map(|index| self.steps[index as usize]) {
            actions.push((step.action, step.label));
            at = step.before;
        }
        actions.reverse();
    }
}

/// Takes an action, and chooses the label of the arc that it builds.
fn take<W: Weight>(
    item: &mut Item,
    action: Action,
    task: &Task<'_, W>,
    scratch: &mut Scratch,
    steps: &mut Vec<Step>,
) {
    let (engine, atoms, system) = (task.engine, task.atoms, task.engine.system.system());
    let mut label = 0;
    if let Some(arc) = system.arc(&item.state, action) {
        let (state, weights) = (&item.state, task.weights);
        label = match task.shortcuts() {
            Some(shortcuts) => {
                engine.best_label_by_shortcuts(weights, shortcuts, atoms, state, arc, scratch)
            }
            None => engine.best_label(weights.labels, atoms, state, arc, scratch),
        };
        let (head, child) = (u64::from(arc.0), u64::from(arc.1));
        item.arcs = item.arcs.wrapping_add(hash::mix(hash::mix(head, child), label.into()));
        if let Some(sharpness) = task.sharpness.filter(|_| task.by_probability()) {
            let choice = (arc, label);
            let share =
                engine.label_share(weights.labels, atoms, choice, sharpness.labels, scratch);
            item.score += f64::from(share.ln());
        }
    }
    system.apply(&mut item.state, action, label);
    steps.push(Step { before: item.step, action, label });
    item.step = steps.len() as u32;
}

/// Makes scores logarithms of probabilities.
fn shares(scores: &mut [f32], sharpness: f32) {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| ((score - best) * sharpness).exp()).sum();
    scores.iter_mut().for_each(|score| *score = (*score - best) * sharpness - sum.ln());
}

/// The first of the best scores, and its lead over the others.
fn lead(scores: &[f32]) -> (usize, f32) {
    let (mut best, mut second) = (0, f32::NEG_INFINITY);
    for at in 1..scores.len() {
        if scores[at] > scores[best] {
            (second, best) = (scores[best], at);
        } else {
            second = second.max(scores[at]);
        }
    }
    (best, scores[best] - second)
}

#[cfg(test)]
mod tests;
