//! Cube pruning with templates: labelled steps scored by the features of arcs and parts (Zhang & McDonald 2012).
//!
//! The parts are those of the exact charts, save that of a word's children on one side only the outermost one sees the
//! grandparent; their labels are no longer those that arcs have by themselves but take part in the search. Each arc has a few
//! labels, the best by themselves.

use serde::{Deserialize, Serialize};
use spantree_decode::cube::{LabelledArc, Memory, Modifier, Modifiers, Step};
use spantree_decode::{ArcScores, CubeModel, CubePruning, LabelId, RootMode, Side};

use super::higher::HigherOrder;
use super::table::{Table, Weight};
use crate::feature::{Atoms, Between, Part, PartKind, PartLabels, PartSides, PartTemplates};

/// How wide the search is, the same in training and in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CubeWidth {
    /// Hypotheses per cell.
    pub beam: usize,
    /// Hypotheses per cell with the same structure (Zhang & McDonald 2014).
    pub labellings: usize,
    /// Labels per arc.
    pub labels: usize,
}

impl Default for CubeWidth {
    fn default() -> Self {
        Self { beam: 6, labellings: 3, labels: 3 }
    }
}

impl CubeWidth {
    /// The search for a model with these templates: modifiers are counted only if one asks for their number.
    pub(crate) fn search(self, templates: &PartTemplates) -> CubePruning {
        let count = if templates.see_valency() { MOST_MODIFIERS } else { 0 };
        CubePruning {
            mode: RootMode::One,
            beam: self.beam,
            labellings: self.labellings,
            memory: Memory { modifiers: 2, labels: true, count },
        }
    }
}

/// Modifiers are counted up to this number: hypotheses that differ beyond it are the same to all scores.
const MOST_MODIFIERS: u8 = 3;

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
    let (arc, below, is_inside) = match *step {
        Step::Attach { arc, siblings, inside } => {
            let (inner, beside) = split(siblings.last);
            let (second, label) = split(siblings.previous);
            let part = Part { head: arc.head, second, inner, child: arc.child, ..Part::default() };
            let labels = PartLabels {
                second: label,
                beside,
                own: Some(arc.label),
                valency: siblings.count,
                ..Default::default()
            };
            visit(PartKind::Sibling, (part, labels));
            if inner.is_some() {
                visit(PartKind::TriSibling, (part, labels));
            }
            (arc, inside, true)
        }
        Step::Complete { arc, outside, .. } => (arc, outside, false),
    };
    let (word, label) = split(below.last);
    let part = Part { head: arc.head, child: arc.child, below: word, ..Part::default() };
    let labels = PartLabels {
        own: Some(arc.label),
        below: label,
        valency: below.count,
        ..Default::default()
    };
    let is_left = is_inside == (arc.head < arc.child);
    let side = if is_left { Side::Left } else { Side::Right };
    visit(PartKind::outermost(side), (part, labels));
    if let Modifiers { last: Some(last), previous, .. } = below {
        let (inner, beside) = split(previous);
        let (grand, head, child) = (Some(arc.head), arc.child, last.word as usize);
        let part = Part { grand, head, inner, child, ..Part::default() };
        let labels = PartLabels {
            above: Some(arc.label),
            beside,
            own: Some(last.label),
            valency: below.count,
            ..Default::default()
        };
        for kind in [PartKind::Grand, PartKind::GrandSibling] {
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
    use crate::feature::{AtomSet, template};

    #[test]
    fn steps_have_the_parts_of_their_tree() {
        // 2 heads 1, 4 and 5; 4 heads 3; 0 heads 2.
        let tree = Heads::from(vec![2, 0, 4, 2, 2]);
        let mut found: [Vec<(Part, PartLabels)>; PartKind::ALL.len()] = Default::default();
        let text = "head.upos + inner.upos + child.upos + valency";
        let templates = template::read(text).unwrap();
        let templates = PartTemplates::new(&templates, &mut AtomSet::default());
        let search = CubeWidth::default().search(&templates);
        for step in search.steps(&tree, &[7, 8, 9, 10, 11]) {
            each_part(&step, |kind, (part, labels)| {
                found[kind as usize].push((part.seen_by(kind), labels));
            });
        }
        for kind in PartKind::ALL {
            let children: &[usize] = match kind {
                PartKind::Sibling | PartKind::First | PartKind::Last => &[1, 2, 3, 4, 5],
                PartKind::TriSibling => &[5],
                // The outermost on each side.
                PartKind::Grand | PartKind::GrandSibling => &[1, 3, 5],
                PartKind::Crossed => &[],
            };
            let mut parts: Vec<_> = found[kind as usize].iter().map(|(part, _)| *part).collect();
            parts.sort_unstable_by_key(|part| part.child);
            let of_tree = |&child: &usize| Part::of(tree.as_slice(), child, kind);
            assert_eq!(parts, children.iter().map(of_tree).collect::<Vec<_>>(), "{kind:?}");
        }
        let labels = found[PartKind::Sibling as usize].iter().find(|(part, _)| part.child == 5);
        let (beside, own) = (Some(10), Some(11));
        let expected = PartLabels { beside, own, valency: 1, ..Default::default() };
        assert_eq!(labels.map(|(_, labels)| *labels), Some(expected));
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
