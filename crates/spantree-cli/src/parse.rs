//! `spantree parse`: trees for tagged sentences.
//!
//! One thread reads, `--threads` parse and serialise, and the main thread writes. Batches go to the workers in turn and come
//! back in the same turn, so the output is the same for any number of threads and at most a few batches are in memory.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::{Error, Result, bail};
use spantree::graph::{Analysis, ParseOptions, ParseWarning, Parser, Worker};
use spantree::treebank::format::json::RankedTree;
use spantree::treebank::{Column, Format, Sentence};

use crate::io::Inputs;
use crate::output::{Chunk, OutputOptions, Renderer, Sink, Target};

/// Parses tagged sentences; everything but HEAD and DEPREL stays as it is.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model file
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    output: OutputOptions,
    /// Keep the HEAD and DEPREL that are filled in; `_` is free
    #[arg(long)]
    keep: bool,
    /// Write the K best trees of each sentence, best first, as sentences of their own, or as a list in JSON
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

/// A parsed batch, and what to tell the user.
struct Parsed {
    chunk: Chunk,
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
    let output = &arguments.output;
    if output.target(Format::Conllu) == Target::Treebank(Format::ConlluPlus) {
        bail!("parse cannot write conllup; write conllu and convert it");
    }
    let mut sink = output.sink(output.path())?;
    let start = Instant::now();
    let layout = Arc::new(Format::Conllu.layout());
    let words = thread::scope(|scope| {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for _ in 0..arguments.threads {
            let (to_worker, batches) = sync_channel(2);
            let (to_writer, results) = sync_channel(2);
            let parser = &parser;
            let renderer = output.renderer(Format::Conllu, &layout);
            scope.spawn(move || work(parser, options, renderer, &batches, &to_writer));
            inputs.push(to_worker);
            outputs.push(results);
        }
        scope.spawn(move || read(&arguments.inputs, &inputs));
        write(&outputs, &mut sink)
    })?;
    sink.finish()?;
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
    mut renderer: Renderer,
    batches: &Receiver<Batch>,
    results: &SyncSender<Result<Parsed>>,
) {
    let mut worker = parser.worker();
    for batch in batches {
        let parsed =
            batch.and_then(|batch| parse_batch(parser, &mut worker, options, batch, &mut renderer));
        if results.send(parsed).is_err() {
            return;
        }
    }
}

/// Collects the results in the order of the batches.
fn write(workers: &[Receiver<Result<Parsed>>], sink: &mut Sink) -> Result<usize> {
    let mut words = 0;
    for worker in workers.iter().cycle() {
        let Ok(parsed) = worker.recv() else { break };
        let parsed = parsed?;
        sink.write(parsed.chunk)?;
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
    renderer: &mut Renderer,
) -> Result<Parsed> {
    let (mut words, mut warnings) = (0, Vec::new());
    for mut sent in batch {
        words += sent.len();
        let analysis = worker.parse(&mut sent, &options)?;
        warnings.extend(analysis.warnings.iter().map(|&warning| describe(warning, &sent)));
        if options.k_best > 1 {
            add_k_best(parser, analysis, &mut sent, renderer)?;
        } else {
            if options.confidence {
                add_confidence(analysis, &mut sent);
            }
            renderer.add(&sent)?;
        }
    }
    Ok(Parsed { chunk: renderer.take(), words, warnings })
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

/// The best trees, as a list where the output has one, else as sentences of their own.
fn add_k_best(
    parser: &Parser,
    analysis: &Analysis,
    sent: &mut Sentence,
    renderer: &mut Renderer,
) -> Result<()> {
    let deprel = |&label: &u16| parser.info().labels[usize::from(label)].clone();
    let ranked = analysis.trees.iter().map(|tree| RankedTree {
        score: tree.score,
        log_probability: tree.log_probability,
        heads: tree.heads.clone(),
        deprels: tree.labels.iter().map(deprel).collect(),
    });
    let ranked: Vec<_> = ranked.collect();
    let without = sent.clone();
    add_confidence(analysis, sent);
    if renderer.add_ranked(sent, &ranked) {
        return Ok(());
    }
    for (rank, tree) in (1..).zip(&ranked) {
        let mut copy = if rank == 1 { sent.clone() } else { without.clone() };
        copy.set_comment("tree_rank", &format!("{rank} of {}", ranked.len()));
        copy.set_comment("tree_score", &format!("{:.4}", tree.score));
        if let Some(log_probability) = tree.log_probability {
            copy.set_comment("tree_logprob", &format!("{log_probability:.4}"));
        }
        for (word, (&head, deprel)) in (1..).zip(tree.heads.iter().zip(&tree.deprels)) {
            copy.set_head(word, Some(head));
            copy.set(word, Column::Deprel, deprel);
        }
        renderer.add(&copy)?;
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
