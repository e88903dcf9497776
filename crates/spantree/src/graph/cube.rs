//! Cube pruning with templates: labelled steps scored by the features of arcs and parts (Zhang & McDonald 2012).
//!
//! The parts are those of the exact charts, save that of a word's children on one side only the outermost one sees the
//! grandparent; their labels are no longer those that arcs have by themselves but take part in the search. Each arc has a few
//! labels, the best by themselves.

use spantree_decode::cube::{LabelledArc, Memory, Modifier, Modifiers, Step};
use spantree_decode::{ArcScores, CubeModel, CubePruning, LabelId, RootMode};

use super::higher::HigherOrder;
use super::table::{Table, Weight};
use crate::feature::{Atoms, Between, Part, PartKind, PartLabels, PartSides};

/// Labels per arc.
pub(crate) const LABELS: usize = 3;

/// The search: six hypotheses per cell, three of them with the same structure (Zhang & McDonald 2014).
pub(crate) const SEARCH: CubePruning = CubePruning {
    mode: RootMode::One,
    beam: 6,
    labellings: 3,
    memory: Memory { modifiers: 2, labels: true, count: false },
};

/// The labels that arcs may have, and what each scores.
#[derive(Clone, Debug, Default)]
pub struct ArcLabels {
    words: usize,
    /// Where the labels of `head → child` are, at `child * (n + 1) + head`; empty for arcs that are not tried.
    ranges: Vec<(u32, u32)>,
    labels: Vec<LabelId>,
    /// Compared with the best label of the arc.
    scores: Vec<f32>,
}

impl ArcLabels {
    /// Starts anew without arcs.
    pub(crate) fn reset(&mut self, words: usize) {
        self.words = words;
        self.ranges.clear();
        self.ranges.resize((words + 1) * (words + 1), (0, 0));
        self.labels.clear();
        self.scores.clear();
    }

    /// Gives an arc its labels with their scores, the best first.
    pub(crate) fn set(&mut self, head: usize, child: usize, labels: &[(LabelId, f32)]) {
        let start = self.labels.len() as u32;
        let best = labels.first().map_or(0.0, |best| best.1);
        self.labels.extend(labels.iter().map(|label| label.0));
        self.scores.extend(labels.iter().map(|label| label.1 - best));
        self.ranges[child * (self.words + 1) + head] = (start, self.labels.len() as u32);
    }

    fn range(&self, head: usize, child: usize) -> std::ops::Range<usize> {
        let (start, end) = self.ranges[child * (self.words + 1) + head];
        start as usize..end as usize
    }

    /// The labels of an arc.
    #[must_use]
    pub fn of(&self, head: usize, child: usize) -> &[LabelId] {
        &self.labels[self.range(head, child)]
    }

    /// What a label scores less than the best one of the arc; 0 if it is not among them.
    fn score(&self, arc: LabelledArc) -> f32 {
        let range = self.range(arc.head, arc.child);
        let place = self.labels[range.clone()].iter().position(|&label| label == arc.label);
        place.map_or(0.0, |place| self.scores[range.start + place])
    }
}

/// Scores steps; `cost` is what an arc gets beside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepScorer<'a, W, C> {
    pub(crate) higher: &'a HigherOrder,
    pub(crate) table: Table<'a, W>,
    pub(crate) sentence: (&'a Atoms, &'a Between),
    pub(crate) sides: &'a PartSides,
    /// Arcs with their best labels.
    pub(crate) arcs: &'a ArcScores,
    pub(crate) labels: &'a ArcLabels,
    pub(crate) cost: C,
}

