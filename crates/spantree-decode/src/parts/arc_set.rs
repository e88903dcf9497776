//! The arcs that exist, numbered so that the arcs of a head are neighbours.

use std::ops::Range;

use super::ArcId;
use crate::table::ArcTable;

/// In place of an arc that the set does not have.
const ABSENT: ArcId = ArcId::MAX;

/// A set of arcs between words.
#[derive(Clone, Debug)]
pub(crate) struct ArcSet {
    words: usize,
    /// Head and child, ascending: the arcs of a head are neighbours, by child.
    arcs: Vec<(u32, u32)>,
    ids: ArcTable<ArcId>,
    /// The arcs of head `h`: `leaving[h]..leaving[h + 1]`.
    leaving: Vec<ArcId>,
    /// The first arc of each head that goes right.
    rightward: Vec<ArcId>,
    /// The arcs into word `w`, by head: `entering[entering_start[w]..entering_start[w + 1]]`.
    entering: Vec<ArcId>,
    entering_start: Vec<u32>,
    /// The place of each arc among those that enter the same word.
    rank: Vec<u32>,
}

impl ArcSet {
    /// The set without words; to be [`reset`](Self::reset).
    pub(super) fn new() -> Self {
        Self {
            words: 0,
            arcs: Vec::new(),
            ids: ArcTable::new(0, ABSENT),
            leaving: Vec::new(),
            rightward: Vec::new(),
            entering: Vec::new(),
            entering_start: Vec::new(),
            rank: Vec::new(),
        }
    }

    /// Starts anew with the arcs for which `exists(head, child)`.
    pub(super) fn reset(&mut self, words: usize, exists: impl Fn(usize, usize) -> bool) {
        self.words = words;
        self.ids.reset(words, ABSENT);
        self.arcs.clear();
        self.leaving.clear();
        self.rightward.clear();
        for head in 0..=words {
            self.leaving.push(self.arcs.len() as ArcId);
            for child in (1..=words).filter(|&child| child != head && exists(head, child)) {
                self.ids.set(head, child, self.arcs.len() as ArcId);
                self.arcs.push((head as u32, child as u32));
            }
            let is_left = |arc: &&(u32, u32)| arc.1 < arc.0;
            let first = *self.leaving.last().unwrap_or(&0);
            let left = self.arcs[first as usize..].iter().take_while(is_left).count();
            self.rightward.push(first + left as ArcId);
        }
        self.leaving.push(self.arcs.len() as ArcId);
        self.list_entering();
    }

    fn list_entering(&mut self) {
        self.entering.clear();
        self.entering_start.clear();
        self.rank.clear();
        self.rank.resize(self.arcs.len(), 0);
        for child in 0..=self.words {
            let start = self.entering.len();
            self.entering_start.push(start as u32);
            for &arc in self.ids.heads_of(child).iter().filter(|&&arc| arc != ABSENT) {
                self.rank[arc as usize] = (self.entering.len() - start) as u32;
                self.entering.push(arc);
            }
        }
        self.entering_start.push(self.entering.len() as u32);
    }

    /// Number of words, the root not counted.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Number of arcs.
    pub(crate) fn len(&self) -> usize {
        self.arcs.len()
    }

    /// All arcs as (head, child), by number.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.arcs.iter().map(|&(head, child)| (head as usize, child as usize))
    }

    /// The number of an arc, if it exists.
    pub(crate) fn id(&self, head: usize, child: usize) -> Option<ArcId> {
        Some(self.ids.get(head, child)).filter(|&arc| arc != ABSENT)
    }

    /// Head and child of an arc.
    pub(crate) fn arc(&self, arc: ArcId) -> (usize, usize) {
        let (head, child) = self.arcs[arc as usize];
        (head as usize, child as usize)
    }

    /// The arcs of a head, by child.
    pub(crate) fn leaving(&self, head: usize) -> Range<ArcId> {
        self.leaving[head]..self.leaving[head + 1]
    }

    /// The arcs of a head whose children lie between it and `end`, which counts.
    pub(crate) fn towards(&self, head: usize, end: usize) -> Range<ArcId> {
        let Range { start, end: stop } = self.leaving(head);
        let middle = self.rightward[head];
        if end > head {
            let arcs = &self.arcs[middle as usize..stop as usize];
            middle..middle + arcs.partition_point(|arc| arc.1 as usize <= end) as ArcId
        } else {
            let arcs = &self.arcs[start as usize..middle as usize];
            start + arcs.partition_point(|arc| (arc.1 as usize) < end) as ArcId..middle
        }
    }

    /// The arcs into a word, by head.
    pub(crate) fn entering(&self, word: usize) -> &[ArcId] {
        let (start, end) = (self.entering_start[word], self.entering_start[word + 1]);
        &self.entering[start as usize..end as usize]
    }

    /// The place of an arc among those into the same word.
    pub(crate) fn rank(&self, arc: ArcId) -> usize {
        self.rank[arc as usize] as usize
    }

    /// The arcs to possible inner siblings.
    pub(crate) fn inner(&self, arc: ArcId) -> Range<ArcId> {
        let (head, child) = self.arc(arc);
        if child > head { self.rightward[head]..arc } else { arc + 1..self.rightward[head] }
    }

    /// No inner sibling, then each.
    pub(super) fn inner_words(&self, arc: ArcId) -> impl Iterator<Item = Option<usize>> + '_ {
        std::iter::once(None).chain(self.inner(arc).map(|inner| Some(self.arc(inner).1)))
    }

    /// Each possible head of a head; none for the root.
    pub(super) fn grand_words(&self, head: usize) -> impl Iterator<Item = Option<usize>> + '_ {
        let above = self.entering(head);
        let none = above.is_empty().then_some(None);
        none.into_iter().chain(above.iter().map(|&arc| Some(self.arc(arc).0)))
    }
}
