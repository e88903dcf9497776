//! `spantree convert`: from one format to another, with transformations on the way.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use spantree::treebank::{Format, TreebankWriter};

use crate::io::{Inputs, create};

/// Converts treebanks between formats and transforms them.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    /// Format of the output. Default: by the name of the output file, else the format of the input.
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Where to write; a file appears only when it is complete. `.gz` and `.zst` are compressed.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let format = arguments.to.or_else(|| Format::from_path(&arguments.output));
    let mut output = Some(create(&arguments.output)?);
    let mut writer = None;
    arguments.inputs.for_each(|sent, reader| {
        if let Some(output) = output.take() {
            writer = Some(match format {
                Some(format) if format != reader.format() => TreebankWriter::new(output, format),
                _ => TreebankWriter::with_layout(output, reader.format(), reader.layout().clone()),
            });
        }
        writer.as_mut().map_or(Ok(()), |writer| writer.write(sent)).context("cannot write")
    })?;
    if let Some(output) = output.or(writer.map(TreebankWriter::into_inner)) {
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}
