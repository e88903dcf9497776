//! The two search spaces behind one name: projective trees (Eisner) and all trees (Chu–Liu–Edmonds).

use std::fmt;
use std::str::FromStr;

use spantree_decode::{
    ArcScores, ArcTable, ChuLiuEdmonds, ChuLiuEdmondsScratch, Eisner, EisnerScratch, Heads,
    MatrixTree, MatrixTreeScratch, Ranked, RootMode, TreeDecoder, TreeDistribution,
};

/// Which trees a parser considers. All trees have one root word, as UD demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// Projective trees, by Eisner's algorithm, O(n³).
    Eisner,
    /// All trees, by the algorithm of Chu, Liu and Edmonds, O(n²).
    Mst,
}

/// Memory of both decoders and of their sums.
#[derive(Clone, Debug, Default)]
pub struct DecoderScratch {
    eisner: EisnerScratch,
    spanning_tree: ChuLiuEdmondsScratch,
    matrix_tree: MatrixTreeScratch,
}

const ROOT: RootMode = RootMode::One;

impl Decoder {
    /// Writes the best tree; `None` when the scores allow none.
    pub fn decode(
        self,
        scores: &ArcScores,
        scratch: &mut DecoderScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        match self {
            Decoder::Eisner => Eisner::new(ROOT).decode(scores, &mut scratch.eisner, tree),
            Decoder::Mst => {
                ChuLiuEdmonds::new(ROOT).decode(scores, &mut scratch.spanning_tree, tree)
            }
        }
    }

    /// Writes the `k` best trees, best first.
    pub fn k_best(
        self,
        scores: &ArcScores,
        k: usize,
        scratch: &mut DecoderScratch,
        trees: &mut Ranked<Heads>,
    ) {
        match self {
            Decoder::Eisner => Eisner::new(ROOT).k_best(scores, k, &mut scratch.eisner, trees),
            Decoder::Mst => {
                ChuLiuEdmonds::new(ROOT).k_best(scores, k, &mut scratch.spanning_tree, trees);
            }
        }
    }

    /// Writes the probability of every arc and returns the log partition function; `None` when no tree is allowed.
    pub fn marginals(
        self,
        scores: &ArcScores,
        scratch: &mut DecoderScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        match self {
            Decoder::Eisner => Eisner::new(ROOT).marginals(scores, &mut scratch.eisner, marginals),
            Decoder::Mst => {
                MatrixTree::new(ROOT).marginals(scores, &mut scratch.matrix_tree, marginals)
            }
        }
    }
}

impl fmt::Display for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decoder::Eisner => "eisner",
            Decoder::Mst => "mst",
        })
    }
}

impl FromStr for Decoder {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "eisner" => Ok(Decoder::Eisner),
            "mst" => Ok(Decoder::Mst),
            _ => Err("choose eisner or mst"),
        }
    }
}
