//! The best tree of all trees, crossing arcs allowed (Chu and Liu, 1965; Edmonds, 1967).
//!
//! Every word takes its best head; a cycle is contracted to one node, whose arcs are worth what they
//! gain over the cycle arc they replace, and the node takes its best head in turn. Only the heads *into*
//! nodes are ever merged, row by row, so that the O(n²) bound of Tarjan (1977) for dense graphs comes
//! with contiguous loops; the bookkeeping is in the module `contraction`, the next trees in `k_best`.
//!
//! **One root child** costs no loop over roots and no large constants. Rank trees by number of root
//! children first and score second. Then an arc from the root is taken only by a node that has no other
//! arc left, and such a node is never part of a cycle, so scores of contracted nodes never mix the two
//! ranks: it is enough to look at arcs from words first, and at the root when there are none. If the tree
//! so found has several root children, there is no tree with one.
//!
//! Time O(n²), memory O(n²). Ties: every word and every contracted node takes the lowest of its equally
//! good heads, and enters a contracted node at the lowest child; among equally good *trees* the result is
//! deterministic but not otherwise specified. Partition functions: see [`matrix_tree`](crate::matrix_tree).
//!
//! ```
//! use spantree_decode::{ArcScores, ChuLiuEdmonds, Heads, RootMode, TreeDecoder};
//! // Rows: heads root, John, saw, Mary; columns: children John, saw, Mary (McDonald et al., 2005).
//! let table = [[9.0, 10.0, 9.0], [0.0, 20.0, 3.0], [30.0, 0.0, 30.0], [11.0, 0.0, 0.0]];
//! let scores = ArcScores::from_fn(3, |head, child| table[head][child - 1]);
//! let (mut scratch, mut tree) = Default::default();
//! let score = ChuLiuEdmonds::new(RootMode::One).decode(&scores, &mut scratch, &mut tree);
//! assert_eq!(score, Some(70.0));
//! assert_eq!(tree, Heads::from(vec![2, 0, 2]));
//! ```

mod contraction;
mod k_best;

use crate::decoder::TreeDecoder;
use crate::heads::{Heads, RootMode};
use crate::ranked::Ranked;
use crate::scores::ArcScores;
use contraction::Contraction;
use k_best::Search;

/// Best and k best trees over all trees: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct ChuLiuEdmonds {
    mode: RootMode,
}

/// Memory of [`ChuLiuEdmonds`].
#[derive(Clone, Debug, Default)]
pub struct ChuLiuEdmondsScratch {
    contraction: Contraction,
    search: Search,
}

impl ChuLiuEdmonds {
    /// A decoder for trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// The best tree, its contraction left in the scratch.
    fn solve(
        &self,
        scores: &ArcScores,
        contraction: &mut Contraction,
        tree: &mut Heads,
    ) -> Option<f64> {
        if !contraction.contract(scores, self.mode) {
            return None;
        }
        contraction.expand(tree);
        tree.is_rooted(self.mode).then(|| scores.tree_score(tree))
    }
}

impl TreeDecoder for ChuLiuEdmonds {
    type Scratch = ChuLiuEdmondsScratch;

    fn decode(
        &self,
        scores: &ArcScores,
        scratch: &mut ChuLiuEdmondsScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        let score = self.solve(scores, &mut scratch.contraction, tree);
        if score.is_none() {
            tree.reset(0);
        }
        score
    }

    fn k_best(
        &self,
        scores: &ArcScores,
        k: usize,
        scratch: &mut ChuLiuEdmondsScratch,
        trees: &mut Ranked<Heads>,
    ) {
        scratch.search.run(self, scores, k, &mut scratch.contraction, trees);
    }
}
