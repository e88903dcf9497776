//! Places the tokens of CoNLL-U input in their text, and measures the trees.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use spantree_treebank::{Format, TreebankReader};

fuzz_target!(|bytes: &[u8]| {
    for sent in TreebankReader::new(Cursor::new(bytes.to_vec()), "input", Format::Conllu).flatten()
    {
        match sent.offsets() {
            Ok(offsets) => {
                for place in (0..sent.token_count()).filter_map(|row| offsets.of_row(row)) {
                    assert!(offsets.text().get(place.bytes).is_some());
                }
            }
            Err(_) => assert!(sent.text().is_some(), "a rebuilt text has its tokens"),
        }
        if let Ok(tree) = sent.tree() {
            assert_eq!(tree.is_projective(), tree.gap_degree() == 0);
            let _ = (tree.is_planar(), tree.is_one_endpoint_crossing());
        }
    }
});
