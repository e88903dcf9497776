//! Dependency trees: children, subtrees, paths, and the structural classes that parsers care about.
//!
//! A [`Tree`] holds the heads of the words `1..=n` under the artificial root `0`; the root may have several children
//! (CoNLL-X allows it), and [`Tree::root`] asks for exactly one (UD demands it). Building takes O(n) time and memory;
//! dominance is O(1) by pre-order numbers.
//!
//! Definitions: an arc `h → c` is *projective* when `h` dominates every word strictly between the two; the *gap degree* of a
//! word is the number of gaps in its subtree's words (Kuhlmann & Nivre 2006). Crossing arcs, planarity and
//! 1-endpoint-crossing trees are in [`crossing`](Tree::is_one_endpoint_crossing).
//!
//! ```
//! use spantree_treebank::Tree;
//! // "A hearing is scheduled on the issue today": hearing → on crosses scheduled → today.
//! let tree = Tree::new(&[2, 3, 0, 3, 2, 7, 5, 4]).unwrap();
//! assert_eq!(tree.children(3), [2, 4]);
//! assert_eq!(tree.span(2), (1, 7));
//! assert!(!tree.is_projective());
//! assert_eq!(tree.gap_degree(), 1);
//! ```

mod crossing;
mod path;
mod range_extrema;

pub use path::{Path, Step};
use range_extrema::RangeExtrema;
use thiserror::Error;

/// Why heads do not form a tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A word without a head.
    #[error("word {word} has no head")]
    MissingHead {
        /// The word.
        word: u32,
    },
    /// A head that is not a word of the sentence.
    #[error("the head of word {word} is {head}, but the sentence has {len} words")]
    HeadOutOfRange {
        /// The word.
        word: u32,
        /// Its head.
        head: u32,
        /// Number of words.
        len: usize,
    },
    /// Words that are each other's ancestors, the smallest first.
    #[error("words {} form a cycle", list(words))]
    Cycle {
        /// The words on the cycle, each followed by its head.
        words: Vec<u32>,
    },
    /// Not exactly one word is attached to the root.
    #[error("{}", roots_message(roots))]
    RootCount {
        /// The words attached to the root.
        roots: Vec<u32>,
    },
}

fn roots_message(roots: &[u32]) -> String {
    if roots.is_empty() {
        return "no word is attached to the root".to_owned();
    }
    format!("words {} are all attached to the root, but a tree needs exactly one", list(roots))
}

/// At most ten numbers, so that messages stay one line.
fn list(words: &[u32]) -> String {
    let shown: Vec<_> = words.iter().take(10).map(u32::to_string).collect();
    shown.join(", ") + if words.len() > 10 { ", …" } else { "" }
}

/// A tree over the words `1..=n`; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// `heads[c]` for `c` in `1..=n`; `heads[0]` is 0 and means nothing.
    heads: Vec<u32>,
    /// Children of `h`, ascending: `children[first_child[h]..first_child[h + 1]]`.
    children: Vec<u32>,
    first_child: Vec<u32>,
    /// Pre-order number and size of the subtree, of every vertex.
    pre: Vec<u32>,
    size: Vec<u32>,
    /// Vertices in pre-order: `order[pre[v]] == v`.
    order: Vec<u32>,
}

impl Tree {
    /// The tree in which word `i` has the head `heads[i - 1]`.
    ///
    /// # Errors
    /// When a head is out of range or words form a cycle.
    pub fn new(heads: &[u32]) -> Result<Self, TreeError> {
        let len = heads.len();
        for (index, &head) in heads.iter().enumerate() {
            if head as usize > len {
                return Err(TreeError::HeadOutOfRange { word: index as u32 + 1, head, len });
            }
        }
        let (first_child, children) = child_lists(heads);
        let mut all = Vec::with_capacity(len + 1);
        all.push(0);
        all.extend_from_slice(heads);
        let mut tree = Self {
            heads: all,
            children,
            first_child,
            pre: vec![0; len + 1],
            size: vec![1; len + 1],
            order: Vec::new(),
        };
        tree.number()?;
        Ok(tree)
    }

