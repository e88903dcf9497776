//! Features of parts that span several arcs: head and child with the nearest inner sibling, the grandparent, or both.
//!
//! The templates are those of one file; the places that a template looks at say which part it is about. As with arcs, a
//! feature is a sum of sides, one per place, computed once per token; every feature is joined with the shape of its part
//! (directions, and whether the arcs cross), whatever the copies of the template. Arc atoms look at the two words that are no
//! neighbours in the tree: inner sibling and child, or grandparent and child. A place that does not exist has a value of its
//! own. Labels are those that arcs have when scored one by one, so that they are known before any tree is. Templates with list
//! atoms are left out.

use super::arc::{Side, arc_value};
use super::atom::ArcAtom;
use super::atoms::{AtomSet, Atoms, Between};
use super::hash;
use super::template::{Place, Template};

/// Three or four words: `grand → head → child`, and `inner` between head and child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The head of the head; `None` for the root.
    pub grand: Option<usize>,
    /// The head.
    pub head: usize,
    /// The nearest sibling between head and child.
    pub inner: Option<usize>,
    /// The child.
    pub child: usize,
}

impl Part {
    /// The part of `child` in a tree, given as the heads of its words.
    #[must_use]
    pub fn of(heads: &[u32], child: usize) -> Self {
        let head = heads[child - 1] as usize;
        let is_sibling = |&word: &usize| heads[word - 1] as usize == head;
        let inner = match head < child {
            true => (head + 1..child).rev().find(is_sibling),
            false => (child + 1..head).find(is_sibling),
        };
        Self { grand: (head > 0).then(|| heads[head - 1] as usize), head, inner, child }
    }

    /// Whether a tree can have the part; a projective one has no grandparent between head and child.
    #[inline]
    #[must_use]
    pub fn is_possible(self, projective: bool) -> bool {
        let between = self.head.min(self.child)..self.head.max(self.child);
        self.grand
            .is_none_or(|grand| grand != self.child && !(projective && between.contains(&grand)))
    }

    /// What a kind of template can see of the part.
    #[must_use]
    pub fn seen_by(self, kind: PartKind) -> Self {
        Self {
            grand: self.grand.filter(|_| kind != PartKind::Sibling),
            inner: self.inner.filter(|_| kind != PartKind::Grand),
            ..self
        }
    }
}

/// Which words of a [`Part`] a template is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Head, inner sibling, child.
    Sibling,
    /// Grandparent, head, child.
    Grand,
    /// All four.
    GrandSibling,
}

impl PartKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Sibling, Self::Grand, Self::GrandSibling];

    /// The kind of a template; `None` if it is about something else.
    fn of(template: &Template) -> Option<Self> {
        let looks_at = |place| template.tokens.iter().any(|token| token.place == place);
        let known = [Place::Grand, Place::Head, Place::Inner, Place::Child];
        let other = template.tokens.iter().any(|t| !known.contains(&t.place) || t.atom.is_list());
        match (looks_at(Place::Inner), looks_at(Place::Grand)) {
            _ if other || template.arcs.iter().any(|atom| atom.is_list()) => None,
            (true, false) => Some(Self::Sibling),
            (false, true) => Some(Self::Grand),
            (true, true) => Some(Self::GrandSibling),
            (false, false) => None,
        }
    }
}

/// The templates of one kind of part.
#[derive(Clone, Debug, Default)]
struct Group {
    templates: Vec<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    /// In the order of [`PLACES`].
    sides: [Side; 4],
    /// Without labels.
    arcs: Vec<ArcAtom>,
    labels: bool,
}

const PLACES: [Place; 4] = [Place::Grand, Place::Head, Place::Inner, Place::Child];

/// Compiled templates of parts.
#[derive(Clone, Debug, Default)]
pub struct PartTemplates {
    groups: [Group; 3],
}

/// The sides of every token of a sentence for [`PartTemplates`].
#[derive(Clone, Debug, Default)]
pub struct PartSides {
    /// By kind and place: rows of tokens, the last row for a place that does not exist.
    values: [[Vec<u32>; 4]; 3],
    /// The label of each arc, at `child * (n + 1) + head`.
    labels: Vec<u16>,
}

