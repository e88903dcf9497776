//! Pseudo-projective encoding: non-projective trees for projective parsers, and back.
//!
//! Before training, [`PseudoProjective::encode`] lifts each tree until it is projective ([`Tree::lift`]) and writes into the
//! labels what happened; after parsing, [`PseudoProjective::decode`] uses the labels to put the lifted words back
//! (Nivre & Nilsson 2005). With `d` the label of a lifted word, `h` that of its original head, and `p` that of a word on the
//! way from there to the new head, original head included:
//!
//! | scheme | lifted | passed | labels for `n` plain ones |
//! |---|---|---|---|
//! | [`Scheme::Head`] | `d↑h` | `p` | n (n + 1) |
//! | [`Scheme::HeadPath`] | `d↑h` | `p↓` | 2n (n + 1) |
//! | [`Scheme::Path`] | `d↑` | `p↓` | 4n |
//!
//! A word that was both lifted and passed has `d↑h↓` or `d↑↓`. No UD label contains an arrow, and the arrows are ordinary
//! UTF-8 text without white space, so encoded labels survive every file format; a treebank whose own labels contain
//! arrows is refused.
//!
//! **Decoding** takes the lifted words of the encoded tree from the top down and from left to right. The head of each is
//! searched for breadth first, from left to right, below the word it hangs on now: the first word labelled `h` (Head), the
//! first labelled `h↓` that is reached by `↓` alone (Head+Path), or the first at which a chain of `↓` ends (Path). A word
//! whose head is not found stays where it is and loses its marks. A word moves only to somewhere below its present head
//! and outside its own subtree, so decoding never makes a cycle, a new root, or a word without a head.
//!
//! **Ranks** ([`PseudoProjective::ranked`]) are an addition to the paper. The encoder knows what the decoder will try; when
//! the true head is not its first choice but the second or third, it writes `↑↑` or `↑↑↑`, and so on up to
//! [`MAX_RANK`]. For Path, words in the middle of a chain come after those at its end. What is first needs no rank, so most
//! labels are those of the paper.
//!
//! **A cap** ([`PseudoProjective::fit`]) keeps the most frequent labels with arrows, as Johansson & Nugues (2008) did with
//! 20; words that would get another one are lifted without a trace.
//!
//! Both directions are O(n) per lifted word. DEPS are left alone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::sentence::{Column, Sentence};
use crate::tree::{Tree, TreeError};

const LIFTED: char = '↑';
const PASSED: char = '↓';

/// The largest rank that is written; a head further down the decoder's list is lost.
pub const MAX_RANK: usize = 9;

/// What the labels say about a lift; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// The label of the original head.
    Head,
    /// The words passed on the way.
    Path,
    /// Both.
    HeadPath,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Scheme; 3] = [Scheme::Head, Scheme::Path, Scheme::HeadPath];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Head => "head",
            Scheme::Path => "path",
            Scheme::HeadPath => "head+path",
        }
    }

    fn marks_path(self) -> bool {
        self != Scheme::Head
    }

    fn names_head(self) -> bool {
        self != Scheme::Path
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|scheme| scheme.name() == text);
        known.ok_or_else(|| format!("unknown scheme {text:?}; choose head, path or head+path"))
    }
}

/// Why a sentence cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The heads are not a tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A label already contains an arrow.
    #[error(
        "the label {label:?} of word {word} contains an arrow; is the sentence encoded already?"
    )]
    ReservedLabel {
        /// The word.
        word: u32,
        /// Its label.
        label: String,
    },
}

/// An encoder and decoder; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PseudoProjective {
    scheme: Scheme,
    ranked: bool,
    /// The labels with arrows that may be used; `None` for all.
    kept: Option<BTreeSet<String>>,
}

