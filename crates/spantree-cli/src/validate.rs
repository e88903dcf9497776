//! `spantree validate`: levels 1 and 2 of the official validator.

use std::process::ExitCode;

use anyhow::{Context, Result};
use spantree::treebank::file;
use spantree::treebank::validate::{Finding, Options, Severity, Validator};

use crate::io::{Files, print};

/// Checks CoNLL-U files as the official validator does at levels 1 and 2.
///
/// One line per finding: file, line, severity, test (with the name that the official validator gives it), sentence, column,
/// value, remedy. Exit code 1 when there is an error; warnings alone pass.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: Files,
    /// 1: is it CoNLL-U? 2: is it in the format of Universal Dependencies?
    #[arg(long, value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    level: u8,
    /// Report at most N findings of one class; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_findings: u64,
    /// Print findings as JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Print only the summary
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let options = Options { level: arguments.level, max_findings: arguments.max_findings };
    let mut validator = Validator::new(options);
    for path in arguments.files.paths() {
        let name = file::display_name(&path);
        let input = file::open(&path).with_context(|| format!("cannot read {name}"))?;
        let mut printed = Ok(());
        let report = |finding: Finding| {
            if !arguments.quiet && printed.is_ok() {
                let line = if arguments.json {
                    as_json(&finding).to_string()
                } else {
                    finding.to_string()
                };
                printed = print(&(line + "\n"));
            }
        };
        validator.check(input, &name, report).with_context(|| format!("cannot read {name}"))?;
        printed?;
    }
    let summary = validator.summary();
    for (severity, class, count) in summary.counts() {
        let kind = if severity == Severity::Error { "error" } else { "warning" };
        let plural = if count == 1 { "" } else { "s" };
        eprintln!("{class} {kind}{plural}: {count}");
    }
    eprintln!("{}", if summary.passed() { "PASSED" } else { "FAILED" });
    Ok(if summary.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "file": *finding.file,
        "line": finding.line,
        "sent_id": finding.sent_id,
        "severity": if finding.test.severity == Severity::Error { "error" } else { "warning" },
        "level": finding.test.level,
        "class": finding.test.class.to_string(),
        "test": finding.test.id,
        "column": finding.column,
        "value": finding.value,
        "message": finding.message,
    })
}
