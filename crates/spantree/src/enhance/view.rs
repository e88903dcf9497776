//! A tree as an enhancer sees it: who is near whom, and what the path between them looks like.

use spantree_treebank::{Column, Sentence, Token};

use crate::feature::hash;

/// Number of features of a candidate.
pub(super) const FEATURES: usize = 18;

/// Heads, children and markers of a tree, and hashes of what its words are. Index 0 is the root.
#[derive(Debug, Default)]
pub(super) struct View {
    heads: Vec<u32>,
    children: Vec<Vec<u32>>,
    words: Vec<Word>,
    /// Lemmas of the case markers, subordinators and conjunctions of each word, from left to right.
    markers: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    relation: u64,
    upos: u64,
    lemma: u64,
    feats: u64,
    /// The relations of the children, as a sequence.
    below: u64,
}

/// A pair of words that an arc may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) head: u32,
    pub(super) child: u32,
    /// The relations on the path between them, as a hash.
    pub(super) path: u64,
}

/// Steps up and down the tree from a word to its candidates, all of them with every step on the way.
const PATHS: [(u32, u32); 8] = [(1, 0), (2, 0), (3, 0), (1, 1), (1, 2), (2, 1), (0, 1), (0, 2)];

impl View {
    /// Reads the tree of a sentence; `false` if it has none.
    pub(super) fn fill(&mut self, sent: &Sentence) -> bool {
        let count = sent.len();
        self.heads.clear();
        self.heads.push(0);
        self.heads.extend(sent.heads().map_while(|head| head.filter(|&h| h as usize <= count)));
        if self.heads.len() <= count || sent.tree().is_err() {
            return false;
        }
        self.children.iter_mut().for_each(Vec::clear);
        self.children.resize_with(count + 1, Vec::new);
        for (child, &head) in self.heads.iter().enumerate().skip(1) {
            self.children[head as usize].push(child as u32);
        }
        self.words.clear();
        self.words.push(Word { relation: 1, ..Word::default() });
        self.words.extend(sent.words().map(Word::new));
        for (word, children) in self.children.iter().enumerate().take(count + 1) {
            let relations = children.iter().map(|&child| self.words[child as usize].relation);
            self.words[word].below = relations.fold(3, hash::mix);
        }
        self.markers = (0..=count).map(|word| self.list_markers(sent, word)).collect();
        true
    }

    fn list_markers(&self, sent: &Sentence, word: usize) -> Vec<String> {
        let is = |word: u32, names: &[&str]| names.contains(&sent.word(word).universal_deprel());
        let marks = self.children[word].iter().filter(|&&child| is(child, &["case", "mark", "cc"]));
        let text = |&mark: &u32| {
            let fixed = self.children[mark as usize].iter().filter(|&&word| is(word, &["fixed"]));
            let lemmas = std::iter::once(&mark).chain(fixed).map(|&word| sent.word(word).lemma());
            lemmas.collect::<Vec<_>>().join("_").to_lowercase()
        };
        marks.map(text).collect()
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.heads.len() - 1
    }

    /// The head of a word in the tree.
    pub(super) fn head(&self, word: u32) -> u32 {
        self.heads[word as usize]
    }

    /// The markers of a word.
    pub(super) fn markers(&self, word: u32) -> &[String] {
        &self.markers[word as usize]
    }

    /// The first marker of the siblings after a word: in `A, B and C` the conjunction of B.
    pub(super) fn later_marker(&self, word: u32) -> Option<&String> {
        let siblings = self.children[self.head(word) as usize].iter();
        let later = siblings.filter(|&&sibling| {
            sibling > word
                && self.words[sibling as usize].relation == self.words[word as usize].relation
        });
        later.flat_map(|&sibling| &self.markers[sibling as usize]).next()
    }

    /// Visits the pairs of words that are near in the tree; the tree arc of a word is its first.
    pub(super) fn each_candidate(&self, mut visit: impl FnMut(Candidate)) {
        for child in 1..=self.len() as u32 {
            for (up, down) in PATHS {
                self.each_end(child, (up, down), |head, path| {
                    visit(Candidate { head, child, path });
                });
            }
        }
    }

    /// Visits the words `up` steps above a word and `down` below that one, on another branch, with their paths.
    fn each_end(&self, word: u32, (up, down): (u32, u32), mut visit: impl FnMut(u32, u64)) {
        let relation = |word: u32| self.words[word as usize].relation;
        let (mut top, mut before) = (word, 0);
        let mut path = hash::mix(hash::mix(5, u64::from(up)), relation(word));
        for _ in 0..up {
            if top == 0 {
                return;
            }
            (top, before) = (self.head(top), top);
            path = hash::mix(path, relation(top));
        }
        if down == 0 {
            return visit(top, path);
        }
        for &below in self.children[top as usize].iter().filter(|&&below| below != before) {
            let path = hash::mix(path, hash::mix(7, relation(below)));
            if down == 1 {
                visit(below, path);
                continue;
            }
            for &end in &self.children[below as usize] {
                visit(end, hash::mix(path, hash::mix(7, relation(end))));
            }
        }
    }

    /// Keys of the features of a candidate.
    pub(super) fn features(&self, candidate: Candidate) -> [u64; FEATURES] {
        let Candidate { head, child, path } = candidate;
        let word = |number: u32| self.words[number as usize];
        let (top, low, middle) = (word(head), word(child), word(self.head(child)));
        let order = u64::from(head < child) * 2 + u64::from(self.head(child) < child);
        let marker = |word: u32| self.markers(word).first().map_or(0, |text| hash::text(text));
        let counts = (self.markers(child).len().min(3) * 4
            + self.markers(self.head(child)).len().min(3)) as u64;
        let distance = u64::from(head.abs_diff(child).min(6));
        let siblings = self.children[head as usize].iter();
        let rivals = siblings.filter(|&&other| word(other).relation == low.relation).count() as u64;
        let pair = hash::mix;
        let values = [
            0,
            pair(low.upos, top.upos),
            top.lemma,
            low.lemma,
            middle.lemma,
            pair(middle.upos, top.upos),
            order,
            top.below,
            low.below,
            middle.below,
            top.feats,
            low.feats,
            pair(middle.lemma, top.lemma),
            pair(counts, self.later_marker(child).map_or(0, |_| 1)),
            marker(child),
            pair(order, distance),
            pair(rivals.min(2), top.feats),
            pair(low.lemma, top.upos),
        ];
        let mut keys = [0; FEATURES];
        for ((number, key), value) in (0..).zip(&mut keys).zip(values) {
            *key = hash::mix(hash::mix(number, path), value);
        }
        keys
    }
}

impl Word {
    fn new(token: Token<'_>) -> Self {
        Self {
            relation: hash::text(token.deprel()),
            upos: hash::text(token.upos()),
            lemma: hash::text(token.lemma()),
            feats: hash::text(token.get(Column::Feats)),
            below: 0,
        }
    }
}
