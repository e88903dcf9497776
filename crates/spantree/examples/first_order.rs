//! Trains variants of the first-order parser and scores them on development sets: the tables of `experiments/first-order`.
//!
//! `cargo run --release -p spantree --example first_order -- EXPERIMENT [key=value …] FOLDER …` with `train.conllu` and
//! `dev.conllu` in each FOLDER; keys: `seeds` (such as `1,2,3`), `epochs`. EXPERIMENT is one of `defaults`, `decoders`, `k-best`,
//! `templates`, `features`, `mixing`, `tables`.
//!
//! Standard error gets a line per training run, standard output a row of a Markdown table per variant and treebank. Every
//! model is decoded by both decoders. Gold tokens, tags and lemmas; relations are cut at the colon. Training sentences whose
//! heads form no tree are left out.

mod common;

use std::path::Path;

use spantree::feature::{Columns, MST06};
use spantree::graph::TemplateTexts;
use spantree::graph::{Decoder, Parser};
use spantree::parser::ParseOptions;
use spantree::train::{Mixing, Progress, Rule, TrainConfig, Trainer};
use spantree::treebank::Sentence;

use common::{Result, treebank, user_seconds};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let experiment = arguments.next().ok_or("which experiment?")?;
    let mut base = TrainConfig::default();
    let mut seeds: Vec<u64> = vec![1];
    println!(
        "| treebank | variant | decoder | UAS, Eisner | UAS, MST | LAS, Eisner | LAS, MST | crossing sentences: UAS, \
         Eisner | UAS, MST | LAS of each seed | best epoch | user s | MB | LAS by epoch |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|---|---|--:|--:|---|"
    );
    for argument in arguments {
        match argument.split_once('=') {
            Some(("seeds", value)) => {
                seeds = value.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
            }
            Some(("epochs", value)) => base.epochs = value.parse()?,
            Some((key, _)) => return Err(format!("unknown key {key}").into()),
            None => compare(&experiment, &base, &seeds, Path::new(&argument))?,
        }
    }
    Ok(())
}

/// Runs all variants of an experiment on one treebank.
fn compare(experiment: &str, base: &TrainConfig, seeds: &[u64], folder: &Path) -> Result<()> {
    let (name, train, dev) = treebank(folder)?;
    for variant in variants(experiment, base, Columns::of(&train))? {
        let part: Vec<_> = train.iter().step_by(variant.parts).cloned().collect();
        let mut runs = Vec::new();
        for &seed in seeds {
            let run = Run::new(TrainConfig { seed, ..variant.config.clone() }, &part, &dev)?;
            eprintln!("{experiment}\t{name}\t{}\tseed {seed}\t{}", variant.name, run.line());
            runs.push(run);
        }
        println!("| {name} | {} | {} |", variant.name, row(&runs));
    }
    Ok(())
}

/// Settings to be compared with others.
struct Variant {
    name: String,
    config: TrainConfig,
    /// Trains on the first of this many parts of the data.
    parts: usize,
}

