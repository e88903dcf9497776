//! Renaming tags, labels and other values by a table.
//!
//! The table is a text file with three columns separated by tabs: the column of the treebank (`UPOS`, `XPOS`, `DEPREL` …), a
//! value, and what replaces it. Blank lines and lines that start with `#` are skipped.
//!
//! ```text
//! # column  from     to
//! XPOS      NN       NOUN
//! DEPREL    dobj     obj
//! ```
//!
//! Values are compared whole: `DEPREL nsubj …` says nothing about `nsubj:pass`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use thiserror::Error;

use crate::file;
use crate::sentence::{Column, Sentence};

/// What happens to a value that the table does not list, in a column that it does. `_` always stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unlisted {
    /// It stays.
    #[default]
    Keep,
    /// It becomes `_`.
    Clear,
    /// It is an error.
    Refuse,
}

/// A malformed table, with its place.
#[derive(Debug)]
pub struct ValueMapError {
    /// Name of the input.
    pub name: String,
    /// Line, from 1; 0 when no line is to blame.
    pub line: usize,
    /// What is wrong.
    pub kind: ValueMapErrorKind,
}

impl fmt::Display for ValueMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.name, self.kind),
            line => write!(f, "{}:{line}: {}", self.name, self.kind),
        }
    }
}

impl std::error::Error for ValueMapError {}

/// What is wrong with a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ValueMapErrorKind {
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Not three columns.
    #[error("{found} columns instead of 3 (column, from, to), separated by tabs")]
    ColumnCount {
        /// Columns in the line.
        found: usize,
    },
    /// The first column does not name a column.
    #[error("unknown column {value:?}; choose from {}", column_names())]
    UnknownColumn {
        /// What stands there.
        value: String,
    },
    /// A value listed twice with different replacements.
    #[error("{column} {from:?} becomes {to:?} here, but {earlier:?} in an earlier line")]
    Contradiction {
        /// The column.
        column: &'static str,
        /// The value.
        from: String,
        /// Its replacement in this line.
        to: String,
        /// Its replacement before.
        earlier: String,
    },
}

/// A value that the table does not list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("token {token}: {} {value:?} is not in the table; add it, or keep or clear such values", column.name())]
pub struct UnlistedValue {
    /// Identifier of the row.
    pub token: String,
    /// The column.
    pub column: Column,
    /// The value.
    pub value: String,
}

fn column_names() -> String {
    Column::ALL.map(Column::name).join(", ")
}

/// A table of replacements; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    /// The replacements of each column that the table mentions.
    columns: BTreeMap<Column, HashMap<String, String>>,
}

impl ValueMap {
    /// Reads a table; `name` stands for it in messages.
    ///
    /// # Errors
    /// When a line is malformed or contradicts an earlier one, or reading fails.
    pub fn read(input: impl BufRead, name: &str) -> Result<Self, ValueMapError> {
        let mut map = Self::default();
        for (index, line) in input.lines().enumerate() {
            let at = |kind| ValueMapError { name: name.to_owned(), line: index + 1, kind };
            let line = line.map_err(|error| at(error.into()))?;
            if !line.trim().is_empty() && !line.starts_with('#') {
                map.add_line(&line).map_err(at)?;
            }
        }
        Ok(map)
    }

    /// Reads a table from a file.
    ///
    /// # Errors
    /// As [`ValueMap::read`], or when the file cannot be opened.
    pub fn load(path: &Path) -> Result<Self, ValueMapError> {
        let name = file::display_name(path);
        match file::open(path) {
            Ok(input) => Self::read(BufReader::new(input), &name),
            Err(error) => Err(ValueMapError { name, line: 0, kind: error.into() }),
        }
    }

    fn add_line(&mut self, line: &str) -> Result<(), ValueMapErrorKind> {
        let fields: Vec<_> = line.split('\t').map(str::trim).collect();
        let &[name, from, to] = fields.as_slice() else {
            return Err(ValueMapErrorKind::ColumnCount { found: fields.len() });
        };
        let column = Column::ALL
            .into_iter()
            .find(|column| column.name() == name)
            .ok_or_else(|| ValueMapErrorKind::UnknownColumn { value: name.to_owned() })?;
        let values = self.columns.entry(column).or_default();
        match values.insert(from.to_owned(), to.to_owned()) {
            Some(earlier) if earlier != to => Err(ValueMapErrorKind::Contradiction {
                column: column.name(),
                from: from.to_owned(),
                to: to.to_owned(),
                earlier,
            }),
            _ => Ok(()),
        }
    }

    /// Replaces the values of all rows; returns how many changed.
    ///
    /// # Errors
    /// The first unlisted value under [`Unlisted::Refuse`]; the sentence is not changed then.
    pub fn apply(&self, sent: &mut Sentence, unlisted: Unlisted) -> Result<usize, UnlistedValue> {
        let mut changes = Vec::new();
        for (column, values) in &self.columns {
            for token in sent.tokens() {
                let value = token.get(*column);
                let new = match (values.get(value), unlisted) {
                    (Some(new), _) => new,
                    (None, Unlisted::Refuse) if value != "_" => {
                        let (token, value) = (token.id().to_string(), value.to_owned());
                        return Err(UnlistedValue { token, column: *column, value });
                    }
                    (None, Unlisted::Clear) => "_",
                    (None, _) => continue,
                };
                if new != value {
                    changes.push((token.index(), *column, new));
                }
            }
        }
        for &(index, column, new) in &changes {
            sent.set_token(index, column, new);
        }
        Ok(changes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# tags\nUPOS\tNN\tNOUN\n\nUPOS\tVB\tVERB\r\nDEPREL\tdobj\tobj\n";

    fn sentence() -> Sentence {
        Sentence::from_words(&[
            ("a", "NN", 2, "dobj"),
            ("b", "VB", 0, "root"),
            ("c", "XX", 2, "dobj:x"),
            ("d", "_", 2, "_"),
        ])
    }

    fn applied(unlisted: Unlisted) -> Result<String, UnlistedValue> {
        let map = ValueMap::read(TABLE.as_bytes(), "map.tsv").unwrap();
        let mut sent = sentence();
        map.apply(&mut sent, unlisted)?;
        let values: Vec<_> =
            sent.words().map(|word| format!("{}/{}", word.upos(), word.deprel())).collect();
        Ok(values.join(" "))
    }

    #[test]
    fn values_are_replaced_whole() {
        assert_eq!(applied(Unlisted::Keep).unwrap(), "NOUN/obj VERB/root XX/dobj:x _/_");
        assert_eq!(applied(Unlisted::Clear).unwrap(), "NOUN/obj VERB/_ _/_ _/_");
        let error = applied(Unlisted::Refuse).unwrap_err();
        assert_eq!((error.token.as_str(), error.value.as_str()), ("3", "XX"));
        assert!(error.to_string().starts_with("token 3: UPOS \"XX\" is not in the table"));
    }

    #[test]
    fn errors_name_the_line() {
        for (table, message) in [
            ("UPOS NN NOUN", "t:1: 1 columns instead of 3"),
            ("#\nTAG\ta\tb", "t:2: unknown column \"TAG\"; choose from FORM, LEMMA, UPOS"),
            ("UPOS\ta\tb\nUPOS\ta\tb\nUPOS\ta\tc", "t:3: UPOS \"a\" becomes \"c\" here, but \"b\""),
        ] {
            let error = ValueMap::read(table.as_bytes(), "t").unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        let error = ValueMap::read(&b"UPOS\t\xff\tb"[..], "t").unwrap_err().to_string();
        assert!(error.starts_with("t:1: cannot read"), "{error}");
    }
}
