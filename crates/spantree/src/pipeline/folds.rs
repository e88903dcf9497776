//! Tags and lemmas of the training data by stages that did not learn from them (jack-knifing).
//!
//! The parser must see tags and lemmas in training as it will get them: as often wrong, and the tagger as unsure of them. So the
//! training data are cut into folds, and each is tagged and lemmatised by a tagger and a lemmatiser of the others.

use spantree_learn::{Fold, predict_folds};
use spantree_treebank::Sentence;

use super::train::{PipelineConfig, PipelineTrainError, lemmatiser_trainer};
use crate::lemma::{LemmaError, LemmaOptions};
use crate::tag::{Beliefs, TagOptions, TagSet, TaggerConfig, TaggerTrainer};

/// After so many epochs a tagger is close to its best; the taggers of the folds need not be.
const FOLD_EPOCHS: u64 = 4;

/// Sentences with predicted tags, and what the tagger thinks of each.
#[derive(Debug, Default)]
pub(super) struct Tagged {
    pub(super) sentences: Vec<Sentence>,
    pub(super) beliefs: Vec<Beliefs>,
}

impl FromIterator<(Sentence, Beliefs)> for Tagged {
    fn from_iter<I: IntoIterator<Item = (Sentence, Beliefs)>>(items: I) -> Self {
        let (sentences, beliefs) = items.into_iter().unzip();
        Self { sentences, beliefs }
    }
}

/// How the folds are to be annotated.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The tags that beliefs are about; it has all those of the training data.
    pub(super) tagset: &'a TagSet,
    /// Whether probabilities are calibrated, as those of the final tagger are if there is a development set.
    pub(super) calibrated: bool,
    /// Whether lemmas are predicted, too.
    pub(super) lemmas: bool,
}

/// Tags `train` in these folds. Taggers also learn from `others`.
pub(super) fn predict(
    config: &PipelineConfig,
    folds: &[Fold],
    (train, others): (&[Sentence], &[Sentence]),
    wanted: Wanted<'_>,
) -> Result<Tagged, PipelineTrainError> {
    let numbers = wanted.tagset.numbers();
    let mut items: Vec<_> = train.iter().map(|sent| (sent.clone(), Beliefs::default())).collect();
    let predict = |fold: &Fold, held_out: &mut [(Sentence, Beliefs)]| {
        let gold = fold.training().map(|index| &train[index]);
        let rest: Vec<_> = gold.chain(others).cloned().collect();
        let mut tagger = fold_trainer(config).train(&rest, &[], &mut |_| ())?;
        if wanted.calibrated {
            tagger = tagger.calibrated(&train[fold.held_out.clone()]);
        }
        let mut worker = tagger.worker();
        for (sent, beliefs) in &mut *held_out {
            worker.tag(sent, &TagOptions::default());
            worker.write_beliefs(beliefs);
            *beliefs = beliefs.renumbered(tagger.tagset(), &numbers);
        }
        let gold = &rest[..train.len() - held_out.len()];
        if wanted.lemmas { lemmatise_unseen(config, gold, held_out) } else { Ok(()) }
    };
    predict_folds(folds, &mut items, config.parser.threads, predict)?;
    Ok(items.into_iter().collect())
}

fn fold_trainer(config: &PipelineConfig) -> TaggerTrainer {
    let epochs = config.tagger.epochs.min(FOLD_EPOCHS);
    let seed = config.parser.seed;
    TaggerTrainer::new(TaggerConfig { seed, epochs, ..config.tagger.clone() })
}

