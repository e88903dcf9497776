//! A tree as text: one node a line, in the order of the sentence, with the tree growing from left to right.
//!
//! Each node with children has a column of its own in which a vertical line spans the rows of its children; the lines to
//! the children leave it to the right. Columns are given from the top of the tree downwards, each the first that is free in
//! all rows of the span, so lines meet only where arcs cross. That takes time in the sum of the spans. Trees deeper than
//! [`MAX_COLUMNS`] are cut: the subtree starts again at the left, and the number of its head is noted. Sentences of more
//! than [`MAX_NODES`] nodes have no lines at all, only the numbers of the heads.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::diagram::{Arc, ArcKind, Confidence, Diagram, shown, tag};
use super::forest::Forest;
use crate::sentence::{Dep, Token};

/// Widest drawing, in columns.
const MAX_COLUMNS: usize = 120;
/// Largest sentence that is drawn.
const MAX_NODES: usize = 5_000;

/// How to draw in a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Lines of `|`, `-` and `+`, for terminals without box drawing.
    pub ascii: bool,
    /// ANSI colours.
    pub colour: bool,
}

impl Diagram<'_> {
    /// The tree as text, a line per word and empty node; see [`TextStyle`].
    ///
    /// Behind the word stand tag and relation, then the probabilities of head and relation if MISC has them, then notes: a
    /// head that is not drawn, what gold says, and the multiword token that the word is part of.
    #[must_use]
    pub fn to_text(&self, style: TextStyle) -> String {
        let lines = Lines::new(self);
        let arcs = self.basic_arcs();
        let notes = self.notes(&lines, style.ascii);
        let mut table = Table { rows: Vec::new(), colour: style.colour };
        for ((node, notes), arc) in notes.into_iter().enumerate().zip(arcs) {
            let token = self.nodes[node];
            let confidence = arc.and_then(|arc| arc.confidence);
            let lead = lines.row(node, style.ascii);
            table.rows.push([
                Cell { lead, ..Cell::new(shown(token.form()), Ink::Word) },
                Cell::new(tag(token), Ink::Faint),
                Cell::new(relation(token), Ink::of(arc)),
                Cell::new(confidence.map_or(String::new(), probabilities), Ink::sure(confidence)),
                Cell::new(notes.join("  "), Ink::of(arc)),
            ]);
        }
        table.write()
    }

    /// The arc of the basic tree that ends at each node.
    fn basic_arcs(&self) -> Vec<Option<&Arc<'_>>> {
        let mut arcs = vec![None; self.nodes.len()];
        for arc in self.arcs.iter().filter(|arc| arc.kind.is_basic()) {
            arcs[arc.child] = Some(arc);
        }
        arcs
    }

    /// What is to be said behind each node.
    fn notes(&self, lines: &Lines, ascii: bool) -> Vec<Vec<String>> {
        let arrow = if ascii { "head" } else { "↑" };
        let mut notes = vec![Vec::new(); self.nodes.len()];
        for (node, token) in self.nodes.iter().enumerate() {
            if let Some(head) = token.head().filter(|_| lines.start[node].is_none()) {
                notes[node].push(format!("{arrow} {head}"));
            }
        }
        for arc in &self.arcs {
            match (arc.kind, arc.gold_label) {
                (ArcKind::Missing, _) => {
                    let name = |head: usize| {
                        let head = self.nodes[head];
                        format!("{} ({})", shown(head.form()), head.id())
                    };
                    let head = arc.head.map_or("0".to_owned(), name);
                    notes[arc.child].push(format!("gold: {} {arrow} {head}", shown(arc.label)));
                }
                (_, Some(label)) => notes[arc.child].push(format!("gold: {}", shown(label))),
                _ => {}
            }
        }
        let [top, middle, bottom, single] =
            if ascii { ["\\", "|", "/", "-"] } else { ["╮", "│", "╯", "─"] };
        for &(first, last, form) in &self.brackets {
            let glyph = if first == last { single } else { top };
            notes[first].push(format!("{glyph} {}", shown(form)));
            for node in first + 1..=last {
                notes[node].push(if node == last { bottom } else { middle }.to_owned());
            }
        }
        notes
    }
}

