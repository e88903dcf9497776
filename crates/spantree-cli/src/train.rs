//! `spantree train`: from a treebank to a model file.

mod report;
mod settings;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, Result};
use clap::ValueEnum;
use spantree::enhance::EnhancerConfig;
use spantree::model::{ParserHeader, Source};
use spantree::neural::Encoder;
use spantree::pipeline::train::{PipelineConfig, Tags};
use spantree::pipeline::{self, Pipeline};
use spantree::tag::{Clusters, TaggerConfig};
use spantree::train::{Annotation, DataProblem, TrainConfig, annotation};
use spantree::treebank::{Sentence, TreebankReader, file};

use crate::encoder::EncoderFolder;
use crate::io::{print, print_warnings, read_text};
use report::Report;
use settings::Settings;

/// Trains segmenter, tagger, lemmatiser and parser on a treebank, and writes them to one file.
///
/// A word whose HEAD is _ may have any head: half-annotated sentences help too. Sentences whose heads allow no tree are left
/// out with a warning. After every epoch the development set is parsed, and the best epoch is kept; graph and transition parsers
/// stop when LAS has not risen for a while. The same data, settings and seed give the same bytes. A killed run goes on with
/// --resume.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    encoder: EncoderFolder,
    #[command(flatten)]
    plan: Plan,
}

/// What to train from what, and how.
#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Training treebanks
    #[arg(long, value_name = "FILE", required_unless_present = "print_config", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Development treebanks, for early stopping and calibration
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,
    /// The model file to write
    #[arg(long, value_name = "FILE", required_unless_present = "print_config")]
    out: Option<PathBuf>,
    /// The stages to train, separated by commas; a stage for which the data have nothing is left out
    #[arg(long, value_name = "STAGES", value_delimiter = ',', default_values = ["segment", "tag", "lemma", "parse"])]
    stages: Vec<Stage>,
    /// The tags and lemmas that the parser learns from: gold is best for input with correct tags, predicted for raw text, both is a
    /// compromise
    #[arg(long, value_name = "WHICH", default_value = "both")]
    tags: TagsChoice,
    /// Most weights of the tagger; each takes about six bytes of the model [default: 600000, or 8 per word of a large treebank]
    #[arg(long, value_name = "N")]
    tagger_weights: Option<usize>,
    /// Clusters of forms that the tagger may use, such as `spantree cluster` makes: a form, a tab and a cluster per line; or a
    /// number of clusters, to be made from the words of the training data
    #[arg(long, value_name = "FILE|N")]
    clusters: Option<ClusterSource>,
    /// enhance: let graphs have cycles, as those of relative clauses do
    #[arg(long)]
    cycles: bool,
    #[command(flatten)]
    settings: Settings,
    /// Print the settings in force, as a file for --config, and stop
    #[arg(long)]
    print_config: bool,
    /// Licence of the training data, to be shown by `spantree info`
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
    /// Go on from the checkpoint beside the model file
    #[arg(long)]
    resume: bool,
    /// Train a model for each of N seeds, from --seed on, as OUT.seed1, OUT.seed2 …; the best on the development set becomes OUT
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    Segment,
    Tag,
    Lemma,
    Parse,
    /// Enhanced graphs, written to DEPS; only if asked for
    Enhance,
}

/// Where clusters are from.
#[derive(Clone)]
enum ClusterSource {
    File(PathBuf),
    /// So many, from the training data.
    Own(u16),
}

impl FromStr for ClusterSource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::File(text.into()), Self::Own))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum TagsChoice {
    Gold,
    Predicted,
    Both,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.plan.run(|| arguments.encoder.load(), |_| Ok(Vec::new()))
}

