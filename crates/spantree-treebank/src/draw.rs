//! Pictures of trees: for a terminal, as SVG, and as a web page of many sentences.
//!
//! A [`Diagram`] says what is drawn: the words and empty nodes of a sentence in order, the arcs between them, and what is to
//! be noted of each arc (that it crosses others, how sure the parser is, whether gold agrees). It takes any sentence: words
//! without a head, cycles and heads out of range are drawn as far as they go. Three functions draw it:
//!
//! | form | function | for |
//! |---|---|---|
//! | text | [`Diagram::to_text`] | a terminal: one word a line, the tree at its left |
//! | SVG | [`Diagram::to_svg`], [`stack`] | papers and notebooks: arcs over the words, long sentences wrapped |
//! | HTML | [`Page`] | browsing treebanks and errors: many sentences, no script, nothing from outside |
//!
//! Text from the sentence is escaped or made visible, so that a form can neither become markup nor control a terminal.
//!
//! ```
//! use spantree_treebank::Sentence;
//! use spantree_treebank::draw::{Diagram, TextStyle};
//! let sent = Sentence::from_words(&[("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root")]);
//! let text = Diagram::new(&sent).to_text(TextStyle::default());
//! assert_eq!(text, " ╭─╼ Dogs  NOUN  nsubj\n─┶ bark    VERB  root\n");
//! ```

mod diagram;
mod extent;
mod forest;
mod layout;
mod page;
mod svg;
mod terminal;
#[cfg(test)]
mod tests;

pub use diagram::{Diagram, GoldArc};
pub use page::Page;
pub use svg::{Picture, SvgStyle, stack};
pub use terminal::TextStyle;