fn variants(experiment: &str, base: &TrainConfig, columns: Columns) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut add = |name: String, parts: usize, change: &dyn Fn(&mut TrainConfig)| {
        let mut config = base.clone();
        change(&mut config);
        variants.push(Variant { name, config, parts });
    };
    match experiment {
        "defaults" => add("defaults".to_owned(), 1, &|_| ()),
        "decoders" => {
            for decoder in [Decoder::Eisner, Decoder::Mst] {
                add(format!("{decoder}-trained"), 1, &|config| config.decoder = Some(decoder));
            }
        }
        "k-best" => {
            for k in [1, 2, 5, 10] {
                add(format!("k = {k}"), 1, &|config| {
                    config.learner.rule = Some(Rule::MiraK);
                    config.learner.k = k;
                });
            }
        }
        "templates" => {
            for (name, templates) in ablations(columns)? {
                add(name, 1, &|config| config.templates = Some(templates.clone()));
            }
        }
        "features" => {
            for (all_features, max_bits) in [(false, 22), (true, 22), (true, 24)] {
                let which = if all_features { "all" } else { "gold" };
                add(format!("{which}, 2^{max_bits}"), 1, &|config| {
                    config.all_features = Some(all_features);
                    config.max_bits = max_bits;
                    config.max_label_bits = max_bits - 1;
                });
            }
        }
        "mixing" => {
            add("serial".to_owned(), 1, &run_all_epochs);
            for shards in [2, 4] {
                for mixing in [Mixing::Uniform, Mixing::Errors] {
                    add(format!("{shards} shards, {mixing:?}"), 1, &|config| {
                        run_all_epochs(config);
                        config.threads = shards;
                        config.mixing = mixing;
                    });
                }
                add(format!("one shard of {shards}"), shards, &run_all_epochs);
            }
        }
        "tables" => {
            for bits in [18, 20, 22, 24] {
                add(format!("2^{bits}"), 1, &|config| {
                    config.max_bits = bits;
                    config.max_label_bits = bits - 1;
                });
            }
        }
        _ => return Err(format!("no such experiment: {experiment}").into()),
    }
    Ok(variants)
}

fn run_all_epochs(config: &mut TrainConfig) {
    config.patience = config.epochs;
}

/// The default templates, and without one group after the other; last the templates of the 2006 report.
fn ablations(columns: Columns) -> Result<Vec<(String, TemplateTexts)>> {
    let full = TemplateTexts::for_columns(columns, 1, Default::default(), Decoder::Mst)?;
    let mut sets = vec![("all".to_owned(), full.clone())];
    for (name, belongs) in GROUPS {
        let is_left = |line: &&str| line.starts_with('[') || !belongs(line);
        let arc: String =
            full.arc.lines().filter(is_left).map(|line| format!("{line}\n")).collect();
        let removed = full.arc.lines().count() - arc.lines().count();
        if removed > 0 {
            sets.push((format!("− {name} ({removed})"), TemplateTexts { arc, ..full.clone() }));
        }
    }
    sets.push((
        "− joint labels".to_owned(),
        TemplateTexts { label: String::new(), ..full.clone() },
    ));
    let arc = TemplateTexts::select(MST06, columns)?;
    sets.push(("arc templates of 2006".to_owned(), TemplateTexts { arc, ..full }));
    Ok(sets)
}

/// Whether an arc template belongs to a group.
type Belongs = fn(&str) -> bool;

/// Groups of arc templates; they overlap.
const GROUPS: [(&str, Belongs); 10] = [
    ("between", |line| {
        ["between", "verbs", "puncts", "conjunctions"].iter().any(|atom| line.contains(atom))
    }),
    ("FEATS pairs, agreement", |line| {
        atoms(line).any(|atom| atom.ends_with(".feat") || atom == "agree")
    }),
    ("FEATS bundles", |line| line.contains(".feats")),
    ("tags of neighbours", |line| !line.contains(".lower") && has_neighbour(line)),
    ("words of neighbours", |line| line.contains(".lower")),
    ("lemmas", |line| line.contains(".lemma")),
    ("suffixes", |line| line.contains(".suffix")),
    ("distance", |line| line.contains("distance")),
    ("one token", |line| {
        ["head.", "child."].iter().any(|token| atoms(line).all(|atom| atom.starts_with(token)))
    }),
    ("fine tags", |line| line.contains(".fine")),
];

fn atoms(line: &str) -> impl Iterator<Item = &str> {
    line.split(" + ")
}

fn has_neighbour(line: &str) -> bool {
    atoms(line).any(|atom| atom.contains(['+', '-']))
}

/// Words right in per cent.
#[derive(Clone, Copy)]
struct Scores {
    uas: f64,
    las: f64,
    /// UAS of the sentences with a non-projective arc.
    crossing_uas: f64,
}

/// One training run.
struct Run {
    decoder: String,
    eisner: Scores,
    mst: Scores,
    las_by_epoch: Vec<f64>,
    best_epoch: u64,
    epochs: u64,
    seconds: f64,
    megabytes: f64,
}

