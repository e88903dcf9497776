//! Cube pruning: exact without a bound, Eisner without a memory, and violations that are some.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;
use spantree_decode::cube::{LabelledArc, Memory, Step, Update};
use spantree_decode::{
    ArcScores, CubeModel, CubePruning, CubeScratch, Eisner, Heads, RootMode, TreeDecoder,
};

use super::tables::{close, modes, projective, rounding, tables};

const LABELS: [u16; 2] = [0, 1];

/// Every step has a random score of its own.
struct Random {
    words: usize,
    seed: u64,
}

impl CubeModel for Random {
    fn words(&self) -> usize {
        self.words
    }

    fn labels(&self, head: usize, child: usize) -> &[u16] {
        let some = (self.seed as usize + head * 3 + child).is_multiple_of(7);
        if some { &LABELS[..1] } else { &LABELS }
    }

    fn score(&self, step: &Step) -> f64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, step).hash(&mut hasher);
        // Sums of few small multiples of a power of two are exact.
        ((hasher.finish() >> 40) as i32 - (1 << 23)) as f64 / 1024.0
    }
}

/// One label and scores of arcs alone.
struct Arcs<'a>(&'a ArcScores);

impl CubeModel for Arcs<'_> {
    fn words(&self) -> usize {
        self.0.words()
    }

    fn labels(&self, head: usize, child: usize) -> &[u16] {
        if self.0.is_allowed(head, child) { &LABELS[..1] } else { &[] }
    }

    fn score(&self, step: &Step) -> f64 {
        match step {
            Step::Attach { arc, .. } => f64::from(self.0.score(arc.head, arc.child)),
            Step::Complete { .. } => 0.0,
        }
    }
}

fn total(model: &impl CubeModel, steps: &[Step]) -> f64 {
    steps.iter().map(|step| model.score(step)).sum()
}

/// Every projective tree with every labelling that the model allows.
fn answers(model: &Random, mode: RootMode) -> Vec<(Heads, Vec<u16>)> {
    let mut found = Vec::new();
    for tree in projective(mode).trees(model.words) {
        let mut labellings = vec![Vec::new()];
        for (head, child) in tree.arcs() {
            let allowed = model.labels(head, child);
            let extend = |labels: &Vec<u16>| {
                let labels = labels.clone();
                allowed.iter().map(move |&label| [&labels[..], &[label]].concat())
            };
            labellings = labellings.iter().flat_map(extend).collect();
        }
        found.extend(labellings.into_iter().map(|labels| (tree.clone(), labels)));
    }
    found
}

fn memories() -> impl Strategy<Value = Memory> {
    (0u8..=2, any::<bool>(), 0u8..=3).prop_map(|(modifiers, labels, count)| Memory {
        modifiers,
        labels,
        count,
    })
}

fn unbounded(mode: RootMode, memory: Memory) -> CubePruning {
    CubePruning { mode, beam: usize::MAX, labellings: usize::MAX, memory }
}

fn arcs(steps: &[Step]) -> BTreeSet<usize> {
    let child = |step: &Step| match step {
        Step::Attach { arc: LabelledArc { child, .. }, .. } => Some(*child),
        Step::Complete { .. } => None,
    };
    steps.iter().filter_map(child).collect()
}

