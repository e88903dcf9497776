//! Scores for predicates and their arguments (CoNLL-2008 and CoNLL-2009 shared tasks).
//!
//! Each predicate is an arc from a virtual root labelled with its sense, each argument an arc from its predicate labelled
//! with its role; labelled and unlabelled precision and recall count these arcs. So a wrong sense costs one arc. The sense of
//! `give.01` is `01` (numbers are compared as numbers, the lemma is not compared); a role cell `ACT|EFF` holds two arcs;
//! support chains (`SU`) are not scored. The rules are those of the shared tasks' `eval08.pl` and `eval09.pl`.

use std::collections::HashMap;
use std::ops::AddAssign;

use serde::Serialize;

use super::comparison::Comparison;
use super::score::Score;
use super::side::Side;
use crate::sentence::Predicate;

/// Semantic scores; those of sentences add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Semantic {
    /// Arcs with the right ends and label.
    pub labelled: Score,
    /// Arcs with the right ends.
    pub unlabelled: Score,
    /// Propositions with the right predicate, sense and arguments.
    pub propositions: Score,
    /// Sentences with all semantic arcs right.
    pub exact: Score,
}

impl AddAssign for Semantic {
    fn add_assign(&mut self, other: Self) {
        self.labelled += other.labelled;
        self.unlabelled += other.unlabelled;
        self.propositions += other.propositions;
        self.exact += other.exact;
    }
}

impl Semantic {
    /// The scores with their names, in the order of a table.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Score); 4] {
        [
            ("Semantic labelled", self.labelled),
            ("Semantic unlabelled", self.unlabelled),
            ("Propositions", self.propositions),
            ("Semantic exact", self.exact),
        ]
    }
}

/// The macro score of the shared tasks: semantics and syntax with equal weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Macro {
    /// Mean of semantic precision and attachment score.
    pub precision: f64,
    /// Mean of semantic recall and attachment score.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

impl Macro {
    /// Combines a semantic score with LAS (or the unlabelled one with UAS).
    #[must_use]
    pub fn new(semantic: &Score, attachment: &Score) -> Self {
        let precision = (semantic.precision() + attachment.precision()) / 2.0;
        let recall = (semantic.recall() + attachment.recall()) / 2.0;
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1 }
    }
}

/// A predicate of a document.
struct Proposition<'a> {
    word: usize,
    sense: &'a str,
    /// Argument word and role, sorted; `None` for a word that the other side lacks.
    args: Vec<(Option<u32>, &'a str)>,
}

impl Comparison<'_> {
    /// The semantic scores of the whole document.
    #[must_use]
    pub fn semantic(&self) -> Semantic {
        let mut total = Semantic::default();
        for sentence in self.sentence_semantics() {
            total += sentence;
        }
        total
    }

    /// The semantic scores of each gold sentence.
    #[must_use]
    pub fn sentence_semantics(&self) -> Vec<Semantic> {
        let mut scores = vec![Semantic::default(); self.gold.sentences.len()];
        let mut gold_propositions = HashMap::new();
        for gold in propositions(&self.gold, Some) {
            let score = &mut scores[self.gold.words[gold.word].sentence as usize];
            let arcs = 1 + gold.args.len() as u64;
            score.labelled.gold += arcs;
            score.unlabelled.gold += arcs;
            score.propositions.gold += 1;
            gold_propositions.entry(gold.word as u32).or_insert(gold);
        }
        for system in propositions(&self.system, |word| self.gold_of[word as usize]) {
            let score = &mut scores[self.home[system.word] as usize];
            let arcs = 1 + system.args.len() as u64;
            score.labelled.system += arcs;
            score.unlabelled.system += arcs;
            score.propositions.system += 1;
            let word = self.gold_of[system.word];
            if let Some(gold) = word.and_then(|word| gold_propositions.get(&word)) {
                score.add_match(gold, &system);
            }
        }
        for Semantic { labelled, exact, .. } in &mut scores {
            let all = labelled.correct == labelled.gold && labelled.correct == labelled.system;
            *exact = Score::item(all);
        }
        scores
    }
}

