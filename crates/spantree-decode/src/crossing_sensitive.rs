//! 1-endpoint-crossing trees scored by siblings and grandparents where no arc crosses (Pitler 2014).
//!
//! Parts of several arcs make crossing trees hard to search, unless arcs that cross have none. The *crossing-sensitive* score of a
//! tree is the sum, over its arcs `head → child`, of the [parts](crate::parts) that are [visible](VisibleParts):
//!
//! | arc | parts |
//! |---|---|
//! | crossed by another one | arc, crossed |
//! | not crossed | arc |
//! | … and its inner sibling's arc is not crossed, or there is none | sibling |
//! | … and the head's own arc is not crossed, nor one to a child of the head further out | grandparent |
//! | … and both | grand-sibling |
//!
//! *Further out* is counted on either side of the arc `grand → head`: of the children between grand and head, those nearer to
//! grand; of the others, those further from the head on its side, and all beyond grand. The root stands left of the sentence and has no head; outermost
//! children and three siblings have no part in this score.
//!
//! A projective tree has the score of [`HigherOrderEisner`], and with scores of arcs only a tree has that of
//! [`OneEndpointCrossing`](crate::OneEndpointCrossing). The best tree is found exactly. Arcs that are not crossed are put together as in
//! a projective tree (module `chart`); what is connected by crossings makes a block (module `block`), which looks from
//! outside like one arc, or like two neighbours without one.
//!
//! With k heads per word time is O(kn³) and more in the number of arcs that may cross; memory is O(n³) but small where few arcs
//! may cross ([`PartScores::fill_crossed`] forbids). Ties: the first in the order of the recurrences. Blocks may have
//! several derivations, so there are no sums, and beside the best tree only projective ones are listed.
//!
//! ```
//! use spantree_decode::{CrossingSensitive, Heads, PartScores, RootMode};
//! let mut parts = PartScores::default();
//! parts.reset(4, |_head, _child| true);
//! // Three arcs that cross, 0 → 2, 1 → 3 and 2 → 4, and a reward for arcs that are not crossed.
//! parts.fill_arcs(|head, child| if head + 2 == child { 2.0 } else { 0.0 });
//! parts.fill_siblings(|_head, _inner, _child| 0.5);
//! let (mut scratch, mut tree) = (Default::default(), Heads::default());
//! let score = CrossingSensitive::new(RootMode::One).decode(&parts, &mut scratch, &mut tree);
//! assert_eq!((score, tree), (Some(6.5), Heads::from(vec![2, 0, 1, 2])));
//! ```

mod block;
mod chart;

use crate::heads::{Heads, RootMode};
use crate::higher_order::{HigherOrderEisner, HigherOrderScratch};
use crate::parts::PartScores;
use crate::ranked::Ranked;
use crate::scores::ArcScores;
use chart::{Chart, ChartScratch};

/// The best 1-endpoint-crossing tree by its crossing-sensitive score: see the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossingSensitive {
    mode: RootMode,
}

/// Memory of [`CrossingSensitive`].
#[derive(Clone, Debug, Default)]
pub struct CrossingSensitiveScratch {
    chart: ChartScratch,
    projective: HigherOrderScratch,
    best: Heads,
    near: Ranked<Heads>,
}

impl CrossingSensitive {
    /// A decoder for trees with the given number of root children.
    pub fn new(mode: RootMode) -> Self {
        Self { mode }
    }

    /// Writes the best tree to `tree` and returns its score; `None`, and an empty `tree`, if no tree is
    /// allowed.
    pub fn decode(
        &self,
        parts: &PartScores,
        scratch: &mut CrossingSensitiveScratch,
        tree: &mut Heads,
    ) -> Option<f64> {
        Chart::new(parts, self.mode, &mut scratch.chart).best(tree)
    }

    /// Writes up to `k` good trees to `trees`, best first and all different: the best of all, and the best projective ones.
    ///
    /// Only for parts that have neither outermost children nor three siblings.
    pub fn k_best(
        &self,
        parts: &PartScores,
        k: usize,
        scratch: &mut CrossingSensitiveScratch,
        trees: &mut Ranked<Heads>,
    ) {
        trees.clear();
        let mut best = std::mem::take(&mut scratch.best);
        if let (1.., Some(score)) = (k, self.decode(parts, scratch, &mut best)) {
            let CrossingSensitiveScratch { projective, near, .. } = scratch;
            HigherOrderEisner::new(self.mode).k_best(parts, k, projective, near);
            let others = near.iter().filter(|(tree, _)| **tree != best);
            for (tree, score) in std::iter::once((&best, score)).chain(others).take(k) {
                trees.push_with(|copy| {
                    copy.copy_from(tree);
                    score
                });
            }
        }
        scratch.best = best;
    }

