//! Validation of CoNLL-U files at levels 1 and 2 of the official validator of Universal Dependencies.
//!
//! Level 1 asks whether a file is CoNLL-U (lines, columns, identifiers, characters), level 2 whether it is in the format of
//! Universal Dependencies (a tree with one root, known tags and relations, FEATS and DEPS in order, `# text` and `# sent_id`).
//! The tests have the identifiers, levels, classes, severities and line numbers of the official one (PyPI `udtools` 0.2.9).
//! A [`Validator`] works on raw lines, one sentence at a time, and goes on after errors, so that one run shows them all;
//! as in the official one, a sentence whose lines, ids or references are broken gets no tests that rely on them.
//! Memory is bounded by the longest sentence and the identifiers of sentences, which must be unique.
//!
//! Known differences from the official validator:
//! - Invalid UTF-8 is reported as `invalid-utf` on its line; the official one stops.
//! - A lone carriage return is a character like others; for the official one it ends a line.
//! - The relation `ref` is never a basic relation; the official one accepts it once it has seen DEPS.
//! - A sentence without words (only empty nodes), and comments or MISC values that Udapi interprets (`# json_…`,
//!   `Empty=Yes` on a single word), stop or confuse the official one; here they are nothing special.
//! - The newest characters may differ in normalisation and category with the version of Unicode.
//! - Tests that cannot fail there (`invalid-word-interval`, `invalid-feature-value`, `extra-empty-line`) do not exist here.
//!
//! ```
//! use spantree_treebank::validate::{Options, Validator};
//! let text = "# sent_id = 1\n# text = Hi\n1\tHi\thi\tINTJ\t_\t_\t1\troot\t_\t_\n\n";
//! let mut validator = Validator::new(Options::default());
//! let mut lines = Vec::new();
//! validator.check(text.as_bytes(), "x.conllu", |finding| lines.push(finding.to_string()))?;
//! assert_eq!(
//!     lines,
//!     ["x.conllu:3: error: [L2 Syntax head-self-loop] sentence 1: HEAD \"1\": a word that is its own head"]
//! );
//! assert!(!validator.summary().passed());
//! # Ok::<(), std::io::Error>(())
//! ```

mod block;
mod catalogue;
mod columns;
mod graph;
mod ids;
mod lines;
mod metadata;
mod text;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

pub use catalogue::{Class, Severity, Test};

use block::BlockLines;

/// What to test and how much to report.
#[derive(Clone, Debug)]
pub struct Options {
    /// 1 or 2; see the [module](self).
    pub level: u8,
    /// How many findings of one class and severity are reported; the others are only counted. 0 reports all.
    pub max_findings: u64,
}

impl Default for Options {
    /// Level 2, and at most 20 findings of a kind, as the official validator.
    fn default() -> Self {
        Self { level: 2, max_findings: 20 }
    }
}

/// Something that is wrong, or worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line, from 1. What concerns a whole sentence is on the line of its first token.
    pub line: u64,
    /// The last `# sent_id` up to there.
    pub sent_id: Option<String>,
    /// Which test failed.
    pub test: Test,
    /// The column, such as `HEAD`; empty when none is to blame.
    pub column: &'static str,
    /// The offending value, shortened; may be empty.
    pub value: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Test { id, level, class, severity } = self.test;
        let severity = if severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{}:{}: {severity}: [L{level} {class} {id}]", self.file, self.line)?;
        if let Some(id) = &self.sent_id {
            write!(f, " sentence {id}:")?;
        }
        match (self.column, &self.value[..]) {
            ("", "") => {}
            ("", value) => write!(f, " {value:?}:")?,
            (column, "") => write!(f, " {column}:")?,
            (column, value) => write!(f, " {column} {value:?}:")?,
        }
        write!(f, " {}", self.message)
    }
}

/// How many findings there were, reported or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    counts: BTreeMap<(Severity, Class), u64>,
}

impl Summary {
    /// Findings by severity and class.
    pub fn counts(&self) -> impl Iterator<Item = (Severity, Class, u64)> + '_ {
        self.counts.iter().map(|(&(severity, class), &count)| (severity, class, count))
    }

    /// Number of errors.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.total(Severity::Error)
    }

    /// Number of warnings.
    #[must_use]
    pub fn warnings(&self) -> u64 {
        self.total(Severity::Warning)
    }

    /// Whether there was no error.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.errors() == 0
    }

    fn total(&self, severity: Severity) -> u64 {
        self.counts().filter(|count| count.0 == severity).map(|count| count.2).sum()
    }
}

