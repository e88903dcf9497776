//! The predicate and argument columns of CoNLL-2008 and CoNLL-2009.
//!
//! PRED holds the sense of each predicate; behind it stands one argument column per predicate, in the order of the words,
//! with the role of each row or `_`. Several roles in one cell are joined by `|` and become several arguments. CoNLL-2009
//! marks the predicates with `Y` in FILLPRED as well: in blind test files this is all there is, and the senses stay `_`.
//!
//! Predicates with a sense have an argument column; if one without a sense has arguments, all have. So what is read without
//! a warning is written back as it was. At most one predicate per word can be written, and in CoNLL-2008 only those with a
//! sense; others are left out.

use super::layout::Slot;
use crate::read::{ReadErrorKind, WarningKind, Warnings};
use crate::sentence::{Predicate, Sentence, Token, TokenId};

/// Collects the columns while rows are read.
#[derive(Default)]
pub(super) struct RoleReader {
    predicates: Vec<Predicate>,
    /// Number of the argument column, word and roles of each filled cell.
    cells: Vec<(usize, u32, String)>,
    /// Argument columns of every row; known after the first.
    width: Option<usize>,
    row: CurrentRow,
    /// FILLPRED and PRED disagree somewhere.
    flags_disagree: bool,
}

#[derive(Default)]
struct CurrentRow {
    flag: Option<bool>,
    sense: String,
    cells: Vec<(usize, String)>,
    width: usize,
}

impl RoleReader {
    /// Takes the next field of the row; behind the last slot come the arguments.
    pub(super) fn push(&mut self, slot: Option<&Slot>, value: &str) {
        match slot {
            Some(Slot::FillPredicate) => {
                self.row.flag = Some(value == "Y");
                self.flags_disagree |= !matches!(value, "Y" | "_");
            }
            Some(Slot::Predicate) => value.clone_into(&mut self.row.sense),
            _ => {
                if value != "_" {
                    self.row.cells.push((self.row.width, value.to_owned()));
                }
                self.row.width += 1;
            }
        }
    }

    pub(super) fn end_row(&mut self, id: TokenId) -> Result<(), ReadErrorKind> {
        let mut row = std::mem::take(&mut self.row);
        let expected = *self.width.get_or_insert(row.width);
        if row.width != expected {
            let what = "argument columns in this row, unlike the first row of the sentence";
            return Err(ReadErrorKind::Count { what, found: row.width, expected });
        }
        let TokenId::Word(word) = id else { return Ok(()) };
        if row.sense.is_empty() {
            "_".clone_into(&mut row.sense);
        }
        let has_sense = row.sense != "_";
        // Blind files have flags without senses; a sense without its flag is odd.
        self.flags_disagree |= has_sense && row.flag == Some(false);
        if has_sense || row.flag == Some(true) {
            self.predicates.push(Predicate { word, sense: row.sense, args: Vec::new() });
        }
        self.cells.extend(row.cells.into_iter().map(|(column, roles)| (column, word, roles)));
        Ok(())
    }

    /// Hands the predicates to the sentence.
    pub(super) fn finish(
        mut self,
        sent: &mut Sentence,
        line: u64,
        warnings: &mut Warnings,
    ) -> Result<(), ReadErrorKind> {
        if self.flags_disagree {
            warnings.add(WarningKind::PredicateFlag, line);
        }
        let width = self.width.unwrap_or(0);
        let all: Vec<usize> = (0..self.predicates.len()).collect();
        let with_sense: Vec<usize> =
            all.iter().copied().filter(|&index| self.predicates[index].sense != "_").collect();
        let owners = if width == with_sense.len() {
            with_sense
        } else if width == all.len() {
            warnings.add(WarningKind::PredicateWithoutSense, line);
            all
        } else if width == 0 {
            warnings.add(WarningKind::MissingColumns, line);
            all
        } else {
            let what = "argument columns, one per predicate";
            return Err(ReadErrorKind::Count { what, found: width, expected: with_sense.len() });
        };
        for (column, word, roles) in self.cells {
            let args = &mut self.predicates[owners[column]].args;
            args.extend(roles.split('|').map(|role| (word, role.to_owned())));
        }
        sent.set_predicates(self.predicates);
        Ok(())
    }
}

/// Writes the columns row by row.
pub(super) struct RoleWriter<'a> {
    /// The predicates not passed yet.
    predicates: std::iter::Peekable<std::vec::IntoIter<&'a Predicate>>,
    /// The arguments not passed yet, one slice per argument column.
    columns: Vec<&'a [(u32, String)]>,
}

impl<'a> RoleWriter<'a> {
    /// `flags` says whether FILLPRED can mark predicates without a sense.
    pub(super) fn new(sent: &'a Sentence, flags: bool) -> Self {
        let has_sense = |predicate: &&Predicate| predicate.sense != "_";
        let mut predicates: Vec<&Predicate> = sent.predicates().iter().collect();
        predicates.retain(|predicate| {
            (1..=sent.len()).contains(&(predicate.word as usize)) && (flags || has_sense(predicate))
        });
        predicates.dedup_by_key(|predicate| predicate.word);
        let all =
            predicates.iter().any(|predicate| !has_sense(predicate) && !predicate.args.is_empty());
        let with_column = predicates.iter().filter(|predicate| all || has_sense(predicate));
        let columns = with_column.map(|predicate| &predicate.args[..]).collect();
        Self { columns, predicates: predicates.into_iter().peekable() }
    }

    pub(super) fn write_flag(&mut self, token: Token<'_>, out: &mut Vec<u8>) {
        let here = self.predicates.peek().is_some_and(|next| token.number() == Some(next.word));
        out.push(if here { b'Y' } else { b'_' });
    }

    pub(super) fn write_sense_and_arguments(&mut self, token: Token<'_>, out: &mut Vec<u8>) {
        let here = self.predicates.next_if(|next| token.number() == Some(next.word));
        out.extend_from_slice(here.map_or("_", |predicate| &predicate.sense).as_bytes());
        let word = token.number().unwrap_or(0);
        for column in &mut self.columns {
            out.push(b'\t');
            let start = out.len();
            while let Some(((at, role), rest)) =
                column.split_first().filter(|((at, _), _)| *at <= word)
            {
                if *at == word {
                    out.extend_from_slice(if out.len() > start { b"|" } else { b"" });
                    out.extend_from_slice(role.as_bytes());
                }
                *column = rest;
            }
            if out.len() == start {
                out.push(b'_');
            }
        }
    }
}
