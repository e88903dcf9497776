//! Tagger and lemmatiser from treebank to columns, on the synthetic language.

use std::sync::Arc;

use spantree::lemma::{self, LemmaError, LemmaOptions, Lemmatiser, LemmatiserTrainer};
use spantree::model::{Container, ModelError, Sections};
use spantree::tag::{
    self, Clusters, Dictionary, TagOptions, Tagger, TaggerConfig, TaggerTrainer, TrainError, Update,
};
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence};

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

fn config() -> TaggerConfig {
    TaggerConfig { epochs: 4, ..TaggerConfig::default() }
}

fn train(config: TaggerConfig) -> Tagger {
    TaggerTrainer::new(config).train(&treebank(1, 300), &treebank(2, 60), &mut |_| ()).unwrap()
}

fn lemmatiser() -> Lemmatiser {
    LemmatiserTrainer::default().train(&treebank(1, 300), &treebank(2, 60), &mut |_, _| ()).unwrap()
}

/// The tagger in a model of its own.
fn container(tagger: &Tagger) -> Container {
    let mut sections = Sections::default();
    tagger.write_sections("t.", &mut sections).unwrap();
    sections.into_container("test", tagger.header()).unwrap()
}

fn bytes(container: &Container, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("spantree-tagger-{name}-{}", std::process::id()));
    container.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

fn text(sent: &Sentence, column: Column) -> Vec<&str> {
    sent.words().map(|word| word.get(column)).collect()
}

#[test]
fn every_learner_learns_the_synthetic_language() {
    for update in [
        Update::Perceptron,
        Update::PassiveAggressive { aggressiveness: 0.01 },
        Update::Crf { step: 0.1, l2: 0.0 },
    ] {
        let scores = train(TaggerConfig { update, ..config() }).header().dev.unwrap();
        assert!(scores.upos > 97.0 && scores.feats > 95.0, "{update:?}: {scores:?}");
    }
}

#[test]
fn lemmas_of_the_synthetic_language_are_learned_and_kept() {
    let lemmatiser = lemmatiser();
    assert!(lemmatiser.header().dev.unwrap() > 97.0, "{:?}", lemmatiser.header().dev);
    let mut sent = treebank(3, 1).remove(0);
    sent.set(1, Column::Lemma, "given");
    lemmatiser.worker().lemmatise(&mut sent, &LemmaOptions { keep: true });
    assert_eq!(sent.word(1).lemma(), "given");
    lemmatiser.worker().lemmatise(&mut sent, &LemmaOptions::default());
    assert_ne!(sent.word(1).lemma(), "given");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let first = bytes(&container(&train(config())), "first");
    assert!(first == bytes(&container(&train(config())), "second"));
    assert!(first != bytes(&container(&train(TaggerConfig { seed: 2, ..config() })), "other"));
    let sections = |lemmatiser: &Lemmatiser| {
        let mut sections = Sections::default();
        lemmatiser.write_sections("", &mut sections).unwrap();
        bytes(&sections.into_container("lemmas", lemmatiser.header()).unwrap(), "lemmas")
    };
    assert!(sections(&lemmatiser()) == sections(&lemmatiser()));
}

#[test]
fn a_loaded_model_tags_like_the_trained_one_whatever_came_before() {
    let trained = train(config());
    let (container, header): (_, tag::Header) =
        Container::from_bytes("copy", &bytes(&container(&trained), "load")).unwrap();
    let loaded = Tagger::new(Arc::new(container), "t.", header).unwrap();
    let options = TagOptions { confidence: true, ..TagOptions::default() };
    // One worker has seen other sentences before each; its caches must not matter.
    let mut used = trained.worker();
    for mut sent in treebank(4, 40) {
        let mut copy = sent.clone();
        let expected = loaded.worker().tag(&mut copy, &options).to_vec();
        assert_eq!(used.tag(&mut sent, &options), expected);
        for column in [Column::Upos, Column::Xpos, Column::Feats] {
            assert_eq!(text(&sent, column), text(&copy, column));
        }
    }
}

