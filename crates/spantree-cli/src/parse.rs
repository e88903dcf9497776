//! `spantree parse`: from text, or from whatever a treebank file has already, to trees.
//!
//! One thread reads and segments, `--threads` tag, parse and serialise, and the main thread writes. Batches go to the workers in
//! turn and come back in the same turn, so the output is the same for any number of threads and at most a few batches are in
//! memory.

pub(crate) mod source;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, bail};
use clap::ValueEnum;
use spantree::Pipeline;
use spantree::feature::guide;
use spantree::parser::{Analysis, ParseOptions, ParseWarning, Parser, SpanSource};
use spantree::pipeline::{Options, Outcome, Timing, Worker};
use spantree::tag::{Dictionary, TagConfidence};
use spantree::transition::{self, TransitionSystem};
use spantree::treebank::format::json::RankedTree;
use spantree::treebank::{Column, Format, Sentence, file};

use crate::encoder::EncoderFolder;
use crate::io::read_text;
use crate::output::{Chunk, OutputOptions, Renderer, Sink, Target};
use source::Source;

/// Parses text, or sentences of a treebank; what is given is kept, what is missing is predicted.
///
/// Text is cut into sentences and words. Words without UPOS are tagged, sentences without lemmas get lemmas. HEAD and DEPREL are
/// predicted anew unless --keep is given; everything else stays as it is. Text on the command line is drawn as a tree.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model file [default: the English model that comes with the program]. Given several times, the arc scores of all are
    /// averaged; the first one, which must have a learned parser, does all else
    #[arg(long, short, value_name = "FILE")]
    model: Vec<PathBuf>,
    #[command(flatten)]
    encoder: EncoderFolder,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: OutputOptions,
    /// Predict tags and lemmas even where the input has them
    #[arg(long)]
    retag: bool,
    /// Tags that forms may have: a file with a form, a tab and a UPOS or XPOS per line; a form that is listed takes no other
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    /// Stop after tags and lemmas
    #[arg(long, conflicts_with_all = ["keep", "kbest"])]
    no_parse: bool,
    /// Keep the HEAD and DEPREL that are filled in; `_` is free
    #[arg(long)]
    keep: bool,
    /// Parts of a sentence that must each hang together below one of their words, which alone may have children outside; for
    /// models of transition parsers
    #[arg(long, value_name = "WHERE", conflicts_with = "no_parse")]
    spans: Option<SpanChoice>,
    /// Write the tree after every word, with HEAD `_` and Head=Unseen in MISC where the head is yet to come; for models of
    /// transition parsers
    #[arg(long, conflicts_with_all = ["no_parse", "keep", "spans", "kbest", "confidence"])]
    incremental: bool,
    /// Write the K best trees of each sentence, best first, as sentences of their own, or as a list in JSON
    #[arg(long, value_name = "K", default_value_t = 1)]
    kbest: usize,
    /// Write the tree to MISC, as Guide=HEAD:DEPREL, and leave HEAD and DEPREL as they are: what a parser that is trained on such
    /// files is to learn from besides (stacking)
    #[arg(long, conflicts_with_all = ["no_parse", "incremental", "kbest"])]
    as_guide: bool,
    /// Write probabilities: UposProb, HeadProb and LabelProb in MISC, and that of the tree as a comment
    #[arg(long)]
    confidence: bool,
    /// Number of parsing threads; the output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Say where the time went
    #[arg(long)]
    timing: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SpanChoice {
    /// neighbours with the same value of Span in MISC
    Misc,
    /// the words of each multiword token
    Multiword,
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
    let pipeline = arguments.encoder.load_models(&arguments.model)?;
    let dictionary = arguments.dictionary.as_deref().map(read_dictionary).transpose()?;
    let dictionary = dictionary.as_ref();
    let options = arguments.options();
    if arguments.spans.is_some() && !takes_spans(&pipeline) {
        bail!(
            "--spans needs a model with a transition parser; train one with --parser transition and any system but arc-edit"
        );
    }
    let prefixes = match pipeline.stages().parser.as_ref() {
        Some(Parser::Transition(parser)) => Some(parser),
        _ => None,
    };
    if arguments.incremental && prefixes.is_none() {
        bail!(
            "--incremental needs a model with a transition parser; train one with --parser transition"
        );
    }
    let prefixes = prefixes.filter(|_| arguments.incremental);
    let output = &arguments.output;
    let target = if arguments.source.is_sentence() {
        output.target_or(Target::Tree)
    } else {
        output.target(Format::Conllu)
    };
    if target == Target::Treebank(Format::ConlluPlus) {
        bail!("parse cannot write conllup; write conllu and convert it");
    }
    let mut sink = output.sink(output.path(), target)?;
    let start = Instant::now();
    let layout = Arc::new(Format::Conllu.layout());
    let mut times = Times::default();
    let words = thread::scope(|scope| {
        let (mut inputs, mut outputs, mut workers) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..arguments.threads {
            let (to_worker, batches) = sync_channel(2);
            let (to_writer, results) = sync_channel(2);
            let stages = (&pipeline, dictionary, prefixes);
            let style = (options, arguments.as_guide);
            let renderer = output.renderer(target, Format::Conllu, &layout);
            workers.push(scope.spawn(move || work(stages, style, renderer, &batches, &to_writer)));
            inputs.push(to_worker);
            outputs.push(results);
        }
        let pipeline = &pipeline;
        let reader = scope.spawn(move || read(&arguments.source, pipeline, &inputs));
        let words = write(&outputs, &mut sink, &mut times.write);
        drop(outputs);
        // A thread that panicked has told so already.
        times.read = reader.join().unwrap_or_default();
        for worker in workers {
            let (timing, render) = worker.join().unwrap_or_default();
            times.add(timing, render);
        }
        words
    })?;
    sink.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    if !arguments.source.is_sentence() {
        eprintln!(
            "{words} words in {seconds:.2} s, {:.0} words/s",
            words as f64 / seconds.max(1e-9)
        );
    }
    if arguments.timing {
        eprint!("{}", times.describe());
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            retag: self.retag,
            parse: !self.no_parse && !self.incremental,
            trees: ParseOptions {
                keep: self.keep,
                confidence: self.confidence || self.source.is_sentence(),
                k_best: self.kbest,
                spans: match self.spans {
                    None => SpanSource::None,
                    Some(SpanChoice::Misc) => SpanSource::Misc,
                    Some(SpanChoice::Multiword) => SpanSource::Multiword,
                },
                ..ParseOptions::default()
            },
            ..Options::default()
        }
    }
}

