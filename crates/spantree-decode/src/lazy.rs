//! The k best derivations of a hypergraph, computed only as far as needed (Huang and Chiang, 2005,
//! algorithm 3).
//!
//! A chart with best scores is given as a [`Forest`]: every item has splits, every split two parts. The
//! next best derivation of an item takes its last one and moves one of the two parts to *its* next best
//! derivation. So a request goes down only along derivations that are being replaced, and an item that
//! no good tree uses is never looked at. The chart's values serve as the first derivation of every item,
//! whose split is looked up when it is asked for.
//!
//! Used by [`Eisner`](crate::eisner), [`HigherOrderEisner`](crate::higher_order) and the [chain](crate::chain). O(m) to open an item with m splits
//! and O(log m) for each derivation after that. No recursion: depth grows with sentences.

/// Index of a [`Node`].
type NodeId = u32;
const NONE: NodeId = u32::MAX;
/// In place of a node: the best derivation of an item, which may not have a node yet.
const FIRST: NodeId = u32::MAX - 1;

/// A chart of best scores.
pub(crate) trait Forest {
    /// An item of the chart.
    type Item: Copy;

    /// Number of items.
    fn items(&self) -> usize;
    /// The number of an item, below [`items`](Self::items); not asked for axioms.
    fn index(&self, item: Self::Item) -> usize;
    /// The item whose derivations are wanted.
    fn goal(&self) -> Self::Item;
    /// Whether an item has exactly one derivation, without parts.
    fn is_axiom(&self, item: Self::Item) -> bool;
    /// The best score of an item.
    fn best(&self, item: Self::Item) -> f64;
    /// The split that gives it; not asked for axioms.
    fn best_split(&self, item: Self::Item) -> u32;
    /// Visits every split with its best score.
    fn each_split(&self, item: Self::Item, visit: impl FnMut(u32, f64));
    /// The parts of a split.
    fn parts(&self, item: Self::Item, split: u32) -> [Self::Item; 2];
    /// What a split scores besides its parts.
    fn own_score(&self, item: Self::Item, split: u32) -> f64;
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
    /// Pairing heap: first child, and next child of the same parent.
    child: NodeId,
    sibling: NodeId,
}

/// Derivations and candidates of all items.
#[derive(Clone, Debug, Default)]
struct Nodes(Vec<Node>);

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
    /// Whether the best derivation of the goal uses this item.
    in_best: bool,
}

/// Memory of the search.
#[derive(Clone, Debug)]
pub(crate) struct LazyKBest<I> {
    nodes: Nodes,
    progress: Vec<Progress>,
    /// Index into `progress` for each item, or `NONE`.
    progress_of: Vec<u32>,
    /// Items that wait for a next derivation.
    waiting: Vec<I>,
    /// Derivations still to be visited.
    to_visit: Vec<(I, NodeId)>,
}

impl<I> Default for LazyKBest<I> {
    fn default() -> Self {
        let (nodes, progress, progress_of) = (Nodes::default(), Vec::new(), Vec::new());
        Self { nodes, progress, progress_of, waiting: Vec::new(), to_visit: Vec::new() }
    }
}

impl<I: Copy> LazyKBest<I> {
    /// A search for the derivations of the goal of `forest`.
    pub(crate) fn search<'a, F: Forest<Item = I>>(&'a mut self, forest: &'a F) -> Search<'a, F> {
        self.nodes.0.clear();
        self.progress.clear();
        self.progress_of.clear();
        self.progress_of.resize(forest.items(), NONE);
        Search { forest, memory: self, current: NONE }
    }
}

/// The next derivation of a part: known, known not to exist, or not yet looked for.
#[derive(Clone, Copy)]
enum Next {
    Known(NodeId),
    Exhausted,
    Unknown,
}

