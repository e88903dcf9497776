//! `spantree info`: what a model file says about itself.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use spantree::graph::Parser;

use crate::io::print;

/// Shows what a model was trained on, how well it did, and which labels it knows.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model file
    model: PathBuf,
    /// Print the whole header as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let parser = Parser::load(&arguments.model)?;
    let info = parser.info();
    if arguments.json {
        print(&(serde_json::to_string_pretty(info)? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    writeln!(text, "kind         {} parser, decoder {}", info.kind, info.decoder)?;
    writeln!(text, "written by   spantree {}", info.tool_version)?;
    writeln!(text, "size         {:.1} MB", parser.size() as f64 / 1e6)?;
    for source in &info.training.sources {
        writeln!(
            text,
            "trained on   {} ({})",
            source.name,
            source.licence.as_deref().unwrap_or("licence not stated")
        )?;
    }
    let training = &info.training;
    writeln!(
        text,
        "             {} sentences, {} words, seed {}",
        training.sentences, training.words, training.seed
    )?;
    writeln!(text, "epochs       {}, kept {}", training.epochs, training.best_epoch)?;
    if let Some(dev) = info.dev {
        writeln!(
            text,
            "dev scores   UAS {:.2}, LAS {:.2} over {} words",
            dev.uas, dev.las, dev.words
        )?;
    }
    writeln!(text, "labels       {}", info.labels.join(" "))?;
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
