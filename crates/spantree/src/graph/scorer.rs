//! From a sentence to its table of arc scores: sparse features, hashed weights, the best label folded into each arc.
//!
//! Called by the parser (16-bit weights) and by training (`f32` weights). The score of `head → child` is the sum of the arc
//! weights and the largest sum of label weights over the labels seen with such a pair of tags. Weights of features about one
//! token are summed once per token. Time O(n² (T + L)), for T templates and L labels per tag pair, memory O(n² + n |labels|).

use std::sync::Arc;

use spantree_decode::ArcScores;

use super::filter::ArcFilter;
use super::labels::LabelFilter;
use super::table::{Table, Weight};
use crate::feature::{
    ArcFeature, ArcShape, ArcSides, ArcTemplates, Atoms, Between, direction_side,
};

/// Score of an arc that the filter rules out: usable only when nothing else makes a tree.
pub const UNSEEN: f32 = -1000.0;

/// Number of XOR masks of copies: bare, distances, directions.
const MASKS: usize = 17;

/// Templates and filters of a joint model of arcs and labels.
#[derive(Clone, Debug)]
pub struct ArcScorer {
    /// Templates of arcs.
    pub arcs: ArcTemplates,
    /// Templates of labels; none for a model of bare arcs.
    pub labels: ArcTemplates,
    /// Labels seen with tag pairs.
    pub label_filter: Arc<LabelFilter>,
    /// Arcs seen.
    pub arc_filter: ArcFilter,
    /// Number of labels.
    pub label_count: usize,
}

/// The weights of an [`ArcScorer`].
#[derive(Clone, Copy, Debug)]
pub struct ArcWeights<'a, W> {
    /// Weights of arc features.
    pub arcs: Table<'a, W>,
    /// Weights of label features; the weight of label `l` is at the feature's position XOR `l`.
    pub labels: Table<'a, W>,
}

/// What the gold tree costs: given in training.
#[derive(Clone, Copy, Debug)]
pub struct Gold<'a> {
    /// Heads of the words.
    pub heads: &'a [u32],
    /// Labels of the words.
    pub labels: &'a [u16],
    /// Whether to add the cost of wrong arcs (1) and of wrong labels on right arcs (½).
    pub cost: bool,
}

/// Buffers, and the result: scores and best labels.
#[derive(Clone, Debug, Default)]
pub struct ScoreScratch<W: Weight> {
    /// The table for the decoder.
    pub scores: ArcScores,
    /// Best label of `head → child` at `child * (n + 1) + head`.
    best_labels: Vec<u16>,
    /// What lies between two tokens.
    pub between: Between,
    /// Sides of arc features.
    pub arc_sides: ArcSides,
    /// Sides of label features.
    pub label_sides: ArcSides,
    sums: Vec<u32>,
    /// Summed weights of features about one token, by copy: `token * MASKS + mask`.
    head_sums: Vec<W::Sum>,
    child_sums: Vec<W::Sum>,
    /// The same for labels: `(token * 2 + leftward) * label_count + label`.
    head_labels: Vec<W::Sum>,
    child_labels: Vec<W::Sum>,
}

impl<W: Weight> ScoreScratch<W> {
    /// The label that makes `head → child` score best.
    #[must_use]
    pub fn best_label(&self, head: usize, child: usize) -> u16 {
        self.best_labels[child * (self.scores.words() + 1) + head]
    }
}

impl ArcScorer {
    /// Computes what depends on the sentence alone.
    pub fn prepare<W: Weight>(&self, atoms: &Atoms, scratch: &mut ScoreScratch<W>) {
        scratch.between.fill(atoms.tags());
        self.arcs.sides(atoms, &mut scratch.arc_sides);
        self.labels.sides(atoms, &mut scratch.label_sides);
    }

