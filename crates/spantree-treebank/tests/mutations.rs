//! Damaged files: no reader, writer, measure or check panics, whatever the input, and what was read can be written and read.
//!
//! `SPANTREE_MUTATIONS=10000000 cargo test --release --test mutations` runs ten million of them; the default takes seconds.

#[path = "support/mutator.rs"]
mod mutator;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use mutator::Mutator;
use spantree_treebank::draw::{Diagram, SvgStyle, TextStyle};
use spantree_treebank::validate::{Options, Validator};
use spantree_treebank::{Format, Sentence, Tree, TreebankReader, TreebankWriter};

/// Names the mutation when a check panics.
struct Reporter(u64);

impl Drop for Reporter {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("mutation {} failed", self.0);
        }
    }
}

fn seeds() -> Vec<(Vec<u8>, Format)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/treebank");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let with_format =
        |path: &std::path::PathBuf| Some((fs::read(path).unwrap(), Format::from_path(path)?));
    paths.iter().filter_map(with_format).collect()
}

#[test]
fn damaged_files_cause_no_panic() {
    let count = std::env::var("SPANTREE_MUTATIONS").map_or(20_000, |count| count.parse().unwrap());
    let seeds = seeds();
    assert!(seeds.len() >= 8);
    let mut accepted = 0;
    for number in 0..count {
        let _reporter = Reporter(number);
        if number > 0 && number % 1_000_000 == 0 {
            println!("{number} mutations");
        }
        let mut mutator = Mutator::new(number);
        let (seed, own) = &seeds[mutator.below(seeds.len())];
        let input = mutator.damage(seed);
        let format = match mutator.below(5) {
            0 => Format::ALL[mutator.below(Format::ALL.len())],
            _ => *own,
        };
        let other = Format::ALL[mutator.below(Format::ALL.len())];
        accepted += u64::from(check_reading(&input, format, other));
        let mut validator = Validator::new(Options::default());
        let mut longest = 0;
        validator
            .check(&input[..], "x", |finding| longest = longest.max(finding.to_string().len()))
            .unwrap();
    }
    assert!(
        accepted * 10 > count,
        "only {accepted} of {count} were readable: the damage is too great to test much"
    );
}

/// Reads `input`, measures every sentence and writes it as `format` and as `other`; whether there was no error.
fn check_reading(input: &[u8], format: Format, other: Format) -> bool {
    let mut reader = TreebankReader::new(Cursor::new(input.to_vec()), "x", format);
    let (mut sentences, mut errors) = (Vec::new(), 0);
    let mut sent = Sentence::new();
    loop {
        match reader.read(&mut sent) {
            Ok(true) => {
                measure(&sent);
                sentences.push(sent.clone());
            }
            Ok(false) => break,
            Err(error) => {
                assert!(error.to_string().starts_with("x:"), "{error}");
                errors += 1;
            }
        }
    }
    let mut writer =
        TreebankWriter::with_layout(Vec::new(), reader.format(), reader.layout().clone());
    sentences.iter().for_each(|sent| writer.write(sent).unwrap());
    let written = writer.into_inner();
    let conllu = matches!(format, Format::Conllu | Format::ConlluPlus);
    if conllu && errors == 0 && reader.warnings().is_empty() && !sentences.is_empty() {
        assert_eq!(
            String::from_utf8_lossy(&written),
            String::from_utf8_lossy(input),
            "not lossless"
        );
    }
    reread(&written, reader.format(), &sentences);
    let mut writer = TreebankWriter::new(Vec::new(), other);
    sentences.iter().for_each(|sent| writer.write(sent).unwrap());
    reread(&writer.into_inner(), other, &sentences);
    errors == 0
}

/// What was written must be readable, with the same words and heads.
fn reread(written: &[u8], format: Format, sentences: &[Sentence]) {
    let reader = TreebankReader::new(Cursor::new(written.to_vec()), "written", format);
    let back: Vec<Sentence> =
        reader.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}"));
    let words = |sentences: &[Sentence]| sentences.iter().map(Sentence::len).sum::<usize>();
    assert_eq!(words(sentences), words(&back), "words got lost in {format}");
    let has_heads = !matches!(format, Format::Tagged | Format::TaggedSlash | Format::ConlluPlus);
    if has_heads {
        let heads = sentences.iter().flat_map(Sentence::heads);
        assert!(heads.eq(back.iter().flat_map(Sentence::heads)), "heads got lost in {format}");
    }
}

/// Everything that can be asked of a sentence.
fn measure(sent: &Sentence) {
    let text = sent.surface_text();
    if let Ok(offsets) = sent.offsets() {
        for (index, token) in sent.tokens().enumerate() {
            let place = offsets.of_row(index);
            assert_eq!(
                place.is_none(),
                matches!(token.id(), spantree_treebank::TokenId::Empty(..))
            );
            assert!(place.is_none_or(|place| offsets.text().get(place.bytes).is_some()));
        }
    } else {
        assert!(sent.text().is_some(), "{text:?} was rebuilt from its tokens");
    }
    for token in sent.tokens() {
        let _ = (
            token.feats().count(),
            token.misc().count(),
            token.deps().count(),
            token.space_after(),
        );
    }
    let diagram = Diagram::new(sent);
    let _ =
        (diagram.to_text(TextStyle::default()), diagram.to_svg(&SvgStyle { line_width: 200.0 }));
    if let Ok(tree) = sent.tree() {
        measure_tree(&tree, sent);
    }
}

fn measure_tree(tree: &Tree, sent: &Sentence) {
    assert_eq!(tree.is_projective(), tree.gap_degree() == 0);
    let _ = (tree.is_planar(), tree.is_one_endpoint_crossing(), tree.root().is_ok());
    if let Some(last) = u32::try_from(tree.len()).ok().filter(|&last| last > 0) {
        let _ = tree.path(1, last).labels(sent);
        assert!(tree.dominates(tree.lowest_common_ancestor(1, last), last));
    }
}
