//! Relations: their numbers, and which of them an arc may carry.

use std::collections::HashMap;

use spantree_treebank::Sentence;

use super::parser::MAX_LABELS;
use crate::feature::{TAG_CLASSES, tag_class};

/// The relations of a treebank, the most frequent first: a frequent relation has a small number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSet {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl LabelSet {
    /// The relations of these sentences; equally frequent ones in alphabetical order. `_` stands for a relation that is not
    /// known, and counts as one only if there is no other.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence]) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in sentences.iter().flat_map(Sentence::words) {
            *counts.entry(word.deprel()).or_default() += 1;
        }
        if counts.len() > 1 {
            counts.remove("_");
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        Self::new(counts.into_iter().map(|(name, _)| name.to_owned()).collect())
    }

    /// These relations, numbered from 0.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        let numbers = names.iter().enumerate().map(|(i, name)| (name.clone(), i as u16)).collect();
        Self { names, numbers }
    }

    /// Number of relations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a relation.
    #[must_use]
    pub fn name(&self, label: u16) -> &str {
        &self.names[label as usize]
    }

    /// The number of a relation.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    /// All names by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Relations that a user has given, by word; without any for most sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenLabels {
    /// `None` for a word whose relation is free.
    labels: Vec<Option<u16>>,
}

impl GivenLabels {
    /// Forgets all relations.
    pub fn clear(&mut self) {
        self.labels.clear();
    }

    /// Notes the relations of a sentence that the model knows.
    pub fn fill(&mut self, sent: &Sentence, names: &LabelSet) {
        self.labels.clear();
        self.labels.extend(sent.words().map(|word| names.number(word.deprel())));
    }

    /// The relation given to `word`.
    #[must_use]
    pub fn get(&self, word: usize) -> Option<u16> {
        self.labels.get(word - 1).copied().flatten()
    }

    /// The relations that an arc into `word` may carry: the given one, or else those of the filter.
    #[inline]
    #[must_use]
    pub fn or<'a>(&'a self, word: usize, filter: &'a [u16]) -> &'a [u16] {
        match self.labels.get(word - 1) {
            Some(Some(label)) => std::slice::from_ref(label),
            _ => filter,
        }
    }
}

/// A set of relations, one bit each.
pub type LabelBits = [u64; MAX_LABELS / 64];

/// The relations seen in training with each (head tag, child tag, direction), the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelFilter {
    lists: Vec<Vec<u16>>,
    /// The same as sets.
    sets: Vec<LabelBits>,
}

impl LabelFilter {
    /// Collects the relations of a treebank. A pair seen fewer than `trusted` times also allows what is seen with the child's
    /// tag and any head; if that is nothing either, every relation.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence], labels: &LabelSet, trusted: usize) -> Self {
        let mut seen = vec![vec![false; labels.len()]; TAG_CLASSES * TAG_CLASSES * 2];
        let mut times = vec![0; seen.len()];
        let mut seen_child = vec![vec![false; labels.len()]; TAG_CLASSES];
        for sent in sentences {
            let tags: Vec<_> =
                std::iter::once(0).chain(sent.words().map(|w| tag_class(w.upos()))).collect();
            for (index, word) in sent.words().enumerate() {
                let (Some(head), Some(label)) = (word.head(), labels.number(word.deprel())) else {
                    continue;
                };
                let (head, child) = (head as usize, index + 1);
                if head < tags.len() {
                    let key = key(tags[head], tags[child], head > child);
                    seen[key][label as usize] = true;
                    times[key] += 1;
                    seen_child[tags[child] as usize][label as usize] = true;
                }
            }
        }
        let lists = (0..seen.len()).map(|key| {
            let child = &seen_child[key / 2 % TAG_CLASSES];
            let wide = times[key] < trusted.max(1);
            let is_allowed =
                |&label: &u16| seen[key][label as usize] || wide && child[label as usize];
            let allowed: Vec<u16> = (0..labels.len() as u16).filter(is_allowed).collect();
            if allowed.is_empty() { (0..labels.len() as u16).collect() } else { allowed }
        });
        Self::new(lists.collect())
    }

    fn new(lists: Vec<Vec<u16>>) -> Self {
        let set = |list: &Vec<u16>| {
            let mut bits = LabelBits::default();
            list.iter().for_each(|&label| bits[label as usize / 64] |= 1 << (label % 64));
            bits
        };
        Self { sets: lists.iter().map(set).collect(), lists }
    }

    /// The lists as numbers: for each key its length and its relations.
    #[must_use]
    pub fn to_words(&self) -> Vec<u16> {
        self.lists
            .iter()
            .flat_map(|list| std::iter::once(list.len() as u16).chain(list.iter().copied()))
            .collect()
    }

    /// The filter that [`to_words`](Self::to_words) came from; `None` when the numbers are not a filter over `labels` relations.
    #[must_use]
    pub fn from_words(words: &[u16], labels: usize) -> Option<Self> {
        let mut lists = Vec::new();
        let mut rest = words;
        while let Some((&length, after)) = rest.split_first() {
            let (list, after) = after.split_at_checked(length as usize)?;
            let sound = !list.is_empty() && list.iter().all(|&label| (label as usize) < labels);
            lists.push(sound.then(|| list.to_vec())?);
            rest = after;
        }
        (lists.len() == TAG_CLASSES * TAG_CLASSES * 2).then(|| Self::new(lists))
    }

    /// The relations that an arc between such tokens may carry; never empty when there is a relation at all.
    #[inline]
    #[must_use]
    pub fn allowed(&self, head_tag: u8, child_tag: u8, leftward: bool) -> &[u16] {
        &self.lists[key(head_tag, child_tag, leftward)]
    }

    /// The same relations as a set.
    #[inline]
    #[must_use]
    pub fn allowed_set(&self, head_tag: u8, child_tag: u8, leftward: bool) -> &LabelBits {
        &self.sets[key(head_tag, child_tag, leftward)]
    }
}

