//! Features of arcs inside a tree: templates that also look at grandparent, siblings and children.
//!
//! Used by the labelling stage, once per word and not once per arc, so sides are computed on the fly. A place that does not
//! exist (no left sibling …) has a value of its own. Copies are `bare` and `direction`; `distance` counts as `direction`.

use super::arc::arc_value;
use super::atom::{ArcAtom, Atom};
use super::atoms::{AtomSet, Atoms, Between};
use super::hash;
use super::template::{Copies, Place, Template};

/// The atoms of a template at one place.
#[derive(Clone, Debug)]
struct Side {
    place: Place,
    seed: u64,
    atoms: Vec<(i8, usize)>,
    list: Option<Atom>,
}

#[derive(Clone, Debug)]
struct Compiled {
    /// Places with one value.
    single: Vec<Side>,
    /// At most one place with several values.
    many: Option<Side>,
    arcs: Vec<ArcAtom>,
    arc_list: bool,
    copies: Copies,
}

/// Templates compiled for labelling a finished tree.
#[derive(Clone, Debug, Default)]
pub struct TreeTemplates {
    templates: Vec<Compiled>,
}

/// Head, siblings and children of every word of a tree. "There is none" is the number after the last word.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    heads: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Neighbours {
    /// Reads the heads of the words `1..=n`, each at most `n`.
    pub fn fill(&mut self, heads: &[u32]) {
        let none = heads.len() as u32 + 1;
        self.heads.clear();
        self.heads.push(none);
        self.heads.extend_from_slice(heads);
        for list in [&mut self.left, &mut self.right, &mut self.first, &mut self.last] {
            list.clear();
            list.resize(heads.len() + 1, none);
        }
        for word in 1..=heads.len() {
            let head = heads[word - 1] as usize;
            let previous = self.last[head];
            if previous == none {
                self.first[head] = word as u32;
            } else {
                self.left[word] = previous;
                self.right[previous as usize] = word as u32;
            }
            self.last[head] = word as u32;
        }
    }

    /// The head of a word.
    #[must_use]
    pub fn head(&self, word: usize) -> usize {
        self.heads[word] as usize
    }

    /// The children of a vertex, from left to right.
    pub fn children(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.some(self.first[vertex]), |&child| self.right_sibling(child))
    }

    /// The nearest sibling to the left.
    #[must_use]
    pub fn left_sibling(&self, word: usize) -> Option<usize> {
        self.some(self.left[word])
    }

    /// The nearest sibling to the right.
    #[must_use]
    pub fn right_sibling(&self, word: usize) -> Option<usize> {
        self.some(self.right[word])
    }

    fn some(&self, vertex: u32) -> Option<usize> {
        Some(vertex as usize).filter(|&vertex| vertex < self.heads.len())
    }

    /// The nearest sibling between a word and its head.
    fn inner(&self, word: usize) -> u32 {
        let head = self.heads[word];
        let (near, between) = match head < word as u32 {
            true => (self.left[word], head..word as u32),
            false => (self.right[word], word as u32..head),
        };
        if between.contains(&near) { near } else { self.heads.len() as u32 }
    }

    /// The row of a place with one token; the number after the last word when there is none.
    fn row(&self, place: Place, word: usize) -> usize {
        let row = match place {
            Place::Head => self.heads[word],
            Place::Child => word as u32,
            Place::Grand => self.heads[self.heads[word] as usize],
            Place::Left => self.left[word],
            Place::Right => self.right[word],
            Place::First => self.first[word],
            Place::Last => self.last[word],
            Place::Inner => self.inner(word),
            Place::Second => match self.inner(word) as usize {
                inner if inner < self.heads.len() => self.inner(inner),
                none => none as u32,
            },
            Place::Below | Place::Sibling => self.heads.len() as u32,
        };
        row as usize
    }
}

