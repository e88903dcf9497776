//! The changes that `convert` makes inside sentences.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use spantree::treebank::Sentence;
use spantree::treebank::transform::{PseudoProjective, Replacement, Scheme, Unlisted, ValueMap};

#[derive(clap::Args)]
#[command(next_help_heading = "Changes inside sentences")]
pub(super) struct ChangeOptions {
    /// Undo a pseudo-projective encoding (head, path or head+path) after parsing
    #[arg(long, value_name = "SCHEME", conflicts_with_all = ["projectivise", "pseudo_projective"])]
    deprojectivise: Option<Scheme>,
    /// Lift non-projective words until every tree is projective; this loses where they came from
    #[arg(long, conflicts_with = "pseudo_projective")]
    projectivise: bool,
    /// Lift non-projective words and say so in the labels: head, path or head+path. Where the published label would be
    /// ambiguous, a further arrow tells which head is meant
    #[arg(long, value_name = "SCHEME")]
    pseudo_projective: Option<Scheme>,
    /// Keep only the N most frequent labels that a pseudo-projective encoding adds
    #[arg(long, value_name = "N", requires = "pseudo_projective")]
    max_traces: Option<usize>,
    /// Cut labels at the first colon: nsubj:pass becomes nsubj
    #[arg(long)]
    strip_subtypes: bool,
    /// Rename tags and labels by a table with the tab-separated columns COLUMN, FROM, TO
    #[arg(long, value_name = "TABLE")]
    map: Option<PathBuf>,
    /// What happens to values that the table does not list, in columns that it does
    #[arg(long, value_name = "WHAT", default_value = "keep", requires = "map")]
    unlisted: UnlistedChoice,
    /// Replace words and lemmas by _
    #[arg(long)]
    delexicalise: bool,
    /// With --delexicalise: keep words of closed classes
    #[arg(long, requires = "delexicalise")]
    keep_function_words: bool,
    /// Turn the order of the words round, for parsers from right to left; the text stays as it is
    #[arg(long)]
    reverse: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum UnlistedChoice {
    /// they stay
    Keep,
    /// they become _
    Clear,
    /// they are an error
    Refuse,
}

impl ChangeOptions {
    /// Whether the changes depend on the whole treebank.
    pub(super) fn needs_all(&self) -> bool {
        self.max_traces.is_some()
    }
}

/// The changes, ready to be applied.
pub(super) struct Changes<'a> {
    options: &'a ChangeOptions,
    encoder: Option<PseudoProjective>,
    map: Option<ValueMap>,
}

impl<'a> Changes<'a> {
    /// `sentences` are those to be changed; needed only when [`ChangeOptions::needs_all`].
    pub(super) fn new(options: &'a ChangeOptions, sentences: &[Sentence]) -> Result<Self> {
        let encoder = options.pseudo_projective.map(|scheme| match options.max_traces {
            Some(limit) => PseudoProjective::ranked(scheme).fit(sentences, limit),
            None => PseudoProjective::ranked(scheme),
        });
        let map = options.map.as_deref().map(ValueMap::load).transpose()?;
        Ok(Self { options, encoder, map })
    }

    pub(super) fn apply(&self, sent: &mut Sentence) -> Result<()> {
        if let Some(scheme) = self.options.deprojectivise {
            PseudoProjective::ranked(scheme).decode(sent)?;
        }
        if self.options.projectivise {
            let lifting = sent.tree()?.lift();
            for (word, &head) in (1..).zip(&lifting.heads) {
                sent.set_head(word, Some(head));
            }
        }
        if let Some(encoder) = &self.encoder {
            encoder.encode(sent)?;
        }
        if self.options.strip_subtypes {
            sent.strip_subtypes();
        }
        if let Some(map) = &self.map {
            let unlisted = match self.options.unlisted {
                UnlistedChoice::Keep => Unlisted::Keep,
                UnlistedChoice::Clear => Unlisted::Clear,
                UnlistedChoice::Refuse => Unlisted::Refuse,
            };
            map.apply(sent, unlisted).context("--map")?;
        }
        if self.options.delexicalise {
            sent.delexicalise(Replacement::Underscore, self.options.keep_function_words);
        }
        if self.options.reverse {
            sent.reverse();
        }
        Ok(())
    }
}
