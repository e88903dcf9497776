//! Reads `testdata/treebank/validate.toml`.

use std::fs;
use std::path::Path;

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) text: String,
    /// `line test` of each finding.
    pub(crate) findings: Vec<String>,
}

pub(crate) fn load() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/treebank/validate.toml");
    let suite: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let cases = suite["case"].as_array().unwrap().iter();
    let case = |case: &toml::Value| Case {
        name: case["name"].as_str().unwrap().to_owned(),
        text: case["text"].as_str().unwrap().split_inclusive('\n').map(expanded).collect(),
        findings: case["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f.as_str().unwrap().to_owned())
            .collect(),
    };
    cases.map(case).collect()
}

/// A line with its tabs, spaces and empty columns.
fn expanded(line: &str) -> String {
    if !line.starts_with(|first: char| first.is_ascii_digit()) {
        return line.to_owned();
    }
    line.replace(' ', "\t").replace('␣', " ").replace('∅', "")
}
