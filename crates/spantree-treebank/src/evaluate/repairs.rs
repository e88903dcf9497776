//! Words that speakers took back, found and missed (Honnibal and Johnson 2014 count the same).

use super::comparison::Comparison;
use super::score::Score;
use super::side::Side;
use crate::repairs::{REPARANDUM, edited_words};

impl Comparison<'_> {
    /// Edited words; see [`crate::repairs`]. `None` when gold has none.
    #[must_use]
    pub fn repairs(&self) -> Option<Score> {
        let gold = edited(&self.gold)?;
        let system = edited(&self.system).unwrap_or_default();
        let count = |words: &[bool]| words.iter().filter(|&&edited| edited).count() as u64;
        let both = |&&(g, s): &&(u32, u32)| {
            gold[g as usize] && system.get(s as usize).copied().unwrap_or(false)
        };
        let correct = self.pairs.iter().filter(both).count() as u64;
        Some(Score { gold: count(&gold), system: count(&system), correct, aligned: None })
    }
}

/// Whether each word is edited, if any is.
fn edited(side: &Side<'_>) -> Option<Vec<bool>> {
    side.words.iter().find(|word| word.relation == REPARANDUM)?;
    // Trees were checked when the side was made.
    let sentences = side.document.sentences().iter();
    Some(sentences.flat_map(|sent| edited_words(sent).unwrap_or_default()).collect())
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Comparison, Document, Roots, Score};
    use crate::sentence::Sentence;

    #[test]
    fn edited_words_are_counted_on_both_sides() {
        let sentence = |relations: [&str; 4], heads: [u32; 4]| {
            let forms = ["I", "mean", "we", "go"];
            let words = (0..4).map(|at| (forms[at], "X", heads[at], relations[at]));
            Sentence::from_words(&words.collect::<Vec<_>>())
        };
        let gold = sentence(["nsubj", "reparandum", "nsubj", "root"], [2, 4, 4, 0]);
        let guess = sentence(["nsubj", "dep", "reparandum", "root"], [4, 3, 4, 0]);
        let document = |sent: &Sentence| Document::new("test", vec![sent.clone()]);
        let (gold, guess) = (document(&gold), document(&guess));
        let score = |gold, system| Comparison::by_text(gold, system, Roots::One).unwrap().repairs();
        let expected = Score { gold: 2, system: 2, correct: 1, aligned: None };
        assert_eq!(score(&gold, &guess), Some(expected));
        let plain = document(&sentence(["nsubj", "dep", "nsubj", "root"], [2, 4, 4, 0]));
        assert_eq!(score(&plain, &guess), None);
        assert_eq!(score(&gold, &plain).map(|score| score.system), Some(0));
    }
}
