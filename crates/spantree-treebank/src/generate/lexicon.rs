//! The words of a made-up language and what they prefer.
//!
//! Stems are one to three syllables that end in a consonant, and all inflections start with a vowel, so that stem and
//! inflection can be told apart and two words share a form only where that is planned.

use std::collections::BTreeSet;

use crate::random::Random;

/// Nouns come in kinds. A prepositional phrase with a noun of the first half of the kinds belongs to the verb, of the
/// second half to the noun before it.
pub(super) const KINDS: usize = 4;

pub(super) const PREPOSITIONS: [&str; 5] = ["de", "kon", "sur", "por", "al"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Sing,
    Plur,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Nom,
    Acc,
    /// After prepositions.
    Dat,
}

#[derive(Clone, Debug)]
pub(super) struct Verb {
    pub(super) stem: String,
    pub(super) transitive: bool,
    /// The kind of noun it likes as object.
    pub(super) object_kind: usize,
    /// The preposition of its oblique argument.
    pub(super) preposition: &'static str,
}

/// All content words, frequent ones first.
#[derive(Clone, Debug)]
pub(super) struct Lexicon {
    /// Stems of nouns; the kind is the index modulo [`KINDS`].
    nouns: Vec<String>,
    verbs: Vec<Verb>,
    adjectives: Vec<String>,
    adverbs: Vec<String>,
    names: Vec<String>,
}

impl Lexicon {
    pub(super) fn new(seed: u64, size: usize, tag_ambiguity: f64) -> Self {
        let mut stems = Stems { random: Random::new(seed), used: BTreeSet::new() };
        let size = size.max(20);
        let nouns = stems.take((size * 45 / 100).next_multiple_of(KINDS));
        let verb_stems = stems.take(size / 4);
        let random = &mut stems.random;
        let verbs = verb_stems.into_iter().enumerate().map(|(rank, stem)| Verb {
            stem: if random.chance(tag_ambiguity) { nouns[rank].clone() } else { stem },
            transitive: random.chance(0.7),
            object_kind: random.below(KINDS),
            preposition: PREPOSITIONS[random.below(PREPOSITIONS.len())],
        });
        let verbs = verbs.collect();
        let adjectives = stems.take(size * 15 / 100);
        let adverbs = stems.take(size / 20);
        let names = stems.take(size / 10);
        Self { nouns, verbs, adjectives, adverbs, names }
    }

    /// A noun of the given kind.
    pub(super) fn noun(&self, kind: usize, random: &mut Random) -> &str {
        let rank = zipf(self.nouns.len() / KINDS, random);
        &self.nouns[rank * KINDS + kind]
    }

    /// A verb for which `fits` holds; any verb when a hundred draws give none.
    pub(super) fn verb(&self, random: &mut Random, fits: impl Fn(&Verb) -> bool) -> &Verb {
        let mut verb = &self.verbs[zipf(self.verbs.len(), random)];
        for _ in 0..100 {
            if fits(verb) {
                break;
            }
            verb = &self.verbs[zipf(self.verbs.len(), random)];
        }
        verb
    }

    pub(super) fn adjective(&self, random: &mut Random) -> &str {
        &self.adjectives[zipf(self.adjectives.len(), random)]
    }

    pub(super) fn adverb(&self, random: &mut Random) -> &str {
        &self.adverbs[zipf(self.adverbs.len(), random)]
    }

    pub(super) fn name(&self, random: &mut Random) -> &str {
        &self.names[zipf(self.names.len(), random)]
    }
}

/// A rank below `len` with probability in proportion to about 1 / (rank + 2), from the inverse of its integral.
fn zipf(len: usize, random: &mut Random) -> usize {
    let (low, high) = (2f64.ln(), (len as f64 + 2.0).ln());
    let value = (low + random.unit() * (high - low)).exp() - 2.0;
    (value as usize).min(len.saturating_sub(1))
}

struct Stems {
    random: Random,
    used: BTreeSet<String>,
}

impl Stems {
    fn take(&mut self, count: usize) -> Vec<String> {
        let mut stems = Vec::with_capacity(count);
        while stems.len() < count {
            let stem = self.draw();
            if self.used.insert(stem.clone()) {
                stems.push(stem);
            }
        }
        stems
    }

    /// Longer as more stems are used up, so that new ones never run out.
    fn draw(&mut self) -> String {
        let syllables = 1 + self.random.below(2) + (self.used.len() / 1_000).min(8);
        let mut stem = String::new();
        for _ in 0..syllables {
            stem.push(self.letter(b"bdfgklmnprstvz"));
            stem.push(self.letter(b"aeiou"));
        }
        stem.push(self.letter(b"bdfgklmprtvz"));
        stem
    }

    fn letter(&mut self, letters: &[u8]) -> char {
        char::from(letters[self.random.below(letters.len())])
    }
}

pub(super) fn noun_form(stem: &str, number: Number, case: Case) -> String {
    let suffix = match (case, number) {
        (Case::Nom, Number::Sing) => "a",
        (Case::Nom, Number::Plur) => "i",
        (Case::Acc, Number::Sing) => "am",
        (Case::Acc, Number::Plur) => "is",
        (Case::Dat, Number::Sing) => "o",
        (Case::Dat, Number::Plur) => "os",
    };
    format!("{stem}{suffix}")
}

pub(super) fn adjective_form(stem: &str, number: Number, case: Case) -> String {
    let suffix = match (case, number) {
        (Case::Nom, Number::Sing) => "e",
        (Case::Nom, Number::Plur) => "en",
        (Case::Acc, Number::Sing) => "em",
        (Case::Acc, Number::Plur) => "ens",
        (Case::Dat, Number::Sing) => "eo",
        (Case::Dat, Number::Plur) => "eos",
    };
    format!("{stem}{suffix}")
}

/// The present singular looks like the nominative singular of a noun.
pub(super) fn verb_form(stem: &str, number: Number, past: bool) -> String {
    let suffix = match (past, number) {
        (false, Number::Sing) => "a",
        (false, Number::Plur) => "an",
        (true, Number::Sing) => "it",
        (true, Number::Plur) => "itan",
    };
    format!("{stem}{suffix}")
}
