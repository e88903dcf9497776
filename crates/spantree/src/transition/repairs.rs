//! Repairs of speech: from UD trees with `reparandum` to trees of fluent words, and back (Honnibal and Johnson 2014).
//!
//! [`ArcEdit`](spantree_decode::transition::ArcEdit) leaves edited words without arcs, but CoNLL-U wants a tree. So they get back the
//! arcs that they lost, as far as these were among edited words; what is left on top of each piece hangs on the repair, the
//! topmost word above the next fluent word that can be reached by going to the right (25 of 35 in en_ewt's training data).

use spantree_decode::transition::{Action, State};
use spantree_treebank::repairs::{edited_words, fluent_text};
use spantree_treebank::{Column, Sentence, Tree};

use super::system::TransitionSystem;

/// Heads of a tree for [`Gold::with_edits`](spantree_decode::transition::Gold::with_edits): edited words are their own heads, the
/// others form a projective tree.
pub(crate) fn heads_with_edits(tree: &Tree, edited: &[bool]) -> Vec<u32> {
    let words: Vec<u32> =
        (1..).zip(edited).filter(|(_, edited)| !**edited).map(|(w, _)| w).collect();
    let mut numbers = vec![0; edited.len() + 1];
    (1..).zip(&words).for_each(|(number, &word)| numbers[word as usize] = number);
    // No fluent word hangs on an edited one.
    let fluent: Vec<u32> = words.iter().map(|&word| numbers[tree.head(word) as usize]).collect();
    let fluent = Tree::new(&fluent).map_or(fluent, |tree| tree.lift().heads);
    let mut heads: Vec<u32> = (1..=edited.len() as u32).collect();
    for (&word, head) in words.iter().zip(fluent) {
        heads[word as usize - 1] = head.checked_sub(1).map_or(0, |at| words[at as usize]);
    }
    heads
}

/// Gives edited words, which are their own heads, other heads and labels, from the actions that led to the tree.
pub(super) fn attach_edited(
    (heads, labels): (&mut [u32], &mut [u16]),
    history: &[(Action, u16)],
    reparandum: u16,
) {
    let system = TransitionSystem::ArcEdit.system();
    let mut state = State::default();
    system.start(heads.len(), &mut state);
    let mut last = vec![(0, reparandum); heads.len()];
    for &(action, label) in history {
        if let Some((head, child)) = system.arc(&state, action) {
            last[child as usize - 1] = (head, label);
        }
        system.apply(&mut state, action, label);
    }
    let edited: Vec<bool> = (1..).zip(&*heads).map(|(word, &head)| word == head).collect();
    let is_edited = |word: u32| word != 0 && edited[word as usize - 1];
    for word in (1..=heads.len() as u32).filter(|&word| is_edited(word)) {
        let (head, label) = last[word as usize - 1];
        let inside = is_edited(head);
        let found = if inside { (head, label) } else { (repair(heads, &edited, word), reparandum) };
        (heads[word as usize - 1], labels[word as usize - 1]) = found;
    }
}

/// The word that a piece is repaired by: above the next fluent word, or above the one before at the end of a sentence.
fn repair(heads: &[u32], edited: &[bool], word: u32) -> u32 {
    let at = |word: u32| word as usize - 1;
    let mut after = word + 1..=heads.len() as u32;
    let mut before = (1..word).rev();
    let next = after.find(|&word| !edited[at(word)]);
    let Some(mut next) = next.or_else(|| before.find(|&word| !edited[at(word)])) else { return 0 };
    while heads[at(next)] > next {
        next = heads[at(next)];
    }
    next
}

/// Notes which words are edited in MISC, and what is left of the text as a comment.
pub(super) fn note(sent: &mut Sentence) {
    let Ok(edited) = edited_words(sent) else { return };
    let rows: Vec<usize> = sent.words().map(|word| word.index()).collect();
    for (row, &edited) in rows.into_iter().zip(&edited) {
        sent.set_attribute(row, Column::Misc, "Edited", edited.then_some("Yes"));
    }
    if edited.contains(&true) {
        let text = fluent_text(sent, &edited);
        sent.set_comment("fluent_text", &text);
    } else {
        sent.retain_comments(|line| {
            !line.trim_start_matches(['#', ' ']).starts_with("fluent_text =")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_words_keep_arcs_among_themselves_and_hang_on_the_repair() {
        use Action::{Edit, Left, Reduce, Right, Shift};
        // "go right er to the left": "right" and "er" are edited.
        let reparandum = 9;
        let history =
            [(Shift, 0), (Right, 1), (Right, 2), (Reduce, 0), (Edit, 0), (Shift, 0), (Shift, 0)];
        let rest = [(Left, 3), (Left, 4), (Right, 5), (Reduce, 0), (Left, 6)];
        let history: Vec<_> = history.into_iter().chain(rest).collect();
        let (mut heads, mut labels) = (vec![0, 2, 3, 6, 6, 1], vec![6, 0, 0, 4, 3, 5]);
        attach_edited((&mut heads, &mut labels), &history, reparandum);
        assert_eq!(heads, [0, 6, 2, 6, 6, 1]);
        assert_eq!(labels, [6, 9, 2, 4, 3, 5]);
    }

    #[test]
    fn fluent_words_form_a_projective_tree_of_their_own() {
        let tree = Tree::new(&[3, 4, 0, 3, 4]).unwrap();
        let edited = [false, true, false, false, true];
        assert_eq!(heads_with_edits(&tree, &edited), [3, 2, 0, 3, 5]);
    }
}
