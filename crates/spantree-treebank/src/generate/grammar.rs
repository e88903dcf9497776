//! The grammar: an author composes one sentence, phrase by phrase, from left to right.
//!
//! Every method that writes a phrase returns the position of its head, which the caller attaches.

use super::GeneratorConfig;
use super::draft::{Draft, Word, capitalised};
use super::lexicon::{
    Case, KINDS, Lexicon, Number, PREPOSITIONS, Verb, adjective_form, noun_form, verb_form,
};
use crate::random::Random;

/// How reliably words follow their preferences.
const FAITHFULNESS: f64 = 0.95;

/// A noun phrase that has been written.
#[derive(Clone, Copy, Debug)]
struct Phrase {
    head: usize,
    number: Number,
    adjective: Option<usize>,
    is_pronoun: bool,
}

/// A clause that has been written.
#[derive(Clone, Copy, Debug)]
struct Clause {
    start: usize,
    verb: usize,
    subject: Option<Phrase>,
    object: Option<Phrase>,
}

/// What the sentence needs beyond the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Movement {
    None,
    /// The adjective of the object stands first.
    FrontedAdjective,
    /// A prepositional phrase of the subject stands last.
    ExtraposedPhrase,
}

/// Writes one sentence.
pub(super) struct Author<'a> {
    lexicon: &'a Lexicon,
    config: &'a GeneratorConfig,
    random: &'a mut Random,
    draft: Draft,
    /// Words to aim at.
    target: usize,
}

impl<'a> Author<'a> {
    pub(super) fn new(
        lexicon: &'a Lexicon,
        config: &'a GeneratorConfig,
        random: &'a mut Random,
    ) -> Self {
        let mean = config.mean_length.clamp(3, 10_000);
        let target = mean / 2 + random.below(mean + 1);
        Self { lexicon, config, random, draft: Draft::default(), target }
    }

    pub(super) fn sentence(mut self) -> Draft {
        let movement = self.movement();
        let adverbial = (self.room(12) && self.random.chance(0.3)).then(|| self.adverbial_clause());
        let main = self.main_clause(movement);
        if let Some(adverbial) = adverbial {
            self.draft.attach(adverbial, main.verb, "advcl");
        }
        while self.room(5) {
            self.coordinated_clause(&main);
        }
        let stop = self.punctuation(".");
        self.draft.attach(stop, main.verb, "punct");
        let adjective = main.object.and_then(|object| object.adjective);
        if let (Movement::FrontedAdjective, Some(adjective)) = (movement, adjective) {
            self.draft.move_back(adjective, main.start);
        }
        self.draft
    }

    fn movement(&mut self) -> Movement {
        match (self.random.chance(self.config.non_projective), self.random.chance(0.5)) {
            (false, _) => Movement::None,
            (true, false) => Movement::FrontedAdjective,
            (true, true) => Movement::ExtraposedPhrase,
        }
    }

    /// Whether `words` more would not overshoot the length.
    fn room(&self, words: usize) -> bool {
        self.draft.len() + words <= self.target
    }

    // ---- clauses -----------------------------------------------------------------------------

    fn main_clause(&mut self, movement: Movement) -> Clause {
        let start = self.draft.len();
        let lexicon = self.lexicon;
        match movement {
            Movement::None => {
                let verb = lexicon.verb(self.random, |_| true);
                let subject = self.random.chance(0.85).then(|| self.subject());
                self.predicate(start, subject, verb)
            }
            // The adjective is still beside its noun; it moves when the sentence is complete.
            Movement::FrontedAdjective => {
                let verb = lexicon.verb(self.random, |verb| verb.transitive);
                let subject = self.subject();
                let at = self.verb(verb, subject.number);
                let object = Some(self.noun_phrase(Case::Acc, Some(verb.object_kind), true));
                self.finish_clause(Clause { start, verb: at, subject: Some(subject), object })
            }
            Movement::ExtraposedPhrase => {
                let verb = lexicon.verb(self.random, |verb| !verb.transitive);
                let subject = self.noun_phrase(Case::Nom, None, false);
                let at = self.verb(verb, subject.number);
                let kind = KINDS / 2 + self.random.below(KINDS / 2);
                let preposition = PREPOSITIONS[self.random.below(PREPOSITIONS.len())];
                let phrase = self.prepositional_phrase(preposition, kind);
                self.draft.attach(phrase, subject.head, "nmod");
                let subject = Some(subject);
                self.finish_clause(Clause { start, verb: at, subject, object: None })
            }
        }
    }

