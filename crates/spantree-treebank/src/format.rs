//! The file formats: what each is called, which columns it has, who reads and writes its blocks.
//!
//! All formats with one token per line share one reader and writer; a [`Layout`] says what each column means:
//!
//! | in a sentence | CoNLL-U (Plus) | CoNLL-X | CoNLL-2008 | CoNLL-2009 |
//! |---|---|---|---|---|
//! | [`Column::Form`] | FORM | FORM | SPLIT_FORM | FORM |
//! | [`Column::Lemma`] | LEMMA | LEMMA | SPLIT_LEMMA | LEMMA |
//! | [`Column::Upos`] | UPOS | CPOSTAG | – | – |
//! | [`Column::Xpos`] | XPOS | POSTAG | PPOSS | POS |
//! | [`Column::Feats`] | FEATS | FEATS | – | FEAT |
//! | head, [`Column::Deprel`] | HEAD, DEPREL | HEAD, DEPREL | HEAD, DEPREL | HEAD, DEPREL |
//! | [`Column::Deps`], [`Column::Misc`] | DEPS, MISC | – | – | – |
//! | predicates | – | – | PRED, ARG … | FILLPRED, PRED, APRED … |
//! | extra columns | all others | PHEAD, PDEPREL | UNSPLIT_FORM, UNSPLIT_LEMMA, GPOS, PPOS | PLEMMA, PPOS, PFEAT, PHEAD, PDEPREL |
//!
//! CoNLL-2008 annotates the parts of words split at hyphens, so its SPLIT columns are the words here and columns 2 to 5 keep
//! their padded originals as UNSPLIT_FORM, UNSPLIT_LEMMA, GPOS and PPOS. A sentence that comes from another format lacks the
//! extra columns: those of CoNLL-2008 and 2009 are then written as copies of their counterparts (PLEMMA is LEMMA), because
//! tools for these formats read them, and PHEAD and PDEPREL of CoNLL-X as `_`. The one tag of CoNLL-2008 and 2009 is XPOS,
//! or UPOS where XPOS is `_`.
//!
//! [MSTParser's format](Format::Mst) and [tagged text](Format::Tagged) have one tag too, which is UPOS, or XPOS where UPOS is
//! `_`. In MST files the line of labels may be missing: it is left out when every DEPREL is `_`. In tagged text the *last*
//! separator of an item divides form and tag, an item without one has no tag, and a space inside a form stands as a no-break
//! space (U+00A0). [JSON lines](json) hold everything. Formats other than these and CoNLL-U (Plus) have no comments, multiword
//! ranges or empty nodes; these are left out.

pub mod json;
mod layout;
mod mst;
mod roles;
mod separators;
mod sequence;
mod table;
mod tagged;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use layout::{Layout, Slot};

