//! The report as aligned plain-text tables.

use std::fmt::Write as _;

use super::{Convention, NamedScore, Report, SemanticReport, SystemReport, TestReport};
use crate::evaluate::{Calibration, Factor, Labels, Macro, Punctuation, Review};

/// Most confusions listed per system.
const LISTED: usize = 15;

impl Report {
    /// Aligned tables for a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        match self.systems.as_slice() {
            [system] => single(&mut text, self, system),
            systems => several(&mut text, self, systems),
        }
        for system in &self.systems {
            calibrations(&mut text, system);
        }
        for factor in self.factors() {
            breakdown(&mut text, self, factor);
        }
        for system in &self.systems {
            confusions(&mut text, system);
        }
        text
    }

    /// How attachment scores were counted, in words.
    pub(super) fn conventions(&self) -> String {
        let punctuation = match self.options.punctuation {
            Punctuation::Score => "all words",
            Punctuation::SkipByForm => "without forms of punctuation only",
            Punctuation::SkipByUpos => "without UPOS PUNCT",
        };
        let labels = match self.options.labels {
            Labels::Full => "whole labels",
            Labels::Universal => "labels without subtypes",
        };
        format!("{punctuation}, {labels}")
    }

    /// The outcome of a test in one line.
    pub(super) fn describe_test(&self, test: &TestReport) -> String {
        let outcome = &test.outcome;
        let interval = outcome.interval.map_or(String::new(), |(low, high)| {
            format!(", 95 % interval {:+.2} to {:+.2}", 100.0 * low, 100.0 * high)
        });
        format!(
            "{} [{}] - [{}]: {:+.2}, p = {:.4}{interval} (paired {}, {} rounds)",
            self.metric,
            test.second + 1,
            test.first + 1,
            100.0 * outcome.difference,
            outcome.p_value,
            outcome.test,
            outcome.rounds
        )
    }

    /// The tables of scores of a system: the official metrics when following UD, then what they lack.
    pub(super) fn score_tables(&self, system: &SystemReport) -> Vec<Vec<NamedScore>> {
        let named = |(name, score)| NamedScore { name, score };
        let attachment = system.attachment.named().map(named).into_iter();
        let mut tables = match self.convention {
            // Another LAS, UAS and label accuracy beside the official ones would confuse.
            Convention::Ud => vec![system.metrics.clone(), attachment.skip(3).collect()],
            Convention::Conll => vec![attachment.collect()],
        };
        if let Some(semantic) = &system.semantic {
            let scores = semantic.scores.named().map(named).into_iter();
            tables.push(scores.chain([named(("Exact", semantic.exact))]).collect());
        }
        if let Some(repairs) = system.repairs {
            tables.push(vec![named(("Repairs", repairs))]);
        }
        tables
    }
}

impl Calibration {
    /// How wrong the least certain words are, in words.
    pub(super) fn describe_reviews(&self) -> String {
        let all = self.errors();
        let review = |review: &Review| {
            format!(
                "{:.0} % ({} words, {} % right) {} % of the errors",
                100.0 * review.share,
                review.words,
                percent(review.accuracy()),
                percent(review.errors as f64 / all.max(1) as f64)
            )
        };
        let reviews: Vec<_> = self.reviews.iter().map(review).collect();
        format!(
            "Of all {all} errors in {}, reviewing the least certain {}.",
            self.certainty.name(),
            reviews.join(", ")
        )
    }
}

fn percent(value: f64) -> String {
    format!("{:.2}", 100.0 * value)
}

/// One system: precision, recall, F1 and aligned accuracy, laid out as the official script does.
fn single(text: &mut String, report: &Report, system: &SystemReport) {
    for (number, scores) in report.score_tables(system).into_iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let mut table = Table::new(&["Metric", "Precision", "Recall", "F1 Score", "AligndAcc"]);
        for NamedScore { name, score } in scores {
            let aligned = score.aligned_accuracy().map_or(String::new(), percent);
            let [precision, recall, f1] =
                [score.precision(), score.recall(), score.f1()].map(percent);
            table.row([name.to_owned(), precision, recall, f1, aligned]);
        }
        table.write(text);
    }
    if let Some(semantic) = &system.semantic {
        macro_scores(text, semantic);
    }
}

fn macro_scores(text: &mut String, semantic: &SemanticReport) {
    let mut table = Table::new(&["Macro", "Precision", "Recall", "F1 Score"]);
    let rows = [("Labelled", semantic.labelled_macro), ("Unlabelled", semantic.unlabelled_macro)];
    for (name, Macro { precision, recall, f1 }) in rows {
        let [precision, recall, f1] = [precision, recall, f1].map(percent);
        table.row([name.to_owned(), precision, recall, f1]);
    }
    text.push('\n');
    table.write(text);
}

