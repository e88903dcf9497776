//! What a picture shows, before any geometry.

use crate::evaluate::Labels;
use crate::offset::shortened;
use crate::sentence::{Column, Sentence, Token, TokenId, universal_part};

/// Longest text that a picture shows of a form, tag or relation, in characters.
const LONGEST: usize = 40;

/// What gold says of a word of the system's sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldArc<'a> {
    /// The system's word that is the gold head, 0 for the root; `None` when the sentence has no such word.
    pub head: Option<u32>,
    /// The gold relation.
    pub label: &'a str,
}

/// A sentence and its arcs, ready to be drawn; see the [module](super).
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    pub(super) sent: &'a Sentence,
    /// Words and empty nodes, in order.
    pub(super) nodes: Vec<Token<'a>>,
    pub(super) arcs: Vec<Arc<'a>>,
    /// Multiword tokens: first and last node, and the form.
    pub(super) brackets: Vec<(usize, usize, &'a str)>,
    pub(super) compared: bool,
}

/// An arc between nodes, given by their positions.
#[derive(Clone, Debug)]
pub(super) struct Arc<'a> {
    /// `None` for the root.
    pub(super) head: Option<usize>,
    pub(super) child: usize,
    pub(super) label: &'a str,
    pub(super) kind: ArcKind,
    /// The gold relation where it differs.
    pub(super) gold_label: Option<&'a str>,
    pub(super) confidence: Option<Confidence>,
}

/// What is special about an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArcKind {
    Plain,
    /// Not projective; not shown in comparisons.
    Crossing,
    /// Of the enhanced graph, to or from an empty node.
    Enhanced,
    /// Head and relation as in gold.
    Right,
    /// Head as in gold, relation not.
    WrongLabel,
    /// Another head than in gold, or a word that gold does not have.
    WrongHead,
    /// Of gold, not in the system's tree.
    Missing,
}

impl ArcKind {
    /// Whether the arc belongs to the tree that is shown.
    pub(super) fn is_basic(self) -> bool {
        !matches!(self, ArcKind::Enhanced | ArcKind::Missing)
    }
}

/// Probabilities of a head, and of its relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Confidence {
    pub(super) head: f64,
    pub(super) label: Option<f64>,
}

impl<'a> Diagram<'a> {
    /// The basic tree, and the enhanced arcs of empty nodes.
    #[must_use]
    pub fn new(sent: &'a Sentence) -> Self {
        let mut diagram = Self::without_arcs(sent);
        let crossing = sent.tree().map(|tree| tree.non_projective_words()).unwrap_or_default();
        let kind = |word: u32| match crossing.binary_search(&word) {
            Ok(_) => ArcKind::Crossing,
            Err(_) => ArcKind::Plain,
        };
        let nodes = diagram.nodes_of_words();
        diagram.add_basic(&nodes, kind);
        diagram.add_enhanced(&nodes);
        diagram
    }

