//! `spantree eval`: scores of one or more systems against a gold treebank.

mod trees;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use spantree::combine::arc_oracle;
use spantree::treebank::evaluate::{
    AttachmentOptions, Convention, Document, Labels, PairedTest, Punctuation, Report,
    ReportOptions, Roots, Score, TestOptions,
};
use spantree::treebank::{Format, Token};

use crate::io::{cannot_write, create, print};

/// Scores systems against a gold treebank.
///
/// By default all metrics of the official UD evaluation, with its word alignment: tokens and sentences may differ, the text
/// may not. With several systems also the oracles and a significance test for each pair.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The gold treebank
    gold: PathBuf,
    /// One or more systems' outputs for the same text
    #[arg(value_name = "SYSTEM", required = true)]
    systems: Vec<PathBuf>,
    /// Format of all files [default: by file name, else conllu]
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// ud: the official UD evaluation; conll: CoNLL-X to CoNLL-2009 (the same words, whole labels, any number of roots) with
    /// semantic scores where there are predicates [default: by format]
    #[arg(long, value_name = "CONVENTION")]
    convention: Option<ConventionChoice>,
    /// Which words count in attachment scores, breakdowns and confusions
    #[arg(long, value_name = "WHAT", default_value = "score")]
    punctuation: PunctuationChoice,
    /// Compare labels whole or up to the colon there [default: universal for ud, full for conll]
    #[arg(long, value_name = "WHICH")]
    labels: Option<LabelsChoice>,
    /// Accept several roots in a sentence, as CoNLL-X does
    #[arg(long)]
    several_roots: bool,
    /// Show where the errors are: by sentence and arc length, depth, siblings, tag, relation, projectivity; confusions
    #[arg(long)]
    breakdown: bool,
    /// Significance test between systems
    #[arg(long, value_name = "TEST", default_value = "shuffling")]
    test: TestChoice,
    /// Random rounds of the test
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Seed of the test
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON with all counts
    #[arg(long)]
    json: bool,
    /// Also write a self-contained page with plots; implies --breakdown
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Compare the probabilities in MISC (HeadProb, LabelProb) with gold: expected calibration error, and the errors among
    /// the least certain words; with a file, also the reliability diagram as SVG
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    calibration: Option<Option<PathBuf>>,
    /// Also draw the systems' trees with their errors: a page for .html, pictures for .svg, else text
    #[arg(long, value_name = "FILE")]
    trees: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ConventionChoice {
    Ud,
    Conll,
}

#[derive(Clone, Copy, ValueEnum)]
enum PunctuationChoice {
    /// all words
    Score,
    /// not those made of Unicode punctuation only (CoNLL-X)
    SkipForm,
    /// not those tagged PUNCT
    SkipUpos,
}

#[derive(Clone, Copy, ValueEnum)]
enum LabelsChoice {
    /// nsubj:pass is not nsubj
    Full,
    /// up to the first colon
    Universal,
}

#[derive(Clone, Copy, ValueEnum)]
enum TestChoice {
    /// exchange the systems on random sentences
    Shuffling,
    /// draw sentences with replacement
    Bootstrap,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let all = [&arguments.gold].into_iter().chain(&arguments.systems);
    if all.filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read only once");
    }
    let gold = arguments.load(&arguments.gold)?;
    let systems =
        arguments.systems.iter().map(|path| arguments.load(path)).collect::<Result<Vec<_>>>()?;
    let options = arguments.options();
    let mut report = Report::new(&gold, &systems, &options)?;
    if let Some(oracle) = &mut report.oracle {
        oracle.arc_score = best_of_all_arcs(&gold, &systems, scoring(&options));
    }
    if arguments.calibration.is_some() {
        check_probabilities(&report)?;
    }
    if let Some(path) = &arguments.html {
        save(path, &report.to_html())?;
    }
    if let Some(Some(path)) = &arguments.calibration {
        save(path, &report.reliability_svg())?;
    }
    if let Some(path) = &arguments.trees {
        save(path, &trees::draw(path, &gold, &systems, &options)?)?;
    }
    print(&if arguments.json { report.to_json() } else { report.to_text() })?;
    Ok(ExitCode::SUCCESS)
}

