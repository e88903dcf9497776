//! A tree as SVG: words in a row, arcs above them.
//!
//! Arcs are drawn with straight legs and rounded corners. All arcs from a head to one side share its leg; their relations
//! stand on the horizontal parts, which never touch unless arcs cross. Colours come from style rules for classes
//! (`tree.css`), which a page holds once and a file by itself holds too.

use std::fmt::Write as _;

use super::diagram::{Arc, ArcKind, Diagram, shown};
use super::layout::{End, FORM, GUTTER_PAD, LABEL, Layout, Line, Piece, Slot, TAG, TRUNK};
use crate::markup::escape;
use crate::sentence::{Column, Token};

/// Rules for the classes in pictures.
pub(super) const STYLE: &str = include_str!("tree.css");

/// Height of the lowest level over the words, and of each further one.
const FIRST_LEVEL: f64 = 20.0;
const LEVEL: f64 = 17.0;
/// Radius of corners.
const CORNER: f64 = 6.0;
/// Room around a picture and between its lines.
const EDGE: f64 = 8.0;
const BETWEEN_LINES: f64 = 14.0;
/// Room between sentences in a file, so that they are not taken for lines of one.
const BETWEEN_PICTURES: f64 = 30.0;

/// How to draw SVG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SvgStyle {
    /// Longest line of words in pixels; longer sentences are wrapped.
    pub line_width: f64,
}

impl Default for SvgStyle {
    fn default() -> Self {
        Self { line_width: 880.0 }
    }
}

/// A drawn sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Size in pixels.
    pub width: f64,
    /// Size in pixels.
    pub height: f64,
    /// What is inside the `svg` element.
    body: String,
    right_to_left: bool,
    /// The sentence, for those who cannot see it.
    description: String,
}

impl Picture {
    /// An `svg` element for a page that holds the style rules.
    pub(super) fn element(&self) -> String {
        format!(
            r#"<svg class="tree{}" width="{w:.0}" height="{h:.0}" viewBox="0 0 {w:.0} {h:.0}" role="img" aria-label="{}">{}</svg>"#,
            if self.right_to_left { " right-to-left" } else { "" },
            self.description,
            self.body,
            w = self.width,
            h = self.height
        )
    }
}

/// A file with pictures one below the other.
#[must_use]
pub fn stack(pictures: &[Picture]) -> String {
    let width = pictures.iter().map(|picture| picture.width).fold(0.0, f64::max);
    let gaps = pictures.len().saturating_sub(1) as f64 * BETWEEN_PICTURES;
    let height = gaps + pictures.iter().map(|picture| picture.height).sum::<f64>();
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tree\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
    );
    let mut top = 0.0;
    for picture in pictures {
        let _ = writeln!(
            file,
            "<g transform=\"translate(0 {top:.0})\" role=\"img\" aria-label=\"{}\">{}</g>",
            picture.description, picture.body
        );
        top += picture.height + BETWEEN_PICTURES;
    }
    file + "</svg>\n"
}

impl Diagram<'_> {
    /// The tree as SVG. [`stack`] makes a file of it.
    #[must_use]
    pub fn to_svg(&self, style: &SvgStyle) -> Picture {
        let layout = Layout::new(self, style.line_width);
        let right = layout.lines.iter().map(|line| line.right(&layout.slots)).fold(0.0, f64::max);
        let picture_width = right + 2.0 * EDGE;
        let mirrored = layout.right_to_left.then_some(picture_width);
        let mut pen = Pen { diagram: self, slots: &layout.slots, mirrored, body: String::new() };
        let right_to_left = layout.right_to_left;
        let mut top = EDGE;
        for (number, line) in layout.lines.iter().enumerate() {
            top += if number > 0 { BETWEEN_LINES } else { 0.0 };
            top = pen.line(line, top);
        }
        let text = self.sent.text().map_or_else(|| self.sent.surface_text(), str::to_owned);
        let description = escape(&text);
        let (width, height, body) = (picture_width, top + EDGE, pen.body);
        Picture { width, height, body, right_to_left, description }
    }
}

/// Writes the elements of one picture.
struct Pen<'d> {
    diagram: &'d Diagram<'d>,
    slots: &'d [Slot],
    /// The width of the picture, when it runs from right to left.
    mirrored: Option<f64>,
    body: String,
}

