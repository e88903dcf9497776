//! The k best trees, one after the other (Camerini, Fratta and Maffioli, 1980; Zmigrod et al., 2021).
//!
//! A *part* is a set of trees described by required and forbidden arcs, one of whose trees, the *taken*
//! one, is already in the list. The best other tree of a part drops some arc of the taken tree. One
//! contraction finds which: for every node `v` whose best arc is in the tree, exchange it for the best
//! other arc into `v` from a word that does not hang below `v`; the cheapest exchange gives the second
//! best tree. The part whose next tree is best is then split at the dropped arc into the trees with it
//! (same taken tree) and the trees without it (taken: the new tree). So each new tree costs two
//! contractions, O(n²) time, and O(1) memory besides the tree itself.
//!
//! Parts are disjoint and none is given up before it is empty, so the list is complete and free of
//! duplicates whatever rounding does; rounding can only swap trees whose scores agree to the last bits.
//!
//! With one root child, trees are ranked by number of root children first, as in the parent module: an
//! exchange must not bring in a second root arc, and a root arc is exchanged for another one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ChuLiuEdmonds;
use super::contraction::Contraction;
use crate::heads::{Heads, RootMode};
use crate::ranked::Ranked;
use crate::scores::ArcScores;

/// Index of a restriction in `Search::restrictions`, or `NONE` for no restriction.
type RestrictionId = u32;
const NONE: RestrictionId = u32::MAX;

/// A restriction of a part, chained to the earlier ones.
#[derive(Clone, Copy, Debug)]
struct Restriction {
    earlier: RestrictionId,
    head: u32,
    child: u32,
    required: bool,
}

/// A part with the score of its best tree after the taken one, and the arc which that tree drops.
#[derive(Clone, Copy, Debug)]
struct Part {
    score: f64,
    /// Age, to prefer the older part among equals.
    serial: u32,
    restrictions: RestrictionId,
    /// Index of the taken tree in the list.
    taken: u32,
    head: u32,
    child: u32,
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

/// The cheapest exchange of one arc of a tree.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    loss: f64,
    dropped_head: u32,
    dropped_child: u32,
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    parts: BinaryHeap<Part>,
    restrictions: Vec<Restriction>,
    /// The score table of the part at hand.
    scores: ArcScores,
    tree: Heads,
    below: Below,
    given_up: Vec<f64>,
    serial: u32,
}

impl Search {
    pub(super) fn run(
        &mut self,
        decoder: &ChuLiuEdmonds,
        scores: &ArcScores,
        k: usize,
        contraction: &mut Contraction,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        self.parts.clear();
        self.restrictions.clear();
        self.serial = 0;
        if k == 0 {
            return;
        }
        self.take_best(decoder, scores, NONE, contraction, trees);
        while trees.len() < k {
            let Some(part) = self.parts.pop() else { break };
            let without = self.restrict(&part, false);
            self.take_best(decoder, scores, without, contraction, trees);
            if trees.len() < k {
                let with = self.restrict(&part, true);
                self.reconsider(decoder, scores, with, part.taken, contraction, trees);
            }
        }
        trees.settle();
    }

    /// Appends the best tree of a part without a taken tree, and queues the part's next tree.
    fn take_best(
        &mut self,
        decoder: &ChuLiuEdmonds,
        scores: &ArcScores,
        restrictions: RestrictionId,
        contraction: &mut Contraction,
        trees: &mut Ranked<Heads>,
    ) {
        self.apply(scores, restrictions);
        let Some(score) = decoder.solve(&self.scores, contraction, &mut self.tree) else {
            return;
        };
        let taken = trees.len() as u32;
        trees.push_with(|tree| {
            tree.copy_from(&self.tree);
            score
        });
        self.queue_exchange(decoder, restrictions, taken, score, contraction);
    }

    /// Queues the next tree of a part whose taken tree is in the list.
    ///
    /// Ties may make the decoder find another tree than the taken one: then that is the next tree.
    fn reconsider(
        &mut self,
        decoder: &ChuLiuEdmonds,
        scores: &ArcScores,
        restrictions: RestrictionId,
        taken: u32,
        contraction: &mut Contraction,
        trees: &Ranked<Heads>,
    ) {
        self.apply(scores, restrictions);
        let Some(score) = decoder.solve(&self.scores, contraction, &mut self.tree) else {
            return;
        };
        let Some((taken_tree, _)) = trees.get(taken as usize) else { return };
        let differing = taken_tree.arcs().zip(self.tree.arcs()).find(|(a, b)| a != b);
        match differing {
            Some((dropped, _)) => self.queue(restrictions, taken, score, dropped),
            None => self.queue_exchange(decoder, restrictions, taken, score, contraction),
        }
    }

