//! Enhanced graphs in a pipeline, on generated sentences whose words also hang on the head of their head.

use spantree::pipeline::train::{PipelineConfig, train};
use spantree::pipeline::{Options, Pipeline};
use spantree::train::TrainConfig;
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence};

/// DEPS: the tree, and an arc `up` from the head of the head of every word that has one.
fn deps(sent: &Sentence, word: u32) -> String {
    let token = sent.word(word);
    let head = token.head().unwrap_or(0);
    let above = if head == 0 { None } else { sent.word(head).head().filter(|&above| above > 0) };
    let mut arcs = vec![(head, token.deprel())];
    arcs.extend(above.map(|above| (above, "up")));
    arcs.sort_unstable();
    let texts: Vec<_> = arcs.iter().map(|(head, label)| format!("{head}:{label}")).collect();
    texts.join("|")
}

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    let generator = Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() });
    let mut sentences: Vec<Sentence> = generator.take(count).collect();
    for sent in &mut sentences {
        for word in 1..=sent.len() as u32 {
            sent.set(word, Column::Deps, &deps(sent, word));
        }
    }
    sentences
}

fn pipeline(parse: bool) -> Pipeline {
    let config = PipelineConfig {
        segment: false,
        tag: false,
        lemmatise: false,
        parse,
        enhance: true,
        parser: TrainConfig { epochs: 2, order: 2, max_bits: 17, ..TrainConfig::default() },
        ..PipelineConfig::default()
    };
    let trained = train(&config, &treebank(1, 120), &treebank(2, 30), &mut |_| ()).unwrap();
    let path =
        std::env::temp_dir().join(format!("spantree-enhance-{parse}-{}", std::process::id()));
    trained.save(&path).unwrap();
    let loaded = Pipeline::load(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(loaded.info(), trained.info());
    loaded
}

/// Share of words with the DEPS that their tree asks for, and the heads.
fn run(pipeline: &Pipeline, forget: bool) -> (f64, Vec<Option<u32>>) {
    let (mut right, mut words, mut heads) = (0, 0, Vec::new());
    let mut worker = pipeline.worker();
    for mut sent in treebank(3, 30) {
        for word in 1..=sent.len() as u32 {
            sent.set(word, Column::Deps, "_");
            if forget {
                sent.set_head(word, None);
            }
        }
        worker.process(&mut sent, &Options::default()).unwrap();
        let expected = |word: u32| sent.word(word).get(Column::Deps) == deps(&sent, word);
        right += (1..=sent.len() as u32).filter(|&word| expected(word)).count();
        words += sent.len();
        heads.extend(sent.heads());
    }
    (right as f64 / words as f64, heads)
}

#[test]
fn graphs_follow_the_trees_of_the_parser() {
    let pipeline = pipeline(true);
    assert!(pipeline.info().enhancer.as_ref().unwrap().dev > Some(95.0));
    let (right, _) = run(&pipeline, true);
    assert!(right > 0.9, "{right}");
}

#[test]
fn an_enhancer_alone_adds_graphs_to_given_trees() {
    let pipeline = pipeline(false);
    let (right, heads) = run(&pipeline, false);
    let given: Vec<_> =
        treebank(3, 30).iter().flat_map(|sent| sent.heads().collect::<Vec<_>>()).collect();
    assert_eq!(heads, given, "trees stay");
    assert!(right > 0.95, "{right}");
    let (right, _) = run(&pipeline, true);
    assert!(right < 0.05, "without trees there are no graphs");
}
