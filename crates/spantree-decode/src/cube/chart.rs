//! Cells, hypotheses and the order in which they come up.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::{CubeModel, CubePruning, LabelledArc, Modifier, Modifiers, Step};
use crate::heads::RootMode;
use crate::scores::LabelId;

/// A place of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A word with its modifiers up to an end, which may be the word itself.
    Half(usize, usize),
    /// Head and child, with all that is between them.
    Arc(usize, usize),
}

/// One way to fill a cell.
#[derive(Clone, Copy, Debug)]
struct Hypothesis {
    score: f64,
    /// The modifiers of the head.
    own: Modifiers,
    /// In arcs: the modifiers of the child, and the label.
    inside: Modifiers,
    label: LabelId,
    /// The child; the head itself where it has no modifiers.
    child: usize,
    /// In arcs, the hypotheses of the head and of the child; in halves, those of the arc and of the child.
    parts: [u32; 2],
}

/// Memory of [`CubePruning`].
#[derive(Clone, Debug, Default)]
pub struct CubeScratch {
    hypotheses: Vec<Hypothesis>,
    /// Ranges of `hypotheses`, best first, by head and end.
    halves: Vec<Range<u32>>,
    arcs: Vec<Range<u32>>,
    grids: Vec<Grid>,
    queue: BinaryHeap<Candidate>,
    list: Vec<Hypothesis>,
}

/// Two lists of hypotheses to be joined.
#[derive(Clone, Debug)]
struct Grid {
    child: usize,
    lists: [Range<u32>; 2],
}