impl Plan {
    /// Trains a model with an encoder, if one is given, and sentences that another model analysed, which may add to the sources.
    pub(crate) fn run(
        &self,
        encoder: impl FnOnce() -> Result<Option<Encoder>>,
        silver: impl FnOnce(&mut Vec<Source>) -> Result<Vec<Sentence>>,
    ) -> Result<ExitCode> {
        let config = self.settings.config()?;
        let (false, Some(out)) = (self.print_config, &self.out) else {
            print(&toml::to_string(&config)?)?;
            return Ok(ExitCode::SUCCESS);
        };
        let mut config = self.pipeline(self.with_sources(config))?;
        config.parser.encoder = encoder()?;
        config.parser.check()?;
        let train = load(&self.data, Use::Train)?;
        let dev = load(&self.dev, Use::Dev)?;
        self.warn_of_dev(&dev);
        let silver = silver(&mut config.parser.sources)?;
        if let Some(ClusterSource::Own(count)) = self.clusters {
            let sentences = [&train[..], &silver].concat();
            config.tagger.clusters = Some(Clusters::of_treebank(&sentences, count.into()));
        }
        let data = (&train[..], &silver[..], &dev[..]);
        match self.seeds {
            1 => self.train(&config, data, out)?,
            _ => self.train_seeds(&config, data, out)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Trains one model from training sentences, sentences that another model analysed, and development sentences.
    fn train(&self, config: &PipelineConfig, data: Data<'_>, out: &Path) -> Result<()> {
        let (train, silver, dev) = data;
        let checkpoint = Some(with_suffix(out, ".checkpoint"));
        let parser = TrainConfig { checkpoint, resume: self.resume, ..config.parser.clone() };
        let config = PipelineConfig { parser, ..config.clone() };
        let mut report = Report::new();
        let show = &mut |progress| report.show(&progress);
        let pipeline = pipeline::train::distill(&config, (train, silver), dev, show)?;
        drop(report);
        pipeline.save(out)?;
        eprintln!("{}: {:.1} MB", out.display(), pipeline.size() as f64 / 1e6);
        Ok(())
    }

    /// Trains a model per seed beside `out`, which becomes a copy of the best. A resumed run keeps those that are complete.
    fn train_seeds(&self, config: &PipelineConfig, data: Data<'_>, out: &Path) -> Result<()> {
        let (mut scores, mut best) = (Vec::new(), None);
        for seed in (config.parser.seed..).take(self.seeds as usize) {
            let path = with_suffix(out, &format!(".seed{seed}"));
            if !(self.resume && path.exists()) {
                let parser = TrainConfig { seed, ..config.parser.clone() };
                self.train(&PipelineConfig { parser, ..config.clone() }, data, &path)?;
            }
            let model = Pipeline::load(&path)?;
            let dev = model.info().parser.as_ref().and_then(ParserHeader::dev);
            scores.extend(dev.map(|dev| dev.las));
            let las = dev.map_or(0.0, |dev| dev.las);
            if best.as_ref().is_none_or(|(_, _, highest)| las > *highest) {
                best = Some((model, path, las));
            }
        }
        let Some((model, path, _)) = best else { return Ok(()) };
        model.save(out)?;
        eprintln!("{}: a copy of {}{}", out.display(), path.display(), spread(&scores));
        Ok(())
    }

    fn warn_of_dev(&self, dev: &[Sentence]) {
        match (&self.dev[..], dev) {
            ([], _) => eprintln!("no --dev: all epochs are run and confidences are not calibrated"),
            ([path, ..], []) => eprintln!(
                "warning: {} has no sentences: all epochs are run and confidences are not calibrated",
                path.display()
            ),
            _ => {}
        }
    }

    fn pipeline(&self, parser: TrainConfig) -> Result<PipelineConfig> {
        let wants = |stage| self.stages.contains(&stage);
        let clusters = match &self.clusters {
            Some(ClusterSource::File(path)) => Some(read_clusters(path)?),
            _ => None,
        };
        let max_weights = self.tagger_weights;
        Ok(PipelineConfig {
            segment: wants(Stage::Segment),
            tag: wants(Stage::Tag),
            lemmatise: wants(Stage::Lemma),
            parse: wants(Stage::Parse),
            enhance: wants(Stage::Enhance),
            tags: match self.tags {
                TagsChoice::Gold => Tags::Gold,
                TagsChoice::Predicted => Tags::Predicted,
                TagsChoice::Both => Tags::Both,
            },
            tagger: TaggerConfig { max_weights, clusters, ..TaggerConfig::default() },
            parser,
            enhancer: EnhancerConfig { cycles: self.cycles, ..EnhancerConfig::default() },
            ..PipelineConfig::default()
        })
    }

    /// Adds names and licence of the data.
    fn with_sources(&self, config: TrainConfig) -> TrainConfig {
        let source =
            |path: &PathBuf| Source { name: file_name(path), licence: self.licence.clone() };
        TrainConfig { sources: self.data.iter().map(source).collect(), ..config }
    }
}

/// Training sentences, sentences that another model analysed, development sentences.
type Data<'a> = (&'a [Sentence], &'a [Sentence], &'a [Sentence]);

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Mean and standard deviation of the scores of several seeds.
fn spread(las: &[f64]) -> String {
    let count = las.len() as f64;
    let mean = las.iter().sum::<f64>() / count;
    let squares: f64 = las.iter().map(|las| (las - mean).powi(2)).sum();
    match las {
        [] => String::new(),
        [_] => format!("; dev LAS {mean:.2}"),
        _ => format!("; dev LAS mean {mean:.2}, deviation {:.2}", (squares / (count - 1.0)).sqrt()),
    }
}

fn read_clusters(path: &Path) -> Result<Clusters> {
    Ok(Clusters::read(&file::display_name(path), &read_text(path)?)?)
}

/// The last two parts of a path: `hu_szeged/train.conllu` says more than `train.conllu`.
pub(crate) fn file_name(path: &Path) -> String {
    let parts: Vec<_> =
        path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// What sentences are for: heads may be missing in training, but scores need them all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Train,
    Dev,
}

fn load(files: &[PathBuf], purpose: Use) -> Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    for path in files {
        let mut reader = TreebankReader::open(path, None)?;
        for sent in reader.by_ref() {
            sentences.push(sent.context("cannot train on a broken file")?);
        }
        print_warnings(&reader);
    }
    leave_out_broken(&mut sentences, purpose);
    Ok(sentences)
}

/// Drops sentences whose heads are not a tree, and says so: released treebanks contain a few.
fn leave_out_broken(sentences: &mut Vec<Sentence>, purpose: Use) {
    let problem = |sent: &Sentence| match annotation(sent) {
        Ok(Annotation::Partial) if purpose == Use::Dev => sent.tree().err().map(DataProblem::Tree),
        known => known.err(),
    };
    let mut first = None;
    let before = sentences.len();
    sentences.retain(|sent| match problem(sent) {
        None => true,
        Some(problem) => {
            let id = sent.sent_id().unwrap_or("without sent_id").to_owned();
            first.get_or_insert((id, problem));
            false
        }
    });
    if let Some((id, problem)) = first {
        let count = before - sentences.len();
        eprintln!(
            "warning: {count} sentences without a tree are left out, first sentence {id}: {problem}"
        );
    }
}
