//! What speakers took back: the words of a UD tree that a later repair replaces.
//!
//! UD attaches them to the repair by the relation `reparandum`; all words below such an arc are *edited*, the others *fluent*.
//! O(n · depth).

use crate::{Sentence, TreeError};

/// The relation of an edited word to its repair.
pub const REPARANDUM: &str = "reparandum";

/// Whether each word is edited.
///
/// # Errors
/// When the heads are no tree.
pub fn edited_words(sent: &Sentence) -> Result<Vec<bool>, TreeError> {
    let tree = sent.tree()?;
    let is_top = |word: u32| word != 0 && sent.word(word).universal_deprel() == REPARANDUM;
    let below = |word: u32| is_top(word) || tree.ancestors(word).any(is_top);
    Ok((1..=sent.len() as u32).map(below).collect())
}

/// The forms of the fluent words with spaces between them, or as MISC has it (`SpaceAfter=No`).
#[must_use]
pub fn fluent_text(sent: &Sentence, edited: &[bool]) -> String {
    let mut text = String::new();
    for (word, _) in sent.words().zip(edited).filter(|(_, edited)| !**edited) {
        text.push_str(word.form());
        if word.space_after() {
            text.push(' ');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_below_a_reparandum_is_edited() {
        let sent = Sentence::from_words(&[
            ("go", "VERB", 0, "root"),
            ("to", "ADP", 4, "case"),
            ("the", "DET", 4, "det"),
            ("right", "NOUN", 7, "reparandum:repair"),
            ("to", "ADP", 7, "case"),
            ("the", "DET", 7, "det"),
            ("left", "NOUN", 1, "obl"),
        ]);
        let edited = edited_words(&sent).unwrap();
        assert_eq!(edited, [false, true, true, true, false, false, false]);
        assert_eq!(fluent_text(&sent, &edited), "go to the left");
    }
}
