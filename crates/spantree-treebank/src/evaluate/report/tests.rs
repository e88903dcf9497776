use serde_json::Value;

use super::*;
use crate::sentence::{Predicate, Sentence};

type Words<'a> = &'a [(&'a str, &'a str, u32, &'a str)];

fn document(name: &str, words: Words) -> Document {
    let mut sent = Sentence::from_words(words);
    let args = vec![(1, "A0".to_owned())];
    sent.set_predicates(vec![Predicate { word: 2, sense: "bark.01".to_owned(), args }]);
    Document::new(name, vec![sent.clone(), sent])
}

fn gold() -> Document {
    document(
        "gold<&>",
        &[("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root"), ("!", "PUNCT", 2, "punct")],
    )
}

fn guess() -> Document {
    document(
        "guess",
        &[("Dogs", "VERB", 2, "<obj>"), ("bark", "VERB", 0, "root"), ("!", "PUNCT", 1, "punct")],
    )
}

fn report(systems: &[Document], options: ReportOptions) -> Report {
    Report::new(&gold(), systems, &ReportOptions { breakdown: true, ..options }).unwrap()
}

#[test]
fn the_table_is_laid_out_as_the_official_one() {
    let text = report(&[guess()], ReportOptions::ud()).to_text();
    let expected = "\
Metric     | Precision |    Recall |  F1 Score | AligndAcc
-----------+-----------+-----------+-----------+-----------
Tokens     |    100.00 |    100.00 |    100.00 |
Sentences  |    100.00 |    100.00 |    100.00 |
Words      |    100.00 |    100.00 |    100.00 |
UPOS       |     66.67 |     66.67 |     66.67 |     66.67
XPOS       |    100.00 |    100.00 |    100.00 |    100.00
UFeats     |    100.00 |    100.00 |    100.00 |    100.00
AllTags    |     66.67 |     66.67 |     66.67 |     66.67
Lemmas     |    100.00 |    100.00 |    100.00 |    100.00
UAS        |     66.67 |     66.67 |     66.67 |     66.67
LAS        |     33.33 |     33.33 |     33.33 |     33.33
";
    assert!(text.starts_with(expected), "{text}");
    assert!(!text.contains("ELAS"), "gold has no enhanced dependencies");
}

#[test]
fn breakdowns_and_confusions_are_listed() {
    let text = report(&[guess()], ReportOptions::ud()).to_text();
    for part in [
        "By sentence length (all words, labels without subtypes)",
        "\n1–10       |         6 |     33.33 |     33.33 |     33.33\n",
        "\nnsubj      |         2 |         - |      0.00 |      0.00\n",
        "Confused relations: guess",
        "\nnsubj      | <obj>      |         2\n",
        "\nNOUN       | VERB       |         2\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let options = ReportOptions { breakdown: false, ..ReportOptions::ud() };
    let short = Report::new(&gold(), &[guess()], &options).unwrap().to_text();
    assert!(!short.contains("By ") && !short.contains("Confused"));
}

#[test]
fn several_systems_stand_side_by_side() {
    let mut report = report(&[guess(), gold()], ReportOptions::ud());
    let text = report.to_text();
    for part in [
        "[1] guess\n[2] gold<&>\n",
        "\nLAS                 |     33.33 |    100.00\n",
        "\nTree oracle LAS: 100.00\n",
        "\nLAS [2] - [1]: +66.67, p = ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(report.oracle.as_ref().unwrap().chosen, [0, 2]);
    report.oracle.as_mut().unwrap().arc_score = Some(Score::item(true));
    assert!(report.to_text().contains("\nArc oracle LAS: 100.00\n"));
}

#[test]
fn conll_reports_attachment_and_semantics() {
    let text = report(&[guess()], ReportOptions::conll()).to_text();
    for part in [
        "\nLAS               |     33.33 |",
        "\nLabel             |     66.67 |",
        "\nPropositions        |    100.00 |",
        "\nLabelled   |     66.67 |     66.67 |     66.67\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("MLAS"));
}

#[test]
fn conll_tests_compare_attachment_scores() {
    let skip = AttachmentOptions { punctuation: Punctuation::SkipByForm, labels: Labels::Full };
    let options = ReportOptions { attachment: skip, ..ReportOptions::conll() };
    let report = report(&[guess(), gold()], options);
    assert_eq!(report.tests[0].outcome.first, 0.5, "one of two words that are not punctuation");
}

#[test]
fn json_holds_counts_and_ratios() {
    let json: Value =
        serde_json::from_str(&report(&[guess(), gold()], ReportOptions::ud()).to_json()).unwrap();
    assert_eq!(json["gold"]["words"], 6);
    let las = json["systems"][0]["metrics"].as_array().unwrap().iter().find(|m| m["name"] == "LAS");
    let las = las.unwrap();
    assert_eq!((&las["correct"], &las["gold"], &las["aligned"]), (&2.into(), &6.into(), &6.into()));
    assert!((las["f1"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(json["tests"][0]["test"], "shuffling");
    assert_eq!(json["systems"][0]["breakdowns"][0]["factor"], "sentence-length");
    assert_eq!(json["systems"][0]["semantic"]["scores"]["labelled"]["correct"], 4);
}

/// A light check of well-formedness: every opened element is closed in order.
fn check_nesting(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1).filter(|tag| !tag.starts_with('!')) {
        let body = tag.split('>').next().unwrap();
        let name = body.trim_start_matches('/').split_whitespace().next().unwrap();
        match name {
            _ if body.starts_with('/') => assert_eq!(open.pop(), Some(name), "</{name}>"),
            "meta" => {}
            _ if body.ends_with('/') => {}
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_page_stands_alone_and_is_well_formed() {
    for systems in [vec![guess()], vec![guess(), gold(), guess()]] {
        let html = report(&systems, ReportOptions::ud()).to_html();
        check_nesting(&html);
        assert!(!html.contains("<script") && !html.contains("http") && !html.contains("url("));
        assert!(
            html.contains("gold&lt;&amp;&gt;") && html.contains("&lt;obj&gt;"),
            "names are escaped"
        );
        assert!(!html.contains("NaN") && !html.contains("inf"));
    }
}

#[test]
fn nothing_to_report_is_still_a_report() {
    let empty = Document::new("empty", Vec::new());
    let report = Report::new(&empty, std::slice::from_ref(&empty), &ReportOptions::ud()).unwrap();
    assert!(report.to_text().contains("LAS        |      0.00"));
    check_nesting(&report.to_html());
    let none = Report::new(&empty, &[], &ReportOptions::ud()).unwrap();
    check_nesting(&none.to_html());
    assert!(none.to_json().contains("\"systems\": []") && !none.to_text().is_empty());
}
