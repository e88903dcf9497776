//! The contraction of cycles, and its undoing.
//!
//! Nodes `0..=n` are the root and the words, later nodes are contracted cycles. For an outside head `u`
//! and a node `v`, the *gain* of `u → v` is the score of the best arc from `u` into a word of `v` minus
//! what the tree inside `v` loses by being entered there:
//!
//! * for a word, `gain(u, v) = score(u, v)`;
//! * for a cycle with members `m`, `gain(u, v) = max over m of gain(u, m) − gain(best head of m, m)`.
//!
//! The report's contracted score is the gain plus the score of the cycle, a constant that decides nothing.
//! Gains are kept per *word* head, never merged over the heads inside one node: the head's node is looked
//! up instead. So a contraction only reads and writes whole rows.
//!
//! Words are read from the score table and cycles get a row of their own, so the cost is one pass over
//! the table plus one row for each node that is swallowed.

use crate::heads::{Heads, RootMode};
use crate::scores::ArcScores;

const NONE: u32 = u32::MAX;
const FORBIDDEN: f64 = f64::NEG_INFINITY;

/// What the search knows about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Untouched,
    /// On the path of best heads that is being followed.
    OnPath,
    /// Known to hang from the root.
    Attached,
}

/// A word or a contracted cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The best arc into this node: head and child are words (or the root).
    pub(super) head: u32,
    pub(super) child: u32,
    /// The gain of that arc.
    pub(super) gain: f64,
    /// The cycle that swallowed this node, if any.
    pub(super) parent: u32,
    /// First and last word inside, in the list threaded through `Contraction::next_word`.
    first: u32,
    last: u32,
    state: State,
}

/// The contraction forest of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Contraction {
    width: usize,
    pub(super) nodes: Vec<Node>,
    /// One row of gains for each cycle, indexed by head.
    rows: Vec<f64>,
    /// Outermost node of each word.
    outermost: Vec<u32>,
    /// For each word, the summed gains of the swallowed nodes around it: what entering at it gives up.
    given_up: Vec<f64>,
    next_word: Vec<u32>,
    path: Vec<u32>,
    /// Whether a node is entered by the best arc of a node around it; see [`Self::expand`].
    entered: Vec<bool>,
}

impl Contraction {
    /// Finds the best head of every node, contracting cycles; `false` if some node has no head at all.
    pub(super) fn contract(&mut self, scores: &ArcScores, mode: RootMode) -> bool {
        self.reset(scores.words());
        for word in 1..self.width {
            let mut node = self.outermost[word];
            while self.nodes[node as usize].state != State::Attached {
                self.nodes[node as usize].state = State::OnPath;
                self.path.push(node);
                let Some(head) = self.choose_head(scores, mode, node) else {
                    return false;
                };
                node = self.outermost[head as usize];
                if self.nodes[node as usize].state == State::OnPath {
                    node = self.contract_cycle(scores, node);
                }
            }
            for node in self.path.drain(..) {
                self.nodes[node as usize].state = State::Attached;
            }
        }
        true
    }

    /// Writes the tree: outer nodes first, each entered by its best arc unless an outer arc enters it.
    pub(super) fn expand(&mut self, tree: &mut Heads) {
        tree.reset(self.width - 1);
        self.entered.clear();
        self.entered.resize(self.nodes.len(), false);
        for outer in (1..self.nodes.len()).rev() {
            if self.entered[outer] {
                continue;
            }
            let Node { head, child, .. } = self.nodes[outer];
            tree.attach(head as usize, child as usize);
            let mut inner = child as usize;
            while inner != outer {
                self.entered[inner] = true;
                inner = self.nodes[inner].parent as usize;
            }
        }
    }

    /// The nodes whose best arc is in the tree that [`Self::expand`] wrote: one per word.
    pub(super) fn is_exposed(&self, node: usize) -> bool {
        !self.entered[node]
    }

    /// The words inside a node.
    pub(super) fn words_of(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let Node { first, last, .. } = self.nodes[node];
        let next = move |&word: &u32| (word != last).then(|| self.next_word[word as usize]);
        std::iter::successors(Some(first), next).map(|word| word as usize)
    }