/// Checks the files of one treebank, one after another; see the [module](self).
pub struct Validator {
    options: Options,
    state: State,
    summary: Summary,
}

/// What must be remembered from sentence to sentence.
#[derive(Default)]
struct State {
    sent_ids: HashSet<String>,
    parallel_ids: HashSet<String>,
    /// The last alternative and part of each parallel sentence.
    parallel_last: HashMap<String, (Option<u64>, Option<u64>)>,
    /// The first line of a sentence with, and of one without enhanced dependencies.
    with_graph: Option<u64>,
    without_graph: Option<u64>,
    /// The last token so far has `SpaceAfter=No`.
    no_space_after: bool,
    sent_id: Option<String>,
}

impl Validator {
    /// A validator for one treebank: sentence identifiers must be unique in all its files together.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, state: State::default(), summary: Summary::default() }
    }

    /// Checks one file; `name` stands for it in messages, and `report` gets the findings sentence by sentence.
    ///
    /// # Errors
    /// When reading fails.
    pub fn check(
        &mut self,
        input: impl Read,
        name: &str,
        mut report: impl FnMut(Finding),
    ) -> io::Result<()> {
        let mut lines = BlockLines::new(BufReader::with_capacity(1 << 16, input));
        let mut report = Report {
            file: Arc::from(name),
            sent_id: self.state.sent_id.take(),
            limit: self.options.max_findings,
            summary: &mut self.summary,
            send: &mut report,
        };
        while let Some((text, first)) = lines.next()? {
            // A break only says that the remaining tests of this sentence were left out.
            let _ = check_sentence(&text, first, self.options.level, &mut self.state, &mut report);
        }
        if lines.carriage_returns {
            let message = "lines end in CR LF; convert them to LF";
            report.add(catalogue::NON_UNIX_NEWLINE, lines.line, "", "", message);
        }
        self.state.sent_id = report.sent_id.take();
        Ok(())
    }

    /// What was found so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Breaks when later tests would only report consequences.
type Checked<T> = ControlFlow<(), T>;

fn done(ok: bool) -> Checked<()> {
    if ok { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

fn check_sentence(
    text: &str,
    first: u64,
    level: u8,
    state: &mut State,
    report: &mut Report<'_>,
) -> Checked<()> {
    let block = lines::check(text, first, report)?;
    ids::check_sequence(&block, report)?;
    ids::check_overlaps(&block, report)?;
    if level < 2 {
        return ControlFlow::Continue(());
    }
    ids::check_references(&block, report)?;
    graph::check_tree(&block, report)?;
    columns::check(&block, report)?;
    graph::check_all_or_none(&block, state, report);
    metadata::check_sent_id(&block, state, report);
    metadata::check_parallel_id(&block, state, report);
    text::check(&block, state, report);
    graph::check_connected(&block, report);
    ControlFlow::Continue(())
}

/// White space as Python's `str.isspace` has it: with the four information separators of ASCII.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// Longer values are cut in findings.
const MAX_VALUE: usize = 80;

/// Where the tests put what they find.
struct Report<'a> {
    file: Arc<str>,
    sent_id: Option<String>,
    limit: u64,
    summary: &'a mut Summary,
    send: &'a mut dyn FnMut(Finding),
}

impl Report<'_> {
    fn add(
        &mut self,
        test: Test,
        line: u64,
        column: &'static str,
        value: &str,
        message: impl Into<String>,
    ) {
        let count = self.summary.counts.entry((test.severity, test.class)).or_default();
        *count += 1;
        if self.limit > 0 && *count > self.limit {
            return;
        }
        let value = match value.char_indices().nth(MAX_VALUE) {
            Some((end, _)) => value[..end].to_owned() + "…",
            None => value.to_owned(),
        };
        let (file, sent_id) = (self.file.clone(), self.sent_id.clone());
        (self.send)(Finding { file, line, sent_id, test, column, value, message: message.into() });
    }
}
