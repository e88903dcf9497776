//! Features of arcs: templates over head, child and what lies between, compiled for speed.
//!
//! A feature is the sum of a head side, a child side and an arc side (see [`hash`]). [`ArcTemplates::sides`] computes the
//! first two for every token of a sentence; [`ArcTemplates::pair_features`] then needs an addition per feature of an arc.
//! Templates about one token only are apart ([`ArcTemplates::head_features`], [`ArcTemplates::child_features`]), so that a
//! scorer can sum their weights once per token instead of once per arc.
//!
//! The weights of a feature stand in one group of [`GROUP`] weights, so that its copies cost one cache miss; see
//! [`Copies::places`].

use super::atom::{ArcAtom, Atom};
use super::atoms::{AtomSet, Atoms, Between, TAG_CLASSES};
use super::hash;
use super::template::{Copies, Place, Template};

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

    /// All shapes.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..DISTANCES as u32).map(|distance| Self { leftward: distance > 7, distance })
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

    /// What the list atom adds to the sum, once per value; 0 when there is no list atom.
    fn list_values<'a>(&self, atoms: &'a Atoms, row: usize) -> impl Iterator<Item = u32> + 'a {
        let plain = self.list.is_none().then_some(0);
        let list = self.list.map_or(&[][..], |atom| atoms.list(atom, row));
        plain.into_iter().chain(list.iter().map(|pair| hash::side(pair.1)))
    }
}