/// DEPREL of a word, DEPS of an empty node.
fn relation(token: Token<'_>) -> String {
    if token.number().is_some() {
        return if token.deprel() == "_" { String::new() } else { shown(token.deprel()) };
    }
    let dep = |dep: Dep<'_>| match dep.empty {
        0 => format!("{}:{}", dep.head, shown(dep.label)),
        empty => format!("{}.{empty}:{}", dep.head, shown(dep.label)),
    };
    format!("({})", token.deps().map(dep).collect::<Vec<_>>().join(" "))
}

/// `0.98 0.95`: head, and relation if known.
fn probabilities(confidence: Confidence) -> String {
    let label = confidence.label.map_or(String::new(), |label| format!(" {label:.2}"));
    format!("{:.2}{label}", confidence.head)
}

/// Which ways lines leave a character cell.
#[derive(Clone, Copy, Default, PartialEq)]
struct Joint {
    up: bool,
    down: bool,
    left: bool,
    right: bool,
    /// Two lines that do not touch.
    crossing: bool,
    /// The node of this row.
    node: bool,
}

impl Joint {
    fn glyph(self, ascii: bool) -> char {
        let Joint { up, down, left, right, crossing, node } = self;
        if ascii {
            return match (up || down, left || right) {
                (true, true) => '+',
                (true, false) => '|',
                (false, true) => '-',
                (false, false) => ' ',
            };
        }
        match (up, down, left, right) {
            (true, true, _, _) if crossing => '╪',
            (true, true, ..) if node => '┾',
            (true, false, ..) if node => '┶',
            (false, true, ..) if node => '┮',
            (false, false, false, _) if node => '·',
            (false, false, ..) if node => '╼',
            (true, true, _, true) => '├',
            (true, true, ..) => '│',
            (true, false, ..) => '╰',
            (false, true, ..) => '╭',
            (false, false, false, false) => ' ',
            (false, false, ..) => '─',
        }
    }
}

/// The lines at the left of the words.
struct Lines {
    cells: Vec<Vec<Joint>>,
    /// Column in which the line to each node starts; `None` for those without one.
    start: Vec<Option<usize>>,
}

impl Lines {
    fn new(diagram: &Diagram) -> Self {
        let len = diagram.nodes.len();
        let mut lines = Self { cells: vec![Vec::new(); len], start: vec![None; len] };
        if len > MAX_NODES {
            return lines;
        }
        let forest = Forest::new(diagram);
        for (node, token) in diagram.nodes.iter().enumerate() {
            // A dash leads to the roots; other nodes that hang nowhere have a gap.
            let root = token.head() == Some(0);
            if forest.parent[node].is_none() {
                lines.cells[node].push(Joint { left: root, ..Joint::default() });
                lines.start[node] = root.then_some(0);
            }
        }
        for &node in &forest.order {
            lines.add(node, &forest.children[node]);
        }
        for node in 0..len {
            lines.lead_to_text(node);
        }
        lines
    }

    /// Draws the lines from a node to its children.
    fn add(&mut self, node: usize, children: &[usize]) {
        let (first, last) = children.iter().fold((node, node), |(a, b), &c| (a.min(c), b.max(c)));
        // Verticals stand in odd columns, with a dash or a space between them.
        let column = self.cells[first..=last].iter().map(Vec::len).max().unwrap_or(0) | 1;
        if column >= MAX_COLUMNS {
            // The children start again at the left.
            for &child in children {
                let row = &mut self.cells[child];
                row.resize(row.len().max(1), Joint::default());
            }
            return;
        }
        let dash = Joint { left: true, right: true, ..Joint::default() };
        let led = self.start[node].is_some();
        self.cells[node].resize(column, if led { dash } else { Joint::default() });
        for row in first..=last {
            self.cells[row].resize(column, Joint::default());
            let (up, down) = (row > first, row < last);
            let (own, left) = (row == node, row == node && led);
            self.cells[row].push(Joint { up, down, left, node: own, ..Joint::default() });
        }
        for &child in children {
            self.start[child] = Some(column);
            self.cells[child][column].right = true;
            self.cells[child].push(dash);
        }
    }

