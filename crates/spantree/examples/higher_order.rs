//! Trains variants of higher-order parsers and scores them on development sets: the tables of `experiments/higher-order`.
//!
//! `cargo run --release -p spantree --example higher_order -- EXPERIMENT [key=value …] FOLDER …` with `train.conllu` and
//! `dev.conllu` in each FOLDER; keys: `seeds` (such as `1,2,3`), `epochs`. EXPERIMENT is one of `orders`, `groups`, `beams`,
//! `violations`, `labellings`.
//!
//! Standard output gets a row of a Markdown table per variant and treebank: means of UAS and LAS over the seeds, the LAS of each
//! seed, and CPU seconds of one training run. Gold tokens, tags and lemmas; relations are cut at the colon. Training sentences whose heads
//! form no tree are left out.

mod common;

use std::path::Path;

use spantree::feature::Columns;
use spantree::graph::{Decoder, Grandchildren, TemplateTexts};
use spantree::train::{TrainConfig, Trainer, Violations};
use spantree::treebank::Sentence;

use common::{Result, treebank, user_seconds};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let experiment = arguments.next().ok_or("which experiment?")?;
    let (mut base, mut seeds) = (TrainConfig::default(), vec![1]);
    println!(
        "| treebank | variant | UAS | LAS | LAS of each seed | user s |\n|---|---|--:|--:|---|--:|"
    );
    for argument in arguments {
        match argument.split_once('=') {
            Some(("seeds", value)) => {
                seeds = value.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
            }
            Some(("epochs", value)) => {
                base.epochs = value.parse()?;
                base.likelihood_epochs = base.epochs;
            }
            Some((key, _)) => return Err(format!("unknown key {key}").into()),
            None => compare(&experiment, &base, &seeds, Path::new(&argument))?,
        }
    }
    Ok(())
}

/// Runs all variants of an experiment on one treebank.
fn compare(experiment: &str, base: &TrainConfig, seeds: &[u64], folder: &Path) -> Result<()> {
    let (name, train, dev) = treebank(folder)?;
    for (variant, config) in variants(experiment, base, Columns::of(&train))? {
        let start = user_seconds()?;
        let run = |&seed: &u64| scores(TrainConfig { seed, ..config.clone() }, &train, &dev);
        let runs = seeds.iter().map(run).collect::<Result<Vec<_>>>()?;
        let count = runs.len() as f64;
        let seconds = (user_seconds()? - start) / count;
        let uas = runs.iter().map(|run| run.0).sum::<f64>() / count;
        let las = runs.iter().map(|run| run.1).sum::<f64>() / count;
        let each: Vec<_> = runs.iter().map(|run| format!("{:.2}", run.1)).collect();
        let each = each.join(" ");
        println!("| {name} | {variant} | {uas:.2} | {las:.2} | {each} | {seconds:.0} |");
    }
    Ok(())
}

/// UAS and LAS of the best epoch in per cent.
fn scores(config: TrainConfig, train: &[Sentence], dev: &[Sentence]) -> Result<(f64, f64)> {
    let parser = Trainer::new(config).train(train, dev, &mut |_| ())?;
    let dev = parser.info().dev.ok_or("the development set has no trees")?;
    Ok((dev.uas, dev.las))
}

fn variants(
    experiment: &str,
    base: &TrainConfig,
    columns: Columns,
) -> Result<Vec<(String, TrainConfig)>> {
    let mut variants = Vec::new();
    let mut add = |name: String, change: &dyn Fn(&mut TrainConfig)| {
        let mut config = base.clone();
        change(&mut config);
        variants.push((name, config));
    };
    let cube = |config: &mut TrainConfig| (config.order, config.decoder) = (3, Some(Decoder::Cube));
    match experiment {
        "orders" => {
            add("order 1".to_owned(), &|_| ());
            for (name, is_left) in KINDS {
                let templates = without(columns, 2, |part| !is_left(part))?;
                add(format!("order 2, {name}"), &|config| {
                    (config.order, config.templates) = (2, Some(templates.clone()));
                });
            }
            add("order 2".to_owned(), &|config| config.order = 2);
            add("order 2, outermost grandchildren".to_owned(), &|config| {
                (config.order, config.grandchildren) = (2, Grandchildren::Outermost);
            });
            add("order 3".to_owned(), &|config| config.order = 3);
            add("cube".to_owned(), &cube);
            add("cube, valency".to_owned(), &|config| {
                cube(config);
                config.valency = true;
            });
        }
        "groups" => {
            add("all".to_owned(), &|config| config.order = 2);
            for (name, belongs) in GROUPS {
                let templates = without(columns, 2, belongs)?;
                add(format!("− {name}"), &|config| {
                    (config.order, config.templates) = (2, Some(templates.clone()));
                });
            }
        }
        "beams" => {
            for beam in [2, 5, 10, 16] {
                add(format!("beam {beam}"), &|config| {
                    cube(config);
                    config.cube.beam = beam;
                });
            }
        }
        "violations" => {
            for violation in [Violations::Whole, Violations::Node, Violations::Frontier] {
                add(format!("{violation:?}"), &|config| {
                    cube(config);
                    config.learner.violation = violation;
                });
            }
        }
        "labellings" => {
            for labellings in [1, 2, 3, 6] {
                add(format!("{labellings} labellings of a structure"), &|config| {
                    cube(config);
                    config.cube.labellings = labellings;
                });
            }
        }
        _ => return Err(format!("no such experiment: {experiment}").into()),
    }
    Ok(variants)
}

/// The default templates without some of the parts of several arcs.
fn without(columns: Columns, order: u32, belongs: impl Fn(&str) -> bool) -> Result<TemplateTexts> {
    let full = TemplateTexts::for_columns(columns, order, Default::default(), Decoder::Eisner)?;
    let is_left = |line: &&str| line.starts_with('[') || !belongs(line);
    let part = full.part.lines().filter(is_left).map(|line| format!("{line}\n")).collect();
    Ok(TemplateTexts { part, ..full })
}

/// Whether a template of parts belongs to a group.
type Belongs = fn(&str) -> bool;

/// Kinds of parts of two arcs.
const KINDS: [(&str, Belongs); 2] = [
    ("siblings", |part| part.contains("inner.")),
    ("grandparents", |part| part.contains("grand.")),
];

/// Groups of templates of parts; they overlap.
const GROUPS: [(&str, Belongs); 7] = [
    ("labels", |part| part.contains("labels")),
    ("lemmas", |part| part.contains(".lemma")),
    ("fine tags", |part| part.contains(".fine")),
    ("FEATS", |part| part.contains(".feats")),
    ("distance", |part| part.contains("distance")),
    ("between", |part| part.contains("between")),
    ("neighbours", |part| part.contains(['-']) || part.contains("+1")),
];
