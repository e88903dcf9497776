//! Numbers in, structures out: the best structure under a table of scores.

mod decoder;
mod heads;
mod lazy;
mod ranked;
mod table;

#[cfg(any(test, feature = "brute-force"))]
pub mod brute_force;
pub mod chain;
pub mod combine;
pub mod eisner;
pub mod matrix_tree;
pub mod min_risk;
pub mod scores;
pub mod semiring;
pub mod spanning_tree;

pub use chain::{ChainMarginals, ChainScores, TagId, Viterbi, ViterbiScratch};
pub use decoder::{TreeDecoder, TreeDistribution};
pub use eisner::{Eisner, EisnerScratch};
pub use heads::{Heads, RootMode};
pub use matrix_tree::{MatrixTree, MatrixTreeScratch};
pub use min_risk::{MinRisk, MinRiskScratch};
pub use ranked::Ranked;
pub use scores::{ArcScores, Infeasible, LabelId, LabelledArcScores};
pub use semiring::{Count, LogSum, Max};
pub use spanning_tree::{ChuLiuEdmonds, ChuLiuEdmondsScratch};
pub use table::ArcTable;
