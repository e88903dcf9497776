//! Level 2: the basic tree and the enhanced graph. References have been checked: every head exists.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::block::{Block, Id};
use super::catalogue as test;
use super::ids::{node_number, split_deps};
use super::{Checked, Report, State};
use crate::tree::{Tree, TreeError};

/// The basic tree has one root and no cycle. Reports the first problem only: the others usually follow from it.
pub(super) fn check_tree(block: &Block<'_>, report: &mut Report<'_>) -> Checked<()> {
    let words = block.rows.iter().filter(|row| row.is_word());
    let mut heads = Vec::with_capacity(block.rows.len());
    for row in words {
        if row.head() == row.columns[0] {
            let message = "a word that is its own head";
            report.add(test::HEAD_SELF_LOOP, row.line, "HEAD", row.head(), message);
            return ControlFlow::Break(());
        }
        heads.push(row.head().parse().unwrap_or(0));
    }
    let roots: Vec<_> =
        (1..).zip(&heads).filter(|&(_, &head)| head == 0).map(|(word, _)| word).collect();
    if roots.len() > 1 {
        let message = TreeError::RootCount { roots }.to_string();
        report.add(test::MULTIPLE_ROOTS, block.line, "HEAD", "", message);
        return ControlFlow::Break(());
    }
    match Tree::new(&heads) {
        Ok(_) => ControlFlow::Continue(()),
        Err(error) => {
            let message = format!("{error}; every word must be reachable from the root");
            report.add(test::NON_TREE, block.line, "HEAD", "", message);
            ControlFlow::Break(())
        }
    }
}

/// Either all sentences have enhanced dependencies or none.
pub(super) fn check_all_or_none(block: &Block<'_>, state: &mut State, report: &mut Report<'_>) {
    let enhanced =
        block.rows.iter().any(|row| row.is_empty_node() || (row.is_word() && row.deps() != "_"));
    let (this, other) = if enhanced {
        (&mut state.with_graph, state.without_graph)
    } else {
        (&mut state.without_graph, state.with_graph)
    };
    if this.is_some() {
        return;
    }
    *this = Some(block.line);
    if let Some(line) = other {
        let (here, there) = if enhanced { ("has", "has none") } else { ("lacks", "has some") };
        let message = format!(
            "the sentence {here} enhanced dependencies, but the one on line {line} {there}; give DEPS to all sentences or to none"
        );
        report.add(test::EDEPS_ONLY_SOMETIMES, block.line, "DEPS", "", message);
    }
}

/// Every node of the enhanced graph can be reached from the root.
pub(super) fn check_connected(block: &Block<'_>, report: &mut Report<'_>) {
    let nodes: Vec<_> = block.rows.iter().filter(|row| !row.is_range()).collect();
    if nodes.iter().all(|node| node.is_word() && node.deps() == "_") {
        return;
    }
    let number = |id| match id {
        Id::Empty(word, index) => (word, index),
        Id::Word(word) | Id::Range(word, _) => (word, 0),
        Id::Invalid => (0, 0),
    };
    let index: HashMap<_, _> = nodes.iter().map(|node| number(node.id)).zip(1..).collect();
    // Node 0 is the root; `children` is indexed by node.
    let mut children = vec![Vec::new(); nodes.len() + 1];
    for (child, node) in (1..).zip(&nodes) {
        for (head, _) in split_deps(node.deps()).unwrap_or_default() {
            let head = index.get(&node_number(head)).copied().unwrap_or(0);
            children[head].push(child);
        }
    }
    let mut reached = vec![false; nodes.len() + 1];
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&children[node]);
        }
    }
    let mut lost: Vec<_> =
        (1..).zip(&nodes).filter(|&(index, _)| !reached[index]).map(|(_, node)| node).collect();
    // The official validator blames the first in the order of strings, where 10 comes before 9.
    lost.sort_by_key(|node| node.columns[0]);
    if let Some(first) = lost.first() {
        let shown: Vec<_> = lost.iter().take(10).map(|node| node.columns[0]).collect();
        let message = format!(
            "{} node(s) of the enhanced graph cannot be reached from the root: {}{}",
            lost.len(),
            shown.join(", "),
            if lost.len() > 10 { ", …" } else { "" }
        );
        report.add(test::UNCONNECTED_EGRAPH, first.line, "DEPS", first.deps(), message);
    }
}
