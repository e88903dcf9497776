//! A parser without its weights: templates, labels, filters and decoder, ready to score.
//!
//! Built by training from a treebank and by [`Parser`](super::Parser) from a model file; the same engine runs in both.

use super::cube::CubeWidth;
use super::decoder::Decoder;
use super::filter::Filters;
use super::higher::HigherOrder;
use super::labels::LabelSet;
use super::pruner::{Pruner, Pruning};
use super::relabel::Relabeller;
use super::scorer::ArcScorer;
use crate::feature::{
    ArcTemplates, AtomSet, PartTemplates, TemplateError, TreeTemplates, template,
};
use crate::graph::TemplateTexts;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Engine {
    /// The atoms that the templates ask for.
    pub atoms: AtomSet,
    /// Arcs and joint labels.
    pub scorer: ArcScorer,
    /// Labels of a finished tree.
    pub relabeller: Relabeller,
    /// The relations.
    pub labels: LabelSet,
    /// The search space.
    pub decoder: Decoder,
    /// Parts of several arcs; `None` for a first-order parser.
    pub higher: Option<HigherOrder>,
    /// How wide [`Decoder::Cube`] searches.
    pub cube: CubeWidth,
    /// Whether the tree of the most likely arcs is wanted rather than the most likely tree; for projective trees with parts.
    pub minimum_risk: bool,
}

impl Engine {
    /// Compiles the templates.
    ///
    /// # Errors
    /// When a template is not understood.
    pub fn new(
        templates: &TemplateTexts,
        labels: LabelSet,
        filters: Filters,
        decoder: Decoder,
        (pruning, cube): (Pruning, CubeWidth),
    ) -> Result<Self, TemplateError> {
        let mut atoms = AtomSet::default();
        let arcs = ArcTemplates::new(&template::read(&templates.arc)?, &mut atoms);
        let joint = ArcTemplates::new(&template::read(&templates.label)?, &mut atoms);
        let tree = TreeTemplates::new(&template::read(&templates.relabel)?, &mut atoms);
        let scorer = ArcScorer {
            arcs,
            labels: joint,
            label_filter: filters.labels,
            arc_filter: filters.arcs,
            label_count: labels.len(),
        };
        let higher = match templates.part.is_empty() {
            true => None,
            false => Some(HigherOrder {
                templates: PartTemplates::new(&template::read(&templates.part)?, &mut atoms),
                pruner: Pruner {
                    scorer: ArcScorer {
                        arcs: ArcTemplates::new(&template::read(&templates.pruner)?, &mut atoms),
                        labels: ArcTemplates::default(),
                        label_count: 0,
                        ..scorer.clone()
                    },
                    pruning,
                },
            }),
        };
        Ok(Self {
            atoms,
            scorer,
            higher,
            relabeller: Relabeller::new(tree, filters.relabels),
            labels,
            decoder,
            cube,
            minimum_risk: false,
        })
    }
}