    /// Fills the table of scores after [`prepare`](Self::prepare).
    pub fn score<W: Weight>(
        &self,
        w: ArcWeights<'_, W>,
        atoms: &Atoms,
        gold: Option<Gold<'_>>,
        scratch: &mut ScoreScratch<W>,
    ) {
        let n = atoms.len();
        scratch.scores.reset(n);
        scratch.best_labels.clear();
        scratch.best_labels.resize((n + 1) * (n + 1), 0);
        self.sum_tokens(w, n, scratch);
        let tags = atoms.tags();
        for child in 1..=n {
            let seen = |head: usize| head != child && self.arc_filter.allows(tags, head, child);
            let any = (0..=n).any(seen);
            for head in (0..=n).filter(|&head| head != child) {
                let is_gold = gold.is_some_and(|gold| gold.heads[child - 1] as usize == head);
                if any && !is_gold && !seen(head) {
                    scratch.scores.set(head, child, UNSEEN);
                    continue;
                }
                let cost = gold.filter(|gold| gold.cost);
                let arc =
                    w.arcs.scale * W::to_f32(self.arc_score(w.arcs, atoms, scratch, head, child));
                let (label, label_score) =
                    self.best_label(w.labels, atoms, cost, scratch, head, child);
                let wrong = if cost.is_some() && !is_gold { 1.0 } else { 0.0 };
                scratch.scores.set(head, child, arc + label_score + wrong);
                scratch.best_labels[child * (n + 1) + head] = label;
            }
        }
    }

    fn arc_score<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        scratch: &mut ScoreScratch<W>,
        head: usize,
        child: usize,
    ) -> W::Sum {
        let shape = ArcShape::new(head, child);
        let mut sum = W::Sum::default();
        for mask in [0, shape.direction, shape.distance] {
            sum += scratch.head_sums[head * MASKS + mask as usize]
                + scratch.child_sums[child * MASKS + mask as usize];
        }
        self.arcs.pair_sums(
            atoms,
            &scratch.between,
            &scratch.arc_sides,
            head,
            child,
            &mut scratch.sums,
        );
        for group in self.arcs.groups() {
            for mask in group.copies.masks(shape) {
                for &feature in &scratch.sums[group.columns.clone()] {
                    sum += table.at(table.position(feature) ^ mask);
                }
            }
        }
        self.arcs.list_features(
            atoms,
            &scratch.between,
            &scratch.arc_sides,
            (head, child),
            |feature| {
                sum += table.feature(feature, shape);
            },
        );
        sum
    }

    fn best_label<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        gold: Option<Gold<'_>>,
        scratch: &mut ScoreScratch<W>,
        head: usize,
        child: usize,
    ) -> (u16, f32) {
        if self.labels.is_empty() {
            return (0, 0.0);
        }
        let leftward = head > child;
        let sums = &mut scratch.sums;
        self.labels.pair_sums(atoms, &scratch.between, &scratch.label_sides, head, child, sums);
        let turn = direction_side(leftward);
        for group in self.labels.groups().iter().filter(|group| group.copies.direction) {
            sums[group.columns.clone()].iter_mut().for_each(|sum| *sum = sum.wrapping_add(turn));
        }
        sums.iter_mut().for_each(|sum| *sum = table.position(*sum));
        let row = |token: usize| (token * 2 + usize::from(leftward)) * self.label_count;
        let heads = &scratch.head_labels[row(head)..][..self.label_count];
        let children = &scratch.child_labels[row(child)..][..self.label_count];
        let mut best = (0, f32::NEG_INFINITY);
        for &label in self.label_filter.allowed(atoms.tags()[head], atoms.tags()[child], leftward) {
            let mut sum = heads[label as usize] + children[label as usize];
            for &position in sums.iter() {
                sum += table.at(position ^ u32::from(label));
            }
            let mut score = table.scale * W::to_f32(sum);
            if gold.is_some_and(|gold| {
                gold.heads[child - 1] as usize == head && gold.labels[child - 1] != label
            }) {
                score += 0.5;
            }
            if score > best.1 {
                best = (label, score);
            }
        }
        best
    }

    /// Sums the weights of the features about one token.
    fn sum_tokens<W: Weight>(&self, w: ArcWeights<'_, W>, n: usize, scratch: &mut ScoreScratch<W>) {
        scratch.head_sums.clear();
        scratch.head_sums.resize((n + 1) * MASKS, W::Sum::default());
        scratch.child_sums.clone_from(&scratch.head_sums);
        for token in 0..=n {
            let slots = token * MASKS..(token + 1) * MASKS;
            for feature in self.arcs.head_features(&scratch.arc_sides, token) {
                add_copies(w.arcs, feature, &mut scratch.head_sums[slots.clone()]);
            }
            for feature in self.arcs.child_features(&scratch.arc_sides, token) {
                add_copies(w.arcs, feature, &mut scratch.child_sums[slots.clone()]);
            }
        }
        self.sum_token_labels(w.labels, n, scratch);
    }

    fn sum_token_labels<W: Weight>(
        &self,
        table: Table<'_, W>,
        n: usize,
        scratch: &mut ScoreScratch<W>,
    ) {
        let count = self.label_count;
        scratch.head_labels.clear();
        scratch.head_labels.resize((n + 1) * 2 * count, W::Sum::default());
        scratch.child_labels.clone_from(&scratch.head_labels);
        for token in 0..=n {
            for leftward in [false, true] {
                let turn = direction_side(leftward);
                let row = (token * 2 + usize::from(leftward)) * count;
                for feature in self.labels.head_features(&scratch.label_sides, token) {
                    add_labels(table, feature, turn, &mut scratch.head_labels[row..][..count]);
                }
                for feature in self.labels.child_features(&scratch.label_sides, token) {
                    add_labels(table, feature, turn, &mut scratch.child_labels[row..][..count]);
                }
            }
        }
    }
}

