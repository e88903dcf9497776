//! The report as one self-contained web page: no script, no outside resource, readable in light and dark mode.

use std::fmt::Write as _;

use super::chart::{COLOURS, Series, axis_start, confusion_matrix, line_chart};
use super::reliability::STYLE as RELIABILITY_STYLE;
use super::{Convention, NamedScore, Report, SystemReport};
use crate::evaluate::{Counts, Factor};
use crate::markup::{PAGE_END, escape, page_start};

const STYLE: &str = include_str!("report.css");

/// Labels in a confusion matrix, and rows in a list of confusions.
const MATRIX_LABELS: usize = 15;
const LISTED: usize = 20;

impl Report {
    /// A web page with plots.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = format!("Parsing scores: {}", self.gold.name);
        let mut page = page_start(&title, &format!("{STYLE}{RELIABILITY_STYLE}"));
        heading(&mut page, self);
        cards(&mut page, self);
        scores(&mut page, self);
        comparison(&mut page, self);
        calibrations(&mut page, self);
        errors(&mut page, self);
        for (number, system) in self.systems.iter().enumerate() {
            confusions(&mut page, self, number, system);
        }
        page + PAGE_END
    }
}

fn percent(value: f64) -> String {
    format!("{:.2}", 100.0 * value)
}

/// A system with its colour.
fn named(report: &Report, system: usize) -> String {
    let (colour, name) = (system % COLOURS, escape(&report.systems[system].document.name));
    format!("<span class=\"key c{colour}\"></span>{name}")
}

fn heading(page: &mut String, report: &Report) {
    let gold = &report.gold;
    let rule = match report.convention {
        Convention::Ud => {
            "Words are aligned by the text they cover; metrics are those of the official UD evaluation."
        }
        Convention::Conll => {
            "Both treebanks have the same words; scores follow the CoNLL shared tasks."
        }
    };
    let _ = write!(
        page,
        "<h1>Parsing scores</h1>\n<p class=\"muted\">Gold: <strong>{}</strong>, {} sentences, {} words. {rule} \
         Attachment scores and breakdowns: {}.</p>\n",
        escape(&gold.name),
        gold.sentences,
        gold.words,
        report.conventions()
    );
    page.push_str(&legend(report));
}

/// The systems with their colours and sizes.
fn legend(report: &Report) -> String {
    let item = |(number, system): (usize, &SystemReport)| {
        let (name, document) = (named(report, number), &system.document);
        format!(
            "<span class=\"item\">{name} <span class=\"muted\">({} sentences, {} words)</span></span>",
            document.sentences, document.words
        )
    };
    let items: String = report.systems.iter().enumerate().map(item).collect();
    format!("<p class=\"legend\">{items}</p>\n")
}

/// The leading figures of a single system.
fn cards(page: &mut String, report: &Report) {
    let [system] = report.systems.as_slice() else { return };
    let shown = ["UPOS", "Lemmas", "UAS", "LAS", "MLAS", "Label", "Complete", "Semantic labelled"];
    page.push_str("<div class=\"cards\">\n");
    for NamedScore { name, score } in report.score_tables(system).concat() {
        if shown.contains(&name) {
            let _ = writeln!(
                page,
                "<div class=\"card\"><div class=\"name\">{name}</div><div class=\"value\">{}</div></div>",
                percent(score.f1())
            );
        }
    }
    page.push_str("</div>\n");
}

