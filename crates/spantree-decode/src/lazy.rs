//! The k best derivations of a hypergraph, computed only as far as needed (Huang and Chiang, 2005,
//! algorithm 3).
//!
//! A chart with best scores is given as a [`Forest`]: every item has splits, every split two parts. The
//! next best derivation of an item takes its last one and moves one of the two parts to *its* next best
//! derivation. So a request goes down only along derivations that are being replaced, and an item that
//! no good tree uses is never looked at. The chart's values serve as the first derivation of every item,
//! whose split is looked up when it is asked for.
//!
//! Used by [`Eisner`](crate::eisner) and the [chain](crate::chain). O(m) to open an item with m splits
//! and O(log m) for each derivation after that. No recursion: depth grows with sentences.

/// Number of an item, below [`Forest::items`].
pub(crate) type ItemId = u32;

/// A part that is always there and scores nothing, for splits with a single part.
pub(crate) const NOTHING: ItemId = u32::MAX;

/// Index of a [`Node`].
type NodeId = u32;
const NONE: NodeId = u32::MAX;
/// In place of a node: the best derivation of an item, which may not have a node yet.
const FIRST: NodeId = u32::MAX - 1;

/// A chart of best scores.
pub(crate) trait Forest {
    /// Number of items.
    fn items(&self) -> usize;
    /// The item whose derivations are wanted.
    fn goal(&self) -> ItemId;
    /// Whether an item has exactly one derivation, without parts. Not asked for [`NOTHING`].
    fn is_axiom(&self, item: ItemId) -> bool;
    /// The best score of an item.
    fn best(&self, item: ItemId) -> f64;
    /// The split that gives it; not asked for axioms.
    fn best_split(&self, item: ItemId) -> u32;
    /// Visits every split with its best score.
    fn each_split(&self, item: ItemId, visit: impl FnMut(u32, f64));
    /// The parts of a split.
    fn parts(&self, item: ItemId, split: u32) -> [ItemId; 2];
    /// What a split scores besides its parts.
    fn own_score(&self, item: ItemId, split: u32) -> f64;
}

/// A derivation of an item: first a candidate in the item's heap, then an element of its list.
#[derive(Clone, Copy, Debug)]
struct Node {
    score: f64,
    split: u32,
    /// Derivations of the two parts.
    parts: [NodeId; 2],
    /// The item's next derivation, once it is known.
    next: NodeId,
    /// Pairing heap: largest child, and next child of the same parent.
    child: NodeId,
    sibling: NodeId,
}

/// What has been found out about an item.
#[derive(Clone, Copy, Debug)]
struct Progress {
    first: NodeId,
    last: NodeId,
    /// Candidates for the next derivation.
    heap: NodeId,
    /// Whether the heap has been filled with the best derivation of every split.
    opened: bool,
    exhausted: bool,
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyKBest {
    nodes: Vec<Node>,
    progress: Vec<Progress>,
    /// Index into `progress` for each item, or `NONE`.
    progress_of: Vec<u32>,
    /// Items that wait for a next derivation.
    waiting: Vec<ItemId>,
    /// Derivations still to be visited.
    to_visit: Vec<(ItemId, NodeId)>,
}

impl LazyKBest {
    /// A search for the derivations of the goal of `forest`.
    pub(crate) fn search<'a, F: Forest>(&'a mut self, forest: &'a F) -> Search<'a, F> {
        self.nodes.clear();
        self.progress.clear();
        self.progress_of.clear();
        self.progress_of.resize(forest.items(), NONE);
        Search { forest, memory: self, current: NONE }
    }
}

/// The next derivation of a part: known, known not to exist, or not yet looked for.
enum Next {
    Known(NodeId),
    Exhausted,
    Unknown,
}

/// A search in progress: [`advance`](Self::advance), then [`visit`](Self::visit), and again.
pub(crate) struct Search<'a, F> {
    forest: &'a F,
    memory: &'a mut LazyKBest,
    /// The derivation of the goal that is visited, `NONE` before the first.
    current: NodeId,
}