/// A search in progress: [`advance`](Self::advance), then [`visit`](Self::visit), and again.
pub(crate) struct Search<'a, F: Forest> {
    forest: &'a F,
    memory: &'a mut LazyKBest<F::Item>,
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
        let next = self.next(goal, self.current);
        if let Next::Known(node) = next {
            self.current = node;
        }
        matches!(next, Next::Known(_))
    }

    /// Calls `found` with the items of the current derivation that are not axioms, and their splits; after
    /// the first derivation, only where it differs from the first.
    ///
    /// An item at its best has the same derivation everywhere, so it can be left out with all below it if
    /// the best derivation of the goal uses it. This keeps lists of k trees from costing k whole trees.
    pub(crate) fn visit(&mut self, mut found: impl FnMut(F::Item, u32)) {
        let in_best = self.current == FIRST;
        self.memory.to_visit.clear();
        self.plan_visit(self.forest.goal(), self.current);
        while let Some((item, mut node)) = self.memory.to_visit.pop() {
            if node == FIRST {
                let index = self.progress_of(item);
                let progress = &mut self.memory.progress[index];
                if progress.in_best {
                    continue;
                }
                progress.in_best = in_best;
                node = progress.first;
            }
            let Node { split, parts, .. } = *self.memory.nodes.get(node);
            found(item, split);
            let [a, b] = self.forest.parts(item, split);
            self.plan_visit(a, parts[0]);
            self.plan_visit(b, parts[1]);
        }
    }

    fn plan_visit(&mut self, item: F::Item, node: NodeId) {
        if !self.forest.is_axiom(item) {
            self.memory.to_visit.push((item, node));
        }
    }

    fn next(&self, item: F::Item, node: NodeId) -> Next {
        if self.forest.is_axiom(item) {
            return Next::Exhausted;
        }
        let index = self.memory.progress_of[self.forest.index(item)];
        if index == NONE {
            return Next::Unknown;
        }
        let progress = &self.memory.progress[index as usize];
        let node = if node == FIRST { progress.first } else { node };
        match self.memory.nodes.get(node).next {
            NONE if progress.exhausted => Next::Exhausted,
            NONE => Next::Unknown,
            next => Next::Known(next),
        }
    }

    /// The index of an item's progress, started with its best derivation if need be.
    fn progress_of(&mut self, item: F::Item) -> usize {
        let index = &mut self.memory.progress_of[self.forest.index(item)];
        if *index == NONE {
            *index = self.memory.progress.len() as u32;
            let split = self.forest.best_split(item);
            let first = self.memory.nodes.add(self.forest.best(item), split, [FIRST; 2]);
            self.memory.progress.push(Progress {
                first,
                last: first,
                heap: NONE,
                opened: false,
                exhausted: false,
                in_best: false,
            });
        }
        *index as usize
    }

    /// Finds one more derivation, or the lack of one, for every waiting item.
    ///
    /// An item whose last derivation has parts with unknown successors waits until these are known.
    fn work_off(&mut self) {
        while let Some(&item) = self.memory.waiting.last() {
            let index = self.progress_of(item);
            let last = self.memory.progress[index].last;
            let Node { split, parts, .. } = *self.memory.nodes.get(last);
            let items = self.forest.parts(item, split);
            // Moving the first part only while the second is at its best reaches each pair once.
            let movable = if parts[1] == FIRST { [true, true] } else { [false, true] };
            let next = |at: usize| match movable[at] {
                true => self.next(items[at], parts[at]),
                false => Next::Exhausted,
            };
            match [next(0), next(1)] {
                [Next::Unknown, _] => self.memory.waiting.push(items[0]),
                [_, Next::Unknown] => self.memory.waiting.push(items[1]),
                successors => {
                    self.extend(item, index, successors);
                    self.memory.waiting.pop();
                }
            }
        }
    }

    /// Appends the best candidate to the list of an item whose last derivation has these successors.
    fn extend(&mut self, item: F::Item, index: usize, successors: [Next; 2]) {
        let Progress { last, mut heap, opened, .. } = self.memory.progress[index];
        if !opened {
            heap = self.open(item, last);
        }
        let Node { split, parts, .. } = *self.memory.nodes.get(last);
        for (at, next) in successors.into_iter().enumerate() {
            if let Next::Known(next) = next {
                let mut moved = parts;
                moved[at] = next;
                let candidate = self.propose(item, split, moved);
                heap = self.memory.nodes.meld(heap, candidate);
            }
        }
        let progress = &mut self.memory.progress[index];
        progress.opened = true;
        if heap == NONE {
            progress.exhausted = true;
            return;
        }
        progress.last = heap;
        self.memory.nodes.get_mut(last).next = heap;
        progress.heap = self.memory.nodes.meld_children(heap);
    }

    /// A heap with the best derivation of every split but that of `listed`.
    fn open(&mut self, item: F::Item, listed: NodeId) -> NodeId {
        let nodes = &mut self.memory.nodes;
        let listed_split = nodes.get(listed).split;
        let mut heap = NONE;
        self.forest.each_split(item, |split, score| {
            if split != listed_split && score > f64::NEG_INFINITY {
                let candidate = nodes.add(score, split, [FIRST; 2]);
                heap = nodes.meld(heap, candidate);
            }
        });
        heap
    }

    /// A candidate made of the given derivations of the parts of a split.
    fn propose(&mut self, item: F::Item, split: u32, parts: [NodeId; 2]) -> NodeId {
        let items = self.forest.parts(item, split);
        let score = |at: usize| match parts[at] {
            FIRST => self.forest.best(items[at]),
            node => self.memory.nodes.get(node).score,
        };
        let score = score(0) + score(1) + self.forest.own_score(item, split);
        self.memory.nodes.add(score, split, parts)
    }
}

impl Nodes {
    fn get(&self, node: NodeId) -> &Node {
        &self.0[node as usize]
    }

    fn get_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.0[node as usize]
    }

    fn add(&mut self, score: f64, split: u32, parts: [NodeId; 2]) -> NodeId {
        let (next, child, sibling) = (NONE, NONE, NONE);
        self.0.push(Node { score, split, parts, next, child, sibling });
        self.0.len() as NodeId - 1
    }

    /// One heap from two; of equals the older node stays on top.
    fn meld(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == NONE || b == NONE {
            return if a == NONE { b } else { a };
        }
        let (score_a, score_b) = (self.get(a).score, self.get(b).score);
        let b_wins = score_b > score_a || (score_b == score_a && b < a);
        let (top, under) = if b_wins { (b, a) } else { (a, b) };
        self.get_mut(under).sibling = self.get(top).child;
        self.get_mut(top).child = under;
        top
    }

    /// The heap that remains when its top is taken: children melded in pairs, then the pairs from the
    /// last to the first.
    fn meld_children(&mut self, top: NodeId) -> NodeId {
        let (mut node, mut pairs) = (self.get(top).child, NONE);
        while node != NONE {
            let second = self.get(node).sibling;
            let rest = if second == NONE { NONE } else { self.get(second).sibling };
            let pair = self.meld(node, second);
            self.get_mut(pair).sibling = pairs;
            pairs = pair;
            node = rest;
        }
        let mut heap = NONE;
        while pairs != NONE {
            let next = self.get(pairs).sibling;
            heap = self.meld(heap, pairs);
            pairs = next;
        }
        heap
    }
}
