//! Features of arcs: templates over head, child and what lies between, compiled for speed.
//!
//! A feature is the sum of a head side, a child side and an arc side (see [`hash`]). [`ArcTemplates::sides`] computes the
//! first two for every token of a sentence; [`ArcTemplates::pair_sums`] then needs an addition per feature of an arc.
//! Templates about one token only are apart ([`ArcTemplates::head_features`], [`ArcTemplates::child_features`]), so that a
//! scorer can sum their weights once per token instead of once per arc.
//!
//! The weights of a feature stand in one group of [`GROUP`] weights, so that its copies cost one cache miss; see
//! [`Copies::places`].

mod values;

use super::atom::{ArcAtom, Atom};
use super::atoms::{AtomSet, Atoms, Between, TAG_CLASSES};
use super::hash;
use super::template::{Copies, Place, Template};
pub use values::ArcValues;
use values::{Combinations, MAX_COMBINATIONS};
pub(super) use values::{agreements, arc_value};

/// Number of weights that a feature owns: bare, rightward, leftward, and one for the copy with a distance.
pub const GROUP: u32 = 4;

impl Copies {
    /// The weights of the copies that fire on an arc: what to add to the feature's sum, and the place in the group found there.
    #[inline]
    pub fn places(self, arc: ArcShape) -> impl Iterator<Item = (u32, u32)> {
        let bare = self.bare.then_some((0, 0));
        let direction = self.direction.then_some((0, 1 + u32::from(arc.leftward)));
        let distance = self.distance.then_some((arc.distance.wrapping_mul(0x85eb_ca6b), 3));
        bare.into_iter().chain(direction).chain(distance)
    }
}

/// Direction and distance of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcShape {
    /// Whether the child is left of its head.
    pub leftward: bool,
    /// 1–7 to the right, 8–14 to the left, by words between: 0, 1, 2, 3, 4, 5–9, more.
    pub distance: u32,
}

/// One more than the largest [`ArcShape::distance`].
pub const DISTANCES: usize = 15;

impl ArcShape {
    /// The shape of `head → child`, two different tokens.
    #[inline]
    #[must_use]
    pub fn new(head: usize, child: usize) -> Self {
        let bucket = match head.abs_diff(child) {
            gap @ 1..=5 => gap as u32,
            0 | 6..=10 => 6,
            _ => 7,
        };
        let leftward = head > child;
        Self { leftward, distance: bucket + if leftward { 7 } else { 0 } }
    }

    /// The shape with this distance.
    #[inline]
    fn of(distance: u32) -> Self {
        Self { leftward: distance > 7, distance }
    }

    /// All shapes.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..DISTANCES as u32).map(Self::of)
    }
}

/// One side of a template: the atoms at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    seed: u64,
    /// Offset and column of the single-valued atoms.
    atoms: Vec<(i8, usize)>,
    list: Option<Atom>,
    used: bool,
}

impl Side {
    pub(super) fn new(template: &Template, place: Place, set: &mut AtomSet) -> Self {
        let mut side = Self { seed: hash::mix(template.seed(), place as u64), ..Self::default() };
        for token in template.tokens.iter().filter(|token| token.place == place) {
            side.used = true;
            if token.atom.is_list() {
                side.list = Some(token.atom);
            } else {
                side.atoms.push((token.offset, set.column(token.atom)));
            }
        }
        side
    }

    pub(super) fn value(&self, atoms: &Atoms, row: usize) -> u32 {
        if !self.used {
            return 0;
        }
        let add =
            |hash, &(offset, column): &(i8, usize)| hash::mix(hash, atoms.at(row, offset, column));
        hash::side(self.atoms.iter().fold(self.seed, add))
    }

    /// The side where the place does not exist.
    pub(super) fn absent(&self) -> u32 {
        if self.used { hash::side(self.seed) } else { 0 }
    }

    /// Calls `found` with what the list atom adds to the sum, once per value; with 0 when there is no list atom.
    #[inline]
    fn each_list_value(&self, atoms: &Atoms, row: usize, mut found: impl FnMut(u32)) {
        match self.list {
            Some(atom) => {
                atoms.list(atom, row).iter().for_each(|pair| found(hash::side(pair.1)));
            }
            None => found(0),
        }
    }
}

/// A template ready for extraction.
#[derive(Clone, Debug)]
struct Compiled {
    head: Side,
    child: Side,
    /// Number of its combination of arc atoms; 0 for none.
    part: usize,
    arc_list: Option<ArcAtom>,
    copies: Copies,
}

/// In which loop a template is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    HeadOnly,
    ChildOnly,
    Pair,
    List,
}

