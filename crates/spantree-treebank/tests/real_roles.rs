//! Real CoNLL-2009 files: run with `SPANTREE_SHARED=DIR cargo test --test real_roles -- --ignored`, where
//! `DIR/propbank/*/*.conll09`.

use std::fs;
use std::path::{Path, PathBuf};

use spantree_treebank::{Format, Sentence, TreebankReader, TreebankWriter};

fn files() -> Vec<PathBuf> {
    let shared = std::env::var("SPANTREE_SHARED")
        .expect("set SPANTREE_SHARED to the folder that has propbank/");
    let folder = Path::new(&shared).join("propbank");
    let corpora = fs::read_dir(&folder).expect("SPANTREE_SHARED has a folder propbank").flatten();
    let inside = corpora.filter_map(|corpus| fs::read_dir(corpus.path()).ok()).flatten().flatten();
    let mut files: Vec<_> = inside.map(|file| file.path()).collect();
    files.retain(|path| Format::from_path(path) == Some(Format::Conll2009));
    assert!(!files.is_empty(), "no CoNLL-2009 files in {folder:?}");
    files.sort();
    files
}

#[test]
#[ignore = "needs real CoNLL-2009 files, see the top of the file"]
fn every_file_round_trips_byte_for_byte() {
    for path in files() {
        let mut reader = TreebankReader::open(&path, None).unwrap();
        let mut writer = TreebankWriter::new(Vec::new(), Format::Conll2009);
        let mut sent = Sentence::new();
        let (mut predicates, mut arguments) = (0, 0);
        while reader.read(&mut sent).unwrap_or_else(|error| panic!("{error}")) {
            writer.write(&sent).unwrap();
            predicates += sent.predicates().len();
            arguments +=
                sent.predicates().iter().map(|predicate| predicate.args.len()).sum::<usize>();
        }
        assert!(reader.warnings().is_empty(), "{path:?}: {:?}", reader.warnings());
        assert!(writer.into_inner() == fs::read(&path).unwrap(), "{path:?} changed");
        println!("{path:?}: {predicates} predicates, {arguments} arguments");
        assert!(predicates > 0 && arguments > predicates);
    }
}
