//! Nothing is allocated once the largest sentence has been seen.
//!
//! Each thread has a counter of its own: what the test harness does meanwhile does not count.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use spantree_decode::{
    ArcScores, ArcTable, ChainMarginals, ChainScores, ChuLiuEdmonds, CrossingSensitive, Eisner,
    Heads, HigherOrderEisner, MatrixTree, MinRisk, OneEndpointCrossing, PartScores, Ranked,
    Rewiring, RootMode, TreeDecoder, TreeDistribution, Viterbi,
};

struct Counting;

thread_local! {
    /// Constant and without a destructor, so that it can be used inside an allocator.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code, reason = "the only way to observe allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` twice on the same input and fails if the second run allocates.
fn silent_when_warm(name: &str, mut work: impl FnMut()) {
    work();
    let before = ALLOCATIONS.get();
    work();
    assert_eq!(ALLOCATIONS.get() - before, 0, "{name} allocates");
}

fn table(words: usize, spread: f32) -> ArcScores {
    ArcScores::from_fn(words, |head, child| ((head * 31 + child * 57) % 23) as f32 * spread)
}

fn check_trees(scores: &ArcScores, mode: RootMode) {
    let (mut tree, mut trees) = (Heads::default(), Ranked::default());
    let (mut values, mut scratch) = (ArcTable::default(), Default::default());
    let cle = ChuLiuEdmonds::new(mode);
    silent_when_warm("best tree", || {
        assert!(cle.decode(scores, &mut scratch, &mut tree).is_some());
    });
    silent_when_warm("k best trees", || cle.k_best(scores, 50, &mut scratch, &mut trees));
    let (crossing, mut scratch) = (OneEndpointCrossing::new(mode), Default::default());
    silent_when_warm("1-endpoint-crossing", || {
        assert!(crossing.decode(scores, &mut scratch, &mut tree).is_some());
    });
    let (eisner, mut scratch) = (Eisner::new(mode), Default::default());
    silent_when_warm("Eisner", || {
        assert!(eisner.decode(scores, &mut scratch, &mut tree).is_some());
    });
    silent_when_warm("k best projective", || eisner.k_best(scores, 50, &mut scratch, &mut trees));
    silent_when_warm("inside-outside", || {
        assert!(eisner.marginals(scores, &mut scratch, &mut values).is_some());
        assert!(eisner.max_marginals(scores, &mut scratch, &mut values).is_some());
        assert!(eisner.count(scores, &mut scratch) > 0);
    });
    let (matrix_tree, mut scratch) = (MatrixTree::new(mode), Default::default());
    silent_when_warm("matrix tree", || {
        assert!(matrix_tree.log_partition(scores, &mut scratch).is_some());
        assert!(matrix_tree.marginals(scores, &mut scratch, &mut values).is_some());
    });
    let (min_risk, mut scratch) = (MinRisk::all_trees(mode), Default::default());
    silent_when_warm("minimum risk", || {
        assert!(min_risk.decode(scores, &mut scratch, &mut tree).is_some());
    });
}

fn check_parts(scores: &ArcScores, mode: RootMode) {
    let words = scores.words();
    let mut parts = PartScores::default();
    silent_when_warm("parts", || {
        parts.reset(words, |head, child| head.abs_diff(child) < 6);
        parts.fill_arcs(|head, child| scores.score(head, child));
        parts.fill_siblings(|head, inner, child| scores.score(inner.unwrap_or(head), child));
        parts.fill_grands(|grand, _, child| grand.map_or(0.0, |grand| (grand * child % 7) as f32));
        parts.fill_grand_siblings(|_, head, inner, _| inner.map_or(0.0, |i| (i * head % 5) as f32));
    });
    let (mut tree, mut trees, mut values) = <(Heads, Ranked<Heads>, ArcTable<f64>)>::default();
    let (eisner, mut scratch) = (HigherOrderEisner::new(mode), Default::default());
    silent_when_warm("higher order", || {
        assert!(eisner.decode(&parts, &mut scratch, &mut tree).is_some());
        eisner.k_best(&parts, 50, &mut scratch, &mut trees);
        assert!(eisner.marginals(&parts, &mut scratch, &mut values).is_some());
    });
    let (crossing, mut scratch) = (CrossingSensitive::new(mode), Default::default());
    silent_when_warm("crossing-sensitive", || {
        assert!(crossing.decode(&parts, &mut scratch, &mut tree).is_some());
        crossing.k_best(&parts, 50, &mut scratch, &mut trees);
    });
    let (rewiring, mut scratch) = (Rewiring::new(mode, 3), Default::default());
    silent_when_warm("rewiring", || {
        assert!(rewiring.decode(&parts, &mut scratch, &mut tree).is_some());
        rewiring.k_best(&parts, 50, &mut scratch, &mut trees);
    });
}

fn check_chain() {
    let mut scores = ChainScores::new(30, 7);
    for position in 0..30 {
        (0..7).for_each(|tag| scores.set_tag(position, tag, ((position * 5) % 11) as f32));
    }
    let (mut scratch, mut tags, mut list) = Default::default();
    let mut marginals = ChainMarginals::default();
    silent_when_warm("chain", || {
        assert!(Viterbi.decode(&scores, &mut scratch, &mut tags).is_some());
        Viterbi.k_best(&scores, 50, &mut scratch, &mut list);
        assert!(Viterbi.marginals(&scores, &mut scratch, &mut marginals).is_some());
    });
}

#[test]
fn no_allocation_when_warm() {
    for mode in [RootMode::One, RootMode::Many] {
        check_trees(&table(40, 0.25), mode);
        check_parts(&table(40, 0.25), mode);
        // So far apart that the partition function needs logarithms.
        check_trees(&table(12, 90.0), mode);
    }
    check_chain();
}
