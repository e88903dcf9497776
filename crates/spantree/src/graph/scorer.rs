//! From a sentence to its table of arc scores: sparse features, hashed weights, the best label folded into each arc.
//!
//! Called by the parser (16-bit weights) and by training (`f32` weights). The score of `head → child` is the sum of the arc
//! weights and the largest sum of label weights over the labels seen with such a pair of tags. Weights of features about one
//! token are summed once per token. Time O(n² (T + L)), for T templates and L labels per tag pair, memory O(n² + n |labels|).

use spantree_decode::ArcScores;

use super::filter::ArcFilter;
use super::labels::{GivenLabels, LabelBits, LabelFilter};
use super::pruner::Candidates;
use super::table::{ArcGroups, Table, Weight};
use crate::feature::{
    ArcFeature, ArcShape, ArcSides, ArcTemplates, Atoms, Between, DISTANCES, direction_side,
};

/// Score of an arc that the filter rules out: usable only when nothing else makes a tree.
pub const UNSEEN: f32 = -1000.0;

/// Templates and filters of a joint model of arcs and labels.
#[derive(Clone, Debug)]
pub struct ArcScorer {
    /// Templates of arcs.
    pub arcs: ArcTemplates,
    /// Templates of labels; none for a model of bare arcs.
    pub labels: ArcTemplates,
    /// Labels seen with tag pairs.
    pub label_filter: LabelFilter,
    /// Arcs seen.
    pub arc_filter: ArcFilter,
    /// Number of labels.
    pub label_count: usize,
}

/// The weights of an [`ArcScorer`].
#[derive(Clone, Copy, Debug)]
pub struct ArcWeights<'a, W> {
    /// Weights of arc features.
    pub arcs: ArcGroups<'a, W>,
    /// Weights of label features; the weight of label `l` is at the feature's position XOR `l`.
    pub labels: Table<'a, W>,
}

/// Buffers, and the result: scores and best labels.
#[derive(Clone, Debug, Default)]
pub struct ScoreScratch<W: Weight> {
    /// The table for the decoder.
    pub scores: ArcScores,
    /// Best label of `head → child` at `child * (n + 1) + head`.
    best_labels: Vec<u16>,
    /// Relations that must be kept.
    pub given: GivenLabels,
    /// The arcs that are worth scoring, if some have been pruned.
    pub candidates: Candidates,
    /// What lies between two tokens.
    pub between: Between,
    /// Sides of arc features.
    pub arc_sides: ArcSides,
    /// Sides of label features.
    pub label_sides: ArcSides,
    /// Sums of the features of one arc, and positions of its label features.
    arc_sums: Vec<u32>,
    label_sums: Vec<u32>,
    /// Summed weights of features about one token, by shape of the arc: `token * DISTANCES + distance`.
    head_sums: Vec<W::Sum>,
    child_sums: Vec<W::Sum>,
    /// The arcs that are scored, as (head, child), by child.
    arcs: Vec<(u32, u32)>,
    /// The labels that the scored arcs of each token may have, at `token * 2 + leftward`: as head, as child.
    head_wanted: Vec<LabelBits>,
    child_wanted: Vec<LabelBits>,
    wanted: Vec<u16>,
    /// Summed weights of label features about one token: `(token * 2 + leftward) * label_count + label`.
    head_labels: Vec<W::Sum>,
    child_labels: Vec<W::Sum>,
}

impl<W: Weight> ScoreScratch<W> {
    /// The label that makes `head → child` score best.
    #[must_use]
    pub fn best_label(&self, head: usize, child: usize) -> u16 {
        self.best_labels[child * (self.scores.words() + 1) + head]
    }

    /// The same for all arcs, at `child * (n + 1) + head`.
    #[must_use]
    pub fn best_labels(&self) -> &[u16] {
        &self.best_labels
    }
}

impl ArcScorer {
    /// Computes what depends on the sentence alone.
    pub fn prepare<W: Weight>(&self, atoms: &Atoms, scratch: &mut ScoreScratch<W>) {
        scratch.between.fill(atoms.tags());
        self.arcs.sides(atoms, &mut scratch.arc_sides);
        self.labels.sides(atoms, &mut scratch.label_sides);
    }

