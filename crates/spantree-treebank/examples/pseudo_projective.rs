//! How much of the non-projectivity of a treebank survives pseudo-projective encoding and decoding.
//!
//! `cargo run --release -p spantree-treebank --example pseudo_projective -- TREEBANK …`, where each `TREEBANK` is a folder with
//! `.conllu` files, prints the tables of `experiments/pseudo-projective/README.md`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use spantree_treebank::transform::{PseudoProjective, Scheme};
use spantree_treebank::{Sentence, load};

/// One way to encode.
#[derive(Clone, Copy)]
struct Setting {
    scheme: Scheme,
    ranked: bool,
    cap: Option<usize>,
}

impl Setting {
    /// In the order of the columns: plain, ranked, and both with a cap.
    fn all() -> Vec<Self> {
        let mut settings = Vec::new();
        for cap in [None, Some(20)] {
            for ranked in [false, true] {
                settings.extend(Scheme::ALL.map(|scheme| Self { scheme, ranked, cap }));
            }
        }
        settings
    }

    fn name(self) -> String {
        let ranked = if self.ranked { ", ranked" } else { "" };
        let cap = self.cap.map_or_else(String::new, |limit| format!(", {limit}"));
        format!("{}{ranked}{cap}", self.scheme)
    }

    fn encoder(self, sentences: &[Sentence]) -> PseudoProjective {
        let scheme = self.scheme;
        let all = if self.ranked {
            PseudoProjective::ranked(scheme)
        } else {
            PseudoProjective::new(scheme)
        };
        match self.cap {
            Some(limit) => all.fit(sentences, limit),
            None => all,
        }
    }
}

/// What happened to the non-projective arcs of one treebank under one setting.
#[derive(Default)]
struct Outcome {
    arcs: usize,
    /// Arcs with the right head and label after decoding.
    recovered: usize,
    /// Sentences that came back with some difference.
    changed: usize,
    labels: BTreeSet<String>,
}

impl Outcome {
    fn sum<'a>(outcomes: impl Iterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for outcome in outcomes {
            sum.arcs += outcome.arcs;
            sum.recovered += outcome.recovered;
            sum.changed += outcome.changed;
            sum.labels.extend(outcome.labels.iter().cloned());
        }
        sum
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut treebanks = Vec::new();
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sentences = load_folder(folder)?;
        let mut outcomes = Vec::new();
        for setting in Setting::all() {
            outcomes.push(round_trip(&sentences, &setting.encoder(&sentences))?);
        }
        treebanks.push((name, outcomes));
    }
    let all = (0..Setting::all().len())
        .map(|index| Outcome::sum(treebanks.iter().map(|(_, outcomes)| &outcomes[index])))
        .collect();
    treebanks.push(("all".to_owned(), all));
    let percent = |outcome: &Outcome| {
        format!("{:.2}", 100.0 * outcome.recovered as f64 / outcome.arcs.max(1) as f64)
    };
    print_table("non-projective arcs recovered, %", &treebanks, percent);
    print_table("sentences changed", &treebanks, |outcome| outcome.changed.to_string());
    print_table("labels", &treebanks, |outcome| outcome.labels.len().to_string());
    Ok(())
}

fn print_table(
    title: &str,
    treebanks: &[(String, Vec<Outcome>)],
    figure: impl Fn(&Outcome) -> String,
) {
    let names: Vec<_> = Setting::all().into_iter().map(Setting::name).collect();
    println!("{title}\n\n| treebank | arcs | {} |", names.join(" | "));
    println!("|---|{}", "--:|".repeat(names.len() + 1));
    for (name, outcomes) in treebanks {
        let figures: Vec<_> = outcomes.iter().map(&figure).collect();
        println!("| {name} | {} | {} |", outcomes[0].arcs, figures.join(" | "));
    }
    println!();
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
        outcome.changed += usize::from(!(1..=gold.len() as u32).all(|word| same(&word)));
    }
    Ok(outcome)
}
