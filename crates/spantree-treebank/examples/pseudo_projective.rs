//! How much of the non-projectivity of a treebank survives pseudo-projective encoding and decoding.
//!
//! `cargo run --release -p spantree-treebank --example pseudo_projective -- TREEBANK …`, where each `TREEBANK` is a folder with
//! `.conllu` files, prints the table of `experiments/pseudo-projective/README.md`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use spantree_treebank::transform::{PseudoProjective, Scheme};
use spantree_treebank::{Sentence, load};

/// What happened to the non-projective arcs of one treebank under one encoding.
#[derive(Default)]
struct Outcome {
    arcs: usize,
    /// Arcs with the right head and label after decoding.
    recovered: usize,
    /// Sentences that came back with some difference.
    damaged: usize,
    labels: BTreeSet<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| treebank | scheme | ranks | cap | non-projective arcs | recovered % | sentences damaged | labels |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut totals: Vec<Outcome> = Vec::new();
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let sentences = load_folder(folder)?;
        for (index, (scheme, ranked, cap)) in settings().enumerate() {
            let outcome = round_trip(&sentences, &encoder(&sentences, scheme, ranked, cap))?;
            print_row(&name, scheme, ranked, cap, &outcome);
            if totals.len() <= index {
                totals.push(Outcome::default());
            }
            totals[index].arcs += outcome.arcs;
            totals[index].recovered += outcome.recovered;
            totals[index].damaged += outcome.damaged;
            totals[index].labels.extend(outcome.labels);
        }
    }
    for ((scheme, ranked, cap), total) in settings().zip(&totals) {
        print_row("all", scheme, ranked, cap, total);
    }
    Ok(())
}

fn settings() -> impl Iterator<Item = (Scheme, bool, Option<usize>)> {
    let caps = [None, Some(20)];
    Scheme::ALL.into_iter().flat_map(move |scheme| {
        [false, true].into_iter().flat_map(move |ranked| caps.map(|cap| (scheme, ranked, cap)))
    })
}

fn load_folder(folder: &Path) -> Result<Vec<Sentence>, Box<dyn Error>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "conllu"));
    paths.sort();
    let mut sentences = Vec::new();
    for path in paths {
        sentences.extend(load(&path)?);
    }
    Ok(sentences)
}

fn encoder(
    sentences: &[Sentence],
    scheme: Scheme,
    ranked: bool,
    cap: Option<usize>,
) -> PseudoProjective {
    let all = if ranked { PseudoProjective::ranked(scheme) } else { PseudoProjective::new(scheme) };
    match cap {
        Some(limit) => all.fit(sentences, limit),
        None => all,
    }
}

fn round_trip(
    sentences: &[Sentence],
    encoder: &PseudoProjective,
) -> Result<Outcome, Box<dyn Error>> {
    let mut outcome = Outcome::default();
    for gold in sentences {
        let Ok(tree) = gold.tree() else { continue };
        let mut sent = gold.clone();
        encoder.encode(&mut sent)?;
        outcome.labels.extend(sent.words().map(|word| word.deprel().to_owned()));
        encoder.decode(&mut sent)?;
        let same = |&word: &u32| {
            let (gold, guess) = (gold.word(word), sent.word(word));
            gold.head() == guess.head() && gold.deprel() == guess.deprel()
        };
        let crossing = tree.non_projective_words();
        outcome.arcs += crossing.len();
        outcome.recovered += crossing.iter().filter(|word| same(word)).count();
        outcome.damaged += usize::from(!(1..=gold.len() as u32).all(|word| same(&word)));
    }
    Ok(outcome)
}

fn print_row(name: &str, scheme: Scheme, ranked: bool, cap: Option<usize>, outcome: &Outcome) {
    let percent = 100.0 * outcome.recovered as f64 / outcome.arcs.max(1) as f64;
    let ranks = if ranked { "yes" } else { "no" };
    let cap = cap.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
    let Outcome { arcs, damaged, labels, .. } = outcome;
    println!(
        "| {name} | {scheme} | {ranks} | {cap} | {arcs} | {percent:.2} | {damaged} | {} |",
        labels.len()
    );
}