    /// Fills the table of scores after [`prepare`](Self::prepare). Arcs of the gold tree, given in training, are scored
    /// whether or not the filters allow them.
    pub fn score<W: Weight>(
        &self,
        w: ArcWeights<'_, W>,
        atoms: &Atoms,
        gold: Option<&[u32]>,
        scratch: &mut ScoreScratch<W>,
    ) {
        let n = atoms.len();
        scratch.scores.reset(n);
        scratch.best_labels.clear();
        scratch.best_labels.resize((n + 1) * (n + 1), 0);
        self.choose_arcs(atoms, gold, scratch);
        self.sum_tokens(w, n, scratch);
        for index in 0..scratch.arcs.len() {
            let (head, child) = scratch.arcs[index];
            let (head, child) = (head as usize, child as usize);
            let arc =
                w.arcs.scale() * W::to_f32(self.arc_score(w.arcs, atoms, scratch, head, child));
            let (label, label_score) = self.best_label(w.labels, atoms, scratch, head, child);
            scratch.scores.set(head, child, arc + label_score);
            scratch.best_labels[child * (n + 1) + head] = label;
        }
    }

    /// Lists the arcs to score: those that the filters allow, those of the gold tree, all arcs into a word that would have none.
    /// Notes which labels the arcs of each token may have.
    fn choose_arcs<W: Weight>(
        &self,
        atoms: &Atoms,
        gold: Option<&[u32]>,
        scratch: &mut ScoreScratch<W>,
    ) {
        let (n, tags) = (atoms.len(), atoms.tags());
        scratch.arcs.clear();
        for wanted in [&mut scratch.head_wanted, &mut scratch.child_wanted] {
            wanted.clear();
            wanted.resize((n + 1) * 2, LabelBits::default());
        }
        for child in 1..=n {
            let gold_head = gold.map(|heads| heads[child - 1] as usize);
            let given = scratch.given.get(child);
            let seen = |head: usize| {
                head != child
                    && scratch.candidates.contains(head, child)
                    && self.arc_filter.allows(tags, head, child)
                    && given.is_none_or(|label| {
                        self.label_filter
                            .allowed(tags[head], tags[child], head > child)
                            .contains(&label)
                    })
            };
            let any = (0..=n).any(seen);
            for head in (0..=n).filter(|&head| head != child) {
                if any && gold_head != Some(head) && !seen(head) {
                    scratch.scores.set(head, child, UNSEEN);
                    continue;
                }
                scratch.arcs.push((head as u32, child as u32));
                let leftward = head > child;
                let mut labels = *self.label_filter.allowed_set(tags[head], tags[child], leftward);
                if let Some(label) = given {
                    labels[label as usize / 64] |= 1 << (label % 64);
                }
                unite(&mut scratch.head_wanted[head * 2 + usize::from(leftward)], &labels);
                unite(&mut scratch.child_wanted[child * 2 + usize::from(leftward)], &labels);
            }
        }
    }

    fn arc_score<W: Weight>(
        &self,
        groups: ArcGroups<'_, W>,
        atoms: &Atoms,
        scratch: &mut ScoreScratch<W>,
        head: usize,
        child: usize,
    ) -> W::Sum {
        let shape = ArcShape::new(head, child);
        let mut sum = scratch.head_sums[head * DISTANCES + shape.distance as usize]
            + scratch.child_sums[child * DISTANCES + shape.distance as usize];
        let ScoreScratch { between, arc_sides, arc_sums, .. } = scratch;
        let sentence = (atoms, &*between);
        let values = self.arcs.arc_values(sentence, head, child);
        self.arcs.pair_sums(&values, arc_sides, (head, child), arc_sums);
        for run in self.arcs.runs() {
            sum += groups.sum(&arc_sums[run.columns.clone()], run.copies, shape);
        }
        self.arcs.list_features(sentence, &values, arc_sides, (head, child), |feature| {
            sum += groups.sum(&[feature.sum], feature.copies, shape);
        });
        sum
    }

