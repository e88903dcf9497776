//! Learning to choose a label by sparse features: the problem of lemmatisers (labels are edit scripts) and of enhanced graphs.

use spantree_learn::{CostMode, Problem, SparseVector, Structured};

use super::space::Space;

/// Something with N features and the label that it should get.
#[derive(Clone, Debug)]
pub(crate) struct Example<const N: usize> {
    /// Rows of its features.
    pub(crate) rows: [u32; N],
    pub(crate) gold: u16,
}

/// Items with their features and labels as examples; features seen with fewer than `min_count` items are left out.
pub(crate) fn examples<const N: usize>(
    features: &[[u64; N]],
    gold: &[u16],
    min_count: usize,
) -> (Vec<Example<N>>, Space) {
    let mut examples: Vec<_> = gold.iter().map(|&gold| Example { rows: [0; N], gold }).collect();
    let mut space = Space::default();
    for template in 0..N {
        let keys: Vec<u64> = features.iter().map(|keys| keys[template]).collect();
        let rows = space.add_template(&keys, min_count, |items, labels| {
            labels.extend(items.iter().map(|&item| gold[item as usize]));
        });
        examples.iter_mut().zip(rows).for_each(|(example, row)| example.rows[template] = row);
    }
    (examples, space)
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct ChoiceProblem<'a, const N: usize> {
    pub(crate) space: &'a Space,
    /// Number of labels.
    pub(crate) labels: usize,
}

impl<const N: usize> Problem for ChoiceProblem<'_, N> {
    type Example = Example<N>;
    type Scratch = Vec<f32>;
}

impl<const N: usize> Structured for ChoiceProblem<'_, N> {
    type Output = u16;

    fn decode(
        &self,
        w: &[f32],
        example: &Example<N>,
        cost: CostMode,
        sums: &mut Vec<f32>,
        guess: &mut u16,
    ) {
        sums.clear();
        sums.resize(self.labels, if cost == CostMode::Augmented { 1.0 } else { 0.0 });
        sums[usize::from(example.gold)] = 0.0;
        for (label, id) in example.rows.iter().flat_map(|&row| self.space.row(row)) {
            sums[usize::from(label)] += w[id];
        }
        *guess = best(sums).unwrap_or(0);
    }

    fn difference(
        &self,
        example: &Example<N>,
        guess: &u16,
        _scratch: &mut Vec<f32>,
        delta: &mut SparseVector,
    ) {
        if *guess == example.gold {
            return;
        }
        for (label, id) in example.rows.iter().flat_map(|&row| self.space.row(row)) {
            if label == example.gold {
                delta.add(id as u32, 1.0);
            } else if label == *guess {
                delta.add(id as u32, -1.0);
            }
        }
    }

    fn loss(&self, example: &Example<N>, guess: &u16) -> f32 {
        if example.gold == *guess { 0.0 } else { 1.0 }
    }
}

/// The first of the largest values.
pub(crate) fn best<S: PartialOrd + Copy>(sums: &[S]) -> Option<u16> {
    let mut best = None;
    for (place, &sum) in sums.iter().enumerate() {
        if best.is_none_or(|(_, largest)| sum > largest) {
            best = Some((place as u16, sum));
        }
    }
    best.map(|(place, _)| place)
}
