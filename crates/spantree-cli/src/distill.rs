//! `spantree distill`: a small model that learns from a treebank and from what a better model makes of raw text.

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Result, bail};
use spantree::Pipeline;
use spantree::model::Source as Origin;
use spantree::pipeline::Options;
use spantree::treebank::Sentence;

use crate::encoder::EncoderFolder;
use crate::parse::source::Source;
use crate::train::{Plan, file_name};

/// Trains a model on a treebank and on text that another model, the teacher, analyses.
///
/// The teacher may be slow: a model with a pretrained encoder, say. The new model learns its tags and trees, and is as small
/// and fast as its own settings make it. Everything else is as in `spantree train`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model that analyses the text; given several times, an ensemble as in `spantree parse`
    #[arg(long, value_name = "FILE", required = true)]
    teacher: Vec<PathBuf>,
    #[command(flatten)]
    encoder: EncoderFolder,
    /// Text to learn from, of the kind that is to be parsed; .gz and .zst are read directly
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    text: Vec<PathBuf>,
    /// Most words of the text that are used, the first ones; memory grows with them
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    words: usize,
    #[command(flatten)]
    plan: Plan,
}

/// Shorter sentences teach little; longer ones are often no sentences.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=100;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.plan.run(|| Ok(None), |sources| arguments.silver(sources))
}

impl Arguments {
    /// The text with the tags and trees of the teacher; notes what the teacher and the text bring with them.
    fn silver(&self, sources: &mut Vec<Origin>) -> Result<Vec<Sentence>> {
        let teacher = self.encoder.load_models(&self.teacher)?;
        if teacher.stages().parser.is_none() {
            bail!("the teacher has no parser; name a model with one");
        }
        let learned = teacher.info().sources.iter().filter(|source| !sources.contains(source));
        let text = self.text.iter().map(|path| Origin { name: file_name(path), licence: None });
        sources.extend(learned.cloned().chain(text).collect::<Vec<_>>());
        let sentences = self.read(&teacher)?;
        if sentences.is_empty() {
            bail!("the text has no sentence of {} to {} words", LENGTHS.start(), LENGTHS.end());
        }
        let words: usize = sentences.iter().map(Sentence::len).sum();
        eprintln!("the teacher analyses {words} words in {} sentences", sentences.len());
        Ok(analyse(&teacher, sentences))
    }

    fn read(&self, teacher: &Pipeline) -> Result<Vec<Sentence>> {
        let (mut sentences, mut words) = (Vec::new(), 0);
        Source::text(self.text.clone()).for_each(teacher.stages().segmenter.as_ref(), |sent| {
            if LENGTHS.contains(&sent.len()) && words + sent.len() <= self.words {
                words += sent.len();
                sentences.push(sent.clone());
            }
            Ok(())
        })?;
        Ok(sentences)
    }
}

/// Fills in tags and trees, by all processors; what cannot be analysed is left out.
fn analyse(teacher: &Pipeline, mut sentences: Vec<Sentence>) -> Vec<Sentence> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = sentences.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for part in sentences.chunks_mut(share) {
            scope.spawn(move || {
                let (mut worker, options) = (teacher.worker(), Options::default());
                for some in part.chunks_mut(64) {
                    worker.process_all(some, &options, |_, _| ());
                }
            });
        }
    });
    sentences.retain(|sent| sent.tree().is_ok());
    sentences
}
