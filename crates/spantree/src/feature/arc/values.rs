//! What the arc atoms of templates add to the features of an arc: distance, what lies between, the guide.
//!
//! Many templates share one combination of atoms, so that its side is computed once per arc. Most atoms have few values;
//! the sides of combinations of these are read from a table.

use super::ArcShape;
use crate::feature::DISTANCES;
use crate::feature::atom::{ArcAtom, Atom};
use crate::feature::atoms::{Atoms, Between, COUNTS};
use crate::feature::hash;

/// At most this many different combinations of arc atoms in a template set.
pub(super) const MAX_COMBINATIONS: usize = 16;

/// What each combination of arc atoms adds to the features of one arc.
pub type ArcValues = [u32; MAX_COMBINATIONS];

/// The distinct combinations of single-valued arc atoms.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    /// The first is the empty one, which adds nothing.
    atoms: Vec<Vec<ArcAtom>>,
    /// By distance and counts; see [`row`].
    rows: Vec<ArcValues>,
    /// The combinations that depend on more.
    others: Vec<usize>,
}

impl Default for Combinations {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Combinations {
    /// The empty combination and these.
    pub(super) fn new(atoms: Vec<Vec<ArcAtom>>) -> Self {
        let is_counted =
            |part: &Vec<ArcAtom>| part.iter().all(|&a| counted(a, 1, [0; 3]).is_some());
        let others = (0..atoms.len()).filter(|&index| !is_counted(&atoms[index])).collect();
        let mut rows = vec![[0; MAX_COMBINATIONS]; row(DISTANCES as u32, [0; 3])];
        for distance in 0..DISTANCES as u32 {
            for code in 0..COUNTS.pow(3) {
                let counts = [code / (COUNTS * COUNTS), code / COUNTS % COUNTS, code % COUNTS];
                let values = &mut rows[row(distance, counts)];
                for (value, atoms) in values.iter_mut().zip(&atoms).skip(1) {
                    *value = side(atoms, |atom| counted(atom, distance, counts).unwrap_or(0));
                }
            }
        }
        Self { atoms, rows, others }
    }

    /// The sides on `head → child`, by number of the combination.
    #[inline]
    pub(super) fn values(
        &self,
        (atoms, between): (&Atoms, &Between),
        head: usize,
        child: usize,
    ) -> ArcValues {
        let shape = ArcShape::new(head, child);
        let mut values = self.rows[row(shape.distance, between.counts(head, child))];
        for &index in &self.others {
            values[index] =
                side(&self.atoms[index], |atom| arc_value(atom, atoms, between, head, child));
        }
        values
    }
}

#[inline]
fn side(atoms: &[ArcAtom], value: impl Fn(ArcAtom) -> u64) -> u32 {
    hash::side(atoms.iter().fold(17, |hash, &atom| hash::mix(hash, value(atom))))
}

/// The row of arcs with this distance and with so many verbs, punctuation marks and conjunctions between.
#[inline]
fn row(distance: u32, counts: [u32; 3]) -> usize {
    counts.iter().fold(distance, |row, count| row * COUNTS + count) as usize
}

/// The value of an atom that depends on distance and counts alone.
fn counted(atom: ArcAtom, distance: u32, counts: [u32; 3]) -> Option<u64> {
    match atom {
        ArcAtom::Direction => Some(1 + u64::from(ArcShape::of(distance).leftward)),
        ArcAtom::Distance => Some(distance.into()),
        ArcAtom::Verbs => Some(counts[0].into()),
        ArcAtom::Puncts => Some(counts[1].into()),
        ArcAtom::Conjunctions => Some(counts[2].into()),
        _ => None,
    }
}

/// The value of a single-valued atom.
pub(in crate::feature) fn arc_value(
    atom: ArcAtom,
    atoms: &Atoms,
    between: &Between,
    head: usize,
    child: usize,
) -> u64 {
    match atom {
        ArcAtom::BetweenSet => between.set(head, child).into(),
        ArcAtom::BetweenSequence => sequence(atoms.tags(), head.min(child), head.max(child)),
        ArcAtom::Guide => atoms.guide(head, child),
        _ => counted(atom, ArcShape::new(head, child).distance, between.counts(head, child))
            .unwrap_or(0),
    }
}

/// A hash of (key, whether the values are equal) for every key of FEATS that both tokens have.
pub(in crate::feature) fn agreements(
    atoms: &Atoms,
    head: usize,
    child: usize,
) -> impl Iterator<Item = u64> + '_ {
    let children = atoms.list(Atom::Feat, child);
    atoms.list(Atom::Feat, head).iter().flat_map(move |&(key, value)| {
        let same_key = children.iter().filter(move |other| other.0 == key);
        same_key.map(move |other| hash::mix(u64::from(key), u64::from(value == other.1)))
    })
}

/// The tag classes strictly between, five bits each: all of up to four, else the first two and the last two.
fn sequence(tags: &[u8], from: usize, to: usize) -> u64 {
    let code = |tags: &[u8]| tags.iter().fold(1, |code: u64, &tag| code << 5 | u64::from(tag));
    let between = &tags[from + 1..to];
    match between.len() {
        0..=4 => code(between),
        n => code(&between[..2]) << 32 | code(&between[n - 2..]),
    }
}

#[cfg(test)]
mod tests {
    use spantree_treebank::Sentence;

    use super::*;
    use crate::feature::AtomSet;

    #[test]
    fn tables_hold_the_sides_that_the_atoms_have() {
        let tags = ["VERB", "PUNCT", "CCONJ", "NOUN", "AUX", "PUNCT", "VERB", "CCONJ", "PUNCT"];
        let words: Vec<_> = tags.iter().cycle().take(40).map(|&tag| ("w", tag, 0, "x")).collect();
        let (mut atoms, mut between) = (Atoms::default(), Between::default());
        atoms.fill(&AtomSet::default(), &Sentence::from_words(&words));
        between.fill(atoms.tags());
        use ArcAtom::{
            BetweenSequence, BetweenSet, Conjunctions, Direction, Distance, Puncts, Verbs,
        };
        let lists = [
            vec![],
            vec![Direction],
            vec![Distance],
            vec![Verbs, Puncts, Conjunctions],
            vec![BetweenSet],
            vec![Distance, BetweenSequence],
        ];
        let combinations = Combinations::new(lists.to_vec());
        assert_eq!(combinations.others, [4, 5]);
        for head in 0..=words.len() {
            for child in (1..=words.len()).filter(|&child| child != head) {
                let found = combinations.values((&atoms, &between), head, child);
                for (&found, list) in found.iter().zip(&lists).skip(1) {
                    let value = |atom| arc_value(atom, &atoms, &between, head, child);
                    assert_eq!(found, side(list, value), "{list:?} of {head} -> {child}");
                }
                assert_eq!(found[0], 0, "nothing adds nothing");
            }
        }
    }
}
