//! Reading speed: `cargo run --release --example read_speed -- FILE …` prints MB/s into the data model, best of five passes.

use std::path::Path;
use std::time::Instant;

use spantree_treebank::{Sentence, TreebankReader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sent = Sentence::new();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::metadata(&path)?.len();
        let mut best = f64::INFINITY;
        let mut words = 0;
        for _ in 0..5 {
            words = 0;
            let start = Instant::now();
            let mut reader = TreebankReader::open(Path::new(&path), None)?;
            while reader.read(&mut sent)? {
                words += sent.len();
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{path}: {words} words, {:.0} MB/s", bytes as f64 / best / 1e6);
    }
    Ok(())
}
