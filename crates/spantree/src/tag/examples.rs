//! From a treebank to examples.
//!
//! What the lexicon says of a word is told by the rest of the treebank: it is cut into folds, and each fold is looked up in a
//! lexicon of the others. So words are as often unknown in training as later, and the tags of a form are as reliable.

use spantree_learn::jackknife;
use spantree_treebank::Sentence;

use super::atoms::Atoms;
use super::lexicon::{Lexicon, LexiconBuilder};
use super::problem::Example;
use super::steps::Steps;
use super::surroundings::add_surroundings;
use super::tagset::{Part, Tag, TagSet};
use super::template::Templates;
use crate::model::{Container, ModelError, Sections};
use crate::rows::space::Space;
use crate::rows::{Rows, RowsBuilder};

const FOLDS: usize = 10;

/// A treebank with its tags as numbers.
pub(super) struct Tagged<'a> {
    /// The sentences.
    pub(super) sentences: &'a [Sentence],
    /// Their tags.
    pub(super) gold: Vec<Vec<Tag>>,
}

impl Tagged<'_> {
    /// The rows of a lexicon of the sentences for which `wanted` says yes.
    pub(super) fn lexicon(&self, wanted: impl Fn(usize) -> bool) -> RowsBuilder {
        let mut builder = LexiconBuilder::default();
        for (index, sent) in self.sentences.iter().enumerate().filter(|(index, _)| wanted(*index)) {
            for (word, &tag) in sent.words().zip(&self.gold[index]) {
                builder.count(word.form(), tag);
            }
        }
        builder.rows()
    }

    /// Reads all sentences as examples without features, with the atoms of their words.
    pub(super) fn look_up(
        &self,
        tagset: &TagSet,
        clusters: Option<&RowsBuilder>,
    ) -> Result<(Vec<Example>, Vec<Vec<Atoms>>), ModelError> {
        let (mut examples, mut atoms) = (Vec::new(), Vec::new());
        // A single sentence cannot be held out of itself: its words are unknown.
        let count = self.sentences.len();
        let folds = jackknife(count, FOLDS.min(count)).unwrap_or_default();
        let folds = folds.into_iter().map(|fold| fold.held_out);
        for fold in folds.chain((count == 1).then_some(0..1)) {
            let container = tables(&self.lexicon(|index| !fold.contains(&index)), clusters)?;
            let lexicon = lexicon(&container, "", tagset, clusters.is_some())?;
            let (mut lower, mut found) = (String::new(), Vec::new());
            for index in fold {
                let sent = &self.sentences[index];
                let mut example = Example { gold: self.gold[index].clone(), ..Example::default() };
                let mut words = Vec::with_capacity(sent.len());
                for (word, gold) in sent.words().zip(&example.gold) {
                    let word = lexicon.look_up(tagset, word.form(), &mut lower, &mut found);
                    if !found.contains(gold) {
                        found.push(*gold);
                    }
                    example.candidates.push(&found);
                    words.push(word);
                }
                add_surroundings(tagset, sent, &example.candidates, &mut words);
                examples.push(example);
                atoms.push(words);
            }
        }
        Ok((examples, atoms))
    }
}

/// The lexicon in a container.
pub(super) fn lexicon<'a>(
    container: &'a Container,
    prefix: &str,
    tagset: &TagSet,
    clusters: bool,
) -> Result<Lexicon<'a>, ModelError> {
    let rows =
        |name: &str, labels| Rows::from_container(container, &format!("{prefix}{name}"), labels);
    let words = rows("lexicon", tagset.len())?;
    let clusters = if clusters { Some(rows("clusters", usize::MAX)?) } else { None };
    Ok(Lexicon { words, clusters })
}

fn tables(words: &RowsBuilder, clusters: Option<&RowsBuilder>) -> Result<Container, ModelError> {
    let mut sections = Sections::default();
    words.write("lexicon", &mut sections);
    if let Some(clusters) = clusters {
        clusters.write("clusters", &mut sections);
    }
    sections.into_container("the lexicon of a fold", &"")
}

/// Gives the examples their features, and the space their weights.
pub(super) fn add_features(
    examples: &mut [Example],
    atoms: &[Vec<Atoms>],
    tagset: &TagSet,
    templates: Templates,
    min_count: usize,
) -> (Space, Steps) {
    let gold: Vec<Tag> = examples.iter().flat_map(|example| &example.gold).copied().collect();
    let mut keys: Vec<Vec<u64>> = vec![Vec::with_capacity(gold.len()); templates.len()];
    for sentence in atoms {
        for word in 0..sentence.len() {
            templates.of_form(&sentence[word], |number, key| keys[number].push(key));
            templates.of_context(sentence, word, |number, key| keys[number].push(key));
        }
    }
    let mut space = Space::default();
    let parts = |words: &[u32], parts: &mut Vec<Part>| {
        *parts = tagset.parts_of(words.iter().map(|&word| gold[word as usize]).collect());
    };
    let rows: Vec<Vec<u32>> =
        keys.iter().map(|keys| space.add_template(keys, min_count, parts)).collect();
    let mut word = 0;
    for example in &mut *examples {
        for _ in 0..example.gold.len() {
            example.features.extend(rows.iter().map(|rows| rows[word]));
            word += 1;
        }
    }
    let sentences = examples.iter().map(|example| &example.gold[..]);
    let steps = Steps::new(tagset, sentences, &mut space);
    (space, steps)
}
