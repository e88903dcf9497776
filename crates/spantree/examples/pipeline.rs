//! Trains all stages on each treebank with the default settings, and scores them in the three settings of the official
//! evaluation: raw text, gold tokens, gold tokens and morphology.
//!
//! `cargo run --release -p spantree --example pipeline -- OUT FOLDER …` with `train.conllu` and `dev.conllu` in every FOLDER.
//! A model is saved as `OUT/NAME.spantree` and used again if it is there; the raw text of the development set and the three
//! analyses are written beside it. Prints a row of a table for every treebank and setting.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use spantree::Pipeline;
use spantree::pipeline::Options;
use spantree::pipeline::train::{PipelineConfig, train};
use spantree::segment::raw_text;
use spantree::train::annotation;
use spantree::treebank::evaluate::{Comparison, Document, Metric, Roots};
use spantree::treebank::{Column, Sentence, load};

const METRICS: [Metric; 13] = [
    Metric::Sentences,
    Metric::Tokens,
    Metric::Words,
    Metric::Upos,
    Metric::Xpos,
    Metric::Ufeats,
    Metric::AllTags,
    Metric::Lemmas,
    Metric::Uas,
    Metric::Las,
    Metric::Clas,
    Metric::Mlas,
    Metric::Blex,
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let out = arguments.next().ok_or("which folder for models and results?")?;
    fs::create_dir_all(&out)?;
    println!("| treebank | given | {} |", METRICS.map(Metric::name).join(" | "));
    println!("|---|---|{}", "--:|".repeat(METRICS.len()));
    for folder in arguments {
        let name = folder.file_name().ok_or("a folder has no name")?.to_string_lossy().into_owned();
        let gold = load(&folder.join("dev.conllu"))?;
        let pipeline = model(&out.join(format!("{name}.spantree")), &folder, &gold)?;
        let text = raw_text(&gold);
        fs::write(out.join(format!("{name}.txt")), &text)?;
        let segmented = pipeline.stages().segmenter.as_ref().map(|stage| stage.segment(&text));
        let settings = [
            ("raw text", segmented.unwrap_or_default()),
            ("tokens", gold.iter().map(without_morphology).collect()),
            ("morphology", gold.clone()),
        ];
        let gold = Document::new("gold", gold);
        for (given, sentences) in settings {
            let guess = analyse(&pipeline, sentences)?;
            let conllu: String = guess.iter().map(Sentence::to_conllu).collect();
            let file = format!("{name}.{}.conllu", given.replace(' ', "-"));
            fs::write(out.join(file), conllu)?;
            println!("| {name} | {given} | {} |", scores(&gold, guess)?.join(" | "));
        }
    }
    Ok(())
}

/// The model in a file, or a new one.
fn model(path: &Path, folder: &Path, dev: &[Sentence]) -> Result<Pipeline, Box<dyn Error>> {
    if path.exists() {
        return Ok(Pipeline::load(path)?);
    }
    let start = Instant::now();
    let mut data = load(&folder.join("train.conllu"))?;
    // As the program does: nl_lassysmall has a sentence whose heads are a cycle.
    data.retain(|sent| annotation(sent).is_ok());
    let pipeline = train(&PipelineConfig::default(), &data, dev, &mut |_| ())?;
    pipeline.save(path)?;
    let (seconds, size) = (start.elapsed().as_secs_f64(), pipeline.size() as f64 / 1e6);
    eprintln!("{}: trained in {seconds:.0} s, {size:.1} MB", path.display());
    Ok(pipeline)
}

fn without_morphology(gold: &Sentence) -> Sentence {
    let mut sent = gold.clone();
    for word in 1..=gold.len() as u32 {
        for column in [Column::Upos, Column::Xpos, Column::Feats, Column::Lemma] {
            sent.set(word, column, "_");
        }
    }
    sent
}

fn analyse(
    pipeline: &Pipeline,
    mut sentences: Vec<Sentence>,
) -> Result<Vec<Sentence>, Box<dyn Error>> {
    let mut worker = pipeline.worker();
    for sent in &mut sentences {
        worker.process(sent, &Options::default())?;
    }
    Ok(sentences)
}

fn scores(gold: &Document, guess: Vec<Sentence>) -> Result<Vec<String>, Box<dyn Error>> {
    let guess = Document::new("system", guess);
    let comparison = Comparison::by_text(gold, &guess, Roots::One)?;
    let f1 = |metric| format!("{:.2}", 100.0 * comparison.score(metric).f1());
    Ok(METRICS.map(f1).into())
}
