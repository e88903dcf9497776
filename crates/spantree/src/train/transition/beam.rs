//! Learning whole sequences of actions with the beam they are searched with.
//!
//! The parser searches, and a passive-aggressive step makes up by how much a sequence of the beam is ahead of the way to the gold
//! tree, and a margin:
//!
//! * *early update* (Collins and Roark 2004): where the last state on a way to the gold tree falls out of the beam, the beginnings
//!   of both, by a margin of 1;
//! * *max violation* (Huang, Fayong and Guo 2012): if the tree is wrong, the beginnings of both where the best of the beam is
//!   furthest ahead, by a margin of 1;
//! * *sentence cost* (Johansson and Nugues 2007): the whole sequence that is ahead most when the square root of its number of wrong
//!   heads is added to its score, by that root.
//!
//! A *logistic* update (Johansson 2007) makes gold more likely among all sequences of the beam, see [`logistic_steps`].
//!
//! Of several ways to the gold tree the one is taken whose
//! next action scores best (the non-deterministic oracle). Labels are learned on that way as in greedy training; a beam takes
//! them for granted.

use spantree_decode::transition::{Action, Gold, OracleScratch, State};
use spantree_learn::{self as learn, Learner, Outcome, SparseVector, logistic_steps};

use super::super::TrainConfig;
use super::config::TransitionLearning;
use super::problem::{Example, LabelScratch, TransitionProblem};
use crate::transition::{Engine, Search, Task, weight_position};

/// See the [module](self).
pub(super) struct Beam {
    width: usize,
    aggressiveness: f32,
    learning: TransitionLearning,
    price: f64,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct BeamScratch {
    search: Search,
    state: State,
    oracle: OracleScratch,
    actions: Vec<Action>,
    scores: Vec<f32>,
    costs: Vec<u32>,
    /// The way to the gold tree, with the labels that the weights give to its arcs.
    gold: Vec<(Action, u16)>,
    /// Scores of its prefixes, the empty one first.
    gold_scores: Vec<f64>,
    guess: Vec<(Action, u16)>,
    /// Steps of the search whose states are on a way to the gold tree, and what keeps them there.
    right: Vec<u32>,
    free: Vec<(u32, Action)>,
    labels: LabelScratch,
    delta: SparseVector,
}

impl Beam {
    pub(super) fn new(config: &TrainConfig) -> Self {
        let settings = &config.transition;
        Self {
            width: settings.beam,
            aggressiveness: settings.aggressiveness as f32,
            learning: settings.learning,
            price: settings.price,
        }
    }
}

impl BeamScratch {
    /// Finds the way to the gold tree.
    fn find_gold(&mut self, task: &Task<'_, f32>, gold: &Gold) {
        let system = task.engine.system.system();
        self.gold.clear();
        self.gold_scores.clear();
        let mut total = 0.0;
        self.gold_scores.push(total);
        system.start(task.atoms.len(), &mut self.state);
        while !system.is_final(&self.state) {
            let state = &mut self.state;
            let buffers = &mut self.labels.engine;
            system.actions(state, &mut self.actions);
            let mut action = self.actions[0];
            if self.actions.len() > 1 {
                system.costs(state, gold, &self.actions, &mut self.oracle, &mut self.costs);
                let (weights, scores) = (task.weights.actions, &mut self.scores);
                let actions = &self.actions;
                task.engine.score_actions(weights, task.atoms, state, actions, buffers, scores);
                let free = (0..actions.len()).filter(|&at| self.costs[at] == 0);
                let best = free.reduce(|a, b| if scores[b] > scores[a] { b } else { a });
                let best = best.unwrap_or(0);
                action = actions[best];
                total += f64::from(scores[best]);
            }
            let label = system.arc(state, action).map_or(0, |arc| {
                task.engine.best_label(task.weights.labels, task.atoms, state, arc, buffers)
            });
            system.apply(state, action, label);
            self.gold.push((action, label));
            self.gold_scores.push(total);
        }
    }

