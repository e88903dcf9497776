//! Jack-knifing: which examples each fold trains on and which it predicts.
//!
//! A model that reads another model's output must be trained on output for unseen text: the first model is trained once per
//! fold without it, predicts it, and every example ends up predicted by a model that never saw it.

use std::ops::Range;

/// One fold of `len` examples: predict `held_out`, train on the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The examples to predict.
    pub held_out: Range<usize>,
    len: usize,
}

impl Fold {
    /// The examples to train on, in ascending order.
    pub fn training(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.held_out.start).chain(self.held_out.end..self.len)
    }
}

/// Cuts `len` examples into `folds` blocks whose sizes differ by at most one. Blocks are contiguous, so that sentences of one
/// document are mostly held out together. `None` unless `2 ≤ folds ≤ len`: otherwise some fold would have nothing to train
/// on or to predict.
#[must_use]
pub fn jackknife(len: usize, folds: usize) -> Option<Vec<Fold>> {
    if folds < 2 || folds > len {
        return None;
    }
    let (size, larger) = (len / folds, len % folds);
    let start = |fold: usize| fold * size + fold.min(larger);
    Some((0..folds).map(|fold| Fold { held_out: start(fold)..start(fold + 1), len }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_example_is_held_out_once_and_never_trained_on_then() {
        for (len, folds) in [(2, 2), (10, 3), (11, 3), (7, 7), (100, 8)] {
            let mut held_out = vec![0; len];
            for fold in jackknife(len, folds).unwrap() {
                let training: Vec<_> = fold.training().collect();
                assert_eq!(training.len() + fold.held_out.len(), len);
                assert!(
                    training.is_sorted()
                        && training.iter().all(|example| !fold.held_out.contains(example))
                );
                assert!((len / folds..=len.div_ceil(folds)).contains(&fold.held_out.len()));
                fold.held_out.for_each(|example| held_out[example] += 1);
            }
            assert_eq!(held_out, vec![1; len]);
        }
    }

    #[test]
    fn impossible_folds_are_none() {
        for (len, folds) in [(0, 0), (5, 0), (5, 1), (5, 6), (1, 2)] {
            assert_eq!(jackknife(len, folds), None);
        }
    }
}
