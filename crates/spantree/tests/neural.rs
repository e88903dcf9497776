//! The learned parser from treebank to trees, on a small synthetic treebank.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use spantree::Pipeline;
use spantree::neural::train::{Data, RightTags, TaggerBeliefs, train};
use spantree::neural::{EnsembleError, NeuralConfig, Parser, Sizes, Worker};
use spantree::parser::{Analysis, ParseError, ParseOptions};
use spantree::pipeline::train::PipelineConfig;
use spantree::pipeline::{self, Options, Stages};
use spantree::tag::{Beliefs, TagSet};
use spantree::train::{Kind, Progress, TrainConfig, TrainError, choose_decoder};
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence, load};
use spantree_neural::Cell;
use spantree_neural::simd::{Instructions, limited_to};

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

fn config() -> TrainConfig {
    let sizes = Sizes { width: 24, layers: 1, units: 16, arc: 24, label: 8, tag: 8 };
    let neural = NeuralConfig {
        epochs: Some(4),
        batch: Some(40),
        rate: 0.02,
        average_decay: 0.95,
        word_dropout: 0.2,
        layer_dropout: 0.15,
        score_dropout: 0.2,
        cell: Cell::Simple,
        sizes,
        ..NeuralConfig::default()
    };
    TrainConfig { neural, ..TrainConfig::default() }
}

fn make(config: &TrainConfig) -> Parser {
    train(config, Data::new(&treebank(1, 200), &treebank(2, 50)), &mut |_| ()).unwrap()
}

static PARSER: LazyLock<Parser> = LazyLock::new(|| make(&config()));

