//! Tag.
use spantree::tag::*;
use spantree::treebank::load;
fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let train = load(&folder.join("train.conllu")).unwrap();
    let dev = load(&folder.join("dev.conllu")).unwrap();
    let mut config = TaggerConfig::default();
    let env = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<f64>().ok());
    if let Some(c) = env("C") { config.update = Update::PassiveAggressive { aggressiveness: c }; }
    if let Some(c) = env("MIN") { config.min_count = c as usize; }
    if let Some(c) = env("EPOCHS") { config.epochs = c as u64; }
    if let Some(c) = env("MAXW") { config.max_weights = c as usize; }
    if let Some(c) = env("STEP") { config.update = Update::Crf { step: c as f32, l2: env("L2").unwrap_or(0.0) as f32 }; }
    let tagger = TaggerTrainer::new(config).train(&train, &dev, &mut |e| eprintln!("{e:?}")).unwrap();
    let mut worker = tagger.worker();
    let words: usize = dev.iter().map(|s| s.len()).sum();
    let mut copies = dev.clone();
    for _ in 0..3 {
    copies.clone_from(&dev);
    let start = std::time::Instant::now();
    for s in &mut copies { worker.tag(s, &TagOptions::default()); }
    println!("{:.0} words/s", words as f64 / start.elapsed().as_secs_f64());
    }
}
