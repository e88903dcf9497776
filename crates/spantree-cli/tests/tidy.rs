//! Rules of the repository that a compiler does not check: the direction of dependencies between crates, links and commands
//! in the Markdown files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The Markdown files that people read; build output and hidden folders are left out.
fn markdown_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if name.ends_with(".md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn crates_depend_only_downwards() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("spantree-treebank", &[] as &[&str]),
        ("spantree-decode", &[]),
        ("spantree-learn", &[]),
        ("spantree-neural", &[]),
        (
            "spantree",
            &["spantree-treebank", "spantree-decode", "spantree-learn", "spantree-neural"],
        ),
        ("spantree-cli", &["spantree"]),
    ]);
    for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let text = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let name = manifest["package"]["name"].as_str().unwrap();
        assert_eq!(entry.file_name(), name, "a crate lives in the folder of its name");
        let allowed =
            allowed.get(name).unwrap_or_else(|| panic!("{name} is not in the table of crates"));
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        for dependency in dependencies.into_iter().flat_map(toml::Table::keys) {
            let ours = dependency.starts_with("spantree");
            assert!(
                !ours || allowed.contains(&dependency.as_str()),
                "{name} must not depend on {dependency}"
            );
        }
    }
}

#[test]
fn links_in_markdown_are_alive() {
    for file in markdown_files() {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let path = target.split('#').next().unwrap_or_default();
                let outside = target.contains("://") || target.starts_with("mailto:");
                let alive =
                    outside || path.is_empty() || file.parent().unwrap().join(path).exists();
                assert!(alive, "{}:{}: dead link {target}", file.display(), number + 1);
            }
        }
    }
}

/// A command in a Markdown file, and what it must print.
struct Example {
    line: usize,
    command: String,
    output: Option<String>,
}

/// The commands of the fenced blocks: in `sh` blocks every line is one (`\` continues it), in `console` blocks those behind
/// `$ `, each followed by its exact output.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = "";
    let mut continued = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            block = if block.is_empty() { kind } else { "" };
            continue;
        }
        let command = match block {
            "sh" => Some(line).filter(|line| !line.trim().is_empty() && !line.starts_with('#')),
            "console" => line.strip_prefix("$ "),
            _ => continue,
        };
        match (command, examples.last_mut()) {
            (Some(rest), Some(last)) if continued => {
                last.command.push_str(rest.trim_end_matches('\\'));
            }
            (Some(command), _) => examples.push(Example {
                line: index + 1,
                command: command.trim_end_matches('\\').to_owned(),
                output: (block == "console").then(String::new),
            }),
            (None, Some(last)) if block == "console" => {
                last.output.get_or_insert_default().push_str(&format!("{line}\n"));
            }
            (None, _) => {}
        }
        continued = line.ends_with('\\');
    }
    examples
}

/// Runs every command of every file, file by file, in a scratch folder where `testdata` is the real one.
///
/// Benchmarks, experiments and fuzzing take long and need other tools: their commands are run by hand or by `.ci/run`.
/// `cargo run --release --` stands for the program under test. Commands of other tools are what the reader runs by hand or
/// what `.ci/run` runs; they must be on the list below.
#[test]
fn commands_in_markdown_run() {
    let by_hand = ["cargo ", "bash .ci/run", "SPANTREE_"];
    let program = Path::new(env!("CARGO_BIN_EXE_spantree"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut count = 0;
    let takes_long = |file: &PathBuf| {
        ["benchsuite", "experiments", "fuzz"]
            .iter()
            .any(|folder| file.starts_with(root().join(folder)))
    };
    for file in markdown_files().into_iter().filter(|file| !takes_long(file)) {
        let scratch =
            std::env::temp_dir().join(format!("spantree-tidy-{}-{count}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        std::os::unix::fs::symlink(root().join("testdata"), scratch.join("testdata")).unwrap();
        for example in examples(&fs::read_to_string(&file).unwrap()) {
            let command = example.command.replace("cargo run --release --", "spantree");
            if by_hand.iter().any(|prefix| command.starts_with(prefix)) {
                continue;
            }
            let run = Command::new("sh")
                .args(["-ec", &command])
                .current_dir(&scratch)
                .env("PATH", &path)
                .output();
            let run = run.unwrap();
            let place = format!("{}:{}: {command}", file.display(), example.line);
            assert!(run.status.success(), "{place}\n{}", String::from_utf8_lossy(&run.stderr));
            if let Some(expected) = example.output {
                assert_eq!(
                    String::from_utf8_lossy(&run.stdout).trim_end(),
                    expected.trim_end(),
                    "{place}"
                );
            }
            count += 1;
        }
        fs::remove_dir_all(&scratch).unwrap();
    }
    assert!(count > 0, "no command was found");
}

/// The README promises one command that passes the tests; `.ci/run` runs that very command.
#[test]
fn the_readme_test_command_is_what_ci_runs() {
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let command = readme
        .lines()
        .find(|line| line.starts_with("cargo test"))
        .expect("README has a test command");
    assert!(
        ci.lines().any(|line| line.trim() == command.split('#').next().unwrap().trim()),
        "{command}"
    );
}
