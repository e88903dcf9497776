//! Parsers of the second and third order, from treebank to trees, on generated sentences.

use spantree::graph::{Decoder, Grandchildren, Parser};
use spantree::model::ModelError;
use spantree::parser::{ParseOptions, ParseWarning};
use spantree::train::{LearnerConfig, Progress, Rule, TrainConfig, Trainer};
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence};

fn treebank(seed: u64, count: usize, non_projective: f64) -> Vec<Sentence> {
    let config = GeneratorConfig { seed, non_projective, ..GeneratorConfig::default() };
    Generator::new(config).take(count).collect()
}

fn config(decoder: Decoder, order: u32) -> TrainConfig {
    let (epochs, label_epochs) = (4, 2);
    TrainConfig {
        decoder: Some(decoder),
        order,
        epochs,
        label_epochs,
        max_bits: 17,
        ..TrainConfig::default()
    }
}

fn crossing(decoder: Decoder) -> f64 {
    if decoder == Decoder::Mst { 0.6 } else { 0.0 }
}

fn train(decoder: Decoder, order: u32) -> Parser {
    let share = crossing(decoder);
    let (train, dev) = (treebank(1, 150, share), treebank(2, 50, share));
    Trainer::new(config(decoder, order)).train(&train, &dev, &mut |_| ()).unwrap()
}

#[test]
fn likelihoods_and_numbers_of_modifiers_are_learned() {
    let (data, dev) = (treebank(1, 150, 0.0), treebank(2, 50, 0.0));
    let learner = LearnerConfig { rule: Some(Rule::LogLinear), ..LearnerConfig::default() };
    for config in [
        TrainConfig { learner, ..config(Decoder::Eisner, 2) },
        TrainConfig { learner, ..config(Decoder::Eisner, 3) },
        TrainConfig { valency: true, ..config(Decoder::Cube, 2) },
    ] {
        let [one, same] =
            [(); 2].map(|()| Trainer::new(config.clone()).train(&data, &dev, &mut |_| ()).unwrap());
        assert!(one.info().dev.unwrap().las > 95.0, "{:?}", one.info().dev);
        assert_eq!(one.info().templates.part.contains("valency"), config.valency);
        assert!(bytes(&one, "one") == bytes(&same, "same"), "the same seed, the same bytes");
    }
    // Sums over trees are those of projective ones.
    let crossing = TrainConfig { learner, ..config(Decoder::Mst, 2) };
    let error = Trainer::new(crossing).train(&data, &dev, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("log-linear"), "{error}");
}

/// A copy without heads and relations.
fn bare(sent: &Sentence) -> Sentence {
    let mut bare = sent.clone();
    for word in 1..=sent.len() as u32 {
        bare.set_head(word, None);
        bare.set(word, Column::Deprel, "_");
    }
    bare
}

fn bytes(parser: &Parser, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("spantree-higher-{name}-{}", std::process::id()));
    parser.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

#[test]
fn higher_orders_learn_at_least_what_the_first_does() {
    for decoder in [Decoder::Eisner, Decoder::Mst] {
        let [first, second, third] =
            [1, 2, 3].map(|order| train(decoder, order).info().dev.unwrap().las);
        assert!(second > first - 0.5 && third > first - 0.5, "{first} {second} {third}");
    }
    let outermost =
        TrainConfig { grandchildren: Grandchildren::Outermost, ..config(Decoder::Eisner, 2) };
    let (data, dev) = (treebank(1, 150, 0.0), treebank(2, 50, 0.0));
    let outermost = Trainer::new(outermost).train(&data, &dev, &mut |_| ()).unwrap();
    assert!(outermost.info().templates.part.contains("first.upos"));
    let [first, outermost] = [&train(Decoder::Eisner, 1), &outermost];
    let [first, outermost] = [first, outermost].map(|parser| parser.info().dev.unwrap().las);
    assert!(outermost > first - 0.5, "{first} {outermost}");
    let [exact, cube] = [Decoder::Eisner, Decoder::Cube].map(|decoder| train(decoder, 3));
    let [exact, cube] = [exact, cube].map(|parser| parser.info().dev.unwrap().las);
    assert!(cube > exact - 1.0, "{cube} with cube pruning, {exact} exactly");
}

