//! Lemmatising: the base form of a word, from its form and its tags.
//!
//! A lemma is made from a form by an edit script ([`Script`]): one of a few hundred that a treebank needs. For a form that was
//! seen with its UPOS the script is looked up, for others a linear classifier over the ends of the form and its tags chooses
//! among the scripts that were seen with more than one form. If none fits, the lemma is the form.
//!
//! [`Lemmatiser`] is the loaded model, [`Worker`] uses it, [`LemmatiserTrainer`] makes it.

mod feature;
mod lemmatiser;
mod script;
mod train;

pub use lemmatiser::{Header, LemmaOptions, Lemmatiser, Worker};
pub use script::Script;
pub use train::{LemmaError, LemmatiserConfig, LemmatiserTrainer, evaluate};
