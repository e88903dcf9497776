//! What every reader promises: no panic, and what was read can be written and read again.

use std::io::Cursor;

use spantree_treebank::{Format, Sentence, TreebankReader, TreebankWriter};

pub fn check(bytes: &[u8], format: Format) {
    let mut reader = TreebankReader::new(Cursor::new(bytes.to_vec()), "input", format);
    let (mut sentences, mut errors) = (Vec::new(), 0);
    for sent in &mut reader {
        match sent {
            Ok(sent) => sentences.push(sent),
            Err(_) => errors += 1,
        }
    }
    let mut writer =
        TreebankWriter::with_layout(Vec::new(), reader.format(), reader.layout().clone());
    for sent in &sentences {
        writer.write(sent).expect("memory takes everything");
    }
    let written = writer.into_inner();
    let lossless = matches!(format, Format::Conllu | Format::ConlluPlus);
    if lossless && errors == 0 && reader.warnings().is_empty() && !sentences.is_empty() {
        assert_eq!(written, bytes);
    }
    let again = TreebankReader::new(Cursor::new(written), "written", reader.format());
    let again: Vec<Sentence> =
        again.collect::<Result<_, _>>().expect("what was written can be read");
    let words = |sentences: &[Sentence]| sentences.iter().map(Sentence::len).sum::<usize>();
    assert_eq!(words(&sentences), words(&again));
}
