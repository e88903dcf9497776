//! Learning scripts: a problem whose answers are the numbers of scripts.

use spantree_learn::{CostMode, Problem, SparseVector, Structured};

use super::feature::FEATURES;
use crate::rows::space::Space;

/// A word with the number of its script.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// Rows of its features.
    pub(super) rows: [u32; FEATURES],
    pub(super) gold: u16,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct ScriptProblem<'a> {
    pub(super) space: &'a Space,
    /// Number of scripts.
    pub(super) scripts: usize,
}

impl Problem for ScriptProblem<'_> {
    type Example = Example;
    type Scratch = Vec<f32>;
}

impl Structured for ScriptProblem<'_> {
    type Output = u16;

    fn decode(
        &self,
        w: &[f32],
        example: &Example,
        cost: CostMode,
        sums: &mut Vec<f32>,
        guess: &mut u16,
    ) {
        sums.clear();
        sums.resize(self.scripts, if cost == CostMode::Augmented { 1.0 } else { 0.0 });
        sums[usize::from(example.gold)] = 0.0;
        for (script, id) in example.rows.iter().flat_map(|&row| self.space.row(row)) {
            sums[usize::from(script)] += w[id];
        }
        *guess = best(sums).unwrap_or(0);
    }

    fn difference(
        &self,
        example: &Example,
        guess: &u16,
        _scratch: &mut Vec<f32>,
        delta: &mut SparseVector,
    ) {
        if *guess == example.gold {
            return;
        }
        for (script, id) in example.rows.iter().flat_map(|&row| self.space.row(row)) {
            if script == example.gold {
                delta.add(id as u32, 1.0);
            } else if script == *guess {
                delta.add(id as u32, -1.0);
            }
        }
    }

    fn loss(&self, example: &Example, guess: &u16) -> f32 {
        if example.gold == *guess { 0.0 } else { 1.0 }
    }
}

/// The first of the largest values.
pub(super) fn best<S: PartialOrd + Copy>(sums: &[S]) -> Option<u16> {
    let mut best = None;
    for (place, &sum) in sums.iter().enumerate() {
        if best.is_none_or(|(_, largest)| sum > largest) {
            best = Some((place as u16, sum));
        }
    }
    best.map(|(place, _)| place)
}
