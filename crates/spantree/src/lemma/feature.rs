//! What decides the lemma of a word: the ends of its form, and its tags.

use spantree_treebank::{Column, Token};

use crate::feature::hash;
use crate::tag::{Atom, Atoms};

/// Number of features of a word.
pub(super) const FEATURES: usize = 24;

/// A word as a lemmatiser sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    atoms: Atoms,
    upos: u64,
    /// UPOS, XPOS and FEATS together.
    tags: u64,
}

impl Word {
    /// Reads a word; `lower` is a buffer.
    pub(super) fn new(token: Token<'_>, lower: &mut String) -> Self {
        let upos = hash::text(token.upos());
        let xpos = hash::mix(upos, hash::text(token.xpos()));
        let tags = hash::mix(xpos, hash::text(token.get(Column::Feats)));
        Self { atoms: Atoms::of_form(token.form(), lower), upos, tags }
    }

    /// Keys of the word in the dictionary: with all its tags, and with its UPOS.
    pub(super) fn dictionary_keys(&self) -> [u64; 2] {
        let form = self.atoms.get(Atom::Form);
        [hash::mix(hash::mix(1, form), self.tags), hash::mix(hash::mix(2, form), self.upos)]
    }

    /// Keys of the features of the word.
    pub(super) fn features(&self) -> [u64; FEATURES] {
        use Atom::*;
        let mut keys = [0; FEATURES];
        let with_tags = [Lower, Suffix1, Suffix2, Suffix3, Suffix4, Suffix5, Prefix1, Prefix2, Prefix3, Shape];
        let with_upos =
            [Lower, Suffix1, Suffix2, Suffix3, Suffix4, Suffix5, Prefix1, Prefix2, Prefix3, Prefix4, Shape];
        let alone = [Lower, Suffix5];
        let groups = [(self.tags, &with_tags[..]), (self.upos, &with_upos[..]), (0, &alone[..])];
        let all = groups.iter().flat_map(|&(tag, atoms)| atoms.iter().map(move |&atom| (tag, atom)));
        for (number, (key, (tag, atom))) in keys.iter_mut().zip(all).enumerate() {
            *key = hash::mix(hash::mix(number as u64, tag), self.atoms.get(atom));
        }
        keys[FEATURES - 1] = hash::mix(FEATURES as u64, self.tags);
        keys
    }
}
