//! Where everything of an SVG picture goes.
//!
//! Words stand as far apart as they and the relations between them need. A sentence that is too wide is broken into lines
//! where few arcs are cut. An arc that is cut is drawn twice, at its head and at its child, each time to the margin of the
//! line; all cut arcs of a head on one side share one piece there. So there are at most two pieces for an arc, and lines
//! in between stay clear.
//!
//! Each piece is given the first level above all pieces below it, shortest first: pieces that share a gap between words
//! never share a level. Time is in the sum of the lengths of the pieces within their lines.

use super::diagram::{Arc, Diagram, shown, tag};
use super::extent::{is_right_to_left, width};

/// Sizes of type.
pub(super) const FORM: f64 = 15.0;
pub(super) const TAG: f64 = 10.0;
pub(super) const LABEL: f64 = 11.0;
/// Room at either side of a word.
const PAD: f64 = 7.0;
/// How far beside the middle of a word its children's arcs leave.
pub(super) const TRUNK: f64 = 5.0;
/// Room at the ends of an arc, beside its label.
const LABEL_PAD: f64 = 2.0 * TRUNK + 10.0;
/// Room between a margin and the name of a head on another line.
pub(super) const GUTTER_PAD: f64 = 5.0;
/// Part of a line in which a good place to break it is sought.
const BREAK_ZONE: f64 = 0.3;
/// How much longer than the others a line may be when it is the last for that.
const OVERFLOW: f64 = 1.08;
/// How much of what is left for two lines the first of them may take.
const HALF: f64 = 0.65;

/// A node with its texts and place.
pub(super) struct Slot {
    pub(super) form: String,
    pub(super) tag: String,
    pub(super) width: f64,
    /// The middle, from the left of its line.
    pub(super) x: f64,
}

/// Where a piece of an arc ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// At a node, as its head or child.
    Head(usize),
    Child(usize),
    /// At the margin: the other end is on another line.
    Margin,
    /// Above the child: the arc comes from the root.
    Root,
}

/// An arc, or what one line shows of it.
pub(super) struct Piece {
    /// The arc; for pieces shared by several arcs, one of them.
    pub(super) arc: usize,
    pub(super) left: End,
    pub(super) right: End,
    /// Where it starts and ends, in gaps of the line: 0 is before the first node.
    pub(super) gaps: (usize, usize),
    pub(super) level: usize,
    /// The relation; empty for pieces of a head whose children are on other lines.
    pub(super) label: String,
    shared: bool,
    /// The node at the other end, when that is on another line.
    pub(super) elsewhere: Option<usize>,
}

/// One line of words and the arcs above it.
pub(super) struct Line {
    /// Its first node, and the one after its last.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) pieces: Vec<Piece>,
    pub(super) levels: usize,
    /// Where arcs to other lines end.
    pub(super) left_margin: f64,
    pub(super) right_margin: f64,
}

pub(super) struct Layout {
    pub(super) slots: Vec<Slot>,
    pub(super) lines: Vec<Line>,
    pub(super) right_to_left: bool,
}

impl Layout {
    /// Lays out a diagram in lines of about `line_width` pixels.
    pub(super) fn new(diagram: &Diagram, line_width: f64) -> Self {
        let labels: Vec<_> = diagram.arcs.iter().map(Arc::shown_label).collect();
        let mut slots = place(diagram, &labels);
        let starts = break_lines(diagram, &slots, line_width);
        let mut line_of = vec![0; slots.len()];
        let mut lines = Vec::new();
        for (number, &first) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(slots.len());
            line_of[first..end].fill(number);
            let pieces = Vec::new();
            lines.push(Line { first, end, pieces, levels: 0, left_margin: 0.0, right_margin: 0.0 });
        }
        cut(diagram, labels, &line_of, &mut lines);
        let gutter = lines.iter().map(|line| line.gutter(&slots, true)).fold(0.0, f64::max);
        for line in &mut lines {
            line.assign_levels();
            line.align(&mut slots, gutter);
        }
        let right_to_left = is_right_to_left(diagram.nodes.iter().map(|node| node.form()));
        Self { slots, lines, right_to_left }
    }
}

