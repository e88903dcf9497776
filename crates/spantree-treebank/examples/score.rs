//! Scores systems' treebanks against gold: `cargo run --release --example score -- text|json|html GOLD SYSTEM…`.

use std::error::Error;
use std::path::Path;

use spantree_treebank::evaluate::Document;
use spantree_treebank::report::{Report, ReportOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [form, gold, systems @ ..] = arguments.as_slice() else {
        return Err("usage: score text|json|html GOLD SYSTEM…".into());
    };
    let load = |path: &String| Document::load(Path::new(path), None);
    let gold = load(gold)?;
    let systems = systems.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let options = ReportOptions { breakdown: true, ..ReportOptions::ud() };
    let report = Report::new(&gold, &systems, &options)?;
    match form.as_str() {
        "text" => print!("{}", report.to_text()),
        "json" => print!("{}", report.to_json()),
        "html" => print!("{}", report.to_html()),
        other => return Err(format!("unknown form {other:?}; choose text, json or html").into()),
    }
    Ok(())
}
