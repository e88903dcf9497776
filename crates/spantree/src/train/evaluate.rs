//! Attachment scores on the development set, for early stopping and the model's header.

use spantree_treebank::Sentence;

use crate::graph::{ParseOptions, Parser};
use crate::model::DevScores;

/// UAS and LAS over all words; relations are cut at the colon.
pub(super) fn attachment(parser: &Parser, dev: &[Sentence]) -> DevScores {
    let (mut words, mut heads, mut both) = (0, 0, 0);
    let mut worker = parser.worker();
    let mut parsed = Sentence::new();
    for gold in dev {
        parsed.clone_from(gold);
        if worker.parse(&mut parsed, &ParseOptions::default()).is_err() {
            continue;
        }
        for (gold, guess) in gold.words().zip(parsed.words()) {
            let right = gold.head() == guess.head();
            words += 1;
            heads += usize::from(right);
            both += usize::from(right && gold.universal_deprel() == guess.universal_deprel());
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / words.max(1) as f64;
    DevScores { words, uas: percent(heads), las: percent(both) }
}
