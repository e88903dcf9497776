//! Synthetic treebanks with a planted grammar: unlimited, seeded, free to ship.
//!
//! Tests and examples use them to show that something learns, without data from outside. The language is made up (words of
//! random syllables) but its grammar is that of an inflecting language in Universal Dependencies:
//!
//! * nouns and adjectives agree in number and case, verbs with their subject in number; FEATS and suffixes say so;
//! * verbs prefer a kind of object and a preposition; frequencies fall off as 1 / rank;
//! * a prepositional phrase after an object belongs to the verb or to the object, depending on the kind of its noun: only
//!   the words decide;
//! * some verbs share a form with a noun (`tag_ambiguity`): only the context decides;
//! * coordination, relative clauses, complement and adverbial clauses, passives, negation, names, dropped subjects,
//!   punctuation, contractions of preposition and article (multiword tokens), optional enhanced dependencies with empty nodes;
//! * `non_projective` is the share of sentences in which the adjective of the object stands at the front of the clause (its
//!   case tells where it belongs) or a phrase of the subject at its end; with 0 all trees are projective.
//!
//! [`GeneratorConfig::grammar`] fixes words and preferences, [`GeneratorConfig::seed`] the sentences: train and test data
//! come from the same grammar with different seeds. Each sentence depends on the configuration and its own number alone.
//!
//! ```
//! use spantree_treebank::{Generator, GeneratorConfig};
//! let config = GeneratorConfig { seed: 1, non_projective: 0.0, ..GeneratorConfig::default() };
//! let train: Vec<_> = Generator::new(config.clone()).take(50).collect();
//! let dev: Vec<_> = Generator::new(GeneratorConfig { seed: 2, ..config }).take(10).collect();
//! assert!(train.iter().chain(&dev).all(|sent| sent.tree().unwrap().is_projective()));
//! ```

mod draft;
mod grammar;
mod lexicon;

use crate::random::Random;
use crate::sentence::Sentence;
use grammar::Author;
use lexicon::Lexicon;

/// What a [`Generator`] writes. Rates are shares from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratorConfig {
    /// Decides which sentences are written.
    pub seed: u64,
    /// Decides the words and their preferences.
    pub grammar: u64,
    /// Number of nouns, verbs, adjectives, adverbs and names together; from 20 to ten million.
    pub vocabulary: usize,
    /// Sentences have about this many words on average; from 3 to 10,000.
    pub mean_length: usize,
    /// Sentences with a non-projective tree.
    pub non_projective: f64,
    /// Verbs that share a form with a noun.
    pub tag_ambiguity: f64,
    /// Words whose head or label is wrong, as annotators' slips are.
    pub noise: f64,
    /// Preposition and article that are contracted to a multiword token.
    pub contraction: f64,
    /// Whether to write DEPS and empty nodes.
    pub enhanced: bool,
    /// Sentences per `# newdoc`; 0 for no documents.
    pub document_length: usize,
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            grammar: 0,
            vocabulary: 400,
            mean_length: 12,
            non_projective: 0.1,
            tag_ambiguity: 0.3,
            noise: 0.0,
            contraction: 0.3,
            enhanced: false,
            document_length: 10,
        }
    }
}

/// An endless treebank; see the [module](self).
#[derive(Clone, Debug)]
pub struct Generator {
    config: GeneratorConfig,
    lexicon: Lexicon,
    written: u64,
}

impl Generator {
    /// A generator at its first sentence.
    #[must_use]
    pub fn new(config: GeneratorConfig) -> Self {
        let lexicon =
            Lexicon::new(config.grammar, config.vocabulary.min(10_000_000), config.tag_ambiguity);
        Self { config, lexicon, written: 0 }
    }
}

impl Iterator for Generator {
    type Item = Sentence;

    /// Never `None`.
    fn next(&mut self) -> Option<Sentence> {
        let mut random = Random::stream(self.config.seed, self.written);
        let mut draft = Author::new(&self.lexicon, &self.config, &mut random).sentence();
        draft.add_noise(self.config.noise, &mut random);
        let length = self.config.document_length as u64;
        let (document, place) = match length {
            0 => (0, self.written),
            _ => (self.written / length, self.written % length),
        };
        let name = format!("synthetic-{}-{}", self.config.seed, document + 1);
        let mut sent = Sentence::new();
        if length > 0 && place == 0 {
            sent.push_comment(&format!("# newdoc id = {name}"));
        }
        sent.push_comment(&format!("# sent_id = {name}-{}", place + 1));
        draft.write_to(&mut sent, self.config.enhanced);
        self.written += 1;
        Some(sent)
    }
}

#[cfg(test)]
mod tests;