fn pipeline(parser: &Parser) -> Pipeline {
    let stages = Stages { parser: Some(parser.clone().into()), ..Stages::default() };
    Pipeline::new(&stages, Vec::new()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spantree-neural-{name}-{}", std::process::id()))
}

fn bytes(parser: &Parser, name: &str) -> Vec<u8> {
    let path = temporary(name);
    pipeline(parser).save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

#[test]
fn a_grammar_is_learned() {
    let dev = PARSER.info().dev.unwrap();
    assert!(dev.las > 80.0, "{dev:?}");
}

#[test]
fn a_grammar_is_learned_by_cells_with_feedback() {
    let mut config = config();
    config.neural.cell = Cell::Lstm;
    let parser = make(&config);
    let dev = parser.info().dev.unwrap();
    assert!(dev.las > 80.0, "{dev:?}");
    check_saved(&parser, "feedback");
}

#[test]
fn a_saved_parser_parses_as_before() {
    check_saved(&PARSER, "saved");
}

fn check_saved(parser: &Parser, name: &str) {
    let bytes = bytes(parser, name);
    let loaded = Pipeline::from_bytes(name, &bytes).unwrap();
    let (parser, mut before) = (loaded.stages().parser.as_ref().unwrap(), parser.worker());
    let mut after = parser.worker();
    for gold in treebank(3, 30) {
        let (mut ours, mut theirs) = (gold.clone(), gold);
        let first = before.parse(&mut ours, &ParseOptions::default()).unwrap();
        let second = after.parse(&mut theirs, &ParseOptions::default()).unwrap();
        assert_eq!(first.trees, second.trees, "bit for bit");
    }
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let bytes = bytes(&PARSER, "damaged");
    let mut refused = 0;
    for place in (0..bytes.len()).step_by(97) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x55;
        // Spaces between sections are of no account.
        refused += usize::from(Pipeline::from_bytes("damaged", &bytes).is_err());
        assert!(Pipeline::from_bytes("cut", &bytes[..place]).is_err());
    }
    assert!(refused * 100 > bytes.len() / 97 * 95, "{refused}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_also_after_a_kill() {
    let path = temporary("checkpoint");
    let with_file = TrainConfig { checkpoint: Some(path.clone()), ..config() };
    let whole = bytes(&make(&with_file), "whole");
    assert_eq!(whole, bytes(&PARSER, "again"));
    let killed = std::panic::catch_unwind(|| {
        let stop = &mut |progress| {
            assert!(!matches!(progress, Progress::EpochStart { epoch: 3, .. }), "killed");
        };
        train(&with_file, Data::new(&treebank(1, 200), &treebank(2, 50)), stop)
    });
    assert!(killed.is_err() && path.exists());
    let mut epochs = Vec::new();
    let resume = TrainConfig { resume: true, ..with_file.clone() };
    let watch = &mut |progress| {
        if let Progress::EpochStart { epoch, .. } = progress {
            epochs.push(epoch);
        }
    };
    let resumed = train(&resume, Data::new(&treebank(1, 200), &treebank(2, 50)), watch).unwrap();
    assert_eq!(epochs, [3, 4]);
    assert_eq!(bytes(&resumed, "resumed"), whole);
    assert!(!path.exists(), "a finished run needs no checkpoint");
}

#[test]
fn the_better_decoder_is_kept() {
    let mut kept = None;
    let watch = &mut |progress| {
        if let Progress::Decoder { decoder, dev } = progress {
            kept = Some((decoder, dev.1));
        }
    };
    let parser = train(&config(), Data::new(&treebank(1, 200), &treebank(2, 50)), watch).unwrap();
    let las = parser.info().dev.unwrap().las;
    assert_eq!(kept, Some((parser.info().decoder.clone(), las)));
    let first = choose_decoder(parser.info().training.non_projective);
    let given = make(&TrainConfig { decoder: Some(first), ..config() });
    assert_eq!(given.info().decoder, first.to_string());
    assert!(las >= given.info().dev.unwrap().las);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let once = bytes(&PARSER, "one-thread");
    for threads in [2, 3, 9] {
        let parser = make(&TrainConfig { threads, ..config() });
        assert_eq!(bytes(&parser, &format!("{threads}-threads")), once, "{threads}");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let path = temporary("other");
    let ours = TrainConfig { checkpoint: Some(path.clone()), resume: true, ..config() };
    let killed = std::panic::catch_unwind(|| {
        let stop = &mut |progress| {
            assert!(!matches!(progress, Progress::EpochStart { epoch: 2, .. }), "killed");
        };
        train(&ours, Data::new(&treebank(1, 100), &[]), stop)
    });
    assert!(killed.is_err());
    let other = TrainConfig { seed: 9, ..ours };
    let error = train(&other, Data::new(&treebank(1, 100), &[]), &mut |_| ()).unwrap_err();
    assert!(matches!(error, TrainError::OtherRun { .. }), "{error}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn given_heads_and_labels_are_kept() {
    let mut worker = PARSER.worker();
    let options = ParseOptions { keep: true, ..ParseOptions::default() };
    for gold in treebank(4, 30).iter().filter(|sent| sent.len() > 2) {
        let mut sent = gold.clone();
        for word in 2..=sent.len() as u32 {
            sent.set_head(word, None);
            sent.set(word, Column::Deprel, "_");
        }
        worker.parse(&mut sent, &options).unwrap();
        assert_eq!(sent.word(1).head(), gold.word(1).head());
        assert_eq!(sent.word(1).deprel(), gold.word(1).deprel());
        assert!(sent.tree().is_ok());
    }
}

#[test]
fn sentences_parsed_together_have_the_trees_they_have_alone() {
    let mut worker = PARSER.worker();
    let mut sentences = treebank(6, 60);
    sentences.insert(7, Sentence::new());
    let options = ParseOptions { confidence: true, ..ParseOptions::default() };
    let mut together = Vec::new();
    worker.parse_all((&mut sentences.clone(), &[]), &options, |_, found| {
        let analysis = found.unwrap();
        together.push((analysis.trees.clone(), analysis.confidences.clone()));
    });
    assert_eq!(together.len(), sentences.len());
    for (sent, together) in sentences.iter_mut().zip(together) {
        let alone = worker.parse(sent, &options).unwrap();
        assert_eq!((&alone.trees, &alone.confidences), (&together.0, &together.1), "bit for bit");
    }
}

#[test]
fn several_trees_have_falling_scores_and_probabilities_below_one() {
    let mut worker = PARSER.worker();
    let options = ParseOptions { k_best: 4, confidence: true, ..ParseOptions::default() };
    for mut sent in treebank(5, 30).into_iter().filter(|sent| sent.len() > 3) {
        let analysis = worker.parse(&mut sent, &options).unwrap();
        assert_eq!(analysis.trees.len(), 4);
        assert!(analysis.trees.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert!(analysis.trees.iter().all(|tree| tree.log_probability.unwrap() <= 1e-6));
        assert_eq!(analysis.confidences.len(), sent.len());
        let sound = |value: f32| (0.0..=1.0).contains(&value);
        assert!(analysis.confidences.iter().all(|c| sound(c.head) && sound(c.label)));
    }
}

#[test]
fn words_without_a_head_teach_nothing_and_do_no_harm() {
    let mut partial = treebank(1, 200);
    for sent in partial.iter_mut().step_by(2).filter(|sent| !sent.is_empty()) {
        sent.set_head(1, None);
    }
    let parser = train(&config(), Data::new(&partial, &treebank(2, 50)), &mut |_| ()).unwrap();
    assert!(parser.info().dev.unwrap().las > 75.0);
}

#[test]
fn odd_sentences_are_parsed() {
    let mut worker = PARSER.worker();
    let mut empty = Sentence::new();
    assert!(worker.parse(&mut empty, &ParseOptions::default()).unwrap().trees.is_empty());
    let mut strange = Sentence::from_words(&[("\u{1F600}\u{0301}", "?", 0, "_")]);
    worker.parse(&mut strange, &ParseOptions::default()).unwrap();
    assert_eq!(strange.word(1).head(), Some(0));
}

#[test]
#[ignore = "reads the development set of en_ewt in $SPANTREE_TREEBANKS; $SPANTREE_MODEL may name another model"]
fn vector_instructions_change_no_tree_of_the_english_model() {
    let folder = PathBuf::from(std::env::var("SPANTREE_TREEBANKS").unwrap());
    let english = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/english.spantree");
    let model = std::env::var_os("SPANTREE_MODEL").unwrap_or(english.into());
    let parser = Parser::load(model.as_ref()).unwrap();
    let mut workers = Instructions::ALL.map(|limit| (limit, parser.worker(), Duration::ZERO));
    let (mut words, mut largest) = (0, 0.0f64);
    for sentences in load(&folder.join("en_ewt/dev.conllu")).unwrap().chunks(50) {
        let [plain, eight, sixteen] = workers.each_mut().map(|(limit, worker, time)| {
            let (mut trees, start) = (Vec::new(), Instant::now());
            let each = |_: &mut Sentence, found: Result<&Analysis, ParseError>| {
                trees.extend(found.unwrap().trees.clone());
            };
            let options = ParseOptions::default();
            limited_to(*limit, || worker.parse_all((&mut sentences.to_vec(), &[]), &options, each));
            *time += start.elapsed();
            trees
        });
        assert_eq!(eight, sixteen, "bit for bit");
        for (a, b) in plain.iter().zip(&eight) {
            assert_eq!((&a.heads, &a.labels), (&b.heads, &b.labels));
            largest = largest.max((a.score - b.score).abs());
        }
        words += sentences.iter().map(Sentence::len).sum::<usize>();
    }
    println!("{words} words: the same trees; plain scores differ by at most {largest:.1e}");
    for (limit, _, time) in workers {
        let found = limit.min(Instructions::best());
        println!("{limit:?}, run as {found:?}: {:.0} words/s", words as f64 / time.as_secs_f64());
    }
}

/// A treebank in which every fifth word has the tag of another.
fn badly_tagged(seed: u64, count: usize) -> Vec<Sentence> {
    let mut sentences = treebank(seed, count);
    for sent in &mut sentences {
        for word in (1..=sent.len() as u32).filter(|word| word % 5 == 0) {
            sent.set(word, Column::Upos, "INTJ");
        }
    }
    sentences
}

#[test]
fn bad_tags_are_corrected() {
    let (right, right_dev) = (treebank(1, 200), treebank(2, 50));
    let (bad, bad_dev) = (badly_tagged(1, 200), badly_tagged(2, 50));
    let tagset = TagSet::from_treebank(&right).unwrap();
    let beliefs: Vec<_> = bad_dev.iter().map(|sent| Beliefs::certain(&tagset, sent)).collect();
    let right_tags = Some(RightTags {
        tagset: &tagset,
        train: &right,
        silver: &[],
        dev: &right_dev,
        beliefs: TaggerBeliefs { train: &[], silver: &[], dev: &beliefs },
    });
    let data = Data { right_tags, ..Data::new(&bad, &bad_dev) };
    let mut told = None;
    let watch = &mut |progress| {
        if let Progress::Retagged { read, corrected } = progress {
            told = Some((read, corrected));
        }
    };
    let parser = train(&config(), data, watch).unwrap();
    let (read, corrected) = told.unwrap();
    assert!(read[0] < 85.0 && corrected[0] > 97.0, "{read:?} {corrected:?}");
    let loaded = Pipeline::from_bytes("saved", &bytes(&parser, "tags")).unwrap();
    let mut worker = loaded.stages().parser.as_ref().unwrap().worker();
    let (mut sent, kept) = (bad_dev[0].clone(), &bad_dev[0]);
    let analysis = worker.parse(&mut sent, &ParseOptions::default()).unwrap();
    assert!(analysis.tag_scores.is_empty(), "not asked for");
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    let analysis = worker.parse(&mut sent, &options).unwrap();
    assert_eq!(analysis.tag_scores.len(), sent.len() * tagset.part_count());
    assert!(sent.words().zip(kept.words()).all(|(a, b)| a.upos() == b.upos()), "not its task");
}

#[test]
fn tags_that_get_no_better_stay() {
    let (train_set, dev) = (treebank(1, 60), treebank(2, 20));
    let tagset = TagSet::from_treebank(&train_set).unwrap();
    let beliefs: Vec<_> = dev.iter().map(|sent| Beliefs::certain(&tagset, sent)).collect();
    let right_tags = Some(RightTags {
        tagset: &tagset,
        train: &train_set,
        silver: &[],
        dev: &dev,
        beliefs: TaggerBeliefs { train: &[], silver: &[], dev: &beliefs },
    });
    let data = Data { right_tags, ..Data::new(&train_set, &dev) };
    let parser = train(&config(), data, &mut |_| ()).unwrap();
    assert!(!parser.info().retags, "nothing is better than what is right");
    let mut sent = dev[0].clone();
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    assert!(parser.worker().parse(&mut sent, &options).unwrap().tag_scores.is_empty());
}

#[test]
fn without_a_development_set_tags_are_left_to_the_tagger() {
    let (right, bad) = (treebank(1, 30), badly_tagged(1, 30));
    let tagset = TagSet::from_treebank(&right).unwrap();
    let beliefs = TaggerBeliefs { train: &[], silver: &[], dev: &[] };
    let right_tags =
        Some(RightTags { tagset: &tagset, train: &right, silver: &[], dev: &[], beliefs });
    let data = Data { right_tags, ..Data::new(&bad, &[]) };
    let watch = &mut |progress| {
        assert!(!matches!(progress, Progress::Retagged { .. }), "there is nothing to judge by");
    };
    assert!(!train(&config(), data, watch).unwrap().info().retags);
}

/// Trains on tags that a tagger is not sure of, and on the right ones; it believes in the right ones.
fn train_with_doubts(config: &TrainConfig, watch: &mut (dyn FnMut(Progress) + Send)) -> Parser {
    let (right, right_dev) = (treebank(1, 100), treebank(2, 30));
    let (bad, bad_dev) = (badly_tagged(1, 100), badly_tagged(2, 30));
    let tagset = TagSet::from_treebank(&right).unwrap();
    let beliefs = |sentences: &[Sentence]| -> Vec<_> {
        sentences.iter().map(|sent| Beliefs::certain(&tagset, sent)).collect()
    };
    let (sure, sure_dev) = (beliefs(&right), beliefs(&right_dev));
    let beliefs = TaggerBeliefs { train: &sure, silver: &[], dev: &sure_dev };
    let (train_tags, dev) = (&right[..], &right_dev[..]);
    let right_tags =
        Some(RightTags { tagset: &tagset, train: train_tags, silver: &[], dev, beliefs });
    let versions = [bad, right.clone()].concat();
    let data = Data { versions: 2, right_tags, ..Data::new(&versions, &bad_dev) };
    train(config, data, watch).unwrap()
}

#[test]
fn what_a_tagger_thinks_is_seen_instead_of_what_it_chose() {
    let parser = train_with_doubts(&config(), &mut |_| ());
    assert!(parser.weighs_tags());
    let (gold, bad) = (treebank(3, 20), badly_tagged(3, 20));
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    let mut worker = parser.worker();
    for (gold, bad) in gold.iter().zip(&bad) {
        let score = |worker: &mut Worker<'_>, sent: &Sentence, beliefs: &[Beliefs]| {
            let believed = (&mut sent.clone(), beliefs);
            worker.parse_believed(believed, &options).unwrap().trees[0].score
        };
        let beliefs = [Beliefs::certain(parser.tagset(), gold)];
        let sure = score(&mut worker, bad, &beliefs);
        assert_eq!(sure, score(&mut worker, gold, &beliefs), "wrong tags are not seen");
        assert!((sure - score(&mut worker, gold, &[])).abs() < 1e-3, "right ones say the same");
        let other = [Beliefs::certain(parser.tagset(), &Sentence::new())];
        assert_eq!(score(&mut worker, bad, &other), score(&mut worker, bad, &[]));
    }
}

#[test]
fn a_run_with_doubts_goes_on_after_a_kill_on_any_number_of_threads() {
    let path = temporary("doubts");
    let whole = bytes(&train_with_doubts(&config(), &mut |_| ()), "doubts-whole");
    let killed = TrainConfig { checkpoint: Some(path), threads: 2, ..config() };
    let result = std::panic::catch_unwind(|| {
        train_with_doubts(&killed, &mut |progress| {
            assert!(!matches!(progress, Progress::EpochStart { epoch: 3, .. }), "killed");
        })
    });
    assert!(result.is_err());
    let resumed = train_with_doubts(&TrainConfig { resume: true, ..killed }, &mut |_| ());
    assert_eq!(bytes(&resumed, "doubts-resumed"), whole);
}

#[test]
fn members_of_an_ensemble_see_beliefs_about_their_own_tags_only() {
    let doubtful = train_with_doubts(&config(), &mut |_| ());
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    // A member without tags, and one behind a leader without tags: the numbers of tags are not the same.
    for (leader, member) in [(&doubtful, &*PARSER), (&*PARSER, &doubtful)] {
        let joined = leader.clone().with_members(vec![member.clone().into()]).unwrap();
        assert_eq!(joined.weighs_tags(), leader.weighs_tags());
        let mut sent = treebank(3, 1).remove(0);
        let beliefs = [Beliefs::certain(doubtful.tagset(), &sent)];
        joined.worker().parse_believed((&mut sent, &beliefs), &options).unwrap();
        assert!(sent.heads().all(|head| head.is_some()));
    }
    let joined = doubtful.clone().with_members(vec![doubtful.into()]).unwrap();
    assert!(joined.weighs_tags());
}

#[test]
fn an_ensemble_of_one_parser_and_itself_parses_as_it_does() {
    let double = PARSER.clone().with_members(vec![PARSER.clone().into()]).unwrap();
    let (mut one, mut both) = (PARSER.worker(), double.worker());
    let options = ParseOptions { k_best: 3, ..ParseOptions::default() };
    for gold in treebank(3, 20) {
        let (mut ours, mut theirs) = (gold.clone(), gold);
        let first = one.parse(&mut ours, &options).unwrap();
        let second = both.parse(&mut theirs, &options).unwrap();
        let trees = |analysis: &Analysis| -> Vec<_> {
            analysis.trees.iter().map(|tree| (tree.heads.clone(), tree.labels.clone())).collect()
        };
        assert_eq!(trees(first)[0], trees(second)[0]);
        assert_eq!(first.trees.len(), second.trees.len());
    }
}

#[test]
fn linear_and_learned_parsers_make_one_table() {
    let (train_set, dev) = (treebank(1, 150), treebank(2, 30));
    let of = |kind| {
        let config = TrainConfig { parser: Some(kind), epochs: 2, ..config() };
        let config = PipelineConfig {
            segment: false,
            tag: false,
            lemmatise: false,
            parser: config,
            ..PipelineConfig::default()
        };
        pipeline::train::train(&config, &train_set, &dev, &mut |_| ()).unwrap()
    };
    let (graph, transition) = (of(Kind::Graph), of(Kind::Transition));
    let learned = pipeline(&PARSER);
    let error = |first: &Pipeline, other: &Pipeline| {
        first.clone().with_members(vec![other.clone()]).map(|_| ()).unwrap_err()
    };
    assert_eq!(error(&graph, &learned), EnsembleError::Leader);
    assert_eq!(error(&learned, &transition), EnsembleError::Member { number: 2 });
    let joined = learned.with_members(vec![graph]).unwrap();
    let mut worker = joined.worker();
    let trees = ParseOptions { keep: true, confidence: true, k_best: 2, ..ParseOptions::default() };
    let options = Options { trees, ..Options::default() };
    let (mut right, mut words) = (0, 0);
    for gold in &dev {
        let mut sent = gold.clone();
        (2..=sent.len() as u32).for_each(|word| sent.set_head(word, None));
        let analysis = worker.process(&mut sent, &options).unwrap().analysis.unwrap();
        assert!(analysis.trees.len() <= 2 && analysis.confidences.len() == gold.len());
        assert!(analysis.confidences.iter().all(|sure| (0.0..=1.0).contains(&sure.head)));
        assert!(analysis.trees[0].log_probability.unwrap() <= 1e-6);
        assert_eq!(sent.word(1).head(), gold.word(1).head(), "given heads are kept");
        words += gold.len();
        right += gold.heads().zip(sent.heads()).filter(|(gold, guess)| gold == guess).count();
    }
    assert!(right * 100 > words * 80, "{right} of {words}");
}

#[test]
fn a_network_learns_from_what_another_one_says() {
    let (few, silver, dev) = (treebank(1, 20), treebank(5, 300), treebank(2, 50));
    let alone = train(&config(), Data::new(&few, &dev), &mut |_| ()).unwrap();
    let mut config = config();
    config.neural.silver = 3.0;
    let data = Data { silver: &silver, ..Data::new(&few, &dev) };
    let taught = train(&config, data, &mut |_| ()).unwrap();
    let las = |parser: &Parser| parser.info().dev.unwrap().las;
    assert!(las(&taught) > las(&alone) + 3.0, "{} {}", las(&alone), las(&taught));
    assert_eq!(taught.info().training.sentences, 20, "silver is not counted");
}
