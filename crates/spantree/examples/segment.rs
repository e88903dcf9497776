//! Trains a segmenter on a treebank, segments the raw text of its development set and scores the result.
//!
//! `cargo run --release -p spantree --example segment -- FOLDER [key=value …]` with `train.conllu` and `dev.conllu` in
//! FOLDER; keys: `epochs`, `seed`, `bits`, `step`, `l2`, `out` (CoNLL-U), `model` (save there), `text` (write the raw text
//! there), `repeat` (segment so many times, for timing), `choose` (`no`: epoch and threshold
//! are not chosen on the development set).
//! The words of `out` get a flat tree, so that `spantree eval` takes it.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use spantree::Pipeline;
use spantree::pipeline::Stages;
use spantree::segment::train::Progress;
use spantree::segment::{Segmenter, TrainConfig, raw_text, train};
use spantree::treebank::evaluate::{Comparison, Document, Metric, Roots};
use spantree::treebank::{Column, Sentence, load};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder =
        PathBuf::from(args.next().ok_or("give a folder with train.conllu and dev.conllu")?);
    let (gold, mut config) = (load(&folder.join("dev.conllu"))?, TrainConfig::default());
    let (mut out, mut model, mut text_file, mut repeat) = (None, None, None, 1);
    let mut choose = true;
    for arg in args {
        let (key, value) = arg.split_once('=').ok_or("arguments are key=value")?;
        match key {
            "epochs" => config.epochs = value.parse()?,
            "seed" => config.seed = value.parse()?,
            "bits" => config.bits = value.parse()?,
            "step" => config.step = value.parse()?,
            "l2" => config.l2 = value.parse()?,
            "repeat" => repeat = value.parse()?,
            "choose" => choose = value != "no",
            "out" => out = Some(PathBuf::from(value)),
            "text" => text_file = Some(PathBuf::from(value)),
            "model" => model = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown key {key}").into()),
        }
    }
    let start = Instant::now();
    let dev = if choose { &gold[..] } else { &[] };
    let segmenter = train(&config, &load(&folder.join("train.conllu"))?, dev, &mut report)?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = model {
        let stages = Stages { segmenter: Some(segmenter.clone()), ..Stages::default() };
        Pipeline::new(&stages, Vec::new())?.save(&path)?;
    }
    let text = raw_text(&gold);
    if let Some(path) = text_file {
        fs::write(path, &text)?;
    }
    let mut found = run(&segmenter, &text, repeat);
    found.iter_mut().for_each(flat_tree);
    if let Some(path) = out {
        let mut file = BufWriter::new(File::create(path)?);
        found.iter().try_for_each(|sent| file.write_all(sent.to_conllu().as_bytes()))?;
    }
    let gold = Document::new("dev", gold);
    let found = Document::new("segmented", found);
    let comparison = Comparison::by_text(&gold, &found, Roots::Many)?;
    let f1 = |metric| 100.0 * comparison.score(metric).f1();
    println!(
        "{} Tokens {:.2} Sentences {:.2} Words {:.2} trained in {seconds:.0} s, multiword {:?}",
        folder.file_name().and_then(|name| name.to_str()).unwrap_or(""),
        f1(Metric::Tokens),
        f1(Metric::Sentences),
        f1(Metric::Words),
        segmenter.multiword_counts(),
    );
    Ok(())
}

fn report(progress: Progress) {
    eprintln!("{progress:.3?}");
}

fn run(segmenter: &Segmenter, text: &str, repeat: usize) -> Vec<Sentence> {
    let start = Instant::now();
    let mut found = Vec::new();
    for _ in 0..repeat.max(1) {
        found = segmenter.segment(text);
    }
    let words: usize = found.iter().map(Sentence::len).sum();
    let rate = (repeat.max(1) * words) as f64 / start.elapsed().as_secs_f64();
    println!("{rate:.0} words/s");
    found
}

/// Hangs all words on the first one.
fn flat_tree(sent: &mut Sentence) {
    for word in 1..=sent.len() as u32 {
        sent.set_head(word, Some(u32::from(word > 1)));
        sent.set(word, Column::Deprel, if word > 1 { "dep" } else { "root" });
    }
}