/// Adds the weights of a feature's copies to the sums of their masks.
fn add_copies<W: Weight>(table: Table<'_, W>, feature: ArcFeature, sums: &mut [W::Sum]) {
    let position = table.position(feature.sum);
    let mut add = |mask: u32| sums[mask as usize] += table.at(position ^ mask);
    if feature.copies.bare {
        add(0);
    }
    if feature.copies.distance {
        (1..=14).for_each(&mut add);
    }
    if feature.copies.direction {
        (15..=16).for_each(&mut add);
    }
}

/// Adds the weights of a label feature to the sums of all labels.
fn add_labels<W: Weight>(table: Table<'_, W>, feature: ArcFeature, turn: u32, sums: &mut [W::Sum]) {
    let turn = if feature.copies.direction { turn } else { 0 };
    let position = table.position(feature.sum.wrapping_add(turn));
    for (label, sum) in sums.iter_mut().enumerate() {
        *sum += table.at(position ^ label as u32);
    }
}

#[cfg(test)]
mod tests {
    use spantree_learn::Rng;
    use spantree_treebank::Sentence;

    use super::*;
    use crate::feature::hash::position;
    use crate::feature::{AtomSet, Columns, template};
    use crate::graph::LabelSet;
    use crate::model::TemplateTexts;

    fn sentences() -> Vec<Sentence> {
        let a = [
            ("the", "DET", 2, "det"),
            ("cat", "NOUN", 3, "nsubj"),
            ("sat", "VERB", 0, "root"),
            ("on", "ADP", 5, "case"),
            ("mats", "NOUN", 3, "obl"),
        ];
        let b =
            [("dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root"), (".", "PUNCT", 2, "punct")];
        vec![Sentence::from_words(&a), Sentence::from_words(&b)]
    }

