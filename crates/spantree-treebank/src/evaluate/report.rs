//! Everything about one or more systems' treebanks in one value, and its three forms: text, JSON and a web page.
//!
//! [`Report::new`] compares each system with gold; [`Report::to_text`] gives aligned tables for a terminal,
//! [`Report::to_json`] all figures for programs, [`Report::to_html`] a page with plots that needs nothing else.
//!
//! ```
//! use spantree_treebank::Sentence;
//! use spantree_treebank::evaluate::{Document, Report, ReportOptions};
//! let gold = Document::new("gold", vec![Sentence::from_words(&[("Go", "VERB", 0, "root")])]);
//! let report = Report::new(&gold, &[gold.clone()], &ReportOptions::ud())?;
//! assert!(report.to_text().contains("LAS        |    100.00 |    100.00 |    100.00 |    100.00"));
//! # Ok::<(), spantree_treebank::evaluate::EvaluateError>(())
//! ```

mod chart;
mod html;
mod reliability;
mod text;

use std::collections::HashMap;

use serde::Serialize;

use super::{
    Attachment, AttachmentOptions, Breakdown, Calibration, Certainty, Comparison, Confusion,
    Counts, Document, EvaluateError, Factor, Labels, Macro, Metric, Punctuation, Roots, Score,
    Semantic, Significance, TestOptions, paired_test, tree_oracle,
};
use crate::sentence::Column;

/// Which tradition of scoring to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convention {
    /// Universal Dependencies: words are aligned by the text, each sentence has one root, the official metrics lead.
    Ud,
    /// CoNLL-X to CoNLL-2009: both treebanks have the same words, any number of roots, attachment scores lead.
    Conll,
}

/// What to report and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    /// Which tradition to follow.
    pub convention: Convention,
    /// How many roots a sentence may have.
    pub roots: Roots,
    /// Punctuation and labels in attachment scores, breakdowns and confusions.
    pub attachment: AttachmentOptions,
    /// Whether to look for where the errors are.
    pub breakdown: bool,
    /// Whether to look at the probabilities in MISC.
    pub calibration: bool,
    /// What oracle and significance tests compare. LAS and UAS are attachment scores when following CoNLL.
    pub metric: Metric,
    /// How to test differences between systems; `None` for not at all.
    pub test: Option<TestOptions>,
}

impl ReportOptions {
    /// The official UD metrics; labels without subtypes everywhere.
    #[must_use]
    pub fn ud() -> Self {
        Self {
            convention: Convention::Ud,
            roots: Roots::One,
            attachment: AttachmentOptions {
                punctuation: Punctuation::Score,
                labels: Labels::Universal,
            },
            breakdown: false,
            calibration: false,
            metric: Metric::Las,
            test: Some(TestOptions::default()),
        }
    }

    /// Attachment scores over all tokens with whole labels, as in CoNLL 2007 and later.
    #[must_use]
    pub fn conll() -> Self {
        Self {
            convention: Convention::Conll,
            roots: Roots::Many,
            attachment: AttachmentOptions::default(),
            ..Self::ud()
        }
    }
}

/// A treebank in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentSummary {
    /// Its name.
    pub name: String,
    /// Number of sentences.
    pub sentences: usize,
    /// Number of words.
    pub words: usize,
}

impl DocumentSummary {
    fn of(document: &Document) -> Self {
        Self {
            name: document.name().to_owned(),
            sentences: document.sentences().len(),
            words: document.word_count(),
        }
    }
}

/// A score with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedScore {
    /// What was counted.
    pub name: &'static str,
    /// The counts.
    #[serde(flatten)]
    pub score: Score,
}

/// Predicates and arguments, and the combination with syntax.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SemanticReport {
    /// Scores of predicates and arguments.
    pub scores: Semantic,
    /// Labelled semantics and LAS.
    pub labelled_macro: Macro,
    /// Unlabelled semantics and UAS.
    pub unlabelled_macro: Macro,
    /// Sentences with syntax and semantics right.
    pub exact: Score,
}