impl Compiled {
    /// Compiles a template; `parts` are the combinations of arc atoms so far.
    fn new(template: &Template, set: &mut AtomSet, parts: &mut Vec<Vec<ArcAtom>>) -> Self {
        let (lists, single): (Vec<ArcAtom>, Vec<ArcAtom>) =
            template.arcs.iter().partition(|atom| atom.is_list());
        let known = parts.iter().position(|part| *part == single);
        let part = known.unwrap_or_else(|| {
            parts.push(single);
            parts.len() - 1
        });
        Self {
            head: Side::new(template, Place::Head, set),
            child: Side::new(template, Place::Child, set),
            part: part.min(MAX_COMBINATIONS - 1),
            arc_list: lists.first().copied(),
            copies: template.copies,
        }
    }

    fn kind(&self) -> Kind {
        match (self.head.used, self.child.used) {
            _ if self.arc_list.is_some()
                || self.head.list.is_some()
                || self.child.list.is_some() =>
            {
                Kind::List
            }
            (true, false) if self.part == 0 => Kind::HeadOnly,
            (false, true) if self.part == 0 => Kind::ChildOnly,
            _ => Kind::Pair,
        }
    }
}

/// A run of pair templates with the same copies and the same arc atoms.
#[derive(Clone, Debug)]
pub struct Run {
    /// Columns of the run.
    pub columns: std::ops::Range<usize>,
    /// Their copies.
    pub copies: Copies,
    part: usize,
}

/// Compiled arc templates.
#[derive(Clone, Debug, Default)]
pub struct ArcTemplates {
    head_only: Vec<Compiled>,
    child_only: Vec<Compiled>,
    /// Sorted, so that [`ArcTemplates::runs`] are few.
    pairs: Vec<Compiled>,
    lists: Vec<Compiled>,
    runs: Vec<Run>,
    combinations: Combinations,
    tag_sides: Vec<u32>,
}

/// The sides of every token of a sentence, row by row.
#[derive(Clone, Debug, Default)]
pub struct ArcSides {
    head_only: Vec<u32>,
    child_only: Vec<u32>,
    pair_head: Vec<u32>,
    pair_child: Vec<u32>,
    list_head: Vec<u32>,
    list_child: Vec<u32>,
}

/// One feature: the sum of its sides, and the copies that fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcFeature {
    /// Sum of sides.
    pub sum: u32,
    /// Copies.
    pub copies: Copies,
}

impl ArcTemplates {
    /// Compiles templates; those that look at other places than head and child are left out.
    #[must_use]
    pub fn new(templates: &[Template], set: &mut AtomSet) -> Self {
        let mut all = Self::default();
        let mut parts = vec![Vec::new()];
        all.tag_sides =
            (0..TAG_CLASSES as u64).map(|class| hash::side(hash::mix(7, class))).collect();
        let usable =
            |t: &&Template| t.tokens.iter().all(|t| matches!(t.place, Place::Head | Place::Child));
        for template in templates.iter().filter(usable) {
            let compiled = Compiled::new(template, set, &mut parts);
            match compiled.kind() {
                Kind::HeadOnly => all.head_only.push(compiled),
                Kind::ChildOnly => all.child_only.push(compiled),
                Kind::Pair => all.pairs.push(compiled),
                Kind::List => all.lists.push(compiled),
            }
        }
        all.pairs.sort_by_key(|pair| (pair.copies, pair.part));
        for (column, &Compiled { copies, part, .. }) in all.pairs.iter().enumerate() {
            match all.runs.last_mut() {
                Some(run) if run.copies == copies && run.part == part => {
                    run.columns.end = column + 1;
                }
                _ => all.runs.push(Run { columns: column..column + 1, copies, part }),
            }
        }
        all.combinations = Combinations::new(parts);
        all
    }

