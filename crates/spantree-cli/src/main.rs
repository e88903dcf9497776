//! The program `spantree`: parses the command line and hands over to one file per verb.
//!
//! Exit codes: 0 all well, 1 failure (one line on standard error), 2 wrong usage.

mod bundled;
mod cluster;
mod convert;
mod distill;
mod encoder;
mod eval;
mod generate;
mod info;
mod io;
mod output;
mod parse;
mod stats;
mod train;
mod validate;
mod vote;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Dependency treebanks and parsers: check, convert, score, train and parse.
#[derive(Parser)]
#[command(name = "spantree", version, max_term_width = 110, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Cluster(cluster::Arguments),
    Convert(convert::Arguments),
    Distill(distill::Arguments),
    Eval(eval::Arguments),
    Generate(generate::Arguments),
    Info(info::Arguments),
    Parse(parse::Arguments),
    Stats(stats::Arguments),
    Train(train::Arguments),
    Validate(validate::Arguments),
    Vote(vote::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Cluster(arguments) => cluster::run(&arguments),
        Verb::Convert(arguments) => convert::run(&arguments),
        Verb::Distill(arguments) => distill::run(&arguments),
        Verb::Eval(arguments) => eval::run(&arguments),
        Verb::Generate(arguments) => generate::run(&arguments),
        Verb::Info(arguments) => info::run(&arguments),
        Verb::Parse(arguments) => parse::run(&arguments),
        Verb::Stats(arguments) => stats::run(&arguments),
        Verb::Train(arguments) => train::run(&arguments),
        Verb::Validate(arguments) => validate::run(&arguments),
        Verb::Vote(arguments) => vote::run(&arguments),
    };
    match result {
        Ok(code) => code,
        // A reader that closed the pipe early, such as `head`, has what it wanted.
        Err(error) if io::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("spantree: {error:#}");
            ExitCode::FAILURE
        }
    }
}
