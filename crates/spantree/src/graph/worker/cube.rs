//! What a worker does with cube pruning.

use spantree_decode::cube::LabelledArc;
use spantree_decode::{CubeModel, CubeScratch, Heads, LabelId, Ranked};

use super::Worker;
use crate::graph::cube::{ArcLabels, StepScorer};
use crate::graph::decoder::Decoder;
use crate::parser::analysis::ScoredTree;

/// Memory of cube pruning.
#[derive(Debug, Default)]
pub(super) struct CubeSearch {
    labels: ArcLabels,
    list: Vec<(LabelId, f32)>,
    scratch: CubeScratch,
    tree: Heads,
    tree_labels: Vec<LabelId>,
    /// The best trees by arcs alone.
    others: Ranked<Heads>,
}

impl Worker<'_> {
    /// Whether sentences of this length are parsed by cube pruning.
    pub(super) fn is_cube(&self) -> bool {
        self.parser.engine.decoder == Decoder::Cube && self.has_parts()
    }

    /// Adds up to `k` trees to the analysis: the best that cube pruning finds and, if more are asked for, the best by arcs alone, in
    /// the order of their whole scores. `false` if no projective tree is allowed.
    pub(super) fn search_cube(&mut self, k: usize) -> bool {
        let engine = &self.parser.engine;
        let (Some(weights), Some(higher)) = (self.higher, &engine.higher) else { return false };
        engine.decoder.k_best(
            &self.score.scores,
            k.max(1),
            self.search.scratch(),
            &mut self.cube.others,
        );
        self.list_labels();
        let CubeSearch { labels, scratch, tree, tree_labels, others, .. } = &mut self.cube;
        higher.templates.sides(&self.atoms, &[], &mut self.parts.sides);
        let model = StepScorer {
            higher,
            table: weights.parts,
            sentence: (&self.atoms, &self.score.between),
            sides: &self.parts.sides,
            arcs: &self.score.scores,
            labels,
            cost: |_: LabelledArc| 0.0,
        };
        let search = engine.cube.search(&higher.templates);
        let Some(score) = search.decode(&model, scratch, tree, tree_labels) else { return false };
        let trees = &mut self.analysis.trees;
        let new = |heads: &Heads, score: f64| ScoredTree {
            heads: heads.as_slice().to_vec(),
            score,
            ..ScoredTree::default()
        };
        trees.push(new(tree, score));
        for (other, _) in others.iter().filter(|(other, _)| k > 1 && *other != tree) {
            let best = |(head, child)| model.labels(head, child).first().copied().unwrap_or(0);
            let labels: Vec<_> = other.arcs().map(best).collect();
            let steps = search.steps(other, &labels);
            trees.push(new(other, steps.iter().map(|step| model.score(step)).sum()));
        }
        trees.sort_by(|a, b| b.score.total_cmp(&a.score));
        trees.truncate(k.max(1));
        true
    }

    /// Lists the labels of the arcs that are left, those of the best trees by arcs alone among them.
    fn list_labels(&mut self) {
        let (scorer, words) = (&self.parser.engine.scorer, self.atoms.len());
        let CubeSearch { labels, list, others, .. } = &mut self.cube;
        for (tree, _) in others.iter() {
            tree.arcs().for_each(|(head, child)| self.score.candidates.insert(head, child));
        }
        labels.reset(words);
        for (child, head) in
            (1..=words).flat_map(|child| (0..=words).map(move |head| (child, head)))
        {
            let is_left = head != child && self.score.candidates.contains(head, child);
            if is_left && self.score.scores.is_allowed(head, child) {
                let table = self.arcs.labels;
                scorer.top_labels(table, &self.atoms, &mut self.score, (head, child), list);
                list.truncate(self.parser.engine.cube.labels);
                if list.is_empty() {
                    list.push((0, 0.0));
                }
                labels.set(head, child, list);
            }
        }
    }
}