    /// Overwrites `scores` with what each arc gains over the arc that its child has in `tree` when all other words keep their
    /// heads: an arc-factored model of the trees around this one. O(n²) for each arc that exists.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn linearise(parts: &PartScores, tree: &Heads, scores: &mut ArcScores) {
        let (mut changed, base) = (tree.clone(), Self::score(parts, tree));
        scores.reset(parts.words());
        for (head, child) in parts.arcs() {
            changed.attach(head, child);
            scores.set(head, child, (Self::score(parts, &changed) - base) as f32);
            changed.attach(tree.head(child), child);
        }
    }

    /// The crossing-sensitive score of any tree, by definition: −∞ if it uses an arc that does not exist.
    ///
    /// # Panics
    /// If the tree has another number of words, or a head beyond it.
    pub fn score(parts: &PartScores, tree: &Heads) -> f64 {
        let mut visible = Vec::new();
        VisibleParts::fill(tree, &mut visible);
        let arc = |head: usize, child: usize| parts.id(head, child);
        let score = |((head, child), visible): ((usize, usize), &VisibleParts)| {
            let Some(id) = arc(head, child) else { return f64::NEG_INFINITY };
            if visible.crossed {
                return parts.crossed_score(id);
            }
            let inner = tree.inner_sibling(child).and_then(|inner| arc(head, inner));
            let grand = if head == 0 { None } else { arc(tree.head(head), head) };
            visible_sum(parts.scores(id, grand, inner), visible.sibling, visible.grand)
        };
        tree.arcs().zip(&visible).map(score).sum()
    }
}

/// Which parts of an arc count in the crossing-sensitive score of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisibleParts {
    /// Whether the arc is crossed: then it has no other parts.
    pub crossed: bool,
    /// Whether it is scored with its inner sibling, or with having none.
    pub sibling: bool,
    /// Whether it is scored with its grandparent.
    pub grand: bool,
}

impl VisibleParts {
    /// Overwrites `visible` with what counts for each word's arc, in the order of words. O(n²).
    pub fn fill(tree: &Heads, visible: &mut Vec<VisibleParts>) {
        visible.clear();
        visible.extend(tree.arcs().map(|arc| VisibleParts {
            crossed: tree.arcs().any(|other| do_cross(arc, other)),
            ..Self::default()
        }));
        for child in 1..=tree.words() {
            if !visible[child - 1].crossed {
                let is_crossed = |word: usize| visible[word - 1].crossed;
                let sibling = tree.inner_sibling(child).is_none_or(|inner| !is_crossed(inner));
                let grand = sees_grand(tree, child, is_crossed);
                visible[child - 1] = VisibleParts { crossed: false, sibling, grand };
            }
        }
    }
}

/// Whether neither the arc into the head of a child nor one from there to a child further out is crossed.
fn sees_grand(tree: &Heads, child: usize, is_crossed: impl Fn(usize) -> bool) -> bool {
    let head = tree.head(child);
    if head != 0 && is_crossed(head) {
        return false;
    }
    let grand = if head == 0 { None } else { Some(tree.head(head)) };
    let is_left = |word: usize| word < head;
    let is_interior =
        |word: usize| grand.is_some_and(|grand| head.min(grand) < word && word < head.max(grand));
    let is_outer = |word: usize| {
        let same_side = is_left(word) == is_left(child);
        let further = word.abs_diff(head) > child.abs_diff(head);
        is_interior(word) == is_interior(child)
            && if same_side { further } else { !is_interior(child) }
    };
    let siblings = tree.arcs().filter(|&(other, word)| other == head && word != child);
    siblings.map(|(_, word)| word).all(|word| !(is_outer(word) && is_crossed(word)))
}

fn do_cross(one: (usize, usize), other: (usize, usize)) -> bool {
    let (from, to) = (one.0.min(one.1), one.0.max(one.1));
    let is_inside = |word: usize| from < word && word < to;
    let is_end = |word: usize| word == from || word == to;
    !is_end(other.0) && !is_end(other.1) && is_inside(other.0) != is_inside(other.1)
}

