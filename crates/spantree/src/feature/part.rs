//! Features of parts that span several arcs: head and child with siblings between them, the grandparent, or the child's own
//! outermost children; and of arcs that another one crosses.
//!
//! The templates are those of one file; the places that a template looks at say which part it is about. As with arcs, a
//! feature is a sum of sides, one per place, computed once per token; every feature is joined with the shape of its part
//! (directions, and whether the arcs cross), whatever the copies of the template. Arc atoms look at two words that are no
//! neighbours in the tree: inner sibling and child, grandparent and child, or head and outermost child. A place that does not exist
//! has a value of its own, and `agree` is one value here: the keys in which the two words agree and in which they do not. Labels
//! are those that arcs have when scored one by one, so that they are known before any tree is. Templates with list atoms are left out.

use spantree_decode::Side as WordSide;

use super::arc::{Side, arc_value};
use super::atom::ArcAtom;
use super::atoms::{AtomSet, Atoms, Between};
use super::hash;
use super::template::{Place, Template};

/// Some words around an arc `head → child`; which of them count depends on the [kind](PartKind).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The head of the head; `None` for the root.
    pub grand: Option<usize>,
    /// The head.
    pub head: usize,
    /// The nearest sibling between head and inner sibling.
    pub second: Option<usize>,
    /// The nearest sibling between head and child.
    pub inner: Option<usize>,
    /// The child.
    pub child: usize,
    /// The child's outermost child on the side that the kind says.
    pub below: Option<usize>,
}

impl Part {
    /// The part of one kind that `child` has in a tree, given as the heads of its words.
    #[must_use]
    pub fn of(heads: &[u32], child: usize, kind: PartKind) -> Self {
        let head = heads[child - 1] as usize;
        let is_below = |top: usize| move |&word: &usize| heads[word - 1] as usize == top;
        let inner_of = |child: usize| match head < child {
            true => (head + 1..child).rev().find(is_below(head)),
            false => (child + 1..head).find(is_below(head)),
        };
        let inner = inner_of(child);
        let part = Self {
            grand: (head > 0).then(|| heads[head - 1] as usize),
            head,
            second: inner.and_then(inner_of),
            inner,
            child,
            below: match kind {
                PartKind::First => (1..child).find(is_below(child)),
                PartKind::Last => (child + 1..=heads.len()).rev().find(is_below(child)),
                _ => None,
            },
        };
        part.seen_by(kind)
    }

    /// Whether a tree can have the part; in a projective one no arc passes over the head of its head.
    #[inline]
    #[must_use]
    pub fn is_possible(self, projective: bool) -> bool {
        let passes = |from: usize, to: usize, word| (from.min(to)..from.max(to)).contains(&word);
        let below = |grand: usize, head: usize, child: usize| {
            grand != child && !(projective && passes(head, child, grand))
        };
        self.grand.is_none_or(|grand| below(grand, self.head, self.child))
            && self.below.is_none_or(|word| below(self.head, self.child, word))
    }

    /// What a kind of template can see of the part.
    #[must_use]
    pub fn seen_by(self, kind: PartKind) -> Self {
        let sees = |place| kind.others().contains(&place);
        Self {
            grand: self.grand.filter(|_| sees(Place::Grand)),
            second: self.second.filter(|_| sees(Place::Second)),
            inner: self.inner.filter(|_| sees(Place::Inner)),
            below: self.below.filter(|_| sees(Place::First) || sees(Place::Last)),
            ..self
        }
    }

    /// The word at a place beside head and child.
    #[inline]
    fn word(self, place: Place) -> Option<usize> {
        match place {
            Place::Grand => self.grand,
            Place::Second => self.second,
            Place::Inner => self.inner,
            _ => self.below,
        }
    }
}

/// Which words of a [`Part`] a template is about, beside head and child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The inner sibling.
    Sibling,
    /// The grandparent.
    Grand,
    /// Grandparent and inner sibling.
    GrandSibling,
    /// Two siblings between head and child. Exists where there is an inner one.
    TriSibling,
    /// The leftmost child of the child.
    First,
    /// The rightmost child of the child.
    Last,
    /// Nothing: the arc is crossed by another one, and the decoder knows it.
    Crossed,
}

