//! `spantree convert`: from one format to another, with transformations on the way.
//!
//! Sentences stream through, unless the whole treebank is needed: to shuffle, sample or divide it, or to count trace labels.

mod change;
mod choose;
mod loss;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use spantree::treebank::file::Output;
use spantree::treebank::{Format, Layout, Sentence, TreebankReader, TreebankWriter};

use crate::io::{Inputs, cannot_write, create};
use change::{ChangeOptions, Changes};
use choose::Choice;
use loss::Losses;

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
    let mut losses = Losses::default();
    arguments.inputs.for_each(|sent, reader| {
        changes.apply(sent).with_context(|| place(sent, reader.name()))?;
        losses.count(arguments.format(reader.format()), sent);
        if let Some(output) = output.take() {
            writer = Some(arguments.writer(output, &shape(reader)));
        }
        let written = writer.as_mut().map_or(Ok(()), |writer| writer.write(sent));
        written.with_context(|| cannot_write(&arguments.output))
    })?;
    losses.report();
    match output.or(writer.map(TreebankWriter::into_inner)) {
        Some(output) => output.finish().with_context(|| cannot_write(&arguments.output)),
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
    let mut losses = Losses::default();
    let outputs: Result<Vec<_>> = parts
        .iter()
        .map(|part| {
            let mut writer = arguments.writer(create(&part.path)?, &shape);
            for &index in &part.sentences {
                losses.count(arguments.format(shape.0), &sentences[index]);
                writer.write(&sentences[index]).with_context(|| cannot_write(&part.path))?;
            }
            Ok(writer.into_inner())
        })
        .collect();
    losses.report();
    // Only now that everything is written does any file appear.
    outputs?
        .into_iter()
        .try_for_each(Output::finish)
        .with_context(|| cannot_write(&arguments.output))
}

impl Arguments {
    /// The format of the output, for input of this format.
    fn format(&self, input: Format) -> Format {
        self.to.or_else(|| Format::from_path(&self.output)).unwrap_or(input)
    }

    fn writer(&self, output: Output, (input, layout): &Shape) -> TreebankWriter<Output> {
        let format = self.format(*input);
        if format == *input {
            TreebankWriter::with_layout(output, format, layout.clone())
        } else {
            TreebankWriter::new(output, format)
        }
    }
}

/// Names a sentence in messages.
fn place(sent: &Sentence, file: &str) -> String {
    format!("{file}: sentence {}", sent.sent_id().unwrap_or("without sent_id"))
}
