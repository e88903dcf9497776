//! Figures of the treebank list, counted anew: `SPANTREE_TREEBANKS=DIR cargo test --test stats_of_treebanks -- --ignored`,
//! where `DIR/README.md` has the table and `DIR/NAME/{train,dev}.conllu` the files.

use std::fs;
use std::path::Path;

use spantree_treebank::stats::{Report, Stats};
use spantree_treebank::{Sentence, TreebankReader};

/// A row of the table. All figures but those of dev are of train; XPOS tags include `_`.
struct Listed<'a> {
    name: &'a str,
    cells: Vec<&'a str>,
}

impl<'a> Listed<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        (cells.len() == 13).then(|| Self { name: cells[0], cells })
    }

    fn number(&self, column: usize) -> f64 {
        self.cells[column].replace(',', "").parse().expect("a number")
    }
}

fn count(path: &Path) -> Report {
    let mut stats = Stats::default();
    let mut reader = TreebankReader::open(path, None).unwrap();
    let mut sent = Sentence::new();
    while reader.read(&mut sent).unwrap_or_else(|error| panic!("{error}")) {
        stats.add(&sent);
    }
    stats.report()
}

fn check(listed: &Listed<'_>, train: &Report, dev: &Report) {
    let has_gaps = train.sizes.with_xpos < train.sizes.words;
    let counts = [
        (4, train.sizes.sentences),
        (5, train.sizes.words),
        (6, dev.sizes.sentences),
        (7, dev.sizes.words),
        (10, train.inventories.labels.len() as u64),
        (11, train.inventories.xpos as u64 + u64::from(has_gaps)),
        (12, train.sentence_length.max as u64),
    ];
    for (column, counted) in counts {
        assert_eq!(counted as f64, listed.number(column), "{}: column {column}", listed.name);
    }
    // The list counts the arcs of sentences with cycles; three sentences in one treebank have them.
    let slack = if train.sizes.without_tree > 0 { 0.05 } else { 0.0 };
    let trees = &train.trees;
    let shares =
        [(8, trees.non_projective_arc_share, 0.005), (9, trees.non_projective_share, 0.05)];
    for (column, share, rounding) in shares {
        let difference = (100.0 * share - listed.number(column)).abs();
        assert!(difference <= rounding + slack + 1e-9, "{}: column {column}", listed.name);
    }
}

#[test]
#[ignore = "needs real treebanks, see the top of the file"]
fn figures_agree_with_the_list() {
    let folder = std::env::var("SPANTREE_TREEBANKS")
        .expect("set SPANTREE_TREEBANKS to the folder with the treebanks");
    let folder = Path::new(&folder);
    let list = fs::read_to_string(folder.join("README.md")).expect("the list of treebanks");
    let mut checked = 0;
    for listed in list.lines().filter_map(Listed::read) {
        let treebank = folder.join(listed.name);
        if treebank.is_dir() {
            let (train, dev) = (treebank.join("train.conllu"), treebank.join("dev.conllu"));
            check(&listed, &count(&train), &count(&dev));
            checked += 1;
        }
    }
    assert!(checked > 0, "no treebank of the list is there");
}
