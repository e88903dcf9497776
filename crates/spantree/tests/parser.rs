//! The parser from treebank to trees, on a small planted grammar.

use spantree::graph::{Decoder, Parser};
use spantree::learn::Rng;
use spantree::model::ModelError;
use spantree::parser::{ParseError, ParseOptions, ParseWarning};
use spantree::train::{
    LearnerConfig, Mixing, Progress, Rule, TrainConfig, TrainError, TrainWarning, Trainer,
};
use spantree::treebank::transform::Scheme;
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence};

/// `DET? ADJ* NOUN VERB DET? ADJ* NOUN (ADP NOUN)? PUNCT`, where the form of the adposition says whether its phrase hangs
/// from the verb or from the noun before it: learnable, but not from tags alone.
fn sentence(rng: &mut Rng) -> Sentence {
    let mut words: Vec<(String, &str, u32, &str)> = Vec::new();
    let phrase = |words: &mut Vec<(String, &str, u32, &str)>, rng: &mut Rng| {
        let adjectives = rng.below(3);
        let start = words.len() as u32;
        let noun = start + 2 + adjectives as u32;
        words.push((["the", "a"][rng.below(2)].to_owned(), "DET", noun, "det"));
        for _ in 0..adjectives {
            words.push((format!("adj{}", rng.below(9)), "ADJ", noun, "amod"));
        }
        words.push((format!("noun{}", rng.below(30)), "NOUN", 0, "dep"));
        noun
    };
    let subject = phrase(&mut words, rng);
    words.push((format!("verb{}", rng.below(9)), "VERB", 0, "root"));
    let verb = words.len() as u32;
    let object = phrase(&mut words, rng);
    words[subject as usize - 1].2 = verb;
    words[subject as usize - 1].3 = "nsubj";
    words[object as usize - 1].2 = verb;
    words[object as usize - 1].3 = "obj";
    if rng.below(2) == 0 {
        let (form, head, label) =
            if rng.below(2) == 0 { ("with", verb, "obl") } else { ("of", object, "nmod") };
        let noun = words.len() as u32 + 2;
        words.push((form.to_owned(), "ADP", noun, "case"));
        words.push((format!("noun{}", rng.below(30)), "NOUN", head, label));
    }
    words.push((".".to_owned(), "PUNCT", verb, "punct"));
    let words: Vec<_> =
        words.iter().map(|(form, tag, head, label)| (form.as_str(), *tag, *head, *label)).collect();
    Sentence::from_words(&words)
}

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| sentence(&mut rng)).collect()
}

fn config(decoder: Decoder) -> TrainConfig {
    TrainConfig {
        decoder: Some(decoder),
        epochs: 4,
        label_epochs: 3,
        max_bits: 16,
        ..TrainConfig::default()
    }
}

fn train(decoder: Decoder) -> Parser {
    Trainer::new(config(decoder)).train(&treebank(1, 150), &treebank(2, 60), &mut |_| ()).unwrap()
}

fn bytes(parser: &Parser, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("spantree-parser-{name}-{}", std::process::id()));
    parser.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

