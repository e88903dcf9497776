//! The search spaces behind one name: projective trees (Eisner), all trees (Chu–Liu–Edmonds) and what lies between them, the
//! 1-endpoint-crossing trees, in first and higher order.

use std::fmt;
use std::str::FromStr;

use spantree_decode::{
    ArcScores, ArcTable, ChuLiuEdmonds, ChuLiuEdmondsScratch, CrossingSensitive,
    CrossingSensitiveScratch, Eisner, EisnerScratch, Heads, HigherOrderEisner, HigherOrderScratch,
    MatrixTree, MatrixTreeScratch, OneEndpointCrossing, OneEndpointCrossingScratch, PartScores,
    Ranked, Rewiring, RewiringScratch, RootMode, TreeDecoder, TreeDistribution,
};

/// Which trees a parser considers. All trees have one root word, as UD demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// Projective trees, by Eisner's algorithm, O(n³); exact for parts as well.
    Eisner,
    /// All trees, by the algorithm of Chu, Liu and Edmonds, O(n²); for parts by rewiring, which is approximate.
    Mst,
    /// Projective trees with labels by cube pruning, which is approximate; [`CubePruning`](spantree_decode::CubePruning) does the
    /// search, and this decoder is for what arcs alone say, as [`Decoder::Eisner`].
    Cube,
    /// Trees in which all arcs that cross an arc share an end: in O(n²) if the best of all trees is one, else in O(n⁴) over the best
    /// heads of each word; sentences beyond [`CROSSING_LIMIT`] as with [`Decoder::Mst`]. Probabilities are those of all trees.
    ///
    /// Parts count where no arc crosses ([`CrossingSensitive`]), and the search is exact, with projective trees only
    /// beyond [`CROSSING_LIMIT`]. Of the k best trees all but the first are projective. Probabilities are those of trees around the best one, as with [`Decoder::Mst`].
    OneEndpointCrossing,
}

/// Sentences longer than this have no chart with crossing arcs: it would need too much memory.
pub const CROSSING_LIMIT: usize = 100;

/// What a decoder searches.
#[derive(Clone, Copy, Debug)]
pub enum Scores<'a> {
    /// Scores of arcs.
    Arcs(&'a ArcScores),
    /// Scores of parts with several arcs.
    Parts(&'a PartScores),
}

impl Scores<'_> {
    /// Number of words.
    #[must_use]
    pub fn words(self) -> usize {
        match self {
            Scores::Arcs(scores) => scores.words(),
            Scores::Parts(parts) => parts.words(),
        }
    }
}

impl<'a> From<&'a ArcScores> for Scores<'a> {
    fn from(scores: &'a ArcScores) -> Self {
        Scores::Arcs(scores)
    }
}

impl<'a> From<&'a PartScores> for Scores<'a> {
    fn from(parts: &'a PartScores) -> Self {
        Scores::Parts(parts)
    }
}

/// Memory of all decoders and of their sums.
#[derive(Clone, Debug, Default)]
pub struct DecoderScratch {
    eisner: EisnerScratch,
    spanning_tree: ChuLiuEdmondsScratch,
    one_endpoint_crossing: OneEndpointCrossingScratch,
    matrix_tree: MatrixTreeScratch,
    higher_order: HigherOrderScratch,
    rewiring: RewiringScratch,
    crossing_sensitive: CrossingSensitiveScratch,
    /// Scores of arcs around a tree.
    near: ArcScores,
}

/// Heads per word in the chart of [`Decoder::OneEndpointCrossing`], where one is needed; with parts, those of crossed arcs.
pub(super) const CROSSING_HEADS: usize = 5;
const ROOT: RootMode = RootMode::One;
/// Random starts of rewiring.
const RESTARTS: u32 = 0;

impl Decoder {
    /// Whether all its trees are projective.
    #[must_use]
    pub fn is_projective(self) -> bool {
        matches!(self, Decoder::Eisner | Decoder::Cube)
    }

