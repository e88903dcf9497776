//! The pieces that a bottom-up parser still has to join, for losses by dynamic programming (Goldberg, Sartorio and Satta 2014).
//!
//! `L₁ L₂ …` are the words that trees built so far hang on, the last one first; `R₁ R₂ …` the words of the rest that gold
//! subtrees inside the rest hang on, as far as these have no child among the `L` or the `R` before. O(n).

use super::gold::Gold;
use super::state::NONE;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Fragments {
    /// `L`, then `R`.
    pub(super) words: Vec<u32>,
    /// Number of words `L`.
    pub(super) left: usize,
    /// Whether a word is in the rest.
    waiting: Vec<bool>,
    /// Whether a word has a child among the words so far.
    has_child: Vec<bool>,
}

impl Fragments {
    /// Finds the pieces; `built` are the words `L` in their order, `rest` is a list whose last word comes next.
    pub(super) fn collect(&mut self, built: impl Iterator<Item = u32>, rest: &[u32], gold: &Gold) {
        self.words.clear();
        self.words.extend(built);
        self.left = self.words.len();
        for marks in [&mut self.waiting, &mut self.has_child] {
            marks.clear();
            marks.resize(gold.words() + 1, false);
        }
        rest.iter().for_each(|&word| self.waiting[word as usize] = true);
        for &word in self.words.iter().filter(|&&word| word != 0) {
            mark(&mut self.has_child, gold.head(word));
        }
        for &word in rest.iter().rev() {
            let head = gold.head(word);
            let is_inside = head != NONE && self.waiting[head as usize];
            if !is_inside || self.has_child[word as usize] {
                self.words.push(word);
                mark(&mut self.has_child, head);
            }
        }
    }
}

fn mark(words: &mut [bool], word: u32) {
    if let Some(marked) = words.get_mut(word as usize) {
        *marked = true;
    }
}
