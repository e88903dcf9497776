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

/// The mean over tables of the fastest time of each, in rounds that take half a second together.
fn time<D: TreeDecoder>(name: &str, words: usize, tables: &[ArcScores], decoder: &D) {
    let (mut scratch, mut tree) = (D::Scratch::default(), Heads::default());
    let mut best = vec![Duration::MAX; tables.len()];
    let (mut rounds, mut sum) = (0, 0.0);
    let start = Instant::now();
    while rounds < 5 || start.elapsed() < Duration::from_millis(500) {
        sum = 0.0;
        for (table, best) in tables.iter().zip(&mut best) {
            let begin = Instant::now();
            sum += decoder.decode(table, &mut scratch, &mut tree).unwrap_or(0.0);
            *best = begin.elapsed().min(*best);
        }
        rounds += 1;
    }
    let nanoseconds = best.iter().sum::<Duration>().as_nanos() as f64 / tables.len() as f64;
    println!("{name} {words} {nanoseconds} {sum}");
}