/// Number of kinds.
const KINDS: usize = PartKind::ALL.len();

impl PartKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Sibling,
        Self::Grand,
        Self::GrandSibling,
        Self::TriSibling,
        Self::First,
        Self::Last,
        Self::Crossed,
    ];

    /// The kind for outermost children on one side.
    #[must_use]
    pub fn outermost(side: WordSide) -> Self {
        match side {
            WordSide::Left => Self::First,
            WordSide::Right => Self::Last,
        }
    }

    /// The places that the templates of the kind look at, beside head and child.
    #[inline]
    fn others(self) -> &'static [Place] {
        match self {
            Self::Sibling => &[Place::Inner],
            Self::Grand => &[Place::Grand],
            Self::GrandSibling => &[Place::Grand, Place::Inner],
            Self::TriSibling => &[Place::Second, Place::Inner],
            Self::First => &[Place::First],
            Self::Last => &[Place::Last],
            Self::Crossed => &[],
        }
    }

    /// Whether a tree has something of this kind at a part.
    #[must_use]
    pub fn applies_to(self, part: Part) -> bool {
        self != Self::TriSibling || part.inner.is_some()
    }

    /// The kind of a template; `None` if it is about something else.
    fn of(template: &Template) -> Option<Self> {
        let looks_at = |place| template.tokens.iter().any(|token| token.place == place);
        let has_list = template.tokens.iter().any(|token| token.atom.is_list())
            || template.arcs.iter().any(|&atom| atom.is_list() && atom != ArcAtom::Agree);
        Self::ALL.into_iter().filter(|_| !has_list).find(|kind| {
            let sees = |place| kind.others().contains(&place);
            let is_end = |place| place == Place::Head || place == Place::Child;
            Place::ALL.into_iter().all(|place| looks_at(place) == sees(place) || is_end(place))
        })
    }
}

/// The templates of one kind of part.
#[derive(Clone, Debug, Default)]
struct Group {
    templates: Vec<Compiled>,
    /// By template: all bits where it looks at labels or at valency, else none.
    labels: Vec<u32>,
    valency: Vec<u32>,
    /// The templates with arc atoms.
    with_arcs: Vec<usize>,
}

impl Group {
    fn push(&mut self, template: Compiled) {
        let bits = |looks: bool| if looks { u32::MAX } else { 0 };
        self.labels.push(bits(template.labels));
        self.valency.push(bits(template.valency));
        if !template.arcs.is_empty() {
            self.with_arcs.push(self.templates.len());
        }
        self.templates.push(template);
    }
}

#[derive(Clone, Debug)]
struct Compiled {
    /// Of the head, the child and the [other places](PartKind::others) of the kind.
    sides: Vec<Side>,
    /// Without labels and valency.
    arcs: Vec<ArcAtom>,
    labels: bool,
    valency: bool,
}

impl Compiled {
    fn new(kind: PartKind, template: &Template, set: &mut AtomSet) -> Self {
        let is_known_later = |atom: &ArcAtom| matches!(atom, ArcAtom::Labels | ArcAtom::Valency);
        let arcs = template.arcs.iter().copied();
        let places = [Place::Head, Place::Child].iter().chain(kind.others());
        Self {
            sides: places.map(|&place| Side::new(template, place, set)).collect(),
            arcs: arcs.filter(|atom| !is_known_later(atom)).collect(),
            labels: template.arcs.contains(&ArcAtom::Labels),
            valency: template.arcs.contains(&ArcAtom::Valency),
        }
    }
}

/// Most places of a kind.
const PLACES: usize = 4;

/// Compiled templates of parts.
#[derive(Clone, Debug, Default)]
pub struct PartTemplates {
    groups: [Group; KINDS],
}

