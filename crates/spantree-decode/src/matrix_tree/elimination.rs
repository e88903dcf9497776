//! Elimination of words from the graph, generic over the [numbers](super::weight).
//!
//! A [`Block`] has one row per word and one column per word that is left, the root first. The row of a
//! word that is left holds the weights of its heads; the row of an eliminated word holds the
//! probabilities of the first left word on the walk up from it. Eliminating `e` does the same to all rows:
//! what a row had at `e` is spread over the row of `e`.

use super::weight::{LogProduct, Weight};
use crate::heads::RootMode;
use crate::scores::{ArcScores, FORBIDDEN};
use crate::table::ArcTable;

/// Plain numbers lose at most 1e-308 to underflow in one step. What was lost can grow by the inverse of
/// every total that is divided by; below this product of totals it might reach the digits of the result.
const LEAST_CAUTION: f64 = 1e-260;

/// Rows of all words over the columns of the words that are left.
#[derive(Clone, Debug)]
struct Block<W> {
    /// The word of each column; column 0 is the root.
    columns: Vec<u32>,
    cells: Vec<W>,
    /// The row of the word that is being eliminated.
    pivot_row: Vec<W>,
}

impl<W> Default for Block<W> {
    fn default() -> Self {
        Self { columns: Vec::new(), cells: Vec::new(), pivot_row: Vec::new() }
    }
}

/// What has been divided by on the way to a block.
#[derive(Clone, Copy, Debug)]
struct Way {
    product: LogProduct,
    caution: f64,
}

impl Way {
    const START: Self = Self { product: LogProduct { order: 0, log: 0.0 }, caution: 1.0 };

    /// Takes one more total into account; `None` if that is zero or might spoil the result.
    fn through<W: Weight>(self, total: W) -> Option<Self> {
        let factor = total.log();
        let product = LogProduct {
            order: self.product.order + factor.order,
            log: self.product.log + factor.log,
        };
        let caution = self.caution * total.caution();
        (caution > LEAST_CAUTION).then_some(Self { product, caution })
    }
}

/// Memory of an elimination in one kind of numbers.
#[derive(Clone, Debug)]
pub(super) struct Elimination<W> {
    mode: RootMode,
    /// Scaled weights of all arcs, heads of a child contiguous, and the logarithm taken out of them.
    weights: Vec<W>,
    scale: f64,
    /// One block for each depth of the recursion.
    blocks: Vec<Block<W>>,
    /// The shares of the heads of one word.
    shares: Vec<W>,
}

impl<W> Default for Elimination<W> {
    fn default() -> Self {
        let (weights, blocks, shares) = (Vec::new(), Vec::new(), Vec::new());
        Self { mode: RootMode::One, weights, scale: 0.0, blocks, shares }
    }
}

impl<W: Weight> Elimination<W> {
    /// The log partition function; `None` if it is that of no tree or cannot be trusted.
    pub(super) fn log_partition(&mut self, scores: &ArcScores, mode: RootMode) -> Option<f64> {
        let words = scores.words();
        if words == 0 {
            return Some(0.0);
        }
        self.load(scores, mode)?;
        let mut way = Way::START;
        for word in (2..=words).rev() {
            // Rows of eliminated words are not needed.
            way = way.through(self.blocks[0].eliminate(word, word - 1, mode))?;
        }
        self.finish(way, self.blocks[0].cells[0])
    }

    /// Writes all marginals and returns the log partition function; `None` as above.
    pub(super) fn marginals(
        &mut self,
        scores: &ArcScores,
        mode: RootMode,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        let words = scores.words();
        marginals.reset(words, 0.0);
        if words == 0 {
            return Some(0.0);
        }
        self.load(scores, mode)?;
        self.halve(0, words, Way::START, marginals)
    }

    /// Computes the marginals of the arcs into each of the `left` words of the block at `depth`, and
    /// returns the log partition function.
    fn halve(
        &mut self,
        depth: usize,
        left: usize,
        way: Way,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        if left == 1 {
            return self.leave(depth, way, marginals);
        }
        let half = left / 2;
        self.keep(depth, left, 0..half, way, marginals)?;
        self.keep(depth, left, half..left, way, marginals)
    }

    /// Eliminates the words of the block at `depth` outside `kept`, and goes on with the rest.
    fn keep(
        &mut self,
        depth: usize,
        left: usize,
        kept: std::ops::Range<usize>,
        mut way: Way,
        marginals: &mut ArcTable<f64>,
    ) -> Option<f64> {
        if self.blocks.len() == depth + 1 {
            self.blocks.push(Block::default());
        }
        let (outer, inner) = self.blocks.split_at_mut(depth + 1);
        inner[0].copy_columns(&outer[depth], left, kept.clone());
        for column in (kept.len() + 1..=left).rev() {
            way = way.through(inner[0].eliminate(column, marginals.words(), self.mode))?;
        }
        self.halve(depth + 1, kept.len(), way, marginals)
    }

