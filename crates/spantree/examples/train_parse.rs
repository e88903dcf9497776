//! Trains on one treebank and parses its development set, printing accuracy, size and speed.
//!
//! `cargo run --release -p spantree --example train_parse -- FOLDER [key=value …]` with `train.conllu` and `dev.conllu` in
//! FOLDER; keys: `epochs`, `label_epochs`, `seed`, `decoder`, `learner`, `c`, `k`,
//! `step`, `l2`, `square_root`, `threads`, `bits`, `arc`, `label`, `relabel` (template files), `model` (save there).

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use spantree::feature::Columns;
use spantree::graph::{Decoder, Parser, TemplateTexts};
use spantree::parser::{ParseOptions, calibration};
use spantree::train::{Progress, Rule, TrainConfig, Trainer};
use spantree::treebank::{Sentence, load};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let train = load(&folder.join("train.conllu"))?;
    let dev = load(&folder.join("dev.conllu"))?;
    let mut config = TrainConfig::default();
    let columns = Columns::of(&train);
    let mut templates = TemplateTexts::for_columns(columns, 1, Default::default(), Decoder::Mst)?;
    let mut model = None;
    for argument in arguments {
        let (key, value) = argument.split_once('=').ok_or("key=value")?;
        match key {
            "epochs" => config.epochs = value.parse()?,
            "label_epochs" => config.label_epochs = value.parse()?,
            "seed" => config.seed = value.parse()?,
            "bits" => config.max_bits = value.parse()?,
            "learner" => {
                let rule = Rule::ALL.into_iter().find(|rule| rule.to_string() == value);
                config.learner.rule = Some(rule.ok_or("no such learner")?);
            }
            "c" => config.learner.aggressiveness = value.parse()?,
            "k" => config.learner.k = value.parse()?,
            "step" => config.learner.step = value.parse()?,
            "l2" => config.learner.l2 = value.parse()?,
            "square_root" => config.learner.square_root = value.parse()?,
            "threads" => config.threads = value.parse()?,
            "decoder" => config.decoder = Some(value.parse()?),
            "arc" => {
                templates.arc =
                    TemplateTexts::select(&fs::read_to_string(value)?, Columns::of(&train))?;
            }
            "label" => {
                templates.label =
                    TemplateTexts::select(&fs::read_to_string(value)?, Columns::of(&train))?;
            }
            "relabel" => {
                templates.relabel =
                    TemplateTexts::select(&fs::read_to_string(value)?, Columns::of(&train))?;
            }
            "model" => model = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown key {key}").into()),
        }
    }
    config.templates = Some(templates);
    let start = Instant::now();
    let mut report = |progress: Progress| match progress {
        Progress::TreeEpoch { epoch, loss, dev: Some((uas, las)), seconds } => {
            eprintln!(
                "epoch {epoch:2}  loss {loss:.3}  UAS {uas:.2}  LAS {las:.2}  {seconds:.1} s"
            );
        }
        Progress::Sentence | Progress::EpochStart { .. } => {}
        other => eprintln!("{other:?}"),
    };
    let parser = Trainer::new(config).train(&train, &dev, &mut report)?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = model {
        parser.save(&path)?;
    }
    let info = parser.info();
    let scores = info.dev.unwrap_or_default();
    println!(
        "{} {} UAS {:.2} LAS {:.2} epoch {} of {}, {seconds:.0} s, {:.1} MB",
        folder.file_name().and_then(|n| n.to_str()).unwrap_or(""),
        info.decoder,
        scores.uas,
        scores.las,
        info.training.best_epoch,
        info.training.epochs,
        parser.size() as f64 / 1e6
    );
    speed(&parser, &dev);
    Ok(())
}

fn speed(parser: &Parser, dev: &[Sentence]) {
    let mut worker = parser.worker();
    let words: usize = dev.iter().map(Sentence::len).sum();
    for confidence in [false, true] {
        let options = ParseOptions { confidence, ..ParseOptions::default() };
        let mut copies = dev.to_vec();
        let start = Instant::now();
        let mut observed = Vec::new();
        for (guess, gold) in copies.iter_mut().zip(dev) {
            if let Ok(analysis) = worker.parse(guess, &options) {
                for (i, c) in analysis.confidences.iter().enumerate() {
                    observed.push((
                        c.head,
                        gold.word(i as u32 + 1).head() == Some(analysis.trees[0].heads[i]),
                    ));
                }
            }
        }
        let rate = words as f64 / start.elapsed().as_secs_f64();
        println!(
            "confidence {confidence}: {rate:.0} words/s, ECE {:.4}",
            calibration::expected_error(&observed)
        );
    }
}