    fn scorer(distance: bool) -> (ArcScorer, AtomSet) {
        let train = sentences();
        let texts =
            TemplateTexts::for_columns(Columns { lemma: true, xpos: true, feats: true }).unwrap();
        let mut arc = texts.arc;
        if distance {
            arc = arc.replace("[bare direction]", "[bare direction distance]");
        }
        let labels = LabelSet::from_treebank(&train);
        let mut set = AtomSet::default();
        let scorer = ArcScorer {
            arcs: ArcTemplates::new(&template::read(&arc).unwrap(), &mut set),
            labels: ArcTemplates::new(&template::read(&texts.label).unwrap(), &mut set),
            label_filter: Arc::new(LabelFilter::from_treebank(&train, &labels)),
            arc_filter: ArcFilter::from_treebank(&train),
            label_count: labels.len(),
        };
        (scorer, set)
    }

    /// The definition: every feature of the arc, every allowed label, one by one.
    fn plain_score(
        scorer: &ArcScorer,
        w: ArcWeights<'_, i16>,
        atoms: &Atoms,
        scratch: &ScoreScratch<i16>,
        head: usize,
        child: usize,
    ) -> f32 {
        let shape = ArcShape::new(head, child);
        let mut arc = 0;
        scorer.arcs.features(
            atoms,
            &scratch.between,
            &scratch.arc_sides,
            (head, child),
            |feature| {
                let position = position(feature.sum, w.arcs.bits());
                feature.copies.masks(shape).for_each(|mask| arc += w.arcs.at(position ^ mask));
            },
        );
        let allowed =
            scorer.label_filter.allowed(atoms.tags()[head], atoms.tags()[child], head > child);
        let label_scores = allowed.iter().map(|&label| {
            let mut sum = 0;
            scorer.labels.features(
                atoms,
                &scratch.between,
                &scratch.label_sides,
                (head, child),
                |feature| {
                    let turn =
                        if feature.copies.direction { direction_side(head > child) } else { 0 };
                    sum += w.labels.at(position(feature.sum.wrapping_add(turn), w.labels.bits())
                        ^ u32::from(label));
                },
            );
            w.labels.scale * sum as f32
        });
        w.arcs.scale * arc as f32 + label_scores.fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn the_fast_sums_equal_the_definition() {
        let mut rng = Rng::new(7);
        let mut table = || (0..1 << 12).map(|_| rng.next_u64() as i16 / 64).collect::<Vec<i16>>();
        let (arcs, labels) = (table(), table());
        let w = ArcWeights { arcs: Table::new(&arcs, 0.5), labels: Table::new(&labels, 0.25) };
        for distance in [false, true] {
            let (scorer, set) = scorer(distance);
            for sent in sentences() {
                let (mut atoms, mut scratch) = (Atoms::default(), ScoreScratch::default());
                atoms.fill(&set, &sent);
                scorer.prepare(&atoms, &mut scratch);
                scorer.score(w, &atoms, None, &mut scratch);
                for child in 1..=sent.len() {
                    for head in (0..=sent.len()).filter(|&head| head != child) {
                        let found = scratch.scores.score(head, child);
                        let expected = plain_score(&scorer, w, &atoms, &scratch, head, child);
                        let seen = scorer.arc_filter.allows(atoms.tags(), head, child);
                        assert_eq!(
                            found,
                            if seen { expected } else { UNSEEN },
                            "{head} -> {child}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn costs_are_added_to_wrong_arcs_and_labels() {
        let zeros = vec![0i16; 1 << 12];
        let w = ArcWeights { arcs: Table::new(&zeros, 1.0), labels: Table::new(&zeros, 1.0) };
        let (scorer, set) = scorer(false);
        let sent = &sentences()[1];
        let (mut atoms, mut scratch) = (Atoms::default(), ScoreScratch::default());
        atoms.fill(&set, sent);
        scorer.prepare(&atoms, &mut scratch);
        let gold = Gold { heads: &[2, 0, 1], labels: &[0, 0, 0], cost: true };
        scorer.score(w, &atoms, Some(gold), &mut scratch);
        assert_eq!(scratch.scores.score(2, 3), 1.0, "wrong head");
        assert!(
            scratch.scores.score(1, 3) > UNSEEN,
            "the gold arc is scored though the filter never saw it"
        );
    }
}
