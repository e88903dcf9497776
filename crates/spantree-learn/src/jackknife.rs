//! Jack-knifing: which examples each fold trains on and which it predicts.
//!
//! A model that reads another model's output must be trained on output for unseen text: the first model is trained once per
//! fold without it, predicts it, and every example ends up predicted by a model that never saw it.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

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

/// Hands each fold to `predict` with the part of `items` that it holds out, on at most so many threads. The folds are those of
/// [`jackknife`] for `items.len()` examples.
///
/// # Errors
/// The first error of `predict`, in the order of the folds.
pub fn predict_folds<T: Send, E: Send>(
    folds: &[Fold],
    mut items: &mut [T],
    threads: usize,
    predict: impl Fn(&Fold, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let mut parts = Vec::with_capacity(folds.len());
    for fold in folds {
        let (part, after) = items.split_at_mut(fold.held_out.len());
        parts.push((fold, part));
        items = after;
    }
    let each = parts.len().div_ceil(threads.max(1)).max(1);
    let predict = &predict;
    thread::scope(|scope| {
        let run = |share: &mut [(&Fold, &mut [T])]| {
            share.iter_mut().try_for_each(|(fold, part)| predict(fold, part))
        };
        let shares = parts.chunks_mut(each).map(|share| scope.spawn(move || run(share)));
        let running: Vec<_> = shares.collect();
        let mut results = running.into_iter().map(|share| share.join());
        results.try_for_each(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_folds_are_predicted_on_any_number_of_threads() {
        let folds = jackknife(11, 4).unwrap();
        for threads in [0, 1, 2, 3, 9] {
            let mut items: Vec<usize> = (0..11).collect();
            let add = |fold: &Fold, part: &mut [usize]| {
                assert_eq!(part[0], fold.held_out.start);
                part.iter_mut().for_each(|item| *item += 100);
                Ok::<_, ()>(())
            };
            assert_eq!(predict_folds(&folds, &mut items, threads, add), Ok(()));
            assert_eq!(items, (100..111).collect::<Vec<_>>());
            let fail = |fold: &Fold, _: &mut [usize]| match fold.held_out.start {
                0 => Ok(()),
                start => Err(start),
            };
            assert_eq!(predict_folds(&folds, &mut items, threads, fail), Err(3));
        }
    }

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