/// A template ready for extraction.
#[derive(Clone, Debug)]
struct Compiled {
    head: Side,
    child: Side,
    /// Index into [`ArcTemplates::arc_parts`].
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
    /// The distinct combinations of single-valued arc atoms; the first is the empty one.
    arc_parts: Vec<Vec<ArcAtom>>,
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

/// At most this many different combinations of arc atoms in a template set.
const MAX_PARTS: usize = 16;

impl ArcTemplates {
    /// Compiles templates; those that look at other places than head and child are left out.
    #[must_use]
    pub fn new(templates: &[Template], set: &mut AtomSet) -> Self {
        let mut all = Self { arc_parts: vec![Vec::new()], ..Self::default() };
        all.tag_sides =
            (0..TAG_CLASSES as u64).map(|class| hash::side(hash::mix(7, class))).collect();
        let usable =
            |t: &&Template| t.tokens.iter().all(|t| matches!(t.place, Place::Head | Place::Child));
        for template in templates.iter().filter(usable) {
            let compiled = all.compile(template, set);
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
        all
    }

    fn compile(&mut self, template: &Template, set: &mut AtomSet) -> Compiled {
        let (lists, single): (Vec<ArcAtom>, Vec<ArcAtom>) =
            template.arcs.iter().partition(|atom| atom.is_list());
        let known = self.arc_parts.iter().position(|part| *part == single);
        let part = known.unwrap_or_else(|| {
            self.arc_parts.push(single);
            self.arc_parts.len() - 1
        });
        Compiled {
            head: Side::new(template, Place::Head, set),
            child: Side::new(template, Place::Child, set),
            part: part.min(MAX_PARTS - 1),
            arc_list: lists.first().copied(),
            copies: template.copies,
        }
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
        let fill = |column: &mut Vec<u32>, templates: &[Compiled], side: fn(&Compiled) -> &Side| {
            column.clear();
            for row in 0..=atoms.len() {
                column.extend(templates.iter().map(|template| side(template).value(atoms, row)));
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

    /// Writes the sums of the single-valued features of an arc to `sums`, in the columns of [`ArcTemplates::runs`].
    #[inline]
    pub fn pair_sums(
        &self,
        atoms: &Atoms,
        between: &Between,
        sides: &ArcSides,
        head: usize,
        child: usize,
        sums: &mut Vec<u32>,
    ) {
        let width = self.pairs.len();
        let heads = &sides.pair_head[head * width..][..width];
        let children = &sides.pair_child[child * width..][..width];
        let mut parts = [0u32; MAX_PARTS];
        self.part_values(atoms, between, head, child, &mut parts);
        sums.clear();
        for run in &self.runs {
            let sides = heads[run.columns.clone()].iter().zip(&children[run.columns.clone()]);
            let part = parts[run.part];
            sums.extend(sides.map(|(head, child)| head.wrapping_add(*child).wrapping_add(part)));
        }
    }

    /// Calls `found` with the features of an arc that come from lists: tags between, pairs of FEATS, agreement.
    pub fn list_features(
        &self,
        atoms: &Atoms,
        between: &Between,
        sides: &ArcSides,
        (head, child): (usize, usize),
        mut found: impl FnMut(ArcFeature),
    ) {
        let width = self.lists.len();
        let mut parts = [0u32; MAX_PARTS];
        if self.lists.iter().any(|template| template.part > 0) {
            self.part_values(atoms, between, head, child, &mut parts);
        }
        for (column, template) in self.lists.iter().enumerate() {
            let sum = sides.list_head[head * width + column]
                .wrapping_add(sides.list_child[child * width + column]);
            let sum = sum.wrapping_add(parts[template.part]);
            let mut add = |value: u32| {
                found(ArcFeature { sum: sum.wrapping_add(value), copies: template.copies });
            };
            match template.arc_list {
                Some(ArcAtom::Between) => {
                    set_bits(between.set(head, child)).for_each(|tag| add(self.tag_sides[tag]));
                }
                Some(_) => agreements(atoms, head, child).for_each(|agree| add(hash::side(agree))),
                None => {
                    for a in template.head.list_values(atoms, head) {
                        // Child values are turned so that a → b and b → a differ.
                        template
                            .child
                            .list_values(atoms, child)
                            .for_each(|b| add(a.wrapping_add(b.rotate_left(13))));
                    }
                }
            }
        }
    }

    /// Calls `found` with every feature of an arc: what the four methods above give, one after the other.
    pub fn features(
        &self,
        atoms: &Atoms,
        between: &Between,
        sides: &ArcSides,
        (head, child): (usize, usize),
        mut found: impl FnMut(ArcFeature),
    ) {
        self.head_features(sides, head).for_each(&mut found);
        self.child_features(sides, child).for_each(&mut found);
        let mut sums = Vec::with_capacity(self.pairs.len());
        self.pair_sums(atoms, between, sides, head, child, &mut sums);
        sums.iter()
            .zip(&self.pairs)
            .for_each(|(&sum, pair)| found(ArcFeature { sum, copies: pair.copies }));
        self.list_features(atoms, between, sides, (head, child), found);
    }

    fn part_values(
        &self,
        atoms: &Atoms,
        between: &Between,
        head: usize,
        child: usize,
        parts: &mut [u32; MAX_PARTS],
    ) {
        for (part, value) in self.arc_parts.iter().zip(parts.iter_mut()).skip(1) {
            let add = |hash, &atom: &ArcAtom| {
                hash::mix(hash, arc_value(atom, atoms, between, head, child))
            };
            *value = hash::side(part.iter().fold(17, add));
        }
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

/// A hash of (key, whether the values are equal) for every key of FEATS that both tokens have.
pub(super) fn agreements(
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

pub(super) fn arc_value(
    atom: ArcAtom,
    atoms: &Atoms,
    between: &Between,
    head: usize,
    child: usize,
) -> u64 {
    match atom {
        ArcAtom::Direction => 1 + u64::from(head > child),
        ArcAtom::Distance => ArcShape::new(head, child).distance.into(),
        ArcAtom::BetweenSet => between.set(head, child).into(),
        ArcAtom::BetweenSequence => sequence(atoms.tags(), head.min(child), head.max(child)),
        ArcAtom::Verbs => between.count(0, head, child).into(),
        ArcAtom::Puncts => between.count(1, head, child).into(),
        ArcAtom::Conjunctions => between.count(2, head, child).into(),
        ArcAtom::Guide => atoms.guide(head, child),
        ArcAtom::Between | ArcAtom::Agree => 0,
    }
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