/// The sides of every token of a sentence for [`PartTemplates`].
#[derive(Clone, Debug, Default)]
pub struct PartSides {
    /// By kind and place, as in [`Compiled::sides`]: rows of tokens, the last row for a place that does not exist.
    values: [[Vec<u32>; PLACES]; KINDS],
    /// The label of each arc, at `child * width + head`.
    labels: Vec<u16>,
    width: usize,
}

impl PartTemplates {
    /// Compiles templates; those that are not about parts are left out.
    #[must_use]
    pub fn new(templates: &[Template], set: &mut AtomSet) -> Self {
        let mut all = Self::default();
        for template in templates {
            if let Some(kind) = PartKind::of(template) {
                all.groups[kind as usize].push(Compiled::new(kind, template, set));
            }
        }
        all
    }

    /// Whether a template looks at the number of modifiers.
    #[must_use]
    pub fn see_valency(&self) -> bool {
        self.groups.iter().flat_map(|group| &group.templates).any(|template| template.valency)
    }

    /// Whether there is a template of this kind.
    #[must_use]
    pub fn has(&self, kind: PartKind) -> bool {
        !self.groups[kind as usize].templates.is_empty()
    }

    /// Computes the sides of a sentence whose arcs have these labels, at `child * (n + 1) + head`.
    pub fn sides(&self, atoms: &Atoms, labels: &[u16], sides: &mut PartSides) {
        sides.labels.clear();
        sides.labels.extend_from_slice(labels);
        sides.width = atoms.len() + 1;
        for (group, values) in self.groups.iter().zip(&mut sides.values) {
            let places = group.templates.first().map_or(0, |template| template.sides.len());
            for (place, rows) in values.iter_mut().enumerate().take(places) {
                rows.clear();
                for row in 0..=atoms.len() {
                    rows.extend(group.templates.iter().map(|t| t.sides[place].value(atoms, row)));
                }
                rows.extend(group.templates.iter().map(|t| t.sides[place].absent()));
            }
        }
    }

    /// Calls `found` with the sum of sides of every feature of one kind on a part.
    #[inline]
    pub fn features(
        &self,
        kind: PartKind,
        (atoms, between): (&Atoms, &Between),
        sides: &PartSides,
        (part, labels): (Part, PartLabels),
        mut found: impl FnMut(u32),
    ) {
        let group = &self.groups[kind as usize];
        let width = group.templates.len();
        let row = |place: usize, word: Option<usize>| {
            let word = word.unwrap_or(atoms.len() + 1);
            &sides.values[kind as usize][place][word * width..][..width]
        };
        let (heads, children) = (row(0, Some(part.head)), row(1, Some(part.child)));
        let others = kind.others();
        let [first, second] =
            [0, 1].map(|at| others.get(at).map(|&place| row(2 + at, part.word(place))));
        let shape = shape(kind, part);
        let (label_side, valency_side) = (labels.side(kind), valency_side(labels.valency));
        let mut with_arcs = group.with_arcs.iter().copied().peekable();
        for start in (0..width).step_by(LANES) {
            let lanes = start..width.min(start + LANES);
            let mut sums = [shape; LANES];
            add_row(&mut sums, &heads[lanes.clone()]);
            add_row(&mut sums, &children[lanes.clone()]);
            for other in [first, second].into_iter().flatten() {
                add_row(&mut sums, &other[lanes.clone()]);
            }
            add_masked(&mut sums, &group.labels[lanes.clone()], label_side);
            add_masked(&mut sums, &group.valency[lanes.clone()], valency_side);
            while let Some(column) = with_arcs.next_if(|&column| column < lanes.end) {
                let arcs = &group.templates[column].arcs;
                let side = arc_side(arcs, kind, (atoms, between), part);
                sums[column - start] = sums[column - start].wrapping_add(side);
            }
            sums[..lanes.len()].iter().for_each(|&sum| found(sum));
        }
    }
}

/// So many features are summed at once.
const LANES: usize = 8;

#[inline]
fn add_row(sums: &mut [u32; LANES], row: &[u32]) {
    sums.iter_mut().zip(row).for_each(|(sum, side)| *sum = sum.wrapping_add(*side));
}

