//! Sentences from their end to their beginning: what lets a parser that goes from left to right go from right to left.
//!
//! Word `i` of `n` becomes word `n + 1 − i`, with its columns and its arcs; multiword tokens, empty nodes, DEPS and predicates
//! follow. Twice is once not at all, but that DEPS come back sorted by head. Comments stay, the text too. O(n log n).

use crate::sentence::{Column, Predicate, Sentence, TokenId};

impl Sentence {
    /// Turns the order of the words round.
    pub fn reverse(&mut self) {
        let turn = Turn::new(self);
        let mut rows: Vec<usize> = (0..self.token_count()).collect();
        rows.sort_by_key(|&row| place(turn.id(self.token(row).id())));
        let mut reversed = Sentence::new();
        self.comments().for_each(|line| reversed.push_comment(line));
        reversed.set_extra_columns(self.extra_columns().to_vec().into());
        for old in rows {
            let token = self.token(old);
            let row = reversed.push_row(turn.id(token.id()));
            for column in Column::ALL {
                reversed.set_token(row, column, token.get(column));
            }
            reversed.set_token(row, Column::Deps, &turn.deps(token.get(Column::Deps)));
            for name in self.extra_columns() {
                reversed.set_extra(row, name, token.extra(name).unwrap_or("_"));
            }
            if let TokenId::Word(word) = turn.id(token.id()) {
                reversed.set_head(word, token.head().map(|head| turn.head(head)));
            }
        }
        let predicates = self.predicates().iter().map(|predicate| turn.predicate(predicate));
        reversed.set_predicates(predicates.collect());
        *self = reversed;
    }
}

/// Where a row stands among the others.
fn place(id: TokenId) -> (u32, u8, u32) {
    match id {
        TokenId::Range(first, _) => (first, 0, 0),
        TokenId::Word(word) => (word, 1, 0),
        TokenId::Empty(before, index) => (before, 2, index),
    }
}

/// From old numbers to new ones.
struct Turn {
    words: u32,
    /// Number of empty nodes after each word, that before the first one first.
    empty: Vec<u32>,
}

impl Turn {
    fn new(sent: &Sentence) -> Self {
        let mut empty = vec![0; sent.len() + 1];
        for token in sent.tokens() {
            if let TokenId::Empty(before, _) = token.id()
                && let Some(count) = empty.get_mut(before as usize)
            {
                *count += 1;
            }
        }
        Self { words: sent.len() as u32, empty }
    }

    /// Heads that no word has stay.
    fn head(&self, head: u32) -> u32 {
        if (1..=self.words).contains(&head) { self.words + 1 - head } else { head }
    }

    fn empty(&self, before: u32, index: u32) -> (u32, u32) {
        let count = self.empty.get(before as usize).copied().unwrap_or(0);
        (self.words.saturating_sub(before), (count + 1).saturating_sub(index).max(1))
    }

    fn id(&self, id: TokenId) -> TokenId {
        match id {
            TokenId::Word(word) => TokenId::Word(self.head(word)),
            TokenId::Range(first, last) => TokenId::Range(self.head(last), self.head(first)),
            TokenId::Empty(before, index) => {
                let (before, index) = self.empty(before, index);
                TokenId::Empty(before, index)
            }
        }
    }

    fn deps(&self, deps: &str) -> String {
        let parts = deps.split('|').map(|part| {
            let dep = crate::sentence::Dep::parse(part)?;
            let head = match dep.empty {
                0 => (self.head(dep.head), 0),
                index => self.empty(dep.head, index),
            };
            Some((head, dep.label))
        });
        let Some(mut parts) = parts.collect::<Option<Vec<_>>>() else { return deps.to_owned() };
        parts.sort_unstable();
        let write = |((head, empty), label): ((u32, u32), &str)| match empty {
            0 => format!("{head}:{label}"),
            index => format!("{head}.{index}:{label}"),
        };
        parts.into_iter().map(write).collect::<Vec<_>>().join("|")
    }

    fn predicate(&self, predicate: &Predicate) -> Predicate {
        let args = predicate.args.iter().map(|(word, role)| (self.head(*word), role.clone()));
        Predicate {
            word: self.head(predicate.word),
            sense: predicate.sense.clone(),
            args: args.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, TreebankReader, TreebankWriter};

    const TEXT: &str = "\
# text = vámonos ya
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\t_\t0\troot\t0:root\t_
1.1\te\t_\t_\t_\t_\t_\t_\t1:x\t_
1.2\tf\t_\t_\t_\t_\t_\t_\t1.1:x\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|1.1:nsubj\t_
3\tya\tya\tADV\t_\t_\t1\tadvmod\t1:advmod\tSpaceAfter=No

";

    const REVERSED: &str = "\
# text = vámonos ya
1\tya\tya\tADV\t_\t_\t3\tadvmod\t3:advmod\tSpaceAfter=No
2-3\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t3\tobj\t2.2:nsubj|3:obj\t_
2.1\tf\t_\t_\t_\t_\t_\t_\t2.2:x\t_
2.2\te\t_\t_\t_\t_\t_\t_\t3:x\t_
3\tvamos\tir\tVERB\t_\t_\t0\troot\t0:root\t_

";

    fn reversed(text: &'static str) -> String {
        let mut out = Vec::new();
        let mut writer = TreebankWriter::new(&mut out, Format::Conllu);
        for sent in TreebankReader::new(text.as_bytes(), "text", Format::Conllu) {
            let mut sent = sent.unwrap();
            sent.reverse();
            writer.write(&sent).unwrap();
        }
        drop(writer);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn everything_turns_round_and_back() {
        assert_eq!(reversed(TEXT), REVERSED);
        assert_eq!(reversed(REVERSED), TEXT);
    }
}