impl Pen<'_> {
    /// A place in the picture, for one in the layout.
    fn x(&self, x: f64) -> f64 {
        self.mirrored.map_or(x + EDGE, |width| width - x - EDGE)
    }

    /// Draws one line whose highest point is `top`; returns its lowest.
    fn line(&mut self, line: &Line, top: f64) -> f64 {
        let arcs = match line.levels {
            0 => 0.0,
            levels => LABEL + FIRST_LEVEL + (levels - 1) as f64 * LEVEL,
        };
        let base = top + arcs;
        // Arcs that need attention come last, over the others.
        let rank = |piece: &&Piece| match self.diagram.arcs[piece.arc].kind {
            ArcKind::Enhanced | ArcKind::Missing => 0,
            ArcKind::Plain | ArcKind::Right => 1,
            ArcKind::Crossing | ArcKind::WrongLabel | ArcKind::WrongHead => 2,
        };
        let mut pieces: Vec<_> = line.pieces.iter().collect();
        pieces.sort_by_key(rank);
        for piece in pieces {
            self.piece(piece, line, base);
        }
        for node in line.first..line.end {
            self.word(node, base);
        }
        self.brackets(line, base + FORM + TAG + 10.0)
    }

    fn word(&mut self, node: usize, base: f64) {
        let (slot, token) = (&self.slots[node], self.diagram.nodes[node]);
        let class = if token.number().is_some() { "word" } else { "word empty" };
        let (x, y) = (self.x(slot.x), base + FORM + 2.0);
        let _ = write!(
            self.body,
            r#"<g class="{class}"><title>{}</title><text class="form" x="{x:.1}" y="{y:.1}">{}</text><text class="tag" x="{x:.1}" y="{:.1}">{}</text></g>"#,
            escape(&about(token)),
            escape(&slot.form),
            y + TAG + 4.0,
            escape(&slot.tag)
        );
    }

    /// Draws the multiword tokens of a line below its words; returns the lowest point.
    fn brackets(&mut self, line: &Line, y: f64) -> f64 {
        let mut bottom = y;
        for &(first, last, form) in &self.diagram.brackets {
            if first >= line.end || last < line.first {
                continue;
            }
            let (first, last) = (first.max(line.first), last.min(line.end - 1));
            let edge = |node: usize, side: f64| {
                self.slots[node].x + side * (self.slots[node].width / 2.0 - 3.0)
            };
            let (a, b) = (self.x(edge(first, -1.0)), self.x(edge(last, 1.0)));
            let _ = write!(
                self.body,
                r#"<g class="multiword"><path class="line" d="M{a:.1} {y:.1}v4H{b:.1}v-4"/><text class="tag" x="{:.1}" y="{:.1}">{}</text></g>"#,
                f64::midpoint(a, b),
                y + 4.0 + TAG + 2.0,
                escape(&shown(form))
            );
            bottom = y + 4.0 + TAG + 6.0;
        }
        bottom
    }

    fn piece(&mut self, piece: &Piece, line: &Line, base: f64) {
        let arc = &self.diagram.arcs[piece.arc];
        let y = base - FIRST_LEVEL - (piece.level - 1) as f64 * LEVEL;
        let (left, right) =
            (self.end(piece.left, arc, line, true), self.end(piece.right, arc, line, false));
        self.open_arc(piece, arc);
        // In comparisons colours must stay strong.
        let confidence = arc.confidence.filter(|_| !self.diagram.compared && !piece.is_shared());
        let opacity = confidence.map_or(String::new(), |confidence| {
            let sure = confidence.head * confidence.label.unwrap_or(1.0);
            format!(r#" opacity="{:.2}""#, 0.25 + 0.75 * sure * sure)
        });
        let path = self.path(piece, (left, right), y, base);
        let _ = write!(self.body, r#"<path class="line"{opacity} d="{path}"/>"#);
        let tip = [(piece.left, left), (piece.right, right)].into_iter();
        for (_, x) in tip.filter(|(end, _)| matches!(end, End::Child(_))) {
            let x = self.x(x);
            let _ = write!(
                self.body,
                r#"<path class="tip"{opacity} d="M{x:.1} {base:.1}l-3.2 -6.5h6.4z"/>"#
            );
        }
        let middle = if piece.left == End::Root { right } else { f64::midpoint(left, right) };
        if !piece.is_shared() {
            let _ = write!(
                self.body,
                r#"<text class="label" x="{:.1}" y="{:.1}">{}</text>"#,
                self.x(middle),
                y - 3.0,
                escape(&piece.label)
            );
            self.name_elsewhere(piece, line, y);
        }
        self.body.push_str("</g>");
    }

    fn open_arc(&mut self, piece: &Piece, arc: &Arc) {
        if piece.is_shared() {
            self.body.push_str(r#"<g class="arc plain">"#);
        } else {
            let about = escape(&self.about_arc(arc));
            let _ =
                write!(self.body, r#"<g class="arc {}"><title>{about}</title>"#, class(arc.kind));
        }
    }

    /// Names the head that stands on another line, at the margin.
    fn name_elsewhere(&mut self, piece: &Piece, line: &Line, y: f64) {
        let Some(node) = piece.elsewhere else { return };
        let at_left = piece.left == End::Margin;
        let x = match at_left {
            true => line.left_margin - GUTTER_PAD + 1.0,
            false => line.right_margin + GUTTER_PAD - 1.0,
        };
        let anchor = if at_left == self.mirrored.is_none() { "end" } else { "start" };
        let _ = write!(
            self.body,
            r#"<text class="elsewhere" x="{:.1}" y="{:.1}" text-anchor="{anchor}">{}</text>"#,
            self.x(x),
            y + 3.5,
            escape(&self.slots[node].form)
        );
    }

    /// Where an end of a piece is.
    fn end(&self, end: End, arc: &Arc, line: &Line, at_left: bool) -> f64 {
        let side = if at_left { 1.0 } else { -1.0 };
        match end {
            End::Head(node) => self.slots[node].x + side * TRUNK,
            // Two arcs to one word must not cover each other.
            End::Child(node) if !arc.kind.is_basic() => self.slots[node].x + side * TRUNK / 2.0,
            End::Child(node) => self.slots[node].x,
            End::Margin if at_left => line.left_margin,
            End::Margin => line.right_margin,
            End::Root => self.slots[arc.child].x,
        }
    }

    fn path(&self, piece: &Piece, (left, right): (f64, f64), y: f64, base: f64) -> String {
        let foot = |end: End| if matches!(end, End::Child(_)) { base - 4.0 } else { base };
        let (a, b) = (self.x(left), self.x(right));
        if piece.left == End::Root {
            return format!("M{b:.1} {y:.1}V{:.1}", foot(piece.right));
        }
        let r = CORNER.min((b - a).abs() / 2.0);
        let turn = r.copysign(b - a);
        let mut path = match piece.left {
            End::Margin => format!("M{a:.1} {y:.1}"),
            end => format!("M{a:.1} {:.1}V{:.1}q0 {:.1} {turn:.1} {:.1}", foot(end), y + r, -r, -r),
        };
        let _ = match piece.right {
            End::Margin => write!(path, "H{b:.1}"),
            end => write!(path, "H{:.1}q{turn:.1} 0 {turn:.1} {r:.1}V{:.1}", b - turn, foot(end)),
        };
        path
    }

    /// What an arc says when the pointer rests on it.
    fn about_arc(&self, arc: &Arc) -> String {
        let name =
            |node: usize| format!("{} ({})", self.slots[node].form, self.diagram.nodes[node].id());
        let head = arc.head.map_or("root".to_owned(), name);
        let mut text = format!("{head} → {}: {}", name(arc.child), shown(arc.label));
        if let Some(confidence) = arc.confidence {
            let _ = write!(text, "\nhead {:.1} %", 100.0 * confidence.head);
            if let Some(label) = confidence.label {
                let _ = write!(text, ", relation {:.1} %", 100.0 * label);
            }
        }
        if let Some(gold) = arc.gold_label {
            let _ = write!(text, "\ngold: {}", shown(gold));
        }
        let remark = match arc.kind {
            ArcKind::Crossing => "\nnot projective",
            ArcKind::Enhanced => "\nenhanced",
            ArcKind::Missing => "\ngold, not in the system's tree",
            ArcKind::WrongHead => "\nnot in gold",
            _ => "",
        };
        text + remark
    }
}

/// What a word says when the pointer rests on it.
fn about(token: Token<'_>) -> String {
    let mut text = format!("{} {}", token.id(), shown(token.form()));
    for column in [Column::Lemma, Column::Upos, Column::Xpos, Column::Feats] {
        let value = token.get(column);
        if value != "_" {
            let _ = write!(text, "\n{} {}", column.name().to_lowercase(), value.replace('|', " "));
        }
    }
    crate::offset::shortened(&text, 300)
}

fn class(kind: ArcKind) -> &'static str {
    match kind {
        ArcKind::Plain => "plain",
        ArcKind::Crossing => "crossing",
        ArcKind::Enhanced => "enhanced",
        ArcKind::Right => "correct",
        ArcKind::WrongLabel => "wrong-label",
        ArcKind::WrongHead => "wrong-head",
        ArcKind::Missing => "missing",
    }
}
