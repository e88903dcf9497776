//! All stages from treebank to text and back, on a synthetic treebank.

use std::sync::LazyLock;

use spantree::Pipeline;
use spantree::parser::ParseOptions;
use spantree::pipeline::train::{PipelineConfig, PipelineTrainError, Tags, distill, train};
use spantree::pipeline::{Options, PipelineError, Stages};
use spantree::train::{Kind, TrainConfig};
use spantree::treebank::{Column, Format, Generator, GeneratorConfig, Sentence, TreebankWriter};

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

fn config() -> PipelineConfig {
    let mut parser = TrainConfig::default();
    parser.neural.epochs = Some(10);
    PipelineConfig { folds: 3, parser, ..PipelineConfig::default() }
}

fn make(config: &PipelineConfig) -> Pipeline {
    train(config, &treebank(1, 300), &treebank(2, 60), &mut |_| ()).unwrap()
}

static PIPELINE: LazyLock<Pipeline> = LazyLock::new(|| make(&config()));

fn bytes(pipeline: &Pipeline, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("spantree-{name}-{}", std::process::id()));
    pipeline.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

fn text(sent: &Sentence) -> String {
    let mut writer = TreebankWriter::new(Vec::new(), Format::Conllu);
    writer.write(sent).unwrap();
    String::from_utf8(writer.into_inner()).unwrap()
}

/// A sentence with nothing but forms.
fn bare(gold: &Sentence) -> Sentence {
    let mut sent = Sentence::new();
    gold.words().for_each(|word| {
        sent.push_word(word.form());
    });
    sent
}

#[test]
fn text_becomes_trees_with_confidences() {
    let stages = PIPELINE.stages();
    let gold = treebank(3, 40);
    let text: Vec<_> = gold.iter().filter_map(|sent| sent.text()).collect();
    let mut worker = PIPELINE.worker();
    let trees = ParseOptions { confidence: true, ..ParseOptions::default() };
    let options = Options { trees, ..Options::default() };
    let found = stages.segmenter.as_ref().unwrap().segment(&text.join(" "));
    assert!(!found.is_empty());
    for mut sent in found {
        let outcome = worker.process(&mut sent, &options).unwrap();
        assert_eq!(outcome.tags.len(), outcome.analysis.unwrap().confidences.len());
        sent.tree().unwrap().root().unwrap();
        assert!(sent.words().all(|word| word.upos() != "_" && word.lemma() != "_"));
    }
}

/// White space in ASCII, the vertical tab included.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0b)
}

#[test]
fn hostile_text_goes_through_all_stages() {
    let token = "a".repeat(1 << 20);
    let blank = format!("Yes.{}No.", "\n".repeat(100_000));
    for (name, bytes) in [
        ("one long token", token.as_bytes()),
        ("NULs", &[0; 3000][..]),
        ("invalid UTF-8", &b"caf\xe9 \xff\xfe \xed\xa0\x80 tea."[..]),
        ("blank lines", blank.as_bytes()),
        ("right to left", "שלום, עולם! مرحبا.".as_bytes()),
        ("emoji", "😀👩\u{200d}👧 🇭🇺".as_bytes()),
        ("white space", &b" \t\r\n\x0b"[..]),
        ("nothing", &b""[..]),
    ] {
        let segmenter = PIPELINE.stages().segmenter.as_ref().unwrap();
        let mut run = segmenter.segmentation(Default::default());
        let (mut worker, mut sent) = (PIPELINE.worker(), Sentence::new());
        let (mut covered, mut words) = (0, 0);
        run.feed(bytes);
        run.finish();
        while run.next(&mut sent) {
            for place in run.places() {
                let gap = &bytes[covered as usize..place.bytes.start as usize];
                assert!(is_blank(gap), "{name}: {gap:?}");
                covered = place.bytes.end;
            }
            worker.process(&mut sent, &Options::default()).unwrap();
            assert!(sent.words().all(|word| word.upos() != "_"), "{name}");
            sent.tree().unwrap().root().unwrap();
            words += sent.len();
        }
        assert!(is_blank(&bytes[covered as usize..]), "{name}: bytes are left");
        assert_eq!(words == 0, ["white space", "nothing"].contains(&name), "{name}");
    }
}

#[test]
fn a_grammar_is_learned_from_bare_words() {
    let mut worker = PIPELINE.worker();
    let (mut right, mut total) = (0, 0);
    for gold in treebank(3, 40) {
        let mut sent = bare(&gold);
        worker.process(&mut sent, &Options::default()).unwrap();
        let both = gold.words().zip(sent.words());
        right += both.filter(|(gold, guess)| gold.head() == guess.head()).count();
        total += gold.len();
    }
    assert!(right * 10 > total * 8, "{right} of {total} heads");
}

