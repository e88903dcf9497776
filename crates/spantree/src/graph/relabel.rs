//! Labels of a finished tree: for each head, the best chain of labels over its children (McDonald, Lerman, Pereira 2006).
//!
//! The joint model of [`scorer`](super::scorer) chooses the tree; this stage chooses the labels again, with features of
//! grandparent, siblings and children. A label is scored by the features of its arc and by the label of the next sibling to
//! the left; Viterbi finds the best sequence, O(n L²) for L labels per tag pair. Only labels seen in training with the tags of
//! head and child are tried.

use super::labels::{GivenLabels, LabelFilter};
use super::table::{Table, Weight};
use crate::feature::{Atoms, Between, Neighbours, TreeTemplates, hash};

/// The labelling stage without its weights.
#[derive(Clone, Debug)]
pub struct Relabeller {
    templates: TreeTemplates,
    filter: LabelFilter,
}

/// Buffers, and the scores of the last sentence.
#[derive(Clone, Debug, Default)]
pub struct RelabelScratch {
    /// Relations that must be kept.
    pub given: GivenLabels,
    /// The tree being labelled.
    pub neighbours: Neighbours,
    /// Positions of the features of one word.
    pub positions: Vec<u32>,
    /// Scores of the labels allowed for word `w`: `scores[start[w]..start[w + 1]]`, summed along the chain.
    scores: Vec<f32>,
    /// The same without the chain.
    own: Vec<f32>,
    start: Vec<usize>,
    /// Which label of the sibling before made the best chain.
    back: Vec<u16>,
    children: Vec<usize>,
}

/// Number of features on the label of the previous sibling.
const TRANSITIONS: usize = 3;

impl Relabeller {
    /// A stage with these templates.
    #[must_use]
    pub fn new(templates: TreeTemplates, filter: LabelFilter) -> Self {
        Self { templates, filter }
    }

    /// Which labels are tried.
    #[must_use]
    pub fn filter(&self) -> &LabelFilter {
        &self.filter
    }

