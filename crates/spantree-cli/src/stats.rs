//! `spantree stats`: what a treebank holds.

use std::process::ExitCode;

use anyhow::Result;
use spantree::treebank::stats::Stats;

use crate::io::{Inputs, print};

/// Counts what a treebank holds: sizes, tags, labels, lengths, non-projectivity, ambiguity.
///
/// Several files are counted as one treebank.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    /// Print JSON with all histograms
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut stats = Stats::default();
    arguments.inputs.for_each(|sent, _| {
        stats.add(sent);
        Ok(())
    })?;
    let report = stats.report();
    print(&if arguments.json { report.to_json() + "\n" } else { report.to_string() })?;
    Ok(ExitCode::SUCCESS)
}