/// All nodes on one long line.
fn place(diagram: &Diagram, labels: &[String]) -> Vec<Slot> {
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); diagram.nodes.len()];
    for (index, arc) in diagram.arcs.iter().enumerate() {
        if let Some(head) = arc.head {
            ends[arc.child.max(head)].push(index);
        }
    }
    let mut slots: Vec<Slot> = Vec::with_capacity(diagram.nodes.len());
    for (node, ends) in diagram.nodes.iter().zip(ends) {
        let (form, tag) = (shown(node.form()), tag(*node));
        let width = width(&form, FORM).max(width(&tag, TAG)).max(2.0 * TRUNK) + 2.0 * PAD;
        let mut x = slots.last().map_or(0.0, |last| last.x + last.width / 2.0) + width / 2.0;
        for index in ends {
            let arc = &diagram.arcs[index];
            let start = arc.head.map_or(arc.child, |head| head.min(arc.child));
            x = x.max(slots[start].x + label_width(&labels[index]) + LABEL_PAD);
        }
        slots.push(Slot { form, tag, width, x });
    }
    slots
}

fn label_width(label: &str) -> f64 {
    width(label, LABEL)
}

/// The first node of each line: as much as fits, then back to the gap that the fewest arcs span, the last of them.
fn break_lines(diagram: &Diagram, slots: &[Slot], line_width: f64) -> Vec<usize> {
    let cuts = cuts(diagram);
    let end = slots.last().map_or(0.0, |last| last.x + last.width / 2.0);
    let mut starts = vec![0];
    let mut first = 0;
    while first < slots.len() {
        let left = slots[first].x - slots[first].width / 2.0;
        let right = |node: usize| slots[node].x + slots[node].width / 2.0 - left;
        let rest = end - left;
        if rest <= OVERFLOW * line_width {
            break;
        }
        // Two last lines of about equal length look better than a last line of one word.
        let two_left = rest <= 2.0 * line_width;
        let limit = if two_left { line_width.min(HALF * rest) } else { line_width };
        let fits = (first..slots.len()).take_while(|&node| right(node) <= limit).count();
        let full = first + fits.max(1);
        if full == slots.len() {
            break;
        }
        let best = |start: usize| (start..=full).rev().min_by_key(|&node| cuts[node]);
        let late = (first + 1..full).find(|&node| right(node - 1) >= (1.0 - BREAK_ZONE) * limit);
        first = best(late.unwrap_or(full))
            .filter(|&node| cuts[node] < MULTIWORD)
            .or_else(|| best(first + 1))
            .unwrap_or(full);
        starts.push(first);
    }
    starts
}

/// What a break inside a multiword token costs, in arcs.
const MULTIWORD: i64 = 1 << 32;

/// How many arcs a break before each node cuts.
fn cuts(diagram: &Diagram) -> Vec<i64> {
    let mut change = vec![0i64; diagram.nodes.len() + 2];
    let mut span = |first: usize, last: usize, weight: i64| {
        change[first + 1] += weight;
        change[last + 1] -= weight;
    };
    for arc in &diagram.arcs {
        if let Some(head) = arc.head {
            span(head.min(arc.child), head.max(arc.child), 1);
        }
    }
    for &(first, last, _) in &diagram.brackets {
        span(first, last, MULTIWORD);
    }
    let mut total = 0;
    for value in &mut change {
        total += *value;
        *value = total;
    }
    change
}

