//! Precision and recall by properties of arcs and sentences (McDonald & Nivre 2007, 2011).
//!
//! Precision is taken over the system's arcs by their value in the system's tree, recall over the gold arcs by their value in
//! the gold tree: a parser that makes too many long arcs shows low precision on them, one that makes too few low recall.
//! Linear time, O(n log n) for projectivity.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

use super::attachment::AttachmentOptions;
use super::comparison::Comparison;
use super::score::ratio;
use super::side::Side;
use crate::tree::Tree;

/// What arcs are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Factor {
    /// Number of words of the sentence, in tens.
    SentenceLength,
    /// Distance between head and child in words; for an arc from the root, the position of the child.
    ArcLength,
    /// Number of arcs between the child and the root.
    RootDistance,
    /// Number of other children of the head.
    Siblings,
    /// Words between head and child that hang elsewhere: not below the head, and attached outside the span of the arc.
    CrossingDegree,
    /// Whether the head dominates all words between it and the child.
    Projectivity,
    /// On which side the head is.
    Direction,
    /// UPOS of the child.
    Upos,
    /// The relation.
    Relation,
}

impl Factor {
    /// All factors, in the order of a report.
    pub const ALL: [Factor; 9] = [
        Factor::SentenceLength,
        Factor::ArcLength,
        Factor::RootDistance,
        Factor::Siblings,
        Factor::CrossingDegree,
        Factor::Projectivity,
        Factor::Direction,
        Factor::Upos,
        Factor::Relation,
    ];

    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Factor::SentenceLength => "sentence length",
            Factor::ArcLength => "arc length",
            Factor::RootDistance => "distance to root",
            Factor::Siblings => "number of siblings",
            Factor::CrossingDegree => "degree of non-projectivity",
            Factor::Projectivity => "projectivity",
            Factor::Direction => "direction",
            Factor::Upos => "part of speech",
            Factor::Relation => "relation",
        }
    }

    /// Whether the values are numbers, in their order; else they are names, the most frequent in gold first.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        !matches!(self, Factor::Projectivity | Factor::Direction | Factor::Upos | Factor::Relation)
    }

    /// The last numeric group, which is open: values from here on are counted together.
    fn last_group(self) -> u32 {
        match self {
            Factor::SentenceLength => 5,
            Factor::ArcLength => 15,
            Factor::RootDistance => 7,
            Factor::Siblings => 10,
            Factor::CrossingDegree => MAX_DEGREE,
            _ => 0,
        }
    }

    fn group_label(self, group: u32) -> String {
        let open = if group == self.last_group() { "+" } else { "" };
        match self {
            Factor::SentenceLength if open.is_empty() => {
                format!("{}–{}", group * 10 + 1, group * 10 + 10)
            }
            Factor::SentenceLength => format!("{}+", group * 10 + 1),
            _ => format!("{group}{open}"),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Degrees of non-projectivity are counted up to here.
const MAX_DEGREE: u32 = 3;

/// Arcs on both sides and how many of them are right.
///
/// A right arc may have one value in the gold tree and another in the system's, so both sides count their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Gold arcs.
    pub gold: u64,
    /// Gold arcs that the system has.
    pub gold_found: u64,
    /// System arcs.
    pub system: u64,
    /// System arcs that gold has.
    pub system_correct: u64,
}

impl Counts {
    /// Share of the system's arcs that are right.
    #[must_use]
    pub fn precision(&self) -> f64 {
        ratio(self.system_correct, self.system)
    }

    /// Share of the gold arcs that were found.
    #[must_use]
    pub fn recall(&self) -> f64 {
        ratio(self.gold_found, self.gold)
    }

    /// Harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        let sum = precision + recall;
        if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }
    }

    fn add_gold(&mut self, found: bool) {
        self.gold += 1;
        self.gold_found += u64::from(found);
    }

    fn add_system(&mut self, correct: bool) {
        self.system += 1;
        self.system_correct += u64::from(correct);
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.gold += other.gold;
        self.gold_found += other.gold_found;
        self.system += other.system;
        self.system_correct += other.system_correct;
    }
}

/// The arcs with one value of a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The value, such as `3`, `15+` or `nsubj`.
    pub value: String,
    /// Arcs with the right head and label.
    pub labelled: Counts,
    /// Arcs with the right head.
    pub unlabelled: Counts,
}

/// All arcs, grouped by one factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Breakdown {
    /// What they are grouped by.
    pub factor: Factor,
    /// The groups that are not empty.
    pub bins: Vec<Bin>,
}

/// A value of a factor: a numeric group or a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Value<'a> {
    Group(u32),
    Name(&'a str),
}

