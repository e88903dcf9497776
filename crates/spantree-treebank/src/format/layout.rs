//! Which columns a file has and what each means. The module above has the table.

use std::io::{self, Write};
use std::sync::Arc;

use crate::read::ReadErrorKind;
use crate::sentence::Column;

/// What a column of a file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// ID
    Id,
    /// HEAD
    Head,
    /// A text column of CoNLL-U.
    Text(Column),
    /// The only tag of its format: read as XPOS, written as XPOS or, where that is `_`, as UPOS.
    Tag,
    /// A column that CoNLL-U does not have: the n-th of [`Layout::extra`].
    Extra(usize),
    /// FILLPRED: `Y` for predicates.
    FillPredicate,
    /// PRED: the sense of a predicate. Always the last slot; one argument column per predicate follows it.
    Predicate,
}

/// The columns of a file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(super) slots: Vec<Slot>,
    pub(super) extra: Arc<[String]>,
    /// What is written for an extra column that a sentence lacks; `None` is `_`.
    pub(super) substitutes: Vec<Option<Slot>>,
    /// The line `# global.columns = …` as it stands (and is written) at the start.
    declaration: Option<String>,
    /// Whether there are comments, multiword ranges and empty nodes.
    pub(super) full: bool,
    /// Rows may end after this many columns; the others count as `_`.
    pub(super) required: usize,
}

const DECLARATION: &str = "global.columns";
const CONLLU: &str = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC";

impl Layout {
    /// The ten columns of CoNLL-U.
    #[must_use]
    pub fn conllu() -> Self {
        Self::named(CONLLU)
    }

    /// CoNLL-X: PHEAD and PDEPREL are extra columns.
    #[must_use]
    pub fn conllx() -> Self {
        let names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL PHEAD PDEPREL";
        Self { full: false, ..Self::named(names) }
    }

    /// CoNLL-2008; the blind test files end after PPOSS.
    #[must_use]
    pub fn conll2008() -> Self {
        use Column::{Deprel, Form, Lemma};
        let slots = [
            (Slot::Id, ""),
            (Slot::Text(Form), "UNSPLIT_FORM"),
            (Slot::Text(Lemma), "UNSPLIT_LEMMA"),
            (Slot::Tag, "GPOS"),
            (Slot::Tag, "PPOS"),
            (Slot::Text(Form), ""),
            (Slot::Text(Lemma), ""),
            (Slot::Tag, ""),
            (Slot::Head, ""),
            (Slot::Text(Deprel), ""),
            (Slot::Predicate, ""),
        ];
        Self::with_copies(&slots)
    }

    /// CoNLL-2009; the blind test files end after PFEAT, or after FILLPRED.
    #[must_use]
    pub fn conll2009() -> Self {
        use Column::{Deprel, Feats, Form, Lemma};
        let slots = [
            (Slot::Id, ""),
            (Slot::Text(Form), ""),
            (Slot::Text(Lemma), ""),
            (Slot::Text(Lemma), "PLEMMA"),
            (Slot::Tag, ""),
            (Slot::Tag, "PPOS"),
            (Slot::Text(Feats), ""),
            (Slot::Text(Feats), "PFEAT"),
            (Slot::Head, ""),
            (Slot::Head, "PHEAD"),
            (Slot::Text(Deprel), ""),
            (Slot::Text(Deprel), "PDEPREL"),
            (Slot::FillPredicate, ""),
            (Slot::Predicate, ""),
        ];
        Self::with_copies(&slots)
    }

    /// CoNLL-U Plus with the columns of CoNLL-U and these behind them.
    #[must_use]
    pub fn plus(extra: &[String]) -> Self {
        let names = extra.iter().fold(CONLLU.to_owned(), |names, name| names + " " + name);
        Self { declaration: Some(format!("# {DECLARATION} = {names}")), ..Self::named(&names) }
    }

    /// The columns with these names, separated by white space; names that CoNLL-U does not have become extra columns.
    #[must_use]
    pub fn named(names: &str) -> Self {
        let mut extra = Vec::new();
        let slot = |name: &str| match name {
            "ID" => Slot::Id,
            "HEAD" => Slot::Head,
            _ => match Column::ALL.into_iter().find(|column| column.name() == name) {
                Some(column) => Slot::Text(column),
                None => {
                    extra.push(name.to_owned());
                    Slot::Extra(extra.len() - 1)
                }
            },
        };
        let slots: Vec<_> = names.split_whitespace().map(slot).collect();
        Self {
            required: slots.len(),
            slots,
            substitutes: vec![None; extra.len()],
            extra: extra.into(),
            declaration: None,
            full: true,
        }
    }

