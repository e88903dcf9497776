//! Which arcs are worth scoring: those whose tag pair, direction and distance occur in the training data.
//!
//! A small treebank has gaps, so the distances next to those that occur pass as well: on hu_szeged (20,000 words) this lets
//! 0.4 instead of 0.8 % of the gold arcs of other data go, on en_ewt (200,000 words) there would be nothing to gain.

use spantree_treebank::Sentence;

use super::labels::{LabelFilter, LabelSet};
use crate::feature::{ArcShape, TAG_CLASSES, tag_class};

/// What a parser never tries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Arcs to score.
    pub arcs: ArcFilter,
    /// Labels to score with the arcs.
    pub labels: LabelFilter,
    /// Labels to try on a finished tree: more, because there are fewer arcs and the choice is final.
    pub relabels: LabelFilter,
}

/// Pairs of tags seen less often may get relations never seen with them when a finished tree is labelled.
const TRUSTED: usize = 300;

impl Filters {
    /// What occurs in these trees.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence], labels: &LabelSet) -> Self {
        Self {
            arcs: ArcFilter::from_treebank(sentences),
            labels: LabelFilter::from_treebank(sentences, labels, 1),
            relabels: LabelFilter::from_treebank(sentences, labels, TRUSTED),
        }
    }
}

/// A set of (head tag, child tag, direction and distance).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArcFilter {
    /// One bit per distance code.
    seen: Vec<u16>,
}

impl ArcFilter {
    /// The arcs of these trees.
    #[must_use]
    pub fn from_treebank(sentences: &[Sentence]) -> Self {
        let mut seen = vec![0; TAG_CLASSES * TAG_CLASSES];
        let words: usize = sentences.iter().map(Sentence::len).sum();
        for sent in sentences {
            let tags: Vec<_> =
                std::iter::once(0).chain(sent.words().map(|w| tag_class(w.upos()))).collect();
            for (index, head) in sent.heads().enumerate() {
                let (Some(head), child) = (head, index + 1) else { continue };
                if (head as usize) < tags.len() && head as usize != child {
                    seen[pair(tags[head as usize], tags[child])] |=
                        1 << ArcShape::new(head as usize, child).distance;
                }
            }
        }
        if words < SMALL {
            seen.iter_mut().for_each(|distances| *distances = with_neighbours(*distances));
        }
        Self { seen }
    }

    /// The set as numbers.
    #[must_use]
    pub fn to_words(&self) -> &[u16] {
        &self.seen
    }

    /// The filter that [`to_words`](Self::to_words) came from; `None` when their number is wrong.
    #[must_use]
    pub fn from_words(words: &[u16]) -> Option<Self> {
        (words.len() == TAG_CLASSES * TAG_CLASSES).then(|| Self { seen: words.to_vec() })
    }

    /// Whether such an arc occurred.
    #[inline]
    #[must_use]
    pub fn allows(&self, tags: &[u8], head: usize, child: usize) -> bool {
        self.seen[pair(tags[head], tags[child])] >> ArcShape::new(head, child).distance & 1 == 1
    }
}

/// Treebanks with fewer words have gaps.
const SMALL: usize = 100_000;

/// Adds the distances next to those of a set, in the same direction.
fn with_neighbours(distances: u16) -> u16 {
    let grow = |set: u16| set | set << 1 | set >> 1;
    const RIGHT: u16 = 0b1111_1110;
    grow(distances & RIGHT) & RIGHT | grow(distances & !RIGHT) & !RIGHT & 0x7fff
}

fn pair(head_tag: u8, child_tag: u8) -> usize {
    head_tag as usize * TAG_CLASSES + child_tag as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_seen_pairs_at_seen_distances_pass() {
        let sent = Sentence::from_words(&[
            ("a", "DET", 3, "det"),
            ("b", "ADJ", 3, "amod"),
            ("c", "NOUN", 0, "root"),
        ]);
        let filter = ArcFilter::from_treebank(std::slice::from_ref(&sent));
        let tags = [0, tag_class("DET"), tag_class("ADJ"), tag_class("NOUN")];
        assert!(filter.allows(&tags, 3, 1) && filter.allows(&tags, 0, 3));
        assert!(!filter.allows(&tags, 1, 3), "other direction");
        let closer = [0, tag_class("ADJ"), tag_class("DET"), tag_class("NOUN")];
        assert!(filter.allows(&closer, 3, 2), "the next distance");
        let farther: Vec<u8> = [closer[0], tag_class("ADJ")]
            .into_iter()
            .chain([closer[2]; 3])
            .chain([tag_class("NOUN")])
            .collect();
        assert!(!filter.allows(&farther, 5, 1), "a distance far from those seen");
        assert_eq!(ArcFilter::from_words(filter.to_words()), Some(filter));
        assert_eq!(ArcFilter::from_words(&[1, 2, 3]), None);
    }
}