/// Where the time went, summed over threads.
#[derive(Default)]
struct Times {
    read: Duration,
    stages: Timing,
    render: Duration,
    write: Duration,
}

impl Times {
    fn add(&mut self, timing: Timing, render: Duration) {
        self.stages += timing;
        self.render += render;
    }

    fn describe(&self) -> String {
        let parser = self.stages.parser;
        let rows = [
            ("read and segment", self.read),
            ("tag", self.stages.tag),
            ("lemmatise", self.stages.lemmatise),
            ("features", parser.features),
            ("scores", parser.scores),
            ("search", parser.search),
            ("labels", parser.labels),
            ("confidence", parser.confidence),
            ("enhance", self.stages.enhance),
            ("render", self.render),
            ("write", self.write),
        ];
        let total: Duration = rows.iter().map(|row| row.1).sum();
        let share = |time: Duration| 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
        let line = |&(name, time): &(&str, Duration)| {
            format!("{name:<16} {:>8.3} s {:>5.1} %\n", time.as_secs_f64(), share(time))
        };
        rows.iter().map(line).collect()
    }
}

/// Sends batches to the workers in turn; stops when a worker is gone. Returns the time that reading took.
fn read(source: &Source, pipeline: &Pipeline, workers: &[SyncSender<Batch>]) -> Duration {
    let mut turn = workers.iter().cycle();
    let mut waited = Duration::ZERO;
    let start = Instant::now();
    let mut send = |batch| {
        let start = Instant::now();
        let sent = turn.next().is_some_and(|worker| worker.send(batch).is_ok());
        waited += start.elapsed();
        sent
    };
    let mut batch = Vec::with_capacity(BATCH);
    let outcome = source.for_each(pipeline.stages().segmenter.as_ref(), |sent| {
        batch.push(sent.clone());
        if batch.len() == BATCH && !send(Ok(std::mem::take(&mut batch))) {
            bail!("the workers stopped");
        }
        Ok(())
    });
    if !batch.is_empty() {
        send(Ok(batch));
    }
    if let Err(error) = outcome {
        send(Err(error));
    }
    start.elapsed().saturating_sub(waited)
}