impl Run {
    fn new(config: TrainConfig, train: &[Sentence], dev: &[Sentence]) -> Result<Self> {
        let mut las_by_epoch = Vec::new();
        let start = user_seconds()?;
        let parser = Trainer::new(config).train(train, dev, &mut |progress| {
            if let Progress::TreeEpoch { dev: Some((_, las)), .. } = progress {
                las_by_epoch.push(las);
            }
        })?;
        let seconds = user_seconds()? - start;
        let info = parser.info();
        Ok(Self {
            decoder: info.decoder.clone(),
            best_epoch: info.training.best_epoch,
            epochs: info.training.epochs,
            megabytes: parser.size() as f64 / 1e6,
            eisner: score(&parser.clone().with_decoder(Decoder::Eisner), dev),
            mst: score(&parser.with_decoder(Decoder::Mst), dev),
            las_by_epoch,
            seconds,
        })
    }

    /// LAS with the decoder of training.
    fn las(&self) -> f64 {
        if self.decoder == "mst" { self.mst.las } else { self.eisner.las }
    }

    fn line(&self) -> String {
        let scores = |Scores { uas, las, crossing_uas }| {
            format!("UAS {uas:.2} LAS {las:.2} crossing UAS {crossing_uas:.2}")
        };
        format!(
            "trained {}\teisner: {}\tmst: {}\tepoch {} of {}\t{:.1} s\t{:.1} MB\t{}",
            self.decoder,
            scores(self.eisner),
            scores(self.mst),
            self.best_epoch,
            self.epochs,
            self.seconds,
            self.megabytes,
            joined(self.las_by_epoch.iter().map(|las| format!("{las:.2}")))
        )
    }
}

/// The means of some runs, as cells of a table.
fn row(runs: &[Run]) -> String {
    let mean =
        |value: &dyn Fn(&Run) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
    let epochs = runs.iter().map(|run| run.las_by_epoch.len()).min().unwrap_or(0);
    [
        runs[0].decoder.clone(),
        format!("{:.2}", mean(&|run| run.eisner.uas)),
        format!("{:.2}", mean(&|run| run.mst.uas)),
        format!("{:.2}", mean(&|run| run.eisner.las)),
        format!("{:.2}", mean(&|run| run.mst.las)),
        format!("{:.2}", mean(&|run| run.eisner.crossing_uas)),
        format!("{:.2}", mean(&|run| run.mst.crossing_uas)),
        joined(runs.iter().map(|run| format!("{:.2}", run.las()))),
        joined(runs.iter().map(|run| format!("{}/{}", run.best_epoch, run.epochs))),
        format!("{:.1}", mean(&|run| run.seconds)),
        format!("{:.1}", mean(&|run| run.megabytes)),
        joined((0..epochs).map(|epoch| format!("{:.2}", mean(&|run| run.las_by_epoch[epoch])))),
    ]
    .join(" | ")
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

/// Parses the sentences and counts right heads and labels.
fn score(parser: &Parser, dev: &[Sentence]) -> Scores {
    let mut worker = parser.worker();
    let [mut words, mut heads, mut both, mut crossing_words, mut crossing_heads] = [0usize; 5];
    for gold in dev {
        let mut guess = gold.clone();
        if worker.parse(&mut guess, &ParseOptions::default()).is_err() {
            continue;
        }
        let right = || gold.words().zip(guess.words()).filter(|(g, s)| g.head() == s.head());
        words += gold.len();
        heads += right().count();
        both += right().filter(|(g, s)| g.universal_deprel() == s.universal_deprel()).count();
        if gold.tree().is_ok_and(|tree| !tree.is_projective()) {
            crossing_words += gold.len();
            crossing_heads += right().count();
        }
    }
    let percent = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
    Scores {
        uas: percent(heads, words),
        las: percent(both, words),
        crossing_uas: percent(crossing_heads, crossing_words),
    }
}