use crate::read::{Located, ReadErrorKind, WarningKind, Warnings};
use crate::sentence::{Column, Sentence, Token};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// CoNLL-U, the format of Universal Dependencies: ten columns, comments, multiword tokens, empty nodes.
    Conllu,
    /// CoNLL-U Plus: the columns are named in the first line, `# global.columns = ID FORM …`.
    ConlluPlus,
    /// CoNLL-X (2006 and 2007): ten columns.
    Conllx,
    /// CoNLL-2008: eleven columns and one per predicate.
    Conll2008,
    /// CoNLL-2009: fourteen columns and one per predicate.
    Conll2009,
    /// MSTParser: lines of forms, tags, labels and heads.
    Mst,
    /// One sentence per line, `form_TAG form_TAG …`.
    Tagged,
    /// One sentence per line, `form/TAG form/TAG …`.
    TaggedSlash,
    /// JSON lines: one sentence per line, see [`json`].
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Conllu,
        Format::ConlluPlus,
        Format::Conllx,
        Format::Conll2008,
        Format::Conll2009,
        Format::Mst,
        Format::Tagged,
        Format::TaggedSlash,
        Format::Json,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Conllu => "conllu",
            Format::ConlluPlus => "conllup",
            Format::Conllx => "conllx",
            Format::Conll2008 => "conll2008",
            Format::Conll2009 => "conll2009",
            Format::Mst => "mst",
            Format::Tagged => "tagged",
            Format::TaggedSlash => "tagged-slash",
            Format::Json => "json",
        }
    }

    /// Guesses from the file name, ignoring `.gz` and `.zst`: the extension is the [name](Format::name) of the format, or
    /// `.conll`, `.conll06` and `.conll07` for CoNLL-X, `.conll08` and `.conll09` for the later tasks,
    /// `.jsonl` for JSON lines.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "conll" | "conll06" | "conll07" => Some(Format::Conllx),
            "conll08" => Some(Format::Conll2008),
            "conll09" => Some(Format::Conll2009),
            "jsonl" => Some(Format::Json),
            other => other.parse().ok(),
        }
    }

    /// Whether the format has comments, multiword ranges and empty nodes.
    #[must_use]
    pub fn has_all_rows(self) -> bool {
        matches!(self, Format::Conllu | Format::ConlluPlus | Format::Json)
    }

    /// Whether the format has predicates and their arguments.
    #[must_use]
    pub fn has_predicates(self) -> bool {
        matches!(self, Format::Conll2008 | Format::Conll2009 | Format::Json)
    }

    /// The text columns that the format has no place for.
    #[must_use]
    pub fn lacks(self) -> &'static [Column] {
        use Column::{Deprel, Deps, Feats, Lemma, Misc};
        match self {
            Format::Conllu | Format::ConlluPlus | Format::Json => &[],
            Format::Conllx | Format::Conll2009 => &[Deps, Misc],
            Format::Conll2008 => &[Feats, Deps, Misc],
            Format::Mst => &[Lemma, Feats, Deps, Misc],
            Format::Tagged | Format::TaggedSlash => &[Lemma, Feats, Deprel, Deps, Misc],
        }
    }

    /// The columns of the format; those of CoNLL-U Plus until the file declares its own. Formats without columns have
    /// those of CoNLL-U, of which they fill some.
    #[must_use]
    pub fn layout(self) -> Layout {
        match self {
            Format::Conllx => Layout::conllx(),
            Format::Conll2008 => Layout::conll2008(),
            Format::Conll2009 => Layout::conll2009(),
            _ => Layout::conllu(),
        }
    }

    /// Whether every line is a sentence.
    pub(crate) fn is_by_line(self) -> bool {
        matches!(self, Format::Tagged | Format::TaggedSlash | Format::Json)
    }

    /// The layout that the first block of a CoNLL-U file declares, if it does.
    pub(crate) fn declared_layout(
        self,
        text: &str,
        line: u64,
    ) -> Option<Result<Layout, ReadErrorKind>> {
        let candidate = line == 1 && matches!(self, Format::Conllu | Format::ConlluPlus);
        let first = text.split('\n').next().filter(|_| candidate)?;
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
    ) -> Located<()> {
        match self {
            Format::Mst => return mst::parse(text, line, sent, warnings),
            Format::Tagged => tagged::parse('_', text, line, sent, warnings),
            Format::TaggedSlash => tagged::parse('/', text, line, sent, warnings),
            Format::Json => {
                let k_best = json::read_into(text, sent).map_err(|kind| (line, kind))?;
                if !k_best.is_empty() {
                    warnings.add(WarningKind::SeveralTrees, line);
                }
            }
            _ => return table::parse(layout, text, line, sent, warnings),
        }
        Ok(())
    }

    /// Appends one sentence as a block with its blank line (or as a line).
    pub(crate) fn write(self, layout: &Layout, sent: &Sentence, out: &mut Vec<u8>) {
        match self {
            Format::Mst => mst::write(sent, out),
            Format::Tagged => tagged::write('_', sent, out),
            Format::TaggedSlash => tagged::write('/', sent, out),
            Format::Json => json::write(sent, &[], out),
            _ => table::write(layout, sent, out),
        }
    }
}

/// The tag for formats that have one and do not say which: UPOS, or XPOS where that is `_`.
fn single_tag(word: Token<'_>) -> &str {
    if word.upos() == "_" { word.xpos() } else { word.upos() }
}

/// The value, or `_` when it is nothing but white space and byte order marks: lines of items could not show it.
fn visible(value: &str) -> &str {
    let invisible = value.chars().all(|c| c.is_whitespace() || c == '\u{feff}');
    if invisible { "_" } else { value }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name_and_by_file() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            let path = format!("x.{format}.gz");
            assert_eq!(Format::from_path(Path::new(&path)), Some(format));
        }
        for (path, format) in [
            ("a/dev.conll", Some(Format::Conllx)),
            ("train.CONLL09.zst", Some(Format::Conll2009)),
            ("out.jsonl", Some(Format::Json)),
            ("x.txt", None),
            ("conllu", None),
        ] {
            assert_eq!(Format::from_path(Path::new(path)), format, "{path}");
        }
        assert!("conll".parse::<Format>().unwrap_err().contains("conll2009"));
    }
}