    /// The labels tried on the arc into `word`.
    fn allowed<'a>(
        &'a self,
        atoms: &Atoms,
        given: &'a GivenLabels,
        head: usize,
        word: usize,
    ) -> &'a [u16] {
        let allowed = self.filter.allowed(atoms.tags()[head], atoms.tags()[word], head > word);
        given.or(word, allowed)
    }

    /// Positions of the features of the arc into `word`; the weight of label `l` is at position XOR `l`.
    pub fn positions(
        &self,
        bits: u32,
        atoms: &Atoms,
        between: &Between,
        tree: &Neighbours,
        word: usize,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        self.templates
            .features(atoms, between, tree, word, |sum| out.push(hash::position(sum, bits)));
    }

    /// Positions of the features on the label of the sibling before; `None` for the first child.
    pub fn transitions(
        &self,
        bits: u32,
        atoms: &Atoms,
        (head, word): (usize, usize),
        before: Option<u16>,
    ) -> [u32; TRANSITIONS] {
        let tags = atoms.tags();
        let label = hash::mix(23, before.map_or(0, |label| u64::from(label) + 1));
        let turned = hash::mix(label, u64::from(head > word));
        let with_head = hash::mix(turned, u64::from(tags[head]));
        let with_both = hash::mix(with_head, 64 + u64::from(tags[word]));
        [turned, with_head, with_both].map(|hash| hash::position(hash::side(hash), bits))
    }

    /// Overwrites `labels` with the best labels of a tree. `gold`, in training, makes every other label score 1 more.
    pub fn label<W: Weight>(
        &self,
        table: Table<'_, W>,
        (atoms, between): (&Atoms, &Between),
        heads: &[u32],
        gold: Option<&[u16]>,
        scratch: &mut RelabelScratch,
        labels: &mut Vec<u16>,
    ) {
        scratch.neighbours.fill(heads);
        self.score_words(table, atoms, between, gold, scratch);
        labels.clear();
        labels.resize(heads.len(), 0);
        for head in 0..=heads.len() {
            self.best_chain(table, atoms, head, scratch, labels);
        }
    }

    fn score_words<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        between: &Between,
        gold: Option<&[u16]>,
        scratch: &mut RelabelScratch,
    ) {
        scratch.scores.clear();
        scratch.start.clear();
        scratch.start.push(0);
        for word in 1..=atoms.len() {
            scratch.start.push(scratch.scores.len());
            self.positions(
                table.bits(),
                atoms,
                between,
                &scratch.neighbours,
                word,
                &mut scratch.positions,
            );
            for &label in self.allowed(atoms, &scratch.given, scratch.neighbours.head(word), word) {
                let cost = if gold.is_some_and(|gold| gold[word - 1] != label) { 1.0 } else { 0.0 };
                scratch.scores.push(table.sum(&scratch.positions, u32::from(label)) + cost);
            }
        }
        scratch.start.push(scratch.scores.len());
        scratch.own.clone_from(&scratch.scores);
        scratch.back.clear();
        scratch.back.resize(scratch.scores.len(), 0);
    }

    /// Viterbi over the children of one head.
    fn best_chain<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        head: usize,
        scratch: &mut RelabelScratch,
        labels: &mut [u16],
    ) {
        scratch.children.clear();
        scratch.children.extend(scratch.neighbours.children(head));
        let mut before = None;
        for &word in &scratch.children {
            let (done, rest) = scratch.scores.split_at_mut(scratch.start[word]);
            let previous =
                before.map_or(&[0.0][..], |w: usize| &done[scratch.start[w]..scratch.start[w + 1]]);
            let candidates = before.map(|w| self.allowed(atoms, &scratch.given, head, w));
            for (index, &base) in previous.iter().enumerate() {
                let label_before = candidates.map(|labels| labels[index]);
                let positions = self.transitions(table.bits(), atoms, (head, word), label_before);
                let own = &scratch.own[scratch.start[word]..scratch.start[word + 1]];
                for (slot, &label) in
                    self.allowed(atoms, &scratch.given, head, word).iter().enumerate()
                {
                    let score = base + own[slot] + table.sum(&positions, u32::from(label));
                    if index == 0 || score > rest[slot] {
                        rest[slot] = score;
                        scratch.back[scratch.start[word] + slot] = index as u16;
                    }
                }
            }
            before = Some(word);
        }
        let Some(last) = before else { return };
        let mut choice = argmax(&scratch.scores[scratch.start[last]..scratch.start[last + 1]]);
        for &word in scratch.children.iter().rev() {
            labels[word - 1] = self.allowed(atoms, &scratch.given, head, word)[choice];
            choice = scratch.back[scratch.start[word] + choice] as usize;
        }
    }

    /// The probability of each chosen label given the labels of its siblings: a softmax with scores times `sharpness`.
    ///
    /// Call after [`label`](Self::label) on the same tree.
    pub fn confidences<W: Weight>(
        &self,
        table: Table<'_, W>,
        atoms: &Atoms,
        labels: &[u16],
        sharpness: f32,
        scratch: &RelabelScratch,
        confidences: &mut Vec<f32>,
    ) {
        confidences.clear();
        for word in 1..=atoms.len() {
            let head = scratch.neighbours.head(word);
            let own = &scratch.own[scratch.start[word]..scratch.start[word + 1]];
            let before = scratch.neighbours.left_sibling(word).map(|w| labels[w - 1]);
            let from = self.transitions(table.bits(), atoms, (head, word), before);
            let after = scratch.neighbours.right_sibling(word);
            let score = |(&own, &label): (&f32, &u16)| {
                let to = after.map_or(0.0, |next| {
                    let positions =
                        self.transitions(table.bits(), atoms, (head, next), Some(label));
                    table.sum(&positions, u32::from(labels[next - 1]))
                });
                sharpness * (own + table.sum(&from, u32::from(label)) + to)
            };
            let allowed = self.allowed(atoms, &scratch.given, head, word);
            let scores = || own.iter().zip(allowed).map(score);
            let highest = scores().fold(f32::NEG_INFINITY, f32::max);
            let total: f32 = scores().map(|score| (score - highest).exp()).sum();
            let chosen = allowed.iter().position(|&label| label == labels[word - 1]);
            confidences.push(
                chosen
                    .and_then(|slot| scores().nth(slot))
                    .map_or(0.0, |score| (score - highest).exp() / total),
            );
        }
    }
}