/// A model, tags of forms, and the parser that shows the tree after every word, if it is to.
type Stages<'a> = (&'a Pipeline, Option<&'a Dictionary>, Option<&'a transition::Parser>);

/// What to find, and whether the tree goes to MISC as a guide.
type Style = (Options, bool);

/// Parses batches until there are no more; returns where the time went, that of rendering apart.
fn work(
    (pipeline, dictionary, prefixes): Stages<'_>,
    style: Style,
    mut renderer: Renderer,
    batches: &Receiver<Batch>,
    results: &SyncSender<Result<Parsed>>,
) -> (Timing, Duration) {
    let worker = pipeline.worker();
    let mut worker = match dictionary {
        Some(dictionary) => worker.with_dictionary(dictionary),
        None => worker,
    };
    let mut prefixes = prefixes.map(transition::Parser::worker);
    let mut render = Duration::ZERO;
    for batch in batches {
        let parsed = batch.and_then(|batch| {
            let before = worker.timing().total();
            let start = Instant::now();
            let stages = (pipeline, &mut worker, prefixes.as_mut());
            let parsed = parse_batch(stages, style, batch, &mut renderer);
            render += start.elapsed().saturating_sub(worker.timing().total() - before);
            parsed
        });
        if results.send(parsed).is_err() {
            break;
        }
    }
    (worker.timing(), render)
}

/// Whether the parser of a model can be told what must hang together.
fn takes_spans(pipeline: &Pipeline) -> bool {
    let parser = pipeline.stages().parser.as_ref();
    parser.is_some_and(|parser| match parser {
        Parser::Transition(parser) => parser.info().system != TransitionSystem::ArcEdit,
        _ => false,
    })
}

fn read_dictionary(path: &Path) -> Result<Dictionary> {
    Ok(Dictionary::read(&file::display_name(path), &read_text(path)?)?)
}

/// Collects the results in the order of the batches; adds the time of writing to `time`.
fn write(
    workers: &[Receiver<Result<Parsed>>],
    sink: &mut Sink,
    time: &mut Duration,
) -> Result<usize> {
    let mut words = 0;
    for worker in workers.iter().cycle() {
        let Ok(parsed) = worker.recv() else { break };
        let parsed = parsed?;
        let start = Instant::now();
        sink.write(parsed.chunk)?;
        *time += start.elapsed();
        words += parsed.words;
        parsed.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    }
    Ok(words)
}