impl TreeTemplates {
    /// Compiles templates.
    #[must_use]
    pub fn new(templates: &[Template], set: &mut AtomSet) -> Self {
        Self { templates: templates.iter().map(|template| Compiled::new(template, set)).collect() }
    }

    /// Calls `found` with the sum of sides of every feature of the arc into `word`.
    pub fn features(
        &self,
        atoms: &Atoms,
        between: &Between,
        tree: &Neighbours,
        word: usize,
        mut found: impl FnMut(u32),
    ) {
        let head = tree.head(word);
        let turn = super::direction_side(head > word);
        for template in &self.templates {
            let add = |hash, &atom: &ArcAtom| {
                hash::mix(hash, arc_value(atom, atoms, between, head, word))
            };
            let mut sum = hash::side(template.arcs.iter().fold(17, add));
            for side in &template.single {
                sum = sum.wrapping_add(side.value(atoms, tree.row(side.place, word)));
            }
            template.each_value(atoms, tree, word, |value| {
                if template.copies.bare {
                    found(sum.wrapping_add(value));
                }
                if template.copies.direction || template.copies.distance {
                    found(sum.wrapping_add(value).wrapping_add(turn));
                }
            });
        }
    }
}

impl Compiled {
    fn new(template: &Template, set: &mut AtomSet) -> Self {
        let sides = Place::ALL.iter().filter_map(|&place| Side::new(template, place, set));
        let (many, single): (Vec<_>, Vec<_>) = sides.partition(Side::is_many);
        Self {
            single,
            many: many.into_iter().next(),
            arcs: template.arcs.iter().copied().filter(|atom| !atom.is_list()).collect(),
            arc_list: template.arcs.iter().any(|atom| atom.is_list()),
            copies: template.copies,
        }
    }

    /// Calls `found` with what each value of the list-valued part adds to the sum.
    fn each_value(
        &self,
        atoms: &Atoms,
        tree: &Neighbours,
        word: usize,
        mut found: impl FnMut(u32),
    ) {
        if self.arc_list {
            return super::arc::agreements(atoms, tree.head(word), word)
                .for_each(|agree| found(hash::side(agree)));
        }
        let Some(side) = &self.many else { return found(0) };
        let mut each_row = |row: usize, turn: u32| {
            let value = side.value(atoms, row).wrapping_add(turn);
            match side.list {
                Some(atom) => atoms
                    .list(atom, row)
                    .iter()
                    .for_each(|pair| found(value.wrapping_add(hash::side(pair.1)))),
                None => found(value),
            }
        };
        match side.place {
            Place::Below => tree.children(word).for_each(|child| each_row(child, 0)),
            Place::Sibling => {
                let siblings = tree.children(tree.head(word)).filter(|&sibling| sibling != word);
                siblings
                    .for_each(|sibling| each_row(sibling, super::direction_side(sibling < word)));
            }
            place => {
                let row = tree.row(place, word);
                if row <= atoms.len() {
                    each_row(row, 0);
                }
            }
        }
    }
}

impl Side {
    fn new(template: &Template, place: Place, set: &mut AtomSet) -> Option<Self> {
        let seed = hash::mix(template.seed(), place as u64);
        let mut side = Self { place, seed, atoms: Vec::new(), list: None };
        let mut used = false;
        for token in template.tokens.iter().filter(|token| token.place == place) {
            used = true;
            if token.atom.is_list() {
                side.list = Some(token.atom);
            } else {
                side.atoms.push((token.offset, set.column(token.atom)));
            }
        }
        used.then_some(side)
    }

    fn is_many(&self) -> bool {
        self.list.is_some() || matches!(self.place, Place::Below | Place::Sibling)
    }

    fn value(&self, atoms: &Atoms, row: usize) -> u32 {
        if row > atoms.len() {
            return hash::side(self.seed);
        }
        let add =
            |hash, &(offset, column): &(i8, usize)| hash::mix(hash, atoms.at(row, offset, column));
        hash::side(self.atoms.iter().fold(self.seed, add))
    }
}
