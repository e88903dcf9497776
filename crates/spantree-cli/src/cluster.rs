//! `spantree cluster`: clusters of forms from raw text, for `train --clusters`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use spantree::tag::Neighbours;

use crate::bundled;
use crate::io::print;
use crate::parse::source::Source;

/// Groups the words of a text by the words that they stand beside, for `train --clusters`.
///
/// Text of the kind that will be parsed teaches a tagger about words that the treebank does not have. Writes a form in lower case, a
/// tab and the number of its cluster per line.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The model whose segmenter reads the text [default: the English model that comes with the program]
    #[arg(long, short, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Number of clusters
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,
    /// Words seen fewer times are left out: a smaller list
    #[arg(long, value_name = "N", default_value_t = 1)]
    minimum: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let pipeline = bundled::load_or_english(arguments.model.as_deref())?;
    let mut neighbours = Neighbours::default();
    arguments.source.for_each(pipeline.stages().segmenter.as_ref(), |sent| {
        neighbours.add(sent);
        Ok(())
    })?;
    eprintln!("{} forms", neighbours.forms());
    let mut lines = String::new();
    for (form, cluster) in neighbours.clusters(arguments.count.into(), arguments.minimum) {
        // A tab in a form would be read as the end of it.
        if !form.contains(['\t', '\n']) {
            writeln!(lines, "{form}\t{cluster}")?;
        }
    }
    print(&lines)?;
    Ok(ExitCode::SUCCESS)
}
