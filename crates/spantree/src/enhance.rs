//! Enhanced graphs: further heads of words, given the tree.
//!
//! Enhanced Universal Dependencies let a word have several heads: conjuncts share what they depend on and what depends on
//! them, a subject is also that of a controlled verb, an antecedent takes the place of its relative pronoun. Relations may
//! name a case marker or a conjunction, as `nmod:of`.
//!
//! The graph starts as the tree. Pairs of words that are near in the tree are candidates for further arcs: a linear classifier
//! over the path between them gives each a relation or none. As in the search of McDonald & Pereira (2006, §4), arcs are added
//! one after the other, the surest first, as long as the graph stays acyclic (unless cycles are wanted: the graphs of relative
//! clauses have them). Last, tree arcs go that the classifier does not want, if the root is still above their words.
//!
//! [`Enhancer`] is the loaded model, [`Worker`] writes DEPS with it, [`train`] makes it. Trees stay as they are; empty nodes are
//! neither made nor used. O(c log c) for c candidates, a few per word, and a walk up the graph for each arc that is added.

mod enhancer;
mod graph;
mod label;
mod train;
mod view;

pub use enhancer::{Enhancer, Header, Worker};
pub use train::{EnhanceError, EnhancerConfig, evaluate, train};