/// The sum of the scores of arc, sibling, grandparent and grand-sibling that count.
fn visible_sum([arc, sibling, grand, both]: [f32; 4], has_sibling: bool, has_grand: bool) -> f64 {
    let count = |score: f32, is_visible: bool| if is_visible { f64::from(score) } else { 0.0 };
    f64::from(arc)
        + count(sibling, has_sibling)
        + count(grand, has_grand)
        + count(both, has_sibling && has_grand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute_force::TreeSpace;

    /// Whole numbers, so that sums are exact.
    struct Random(u32);

    impl Random {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 20) as f32 - 2048.0
        }
    }

    fn random_parts(
        words: usize,
        random: &mut Random,
        exists: impl Fn(usize, usize) -> bool,
    ) -> PartScores {
        let mut parts = PartScores::default();
        parts.reset(words, exists);
        parts.fill_arcs(|_, _| random.next());
        parts.fill_crossed(|_, _| random.next());
        parts.fill_siblings(|_, _, _| random.next());
        parts.fill_grands(|_, _, _| random.next());
        parts.fill_grand_siblings(|_, _, _, _| random.next());
        parts
    }

    /// For every tree: over its arcs alone it is found, with the score that it has by definition, if it belongs to the space, and else
    /// nothing.
    fn accepted(words: usize, mode: RootMode, times: usize) -> usize {
        let (mut scratch, mut random) = (CrossingSensitiveScratch::default(), Random(words as u32));
        let all = TreeSpace { mode: RootMode::Many, projective: false };
        let is_found = |tree: &Heads| {
            let belongs = tree.is_one_endpoint_crossing() && tree.is_legal(mode);
            for _ in 0..times {
                let parts =
                    random_parts(words, &mut random, |head, child| tree.head(child) == head);
                let mut found = Heads::default();
                let score = CrossingSensitive::new(mode).decode(&parts, &mut scratch, &mut found);
                assert_eq!(found, if belongs { tree.clone() } else { Heads::default() });
                assert_eq!(
                    score,
                    belongs.then(|| CrossingSensitive::score(&parts, tree)),
                    "{tree:?}"
                );
            }
            belongs
        };
        all.trees(words).filter(is_found).count()
    }

    #[test]
    fn exactly_the_trees_of_the_space_with_their_scores() {
        for (words, trees) in (1..).zip([1, 3, 16, 125, 1104]) {
            assert_eq!(accepted(words, RootMode::Many, 3), trees);
        }
        for (words, trees) in (1..).zip([1, 2, 9, 64, 545]) {
            assert_eq!(accepted(words, RootMode::One, 3), trees);
        }
    }

    #[test]
    #[ignore = "takes a while; run by .ci/run"]
    fn exactly_the_trees_of_six_words() {
        assert_eq!(accepted(6, RootMode::Many, 3), 10024);
        assert_eq!(accepted(6, RootMode::One, 3), 4876);
    }

    /// Table 3 of Pitler (2014): "Which cars do Americans favor most these days ?".
    #[test]
    fn the_parts_of_the_example() {
        let tree = Heads::from(vec![2, 5, 0, 3, 3, 5, 8, 5, 3]);
        let mut visible = Vec::new();
        VisibleParts::fill(&tree, &mut visible);
        let [crossed, sibling, both] =
            [(true, false, false), (false, true, false), (false, true, true)];
        let expected =
            [sibling, crossed, crossed, sibling, sibling, sibling, both, sibling, crossed];
        let found = visible.iter().map(|parts| (parts.crossed, parts.sibling, parts.grand));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    /// The long way round: a word beyond the grandparent is further out than any on the other side.
    #[test]
    fn children_beyond_the_grandparent_are_outer() {
        // 0 → 1 → 3 → 4, and 4 has the children 2, beyond its grandparent 3, and 5.
        let tree = Heads::from(vec![0, 4, 1, 3, 4]);
        let mut visible = Vec::new();
        VisibleParts::fill(&tree, &mut visible);
        assert!(visible[1].crossed && visible[2].crossed);
        assert!(!visible[3].crossed && !visible[4].crossed);
        assert!(!visible[4].grand && visible[4].sibling);
    }
}