#[test]
fn given_columns_stay_unless_they_are_to_be_predicted() {
    let mut worker = PIPELINE.worker();
    let mut sent = treebank(4, 1).remove(0);
    (1..=sent.len() as u32).for_each(|word| sent.set(word, Column::Upos, "X"));
    sent.set(1, Column::Lemma, "strange");
    worker.process(&mut sent, &Options::default()).unwrap();
    assert!(sent.words().all(|word| word.upos() == "X"));
    assert_eq!(sent.word(1).lemma(), "strange");
    worker.process(&mut sent, &Options { retag: true, ..Options::default() }).unwrap();
    assert!(sent.words().any(|word| word.upos() != "X"));
    assert_ne!(sent.word(1).lemma(), "strange");
    sent.set(1, Column::Upos, "_");
    worker.process(&mut sent, &Options { parse: false, ..Options::default() }).unwrap();
    assert_ne!(sent.word(1).upos(), "_", "one missing tag is filled in");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_files_come_back() {
    let first = bytes(&PIPELINE, "pipeline-first");
    assert!(first == bytes(&make(&config()), "pipeline-second"));
    let loaded = Pipeline::from_bytes("copy", &first).unwrap();
    assert_eq!(loaded.info(), PIPELINE.info());
    let gold = treebank(5, 10);
    let (mut one, mut other) = (PIPELINE.worker(), loaded.worker());
    for gold in &gold {
        let (mut a, mut b) = (bare(gold), bare(gold));
        one.process(&mut a, &Options::default()).unwrap();
        other.process(&mut b, &Options::default()).unwrap();
        assert_eq!(text(&a), text(&b));
    }
}

#[test]
fn stages_may_be_missing() {
    let parser_only = PipelineConfig {
        segment: false,
        tag: false,
        lemmatise: false,
        tags: Tags::Gold,
        ..config()
    };
    let pipeline = make(&parser_only);
    assert!(pipeline.stages().tagger.is_none() && pipeline.stages().segmenter.is_none());
    let mut sent = bare(&treebank(6, 1)[0]);
    let error = pipeline.worker().process(&mut sent, &Options::default()).unwrap_err();
    assert!(matches!(error, PipelineError::Untagged { .. }));
    assert!(error.to_string().contains("no UPOS"), "{error}");
    let nothing = PipelineConfig { parse: false, ..parser_only };
    let error = train(&nothing, &treebank(1, 3), &[], &mut |_| ()).unwrap_err();
    assert!(matches!(error, PipelineTrainError::NoStage));
}

#[test]
fn damaged_files_are_refused() {
    let good = bytes(&PIPELINE, "pipeline-damage");
    for place in (0..good.len()).step_by(good.len() / 50) {
        let mut bad = good.clone();
        bad[place] ^= 0x55;
        // Padding between sections may change without harm; anything else is noticed.
        if let Ok(pipeline) = Pipeline::from_bytes("bad", &bad) {
            assert_eq!(pipeline.info(), PIPELINE.info());
        }
    }
}

#[test]
fn sentences_are_processed_together_as_alone() {
    let mut worker = PIPELINE.worker();
    let trees = ParseOptions { confidence: true, ..ParseOptions::default() };
    let options = Options { trees, ..Options::default() };
    // With words alone, with some tags, with all of them.
    let some = |(index, gold): (usize, &Sentence)| match index % 4 {
        0 | 1 => bare(gold),
        2 => {
            let mut sent = bare(gold);
            sent.set(1, Column::Upos, gold.word(1).upos());
            sent
        }
        _ => gold.clone(),
    };
    let mut sentences: Vec<_> = treebank(5, 20).iter().enumerate().map(some).collect();
    sentences.insert(3, Sentence::new());
    assert!(PIPELINE.stages().parser.as_ref().unwrap().weighs_tags());
    let mut together = Vec::new();
    worker.process_all(&mut sentences.clone(), &options, |sent, outcome| {
        let outcome = outcome.unwrap();
        let confidences = outcome.analysis.unwrap().confidences.clone();
        together.push((text(sent), outcome.tags.to_vec(), confidences));
    });
    assert_eq!(together.len(), sentences.len());
    for (sent, (conllu, tags, confidences)) in sentences.iter_mut().zip(together) {
        let outcome = worker.process(sent, &options).unwrap();
        assert_eq!(
            (outcome.tags, &outcome.analysis.unwrap().confidences),
            (&tags[..], &confidences)
        );
        assert_eq!(text(sent), conllu);
    }
}

#[test]
fn untagged_sentences_are_refused_among_others() {
    let parser = PIPELINE.stages().parser.clone();
    let pipeline = Pipeline::new(&Stages { parser, ..Stages::default() }, Vec::new()).unwrap();
    let mut sentences = treebank(5, 4);
    sentences[1] = bare(&sentences[1]);
    let mut parsed = Vec::new();
    pipeline.worker().process_all(&mut sentences, &Options::default(), |sent, outcome| {
        parsed.push((sent.heads().all(|head| head.is_some()), outcome.is_ok()));
    });
    assert_eq!(parsed, [(true, true), (false, false), (true, true), (true, true)]);
}

#[test]
fn what_a_teacher_says_of_text_is_learned() {
    let mut silver: Vec<_> = treebank(4, 200).iter().map(bare).collect();
    let mut worker = PIPELINE.worker();
    worker.process_all(&mut silver, &Options::default(), |_, found| assert!(found.is_ok()));
    let (few, dev) = (treebank(1, 30), treebank(2, 60));
    let mut config = PipelineConfig { segment: false, ..config() };
    let neural = &mut config.parser.neural;
    (neural.epochs, neural.rate, neural.silver) = (Some(5), 0.01, 5.0);
    let alone = train(&config, &few, &dev, &mut |_| ()).unwrap();
    let taught = distill(&config, (&few, &silver), &dev, &mut |_| ()).unwrap();
    let las = |model: &Pipeline| model.info().parser.as_ref().unwrap().dev().unwrap().las;
    let upos = |model: &Pipeline| model.info().tagger.as_ref().unwrap().dev.unwrap().upos;
    assert!(las(&taught) > las(&alone), "{} {}", las(&alone), las(&taught));
    assert!(upos(&taught) > upos(&alone), "{} {}", upos(&alone), upos(&taught));
    // A graph parser takes silver for gold.
    config.parser.parser = Some(Kind::Graph);
    config.parser.epochs = 1;
    let graph = distill(&config, (&few, &silver), &dev, &mut |_| ()).unwrap();
    let count = graph.info().parser.as_ref().unwrap().training().sentences;
    assert!(count > few.len() && count < few.len() + silver.len(), "{count}");
}
