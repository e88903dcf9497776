//! Counts what an output format has no place for, so that nothing is lost in silence.

use std::collections::BTreeMap;

use spantree::treebank::{Format, Sentence, TokenId};

use crate::output::Target;

/// What was left out so far, by name.
#[derive(Default)]
pub(super) struct Losses {
    counts: BTreeMap<&'static str, usize>,
    format: Option<Format>,
}

impl Losses {
    /// Counts what a format leaves out of a sentence; pictures are not meant to hold everything.
    pub(super) fn count(&mut self, target: Target, sent: &Sentence) {
        let Target::Treebank(format) = target else { return };
        self.format = Some(format);
        if !format.has_all_rows() {
            self.add("comments", sent.comments().len());
            let rows = |wanted: fn(TokenId) -> bool| {
                sent.tokens().filter(|token| wanted(token.id())).count()
            };
            self.add("multiword tokens", rows(|id| matches!(id, TokenId::Range(..))));
            self.add("empty nodes", rows(|id| matches!(id, TokenId::Empty(..))));
        }
        for &column in format.lacks() {
            self.add(column.name(), sent.words().filter(|word| word.get(column) != "_").count());
        }
        if !format.has_predicates() {
            self.add("predicates", sent.predicates().len());
        }
    }

    fn add(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Tells the user.
    pub(super) fn report(&self) {
        let Some(format) = self.format.filter(|_| !self.counts.is_empty()) else { return };
        let list: Vec<_> =
            self.counts.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        eprintln!("warning: {format} has no place for {}; left out", list.join(", "));
    }
}
