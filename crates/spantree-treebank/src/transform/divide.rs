//! Dividing a treebank: random order, samples, parts and folds.
//!
//! Every function answers with the indices of sentences, so that nothing is copied: `split` of 1,000 sentences into `80 %` and
//! the rest gives one list of 800 indices and one of 200. What is moved around is a [`Unit`]: a sentence, or a whole
//! document (everything from one `# newdoc` up to the next), which keeps neighbouring sentences on the same side of a split.
//! The same seed gives the same answer for ever.
//!
//! ```
//! use spantree_treebank::Sentence;
//! use spantree_treebank::transform::{Part, Unit, split};
//! let sentences = vec![Sentence::new(); 10];
//! let parts = split(&sentences, Unit::Sentence, &[Part::Fraction(0.8), Part::Rest], Some(1))?;
//! assert_eq!((parts[0].len(), parts[1].len()), (8, 2));
//! # Ok::<(), spantree_treebank::transform::DivideError>(())
//! ```

use std::ops::Range;

use thiserror::Error;

use crate::random::Random;
use crate::sentence::Sentence;

/// What stays together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Each sentence is on its own.
    #[default]
    Sentence,
    /// The sentences from one `# newdoc` up to the next.
    Document,
}

/// The size of one part of a [`split`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// A share of all sentences, from 0 to 1, rounded to whole sentences.
    Fraction(f64),
    /// A number of sentences.
    Count(usize),
    /// All that the other parts leave.
    Rest,
}

/// A division that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DivideError {
    /// A share outside 0 to 1.
    #[error("a part cannot be {share} of the sentences; give a share from 0 to 1")]
    Fraction {
        /// The share.
        share: f64,
    },
    /// The parts need more sentences than there are.
    #[error("the parts need {wanted} sentences, but there are {available}")]
    TooMany {
        /// What the parts add up to.
        wanted: usize,
        /// The number of sentences.
        available: usize,
    },
    /// More than one [`Part::Rest`].
    #[error("{count} parts ask for the rest; only one can have it")]
    SeveralRests {
        /// How many.
        count: usize,
    },
    /// Fewer than two folds, or more than there is to put in them.
    #[error("cannot make {folds} folds of {units} units; give a number from 2 to {units}")]
    Folds {
        /// The number of folds asked for.
        folds: usize,
        /// The number of sentences or documents.
        units: usize,
    },
}

/// All sentences in random order; those of a document stay in theirs.
#[must_use]
pub fn shuffle(sentences: &[Sentence], unit: Unit, seed: u64) -> Vec<usize> {
    units(sentences, unit, Some(seed)).into_iter().flatten().collect()
}

/// `count` units drawn without replacement (all of them when there are fewer), in the order of the treebank.
#[must_use]
pub fn sample(sentences: &[Sentence], unit: Unit, count: usize, seed: u64) -> Vec<usize> {
    let mut drawn: Vec<_> =
        units(sentences, unit, Some(seed)).into_iter().take(count).flatten().collect();
    drawn.sort_unstable();
    drawn
}

/// Parts of the given sizes, each in the order of the treebank; without a seed they follow each other.
///
/// A part takes whole units until it has its size, so documents may make it larger and later parts smaller. Sentences that
/// no part asked for are left out.
///
/// # Errors
/// When the sizes make no sense or need more sentences than there are.
pub fn split(
    sentences: &[Sentence],
    unit: Unit,
    parts: &[Part],
    seed: Option<u64>,
) -> Result<Vec<Vec<usize>>, DivideError> {
    let sizes = part_sizes(parts, sentences.len())?;
    let mut left = units(sentences, unit, seed).into_iter().peekable();
    let mut divided = Vec::with_capacity(parts.len());
    let (mut taken, mut end) = (0, 0);
    for size in sizes {
        end += size;
        let mut part = Vec::new();
        while let Some(unit) = left.next_if(|_| taken < end) {
            taken += unit.len();
            part.extend(unit);
        }
        part.sort_unstable();
        divided.push(part);
    }
    Ok(divided)
}

/// `count` folds of nearly equal size, each in the order of the treebank: every sentence is in exactly one.
///
/// Each unit goes to the fold that has the fewest sentences; without a seed they come in the order of the treebank.
///
/// # Errors
/// When `count` is below 2 or above the number of units.
pub fn folds(
    sentences: &[Sentence],
    unit: Unit,
    count: usize,
    seed: Option<u64>,
) -> Result<Vec<Vec<usize>>, DivideError> {
    let units = units(sentences, unit, seed);
    if count < 2 || count > units.len() {
        return Err(DivideError::Folds { folds: count, units: units.len() });
    }
    let mut folds = vec![Vec::new(); count];
    for unit in units {
        if let Some(smallest) = folds.iter_mut().min_by_key(|fold| fold.len()) {
            smallest.extend(unit);
        }
    }
    for fold in &mut folds {
        fold.sort_unstable();
    }
    Ok(folds)
}

/// The units as ranges of sentences, shuffled when there is a seed.
fn units(sentences: &[Sentence], unit: Unit, seed: Option<u64>) -> Vec<Range<usize>> {
    let starts_unit = |&index: &usize| {
        index == 0 || unit == Unit::Sentence || sentences[index].comment("newdoc").is_some()
    };
    let starts: Vec<_> = (0..sentences.len()).filter(starts_unit).collect();
    let ends = starts.iter().skip(1).copied().chain([sentences.len()]);
    let mut units: Vec<_> = starts.iter().zip(ends).map(|(&start, end)| start..end).collect();
    if let Some(seed) = seed {
        Random::new(seed).shuffle(&mut units);
    }
    units
}

