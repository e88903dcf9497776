//! Which sentences `convert` writes, in which order, to which files.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use spantree::treebank::Sentence;
use spantree::treebank::transform::{Part, Unit, folds, sample, shuffle, split};

#[derive(clap::Args)]
#[command(next_help_heading = "Choice of sentences")]
pub(super) struct Choice {
    /// Write the sentences in random order
    #[arg(long)]
    shuffle: bool,
    /// Write N sentences, drawn at random
    #[arg(long, value_name = "N", conflicts_with = "shuffle")]
    sample: Option<usize>,
    /// Divide into parts: percentages (80%,10%,10%), numbers of sentences, and at most one `rest`
    #[arg(long, value_name = "SIZES", conflicts_with_all = ["shuffle", "sample"], value_delimiter = ',', value_parser = part)]
    split: Vec<Part>,
    /// Divide into K folds; for each, {} becomes `1.train` and `1.test` and so on
    #[arg(long, value_name = "K", conflicts_with_all = ["shuffle", "sample", "split"])]
    folds: Option<usize>,
    /// Keep the sentences of a document (# newdoc) together
    #[arg(long)]
    by_document: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// One output file and the sentences that go into it.
pub(super) struct OutputPart {
    pub(super) path: PathBuf,
    pub(super) sentences: Vec<usize>,
}

fn part(text: &str) -> Result<Part, String> {
    let size = if text == "rest" {
        Some(Part::Rest)
    } else if let Some(percentage) = text.strip_suffix('%') {
        percentage.parse().ok().map(|percentage: f64| Part::Fraction(percentage / 100.0))
    } else {
        text.parse().ok().map(Part::Count)
    };
    size.ok_or_else(|| "give a percentage such as 80%, a number of sentences, or rest".to_owned())
}

impl Choice {
    /// Whether the whole treebank must be in memory.
    pub(super) fn needs_all(&self) -> bool {
        self.shuffle || self.sample.is_some() || !self.split.is_empty() || self.folds.is_some()
    }

    pub(super) fn parts(&self, sentences: &[Sentence], output: &Path) -> Result<Vec<OutputPart>> {
        let unit = if self.by_document { Unit::Document } else { Unit::Sentence };
        let seed = Some(self.seed);
        if let Some(count) = self.folds {
            return self.fold_parts(&folds(sentences, unit, count, seed)?, sentences.len(), output);
        }
        if !self.split.is_empty() {
            let parts = split(sentences, unit, &self.split, seed)?;
            let named = (1..).zip(parts);
            return named
                .map(|(number, sentences)| {
                    Ok(OutputPart { path: part_path(output, &number.to_string())?, sentences })
                })
                .collect();
        }
        let chosen = if self.shuffle {
            shuffle(sentences, unit, self.seed)
        } else if let Some(count) = self.sample {
            sample(sentences, unit, count, self.seed)
        } else {
            (0..sentences.len()).collect()
        };
        Ok(vec![OutputPart { path: output.to_owned(), sentences: chosen }])
    }

    fn fold_parts(
        &self,
        folds: &[Vec<usize>],
        count: usize,
        output: &Path,
    ) -> Result<Vec<OutputPart>> {
        let mut parts = Vec::new();
        for (number, test) in (1..).zip(folds) {
            let train = (0..count).filter(|index| test.binary_search(index).is_err()).collect();
            parts.push(OutputPart {
                path: part_path(output, &format!("{number}.train"))?,
                sentences: train,
            });
            parts.push(OutputPart {
                path: part_path(output, &format!("{number}.test"))?,
                sentences: test.clone(),
            });
        }
        Ok(parts)
    }
}

/// The output name with `{}` replaced.
fn part_path(output: &Path, part: &str) -> Result<PathBuf> {
    match output.to_str() {
        Some(text) if text.contains("{}") => Ok(text.replace("{}", part).into()),
        _ => bail!(
            "--split and --folds write several files: give -o a name with {{}}, such as part{{}}.conllu"
        ),
    }
}
