//! The metrics of the official UD evaluation (CoNLL 2018 and IWPT 2020 shared tasks; `udeval` of the UD tools).
//!
//! Relations are compared without subtypes, features only as far as they are universal, and a gold lemma `_` accepts any
//! lemma. CLAS, MLAS and BLEX look at content words only, known by their relation; MLAS also wants the function words
//! attached to them to be right.

use std::fmt;
use std::str::FromStr;

use super::comparison::Comparison;
use super::score::Score;
use super::side::{Side, Word};

/// A metric of the official UD evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// Tokens that cover the same characters.
    Tokens,
    /// Sentences that cover the same characters.
    Sentences,
    /// Words that are aligned.
    Words,
    /// Aligned words with the right UPOS; so for the following metrics.
    Upos,
    /// XPOS.
    Xpos,
    /// The universal ones among FEATS.
    Ufeats,
    /// UPOS, XPOS and universal features.
    AllTags,
    /// LEMMA.
    Lemmas,
    /// HEAD.
    Uas,
    /// HEAD and DEPREL.
    Las,
    /// HEAD and DEPREL of content words.
    Clas,
    /// As CLAS, and UPOS, universal features and function words too.
    Mlas,
    /// As CLAS, and LEMMA too.
    Blex,
    /// Enhanced dependencies: head and relation with its subtypes.
    Elas,
    /// Enhanced dependencies: head and relation without its subtypes.
    Eulas,
}

impl Metric {
    /// All metrics, in the order of the official table.
    pub const ALL: [Metric; 15] = [
        Metric::Tokens,
        Metric::Sentences,
        Metric::Words,
        Metric::Upos,
        Metric::Xpos,
        Metric::Ufeats,
        Metric::AllTags,
        Metric::Lemmas,
        Metric::Uas,
        Metric::Las,
        Metric::Clas,
        Metric::Mlas,
        Metric::Blex,
        Metric::Elas,
        Metric::Eulas,
    ];

