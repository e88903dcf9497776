//! Segments the input as text, in pieces: every byte is in one token or is white space, and the pieces change nothing.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spantree::segment::{Options, Place, Segmenter, TrainConfig, train};
use spantree::treebank::{Generator, GeneratorConfig, Sentence};

static SEGMENTER: LazyLock<Segmenter> = LazyLock::new(|| {
    let treebank: Vec<_> = Generator::new(GeneratorConfig::default()).take(100).collect();
    let config = TrainConfig { epochs: 2, bits: 12, ..TrainConfig::default() };
    train(&config, &treebank, &[], &mut |_| ()).expect("a generated treebank can be trained on")
});

/// The places of all tokens of a text that comes in pieces of a size.
fn places(bytes: &[u8], size: usize) -> Vec<Place> {
    let mut run = SEGMENTER.segmentation(Options::default());
    let (mut sent, mut places) = (Sentence::new(), Vec::new());
    bytes.chunks(size).for_each(|piece| run.feed(piece));
    run.finish();
    while run.next(&mut sent) {
        assert_eq!(sent.surface_tokens().count(), run.places().len());
        places.extend_from_slice(run.places());
    }
    places
}

fn is_blank(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| c.is_whitespace() || c == '\u{feff}'))
}

fuzz_target!(|bytes: &[u8]| {
    let found = places(bytes, bytes.len().max(1));
    let mut covered = 0;
    for place in &found {
        let (start, end) = (place.bytes.start as usize, place.bytes.end as usize);
        assert!(covered <= start && start < end && is_blank(&bytes[covered..start]));
        covered = end;
    }
    assert!(is_blank(&bytes[covered..]));
    assert_eq!(found, places(bytes, 7));
});