fn scores(page: &mut String, report: &Report) {
    let tables = report.systems.iter().map(|system| report.score_tables(system).concat());
    let tables: Vec<_> = tables.collect();
    let single = tables.len() == 1;
    page.push_str("<h2>Scores</h2>\n<div class=\"scroll\"><table>\n<thead>");
    if !single {
        let systems = (0..tables.len()).map(|system| named(report, system));
        let cells: String = systems.map(|name| format!("<th colspan=\"3\">{name}</th>")).collect();
        let _ = write!(page, "<tr><th></th>{cells}</tr>");
    }
    let _ = writeln!(
        page,
        "<tr><th>Metric</th>{}{}</tr></thead>\n<tbody>",
        "<th>Precision</th><th>Recall</th><th>F1</th>".repeat(tables.len()),
        if single { "<th>Aligned acc.</th>" } else { "" }
    );
    for row in 0..tables.first().map_or(0, Vec::len) {
        let best = tables.iter().map(|table| table[row].score.f1()).fold(0.0, f64::max);
        let _ = write!(page, "<tr><td>{}</td>", tables[0][row].name);
        for score in tables.iter().map(|table| table[row].score) {
            let class = if !single && score.f1() == best { " class=\"best\"" } else { "" };
            let [precision, recall, f1] =
                [score.precision(), score.recall(), score.f1()].map(percent);
            let _ = write!(page, "<td>{precision}</td><td>{recall}</td><td{class}>{f1}</td>");
        }
        if single {
            let aligned = tables[0][row].score.aligned_accuracy().map_or(String::new(), percent);
            let _ = write!(page, "<td>{aligned}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    macro_scores(page, report);
}

fn macro_scores(page: &mut String, report: &Report) {
    for system in &report.systems {
        if let Some(semantic) = &system.semantic {
            let _ = writeln!(
                page,
                "<p>{}: labelled macro F1 <strong>{}</strong>, unlabelled macro F1 <strong>{}</strong>.</p>",
                escape(&system.document.name),
                percent(semantic.labelled_macro.f1),
                percent(semantic.unlabelled_macro.f1)
            );
        }
    }
}

/// Oracle and significance tests of several systems.
fn comparison(page: &mut String, report: &Report) {
    let Some(oracle) = &report.oracle else { return };
    let _ = write!(
        page,
        "<h2>The systems compared</h2>\n<p>Taking the best tree of each sentence would give {} <strong>{}</strong>; \
         the number of sentences from each system: ",
        report.metric,
        percent(oracle.score.f1())
    );
    let chosen = report.systems.iter().zip(&oracle.chosen);
    let chosen: Vec<_> =
        chosen.map(|(system, n)| format!("{} {n}", escape(&system.document.name))).collect();
    let _ = write!(page, "{} (ties to the first).", chosen.join(", "));
    if let Some(score) = oracle.arc_score {
        let _ = write!(
            page,
            " The best tree made of all systems' arcs would give <strong>{}</strong>.",
            percent(score.f1())
        );
    }
    page.push_str("</p>\n");
    if report.tests.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<div class=\"scroll\"><table>\n<thead><tr><th>{}</th><th class=\"word\">against</th><th>Difference</th><th>p</th><th class=\"word\">Test</th></tr></thead>\n<tbody>",
        report.metric
    );
    for test in &report.tests {
        let outcome = &test.outcome;
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"word\">{}</td><td>{:+.2}</td><td>{:.4}</td>\
             <td class=\"word\">paired {}, {} rounds</td></tr>",
            named(report, test.second),
            named(report, test.first),
            100.0 * outcome.difference,
            outcome.p_value,
            outcome.test,
            outcome.rounds
        );
    }
    page.push_str("</tbody></table></div>\n");
}

/// Reliability diagrams, and what reviewing the least certain words finds.
fn calibrations(page: &mut String, report: &Report) {
    if report.systems.iter().all(|system| system.calibrations.is_empty()) {
        return;
    }
    page.push_str(
        "<h2>Is the system as sure as it is right?</h2>\n<p class=\"muted\">Columns: accuracy in ten bins of equal width. \
         Curve: ten bins of as many words each, at their mean probability. Strip: words in each bin of equal width. Below the \
         diagonal the system is too sure.</p>\n<div class=\"scroll\">",
    );
    page.push_str(&report.reliability_elements());
    page.push_str("</div>\n");
    for system in &report.systems {
        for calibration in &system.calibrations {
            let name = escape(&system.document.name);
            let _ = writeln!(page, "<p>{name}: {}</p>", calibration.describe_reviews());
        }
    }
}

fn errors(page: &mut String, report: &Report) {
    if report.factors().next().is_none() {
        return;
    }
    page.push_str(
        "<h2>Where the errors are</h2>\n<p class=\"muted\">Labelled arcs. Precision is over the system's arcs by their value in \
         the system's tree, recall over the gold arcs by their value in the gold tree. Grey columns show how the gold arcs are \
         distributed; their scale is their own.</p>\n",
    );
    if report.systems.len() > 1 {
        page.push_str(&legend(report));
    }
    for factor in report.factors() {
        if report.rows(factor).len() > 1 {
            let _ = writeln!(page, "<h3>By {factor}</h3>");
            if factor.is_numeric() {
                curves(page, report, factor);
            } else {
                bars(page, report, factor);
            }
        }
    }
}

/// Precision and recall side by side, on the same axis.
fn curves(page: &mut String, report: &Report, factor: Factor) {
    let (values, counts): (Vec<_>, Vec<_>) = report.rows(factor).into_iter().unzip();
    let gold = |systems: &Vec<Counts>| systems.iter().map(|counts| counts.gold).max().unwrap_or(0);
    let total = counts.iter().map(gold).sum::<u64>().max(1) as f64;
    let shares: Vec<_> = counts.iter().map(|systems| gold(systems) as f64 / total).collect();
    let all_series = |measure: fn(&Counts) -> (u64, u64)| -> Vec<Series> {
        let one = |system: usize| series(&values, counts.iter().map(|c| measure(&c[system])));
        (0..report.systems.len()).map(one).collect()
    };
    let precision = all_series(|counts| (counts.system_correct, counts.system));
    let recall = all_series(|counts| (counts.gold_found, counts.gold));
    let low = axis_start(precision.iter().chain(&recall));
    page.push_str("<div class=\"panels\">\n");
    for (name, series) in [("Precision", precision), ("Recall", recall)] {
        let chart = line_chart(&values, &shares, &series, low);
        let _ = writeln!(page, "<figure><figcaption>{name}, %</figcaption>{chart}</figure>");
    }
    page.push_str("</div>\n");
}

/// The curve of `(part, whole)` for each value.
fn series(values: &[&str], points: impl Iterator<Item = (u64, u64)>) -> Series {
    let mut series = Series { values: Vec::new(), notes: Vec::new() };
    for (value, (part, whole)) in values.iter().zip(points) {
        let share = (whole > 0).then(|| part as f64 / whole as f64);
        series.values.push(share);
        series
            .notes
            .push(format!("{value}: {} ({part} of {whole})", percent(share.unwrap_or(0.0))));
    }
    series
}

/// A table with a bar for each F1.
fn bars(page: &mut String, report: &Report, factor: Factor) {
    page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>Value</th><th>Gold</th>");
    for _ in &report.systems {
        page.push_str("<th>Precision</th><th>Recall</th><th class=\"word\">F1</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (value, counts) in report.rows(factor) {
        let gold = counts.iter().map(|counts| counts.gold).max().unwrap_or(0);
        let _ = write!(page, "<tr><td>{}</td><td>{gold}</td>", escape(value));
        for (system, counts) in counts.iter().enumerate() {
            let shown =
                |whole: u64, share: f64| if whole == 0 { "–".to_owned() } else { percent(share) };
            let _ = write!(
                page,
                "<td>{}</td><td>{}</td><td class=\"word\"><span class=\"number\">{}</span><span class=\"track\"><span class=\"bar c{}\" style=\"width:{:.1}%\"></span></span></td>",
                shown(counts.system, counts.precision()),
                shown(counts.gold, counts.recall()),
                percent(counts.f1()),
                system % COLOURS,
                100.0 * counts.f1()
            );
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn confusions(page: &mut String, report: &Report, number: usize, system: &SystemReport) {
    let of_system = match report.systems.len() {
        1 => String::new(),
        _ => format!(": {}", named(report, number)),
    };
    for (what, confusion) in [("relations", &system.relations), ("parts of speech", &system.tags)] {
        let (labels, counts) = confusion.matrix(MATRIX_LABELS);
        if labels.is_empty() {
            continue;
        }
        let _ = writeln!(
            page,
            "<h2>Confused {what}{of_system}</h2>\n<p class=\"muted\">Gold down, system across; the {} labels \
             in most errors. The shade grows with the share of the row.</p>\n<div class=\"scroll\">{}</div>",
            labels.len(),
            confusion_matrix(&labels, &counts)
        );
        page.push_str("<details><summary>Most frequent confusions</summary>\n<table><thead><tr><th>Gold</th><th class=\"word\">System</th><th>Words</th></tr></thead><tbody>\n");
        for cell in confusion.errors().take(LISTED) {
            let (gold, system) = (escape(&cell.gold), escape(&cell.system));
            let _ = writeln!(
                page,
                "<tr><td>{gold}</td><td class=\"word\">{system}</td><td>{}</td></tr>",
                cell.count
            );
        }
        page.push_str("</tbody></table></details>\n");
    }
}
