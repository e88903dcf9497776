//! The best path through a lattice in which every position has candidates of its own.
//!
//! Called by taggers whose tag sets are large: a word has a few candidates out of hundreds of tags, and a step is scored
//! for each pair of neighbouring candidates. With `v(i, b)` the best score of a path that ends in candidate `b` of position `i`,
//!
//! ```text
//! v(0, b) = node(0, b)       v(i, b) = node(i, b) + max over a of v(i − 1, a) + step(i, a, b)
//! ```
//!
//! and the goal is the maximum of `v(n − 1, b)`; scores of the first and the last tag belong to their nodes. One tag set for
//! all positions: see [`chain`](crate::chain). Time and memory O(n·k²) for k candidates per position. Ties: the lowest
//! candidate, decided from the last position to the first.
//!
//! ```
//! use spantree_decode::{LatticeScores, LatticeScratch};
//! let mut scores = LatticeScores::default();
//! scores.push(2).nodes.copy_from_slice(&[1.0, 0.0]);
//! let next = scores.push(1);
//! next.steps.copy_from_slice(&[0.0, 3.0]);
//! let (mut scratch, mut path) = (LatticeScratch::default(), Vec::new());
//! assert_eq!(scores.decode(&mut scratch, &mut path), Some(3.0));
//! assert_eq!(path, [1, 0]);
//! ```

use std::ops::Range;

use crate::semiring::{LogSum, Max, Outside, Semiring};

/// Scores of candidates and of steps between neighbours; −∞ forbids. See the [module](self).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatticeScores {
    /// Where the nodes of a position, and the steps into it, begin.
    starts: Vec<(usize, usize)>,
    nodes: Vec<f64>,
    steps: Vec<f64>,
}

/// The scores of a new position, all 0, to be filled in.
#[derive(Debug)]
pub struct NewPosition<'a> {
    /// One per candidate.
    pub nodes: &'a mut [f64],
    /// Row by row for each candidate, one per candidate of the position before; empty at the first position.
    pub steps: &'a mut [f64],
}

/// Memory for [`LatticeScores`].
#[derive(Clone, Debug, Default)]
pub struct LatticeScratch {
    /// Value of all paths up to a node.
    values: Vec<f64>,
    /// The same before the node's own score.
    arriving: Vec<f64>,
}

/// Probabilities of the parts of a path: what [`LatticeScores::marginals`] writes. Laid out as the scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatticeMarginals {
    nodes: Vec<f64>,
    steps: Vec<f64>,
}

