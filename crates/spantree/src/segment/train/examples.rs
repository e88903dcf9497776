//! The decisions that a treebank's text consists of.

use std::ops::Range;

use spantree_learn::{LogLinear, Problem, SparseVector};

use crate::feature::hash::position;
use crate::segment::character::{Class, is_space};
use crate::segment::common::CommonWords;
use crate::segment::feature::{EMPTY, Question, extend};
use crate::segment::layout::Paragraph;
use crate::segment::scan::{EDGE, Scan};
use crate::segment::split::Splitter;
use crate::segment::walk::{Facts, Given, Judge, Walk};

/// A decision and its answer.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    features: Range<usize>,
    yes: bool,
}

/// All decisions; their features lie one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    positions: Vec<u32>,
    list: Vec<Decision>,
}

/// Gradients below this are left out: most decisions inside words are certain after an epoch.
const CERTAIN: f32 = 1e-3;

impl Decisions {
    /// Walks over the text with the gold answers.
    pub(super) fn record(
        text: &[Paragraph],
        facts: &Facts,
        splitter: &Splitter,
        bits: u32,
    ) -> Self {
        let given = Given { tokens: false, sentence: false, longest: usize::MAX };
        let (mut decisions, mut walk) = (Self::default(), Walk::default());
        for paragraph in text {
            let mut recorder =
                Recorder { gold: Gold::new(paragraph), decisions: &mut decisions, bits };
            walk.run(&paragraph.text, is_space, given, facts, splitter, &mut recorder);
        }
        decisions
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn examples(&self) -> &[Decision] {
        &self.list
    }
}

impl Problem for Decisions {
    type Example = Decision;
    type Scratch = ();
}

impl LogLinear for Decisions {
    fn log_likelihood(
        &self,
        w: &[f32],
        decision: &Decision,
        (): &mut (),
        gradient: &mut SparseVector,
    ) -> f64 {
        let positions = &self.positions[decision.features.clone()];
        let score: f32 = positions.iter().map(|&position| w[position as usize]).sum();
        let margin = if decision.yes { score } else { -score };
        let wrong = 1.0 / (1.0 + margin.exp());
        if wrong >= CERTAIN {
            let slope = if decision.yes { wrong } else { -wrong };
            positions.iter().for_each(|&position| gradient.add(position, slope));
        }
        let margin = f64::from(margin);
        margin.min(0.0) - (-margin.abs()).exp().ln_1p()
    }
}

/// The answers for a paragraph, by position in its scan.
struct Gold {
    token_ends: Vec<bool>,
    sentence_ends: Vec<bool>,
    multiword: Vec<bool>,
}

impl Gold {
    fn new(paragraph: &Paragraph) -> Self {
        let mut position = vec![0; paragraph.text.len() + 1];
        let mut count = EDGE;
        for (byte, _) in paragraph.text.char_indices() {
            position[byte] = count;
            count += 1;
        }
        position[paragraph.text.len()] = count;
        let none = || vec![false; count + 1];
        let mut gold = Self { token_ends: none(), sentence_ends: none(), multiword: none() };
        for token in &paragraph.tokens {
            gold.token_ends[position[token.bytes.end]] = true;
            gold.multiword[position[token.bytes.start]] = !token.words.is_empty();
        }
        for &end in &paragraph.sentences {
            gold.sentence_ends[position[paragraph.tokens[end - 1].bytes.end]] = true;
        }
        gold
    }
}

/// Answers as the treebank does and writes the questions down.
struct Recorder<'a> {
    gold: Gold,
    decisions: &'a mut Decisions,
    bits: u32,
}

impl Judge for Recorder<'_> {
    fn judge(&mut self, question: Question, place: usize, features: &[u32]) -> bool {
        let answers = match question {
            Question::TokenEnd | Question::SpaceEnds => &self.gold.token_ends,
            Question::SentenceEnd => &self.gold.sentence_ends,
            Question::Split => &self.gold.multiword,
        };
        let (yes, bits) = (answers[place], self.bits);
        let start = self.decisions.positions.len();
        self.decisions.positions.extend(features.iter().map(|&hash| position(hash, bits)));
        let features = start..self.decisions.positions.len();
        self.decisions.list.push(Decision { features, yes });
        yes
    }
}

/// Between which classes tokens end in the text, whether tokens contain white space, and which words are in lower case.
pub(super) fn facts(text: &[Paragraph]) -> Facts {
    let mut all = [[0u32; Class::LIMIT]; Class::LIMIT];
    let mut ends = all;
    let (mut scan, mut spaces, mut common) = (Scan::default(), 0, Vec::new());
    for paragraph in text {
        let gold = Gold::new(paragraph);
        scan.fill(&paragraph.text, is_space);
        for at in EDGE + 1..scan.end() {
            let (left, right) = (&scan.cells()[at - 1], &scan.cells()[at]);
            if !right.sticks {
                all[left.class as usize][right.class as usize] += 1;
                ends[left.class as usize][right.class as usize] += u32::from(gold.token_ends[at]);
            }
        }
        let has_space = |bytes: &Range<usize>| paragraph.text[bytes.clone()].contains(is_space);
        common.extend(paragraph.tokens.iter().filter_map(|token| {
            let form = &paragraph.text[token.bytes.clone()];
            let is_lower = form.chars().all(char::is_lowercase);
            is_lower.then(|| form.chars().fold(EMPTY, extend))
        }));
        spaces += paragraph.tokens.iter().filter(|token| has_space(&token.bytes)).count();
    }
    let seen = |class: usize| all.iter().map(|row| row[class]).sum::<u32>();
    let joins = JOINING.map(|class| (class as usize, seen(class as usize) == 0));
    let is_part = |class| is_word(class) || joins.contains(&(class, true));
    let mut pairs = [0; Class::LIMIT];
    for left in 0..Class::LIMIT {
        for right in 0..Class::LIMIT {
            let (all, ends) = (all[left][right], ends[left][right]);
            // Words of a script that the treebank lacks stay whole; other unseen pairs are for the model to judge.
            let whole = is_part(left) && is_part(right);
            let possible = if all < RARE && !whole { true } else { ends * RAREST_SHARE > all };
            pairs[left] |= u32::from(possible) << right;
        }
    }
    Facts { pairs, spaces: spaces >= FEW_SPACES, common: CommonWords::new(common) }
}

/// Pairs of classes seen less often say nothing.
const RARE: u32 = 10;
/// A pair is a possible boundary when one in so many is one.
const RAREST_SHARE: u32 = 2000;
/// Classes that join parts of names and numbers (`2/B`, `16+3`) as long as a treebank has none to say otherwise.
const JOINING: [Class; 2] = [Class::Slash, Class::Sign];
/// So many tokens with white space may be mistakes.
const FEW_SPACES: usize = 5;

fn is_word(class: usize) -> bool {
    (Class::Lower as usize..=Class::Digit as usize).contains(&class)
}
