//! ELAS and EULAS: how well the enhanced dependencies of aligned words agree (IWPT 2020 and 2021).
//!
//! An enhanced dependency is right when head and relation are; ELAS keeps the subtypes of relations, EULAS drops them at every
//! step of a collapsed path such as `conj:and>nsubj:pass`. As in the official script a dependency that stands twice counts
//! twice.

use super::comparison::Comparison;
use super::metric::Metric;
use super::score::Score;
use super::side::Side;
use crate::sentence::{Dep, universal_part};

impl Comparison<'_> {
    pub(super) fn enhanced_scores(&self, metric: Metric) -> Vec<Score> {
        let mut scores = vec![Score::default(); self.gold.sentences.len()];
        for (index, word) in self.gold.words.iter().enumerate() {
            scores[word.sentence as usize].gold += arcs(&self.gold, index).count() as u64;
        }
        for (index, &home) in self.home.iter().enumerate() {
            scores[home as usize].system += arcs(&self.system, index).count() as u64;
        }
        let same_label = |gold: &str, system: &str| {
            gold == system
                || (metric == Metric::Eulas && universal_steps(gold).eq(universal_steps(system)))
        };
        for &(g, s) in &self.pairs {
            let score = &mut scores[self.gold.words[g as usize].sentence as usize];
            for (gold_head, gold_label) in arcs(&self.gold, g as usize) {
                let found = arcs(&self.system, s as usize).filter(|&(head, label)| {
                    let same_head = match head {
                        None => gold_head.is_none(),
                        Some(head) => {
                            gold_head.is_some() && self.gold_of[head as usize] == gold_head
                        }
                    };
                    same_head && same_label(gold_label, label)
                });
                score.correct += found.count() as u64;
            }
        }
        scores
    }
}

/// The enhanced dependencies of a word between words: head (`None` for the root) and relation.
fn arcs<'s>(side: &'s Side, word: usize) -> impl Iterator<Item = (Option<u32>, &'s str)> {
    let word = &side.words[word];
    let first = side.sentences[word.sentence as usize].words.start as u32;
    let between_words = word.token.deps().filter(|dep| dep.empty == 0);
    between_words
        .map(move |Dep { head, label, .. }| (head.checked_sub(1).map(|h| first + h), label))
}

/// The relations on a collapsed path, without subtypes.
fn universal_steps(label: &str) -> impl Iterator<Item = &str> {
    label.split('>').map(universal_part)
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Comparison, Document, Metric, Roots, Score};
    use crate::sentence::{Column, Sentence};

    fn document(deps: [&str; 3]) -> Document {
        let words = [("a", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 1, "dep")];
        let mut sent = Sentence::from_words(&words);
        for (number, deps) in (1..).zip(deps) {
            sent.set(number, Column::Deps, deps);
        }
        Document::new("test", vec![sent])
    }

    fn counts(gold: [&str; 3], system: [&str; 3]) -> [(u64, u64, u64); 2] {
        let (gold, system) = (document(gold), document(system));
        let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
        [Metric::Elas, Metric::Eulas].map(|metric| {
            let Score { gold, system, correct, .. } = comparison.score(metric);
            (gold, system, correct)
        })
    }

    #[test]
    fn heads_and_relations_must_agree() {
        let gold = ["0:root", "1:nsubj:pass|3:obj", "1:conj:and>nsubj:pass"];
        let system = ["0:root", "1:nsubj|2:obj", "1:conj:or>nsubj"];
        assert_eq!(counts(gold, gold), [(4, 4, 4), (4, 4, 4)]);
        assert_eq!(counts(gold, system), [(4, 4, 1), (4, 4, 3)]);
    }

    #[test]
    fn dependencies_on_empty_nodes_are_left_out() {
        let gold = ["0:root", "1.1:obj|1:obj", "_"];
        assert_eq!(counts(gold, ["0:root", "1.1:obj", "1:x"]), [(2, 2, 1), (2, 2, 1)]);
    }

    #[test]
    fn a_repeated_dependency_counts_each_time() {
        let twice = ["0:root", "1:obj|1:obj", "_"];
        assert_eq!(counts(twice, twice)[0], (3, 3, 5));
    }
}
