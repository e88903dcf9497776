//! Model files of earlier versions stay loadable and give the same analyses.

use std::io::Read;
use std::path::Path;

use spantree::Pipeline;
use spantree::pipeline::Options;
use spantree::treebank::{Sentence, file};

fn load(name: &str) -> Pipeline {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models").join(name);
    let mut bytes = Vec::new();
    file::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
    Pipeline::from_bytes(name, &bytes).unwrap()
}

/// What a model says of a sentence.
fn analyse(name: &str) -> Vec<String> {
    let pipeline = load(name);
    let mut sent = Sentence::new();
    for form in ["Goza", "vada", "fegem", "rukumam", "."] {
        sent.push_word(form);
    }
    pipeline.worker().process(&mut sent, &Options::default()).unwrap();
    sent.words()
        .map(|word| format!("{} {} {:?} {}", word.lemma(), word.upos(), word.head(), word.deprel()))
        .collect()
}

#[test]
fn version_1() {
    let expected = [
        "Goza PROPN Some(2) nsubj",
        "vadar VERB Some(0) root",
        "fege ADJ Some(4) amod",
        "rukuma NOUN Some(2) obj",
        ". PUNCT Some(2) punct",
    ];
    assert_eq!(analyse("v1.spantree.gz"), expected);
    assert_eq!(analyse("v1-neural.spantree.gz"), expected);
}