#[test]
fn most_arcs_are_pruned_and_hardly_any_gold_arc_is() {
    let data = treebank(1, 150, 0.0);
    let mut seen = None;
    let mut watch = |progress| {
        if let Progress::Pruned { share, recall, .. } = progress {
            seen = Some((share, recall));
        }
    };
    Trainer::new(config(Decoder::Eisner, 2)).train(&data, &[], &mut watch).unwrap();
    let (share, recall) = seen.unwrap();
    assert!(share < 50.0, "{share} % of the arcs");
    assert!(recall > 98.0, "{recall} %");
}

#[test]
fn a_loaded_model_parses_like_the_trained_one() {
    let options = ParseOptions { confidence: true, k_best: 4, ..ParseOptions::default() };
    for (decoder, order) in [(Decoder::Eisner, 3), (Decoder::Mst, 2), (Decoder::Cube, 3)] {
        let trained = train(decoder, order);
        let model = bytes(&trained, "load");
        assert!(model == bytes(&train(decoder, order), "again"), "the same seed, the same bytes");
        let loaded = Parser::from_bytes("copy", &model).unwrap();
        assert_eq!(trained.info(), loaded.info());
        let (mut one, mut other) = (trained.worker(), loaded.worker());
        for mut sent in treebank(3, 20, crossing(decoder)) {
            let expected = one.parse(&mut sent.clone(), &options).unwrap().clone();
            let found = other.parse(&mut sent, &options).unwrap();
            assert_eq!(found.trees, expected.trees);
            assert_eq!(found.confidences, expected.confidences);
        }
    }
}

#[test]
fn interrupted_training_ends_in_the_same_model() {
    let (train, dev) = (treebank(1, 80, 0.0), treebank(2, 30, 0.0));
    let path = std::env::temp_dir().join(format!("spantree-higher-resume-{}", std::process::id()));
    let plain = config(Decoder::Eisner, 2);
    let whole = Trainer::new(plain.clone()).train(&train, &dev, &mut |_| ()).unwrap();
    let kept = TrainConfig { checkpoint: Some(path.clone()), resume: true, ..plain };
    let mut saved = Vec::new();
    let mut keep = |progress| {
        if matches!(progress, Progress::TreeEpoch { epoch: 2, .. }) {
            saved = std::fs::read(&path).unwrap();
        }
    };
    let short = TrainConfig { epochs: 2, ..kept.clone() };
    Trainer::new(short).train(&train, &dev, &mut keep).unwrap();
    std::fs::write(&path, saved).unwrap();
    let resumed = Trainer::new(kept).train(&train, &dev, &mut |_| ()).unwrap();
    assert!(bytes(&whole, "whole") == bytes(&resumed, "resumed"));
}

#[test]
fn lists_are_sorted_and_confidences_are_probabilities() {
    let options = ParseOptions { confidence: true, k_best: 5, ..ParseOptions::default() };
    for decoder in [Decoder::Eisner, Decoder::Mst, Decoder::Cube] {
        let parser = train(decoder, 2);
        let mut worker = parser.worker();
        for mut sent in treebank(4, 20, crossing(decoder)) {
            let mut alone = sent.clone();
            let best = worker.parse(&mut alone, &ParseOptions::default()).unwrap().trees[0].score;
            let analysis = worker.parse(&mut sent, &options).unwrap();
            assert!(analysis.trees[0].score >= best);
            let pairs = analysis.trees.windows(2);
            assert!(pairs.into_iter().all(|p| p[0].score >= p[1].score && p[0] != p[1]));
            let logs = analysis.trees.iter().filter_map(|tree| tree.log_probability);
            let total: f64 = logs.map(f64::exp).sum();
            assert!(total > 0.0, "{total}");
            // Sums are exact in exact search.
            assert!(decoder != Decoder::Eisner || total <= 1.0 + 1e-6, "{total}");
            assert_eq!(analysis.confidences.len(), sent.len());
            let between = |c: f32| (0.0..=1.0).contains(&c);
            assert!(analysis.confidences.iter().all(|c| between(c.head) && between(c.label)));
        }
    }
}

