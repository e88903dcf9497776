//! Scores of a sentence under the weights of a model.

use super::atoms::Atoms;
use super::cache::StepCache;
use super::lattice::Scorer;
use super::steps::step_keys;
use super::tagset::{Part, Tag, TagSet};
use super::template::Templates;
use crate::rows::expanded::{Expanded, Found};

/// See the [module](self).
#[derive(Debug)]
pub(super) struct ModelScorer<'t> {
    tagset: &'t TagSet,
    weights: &'t Expanded,
    templates: Templates,
    /// The words of the sentence.
    pub(super) atoms: Vec<Atoms>,
    /// What the forms alone score: for each candidate of each word, one after the other.
    pub(super) of_form: Vec<i32>,
    steps: StepCache,
    keys: Vec<u64>,
    found: Vec<Found>,
    wanted: Wanted,
    sums: Vec<i32>,
}

impl<'t> ModelScorer<'t> {
    pub(super) fn new(tagset: &'t TagSet, weights: &'t Expanded, templates: Templates) -> Self {
        Self {
            tagset,
            weights,
            templates,
            atoms: Vec::new(),
            of_form: Vec::new(),
            steps: StepCache::default(),
            keys: Vec::new(),
            found: Vec::new(),
            wanted: Wanted::default(),
            sums: Vec::new(),
        }
    }

    /// Adds what the form alone scores with each candidate to `of_form`; one candidate needs no score.
    pub(super) fn score_form(&mut self, atoms: &Atoms, candidates: &[Tag]) {
        if candidates.len() == 1 {
            self.of_form.push(0);
            return;
        }
        self.keys.clear();
        self.templates.of_form(atoms, |_, key| self.keys.push(key));
        self.sums.clear();
        self.sums.resize(self.tagset.part_count(), 0);
        let wanted = self.wanted.parts(self.tagset, candidates);
        self.weights.add_all(&self.keys, wanted, &mut self.found, &mut self.sums);
        self.of_form.extend(candidates.iter().map(|&tag| self.tagset.sum(tag, &self.sums)));
    }
}

impl Scorer for ModelScorer<'_> {
    type Sum = i32;

    fn add_word(&mut self, word: usize, candidates: &[Tag], sums: &mut [i32]) {
        self.keys.clear();
        self.templates.of_context(&self.atoms, word, |_, key| self.keys.push(key));
        let wanted = self.wanted.parts(self.tagset, candidates);
        self.weights.add_all(&self.keys, wanted, &mut self.found, sums);
    }

    fn extra(&self, place: usize, _word: usize, _tag: Tag) -> f64 {
        self.of_form[place].into()
    }

    fn steps(
        &mut self,
        before: Tag,
        tags: &[Tag],
        sums: &mut [i32],
        mut write: impl FnMut(usize, f64),
    ) {
        let mut summed = false;
        for (to, &tag) in tags.iter().enumerate() {
            let score = self.steps.get_or(before, tag, || {
                if !summed {
                    self.keys.clear();
                    self.keys.extend(step_keys(self.tagset, before));
                    let wanted = self.wanted.parts(self.tagset, tags);
                    self.weights.add_all(&self.keys, wanted, &mut self.found, sums);
                    summed = true;
                }
                self.tagset.sum(tag, sums)
            });
            write(to, score.into());
        }
    }
}

/// The parts of some tags, each once.
#[derive(Debug, Default)]
struct Wanted {
    parts: Vec<Part>,
    /// For each part the number of the request that it was last part of.
    seen: Vec<u32>,
    request: u32,
}

impl Wanted {
    fn parts(&mut self, tagset: &TagSet, tags: &[Tag]) -> &[Part] {
        self.seen.resize(tagset.part_count(), self.request);
        self.request = self.request.wrapping_add(1);
        self.parts.clear();
        for &part in tags.iter().flat_map(|&tag| tagset.parts(tag)) {
            if std::mem::replace(&mut self.seen[usize::from(part)], self.request) != self.request {
                self.parts.push(part);
            }
        }
        &self.parts
    }
}
