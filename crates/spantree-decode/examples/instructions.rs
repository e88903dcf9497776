//! One decoder, one length, so many times: a target for counting instructions.
//!
//! `valgrind --tool=callgrind target/release/examples/instructions DECODER N REPEATS`, with a decoder of
//! the list below. `benchsuite/decode/instructions.sh` subtracts a run with no repeats. `plain` is Eisner's
//! algorithm as the textbook has it, a triple loop over one chart without back-pointers: the yardstick
//! for `eisner`, which also returns the tree.

use std::hint::black_box;

use spantree_decode::{
    ArcScores, ArcTable, ChuLiuEdmonds, Eisner, Heads, MatrixTree, Ranked, RootMode, TreeDecoder,
    TreeDistribution,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (Some(name), &[words, repeats]) = (arguments.first(), numbers.as_slice()) else {
        eprintln!(
            "usage: instructions plain|eisner|eisner10|cle|cle-many|cle10|matrix-tree N REPEATS"
        );
        std::process::exit(2);
    };
    let scores = ArcScores::from_fn(words, |head, child| {
        (head as f32 * 12.9898 + child as f32 * 78.233).sin() * 43_758.547 % 5.0
    });
    let mut decode = decoder(name);
    // The first call warms up and belongs to the run without repeats.
    for _ in 0..=repeats {
        decode(black_box(&scores));
    }
}

fn decoder(name: &str) -> Box<dyn FnMut(&ArcScores)> {
    let mode = RootMode::One;
    let (eisner, cle) = (Eisner::new(mode), ChuLiuEdmonds::new(mode));
    let mut tree = Heads::default();
    let mut trees = Ranked::default();
    match name {
        "eisner" | "eisner10" => {
            let mut scratch = Default::default();
            let one = name == "eisner";
            Box::new(move |scores| {
                if one {
                    eisner.decode(scores, &mut scratch, &mut tree);
                } else {
                    eisner.k_best(scores, 10, &mut scratch, &mut trees);
                }
            })
        }
        "cle" | "cle10" => {
            let mut scratch = Default::default();
            let one = name == "cle";
            Box::new(move |scores| {
                if one {
                    cle.decode(scores, &mut scratch, &mut tree);
                } else {
                    cle.k_best(scores, 10, &mut scratch, &mut trees);
                }
            })
        }
        "cle-many" => {
            let (cle, mut scratch) = (ChuLiuEdmonds::new(RootMode::Many), Default::default());
            Box::new(move |scores| {
                cle.decode(scores, &mut scratch, &mut tree);
            })
        }
        "matrix-tree" => {
            let (mut scratch, mut marginals) = (Default::default(), ArcTable::default());
            Box::new(move |scores| {
                MatrixTree::new(mode).marginals(scores, &mut scratch, &mut marginals);
            })
        }
        "plain" => {
            let mut chart = Vec::new();
            Box::new(move |scores| {
                black_box(plain_eisner(scores, &mut chart));
            })
        }
        other => {
            eprintln!("unknown decoder {other:?}");
            std::process::exit(2);
        }
    }
}

/// `chart[s][t]` holds left and right open items, then left and right complete ones.
fn plain_eisner(scores: &ArcScores, chart: &mut Vec<[f64; 4]>) -> f64 {
    let width = scores.words() + 1;
    chart.clear();
    chart.resize(width * width, [0.0; 4]);
    let at = |s: usize, t: usize| s * width + t;
    for span in 1..width {
        for s in 1..width - span {
            let t = s + span;
            let mut link = f64::NEG_INFINITY;
            for r in s..t {
                link = link.max(chart[at(s, r)][3] + chart[at(r + 1, t)][2]);
            }
            chart[at(s, t)][0] = link + f64::from(scores.score(t, s));
            chart[at(s, t)][1] = link + f64::from(scores.score(s, t));
            let mut left = f64::NEG_INFINITY;
            for r in s..t {
                left = left.max(chart[at(s, r)][2] + chart[at(r, t)][0]);
            }
            let mut right = f64::NEG_INFINITY;
            for r in s + 1..=t {
                right = right.max(chart[at(s, r)][1] + chart[at(r, t)][3]);
            }
            chart[at(s, t)][2] = left;
            chart[at(s, t)][3] = right;
        }
    }
    let goal =
        |r: usize| chart[at(1, r)][2] + chart[at(r, width - 1)][3] + f64::from(scores.score(0, r));
    (1..width).map(goal).fold(f64::NEG_INFINITY, f64::max)
}