    /// Writes the best tree, or with parts and [`Decoder::Mst`] a good one; `None` when the scores allow none.
    pub fn decode<'a>(
        self,
        scores: impl Into<Scores<'a>>,
        scratch: &mut DecoderScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        match (self, scores.into()) {
            (Decoder::Eisner | Decoder::Cube, Scores::Arcs(scores)) => {
                Eisner::new(ROOT).decode(scores, &mut scratch.eisner, tree)
            }
            (Decoder::OneEndpointCrossing, Scores::Arcs(scores))
                if scores.words() <= CROSSING_LIMIT =>
            {
                let decoder = OneEndpointCrossing::new(ROOT).among_best(CROSSING_HEADS);
                decoder.decode(scores, &mut scratch.one_endpoint_crossing, tree)
            }
            (Decoder::Mst | Decoder::OneEndpointCrossing, Scores::Arcs(scores)) => {
                ChuLiuEdmonds::new(ROOT).decode(scores, &mut scratch.spanning_tree, tree)
            }
            (Decoder::OneEndpointCrossing, Scores::Parts(parts))
                if parts.words() <= CROSSING_LIMIT =>
            {
                let decoder = CrossingSensitive::new(ROOT);
                decoder.decode(parts, &mut scratch.crossing_sensitive, tree)
            }
            (
                Decoder::Eisner | Decoder::Cube | Decoder::OneEndpointCrossing,
                Scores::Parts(parts),
            ) => HigherOrderEisner::new(ROOT).decode(parts, &mut scratch.higher_order, tree),
            (Decoder::Mst, Scores::Parts(parts)) => {
                Rewiring::new(ROOT, RESTARTS).decode(parts, &mut scratch.rewiring, tree)
            }
        }
    }

    /// Writes the `k` best trees, or with parts and crossing arcs the best or a good one and other good ones, best first.
    pub fn k_best<'a>(
        self,
        scores: impl Into<Scores<'a>>,
        k: usize,
        scratch: &mut DecoderScratch,
        trees: &mut Ranked<Heads>,
    ) {
        match (self, scores.into()) {
            (Decoder::Eisner | Decoder::Cube, Scores::Arcs(scores)) => {
                Eisner::new(ROOT).k_best(scores, k, &mut scratch.eisner, trees);
            }
            (Decoder::OneEndpointCrossing, Scores::Arcs(scores))
                if scores.words() <= CROSSING_LIMIT =>
            {
                let decoder = OneEndpointCrossing::new(ROOT).among_best(CROSSING_HEADS);
                decoder.k_best(scores, k, &mut scratch.one_endpoint_crossing, trees);
            }
            (Decoder::Mst | Decoder::OneEndpointCrossing, Scores::Arcs(scores)) => {
                ChuLiuEdmonds::new(ROOT).k_best(scores, k, &mut scratch.spanning_tree, trees);
            }
            (Decoder::OneEndpointCrossing, Scores::Parts(parts))
                if parts.words() <= CROSSING_LIMIT =>
            {
                let decoder = CrossingSensitive::new(ROOT);
                decoder.k_best(parts, k, &mut scratch.crossing_sensitive, trees);
            }
            (
                Decoder::Eisner | Decoder::Cube | Decoder::OneEndpointCrossing,
                Scores::Parts(parts),
            ) => HigherOrderEisner::new(ROOT).k_best(parts, k, &mut scratch.higher_order, trees),
            (Decoder::Mst, Scores::Parts(parts)) => {
                Rewiring::new(ROOT, RESTARTS).k_best(parts, k, &mut scratch.rewiring, trees);
            }
        }
    }

    /// Writes the probability of every arc under scores of parts and returns the log partition function; `None` when no tree is
    /// allowed. With crossing arcs this is an approximation around `best`: the probability of each other head when all other words
    /// keep theirs, made consistent with trees.
    pub fn marginals_of_parts(
        self,
        parts: &PartScores,
        best: &Heads,
        scratch: &mut DecoderScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        match self {
            Decoder::Eisner | Decoder::Cube => {
                HigherOrderEisner::new(ROOT).marginals(parts, &mut scratch.higher_order, marginals)
            }
            Decoder::Mst | Decoder::OneEndpointCrossing => {
                let base = match self {
                    Decoder::Mst => {
                        Rewiring::linearise(parts, best, &mut scratch.near);
                        parts.tree_score(best)
                    }
                    _ => {
                        CrossingSensitive::linearise(parts, best, &mut scratch.near);
                        CrossingSensitive::score(parts, best)
                    }
                };
                let matrix_tree = MatrixTree::new(ROOT);
                let near =
                    matrix_tree.marginals(&scratch.near, &mut scratch.matrix_tree, marginals)?;
                Some(near + base)
            }
        }
    }

    /// Writes the probability of every part and returns the log partition function; `None` when no tree is allowed, or when
    /// arcs may cross.
    pub fn part_marginals(
        self,
        parts: &PartScores,
        scratch: &mut DecoderScratch,
        probabilities: &mut PartScores,
    ) -> Option<f64> {
        let chart = self.is_projective().then(|| HigherOrderEisner::new(ROOT))?;
        chart.part_marginals(parts, &mut scratch.higher_order, probabilities)
    }

    /// Writes the probability of every arc and returns the log partition function; `None` when no tree is allowed.
    pub fn marginals(
        self,
        scores: &ArcScores,
        scratch: &mut DecoderScratch,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        match self {
            Decoder::Eisner | Decoder::Cube => {
                Eisner::new(ROOT).marginals(scores, &mut scratch.eisner, marginals)
            }
            Decoder::Mst | Decoder::OneEndpointCrossing => {
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
            Decoder::Cube => "cube",
            Decoder::OneEndpointCrossing => "1ec",
        })
    }
}

impl FromStr for Decoder {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "eisner" => Ok(Decoder::Eisner),
            "mst" => Ok(Decoder::Mst),
            "cube" => Ok(Decoder::Cube),
            "1ec" => Ok(Decoder::OneEndpointCrossing),
            _ => Err("choose eisner, mst, 1ec or cube"),
        }
    }
}
