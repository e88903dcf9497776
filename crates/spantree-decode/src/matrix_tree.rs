//! Sums over all trees, crossing arcs allowed: partition function and arc marginals.
//!
//! By the matrix-tree theorem the summed weight of all trees is a determinant (Tutte, 1948; for parsing
//! McDonald and Satta, 2007; Koo et al., 2007; Smith and Smith, 2007). A general solver loses all digits
//! when good cycles hang on bad arcs: the determinant is then a tiny difference of large products. Here
//! nothing is ever subtracted. Words are *eliminated* one by one, as in the algorithm of Grassmann, Taksar
//! and Heyman (1985): with `w(h, c) = exp score(h, c)` and `D(e)` the sum of `w(h, e)` over the heads left,
//!
//! ```text
//! w(h, c) ← w(h, c) + w(h, e) · w(e, c) / D(e)          Z = product of all D(e)
//! ```
//!
//! which replaces the arcs through `e` by arcs around it. Marginals come the same way. Walk from a word to
//! a random head, `h` with probability `w(h, c) / D(c)`, and on: then arc `h → c` has a probability
//! proportional to `w(h, c)` times the chance to get from `h` to the root without meeting `c`. These
//! chances remain when all words but `c` are eliminated, which for all `c` together takes a recursion that
//! keeps one half of the words and then the other.
//!
//! **One root child:** the first-order term of the above when root arcs weigh an infinitesimal.
//!
//! Time O(n³) — about n³/3 multiplications for the partition function, 1.5 n³ for marginals — and memory
//! O(n²). Plain `f64` with each child's scores scaled; tables that might underflow (the bound is tracked)
//! are done again in logarithms, about twenty times slower and just as exact: scores of ±1000 in any
//! combination are safe. Best trees: see [`spanning_tree`](crate::spanning_tree).
//!
//! ```
//! use spantree_decode::{ArcScores, MatrixTree, RootMode, TreeDistribution};
//! let scores = ArcScores::from_fn(4, |_, _| 0.0);
//! let log_z = MatrixTree::new(RootMode::Many).log_partition(&scores, &mut Default::default());
//! assert!((log_z.unwrap() - 125f64.ln()).abs() < 1e-12);
//! ```

mod elimination;
mod weight;

use crate::decoder::TreeDistribution;
use crate::heads::RootMode;
use crate::scores::ArcScores;
use crate::table::ArcTable;
use elimination::Elimination;
use weight::LogWeight;

/// Sums over all trees: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixTree {
    mode: RootMode,
}

/// Memory of [`MatrixTree`].
#[derive(Clone, Debug, Default)]
pub struct MatrixTreeScratch {
    plain: Elimination<f64>,
    /// For tables on which plain numbers might underflow.
    logarithmic: Elimination<LogWeight>,
}

impl MatrixTree {
    /// Sums over trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode }
    }
}

impl TreeDistribution for MatrixTree {
    type Scratch = MatrixTreeScratch;

    fn log_partition(&self, scores: &ArcScores, scratch: &mut MatrixTreeScratch) -> Option<f64> {
        let MatrixTreeScratch { plain, logarithmic } = scratch;
        plain
            .log_partition(scores, self.mode)
            .or_else(|| logarithmic.log_partition(scores, self.mode))
    }

    fn marginals(
        &self,
        scores: &ArcScores,
        scratch: &mut MatrixTreeScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        let MatrixTreeScratch { plain, logarithmic } = scratch;
        let log_partition = plain
            .marginals(scores, self.mode, marginals)
            .or_else(|| logarithmic.marginals(scores, self.mode, marginals));
        if log_partition.is_none() {
            marginals.reset(scores.words(), 0.0);
        }
        log_partition
    }
}

#[cfg(test)]
mod tests;
