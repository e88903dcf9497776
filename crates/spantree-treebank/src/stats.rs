//! What is in a treebank: sizes, inventories, tree shapes, ambiguity.
//!
//! [`Stats`] takes sentences one by one ([`Stats::add`]) and can be joined with another ([`Stats::merge`]), so one pass
//! suffices and parts can be counted apart; memory grows with the number of distinct values, not with the treebank.
//! [`Stats::report`] gives the figures, for people ([`Report`] as text) or programs (as JSON through serde).
//!
//! Sentences whose heads do not form a tree are counted in [`Sizes::without_tree`]; their words count, their arcs do not.
//!
//! ```
//! use spantree_treebank::Sentence;
//! use spantree_treebank::stats::Stats;
//! let mut stats = Stats::default();
//! stats.add(&Sentence::from_words(&[("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root")]));
//! let report = stats.report();
//! assert_eq!(report.sizes.words, 2);
//! assert_eq!(report.trees.non_projective_arcs, 0);
//! ```

mod count;
mod report;

use std::ops::AddAssign;

use serde::Serialize;

use count::{Ambiguity, Histogram, Inventory};
pub use report::{
    AmbiguityReport, Distribution, Inventories, LayerShares, Report, TreeReport, ValueCount,
};

use crate::sentence::{Column, Sentence, Token, TokenId, universal_part};
use crate::tree::Tree;

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Documents, by `# newdoc`.
    pub documents: u64,
    /// Sentences.
    pub sentences: u64,
    /// Sentences whose heads are not a tree; left out of all figures about arcs.
    pub without_tree: u64,
    /// Surface tokens: multiword tokens, and words outside them.
    pub tokens: u64,
    /// Syntactic words.
    pub words: u64,
    /// Multiword tokens.
    pub multiword_tokens: u64,
    /// Empty nodes.
    pub empty_nodes: u64,
    /// Words with a lemma.
    pub with_lemma: u64,
    /// Words with an XPOS.
    pub with_xpos: u64,
    /// Words with FEATS.
    pub with_feats: u64,
    /// Words with DEPS.
    pub with_deps: u64,
    /// Surface tokens with `SpaceAfter=No`.
    pub without_space_after: u64,
}

impl AddAssign<&Sizes> for Sizes {
    fn add_assign(&mut self, other: &Self) {
        self.documents += other.documents;
        self.sentences += other.sentences;
        self.without_tree += other.without_tree;
        self.tokens += other.tokens;
        self.words += other.words;
        self.multiword_tokens += other.multiword_tokens;
        self.empty_nodes += other.empty_nodes;
        self.with_lemma += other.with_lemma;
        self.with_xpos += other.with_xpos;
        self.with_feats += other.with_feats;
        self.with_deps += other.with_deps;
        self.without_space_after += other.without_space_after;
    }
}

/// Counts of a treebank; see the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    sizes: Sizes,
    sentence_lengths: Histogram,
    inventories: InventoryCounts,
    trees: TreeCounts,
    tags_per_form: Ambiguity,
    labels_per_tag_pair: Ambiguity,
}

/// How often each value occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InventoryCounts {
    forms: Inventory,
    lemmas: Inventory,
    upos: Inventory,
    xpos: Inventory,
    features: Inventory,
    feature_sets: Inventory,
    labels: Inventory,
    universal_labels: Inventory,
}

/// Shapes of the trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TreeCounts {
    trees: u64,
    arcs: u64,
    non_projective_arcs: u64,
    non_projective: u64,
    non_planar: u64,
    not_one_endpoint_crossing: u64,
    gap_degrees: Histogram,
    roots: Histogram,
    arc_lengths: Histogram,
    depths: Histogram,
}

impl Stats {
    /// Counts one sentence.
    pub fn add(&mut self, sent: &Sentence) {
        self.sizes.sentences += 1;
        self.sizes.documents += u64::from(sent.comment("newdoc").is_some());
        self.sentence_lengths.add(sent.len());
        for token in sent.tokens() {
            match token.id() {
                TokenId::Word(_) => self.add_word(token),
                TokenId::Range(..) => self.sizes.multiword_tokens += 1,
                TokenId::Empty(..) => self.sizes.empty_nodes += 1,
            }
        }
        for token in sent.surface_tokens() {
            self.sizes.tokens += 1;
            self.sizes.without_space_after += u64::from(!token.space_after());
        }
        match sent.tree() {
            Ok(tree) => self.add_tree(sent, &tree),
            Err(_) => self.sizes.without_tree += 1,
        }
    }

