//! Real Universal Dependencies files: run with `SPANTREE_TREEBANKS=DIR cargo test -- --ignored`, where `DIR/*/*.conllu`.

use std::fs;
use std::path::PathBuf;

use spantree_treebank::{Sentence, TreebankReader, TreebankWriter};

fn files() -> Vec<PathBuf> {
    let folder = std::env::var("SPANTREE_TREEBANKS")
        .expect("set SPANTREE_TREEBANKS to the folder with the treebanks");
    let mut files = Vec::new();
    for treebank in fs::read_dir(&folder).expect("SPANTREE_TREEBANKS is a folder").flatten() {
        let Ok(inside) = fs::read_dir(treebank.path()) else { continue };
        files.extend(
            inside
                .flatten()
                .map(|file| file.path())
                .filter(|path| path.extension().is_some_and(|e| e == "conllu")),
        );
    }
    assert!(files.len() >= 2, "no treebanks in {folder}");
    files.sort();
    files
}

#[test]
#[ignore = "needs real treebanks, see the top of the file"]
fn every_file_round_trips_byte_for_byte() {
    for path in files() {
        let mut reader = TreebankReader::open(&path, None).unwrap();
        let mut sent = Sentence::new();
        assert!(reader.read(&mut sent).unwrap());
        // Some files declare their ten columns; the layout of the reader knows.
        let mut writer =
            TreebankWriter::with_layout(Vec::new(), reader.format(), reader.layout().clone());
        writer.write(&sent).unwrap();
        while reader.read(&mut sent).unwrap_or_else(|error| panic!("{error}")) {
            writer.write(&sent).unwrap();
        }
        assert!(reader.warnings().is_empty(), "{path:?}: {:?}", reader.warnings());
        assert!(writer.into_inner() == fs::read(&path).unwrap(), "{path:?} changed");
    }
}
