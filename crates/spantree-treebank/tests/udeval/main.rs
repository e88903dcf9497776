//! Every UD metric against the official script, on real treebanks and damaged copies of them.
//!
//! `SPANTREE_TREEBANKS=DIR SPANTREE_PYTHON=PYTHON cargo test --release --test udeval -- --ignored`, where `DIR/*/*.conllu` are
//! treebanks and `PYTHON` is an interpreter that can import `udtools` (from PyPI).

mod damage;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use damage::Damage;
use spantree_treebank::evaluate::{
    Comparison, Document, Metric, Report, ReportOptions, Roots, Score,
};
use spantree_treebank::{
    Format, Generator, GeneratorConfig, Random, Sentence, TreebankReader, load,
};

/// Reads lines `gold TAB system`; answers with a line of scores for each pair, or `refused`.
const OFFICIAL: &str = r#"
import functools, sys
from udtools.udeval import UDError, evaluate, load_conllu_file

def percent(value):
    return "-" if value is None else "%.2f" % (100 * value)

sys.setrecursionlimit(100000)
load = functools.lru_cache(maxsize=2)(load_conllu_file)
for line in sys.stdin:
    try:
        scores = evaluate(*map(load, line.rstrip("\n").split("\t")))
    except UDError:
        print("refused")
        continue
    rows = (
        (name, s.gold_total, s.system_total, s.correct, *map(percent, (s.precision, s.recall, s.f1, s.aligned_accuracy)))
        for name, s in scores.items()
    )
    print("\t".join(" ".join(map(str, row)) for row in rows))
"#;

/// Treebanks with more sentences than this are large.
const LARGE: usize = 2_500;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("set {name}, see the top of the file"))
}

fn treebanks() -> Vec<PathBuf> {
    let folder = variable("SPANTREE_TREEBANKS");
    let mut files = Vec::new();
    for treebank in fs::read_dir(&folder).expect("SPANTREE_TREEBANKS is a folder").flatten() {
        let Ok(inside) = fs::read_dir(treebank.path()) else { continue };
        let paths = inside.flatten().map(|file| file.path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "conllu")));
    }
    assert!(!files.is_empty(), "no treebanks in {folder}");
    files.sort();
    files
}

/// A folder that disappears with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("spantree-udeval-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// One line of the official script's answer for each pair of files.
fn official(pairs: &[(PathBuf, PathBuf)]) -> Vec<String> {
    let python = variable("SPANTREE_PYTHON");
    let mut child = Command::new(&python)
        .args(["-c", OFFICIAL])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {python}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    for (gold, system) in pairs {
        writeln!(stdin, "{}\t{}", gold.display(), system.display()).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{python} failed; can it import udtools?");
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<_> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), pairs.len());
    answers
}

/// Our answer in the same words.
fn ours(gold: &Path, system: &Path) -> String {
    let document = |path| Document::load(path, Some(Format::Conllu));
    let (Ok(gold), Ok(system)) = (document(gold), document(system)) else {
        return "refused".to_owned();
    };
    let Ok(comparison) = Comparison::by_text(&gold, &system, Roots::One) else {
        return "refused".to_owned();
    };
    let percent = |value: f64| format!("{:.2}", 100.0 * value);
    let row = |metric: Metric| {
        let score = comparison.score(metric);
        let Score { gold, system, correct, .. } = score;
        let [precision, recall, f1] = [score.precision(), score.recall(), score.f1()].map(percent);
        let aligned = score.aligned_accuracy().map_or("-".to_owned(), percent);
        format!("{metric} {gold} {system} {correct} {precision} {recall} {f1} {aligned}")
    };
    Metric::ALL.map(row).join("\t")
}

fn sorted(answer: &str) -> Vec<&str> {
    let mut rows: Vec<_> = answer.split('\t').collect();
    rows.sort_unstable();
    rows
}

#[track_caller]
fn check(pairs: &[(PathBuf, PathBuf)]) -> Vec<String> {
    let answers = official(pairs);
    for ((gold, system), expected) in pairs.iter().zip(&answers) {
        let found = ours(gold, system);
        assert_eq!(sorted(&found), sorted(expected), "{} {}", gold.display(), system.display());
    }
    answers
}

/// The treebanks; of one with sentences that are no trees, a copy without these.
fn trees_only(scratch: &Scratch) -> Vec<PathBuf> {
    let is_tree = |sent: &&Sentence| sent.tree().is_ok_and(|tree| tree.root().is_ok());
    let copy = |(number, path): (usize, PathBuf)| {
        let sentences = load(&path).unwrap();
        if sentences.iter().all(|sent| is_tree(&sent)) {
            return path;
        }
        let text: String = sentences.iter().filter(is_tree).map(Sentence::to_conllu).collect();
        scratch.write(&format!("{number}-trees.conllu"), &text)
    };
    treebanks().into_iter().enumerate().map(copy).collect()
}

#[test]
#[ignore = "needs udtools and real treebanks, see the top of the file"]
fn gold_against_gold() {
    let files = treebanks();
    let pairs: Vec<_> = files.into_iter().map(|path| (path.clone(), path)).collect();
    let answers = check(&pairs);
    let perfect = answers.iter().filter(|answer| answer.contains(" 100.00 100.00 100.00"));
    let refused = answers.iter().filter(|answer| *answer == "refused");
    let (perfect, refused) = (perfect.count(), refused.count());
    assert!(perfect + refused == pairs.len() && perfect > refused, "{perfect} {refused}");
}

