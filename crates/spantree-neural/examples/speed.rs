//! Speed of a network with random weights: rows per second forward, and forward and backward, on one core.
//!
//! `cargo run --release -p spantree-neural --example speed -- [layers] [units] [sentences a batch] [lstm] [plain|avx2]`

use std::time::Instant;

use spantree_neural::network::{Numbers, Packs, ScoreGradients};
use spantree_neural::simd::{Instructions, limited_to};
use spantree_neural::{Batch, Cell, Network, Rng, Shape, Trace};

const WORDS: usize = 15;
const IDS: usize = 16;

fn main() {
    let limit = Instructions::ALL.into_iter().find(|&limit| has(&format!("{limit:?}")));
    limited_to(limit.unwrap_or(Instructions::best()), measure);
}

/// Whether the word is among the arguments.
fn has(word: &str) -> bool {
    std::env::args().any(|argument| argument.eq_ignore_ascii_case(word))
}

fn measure() {
    let mut sizes = std::env::args().skip(1).filter_map(|size| size.parse().ok());
    let mut size = |default| sizes.next().unwrap_or(default);
    let (layers, units, sentences) = (size(3), size(128), size(16));
    let shape = Shape {
        rows: 40_000,
        width: 128,
        cell: if has("lstm") { Cell::Lstm } else { Cell::Simple },
        layers,
        units,
        arc: 256,
        label: 128,
        labels: 40,
        tag: 64,
        tags: 400,
        vectors: 0,
    };
    let network = Network::new(shape);
    let weights = network.initial::<f32>(1);
    let (mut packs, mut trace) = (Packs::default(), Trace::default());
    network.pack(&weights.dense, true, &mut packs);
    let numbers = Numbers::new(&weights, &packs);
    let mut rng = Rng::new(2);
    let mut batch = Batch::default();
    for _ in 0..sentences {
        for _ in 0..=WORDS {
            batch.push_row((0..IDS).map(|_| (rng.uniform() * shape.rows as f64) as u32));
        }
        batch.end_sentence();
    }
    let heads: Vec<usize> = (0..batch.rows()).map(|row| row / (WORDS + 1) * (WORDS + 1)).collect();
    let forward = |trace: &mut Trace<f32>| {
        network.encode(numbers, &batch, trace);
        network.label(numbers, (0, &heads), trace);
    };
    println!(
        "{layers} {:?} layers of {units} units, {sentences} sentences of {WORDS} words",
        shape.cell
    );
    println!("{} parameters beside the embeddings", network.parameters());
    report("forward", sentences, || forward(&mut trace));
    let mut gradients = network.gradients();
    let dlabels = vec![0.01; heads.len() * shape.labels];
    let darcs = vec![0.01; (WORDS + 1) * (WORDS + 1) * sentences];
    let dtags = vec![0.01; heads.len() * shape.tags];
    let scores = ScoreGradients { arcs: &darcs, labels: &dlabels, tags: &dtags };
    report("forward and backward", sentences, || {
        forward(&mut trace);
        gradients.clear();
        network.backward(numbers, (&batch, &heads), &mut trace, scores, &mut gradients);
    });
}

fn report(name: &str, sentences: usize, mut work: impl FnMut()) {
    work();
    let (start, before) = (Instant::now(), cpu_seconds());
    let mut runs = 0;
    while start.elapsed().as_millis() < 1000 {
        work();
        runs += 1;
    }
    let seconds = match (before, cpu_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    };
    println!("{name}: {:.0} words/s", (runs * sentences * WORDS) as f64 / seconds);
}

/// Time that this thread was running, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