/// A point of a grid, with what comes out of it.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    result: Hypothesis,
    grid: usize,
    /// Places in the two lists, and of the label.
    at: [usize; 3],
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = |candidate: &Self| (candidate.grid, candidate.at);
        // Of equal scores the first place.
        self.result.score.total_cmp(&other.result.score).then(places(other).cmp(&places(self)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// A chart for one sentence.
#[derive(Debug)]
pub(super) struct Chart<'a, M> {
    settings: CubePruning,
    model: &'a M,
    scratch: &'a mut CubeScratch,
}

impl<'a, M: CubeModel> Chart<'a, M> {
    pub(super) fn new(settings: CubePruning, model: &'a M, scratch: &'a mut CubeScratch) -> Self {
        Self { settings, model, scratch }
    }

    /// Fills all cells, shorter ones first.
    pub(super) fn fill(&mut self) {
        let words = self.model.words();
        let CubeScratch { hypotheses, halves, arcs, .. } = &mut *self.scratch;
        hypotheses.clear();
        for cells in [halves, arcs] {
            cells.clear();
            cells.resize((words + 1) * (words + 1), 0..0);
        }
        for word in 0..=words {
            let empty = Modifiers::default();
            self.scratch.list.clear();
            self.scratch.list.push(Hypothesis {
                score: 0.0,
                own: empty,
                inside: empty,
                label: 0,
                child: word,
                parts: [0; 2],
            });
            self.store(Cell::Half(word, word));
        }
        for length in 1..=words {
            for start in 0..=words - length {
                let end = start + length;
                self.fill_cell(Cell::Arc(start, end));
                self.fill_cell(Cell::Half(start, end));
                if start > 0 {
                    self.fill_cell(Cell::Arc(end, start));
                    self.fill_cell(Cell::Half(end, start));
                }
            }
        }
    }

    fn fill_cell(&mut self, cell: Cell) {
        self.list_grids(cell);
        self.scratch.list.clear();
        self.scratch.queue.clear();
        for grid in 0..self.scratch.grids.len() {
            self.queue(cell, grid, [0; 3]);
        }
        while let Some(candidate) = self.scratch.queue.pop() {
            let Candidate { grid, at: [first, second, label], .. } = candidate;
            // Every point of a grid is reached along one way: by label, then by the second list, then the first.
            self.queue(cell, grid, [first, second, label + 1]);
            if label == 0 {
                self.queue(cell, grid, [first, second + 1, 0]);
                if second == 0 {
                    self.queue(cell, grid, [first + 1, 0, 0]);
                }
            }
            self.admit(candidate.result);
            if self.scratch.list.len() >= self.settings.beam {
                break;
            }
        }
        self.scratch.list.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.store(cell);
    }

    /// Lists the pairs of cells that a cell can be made of.
    fn list_grids(&mut self, cell: Cell) {
        let width = self.model.words() + 1;
        let CubeScratch { grids, halves, arcs, .. } = &mut *self.scratch;
        let half = |head: usize, end: usize| halves[head * width + end].clone();
        grids.clear();
        match cell {
            Cell::Arc(head, child) if self.model.labels(head, child).is_empty() => {}
            Cell::Arc(head, child) if head < child => {
                // One root child has no sibling.
                let only_first = head == 0 && self.settings.mode == RootMode::One;
                let splits = if only_first { head..head + 1 } else { head..child };
                grids.extend(splits.map(|split| Grid {
                    child,
                    lists: [half(head, split), half(child, split + 1)],
                }));
            }
            Cell::Arc(head, child) => {
                grids.extend((child..head).map(|split| Grid {
                    child,
                    lists: [half(head, split + 1), half(child, split)],
                }));
            }
            Cell::Half(head, end) => {
                let children = if head < end { head + 1..end + 1 } else { end..head };
                grids.extend(children.map(|child| Grid {
                    child,
                    lists: [arcs[head * width + child].clone(), half(child, end)],
                }));
            }
        }
        grids.retain(|grid| grid.lists.iter().all(|list| !list.is_empty()));
    }

    /// Puts a point of a grid into the queue, if there is one.
    fn queue(&mut self, cell: Cell, grid: usize, at: [usize; 3]) {
        let Grid { child, lists: [first, second] } = &self.scratch.grids[grid];
        let parts = [first.start + at[0] as u32, second.start + at[1] as u32];
        if parts[0] >= first.end || parts[1] >= second.end {
            return;
        }
        let [one, other] = parts.map(|part| &self.scratch.hypotheses[part as usize]);
        let result = match cell {
            Cell::Arc(head, child) => {
                let Some(&label) = self.model.labels(head, child).get(at[2]) else { return };
                let arc = LabelledArc { head, child, label };
                let step = Step::Attach { arc, siblings: one.own, inside: other.own };
                let score = one.score + other.score + self.model.score(&step);
                let modifier = Modifier { word: child as u32, label };
                let own = one.own.with(modifier, self.settings.memory);
                Hypothesis { score, own, inside: other.own, label, child, parts }
            }
            Cell::Half(head, _) => {
                if at[2] > 0 {
                    return;
                }
                let step = complete(head, one, other);
                let score = one.score + other.score + self.model.score(&step);
                let inside = Modifiers::default();
                Hypothesis { score, own: one.own, inside, label: 0, child: *child, parts }
            }
        };
        if result.score > f64::NEG_INFINITY {
            self.scratch.queue.push(Candidate { result, grid, at });
        }
    }

    /// Takes a hypothesis into the list, unless one with its signature is better, or enough with its structure
    /// are there.
    fn admit(&mut self, result: Hypothesis) {
        let signature = |one: &Hypothesis| (one.label, one.own, one.inside);
        let structure = |one: &Hypothesis| (one.own.bare(), one.inside.bare());
        let list = &mut self.scratch.list;
        if let Some(same) = list.iter_mut().find(|other| signature(other) == signature(&result)) {
            if result.score > same.score {
                *same = result;
            }
            return;
        }
        let like = list.iter().filter(|other| structure(other) == structure(&result)).count();
        if like < self.settings.labellings {
            list.push(result);
        }
    }

    fn store(&mut self, cell: Cell) {
        let CubeScratch { hypotheses, halves, arcs, list, .. } = &mut *self.scratch;
        let start = hypotheses.len() as u32;
        hypotheses.extend_from_slice(list);
        let width = self.model.words() + 1;
        let (cells, place) = match cell {
            Cell::Half(head, end) => (halves, head * width + end),
            Cell::Arc(head, child) => (arcs, head * width + child),
        };
        cells[place] = start..hypotheses.len() as u32;
    }

    /// The score and the place of the cell's best hypothesis, as a start of [`each_step`](Self::each_step).
    pub(super) fn best(&self, cell: Cell) -> Option<(f64, (Cell, u32))> {
        let width = self.model.words() + 1;
        let list = match cell {
            Cell::Half(head, end) => &self.scratch.halves[head * width + end],
            Cell::Arc(head, child) => &self.scratch.arcs[head * width + child],
        };
        let first = list.clone().next()?;
        Some((self.scratch.hypotheses[first as usize].score, (cell, first)))
    }

    /// The same for the whole sentence.
    pub(super) fn goal(&self) -> Option<(f64, (Cell, u32))> {
        self.best(Cell::Half(0, self.model.words()))
    }

    /// Visits the steps of a hypothesis.
    pub(super) fn each_step(&self, start: (Cell, u32), mut visit: impl FnMut(Step)) {
        let mut open = vec![start];
        while let Some((cell, place)) = open.pop() {
            let Hypothesis { child, label, inside, parts, .. } =
                self.scratch.hypotheses[place as usize];
            let [one, other] = parts.map(|part| &self.scratch.hypotheses[part as usize]);
            // Only the kind of a cell and its head are looked at below.
            let half = |head: usize| Cell::Half(head, head);
            match cell {
                Cell::Arc(head, _) => {
                    let arc = LabelledArc { head, child, label };
                    visit(Step::Attach { arc, siblings: one.own, inside });
                    open.extend([(half(head), parts[0]), (half(child), parts[1])]);
                }
                Cell::Half(head, _) if child != head => {
                    visit(complete(head, one, other));
                    open.extend([(Cell::Arc(head, child), parts[0]), (half(child), parts[1])]);
                }
                Cell::Half(..) => {}
            }
        }
    }
}

/// The step that joins an arc and the other half of its child.
fn complete(head: usize, arc: &Hypothesis, half: &Hypothesis) -> Step {
    let (child, label) = (arc.child, arc.label);
    let arc_of = LabelledArc { head, child, label };
    Step::Complete { arc: arc_of, inside: arc.inside, outside: half.own }
}

#[cfg(test)]
mod tests {
    use super::super::Memory;
    use super::*;

    struct NoWords;

    impl CubeModel for NoWords {
        fn words(&self) -> usize {
            0
        }

        fn labels(&self, _head: usize, _child: usize) -> &[LabelId] {
            &[]
        }

        fn score(&self, _step: &Step) -> f64 {
            0.0
        }
    }

    /// Labellings and structures of the best candidates, from the table of Zhang and McDonald (2014).
    const RANKED: [(LabelId, u32); 9] =
        [(1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (1, 3), (2, 2), (2, 3), (1, 4)];

    /// What a beam of four keeps of them, and how many it looks at.
    fn kept(labellings: usize) -> (Vec<(LabelId, u32)>, usize) {
        let (mode, memory) = (RootMode::Many, Memory::ALL);
        let settings = CubePruning { mode, beam: 4, labellings, memory };
        let mut scratch = CubeScratch::default();
        let mut chart = Chart::new(settings, &NoWords, &mut scratch);
        let mut explored = 0;
        for (label, word) in RANKED {
            if chart.scratch.list.len() < settings.beam {
                let own = Modifiers::default().with(Modifier { word, label }, memory);
                let inside = Modifiers::default();
                chart.admit(Hypothesis { score: 0.0, own, inside, label, child: 1, parts: [0; 2] });
                explored += 1;
            }
        }
        let last = |one: &Hypothesis| one.own.last.map_or((0, 0), |last| (last.label, last.word));
        (scratch.list.iter().map(last).collect(), explored)
    }

    #[test]
    fn few_labellings_of_one_structure_leave_room_for_others() {
        assert_eq!(kept(1), (vec![(1, 1), (1, 2), (1, 3), (1, 4)], 9));
        assert_eq!(kept(2), (vec![(1, 1), (2, 1), (1, 2), (1, 3)], 6));
        assert_eq!(kept(3), (vec![(1, 1), (2, 1), (3, 1), (1, 2)], 5));
        assert_eq!(kept(4), (RANKED[..4].to_vec(), 4));
    }
}