    /// Number of templates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head_only.len() + self.child_only.len() + self.pairs.len() + self.lists.len()
    }

    /// Whether there is no template.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes the sides of a sentence.
    pub fn sides(&self, atoms: &Atoms, sides: &mut ArcSides) {
        let fill = |rows: &mut Vec<u32>, templates: &[Compiled], side: fn(&Compiled) -> &Side| {
            rows.clear();
            rows.resize((atoms.len() + 1) * templates.len(), 0);
            for (column, template) in templates.iter().enumerate() {
                let side = side(template);
                let values = rows[column..].iter_mut().step_by(templates.len());
                values.enumerate().for_each(|(row, value)| *value = side.value(atoms, row));
            }
        };
        fill(&mut sides.head_only, &self.head_only, |t| &t.head);
        fill(&mut sides.child_only, &self.child_only, |t| &t.child);
        fill(&mut sides.pair_head, &self.pairs, |t| &t.head);
        fill(&mut sides.pair_child, &self.pairs, |t| &t.child);
        fill(&mut sides.list_head, &self.lists, |t| &t.head);
        fill(&mut sides.list_child, &self.lists, |t| &t.child);
    }

    /// The features that depend on the head alone.
    pub fn head_features<'a>(
        &'a self,
        sides: &'a ArcSides,
        head: usize,
    ) -> impl Iterator<Item = ArcFeature> + Clone + 'a {
        row(&self.head_only, &sides.head_only, head)
    }

    /// The features that depend on the child alone.
    pub fn child_features<'a>(
        &'a self,
        sides: &'a ArcSides,
        child: usize,
    ) -> impl Iterator<Item = ArcFeature> + Clone + 'a {
        row(&self.child_only, &sides.child_only, child)
    }

    /// Whether every template has exactly the copies `bare` and `direction`.
    #[must_use]
    pub fn follow_direction_only(&self) -> bool {
        let wanted = Copies { bare: true, direction: true, distance: false };
        let mut all =
            [&self.head_only, &self.child_only, &self.pairs, &self.lists].into_iter().flatten();
        all.all(|template| template.copies == wanted)
    }

    /// The runs of columns of [`ArcTemplates::pair_sums`].
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What the arc atoms add to the features of an arc.
    #[inline]
    #[must_use]
    pub fn arc_values(&self, sentence: (&Atoms, &Between), head: usize, child: usize) -> ArcValues {
        self.combinations.values(sentence, head, child)
    }

    /// Writes the sums of the single-valued features of an arc to `sums`, in the columns of [`ArcTemplates::runs`].
    #[inline]
    pub fn pair_sums(
        &self,
        values: &ArcValues,
        sides: &ArcSides,
        (head, child): (usize, usize),
        sums: &mut Vec<u32>,
    ) {
        let (heads, children) = self.pair_sides(sides, head, child);
        sums.resize(self.pairs.len(), 0);
        for ((sum, head), child) in sums.iter_mut().zip(heads).zip(children) {
            *sum = head.wrapping_add(*child);
        }
        for run in self.runs.iter().filter(|run| run.part > 0) {
            let value = values[run.part];
            sums[run.columns.clone()].iter_mut().for_each(|sum| *sum = sum.wrapping_add(value));
        }
    }

    fn pair_sides<'a>(
        &self,
        sides: &'a ArcSides,
        head: usize,
        child: usize,
    ) -> (&'a [u32], &'a [u32]) {
        let width = self.pairs.len();
        (&sides.pair_head[head * width..][..width], &sides.pair_child[child * width..][..width])
    }

    /// Calls `found` with the features of an arc that come from lists: tags between, pairs of FEATS, agreement.
    #[inline]
    pub fn list_features(
        &self,
        (atoms, between): (&Atoms, &Between),
        values: &ArcValues,
        sides: &ArcSides,
        (head, child): (usize, usize),
        mut found: impl FnMut(ArcFeature),
    ) {
        let width = self.lists.len();
        let heads = &sides.list_head[head * width..][..width];
        let children = &sides.list_child[child * width..][..width];
        for ((template, head_side), child_side) in self.lists.iter().zip(heads).zip(children) {
            let sum = head_side.wrapping_add(*child_side).wrapping_add(values[template.part]);
            let mut add = |value: u32| {
                found(ArcFeature { sum: sum.wrapping_add(value), copies: template.copies });
            };
            match template.arc_list {
                Some(ArcAtom::Between) => {
                    set_bits(between.set(head, child)).for_each(|tag| add(self.tag_sides[tag]));
                }
                Some(_) => agreements(atoms, head, child).for_each(|agree| add(hash::side(agree))),
                None => template.head.each_list_value(atoms, head, |a| {
                    // Child values are turned so that a → b and b → a differ.
                    template
                        .child
                        .each_list_value(atoms, child, |b| add(a.wrapping_add(b.rotate_left(13))));
                }),
            }
        }
    }

    /// Calls `found` with every feature of an arc: of the head, of the child, of both, of lists.
    pub fn features(
        &self,
        sentence: (&Atoms, &Between),
        sides: &ArcSides,
        (head, child): (usize, usize),
        mut found: impl FnMut(ArcFeature),
    ) {
        self.head_features(sides, head).for_each(&mut found);
        self.child_features(sides, child).for_each(&mut found);
        let values = self.arc_values(sentence, head, child);
        let (heads, children) = self.pair_sides(sides, head, child);
        for ((pair, head), child) in self.pairs.iter().zip(heads).zip(children) {
            let sum = head.wrapping_add(*child).wrapping_add(values[pair.part]);
            found(ArcFeature { sum, copies: pair.copies });
        }
        self.list_features(sentence, &values, sides, (head, child), found);
    }
}

fn row<'a>(
    templates: &'a [Compiled],
    sums: &'a [u32],
    row: usize,
) -> impl Iterator<Item = ArcFeature> + Clone + 'a {
    let sums = &sums[row * templates.len()..][..templates.len()];
    sums.iter().zip(templates).map(|(&sum, template)| ArcFeature { sum, copies: template.copies })
}

fn set_bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}