impl LatticeScores {
    /// Forgets all positions and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.nodes.clear();
        self.steps.clear();
    }

    /// Appends a position with this many candidates.
    pub fn push(&mut self, candidates: usize) -> NewPosition<'_> {
        let before = match self.starts.last() {
            Some(&(nodes, _)) => self.nodes.len() - nodes,
            None => 0,
        };
        let start = (self.nodes.len(), self.steps.len());
        self.starts.push(start);
        self.nodes.resize(start.0 + candidates, 0.0);
        self.steps.resize(start.1 + candidates * before, 0.0);
        NewPosition { nodes: &mut self.nodes[start.0..], steps: &mut self.steps[start.1..] }
    }

    /// Number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.starts.len()
    }

    /// The scores of the candidates of a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn nodes(&self, position: usize) -> &[f64] {
        &self.nodes[self.node_range(position)]
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn nodes_mut(&mut self, position: usize) -> &mut [f64] {
        let range = self.node_range(position);
        &mut self.nodes[range]
    }

    /// Multiplies all scores, as an inverse temperature does before [`marginals`](Self::marginals).
    pub fn scale(&mut self, factor: f64) {
        self.nodes.iter_mut().chain(&mut self.steps).for_each(|score| *score *= factor);
    }

    /// The score of a path: −∞ if something in it is forbidden.
    ///
    /// # Panics
    /// If its length is not the number of positions, or a candidate does not exist.
    #[must_use]
    pub fn path_score(&self, path: &[u16]) -> f64 {
        assert_eq!(path.len(), self.positions(), "path and scores differ in length");
        let mut score = 0.0;
        for (position, &to) in path.iter().enumerate() {
            score += self.nodes(position)[usize::from(to)];
            if position > 0 {
                score += self.steps_to(position, to.into())[usize::from(path[position - 1])];
            }
        }
        score
    }

    /// Writes the best path and returns its score; `None`, and no path, if none is allowed. The empty path has score 0.
    pub fn decode(&self, scratch: &mut LatticeScratch, path: &mut Vec<u16>) -> Option<f64> {
        path.clear();
        let goal = self.inside(scratch, Max::dot);
        if self.positions() == 0 {
            return Some(0.0);
        }
        let goal = goal.iter().copied().fold(Max::ZERO, Max::plus);
        if goal == Max::ZERO {
            return None;
        }
        path.resize(self.positions(), 0);
        let mut wanted = goal;
        for position in (0..self.positions()).rev() {
            let values = &scratch.values[self.node_range(position)];
            let step = |from: usize| match path.get(position + 1) {
                Some(&to) => self.steps_to(position + 1, to.into())[from],
                None => 0.0,
            };
            let best = (0..values.len()).find(|&from| values[from] + step(from) == wanted);
            let best = best.unwrap_or(0);
            path[position] = best as u16;
            wanted = scratch.arriving[self.starts[position].0 + best];
        }
        Some(goal)
    }

    /// Writes the probabilities of candidates and steps and returns the log partition function; `None` if no path is allowed.
    pub fn marginals(
        &self,
        scratch: &mut LatticeScratch,
        marginals: &mut LatticeMarginals,
    ) -> Option<f64> {
        for (list, size) in
            [(&mut marginals.nodes, self.nodes.len()), (&mut marginals.steps, self.steps.len())]
        {
            list.clear();
            list.resize(size, LogSum::UNREACHED);
        }
        let last = self.inside(scratch, LogSum::dot);
        if self.positions() == 0 {
            return Some(0.0);
        }
        let goal = last.iter().copied().fold(LogSum::ZERO, LogSum::plus);
        if goal == LogSum::ZERO {
            return None;
        }
        let last = self.node_range(self.positions() - 1);
        for node in last {
            marginals.nodes[node] = (scratch.values[node] - goal).exp();
        }
        for position in (1..self.positions()).rev() {
            let (range, before) = (self.node_range(position), self.node_range(position - 1));
            let (earlier, later) = marginals.nodes.split_at_mut(range.start);
            for (candidate, node) in range.clone().enumerate() {
                let steps = self.step_range(position, candidate);
                LogSum::spread(
                    scratch.arriving[node],
                    later[node - range.start],
                    (&scratch.values[before.clone()], &self.steps[steps.clone()]),
                    (&mut earlier[before.clone()], &mut marginals.steps[steps]),
                );
            }
        }
        Some(goal)
    }

    /// Fills the scratch and returns the values at the last position.
    fn inside<'s>(
        &self,
        scratch: &'s mut LatticeScratch,
        dot: impl Fn(&[f64], &[f64]) -> f64,
    ) -> &'s [f64] {
        let LatticeScratch { values, arriving } = scratch;
        values.clear();
        arriving.clear();
        let mut before = 0..0;
        for position in 0..self.positions() {
            for (candidate, &score) in self.nodes(position).iter().enumerate() {
                let sum = match position {
                    0 => 0.0,
                    _ => dot(&values[before.clone()], self.steps_to(position, candidate)),
                };
                arriving.push(sum);
                values.push(sum + score);
            }
            before = self.node_range(position);
        }
        &values[before]
    }

    fn node_range(&self, position: usize) -> Range<usize> {
        let end = self.starts.get(position + 1).map_or(self.nodes.len(), |next| next.0);
        self.starts[position].0..end
    }

    /// The steps into a candidate.
    fn step_range(&self, position: usize, candidate: usize) -> Range<usize> {
        let before = self.starts[position].0 - self.starts[position - 1].0;
        let start = self.starts[position].1 + candidate * before;
        start..start + before
    }

    fn steps_to(&self, position: usize, candidate: usize) -> &[f64] {
        &self.steps[self.step_range(position, candidate)]
    }
}

