//! Trees of the beginnings of a sentence, one after every word (after Ohno and Matsubara 2013).
//!
//! When a word has been taken from the buffer, the arcs built so far are shown with the words so far; a word without a head among
//! these is marked as one whose head is *not yet seen*, which may be the root. Nothing is parsed twice, and with a greedy
//! arc-eager parser nothing is taken back. Templates look up to three words ahead; the last tree is that of
//! [`Worker::parse`].

use spantree_decode::transition::{NONE, State};
use spantree_treebank::{Column, Sentence, TokenId};

use super::search::Task;
use super::worker::Worker;
use crate::parser::{ParseError, ParseOptions};

impl Worker<'_> {
    /// Parses a sentence and gives the tree after every word to `each`: a sentence of the words so far, with HEAD `_` and
    /// `Head=Unseen` in MISC where the head is not yet seen.
    ///
    /// # Errors
    /// None but those of [`Worker::parse`] without options.
    pub fn parse_prefixes(
        &mut self,
        sent: &mut Sentence,
        mut each: impl FnMut(&Sentence),
    ) -> Result<(), ParseError> {
        if sent.is_empty() {
            return Ok(());
        }
        self.atoms.fill(&self.parser.engine.atoms, sent);
        let header = self.parser.info();
        let task = Task {
            engine: &self.parser.engine,
            weights: self.weights,
            atoms: &self.atoms,
            width: header.beam,
            guide: None,
            first: None,
            sharpness: header.ranking.map(|ranking| header.sharpness(ranking)),
            shortcuts: header.shortcuts,
        };
        let labels = &self.parser.engine.labels;
        let mut seen = 0;
        self.search.start(&task);
        while self.search.advance(&task) {
            let state = &self.search.items[0].state;
            let last = state.stack_at(0).unwrap_or(0).min(sent.len() as u32 - 1);
            for words in seen + 1..=last {
                let label = |label| labels.name(label).split(['↑', '↓']).next().unwrap_or("_");
                each(&prefix(sent, words, state, label));
            }
            seen = seen.max(last);
        }
        self.parse(sent, &ParseOptions::default())?;
        each(sent);
        Ok(())
    }
}

/// The first words of a sentence with their arcs so far.
fn prefix<'l>(
    sent: &Sentence,
    words: u32,
    state: &State,
    label: impl Fn(u16) -> &'l str,
) -> Sentence {
    let mut part = Sentence::new();
    if let Some(id) = sent.sent_id() {
        part.set_comment("sent_id", &format!("{id}-{words}"));
    }
    let is_in = |id| match id {
        TokenId::Word(word) => word <= words,
        TokenId::Range(_, last) => last <= words,
        TokenId::Empty(before, _) => before <= words,
    };
    for token in sent.tokens().filter(|token| is_in(token.id())) {
        let row = part.push_row(token.id());
        for column in
            [Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats, Column::Misc]
        {
            part.set_token(row, column, token.get(column));
        }
        let TokenId::Word(word) = token.id() else { continue };
        let node = state.node(word);
        let known = node.head != NONE && node.head <= words && node.head != word;
        if known {
            part.set_head(word, Some(node.head));
            part.set(word, Column::Deprel, label(node.label));
        } else {
            part.set_attribute(row, Column::Misc, "Head", Some("Unseen"));
        }
    }
    part
}
