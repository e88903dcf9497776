//! `spantree convert`: from one format to another, with transformations on the way.
//!
//! Sentences stream through, unless the whole treebank is needed: to shuffle, sample or divide it, or to count trace labels.

mod change;
mod choose;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use spantree::treebank::file::Output;
use spantree::treebank::{Format, Layout, Sentence, TreebankReader, TreebankWriter};

use crate::io::{Inputs, create};
use change::{ChangeOptions, Changes};
use choose::Choice;

/// Converts treebanks between formats and transforms them on the way.
///
/// Transformations are applied in the order of the list below; without any, CoNLL-U comes out byte for byte as it went in.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    /// Format of the output [default: by the name of the output file, else the format of the input]
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Where to write; a file appears only when it is complete. .gz and .zst are compressed. With --split and --folds, {}
    /// in the name stands for the number of the part
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    changes: ChangeOptions,
    #[command(flatten)]
    choice: Choice,
}

/// Format and columns of the first input: what the output has unless told otherwise.
type Shape = (Format, Arc<Layout>);

fn shape(reader: &TreebankReader) -> Shape {
    (reader.format(), reader.layout().clone())
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.choice.needs_all() || arguments.changes.needs_all() {
        convert_all(arguments)?;
    } else {
        convert_stream(arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sentence by sentence.
fn convert_stream(arguments: &Arguments) -> Result<()> {
    let changes = Changes::new(&arguments.changes, &[])?;
    let mut output = Some(create(&arguments.output)?);
    let mut writer = None;
    arguments.inputs.for_each(|sent, reader| {
        changes.apply(sent).with_context(|| place(sent, reader.name()))?;
        if let Some(output) = output.take() {
            writer = Some(arguments.writer(output, &shape(reader)));
        }
        writer.as_mut().map_or(Ok(()), |writer| writer.write(sent)).context("cannot write")
    })?;
    match output.or(writer.map(TreebankWriter::into_inner)) {
        Some(output) => output.finish().context("cannot write"),
        None => Ok(()),
    }
}

/// The whole treebank at once; several output files when it is divided.
fn convert_all(arguments: &Arguments) -> Result<()> {
    let mut first_shape = None;
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut places = Vec::new();
    arguments.inputs.for_each(|sent, reader| {
        first_shape.get_or_insert_with(|| shape(reader));
        places.push(place(sent, reader.name()));
        sentences.push(sent.clone());
        Ok(())
    })?;
    let changes = Changes::new(&arguments.changes, &sentences)?;
    for (sent, place) in sentences.iter_mut().zip(places) {
        changes.apply(sent).context(place)?;
    }
    let shape = first_shape.unwrap_or_else(|| (Format::Conllu, Arc::new(Format::Conllu.layout())));
    let parts = arguments.choice.parts(&sentences, &arguments.output)?;
    let outputs: Result<Vec<_>> = parts
        .iter()
        .map(|part| {
            let mut writer = arguments.writer(create(&part.path)?, &shape);
            for &index in &part.sentences {
                writer.write(&sentences[index]).context("cannot write")?;
            }
            Ok(writer.into_inner())
        })
        .collect();
    // Only now that everything is written does any file appear.
    outputs?.into_iter().try_for_each(Output::finish).context("cannot write")
}

impl Arguments {
    fn writer(&self, output: Output, (format, layout): &Shape) -> TreebankWriter<Output> {
        match self.to.or_else(|| Format::from_path(Path::new(&self.output))) {
            Some(wanted) if wanted != *format => TreebankWriter::new(output, wanted),
            _ => TreebankWriter::with_layout(output, *format, layout.clone()),
        }
    }
}

/// Names a sentence in messages.
fn place(sent: &Sentence, file: &str) -> String {
    format!("{file}: sentence {}", sent.sent_id().unwrap_or("without sent_id"))
}