impl LatticeMarginals {
    /// Probabilities of the candidates of a position of `scores`.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn nodes(&self, scores: &LatticeScores, position: usize) -> &[f64] {
        &self.nodes[scores.node_range(position)]
    }

    /// Probabilities of the steps into a candidate, by the candidate before.
    ///
    /// # Panics
    /// If there is no such position or candidate, or the position is the first.
    #[must_use]
    pub fn steps(&self, scores: &LatticeScores, position: usize, candidate: usize) -> &[f64] {
        &self.steps[scores.step_range(position, candidate)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice of random widths and small integer scores, so that sums are exact and ties occur.
    fn lattice(seed: &mut u64) -> LatticeScores {
        let mut random = |below: u64| {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % below
        };
        let mut scores = LatticeScores::default();
        for _ in 0..1 + random(5) {
            let candidates = 1 + random(3) as usize;
            let new = scores.push(candidates);
            for score in new.nodes.iter_mut().chain(new.steps) {
                *score = match random(9) {
                    0 => f64::NEG_INFINITY,
                    number => number as f64 - 4.0,
                };
            }
        }
        scores
    }

    fn all_paths(scores: &LatticeScores) -> Vec<Vec<u16>> {
        (0..scores.positions()).fold(vec![Vec::new()], |paths, position| {
            let width = scores.nodes(position).len() as u16;
            let extend = |path: Vec<u16>| {
                (0..width).map(move |next| path.iter().copied().chain([next]).collect())
            };
            paths.into_iter().flat_map(extend).collect()
        })
    }

    #[test]
    fn best_paths_and_probabilities_equal_brute_force() {
        let (mut seed, mut scratch) = (1, LatticeScratch::default());
        let (mut path, mut marginals) = (Vec::new(), LatticeMarginals::default());
        for _ in 0..2000 {
            let scores = lattice(&mut seed);
            let paths = all_paths(&scores);
            let best =
                paths.iter().map(|path| scores.path_score(path)).fold(f64::NEG_INFINITY, f64::max);
            let found = scores.decode(&mut scratch, &mut path);
            assert_eq!(found.unwrap_or(f64::NEG_INFINITY), best);
            if found.is_some() {
                assert_eq!(scores.path_score(&path), best);
            }
            let log = scores.marginals(&mut scratch, &mut marginals);
            let total: f64 = paths.iter().map(|path| scores.path_score(path).exp()).sum();
            assert_eq!(log.is_some(), total > 0.0);
            let Some(log) = log else { continue };
            assert!((log - total.ln()).abs() < 1e-9);
            let share = |wanted: &dyn Fn(&[u16]) -> bool| {
                let paths = paths.iter().filter(|path| wanted(path));
                paths.map(|path| scores.path_score(path).exp()).sum::<f64>() / total
            };
            for position in 0..scores.positions() {
                for (to, &found) in marginals.nodes(&scores, position).iter().enumerate() {
                    assert!((found - share(&|path| path[position] == to as u16)).abs() < 1e-9);
                    let steps = match position {
                        0 => &[],
                        _ => marginals.steps(&scores, position, to),
                    };
                    for (from, &found) in steps.iter().enumerate() {
                        let pair = [from as u16, to as u16];
                        let expected = share(&|path| path[position - 1..=position] == pair);
                        assert!((found - expected).abs() < 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn the_empty_lattice_has_one_path_and_a_position_without_candidates_none() {
        let (mut scratch, mut path) = (LatticeScratch::default(), vec![7]);
        let mut scores = LatticeScores::default();
        assert_eq!(scores.decode(&mut scratch, &mut path), Some(0.0));
        assert!(path.is_empty());
        scores.push(0);
        assert_eq!(scores.decode(&mut scratch, &mut path), None);
        assert_eq!(scores.marginals(&mut scratch, &mut LatticeMarginals::default()), None);
        scores.push(2);
        assert_eq!(scores.decode(&mut scratch, &mut path), None);
    }
}