/// The structural properties of the arc to a word.
struct Arc {
    sentence_length: u32,
    length: u32,
    root_distance: u32,
    siblings: u32,
    crossing_degree: u32,
    projective: bool,
    direction: &'static str,
}

impl Comparison<'_> {
    /// Groups the arcs by each of the factors.
    #[must_use]
    pub fn breakdown(&self, factors: &[Factor], options: &AttachmentOptions) -> Vec<Breakdown> {
        let (gold_arcs, system_arcs) = (arcs(&self.gold), arcs(&self.system));
        let group = |&factor: &Factor| {
            let mut bins: BTreeMap<Value, Bin> = BTreeMap::new();
            for word in self.scored_gold(options) {
                let (head, label) = match self.system_of[word as usize] {
                    Some(system) => self.agreement(word, system, options),
                    None => (false, false),
                };
                let value = value(factor, &self.gold, &gold_arcs, word, options);
                let bin = bins.entry(value).or_default();
                bin.labelled.add_gold(head && label);
                bin.unlabelled.add_gold(head);
            }
            for word in self.scored_system(options) {
                let (head, label) = match self.gold_of[word as usize] {
                    Some(gold) => self.agreement(gold, word, options),
                    None => (false, false),
                };
                let value = value(factor, &self.system, &system_arcs, word, options);
                let bin = bins.entry(value).or_default();
                bin.labelled.add_system(head && label);
                bin.unlabelled.add_system(head);
            }
            Breakdown { factor, bins: named_bins(factor, bins) }
        };
        factors.iter().map(group).collect()
    }
}

fn named_bins(factor: Factor, bins: BTreeMap<Value, Bin>) -> Vec<Bin> {
    let named = bins.into_iter().map(|(value, bin)| Bin {
        value: match value {
            Value::Group(group) => factor.group_label(group),
            Value::Name(name) => name.to_owned(),
        },
        ..bin
    });
    let mut bins: Vec<_> = named.collect();
    if !factor.is_numeric() {
        bins.sort_by_key(|bin| std::cmp::Reverse(bin.labelled.gold));
    }
    bins
}

fn value<'a>(
    factor: Factor,
    side: &Side<'a>,
    arcs: &[Arc],
    word: u32,
    options: &AttachmentOptions,
) -> Value<'a> {
    let arc = &arcs[word as usize];
    let number = match factor {
        Factor::SentenceLength => (arc.sentence_length - 1) / 10,
        Factor::ArcLength => arc.length,
        Factor::RootDistance => arc.root_distance,
        Factor::Siblings => arc.siblings,
        Factor::CrossingDegree => arc.crossing_degree,
        Factor::Projectivity if arc.projective => return Value::Name("projective"),
        Factor::Projectivity => return Value::Name("non-projective"),
        Factor::Direction => return Value::Name(arc.direction),
        Factor::Upos => return Value::Name(side.words[word as usize].token.upos()),
        Factor::Relation => return Value::Name(options.label(side.words[word as usize].token)),
    };
    Value::Group(number.min(factor.last_group()))
}

/// The arcs to all words of a document.
fn arcs(side: &Side) -> Vec<Arc> {
    let mut arcs = Vec::with_capacity(side.words.len());
    for tree in &side.trees {
        let mut depth = vec![0; tree.len() + 1];
        for &word in &tree.subtree(0)[1..] {
            depth[word as usize] = depth[tree.head(word) as usize] + 1;
        }
        let crossing = tree.non_projective_words();
        arcs.extend(tree.arcs().map(|(head, child)| {
            let projective = crossing.binary_search(&child).is_err();
            Arc {
                sentence_length: tree.len() as u32,
                length: head.abs_diff(child),
                root_distance: depth[child as usize],
                siblings: tree.children(head).len() as u32 - 1,
                crossing_degree: if projective { 0 } else { crossing_degree(tree, head, child) },
                projective,
                direction: match head {
                    0 => "root",
                    _ if head < child => "head to the left",
                    _ => "head to the right",
                },
            }
        }));
    }
    arcs
}

/// Words between the ends that are not below the head and are attached outside, counted up to [`MAX_DEGREE`].
fn crossing_degree(tree: &Tree, head: u32, child: u32) -> u32 {
    let (low, high) = (head.min(child), head.max(child));
    let hangs_elsewhere =
        |&word: &u32| !tree.dominates(head, word) && !(low..=high).contains(&tree.head(word));
    (low + 1..high).filter(hangs_elsewhere).take(MAX_DEGREE as usize).count() as u32
}

#[cfg(test)]
mod tests;
