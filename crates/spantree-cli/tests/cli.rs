//! The program from outside: exit codes, messages, files that appear or do not.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scratch folder with the program in it, so to speak.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("spantree-cli-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn exists(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_spantree"))
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that reads no input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs what must succeed; returns what it printed.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs what must fail with exit code 1 and one line; returns that line.
    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "one line: {message}");
        message.trim_end().to_owned()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn demo(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/treebank").join(name);
    path.canonicalize().unwrap().display().to_string()
}

/// Sentences of words `id head deprel`, in CoNLL-U.
fn conllu(sentences: &[&[(&str, &str, &str)]]) -> String {
    let mut text = String::new();
    for (number, words) in (1..).zip(sentences) {
        text += &format!("# sent_id = s{number}\n");
        for (id, head, deprel) in *words {
            text += &format!("{id}\tw{id}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t_\n");
        }
        text += "\n";
    }
    text
}

#[test]
fn every_kind_of_bad_input_has_its_own_message_and_leaves_the_target_alone() {
    let bench = Bench::new("bad");
    let cases = [
        ("columns", "1\ta\tb\n\n".to_owned().into_bytes(), "bad.conllu:1: 3 columns instead of 10"),
        ("spaces", b"1 a _ X _ _ 0 root _ _\n\n".to_vec(), "bad.conllu:1: "),
        (
            "utf8",
            b"1\t\xff\t_\tX\t_\t_\t0\troot\t_\t_\n\n".to_vec(),
            "bad.conllu:1: invalid UTF-8 at byte 3",
        ),
        (
            "duplicate",
            conllu(&[&[("1", "0", "root"), ("1", "1", "dep")]]).into_bytes(),
            "bad.conllu:3: ID 1 stands twice in the sentence",
        ),
        (
            "order",
            conllu(&[&[("1", "0", "root"), ("3", "1", "dep")]]).into_bytes(),
            "bad.conllu:3: ID 3 follows 1",
        ),
        (
            "range",
            conllu(&[&[("1", "0", "root"), ("2", "7", "dep")]]).into_bytes(),
            "bad.conllu:3: HEAD 7 of token 2 does not exist: the sentence has 2 words",
        ),
        (
            "head",
            conllu(&[&[("1", "x", "root")]]).into_bytes(),
            "bad.conllu:2: HEAD \"x\" of token 1 is not a number",
        ),
    ];
    for (name, bytes, expected) in cases {
        bench.write("bad.conllu", bytes);
        bench.write("target.conllu", "precious");
        let message = bench.fails(&["convert", "bad.conllu", "-o", "target.conllu"]);
        assert!(message.starts_with(&format!("spantree: {expected}")), "{name}: {message}");
        assert_eq!(bench.read("target.conllu"), "precious", "{name}");
        let message = bench.fails(&["stats", "bad.conllu"]);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn broken_trees_are_refused_where_a_tree_is_needed() {
    let bench = Bench::new("trees");
    let good = conllu(&[&[("1", "2", "dep"), ("2", "0", "root"), ("3", "2", "dep")]]);
    bench.write("good.conllu", &good);
    let cases = [
        ("cycle", conllu(&[&[("1", "3", "dep"), ("2", "0", "root"), ("3", "1", "dep")]]), "cycle"),
        ("roots", conllu(&[&[("1", "0", "root"), ("2", "0", "root"), ("3", "2", "dep")]]), "root"),
        ("missing", conllu(&[&[("1", "_", "dep"), ("2", "0", "root"), ("3", "2", "dep")]]), "head"),
    ];
    for (name, text, expected) in cases {
        bench.write("bad.conllu", &text);
        let message = bench.fails(&["eval", "good.conllu", "bad.conllu"]);
        assert!(
            message.contains("bad.conllu") && message.contains("s1") && message.contains(expected),
            "{name}: {message}"
        );
    }
    bench.write("bad.conllu", conllu(&[&[("1", "2", "dep"), ("2", "1", "dep")]]));
    let message = bench.fails(&["convert", "--projectivise", "bad.conllu", "-o", "out.conllu"]);
    assert_eq!(message, "spantree: bad.conllu: sentence s1: words 1, 2 form a cycle");
    assert!(!bench.exists("out.conllu"));
}

#[test]
fn missing_files_and_unwritable_targets() {
    let bench = Bench::new("missing");
    assert!(
        bench
            .fails(&["stats", "nowhere.conllu"])
            .starts_with("spantree: nowhere.conllu: cannot read:")
    );
    let message = bench.fails(&["convert", &demo("demo.conllu"), "-o", "no/such/folder.conllu"]);
    assert!(message.starts_with("spantree: cannot write no/such/folder.conllu"), "{message}");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let bench = Bench::new("usage");
    for arguments in
        [&["convert", "--to", "word"][..], &["fly"], &["eval", "one"], &["convert", "--split", "x"]]
    {
        assert_eq!(bench.run(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn conllu_comes_back_byte_for_byte_through_pipes_and_compression() {
    let bench = Bench::new("round");
    let original = fs::read_to_string(demo("demo.conllu")).unwrap();
    let piped = bench.run(&["convert"], &original);
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), original);
    for name in ["x.conllu.gz", "x.conllu.zst"] {
        bench.ok(&["convert", &demo("demo.conllu"), "-o", name]);
        assert_eq!(bench.ok(&["convert", name]), original, "{name}");
    }
}

#[test]
fn json_comes_back_as_conllu() {
    let bench = Bench::new("json");
    let original = fs::read_to_string(demo("basic.conllu")).unwrap();
    bench.ok(&["convert", &demo("basic.conllu"), "-o", "basic.jsonl"]);
    assert_eq!(bench.ok(&["convert", "basic.jsonl", "--to", "conllu"]), original);
    assert_eq!(
        bench.ok(&["eval", &demo("basic.conllu"), "basic.jsonl"]),
        bench.ok(&["eval", &demo("basic.conllu"), &demo("basic.conllu")])
    );
    bench.write("bad.json", "{\"tokens\":[]}\n{\"tokens\":[{\"id\":1}]}\n");
    let message = bench.fails(&["convert", "bad.json"]);
    assert!(
        message.contains("bad.json:2: not a sentence in JSON: missing field `form`"),
        "{message}"
    );
}

#[test]
fn trees_are_drawn_in_the_form_that_is_asked_for() {
    let bench = Bench::new("draw");
    let (gold, system) = (demo("demo.conllu"), demo("demo.system.conllu"));
    let tree = bench.ok(&["convert", &gold, "--to", "tree"]);
    assert!(tree.starts_with("dogs-1: Dogs don't bark at night.\n ╭─╼ Dogs "), "{tree}");
    assert_eq!(tree, bench.ok(&["convert", &gold, "--output", "tree"]));
    assert!(bench.ok(&["convert", &gold, "--to", "tree", "--ascii"]).contains("\n +-- Dogs "));
    assert!(bench.ok(&["convert", &gold, "--to", "tree", "--colour"]).contains("\u{1b}[1mDogs"));
    bench.ok(&["convert", &gold, "-o", "trees.svg", "--width", "200"]);
    let svg = bench.read("trees.svg");
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<svg").count(), 1, "one picture, whatever the number of sentences");
    bench.ok(&["convert", &gold, "-o", "trees.html"]);
    let page = bench.read("trees.html");
    assert_eq!(page.matches("<section").count(), 5);
    assert!(page.ends_with("</html>\n") && !page.contains("://") && !page.contains("<script"));
    bench.ok(&["convert", &gold, "--split", "3,rest", "-o", "part{}.html"]);
    assert_eq!(bench.read("part2.html").matches("<section").count(), 2);
    for name in ["errors.html", "errors.svg", "errors.txt"] {
        bench.ok(&["eval", &gold, &system, "--trees", name]);
        let drawn = bench.read(name);
        assert!(
            drawn.contains(if name == "errors.txt" { "gold: " } else { "arc missing" }),
            "{name}"
        );
    }
    bench.ok(&["eval", &gold, &system, &gold, "--trees", "both.html"]);
    assert_eq!(bench.read("both.html").matches("<svg").count(), 10);
    let output = bench.run(&["convert", &gold, "--output", "trees.svg"], "");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("the file to write is named by -o"), "{message}");
}

#[test]
fn probabilities_are_compared_with_gold() {
    let bench = Bench::new("calibration");
    let gold = conllu(&[&[("1", "0", "root"), ("2", "1", "dep"), ("3", "1", "dep")]]);
    bench.write("gold.conllu", &gold);
    let message = bench.fails(&["eval", "gold.conllu", "gold.conllu", "--calibration"]);
    assert!(message.contains("no HeadProb in MISC; parse with --confidence"), "{message}");
    let sure = gold
        .replace("root\t_\t_", "root\t_\tHeadProb=1.0|LabelProb=0.5")
        .replace("3\tw3\t_\tX\t_\t_\t1\tdep\t_\t_", "3\tw3\t_\tX\t_\t_\t2\tdep\t_\tHeadProb=0.4");
    bench.write("sure.conllu", sure);
    let text = bench.ok(&["eval", "gold.conllu", "sure.conllu", "--calibration=plot.svg"]);
    // (|1 - 1| + |0 - 0.4|) / 2
    let expected = "Expected calibration error: 0.2000 in ten bins of equal width, 0.2000 in ten of equal mass.\n\
                    Of all 1 errors in heads, reviewing the least certain 5 % (1 words, 0.00 % right) 100.00 % of the errors";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("1 words have no probability."), "{text}");
    assert!(bench.read("plot.svg").contains("ECE 0.2000 (equal width)"));
    let json = bench.ok(&["eval", "gold.conllu", "sure.conllu", "--calibration", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["systems"][0]["calibrations"][1]["certainty"], "labelled");
    bench.ok(&["eval", "gold.conllu", "sure.conllu", "--calibration", "--html", "page.html"]);
    assert!(bench.read("page.html").contains("class=\"reliability\""));
}

#[test]
fn clear_oddities_are_read_with_a_warning() {
    let bench = Bench::new("odd");
    bench.write("odd.conllu", "\u{feff}1\ta\t_\tX\t_\t_\t0\troot\t_\t_\r\n");
    let output = bench.run(&["convert", "odd.conllu"], "");
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n");
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        warnings.lines().filter(|line| line.starts_with("odd.conllu:1: warning: ")).count(),
        3,
        "{warnings}"
    );
}

#[test]
fn what_a_format_cannot_hold_is_counted() {
    let bench = Bench::new("loss");
    let output = bench.run(&["convert", &demo("demo.conllu"), "-o", "demo.conllx"], "");
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: conllx has no place for DEPS (41), MISC (5), comments (11), empty nodes (1), multiword tokens (1); left out\n"
    );
}

#[test]
fn oracles_use_the_scoring_that_was_asked_for() {
    let bench = Bench::new("oracle");
    let gold = fs::read_to_string(demo("demo.conllu")).unwrap();
    bench.write("gold.conllu", &gold);
    bench.write(
        "system.conllu",
        gold.replace("acl:relcl", "acl:other").replace("\tpunct\t", "\tdep\t"),
    );
    let options: [&[&str]; 4] = [
        &[],
        &["--convention", "conll"],
        &["--convention", "conll", "--labels", "universal"],
        &["--convention", "conll", "--punctuation", "skip-form"],
    ];
    for extra in options {
        let arguments =
            [&["eval", "--json", "gold.conllu", "system.conllu", "system.conllu"][..], extra]
                .concat();
        let report: serde_json::Value = serde_json::from_str(&bench.ok(&arguments)).unwrap();
        let oracle = &report["oracle"];
        assert_eq!(oracle["score"]["f1"], oracle["arc_score"]["f1"], "{extra:?}: {oracle}");
        assert_ne!(oracle["score"]["f1"], 1.0, "{extra:?}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let bench = Bench::new("numbers");
    for arguments in [
        &["generate", "1", "--mean-length", "18446744073709551615"][..],
        &["generate", "1", "--vocabulary", "99999999999"],
        &["generate", "1", "--noise", "2"],
        &["eval", "a", "b", "--rounds", "0"],
    ] {
        assert_eq!(bench.run(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
    let gold = demo("demo.conllu");
    let message = bench.fails(&["vote", "--weights=nan,1", &gold, &gold]);
    assert!(
        message.ends_with("system 1 has the weight NaN; give a finite number from 0"),
        "{message}"
    );
    assert_eq!(bench.fails(&["eval", "-", "-"]), "spantree: standard input can be read only once");
}

#[test]
fn splits_and_folds_write_all_files_or_none() {
    let bench = Bench::new("split");
    bench.ok(&["convert", &demo("demo.conllu"), "--split", "3,rest", "-o", "part{}.conllu"]);
    let sentences = |name: &str| bench.read(name).matches("# sent_id").count();
    assert_eq!((sentences("part1.conllu"), sentences("part2.conllu")), (3, 2));
    bench.ok(&["convert", &demo("demo.conllu"), "--folds", "5", "-o", "fold{}.conllu"]);
    assert_eq!((sentences("fold5.train.conllu"), sentences("fold5.test.conllu")), (4, 1));
    let message =
        bench.fails(&["convert", &demo("demo.conllu"), "--split", "9,rest", "-o", "no{}.conllu"]);
    assert_eq!(message, "spantree: the parts need 9 sentences, but there are 5");
    assert!(!bench.exists("no1.conllu"));
}

#[test]
fn validation_fails_with_findings_on_standard_output() {
    let bench = Bench::new("validate");
    bench.write("two.conllu", conllu(&[&[("1", "0", "root"), ("2", "0", "root")]]));
    let output = bench.run(&["validate", "two.conllu"], "");
    assert_eq!(output.status.code(), Some(1));
    let findings = String::from_utf8(output.stdout).unwrap();
    assert!(
        findings.contains("two.conllu:2: error: [L2 Syntax multiple-roots] sentence s1"),
        "{findings}"
    );
    assert!(String::from_utf8(output.stderr).unwrap().ends_with("FAILED\n"));
    bench.ok(&["validate", &demo("demo.conllu")]);
}

#[test]
fn several_systems_are_compared() {
    let bench = Bench::new("eval");
    let (gold, system) = (demo("demo.conllu"), demo("demo.system.conllu"));
    let text = bench.ok(&["eval", &gold, &system, &gold, "--html", "report.html"]);
    assert!(text.contains("LAS"), "{text}");
    let page = bench.read("report.html");
    assert!(
        page.starts_with("<!DOCTYPE html>") && !page.contains("://") && !page.contains("src="),
        "self-contained"
    );
    let json: serde_json::Value =
        serde_json::from_str(&bench.ok(&["eval", &gold, &system, "--json"])).unwrap();
    assert_eq!(json["systems"][0]["metrics"][9]["name"], "LAS");
}

#[test]
fn voting_takes_the_majority() {
    let bench = Bench::new("vote");
    let gold = fs::read_to_string(demo("demo.conllu")).unwrap();
    bench.write("a.conllu", &gold);
    bench.write("b.conllu", gold.replace("4\tacl:relcl", "2\tadvcl"));
    assert_eq!(bench.ok(&["vote", "a.conllu", "b.conllu", "a.conllu"]), gold);
    assert_ne!(bench.ok(&["vote", "a.conllu", "b.conllu", "a.conllu", "--weights", "1,3,1"]), gold);
    bench.write("short.conllu", gold.split_inclusive("\n\n").next().unwrap());
    assert!(
        bench
            .fails(&["vote", "a.conllu", "short.conllu"])
            .ends_with("short.conllu has fewer sentences than the others")
    );
}

#[test]
fn generated_treebanks_depend_on_their_numbers_alone() {
    let bench = Bench::new("generate");
    let once = bench.ok(&["generate", "20", "--seed", "3"]);
    assert_eq!(once, bench.ok(&["generate", "20", "--seed", "3"]));
    assert_ne!(once, bench.ok(&["generate", "20", "--seed", "4"]));
    bench.write("made.conllu", once);
    bench.ok(&["validate", "made.conllu"]);
}

#[test]
fn a_parser_is_trained_asked_and_used() {
    let bench = Bench::new("parser");
    bench.ok(&["generate", "150", "--seed", "1", "-o", "train.conllu"]);
    bench.ok(&["generate", "30", "--seed", "2", "-o", "dev.conllu"]);
    let broken = conllu(&[&[("1", "2", "dep"), ("2", "1", "dep")]]);
    bench.write("train.conllu", bench.read("train.conllu") + &broken);
    let train =
        ["train", "--data", "train.conllu", "--dev", "dev.conllu", "--epochs", "2", "--out"];
    let output = bench.run(&[&train[..], &["a.spantree", "--licence", "free"]].concat(), "");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    assert!(
        message.contains(
            "1 sentences without a tree are left out, first sentence s1: words 1, 2 form a cycle"
        ),
        "{message}"
    );
    bench.ok(&[&train[..], &["b.spantree", "--licence", "free"]].concat());
    let bytes = |name: &str| fs::read(bench.folder.join(name)).unwrap();
    assert_eq!(bytes("a.spantree"), bytes("b.spantree"), "the same seed gives the same bytes");
    assert!(!bench.exists("a.spantree.checkpoint"));
    assert!(bench.ok(&["info", "a.spantree"]).contains("(free)"));

    let parse = |extra: &[&str]| {
        bench.ok(&[&["parse", "--model", "a.spantree", "dev.conllu"], extra].concat())
    };
    let parsed = parse(&[]);
    for threads in ["2", "7"] {
        assert_eq!(parsed, parse(&["--threads", threads]), "{threads} threads");
    }
    assert_eq!(parse(&["--keep"]), bench.read("dev.conllu"), "every arc was given");
    assert!(
        parse(&["--confidence"]).contains("|LabelProb=")
            || parse(&["--confidence"]).contains("HeadProb=")
    );
    assert_eq!(parse(&["--kbest", "3"]).matches("# tree_rank = 1 of ").count(), 30);
    for form in ["json", "tree", "svg", "html"] {
        let arguments = ["--to", form, "--confidence", "--threads"];
        let once = parse(&[&arguments[..], &["1"]].concat());
        assert!(!once.is_empty() && once == parse(&[&arguments[..], &["2"]].concat()), "{form}");
    }
    let lines = parse(&["--to", "json", "--kbest", "3"]);
    assert_eq!(lines.lines().count(), 30);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let best = &first["k_best"][0];
    assert_eq!(best["heads"][0], first["tokens"][0]["head"]);
    assert!(best["score"].as_f64() >= first["k_best"][1]["score"].as_f64());
    let sure: serde_json::Value =
        serde_json::from_str(parse(&["--to", "json", "--confidence"]).lines().next().unwrap())
            .unwrap();
    assert!(sure["tokens"][0]["confidence"]["head"].as_f64().unwrap() > 0.0);
    assert!(sure["log_probability"].as_f64().unwrap() <= 0.0);
    bench.write("parsed.conllu", parse(&["--confidence"]));
    let report = bench.ok(&["eval", "dev.conllu", "parsed.conllu", "--calibration"]);
    assert!(report.contains("Calibration of heads and relations: parsed.conllu"), "{report}");

    bench.write("broken.spantree", &bytes("a.spantree")[..1000]);
    assert!(
        bench
            .fails(&["parse", "--model", "broken.spantree", "dev.conllu"])
            .contains("broken.spantree")
    );
    bench.write("cycle.conllu", &broken);
    let message = bench.fails(&["parse", "--model", "a.spantree", "--keep", "cycle.conllu"]);
    assert!(message.contains("sentence s1"), "{message}");
}

#[test]
fn a_parser_learns_from_its_guide() {
    let bench = Bench::new("stacking");
    bench.ok(&["generate", "150", "--seed", "1", "-o", "train.conllu"]);
    bench.ok(&["generate", "30", "--seed", "2", "-o", "dev.conllu"]);
    let train = |data: &str, kind: &str, out: &str| {
        let settings = ["--stages", "parse", "--tags", "gold", "--parser", kind, "--epochs", "10"];
        bench.ok(&[&["train", "--data", data, "--out", out], &settings[..]].concat());
    };
    // What a parser says of the sentences that it learned from is nearly always right, and so will be trusted.
    train("train.conllu", "transition", "guide.spantree");
    let guide = ["parse", "--model", "guide.spantree", "--as-guide"];
    let guided = bench.ok(&[&guide[..], &["train.conllu"]].concat());
    let bare = |line: &str| line.rsplit_once('\t').map_or(line.to_owned(), |cut| cut.0.to_owned());
    let rows = |text: &str| text.lines().map(bare).collect::<Vec<_>>();
    assert_eq!(rows(&guided), rows(&bench.read("train.conllu")), "only MISC changes");
    bench.write("guided.conllu", &guided);
    bench.write("right.conllu", bench.ok(&[&guide[..], &["dev.conllu"]].concat()));
    let heads = |text: &str| {
        let words = text.lines().filter_map(|line| line.split('\t').nth(6).map(str::to_owned));
        words.collect::<Vec<_>>()
    };
    for kind in ["graph", "neural"] {
        train("guided.conllu", kind, "stacked.spantree");
        let parse = |file: &str| bench.ok(&["parse", "--model", "stacked.spantree", file]);
        // A guide that sends all words to the root is believed now and then.
        let wrong: String = bench
            .read("right.conllu")
            .lines()
            .map(|line| {
                let misled = line.rsplit_once("Guide=").map(|cut| format!("{}Guide=0:root", cut.0));
                misled.unwrap_or(line.to_owned()) + "\n"
            })
            .collect();
        bench.write("wrong.conllu", wrong);
        assert_ne!(heads(&parse("right.conllu")), heads(&parse("wrong.conllu")), "{kind}");
        let message = bench.fails(&["parse", "--model", "stacked.spantree", "dev.conllu"]);
        assert!(message.contains("has no Guide in MISC"), "{message}");
    }
}

#[test]
fn settings_come_from_defaults_file_and_flags() {
    let bench = Bench::new("settings");
    let printed = |extra: &[&str]| bench.ok(&[&["train", "--print-config"], extra].concat());
    bench.write("all.toml", printed(&["--learner", "mira-k", "--k", "3", "--decoder", "mst"]));
    assert_eq!(
        printed(&["--config", "all.toml"]),
        bench.read("all.toml"),
        "printed settings come back"
    );
    bench.write(
        "some.toml",
        "epochs = 7\n[learner]\nrule = \"log-linear\"\n[cost.relations]\npunct = 0.25\n",
    );
    let both = printed(&["--config", "some.toml", "--epochs", "2", "--cost", "heads"]);
    for line in
        ["epochs = 2", "rule = \"log-linear\"", "punct = 0.25", "label = 0.0", "patience = 6"]
    {
        assert!(both.lines().any(|found| found == line), "{line} in {both}");
    }
    for (text, expected) in [
        ("seed = 1\nepoch = 4\n", "bad.toml:2: unknown field `epoch`"),
        ("[learner]\nrule = \"best\"\n", "bad.toml:2: unknown variant `best`"),
        ("decoder = \"best\"\n", "bad.toml:1: \"best\": choose eisner, mst, 1ec or cube"),
        ("order = 4\n", "order is 4; give 1, 2 or 3"),
        ("[learner]\naggressiveness = 0\n", "learner.aggressiveness is 0; give "),
        ("[learner]\nviolation = \"root\"\n", "bad.toml:2: unknown variant `root`"),
        ("[cube]\nbeam = 0\n", "cube.beam is 0; give a number from 1 to 1000"),
        ("epochs =\n", "bad.toml:1: "),
    ] {
        bench.write("bad.toml", text);
        let message = bench.fails(&["train", "--print-config", "--config", "bad.toml"]);
        assert!(message.starts_with(&format!("spantree: {expected}")), "{message}");
    }
    assert!(bench.fails(&["train", "--print-config", "--order", "4"]).contains("order is 4"));
    assert_eq!(bench.run(&["train", "--dev", "x"], "").status.code(), Some(2), "no data");
}

#[test]
fn several_seeds_are_trained_and_the_best_is_kept() {
    let bench = Bench::new("seeds");
    bench.ok(&["generate", "80", "--seed", "1", "-o", "train.conllu"]);
    bench.ok(&["generate", "30", "--seed", "2", "-o", "dev.conllu"]);
    let files = ["train", "--data", "train.conllu", "--dev", "dev.conllu", "--out", "m.spantree"];
    let settings =
        ["--stages", "parse", "--parser", "transition", "--tags", "gold", "--epochs", "1"];
    let train = [&files[..], &settings, &["--seed", "4", "--seeds", "2"]].concat();
    let message = String::from_utf8(bench.run(&train, "").stderr).unwrap();
    assert!(message.contains("dev LAS mean"), "{message}");
    let bytes = |name: &str| fs::read(bench.folder.join(name)).unwrap();
    let seeds = [bytes("m.spantree.seed4"), bytes("m.spantree.seed5")];
    assert_ne!(seeds[0], seeds[1]);
    assert!(seeds.contains(&bytes("m.spantree")));
    let one = [&files[..6], &["alone.spantree"], &settings, &["--seed", "5"]].concat();
    bench.ok(&one);
    assert_eq!(bytes("alone.spantree"), seeds[1], "a seed gives the same model in both ways");
    fs::remove_file(bench.folder.join("m.spantree.seed5")).unwrap();
    bench.ok(&[&train[..], &["--resume"]].concat());
    assert_eq!(bytes("m.spantree.seed5"), seeds[1], "what is missing is trained again");
}

#[test]
fn odd_data_are_trained_on_with_a_word() {
    let bench = Bench::new("odd-data");
    bench.ok(&["generate", "60", "--seed", "1", "-o", "train.conllu"]);
    bench.write("dev.conllu", "");
    let partial = conllu(&[&[("1", "_", "_"), ("2", "0", "root")]]);
    bench.write("train.conllu", bench.read("train.conllu") + &partial);
    let train = [
        "train",
        "--data",
        "train.conllu",
        "--dev",
        "dev.conllu",
        "--epochs",
        "1",
        "--threads",
        "2",
    ];
    let output = bench.run(&[&train[..], &["--out", "a.spantree"]].concat(), "");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    for expected in ["dev.conllu has no sentences", "1 words in 1 sentences have no head"] {
        assert_eq!(message.matches(expected).count(), 1, "{expected} in {message}");
    }
    bench.write("train.conllu", conllu(&[&[("1", "_", "_"), ("2", "_", "_")]]));
    let output = bench.run(&["train", "--data", "train.conllu", "--out", "b.spantree"], "");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.ends_with("are HEAD and DEPREL filled in?\n"), "{message}");
    assert!(!bench.exists("b.spantree"));
}

#[test]
fn words_of_raw_text_get_clusters_that_a_tagger_uses() {
    let bench = Bench::new("clusters");
    bench.write("notes.txt", "The cat sleeps. The dog sleeps. A cat runs. A dog runs.\n");
    let lines = bench.ok(&["cluster", "--count", "4", "notes.txt"]);
    let cluster = |form: &str| {
        lines
            .lines()
            .find_map(|line| line.split_once('\t').filter(|pair| pair.0 == form))
            .unwrap()
            .1
    };
    assert_eq!(lines.lines().count(), 7, "{lines}");
    assert_eq!(cluster("cat"), cluster("dog"), "{lines}");
    bench.write("clusters.tsv", &lines);
    bench.ok(&["generate", "40", "-o", "train.conllu"]);
    let train = ["train", "--data", "train.conllu", "--out", "m.spantree", "--stages", "tag"];
    bench.ok(&[&train[..], &["--clusters", "clusters.tsv"]].concat());
    bench.ok(&[&train[..], &["--clusters", "12"]].concat());
    bench.write("bad.tsv", "no tab\n");
    let error = bench.fails(&[&train[..], &["--clusters", "bad.tsv"]].concat());
    assert!(error.contains("bad.tsv:1: expected a form, a tab and a value"), "{error}");
}

#[test]
fn a_dictionary_decides_on_tags() {
    let bench = Bench::new("dictionary");
    bench.write("notes.txt", "They run home.\n");
    let tag = |arguments: &[&str]| {
        let text = bench.ok(&[&["parse", "--to", "conllu", "notes.txt"], arguments].concat());
        let line = text.lines().find(|line| line.contains("\trun\t")).unwrap().to_owned();
        line.split('\t').nth(3).unwrap().to_owned()
    };
    assert_eq!(tag(&[]), "VERB");
    bench.write("tags.tsv", "run\tNOUN\n");
    assert_eq!(tag(&["--dictionary", "tags.tsv"]), "NOUN");
    let error = bench.fails(&["parse", "--dictionary", "none.tsv", "notes.txt"]);
    assert!(error.contains("none.tsv: cannot read"), "{error}");
}
