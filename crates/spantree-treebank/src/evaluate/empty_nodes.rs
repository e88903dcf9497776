//! Collapsing the empty nodes of enhanced graphs, as the IWPT shared tasks do before scoring.
//!
//! A path from a word through empty nodes to a word becomes one dependency whose label lists the relations on the way:
//! `3 →conj 5.1 →obj 6` becomes `3:conj>obj` in the DEPS of word 6. Paths that visit an empty node twice are left out.

use std::collections::HashMap;

use super::document::Document;
use super::error::EvaluateError;
use crate::sentence::{Column, Dep, Sentence, TokenId};

/// Largest number of paths in a sentence: their number may grow exponentially with the empty nodes.
const MAX_PATHS: usize = 10_000;

impl Document {
    /// Collapses the empty nodes of all sentences. The rows of empty nodes stay, but no word depends on them any more.
    ///
    /// # Errors
    /// When a sentence has more than 10,000 paths through empty nodes.
    pub fn collapse_empty_nodes(&mut self) -> Result<(), EvaluateError> {
        let crowded = self.sentences_mut().iter_mut().position(|sent| !collapse(sent));
        match crowded {
            Some(index) => {
                Err(EvaluateError::EmptyNodePaths { place: self.place(index), limit: MAX_PATHS })
            }
            None => Ok(()),
        }
    }
}

/// An empty node: the word before it and its number there.
type Node = (u32, u32);

/// Rewrites DEPS of all words; `false` when there are too many paths.
fn collapse(sent: &mut Sentence) -> bool {
    let mut parents: HashMap<Node, Vec<Dep>> = HashMap::new();
    for token in sent.tokens() {
        if let TokenId::Empty(word, index) = token.id() {
            parents.insert((word, index), token.deps().collect());
        }
    }
    if parents.is_empty() {
        return true;
    }
    let mut collapsed = Vec::new();
    let mut search =
        PathSearch { parents: &parents, on_path: Vec::new(), steps: 0, found: Vec::new() };
    for (number, word) in (1..).zip(sent.words()) {
        if word.deps().all(|dep| dep.empty == 0) {
            continue;
        }
        search.found.clear();
        for dep in word.deps() {
            if !search.climb(dep, dep.label.to_owned()) {
                return false;
            }
        }
        search.found.sort();
        search.found.dedup();
        let deps: Vec<_> =
            search.found.iter().map(|(head, label)| format!("{head}:{label}")).collect();
        collapsed.push((number, deps.join("|")));
    }
    for (number, deps) in collapsed {
        sent.set(number, Column::Deps, &deps);
    }
    true
}

struct PathSearch<'p, 'a> {
    parents: &'p HashMap<Node, Vec<Dep<'a>>>,
    on_path: Vec<Node>,
    steps: usize,
    found: Vec<(u32, String)>,
}

impl PathSearch<'_, '_> {
    /// Follows a dependency up to words, `label` naming the way so far; `false` when there are too many ways.
    fn climb(&mut self, dep: Dep, label: String) -> bool {
        let node = (dep.head, dep.empty);
        self.steps += 1;
        if dep.empty == 0 {
            self.found.push((dep.head, label));
        } else if let Some(parents) =
            self.parents.get(&node).filter(|_| !self.on_path.contains(&node))
        {
            self.on_path.push(node);
            for parent in parents {
                if !self.climb(*parent, format!("{}>{label}", parent.label)) {
                    return false;
                }
            }
            self.on_path.pop();
        }
        self.steps <= MAX_PATHS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three words and the empty nodes `1.1`, `1.2`, … with these DEPS.
    fn document(words: [&str; 3], empty: &[&str]) -> Document {
        let mut sent = Sentence::new();
        for (number, deps) in (1..).zip(words) {
            sent.push_word("w");
            sent.set(number, Column::Deps, deps);
            if number == 1 {
                for (index, deps) in (1..).zip(empty) {
                    let row = sent.push_row(TokenId::Empty(1, index));
                    sent.set_token(row, Column::Deps, deps);
                }
            }
        }
        Document::new("test", vec![sent])
    }

    #[track_caller]
    fn check(words: [&str; 3], empty: &[&str], expected: [&str; 3]) {
        let mut document = document(words, empty);
        document.collapse_empty_nodes().unwrap();
        let found: Vec<_> = document.sentences()[0].words().map(|w| w.get(Column::Deps)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn paths_become_labels() {
        check(["0:root", "1:obj", "_"], &[], ["0:root", "1:obj", "_"]);
        check(
            ["0:root", "1.1:obj|1:x", "1.1:nsubj:pass"],
            &["1:conj:and"],
            ["0:root", "1:conj:and>obj|1:x", "1:conj:and>nsubj:pass"],
        );
        // Through two nodes, and by two ways.
        check(
            ["0:root", "1.2:obj", "_"],
            &["1:conj|0:root", "1.1:xcomp"],
            ["0:root", "0:root>xcomp>obj|1:conj>xcomp>obj", "_"],
        );
    }

    #[test]
    fn cycles_and_missing_nodes_end_the_path() {
        check(["0:root", "1.1:obj", "_"], &["1.2:a|1:b", "1.1:c"], ["0:root", "1:b>obj", "_"]);
        check(["0:root", "9.9:obj|1:x", "_"], &["1:b"], ["0:root", "1:x", "_"]);
        // A word may come to depend on itself.
        check(["0:root", "1.1:obj", "_"], &["2:conj"], ["0:root", "2:conj>obj", "_"]);
    }

    #[test]
    fn too_many_paths_are_refused() {
        let all: Vec<_> = (1..=12).map(|i| format!("1.{i}:x")).collect();
        let all = all.join("|");
        let mut document = document(["0:root", &all, "_"], &[all.as_str(); 12]);
        let error = document.collapse_empty_nodes().unwrap_err().to_string();
        assert_eq!(error, "test:1: more than 10000 paths through empty nodes");
    }
}
