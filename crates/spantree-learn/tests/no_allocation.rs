//! After warm-up, learning from an example allocates nothing. One test in a file of its own: the counter sees all threads.

use spantree_learn::{
    CostMode, Factored, FactoredMira, KBest, Learner, LogLinear, Mira, PassiveAggressive,
    Perceptron, Problem, Rate, SparseVector, State, StochasticGradient, Structured, epoch,
    epoch_order,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// The only way to see allocations; every call goes straight to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CLASSES: u32 = 4;
const FEATURES: u32 = 50;

/// Classes that no linear model separates, so that every learner keeps updating.
struct Noise;

impl Noise {
    fn features(example: u32, class: u32) -> impl Iterator<Item = u32> {
        (1_u32..6).map(move |factor| {
            class * FEATURES + example.wrapping_mul(factor.wrapping_mul(2_654_435_769)) % FEATURES
        })
    }

    fn gold(example: u32) -> u32 {
        example.count_ones() % CLASSES
    }

    fn score(w: &[f32], example: u32, class: u32) -> f32 {
        Self::features(example, class).map(|id| w[id as usize]).sum()
    }
}

impl Problem for Noise {
    type Example = u32;
    type Scratch = ();
}

impl Structured for Noise {
    type Output = u32;

    fn decode(&self, w: &[f32], &example: &u32, cost: CostMode, (): &mut (), guess: &mut u32) {
        let total = |class: u32| match cost {
            CostMode::Augmented => Self::score(w, example, class) + self.loss(&example, &class),
            CostMode::Plain => Self::score(w, example, class),
        };
        *guess = (0..CLASSES).max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap_or(0);
    }

    fn difference(&self, &example: &u32, &guess: &u32, (): &mut (), delta: &mut SparseVector) {
        Self::features(example, Self::gold(example)).for_each(|id| delta.add(id, 1.0));
        Self::features(example, guess).for_each(|id| delta.add(id, -1.0));
    }

    fn loss(&self, &example: &u32, &guess: &u32) -> f32 {
        if guess == Self::gold(example) { 0.0 } else { 1.0 }
    }
}

impl KBest for Noise {
    fn k_best(&self, w: &[f32], &example: &u32, k: usize, (): &mut (), guesses: &mut Vec<u32>) {
        guesses.clear();
        guesses.extend(0..CLASSES);
        guesses.sort_unstable_by(|&a, &b| {
            Self::score(w, example, b).total_cmp(&Self::score(w, example, a))
        });
        guesses.truncate(k);
    }
}

impl Factored for Noise {
    fn constraints(&self, _: &u32, (): &mut ()) -> usize {
        CLASSES as usize - 1
    }

    fn constraint(
        &self,
        example: &u32,
        index: usize,
        (): &mut (),
        delta: &mut SparseVector,
    ) -> f32 {
        let rival = (Self::gold(*example) + 1 + index as u32) % CLASSES;
        self.difference(example, &rival, &mut (), delta);
        1.0
    }
}

impl LogLinear for Noise {
    fn log_likelihood(
        &self,
        w: &[f32],
        &example: &u32,
        (): &mut (),
        gradient: &mut SparseVector,
    ) -> f64 {
        let z: f32 = (0..CLASSES).map(|class| Self::score(w, example, class).exp()).sum();
        for class in 0..CLASSES {
            let observed = if class == Self::gold(example) { 1.0 } else { 0.0 };
            let expected = Self::score(w, example, class).exp() / z;
            Self::features(example, class).for_each(|id| gradient.add(id, observed - expected));
        }
        f64::from(Self::score(w, example, Self::gold(example)) - z.ln())
    }
}

fn check<L: Learner<Noise>>(name: &str, learner: &L) {
    let examples: Vec<u32> = (0..500).collect();
    let (mut state, mut scratch) =
        (State::new((CLASSES * FEATURES) as usize), L::Scratch::default());
    let order = epoch_order(examples.len(), 1, 0);
    epoch(learner, &Noise, &examples, &order, &mut state, &mut scratch, &|_| {});
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let stats = epoch(learner, &Noise, &examples, &order, &mut state, &mut scratch, &|_| {});
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(stats.updates > 100, "{name} made only {} updates", stats.updates);
    assert_eq!(allocations, 0, "{name}");
}

#[test]
fn learning_allocates_nothing_after_the_first_epoch() {
    check("perceptron", &Perceptron);
    check("1-best MIRA", &PassiveAggressive::mira());
    check("passive-aggressive", &PassiveAggressive::cost_augmented(0.1));
    check("3-best MIRA", &Mira { k: 3 });
    check("factored MIRA", &FactoredMira { sweeps: 20, ..FactoredMira::default() });
    check("SGD", &StochasticGradient { step: 0.1, rate: Rate::Constant, l2: 0.01 });
    check("AdaGrad", &StochasticGradient { step: 0.1, rate: Rate::Adaptive, l2: 0.01 });
}
