//! The figures of a treebank in a form that can be printed and serialised.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::count::{Ambiguity, Histogram, Inventory};
use super::{InventoryCounts, Sizes, Stats, TreeCounts};

/// Everything that [`Stats`] knows; `Display` gives a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// How much there is.
    pub sizes: Sizes,
    /// Words per sentence.
    pub sentence_length: Distribution,
    /// Shares of words and tokens with certain layers.
    pub layers: LayerShares,
    /// Number of distinct values.
    pub inventories: Inventories,
    /// Shapes of the trees.
    pub trees: TreeReport,
    /// UPOS tags of each form.
    pub tags_per_form: AmbiguityReport,
    /// Labels of each pair of head tag and child tag.
    pub labels_per_tag_pair: AmbiguityReport,
}

/// A histogram and its summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// Arithmetic mean; 0 when there is nothing.
    pub mean: f64,
    /// The value in the middle.
    pub median: f64,
    /// The largest value.
    pub max: usize,
    /// How often each value occurs.
    pub histogram: BTreeMap<usize, u64>,
}

/// Shares from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerShares {
    /// Words with a lemma.
    pub lemma: f64,
    /// Words with an XPOS.
    pub xpos: f64,
    /// Words with FEATS.
    pub feats: f64,
    /// Words with DEPS.
    pub deps: f64,
    /// Surface tokens with `SpaceAfter=No`.
    pub no_space_after: f64,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueCount {
    /// The value.
    pub value: String,
    /// Its number of occurrences.
    pub count: u64,
}

/// Distinct values other than `_`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inventories {
    /// Forms, as they are written.
    pub forms: usize,
    /// Lemmas.
    pub lemmas: usize,
    /// XPOS tags.
    pub xpos: usize,
    /// `Name=Value` features.
    pub features: usize,
    /// Whole FEATS.
    pub feature_sets: usize,
    /// Labels up to the first colon.
    pub universal_labels: usize,
    /// UPOS tags, the most frequent first.
    pub upos: Vec<ValueCount>,
    /// Labels with subtypes, the most frequent first.
    pub labels: Vec<ValueCount>,
}

/// Shapes of the trees; sentences without a tree are not in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeReport {
    /// Trees.
    pub trees: u64,
    /// Arcs, those from the root included.
    pub arcs: u64,
    /// Arcs whose head does not dominate all words between its ends.
    pub non_projective_arcs: u64,
    /// Their share of all arcs.
    pub non_projective_arc_share: f64,
    /// Trees with such an arc.
    pub non_projective: u64,
    /// Their share of all trees.
    pub non_projective_share: f64,
    /// Trees with two arcs between words that cross.
    pub non_planar: u64,
    /// Trees in which the arcs that cross some arc do not share an endpoint.
    pub not_one_endpoint_crossing: u64,
    /// Trees by gap degree.
    pub gap_degrees: BTreeMap<usize, u64>,
    /// Trees by number of words attached to the root.
    pub roots: BTreeMap<usize, u64>,
    /// Distance of head and child in words; arcs from the root are not in it.
    pub arc_length: Distribution,
    /// Arcs from the root to the deepest word.
    pub depth: Distribution,
}

/// How far a context determines a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AmbiguityReport {
    /// Distinct contexts.
    pub contexts: usize,
    /// Contexts with several values.
    pub ambiguous_contexts: usize,
    /// Distinct values per context.
    pub mean_values: f64,
    /// Share of occurrences in contexts with several values.
    pub ambiguous_share: f64,
    /// Share of occurrences that have the most frequent value of their context.
    pub majority_share: f64,
}

impl Report {
    pub(super) fn new(stats: &Stats) -> Self {
        let sizes = stats.sizes;
        let of_words = |count| share(count, sizes.words);
        Self {
            sizes,
            sentence_length: distribution(&stats.sentence_lengths),
            layers: LayerShares {
                lemma: of_words(sizes.with_lemma),
                xpos: of_words(sizes.with_xpos),
                feats: of_words(sizes.with_feats),
                deps: of_words(sizes.with_deps),
                no_space_after: share(sizes.without_space_after, sizes.tokens),
            },
            inventories: inventories(&stats.inventories),
            trees: tree_report(&stats.trees),
            tags_per_form: ambiguity(&stats.tags_per_form),
            labels_per_tag_pair: ambiguity(&stats.labels_per_tag_pair),
        }
    }

    /// The report as indented JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Maps with number keys and finite numbers always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn distribution(histogram: &Histogram) -> Distribution {
    Distribution {
        mean: histogram.mean(),
        median: histogram.median(),
        max: histogram.max(),
        histogram: histogram.counts().clone(),
    }
}

fn values(inventory: &Inventory) -> Vec<ValueCount> {
    let values = inventory.by_frequency().into_iter();
    values.map(|(value, count)| ValueCount { value: value.to_owned(), count }).collect()
}

fn inventories(counts: &InventoryCounts) -> Inventories {
    Inventories {
        forms: counts.forms.len(),
        lemmas: counts.lemmas.len(),
        xpos: counts.xpos.len(),
        features: counts.features.len(),
        feature_sets: counts.feature_sets.len(),
        universal_labels: counts.universal_labels.len(),
        upos: values(&counts.upos),
        labels: values(&counts.labels),
    }
}

fn tree_report(counts: &TreeCounts) -> TreeReport {
    TreeReport {
        trees: counts.trees,
        arcs: counts.arcs,
        non_projective_arcs: counts.non_projective_arcs,
        non_projective_arc_share: share(counts.non_projective_arcs, counts.arcs),
        non_projective: counts.non_projective,
        non_projective_share: share(counts.non_projective, counts.trees),
        non_planar: counts.non_planar,
        not_one_endpoint_crossing: counts.not_one_endpoint_crossing,
        gap_degrees: counts.gap_degrees.counts().clone(),
        roots: counts.roots.counts().clone(),
        arc_length: distribution(&counts.arc_lengths),
        depth: distribution(&counts.depths),
    }
}