#[test]
fn given_heads_are_kept_though_pruning_or_projectivity_is_against_them() {
    check_given_heads(Decoder::Eisner);
    check_given_heads(Decoder::Cube);
}

fn check_given_heads(decoder: Decoder) {
    let parser = train(decoder, 2);
    let mut worker = parser.worker();
    let options = ParseOptions { keep: true, confidence: true, ..ParseOptions::default() };
    let mut crossed = 0;
    for gold in treebank(5, 20, 0.0).iter().filter(|sent| sent.len() > 4) {
        let n = gold.len() as u32;
        let mut sent = bare(gold);
        sent.set_head(n, Some(1));
        sent.set(n, Column::Deprel, "strange");
        worker.parse(&mut sent, &options).unwrap();
        assert_eq!((sent.word(n).head(), sent.word(n).deprel()), (Some(1), "strange"));
        sent.tree().unwrap().root().unwrap();
        let mut sent = bare(gold);
        sent.set_head(1, Some(3));
        sent.set_head(4, Some(2));
        let warnings = worker.parse(&mut sent, &options).unwrap().warnings.clone();
        assert_eq!((sent.word(1).head(), sent.word(4).head()), (Some(3), Some(2)));
        crossed += usize::from(warnings == [ParseWarning::CrossingHeads]);
    }
    assert!(crossed > 10, "{crossed}");
}

#[test]
fn long_and_strange_sentences_are_parsed() {
    let parser = train(Decoder::Eisner, 2);
    let mut worker = parser.worker();
    for (len, expected) in [(1, None), (30, None), (700, Some(ParseWarning::TooLongForEisner))] {
        let mut sent = Sentence::new();
        for index in 0..len {
            let word = sent.push_word("word");
            sent.set(word, Column::Upos, ["NOUN", "VERB", "動詞", "_"][index % 4]);
        }
        let analysis = worker.parse(&mut sent, &ParseOptions::default()).unwrap();
        assert_eq!(analysis.warnings.first().copied(), expected);
        sent.tree().unwrap().root().unwrap();
    }
}

#[test]
fn partial_trees_help_higher_orders_too() {
    let mut data = treebank(1, 150, 0.0);
    for sent in data.iter_mut().skip(40) {
        (1..=sent.len() as u32).filter(|word| word % 3 == 0).for_each(|word| {
            sent.set_head(word, None);
        });
    }
    let dev = treebank(2, 50, 0.0);
    let las = |train: &[Sentence]| {
        let trainer = Trainer::new(config(Decoder::Eisner, 2));
        trainer.train(train, &dev, &mut |_| ()).unwrap().info().dev.unwrap().las
    };
    let (some, all) = (las(&data[..40]), las(&data));
    assert!(all > some, "{all} is not above {some}");
}

#[test]
fn a_model_without_its_part_weights_is_refused() {
    let parser = train(Decoder::Eisner, 2);
    let text = String::from_utf8_lossy(&bytes(&parser, "damage")).into_owned();
    assert!(text.contains("part_weights") && text.contains("pruner_weights"));
    let mut damaged = bytes(&parser, "damage");
    let at = damaged.windows(12).position(|window| window == b"part_weights").unwrap();
    damaged[at] = b'x';
    let refused = Parser::from_bytes("damaged", &damaged).unwrap_err();
    assert!(!matches!(refused, ModelError::Io { .. }), "{refused}");
}