impl PseudoProjective {
    /// The scheme of the paper with all its labels.
    #[must_use]
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, ranked: false, kept: None }
    }

    /// The same with ranks.
    #[must_use]
    pub fn ranked(scheme: Scheme) -> Self {
        Self { ranked: true, ..Self::new(scheme) }
    }

    /// Keeps only the `limit` most frequent labels with arrows that `sentences` would get (ties in alphabetical order);
    /// sentences that cannot be encoded do not count.
    #[must_use]
    pub fn fit<'a>(
        mut self,
        sentences: impl IntoIterator<Item = &'a Sentence>,
        limit: usize,
    ) -> Self {
        self.kept = None;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for sent in sentences {
            let Ok((_, marks)) = self.marks(sent) else { continue };
            for mark in marks.iter().filter(|mark| mark.is_trace()) {
                *counts.entry(mark.label()).or_default() += 1;
            }
        }
        let mut labels: Vec<_> = counts.into_iter().collect();
        labels.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        self.kept = Some(labels.into_iter().take(limit).map(|(label, _)| label).collect());
        self
    }

    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The labels with arrows that may be used; `None` for all.
    #[must_use]
    pub fn kept_labels(&self) -> Option<&BTreeSet<String>> {
        self.kept.as_ref()
    }

    /// Makes the tree projective and marks its labels; returns the number of words lifted.
    ///
    /// # Errors
    /// When the sentence has no tree or has arrows in its labels; it is not changed then.
    pub fn encode(&self, sent: &mut Sentence) -> Result<usize, EncodeError> {
        let (heads, marks) = self.marks(sent)?;
        let traces: Vec<_> = (1..)
            .zip(&marks)
            .filter(|(_, mark)| mark.is_trace())
            .map(|(word, mark)| (word, mark.rank > 0, mark.label()))
            .collect();
        let mut lifted = 0;
        for (word, is_lifted, label) in traces {
            sent.set_head(word, Some(heads[word as usize - 1]));
            lifted += usize::from(is_lifted);
            if self.kept.as_ref().is_none_or(|kept| kept.contains(&label)) {
                sent.set(word, Column::Deprel, &label);
            }
        }
        Ok(lifted)
    }

    /// Puts lifted words back and removes the marks; returns the number of words moved.
    ///
    /// # Errors
    /// When the sentence has no tree; it is not changed then.
    pub fn decode(&self, sent: &mut Sentence) -> Result<usize, TreeError> {
        let tree = sent.tree()?;
        let marks: Vec<_> = sent.words().map(|word| Mark::read(word.deprel())).collect();
        if !marks.iter().any(Mark::is_trace) {
            return Ok(0);
        }
        let heads = restore(&tree, &marks, self.scheme, |word, candidates| {
            let rank = marks[word as usize - 1].rank;
            candidates.get(rank - 1).or(candidates.first()).copied()
        });
        let plain: Vec<_> = (1..)
            .zip(&marks)
            .filter(|(_, mark)| mark.is_trace())
            .map(|(word, mark)| (word, mark.plain.to_owned()))
            .collect();
        let mut moved = 0;
        for (word, label) in plain {
            moved += usize::from(tree.head(word) != heads[word as usize]);
            sent.set_head(word, Some(heads[word as usize]));
            sent.set(word, Column::Deprel, &label);
        }
        Ok(moved)
    }

    /// The projective heads and the marks of all words.
    fn marks<'a>(&self, sent: &'a Sentence) -> Result<(Vec<u32>, Vec<Mark<'a>>), EncodeError> {
        let tree = sent.tree()?;
        let mut marks = Vec::with_capacity(sent.len());
        for (word, token) in (1..).zip(sent.words()) {
            let label = token.deprel();
            if label.contains([LIFTED, PASSED]) {
                return Err(EncodeError::ReservedLabel { word, label: label.to_owned() });
            }
            marks.push(Mark { plain: label, rank: 0, head: "", passed: false });
        }
        let lifting = tree.lift();
        for &word in &lifting.lifted {
            let head = marks[tree.head(word) as usize - 1].plain;
            let mark = &mut marks[word as usize - 1];
            mark.rank = 1;
            mark.head = if self.scheme.names_head() { head } else { "" };
        }
        for &word in lifting.passed.iter().filter(|_| self.scheme.marks_path()) {
            marks[word as usize - 1].passed = true;
        }
        if self.ranked && !lifting.lifted.is_empty() {
            self.rank(&tree, &lifting.heads, &mut marks)?;
        }
        Ok((lifting.heads, marks))
    }

    /// Decodes beside the truth and notes where the true heads were found.
    fn rank(&self, gold: &Tree, lifted: &[u32], marks: &mut [Mark<'_>]) -> Result<(), TreeError> {
        let mut ranks = Vec::new();
        restore(&Tree::new(lifted)?, marks, self.scheme, |word, candidates| {
            let mut tried = candidates.iter().take(MAX_RANK);
            let found = tried.position(|&head| head == gold.head(word));
            ranks.push((word, found.map_or(1, |index| index + 1)));
            candidates.get(found.unwrap_or(0)).copied()
        });
        for (word, rank) in ranks {
            marks[word as usize - 1].rank = rank;
        }
        Ok(())
    }
}

