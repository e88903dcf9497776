//! Aligning the words of two tokenisations of one text, as the CoNLL 2018 UD evaluation does.
//!
//! Walking both sides from left to right, words outside multiword tokens are paired when they cover the same characters. A
//! multiword token opens a *region*, the smallest stretch of text that holds whole multiword tokens of both sides only; its
//! words are paired by a longest common subsequence (LCS) of their lower-cased forms. Linear time, plus the product of both
//! numbers of words for each region; one bit per cell is kept.

use std::collections::HashMap;
use std::ops::Range;

use super::error::EvaluateError;
use super::side::{Side, Word, is_space};

/// Largest table of an LCS, in cells: some seconds and 128 MB. Real regions have a handful of words.
const MAX_CELLS: usize = 1 << 30;

/// The aligned words `(gold, system)`, ascending. Both sides must have the same text.
pub(super) fn by_text(gold: &Side, system: &Side) -> Result<Vec<(u32, u32)>, EvaluateError> {
    let mut pairs = Vec::with_capacity(gold.words.len());
    let (mut g, mut s) = (0, 0);
    while g < gold.words.len() && s < system.words.len() {
        let (left, right) = (&gold.words[g], &system.words[s]);
        if left.multiword || right.multiword {
            let region = Region::at(&gold.words, &system.words, g, s);
            region.align(gold, system, &mut pairs)?;
            (g, s) = (region.gold.end, region.system.end);
        } else if left.span == right.span {
            pairs.push((g as u32, s as u32));
            (g, s) = (g + 1, s + 1);
        } else if left.span.start <= right.span.start {
            g += 1;
        } else {
            s += 1;
        }
    }
    Ok(pairs)
}

/// The words of both sides in a stretch of text around multiword tokens.
struct Region {
    gold: Range<usize>,
    system: Range<usize>,
}

impl Region {
    /// The region that the multiword token at gold word `g` or at system word `s` opens.
    fn at(gold: &[Word], system: &[Word], mut g: usize, mut s: usize) -> Self {
        // The other side's word may have begun before the multiword token: then it is not inside.
        let mut end;
        if gold[g].multiword {
            end = gold[g].span.end;
            s += usize::from(!system[s].multiword && system[s].span.start < gold[g].span.start);
        } else {
            end = system[s].span.end;
            g += usize::from(gold[g].span.start < system[s].span.start);
        }
        let (first_gold, first_system) = (g, s);
        while is_inside(gold.get(g), end) || is_inside(system.get(s), end) {
            let take_gold = match (gold.get(g), system.get(s)) {
                (Some(left), Some(right)) => left.span.start <= right.span.start,
                (left, _) => left.is_some(),
            };
            let (word, next) = if take_gold { (&gold[g], &mut g) } else { (&system[s], &mut s) };
            if word.multiword {
                end = end.max(word.span.end);
            }
            *next += 1;
        }
        Self { gold: first_gold..g, system: first_system..s }
    }

    fn align(
        &self,
        gold: &Side,
        system: &Side,
        pairs: &mut Vec<(u32, u32)>,
    ) -> Result<(), EvaluateError> {
        let mut numbers = HashMap::new();
        let left = form_numbers(&gold.words[self.gold.clone()], &mut numbers);
        let right = form_numbers(&system.words[self.system.clone()], &mut numbers);
        // The walk through the table takes every pair of equal forms it meets, so a common beginning needs no table.
        let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
        let (left, right) = (&left[same..], &right[same..]);
        if left.len().saturating_mul(right.len()) > MAX_CELLS {
            let first = &gold.words[self.gold.start];
            let place = gold.document.row_place(first.sentence as usize, first.token.index());
            let (gold, system) = (self.gold.len(), self.system.len());
            return Err(EvaluateError::MultiwordRegion { place, gold, system });
        }
        let base = (self.gold.start as u32, self.system.start as u32);
        let pair = |(g, s): (usize, usize)| (base.0 + g as u32, base.1 + s as u32);
        pairs.extend((0..same).map(|i| pair((i, i))));
        let common = longest_common_subsequence(left, right);
        pairs.extend(common.into_iter().map(|(g, s)| pair((same + g, same + s))));
        Ok(())
    }
}

/// Whether a word belongs to a region that ends at `end`.
fn is_inside(word: Option<&Word>, end: usize) -> bool {
    word.is_some_and(
        |word| {
            if word.multiword { word.span.start < end } else { word.span.end <= end }
        },
    )
}

/// Numbers for the words, equal where the lower-cased forms are.
fn form_numbers(words: &[Word], numbers: &mut HashMap<String, u32>) -> Vec<u32> {
    let number = |word: &Word| {
        let mut form = word.token.form().to_lowercase();
        if !word.multiword {
            form.retain(|c| !is_space(c));
        }
        let next = numbers.len() as u32;
        *numbers.entry(form).or_insert(next)
    };
    words.iter().map(number).collect()
}