#[inline]
fn add_masked(sums: &mut [u32; LANES], mask: &[u32], side: u32) {
    sums.iter_mut().zip(mask).for_each(|(sum, mask)| *sum = sum.wrapping_add(mask & side));
}

impl PartSides {
    /// The labels that the arcs of a part have in this sentence.
    #[must_use]
    pub fn labels(&self, part: Part) -> PartLabels {
        let label = |head: usize, child: usize| Some(self.labels[child * self.width + head]);
        PartLabels {
            above: part.grand.and_then(|grand| label(grand, part.head)),
            second: part.second.and_then(|second| label(part.head, second)),
            beside: part.inner.and_then(|inner| label(part.head, inner)),
            own: label(part.head, part.child),
            below: part.below.and_then(|below| label(part.child, below)),
            valency: 0,
        }
    }
}

/// The labels of the arcs of a part, and the number of their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartLabels {
    /// `grand → head`.
    pub above: Option<u16>,
    /// `head → second`.
    pub second: Option<u16>,
    /// `head → inner`.
    pub beside: Option<u16>,
    /// `head → child`.
    pub own: Option<u16>,
    /// `child → below`.
    pub below: Option<u16>,
    /// See [`ArcAtom::Valency`]; 0 where it is not known.
    pub valency: u8,
}

impl PartLabels {
    /// What the labels add to features of one kind.
    fn side(self, kind: PartKind) -> u32 {
        let seen = match kind {
            PartKind::Sibling => [None, self.beside, self.own],
            PartKind::Grand => [self.above, None, self.own],
            PartKind::GrandSibling => [self.above, self.beside, self.own],
            PartKind::TriSibling => [self.second, self.beside, self.own],
            PartKind::First | PartKind::Last => [self.own, None, self.below],
            PartKind::Crossed => [None, None, self.own],
        };
        let value = |label: Option<u16>| label.map_or(0, |label| 1 + u64::from(label));
        hash::side(seen.into_iter().map(value).fold(23, hash::mix))
    }
}

/// What the number of modifiers adds.
fn valency_side(valency: u8) -> u32 {
    hash::side(hash::mix(29, valency.into()))
}

/// What arc atoms add: the same for all parts without one of the two words.
fn arc_side(
    arcs: &[ArcAtom],
    kind: PartKind,
    (atoms, between): (&Atoms, &Between),
    part: Part,
) -> u32 {
    let (from, to) = match kind {
        PartKind::Sibling | PartKind::TriSibling => (part.inner, Some(part.child)),
        PartKind::Grand | PartKind::GrandSibling => (part.grand, Some(part.child)),
        PartKind::First | PartKind::Last => (Some(part.head), part.below),
        PartKind::Crossed => (Some(part.head), Some(part.child)),
    };
    let (Some(from), Some(to)) = (from, to) else { return 1 };
    if from == to {
        return 1;
    }
    let value = |atom| match atom {
        ArcAtom::Agree => atoms.agreement(from, to),
        atom => arc_value(atom, atoms, between, from, to),
    };
    hash::side(arcs.iter().fold(17, |hash, &atom| hash::mix(hash, value(atom))))
}

/// What the shape of a part adds to its features.
#[inline]
fn shape(kind: PartKind, part: Part) -> u32 {
    const SHAPES: [u32; 8] = [
        0x0000_0000,
        0x5bd1_e995,
        0x2c1b_3c6d,
        0x297a_2d39,
        0x85eb_ca6b,
        0xc2b2_ae35,
        0x27d4_eb2f,
        0x1656_67b1,
    ];
    let leftward = usize::from(part.head > part.child);
    let above = match part.grand {
        Some(grand) if matches!(kind, PartKind::Grand | PartKind::GrandSibling) => {
            let span = part.head.min(part.child)..part.head.max(part.child);
            2 * usize::from(grand > part.head) + 4 * usize::from(span.contains(&grand))
        }
        _ => 0,
    };
    SHAPES[leftward + above]
}