    /// Everything after the subject: negation, auxiliary, verb, object, phrases, adverb.
    fn predicate(&mut self, start: usize, subject: Option<Phrase>, verb: &Verb) -> Clause {
        let number = match subject {
            Some(subject) => subject.number,
            None => self.number(),
        };
        if verb.transitive && self.room(6) && self.random.chance(0.12) {
            return self.passive(start, subject, verb, number);
        }
        let negation =
            self.random.chance(0.1).then(|| self.word("ne", "ne", "PART", "Polarity=Neg"));
        let at = self.verb(verb, number);
        if let Some(negation) = negation {
            self.draft.attach(negation, at, "advmod");
        }
        let object = verb.transitive.then(|| self.object(verb));
        let clause = self.finish_clause(Clause { start, verb: at, subject, object });
        if self.random.chance(0.5) && self.room(4) {
            self.attached_phrase(verb, &clause);
        }
        if self.random.chance(0.2) {
            self.adverb(at);
        }
        if !verb.transitive && self.room(6) && self.random.chance(0.3) {
            self.complement_clause(at);
        }
        clause
    }

    fn finish_clause(&mut self, clause: Clause) -> Clause {
        match clause.subject {
            Some(subject) => self.draft.attach(subject.head, clause.verb, "nsubj"),
            None => self.draft.drop_subject(clause.verb, None),
        }
        if let Some(object) = clause.object {
            self.draft.attach(object.head, clause.verb, "obj");
        }
        clause
    }

    fn passive(
        &mut self,
        start: usize,
        subject: Option<Phrase>,
        verb: &Verb,
        number: Number,
    ) -> Clause {
        let (form, feats) = match number {
            Number::Sing => ("fu", "Number=Sing|Tense=Past|VerbForm=Fin"),
            Number::Plur => ("fun", "Number=Plur|Tense=Past|VerbForm=Fin"),
        };
        let auxiliary = self.word(form, "fu", "AUX", feats);
        let participle = format!("{}ir", verb.stem);
        let at = self.word(&participle, &format!("{}ar", verb.stem), "VERB", "VerbForm=Part");
        self.draft.attach(auxiliary, at, "aux:pass");
        match subject {
            Some(subject) => self.draft.attach(subject.head, at, "nsubj:pass"),
            None => self.draft.drop_subject(at, None),
        }
        if self.random.chance(0.6) {
            let kind = self.random.below(KINDS);
            let agent = self.prepositional_phrase("da", kind);
            self.draft.attach(agent, at, "obl:agent");
        }
        Clause { start, verb: at, subject, object: None }
    }

    /// `se` clause `,` before the main clause.
    fn adverbial_clause(&mut self) -> usize {
        let mark = self.word("se", "se", "SCONJ", "_");
        let clause = self.short_clause();
        self.draft.attach(mark, clause, "mark");
        let comma = self.punctuation(",");
        self.draft.attach(comma, clause, "punct");
        clause
    }

    /// `ke` clause after the verb.
    fn complement_clause(&mut self, verb: usize) {
        let mark = self.word("ke", "ke", "SCONJ", "_");
        let clause = self.short_clause();
        self.draft.attach(mark, clause, "mark");
        self.draft.attach(clause, verb, "ccomp");
    }

    /// Subject, verb and object without further phrases; the position of the verb.
    fn short_clause(&mut self) -> usize {
        let start = self.draft.len();
        let subject = self.subject();
        let verb = self.lexicon.verb(self.random, |_| true);
        let at = self.verb(verb, subject.number);
        let object = verb.transitive.then(|| self.noun_phrase(Case::Acc, None, false));
        self.finish_clause(Clause { start, verb: at, subject: Some(subject), object }).verb
    }

