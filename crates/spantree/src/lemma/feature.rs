//! What decides the lemma of a word: the ends of its form, and its tags.

use spantree_treebank::{Column, Token};

use crate::feature::hash;
use crate::tag::{Atom, Atoms};

/// Number of features of a word.
pub(super) const FEATURES: usize = 24;

/// A word as a lemmatiser sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    form: u64,
    upos: u64,
    /// UPOS, XPOS and FEATS together.
    tags: u64,
}

impl Word {
    /// Reads a word.
    pub(super) fn new(token: Token<'_>) -> Self {
        let upos = hash::text(token.upos());
        let xpos = hash::mix(upos, hash::text(token.xpos()));
        let tags = hash::mix(xpos, hash::text(token.get(Column::Feats)));
        Self { form: hash::text(token.form()), upos, tags }
    }

    /// Keys of the word in the dictionary: with all its tags, and with its UPOS.
    pub(super) fn dictionary_keys(&self) -> [u64; 2] {
        [(1, self.tags), (2, self.upos)]
            .map(|(kind, tag)| hash::mix(hash::mix(kind, self.form), tag))
    }

    /// Keys of the features of the word, whose form this is; `lower` is a buffer.
    pub(super) fn features(&self, form: &str, lower: &mut String) -> [u64; FEATURES] {
        use Atom::*;
        let word = Atoms::of_form(form, lower);
        let mut keys = [0; FEATURES];
        let with_tags =
            [Lower, Suffix1, Suffix2, Suffix3, Suffix4, Suffix5, Prefix1, Prefix2, Prefix3, Shape];
        let with_upos = [
            Lower, Suffix1, Suffix2, Suffix3, Suffix4, Suffix5, Prefix1, Prefix2, Prefix3, Prefix4,
            Shape,
        ];
        let alone = [Lower, Suffix5];
        let groups = [(self.tags, &with_tags[..]), (self.upos, &with_upos[..]), (0, &alone[..])];
        let all =
            groups.iter().flat_map(|&(tag, atoms)| atoms.iter().map(move |&atom| (tag, atom)));
        for (number, (key, (tag, atom))) in keys.iter_mut().zip(all).enumerate() {
            *key = hash::mix(hash::mix(number as u64, tag), word.get(atom));
        }
        keys[FEATURES - 1] = hash::mix(FEATURES as u64, self.tags);
        keys
    }
}
