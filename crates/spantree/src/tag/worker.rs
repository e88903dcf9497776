//! Tagging one sentence after the other with reused buffers.

use spantree_decode::{LatticeMarginals, LatticeScratch};
use spantree_treebank::{Sentence, Token};

use super::atoms::Atoms;
use super::beliefs::Beliefs;
use super::cache::FormCache;
use super::lattice::{Candidates, Lattice};
use super::lexicon::Lexicon;
use super::list::Dictionary;
use super::scorer::ModelScorer;
use super::surroundings::add_surroundings;
use super::tagger::Tagger;
use super::tagset::{COLUMNS, Tag, TagSet, columns};
use super::template::Templates;
use crate::rows::expanded::Expanded;

/// What to predict. Columns that the training data never filled are left as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagOptions {
    /// Keep UPOS where it is not `_`; the other columns are chosen to go with it. The same for the next two.
    pub keep_upos: bool,
    /// Keep XPOS where it is not `_`.
    pub keep_xpos: bool,
    /// Keep FEATS where they are not `_`.
    pub keep_feats: bool,
    /// Compute probabilities.
    pub confidence: bool,
}

/// How sure the tagger is of one word: calibrated probabilities that a column is right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TagConfidence {
    /// UPOS.
    pub upos: f32,
    /// XPOS.
    pub xpos: f32,
    /// FEATS.
    pub feats: f32,
}

/// Tags sentences with one model; see [`Tagger::worker`].
#[derive(Debug)]
pub struct Worker<'t> {
    tagger: &'t Tagger,
    lexicon: Lexicon<'t>,
    dictionary: Option<&'t Dictionary>,
    scorer: ModelScorer<'t>,
    forms: FormCache,
    lower: String,
    found: Vec<Tag>,
    candidates: Candidates,
    lattice: Lattice<i32>,
    search: LatticeScratch,
    marginals: LatticeMarginals,
    /// Whether `marginals` are those of the last sentence.
    weighed: bool,
    path: Vec<u16>,
    confidences: Vec<TagConfidence>,
}

impl<'t> Worker<'t> {
    pub(super) fn new(
        tagger: &'t Tagger,
        lexicon: Lexicon<'t>,
        weights: &'t Expanded,
        templates: Templates,
    ) -> Self {
        Self {
            tagger,
            lexicon,
            dictionary: None,
            scorer: ModelScorer::new(tagger.tagset(), weights, templates),
            forms: FormCache::default(),
            lower: String::new(),
            found: Vec::new(),
            candidates: Candidates::default(),
            lattice: Lattice::default(),
            search: LatticeScratch::default(),
            marginals: LatticeMarginals::default(),
            weighed: false,
            path: Vec::new(),
            confidences: Vec::new(),
        }
    }

    /// Restricts the forms of a dictionary to its tags.
    #[must_use]
    pub fn with_dictionary(mut self, dictionary: &'t Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self
    }

    /// Tags a sentence; returns one confidence per word, or none if they were not asked for.
    pub fn tag(&mut self, sent: &mut Sentence, options: &TagOptions) -> &[TagConfidence] {
        self.read(sent, options);
        let tagset = self.tagger.tagset();
        self.lattice.fill(tagset, &mut self.scorer, &self.candidates, None);
        // Every word has a candidate and nothing is forbidden, so there is a path.
        self.lattice.scores.decode(&mut self.search, &mut self.path);
        self.weighed = false;
        self.confidences.clear();
        if options.confidence {
            self.add_confidences();
        }
        let keep = options.keep();
        let filled = tagset.filled();
        for (number, tag) in (1..).zip(self.lattice.tags(&self.path)) {
            for (column, value) in tagset.columns(tag).iter().enumerate() {
                let given = keep[column] && sent.word(number).get(COLUMNS[column]) != "_";
                if filled[column] && !given {
                    sent.set(number, COLUMNS[column], value);
                }
            }
        }
        &self.confidences
    }