    /// Conjunction and a second predicate, with its own subject or that of the main clause.
    fn coordinated_clause(&mut self, main: &Clause) {
        let (conjunction, comma) = (self.conjunction(), self.random.chance(0.3));
        let comma = comma.then(|| self.punctuation(","));
        let conjunction = self.draft.push(conjunction);
        let start = self.draft.len();
        let verb = self.lexicon.verb(self.random, |_| true);
        let clause = match main.subject {
            Some(subject) if self.random.chance(0.4) => {
                let at = self.verb(verb, subject.number);
                let object = verb.transitive.then(|| self.object(verb));
                if let Some(object) = object {
                    self.draft.attach(object.head, at, "obj");
                }
                self.draft.drop_subject(at, Some(subject.head));
                at
            }
            _ => {
                let subject = self.subject();
                self.predicate(start, Some(subject), verb).verb
            }
        };
        self.draft.attach(clause, main.verb, "conj");
        self.draft.attach(conjunction, clause, "cc");
        if let Some(comma) = comma {
            self.draft.attach(comma, clause, "punct");
        }
    }

    // ---- phrases -----------------------------------------------------------------------------

    fn subject(&mut self) -> Phrase {
        match self.random.weighted(&[0.2, 0.15, 0.65]) {
            0 => self.pronoun(Case::Nom),
            1 => {
                let name = capitalised(self.lexicon.name(self.random));
                let head = self.word(&name, &name, "PROPN", "Number=Sing");
                Phrase { head, number: Number::Sing, adjective: None, is_pronoun: false }
            }
            _ => {
                let phrase = self.noun_phrase(Case::Nom, None, false);
                if self.room(8) && self.random.chance(0.15) {
                    self.relative_clause(&phrase);
                } else if self.room(6) && self.random.chance(0.1) {
                    return self.coordinated_noun(phrase, Case::Nom);
                }
                phrase
            }
        }
    }

    fn object(&mut self, verb: &Verb) -> Phrase {
        if self.random.chance(0.15) {
            return self.pronoun(Case::Acc);
        }
        let faithful = self.random.chance(FAITHFULNESS);
        self.noun_phrase(Case::Acc, faithful.then_some(verb.object_kind), false)
    }

    fn pronoun(&mut self, case: Case) -> Phrase {
        let (stem, person, number) = match self.random.below(5) {
            0 => ("mi", 1, Number::Sing),
            1 => ("ti", 2, Number::Sing),
            2 => ("li", 3, Number::Sing),
            3 => ("ni", 1, Number::Plur),
            _ => ("ili", 3, Number::Plur),
        };
        let form = if case == Case::Acc { format!("{stem}n") } else { stem.to_owned() };
        let feats = format!("Case={case:?}|Number={number:?}|Person={person}|PronType=Prs");
        let head = self.word(&form, stem, "PRON", &feats);
        Phrase { head, number, adjective: None, is_pronoun: true }
    }

    /// Article, adjective and noun; `kind` says what noun, and `described` asks for the adjective.
    fn noun_phrase(&mut self, case: Case, kind: Option<usize>, described: bool) -> Phrase {
        let kind = kind.unwrap_or_else(|| self.random.below(KINDS));
        let number = self.number();
        let article = self.random.chance(0.7).then(|| self.article(number));
        let adjective = (described || self.random.chance(0.3)).then(|| {
            let stem = self.lexicon.adjective(self.random);
            let form = adjective_form(stem, number, case);
            let feats = format!("Case={case:?}|Number={number:?}");
            self.word(&form, &adjective_form(stem, Number::Sing, Case::Nom), "ADJ", &feats)
        });
        let stem = self.lexicon.noun(kind, self.random);
        let lemma = noun_form(stem, Number::Sing, Case::Nom);
        let feats = format!("Case={case:?}|Number={number:?}");
        let head = self.word(&noun_form(stem, number, case), &lemma, "NOUN", &feats);
        if let Some(article) = article {
            self.draft.attach(article, head, "det");
        }
        if let Some(adjective) = adjective {
            self.draft.attach(adjective, head, "amod");
        }
        Phrase { head, number, adjective, is_pronoun: false }
    }

    fn coordinated_noun(&mut self, first: Phrase, case: Case) -> Phrase {
        let conjunction = self.conjunction();
        let conjunction = self.draft.push(conjunction);
        let second = self.noun_phrase(case, None, false).head;
        self.draft.attach(conjunction, second, "cc");
        self.draft.attach(second, first.head, "conj");
        Phrase { number: Number::Plur, ..first }
    }