    /// Fills `pre`, `size` and `order`; words that the root does not reach are on or below a cycle.
    fn number(&mut self) -> Result<(), TreeError> {
        let mut stack = vec![0];
        self.order.reserve(self.heads.len());
        while let Some(vertex) = stack.pop() {
            self.pre[vertex as usize] = self.order.len() as u32;
            self.order.push(vertex);
            stack.extend(self.children(vertex).iter().rev());
        }
        if self.order.len() < self.heads.len() {
            return Err(TreeError::Cycle { words: find_cycle(&self.heads) });
        }
        for &vertex in self.order[1..].iter().rev() {
            let head = self.heads[vertex as usize] as usize;
            self.size[head] += self.size[vertex as usize];
        }
        Ok(())
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len() - 1
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The heads of words `1..=n`, as given to [`Tree::new`].
    #[must_use]
    pub fn heads(&self) -> &[u32] {
        &self.heads[1..]
    }

    /// The head of a word.
    ///
    /// # Panics
    /// This and all methods below panic when a vertex is larger than [`Tree::len`].
    #[must_use]
    pub fn head(&self, word: u32) -> u32 {
        self.heads[word as usize]
    }

    /// The arcs `(head, child)`, by child.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.heads().iter().enumerate().map(|(index, &head)| (head, index as u32 + 1))
    }

    /// The children of a vertex, from left to right.
    #[must_use]
    pub fn children(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.children[self.first_child[vertex] as usize..self.first_child[vertex + 1] as usize]
    }

    /// The children to the left, from left to right.
    #[must_use]
    pub fn left_children(&self, vertex: u32) -> &[u32] {
        let children = self.children(vertex);
        &children[..children.partition_point(|&child| child < vertex)]
    }

    /// The children to the right, from left to right.
    #[must_use]
    pub fn right_children(&self, vertex: u32) -> &[u32] {
        let children = self.children(vertex);
        &children[children.partition_point(|&child| child < vertex)..]
    }