    /// Leads the line of a node to its text: leaves get their mark, and verticals on the way are crossed.
    fn lead_to_text(&mut self, node: usize) {
        let start = self.start[node];
        let row = &mut self.cells[node];
        let dash = Joint { left: true, right: true, ..Joint::default() };
        for joint in row.iter_mut().skip(start.map_or(usize::MAX, |start| start + 1)) {
            let passing = joint.up && joint.down && !joint.node && !joint.right;
            joint.crossing |= passing;
            if *joint == Joint::default() {
                *joint = dash;
            }
        }
        if !row.iter().any(|joint| joint.node) {
            row.push(Joint { node: true, left: start.is_some(), ..Joint::default() });
        }
        if row.last().is_some_and(|joint| joint.up && joint.down && !joint.node) {
            row.push(if start.is_some() { dash } else { Joint::default() });
        }
    }

    fn row(&self, node: usize, ascii: bool) -> String {
        self.cells[node].iter().map(|joint| joint.glyph(ascii)).collect::<String>() + " "
    }
}

/// What a text is, for those who want colours.
#[derive(Clone, Copy, PartialEq)]
enum Ink {
    Word,
    Faint,
    Label,
    Special,
    Good,
    Doubtful,
    Bad,
}

impl Ink {
    fn of(arc: Option<&Arc>) -> Self {
        match arc.map(|arc| arc.kind) {
            Some(ArcKind::WrongHead) => Ink::Bad,
            Some(ArcKind::WrongLabel) => Ink::Doubtful,
            Some(ArcKind::Right) => Ink::Good,
            Some(ArcKind::Crossing) => Ink::Special,
            _ => Ink::Label,
        }
    }

    fn sure(confidence: Option<Confidence>) -> Self {
        match confidence.map(|confidence| confidence.head.min(confidence.label.unwrap_or(1.0))) {
            Some(probability) if probability < 0.5 => Ink::Bad,
            Some(probability) if probability < 0.8 => Ink::Doubtful,
            _ => Ink::Faint,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Ink::Word => "1",
            Ink::Faint => "2",
            Ink::Label => "36",
            Ink::Special => "35",
            Ink::Good => "32",
            Ink::Doubtful => "33",
            Ink::Bad => "31",
        }
    }
}

struct Cell {
    /// The lines before the text.
    lead: String,
    text: String,
    ink: Ink,
}

impl Cell {
    fn new(text: String, ink: Ink) -> Self {
        Self { lead: String::new(), text, ink }
    }

    fn width(&self) -> usize {
        self.lead.chars().count() + columns(&self.text)
    }
}

/// The columns that a terminal gives to a text: character by character, except in joined emoji.
fn columns(text: &str) -> usize {
    if text.contains(['\u{200d}', '\u{fe0f}']) {
        return text.width();
    }
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Columns of texts, two spaces apart.
struct Table<const N: usize> {
    rows: Vec<[Cell; N]>,
    colour: bool,
}

impl<const N: usize> Table<N> {
    fn write(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].width()).max();
        let widths: Vec<_> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut gap = 0;
            for (cell, &width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
                if cell.width() > 0 {
                    let _ = write!(text, "{:gap$}", "");
                    self.write_cell(cell, &mut text);
                    gap = 0;
                }
                gap += width - cell.width() + 2;
            }
            text.push('\n');
        }
        text
    }

    fn write_cell(&self, cell: &Cell, text: &mut String) {
        if self.colour {
            let faint = Ink::Faint.code();
            if !cell.lead.is_empty() {
                let _ = write!(text, "\u{1b}[{faint}m{}\u{1b}[0m", cell.lead);
            }
            let _ = write!(text, "\u{1b}[{}m{}\u{1b}[0m", cell.ink.code(), cell.text);
        } else {
            text.push_str(&cell.lead);
            text.push_str(&cell.text);
        }
    }
}