    /// The gains of a contracted cycle, indexed by head.
    pub(super) fn cycle_row(&self, node: usize) -> &[f64] {
        let start = (node - self.width) * self.width;
        &self.rows[start..start + self.width]
    }

    /// Whether a node is a word rather than a cycle.
    pub(super) fn is_word(&self, node: usize) -> bool {
        node < self.width
    }

    fn reset(&mut self, words: usize) {
        self.width = words + 1;
        self.rows.clear();
        self.path.clear();
        self.nodes.clear();
        self.nodes.extend((0..self.width as u32).map(|word| Node {
            head: NONE,
            child: word,
            gain: FORBIDDEN,
            parent: NONE,
            first: word,
            last: word,
            state: if word == 0 { State::Attached } else { State::Untouched },
        }));
        self.outermost.clear();
        self.outermost.extend(0..self.width as u32);
        self.next_word.clear();
        self.next_word.resize(self.width, NONE);
        self.given_up.clear();
        self.given_up.resize(self.width, 0.0);
    }

    /// Records the best arc into a node and returns its head.
    fn choose_head(&mut self, scores: &ArcScores, mode: RootMode, node: u32) -> Option<u32> {
        let index = node as usize;
        let (head, child, gain) = if self.is_word(index) {
            let (head, score) = best_head(scores.heads_of(index), mode)?;
            (head, index, f64::from(score))
        } else {
            let (head, gain) = best_head(self.cycle_row(index), mode)?;
            (head, self.best_entry(scores, index, head), gain)
        };
        let chosen = &mut self.nodes[index];
        (chosen.head, chosen.child, chosen.gain) = (head as u32, child as u32, gain);
        Some(chosen.head)
    }

    /// The word at which an arc from `head` enters a cycle.
    fn best_entry(&self, scores: &ArcScores, node: usize, head: usize) -> usize {
        let mut best = (0, FORBIDDEN);
        for word in self.words_of(node) {
            let gain = f64::from(scores.score(head, word)) - self.given_up[word];
            if gain > best.1 || (gain == best.1 && word < best.0) {
                best = (word, gain);
            }
        }
        best.0
    }

    /// Contracts the end of the path, from `start` on, and returns the new node.
    fn contract_cycle(&mut self, scores: &ArcScores, start: u32) -> u32 {
        let cycle = self.nodes.len() as u32;
        let row_start = self.rows.len();
        self.rows.resize(row_start + self.width, FORBIDDEN);
        let (mut first, mut last) = (NONE, NONE);
        while let Some(member) = self.path.pop() {
            self.merge_row(scores, member as usize, row_start);
            let swallowed = &mut self.nodes[member as usize];
            swallowed.parent = cycle;
            let Node { first: member_first, last: member_last, .. } = *swallowed;
            if first == NONE {
                first = member_first;
            } else {
                self.next_word[last as usize] = member_first;
            }
            last = member_last;
            if member == start {
                break;
            }
        }
        let state = State::Untouched;
        let node =
            Node { head: NONE, child: NONE, gain: FORBIDDEN, parent: NONE, first, last, state };
        self.nodes.push(node);
        self.forbid_inner_heads(cycle, row_start);
        cycle
    }

    /// Takes the gains of a member, less that of its best arc, into the row of its cycle.
    fn merge_row(&mut self, scores: &ArcScores, member: usize, row_start: usize) {
        let gain = self.nodes[member].gain;
        let member_row = member.checked_sub(self.width).map(|cycle| cycle * self.width);
        let (earlier, row) = self.rows.split_at_mut(row_start);
        if let Some(start) = member_row {
            raise(row, earlier[start..start + self.width].iter().map(|&other| other - gain));
        } else {
            raise(row, scores.heads_of(member).iter().map(|&score| f64::from(score) - gain));
        }
        let Node { first, last, .. } = self.nodes[member];
        let mut word = first;
        loop {
            self.given_up[word as usize] += gain;
            if word == last {
                break;
            }
            word = self.next_word[word as usize];
        }
    }

    fn forbid_inner_heads(&mut self, cycle: u32, row_start: usize) {
        let Node { first, last, .. } = self.nodes[cycle as usize];
        let mut word = first;
        loop {
            self.rows[row_start + word as usize] = FORBIDDEN;
            self.outermost[word as usize] = cycle;
            if word == last {
                break;
            }
            word = self.next_word[word as usize];
        }
    }
}