    /// Searches. Leaves the sequence that is best by score and cost in `guess`, and returns its loss unless its tree is right.
    fn find_costliest(&mut self, task: &Task<'_, f32>, gold: &Gold) -> Option<f64> {
        self.search.run(task);
        let root_of_cost = |tree: &State| f64::from(gold.wrong_so_far(tree)).sqrt();
        let items = self.search.items.iter();
        let (ahead, cost, step) = items
            .map(|item| (item.score, root_of_cost(&item.state), item.step))
            .reduce(|best, next| if next.0 + next.1 > best.0 + best.1 { next } else { best })
            .map(|(score, cost, step)| (score - self.gold_scores[self.gold.len()], cost, step))?;
        self.search.history(step, &mut self.guess);
        (cost > 0.0).then_some((ahead + cost).max(0.0))
    }

    /// Searches. If the tree is wrong, leaves the prefix of the worst violation in `guess`, and returns its loss.
    fn find_violation(&mut self, task: &Task<'_, f32>, gold: &Gold) -> Option<f64> {
        self.search.start(task);
        let (mut worst, mut ahead, mut length) = (None, f64::NEG_INFINITY, 0);
        while self.search.advance(task) {
            length += 1;
            let best = &self.search.items[0];
            let gold = self.gold_scores[length.min(self.gold.len())];
            // Of equals the last: as long as the best item is the gold prefix, there is nothing to learn.
            if best.score - gold >= ahead {
                ahead = best.score - gold;
                worst = Some(best.step);
            }
        }
        let tree = &self.search.items[0].state;
        let right = |word: u32| gold.allows(tree.node(word).head, word);
        if (1..=gold.words() as u32).all(right) {
            return None;
        }
        self.search.history(worst?, &mut self.guess);
        Some(ahead.max(0.0) + 1.0)
    }

    /// Searches until no state on a way to the gold tree is left; then, or if the tree is wrong, leaves the best sequence in
    /// `guess`, and returns its loss.
    fn find_fall(&mut self, task: &Task<'_, f32>, gold: &Gold) -> Option<f64> {
        self.search.start(task);
        self.right.clear();
        self.right.push(0);
        let mut length = 0;
        loop {
            self.find_free(task, gold);
            if self.right.is_empty() || !self.search.advance(task) {
                break;
            }
            length += 1;
            let (search, right, free) = (&self.search, &mut self.right, &self.free);
            // A final state stays as it is.
            let stays = |step: u32| {
                right.contains(&step) || search.last(step).is_some_and(|last| free.contains(&last))
            };
            let now: Vec<u32> =
                search.items.iter().map(|item| item.step).filter(|&step| stays(step)).collect();
            *right = now;
        }
        let best = &self.search.items[0];
        if self.right.contains(&best.step) {
            return None;
        }
        self.search.history(best.step, &mut self.guess);
        let ahead = best.score - self.gold_scores[length.min(self.gold.len())];
        Some(ahead.max(0.0) + 1.0)
    }

    /// Finds the actions that keep states on a way to the gold tree.
    fn find_free(&mut self, task: &Task<'_, f32>, gold: &Gold) {
        let system = task.engine.system.system();
        self.free.clear();
        for item in self.search.items.iter().filter(|item| self.right.contains(&item.step)) {
            if !system.is_final(&item.state) {
                system.actions(&item.state, &mut self.actions);
                let (actions, costs) = (&self.actions, &mut self.costs);
                system.costs(&item.state, gold, actions, &mut self.oracle, costs);
                let free = actions.iter().zip(costs).filter(|(_, cost)| **cost == 0);
                self.free.extend(free.map(|(&action, _)| (item.step, action)));
            }
        }
    }

    /// Searches, and returns the changes that make gold more likely among the sequences of the beam with wrong trees.
    fn find_changes(
        &mut self,
        problem: &TransitionProblem,
        example: &Example,
        task: &Task<'_, f32>,
        price: f64,
    ) -> Vec<(f32, SparseVector)> {
        self.search.run(task);
        let gold_score = self.gold_scores[self.gold.len()];
        let wrong = |tree: &State| f64::from(example.gold.wrong_so_far(tree));
        let items = self.search.items.iter();
        let list: Vec<_> = items
            .map(|item| (item.step, item.score - gold_score, wrong(&item.state)))
            .filter(|(_, _, cost)| *cost > 0.0)
            .collect();
        let mut deltas = Vec::new();
        for &(step, ..) in &list {
            self.search.history(step, &mut self.guess);
            self.fill_delta(problem, example);
            deltas.push(self.delta.clone());
        }
        let leads: Vec<_> = list.iter().map(|&(_, lead, _)| lead).collect();
        let prices: Vec<_> =
            list.iter().map(|&(_, lead, cost)| price / (lead.max(0.0) + cost)).collect();
        let steps = logistic_steps(&deltas, &leads, &prices);
        steps.into_iter().map(|step| step as f32).zip(deltas).collect()
    }

