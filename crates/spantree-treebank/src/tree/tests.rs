//! Trees against brute force: every tree of up to six words.

use super::*;
use crate::Sentence;

/// Calls `visit` with every tree of `n` words; several roots are allowed.
pub(crate) fn for_each_tree(n: usize, mut visit: impl FnMut(&Tree)) {
    let mut heads = vec![0u32; n];
    loop {
        if let Ok(tree) = Tree::new(&heads) {
            visit(&tree);
        }
        let Some(place) = heads.iter().position(|&head| (head as usize) < n) else { return };
        heads[..place].fill(0);
        heads[place] += 1;
    }
}

fn count(n: usize, holds: impl Fn(&Tree) -> bool) -> usize {
    let mut count = 0;
    for_each_tree(n, |tree| count += usize::from(holds(tree)));
    count
}

/// Dominance by climbing, the definition.
fn is_above(tree: &Tree, ancestor: u32, vertex: u32) -> bool {
    let mut v = vertex;
    while v != ancestor && v != 0 {
        v = tree.head(v);
    }
    v == ancestor
}

fn crosses((a, b): (u32, u32), (c, d): (u32, u32)) -> bool {
    let ((a, b), (c, d)) = ((a.min(b), a.max(b)), (c.min(d), c.max(d)));
    (a < c && c < b && b < d) || (c < a && a < d && d < b)
}

#[test]
fn tree_counts_are_the_known_numbers() {
    let all: Vec<_> = (1..=6).map(|n| count(n, |_| true)).collect();
    assert_eq!(all, [1, 3, 16, 125, 1296, 16807]);
    let one_root: Vec<_> = (1..=6).map(|n| count(n, |tree| tree.root().is_ok())).collect();
    assert_eq!(one_root, [1, 2, 9, 64, 625, 7776]);
    let projective: Vec<_> = (1..=6).map(|n| count(n, Tree::is_projective)).collect();
    assert_eq!(projective, [1, 3, 12, 55, 273, 1428]);
    let one_endpoint: Vec<_> = (1..=6).map(|n| count(n, Tree::is_one_endpoint_crossing)).collect();
    assert_eq!(one_endpoint, [1, 3, 16, 125, 1104, 10024]);
}

#[test]
fn dominance_gaps_and_projectivity_equal_their_definitions() {
    for_each_tree(5, |tree| {
        let mut gaps_by_definition = vec![0; 6];
        for v in 0..=5u32 {
            let words: Vec<u32> = (0..=5).filter(|&w| is_above(tree, v, w)).collect();
            for w in 0..=5 {
                assert_eq!(tree.dominates(v, w), words.contains(&w), "{tree:?} {v} {w}");
            }
            let mut subtree = tree.subtree(v).to_vec();
            subtree.sort_unstable();
            assert_eq!(subtree, words);
            assert_eq!(tree.span(v), (words[0], words[words.len() - 1]));
            if v > 0 {
                gaps_by_definition[v as usize] =
                    words.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
            }
        }
        assert_eq!(tree.gap_degrees(), gaps_by_definition, "{tree:?}");
        let lifted: Vec<u32> = tree
            .arcs()
            .filter(|&(h, c)| (h.min(c) + 1..h.max(c)).any(|between| !is_above(tree, h, between)))
            .map(|(_, c)| c)
            .collect();
        assert_eq!(tree.non_projective_words(), lifted, "{tree:?}");
        assert_eq!(tree.is_projective(), lifted.is_empty());
        assert_eq!(tree.gap_degree() == 0, tree.is_projective());
    });
}

#[test]
fn planarity_and_shared_endpoints_equal_their_definitions() {
    for_each_tree(5, |tree| {
        let arcs: Vec<_> = tree.arcs().collect();
        let words: Vec<_> = arcs.iter().copied().filter(|arc| arc.0 != 0).collect();
        let planar = words.iter().all(|&a| words.iter().all(|&b| !crosses(a, b)));
        assert_eq!(tree.is_planar(), planar, "{tree:?}");
        let shared = arcs.iter().all(|&arc| {
            let crossing: Vec<_> = arcs.iter().filter(|&&other| crosses(arc, other)).collect();
            (0..=5).any(|end| crossing.iter().all(|&&(h, c)| h == end || c == end))
        });
        assert_eq!(tree.is_one_endpoint_crossing(), shared, "{tree:?}");
    });
}

#[test]
fn children_are_ordered_and_split_by_side() {
    let tree = Tree::new(&[3, 3, 0, 3, 4, 3]).unwrap();
    assert_eq!(tree.children(3), [1, 2, 4, 6]);
    assert_eq!(tree.left_children(3), [1, 2]);
    assert_eq!(tree.right_children(3), [4, 6]);
    assert!(tree.left_children(0).is_empty());
    assert_eq!(tree.depth(5), 3);
    assert_eq!(tree.ancestors(5).collect::<Vec<_>>(), [4, 3, 0]);
}

#[test]
fn paths_go_up_then_down() {
    let sent = Sentence::from_words(&[
        ("She", "PRON", 2, "nsubj"),
        ("wants", "VERB", 0, "root"),
        ("to", "PART", 4, "mark"),
        ("read", "VERB", 2, "xcomp"),
        ("books", "NOUN", 4, "obj"),
    ]);
    let tree = sent.tree().unwrap();
    let path = tree.path(1, 5);
    assert_eq!(path.steps, [Step::Up(1), Step::Down(4), Step::Down(5)]);
    assert_eq!(path.top, 2);
    assert_eq!(path.labels(&sent), "nsubj↑ xcomp↓ obj↓");
    assert_eq!(tree.path(5, 1).labels(&sent), "obj↑ xcomp↑ nsubj↓");
    assert!(tree.path(3, 3).is_empty());
    assert_eq!(tree.path(5, 0).len(), 3);
}

#[test]
fn broken_heads_are_named() {
    assert_eq!(Tree::new(&[2, 7]), Err(TreeError::HeadOutOfRange { word: 2, head: 7, len: 2 }));
    assert_eq!(Tree::new(&[0, 4, 2, 3, 3]), Err(TreeError::Cycle { words: vec![2, 4, 3] }));
    assert_eq!(Tree::new(&[1]), Err(TreeError::Cycle { words: vec![1] }));
    assert_eq!(Tree::new(&[0, 0]).unwrap().root(), Err(TreeError::RootCount { roots: vec![1, 2] }));
    assert!(Tree::new(&[]).unwrap().is_empty());
    let message = TreeError::Cycle { words: (1..=12).collect() }.to_string();
    assert_eq!(message, "words 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … form a cycle");
}

#[test]
fn long_sentences_stay_cheap() {
    let n = 100_000u32;
    let chain: Vec<u32> = (0..n).collect();
    let flat: Vec<u32> = (0..n).map(|i| u32::from(i > 0)).collect();
    for heads in [chain, flat] {
        let tree = Tree::new(&heads).unwrap();
        assert!(tree.is_projective() && tree.is_planar() && tree.is_one_endpoint_crossing());
        assert_eq!(tree.gap_degree(), 0);
        assert!(tree.non_projective_words().is_empty());
    }
}
