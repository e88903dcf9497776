//! The order of ids in a sentence: words `1, 2, …`, a range before its first word, empty nodes after their word.

use crate::read::ReadErrorKind;
use crate::sentence::TokenId;

/// Checks ids one after another.
#[derive(Default)]
pub(super) struct Sequence {
    previous: Option<TokenId>,
    words: u32,
    /// Empty nodes after the last word.
    empty: u32,
    /// Last word of the last range.
    pub(super) covered: u32,
}

impl Sequence {
    pub(super) fn check(&mut self, id: TokenId) -> Result<(), ReadErrorKind> {
        if id == TokenId::Word(self.words + 1) {
            self.words += 1;
            self.empty = 0;
        } else {
            self.check_rare(id)?;
        }
        self.previous = Some(id);
        Ok(())
    }

    /// Ranges, empty nodes, and whatever is wrong.
    fn check_rare(&mut self, id: TokenId) -> Result<(), ReadErrorKind> {
        match id {
            TokenId::Range(first, last) if first == self.words + 1 => {
                let problem = if last < first {
                    "ends before it starts"
                } else if first <= self.covered {
                    "overlaps the range before it"
                } else {
                    self.covered = last;
                    return Ok(());
                };
                Err(ReadErrorKind::Range { value: id.to_string(), problem })
            }
            TokenId::Empty(word, index) if (word, index) == (self.words, self.empty + 1) => {
                self.empty = index;
                Ok(())
            }
            _ => Err(self.out_of_order(id)),
        }
    }

    fn out_of_order(&self, id: TokenId) -> ReadErrorKind {
        let value = id.to_string();
        let duplicate = match id {
            TokenId::Word(number) => number <= self.words,
            TokenId::Empty(word, index) => word == self.words && index <= self.empty,
            TokenId::Range(first, _) => first <= self.words && first <= self.covered,
        };
        if duplicate {
            return ReadErrorKind::DuplicateId { value };
        }
        let expected = match id {
            TokenId::Word(_) => TokenId::Word(self.words + 1),
            TokenId::Range(_, last) => TokenId::Range(self.words + 1, last),
            TokenId::Empty(..) => TokenId::Empty(self.words, self.empty + 1),
        };
        let previous = self.previous.map_or_else(|| "nothing".to_owned(), |id| id.to_string());
        ReadErrorKind::IdOrder { value, previous, expected: expected.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ids: &str) -> Result<(), String> {
        let mut sequence = Sequence::default();
        let mut ids = ids.split(' ').map(|id| id.parse().unwrap());
        ids.try_for_each(|id| sequence.check(id)).map_err(|kind| kind.to_string())
    }

    #[test]
    fn sequences_in_order() {
        for ids in ["1", "0.1 0.2 1 2", "1-2 1 2 3-4 3 4 4.1 4.2 5", "1 1.1 2-3 2 3"] {
            assert_eq!(check(ids), Ok(()), "{ids}");
        }
    }

    #[test]
    fn sequences_out_of_order() {
        let cases = [
            ("2", "ID 2 follows nothing; expected 1"),
            ("1 3", "ID 3 follows 1; expected 2"),
            ("1 2 2", "ID 2 stands twice in the sentence"),
            ("1 1.2", "ID 1.2 follows 1; expected 1.1"),
            ("1 2.1", "ID 2.1 follows 1; expected 1.1"),
            ("1 1.1 1.1", "ID 1.1 stands twice in the sentence"),
            ("1 1-2", "ID 1-2 follows 1; expected 2-2"),
            ("1-2 1 1-2", "ID 1-2 stands twice in the sentence"),
            ("1 2-1", "the multiword range 2-1 ends before it starts"),
            ("3-2", "ID 3-2 follows nothing; expected 1-2"),
            ("1-2 1 2-3", "the multiword range 2-3 overlaps the range before it"),
        ];
        for (ids, message) in cases {
            assert_eq!(check(ids), Err(message.to_owned()), "{ids}");
        }
    }
}
