//! How much of a text with gold tokens is found.

use std::ops::Range;

use crate::segment::character::is_space;
use crate::segment::layout::Paragraph;
use crate::segment::segmenter::{DevScores, Segmenter};
use crate::segment::walk::{Given, Walk};

/// Right, found and gold ones.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    right: usize,
    found: usize,
    gold: usize,
}

impl Counts {
    /// Adds two sorted lists.
    fn add<T: Ord>(&mut self, found: &[T], gold: &[T]) {
        self.found += found.len();
        self.gold += gold.len();
        self.right += found.iter().filter(|item| gold.binary_search(item).is_ok()).count();
    }

    fn f1(self) -> f64 {
        if self.found + self.gold == 0 {
            return 100.0;
        }
        200.0 * self.right as f64 / (self.found + self.gold) as f64
    }
}

/// Bytes of a span, as a pair that can be ordered.
type Span = (usize, usize);

/// Scores of a segmenter on paragraphs.
pub(super) fn measure(segmenter: &Segmenter, text: &[Paragraph]) -> DevScores {
    let given = Given { tokens: false, sentence: false, longest: usize::MAX };
    let (mut tokens, mut sentences, mut multiword) =
        (Counts::default(), Counts::default(), Counts::default());
    let mut walk = Walk::default();
    for paragraph in text {
        let (facts, splitter) = (&segmenter.facts, &segmenter.splitter);
        walk.run(&paragraph.text, is_space, given, facts, splitter, &mut &*segmenter);
        let byte = |token: &Range<usize>| (walk.scan.byte(token.start), walk.scan.byte(token.end));
        let found: Vec<Span> = walk.tokens.iter().map(byte).collect();
        let gold: Vec<Span> =
            paragraph.tokens.iter().map(|token| (token.bytes.start, token.bytes.end)).collect();
        tokens.add(&found, &gold);
        sentences.add(&spans(&found, &walk.sentences), &spans(&gold, &paragraph.sentences));
        let ways = found.iter().zip(&walk.splits).filter_map(|(&span, way)| Some((span, (*way)?)));
        let split: Vec<_> = ways
            .map(|(span, way)| (span, splitter.words(&paragraph.text[span.0..span.1], way)))
            .collect();
        let gold_split =
            gold.iter().zip(&paragraph.tokens).filter(|(_, token)| !token.words.is_empty());
        let gold_split: Vec<_> =
            gold_split.map(|(&span, token)| (span, token.words.clone())).collect();
        multiword.add(&split, &gold_split);
    }
    DevScores { tokens: tokens.f1(), sentences: sentences.f1(), multiword: multiword.f1() }
}

/// From the first token of each sentence to its last.
fn spans(tokens: &[Span], sentences: &[usize]) -> Vec<Span> {
    let mut start = 0;
    let span = |&end: &usize| {
        let span = (tokens[start].0, tokens[end - 1].1);
        start = end;
        span
    };
    sentences.iter().map(span).collect()
}
