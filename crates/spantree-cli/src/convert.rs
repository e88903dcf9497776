//! `spantree convert`: from one format to another, with transformations on the way.
//!
//! Sentences stream through, unless the whole treebank is needed: to shuffle, sample or divide it, or to count trace labels.

mod change;
mod choose;
mod loss;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use spantree::treebank::file::Output;
use spantree::treebank::{Format, Sentence};

use crate::io::{Inputs, cannot_write};
use crate::output::OutputOptions;
use change::{ChangeOptions, Changes};
use choose::Choice;
use loss::Losses;

/// Converts treebanks between formats and transforms them on the way.
///
/// Transformations are applied in the order of the list below; without any, CoNLL-U comes out byte for byte as it went in.
/// With --split and --folds, {} in the name of the output stands for the number of the part.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    changes: ChangeOptions,
    #[command(flatten)]
    choice: Choice,
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
    let options = &arguments.output;
    let mut sink = options.sink(options.path(), options.target(Format::Conllu))?;
    let mut renderer = None;
    let mut losses = Losses::default();
    arguments.inputs.for_each(|sent, reader| {
        changes.apply(sent).with_context(|| place(sent, reader.name()))?;
        losses.count(options.target(reader.format()), sent);
        let renderer = renderer.get_or_insert_with(|| {
            let target = options.target(reader.format());
            options.renderer(target, reader.format(), reader.layout())
        });
        renderer.add(sent)?;
        if renderer.is_full() { sink.write(renderer.take()) } else { Ok(()) }
    })?;
    losses.report();
    if let Some(mut renderer) = renderer {
        sink.write(renderer.take())?;
    }
    sink.finish()
}

/// The whole treebank at once; several output files when it is divided.
fn convert_all(arguments: &Arguments) -> Result<()> {
    let mut first_shape = None;
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut places = Vec::new();
    arguments.inputs.for_each(|sent, reader| {
        first_shape.get_or_insert_with(|| (reader.format(), reader.layout().clone()));
        places.push(place(sent, reader.name()));
        sentences.push(sent.clone());
        Ok(())
    })?;
    let changes = Changes::new(&arguments.changes, &sentences)?;
    for (sent, place) in sentences.iter_mut().zip(places) {
        changes.apply(sent).context(place)?;
    }
    let (format, layout) =
        first_shape.unwrap_or_else(|| (Format::Conllu, Arc::new(Format::Conllu.layout())));
    let options = &arguments.output;
    let parts = arguments.choice.parts(&sentences, options.path())?;
    let mut losses = Losses::default();
    let outputs: Result<Vec<_>> = parts
        .iter()
        .map(|part| {
            let mut sink = options.sink(&part.path, options.target(format))?;
            let mut renderer = options.renderer(options.target(format), format, &layout);
            for &index in &part.sentences {
                losses.count(options.target(format), &sentences[index]);
                renderer.add(&sentences[index])?;
            }
            sink.write(renderer.take())?;
            sink.end()
        })
        .collect();
    losses.report();
    // Only now that everything is written does any file appear.
    outputs?.into_iter().try_for_each(Output::finish).with_context(|| cannot_write(options.path()))
}

/// Names a sentence in messages.
fn place(sent: &Sentence, file: &str) -> String {
    format!("{file}: sentence {}", sent.sent_id().unwrap_or("without sent_id"))
}
