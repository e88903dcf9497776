//! The tagger that users hold, and its worker.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spantree_decode::{LatticeMarginals, LatticeScratch};
use spantree_treebank::Sentence;

use super::atoms::{Atoms, of_form};
use super::lattice::{Candidates, Filled, Weights};
use super::lexicon::Lexicon;
use super::space::{end_key, step_keys};
use super::tagset::{COLUMNS, Tag, TagSet};
use super::template::features;
use crate::model::{Container, ModelError};
use crate::rows::Rows;

/// What a tagger says about itself, as part of a model's header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// UPOS, XPOS and FEATS of each tag.
    pub tags: Vec<[String; 3]>,
    /// What one unit of a weight is worth.
    pub scale: f32,
    /// Scores are multiplied by this before they become probabilities.
    pub inverse_temperature: f32,
}

/// A trained tagger; see the [module](super).
#[derive(Debug)]
pub struct Tagger {
    container: Arc<Container>,
    header: Header,
    prefix: String,
    pub(super) tagset: TagSet,
    /// Keys of the rows of each tag as the one before, then those of the start.
    steps: Vec<Vec<u64>>,
}

impl Tagger {
    /// A tagger out of the sections of a model file whose names start with `prefix`.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(
        container: Arc<Container>,
        header: Header,
        prefix: &str,
    ) -> Result<Self, ModelError> {
        let tagset = TagSet::new(header.tags.clone());
        let all = (0..tagset.len() as Tag).map(Some).chain([None]);
        let steps = all.map(|before| step_keys(&tagset, before)).collect();
        let tagger = Self { container, header, prefix: prefix.to_owned(), tagset, steps };
        tagger.rows("weights", tagger.tagset.part_count())?;
        tagger.rows("lexicon", tagger.tagset.len())?;
        Ok(tagger)
    }

    fn rows(&self, name: &str, labels: usize) -> Result<Rows<'_>, ModelError> {
        Rows::from_container(&self.container, &format!("{}{name}", self.prefix), labels)
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// A worker with its own buffers; make one per thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let weights = self.rows("weights", self.tagset.part_count()).expect("checked on loading");
        let lexicon = self.rows("lexicon", self.tagset.len()).expect("checked on loading");
        Worker {
            tagger: self,
            weights: ModelWeights { rows: weights, tagger: self, end: weights.get(end_key()) },
            lexicon: Lexicon::new(lexicon),
            atoms: Vec::new(),
            features: Vec::new(),
            lower: String::new(),
            found: Vec::new(),
            candidates: Candidates::default(),
            filled: Filled::default(),
            lattice: LatticeScratch::default(),
            marginals: LatticeMarginals::default(),
            path: Vec::new(),
        }
    }
}

struct ModelWeights<'t> {
    rows: Rows<'t>,
    tagger: &'t Tagger,
    end: crate::rows::Row<'t>,
}

impl Weights for ModelWeights<'_> {
    type Row = u64;
    type Sum = i32;

    fn add(&self, key: u64, sums: &mut [i32]) {
        for (part, weight) in self.rows.get(key).iter() {
            sums[usize::from(part)] += i32::from(weight);
        }
    }

    fn add_steps(&self, before: Option<Tag>, sums: &mut [i32]) {
        let steps = &self.tagger.steps;
        let keys = &steps[before.map_or(steps.len() - 1, usize::from)];
        keys.iter().for_each(|&key| self.add(key, sums));
    }

    fn end(&self, tag: Tag) -> i32 {
        let part = self.tagger.tagset.parts(tag)[0];
        self.end.iter().find(|entry| entry.0 == part).map_or(0, |entry| entry.1.into())
    }
}

/// Tags sentences with one model; see [`Tagger::worker`].
pub struct Worker<'t> {
    tagger: &'t Tagger,
    weights: ModelWeights<'t>,
    lexicon: Lexicon<'t>,
    atoms: Vec<Atoms>,
    features: Vec<u64>,
    lower: String,
    found: Vec<Tag>,
    candidates: Candidates,
    filled: Filled<i32>,
    lattice: LatticeScratch,
    marginals: LatticeMarginals,
    path: Vec<u16>,
}

impl Worker<'_> {
    /// Tags a sentence.
    pub fn tag(&mut self, sent: &mut Sentence) {
        let tagset = &self.tagger.tagset;
        self.atoms.clear();
        self.candidates.clear();
        for word in sent.words() {
            let mut atoms = of_form(word.form(), &mut self.lower);
            self.lexicon.look_up(tagset, word.form(), &mut atoms, &mut self.found);
            self.candidates.push(self.found.iter().copied());
            self.atoms.push(atoms);
        }
        self.features.clear();
        for word in 0..self.atoms.len() {
            features(&self.atoms, word, |key| self.features.push(key));
        }
        self.filled.fill(
            tagset,
            &self.weights,
            &self.features,
            &self.candidates,
            None,
            |_, _| 0.0,
        );
        self.filled.scores.decode(&mut self.lattice, &mut self.path);
        for (word, &place) in self.path.iter().enumerate() {
            let tag = self.filled.kept.get(word)[usize::from(place)];
            for (column, value) in COLUMNS.into_iter().zip(tagset.columns(tag)) {
                sent.set(word as u32 + 1, column, value);
            }
        }
        let _ = &self.marginals;
    }
}