/// As many pairs of equal items as possible, ascending on both sides; on ties the left item is skipped first.
fn longest_common_subsequence(left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
    let width = right.len();
    // Bit `l * width + r`: the items after `l` and from `r` on have as long a subsequence as those from `l` and `r` on.
    let mut skip_left = vec![0u64; (left.len() * width).div_ceil(64)];
    // Lengths from `l + 1` and from `l` on.
    let (mut below, mut row) = (vec![0u32; width + 1], vec![0u32; width + 1]);
    for l in (0..left.len()).rev() {
        for r in (0..width).rev() {
            let taken = if left[l] == right[r] { below[r + 1] + 1 } else { 0 };
            row[r] = taken.max(below[r]).max(row[r + 1]);
            let cell = l * width + r;
            skip_left[cell / 64] |= u64::from(row[r] == below[r]) << (cell % 64);
        }
        std::mem::swap(&mut below, &mut row);
    }
    let mut pairs = Vec::new();
    let (mut l, mut r) = (0, 0);
    while l < left.len() && r < width {
        let cell = l * width + r;
        if left[l] == right[r] {
            pairs.push((l, r));
            (l, r) = (l + 1, r + 1);
        } else if skip_left[cell / 64] >> (cell % 64) & 1 == 1 {
            l += 1;
        } else {
            r += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Comparison, Document, Metric, Roots, Score};
    use crate::sentence::{Column, Sentence, TokenId};

    /// A document of one sentence; `"abc a b c"` is the multiword token `abc` of the words `a`, `b` and `c`.
    fn document(tokens: &[&str]) -> Document {
        let mut sent = Sentence::new();
        for token in tokens {
            let mut parts = token.split(' ');
            let surface = parts.next().unwrap_or_default();
            let words: Vec<_> = parts.collect();
            let first = sent.len() as u32 + 1;
            if !words.is_empty() {
                let row = sent.push_row(TokenId::Range(first, first + words.len() as u32 - 1));
                sent.set_token(row, Column::Form, surface);
            }
            for form in if words.is_empty() { vec![surface] } else { words } {
                let word = sent.push_word(form);
                sent.set_head(word, Some(u32::from(word > 1)));
            }
        }
        Document::new("test", vec![sent])
    }

    #[track_caller]
    fn check(gold: &[&str], system: &[&str], correct: u64) {
        for (gold, system) in [(gold, system), (system, gold)] {
            let (gold, system) = (document(gold), document(system));
            let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
            let expected = Score {
                gold: gold.word_count() as u64,
                system: system.word_count() as u64,
                correct,
                aligned: None,
            };
            assert_eq!(comparison.score(Metric::Words), expected);
        }
    }

    #[test]
    fn words_cover_the_same_characters() {
        check(&["a", "b", "c"], &["a", "b", "c"], 3);
        check(&["abcd"], &["a", "b", "c", "d"], 0);
        check(&["abc", "d"], &["a", "b", "c", "d"], 1);
        check(&["a", "bc", "d"], &["a", "b", "c", "d"], 2);
    }

    #[test]
    fn words_of_multiword_tokens_have_the_same_forms() {
        check(&["abc a b c"], &["a", "b", "c"], 3);
        check(&["a", "bc b c", "d"], &["a", "b", "c", "d"], 4);
        check(&["abcd a b c d"], &["ab a b", "cd c d"], 4);
        check(&["abc a b c", "de d e"], &["a", "bcd b c d", "e"], 5);
        check(&["a", "bc b c", "d"], &["a", "b", "cd"], 2);
        check(&["abc a BX c", "def d EX f"], &["ab a b", "cd c d", "ef e f"], 4);
        check(&["ab a b", "cd bc d"], &["a", "bc", "d"], 2);
        check(&["a", "bc b c", "d"], &["ab AX BX", "cd CX a"], 1);
        check(&["AB a b"], &["AB A B"], 2);
    }

    #[test]
    fn a_huge_region_is_refused_or_needs_no_table() {
        let forms: Vec<_> = (0..40_000).map(|i| format!("w{i}")).collect();
        let gold = ["x ".to_owned() + &forms.join(" ")];
        let other = ["x y ".to_owned() + &forms.join(" ")];
        let (gold, other) = (document(&[&gold[0]]), document(&[&other[0]]));
        let same = Comparison::by_text(&gold, &gold, Roots::One).unwrap();
        assert_eq!(same.score(Metric::Words).correct, 40_000);
        let error = Comparison::by_text(&gold, &other, Roots::One).err().unwrap().to_string();
        assert!(
            error.starts_with("test:2: multiword tokens chain up to a region of 40000"),
            "{error}"
        );
    }

    /// The length by plain recursion.
    fn best_length(left: &[u32], right: &[u32]) -> usize {
        let (Some((a, left_rest)), Some((b, right_rest))) =
            (left.split_first(), right.split_first())
        else {
            return 0;
        };
        let skipped = best_length(left_rest, right).max(best_length(left, right_rest));
        if a == b { skipped.max(1 + best_length(left_rest, right_rest)) } else { skipped }
    }

    #[test]
    fn subsequences_are_longest() {
        let mut random = crate::Random::new(5);
        for _ in 0..2_000 {
            let mut items =
                || -> Vec<u32> { (0..random.below(8)).map(|_| random.below(3) as u32).collect() };
            let (left, right) = (items(), items());
            let pairs = longest_common_subsequence(&left, &right);
            assert_eq!(pairs.len(), best_length(&left, &right), "{left:?} {right:?}");
            assert!(pairs.iter().all(|&(l, r)| left[l] == right[r]));
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        }
    }
}