fn save(path: &Path, text: &str) -> Result<()> {
    let mut file = create(path)?;
    file.write_all(text.as_bytes()).and_then(|()| file.finish()).with_context(|| cannot_write(path))
}

fn check_probabilities(report: &Report) -> Result<()> {
    if let Some(system) = report.systems.iter().find(|system| system.calibrations.is_empty()) {
        let name = &system.document.name;
        bail!("{name} has no HeadProb in MISC; parse with --confidence to compare it with gold");
    }
    Ok(())
}

/// What LAS counts: the official UD metric knows no options.
fn scoring(options: &ReportOptions) -> AttachmentOptions {
    match options.convention {
        Convention::Ud => {
            AttachmentOptions { punctuation: Punctuation::Score, labels: Labels::Universal }
        }
        Convention::Conll => options.attachment,
    }
}

/// LAS of the best trees made of all systems' arcs; `None` when the systems' words differ.
fn best_of_all_arcs(
    gold: &Document,
    systems: &[Document],
    scoring: AttachmentOptions,
) -> Option<Score> {
    if systems.iter().any(|system| system.sentences().len() != gold.sentences().len()) {
        return None;
    }
    let mut total = Score::default();
    for (index, sent) in gold.sentences().iter().enumerate() {
        let candidates: Vec<_> = systems.iter().map(|system| &system.sentences()[index]).collect();
        let same =
            |gold: Token<'_>, system: Token<'_>| scoring.label(gold) == scoring.label(system);
        let correct = arc_oracle(sent, &candidates, |word| scoring.counts(word), same).ok()? as u64;
        let words = sent.words().filter(|&word| scoring.counts(word)).count() as u64;
        total += Score { gold: words, system: words, correct, aligned: Some(words) };
    }
    Some(total)
}

impl Arguments {
    fn load(&self, path: &Path) -> Result<Document> {
        let document = Document::load(path, self.from)?;
        for line in document.warnings().describe(document.name()) {
            eprintln!("{line}");
        }
        Ok(document)
    }

    /// UD for CoNLL-U and its relatives, CoNLL for the older formats.
    fn convention(&self) -> ConventionChoice {
        self.convention.unwrap_or_else(|| {
            match self.from.or_else(|| Format::from_path(&self.gold)) {
                None | Some(Format::Conllu | Format::ConlluPlus | Format::Json) => {
                    ConventionChoice::Ud
                }
                Some(_) => ConventionChoice::Conll,
            }
        })
    }

    fn options(&self) -> ReportOptions {
        let mut options = match self.convention() {
            ConventionChoice::Ud => ReportOptions::ud(),
            ConventionChoice::Conll => ReportOptions::conll(),
        };
        if self.several_roots {
            options.roots = Roots::Many;
        }
        options.attachment.punctuation = match self.punctuation {
            PunctuationChoice::Score => Punctuation::Score,
            PunctuationChoice::SkipForm => Punctuation::SkipByForm,
            PunctuationChoice::SkipUpos => Punctuation::SkipByUpos,
        };
        if let Some(labels) = self.labels {
            options.attachment.labels = match labels {
                LabelsChoice::Full => Labels::Full,
                LabelsChoice::Universal => Labels::Universal,
            };
        }
        options.breakdown = self.breakdown || self.html.is_some();
        options.calibration = self.calibration.is_some();
        let test = match self.test {
            TestChoice::Shuffling => PairedTest::Shuffling,
            TestChoice::Bootstrap => PairedTest::Bootstrap,
        };
        options.test = Some(TestOptions { test, rounds: self.rounds, seed: self.seed });
        options
    }
}
