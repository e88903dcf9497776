//! Transition-based parsing: a tree built action by action, each chosen by features of the state.
//!
//! ```text
//! Sentence → Atoms → state → scores of actions → the best one → its label → the next state → … → tree
//! ```
//! [`Parser`] is the loaded model, [`Worker`] parses with it: greedily, or with the best few states side by side (`beam`). The
//! systems and their oracles are in [`spantree_decode::transition`], training is in [`crate::train`].

mod confidence;
mod engine;
mod header;
mod incremental;
mod parser;
mod repairs;
mod search;
mod shortcut;
mod system;
mod worker;

pub(crate) use engine::{Engine, Scratch, Weights, best_of, label_score, weight_position};
pub use header::{HASHING, Header, Ranking, StateTemplateTexts};
pub use parser::Parser;
pub(crate) use parser::{MAX_BEAM, section};
pub(crate) use repairs::heads_with_edits;
pub(crate) use search::{Search, Task};
pub use shortcut::Shortcuts;
pub use system::TransitionSystem;
pub use worker::Worker;