fn ambiguity(counts: &Ambiguity) -> AmbiguityReport {
    AmbiguityReport {
        contexts: counts.contexts(),
        ambiguous_contexts: counts.ambiguous_contexts(),
        mean_values: counts.mean_values(),
        ambiguous_share: counts.ambiguous_share(),
        majority_share: counts.majority_share(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_sizes(f)?;
        self.write_inventories(f)?;
        self.write_trees(f)?;
        write_ambiguity(f, "Tags of a form", &self.tags_per_form)?;
        write_ambiguity(f, "Labels of a pair of tags", &self.labels_per_tag_pair)
    }
}

impl Report {
    fn write_sizes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sizes, layers) = (&self.sizes, &self.layers);
        writeln!(f, "Size")?;
        row(f, "documents", sizes.documents)?;
        row(f, "sentences", sizes.sentences)?;
        row(f, "  without a tree", sizes.without_tree)?;
        row(f, "tokens", sizes.tokens)?;
        percent(f, "  without space after", sizes.without_space_after, layers.no_space_after)?;
        row(f, "multiword tokens", sizes.multiword_tokens)?;
        row(f, "words", sizes.words)?;
        percent(f, "  with LEMMA", sizes.with_lemma, layers.lemma)?;
        percent(f, "  with XPOS", sizes.with_xpos, layers.xpos)?;
        percent(f, "  with FEATS", sizes.with_feats, layers.feats)?;
        percent(f, "  with DEPS", sizes.with_deps, layers.deps)?;
        row(f, "empty nodes", sizes.empty_nodes)?;
        summary(f, "words per sentence", &self.sentence_length)?;
        tens(f, &self.sentence_length.histogram)
    }

    fn write_inventories(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.inventories;
        writeln!(f, "\nDistinct values")?;
        row(f, "forms", counts.forms as u64)?;
        row(f, "lemmas", counts.lemmas as u64)?;
        row(f, "UPOS", counts.upos.len() as u64)?;
        row(f, "XPOS", counts.xpos as u64)?;
        row(f, "features", counts.features as u64)?;
        row(f, "FEATS", counts.feature_sets as u64)?;
        row(f, "labels", counts.labels.len() as u64)?;
        row(f, "labels without subtypes", counts.universal_labels as u64)
    }

    fn write_trees(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trees = &self.trees;
        let of_trees = |count| share(count, trees.trees);
        let crossing = trees.not_one_endpoint_crossing;
        writeln!(f, "\nTrees")?;
        row(f, "arcs", trees.arcs)?;
        percent(f, "  non-projective", trees.non_projective_arcs, trees.non_projective_arc_share)?;
        row(f, "trees", trees.trees)?;
        percent(f, "  non-projective", trees.non_projective, trees.non_projective_share)?;
        percent(f, "  non-planar", trees.non_planar, of_trees(trees.non_planar))?;
        percent(f, "  not 1-endpoint-crossing", crossing, of_trees(crossing))?;
        for (degree, &count) in &trees.gap_degrees {
            percent(f, &format!("  gap degree {degree}"), count, of_trees(count))?;
        }
        for (roots, &count) in &trees.roots {
            percent(f, &format!("  roots: {roots}"), count, of_trees(count))?;
        }
        summary(f, "arc length", &trees.arc_length)?;
        summary(f, "depth", &trees.depth)
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, count: u64) -> fmt::Result {
    writeln!(f, "  {name:<26}{count:>10}")
}

fn percent(f: &mut fmt::Formatter<'_>, name: &str, count: u64, share: f64) -> fmt::Result {
    writeln!(f, "  {name:<26}{count:>10}  {:>6.2} %", 100.0 * share)
}

fn summary(f: &mut fmt::Formatter<'_>, name: &str, values: &Distribution) -> fmt::Result {
    let Distribution { mean, median, max, .. } = values;
    writeln!(f, "  {name:<26}{mean:>10.2}  median {median}, max {max}")
}

/// Sentence lengths in steps of ten, all above 100 together.
fn tens(f: &mut fmt::Formatter<'_>, lengths: &BTreeMap<usize, u64>) -> fmt::Result {
    let mut steps: BTreeMap<usize, u64> = BTreeMap::new();
    for (&length, count) in lengths {
        *steps.entry((length.saturating_sub(1) / 10).min(10)).or_default() += count;
    }
    let total = steps.values().sum();
    for (&step, &count) in &steps {
        let name = match step {
            10 => "  over 100".to_owned(),
            _ => format!("  {}-{}", step * 10 + 1, step * 10 + 10),
        };
        percent(f, &name, count, share(count, total))?;
    }
    Ok(())
}

fn write_ambiguity(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    figures: &AmbiguityReport,
) -> fmt::Result {
    let contexts = figures.contexts as u64;
    let ambiguous = figures.ambiguous_contexts as u64;
    writeln!(f, "\n{title}")?;
    row(f, "contexts", contexts)?;
    percent(f, "  with several values", ambiguous, share(ambiguous, contexts))?;
    writeln!(f, "  {:<26}{:>10.2}", "values per context", figures.mean_values)?;
    writeln!(f, "  {:<26}{:>18.2} %", "ambiguous occurrences", 100.0 * figures.ambiguous_share)?;
    writeln!(f, "  {:<26}{:>18.2} %", "most frequent value", 100.0 * figures.majority_share)
}
