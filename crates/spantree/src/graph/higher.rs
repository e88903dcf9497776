//! Parts of several arcs: what a higher-order parser has beside the scores of arcs.
//!
//! A [`Pruner`] leaves a few arcs per word; these are scored as in a first-order parser, and with them their siblings,
//! grandparents or outermost grandchildren (McDonald & Pereira 2006, Carreras 2007, Koo & Collins 2010). The decoder is exact for projective trees; for all
//! trees it is greedy rewiring from the best projective one. For 1-endpoint-crossing trees it is exact too, and crossed arcs have
//! features of their own in place of larger parts (Pitler 2014); only the best few heads of a word by arcs alone are tried
//! for arcs that cross.

use serde::{Deserialize, Serialize};
use spantree_decode::scores::FORBIDDEN;
use spantree_decode::{ArcScores, PartScores};

use super::decoder::{CROSSING_HEADS, Decoder};
use super::pruner::{Candidates, Pruner};
use super::table::{Table, Weight};
use crate::feature::{Atoms, Between, Part, PartKind, PartSides, PartTemplates};

/// Which grandchildren the parts of a higher-order parser include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grandchildren {
    /// Every child with its grandparent.
    #[default]
    All,
    /// The outermost child of a word on each side, or that there is none (Carreras 2007).
    Outermost,
}

/// Pruner and part templates, without their weights.
#[derive(Clone, Debug)]
pub struct HigherOrder {
    /// Which arcs are scored.
    pub pruner: Pruner,
    /// Templates of parts.
    pub templates: PartTemplates,
}

/// Buffers, and the result: the scores of all parts.
#[derive(Clone, Debug, Default)]
pub struct PartScratch {
    /// Sides of part features.
    pub sides: PartSides,
    /// The input of the decoder.
    pub scores: PartScores,
}

impl HigherOrder {
    /// Scores the parts of the candidates that `arcs` allows; the arcs themselves score what `arcs` says, and their labels are
    /// at `child * (n + 1) + head`. Parts that no tree of
    /// the decoder can have are left at zero.
    pub fn score<W: Weight>(
        &self,
        table: Table<'_, W>,
        sentence: (&Atoms, &Between),
        (candidates, arcs, labels): (&Candidates, &ArcScores, &[u16]),
        decoder: Decoder,
        scratch: &mut PartScratch,
    ) {
        let PartScratch { sides, scores } = scratch;
        scores.reset(arcs.words(), |head, child| {
            candidates.contains(head, child) && arcs.is_allowed(head, child)
        });
        scores.fill_arcs(|head, child| arcs.score(head, child));
        self.templates.sides(sentence.0, labels, sides);
        // Where arcs cross, the other decoder sees no parts.
        let projective = decoder != Decoder::Mst;
        let score = |kind: PartKind, part: Part| {
            if !part.is_possible(projective) {
                return 0.0;
            }
            let mut sum = W::Sum::default();
            let part = (part, sides.labels(part));
            self.templates.features(kind, sentence, sides, part, |feature| {
                sum += table.at(table.position(feature));
            });
            table.scale * W::to_f32(sum)
        };
        if self.templates.has(PartKind::Sibling) {
            scores.fill_siblings(|head, inner, child| {
                score(PartKind::Sibling, Part { head, inner, child, ..Part::default() })
            });
        }
        if self.templates.has(PartKind::Grand) {
            scores.fill_grands(|grand, head, child| {
                score(PartKind::Grand, Part { grand, head, child, ..Part::default() })
            });
        }
        if self.templates.has(PartKind::GrandSibling) {
            scores.fill_grand_siblings(|grand, head, inner, child| {
                score(PartKind::GrandSibling, Part { grand, head, inner, child, ..Part::default() })
            });
        }
        if self.templates.has(PartKind::TriSibling) {
            scores.fill_tri_siblings(|head, second, inner, child| {
                let inner = Some(inner);
                score(PartKind::TriSibling, Part { head, second, inner, child, ..Part::default() })
            });
        }
        if decoder == Decoder::OneEndpointCrossing {
            scores.fill_crossed(|head, child| {
                let own = arcs.score(head, child);
                let is_better = |&other: &usize| {
                    candidates.contains(other, child) && arcs.score(other, child) > own
                };
                match (0..=arcs.words()).filter(is_better).nth(CROSSING_HEADS - 1) {
                    Some(_) => FORBIDDEN,
                    None => score(PartKind::Crossed, Part { head, child, ..Part::default() }),
                }
            });
        }
        if [PartKind::First, PartKind::Last].iter().any(|&kind| self.templates.has(kind)) {
            scores.fill_outermost(|head, child, side, below| {
                let part = Part { head, child, below, ..Part::default() };
                score(PartKind::outermost(side), part)
            });
        }
    }
}
