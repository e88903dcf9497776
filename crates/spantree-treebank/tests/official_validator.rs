//! The validator against the official one: the same findings on the same lines.
//!
//! Run with `SPANTREE_PYTHON=PYTHON SPANTREE_TREEBANKS=DIR cargo test --release --test official_validator -- --ignored`,
//! where PYTHON is an interpreter with the PyPI package `udtools` and `DIR/*/*.conllu` are treebanks.

#[path = "support/mutator.rs"]
mod mutator;
#[path = "support/validator_cases.rs"]
mod validator_cases;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mutator::Mutator;
use spantree_treebank::validate::{Options, Validator};

/// Prints `file number, line, test` per incident and `file number, first line, last line` per sentence it cannot handle.
const OFFICIAL: &str = r#"
import io, logging, sys
from udtools import utils
from udtools.state import State
from udtools.validator import Validator
logging.disable(logging.CRITICAL)
validator = Validator(lang='ud', level=2, output=None)
# It adds 'ref' to this set when it sees DEPS and then accepts it in DEPREL too: a known difference.
relations = validator.data.get_deprel_for_language
validator.data.get_deprel_for_language = lambda code: set(relations(code))
for number, name in enumerate(sys.argv[1:]):
    state = State()
    state.current_file_name = name
    with io.open(name, encoding='utf-8') as lines:
        for sentence in utils.next_sentence(state, lines):
            try:
                validator.validate_sentence(sentence, state)
            except Exception:
                last = state.current_line
                print('CRASH', number, last - len(sentence) + 1, last)
        validator.check_newlines(state, lines)
    for incident in state.error_tracker:
        print('FOUND', number, incident.lineno, incident.testid)
"#;

type Findings = BTreeMap<(u64, String), u32>;

/// The findings in each file, and the line ranges of sentences that the official validator cannot handle.
fn official(files: &[PathBuf]) -> Vec<(Findings, Vec<(u64, u64)>)> {
    let python =
        std::env::var("SPANTREE_PYTHON").expect("set SPANTREE_PYTHON to a Python with udtools");
    let output = Command::new(python).arg("-c").arg(OFFICIAL).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut results = vec![Default::default(); files.len()];
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let result: &mut (Findings, Vec<_>) = &mut results[fields[1].parse::<usize>().unwrap()];
        let line = fields[2].parse().unwrap();
        match fields[0] {
            "FOUND" => *result.0.entry((line, fields[3].to_owned())).or_default() += 1,
            _ => result.1.push((line, fields[3].parse().unwrap())),
        }
    }
    results
}

fn ours(path: &Path) -> Findings {
    let mut findings = Findings::new();
    let mut validator = Validator::new(Options { max_findings: 0, ..Options::default() });
    let count = |finding: spantree_treebank::validate::Finding| {
        *findings.entry((finding.line, finding.test.id.to_owned())).or_default() += 1;
    };
    validator.check(fs::File::open(path).unwrap(), "x", count).unwrap();
    findings
}

/// Compares the findings on every file; gives how many both have, and lists the others.
fn compare(files: &[PathBuf]) -> (u32, Vec<String>) {
    let (mut common, mut differences) = (0, Vec::new());
    for (path, (official, crashes)) in files.iter().zip(official(files)) {
        let mut ours = ours(path);
        let crashed =
            |line: u64| crashes.iter().any(|&(first, last)| (first..=last).contains(&line));
        ours.retain(|(line, _), _| !crashed(*line));
        for ((line, test), &count) in official.iter().filter(|((line, _), _)| !crashed(*line)) {
            let found = ours.remove(&(*line, test.clone())).unwrap_or(0);
            common += found.min(count);
            if found != count {
                differences.push(format!(
                    "{}:{line}: {test}: official {count}, ours {found}",
                    path.display()
                ));
            }
        }
        let extra = ours.iter().map(|((line, test), n)| {
            format!("{}:{line}: {test}: official 0, ours {n}", path.display())
        });
        differences.extend(extra);
    }
    (common, differences)
}

fn treebanks() -> Vec<PathBuf> {
    let folder = std::env::var("SPANTREE_TREEBANKS")
        .expect("set SPANTREE_TREEBANKS to the folder with the treebanks");
    let folders = fs::read_dir(&folder).expect("SPANTREE_TREEBANKS is a folder").flatten();
    let mut files: Vec<_> = folders
        .flat_map(|entry| ["dev.conllu", "train.conllu"].map(|name| entry.path().join(name)))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no treebanks in {folder}");
    files
}

fn scratch_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("spantree-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
#[ignore = "needs udtools, see the top of the file"]
fn the_same_findings_on_the_cases() {
    let folder = scratch_folder("cases");
    let mut files = Vec::new();
    for (index, case) in validator_cases::load().iter().enumerate() {
        files.push(folder.join(format!("{index}-{}.conllu", case.name)));
        fs::write(&files[index], &case.text).unwrap();
        assert_eq!(ours(&files[index]).values().sum::<u32>() as usize, case.findings.len());
    }
    let (common, differences) = compare(&files);
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(common > 100);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "needs udtools and real treebanks, see the top of the file"]
fn the_same_findings_on_real_treebanks() {
    let (common, differences) = compare(&treebanks());
    println!("{common} findings in common");
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[test]
#[ignore = "needs udtools and real treebanks, see the top of the file"]
fn the_same_findings_on_damaged_treebanks() {
    let folder = scratch_folder("damaged");
    let mut files = Vec::new();
    for (index, path) in treebanks().iter().enumerate() {
        let text = fs::read(path).unwrap();
        let lines: Vec<Vec<u8>> =
            text.split(|&byte| byte == b'\n').take(4000).map(<[u8]>::to_vec).collect();
        for seed in 0..5 {
            let mut mutator = Mutator::new(100 * index as u64 + seed);
            let mut lines = lines.clone();
            (0..250).for_each(|_| mutator.damage_lines(&mut lines));
            let path = folder.join(format!("{index}-{seed}.conllu"));
            fs::write(&path, lines.join(&b'\n')).unwrap();
            files.push(path);
        }
    }
    let (common, differences) = compare(&files);
    println!("{common} findings in common, {} differences", differences.len());
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    fs::remove_dir_all(folder).unwrap();
}