fn key(head_tag: u8, child_tag: u8, leftward: bool) -> usize {
    (head_tag as usize * TAG_CLASSES + child_tag as usize) * 2 + usize::from(leftward)
}

#[cfg(test)]
mod tests {
    use spantree_treebank::Column;

    use super::*;

    fn treebank() -> Vec<Sentence> {
        vec![Sentence::from_words(&[
            ("a", "DET", 2, "det"),
            ("b", "NOUN", 3, "nsubj"),
            ("c", "VERB", 0, "root"),
            ("d", "NOUN", 3, "obj"),
            ("e", "NOUN", 3, "obj"),
        ])]
    }

    #[test]
    fn frequent_relations_have_small_numbers() {
        let labels = LabelSet::from_treebank(&treebank());
        assert_eq!(labels.names(), ["obj", "det", "nsubj", "root"]);
        assert_eq!(labels.number("nsubj"), Some(2));
        assert_eq!(labels.number("iobj"), None);
        let mut partial = treebank();
        partial[0].set(4, Column::Deprel, "_");
        assert_eq!(LabelSet::from_treebank(&partial).names(), ["det", "nsubj", "obj", "root"]);
        let unlabelled = Sentence::from_words(&[("a", "X", 0, "_")]);
        assert_eq!(LabelSet::from_treebank(&[unlabelled]).names(), ["_"]);
    }

    #[test]
    fn filters_back_off_from_the_pair_to_the_child_to_everything() {
        let labels = LabelSet::from_treebank(&treebank());
        let filter = LabelFilter::from_treebank(&treebank(), &labels, 1);
        let names = |head, child, leftward| {
            let allowed = filter.allowed(tag_class(head), tag_class(child), leftward);
            allowed.iter().map(|&label| labels.name(label)).collect::<Vec<_>>()
        };
        assert_eq!(names("VERB", "NOUN", true), ["nsubj"]);
        assert_eq!(names("VERB", "NOUN", false), ["obj"]);
        assert_eq!(names("ADJ", "NOUN", false), ["obj", "nsubj"]);
        assert_eq!(names("ADJ", "INTJ", false), ["obj", "det", "nsubj", "root"]);
        let wide = LabelFilter::from_treebank(&treebank(), &labels, 3);
        assert_eq!(wide.allowed(tag_class("VERB"), tag_class("NOUN"), false).len(), 2);
    }

    #[test]
    fn filters_come_back_and_nonsense_is_refused() {
        let labels = LabelSet::from_treebank(&treebank());
        let filter = LabelFilter::from_treebank(&treebank(), &labels, 1);
        let words = filter.to_words();
        assert_eq!(LabelFilter::from_words(&words, labels.len()), Some(filter));
        assert_eq!(LabelFilter::from_words(&words, 2), None, "a label beyond the set");
        assert_eq!(LabelFilter::from_words(&words[1..], labels.len()), None);
        assert_eq!(LabelFilter::from_words(&[u16::MAX], labels.len()), None);
        assert_eq!(LabelFilter::from_words(&[], labels.len()), None);
    }
}
