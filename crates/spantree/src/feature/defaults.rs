//! The template sets that come with Spantree, and the choice among them from what a treebank has.

use spantree_treebank::{Column, Sentence, Token};

use super::atom::{ArcAtom, Atom};
use super::atoms::guide;
use super::template::{self, Template, TemplateError};
use crate::graph::{Decoder, Grandchildren, TemplateTexts};

/// The arc templates of the 2006 report (McDonald, Crammer, Pereira), with its prefix back-off.
pub const MST06: &str = include_str!("../../templates/mst06.txt");
const ARC: &str = include_str!("../../templates/arc.txt");
const LABEL: &str = include_str!("../../templates/label.txt");
const RELABEL: &str = include_str!("../../templates/relabel.txt");
const PRUNER: &str = include_str!("../../templates/pruner.txt");
const SIBLING: &str = include_str!("../../templates/sibling.txt");
const GRAND: &str = include_str!("../../templates/grand.txt");
const OUTERMOST: &str = include_str!("../../templates/outermost.txt");
const GRAND_SIBLING: &str = include_str!("../../templates/grand_sibling.txt");
const TRI_SIBLING: &str = include_str!("../../templates/tri_sibling.txt");
const CROSSED: &str = include_str!("../../templates/crossed.txt");
const VALENCY: &str = include_str!("../../templates/valency.txt");

/// Which columns of a treebank say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// LEMMA is filled.
    pub lemma: bool,
    /// XPOS is filled and not a copy of UPOS.
    pub xpos: bool,
    /// FEATS is filled.
    pub feats: bool,
    /// MISC has the trees of a guide, see [`guide`].
    pub guide: bool,
}

impl Columns {
    /// Looks at all words; a column counts when more than one word in twenty uses it.
    #[must_use]
    pub fn of(sentences: &[Sentence]) -> Self {
        let words = || sentences.iter().flat_map(Sentence::words);
        let total = words().count();
        let used = |test: fn(&Token<'_>) -> bool| words().filter(test).count() * 20 > total;
        Self {
            lemma: used(|word| word.lemma() != "_"),
            xpos: used(|word| word.xpos() != "_" && word.xpos() != word.upos()),
            feats: used(|word| word.get(Column::Feats) != "_"),
            guide: used(|word| guide(*word).is_some()),
        }
    }

    fn has(self, template: &Template) -> bool {
        let arcs = template.arcs.iter().all(|atom| match atom {
            ArcAtom::Agree => self.feats,
            ArcAtom::Guide => self.guide,
            _ => true,
        });
        arcs && template.tokens.iter().all(|token| self.has_atom(token.atom))
    }

    /// Whether the columns answer a question.
    pub(super) fn has_atom(self, atom: Atom) -> bool {
        match atom {
            Atom::Lemma => self.lemma,
            Atom::Xpos => self.xpos,
            Atom::Feats | Atom::Feat => self.feats,
            Atom::Fine => self.xpos || self.feats,
            atom if atom.is_guided() => self.guide,
            _ => true,
        }
    }
}

impl TemplateTexts {
    /// The default templates of a parser of this order, for a treebank with these columns: those that ask for a missing
    /// column are left out. Parts are those that the decoder knows, with grandchildren of this sort.
    ///
    /// # Errors
    /// Never with the files that come with Spantree; a test reads them.
    pub fn for_columns(
        columns: Columns,
        order: u32,
        grandchildren: Grandchildren,
        decoder: Decoder,
    ) -> Result<Self, TemplateError> {
        let keep = |text| Self::select(text, columns);
        let mut texts = Self {
            arc: keep(ARC)?,
            label: keep(LABEL)?,
            relabel: keep(RELABEL)?,
            ..Self::default()
        };
        if order > 1 {
            texts.pruner = keep(PRUNER)?;
        }
        let parts: &[&str] = match (order, grandchildren) {
            (..=1, _) => &[],
            (2, _) if decoder == Decoder::OneEndpointCrossing => &[SIBLING, GRAND, CROSSED],
            _ if decoder == Decoder::OneEndpointCrossing => {
                &[SIBLING, GRAND, GRAND_SIBLING, CROSSED]
            }
            (2, Grandchildren::All) => &[SIBLING, GRAND],
            (2, Grandchildren::Outermost) => &[SIBLING, OUTERMOST],
            (_, Grandchildren::All) => &[SIBLING, GRAND, GRAND_SIBLING, TRI_SIBLING],
            (_, Grandchildren::Outermost) => &[SIBLING, OUTERMOST, TRI_SIBLING],
        };
        for part in parts {
            texts.part += &keep(part)?;
        }
        Ok(texts)
    }

    /// Adds the templates that count modifiers.
    ///
    /// # Errors
    /// As [`for_columns`](Self::for_columns).
    pub fn add_valency(&mut self, columns: Columns) -> Result<(), TemplateError> {
        self.part += &Self::select(VALENCY, columns)?;
        Ok(())
    }

    /// The templates of a file that ask only for these columns.
    ///
    /// # Errors
    /// When a template is not understood.
    pub fn select(text: &str, columns: Columns) -> Result<String, TemplateError> {
        let mut templates = template::read(text)?;
        templates.retain(|template| columns.has(template));
        Ok(template::write(&templates))
    }
}