fn part_sizes(parts: &[Part], available: usize) -> Result<Vec<usize>, DivideError> {
    let rests = parts.iter().filter(|&&part| part == Part::Rest).count();
    if rests > 1 {
        return Err(DivideError::SeveralRests { count: rests });
    }
    // Rounding the ends and not the sizes makes fractions that add up to 1 add up to all sentences.
    let (mut share, mut sizes) = (0.0, Vec::with_capacity(parts.len()));
    for &part in parts {
        sizes.push(match part {
            Part::Fraction(fraction) if !(0.0..=1.0).contains(&fraction) => {
                return Err(DivideError::Fraction { share: fraction });
            }
            Part::Fraction(fraction) => {
                let start = (share * available as f64).round();
                share += fraction;
                ((share * available as f64).round() - start) as usize
            }
            Part::Count(count) => count,
            Part::Rest => 0,
        });
    }
    let wanted = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
    let rest = available.checked_sub(wanted).ok_or(DivideError::TooMany { wanted, available })?;
    if let Some(index) = parts.iter().position(|&part| part == Part::Rest) {
        sizes[index] = rest;
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents of 3, 1, 4, 1 and 3 sentences.
    fn treebank() -> Vec<Sentence> {
        let mut sentences = Vec::new();
        for (document, len) in [3, 1, 4, 1, 3].into_iter().enumerate() {
            for index in 0..len {
                let mut sent = Sentence::new();
                if index == 0 {
                    sent.push_comment(&format!("# newdoc id = {document}"));
                }
                sentences.push(sent);
            }
        }
        sentences
    }

    fn is_partition(parts: &[Vec<usize>], len: usize) -> bool {
        let mut all: Vec<_> = parts.concat();
        all.sort_unstable();
        all == (0..len).collect::<Vec<_>>()
    }

    #[test]
    fn orders_and_samples_depend_on_the_seed_alone() {
        let sentences = treebank();
        let order = shuffle(&sentences, Unit::Sentence, 5);
        assert!(is_partition(std::slice::from_ref(&order), 12));
        assert_eq!(order, shuffle(&sentences, Unit::Sentence, 5));
        assert_ne!(order, shuffle(&sentences, Unit::Sentence, 6));
        let sampled = sample(&sentences, Unit::Sentence, 4, 5);
        assert!(sampled.len() == 4 && sampled.is_sorted());
        assert_eq!(sample(&sentences, Unit::Sentence, 99, 5).len(), 12);
    }

    #[test]
    fn documents_stay_whole() {
        let sentences = treebank();
        let order = shuffle(&sentences, Unit::Document, 1);
        let third = order.iter().position(|&index| index == 4).unwrap();
        assert_eq!(order[third..third + 4], [4, 5, 6, 7]);
        let parts = [Part::Count(2), Part::Fraction(0.25), Part::Rest];
        let parts = split(&sentences, Unit::Document, &parts, None).unwrap();
        assert_eq!(parts, [vec![0, 1, 2], vec![3, 4, 5, 6, 7], vec![8, 9, 10, 11]]);
        let parts = folds(&sentences, Unit::Document, 3, None).unwrap();
        assert_eq!(parts, [vec![0, 1, 2], vec![3, 8, 9, 10, 11], vec![4, 5, 6, 7]]);
    }

    #[test]
    fn splits_and_folds_cover_everything_once() {
        let sentences = treebank();
        let thirds = [Part::Fraction(1.0 / 3.0); 3];
        for seed in [None, Some(1), Some(2)] {
            let parts = split(&sentences, Unit::Sentence, &thirds, seed).unwrap();
            assert!(is_partition(&parts, 12) && parts.iter().all(|part| part.len() == 4));
            for count in 2..=12 {
                let parts = folds(&sentences, Unit::Sentence, count, seed).unwrap();
                let sizes: Vec<_> = parts.iter().map(Vec::len).collect();
                assert!(is_partition(&parts, 12), "{parts:?}");
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
        let some = split(&sentences, Unit::Sentence, &[Part::Count(2), Part::Count(3)], None);
        assert_eq!(some.unwrap(), [vec![0, 1], vec![2, 3, 4]]);
    }

    #[test]
    fn impossible_divisions_say_why() {
        let sentences = treebank();
        let failure = |parts: &[Part]| split(&sentences, Unit::Sentence, parts, None).unwrap_err();
        assert_eq!(failure(&[Part::Fraction(1.5)]), DivideError::Fraction { share: 1.5 });
        let nan = failure(&[Part::Fraction(f64::NAN)]);
        assert!(matches!(nan, DivideError::Fraction { .. }));
        assert_eq!(failure(&[Part::Rest, Part::Rest]), DivideError::SeveralRests { count: 2 });
        let both = [Part::Fraction(0.5), Part::Count(7)];
        assert_eq!(failure(&both), DivideError::TooMany { wanted: 13, available: 12 });
        for count in [0, 1, 13] {
            let expected = DivideError::Folds { folds: count, units: 12 };
            assert_eq!(folds(&sentences, Unit::Sentence, count, None), Err(expected));
        }
        assert!(shuffle(&[], Unit::Document, 1).is_empty());
    }
}