#[test]
#[ignore = "needs udtools and real treebanks, see the top of the file"]
fn damaged_copies() {
    let scratch = Scratch::new("damage");
    let kinds = [
        ("labels", Damage { annotation: 0.2, ..Damage::default() }),
        ("words", Damage { tokens: 0.1, multiword: 0.05, annotation: 0.02, ..Damage::default() }),
        ("all", Damage { annotation: 0.1, tokens: 0.05, multiword: 0.1, sentences: 0.3 }),
    ];
    let mut pairs = Vec::new();
    for (number, path) in trees_only(&scratch).into_iter().enumerate() {
        let sentences = load(&path).unwrap();
        // The official script takes minutes for the large files: there, the hardest kind must do.
        let first = if sentences.len() > LARGE { kinds.len() - 1 } else { 0 };
        for (kind, (name, damage)) in kinds.iter().enumerate().skip(first) {
            let mut random = Random::stream(number as u64, kind as u64);
            let text = damage.apply(&sentences, &mut random);
            let system = scratch.write(&format!("{number}-{name}.conllu"), &text);
            pairs.push((path.clone(), system.clone()));
            // The other way round, the multiword tokens of the damaged copy are on the gold side.
            if kind == 2 {
                pairs.push((system, path.clone()));
            }
        }
    }
    for answer in check(&pairs) {
        assert_ne!(answer, "refused");
        let las = answer.split('\t').find(|row| row.starts_with("LAS ")).unwrap();
        assert!(!las.contains("100.00"), "{las}");
    }
}

#[test]
#[ignore = "needs udtools, see the top of the file"]
fn both_refuse_the_same_files() {
    let scratch = Scratch::new("refuse");
    let row = |id: u32, form: &str, head: &str, deps: &str| {
        format!("{id}\t{form}\t_\tX\t_\t_\t{head}\tdep\t{deps}\t_\n")
    };
    let three = |heads: [&str; 3]| {
        ["a", "b", "c"]
            .iter()
            .zip(heads)
            .zip(1..)
            .map(|((f, h), i)| row(i, f, h, "_"))
            .collect::<String>()
            + "\n"
    };
    let good = scratch.write("good.conllu", &three(["0", "1", "2"]));
    let bad = [
        ("cycle", three(["2", "1", "0"])),
        ("loop", three(["1", "0", "2"])),
        ("two-roots", three(["0", "0", "1"])),
        ("no-root", three(["3", "1", "2"])),
        ("outside", three(["0", "9", "1"])),
        ("headless", three(["0", "_", "1"])),
        ("text", row(1, "abd", "0", "_") + "\n"),
        ("short", row(1, "ab", "0", "_") + "\n"),
        ("no-form", row(1, "\u{3000}", "0", "_") + &row(2, "abc", "1", "_") + "\n"),
        ("columns", "1\tabc\t0\n\n".to_owned()),
        ("comments", three(["0", "1", "2"]) + "# alone\n\n"),
    ];
    let mut pairs = vec![(good.clone(), good.clone())];
    for (name, text) in bad {
        let bad = scratch.write(name, &text);
        pairs.extend([(good.clone(), bad.clone()), (bad, good.clone())]);
    }
    let answers = check(&pairs);
    assert_ne!(answers[0], "refused");
    assert!(answers[1..].iter().all(|answer| answer == "refused"), "{answers:?}");
}

#[test]
#[ignore = "needs udtools, see the top of the file"]
fn the_table_reads_like_the_official_one() {
    const TABLE: &str = "
import sys
from udtools.udeval import build_evaluation_table, evaluate, load_conllu_file
print(build_evaluation_table(evaluate(*map(load_conllu_file, sys.argv[1:]))))
";
    let scratch = Scratch::new("table");
    let gold = Generator::new(GeneratorConfig::default()).take(200);
    let gold: Vec<_> = gold.collect();
    let damage = Damage { annotation: 0.1, tokens: 0.05, multiword: 0.1, sentences: 0.1 };
    let text: String = gold.iter().map(Sentence::to_conllu).collect();
    let gold_path = scratch.write("gold.conllu", &text);
    let system_path = scratch.write("system.conllu", &damage.apply(&gold, &mut Random::new(1)));
    let output = Command::new(variable("SPANTREE_PYTHON"))
        .args(["-c", TABLE])
        .args([&gold_path, &system_path])
        .output()
        .unwrap();
    let official = String::from_utf8(output.stdout).unwrap();
    let load = |path: &Path| Document::load(path, None).unwrap();
    let report =
        Report::new(&load(&gold_path), &[load(&system_path)], &ReportOptions::ud()).unwrap();
    let text = report.to_text();
    assert!(official.contains("BLEX") && text.starts_with(&official), "{official}\n{text}");
}

#[test]
fn damage_keeps_the_text_and_the_trees() {
    let text = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\tP\tA=b\t3\tcase\t3:case\t_\n\
                2\tel\tel\tDET\tD\tNumber=Sing\t3\tdet\t3:det\t_\n3\tmar\tmar\tNOUN\tN\t_\t0\troot\t0:root\t_\n\n\
                1\tSí\tsí\tINTJ\tI\t_\t0\troot\t0:root|1.1:x\t_\n1.1\tx\t_\t_\t_\t_\t_\t_\t1:y\t_\n2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_\n\n";
    let read = |text: String| {
        let reader = TreebankReader::new(std::io::Cursor::new(text), "damaged", Format::Conllu);
        Document::read(reader).unwrap()
    };
    let gold = read(text.repeat(20));
    let damage = Damage { annotation: 0.3, tokens: 0.3, multiword: 0.3, sentences: 0.3 };
    let mut imperfect = 0;
    for seed in 0..50 {
        let system = read(damage.apply(gold.sentences(), &mut Random::new(seed)));
        let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
        imperfect += u64::from(comparison.score(Metric::Las).f1() < 1.0);
    }
    assert_eq!(imperfect, 50);
}