    /// The one word attached to the root.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn root(&self) -> Result<u32, TreeError> {
        match self.children(0) {
            [root] => Ok(*root),
            roots => Err(TreeError::RootCount { roots: roots.to_vec() }),
        }
    }

    /// Whether `ancestor` is `vertex` or above it.
    #[must_use]
    pub fn dominates(&self, ancestor: u32, vertex: u32) -> bool {
        let (ancestor, vertex) = (ancestor as usize, vertex as usize);
        let offset = self.pre[vertex].wrapping_sub(self.pre[ancestor]);
        offset < self.size[ancestor]
    }

    /// Number of vertices in the subtree, itself included.
    #[must_use]
    pub fn subtree_size(&self, vertex: u32) -> usize {
        self.size[vertex as usize] as usize
    }

    /// The vertices of the subtree in pre-order, itself first.
    #[must_use]
    pub fn subtree(&self, vertex: u32) -> &[u32] {
        let start = self.pre[vertex as usize] as usize;
        &self.order[start..start + self.subtree_size(vertex)]
    }

    /// Leftmost and rightmost vertex of the subtree.
    #[must_use]
    pub fn span(&self, vertex: u32) -> (u32, u32) {
        let subtree = self.subtree(vertex);
        subtree.iter().fold((vertex, vertex), |(low, high), &v| (low.min(v), high.max(v)))
    }

    /// Number of arcs from the root to a vertex.
    #[must_use]
    pub fn depth(&self, vertex: u32) -> usize {
        self.ancestors(vertex).count()
    }

    /// The vertices above, nearest first, the root 0 last.
    pub fn ancestors(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(vertex), |&v| (v != 0).then(|| self.head(v))).skip(1)
    }

    /// The lowest vertex that dominates both.
    #[must_use]
    pub fn lowest_common_ancestor(&self, a: u32, b: u32) -> u32 {
        let mut vertex = a;
        while !self.dominates(vertex, b) {
            vertex = self.head(vertex);
        }
        vertex
    }

    /// Whether every arc is projective, i.e. every subtree is contiguous.
    #[must_use]
    pub fn is_projective(&self) -> bool {
        self.extents()
            .iter()
            .zip(&self.size)
            .skip(1)
            .all(|(&(low, high), &size)| high - low + 1 == size)
    }

    /// The words whose arc from their head is not projective, ascending. O(n log n).
    #[must_use]
    pub fn non_projective_words(&self) -> Vec<u32> {
        if self.is_projective() {
            return Vec::new();
        }
        let between = RangeExtrema::new(&self.pre);
        let crosses = |&(head, child): &(u32, u32)| {
            let (low, high) = (head.min(child) as usize + 1, head.max(child) as usize);
            between.of(low..high).is_some_and(|(first, last)| {
                let dominated =
                    self.pre[head as usize]..self.pre[head as usize] + self.size[head as usize];
                !(dominated.contains(&first) && dominated.contains(&last))
            })
        };
        self.arcs().filter(crosses).map(|(_, child)| child).collect()
    }

    /// The largest number of gaps in the subtree of any word; 0 exactly for projective trees.
    #[must_use]
    pub fn gap_degree(&self) -> usize {
        self.gap_degrees().into_iter().max().unwrap_or(0)
    }

    /// The number of gaps in the subtree of each vertex (that of the root is 0).
    ///
    /// A subtree of `m` words has `m - 1 - p` gaps, where `p` counts the neighbours `k, k + 1` that are both in it, which
    /// are those whose lowest common ancestor is.
    #[must_use]
    pub fn gap_degrees(&self) -> Vec<usize> {
        let mut neighbours = vec![0usize; self.heads.len()];
        for word in 1..self.len() as u32 {
            neighbours[self.lowest_common_ancestor(word, word + 1) as usize] += 1;
        }
        for &vertex in self.order[1..].iter().rev() {
            neighbours[self.head(vertex) as usize] += neighbours[vertex as usize];
        }
        let mut gaps: Vec<_> = self
            .size
            .iter()
            .zip(neighbours)
            .map(|(&size, pairs)| (size as usize - 1) - pairs.min(size as usize - 1))
            .collect();
        gaps[0] = 0;
        gaps
    }

    /// Leftmost and rightmost vertex of every subtree, in O(n).
    fn extents(&self) -> Vec<(u32, u32)> {
        let mut extents: Vec<_> = (0..self.heads.len() as u32).map(|v| (v, v)).collect();
        for &vertex in self.order[1..].iter().rev() {
            let (low, high) = extents[vertex as usize];
            let above = &mut extents[self.heads[vertex as usize] as usize];
            *above = (above.0.min(low), above.1.max(high));
        }
        extents
    }
}

/// Children of each vertex in one array, by counting sort: `(first_child, children)`.
fn child_lists(heads: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut first_child = vec![0u32; heads.len() + 2];
    for &head in heads {
        first_child[head as usize + 1] += 1;
    }
    for vertex in 0..=heads.len() {
        first_child[vertex + 1] += first_child[vertex];
    }
    let mut next = first_child.clone();
    let mut children = vec![0; heads.len()];
    for (index, &head) in heads.iter().enumerate() {
        children[next[head as usize] as usize] = index as u32 + 1;
        next[head as usize] += 1;
    }
    (first_child, children)
}

/// Some cycle of `heads` (indexed by word, entry 0 unused), starting with its smallest word; empty when there is none.
fn find_cycle(heads: &[u32]) -> Vec<u32> {
    let mut seen_in = vec![0u32; heads.len()];
    for start in 1..heads.len() as u32 {
        let mut word = start;
        while word != 0 && seen_in[word as usize] == 0 {
            seen_in[word as usize] = start;
            word = heads[word as usize];
        }
        if word != 0 && seen_in[word as usize] == start {
            let next = |&w: &u32| Some(heads[w as usize]).filter(|&head| head != word);
            let mut cycle: Vec<_> = std::iter::successors(Some(word), next).collect();
            let smallest = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
            cycle.rotate_left(smallest);
            return cycle;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::for_each_tree;