    /// Columns of CoNLL-2008 and 2009: a slot with a name is an extra column, written as a copy of the slot where it is missing.
    fn with_copies(columns: &[(Slot, &str)]) -> Self {
        let (mut slots, mut extra, mut substitutes) = (Vec::new(), Vec::new(), Vec::new());
        for &(slot, name) in columns {
            if name.is_empty() {
                slots.push(slot);
            } else {
                slots.push(Slot::Extra(extra.len()));
                extra.push(name.to_owned());
                substitutes.push(Some(slot));
            }
        }
        let (extra, declaration) = (extra.into(), None);
        Self { slots, extra, substitutes, declaration, full: false, required: 8 }
    }

    /// The layout of a line `# global.columns = …`; `None` for any other line.
    pub(crate) fn declared(line: &str) -> Option<Result<Self, ReadErrorKind>> {
        let names = declaration(line)?;
        let layout = Self { declaration: Some(line.to_owned()), ..Self::named(names) };
        for (column, slot) in [("ID", Slot::Id), ("FORM", Slot::Text(Column::Form))] {
            if !layout.slots.contains(&slot) {
                return Some(Err(ReadErrorKind::MissingColumn { column }));
            }
        }
        let mut seen = Vec::new();
        for name in names.split_whitespace() {
            if seen.contains(&name) {
                return Some(Err(ReadErrorKind::DuplicateColumn { column: name.to_owned() }));
            }
            seen.push(name);
        }
        Some(Ok(layout))
    }

    /// The meaning of each column.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Names of the columns that CoNLL-U does not have.
    #[must_use]
    pub fn extra(&self) -> &Arc<[String]> {
        &self.extra
    }

    /// Whether argument columns follow the named ones.
    pub(super) fn has_roles(&self) -> bool {
        self.slots.last() == Some(&Slot::Predicate)
    }

    /// Whether the columns are declared by the first line of the file.
    pub(super) fn is_declared(&self) -> bool {
        self.declaration.is_some()
    }

    /// Writes `# global.columns` for CoNLL-U Plus, nothing for the other formats.
    pub(crate) fn write_declaration(&self, out: &mut impl Write) -> io::Result<()> {
        self.declaration.as_ref().map_or(Ok(()), |line| writeln!(out, "{line}"))
    }
}

/// What stands behind `# global.columns =`.
pub(super) fn declaration(line: &str) -> Option<&str> {
    line.strip_prefix('#')?.trim_start().strip_prefix(DECLARATION)?.trim_start().strip_prefix('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_keep_their_spelling() {
        let line = "#global.columns=ID FORM  PARSEME:MWE";
        let layout = Layout::declared(line).unwrap().unwrap();
        assert_eq!(layout.slots(), [Slot::Id, Slot::Text(Column::Form), Slot::Extra(0)]);
        assert_eq!(layout.extra()[..], ["PARSEME:MWE".to_owned()]);
        let mut out = Vec::new();
        layout.write_declaration(&mut out).unwrap();
        assert_eq!(out, format!("{line}\n").as_bytes());
    }

    #[test]
    fn declarations_need_id_and_form_once() {
        let message = |line| Layout::declared(line).unwrap().unwrap_err().to_string();
        assert_eq!(message("# global.columns = FORM"), "# global.columns must list ID");
        assert_eq!(message("# global.columns = ID"), "# global.columns must list FORM");
        let twice = message("# global.columns = ID FORM X X");
        assert_eq!(twice, "# global.columns lists X twice; give each column its own name");
        assert!(Layout::declared("# text = global.columns = x").is_none());
    }

    #[test]
    fn extra_columns_of_the_shared_tasks() {
        let layout = Layout::conll2009();
        assert_eq!(layout.slots().len(), 14);
        assert_eq!(layout.extra().join(" "), "PLEMMA PPOS PFEAT PHEAD PDEPREL");
        let layout = Layout::conll2008();
        assert_eq!(layout.slots().len(), 11);
        assert_eq!(layout.extra().join(" "), "UNSPLIT_FORM UNSPLIT_LEMMA GPOS PPOS");
    }
}