impl PartTemplates {
    /// Compiles templates; those that are not about parts are left out.
    #[must_use]
    pub fn new(templates: &[Template], set: &mut AtomSet) -> Self {
        let mut all = Self::default();
        for template in templates {
            if let Some(kind) = PartKind::of(template) {
                let arcs = template.arcs.iter().copied();
                all.groups[kind as usize].templates.push(Compiled {
                    sides: PLACES.map(|place| Side::new(template, place, set)),
                    arcs: arcs.filter(|&atom| atom != ArcAtom::Labels).collect(),
                    labels: template.arcs.contains(&ArcAtom::Labels),
                });
            }
        }
        all
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
        for (group, values) in self.groups.iter().zip(&mut sides.values) {
            for (place, rows) in values.iter_mut().enumerate() {
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
        let templates = &self.groups[kind as usize].templates[..];
        let width = templates.len();
        let row = |place: usize, word: Option<usize>| {
            let word = word.unwrap_or(atoms.len() + 1);
            &sides.values[kind as usize][place][word * width..][..width]
        };
        let (heads, children) = (row(1, Some(part.head)), row(3, Some(part.child)));
        let (grands, inners) = (row(0, part.grand), row(2, part.inner));
        let shape = shape(kind, part);
        let labels = labels.side(kind);
        for (column, template) in templates.iter().enumerate() {
            let mut sum = shape.wrapping_add(heads[column]).wrapping_add(children[column]);
            if kind != PartKind::Sibling {
                sum = sum.wrapping_add(grands[column]);
            }
            if kind != PartKind::Grand {
                sum = sum.wrapping_add(inners[column]);
            }
            if !template.arcs.is_empty() {
                sum = sum.wrapping_add(template.arc_side(kind, atoms, between, part));
            }
            if template.labels {
                sum = sum.wrapping_add(labels);
            }
            found(sum);
        }
    }
}

impl PartSides {
    /// The labels that the arcs of a part have in this sentence.
    #[must_use]
    pub fn labels(&self, part: Part) -> PartLabels {
        let width = self.labels.len().isqrt();
        let label = |head: usize, child: usize| Some(self.labels[child * width + head]);
        PartLabels {
            above: part.grand.and_then(|grand| label(grand, part.head)),
            beside: part.inner.and_then(|inner| label(part.head, inner)),
            own: label(part.head, part.child),
        }
    }
}

/// The labels of the arcs of a part: into its head, to the inner sibling, to the child.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartLabels {
    /// `grand → head`.
    pub above: Option<u16>,
    /// `head → inner`.
    pub beside: Option<u16>,
    /// `head → child`.
    pub own: Option<u16>,
}

impl PartLabels {
    /// What the labels add to features of one kind.
    fn side(self, kind: PartKind) -> u32 {
        let above = self.above.filter(|_| kind != PartKind::Sibling);
        let beside = self.beside.filter(|_| kind != PartKind::Grand);
        let value = |label: Option<u16>| label.map_or(0, |label| 1 + u64::from(label));
        hash::side([above, beside, self.own].into_iter().map(value).fold(23, hash::mix))
    }
}

impl Compiled {
    /// What the arc atoms add: the same for all parts without the other word.
    fn arc_side(&self, kind: PartKind, atoms: &Atoms, between: &Between, part: Part) -> u32 {
        let other = if kind == PartKind::Sibling { part.inner } else { part.grand };
        let Some(other) = other.filter(|&other| other != part.child) else { return 1 };
        let add = |hash, &atom: &ArcAtom| {
            hash::mix(hash, arc_value(atom, atoms, between, other, part.child))
        };
        hash::side(self.arcs.iter().fold(17, add))
    }
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
        Some(grand) if kind != PartKind::Sibling => {
            let span = part.head.min(part.child)..part.head.max(part.child);
            2 * usize::from(grand > part.head) + 4 * usize::from(span.contains(&grand))
        }
        _ => 0,
    };
    SHAPES[leftward + above]
}
