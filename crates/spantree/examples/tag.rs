//! Trains a tagger and a lemmatiser on one treebank and runs them on its development set, printing accuracy, size and speed.
//!
//! `cargo run --release -p spantree --example tag -- FOLDER [key=value …]` with `train.conllu` and `dev.conllu` in FOLDER; keys:
//! `epochs`, `seed`, `c` (aggressiveness), `crf` (step of a random field), `l2`, `min`, `weights`, `lemma_c`, `lemma_epochs`, `out` (write the result there).

use std::error::Error;
use std::path::PathBuf;
use std::time::{Instant, UNIX_EPOCH};

use spantree::lemma::{LemmaError, LemmaOptions, Lemmatiser, LemmatiserConfig, LemmatiserTrainer};
use spantree::model::Sections;
use spantree::tag::{TagOptions, Tagger, TaggerConfig, TaggerTrainer, Update};
use spantree::treebank::evaluate::{Comparison, Document, Metric, Roots};
use spantree::treebank::file::Output;
use spantree::treebank::{Format, Sentence, TreebankWriter, load};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let train = load(&folder.join("train.conllu"))?;
    let dev = load(&folder.join("dev.conllu"))?;
    let mut config = TaggerConfig::default();
    let mut lemmas = LemmatiserConfig::default();
    let mut out = None;
    for argument in arguments {
        let (key, value) = argument.split_once('=').ok_or("key=value")?;
        match key {
            "epochs" => config.epochs = value.parse()?,
            "seed" => config.seed = value.parse()?,
            "c" => config.update = Update::PassiveAggressive { aggressiveness: value.parse()? },
            "crf" => config.update = Update::Crf { step: value.parse()?, l2: 0.0 },
            "l2" => {
                if let Update::Crf { l2, .. } = &mut config.update {
                    *l2 = value.parse()?;
                }
            }
            "min" => config.min_count = value.parse()?,
            "weights" => config.max_weights = Some(value.parse()?),
            "lemma_c" => lemmas.aggressiveness = value.parse()?,
            "lemma_epochs" => lemmas.epochs = value.parse()?,
            "out" => out = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown key {key}").into()),
        }
    }
    let start = Instant::now();
    let tagger = TaggerTrainer::new(config).train(&train, &dev, &mut |done| {
        if let Some(dev) = done.dev {
            eprintln!(
                "epoch {:2}  loss {:.3}  UPOS {:.2}  XPOS {:.2}  FEATS {:.2}  {:.1} s",
                done.epoch, done.loss, dev.upos, dev.xpos, dev.feats, done.seconds
            );
        }
    })?;
    let lemmatiser = match LemmatiserTrainer::new(lemmas).train(&train, &dev, &mut |_, _| ()) {
        Err(LemmaError::NoLemmas) => None,
        result => Some(result?),
    };
    eprintln!("trained in {:.1} s", start.elapsed().as_secs_f64());
    report(&folder, &tagger, lemmatiser.as_ref(), &dev)?;
    if let Some(path) = out {
        let mut writer = TreebankWriter::new(Output::create(&path)?, Format::Conllu);
        for sent in predict(&tagger, lemmatiser.as_ref(), &dev).0 {
            writer.write(&sent)?;
        }
        writer.into_inner().finish()?;
    }
    Ok(())
}

/// The sentences with predicted columns, and words per second of processor time.
fn predict(
    tagger: &Tagger,
    lemmatiser: Option<&Lemmatiser>,
    dev: &[Sentence],
) -> (Vec<Sentence>, f64) {
    let mut worker = tagger.worker();
    let mut lemma_worker = lemmatiser.map(Lemmatiser::worker);
    let words: usize = dev.iter().map(Sentence::len).sum();
    let mut best = 0.0f64;
    let mut guess = Vec::new();
    for _ in 0..5 {
        guess = dev.to_vec();
        let start = processor_seconds();
        for sent in &mut guess {
            worker.tag(sent, &TagOptions::default());
            if let Some(worker) = &mut lemma_worker {
                worker.lemmatise(sent, &LemmaOptions::default());
            }
        }
        best = best.max(words as f64 / (processor_seconds() - start));
    }
    (guess, best)
}

/// Time that this thread has had a processor, where the system tells; else the time of day.
fn processor_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64()),
        |nanoseconds| nanoseconds / 1e9,
    )
}

fn report(
    folder: &std::path::Path,
    tagger: &Tagger,
    lemmatiser: Option<&Lemmatiser>,
    dev: &[Sentence],
) -> Result<(), Box<dyn Error>> {
    let (guess, speed) = predict(tagger, lemmatiser, dev);
    let mut sections = Sections::default();
    tagger.write_sections("tag.", &mut sections)?;
    if let Some(lemmatiser) = lemmatiser {
        lemmatiser.write_sections("lemma.", &mut sections)?;
    }
    let headers = (tagger.header(), lemmatiser.map(Lemmatiser::header));
    let size = sections.into_container("the model", &headers)?.size();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("");
    print!("{name}");
    let (gold, guess) = (Document::new("dev", dev.to_vec()), Document::new("predicted", guess));
    let comparison = Comparison::by_position(&gold, &guess, Roots::Many)?;
    for metric in [Metric::Upos, Metric::Xpos, Metric::Ufeats, Metric::AllTags, Metric::Lemmas] {
        print!("  {metric} {:.2}", 100.0 * comparison.score(metric).f1());
    }
    println!("  {speed:.0} words/s  {:.2} MB", size as f64 / 1e6);
    Ok(())
}
