//! The tests: identifier, level, class and severity of each, as in the official validator.

use std::fmt;

/// What a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Encoding and normalisation of characters.
    Unicode,
    /// Lines, columns and identifiers.
    Format,
    /// Tags and features.
    Morpho,
    /// The basic tree.
    Syntax,
    /// The enhanced graph.
    Enhanced,
    /// Comments, and the text against the tokens.
    Metadata,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// How bad it is when a test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a look; the file is valid.
    Warning,
    /// The file is not valid.
    Error,
}

/// One test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The identifier of the official validator.
    pub id: &'static str,
    /// 1: the file is CoNLL-U; 2: it is in the format of Universal Dependencies.
    pub level: u8,
    /// What it is about.
    pub class: Class,
    /// How bad it is.
    pub severity: Severity,
}

const fn error(level: u8, class: Class, id: &'static str) -> Test {
    Test { id, level, class, severity: Severity::Error }
}

const fn warning(level: u8, class: Class, id: &'static str) -> Test {
    Test { id, level, class, severity: Severity::Warning }
}

use Class::{Enhanced, Format, Metadata, Morpho, Syntax, Unicode};

// Level 1: characters.
pub(super) const INVALID_UTF: Test = error(1, Unicode, "invalid-utf");
pub(super) const UNICODE_NORMALIZATION: Test = error(1, Unicode, "unicode-normalization");

// Level 1: lines and columns.
pub(super) const NON_UNIX_NEWLINE: Test = error(1, Format, "non-unix-newline");
pub(super) const MISPLACED_COMMENT: Test = error(1, Format, "misplaced-comment");
pub(super) const PSEUDO_EMPTY_LINE: Test = error(1, Format, "pseudo-empty-line");
pub(super) const EMPTY_SENTENCE: Test = error(1, Format, "empty-sentence");
pub(super) const INVALID_LINE: Test = error(1, Format, "invalid-line");
pub(super) const MISSING_EMPTY_LINE: Test = error(1, Format, "missing-empty-line");
pub(super) const NUMBER_OF_COLUMNS: Test = error(1, Format, "number-of-columns");
pub(super) const INVALID_WHITESPACE_MWT: Test = error(1, Format, "invalid-whitespace-mwt");
pub(super) const INVALID_WHITESPACE: Test = error(1, Format, "invalid-whitespace");
pub(super) const EMPTY_COLUMN: Test = error(1, Format, "empty-column");
pub(super) const LEADING_WHITESPACE: Test = error(1, Format, "leading-whitespace");
pub(super) const TRAILING_WHITESPACE: Test = error(1, Format, "trailing-whitespace");
pub(super) const REPEATED_WHITESPACE: Test = error(1, Format, "repeated-whitespace");

// Level 1: identifiers.
pub(super) const INVALID_WORD_ID: Test = error(1, Format, "invalid-word-id");
pub(super) const MISPLACED_WORD_INTERVAL: Test = error(1, Format, "misplaced-word-interval");
pub(super) const MISPLACED_EMPTY_NODE: Test = error(1, Format, "misplaced-empty-node");
pub(super) const WORD_ID_SEQUENCE: Test = error(1, Format, "word-id-sequence");
pub(super) const REVERSED_WORD_INTERVAL: Test = error(1, Format, "reversed-word-interval");
pub(super) const WORD_INTERVAL_OUT: Test = error(1, Format, "word-interval-out");
pub(super) const OVERLAPPING_WORD_INTERVALS: Test = error(1, Format, "overlapping-word-intervals");

// Level 2: references and the tree.
pub(super) const INVALID_HEAD: Test = error(2, Format, "invalid-head");
pub(super) const UNKNOWN_HEAD: Test = error(2, Syntax, "unknown-head");
pub(super) const INVALID_DEPS: Test = error(2, Format, "invalid-deps");
pub(super) const INVALID_EHEAD: Test = error(2, Format, "invalid-ehead");
pub(super) const UNKNOWN_EHEAD: Test = error(2, Enhanced, "unknown-ehead");
pub(super) const HEAD_SELF_LOOP: Test = error(2, Syntax, "head-self-loop");
pub(super) const MULTIPLE_ROOTS: Test = error(2, Syntax, "multiple-roots");
pub(super) const NON_TREE: Test = error(2, Syntax, "non-tree");