    /// The system's tree beside what gold says of each of its words, as
    /// [`Comparison::gold_arcs`](crate::evaluate::Comparison::gold_arcs) gives it. `labels` says how relations are compared.
    #[must_use]
    pub fn against(sent: &'a Sentence, gold: &[Option<GoldArc<'a>>], labels: Labels) -> Self {
        let mut diagram = Self::without_arcs(sent);
        diagram.compared = true;
        let nodes = diagram.nodes_of_words();
        diagram.add_basic(&nodes, |_| ArcKind::WrongHead);
        let mut missing = Vec::new();
        for arc in &mut diagram.arcs {
            let token = diagram.nodes[arc.child];
            let gold = token.number().and_then(|word| *gold.get(word as usize - 1)?);
            let Some(gold) = gold else { continue };
            if gold.head == token.head() {
                let same = labels.same(gold.label, arc.label);
                arc.kind = if same { ArcKind::Right } else { ArcKind::WrongLabel };
                arc.gold_label = (!same).then_some(gold.label);
            } else if let Some(head) = gold.head {
                let head = if head == 0 { None } else { nodes.get(head as usize - 1).copied() };
                let (child, label) = (arc.child, gold.label);
                missing.push(Arc { head, label, kind: ArcKind::Missing, ..Arc::plain(child) });
            }
        }
        diagram.arcs.extend(missing);
        diagram
    }

    fn without_arcs(sent: &'a Sentence) -> Self {
        let (mut nodes, mut brackets) = (Vec::new(), Vec::new());
        for token in sent.tokens() {
            match token.id() {
                TokenId::Range(first, last) => {
                    let words = (last as usize + 1).saturating_sub(first as usize);
                    brackets.push((nodes.len(), words, token.form()));
                }
                _ => nodes.push(token),
            }
        }
        // Empty nodes may stand between the words of a range.
        let brackets = brackets.into_iter().filter_map(|(first, words, form)| {
            let inside = nodes.iter().enumerate().skip(first);
            let (last, _) =
                inside.filter(|(_, node)| node.number().is_some()).nth(words.checked_sub(1)?)?;
            Some((first, last, form))
        });
        let brackets = brackets.collect();
        Self { sent, nodes, arcs: Vec::new(), brackets, compared: false }
    }

    /// Position of each word among the nodes.
    fn nodes_of_words(&self) -> Vec<usize> {
        let words = self.nodes.iter().enumerate().filter(|(_, node)| node.number().is_some());
        words.map(|(index, _)| index).collect()
    }

    fn add_basic(&mut self, nodes: &[usize], kind: impl Fn(u32) -> ArcKind) {
        for (number, &child) in (1..).zip(nodes) {
            let token = self.nodes[child];
            let head = match token.head() {
                Some(0) => None,
                // A head that does not exist is not drawn.
                Some(head) => match nodes.get(head as usize - 1) {
                    Some(&node) if node != child => Some(node),
                    _ => continue,
                },
                None => continue,
            };
            let confidence = confidence(token);
            let (label, kind) = (token.deprel(), kind(number));
            self.arcs.push(Arc { head, label, kind, confidence, ..Arc::plain(child) });
        }
    }

    /// The enhanced arcs that start or end at an empty node.
    fn add_enhanced(&mut self, nodes: &[usize]) {
        let empty_nodes: Vec<_> = (0..self.nodes.len())
            .filter(|&index| self.nodes[index].number().is_none())
            .map(|index| (self.nodes[index].id(), index))
            .collect();
        if empty_nodes.is_empty() {
            return;
        }
        for child in 0..self.nodes.len() {
            let token = self.nodes[child];
            for dep in token.deps().filter(|dep| dep.empty > 0 || token.number().is_none()) {
                let head = if dep.empty > 0 {
                    let id = TokenId::Empty(dep.head, dep.empty);
                    let found = empty_nodes.binary_search_by_key(&id, |&(id, _)| id);
                    found.ok().map(|found| empty_nodes[found].1)
                } else {
                    (dep.head as usize).checked_sub(1).and_then(|word| nodes.get(word).copied())
                };
                let root = dep.head == 0 && dep.empty == 0;
                if root || head.is_some_and(|head| head != child) {
                    let (label, kind) = (dep.label, ArcKind::Enhanced);
                    self.arcs.push(Arc { head, label, kind, ..Arc::plain(child) });
                }
            }
        }
    }

    /// Number of words whose head or relation is not that of gold.
    #[must_use]
    pub fn errors(&self) -> usize {
        let wrong = |arc: &&Arc| matches!(arc.kind, ArcKind::WrongHead | ArcKind::WrongLabel);
        self.arcs.iter().filter(wrong).count()
    }
}

impl<'a> Arc<'a> {
    fn plain(child: usize) -> Self {
        Self {
            head: None,
            child,
            label: "",
            kind: ArcKind::Plain,
            gold_label: None,
            confidence: None,
        }
    }

    /// The relation as it is shown; with that of gold where it differs.
    pub(super) fn shown_label(&self) -> String {
        let label = shown(self.label);
        match self.gold_label {
            Some(gold) => format!("{label} ≠ {}", shown(gold)),
            None => label,
        }
    }
}

impl Labels {
    fn same(self, a: &str, b: &str) -> bool {
        match self {
            Labels::Full => a == b,
            Labels::Universal => universal_part(a) == universal_part(b),
        }
    }
}

fn confidence(token: Token<'_>) -> Option<Confidence> {
    let probability = |name| {
        let value: f64 = token.misc_value(name)?.parse().ok()?;
        (0.0..=1.0).contains(&value).then_some(value)
    };
    probability("HeadProb").map(|head| Confidence { head, label: probability("LabelProb") })
}

/// The tag that a picture shows: UPOS, or XPOS where that is `_`.
pub(super) fn tag(token: Token<'_>) -> String {
    let column = if token.upos() == "_" { Column::Xpos } else { Column::Upos };
    match token.get(column) {
        "_" => String::new(),
        tag => shown(tag),
    }
}

/// A text of reasonable length without characters that would change the rest of the picture: controls and marks of
/// direction become visible.
pub(super) fn shown(text: &str) -> String {
    let visible = |c: char| match c {
        c if c.is_control() => '\u{fffd}',
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    shortened(text, LONGEST).chars().map(visible).collect()
}
