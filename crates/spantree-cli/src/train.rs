//! `spantree train`: from a treebank to a model file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ValueEnum;
use spantree::graph::Decoder;
use spantree::model::Source;
use spantree::train::{Progress, TrainConfig, Trainer};
use spantree::treebank::transform::Scheme;
use spantree::treebank::{Sentence, TreebankReader};

use crate::io::print_warnings;

/// Trains a parser on a treebank with gold tags and trees.
///
/// Sentences whose heads are not a tree are left out with a warning. After every epoch the development set is parsed; training stops when LAS has not risen for a while, and the best epoch
/// is kept. The same data, settings and seed give the same bytes. A killed run goes on with --resume.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Training treebanks
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Development treebanks, for early stopping and calibration
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,
    /// The model file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Largest number of epochs
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().epochs)]
    epochs: u64,
    /// Stop when dev LAS has not risen for N epochs
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().patience)]
    patience: u64,
    /// eisner: projective trees; mst: all trees [default: by the share of crossing arcs]
    #[arg(long, value_name = "DECODER", value_parser = decoder)]
    decoder: Option<Decoder>,
    /// How weights are updated
    #[arg(long, value_name = "RULE", default_value = "pa")]
    learner: LearnerChoice,
    /// Largest step of the passive-aggressive learner
    #[arg(long, value_name = "C", default_value_t = 0.02)]
    aggressiveness: f64,
    /// With eisner, encode crossing arcs in the labels (head, path or head+path) instead of lifting them
    #[arg(long, value_name = "SCHEME")]
    pseudo_projective: Option<Scheme>,
    /// Seed of the shuffles
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Licence of the training data, to be shown by `spantree info`
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
    /// Go on from the checkpoint beside the model file
    #[arg(long)]
    resume: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LearnerChoice {
    /// cost-augmented passive-aggressive
    Pa,
    /// 1-best MIRA
    Mira,
    /// averaged perceptron
    Perceptron,
}

fn decoder(text: &str) -> Result<Decoder, String> {
    text.parse().map_err(|()| "choose eisner or mst".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let train = load(&arguments.data)?;
    let dev = load(&arguments.dev)?;
    if dev.is_empty() {
        eprintln!("no --dev: all epochs are run and confidences are not calibrated");
    }
    let trainer = Trainer::new(arguments.config());
    let parser = trainer.train(&train, &dev, &mut report)?;
    parser.save(&arguments.out)?;
    eprintln!("{}: {:.1} MB", arguments.out.display(), parser.size() as f64 / 1e6);
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn config(&self) -> TrainConfig {
        let source =
            |path: &PathBuf| Source { name: file_name(path), licence: self.licence.clone() };
        let mut checkpoint = self.out.clone().into_os_string();
        checkpoint.push(".checkpoint");
        TrainConfig {
            seed: self.seed,
            epochs: self.epochs,
            patience: self.patience,
            update: match self.learner {
                LearnerChoice::Pa => {
                    Update::PassiveAggressive { aggressiveness: self.aggressiveness }
                }
                LearnerChoice::Mira => Update::Mira,
                LearnerChoice::Perceptron => Update::Perceptron,
            },
            decoder: self.decoder,
            pseudo_projective: self.pseudo_projective,
            sources: self.data.iter().map(source).collect(),
            checkpoint: Some(checkpoint.into()),
            resume: self.resume,
            ..TrainConfig::default()
        }
    }
}

/// The last two parts of a path: `hu_szeged/train.conllu` says more than `train.conllu`.
fn file_name(path: &Path) -> String {
    let parts: Vec<_> =
        path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn load(files: &[PathBuf]) -> Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    for path in files {
        let mut reader = TreebankReader::open(path, None)?;
        for sent in reader.by_ref() {
            sentences.push(sent.context("cannot train on a broken file")?);
        }
        print_warnings(&reader);
    }
    leave_out_broken(&mut sentences);
    Ok(sentences)
}

/// Drops sentences whose heads are not a tree, and says so: released treebanks contain a few.
fn leave_out_broken(sentences: &mut Vec<Sentence>) {
    let mut first = None;
    let before = sentences.len();
    sentences.retain(|sent| match sent.tree() {
        Ok(_) => true,
        Err(error) => {
            let id = sent.sent_id().unwrap_or("without sent_id").to_owned();
            first.get_or_insert((id, error));
            false
        }
    });
    if let Some((id, error)) = first {
        let count = before - sentences.len();
        eprintln!(
            "warning: {count} sentences without a tree are left out, first sentence {id}: {error}"
        );
    }
}

fn report(progress: Progress) {
    match progress {
        Progress::Start { memory, decoder, non_projective } => eprintln!(
            "decoder {decoder} ({:.2} % of the arcs cross), about {} MB of memory",
            100.0 * non_projective,
            memory.div_ceil(1_000_000)
        ),
        Progress::LabelEpoch { epoch, loss, seconds } => {
            eprintln!("labels {epoch:>2}  loss {loss:.4}  {seconds:>6.1} s");
        }
        Progress::TreeEpoch { epoch, loss, dev, seconds } => {
            let scores = dev
                .map_or_else(String::new, |(uas, las)| format!("  dev UAS {uas:.2}  LAS {las:.2}"));
            eprintln!("trees  {epoch:>2}  loss {loss:.4}{scores}  {seconds:>6.1} s");
        }
        Progress::Calibrate => eprintln!("calibrating"),
        _ => {}
    }
}
