//! Tag.
use spantree::treebank::load;
fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let train = load(&folder.join("train.conllu")).unwrap();
    let dev = load(&folder.join("dev.conllu")).unwrap();
    let tagger = spantree::tag::train::train(&train, &dev).unwrap();
    if let Some(path) = std::env::args().nth(2) {
        let mut worker = tagger.worker();
        let mut out = String::new();
        for gold in &dev {
            let mut guess = gold.clone();
            worker.tag(&mut guess);
            for (g, h) in gold.words().zip(guess.words()) {
                use spantree::treebank::Column::*;
                out += &format!("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", g.form(), g.upos(), h.upos(), g.xpos(), h.xpos(), g.get(Feats), h.get(Feats));
            }
            out += "\n";
        }
        std::fs::write(path, out).unwrap();
    }
}
