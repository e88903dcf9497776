//! Projectivising by lifting: the least change that makes a tree projective.
//!
//! While some arc is not projective, the shortest such arc `h → c` (of equally short ones the leftmost) is replaced by
//! `head(h) → c` (Nivre & Nilsson 2005, after Kahane, Nasr & Rambow 1998). Each lift moves a word nearer to the root, so the
//! process ends, and a tree with one root keeps it: the arcs of its root word are projective already.
//!
//! A lift of `c` away from `h` changes what `h` dominates and nothing else, so only `c` and the children of `h` are looked
//! at again. O(n log n), plus O(n) for each lift when the words between two ends are few.

use std::collections::BTreeSet;

use crate::tree::Tree;

/// A projective tree and how the original became it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifting {
    /// The heads of words `1..=n` in the projective tree.
    pub heads: Vec<u32>,
    /// The words that were lifted, ascending.
    pub lifted: Vec<u32>,
    /// The words whose arc some other word was lifted along, ascending: those that it passed on its way up.
    pub passed: Vec<u32>,
}

impl Tree {
    /// The projective tree nearest by lifting; unchanged when this one is projective.
    #[must_use]
    pub fn lift(&self) -> Lifting {
        let mut heads = vec![0];
        heads.extend_from_slice(self.heads());
        let (mut lifted, mut passed) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting: BTreeSet<_> =
            self.non_projective_words().into_iter().map(|word| by_length(&heads, word)).collect();
        while let Some((.., word)) = waiting.pop_first() {
            let old = heads[word as usize];
            heads[word as usize] = heads[old as usize];
            lifted.insert(word);
            passed.insert(old);
            for other in 1..heads.len() as u32 {
                if (other == word || heads[other as usize] == old) && !is_projective(&heads, other)
                {
                    waiting.insert(by_length(&heads, other));
                }
            }
        }
        Lifting {
            heads: heads.split_off(1),
            lifted: lifted.into_iter().collect(),
            passed: passed.into_iter().collect(),
        }
    }
}

/// Sorts the arc of a word by length, then from left to right.
fn by_length(heads: &[u32], word: u32) -> (u32, u32, u32) {
    let head = heads[word as usize];
    (head.abs_diff(word), head.min(word), word)
}

/// Whether the head of `word` dominates every word between the two; by climbing, since the tree is changing.
fn is_projective(heads: &[u32], word: u32) -> bool {
    let head = heads[word as usize];
    (head.min(word) + 1..head.max(word)).all(|between| {
        let mut above = between;
        while above != head && above != 0 {
            above = heads[above as usize];
        }
        above == head
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::for_each_tree;

    /// The definition: find the shortest non-projective arc anew after every lift.
    fn lift_naively(tree: &Tree) -> Vec<u32> {
        let mut tree = tree.clone();
        loop {
            let shortest = tree.non_projective_words().into_iter().min_by_key(|&word| {
                let head = tree.head(word);
                (head.abs_diff(word), head.min(word), word)
            });
            let Some(word) = shortest else { return tree.heads().to_vec() };
            let mut heads = tree.heads().to_vec();
            heads[word as usize - 1] = tree.head(tree.head(word));
            tree = Tree::new(&heads).unwrap();
        }
    }

    #[test]
    fn every_small_tree_becomes_projective_as_defined() {
        for_each_tree(6, |tree| {
            let lifting = tree.lift();
            let projective = Tree::new(&lifting.heads).unwrap();
            assert!(projective.is_projective());
            assert_eq!(lifting.heads, lift_naively(tree), "{tree:?}");
            assert!(projective.children(0).len() >= tree.children(0).len());
            if tree.root().is_ok() {
                assert_eq!(tree.root(), projective.root());
            }
            for word in 1..=6 {
                let moved = projective.head(word) != tree.head(word);
                assert_eq!(lifting.lifted.contains(&word), moved, "{tree:?} {word}");
                assert!(tree.dominates(projective.head(word), word));
            }
            assert_eq!(lifting.lifted.is_empty(), tree.is_projective());
        });
    }

    #[test]
    fn the_shortest_arc_goes_first() {
        // 1 → 3 crosses 4 → 2, and is equally long: the leftmost is lifted and that resolves both.
        let tree = Tree::new(&[4, 4, 1, 0]).unwrap();
        assert_eq!(tree.non_projective_words(), [3]);
        assert_eq!(tree.lift().heads, [4, 4, 4, 0]);
        assert_eq!((tree.lift().lifted, tree.lift().passed), (vec![3], vec![1]));
    }
}
