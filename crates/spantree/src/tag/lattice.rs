//! From the features of a sentence to the lattice of its candidate tags; shared by training and tagging.

use spantree_decode::LatticeScores;

use super::tagset::{Tag, TagSet};

/// Candidates per word that take part in the search; the best ones without their neighbours.
pub const BEAM: usize = 10;

/// Weights, as they are in training and in a model.
pub trait Weights {
    /// How a row of weights is named: by its number in training, by its key in a model.
    type Row: Copy;
    /// Sums of weights.
    type Sum: Copy + Default + std::ops::AddAssign + Into<f64>;

    /// Adds a row to the sums of the parts of tags.
    fn add(&self, row: Self::Row, sums: &mut [Self::Sum]);

    /// Adds the rows of a tag before, or of the start of the sentence, to the sums of the parts of the next tag.
    fn add_steps(&self, before: Option<Tag>, sums: &mut [Self::Sum]);

    /// The score of `tag` as the last one.
    fn end(&self, tag: Tag) -> Self::Sum;
}

/// The candidate tags of each word of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    tags: Vec<Tag>,
    ends: Vec<u32>,
}

impl Candidates {
    /// Forgets all words.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.ends.clear();
    }

    /// Adds the candidates of the next word.
    pub fn push(&mut self, tags: impl IntoIterator<Item = Tag>) {
        self.tags.extend(tags);
        self.ends.push(self.tags.len() as u32);
    }

    /// The candidates of a word, from 0.
    #[inline]
    pub fn get(&self, word: usize) -> &[Tag] {
        let start = if word == 0 { 0 } else { self.ends[word - 1] };
        &self.tags[start as usize..self.ends[word] as usize]
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Buffers and the filled lattice.
#[derive(Clone, Debug)]
pub struct Filled<S> {
    /// The candidates that the search is among.
    pub kept: Candidates,
    /// Their scores.
    pub scores: LatticeScores,
    sums: Vec<S>,
    ranked: Vec<(f64, Tag)>,
}

impl<S> Default for Filled<S> {
    fn default() -> Self {
        Self {
            kept: Candidates::default(),
            scores: LatticeScores::default(),
            sums: Vec::new(),
            ranked: Vec::new(),
        }
    }
}

impl<S: Copy + Default + Into<f64> + std::ops::AddAssign> Filled<S> {
    /// Scores the candidates of a sentence whose words have `width` features each. `gold` is always kept; `extra(word, tag)` is added to the score of a tag.
    pub fn fill<W: Weights<Sum = S>>(
        &mut self,
        tagset: &TagSet,
        weights: &W,
        features: &[W::Row],
        candidates: &Candidates,
        gold: Option<&[Tag]>,
        extra: impl Fn(usize, Tag) -> f64,
    ) {
        self.kept.clear();
        self.scores.clear();
        let words = candidates.len();
        let width = features.len() / words.max(1);
        for word in 0..words {
            self.sums.clear();
            self.sums.resize(tagset.part_count(), S::default());
            let rows = &features[word * width..(word + 1) * width];
            rows.iter().for_each(|&row| weights.add(row, &mut self.sums));
            if word == 0 {
                weights.add_steps(None, &mut self.sums);
            }
            self.ranked.clear();
            for &tag in candidates.get(word) {
                let mut score: f64 = sum(tagset, tag, &self.sums) + extra(word, tag);
                if word + 1 == words {
                    score += weights.end(tag).into();
                }
                self.ranked.push((score, tag));
            }
            self.prune(gold.map(|gold| gold[word]));
            self.kept.push(self.ranked.iter().map(|&(_, tag)| tag));
            let position = self.scores.push(self.ranked.len());
            for (node, &(score, _)) in position.nodes.iter_mut().zip(&self.ranked) {
                *node = score;
            }
            if word > 0 {
                let before = self.kept.get(word - 1);
                for (from, &tag) in before.iter().enumerate() {
                    self.sums.fill(S::default());
                    weights.add_steps(Some(tag), &mut self.sums);
                    for (to, &(_, tag)) in self.ranked.iter().enumerate() {
                        position.steps[to * before.len() + from] = sum(tagset, tag, &self.sums);
                    }
                }
            }
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
}

fn sum<S: Copy + Default + Into<f64> + std::ops::AddAssign>(
    tagset: &TagSet,
    tag: Tag,
    sums: &[S],
) -> f64 {
    let mut sum = S::default();
    tagset.parts(tag).iter().for_each(|&part| sum += sums[usize::from(part)]);
    sum.into()
}