#[test]
fn given_columns_are_kept_and_the_others_go_with_them() {
    let tagger = train(config());
    let mut worker = tagger.worker();
    let keep = TagOptions { keep_upos: true, ..TagOptions::default() };
    for gold in treebank(5, 30) {
        let mut sent = gold.clone();
        for number in 1..=sent.len() as u32 {
            sent.set(number, Column::Feats, "_");
            sent.set(number, Column::Misc, "Kept=Yes");
        }
        worker.tag(&mut sent, &keep);
        assert_eq!(text(&sent, Column::Upos), text(&gold, Column::Upos));
        for word in sent.words() {
            assert_eq!(word.get(Column::Misc), "Kept=Yes");
            let tag =
                |tag: &&[String; 3]| tag[0] == word.upos() && tag[2] == word.get(Column::Feats);
            assert!(tagger.tagset().names().iter().any(|name| tag(&name)), "{}", word.form());
        }
    }
    let mut sent = treebank(5, 1).remove(0);
    sent.set(1, Column::Upos, "STRANGE");
    worker.tag(&mut sent, &keep);
    assert_eq!(sent.word(1).upos(), "STRANGE");
}

#[test]
fn dictionaries_restrict_and_clusters_are_learned_from() {
    let tagger = train(config());
    let mut sent = treebank(6, 1).remove(0);
    let form = sent.word(1).form().to_owned();
    let dictionary = Dictionary::read("d", &format!("{form}\tINTJ\n{form}\tVERB\n")).unwrap();
    tagger.worker().with_dictionary(&dictionary).tag(&mut sent, &TagOptions::default());
    assert!(["INTJ", "VERB"].contains(&sent.word(1).upos()), "{}", sent.word(1).upos());
    // Clusters that give the UPOS away must help.
    let mut list = String::new();
    for word in treebank(1, 300).iter().chain(&treebank(2, 60)).flat_map(Sentence::words) {
        list += &format!("{}\t{}\n", word.form(), word.upos());
    }
    let clusters = Some(Clusters::read("c", &list).unwrap());
    let with = train(TaggerConfig { clusters, ..config() });
    assert!(with.header().clusters);
    let (with, without) = (with.header().dev.unwrap(), tagger.header().dev.unwrap());
    assert!(with.upos > without.upos, "{with:?} {without:?}");
}

#[test]
fn confidences_are_probabilities_and_mean_something() {
    let tagger = train(config());
    let mut worker = tagger.worker();
    let options = TagOptions { confidence: true, ..TagOptions::default() };
    let (mut right, mut wrong) = ((0.0, 0.0), (0.0, 0.0));
    for gold in treebank(7, 150) {
        let mut guess = gold.clone();
        let confidences = worker.tag(&mut guess, &options);
        assert_eq!(confidences.len(), gold.len());
        for ((gold, guess), c) in gold.words().zip(guess.words()).zip(confidences) {
            assert!([c.upos, c.xpos, c.feats].iter().all(|p| (0.0..=1.0).contains(p)), "{c:?}");
            let sum = if gold.upos() == guess.upos() { &mut right } else { &mut wrong };
            *sum = (sum.0 + f64::from(c.upos), sum.1 + 1.0);
        }
    }
    assert!(right.0 / right.1 > wrong.0 / wrong.1 + 0.1, "{right:?} {wrong:?}");
}

#[test]
fn columns_never_filled_are_left_alone() {
    let mut data = treebank(1, 40);
    for sent in &mut data {
        for number in 1..=sent.len() as u32 {
            sent.set(number, Column::Feats, "_");
            sent.set(number, Column::Lemma, "_");
        }
    }
    let tagger = TaggerTrainer::new(config()).train(&data, &[], &mut |_| ()).unwrap();
    let mut sent = treebank(8, 1).remove(0);
    let feats: Vec<_> = text(&sent, Column::Feats).iter().map(|&f| f.to_owned()).collect();
    tagger.worker().tag(&mut sent, &TagOptions::default());
    assert_eq!(text(&sent, Column::Feats), feats);
    let error = LemmatiserTrainer::default().train(&data, &[], &mut |_, _| ()).unwrap_err();
    assert!(matches!(error, LemmaError::NoLemmas));
}