fn argmax(scores: &[f32]) -> usize {
    (0..scores.len()).fold(0, |best, index| if scores[index] > scores[best] { index } else { best })
}

#[cfg(test)]
mod tests {
    use spantree_learn::Rng;
    use spantree_treebank::Sentence;

    use super::*;
    use crate::feature::{AtomSet, template};
    use crate::graph::LabelSet;

    /// Four children of one head, each with three labels to choose from.
    fn treebank() -> Sentence {
        let mut words = vec![("v", "VERB", 0, "root")];
        for label in ["x", "y", "z", "x"] {
            words.push(("n", "NOUN", 1, label));
        }
        Sentence::from_words(&words)
    }

    /// The score of one labelling, feature by feature.
    fn score(
        relabeller: &Relabeller,
        w: Table<'_, f32>,
        atoms: &Atoms,
        between: &Between,
        tree: &Neighbours,
        labels: &[u16],
    ) -> f32 {
        let mut positions = Vec::new();
        (1..=atoms.len())
            .map(|word| {
                let label = u32::from(labels[word - 1]);
                relabeller.positions(w.bits(), atoms, between, tree, word, &mut positions);
                let before = tree.left_sibling(word).map(|sibling| labels[sibling - 1]);
                let transitions =
                    relabeller.transitions(w.bits(), atoms, (tree.head(word), word), before);
                w.sum(&positions, label) + w.sum(&transitions, label)
            })
            .sum()
    }

    #[test]
    fn chains_are_the_best_of_all_labellings() {
        let sent = treebank();
        let set = std::slice::from_ref(&sent);
        let names = LabelSet::from_treebank(set);
        let filter = LabelFilter::from_treebank(set, &names, 1);
        let mut atom_set = AtomSet::default();
        let templates = template::read(
            "[bare direction]\nchild.form\nchild.upos + left.upos\nchild-1.upos + child.edge\n",
        )
        .unwrap();
        let relabeller = Relabeller::new(TreeTemplates::new(&templates, &mut atom_set), filter);
        let (mut atoms, mut between, mut scratch) =
            (Atoms::default(), Between::default(), RelabelScratch::default());
        atoms.fill(&atom_set, &sent);
        between.fill(atoms.tags());
        let heads: Vec<u32> = sent.heads().flatten().collect();
        let objects: Vec<u16> =
            ["x", "y", "z"].iter().filter_map(|name| names.number(name)).collect();
        let root = names.number("root").unwrap();
        let mut rng = Rng::new(3);
        for _ in 0..50 {
            let weights: Vec<f32> = (0..1 << 12).map(|_| rng.uniform() as f32 - 0.5).collect();
            let table = Table::new(&weights, 1.0);
            let mut labels = Vec::new();
            relabeller.label(table, (&atoms, &between), &heads, None, &mut scratch, &mut labels);
            let found = score(&relabeller, table, &atoms, &between, &scratch.neighbours, &labels);
            let mut best = f32::NEG_INFINITY;
            for code in 0..81 {
                let choice = |place: u32| objects[code / 3usize.pow(place) % 3];
                let all = [root, choice(0), choice(1), choice(2), choice(3)];
                best = best.max(score(
                    &relabeller,
                    table,
                    &atoms,
                    &between,
                    &scratch.neighbours,
                    &all,
                ));
            }
            assert!((found - best).abs() < 1e-4, "{found} {best}");
            let mut confidences = Vec::new();
            relabeller.confidences(table, &atoms, &labels, 1.0, &scratch, &mut confidences);
            assert_eq!(confidences[0], 1.0, "one label only");
            assert!(
                confidences[1..].iter().all(|&p| p > 0.33 && p < 1.0),
                "the best of three: {confidences:?}"
            );
        }
    }
}
