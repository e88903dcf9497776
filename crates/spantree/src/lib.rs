//! The toolkit: joins treebanks, decoders and learners into parsers.
//!
//! | module | question |
//! |---|---|
//! | [`combine`] | what do several parsers say together? |
//! | `encoder` | which vectors does a pretrained model give words? (feature `encoder`) |
//! | [`enhance`] | which further heads has a word? |
//! | [`feature`] | what does a parser see? templates, atoms, hashes |
//! | [`graph`] | which tree, which labels, how sure? |
//! | [`lemma`] | which base form? |
//! | [`model`] | what is in a model file? |
//! | [`neural`] | the same, with the scores of a network |
//! | [`parser`] | what do all kinds of parsers have in common? |
//! | [`segment`] | where are the sentences, tokens and words of a text? |
//! | [`rows`] | how are the weights of taggers, lemmatisers and enhancers stored? |
//! | [`tag`] | which UPOS, XPOS and FEATS, how sure? |
//! | [`train`] | how does a treebank become a model? |
//! | [`transition`] | which tree, built action by action? |
//!
//! Training and parsing in ten lines:
//!
//! ```
//! use spantree::{parser::ParseOptions, train::Trainer, treebank::{Generator, GeneratorConfig, Sentence}};
//!
//! let treebank: Vec<Sentence> = Generator::new(GeneratorConfig::default()).take(120).collect();
//! let (train, dev) = treebank.split_at(100);
//! let parser = Trainer::default().train(train, dev, &mut |_| ())?;
//! parser.save(&std::env::temp_dir().join("doc.spantree"))?;
//! let mut sent = dev[0].clone();
//! let analysis = parser.worker().parse(&mut sent, &ParseOptions { confidence: true, ..Default::default() })?.clone();
//! println!("{} heads word 1, probability {:.2}", sent.word(1).head().unwrap(), analysis.confidences[0].head);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The three crates below know nothing of each other; they are re-exported here so that one dependency is enough.

pub mod combine;
#[cfg(feature = "encoder")]
pub mod encoder;
pub mod enhance;
pub mod feature;
pub mod graph;
pub mod lemma;
pub mod model;
pub mod neural;
pub mod parser;
pub mod pipeline;
pub mod rows;
pub mod segment;
pub mod tag;
pub mod train;
pub mod transition;

pub use pipeline::Pipeline;
pub use spantree_decode as decode;
pub use spantree_learn as learn;
pub use spantree_neural as network;
pub use spantree_treebank as treebank;
