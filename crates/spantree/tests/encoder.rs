//! Pretrained encoders as input of a learned parser, with a tiny encoder that is made here.
#![cfg(feature = "encoder")]

use std::fs;
use std::path::{Path, PathBuf};

use spantree::encoder;
use spantree::neural::train::{Data, train};
use spantree::neural::{Encoder, EncoderMismatch, NeuralConfig, Parser, Sizes};
use spantree::parser::{ParseError, ParseOptions};
use spantree::pipeline::{Pipeline, Stages};
use spantree::train::{Kind, TrainConfig};
use spantree::treebank::{Generator, GeneratorConfig, Sentence, load};

const WIDTH: usize = 4;
const LAYERS: usize = 2;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Names and shapes of the tensors of an encoder.
fn tensors() -> Vec<(String, Vec<usize>)> {
    let mut list = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![9, WIDTH]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![12, WIDTH]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![WIDTH]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![WIDTH]),
    ];
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for (part, shape) in [
            ("attention.self.query", [WIDTH, WIDTH]),
            ("attention.self.key", [WIDTH, WIDTH]),
            ("attention.self.value", [WIDTH, WIDTH]),
            ("attention.output.dense", [WIDTH, WIDTH]),
            ("intermediate.dense", [6, WIDTH]),
            ("output.dense", [WIDTH, 6]),
        ] {
            list.push((name(&format!("{part}.weight")), shape.to_vec()));
            list.push((name(&format!("{part}.bias")), vec![shape[0]]));
        }
        for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
            list.push((name(&format!("{part}.weight")), vec![WIDTH]));
            list.push((name(&format!("{part}.bias")), vec![WIDTH]));
        }
    }
    list
}

/// A `.safetensors` file with numbers that depend on the seed.
fn safetensors(seed: u32) -> Vec<u8> {
    let (mut header, mut data) =
        (String::from("{\"__metadata__\": {\"format\": \"pt\"}"), Vec::new());
    let mut state = seed;
    for (name, shape) in tensors() {
        let start = data.len();
        for _ in 0..shape.iter().product() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            data.extend((state as f32 / u32::MAX as f32 - 0.5).to_le_bytes());
        }
        let end = data.len();
        header += &format!(
            ", \"{name}\": {{\"dtype\": \"F32\", \"shape\": {shape:?}, \"data_offsets\": [{start}, {end}]}}"
        );
    }
    header.push('}');
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

const CONFIG: &str = r#"{"hidden_size": 4, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 6,
    "max_position_embeddings": 12, "vocab_size": 9, "type_vocab_size": 2}"#;