fn lemmatise_unseen(
    config: &PipelineConfig,
    gold: &[Sentence],
    unseen: &mut [(Sentence, Beliefs)],
) -> Result<(), PipelineTrainError> {
    let lemmatiser = match lemmatiser_trainer(config).train(gold, &[], &mut |_, _| ()) {
        // All lemmas are in the fold at hand.
        Err(LemmaError::NoLemmas) => return Ok(()),
        trained => trained?,
    };
    let mut worker = lemmatiser.worker();
    for (sent, _) in unseen {
        worker.lemmatise(sent, &LemmaOptions { keep: false });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spantree_learn::jackknife;
    use spantree_treebank::{Column, Generator, GeneratorConfig};

    use super::*;
    use crate::tag::tagset::columns;

    fn treebank() -> Vec<Sentence> {
        Generator::new(GeneratorConfig::default()).take(120).collect()
    }

    fn config(threads: usize) -> PipelineConfig {
        let mut config = PipelineConfig::default();
        config.parser.threads = threads;
        config
    }

    fn in_four_folds(threads: usize, gold: &[Sentence], lemmas: bool) -> Tagged {
        let tagset = TagSet::from_treebank(gold).unwrap();
        let wanted = Wanted { tagset: &tagset, calibrated: true, lemmas };
        let folds = jackknife(gold.len(), 4).unwrap();
        predict(&config(threads), &folds, (gold, &[]), wanted).unwrap()
    }

    /// Words whose column is not that of the treebank.
    fn wrong(gold: &[Sentence], tagged: &[Sentence], column: Column) -> usize {
        let words = gold.iter().zip(tagged).flat_map(|(a, b)| a.words().zip(b.words()));
        words.filter(|(a, b)| a.get(column) != b.get(column)).count()
    }

    #[test]
    fn tags_and_lemmas_are_of_stages_that_did_not_see_them() {
        let gold = treebank();
        let tagged = in_four_folds(2, &gold, true);
        let tagger = fold_trainer(&config(1)).train(&gold, &[], &mut |_| ()).unwrap();
        let lemmatiser = lemmatiser_trainer(&config(1)).train(&gold, &[], &mut |_, _| ()).unwrap();
        let mut seen = gold.clone();
        for sent in &mut seen {
            tagger.worker().tag(sent, &TagOptions::default());
            lemmatiser.worker().lemmatise(sent, &LemmaOptions { keep: false });
        }
        for column in [Column::Upos, Column::Lemma] {
            let counts = [&tagged.sentences, &seen].map(|some| wrong(&gold, some, column));
            assert!(counts[0] > counts[1], "{column:?} {counts:?}");
        }
    }

    #[test]
    fn beliefs_are_about_the_chosen_tags_under_the_numbers_of_the_whole() {
        let gold = treebank();
        let tagset = TagSet::from_treebank(&gold).unwrap();
        let tagged = in_four_folds(1, &gold, false);
        let numbers = tagset.numbers();
        let (mut likeliest, mut words) = (0, 0);
        for (sent, beliefs) in tagged.sentences.iter().zip(&tagged.beliefs) {
            assert_eq!(beliefs.words(), sent.len());
            for (index, word) in sent.words().enumerate() {
                let chosen = numbers[&columns(word)];
                let best = beliefs.word(index).iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                let sum: f32 = beliefs.word(index).iter().map(|&(_, chance)| chance).sum();
                assert!((sum - 1.0).abs() < 1e-4, "{sum}");
                likeliest += usize::from(best.0 == chosen);
                words += 1;
            }
        }
        // The best path need not have the likeliest tag of every word.
        assert!(likeliest * 100 > words * 98, "{likeliest} of {words}");
        let two = in_four_folds(2, &gold, false);
        assert_eq!(tagged.beliefs, two.beliefs, "on any number of threads");
    }

    #[test]
    fn folds_without_lemmas_keep_what_they_have() {
        let mut gold = treebank();
        for sent in &mut gold[30..] {
            (1..=sent.len() as u32).for_each(|word| sent.set(word, Column::Lemma, "_"));
        }
        let tagged = in_four_folds(1, &gold, true);
        assert_eq!(wrong(&gold[..30], &tagged.sentences[..30], Column::Lemma), 0);
    }
}