    fn best_label<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        scratch: &mut ScoreScratch<W>,
        head: usize,
        child: usize,
    ) -> (u16, f32) {
        if self.labels.is_empty() {
            return (0, 0.0);
        }
        let mut best: Option<(u16, W::Sum)> = None;
        self.each_label(table, atoms, scratch, (head, child), |label, sum| {
            if best.is_none_or(|(_, most)| sum > most) {
                best = Some((label, sum));
            }
        });
        best.map_or((0, f32::NEG_INFINITY), |(label, sum)| (label, table.scale * W::to_f32(sum)))
    }

    /// Overwrites `list` with the labels that an arc may have and their scores, best first, after [`score`](Self::score).
    pub fn top_labels<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        scratch: &mut ScoreScratch<W>,
        arc: (usize, usize),
        list: &mut Vec<(u16, f32)>,
    ) {
        list.clear();
        self.each_label(table, atoms, scratch, arc, |label, sum| {
            list.push((label, table.scale * W::to_f32(sum)));
        });
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
    }

    /// Visits the labels that an arc may have, with their summed weights.
    fn each_label<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        scratch: &mut ScoreScratch<W>,
        (head, child): (usize, usize),
        mut visit: impl FnMut(u16, W::Sum),
    ) {
        let leftward = head > child;
        let sentence = (atoms, &scratch.between);
        let (sides, sums) = (&scratch.label_sides, &mut scratch.label_sums);
        let values = self.labels.arc_values(sentence, head, child);
        self.labels.pair_sums(&values, sides, (head, child), sums);
        let turn = direction_side(leftward);
        for run in self.labels.runs().iter().filter(|run| run.copies.direction) {
            sums[run.columns.clone()].iter_mut().for_each(|sum| *sum = sum.wrapping_add(turn));
        }
        self.labels.list_features(sentence, &values, sides, (head, child), |feature| {
            sums.push(feature.sum.wrapping_add(if feature.copies.direction { turn } else { 0 }));
        });
        sums.iter_mut().for_each(|sum| *sum = table.position(*sum));
        let row = |token: usize| (token * 2 + usize::from(leftward)) * self.label_count;
        let heads = &scratch.head_labels[row(head)..][..self.label_count];
        let children = &scratch.child_labels[row(child)..][..self.label_count];
        let allowed = self.label_filter.allowed(atoms.tags()[head], atoms.tags()[child], leftward);
        for &label in scratch.given.or(child, allowed) {
            let mut sum = heads[label as usize] + children[label as usize];
            for &position in sums.iter() {
                sum += table.at(position ^ u32::from(label));
            }
            visit(label, sum);
        }
    }

    /// Sums the weights of the features about one token.
    fn sum_tokens<W: Weight>(&self, w: ArcWeights<'_, W>, n: usize, scratch: &mut ScoreScratch<W>) {
        scratch.head_sums.clear();
        scratch.child_sums.clear();
        let ScoreScratch { arc_sides, head_sums, child_sums, .. } = scratch;
        for token in 0..=n {
            add_shapes(w.arcs, &self.arcs.head_features(arc_sides, token), head_sums);
            add_shapes(w.arcs, &self.arcs.child_features(arc_sides, token), child_sums);
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
        for sums in [&mut scratch.head_labels, &mut scratch.child_labels] {
            sums.clear();
            sums.resize((n + 1) * 2 * count, W::Sum::default());
        }
        let ScoreScratch { label_sides, head_labels, child_labels, wanted, .. } = scratch;
        for slot in 0..(n + 1) * 2 {
            let (token, turn) = (slot / 2, direction_side(slot % 2 == 1));
            let row = slot * count..(slot + 1) * count;
            list_bits(&scratch.head_wanted[slot], wanted);
            for feature in self.labels.head_features(label_sides, token) {
                add_labels(table, feature, turn, wanted, &mut head_labels[row.clone()]);
            }
            list_bits(&scratch.child_wanted[slot], wanted);
            for feature in self.labels.child_features(label_sides, token) {
                add_labels(table, feature, turn, wanted, &mut child_labels[row.clone()]);
            }
        }
    }
}