impl<F: Forest> Search<'_, F> {
    /// Goes to the next best derivation of the goal; `false` if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        let goal = self.forest.goal();
        if self.current == NONE {
            self.current = FIRST;
            return true;
        }
        if let Next::Unknown = self.next(goal, self.current) {
            self.memory.waiting.clear();
            self.memory.waiting.push(goal);
            self.work_off();
        }
        match self.next(goal, self.current) {
            Next::Known(node) => {
                self.current = node;
                true
            }
            _ => false,
        }
    }

    /// Calls `found` with every item of the current derivation that is not an axiom, and its split.
    pub(crate) fn visit(&mut self, mut found: impl FnMut(ItemId, u32)) {
        self.memory.to_visit.clear();
        self.memory.to_visit.push((self.forest.goal(), self.current));
        while let Some((item, node)) = self.memory.to_visit.pop() {
            if self.is_axiom(item) {
                continue;
            }
            let node = if node == FIRST { self.progress(item).first } else { node };
            let Node { split, parts, .. } = self.memory.nodes[node as usize];
            found(item, split);
            let items = self.forest.parts(item, split);
            self.memory.to_visit.extend(items.into_iter().zip(parts));
        }
    }

    fn is_axiom(&self, item: ItemId) -> bool {
        item == NOTHING || self.forest.is_axiom(item)
    }

    fn next(&self, item: ItemId, node: NodeId) -> Next {
        if self.is_axiom(item) {
            return Next::Exhausted;
        }
        let index = self.memory.progress_of[item as usize];
        if index == NONE {
            return Next::Unknown;
        }
        let progress = self.memory.progress[index as usize];
        let node = if node == FIRST { progress.first } else { node };
        match self.memory.nodes[node as usize].next {
            NONE if progress.exhausted => Next::Exhausted,
            NONE => Next::Unknown,
            next => Next::Known(next),
        }
    }

    /// The progress of an item, started with its best derivation if need be.
    fn progress(&mut self, item: ItemId) -> &mut Progress {
        let mut index = self.memory.progress_of[item as usize];
        if index == NONE {
            index = self.memory.progress.len() as u32;
            self.memory.progress_of[item as usize] = index;
            let split = self.forest.best_split(item);
            let first = self.add(self.forest.best(item), split, [FIRST; 2]);
            let heap = NONE;
            let (opened, exhausted) = (false, false);
            self.memory.progress.push(Progress { first, last: first, heap, opened, exhausted });
        }
        &mut self.memory.progress[index as usize]
    }

    /// Finds one more derivation, or the lack of one, for every waiting item.
    ///
    /// An item whose last derivation has parts with unknown successors waits until these are known.
    fn work_off(&mut self) {
        while let Some(&item) = self.memory.waiting.last() {
            let Progress { last, opened, .. } = *self.progress(item);
            if !opened {
                self.open(item);
            }
            let Node { split, parts, .. } = self.memory.nodes[last as usize];
            let items = self.forest.parts(item, split);
            // Moving the first part only while the second is at its best reaches each pair once.
            let movable = if parts[1] == FIRST { 0..2 } else { 1..2 };
            let unknown = |&at: &usize| matches!(self.next(items[at], parts[at]), Next::Unknown);
            if let Some(at) = movable.clone().find(unknown) {
                self.memory.waiting.push(items[at]);
                continue;
            }
            for at in movable {
                if let Next::Known(next) = self.next(items[at], parts[at]) {
                    let mut moved = parts;
                    moved[at] = next;
                    self.propose(item, split, moved);
                }
            }
            self.promote(item, last);
            self.memory.waiting.pop();
        }
    }

    /// Fills the heap of an item with the best derivation of every split but the best, already listed.
    fn open(&mut self, item: ItemId) {
        let listed = self.progress(item).first;
        let listed = self.memory.nodes[listed as usize].split;
        let forest = self.forest;
        forest.each_split(item, |split, score| {
            if split != listed && score > f64::NEG_INFINITY {
                let node = self.add(score, split, [FIRST; 2]);
                self.insert(item, node);
            }
        });
        self.progress(item).opened = true;
    }

    /// Makes a candidate of the given derivations of the parts of a split.
    fn propose(&mut self, item: ItemId, split: u32, parts: [NodeId; 2]) {
        let items = self.forest.parts(item, split);
        let [a, b] = [0, 1].map(|at| match (items[at], parts[at]) {
            (NOTHING, _) => 0.0,
            (part, FIRST) => self.forest.best(part),
            (_, node) => self.memory.nodes[node as usize].score,
        });
        let score = a + b + self.forest.own_score(item, split);
        let node = self.add(score, split, parts);
        self.insert(item, node);
    }

    /// Moves the best candidate to the end of the item's list.
    fn promote(&mut self, item: ItemId, last: NodeId) {
        let best = self.progress(item).heap;
        if best == NONE {
            self.progress(item).exhausted = true;
            return;
        }
        let rest = self.meld_siblings(self.memory.nodes[best as usize].child);
        self.memory.nodes[last as usize].next = best;
        let progress = self.progress(item);
        progress.heap = rest;
        progress.last = best;
    }

    fn add(&mut self, score: f64, split: u32, parts: [NodeId; 2]) -> NodeId {
        let (next, child, sibling) = (NONE, NONE, NONE);
        self.memory.nodes.push(Node { score, split, parts, next, child, sibling });
        self.memory.nodes.len() as NodeId - 1
    }

    fn insert(&mut self, item: ItemId, node: NodeId) {
        let heap = self.progress(item).heap;
        let heap = self.meld(heap, node);
        self.progress(item).heap = heap;
    }

    /// One heap from two; of equals the older node stays on top.
    fn meld(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == NONE || b == NONE {
            return if a == NONE { b } else { a };
        }
        let nodes = &mut self.memory.nodes;
        let (score_a, score_b) = (nodes[a as usize].score, nodes[b as usize].score);
        let b_wins = score_b > score_a || (score_b == score_a && b < a);
        let (top, under) = if b_wins { (b, a) } else { (a, b) };
        nodes[under as usize].sibling = nodes[top as usize].child;
        nodes[top as usize].child = under;
        top
    }

    /// One heap from a list of siblings: melded in pairs, then the pairs from the last to the first.
    fn meld_siblings(&mut self, mut node: NodeId) -> NodeId {
        let mut pairs = NONE;
        while node != NONE {
            let second = self.memory.nodes[node as usize].sibling;
            let rest =
                if second == NONE { NONE } else { self.memory.nodes[second as usize].sibling };
            let pair = self.meld(node, second);
            self.memory.nodes[pair as usize].sibling = pairs;
            pairs = pair;
            node = rest;
        }
        let mut heap = NONE;
        while pairs != NONE {
            let next = self.memory.nodes[pairs as usize].sibling;
            heap = self.meld(heap, pairs);
            pairs = next;
        }
        heap
    }
}