/// One system against gold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemReport {
    /// The system's treebank.
    pub document: DocumentSummary,
    /// The official UD metrics, those on enhanced dependencies only when gold has any.
    pub metrics: Vec<NamedScore>,
    /// Attachment scores.
    pub attachment: Attachment,
    /// Semantic scores, when gold has predicates.
    pub semantic: Option<SemanticReport>,
    /// Words that speakers took back, when gold has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repairs: Option<Score>,
    /// Errors by every factor, when asked for.
    pub breakdowns: Vec<Breakdown>,
    /// Confused relations, when asked for.
    pub relations: Confusion,
    /// Confused parts of speech, when asked for.
    pub tags: Confusion,
    /// Probabilities of heads, and of heads and relations, when asked for and there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calibrations: Vec<Calibration>,
    /// For oracle and tests.
    #[serde(skip)]
    sentence_scores: Vec<Score>,
}

/// The best choice among the systems for each sentence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OracleReport {
    /// What the best tree of each sentence would reach.
    pub score: Score,
    /// Number of sentences taken from each system.
    pub chosen: Vec<usize>,
    /// What the best tree made of all systems' arcs would reach; for those who have a decoder to fill in.
    pub arc_score: Option<Score>,
}

/// A significance test between two systems.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestReport {
    /// Index of the first system.
    pub first: usize,
    /// Index of the second system.
    pub second: usize,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Significance,
}

/// One or more systems against gold; see the [module](self).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The gold treebank.
    pub gold: DocumentSummary,
    /// Which tradition was followed.
    pub convention: Convention,
    /// Punctuation and labels in attachment scores.
    pub options: AttachmentOptions,
    /// What oracle and tests compare.
    pub metric: &'static str,
    /// The systems.
    pub systems: Vec<SystemReport>,
    /// The tree oracle, when there are several systems.
    pub oracle: Option<OracleReport>,
    /// Tests between all pairs of systems.
    pub tests: Vec<TestReport>,
}

impl Report {
    /// Compares each system with gold.
    ///
    /// # Errors
    /// When a system's treebank cannot be compared with gold; see [`Comparison::by_text`] and [`Comparison::by_position`].
    pub fn new(
        gold: &Document,
        systems: &[Document],
        options: &ReportOptions,
    ) -> Result<Self, EvaluateError> {
        let report = |system| SystemReport::new(gold, system, options);
        let systems = systems.iter().map(report).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            gold: DocumentSummary::of(gold),
            convention: options.convention,
            options: options.attachment,
            metric: options.metric.name(),
            oracle: oracle(&systems),
            tests: significance_tests(&systems, options),
            systems,
        })
    }

    /// All figures as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Plain data with string keys always has a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Each value of a factor that some system has, with the labelled counts of every system; numbers in their order, names
    /// as they come.
    fn rows(&self, factor: Factor) -> Vec<(&str, Vec<Counts>)> {
        let mut rows: Vec<(&str, Vec<Counts>)> = Vec::new();
        let mut row_of: HashMap<&str, usize> = HashMap::new();
        for (number, system) in self.systems.iter().enumerate() {
            let breakdowns = system.breakdowns.iter().filter(|b| b.factor == factor);
            for bin in breakdowns.flat_map(|breakdown| &breakdown.bins) {
                let row = *row_of.entry(&bin.value).or_insert_with(|| {
                    rows.push((&bin.value, vec![Counts::default(); self.systems.len()]));
                    rows.len() - 1
                });
                rows[row].1[number] = bin.labelled;
            }
        }
        if factor.is_numeric() {
            rows.sort_by_key(|(value, _)| leading_number(value));
        }
        rows
    }

    /// The breakdowns there are.
    fn factors(&self) -> impl Iterator<Item = Factor> + '_ {
        self.systems.first().into_iter().flat_map(|system| &system.breakdowns).map(|b| b.factor)
    }
}

