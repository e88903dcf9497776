//! What can be wrong with a treebank file, and what is merely odd.

use std::fmt;
use std::io;
use std::sync::Arc;

use thiserror::Error;

/// A malformed or unreadable input, with its place: `file:line: what`.
#[derive(Debug)]
pub struct ReadError {
    /// Name of the input.
    pub name: Arc<str>,
    /// Line, from 1; 0 when no line is to blame.
    pub line: u64,
    /// What is wrong.
    pub kind: ReadErrorKind,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return write!(f, "{}: {}", self.name, self.kind);
        }
        write!(f, "{}:{}: {}", self.name, self.line, self.kind)
    }
}

impl std::error::Error for ReadError {}

/// What is wrong with an input.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The operating system or a decompressor said no.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Bytes that are not UTF-8.
    #[error(
        "invalid UTF-8 at byte {byte} of the line; convert the file, for example with iconv -t UTF-8"
    )]
    InvalidUtf8 {
        /// Byte in the line, from 1.
        byte: usize,
    },
    /// A block of lines without a blank line that is larger than a sentence may be.
    #[error("more than {limit} bytes without a blank line; is this a treebank?")]
    SentenceTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// Wrong number of columns.
    #[error(
        "{found} column{} instead of {expected}{}",
        if *found == 1 { "" } else { "s" },
        if *found == 1 { "; columns must be separated by tabs" } else { "" }
    )]
    ColumnCount {
        /// Columns in the line.
        found: usize,
        /// Columns that the format has.
        expected: usize,
    },
    /// Fewer columns than the format has; more are allowed there.
    #[error(
        "{found} column{}, but the format has at least {expected}, separated by tabs",
        if *found == 1 { "" } else { "s" }
    )]
    TooFewColumns {
        /// Columns in the line.
        found: usize,
        /// The least the format has.
        expected: usize,
    },
    /// `# global.columns` without a column that is needed.
    #[error("# global.columns must list {column}")]
    MissingColumn {
        /// The missing column.
        column: &'static str,
    },
    /// `# global.columns` with a name that stands twice.
    #[error("# global.columns lists {column} twice; give each column its own name")]
    DuplicateColumn {
        /// The column.
        column: String,
    },
    /// An identifier that is none.
    #[error("ID {value:?} is not a word number (3), a range (3-4) or an empty node (3.1)")]
    Id {
        /// What stands there.
        value: String,
    },
    /// An identifier that was there before.
    #[error("ID {value} stands twice in the sentence")]
    DuplicateId {
        /// The identifier.
        value: String,
    },
    /// An identifier out of sequence.
    #[error("ID {value} follows {previous}; expected {expected}")]
    IdOrder {
        /// The identifier.
        value: String,
        /// The identifier before it.
        previous: String,
        /// What should stand there.
        expected: String,
    },
    /// A multiword range that covers words which do not exist, or overlaps another.
    #[error("the multiword range {value} {problem}")]
    Range {
        /// The range.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// HEAD is neither a number nor `_`.
    #[error("HEAD {value:?} of token {id} is not a number")]
    Head {
        /// The token.
        id: String,
        /// What stands there.
        value: String,
    },
    /// HEAD points outside the sentence.
    #[error("HEAD {head} of token {id} does not exist: the sentence has {len} words")]
    HeadOutOfRange {
        /// The token.
        id: String,
        /// Its head.
        head: u32,
        /// Number of words.
        len: usize,
    },
    /// Numbers of items that must agree do not (MSTParser's lines, the argument columns of CoNLL-2008/2009).
    #[error("{found} {what}, expected {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A line that is not a sentence in JSON.
    #[error("not a sentence in JSON: {problem} (character {column})")]
    Json {
        /// What is wrong.
        problem: String,
        /// Where in the line, from 1.
        column: usize,
    },
}