    /// Overwrites `delta` with what sets the way to the gold tree apart from `guess`.
    fn fill_delta(&mut self, problem: &TransitionProblem, example: &Example) {
        let shared = self.gold.iter().zip(&self.guess);
        let from = shared.take_while(|(gold, guess)| gold == guess).count();
        self.delta.clear();
        self.add_features(problem, example, from, 1.0);
        self.add_features(problem, example, from, -1.0);
        self.delta.compact();
    }

    /// Adds the features of a prefix to `delta`, from the action number `from` on.
    fn add_features(
        &mut self,
        problem: &TransitionProblem,
        example: &Example,
        from: usize,
        sign: f32,
    ) {
        let engine: &Engine = &problem.engine;
        let system = engine.system.system();
        let prefix = if sign > 0.0 {
            &self.gold[..self.gold.len().min(self.guess.len())]
        } else {
            &self.guess[..]
        };
        system.start(example.atoms.len(), &mut self.state);
        for (at, &(action, label)) in prefix.iter().enumerate() {
            system.actions(&self.state, &mut self.actions);
            if at >= from && self.actions.len() > 1 {
                let buffers = &mut self.labels.engine;
                engine.find_action_positions(
                    problem.action_bits(),
                    &example.atoms,
                    &self.state,
                    action,
                    buffers,
                );
                let positions = buffers.positions.iter();
                positions.for_each(|&at| self.delta.add(weight_position(at, action), sign));
            }
            system.apply(&mut self.state, action, label);
        }
    }

    /// Learns the labels of the arcs on the way to the gold tree.
    fn learn_labels(
        &mut self,
        problem: &TransitionProblem,
        example: &Example,
        aggressiveness: f32,
        weights: &mut learn::State,
    ) {
        let system = problem.engine.system.system();
        system.start(example.atoms.len(), &mut self.state);
        for &(action, _) in &self.gold {
            let (state, labels) = (&mut self.state, &mut self.labels);
            let label = system.arc(state, action).map_or(0, |arc| {
                problem.learn_label(example, state, arc, aggressiveness, weights, labels)
            });
            system.apply(state, action, label);
        }
    }
}

impl Learner<TransitionProblem> for Beam {
    type Scratch = BeamScratch;

    fn learn(
        &self,
        problem: &TransitionProblem,
        example: &Example,
        weights: &mut learn::State,
        scratch: &mut BeamScratch,
    ) -> Outcome {
        let task = Task {
            engine: &problem.engine,
            weights: problem.split(weights.weights()),
            shortcuts: None,
            atoms: &example.atoms,
            width: self.width,
            guide: None,
            first: None,
            sharpness: None,
        };
        scratch.find_gold(&task, &example.gold);
        let violation = match self.learning {
            TransitionLearning::Logistic => {
                let changes = scratch.find_changes(problem, example, &task, self.price);
                changes.iter().for_each(|(step, delta)| weights.add(*step, delta));
                scratch.learn_labels(problem, example, self.aggressiveness, weights);
                let updated = !changes.is_empty();
                return Outcome { loss: f64::from(updated), updated };
            }
            TransitionLearning::EarlyUpdate => scratch.find_fall(&task, &example.gold),
            TransitionLearning::SentenceCost => scratch.find_costliest(&task, &example.gold),
            _ => scratch.find_violation(&task, &example.gold),
        };
        if let Some(loss) = violation {
            scratch.fill_delta(problem, example);
            let squared: f32 = scratch.delta.entries().map(|(_, value)| value * value).sum();
            if squared > 0.0 {
                weights.add(self.aggressiveness.min(loss as f32 / squared), &scratch.delta);
            }
        }
        scratch.learn_labels(problem, example, self.aggressiveness, weights);
        Outcome { loss: f64::from(violation.is_some()), updated: violation.is_some() }
    }
}