fn leading_number(text: &str) -> u32 {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
}

impl SystemReport {
    fn new(
        gold: &Document,
        system: &Document,
        options: &ReportOptions,
    ) -> Result<Self, EvaluateError> {
        let comparison = match options.convention {
            Convention::Ud => Comparison::by_text(gold, system, options.roots)?,
            Convention::Conll => Comparison::by_position(gold, system, options.roots)?,
        };
        let attachments = comparison.sentence_attachments(&options.attachment);
        let mut attachment = Attachment::default();
        attachments.iter().for_each(|&sentence| attachment += sentence);
        let enhanced = gold.has_enhanced();
        let metrics = Metric::ALL.into_iter().filter(|metric| enhanced || !metric.is_enhanced());
        let named =
            |metric: Metric| NamedScore { name: metric.name(), score: comparison.score(metric) };
        let confusion = |column| match options.breakdown {
            true => comparison.confusion(column, &options.attachment),
            false => Confusion::default(),
        };
        let certainties: &[Certainty] = if options.calibration { &Certainty::ALL } else { &[] };
        let calibration = |&kind| comparison.calibration(kind, &options.attachment);
        let factors: &[Factor] = if options.breakdown { &Factor::ALL } else { &[] };
        Ok(Self {
            document: DocumentSummary::of(system),
            metrics: metrics.map(named).collect(),
            attachment,
            semantic: gold.has_predicates().then(|| semantic(&comparison, &attachments)),
            repairs: comparison.repairs(),
            breakdowns: comparison.breakdown(factors, &options.attachment),
            relations: confusion(Column::Deprel),
            tags: confusion(Column::Upos),
            calibrations: certainties.iter().filter_map(calibration).collect(),
            sentence_scores: match (options.convention, options.metric) {
                (Convention::Conll, Metric::Las) => attachments.iter().map(|a| a.las).collect(),
                (Convention::Conll, Metric::Uas) => attachments.iter().map(|a| a.uas).collect(),
                (_, metric) => comparison.sentence_scores(metric),
            },
        })
    }
}

fn semantic(comparison: &Comparison, attachments: &[Attachment]) -> SemanticReport {
    let (mut scores, mut attachment, mut exact) =
        (Semantic::default(), Attachment::default(), Score::default());
    for (semantic, syntax) in comparison.sentence_semantics().into_iter().zip(attachments) {
        scores += semantic;
        attachment += *syntax;
        let both = semantic.exact.correct + syntax.labelled_complete.correct == 2;
        exact += Score::item(both);
    }
    SemanticReport {
        scores,
        labelled_macro: Macro::new(&scores.labelled, &attachment.las),
        unlabelled_macro: Macro::new(&scores.unlabelled, &attachment.uas),
        exact,
    }
}

fn oracle(systems: &[SystemReport]) -> Option<OracleReport> {
    if systems.len() < 2 {
        return None;
    }
    let scores: Vec<_> = systems.iter().map(|system| system.sentence_scores.clone()).collect();
    let oracle = tree_oracle(&scores)?;
    let chosen = (0..systems.len())
        .map(|system| oracle.choice.iter().filter(|&&choice| choice == system).count())
        .collect();
    Some(OracleReport { score: oracle.score, chosen, arc_score: None })
}

fn significance_tests(systems: &[SystemReport], options: &ReportOptions) -> Vec<TestReport> {
    let Some(test) = options.test else { return Vec::new() };
    let pairs = (0..systems.len()).flat_map(|a| (a + 1..systems.len()).map(move |b| (a, b)));
    let run = |(first, second): (usize, usize)| {
        let scores = |system: usize| &systems[system].sentence_scores;
        let outcome = paired_test(scores(first), scores(second), &test)?;
        Some(TestReport { first, second, outcome })
    };
    pairs.filter_map(run).collect()
}

#[cfg(test)]
mod tests;