impl Semantic {
    /// Counts what is right in two propositions of the same word.
    fn add_match(&mut self, gold: &Proposition, system: &Proposition) {
        let same_sense = sense_number(gold.sense) == sense_number(system.sense);
        let labelled = common(&gold.args, &system.args);
        let ends = |args: &[(Option<u32>, &str)]| args.iter().map(|arg| arg.0).collect::<Vec<_>>();
        self.labelled.correct += u64::from(same_sense) + labelled;
        self.unlabelled.correct += 1 + common(&ends(&gold.args), &ends(&system.args));
        let all = labelled == gold.args.len() as u64 && labelled == system.args.len() as u64;
        self.propositions.correct += u64::from(same_sense && all);
    }
}

/// The propositions of a document; `gold_word` says which gold word an argument is.
fn propositions<'s>(
    side: &'s Side,
    gold_word: impl Fn(u32) -> Option<u32>,
) -> impl Iterator<Item = Proposition<'s>> {
    let sentences = side.document.sentences().iter().zip(&side.sentences);
    sentences.flat_map(move |(sent, extent)| {
        let in_document = |word: u32| extent.words.clone().nth((word as usize).checked_sub(1)?);
        let proposition = |predicate: &'s Predicate| {
            let sense = sense(&predicate.sense);
            let roles = |(word, roles): &'s (u32, String)| {
                let word = *word;
                roles.split('|').map(move |role| (word, role))
            };
            let mut args: Vec<_> = predicate.args.iter().flat_map(roles).collect();
            args.sort_unstable();
            args.dedup();
            let in_gold = |word| in_document(word).and_then(|word| gold_word(word as u32));
            let scored = args.into_iter().filter(|&(_, role)| role != "SU");
            let mut args: Vec<_> = scored.map(|(word, role)| (in_gold(word), role)).collect();
            args.sort_unstable();
            Some(Proposition { word: in_document(predicate.word)?, sense, args })
                .filter(|_| sense != "SU")
        };
        sent.predicates().iter().filter_map(proposition).collect::<Vec<_>>()
    })
}

/// The part of a roleset behind its only dot; the whole when there is not exactly one inside.
fn sense(roleset: &str) -> &str {
    match roleset.split_once('.') {
        Some((lemma, sense)) if !lemma.is_empty() && !sense.is_empty() && !sense.contains('.') => {
            sense
        }
        _ => roleset,
    }
}

/// A sense without the leading zeros of a number.
fn sense_number(sense: &str) -> &str {
    if sense.bytes().all(|byte| byte.is_ascii_digit()) {
        sense.trim_start_matches('0')
    } else {
        sense
    }
}

