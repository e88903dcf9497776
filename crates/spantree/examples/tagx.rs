use spantree::neural::train::{Data, RightTags, train};
use spantree::train::{Progress, TrainConfig};
use spantree::treebank::Sentence;
fn load(p: &str) -> Vec<Sentence> {
    spantree::treebank::load(std::path::Path::new(p)).unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (pt, pd, gt, gd) = (load(&a[1]), load(&a[2]), load(&a[3]), load(&a[4]));
    let mut c = TrainConfig::default();
    c.neural.epochs = a.get(5).and_then(|e| e.parse().ok());
    c.threads = 1;
    let data = Data {
        train: &pt,
        versions: 1,
        dev: &pd,
        right_tags: Some(RightTags { train: &gt, dev: &gd }),
    };
    train(&c, data, &mut |p| match p {
        Progress::TreeEpoch { epoch, dev, .. } => eprintln!("{epoch} {dev:?}"),
        Progress::Retagged { read, corrected } => println!("{read:?} {corrected:?}"),
        _ => (),
    })
    .unwrap();
}
