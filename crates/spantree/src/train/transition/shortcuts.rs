//! How far ahead a candidate must be to be clear; see [`Shortcuts`].
//!
//! The development set is parsed greedily by all templates. The winner of a decision may be behind by the few templates of clear
//! decisions; the leads are such that all but a [share](LOST) of the winners are nearer. Costs as much as greedy parsing.

use spantree_decode::transition::{Action, State};
use spantree_treebank::Sentence;

use super::super::finish::TreeWeights;
use crate::feature::Atoms;
use crate::transition::{Engine, Scratch, Shortcuts, Weights, label_score};

/// The share of winners that may be given up.
const LOST: f64 = 0.001;

/// See the [module](self).
pub(super) fn find(engine: &Engine, weights: &TreeWeights, dev: &[Sentence]) -> Shortcuts {
    let TreeWeights { arcs, labels, parts } = weights;
    let mut survey = Survey {
        engine,
        weights: Weights { actions: &arcs.weights, labels: &labels.weights, clear: &parts.weights },
        action_lags: Vec::new(),
        label_lags: Vec::new(),
        atoms: Atoms::default(),
        state: State::default(),
        scratch: Scratch::default(),
        actions: Vec::new(),
        scores: Vec::new(),
    };
    dev.iter().filter(|sent| !sent.is_empty()).for_each(|sent| survey.parse(sent));
    Shortcuts { action_lead: lead(survey.action_lags), label_lead: lead(survey.label_lags) }
}

/// The smallest lead that all but a few lags are below.
fn lead(mut lags: Vec<f32>) -> f32 {
    lags.sort_by(f32::total_cmp);
    let kept = (1.0 - LOST) * lags.len() as f64;
    lags.get(kept as usize).map_or(f32::MAX, |lag| lag + 1.0)
}

/// The winners of decisions, seen by few templates.
struct Survey<'a> {
    engine: &'a Engine,
    weights: Weights<'a, i16>,
    action_lags: Vec<f32>,
    label_lags: Vec<f32>,
    atoms: Atoms,
    state: State,
    scratch: Scratch,
    actions: Vec<Action>,
    scores: Vec<f32>,
}

impl Survey<'_> {
    fn parse(&mut self, sent: &Sentence) {
        let system = self.engine.system.system();
        self.atoms.fill(&self.engine.atoms, sent);
        system.start(sent.len(), &mut self.state);
        while !system.is_final(&self.state) {
            system.actions(&self.state, &mut self.actions);
            let action = match self.actions[..] {
                [action] => action,
                _ => self.action(),
            };
            let label = system.arc(&self.state, action).map_or(0, |arc| self.label(arc));
            system.apply(&mut self.state, action, label);
        }
    }

    fn action(&mut self) -> Action {
        let Self { engine, weights, atoms, state, scratch, actions, scores, .. } = self;
        engine.score_actions(weights.actions, atoms, state, actions, scratch, scores);
        let winner = best(scores);
        engine.score_clear_actions(weights.clear, atoms, state, actions, scratch, scores);
        self.action_lags.push(scores[best(scores)] - scores[winner]);
        actions[winner]
    }

    fn label(&mut self, arc: (u32, u32)) -> u16 {
        let Self { engine, weights, atoms, state, scratch, scores, .. } = self;
        let winner = engine.best_label(weights.labels, atoms, state, arc, scratch);
        let bits = weights.clear.len().trailing_zeros();
        engine.find_clear_label_positions(bits, atoms, state, arc, scratch);
        let allowed = engine.allowed(atoms, arc, &scratch.given);
        if allowed.len() > 1 {
            let score = |label| label_score(weights.clear, &scratch.positions, label);
            scores.clear();
            scores.extend(allowed.iter().map(|&label| score(label)));
            self.label_lags.push(scores[best(scores)] - score(winner));
        }
        winner
    }
}

/// The first of the best.
fn best(scores: &[f32]) -> usize {
    (1..scores.len()).fold(0, |best, next| if scores[next] > scores[best] { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_one_in_a_thousand_are_below_the_lead() {
        let lags: Vec<f32> = (0..2000).map(|lag| lag as f32).collect();
        let lead = lead(lags.iter().rev().copied().collect());
        assert_eq!(lags.iter().filter(|&&lag| lag >= lead).count(), 1);
        assert_eq!(super::lead(vec![]), f32::MAX);
        assert_eq!(super::lead(vec![0.0; 10]), 1.0);
    }
}