/// Number of items that two sorted lists have in common; a repeated item counts as often as it stands in both.
fn common<T: Ord>(left: &[T], right: &[T]) -> u64 {
    let (mut l, mut r, mut count) = (0, 0, 0);
    while l < left.len() && r < right.len() {
        match left[l].cmp(&right[r]) {
            std::cmp::Ordering::Less => l += 1,
            std::cmp::Ordering::Greater => r += 1,
            std::cmp::Ordering::Equal => (l, r, count) = (l + 1, r + 1, count + 1),
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Document, Roots};
    use crate::sentence::Sentence;

    /// A word, its sense and its arguments.
    type Frame<'a> = (u32, &'a str, &'a [(u32, &'a str)]);

    /// Five words with these predicates.
    fn document(predicates: &[Frame]) -> Document {
        let words =
            ["a", "b", "c", "d", "e"].map(|form| (form, "X", u32::from(form != "a"), "dep"));
        let mut sent = Sentence::from_words(&words);
        let predicate = |&(word, sense, args): &Frame| Predicate {
            word,
            sense: sense.to_owned(),
            args: args.iter().map(|&(word, role)| (word, role.to_owned())).collect(),
        };
        sent.set_predicates(predicates.iter().map(predicate).collect());
        Document::new("test", vec![sent])
    }

    fn counts(gold: &Document, system: &Document) -> [(u64, u64, u64); 4] {
        let comparison = Comparison::by_position(gold, system, Roots::One).unwrap();
        comparison.semantic().named().map(|(_, score)| (score.gold, score.system, score.correct))
    }

    /// The example of both task descriptions: precision 2/4 with a wrong sense and a wrong role.
    #[test]
    fn a_wrong_sense_costs_one_arc() {
        let gold = document(&[(2, "verb.01", &[(1, "A0"), (3, "A1"), (4, "AM-TMP")])]);
        let system = document(&[(2, "verb.02", &[(1, "A0"), (3, "A1"), (5, "AM-LOC")])]);
        let [labelled, unlabelled, propositions, exact] = counts(&gold, &system);
        assert_eq!(labelled, (4, 4, 2));
        assert_eq!(unlabelled, (4, 4, 3));
        assert_eq!((propositions, exact), ((1, 1, 0), (1, 1, 0)));
        assert_eq!(counts(&gold, &gold), [(4, 4, 4), (4, 4, 4), (1, 1, 1), (1, 1, 1)]);
    }

    /// The example of CoNLL-2009: `ACT|EFF` and `ADDR` against `ACT` and `ADDR|PAT`, precision and recall 3/4.
    #[test]
    fn several_roles_of_one_word_count_separately() {
        let gold = document(&[(2, "dát", &[(1, "ACT|EFF"), (3, "ADDR")])]);
        let system = document(&[(2, "dát", &[(1, "ACT"), (3, "ADDR|PAT")])]);
        let [labelled, unlabelled, ..] = counts(&gold, &system);
        assert_eq!(labelled, (4, 4, 3));
        let twice = document(&[(2, "dát", &[(1, "ACT|EFF|ACT"), (3, "ADDR")])]);
        assert_eq!(counts(&gold, &twice)[0], (4, 4, 4), "a role counts once");
        // Arcs are matched one to one, so one of the two on each side stays alone.
        assert_eq!(unlabelled, (4, 4, 3));
    }

    #[test]
    fn predicates_missed_and_invented() {
        let gold = document(&[(2, "x.01", &[(1, "A0")]), (4, "y.02", &[])]);
        let system = document(&[(2, "z.1", &[(1, "A0")]), (5, "y.02", &[(1, "A0")])]);
        assert_eq!(counts(&gold, &system), [(3, 4, 2), (3, 4, 2), (2, 2, 1), (1, 1, 0)]);
    }

    #[test]
    fn support_chains_are_not_scored() {
        let gold = document(&[(2, "x.01", &[(1, "A0")])]);
        let system = document(&[(2, "x.01", &[(1, "A0"), (4, "SU")]), (3, "y.SU", &[(1, "A0")])]);
        assert_eq!(counts(&gold, &system)[0], (2, 2, 2));
    }

    #[test]
    fn arguments_outside_the_sentence_are_just_wrong() {
        let gold = document(&[(2, "x.01", &[(1, "A0")])]);
        let system = document(&[(2, "x.01", &[(0, "A0"), (77, "A1")]), (99, "x.01", &[])]);
        assert_eq!(counts(&gold, &system)[0], (2, 3, 1));
    }

    /// The best closed system of CoNLL-2008: LAS 89.32, semantic F1 80.37 and the reported macro F1 84.86.
    #[test]
    fn macro_scores_weigh_both_alike() {
        let attachment = Score { gold: 10_000, system: 10_000, correct: 8_932, aligned: None };
        let semantic = Score { gold: 10_000, system: 10_000, correct: 8_037, aligned: None };
        let f1 = Macro::new(&semantic, &attachment).f1;
        assert!((f1 - 0.8486).abs() < 0.0002, "{f1}");
        let uneven = Score { gold: 10, system: 5, correct: 5, aligned: None };
        let perfect = Score::item(true);
        // LMP = (1 + 1) / 2, LMR = (0.5 + 1) / 2, F1 = 2 · 0.75 / 1.75.
        let result = Macro::new(&uneven, &perfect);
        assert_eq!((result.precision, result.recall), (1.0, 0.75));
        assert!((result.f1 - 6.0 / 7.0).abs() < 1e-12);
    }
}
