//! Tags and lemmas of the training data by stages that did not learn from them (jack-knifing).
//!
//! The parser must see tags and lemmas in training as it will get them: as often wrong, and the tagger as unsure of them. So the
//! training data are cut into folds, and each is tagged and lemmatised by a tagger and a lemmatiser of the others.

use spantree_learn::{Fold, jackknife, predict_folds};
use spantree_treebank::Sentence;

use super::train::{PipelineConfig, PipelineTrainError};
use crate::lemma::{LemmaError, LemmaOptions, LemmatiserConfig, LemmatiserTrainer};
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

/// Tags `train`, and lemmatises it if asked, in folds. Taggers also learn from `others`. Beliefs are about tags of `tagset`, which
/// has all of these data.
pub(super) fn predict(
    config: &PipelineConfig,
    (train, others): (&[Sentence], &[Sentence]),
    (tagset, lemmatise): (&TagSet, bool),
) -> Result<Tagged, PipelineTrainError> {
    let folds = jackknife(train.len(), config.folds.clamp(2, train.len().max(2)));
    let numbers = tagset.numbers();
    let mut items: Vec<_> = train.iter().map(|sent| (sent.clone(), Beliefs::default())).collect();
    let predict = |fold: &Fold, held_out: &mut [(Sentence, Beliefs)]| {
        let gold = fold.training().map(|index| &train[index]);
        let rest: Vec<_> = gold.clone().chain(others).cloned().collect();
        let tagger = tagger_trainer(config).train(&rest, &[], &mut |_| ())?;
        let tagger = tagger.calibrated(&train[fold.held_out.clone()]);
        let mut worker = tagger.worker();
        for (sent, beliefs) in &mut *held_out {
            worker.tag(sent, &TagOptions::default());
            worker.write_beliefs(beliefs);
            *beliefs = beliefs.renumbered(tagger.tagset(), &numbers);
        }
        if lemmatise {
            let gold: Vec<_> = gold.cloned().collect();
            lemmatise_unseen(config, &gold, held_out)?;
        }
        Ok::<_, PipelineTrainError>(())
    };
    predict_folds(&folds.unwrap_or_default(), &mut items, config.parser.threads, predict)?;
    Ok(items.into_iter().collect())
}

fn tagger_trainer(config: &PipelineConfig) -> TaggerTrainer {
    let epochs = config.tagger.epochs.min(FOLD_EPOCHS);
    let seed = config.parser.seed;
    TaggerTrainer::new(TaggerConfig { seed, epochs, ..config.tagger.clone() })
}

fn lemmatise_unseen(
    config: &PipelineConfig,
    gold: &[Sentence],
    unseen: &mut [(Sentence, Beliefs)],
) -> Result<(), PipelineTrainError> {
    let settings = LemmatiserConfig { seed: config.parser.seed, ..LemmatiserConfig::default() };
    let lemmatiser = match LemmatiserTrainer::new(settings).train(gold, &[], &mut |_, _| ()) {
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
    use spantree_treebank::{Column, Generator, GeneratorConfig};

    use super::*;
    use crate::lemma::Lemmatiser;
    use crate::tag::tagset::columns;

    fn treebank() -> Vec<Sentence> {
        Generator::new(GeneratorConfig::default()).take(120).collect()
    }

    fn config(threads: usize) -> PipelineConfig {
        let mut config = PipelineConfig { folds: 4, ..PipelineConfig::default() };
        config.parser.threads = threads;
        config
    }

    /// Words whose column is not that of the treebank.
    fn wrong(gold: &[Sentence], tagged: &[Sentence], column: Column) -> usize {
        let words = gold.iter().zip(tagged).flat_map(|(a, b)| a.words().zip(b.words()));
        words.filter(|(a, b)| a.get(column) != b.get(column)).count()
    }

    #[test]
    fn tags_and_lemmas_are_of_stages_that_did_not_see_them() {
        let gold = treebank();
        let tagset = TagSet::from_treebank(&gold).unwrap();
        let tagged = predict(&config(2), (&gold, &[]), (&tagset, true)).unwrap();
        let tagger = tagger_trainer(&config(1)).train(&gold, &[], &mut |_| ()).unwrap();
        let lemmatiser: Lemmatiser =
            LemmatiserTrainer::default().train(&gold, &[], &mut |_, _| ()).unwrap();
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
        let tagged = predict(&config(1), (&gold, &[]), (&tagset, false)).unwrap();
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
        let two = predict(&config(2), (&gold, &[]), (&tagset, false)).unwrap();
        assert_eq!(tagged.beliefs, two.beliefs, "on any number of threads");
    }

    #[test]
    fn folds_without_lemmas_keep_what_they_have() {
        let mut gold = treebank();
        for sent in &mut gold[30..] {
            (1..=sent.len() as u32).for_each(|word| sent.set(word, Column::Lemma, "_"));
        }
        let tagset = TagSet::from_treebank(&gold).unwrap();
        let tagged = predict(&config(1), (&gold, &[]), (&tagset, true)).unwrap();
        assert_eq!(wrong(&gold[..30], &tagged.sentences[..30], Column::Lemma), 0);
    }
}
