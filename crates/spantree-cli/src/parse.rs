//! `spantree parse`: trees for tagged sentences.
//!
//! One thread reads, `--threads` parse and serialise, and the main thread writes. Batches go to the workers in turn and come
//! back in the same turn, so the output is the same for any number of threads and at most a few batches are in memory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Error, Result};
use spantree::graph::{Analysis, ParseOptions, ParseWarning, Parser, Worker};
use spantree::treebank::{Column, Format, Sentence, TreebankWriter};

use crate::io::{Inputs, cannot_write, create};

/// Parses tagged sentences; everything but HEAD and DEPREL stays as it is.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model file
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    inputs: Inputs,
    /// Where to write; a file appears only when it is complete
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Keep the HEAD and DEPREL that are filled in; `_` is free
    #[arg(long)]
    keep: bool,
    /// Write the K best trees of each sentence, best first, as sentences of their own
    #[arg(long, value_name = "K", default_value_t = 1)]
    kbest: usize,
    /// Write probabilities: HeadProb and LabelProb in MISC, and that of the tree as a comment
    #[arg(long)]
    confidence: bool,
    /// Number of parsing threads; the output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

const BATCH: usize = 64;

/// Sentences on their way to a worker, or the error that ended the reading.
type Batch = Result<Vec<Sentence>, Error>;

/// The bytes of a parsed batch, and what to tell the user.
struct Parsed {
    bytes: Vec<u8>,
    words: usize,
    warnings: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let parser = Parser::load(&arguments.model)?;
    let options = ParseOptions {
        keep: arguments.keep,
        confidence: arguments.confidence,
        k_best: arguments.kbest,
    };
    let mut output = create(&arguments.output)?;
    let start = Instant::now();
    let words = thread::scope(|scope| {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for _ in 0..arguments.threads {
            let (to_worker, batches) = sync_channel(2);
            let (to_writer, results) = sync_channel(2);
            let parser = &parser;
            scope.spawn(move || work(parser, options, &batches, &to_writer));
            inputs.push(to_worker);
            outputs.push(results);
        }
        scope.spawn(move || read(&arguments.inputs, &inputs));
        write(&outputs, &mut output, &arguments.output)
    })?;
    output.finish().with_context(|| cannot_write(&arguments.output))?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{words} words in {seconds:.2} s, {:.0} words/s", words as f64 / seconds.max(1e-9));
    Ok(ExitCode::SUCCESS)
}

/// Sends batches to the workers in turn; stops when a worker is gone.
fn read(inputs: &Inputs, workers: &[SyncSender<Batch>]) {
    let mut turn = workers.iter().cycle();
    let mut send = |batch| turn.next().is_some_and(|worker| worker.send(batch).is_ok());
    let mut batch = Vec::with_capacity(BATCH);
    let outcome = inputs.for_each(|sent, _| {
        batch.push(sent.clone());
        if batch.len() == BATCH && !send(Ok(std::mem::take(&mut batch))) {
            anyhow::bail!("the workers stopped");
        }
        Ok(())
    });
    if !batch.is_empty() {
        send(Ok(batch));
    }
    if let Err(error) = outcome {
        send(Err(error));
    }
}

fn work(
    parser: &Parser,
    options: ParseOptions,
    batches: &Receiver<Batch>,
    results: &SyncSender<Result<Parsed>>,
) {
    let mut worker = parser.worker();
    for batch in batches {
        let parsed = batch.and_then(|batch| parse_batch(parser, &mut worker, options, batch));
        if results.send(parsed).is_err() {
            return;
        }
    }
}

/// Collects the results in the order of the batches.
fn write(
    workers: &[Receiver<Result<Parsed>>],
    output: &mut impl Write,
    path: &Path,
) -> Result<usize> {
    let mut words = 0;
    for worker in workers.iter().cycle() {
        let Ok(parsed) = worker.recv() else { break };
        let parsed = parsed?;
        output.write_all(&parsed.bytes).with_context(|| cannot_write(path))?;
        words += parsed.words;
        parsed.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    }
    Ok(words)
}

fn parse_batch(
    parser: &Parser,
    worker: &mut Worker<'_>,
    options: ParseOptions,
    batch: Vec<Sentence>,
) -> Result<Parsed> {
    let mut writer = TreebankWriter::new(Vec::new(), Format::Conllu);
    let (mut words, mut warnings) = (0, Vec::new());
    for mut sent in batch {
        words += sent.len();
        let analysis = worker.parse(&mut sent, &options)?;
        warnings.extend(analysis.warnings.iter().map(|&warning| describe(warning, &sent)));
        if options.k_best > 1 {
            write_k_best(parser, analysis, &sent, &mut writer)?;
        } else {
            if options.confidence {
                add_confidence(analysis, &mut sent);
            }
            writer.write(&sent)?;
        }
    }
    Ok(Parsed { bytes: writer.into_inner(), words, warnings })
}

fn add_confidence(analysis: &Analysis, sent: &mut Sentence) {
    if let Some(log_probability) = analysis.trees.first().and_then(|tree| tree.log_probability) {
        sent.set_comment("tree_logprob", &format!("{log_probability:.4}"));
    }
    let rows: Vec<_> = sent.words().map(|word| word.index()).collect();
    for (row, confidence) in rows.into_iter().zip(&analysis.confidences) {
        sent.set_attribute(row, Column::Misc, "HeadProb", Some(&format!("{:.4}", confidence.head)));
        sent.set_attribute(
            row,
            Column::Misc,
            "LabelProb",
            Some(&format!("{:.4}", confidence.label)),
        );
    }
}

fn write_k_best(
    parser: &Parser,
    analysis: &Analysis,
    sent: &Sentence,
    writer: &mut TreebankWriter<Vec<u8>>,
) -> Result<()> {
    for (rank, tree) in (1..).zip(&analysis.trees) {
        let mut copy = sent.clone();
        if rank == 1 {
            add_confidence(analysis, &mut copy);
        }
        copy.set_comment("tree_rank", &format!("{rank} of {}", analysis.trees.len()));
        copy.set_comment("tree_score", &format!("{:.4}", tree.score));
        if let Some(log_probability) = tree.log_probability {
            copy.set_comment("tree_logprob", &format!("{log_probability:.4}"));
        }
        for (word, (&head, &label)) in (1..).zip(tree.heads.iter().zip(&tree.labels)) {
            copy.set_head(word, Some(head));
            copy.set(word, Column::Deprel, &parser.info().labels[usize::from(label)]);
        }
        writer.write(&copy)?;
    }
    Ok(())
}

fn describe(warning: ParseWarning, sent: &Sentence) -> String {
    let text = match warning {
        ParseWarning::TooLongForEisner => {
            "too long for a projective search; crossing arcs were allowed"
        }
        ParseWarning::CrossingHeads => "the given heads cross; crossing arcs were allowed",
        ParseWarning::TooLongForConfidence => "too long for confidences",
        _ => "unusual",
    };
    format!(
        "warning: sentence {} ({} words): {text}",
        sent.sent_id().unwrap_or("without sent_id"),
        sent.len()
    )
}