type Workers<'a, 'p> = (&'a Pipeline, &'a mut Worker<'p>, Option<&'a mut transition::Worker<'p>>);

fn parse_batch(
    (pipeline, worker, mut prefixes): Workers<'_, '_>,
    (options, as_guide): Style,
    mut batch: Vec<Sentence>,
    renderer: &mut Renderer,
) -> Result<Parsed> {
    let stacked = pipeline.stages().parser.as_ref().is_some_and(Parser::is_stacked);
    if stacked && let Some(sent) = batch.iter().find(|sent| is_without_guide(sent)) {
        bail!(
            "sentence {} has no Guide in MISC, which this model needs: parse with its guide first, with --as-guide",
            sent.sent_id().unwrap_or("without sent_id")
        );
    }
    let (mut words, mut warnings) = (0, Vec::new());
    let mut given = if as_guide { batch.clone() } else { Vec::new() }.into_iter();
    let mut result = Ok(());
    worker.process_all(&mut batch, &options, |sent, outcome| {
        if result.is_err() {
            return;
        }
        words += sent.len();
        result = outcome.map_err(Error::from).and_then(|outcome| {
            let analyses = outcome.analysis.into_iter();
            let found = analyses.flat_map(|analysis| &analysis.warnings);
            warnings.extend(found.map(|&warning| describe(warning, sent)));
            if let Some(worker) = &mut prefixes {
                return render_prefixes(worker, sent, renderer);
            }
            if let Some(given) = given.next() {
                move_to_guide(sent, &given);
            }
            render(pipeline, sent, outcome, &options, renderer)
        });
    });
    result?;
    Ok(Parsed { chunk: renderer.take(), words, warnings })
}

/// Adds what was found to a sentence and gives it to the renderer.
fn render(
    pipeline: &Pipeline,
    sent: &mut Sentence,
    outcome: Outcome<'_>,
    options: &Options,
    renderer: &mut Renderer,
) -> Result<()> {
    add_tag_confidence(outcome.tags, sent);
    match outcome.analysis {
        Some(analysis) if options.trees.k_best > 1 => {
            return add_k_best(pipeline, analysis, sent, renderer);
        }
        Some(analysis) if options.trees.confidence => add_confidence(analysis, sent),
        _ => {}
    }
    renderer.add(sent)
}

/// Gives the tree after every word to the renderer.
fn render_prefixes(
    worker: &mut transition::Worker<'_>,
    sent: &mut Sentence,
    renderer: &mut Renderer,
) -> Result<()> {
    let mut result = Ok(());
    worker.parse_prefixes(sent, |prefix| {
        if result.is_ok() {
            result = renderer.add(prefix);
        }
    })?;
    result
}

fn is_without_guide(sent: &Sentence) -> bool {
    !sent.is_empty() && sent.words().all(|word| guide(word).is_none())
}

/// Moves the tree of a sentence to MISC and puts back the HEAD and DEPREL that were given.
fn move_to_guide(sent: &mut Sentence, given: &Sentence) {
    for word in given.words() {
        let (row, found) = (word.index(), sent.token(word.index()));
        if let (Some(number), Some(head)) = (word.number(), found.head()) {
            let guide = format!("{head}:{}", found.deprel());
            sent.set_attribute(row, Column::Misc, "Guide", Some(&guide));
            sent.set_head(number, word.head());
            sent.set_token(row, Column::Deprel, word.deprel());
        }
    }
}

fn add_tag_confidence(tags: &[TagConfidence], sent: &mut Sentence) {
    let rows: Vec<_> = sent.words().map(|word| word.index()).take(tags.len()).collect();
    for (row, confidence) in rows.into_iter().zip(tags) {
        sent.set_attribute(row, Column::Misc, "UposProb", Some(&format!("{:.4}", confidence.upos)));
    }
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
    pipeline: &Pipeline,
    analysis: &Analysis,
    sent: &mut Sentence,
    renderer: &mut Renderer,
) -> Result<()> {
    let labels = pipeline.info().parser.as_ref().map_or(&[][..], |parser| parser.labels());
    let deprel = |&label: &u16| labels[usize::from(label)].clone();
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
        ParseWarning::BrokenSpans => "with the given heads not all spans can hang together",
        _ => "unusual",
    };
    format!(
        "warning: sentence {} ({} words): {text}",
        sent.sent_id().unwrap_or("without sent_id"),
        sent.len()
    )
}