fn unite(set: &mut LabelBits, other: &LabelBits) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Overwrites `labels` with the members of a set.
fn list_bits(set: &LabelBits, labels: &mut Vec<u16>) {
    labels.clear();
    for (index, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            labels.push((index * 64) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

/// Appends the summed weights of the features of one token, for every shape of arc.
fn add_shapes<W: Weight>(
    groups: ArcGroups<'_, W>,
    features: &(impl Iterator<Item = ArcFeature> + Clone),
    sums: &mut Vec<W::Sum>,
) {
    let near_is_far = features.clone().all(|feature| !feature.copies.distance);
    let mut sum = W::Sum::default();
    sums.push(sum);
    let mut leftward = None;
    for shape in ArcShape::all() {
        if !near_is_far || leftward.replace(shape.leftward) != Some(shape.leftward) {
            sum = W::Sum::default();
            for feature in features.clone() {
                sum += groups.sum(&[feature.sum], feature.copies, shape);
            }
        }
        sums.push(sum);
    }
}

/// Adds the weights of a label feature to the sums of the wanted labels.
fn add_labels<W: Weight>(
    table: Table<'_, W>,
    feature: ArcFeature,
    turn: u32,
    wanted: &[u16],
    sums: &mut [W::Sum],
) {
    let turn = if feature.copies.direction { turn } else { 0 };
    let position = table.position(feature.sum.wrapping_add(turn));
    for &label in wanted {
        sums[label as usize] += table.at(position ^ u32::from(label));
    }
}

#[cfg(test)]
mod tests {
    use spantree_learn::Rng;
    use spantree_treebank::Sentence;

    use super::*;
    use crate::feature::hash::position;
    use crate::feature::{AtomSet, Columns, template};
    use crate::graph::{Decoder, LabelSet, TemplateTexts};

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
        let texts = TemplateTexts::for_columns(
            Columns { lemma: true, xpos: true, feats: true, guide: false },
            1,
            Default::default(),
            Decoder::Mst,
        )
        .unwrap();
        let mut arc = texts.arc;
        if distance {
            arc = arc.replace("[bare direction]", "[bare direction distance]");
        }
        let labels = LabelSet::from_treebank(&train);
        let mut set = AtomSet::default();
        let scorer = ArcScorer {
            arcs: ArcTemplates::new(&template::read(&arc).unwrap(), &mut set),
            labels: ArcTemplates::new(&template::read(&texts.label).unwrap(), &mut set),
            label_filter: LabelFilter::from_treebank(&train, &labels, 1),
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
        let sentence = (atoms, &scratch.between);
        scorer.arcs.features(sentence, &scratch.arc_sides, (head, child), |feature| {
            arc += w.arcs.sum(&[feature.sum], feature.copies, shape);
        });
        let allowed =
            scorer.label_filter.allowed(atoms.tags()[head], atoms.tags()[child], head > child);
        let label_scores = allowed.iter().map(|&label| {
            let mut sum = 0;
            scorer.labels.features(sentence, &scratch.label_sides, (head, child), |feature| {
                let turn = if feature.copies.direction { direction_side(head > child) } else { 0 };
                sum +=
                    w.labels.at(position(feature.sum.wrapping_add(turn), w.labels.bits())
                        ^ u32::from(label));
            });
            w.labels.scale * sum as f32
        });
        w.arcs.scale() * arc as f32 + label_scores.fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn the_fast_sums_equal_the_definition() {
        let mut rng = Rng::new(7);
        let mut table = || (0..1 << 12).map(|_| rng.next_u64() as i16 / 64).collect::<Vec<i16>>();
        let (arcs, labels) = (table(), table());
        let w = ArcWeights {
            arcs: ArcGroups::new(&arcs, 0.5, false),
            labels: Table::new(&labels, 0.25),
        };
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
    fn gold_arcs_are_scored_though_the_filter_never_saw_them() {
        let zeros = vec![0i16; 1 << 12];
        let w = ArcWeights {
            arcs: ArcGroups::new(&zeros, 1.0, false),
            labels: Table::new(&zeros, 1.0),
        };
        let (scorer, set) = scorer(false);
        let sent = &sentences()[1];
        let (mut atoms, mut scratch) = (Atoms::default(), ScoreScratch::default());
        atoms.fill(&set, sent);
        scorer.prepare(&atoms, &mut scratch);
        scorer.score(w, &atoms, None, &mut scratch);
        assert_eq!(scratch.scores.score(1, 3), UNSEEN);
        scorer.score(w, &atoms, Some(&[2, 0, 1]), &mut scratch);
        assert!(scratch.scores.score(1, 3) > UNSEEN);
    }
}