impl<W: Weight, C: Fn(LabelledArc) -> f32> CubeModel for StepScorer<'_, W, C> {
    fn words(&self) -> usize {
        self.arcs.words()
    }

    fn labels(&self, head: usize, child: usize) -> &[LabelId] {
        self.labels.of(head, child)
    }

    fn score(&self, step: &Step) -> f64 {
        let mut sum = W::Sum::default();
        each_part(step, |kind, part| {
            self.higher.templates.features(kind, self.sentence, self.sides, part, |feature| {
                sum += self.table.at(self.table.position(feature));
            });
        });
        let mut score = self.table.scale * W::to_f32(sum);
        if let Step::Attach { arc, .. } = *step {
            score +=
                self.arcs.score(arc.head, arc.child) + self.labels.score(arc) + (self.cost)(arc);
        }
        f64::from(score)
    }
}

/// Visits the parts of a step, each with its labels.
pub(crate) fn each_part(step: &Step, mut visit: impl FnMut(PartKind, (Part, PartLabels))) {
    let (arc, below) = match *step {
        Step::Attach { arc, siblings, inside } => {
            let (inner, beside) = split(siblings.last);
            let part = Part { grand: None, head: arc.head, inner, child: arc.child };
            let labels = PartLabels { above: None, beside, own: Some(arc.label) };
            visit(PartKind::Sibling, (part, labels));
            (arc, inside)
        }
        Step::Complete { arc, outside, .. } => (arc, outside),
    };
    if let Modifiers { last: Some(last), previous, .. } = below {
        let (inner, beside) = split(previous);
        let (grand, head, child) = (Some(arc.head), arc.child, last.word as usize);
        let labels = PartLabels { above: Some(arc.label), beside, own: Some(last.label) };
        for kind in [PartKind::Grand, PartKind::GrandSibling] {
            let part = Part { grand, head, inner, child }.seen_by(kind);
            visit(kind, (part, labels));
        }
    }
}

fn split(modifier: Option<Modifier>) -> (Option<usize>, Option<u16>) {
    modifier.map(|modifier| (modifier.word as usize, modifier.label)).unzip()
}

#[cfg(test)]
mod tests {
    use spantree_decode::Heads;

    use super::*;

    #[test]
    fn steps_have_the_parts_of_their_tree() {
        // 2 heads 1, 4 and 5; 4 heads 3; 0 heads 2.
        let tree = Heads::from(vec![2, 0, 4, 2, 2]);
        let (mut siblings, mut grands, mut both) = (Vec::new(), Vec::new(), Vec::new());
        for step in SEARCH.steps(&tree, &[7, 8, 9, 10, 11]) {
            each_part(&step, |kind, (part, labels)| match kind {
                PartKind::Sibling => siblings.push((part, labels)),
                PartKind::Grand => grands.push((part, labels)),
                PartKind::GrandSibling => both.push((part, labels)),
            });
        }
        let heads = tree.as_slice();
        let all = |kind| (1..=5).map(move |child| Part::of(heads, child).seen_by(kind));
        assert!(all(PartKind::Sibling).all(|part| siblings.iter().any(|other| other.0 == part)));
        let last = (
            Part { grand: None, head: 2, inner: Some(4), child: 5 },
            PartLabels { above: None, beside: Some(10), own: Some(11) },
        );
        assert!(siblings.len() == 5 && siblings.contains(&last));
        let children = |parts: &[(Part, PartLabels)]| {
            let mut children: Vec<_> = parts.iter().map(|(part, _)| part.child).collect();
            children.sort_unstable();
            children
        };
        assert_eq!(children(&grands), [1, 3, 5], "the outermost on each side");
        assert!(
            all(PartKind::GrandSibling)
                .filter(|part| [1, 3, 5].contains(&part.child))
                .all(|part| both.iter().any(|other| other.0 == part))
        );
    }

    #[test]
    fn labels_are_compared_with_the_best() {
        let mut labels = ArcLabels::default();
        labels.reset(2);
        labels.set(1, 2, &[(4, 3.0), (6, 1.0)]);
        assert_eq!((labels.of(1, 2), labels.of(2, 1)), (&[4, 6][..], &[][..]));
        let score = |label| labels.score(LabelledArc { head: 1, child: 2, label });
        assert_eq!([score(4), score(6), score(5)], [0.0, -2.0, 0.0]);
    }
}