    /// The last word left: its heads share by weight times the chance to reach the root from them.
    fn leave(&mut self, depth: usize, way: Way, marginals: &mut ArcTable<f64>) -> Option<f64> {
        let block = &self.blocks[depth];
        let (words, stride) = (marginals.words(), block.columns.len());
        let word = block.columns[1] as usize;
        let weights = &self.weights[word * (words + 1)..(word + 1) * (words + 1)];
        self.shares.clear();
        self.shares.push(weights[0]);
        let chances = (0..words).map(|row| block.cells[row * stride]);
        self.shares.extend(weights[1..].iter().zip(chances).map(|(&w, c)| w.times(c)));
        // The word itself is no head of its own, though its row has a chance to reach the root.
        self.shares[word] = W::ZERO;
        let total = self.shares.iter().fold(W::ZERO, |sum, &part| sum.plus(part));
        way.through(total)?;
        for (cell, part) in marginals.heads_of_mut(word).iter_mut().zip(&self.shares) {
            *cell = part.share_of(total);
        }
        self.finish(way, block.cells[(word - 1) * stride])
    }

    /// The log partition function when one word is left, with the given weight of its root arc.
    fn finish(&self, way: Way, root: W) -> Option<f64> {
        let product = way.through(root)?.product;
        (product.order == W::order_wanted(self.mode)).then_some(product.log + self.scale)
    }

    /// Fills the weights, scaled so that the best head of every child weighs 1, and the first block;
    /// `None` if some child has no head. Root arcs under [`RootMode::One`] are first-order terms and have one scale of their own.
    fn load(&mut self, scores: &ArcScores, mode: RootMode) -> Option<()> {
        let width = scores.words() + 1;
        self.mode = mode;
        self.scale = 0.0;
        self.weights.clear();
        self.weights.resize(width * width, W::ZERO);
        let first_head = usize::from(mode == RootMode::One);
        let scale_of = |row: &[f32]| {
            let best = row[first_head..].iter().copied().fold(FORBIDDEN, f32::max);
            if best > FORBIDDEN { best } else { row[0] }
        };
        let root_gain = |row: &[f32]| f64::from(row[0]) - f64::from(scale_of(row));
        let root_scale = match mode {
            RootMode::Many => 0.0,
            RootMode::One => {
                let gains = (1..width).map(|child| root_gain(scores.heads_of(child)));
                gains.filter(|gain| !gain.is_nan()).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        for child in 1..width {
            let row = scores.heads_of(child);
            let scale = f64::from(scale_of(row));
            if scale == f64::NEG_INFINITY || root_scale == f64::NEG_INFINITY {
                return None;
            }
            self.scale += scale;
            let weights = &mut self.weights[child * width..(child + 1) * width];
            for (weight, &score) in weights.iter_mut().zip(row) {
                *weight = W::exp(f64::from(score) - scale);
            }
            weights[0] = W::exp(f64::from(row[0]) - scale - root_scale).root_arc(mode);
        }
        self.scale += root_scale;
        if self.blocks.is_empty() {
            self.blocks.push(Block::default());
        }
        let whole = &mut self.blocks[0];
        whole.columns.clear();
        whole.columns.extend(0..width as u32);
        whole.cells.clear();
        whole.cells.extend_from_slice(&self.weights[width..]);
        Some(())
    }
}

impl<W: Weight> Block<W> {
    /// Takes over the first `left` word columns of `other`: the root, then the `kept` ones, then the rest.
    fn copy_columns(&mut self, other: &Self, left: usize, kept: std::ops::Range<usize>) {
        let (start, end) = (kept.start + 1, kept.end + 1);
        let stride = other.columns.len();
        self.columns.clear();
        self.columns.push(0);
        for part in [start..end, 1..start, end..left + 1] {
            self.columns.extend_from_slice(&other.columns[part]);
        }
        self.cells.clear();
        for row in other.cells.chunks_exact(stride) {
            self.cells.push(row[0]);
            for part in [start..end, 1..start, end..left + 1] {
                self.cells.extend_from_slice(&row[part]);
            }
        }
    }

    /// Eliminates the word of the last column that is left, updating the first `rows` rows, and returns
    /// the total that was divided by; if that is zero, the block is of no more use.
    fn eliminate(&mut self, column: usize, rows: usize, mode: RootMode) -> W {
        let stride = self.columns.len();
        let pivot = self.columns[column] as usize - 1;
        let row = &mut self.cells[pivot * stride..pivot * stride + column];
        let from_words = row[1..].iter().fold(W::ZERO, |sum, &weight| sum.plus(weight));
        let total = W::total(from_words, row[0], mode);
        row.iter_mut().for_each(|weight| *weight = weight.over(total));
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(row);
        for (index, row) in self.cells.chunks_exact_mut(stride).take(rows).enumerate() {
            if index != pivot {
                let share = row[column];
                for (cell, &chance) in row[..column].iter_mut().zip(&self.pivot_row) {
                    *cell = cell.plus(share.times(chance));
                }
            }
        }
        // Walks that come back to a word do not leave it.
        for (column, &word) in self.columns[..column].iter().enumerate().skip(1) {
            self.cells[(word as usize - 1) * stride + column] = W::ZERO;
        }
        total
    }
}