fn folder(name: &str, seed: u32) -> Folder {
    let path = std::env::temp_dir().join(format!("spantree-encoder-{name}-{}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("config.json"), CONFIG).unwrap();
    fs::write(path.join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##a\n##b\nc\n").unwrap();
    fs::write(path.join("model.safetensors"), safetensors(seed)).unwrap();
    Folder(path)
}

fn encoder(name: &str, seed: u32) -> Encoder {
    encoder::load(&folder(name, seed).0).unwrap()
}

fn sentence(forms: &str) -> Sentence {
    let mut sent = Sentence::new();
    forms.split_whitespace().for_each(|form| {
        sent.push_word(form);
    });
    sent
}

fn vectors(encoder: &Encoder, sentences: &[Sentence]) -> Vec<f32> {
    let mut vectors = Vec::new();
    encoder.add_vectors(sentences, &mut vectors);
    vectors
}

#[test]
fn words_have_vectors_that_depend_on_their_sentence_alone() {
    let encoder = encoder("alone", 1);
    let width = encoder.info().width;
    assert_eq!(width, LAYERS * WIDTH);
    let sentences = ["a b", "ab c", "", "c"].map(sentence);
    let all = vectors(&encoder, &sentences);
    assert_eq!(all.len(), (3 + 3 + 1 + 2) * width);
    let alone: Vec<_> =
        sentences.iter().flat_map(|sent| vectors(&encoder, std::slice::from_ref(sent))).collect();
    assert_eq!(all, alone, "bit for bit");
    assert!(all.iter().all(|value| value.is_finite()));
    let [first, other] = ["a b", "a c"].map(|text| vectors(&encoder, &[sentence(text)]));
    assert_ne!(first[width..2 * width], other[width..2 * width], "a sees its neighbour");
}

#[test]
fn sentences_longer_than_the_model_are_cut() {
    let encoder = encoder("long", 1);
    let long = sentence(&"a b c ".repeat(9));
    let all = vectors(&encoder, std::slice::from_ref(&long));
    assert_eq!(all.len(), 28 * encoder.info().width);
    assert!(all.iter().all(|&value| value.is_finite() && value != 0.0));
    let endless = sentence(&format!("a {} c", "ab".repeat(50)));
    assert_eq!(vectors(&encoder, &[endless]).len(), 4 * encoder.info().width);
}

#[test]
fn broken_folders_are_refused() {
    let message = |path: &Path| encoder::load(path).map(|_| ()).unwrap_err().to_string();
    let folder = folder("broken", 1);
    let path = |name: &str| folder.0.join(name);
    assert!(message(Path::new("no/such")).contains("config.json"));
    for (name, content, expected) in [
        ("config.json", "{}".to_owned(), "hidden_size"),
        ("config.json", CONFIG.replace("\"hidden_size\": 4", "\"hidden_size\": 5"), "multiple"),
        ("config.json", CONFIG.replace("_size\": 6", "_size\": 60000"), "smaller"),
        ("config.json", CONFIG.replace("\": 12", "\": 2"), "max_position"),
        ("config.json", CONFIG.replace("vocab_size\": 9", "vocab_size\": 3"), "vocab_size"),
        ("config.json", CONFIG.replace("{", "{\"hidden_act\": \"relu\","), "only gelu"),
        ("vocab.txt", "a\nb\n".to_owned(), "[UNK]"),
        ("model.safetensors", "nothing".to_owned(), "cut short"),
        ("model.safetensors", format!("\u{2}{}{{}}", "\0".repeat(7)), "smaller"),
    ] {
        let before = fs::read(path(name)).unwrap();
        fs::write(path(name), content).unwrap();
        assert!(message(&folder.0).contains(expected), "{}", message(&folder.0));
        fs::write(path(name), before).unwrap();
    }
    fs::remove_file(path("vocab.txt")).unwrap();
    assert!(message(&folder.0).contains("tokenizer.json"));
}

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

fn config(encoder: Option<Encoder>) -> TrainConfig {
    let sizes = Sizes { width: 16, layers: 1, units: 8, arc: 16, label: 8, tag: 8 };
    let neural = NeuralConfig {
        epochs: Some(2),
        batch: Some(40),
        rate: 0.02,
        sizes,
        ..NeuralConfig::default()
    };
    TrainConfig { neural, encoder, ..TrainConfig::default() }
}

fn make(encoder: Option<Encoder>, threads: usize) -> Parser {
    let config = TrainConfig { threads, ..config(encoder) };
    train(&config, Data::new(&treebank(1, 100), &treebank(2, 20)), &mut |_| ()).unwrap()
}

fn pipeline(parser: &Parser) -> Pipeline {
    let stages = Stages { parser: Some(parser.clone().into()), ..Stages::default() };
    Pipeline::new(&stages, Vec::new()).unwrap()
}

#[test]
fn a_model_asks_for_the_encoder_that_it_was_trained_with() {
    let ours = encoder("ours", 1);
    let parser = make(Some(ours.clone()), 1);
    let mut parsed = treebank(3, 5);
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    let mut expected = parsed.clone();
    parser.worker().parse_all((&mut expected, &[]), &options, |_, found| assert!(found.is_ok()));
    let loaded = pipeline(&parser);
    assert!(matches!(
        loaded.clone().with_encoder(None),
        Err(EncoderMismatch::Missing { needed }) if needed == ours.info()
    ));
    assert!(matches!(
        loaded.clone().with_encoder(Some(encoder("other", 2))),
        Err(EncoderMismatch::Other { .. })
    ));
    let bare = loaded.stages().parser.clone().unwrap();
    let error = bare.worker().parse(&mut parsed[0], &options).unwrap_err();
    assert!(matches!(error, ParseError::Encoder(EncoderMismatch::Missing { .. })));
    let loaded = loaded.with_encoder(Some(ours.clone())).unwrap();
    let joined = loaded.stages().parser.as_ref().unwrap();
    joined.worker().parse_all((&mut parsed, &[]), &options, |_, found| assert!(found.is_ok()));
    let trees = |sentences: &[Sentence]| -> Vec<_> {
        sentences.iter().flat_map(|sent| sent.heads().collect::<Vec<_>>()).collect()
    };
    assert_eq!(trees(&parsed), trees(&expected));
    let plain = pipeline(&make(None, 1));
    assert!(matches!(plain.with_encoder(Some(ours)), Err(EncoderMismatch::NotWanted)));
}

#[test]
fn threads_change_no_byte_and_only_networks_take_vectors() {
    let ours = encoder("threads", 1);
    let bytes = [1, 2].map(|threads| {
        let path = std::env::temp_dir()
            .join(format!("spantree-encoder-model-{threads}-{}", std::process::id()));
        pipeline(&make(Some(ours.clone()), threads)).save(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(path).unwrap();
        bytes
    });
    assert!(bytes[0] == bytes[1]);
    let graph = TrainConfig { parser: Some(Kind::Graph), ..config(Some(ours)) };
    assert!(graph.check().unwrap_err().to_string().contains("neural"));
}

/// The vectors that `experiments/neural/encoder_vectors.py` writes.
#[test]
#[ignore = "needs a pretrained encoder and its vectors; see experiments/neural/encoder_vectors.py"]
fn vectors_equal_those_of_a_plain_implementation() {
    let setting = |name| PathBuf::from(std::env::var_os(name).expect("a path in the environment"));
    let encoder = encoder::load(&setting("SPANTREE_ENCODER")).unwrap();
    let sentences = load(&setting("SPANTREE_SENTENCES")).unwrap();
    let expected = fs::read(setting("SPANTREE_VECTORS")).unwrap();
    let expected =
        expected.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    let found = vectors(&encoder, &sentences);
    assert_eq!(found.len(), expected.len());
    let largest = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("largest difference of {} numbers: {largest:e}", found.len());
    assert!(largest < 1e-4);
}
