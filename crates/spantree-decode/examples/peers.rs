//! Our half of `benchsuite/decode/peers.py`: times decoders on the tables of a file.
//!
//! The file holds tables one after the other: the number of words as a little-endian `u32`, then
//! `(n + 1) × (n + 1)` little-endian `f32` scores, one row per child, heads within a row. Prints, for each
//! decoder and each length, `decoder n nanoseconds-per-table sum-of-best-scores`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use spantree_decode::{ArcScores, ChuLiuEdmonds, Eisner, Heads, RootMode, TreeDecoder};

fn main() {
    let path = std::env::args().nth(1).expect("usage: peers FILE");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for (words, tables) in read_tables(&bytes) {
        time("cle-many", words, &tables, &ChuLiuEdmonds::new(RootMode::Many));
        time("cle-one", words, &tables, &ChuLiuEdmonds::new(RootMode::One));
        time("eisner-one", words, &tables, &Eisner::new(RootMode::One));
    }
}

fn read_tables(bytes: &[u8]) -> BTreeMap<usize, Vec<ArcScores>> {
    let mut numbers = bytes.as_chunks::<4>().0.iter();
    let mut tables: BTreeMap<usize, Vec<ArcScores>> = BTreeMap::new();
    while let Some(&length) = numbers.next() {
        let words = u32::from_le_bytes(length) as usize;
        let mut cells: Vec<f32> = Vec::new();
        cells.extend(numbers.by_ref().take((words + 1).pow(2)).map(|&b| f32::from_le_bytes(b)));
        assert_eq!(cells.len(), (words + 1).pow(2), "file ends within a table");
        let scores = ArcScores::from_fn(words, |head, child| cells[child * (words + 1) + head]);
        tables.entry(words).or_default().push(scores);
    }
    tables
}

/// The fastest of the rounds of half a second, at least three.
fn time<D: TreeDecoder>(name: &str, words: usize, tables: &[ArcScores], decoder: &D) {
    let (mut scratch, mut tree) = (D::Scratch::default(), Heads::default());
    let mut best = Duration::MAX;
    let (mut rounds, mut sum) = (0, 0.0);
    let start = Instant::now();
    while rounds < 3 || start.elapsed() < Duration::from_millis(500) {
        let round = Instant::now();
        sum =
            tables.iter().filter_map(|table| decoder.decode(table, &mut scratch, &mut tree)).sum();
        best = best.min(round.elapsed());
        rounds += 1;
    }
    println!("{name} {words} {} {sum}", best.as_nanos() as f64 / tables.len() as f64);
}
