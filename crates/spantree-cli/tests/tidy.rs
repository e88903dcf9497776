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
        ("spantree", &["spantree-treebank", "spantree-decode", "spantree-learn"]),
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

/// The lines of the fenced blocks marked `sh`, with continuation lines joined.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut inside = false;
    let mut continued = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && continued {
            let last = commands.last_mut().unwrap();
            last.push_str(line.trim_end_matches('\\'));
            continued = line.ends_with('\\');
        } else if inside && !line.trim().is_empty() && !line.starts_with('#') {
            commands.push(line.trim_end_matches('\\').to_owned());
            continued = line.ends_with('\\');
        }
    }
    commands
}

/// Runs every command of the `sh` blocks, file by file, in a scratch folder where `testdata` is the real one.
///
/// `cargo run --release --` stands for the program under test. Commands of other tools (`cargo test`, `git` …) are what the
/// reader runs by hand or what `.ci/run` runs; they must be on the list below.
#[test]
fn commands_in_markdown_run() {
    let by_hand =
        ["cargo ", "git ", "bash .ci/run", "pip ", "python3 ", "SPANTREE_", "RUSTC_BOOTSTRAP"];
    let program = Path::new(env!("CARGO_BIN_EXE_spantree"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut count = 0;
    for file in markdown_files() {
        let scratch =
            std::env::temp_dir().join(format!("spantree-tidy-{}-{count}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        std::os::unix::fs::symlink(root().join("testdata"), scratch.join("testdata")).unwrap();
        for command in commands(&fs::read_to_string(&file).unwrap()) {
            let command = command.replace("cargo run --release --", "spantree");
            if by_hand.iter().any(|prefix| command.starts_with(prefix)) {
                continue;
            }
            let output = Command::new("sh")
                .args(["-ec", &command])
                .current_dir(&scratch)
                .env("PATH", &path)
                .output()
                .unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {command}\n{message}", file.display());
            count += 1;
        }
        fs::remove_dir_all(&scratch).unwrap();
    }
    assert!(count > 0, "no command was found");
}
