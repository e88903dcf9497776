//! From a sentence's candidate tags to a scored lattice; shared by training and tagging.
//!
//! A word with one candidate needs no score of its own: it adds the same to every path.

use spantree_decode::LatticeScores;

use super::tagset::{Tag, TagSet};

/// Candidates per word that take part in the search: the best ones by their own score.
pub(super) const BEAM: usize = 10;

/// Where the scores of one sentence come from. Sums are over the parts of tags.
pub(super) trait Scorer {
    /// Sums of weights.
    type Sum: Copy + Default + std::ops::AddAssign + Into<f64>;

    /// Adds the features of a word to the sums of the parts of its candidates; other sums mean nothing.
    fn add_word(&mut self, word: usize, candidates: &[Tag], sums: &mut [Self::Sum]);

    /// What else a candidate of a word scores; `place` counts the candidates of all words.
    fn extra(&self, place: usize, word: usize, tag: Tag) -> f64;

    /// Writes the score of the step from one tag to each of some others; `sums` is a buffer of zeros for all parts.
    fn steps(
        &mut self,
        before: Tag,
        tags: &[Tag],
        sums: &mut [Self::Sum],
        write: impl FnMut(usize, f64),
    );
}

/// The candidate tags of each word of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Candidates {
    tags: Vec<Tag>,
    ends: Vec<u32>,
}

impl Candidates {
    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.tags.clear();
        self.ends.clear();
    }

    /// Adds the candidates of the next word.
    pub(super) fn push(&mut self, tags: &[Tag]) {
        self.tags.extend_from_slice(tags);
        self.ends.push(self.tags.len() as u32);
    }

    /// The candidates of a word, from 0.
    #[inline]
    pub(super) fn get(&self, word: usize) -> &[Tag] {
        &self.tags[self.start(word)..self.ends[word] as usize]
    }

    /// Number of candidates of the words before.
    pub(super) fn start(&self, word: usize) -> usize {
        if word == 0 { 0 } else { self.ends[word - 1] as usize }
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// The filled lattice, and buffers.
#[derive(Clone, Debug)]
pub(super) struct Lattice<S> {
    /// The candidates that the search is among.
    pub(super) kept: Candidates,
    /// Their scores.
    pub(super) scores: LatticeScores,
    sums: Vec<S>,
    ranked: Vec<(f64, Tag)>,
    tags: Vec<Tag>,
}

impl<S> Default for Lattice<S> {
    fn default() -> Self {
        Self {
            kept: Candidates::default(),
            scores: LatticeScores::default(),
            sums: Vec::new(),
            ranked: Vec::new(),
            tags: Vec::new(),
        }
    }
}

impl<S: Copy + Default + Into<f64> + std::ops::AddAssign> Lattice<S> {
    /// Scores the candidates of a sentence; those of `gold` are always kept.
    pub(super) fn fill(
        &mut self,
        tagset: &TagSet,
        scorer: &mut impl Scorer<Sum = S>,
        candidates: &Candidates,
        gold: Option<&[Tag]>,
    ) {
        self.kept.clear();
        self.scores.clear();
        for word in 0..candidates.len() {
            self.rank(tagset, scorer, candidates, word);
            self.prune(gold.map(|gold| gold[word]));
            self.tags.clear();
            self.tags.extend(self.ranked.iter().map(|&(_, tag)| tag));
            self.kept.push(&self.tags);
            let position = self.scores.push(self.tags.len());
            for (node, &(score, _)) in position.nodes.iter_mut().zip(&self.ranked) {
                *node = score;
            }
            let before = if word == 0 { &[] } else { self.kept.get(word - 1) };
            if before.len() == 1 && self.tags.len() == 1 {
                continue;
            }
            for (from, &tag) in before.iter().enumerate() {
                self.sums.clear();
                self.sums.resize(tagset.part_count(), S::default());
                scorer.steps(tag, &self.tags, &mut self.sums, |to, score| {
                    position.steps[to * before.len() + from] = score;
                });
            }
        }
    }

    /// Scores the candidates of one word.
    fn rank(
        &mut self,
        tagset: &TagSet,
        scorer: &mut impl Scorer<Sum = S>,
        candidates: &Candidates,
        word: usize,
    ) {
        self.ranked.clear();
        if let &[tag] = candidates.get(word) {
            self.ranked.push((0.0, tag));
            return;
        }
        self.sums.clear();
        self.sums.resize(tagset.part_count(), S::default());
        scorer.add_word(word, candidates.get(word), &mut self.sums);
        for (place, &tag) in (candidates.start(word)..).zip(candidates.get(word)) {
            let score = tagset.sum(tag, &self.sums).into() + scorer.extra(place, word, tag);
            self.ranked.push((score, tag));
        }
    }

    /// Keeps the best candidates, and the gold one.
    fn prune(&mut self, gold: Option<Tag>) {
        if self.ranked.len() <= BEAM {
            return;
        }
        let order = |a: &(f64, Tag), b: &(f64, Tag)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        self.ranked.select_nth_unstable_by(BEAM - 1, order);
        let gold = self.ranked[BEAM..].iter().copied().find(|&(_, tag)| Some(tag) == gold);
        self.ranked.truncate(BEAM);
        self.ranked.extend(gold);
        self.ranked.sort_unstable_by(order);
    }

    /// The tags of a path.
    pub(super) fn tags<'a>(&'a self, path: &'a [u16]) -> impl Iterator<Item = Tag> + 'a {
        path.iter().enumerate().map(|(word, &place)| self.kept.get(word)[usize::from(place)])
    }
}