    /// Writes what the tagger thinks of the words of the sentence that it tagged last.
    pub fn write_beliefs(&mut self, beliefs: &mut Beliefs) {
        self.find_marginals();
        beliefs.clear();
        for word in 0..self.lattice.kept.len() {
            let nodes = self.marginals.nodes(&self.lattice.scores, word);
            let chances = nodes.iter().map(|&chance| chance as f32);
            beliefs.push(self.lattice.kept.get(word).iter().copied().zip(chances));
        }
    }

    /// Looks up the words of a sentence.
    fn read(&mut self, sent: &Sentence, options: &TagOptions) {
        self.scorer.atoms.clear();
        self.scorer.of_form.clear();
        self.candidates.clear();
        for word in sent.words() {
            let restricted = self.dictionary.is_some() || options.keeps_some(word);
            let slot = self.forms.slot(word.form());
            if !restricted && let Some(known) = self.forms.get(slot) {
                self.scorer.atoms.push(known.atoms);
                self.scorer.of_form.extend_from_slice(known.scores());
                self.candidates.push(known.tags());
                continue;
            }
            let atoms = self.look_up(word, options);
            let start = self.scorer.of_form.len();
            self.scorer.score_form(&atoms, &self.found);
            self.scorer.atoms.push(atoms);
            self.candidates.push(&self.found);
            if !restricted {
                self.forms.put(slot, atoms, &self.found, &self.scorer.of_form[start..]);
            }
        }
        add_surroundings(self.tagger.tagset(), sent, &self.candidates, &mut self.scorer.atoms);
    }

    /// Finds the candidates of one word.
    fn look_up(&mut self, word: Token<'_>, options: &TagOptions) -> Atoms {
        let tagset = self.tagger.tagset();
        let atoms = self.lexicon.look_up(tagset, word.form(), &mut self.lower, &mut self.found);
        if let Some(filter) = self.dictionary.and_then(|list| list.filter(tagset, word.form())) {
            restrict(tagset, &mut self.found, filter);
        }
        if options.keeps_some(word) {
            let (keep, given) = (options.keep(), columns(word));
            restrict(tagset, &mut self.found, |tag| {
                let agrees = |column: usize| {
                    let free = !keep[column] || given[column] == "_";
                    free || *given[column] == tagset.columns(tag)[column]
                };
                (0..3).all(agrees)
            });
        }
        atoms
    }

    fn find_marginals(&mut self) {
        if std::mem::replace(&mut self.weighed, true) {
            return;
        }
        self.lattice.scores.scale(self.tagger.header().inverse_temperature.into());
        self.lattice.scores.marginals(&mut self.search, &mut self.marginals);
    }

    fn add_confidences(&mut self) {
        self.find_marginals();
        let (tagset, lattice) = (self.tagger.tagset(), &self.lattice);
        for (word, tag) in lattice.tags(&self.path).enumerate() {
            let best = tagset.columns(tag);
            let mut sure = [0.0; 3];
            let nodes = self.marginals.nodes(&lattice.scores, word);
            for (&other, &p) in lattice.kept.get(word).iter().zip(nodes) {
                for (column, value) in tagset.columns(other).iter().enumerate() {
                    sure[column] += if *value == best[column] { p } else { 0.0 };
                }
            }
            let [upos, xpos, feats] = sure.map(|p| p.min(1.0) as f32);
            self.confidences.push(TagConfidence { upos, xpos, feats });
        }
    }
}

impl TagOptions {
    fn keep(&self) -> [bool; 3] {
        [self.keep_upos, self.keep_xpos, self.keep_feats]
    }

    /// Whether a column of this word is given and to be kept.
    fn keeps_some(&self, word: Token<'_>) -> bool {
        self.keep().iter().zip(columns(word)).any(|(&keep, value)| keep && value != "_")
    }
}

/// Keeps the candidates that are allowed; if there is none, all tags that are; if there is none, all candidates.
fn restrict(tagset: &TagSet, candidates: &mut Vec<Tag>, allowed: impl Fn(Tag) -> bool) {
    if candidates.iter().any(|&tag| allowed(tag)) {
        candidates.retain(|&tag| allowed(tag));
    } else if tagset.all().any(&allowed) {
        candidates.clear();
        candidates.extend(tagset.all().filter(|&tag| allowed(tag)));
    }
}