    /// `kwi` verb object.
    fn relative_clause(&mut self, phrase: &Phrase) {
        let feats = "PronType=Rel";
        let pronoun = self.word("kwi", "kwi", "PRON", feats);
        let verb = self.lexicon.verb(self.random, |_| true);
        let at = self.verb(verb, phrase.number);
        self.draft.attach(pronoun, at, "nsubj");
        if verb.transitive {
            let object = self.noun_phrase(Case::Acc, Some(verb.object_kind), false);
            self.draft.attach(object.head, at, "obj");
        }
        self.draft.attach(at, phrase.head, "acl:relcl");
    }

    /// A prepositional phrase after the object: the kind of its noun decides where it belongs.
    fn attached_phrase(&mut self, verb: &Verb, clause: &Clause) {
        let is_argument = self.random.chance(0.3);
        let noun = clause.object.filter(|object| !object.is_pronoun).map(|object| object.head);
        let of_noun = noun.filter(|_| !is_argument && self.random.chance(0.5));
        let faithful = self.random.chance(FAITHFULNESS);
        let upper = of_noun.is_some() == faithful;
        let kind = self.random.below(KINDS / 2) + if upper { KINDS / 2 } else { 0 };
        let other = PREPOSITIONS[self.random.below(PREPOSITIONS.len())];
        let preposition = if is_argument { verb.preposition } else { other };
        let phrase = self.prepositional_phrase(preposition, kind);
        match of_noun {
            Some(noun) => self.draft.attach(phrase, noun, "nmod"),
            None if preposition == verb.preposition => {
                self.draft.attach(phrase, clause.verb, "obl:arg");
            }
            None => self.draft.attach(phrase, clause.verb, "obl"),
        }
    }

    /// Preposition and noun phrase; with an article after the preposition the two may contract.
    fn prepositional_phrase(&mut self, preposition: &'static str, kind: usize) -> usize {
        let case = self.word(preposition, preposition, "ADP", "_");
        let noun = self.noun_phrase(Case::Dat, Some(kind), false).head;
        self.draft.attach(case, noun, "case");
        if self.random.chance(self.config.contraction) {
            self.draft.contract(case);
        }
        noun
    }

    // ---- words -------------------------------------------------------------------------------

    fn word(&mut self, form: &str, lemma: &str, upos: &'static str, feats: &str) -> usize {
        self.draft.push(Word::new(form, lemma, upos, feats))
    }

    fn number(&mut self) -> Number {
        if self.random.chance(0.65) { Number::Sing } else { Number::Plur }
    }

    fn verb(&mut self, verb: &Verb, number: Number) -> usize {
        let past = self.random.chance(0.4);
        let tense = if past { "Past" } else { "Pres" };
        let feats = format!("Number={number:?}|Tense={tense}|VerbForm=Fin");
        let form = verb_form(&verb.stem, number, past);
        self.word(&form, &format!("{}ar", verb.stem), "VERB", &feats)
    }

    fn article(&mut self, number: Number) -> usize {
        let definite = self.random.chance(0.6);
        let (form, kind) = match (definite, number) {
            (true, Number::Sing) => ("ta", "Def"),
            (true, Number::Plur) => ("tas", "Def"),
            (false, Number::Sing) => ("un", "Ind"),
            (false, Number::Plur) => ("uns", "Ind"),
        };
        let lemma = if definite { "ta" } else { "un" };
        let feats = format!("Definite={kind}|Number={number:?}|PronType=Art");
        self.word(form, lemma, "DET", &feats)
    }

    fn adverb(&mut self, verb: usize) {
        let form = format!("{}u", self.lexicon.adverb(self.random));
        let adverb = self.word(&form, &form, "ADV", "_");
        self.draft.attach(adverb, verb, "advmod");
    }

    fn conjunction(&mut self) -> Word {
        let form = if self.random.chance(0.8) { "e" } else { "o" };
        Word::new(form, form, "CCONJ", "_")
    }

    fn punctuation(&mut self, form: &str) -> usize {
        let mut word = Word::new(form, form, "PUNCT", "_");
        word.glued = true;
        self.draft.push(word)
    }
}
