//! `spantree vote`: one treebank from the outputs of several parsers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use spantree::combine;
use spantree::treebank::{Sentence, TreebankReader, TreebankWriter};

use crate::io::{cannot_write, create, print_warnings};

/// Combines the outputs of several parsers: each votes for its arcs, and the maximum spanning tree wins.
///
/// All files must have the same words. Everything but heads and labels is taken from the first.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Outputs of the parsers, best of three or more
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// Weight of each parser, in the order of the files [default: 1 each]
    #[arg(long, value_name = "W,W,…", value_delimiter = ',')]
    weights: Vec<f32>,
    /// A vote counts as much as its parser is sure of it, by HeadProb and LabelProb in MISC, which `parse --confidence` writes
    #[arg(long)]
    confidence: bool,
    /// Where to write; a file appears only when it is complete
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let weights = if arguments.weights.is_empty() {
        vec![1.0; arguments.files.len()]
    } else {
        arguments.weights.clone()
    };
    if arguments.files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read only once");
    }
    let mut readers = open_all(&arguments.files)?;
    let mut output = Some(create(&arguments.out)?);
    let mut writer = None;
    while let Some(systems) = read_all(&mut readers)? {
        let systems: Vec<_> = systems.iter().collect();
        let combine = match arguments.confidence {
            true => combine::vote_by_confidence,
            false => combine::vote,
        };
        let result = combine(&systems, &weights).with_context(|| {
            format!(
                "{}: sentence {}",
                readers[0].name(),
                systems[0].sent_id().unwrap_or("without sent_id")
            )
        })?;
        if let Some(output) = output.take() {
            writer = Some(TreebankWriter::with_layout(
                output,
                readers[0].format(),
                readers[0].layout().clone(),
            ));
        }
        writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.write(&result))
            .with_context(|| cannot_write(&arguments.out))?;
    }
    readers.iter().for_each(print_warnings);
    if let Some(output) = output.or(writer.map(TreebankWriter::into_inner)) {
        output.finish().with_context(|| cannot_write(&arguments.out))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn open_all(files: &[PathBuf]) -> Result<Vec<TreebankReader>> {
    files.iter().map(|path: &PathBuf| Ok(TreebankReader::open(Path::new(path), None)?)).collect()
}

/// The next sentence of every file; `None` when all are at their end.
fn read_all(readers: &mut [TreebankReader]) -> Result<Option<Vec<Sentence>>> {
    let sentences: Vec<Option<Sentence>> =
        readers.iter_mut().map(|reader| reader.next().transpose()).collect::<Result<_, _>>()?;
    if sentences.iter().all(Option::is_none) {
        return Ok(None);
    }
    if let Some(short) = sentences.iter().position(Option::is_none) {
        bail!("{} has fewer sentences than the others", readers[short].name());
    }
    Ok(Some(sentences.into_iter().flatten().collect()))
}