// Level 2: single columns.
pub(super) const MWT_NONEMPTY_FIELD: Test = error(2, Format, "mwt-nonempty-field");
pub(super) const EMPTY_NODE_NONEMPTY_FIELD: Test = error(2, Format, "empty-node-nonempty-field");
pub(super) const UNKNOWN_UPOS: Test = error(2, Morpho, "unknown-upos");
pub(super) const EMPTY_XPOS: Test = error(2, Morpho, "empty-string-in-xpos");
pub(super) const UNSORTED_FEATURES: Test = error(2, Morpho, "unsorted-features");
pub(super) const INVALID_FEATURE: Test = error(2, Morpho, "invalid-feature");
pub(super) const REPEATED_FEATURE_VALUE: Test = error(2, Morpho, "repeated-feature-value");
pub(super) const UNSORTED_FEATURE_VALUES: Test = error(2, Morpho, "unsorted-feature-values");
pub(super) const REPEATED_FEATURE: Test = error(2, Morpho, "repeated-feature");
pub(super) const INVALID_DEPREL: Test = error(2, Syntax, "invalid-deprel");
pub(super) const UNKNOWN_UDEPREL: Test = error(2, Syntax, "unknown-udeprel");
pub(super) const UNSORTED_DEPS: Test = error(2, Format, "unsorted-deps");
pub(super) const UNSORTED_DEPS_2: Test = error(2, Format, "unsorted-deps-2");
pub(super) const REPEATED_DEPS: Test = error(2, Format, "repeated-deps");
pub(super) const DEPS_SELF_LOOP: Test = error(2, Enhanced, "deps-self-loop");
pub(super) const INVALID_EDEPREL: Test = error(2, Enhanced, "invalid-edeprel");
pub(super) const UNKNOWN_EUDEPREL: Test = error(2, Enhanced, "unknown-eudeprel");
pub(super) const EMPTY_MISC: Test = warning(2, Format, "empty-misc");
pub(super) const EMPTY_MISC_KEY: Test = warning(2, Format, "empty-misc-key");
pub(super) const MISC_EXTRA_SPACE: Test = warning(2, Format, "misc-extra-space");
pub(super) const MISC_ATTR_TYPO: Test = warning(2, Format, "misc-attr-typo");
pub(super) const REPEATED_MISC: Test = error(2, Format, "repeated-misc");

// Level 2: the enhanced graph.
pub(super) const EDEPS_ONLY_SOMETIMES: Test = error(2, Enhanced, "edeps-only-sometimes");
pub(super) const UNCONNECTED_EGRAPH: Test = error(2, Enhanced, "unconnected-egraph");

// Level 2: metadata.
pub(super) const INVALID_SENT_ID: Test = error(2, Metadata, "invalid-sent-id");
pub(super) const MISSING_SENT_ID: Test = error(2, Metadata, "missing-sent-id");
pub(super) const MULTIPLE_SENT_ID: Test = error(2, Metadata, "multiple-sent-id");
pub(super) const NON_UNIQUE_SENT_ID: Test = error(2, Metadata, "non-unique-sent-id");
pub(super) const SLASH_IN_SENT_ID: Test = error(2, Metadata, "slash-in-sent-id");
pub(super) const INVALID_PARALLEL_ID: Test = error(2, Metadata, "invalid-parallel-id");
pub(super) const MULTIPLE_PARALLEL_ID: Test = error(2, Metadata, "multiple-parallel-id");
pub(super) const NON_UNIQUE_PARALLEL_ID: Test = error(2, Metadata, "non-unique-parallel-id");
pub(super) const PARALLEL_ID_ALT: Test = error(2, Metadata, "parallel-id-alt");
pub(super) const PARALLEL_ID_PART: Test = error(2, Metadata, "parallel-id-part");

// Level 2: the text.
pub(super) const MULTIPLE_NEWDOC: Test = error(2, Metadata, "multiple-newdoc");
pub(super) const MULTIPLE_NEWPAR: Test = error(2, Metadata, "multiple-newpar");
pub(super) const SPACEAFTER_NEWDOCPAR: Test = error(2, Metadata, "spaceafter-newdocpar");
pub(super) const MISSING_TEXT: Test = error(2, Metadata, "missing-text");
pub(super) const MULTIPLE_TEXT: Test = error(2, Metadata, "multiple-text");
pub(super) const EMPTY_TEXT: Test = error(2, Metadata, "empty-text");
pub(super) const TEXT_TRAILING_WHITESPACE: Test = error(2, Metadata, "text-trailing-whitespace");
pub(super) const NOSPACEAFTER_YES: Test = error(2, Metadata, "nospaceafter-yes");
pub(super) const SPACEAFTER_VALUE: Test = error(2, Metadata, "spaceafter-value");
pub(super) const SPACEAFTER_EMPTY_NODE: Test = error(2, Metadata, "spaceafter-empty-node");
pub(super) const SPACEAFTER_MWT_NODE: Test = error(2, Metadata, "spaceafter-mwt-node");
pub(super) const TEXT_FORM_MISMATCH: Test = error(2, Metadata, "text-form-mismatch");
pub(super) const MISSING_SPACEAFTER: Test = error(2, Metadata, "missing-spaceafter");
pub(super) const TEXT_EXTRA_CHARS: Test = error(2, Metadata, "text-extra-chars");
