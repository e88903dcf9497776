//! `spantree generate`: synthetic treebanks with a planted grammar.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use spantree::treebank::{Format, Generator, GeneratorConfig, TreebankWriter};

use crate::io::{cannot_write, create};

/// Writes a synthetic treebank with a planted grammar: free to share, as large as wanted, the same for the same numbers.
///
/// --grammar fixes the made-up words and their preferences, --seed the sentences: training and test data are the same
/// grammar with different seeds.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of sentences
    #[arg(value_name = "SENTENCES", default_value_t = 100)]
    sentences: usize,
    /// Decides which sentences are written
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Decides the words and their preferences
    #[arg(long, value_name = "N", default_value_t = 0)]
    grammar: u64,
    /// Number of words that are not function words
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    vocabulary: u32,
    /// Mean number of words in a sentence
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(3..=1_000))]
    mean_length: u32,
    /// Share of sentences with a non-projective tree
    #[arg(long, value_name = "RATE", default_value_t = GeneratorConfig::default().non_projective, value_parser = rate)]
    non_projective: f64,
    /// Share of verbs that share a form with a noun
    #[arg(long, value_name = "RATE", default_value_t = GeneratorConfig::default().tag_ambiguity, value_parser = rate)]
    tag_ambiguity: f64,
    /// Share of words with a wrong head or label
    #[arg(long, value_name = "RATE", default_value_t = 0.0, value_parser = rate)]
    noise: f64,
    /// Write enhanced dependencies and empty nodes
    #[arg(long)]
    enhanced: bool,
    /// Where to write; a file appears only when it is complete
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| "give a share from 0 to 1".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let config = GeneratorConfig {
        seed: arguments.seed,
        grammar: arguments.grammar,
        vocabulary: arguments.vocabulary as usize,
        mean_length: arguments.mean_length as usize,
        non_projective: arguments.non_projective,
        tag_ambiguity: arguments.tag_ambiguity,
        noise: arguments.noise,
        enhanced: arguments.enhanced,
        ..GeneratorConfig::default()
    };
    let format = Format::from_path(&arguments.out).unwrap_or(Format::Conllu);
    let mut writer = TreebankWriter::new(create(&arguments.out)?, format);
    for sent in Generator::new(config).take(arguments.sentences) {
        writer.write(&sent).with_context(|| cannot_write(&arguments.out))?;
    }
    writer.into_inner().finish().with_context(|| cannot_write(&arguments.out))?;
    Ok(ExitCode::SUCCESS)
}
