//! The enhancer that users hold, and its worker.

use std::fmt::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spantree_treebank::{Column, Sentence};

use super::graph::Graph;
use super::label::Pattern;
use super::view::{Candidate, View};
use crate::model::{Container, ModelError, Sections};
use crate::rows::Rows;

/// What an enhancer says about itself: part of the header of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Ways to label an arc by number, as text, from 1; the first is to keep the relation of the tree. 0 stands for no arc.
    pub labels: Vec<String>,
    /// Whether graphs may have cycles.
    pub cycles: bool,
    /// F1 of labelled arcs on the development set in per cent, with the trees given there.
    pub dev: Option<f64>,
}

/// The number of no arc, and that of an arc with the relation of the tree.
pub(super) const NO_ARC: u16 = 0;
pub(super) const TREE_LABEL: u16 = 1;

/// A trained enhancer; see the [module](super).
#[derive(Clone, Debug)]
pub struct Enhancer {
    container: Arc<Container>,
    prefix: String,
    header: Header,
    patterns: Vec<Pattern>,
}

impl Enhancer {
    /// An enhancer out of the sections of a model whose names start with `prefix`; everything is checked.
    ///
    /// # Errors
    /// When a section is missing or does not fit the header.
    pub fn new(
        container: Arc<Container>,
        prefix: &str,
        header: Header,
    ) -> Result<Self, ModelError> {
        let patterns: Option<Vec<_>> =
            header.labels.iter().map(|text| Pattern::from_text(text)).collect();
        let patterns = patterns.filter(|patterns| {
            patterns.first() == Some(&Pattern::SAME) && patterns.len() < u16::MAX.into()
        });
        let Some(patterns) = patterns else {
            return Err(ModelError::Invalid {
                name: container.name().to_owned(),
                problem: "the labels of the enhancer are not understood".to_owned(),
            });
        };
        let enhancer = Self { container, prefix: prefix.to_owned(), header, patterns };
        enhancer.tables()?;
        Ok(enhancer)
    }

    /// Labels seen with paths, and the weights.
    fn tables(&self) -> Result<[Rows<'_>; 2], ModelError> {
        let rows = |name: &str| {
            let labels = self.patterns.len() + 1;
            Rows::from_container(&self.container, &format!("{}{name}", self.prefix), labels)
        };
        Ok([rows("paths")?, rows("weights")?])
    }

    /// What the enhancer says about itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn with_dev(mut self, score: Option<f64>) -> Self {
        self.header.dev = score;
        self
    }

    /// Adds the sections of this enhancer to those of a model, with names that start with `prefix`.
    ///
    /// # Errors
    /// Never for an enhancer that was loaded or trained.
    pub fn write_sections(&self, prefix: &str, sections: &mut Sections) -> Result<(), ModelError> {
        for name in ["paths", "weights"] {
            let (from, to) = (format!("{}{name}", self.prefix), format!("{prefix}{name}"));
            Rows::copy(&self.container, &from, &to, sections)?;
        }
        Ok(())
    }

    /// A worker with its own buffers; make one per thread.
    ///
    /// # Panics
    /// Never: the sections were checked on loading.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let [paths, weights] = self.tables().expect("checked on loading");
        Worker {
            enhancer: self,
            paths,
            weights,
            view: View::default(),
            graph: Graph::default(),
            sums: Vec::new(),
            found: Vec::new(),
            wanted: Vec::new(),
            unwanted: Vec::new(),
            deps: String::new(),
        }
    }
}

/// Writes enhanced graphs with one model; see [`Enhancer::worker`].
#[derive(Debug)]
pub struct Worker<'e> {
    enhancer: &'e Enhancer,
    paths: Rows<'e>,
    weights: Rows<'e>,
    view: View,
    graph: Graph,
    sums: Vec<i32>,
    found: Vec<(usize, usize)>,
    /// Further arcs, with what each scores above none.
    wanted: Vec<(i32, Candidate, u16)>,
    /// Tree arcs that should go.
    unwanted: Vec<Candidate>,
    deps: String,
}

impl Worker<'_> {
    /// Overwrites DEPS of the words of a sentence that has a tree; other sentences stay as they are.
    pub fn enhance(&mut self, sent: &mut Sentence) {
        if !self.view.fill(sent) {
            return;
        }
        self.judge_candidates();
        self.build();
        for word in 1..=sent.len() as u32 {
            self.deps.clear();
            for &(head, label) in self.graph.heads(word) {
                let separator = if self.deps.is_empty() { "" } else { "|" };
                let _ = write!(self.deps, "{separator}{head}:");
                let pattern = &self.enhancer.patterns[usize::from(label) - 1];
                pattern.write(&self.view, word, sent.word(word).deprel(), &mut self.deps);
            }
            sent.set(word, Column::Deps, &self.deps);
        }
    }

    /// Starts the graph as the tree and lists what to change.
    fn judge_candidates(&mut self) {
        let Self { view, graph, wanted, unwanted, .. } = self;
        let (view, mut candidates) = (std::mem::take(view), Vec::new());
        graph.reset(view.len());
        wanted.clear();
        unwanted.clear();
        view.each_candidate(|candidate| candidates.push(candidate));
        for candidate in candidates {
            let is_tree_arc = view.head(candidate.child) == candidate.head;
            let Some((label, gain)) = self.best_label(&view, candidate) else {
                if is_tree_arc {
                    self.graph.add(candidate.head, candidate.child, TREE_LABEL);
                }
                continue;
            };
            if is_tree_arc {
                self.graph.add(candidate.head, candidate.child, label);
                if gain < 0 {
                    self.unwanted.push(candidate);
                }
            } else if gain > 0 {
                self.wanted.push((gain, candidate, label));
            }
        }
        self.view = view;
    }

    /// The best of the labels seen with the path of a candidate, and what it scores above no arc; `None` if the path was never seen.
    fn best_label(&mut self, view: &View, candidate: Candidate) -> Option<(u16, i32)> {
        let seen = self.paths.get(candidate.path);
        if seen.is_empty() {
            return None;
        }
        self.sums.clear();
        self.sums.resize(self.enhancer.patterns.len() + 1, 0);
        self.weights.add_all(&view.features(candidate), &mut self.found, &mut self.sums);
        let score = |label: u16| self.sums[usize::from(label)];
        // Of equal labels the first.
        let (label, _) = seen.iter().min_by_key(|&(label, _)| std::cmp::Reverse(score(label)))?;
        Some((label, score(label) - score(NO_ARC)))
    }

    /// Adds the wanted arcs, the surest first, and removes the unwanted ones.
    fn build(&mut self) {
        let Self { graph, wanted, unwanted, enhancer, .. } = self;
        wanted.sort_by_key(|&(gain, candidate, _)| {
            (std::cmp::Reverse(gain), candidate.child, candidate.head)
        });
        for &(_, Candidate { head, child, .. }, label) in &*wanted {
            if enhancer.header.cycles || !graph.is_above(child, head) {
                graph.add(head, child, label);
            }
        }
        for &Candidate { head, child, .. } in &*unwanted {
            graph.remove_if_connected(head, child);
        }
    }
}
