//! Reads the input as CoNLL-U and draws every sentence in every form.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use spantree_treebank::draw::{Diagram, Page, SvgStyle, TextStyle, stack};
use spantree_treebank::{Format, TreebankReader};

fuzz_target!(|bytes: &[u8]| {
    let reader = TreebankReader::new(Cursor::new(bytes.to_vec()), "input", Format::Conllu);
    for sent in reader.flatten() {
        let diagram = Diagram::new(&sent);
        let rows = sent.tokens().filter(|token| !token.id().to_string().contains('-')).count();
        assert_eq!(diagram.to_text(TextStyle::default()).lines().count(), rows);
        for line_width in [880.0, 1.0] {
            let svg = stack(&[diagram.to_svg(&SvgStyle { line_width })]);
            assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
        }
        assert!(!Page::default().sentence(&sent, &[("", diagram)]).contains("<script"));
    }
});