impl ReadErrorKind {
    /// What serde says, without its own line number: a sentence is one line.
    pub(crate) fn json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
        Self::Json { problem: problem.to_owned(), column: error.column() }
    }

    /// Whether reading cannot go on with the next sentence.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Io(_)
                | Self::SentenceTooLarge { .. }
                | Self::MissingColumn { .. }
                | Self::DuplicateColumn { .. }
        )
    }
}

/// A line and what is wrong there; the reader adds the name of the file.
pub(crate) type Located<T> = Result<T, (u64, ReadErrorKind)>;

/// Something odd whose meaning is clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// Lines end in CR LF.
    CarriageReturn,
    /// The file starts with a byte order mark.
    ByteOrderMark,
    /// No blank line after the last sentence.
    MissingFinalBlankLine,
    /// More than one blank line between sentences, or blank lines at the start.
    ExtraBlankLine,
    /// A line of white space instead of an empty one.
    BlankLineWithSpaces,
    /// A comment after the first word.
    CommentInsideSentence,
    /// `# global.columns` after the first line, or in a format whose columns are fixed.
    MisplacedDeclaration,
    /// Comments without any word.
    EmptySentence,
    /// An empty field, where `_` should stand.
    EmptyField,
    /// Columns separated by spaces in a format that wants tabs.
    SpacesForTabs,
    /// Fewer columns than the format has, as in blind test files.
    MissingColumns,
    /// Comments, multiword ranges or empty nodes in a format that does not have them.
    NotInFormat,
    /// FILLPRED and PRED do not say the same.
    PredicateFlag,
    /// A predicate without sense that has an argument column.
    PredicateWithoutSense,
    /// Several trees of one sentence, where one is read.
    SeveralTrees,
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CarriageReturn => "lines end in CR LF; read as LF",
            Self::ByteOrderMark => "the file starts with a byte order mark; left out",
            Self::MissingFinalBlankLine => {
                "no blank line after the last sentence; taken as complete"
            }
            Self::ExtraBlankLine => "superfluous blank line; skipped",
            Self::BlankLineWithSpaces => "a line of white space; taken as a blank line",
            Self::CommentInsideSentence => {
                "a comment after the first word; moved to the top of the sentence"
            }
            Self::MisplacedDeclaration => {
                "# global.columns counts only on the first line of a CoNLL-U file; left out"
            }
            Self::EmptySentence => "comments without any word; kept as an empty sentence",
            Self::EmptyField => "an empty field; kept, although `_` should stand there",
            Self::SpacesForTabs => "columns separated by spaces; read as if by tabs",
            Self::MissingColumns => "fewer columns than the format has; the others count as `_`",
            Self::NotInFormat => {
                "comments, multiword ranges or empty nodes, which the format does not have; read as in CoNLL-U"
            }
            Self::PredicateFlag => {
                "FILLPRED should be Y where PRED has a sense and _ elsewhere; predicates are those with either"
            }
            Self::PredicateWithoutSense => {
                "argument columns for predicates without a sense; kept where they have arguments"
            }
            Self::SeveralTrees => "k_best trees beside that of the tokens; left out",
        })
    }
}

/// All warnings of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What.
    pub kind: WarningKind,
    /// Where first.
    pub line: u64,
    /// How often.
    pub count: u64,
}

/// The warnings about one input, one entry per kind, in the order of their first lines.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    pub(crate) fn add(&mut self, kind: WarningKind, line: u64) {
        match self.0.iter_mut().find(|warning| warning.kind == kind) {
            Some(warning) => warning.count += 1,
            None => self.0.push(Warning { kind, line, count: 1 }),
        }
    }

    /// The warnings.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Warning> {
        self.0.iter()
    }

    /// Whether nothing was odd.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lines `name:line: warning: …` for people.
    pub fn describe<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.0.iter().map(move |warning| {
            let times = if warning.count > 1 {
                format!(" ({} times)", warning.count)
            } else {
                String::new()
            };
            format!("{name}:{}: warning: {}{times}", warning.line, warning.kind)
        })
    }
}