fn updates() -> impl Strategy<Value = Update> {
    prop::sample::select(vec![Update::Whole, Update::Node, Update::Frontier])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn exact_without_a_bound(
        words in 0..=4usize, seed: u64, mode in modes(), memory in memories()
    ) {
        let (model, cube) = (Random { words, seed }, unbounded(mode, memory));
        let (mut tree, mut labels) = (Heads::default(), Vec::new());
        let found = cube.decode(&model, &mut CubeScratch::default(), &mut tree, &mut labels);
        let score = |(tree, labels): &(Heads, Vec<u16>)| total(&model, &cube.steps(tree, labels));
        let best = answers(&model, mode).iter().map(score).max_by(f64::total_cmp);
        prop_assert_eq!(found, best);
        prop_assert!(tree.is_legal(mode) && tree.is_projective());
        prop_assert_eq!(found, Some(total(&model, &cube.steps(&tree, &labels))));
    }

    #[test]
    fn any_beam_finds_a_tree_and_its_score(
        words in 1..=7usize, seed: u64, mode in modes(), beam in 1..6usize, labellings in 1..6usize
    ) {
        let model = Random { words, seed };
        let cube = CubePruning { mode, beam, labellings, memory: Memory::ALL };
        let (mut tree, mut labels) = (Heads::default(), Vec::new());
        let found = cube.decode(&model, &mut CubeScratch::default(), &mut tree, &mut labels);
        prop_assert!(tree.is_legal(mode) && tree.is_projective());
        prop_assert_eq!(found, Some(total(&model, &cube.steps(&tree, &labels))));
    }

    #[test]
    fn eisner_without_a_memory(scores in tables(7), mode in modes(), beam in 1..4usize) {
        let cube = CubePruning { mode, beam, labellings: beam, memory: Memory::NOTHING };
        let (mut tree, mut labels) = (Heads::default(), Vec::new());
        let found = cube.decode(&Arcs(&scores), &mut CubeScratch::default(), &mut tree, &mut labels);
        let best = Eisner::new(mode).decode(&scores, &mut Default::default(), &mut Heads::default());
        prop_assert_eq!(found.is_some(), best.is_some());
        if let (Some(found), Some(best)) = (found, best) {
            prop_assert!(close(found, best, rounding(&scores)), "{} is not {}", found, best);
        }
    }

    /// Whatever the beam: the guess scores no less, both sides are about the same words, and the difference is that
    /// of their steps.
    #[test]
    fn violations_are_violations(
        words in 1..=5usize, seed: u64, mode in modes(), beam in 1..4usize, update in updates(),
        pick: prop::sample::Index
    ) {
        let model = Random { words, seed };
        let cube = CubePruning { mode, beam, labellings: beam, memory: Memory::ALL };
        let answers = answers(&model, mode);
        let (tree, labels) = &answers[pick.index(answers.len())];
        let found = cube.violation(&model, (tree, labels), update, &mut CubeScratch::default());
        if let Some(found) = found {
            prop_assert!(found.amount >= 0.0);
            prop_assert_eq!(found.amount, total(&model, &found.guess) - total(&model, &found.gold));
            prop_assert_eq!(arcs(&found.guess), arcs(&found.gold));
            prop_assert_eq!(found.amount == 0.0, found.guess.len() == found.gold.len()
                && found.guess.iter().all(|step| found.gold.contains(step)));
        }
    }

    /// One place has no more than the frontier has together, and the whole tree is the frontier where it violates most.
    #[test]
    fn frontiers_cover_the_largest_violation(
        words in 1..=5usize, seed: u64, mode in modes(), beam in 1..4usize, pick: prop::sample::Index
    ) {
        let model = Random { words, seed };
        let cube = CubePruning { mode, beam, labellings: beam, memory: Memory::ALL };
        let answers = answers(&model, mode);
        let (tree, labels) = &answers[pick.index(answers.len())];
        let [whole, node, frontier] = [Update::Whole, Update::Node, Update::Frontier]
            .map(|update| cube.violation(&model, (tree, labels), update, &mut CubeScratch::default()));
        prop_assert_eq!(node.is_some(), frontier.is_some());
        if let (Some(node), Some(frontier)) = (node, frontier) {
            prop_assert!(node.amount <= frontier.amount);
            prop_assert!(node.gold.iter().all(|step| frontier.gold.contains(step)));
            let steps: BTreeSet<_> = frontier.gold.iter().map(|step| format!("{step:?}")).collect();
            prop_assert_eq!(steps.len(), frontier.gold.len(), "places overlap");
            if whole.as_ref() == Some(&node) {
                prop_assert_eq!(node, frontier);
            }
        }
    }

    /// With exact search and scores of arcs alone, a better part makes a better whole.
    #[test]
    fn the_whole_tree_violates_most(words in 1..=5usize, seed: u64, pick: prop::sample::Index) {
        let scores = ArcScores::from_fn(words, |head, child| {
            (seed.wrapping_mul((head * 8 + child) as u64 * 2 + 1) >> 54) as f32
        });
        let trees: Vec<Heads> = projective(RootMode::Many).trees(words).collect();
        let (tree, labels) = (&trees[pick.index(trees.len())], vec![0; words]);
        let cube = unbounded(RootMode::Many, Memory::NOTHING);
        for update in [Update::Whole, Update::Node, Update::Frontier] {
            let gold = (tree, &labels[..]);
            let found = cube.violation(&Arcs(&scores), gold, update, &mut CubeScratch::default());
            prop_assert_eq!(arcs(&found.unwrap().gold).len(), words);
        }
    }
}