#[test]
fn a_planted_grammar_is_learned_by_both_decoders() {
    for decoder in [Decoder::Eisner, Decoder::Mst] {
        let parser = train(decoder);
        let scores = parser.info().dev.unwrap();
        assert!(scores.las > 98.0, "{decoder}: {scores:?}");
        let mut worker = parser.worker();
        for gold in treebank(3, 20) {
            let mut guess = gold.clone();
            guess.set(1, Column::Misc, "Kept=Yes");
            worker.parse(&mut guess, &ParseOptions::default()).unwrap();
            guess.tree().unwrap().root().unwrap();
            assert_eq!(guess.word(1).get(Column::Misc), "Kept=Yes");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let first = bytes(&train(Decoder::Eisner), "first");
    assert!(first == bytes(&train(Decoder::Eisner), "second"));
    let other = TrainConfig { seed: 2, ..config(Decoder::Eisner) };
    let other =
        Trainer::new(other).train(&treebank(1, 150), &treebank(2, 60), &mut |_| ()).unwrap();
    assert!(first != bytes(&other, "other"));
}

#[test]
fn the_model_does_not_depend_on_the_threads_that_parse_the_development_set() {
    let train = |min_dev_threads| {
        let config = TrainConfig { min_dev_threads, ..config(Decoder::Eisner) };
        let (train, dev) = (treebank(1, 60), treebank(2, 20));
        Trainer::new(config).train(&train, &dev, &mut |_| ()).unwrap()
    };
    let alone = bytes(&train(1), "dev-alone");
    assert!(bytes(&train(3), "dev-three") == alone);
    assert!(bytes(&train(50), "dev-many") == alone);
}

#[test]
fn a_loaded_model_parses_like_the_trained_one() {
    let trained = train(Decoder::Eisner);
    let loaded = Parser::from_bytes("copy", &bytes(&trained, "load")).unwrap();
    assert_eq!(trained.info(), loaded.info());
    let (mut one, mut other) = (trained.worker(), loaded.worker());
    let options = ParseOptions { confidence: true, k_best: 3, ..ParseOptions::default() };
    for mut sent in treebank(4, 20) {
        let expected = one.parse(&mut sent.clone(), &options).unwrap().clone();
        let found = other.parse(&mut sent, &options).unwrap();
        assert_eq!(found.trees, expected.trees);
        assert_eq!(found.confidences, expected.confidences);
    }
}

#[test]
fn without_projectivity_the_best_tree_scores_at_least_as_much() {
    let projective = train(Decoder::Eisner);
    let free = projective.clone().with_decoder(Decoder::Mst);
    assert_eq!(free.info().decoder, "eisner");
    let options = ParseOptions::default();
    let mut crossing = 0;
    // The words in a wrong order: the model is unsure, so the two search spaces matter.
    for mut sent in treebank(5, 60).iter().map(scrambled) {
        let bound = projective.worker().parse(&mut sent, &options).unwrap().trees[0].score;
        assert!(sent.tree().unwrap().is_projective());
        assert!(free.worker().parse(&mut sent, &options).unwrap().trees[0].score >= bound);
        crossing += usize::from(!sent.tree().unwrap().is_projective());
    }
    assert!(crossing > 0);
}

/// Every other word of a sentence, then the rest.
fn scrambled(sent: &Sentence) -> Sentence {
    let words = sent.words().step_by(2).chain(sent.words().skip(1).step_by(2));
    let words: Vec<_> = words.map(|word| (word.form(), word.upos(), 0, "root")).collect();
    Sentence::from_words(&words)
}

#[test]
fn features_of_gold_arcs_alone_do_too() {
    let all = train(Decoder::Eisner);
    let config = TrainConfig { all_features: Some(false), ..config(Decoder::Eisner) };
    let trainer = Trainer::new(config);
    let gold = trainer.train(&treebank(1, 150), &treebank(2, 60), &mut |_| ()).unwrap();
    assert!(gold.info().dev.unwrap().las > 98.0);
    assert!(bytes(&gold, "gold") != bytes(&all, "all"), "fewer weights are learned");
}

fn learner(rule: Rule) -> LearnerConfig {
    LearnerConfig { rule: Some(rule), ..LearnerConfig::default() }
}

#[test]
fn every_learner_learns_the_planted_grammar() {
    for decoder in [Decoder::Eisner, Decoder::Mst] {
        for rule in Rule::ALL {
            let config = TrainConfig { learner: learner(rule), ..config(decoder) };
            let trainer = Trainer::new(config);
            let parser = trainer.train(&treebank(1, 100), &treebank(2, 40), &mut |_| ()).unwrap();
            let scores = parser.info().dev.unwrap();
            assert!(scores.las > 95.0, "{rule} {decoder}: {scores:?}");
        }
    }
}

/// What a kill after the second epoch of trees leaves behind: the checkpoint.
fn checkpoint_after_two_epochs(config: &TrainConfig, path: &std::path::Path) -> Vec<u8> {
    let mut saved = Vec::new();
    let mut keep = |progress| {
        if matches!(progress, Progress::TreeEpoch { epoch: 2, .. }) {
            saved = std::fs::read(path).unwrap();
        }
    };
    let short = TrainConfig { epochs: 2, ..config.clone() };
    Trainer::new(short).train(&treebank(1, 100), &treebank(2, 40), &mut keep).unwrap();
    assert!(!path.exists(), "a finished run leaves no checkpoint");
    saved
}

#[test]
fn training_that_was_interrupted_ends_in_the_same_model() {
    let (train, dev) = (treebank(1, 100), treebank(2, 40));
    let path = std::env::temp_dir().join(format!("spantree-checkpoint-{}", std::process::id()));
    for (rule, threads) in
        [(Rule::Pa, 1), (Rule::LogLinear, 1), (Rule::LogLinear, 2), (Rule::MiraK, 2)]
    {
        let plain = TrainConfig { learner: learner(rule), threads, ..config(Decoder::Eisner) };
        let whole = Trainer::new(plain.clone()).train(&train, &dev, &mut |_| ()).unwrap();
        let kept = TrainConfig { checkpoint: Some(path.clone()), resume: true, ..plain };
        std::fs::write(&path, checkpoint_after_two_epochs(&kept, &path)).unwrap();
        let resumed = Trainer::new(kept).train(&train, &dev, &mut |_| ()).unwrap();
        assert!(bytes(&whole, "whole") == bytes(&resumed, "resumed"), "{rule}, {threads} threads");
    }
}

#[test]
fn checkpoints_of_other_runs_are_refused_by_what_differs() {
    let (train, dev) = (treebank(1, 100), treebank(2, 40));
    let path = std::env::temp_dir().join(format!("spantree-other-run-{}", std::process::id()));
    let config =
        TrainConfig { checkpoint: Some(path.clone()), resume: true, ..config(Decoder::Eisner) };
    let saved = checkpoint_after_two_epochs(&config, &path);
    let refused = |config: &TrainConfig, train: &[Sentence], dev: &[Sentence], expected: &str| {
        std::fs::write(&path, &saved).unwrap();
        let error = Trainer::new(config.clone()).train(train, dev, &mut |_| ()).unwrap_err();
        assert!(matches!(error, TrainError::OtherRun { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    let other = |change: fn(&mut TrainConfig)| {
        let mut other = config.clone();
        change(&mut other);
        other
    };
    refused(&other(|c| c.seed = 9), &train, &dev, "seed is 1 there and 9 here");
    refused(&other(|c| c.threads = 2), &train, &dev, "threads is 1 there and 2 here");
    refused(&other(|c| c.learner.k = 9), &train, &dev, "learner is ");
    let mut changed = train.clone();
    changed[7].set(1, Column::Form, "another");
    refused(&config, &changed, &dev, "training data is ");
    refused(&config, &train, &dev[1..], "development data is ");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn threads_mix_to_a_good_model_that_does_not_depend_on_the_machine() {
    let (train, dev) = (treebank(1, 150), treebank(2, 60));
    for mixing in [Mixing::Uniform, Mixing::Errors] {
        let model = |threads| {
            let config = TrainConfig { threads, mixing, ..config(Decoder::Eisner) };
            Trainer::new(config).train(&train, &dev, &mut |_| ()).unwrap()
        };
        assert!(bytes(&model(1), "one") == bytes(&self::train(Decoder::Eisner), "serial"));
        let three = model(3);
        assert!(bytes(&three, "three") == bytes(&model(3), "again"));
        assert!(three.info().dev.unwrap().las > 97.0, "{:?}", three.info().dev);
    }
}

/// Takes the heads and labels of all but every `kept`-th word.
fn without_most_heads(mut treebank: Vec<Sentence>, kept: u32) -> Vec<Sentence> {
    for sent in &mut treebank {
        for word in (1..=sent.len() as u32).filter(|word| word % kept != 0) {
            sent.set_head(word, None);
            sent.set(word, Column::Deprel, "_");
        }
    }
    treebank
}

#[test]
fn half_annotated_sentences_help() {
    let dev = treebank(2, 100);
    let few = treebank(1, 6);
    let mut more = few.clone();
    more.extend(without_most_heads(treebank(7, 150), 2));
    for rule in [Rule::LogLinear, Rule::Pa, Rule::MiraK, Rule::MiraFactored] {
        let uas = |train: &[Sentence]| {
            let config = TrainConfig { learner: learner(rule), ..config(Decoder::Mst) };
            let mut warnings = Vec::new();
            let mut note = |progress| {
                if let Progress::Warning(warning) = progress {
                    warnings.push(warning);
                }
            };
            let parser = Trainer::new(config).train(train, &dev, &mut note).unwrap();
            let partial =
                warnings.iter().any(|w| matches!(w, TrainWarning::Partial { sentences: 150, .. }));
            assert_eq!(partial, train.len() > 6);
            parser.info().dev.unwrap().uas
        };
        let (without, with) = (uas(&few), uas(&more));
        assert!(with > without + 1.0, "{rule}: {without} {with}");
    }
    let partial_only = without_most_heads(treebank(7, 10), 2);
    let error = Trainer::default().train(&partial_only, &[], &mut |_| ()).unwrap_err();
    assert!(matches!(error, TrainError::NoCompleteTree));
}

#[test]
fn of_two_mistakes_the_cheaper_one_is_made() {
    // Annotators disagree about the same words half of the time, so one of two mistakes must be made.
    let disagreement = |turn: usize| {
        let (head, label) = [(2, "obl"), (3, "nmod")][turn % 2];
        Sentence::from_words(&[
            ("she", "PRON", 2, "nsubj"),
            ("sees", "VERB", 0, "root"),
            ("stars", "NOUN", 2, "obj"),
            ("with", "ADP", 5, "case"),
            ("telescopes", "NOUN", head, label),
        ])
    };
    let train: Vec<_> = (0..40).map(disagreement).collect();
    for (relation, expected) in [("obl", 2), ("nmod", 3)] {
        let mut config = config(Decoder::Mst);
        config.cost.relations.insert(relation.to_owned(), 4.0);
        let parser = Trainer::new(config).train(&train, &[], &mut |_| ()).unwrap();
        let mut sent = train[0].clone();
        parser.worker().parse(&mut sent, &ParseOptions::default()).unwrap();
        assert_eq!(sent.word(5).head(), Some(expected), "{relation} is dear");
    }
}

#[test]
fn data_that_do_not_match_are_warned_about() {
    let (mut train, mut dev) = (treebank(1, 50), treebank(2, 20));
    for sent in &mut train {
        (1..=sent.len() as u32).for_each(|word| sent.set(word, Column::Feats, "A=B"));
    }
    dev[0].set(1, Column::Deprel, "strange");
    let warnings = |dev: &[Sentence]| {
        let mut warnings = Vec::new();
        let mut note = |progress| {
            if let Progress::Warning(warning) = progress {
                warnings.push(warning);
            }
        };
        Trainer::new(config(Decoder::Eisner)).train(&train, dev, &mut note).unwrap();
        warnings
    };
    let unknown = TrainWarning::UnknownRelations { words: 1, relation: "strange".to_owned() };
    assert_eq!(warnings(&dev), [TrainWarning::MissingColumn { column: Column::Feats }, unknown]);
    assert_eq!(warnings(&[Sentence::new()]), [TrainWarning::EmptyDev]);
}

#[test]
fn pseudo_projective_labels_bring_crossing_arcs_back() {
    let generate = |seed, count| -> Vec<Sentence> {
        let config = GeneratorConfig { seed, non_projective: 0.6, ..GeneratorConfig::default() };
        Generator::new(config).take(count).collect()
    };
    let (train, dev) = (generate(1, 300), generate(2, 100));
    let recall = |pseudo_projective| {
        let config = TrainConfig { pseudo_projective, max_bits: 18, ..config(Decoder::Eisner) };
        let parser = Trainer::new(config).train(&train, &dev, &mut |_| ()).unwrap();
        let mut worker = parser.worker();
        let (mut found, mut all) = (0, 0);
        for gold in &dev {
            let mut guess = gold.clone();
            worker.parse(&mut guess, &ParseOptions::default()).unwrap();
            for &word in &gold.tree().unwrap().non_projective_words() {
                all += 1;
                found += usize::from(gold.word(word).head() == guess.word(word).head());
            }
        }
        assert!(all > 30, "{all}");
        100 * found / all
    };
    let lifted = recall(None);
    assert_eq!(lifted, 0, "a projective parser cannot draw a crossing arc");
    for scheme in Scheme::ALL {
        assert!(recall(Some(scheme)) > 40, "{scheme}");
    }
}

#[test]
fn k_best_trees_are_sorted_distinct_and_have_probabilities() {
    let parser = train(Decoder::Mst);
    let mut worker = parser.worker();
    let options = ParseOptions { k_best: 5, confidence: true, ..ParseOptions::default() };
    for mut sent in treebank(5, 10) {
        let analysis = worker.parse(&mut sent, &options).unwrap();
        assert_eq!(analysis.trees.len(), 5);
        assert!(
            analysis
                .trees
                .windows(2)
                .all(|pair| pair[0].score >= pair[1].score && pair[0].heads != pair[1].heads)
        );
        let total: f64 =
            analysis.trees.iter().filter_map(|tree| tree.log_probability).map(f64::exp).sum();
        assert!(total > 0.0 && total <= 1.0 + 1e-6, "{total}");
        assert!(
            analysis
                .confidences
                .iter()
                .all(|c| (0.0..=1.0).contains(&c.head) && (0.0..=1.0).contains(&c.label))
        );
    }
}

#[test]
fn given_heads_and_relations_are_kept() {
    let parser = train(Decoder::Eisner);
    let mut worker = parser.worker();
    let options = ParseOptions { keep: true, ..ParseOptions::default() };
    for gold in treebank(6, 20) {
        let n = gold.len() as u32;
        let mut sent = gold.clone();
        for word in 1..=n {
            sent.set_head(word, None);
            sent.set(word, Column::Deprel, "_");
        }
        sent.set_head(n, Some(1));
        sent.set(n, Column::Deprel, "strange");
        worker.parse(&mut sent, &options).unwrap();
        assert_eq!(sent.word(n).head(), Some(1));
        assert_eq!(sent.word(n).deprel(), "strange");
        sent.tree().unwrap().root().unwrap();
    }
}

#[test]
fn a_given_relation_steers_the_choice_of_the_head() {
    let parser = train(Decoder::Eisner);
    let mut worker = parser.worker();
    let words = [
        ("a", "DET", 2, "det"),
        ("noun1", "NOUN", 3, "nsubj"),
        ("verb1", "VERB", 0, "root"),
        ("the", "DET", 5, "det"),
        ("noun2", "NOUN", 3, "obj"),
        ("with", "ADP", 7, "case"),
        ("noun3", "NOUN", 3, "obl"),
    ];
    let mut sent = Sentence::from_words(&words);
    worker.parse(&mut sent, &ParseOptions::default()).unwrap();
    assert_eq!((sent.word(7).head(), sent.word(7).deprel()), (Some(3), "obl"));
    (1..=7).for_each(|word| {
        sent.set_head(word, None);
        sent.set(word, Column::Deprel, "_");
    });
    sent.set(7, Column::Deprel, "nmod");
    worker.parse(&mut sent, &ParseOptions { keep: true, ..ParseOptions::default() }).unwrap();
    assert_eq!((sent.word(7).head(), sent.word(7).deprel()), (Some(5), "nmod"));
}

#[test]
fn crossing_heads_are_kept_with_a_warning() {
    let parser = train(Decoder::Eisner);
    let mut sent = Sentence::new();
    for form in ["a", "b", "c", "d"] {
        let word = sent.push_word(form);
        sent.set(word, Column::Upos, "NOUN");
    }
    sent.set_head(1, Some(3));
    sent.set_head(4, Some(2));
    let mut worker = parser.worker();
    let analysis =
        worker.parse(&mut sent, &ParseOptions { keep: true, ..ParseOptions::default() }).unwrap();
    assert_eq!(analysis.warnings, [ParseWarning::CrossingHeads]);
    assert_eq!((sent.word(1).head(), sent.word(4).head()), (Some(3), Some(2)));
}

#[test]
fn impossible_heads_are_refused_by_sentence_and_word() {
    let parser = train(Decoder::Eisner);
    let mut worker = parser.worker();
    let options = ParseOptions { keep: true, ..ParseOptions::default() };
    let mut sent = Sentence::from_words(&[("a", "DET", 9, "_"), ("b", "NOUN", 0, "_")]);
    sent.push_comment("# sent_id = s7");
    let message = worker.parse(&mut sent, &options).unwrap_err().to_string();
    assert!(
        message.contains("sentence s7") && message.contains("head 9 of word 1 (a)"),
        "{message}"
    );
    assert_eq!(sent.word(1).head(), Some(9), "a refused sentence is unchanged");
    let mut cycle =
        Sentence::from_words(&[("a", "DET", 2, "_"), ("b", "NOUN", 1, "_"), ("c", "VERB", 0, "_")]);
    assert!(matches!(worker.parse(&mut cycle, &options), Err(ParseError::Infeasible { .. })));
    let mut roots = Sentence::from_words(&[("a", "DET", 0, "_"), ("b", "NOUN", 0, "_")]);
    assert!(matches!(worker.parse(&mut roots, &options), Err(ParseError::Infeasible { .. })));
}

#[test]
fn empty_short_long_and_strange_sentences() {
    let parser = train(Decoder::Eisner);
    let mut worker = parser.worker();
    let options = ParseOptions { confidence: true, ..ParseOptions::default() };
    assert!(worker.parse(&mut Sentence::new(), &options).unwrap().trees.is_empty());
    let mut one = Sentence::new();
    one.push_word("?");
    worker.parse(&mut one, &options).unwrap();
    assert_eq!(one.word(1).head(), Some(0));
    let mut long = Sentence::new();
    for index in 0..2000u32 {
        let word = long.push_word("noun1");
        long.set(word, Column::Upos, ["NOUN", "VERB", "動詞", "_"][index as usize % 4]);
    }
    let warnings = worker.parse(&mut long, &options).unwrap().warnings.clone();
    assert_eq!(warnings, [ParseWarning::TooLongForEisner, ParseWarning::TooLongForConfidence]);
    long.tree().unwrap().root().unwrap();
}

#[test]
fn data_that_cannot_be_learned_from_get_a_sentence() {
    let message = |train: &[Sentence]| {
        Trainer::default().train(train, &[], &mut |_| ()).unwrap_err().to_string()
    };
    assert!(message(&[]).contains("no sentence"));
    assert!(message(&[Sentence::from_words(&[("a", "_", 0, "root")])]).contains("no UPOS"));
    let cycle = Sentence::from_words(&[("a", "X", 2, "dep"), ("b", "X", 1, "dep")]);
    assert!(message(&[cycle]).contains("training sentence 1"));
    let mut untreed = Sentence::from_words(&[("a", "X", 0, "root")]);
    untreed.set_head(1, None);
    assert!(message(&[untreed]).contains("no training sentence has a head and a label"));
}

#[test]
fn other_files_are_no_parsers() {
    assert!(matches!(Parser::from_bytes("x", b""), Err(ModelError::NotAModel { .. })));
    let mut model = bytes(&train(Decoder::Mst), "damage");
    let last = model.len() - 1;
    model[last] ^= 1;
    assert!(matches!(Parser::from_bytes("x", &model), Err(ModelError::Checksum { .. })));
    assert!(matches!(Parser::from_bytes("x", &model[..last]), Err(ModelError::Truncated { .. })));
}
