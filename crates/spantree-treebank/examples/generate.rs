//! Writes a synthetic treebank: `cargo run --example generate -- SENTENCES SEED > FILE`.

use std::io::{self, BufWriter};

use spantree_treebank::{Format, Generator, GeneratorConfig, TreebankWriter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let sentences = args.next().map_or(Ok(10), |text| text.parse())?;
    let seed = args.next().map_or(Ok(0), |text| text.parse())?;
    let config = GeneratorConfig { seed, enhanced: true, ..GeneratorConfig::default() };
    let mut writer = TreebankWriter::new(BufWriter::new(io::stdout()), Format::Conllu);
    for sent in Generator::new(config).take(sentences) {
        writer.write(&sent)?;
    }
    Ok(())
}