#[test]
fn empty_tiny_and_strange_sentences() {
    let (tagger, lemmatiser) = (train(config()), lemmatiser());
    let (mut worker, mut lemmas) = (tagger.worker(), lemmatiser.worker());
    let options = TagOptions { confidence: true, ..TagOptions::default() };
    assert!(worker.tag(&mut Sentence::new(), &options).is_empty());
    let mut sent = Sentence::new();
    for form in ["_", "🙂", "İ", "\u{301}", "  ", &"x".repeat(100_000), "字字字", "\u{0}"] {
        sent.push_word(form);
    }
    assert_eq!(worker.tag(&mut sent, &options).len(), sent.len());
    lemmas.lemmatise(&mut sent, &LemmaOptions::default());
    assert!(sent.words().all(|word| word.upos() != "_" && !word.lemma().is_empty()));
    for _ in 0..5000 {
        sent.push_word("go");
    }
    worker.tag(&mut sent, &options);
    // One sentence of one word is enough to train on.
    let one = [Sentence::from_words(&[("a", "X", 0, "root")])];
    let tagger = TaggerTrainer::new(config()).train(&one, &[], &mut |_| ()).unwrap();
    tagger.worker().tag(&mut sent, &options);
    assert_eq!(sent.word(2).upos(), "X");
}

#[test]
fn data_that_cannot_be_learned_from_get_a_sentence() {
    let message = |train: &[Sentence]| {
        TaggerTrainer::default().train(train, &[], &mut |_| ()).unwrap_err().to_string()
    };
    assert!(message(&[]).contains("no sentence"));
    assert!(message(&[Sentence::new()]).contains("no sentence"));
    assert!(message(&[Sentence::from_words(&[("a", "_", 0, "root")])]).contains("no UPOS"));
    let none = TaggerTrainer::new(TaggerConfig { epochs: 0, ..config() });
    let error = none.train(&treebank(1, 3), &[], &mut |_| ()).unwrap_err();
    assert!(matches!(error, TrainError::NoEpoch));
}

#[test]
fn hostile_models_are_refused() {
    let tagger = train(config());
    let load = |change: &dyn Fn(&mut tag::Header), prefix: &str| {
        let mut header = tagger.header().clone();
        change(&mut header);
        Tagger::new(Arc::new(container(&tagger)), prefix, header)
    };
    assert!(load(&|_| (), "t.").is_ok());
    assert!(matches!(load(&|_| (), "u."), Err(ModelError::Invalid { .. })));
    for change in [
        |header: &mut tag::Header| header.tags.clear(),
        |header: &mut tag::Header| header.tags.truncate(3),
        |header: &mut tag::Header| header.tags.resize(70_000, Default::default()),
        |header: &mut tag::Header| header.clusters = true,
        |header: &mut tag::Header| header.inverse_temperature = f32::NAN,
        |header: &mut tag::Header| header.inverse_temperature = -1.0,
    ] {
        assert!(matches!(load(&change, "t."), Err(ModelError::Invalid { .. })));
    }
    let lemmatiser = lemmatiser();
    let mut sections = Sections::default();
    lemmatiser.write_sections("", &mut sections).unwrap();
    let container = Arc::new(sections.into_container("test", &"").unwrap());
    let load = |change: &dyn Fn(&mut lemma::Header)| {
        let mut header = lemmatiser.header().clone();
        change(&mut header);
        Lemmatiser::new(container.clone(), "", header)
    };
    assert!(load(&|_| ()).is_ok());
    for change in [
        |header: &mut lemma::Header| header.scripts[0] = "?".to_owned(),
        |header: &mut lemma::Header| header.scripts.truncate(1),
        |header: &mut lemma::Header| header.general = 0,
        |header: &mut lemma::Header| header.general = usize::MAX,
    ] {
        assert!(matches!(load(&change), Err(ModelError::Invalid { .. })));
    }
}