/// Gives every line its pieces.
fn cut(diagram: &Diagram, labels: Vec<String>, line_of: &[usize], lines: &mut [Line]) {
    // Heads whose arcs to the margin are there already, on the left and on the right.
    let mut shared = vec![[false; 2]; diagram.nodes.len()];
    for (index, (arc, label)) in diagram.arcs.iter().zip(labels).enumerate() {
        let child = arc.child;
        let line = &mut lines[line_of[child]];
        let at = line.gap_after(child);
        let piece = |left, right, gaps, elsewhere| Piece {
            arc: index,
            left,
            right,
            gaps,
            level: 0,
            label: label.clone(),
            shared: false,
            elsewhere,
        };
        let Some(head) = arc.head else {
            line.pieces.push(piece(End::Root, End::Child(child), (at - 1, at), None));
            continue;
        };
        let leftward = child < head;
        if line_of[head] == line_of[child] {
            let to = line.gap_after(head);
            line.pieces.push(match leftward {
                true => piece(End::Child(child), End::Head(head), (at, to - 1), None),
                false => piece(End::Head(head), End::Child(child), (to, at - 1), None),
            });
            continue;
        }
        let last = line.end - line.first;
        line.pieces.push(match leftward {
            true => piece(End::Child(child), End::Margin, (at, last), Some(head)),
            false => piece(End::Margin, End::Child(child), (0, at - 1), Some(head)),
        });
        if std::mem::replace(&mut shared[head][usize::from(leftward)], true) {
            continue;
        }
        let line = &mut lines[line_of[head]];
        let (at, last) = (line.gap_after(head), line.end - line.first);
        let mut piece = match leftward {
            true => piece(End::Margin, End::Head(head), (0, at - 1), Some(child)),
            false => piece(End::Head(head), End::Margin, (at, last), Some(child)),
        };
        piece.label = String::new();
        piece.shared = true;
        line.pieces.push(piece);
    }
}

impl Line {
    /// The gap behind a node of this line.
    fn gap_after(&self, node: usize) -> usize {
        node - self.first + 1
    }

    /// Shortest pieces first, each above all that it shares a gap with.
    fn assign_levels(&mut self) {
        let mut height = vec![0; self.end - self.first + 1];
        // Arrows from the root come last: they stand between the arcs of their word.
        self.pieces.sort_by_key(|piece| {
            let (first, last) = piece.gaps;
            (piece.left == End::Root, last - first, first, piece.arc)
        });
        for piece in &mut self.pieces {
            let span = &mut height[piece.gaps.0..=piece.gaps.1];
            piece.level = span.iter().copied().max().unwrap_or(0) + 1;
            span.fill(piece.level);
        }
        self.levels = height.into_iter().max().unwrap_or(0);
    }

    /// Moves the nodes so that arcs from the left margin have room for their labels, and finds the right margin.
    fn align(&mut self, slots: &mut [Slot], gutter: f64) {
        let Some(first) = slots.get(self.first) else { return };
        let left = first.x - first.width / 2.0;
        let from_left = self.pieces.iter().filter(|piece| piece.left == End::Margin);
        let lacking = from_left.map(|piece| {
            let x = slots[piece.right.node().unwrap_or(self.first)].x;
            piece.room() - (x - left)
        });
        let shift = gutter + lacking.fold(0.0, f64::max) - left;
        slots[self.first..self.end].iter_mut().for_each(|slot| slot.x += shift);
        let last = &slots[self.end - 1];
        let to_right = self.pieces.iter().filter(|piece| piece.right == End::Margin);
        let ends =
            to_right.map(|piece| slots[piece.left.node().unwrap_or(self.first)].x + piece.room());
        self.left_margin = gutter;
        self.right_margin = ends.fold(last.x + last.width / 2.0, f64::max);
    }

    /// How wide the names beyond a margin are.
    fn gutter(&self, slots: &[Slot], left: bool) -> f64 {
        let outside = self.pieces.iter().filter(|piece| {
            !piece.shared && (if left { piece.left } else { piece.right }) == End::Margin
        });
        let names = outside.filter_map(|piece| Some(&slots[piece.elsewhere?].form));
        names.map(|name| width(name, TAG) + GUTTER_PAD).fold(0.0, f64::max)
    }

    /// The right end of everything on this line.
    pub(super) fn right(&self, slots: &[Slot]) -> f64 {
        self.right_margin + self.gutter(slots, false)
    }
}

impl Piece {
    /// Whether it stands for all arcs of its head to one side that leave the line.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// What the label needs.
    fn room(&self) -> f64 {
        label_width(&self.label) + LABEL_PAD
    }
}

impl End {
    /// The node at this end.
    pub(super) fn node(self) -> Option<usize> {
        match self {
            End::Head(node) | End::Child(node) => Some(node),
            End::Margin | End::Root => None,
        }
    }
}
