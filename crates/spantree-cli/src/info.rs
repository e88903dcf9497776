//! `spantree info`: what a model file says about itself.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use spantree::Pipeline;
use spantree::model::ParserHeader;
use spantree::neural::{self, EncoderInfo};

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
    let pipeline = Pipeline::load(&arguments.model)?;
    let info = pipeline.info();
    if arguments.json {
        print(&(serde_json::to_string_pretty(info)? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    writeln!(text, "written by   spantree {}", info.tool_version)?;
    writeln!(text, "size         {:.1} MB", pipeline.size() as f64 / 1e6)?;
    for source in &info.sources {
        writeln!(
            text,
            "trained on   {} ({})",
            source.name,
            source.licence.as_deref().unwrap_or("licence not stated")
        )?;
    }
    if let Some(segmenter) = &info.segmenter {
        write!(
            text,
            "segmenter    {} sentences, {} tokens",
            segmenter.sentences, segmenter.tokens
        )?;
        if let Some(dev) = &segmenter.dev {
            write!(text, "; dev F1 of tokens {:.2}, sentences {:.2}", dev.tokens, dev.sentences)?;
        }
        text.push('\n');
    }
    if let Some(tagger) = &info.tagger {
        write!(text, "tagger       {} tags", tagger.tags.len())?;
        if let Some(dev) = &tagger.dev {
            write!(
                text,
                "; dev UPOS {:.2}, XPOS {:.2}, FEATS {:.2}",
                dev.upos, dev.xpos, dev.feats
            )?;
        }
        text.push('\n');
    }
    if let Some(lemmatiser) = &info.lemmatiser {
        write!(text, "lemmatiser   {} edit scripts", lemmatiser.scripts.len())?;
        if let Some(dev) = lemmatiser.dev {
            write!(text, "; dev {dev:.2}")?;
        }
        text.push('\n');
    }
    if let Some(parser) = &info.parser {
        describe_parser(parser, &mut text)?;
    }
    if let Some(enhancer) = &info.enhancer {
        write!(text, "enhancer     {} ways to label an arc", enhancer.labels.len())?;
        if let Some(dev) = enhancer.dev {
            write!(text, "; dev F1 {dev:.2} on its trees")?;
        }
        text.push('\n');
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn describe_parser(parser: &ParserHeader, text: &mut String) -> std::fmt::Result {
    let training = parser.training();
    writeln!(text, "parser       {}", parser.summary())?;
    writeln!(
        text,
        "             {} sentences, {} words, seed {}, epochs {}, kept {}",
        training.sentences, training.words, training.seed, training.epochs, training.best_epoch
    )?;
    if let Some(dev) = parser.dev() {
        writeln!(
            text,
            "             dev UAS {:.2}, LAS {:.2} over {} words",
            dev.uas, dev.las, dev.words
        )?;
    }
    if let ParserHeader::Neural(neural::Header { encoder: Some(encoder), .. }) = parser {
        let EncoderInfo { width, checksum } = encoder;
        writeln!(text, "encoder      {width} numbers per word, checksum {checksum:016x}")?;
    }
    writeln!(text, "labels       {}", parser.labels().join(" "))
}
