//! Numbers in, structures out: the best structure under a table of scores.
//!
//! A parser scores every possible arc of a sentence; this crate finds the best tree, the k best trees, the
//! partition function and the probability of every arc, and does the same for sequences of tags. It knows
//! no strings, no files and no features.
//!
//! | decoder | search space | time | memory | k best | marginals | source |
//! |---|---|---|---|---|---|---|
//! | [`ChuLiuEdmonds`] | all trees | n² | n² | 2n² a tree | | Edmonds 1967, Tarjan 1977, Camerini et al. 1980 |
//! | [`Eisner`] | projective trees | n³ | n² | lazy | yes, and max-marginals | Eisner 1996, Huang and Chiang 2005 |
//! | [`HigherOrderEisner`] | projective trees, siblings and grandparents | n³, n⁴ | n², n³ | lazy | yes | McDonald and Pereira 2006, Koo and Collins 2010 |
//! | [`OneEndpointCrossing`] | trees with each arc crossed from one word | n⁴ at worst | n³ | n calls a tree | | Pitler, Kannan and Marcus 2013 |
//! | [`CrossingSensitive`] | the same, siblings and grandparents where no arc crosses | kn³ and more with the arcs that may cross | n³ | projective ones | | Pitler 2014 |
//! | [`MatrixTree`] | all trees | n³ | n² | | yes | McDonald and Satta 2007, Grassmann et al. 1985 |
//! | [`MinRisk`] | either | n³ | n² | | | McDonald and Satta 2007 |
//! | [`Rewiring`] | all trees, siblings and grandparents, approximately | kn² a round | | nearby | | McDonald and Pereira 2006 |
//! | [`CubePruning`] | projective trees with labels, steps of any order, approximately | n³ b log b | n² b | | | Zhang and McDonald 2012, 2014 |
//! | [`Viterbi`] | tag sequences | n·m² | n·m | lazy | yes, and max-marginals | Viterbi 1967 |
//! | [`LatticeScores`] | tag sequences among k candidates per position | n·k² | n·k² | | yes | Viterbi 1967 |
//!
//! # Common ground
//!
//! * [`ArcScores`] is the one input of tree decoders: `score(head, child)`, root 0, words `1..=n`, −∞
//!   forbids. Constraints, pruning and costs are edits of it ([`scores`]); labels are folded into it
//!   ([`LabelledArcScores`]); votes of parsers and oracles fill it ([`combine`]).
//! * [`RootMode`] says whether the root has exactly one child. Both modes are exact in every decoder.
//! * Decoders are immutable and cheap to make; a scratch made by `Default` belongs to the caller. Nothing
//!   is allocated once the longest sentence has been seen, save for k best 1-endpoint-crossing trees and in cube
//!   pruning.
//! * Results are exact and deterministic. Each decoder documents its ties. `None` means that the table
//!   allows nothing; [`ArcScores::infeasible`] says why.
//! * Scores are `f32`; sums are `f64`.
//!
//! [`transition`] holds the systems and oracles of parsers that build trees step by step instead.
//!
//! [`TreeDecoder`] and [`TreeDistribution`] are the traits behind the first four rows; [`eisner::chart`] runs
//! the projective recurrences in any [`semiring`].
//!
//! # Example
//!
//! ```
//! use spantree_decode::{
//!     ArcScores, ArcTable, ChuLiuEdmonds, Heads, MatrixTree, RootMode, TreeDecoder, TreeDistribution,
//! };
//!
//! // "She reads books": the verb heads the others.
//! let mut scores = ArcScores::from_fn(3, |head, _child| if head == 2 { 2.0 } else { 0.0 });
//! let (mut scratch, mut tree) = (Default::default(), Heads::default());
//! let best = ChuLiuEdmonds::new(RootMode::One).decode(&scores, &mut scratch, &mut tree);
//! assert_eq!((best, tree.as_slice()), (Some(4.0), &[2, 0, 2][..]));
//!
//! // How sure is that?
//! let (mut scratch, mut marginals) = (Default::default(), ArcTable::default());
//! MatrixTree::new(RootMode::One).marginals(&scores, &mut scratch, &mut marginals);
//! assert!(marginals.get(2, 3) > 0.7);
//!
//! // An annotator disagrees: keep "books" as head of "reads".
//! scores.require(3, 2);
//! ChuLiuEdmonds::new(RootMode::One).decode(&scores, &mut Default::default(), &mut tree);
//! assert_eq!(tree.head(2), 3);
//! ```

mod decoder;
mod heads;
mod lazy;
mod ranked;
mod table;

#[cfg(any(test, feature = "brute-force"))]
pub mod brute_force;
pub mod chain;
pub mod combine;
pub mod crossing_sensitive;
pub mod cube;
pub mod eisner;
pub mod higher_order;
pub mod lattice;
pub mod matrix_tree;
pub mod min_risk;
pub mod one_endpoint_crossing;
pub mod parts;
pub mod rewiring;
pub mod scores;
pub mod semiring;
pub mod spanning_tree;
pub mod transition;

pub use chain::{ChainMarginals, ChainScores, TagId, Viterbi, ViterbiScratch};
pub use crossing_sensitive::{CrossingSensitive, CrossingSensitiveScratch, VisibleParts};
pub use cube::{CubeModel, CubePruning, CubeScratch};
pub use decoder::{TreeDecoder, TreeDistribution};
pub use eisner::{Eisner, EisnerScratch};
pub use heads::{Heads, RootMode};
pub use higher_order::{HigherOrderEisner, HigherOrderScratch};
pub use lattice::{LatticeMarginals, LatticeScores, LatticeScratch};
pub use matrix_tree::{MatrixTree, MatrixTreeScratch};
pub use min_risk::{MinRisk, MinRiskScratch};
pub use one_endpoint_crossing::{OneEndpointCrossing, OneEndpointCrossingScratch};
pub use parts::{PartScores, PartWords, Side};
pub use ranked::Ranked;
pub use rewiring::{Rewiring, RewiringScratch};
pub use scores::{ArcScores, Infeasible, LabelId, LabelledArcScores};
pub use semiring::{Count, LogSum, Max, Outside, Semiring};
pub use spanning_tree::{ChuLiuEdmonds, ChuLiuEdmondsScratch};
pub use table::ArcTable;

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
