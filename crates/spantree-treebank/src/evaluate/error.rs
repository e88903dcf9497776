//! Why two treebanks cannot be compared.

use std::fmt;

use thiserror::Error;

use crate::tree::TreeError;

/// A sentence or token of a file: `file:line (sentence id)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the document.
    pub name: String,
    /// Line, from 1.
    pub line: u64,
    /// The `# sent_id`, when there is one.
    pub sent_id: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.line)?;
        match &self.sent_id {
            Some(id) => write!(f, " (sentence {id})"),
            None => Ok(()),
        }
    }
}

/// A token and its neighbours, as people find it again: `"the cat [sat] on the"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Where the token stands.
    pub place: Place,
    /// The token in brackets, with some tokens before and after it.
    pub text: String,
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: \"{}\"", self.place, self.text)
    }
}

/// Why two treebanks cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The heads of a sentence are not a tree, or not one with a single root.
    #[error("{place}: {error}")]
    Tree {
        /// The sentence.
        place: Place,
        /// What is wrong with its heads.
        error: TreeError,
    },
    /// A sentence without words.
    #[error("{place}: a sentence without words; remove its comments or give it words")]
    EmptySentence {
        /// The sentence.
        place: Place,
    },
    /// A form that is white space only.
    #[error("{place}: token {id} has a FORM without any visible character")]
    EmptyForm {
        /// The line.
        place: Place,
        /// The token.
        id: String,
    },
    /// DEPS that do not say `head:label`, or name a head that does not exist.
    #[error("{place}: DEPS {value:?} of word {word} {problem}")]
    Deps {
        /// The line.
        place: Place,
        /// The word.
        word: u32,
        /// The offending part of DEPS.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The characters of the two treebanks differ.
    #[error(
        "the texts differ, first at {gold} against {system}; both must come from the same text"
    )]
    Text {
        /// The first differing place in gold.
        gold: Box<Excerpt>,
        /// The first differing place in the system's output.
        system: Box<Excerpt>,
    },
    /// One treebank is the beginning of the other.
    #[error("{shorter} ends where {longer} goes on; both must come from the same text")]
    TextEnds {
        /// Name of the treebank that ends early.
        shorter: String,
        /// The first token that it lacks.
        longer: Box<Excerpt>,
    },
    /// The treebanks have different numbers of sentences.
    #[error(
        "{gold} has {gold_count} sentences and {system} has {system_count}; compare by text, or give gold sentences to the system"
    )]
    SentenceCount {
        /// Name of the gold treebank.
        gold: String,
        /// Its number of sentences.
        gold_count: usize,
        /// Name of the system's treebank.
        system: String,
        /// Its number of sentences.
        system_count: usize,
    },
    /// Two sentences at the same place have different numbers of words.
    #[error(
        "{gold} has {gold_count} words and {system} has {system_count}; compare by text, or give gold words to the system"
    )]
    WordCount {
        /// The gold sentence.
        gold: Box<Place>,
        /// Its number of words.
        gold_count: usize,
        /// The system's sentence.
        system: Box<Place>,
        /// Its number of words.
        system_count: usize,
    },
    /// Two words at the same place have different forms.
    #[error(
        "{gold} has the word {gold_form:?} and {system} has {system_form:?}; are these the same sentences?"
    )]
    Form {
        /// The gold word.
        gold: Box<Place>,
        /// Its form.
        gold_form: String,
        /// The system's word.
        system: Box<Place>,
        /// Its form.
        system_form: String,
    },
    /// Multiword tokens that overlap so much that aligning their words would take too long.
    #[error(
        "{place}: multiword tokens chain up to a region of {gold} gold and {system} system words, too many to align; are the ranges right?"
    )]
    MultiwordRegion {
        /// The first word of the region in gold.
        place: Place,
        /// Gold words in the region.
        gold: usize,
        /// System words in the region.
        system: usize,
    },
    /// More ways through the empty nodes of a sentence than a linguist would draw.
    #[error("{place}: more than {limit} paths through empty nodes")]
    EmptyNodePaths {
        /// The sentence.
        place: Place,
        /// The largest number allowed.
        limit: usize,
    },
}
