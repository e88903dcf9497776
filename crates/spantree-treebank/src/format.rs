//! The file formats: what each is called, which columns it has, who reads and writes its blocks.
//!
//! All formats with one token per line share [`table`](Layout): a [`Layout`] says what each column means.

mod table;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

pub use table::{Layout, Slot};

use crate::read::{ReadErrorKind, Warnings};
use crate::sentence::Sentence;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// CoNLL-U, the format of Universal Dependencies: ten columns, comments, multiword tokens, empty nodes.
    Conllu,
    /// CoNLL-U Plus: the columns are named in the first line, `# global.columns = ID FORM …`.
    ConlluPlus,
    /// CoNLL-X (2006 and 2007): ten columns, no comments in the standard.
    Conllx,
    /// One sentence per line, `form_TAG form_TAG …`.
    Tagged,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] =
        [Format::Conllu, Format::ConlluPlus, Format::Conllx, Format::Tagged];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Conllu => "conllu",
            Format::ConlluPlus => "conllup",
            Format::Conllx => "conllx",
            Format::Tagged => "tagged",
        }
    }

    /// Guesses from the file name, ignoring `.gz` and `.zst`: `.conllu`, `.conllup`, `.conllx` or `.conll`, `.tagged`.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "conll" | "conll06" | "conll07" => Some(Format::Conllx),
            other => other.parse().ok(),
        }
    }

    /// The columns of the format; those of CoNLL-U Plus until the file declares its own.
    #[must_use]
    pub fn layout(self) -> Layout {
        match self {
            Format::Conllu | Format::ConlluPlus | Format::Tagged => Layout::conllu(),
            Format::Conllx => Layout::conllx(),
        }
    }

    /// The layout that the first block of a CoNLL-U file declares, if it does.
    pub(crate) fn declared_layout(
        self,
        text: &str,
        line: u64,
    ) -> Option<Result<Layout, ReadErrorKind>> {
        let candidate = line == 1 && matches!(self, Format::Conllu | Format::ConlluPlus);
        let first = text.lines().next().filter(|_| candidate)?;
        Layout::declared(first)
    }

    /// Reads one block into `sent`.
    pub(crate) fn parse(
        self,
        layout: &Layout,
        text: &str,
        line: u64,
        sent: &mut Sentence,
        warnings: &mut Warnings,
    ) -> Result<(), (u64, ReadErrorKind)> {
        match self {
            Format::Conllu | Format::ConlluPlus | Format::Conllx | Format::Tagged => {
                table::parse(layout, text, line, sent, warnings)
            }
        }
    }

    /// Writes one sentence as a block with its blank line (or as a line).
    pub(crate) fn write(
        self,
        layout: &Layout,
        sent: &Sentence,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self {
            Format::Conllu | Format::ConlluPlus | Format::Conllx | Format::Tagged => {
                table::write(layout, sent, out)
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Format::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| {
            let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
            format!("unknown format {text:?}; choose from {}", names.join(", "))
        })
    }
}