/// Raises every element of `row` to at least the corresponding value.
fn raise(row: &mut [f64], values: impl Iterator<Item = f64>) {
    for (cell, value) in row.iter_mut().zip(values) {
        *cell = if value > *cell { value } else { *cell };
    }
}

/// The lowest of the best heads of a row; with one root child, the root only if nothing else is left.
fn best_head<T: Copy + PartialOrd + Into<f64>>(row: &[T], mode: RootMode) -> Option<(usize, T)> {
    let allowed = |&(_, gain): &(usize, T)| gain.into() > FORBIDDEN;
    match mode {
        RootMode::Many => first_largest(row).filter(allowed),
        RootMode::One => {
            let word = first_largest(&row[1..]).map(|(at, gain)| (at + 1, gain));
            word.filter(allowed).or_else(|| Some((0, row[0])).filter(allowed))
        }
    }
}

/// The largest element of a row without NaN, and its first place.
///
/// Both passes work on whole chunks without branches, so that the compiler can use vector instructions.
fn first_largest<T: Copy + PartialOrd>(row: &[T]) -> Option<(usize, T)> {
    const LANES: usize = 8;
    let max = |a: T, b: T| if b > a { b } else { a };
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [*row.first()?; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = max(lanes[lane], chunk[lane]);
        }
    }
    for half in [4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = max(lanes[lane], lanes[lane + half]);
        }
    }
    let largest = rest.iter().copied().fold(lanes[0], max);
    let has_it = |chunk: &[T; LANES]| chunk.iter().fold(false, |found, &x| found | (x == largest));
    let start = LANES * chunks.iter().position(has_it).unwrap_or(chunks.len());
    let place = row[start..].iter().position(|&x| x == largest)?;
    Some((start + place, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of McDonald et al. (2006), appendix A: words John, saw, Mary.
    fn worked_example() -> ArcScores {
        let table = [[9.0, 10.0, 9.0], [0.0, 20.0, 3.0], [30.0, 0.0, 30.0], [11.0, 0.0, 0.0]];
        ArcScores::from_fn(3, |head, child| table[head][child - 1])
    }

    #[test]
    fn contracted_scores_of_the_worked_example() {
        let scores = worked_example();
        let mut contraction = Contraction::default();
        assert!(contraction.contract(&scores, RootMode::Many));
        let cycle = 4;
        assert_eq!(contraction.nodes.len(), 5);
        let mut members: Vec<_> = contraction.words_of(cycle).collect();
        members.sort_unstable();
        assert_eq!(members, [1, 2]);
        let cycle_score = contraction.nodes[1].gain + contraction.nodes[2].gain;
        assert_eq!(cycle_score, 50.0);
        let row = contraction.cycle_row(cycle);
        assert_eq!(row[0] + cycle_score, 40.0);
        assert_eq!(row[3] + cycle_score, 31.0);
        assert_eq!((row[1], row[2]), (FORBIDDEN, FORBIDDEN));
        // Arcs out of the cycle are not merged: the best of them is the best word head of Mary.
        assert_eq!(best_head(scores.heads_of(3), RootMode::One), Some((2, 30.0)));
        assert_eq!(scores.score(0, 3), 9.0);
        // The cycle is entered from the root at "saw".
        assert_eq!((contraction.nodes[cycle].head, contraction.nodes[cycle].child), (0, 2));
    }

    #[test]
    fn largest_looks_everywhere() {
        for len in 1..40 {
            for at in 0..len {
                let mut row = vec![f32::NEG_INFINITY; len];
                row[at] = 1.0;
                assert_eq!(best_head(&row, RootMode::Many), Some((at, 1.0)));
            }
        }
        assert_eq!(best_head(&[f32::NEG_INFINITY; 3], RootMode::One), None);
        assert_eq!(best_head(&[0.0f32, 0.0, 0.0], RootMode::Many), Some((0, 0.0)));
        assert_eq!(best_head(&[7.0f32, 0.0, 0.0], RootMode::One), Some((1, 0.0)));
    }
}
