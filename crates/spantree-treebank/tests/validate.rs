//! The validator on the cases of `testdata/treebank/validate.toml`.

#[path = "support/validator_cases.rs"]
mod validator_cases;

use spantree_treebank::validate::{Class, Options, Severity, Validator};

fn findings(text: &str, level: u8) -> Vec<String> {
    let mut found = Vec::new();
    let mut validator = Validator::new(Options { level, max_findings: 0 });
    validator
        .check(text.as_bytes(), "x", |f| found.push(format!("{} {}", f.line, f.test.id)))
        .unwrap();
    found
}

#[test]
fn every_case_has_its_findings() {
    for case in validator_cases::load() {
        let mut found = findings(&case.text, 2);
        let mut expected = case.findings.clone();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{}", case.name);
    }
}

#[test]
fn every_test_fails_somewhere() {
    let catalogue = include_str!("../src/validate/catalogue.rs");
    let tests: Vec<&str> = catalogue
        .lines()
        .filter(|line| line.starts_with("pub(super) const"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert!(tests.len() > 70, "the catalogue has {} tests", tests.len());
    let cases = validator_cases::load();
    for test in tests {
        let ends = |finding: &String| finding.ends_with(&format!(" {test}"));
        assert!(cases.iter().any(|case| case.findings.iter().any(ends)), "{test} never fails");
    }
}

#[test]
fn level_1_does_not_look_at_the_tree() {
    assert_eq!(findings("1\ta\t_\tBAD\t_\t_\t9\tBad\t_\t_\n\n", 1), [""; 0]);
    assert_eq!(
        findings("2\ta\t_\tBAD\t_\t_\t9\tBad\t_\t_\n\n", 1),
        ["1 word-id-sequence", "1 word-interval-out"]
    );
}

#[test]
fn repeated_findings_are_counted_but_not_reported() {
    let text = "1\ta\t_\tBAD\t_\t_\t0\troot\t_\t|\n\n".repeat(5);
    let mut validator = Validator::new(Options { max_findings: 3, ..Options::default() });
    let (mut morpho, mut warnings) = (0, 0);
    let count = |finding: spantree_treebank::validate::Finding| {
        morpho += u32::from(finding.test.class == Class::Morpho);
        warnings += u32::from(finding.test.severity == Severity::Warning);
    };
    validator.check(text.as_bytes(), "x", count).unwrap();
    assert_eq!((morpho, warnings), (3, 3));
    let summary = validator.summary();
    assert!(summary.counts().any(|count| count == (Severity::Error, Class::Morpho, 5)));
    assert_eq!((summary.warnings(), summary.passed()), (10, false));
}

#[test]
fn identifiers_are_unique_across_files() {
    let text = "# sent_id = a\n# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n";
    let mut validator = Validator::new(Options::default());
    let mut lines = Vec::new();
    for name in ["x", "y"] {
        validator.check(text.as_bytes(), name, |finding| lines.push(finding.to_string())).unwrap();
    }
    let message = "y:3: error: [L2 Metadata non-unique-sent-id] sentence a: \"a\": \
                   another sentence has this sent_id; choose a new one";
    assert_eq!(lines, [message]);
}

#[test]
fn invalid_bytes_are_a_finding() {
    let mut found = Vec::new();
    let mut validator = Validator::new(Options { level: 1, ..Options::default() });
    let text = b"# caf\xe9\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n";
    validator.check(&text[..], "x", |finding| found.push((finding.line, finding.test.id))).unwrap();
    assert_eq!(found, [(1, "invalid-utf")]);
}
