//! How the decoders' times grow with the sentence: `cargo run --release -p spantree-decode --example growth`.
//!
//! With the argument `lists`, only the cost of k best trees against the best one.
//!
//! Scores are uniform in −5 … 5, the same on every run (splitmix64). Each figure is a mean
//! over tables, each table's time being the fastest of several; the exponent is the least-squares slope of log
//! time over log n for n = 10 … 1000.

use std::hint::black_box;
use std::time::{Duration, Instant};

use spantree_decode::{
    ArcScores, ArcTable, ChuLiuEdmonds, Eisner, Heads, MatrixTree, Ranked, RootMode, TreeDecoder,
    TreeDistribution,
};

const LENGTHS: [usize; 7] = [10, 25, 50, 100, 200, 500, 1000];

fn main() {
    if std::env::args().nth(1).is_some_and(|argument| argument == "lists") {
        return lists(25, 10);
    }
    println!("{:<28}{:>6}{:>14}{:>10}", "decoder", "n", "time (µs)", "ns/arc");
    for mode in [RootMode::One, RootMode::Many] {
        let (mut scratch, mut tree) = (Default::default(), Heads::default());
        let cle = ChuLiuEdmonds::new(mode);
        grow(&format!("ChuLiuEdmonds {mode:?}"), 2.2, |scores| {
            cle.decode(scores, &mut scratch, &mut tree);
        });
    }
    let mode = RootMode::One;
    let (mut scratch, mut tree) = (Default::default(), Heads::default());
    let eisner = Eisner::new(mode);
    grow("Eisner", 3.1, |scores| {
        eisner.decode(scores, &mut scratch, &mut tree);
    });
    let matrix_tree = MatrixTree::new(mode);
    let mut scratch = Default::default();
    grow("MatrixTree log Z", 3.1, |scores| {
        black_box(matrix_tree.log_partition(scores, &mut scratch));
    });
    let mut marginals = ArcTable::default();
    grow("MatrixTree marginals", 3.1, |scores| {
        matrix_tree.marginals(scores, &mut scratch, &mut marginals);
    });
    lists(25, 10);
}

/// Times one decoder on all lengths and prints the fitted exponent beside the wanted one.
fn grow(name: &str, wanted: f64, mut decode: impl FnMut(&ArcScores)) {
    let mut points = Vec::new();
    for words in LENGTHS {
        let tables = tables(words, if words > 200 { 5 } else { 20 });
        let time = fastest(&tables, &mut decode);
        let arcs = (words * words) as f64;
        println!("{name:<28}{words:>6}{:>14.2}{:>10.2}", time * 1e6, time * 1e9 / arcs);
        points.push(((words as f64).ln(), time.ln()));
    }
    println!("{name:<28}exponent {:.2} (at most {wanted} wanted)\n", slope(&points));
}

/// The cost of k best trees against the best one.
fn lists(words: usize, k: usize) {
    let tables = tables(words, 50);
    let mode = RootMode::One;
    let (mut trees, mut tree) = (Ranked::default(), Heads::default());
    let (eisner, mut scratch) = (Eisner::new(mode), Default::default());
    let best = fastest(&tables, |s| {
        eisner.decode(s, &mut scratch, &mut tree);
    });
    let list = fastest(&tables, |s| eisner.k_best(s, k, &mut scratch, &mut trees));
    report("Eisner", words, k, best, list);
    let (cle, mut scratch) = (ChuLiuEdmonds::new(mode), Default::default());
    let best = fastest(&tables, |s| {
        cle.decode(s, &mut scratch, &mut tree);
    });
    let list = fastest(&tables, |s| cle.k_best(s, k, &mut scratch, &mut trees));
    report("ChuLiuEdmonds", words, k, best, list);
}

fn report(name: &str, words: usize, k: usize, best: f64, list: f64) {
    let (best_us, list_us, ratio) = (best * 1e6, list * 1e6, list / best);
    println!(
        "{name} n = {words}: best {best_us:.2} µs, {k} best {list_us:.2} µs, ratio {ratio:.2}"
    );
}

/// Seconds per table, each table's time being the fastest of several.
fn fastest(tables: &[ArcScores], mut decode: impl FnMut(&ArcScores)) -> f64 {
    let mut best = vec![Duration::MAX; tables.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 5 || start.elapsed() < Duration::from_millis(300) {
        for (table, best) in tables.iter().zip(&mut best) {
            let processor_begin = processor_time();
            let begin = Instant::now();
            decode(black_box(table));
            let elapsed = begin.elapsed();
            let processor = processor_time().saturating_sub(processor_begin);
            // Without a processor clock the difference is zero.
            let busy = if processor.is_zero() { elapsed } else { processor + PROCESSOR_TICK };
            *best = elapsed.min(busy).min(*best);
        }
        rounds += 1;
    }
    best.iter().map(Duration::as_secs_f64).sum::<f64>() / tables.len() as f64
}

/// How coarsely the kernel keeps the processor time of a running thread.
const PROCESSOR_TICK: Duration = Duration::from_millis(4);

/// Time this thread has had a processor, on Linux: long runs on a busy machine are interrupted.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map_or(Duration::ZERO, Duration::from_nanos)
}

fn tables(words: usize, count: usize) -> Vec<ArcScores> {
    let mut state = words as u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..count).map(|_| ArcScores::from_fn(words, |_, _| 10.0 * uniform() - 5.0)).collect()
}

/// The least-squares slope of a line through the points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}