    fn queue_exchange(
        &mut self,
        decoder: &ChuLiuEdmonds,
        restrictions: RestrictionId,
        taken: u32,
        score: f64,
        contraction: &Contraction,
    ) {
        if let Some(exchange) = self.cheapest_exchange(decoder.mode, contraction) {
            let dropped = (exchange.dropped_head as usize, exchange.dropped_child as usize);
            self.queue(restrictions, taken, score - exchange.loss, dropped);
        }
    }

    fn queue(
        &mut self,
        restrictions: RestrictionId,
        taken: u32,
        score: f64,
        (head, child): (usize, usize),
    ) {
        let (head, child) = (head as u32, child as u32);
        self.parts.push(Part { score, serial: self.serial, restrictions, taken, head, child });
        self.serial += 1;
    }

    fn restrict(&mut self, part: &Part, required: bool) -> RestrictionId {
        let Part { restrictions: earlier, head, child, .. } = *part;
        self.restrictions.push(Restriction { earlier, head, child, required });
        self.restrictions.len() as RestrictionId - 1
    }

    /// Makes the table of a part.
    fn apply(&mut self, scores: &ArcScores, mut restrictions: RestrictionId) {
        self.scores.copy_from(scores);
        while restrictions != NONE {
            let Restriction { earlier, head, child, required } =
                self.restrictions[restrictions as usize];
            if required {
                self.scores.require(head as usize, child as usize);
            } else {
                self.scores.forbid(head as usize, child as usize);
            }
            restrictions = earlier;
        }
    }

    /// The exchange that turns the tree at hand, fresh from `contraction`, into the part's second best.
    fn cheapest_exchange(&mut self, mode: RootMode, contraction: &Contraction) -> Option<Exchange> {
        self.below.number(&self.tree);
        self.given_up.clear();
        self.given_up.resize(self.tree.words() + 1, 0.0);
        let mut cheapest: Option<Exchange> = None;
        // Members come before their cycle, so `given_up` is what it was when the node chose its head.
        for (index, node) in contraction.nodes.iter().enumerate().skip(1) {
            if contraction.is_exposed(index) {
                let gain = self.best_other_gain(mode, contraction, index);
                let loss = node.gain - gain;
                if gain > f64::NEG_INFINITY && cheapest.is_none_or(|best| loss < best.loss) {
                    let (dropped_head, dropped_child) = (node.head, node.child);
                    cheapest = Some(Exchange { loss, dropped_head, dropped_child });
                }
            }
            for word in contraction.words_of(index) {
                self.given_up[word] += node.gain;
            }
        }
        cheapest
    }

    /// The best gain of an arc into a node other than its best arc, from words not below the node.
    fn best_other_gain(&self, mode: RootMode, contraction: &Contraction, index: usize) -> f64 {
        let node = contraction.nodes[index];
        let (head, child) = (node.head as usize, node.child as usize);
        let heads = usize::from(mode == RootMode::One)..=self.tree.words();
        let free = heads.filter(|&other| other != head && !self.below.contains(child, other));
        let from_others = if contraction.is_word(index) {
            let row = self.scores.heads_of(index);
            free.map(|other| f64::from(row[other])).fold(f64::NEG_INFINITY, f64::max)
        } else {
            let row = contraction.cycle_row(index);
            free.map(|other| row[other]).fold(f64::NEG_INFINITY, f64::max)
        };
        let entries = contraction.words_of(index).filter(|&word| word != child);
        let gains = entries.map(|w| f64::from(self.scores.score(head, w)) - self.given_up[w]);
        gains.fold(from_others, f64::max)
    }
}

/// Which words hang below which, by numbering a tree in depth-first order.
#[derive(Clone, Debug, Default)]
struct Below {
    /// Place of a word in depth-first order, and the first place after its descendants.
    start: Vec<u32>,
    end: Vec<u32>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    open: Vec<u32>,
}

impl Below {
    fn number(&mut self, tree: &Heads) {
        let size = tree.words() + 1;
        for list in [&mut self.start, &mut self.end, &mut self.first_child, &mut self.next_sibling]
        {
            list.clear();
            list.resize(size, 0);
        }
        for (head, child) in tree.arcs() {
            self.next_sibling[child] = self.first_child[head];
            self.first_child[head] = child as u32;
        }
        let mut place = 0;
        self.open.clear();
        self.open.push(0);
        // A word stays open while its descendants are numbered; no word is the root's sibling or child 0.
        while let Some(&word) = self.open.last() {
            let word = word as usize;
            if self.end[word] == 0 {
                self.start[word] = place;
                place += 1;
                self.end[word] = place;
            }
            let child = self.first_child[word];
            if child == 0 {
                self.end[word] = place;
                self.open.pop();
            } else {
                self.first_child[word] = self.next_sibling[child as usize];
                self.open.push(child);
            }
        }
    }

    /// Whether `word` is `top` or hangs below it.
    fn contains(&self, top: usize, word: usize) -> bool {
        (self.start[top]..self.end[top]).contains(&self.start[word])
    }
}