    /// The name in the official table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Tokens => "Tokens",
            Metric::Sentences => "Sentences",
            Metric::Words => "Words",
            Metric::Upos => "UPOS",
            Metric::Xpos => "XPOS",
            Metric::Ufeats => "UFeats",
            Metric::AllTags => "AllTags",
            Metric::Lemmas => "Lemmas",
            Metric::Uas => "UAS",
            Metric::Las => "LAS",
            Metric::Clas => "CLAS",
            Metric::Mlas => "MLAS",
            Metric::Blex => "BLEX",
            Metric::Elas => "ELAS",
            Metric::Eulas => "EULAS",
        }
    }

    /// Whether the metric is about enhanced dependencies.
    #[must_use]
    pub fn is_enhanced(self) -> bool {
        matches!(self, Metric::Elas | Metric::Eulas)
    }

    fn counts(self, word: &Word) -> bool {
        match self {
            Metric::Clas | Metric::Mlas | Metric::Blex => {
                CONTENT_RELATIONS.binary_search(&word.relation).is_ok()
            }
            _ => true,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Metric {
    type Err = String;

    /// Accepts any case.
    fn from_str(text: &str) -> Result<Self, String> {
        let known = Metric::ALL.into_iter().find(|metric| metric.name().eq_ignore_ascii_case(text));
        known.ok_or_else(|| {
            let names: Vec<_> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            format!("unknown metric {text:?}; choose from {}", names.join(", "))
        })
    }
}

const CONTENT_RELATIONS: [&str; 29] = [
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "ccomp",
    "compound",
    "conj",
    "csubj",
    "dep",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];

const FUNCTION_RELATIONS: [&str; 7] = ["aux", "case", "cc", "clf", "cop", "det", "mark"];

impl Comparison<'_> {
    /// The score of the whole document. ELAS and EULAS count what DEPS of words say, dependencies on empty nodes left out;
    /// see [`Document::collapse_empty_nodes`](super::Document::collapse_empty_nodes).
    #[must_use]
    pub fn score(&self, metric: Metric) -> Score {
        self.sentence_scores(metric).into_iter().sum()
    }

    /// The score of each gold sentence. What the system has counts to the gold sentence that holds its first character.
    #[must_use]
    pub fn sentence_scores(&self, metric: Metric) -> Vec<Score> {
        match metric {
            Metric::Tokens => self.token_scores(),
            Metric::Sentences => self.span_scores(),
            Metric::Elas | Metric::Eulas => self.enhanced_scores(metric),
            _ => self.word_scores(metric),
        }
    }

    fn token_scores(&self) -> Vec<Score> {
        let mut scores = vec![Score::default(); self.gold.sentences.len()];
        for token in &self.system.tokens {
            scores[self.gold.sentence_at(token.span.start) as usize].system += 1;
        }
        let mut rest = self.system.tokens.iter().peekable();
        for token in &self.gold.tokens {
            let score = &mut scores[token.sentence as usize];
            score.gold += 1;
            while rest.next_if(|other| other.span.start < token.span.start).is_some() {}
            score.correct += u64::from(rest.peek().is_some_and(|other| other.span == token.span));
        }
        scores
    }

    fn span_scores(&self) -> Vec<Score> {
        let mut scores = vec![Score { gold: 1, ..Score::default() }; self.gold.sentences.len()];
        for sentence in &self.system.sentences {
            let home = self.gold.sentence_at(sentence.span.start) as usize;
            scores[home].system += 1;
            scores[home].correct += u64::from(sentence.span == self.gold.sentences[home].span);
        }
        scores
    }

    fn word_scores(&self, metric: Metric) -> Vec<Score> {
        let aligned = (metric != Metric::Words).then_some(0);
        let mut scores = vec![Score { aligned, ..Score::default() }; self.gold.sentences.len()];
        for word in self.gold.words.iter().filter(|word| metric.counts(word)) {
            scores[word.sentence as usize].gold += 1;
        }
        for (word, &home) in self.system.words.iter().zip(&self.home) {
            scores[home as usize].system += u64::from(metric.counts(word));
        }
        let children = (metric == Metric::Mlas)
            .then(|| (function_words(&self.gold), function_words(&self.system)));
        for &(g, s) in &self.pairs {
            let word = &self.gold.words[g as usize];
            if metric.counts(word) {
                let mut correct = self.is_correct(metric, g, s);
                if let Some((gold, system)) = &children {
                    correct = correct && self.same_children(&gold[g as usize], &system[s as usize]);
                }
                let score = &mut scores[word.sentence as usize];
                score.correct += u64::from(correct);
                score.aligned = score.aligned.map(|count| count + 1);
            }
        }
        scores
    }

    /// Whether a system word agrees with its gold word; for MLAS, function words aside.
    fn is_correct(&self, metric: Metric, gold: u32, system: u32) -> bool {
        let (g, s) = (&self.gold.words[gold as usize], &self.system.words[system as usize]);
        let upos = || g.token.upos() == s.token.upos();
        let xpos = || g.token.xpos() == s.token.xpos();
        let feats = || g.features == s.features;
        let lemma = || g.token.lemma() == "_" || g.token.lemma() == s.token.lemma();
        let arc = || g.relation == s.relation && self.same_head(gold, system);
        match metric {
            Metric::Upos => upos(),
            Metric::Xpos => xpos(),
            Metric::Ufeats => feats(),
            Metric::AllTags => upos() && xpos() && feats(),
            Metric::Lemmas => lemma(),
            Metric::Uas => self.same_head(gold, system),
            Metric::Las | Metric::Clas => arc(),
            Metric::Mlas => arc() && upos() && feats(),
            Metric::Blex => arc() && lemma(),
            Metric::Words | Metric::Tokens | Metric::Sentences | Metric::Elas | Metric::Eulas => {
                true
            }
        }
    }

    /// Whether the function words of two words are aligned one by one and agree in relation, UPOS and features.
    fn same_children(&self, gold: &[u32], system: &[u32]) -> bool {
        let same = |(&g, &s): (&u32, &u32)| {
            let (left, right) = (&self.gold.words[g as usize], &self.system.words[s as usize]);
            self.gold_of[s as usize] == Some(g)
                && left.relation == right.relation
                && left.token.upos() == right.token.upos()
                && left.features == right.features
        };
        gold.len() == system.len() && gold.iter().zip(system).all(same)
    }
}

/// The function words attached to each word.
fn function_words(side: &Side) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); side.words.len()];
    for (index, word) in side.words.iter().enumerate() {
        if let Some(head) = word.head
            && FUNCTION_RELATIONS.contains(&word.relation)
        {
            children[head as usize].push(index as u32);
        }
    }
    children
}

#[cfg(test)]
mod tests;