/// Several systems: F1 side by side, the oracle and the tests.
fn several(text: &mut String, report: &Report, systems: &[SystemReport]) {
    for (number, system) in (1..).zip(systems) {
        let _ = writeln!(text, "[{number}] {}", system.document.name);
    }
    text.push('\n');
    let mut headers = vec!["F1 Score".to_owned()];
    headers.extend((1..=systems.len()).map(|number| format!("[{number}]")));
    let mut table = Table::new(&headers);
    let scores: Vec<_> =
        systems.iter().map(|system| report.score_tables(system).concat()).collect();
    for row in 0..scores.first().map_or(0, Vec::len) {
        let mut cells = vec![scores[0][row].name.to_owned()];
        cells.extend(scores.iter().map(|system| percent(system[row].score.f1())));
        table.row(cells);
    }
    table.write(text);
    if let Some(oracle) = &report.oracle {
        let _ = writeln!(text, "\nTree oracle {}: {}", report.metric, percent(oracle.score.f1()));
        if let Some(score) = oracle.arc_score {
            let _ = writeln!(text, "Arc oracle {}: {}", report.metric, percent(score.f1()));
        }
    }
    for test in &report.tests {
        let _ = writeln!(text, "{}", report.describe_test(test));
    }
}

fn breakdown(text: &mut String, report: &Report, factor: Factor) {
    let _ = writeln!(text, "\nBy {factor} ({})\n", report.conventions());
    let mut headers = vec!["Value".to_owned(), "Gold".to_owned()];
    for number in 1..=report.systems.len() {
        let mark = if report.systems.len() > 1 { format!(" [{number}]") } else { String::new() };
        headers.extend(["P", "R", "F1"].map(|name| format!("{name}{mark}")));
    }
    let mut table = Table::new(&headers);
    for (value, systems) in report.rows(factor) {
        let gold = systems.iter().map(|counts| counts.gold).max().unwrap_or(0);
        let mut cells = vec![value.to_owned(), gold.to_string()];
        for counts in systems {
            let shown =
                |whole: u64, share: f64| if whole == 0 { "-".to_owned() } else { percent(share) };
            cells.push(shown(counts.system, counts.precision()));
            cells.push(shown(counts.gold, counts.recall()));
            cells.push(shown(counts.gold + counts.system, counts.f1()));
        }
        table.row(cells);
    }
    table.write(text);
}

fn calibrations(text: &mut String, system: &SystemReport) {
    for calibration in &system.calibrations {
        let what = calibration.certainty.name();
        let _ = writeln!(text, "\nCalibration of {what}: {}\n", system.document.name);
        let mut table = Table::new(&["Probability", "Words", "Mean", "Accuracy", "Gap"]);
        for bin in calibration.equal_width.iter().filter(|bin| bin.words > 0) {
            table.row([
                format!("{:.1} to {:.1}", bin.low, bin.high),
                bin.words.to_string(),
                percent(bin.mean),
                percent(bin.accuracy()),
                format!("{:+.2}", 100.0 * (bin.accuracy() - bin.mean)),
            ]);
        }
        let (mean, accuracy) = (calibration.mean, calibration.accuracy());
        table.row([
            "All".to_owned(),
            calibration.words.to_string(),
            percent(mean),
            percent(accuracy),
            format!("{:+.2}", 100.0 * (accuracy - mean)),
        ]);
        table.write(text);
        let _ = writeln!(
            text,
            "\nExpected calibration error: {:.4} in ten bins of equal width, {:.4} in ten of equal mass.",
            calibration.ece_width, calibration.ece_mass
        );
        let _ = writeln!(text, "{}", calibration.describe_reviews());
        if calibration.without > 0 {
            let _ = writeln!(text, "{} words have no probability.", calibration.without);
        }
    }
}

fn confusions(text: &mut String, system: &SystemReport) {
    for (what, confusion) in [("relations", &system.relations), ("parts of speech", &system.tags)] {
        let mut table = Table::new(&["Gold", "System", "Words"]).left_columns(2);
        for cell in confusion.errors().take(LISTED) {
            table.row([cell.gold.clone(), cell.system.clone(), cell.count.to_string()]);
        }
        if !table.rows.is_empty() {
            let _ = writeln!(text, "\nConfused {what}: {}\n", system.document.name);
            table.write(text);
        }
    }
}

/// A table whose columns are as wide as their widest cell.
struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    left_columns: usize,
}

impl Table {
    fn new(headers: &[impl AsRef<str>]) -> Self {
        let headers = headers.iter().map(|header| header.as_ref().to_owned()).collect();
        Self { headers, rows: Vec::new(), left_columns: 1 }
    }

    /// The first columns hold words, the others numbers.
    fn left_columns(mut self, count: usize) -> Self {
        self.left_columns = count;
        self
    }

    fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    fn write(&self, text: &mut String) {
        let width = |column: usize| {
            let cells = std::iter::once(&self.headers).chain(&self.rows).map(|row| &row[column]);
            let least = if column < self.left_columns { 10 } else { 9 };
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(least)
        };
        let widths: Vec<_> = (0..self.headers.len()).map(width).collect();
        let line = |row: &[String]| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column < self.left_columns {
                    format!("{cell:width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned() + "\n"
        };
        let dashes: Vec<_> = widths.iter().map(|&width| "-".repeat(width)).collect();
        *text += &line(&self.headers);
        *text += &format!("{}-\n", dashes.join("-+-"));
        text.extend(self.rows.iter().map(|row| line(row)));
    }
}