/// A label taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark<'a> {
    plain: &'a str,
    /// Which of the heads found is meant, from 1; 0 for words that were not lifted.
    rank: usize,
    /// Label of the original head; empty when the scheme does not tell.
    head: &'a str,
    passed: bool,
}

impl<'a> Mark<'a> {
    fn read(label: &'a str) -> Self {
        let unpassed = label.strip_suffix(PASSED);
        let rest = unpassed.unwrap_or(label);
        let (plain, trace) = rest.split_at(rest.find(LIFTED).unwrap_or(rest.len()));
        let head = trace.trim_start_matches(LIFTED);
        let rank = (trace.len() - head.len()) / LIFTED.len_utf8();
        Self { plain, rank, head, passed: unpassed.is_some() }
    }

    fn label(&self) -> String {
        let mut label = self.plain.to_owned();
        label.extend(std::iter::repeat_n(LIFTED, self.rank));
        label.push_str(self.head);
        label.extend(self.passed.then_some(PASSED));
        label
    }

    fn is_trace(&self) -> bool {
        self.rank > 0 || self.passed
    }
}

/// Moves the lifted words of `tree` to the heads that `choose` picks from the candidates, best first; the heads come back
/// indexed by word.
fn restore(
    tree: &Tree,
    marks: &[Mark<'_>],
    scheme: Scheme,
    mut choose: impl FnMut(u32, &[u32]) -> Option<u32>,
) -> Vec<u32> {
    let mut forest = Forest::new(tree);
    let lifted = |word: &u32| marks[*word as usize - 1].rank > 0;
    for word in forest.below(0, |_| true).into_iter().filter(lifted) {
        let candidates = forest.candidates(word, marks, scheme);
        if let Some(head) = choose(word, &candidates) {
            forest.attach(word, head);
        }
    }
    forest.heads
}

/// A tree whose words can be moved.
struct Forest {
    heads: Vec<u32>,
    children: Vec<Vec<u32>>,
}

impl Forest {
    fn new(tree: &Tree) -> Self {
        let vertices = 0..=tree.len() as u32;
        Self {
            heads: vertices.clone().map(|vertex| tree.head(vertex)).collect(),
            children: vertices.map(|vertex| tree.children(vertex).to_vec()).collect(),
        }
    }

    fn attach(&mut self, word: u32, head: u32) {
        let old = std::mem::replace(&mut self.heads[word as usize], head);
        self.children[old as usize].retain(|&child| child != word);
        let siblings = &mut self.children[head as usize];
        siblings.insert(siblings.partition_point(|&child| child < word), word);
    }

    /// The words below `top`, breadth first and from left to right; where `enter` says no, nothing below is visited.
    fn below(&self, top: u32, enter: impl Fn(u32) -> bool) -> Vec<u32> {
        let (mut found, mut queue) = (Vec::new(), VecDeque::from([top]));
        while let Some(vertex) = queue.pop_front() {
            let children = self.children[vertex as usize].iter().copied();
            let first = queue.len();
            queue.extend(children.filter(|&child| enter(child)));
            found.extend(queue.iter().skip(first));
        }
        found
    }

    /// Where `word` may have been lifted from, the paper's choice first.
    fn candidates(&self, word: u32, marks: &[Mark<'_>], scheme: Scheme) -> Vec<u32> {
        let mark = |vertex: u32| &marks[vertex as usize - 1];
        let enter = |vertex| vertex != word && (!scheme.marks_path() || mark(vertex).passed);
        let mut reached = self.below(self.heads[word as usize], enter);
        if scheme.names_head() {
            reached.retain(|&vertex| mark(vertex).plain == mark(word).head);
        } else {
            let ends_chain =
                |&vertex: &u32| !self.children[vertex as usize].iter().any(|&child| enter(child));
            reached.sort_by_key(|vertex| !ends_chain(vertex));
        }
        reached
    }
}

#[cfg(test)]
mod tests;
