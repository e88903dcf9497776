//! A tree as a list of heads, and the question whether it is one.

/// How many children the artificial root must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RootMode {
    /// Exactly one, as Universal Dependencies require.
    #[default]
    One,
    /// At least one.
    Many,
}

/// The head of every word: what tree decoders write.
///
/// Holds words only: the slice's element `i` is the head of word `i + 1`, as in a CoNLL-U column, and
/// `0` is the root. Methods that take a `child` count words from 1. Any list of numbers can be held;
/// [`is_tree`](Self::is_tree) tells whether it is a tree. The empty sentence has one tree, the empty
/// one, in both root modes.
///
/// ```
/// use spantree_decode::Heads;
/// let tree = Heads::from(vec![2, 0, 2]);
/// assert_eq!(tree.head(1), 2);
/// assert!(tree.is_tree() && tree.is_projective());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Heads(Vec<u32>);

impl From<Vec<u32>> for Heads {
    fn from(heads: Vec<u32>) -> Self {
        Self(heads)
    }
}

impl Heads {
    /// Number of words.
    pub fn words(&self) -> usize {
        self.0.len()
    }

    /// The head of word `child`, counted from 1.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn head(&self, child: usize) -> usize {
        self.0[child - 1] as usize
    }

    /// The heads of words `1, 2, …` in order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The arcs `(head, child)` by increasing child.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.0.iter().enumerate().map(|(i, &head)| (head as usize, i + 1))
    }

    /// The nearest word between `child` and its head that has the same head.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn inner_sibling(&self, child: usize) -> Option<usize> {
        let head = self.head(child);
        let is_sibling = |&word: &usize| self.head(word) == head;
        if head < child {
            (head + 1..child).rev().find(is_sibling)
        } else {
            (child + 1..head).find(is_sibling)
        }
    }

    /// The word whose inner sibling `child` is.
    pub(crate) fn outer_sibling(&self, child: usize) -> Option<usize> {
        let head = self.head(child);
        let is_sibling = |&word: &usize| self.head(word) == head;
        if head < child {
            (child + 1..=self.words()).find(is_sibling)
        } else {
            (1..child).rev().find(is_sibling)
        }
    }

    /// Number of words attached to the root.
    pub fn root_children(&self) -> usize {
        self.0.iter().filter(|&&head| head == 0).count()
    }

    /// Number of words with the same head in `gold`.
    pub fn correct(&self, gold: &Self) -> usize {
        self.0.iter().zip(&gold.0).filter(|(a, b)| a == b).count()
    }

    /// Whether every word is reached from the root along its head, whatever the number of root children.
    pub fn is_tree(&self) -> bool {
        let words = self.words();
        // The walk that visited a word last; a walk that meets itself has found a cycle.
        let mut visited_by = vec![0; words + 1];
        (1..=words).all(|start| {
            let mut word = start;
            while word != 0 && visited_by[word] == 0 {
                visited_by[word] = start;
                word = self.head(word);
                if word > words {
                    return false;
                }
            }
            word == 0 || visited_by[word] != start
        })
    }

    /// Whether this is a tree with as many root children as `mode` wants.
    pub fn is_legal(&self, mode: RootMode) -> bool {
        self.is_rooted(mode) && self.is_tree()
    }

    /// Whether there are as many root children as `mode` wants.
    pub(crate) fn is_rooted(&self, mode: RootMode) -> bool {
        mode == RootMode::Many || self.words() == 0 || self.root_children() == 1
    }

    /// Whether no two arcs cross, the root standing left of the sentence. O(n²).
    pub fn is_projective(&self) -> bool {
        let span = |(head, child): (usize, usize)| (head.min(child), head.max(child));
        self.arcs().map(span).all(|(from, to)| {
            self.arcs().map(span).all(|(start, end)| !(from < start && start < to && to < end))
        })
    }

    /// Whether all arcs that cross the same arc have an end in common, the root standing left of the sentence
    /// (Pitler, Kannan and Marcus 2013). O(n²).
    pub fn is_one_endpoint_crossing(&self) -> bool {
        let span = |(head, child): (usize, usize)| (head.min(child), head.max(child));
        let is_inside = |word: usize, (from, to): (usize, usize)| from < word && word < to;
        self.arcs().map(span).all(|arc| {
            let crossing = self.arcs().map(span).filter(|&(from, to)| {
                let shares_end = [from, to].iter().any(|&end| end == arc.0 || end == arc.1);
                !shares_end && is_inside(from, arc) != is_inside(to, arc)
            });
            // The ends that all of them have so far.
            let mut common: Option<[Option<usize>; 2]> = None;
            for (from, to) in crossing {
                let ends = common.unwrap_or([Some(from), Some(to)]);
                common = Some(ends.map(|end| end.filter(|&end| end == from || end == to)));
            }
            common.is_none_or(|ends| ends != [None, None])
        })
    }

    /// Makes room for `words` words, all attached to the root; memory is kept.
    pub(crate) fn reset(&mut self, words: usize) {
        self.0.clear();
        self.0.resize(words, 0);
    }

    /// Attaches word `child`, counted from 1.
    pub(crate) fn attach(&mut self, head: usize, child: usize) {
        self.0[child - 1] = head as u32;
    }

    /// Takes over the heads of `other`; memory is kept.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(list: &[u32]) -> Heads {
        Heads::from(list.to_vec())
    }

    #[test]
    fn cycles_self_loops_and_strangers_are_no_trees() {
        assert!(heads(&[]).is_tree());
        assert!(heads(&[2, 3, 0]).is_tree());
        assert!(!heads(&[2, 1, 0]).is_tree());
        assert!(!heads(&[1]).is_tree());
        assert!(!heads(&[0, 7]).is_tree());
        // The second walk ends in the cycle that the first one found.
        assert!(!heads(&[2, 1, 1]).is_tree());
    }

    #[test]
    fn root_modes_count_root_children() {
        assert!(heads(&[0, 0]).is_legal(RootMode::Many));
        assert!(!heads(&[0, 0]).is_legal(RootMode::One));
        assert!(heads(&[]).is_legal(RootMode::One));
    }

    #[test]
    fn crossing_arcs_are_not_projective() {
        assert!(heads(&[2, 0, 2]).is_projective());
        assert!(!heads(&[3, 4, 0, 3]).is_projective());
        // The arc from the root to word 3 crosses the arc between 2 and 4 but not the one between 1 and 3.
        assert!(!heads(&[3, 4, 0, 1]).is_projective());
    }

    #[test]
    fn arcs_that_cross_one_arc_share_an_end() {
        // 2 → 5 is crossed by 3 → 1 and 3 → 6.
        assert!(heads(&[3, 0, 2, 3, 2, 3]).is_one_endpoint_crossing());
        // 2 → 5 is crossed by 3 → 1 and 4 → 6.
        assert!(!heads(&[3, 0, 2, 3, 2, 4]).is_one_endpoint_crossing());
    }
}