    fn add_word(&mut self, word: Token<'_>) {
        let has = |column| u64::from(word.get(column) != "_");
        self.sizes.words += 1;
        self.sizes.with_lemma += has(Column::Lemma);
        self.sizes.with_xpos += has(Column::Xpos);
        self.sizes.with_feats += has(Column::Feats);
        self.sizes.with_deps += has(Column::Deps);
        self.inventories.add(word);
        if word.upos() != "_" {
            self.tags_per_form.add(&[word.form()], word.upos());
        }
    }

    fn add_tree(&mut self, sent: &Sentence, tree: &Tree) {
        self.trees.add(tree);
        let tag = |vertex: u32| if vertex == 0 { "ROOT" } else { sent.word(vertex).upos() };
        for (head, child) in tree.arcs() {
            let label = sent.word(child).deprel();
            if label != "_" {
                self.labels_per_tag_pair.add(&[tag(head), tag(child)], label);
            }
        }
    }

    /// Adds the counts of another treebank.
    pub fn merge(&mut self, other: &Self) {
        self.sizes += &other.sizes;
        self.sentence_lengths.merge(&other.sentence_lengths);
        self.inventories.merge(&other.inventories);
        self.trees.merge(&other.trees);
        self.tags_per_form.merge(&other.tags_per_form);
        self.labels_per_tag_pair.merge(&other.labels_per_tag_pair);
    }

    /// The figures up to here.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::new(self)
    }
}

impl InventoryCounts {
    fn add(&mut self, word: Token<'_>) {
        self.forms.add(word.form());
        for (inventory, column) in [
            (&mut self.lemmas, Column::Lemma),
            (&mut self.upos, Column::Upos),
            (&mut self.xpos, Column::Xpos),
            (&mut self.feature_sets, Column::Feats),
            (&mut self.labels, Column::Deprel),
        ] {
            inventory.add_value(word.get(column));
        }
        self.universal_labels.add_value(universal_part(word.deprel()));
        for feature in word.get(Column::Feats).split('|') {
            self.features.add_value(feature);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.forms.merge(&other.forms);
        self.lemmas.merge(&other.lemmas);
        self.upos.merge(&other.upos);
        self.xpos.merge(&other.xpos);
        self.features.merge(&other.features);
        self.feature_sets.merge(&other.feature_sets);
        self.labels.merge(&other.labels);
        self.universal_labels.merge(&other.universal_labels);
    }
}

impl TreeCounts {
    fn add(&mut self, tree: &Tree) {
        let crossing = tree.non_projective_words().len();
        self.trees += 1;
        self.arcs += tree.len() as u64;
        self.non_projective_arcs += crossing as u64;
        self.non_projective += u64::from(crossing > 0);
        // Projective trees are planar, and 1-endpoint-crossing vacuously.
        if crossing > 0 {
            self.non_planar += u64::from(!tree.is_planar());
            self.not_one_endpoint_crossing += u64::from(!tree.is_one_endpoint_crossing());
        }
        self.gap_degrees.add(if crossing > 0 { tree.gap_degree() } else { 0 });
        self.roots.add(tree.children(0).len());
        self.depths.add(deepest(tree));
        for (head, child) in tree.arcs().filter(|&(head, _)| head != 0) {
            self.arc_lengths.add(head.abs_diff(child) as usize);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.trees += other.trees;
        self.arcs += other.arcs;
        self.non_projective_arcs += other.non_projective_arcs;
        self.non_projective += other.non_projective;
        self.non_planar += other.non_planar;
        self.not_one_endpoint_crossing += other.not_one_endpoint_crossing;
        self.gap_degrees.merge(&other.gap_degrees);
        self.roots.merge(&other.roots);
        self.arc_lengths.merge(&other.arc_lengths);
        self.depths.merge(&other.depths);
    }
}

/// Number of arcs from the root to the deepest word; one pass, since heads precede their children in pre-order.
fn deepest(tree: &Tree) -> usize {
    let mut depths = vec![0; tree.len() + 1];
    for &word in &tree.subtree(0)[1..] {
        depths[word as usize] = depths[tree.head(word) as usize] + 1;
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
