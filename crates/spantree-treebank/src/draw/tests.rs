//! Drawings are read back: every tree can be told from its text, arcs do not collide, nothing is lost or takes over.

use super::diagram::ArcKind;
use super::layout::{End, Layout};
use super::*;
use crate::evaluate::Labels;
use crate::sentence::{Column, Sentence, TokenId};
use crate::tree::for_each_tree;

const PLAIN: TextStyle = TextStyle { ascii: false, colour: false };

fn sentence(heads: &[u32]) -> Sentence {
    let words: Vec<_> = heads.iter().map(|&head| ("w", "X", head, "dep")).collect();
    Sentence::from_words(&words)
}

fn text(sent: &Sentence) -> String {
    Diagram::new(sent).to_text(PLAIN)
}

/// The heads that a reader of the drawing sees: from each word along its line to the left, then along the vertical.
fn read_heads(drawing: &str) -> Vec<u32> {
    let rows: Vec<Vec<char>> = drawing.lines().map(|line| line.chars().collect()).collect();
    let is_node = |c: char| "┾┮┶╼·".contains(c);
    let head = |row: usize| {
        let mut column = rows[row].iter().position(|&c| is_node(c)).unwrap() - 1;
        while !"├╭╰".contains(rows[row][column]) {
            assert!("─╪".contains(rows[row][column]), "broken line in\n{drawing}");
            match column.checked_sub(1) {
                Some(left) => column = left,
                None => return 0,
            }
        }
        let reached = |step: isize| {
            let mut at = row;
            loop {
                at = at.checked_add_signed(step).filter(|&at| at < rows.len())?;
                match rows[at].get(column).copied().unwrap_or(' ') {
                    '├' | '│' | '╪' => {}
                    c if is_node(c) => return Some(at),
                    _ => return None,
                }
            }
        };
        let head = match rows[row][column] {
            '╭' => reached(1),
            '╰' => reached(-1),
            _ => reached(-1).or_else(|| reached(1)),
        };
        let head = head.unwrap_or_else(|| panic!("no head for row {row} in\n{drawing}"));
        head as u32 + 1
    };
    (0..rows.len()).map(head).collect()
}

#[test]
fn every_tree_can_be_read_from_its_text() {
    for len in 1..=6 {
        for_each_tree(len, |tree| {
            let drawing = text(&sentence(tree.heads()));
            assert_eq!(read_heads(&drawing), tree.heads(), "\n{drawing}");
        });
    }
}

#[test]
fn pieces_of_arcs_do_not_collide() {
    for_each_tree(5, |tree| {
        let sent = sentence(tree.heads());
        let diagram = Diagram::new(&sent);
        for width in [1000.0, 120.0, 60.0] {
            let layout = Layout::new(&diagram, width);
            let mut drawn = 0;
            for line in &layout.lines {
                for (index, a) in line.pieces.iter().enumerate() {
                    drawn += usize::from(!a.is_shared());
                    for b in &line.pieces[..index] {
                        let apart = a.gaps.1 < b.gaps.0 || b.gaps.1 < a.gaps.0;
                        assert!(apart || a.level != b.level, "{:?}", tree.heads());
                    }
                    if let (Some(left), Some(right)) = (a.left.node(), a.right.node()) {
                        let room = layout.slots[right].x - layout.slots[left].x;
                        assert!(room > extent::width(&a.label, layout::LABEL));
                    }
                }
            }
            assert_eq!(drawn, tree.len(), "every arc is drawn once");
            let words: usize = layout.lines.iter().map(|line| line.end - line.first).sum();
            assert_eq!(words, tree.len());
        }
    });
}

#[test]
fn everything_of_a_sentence_is_in_the_text() {
    let mut sent = Sentence::new();
    let range = sent.push_row(TokenId::Range(1, 2));
    sent.set_token(range, Column::Form, "du");
    for (form, upos, head, deprel) in
        [("de", "ADP", 3, "case"), ("le", "DET", 3, "det"), ("日本", "PROPN", 0, "root")]
    {
        let word = sent.push_word(form);
        sent.set(word, Column::Upos, upos);
        sent.set_head(word, Some(head));
        sent.set(word, Column::Deprel, deprel);
    }
    let empty = sent.push_row(TokenId::Empty(3, 1));
    sent.set_token(empty, Column::Form, "est");
    sent.set_token(empty, Column::Deps, "3:cop|0:root");
    sent.set(1, Column::Misc, "HeadProb=0.75|LabelProb=0.5");
    let expected = " ╭─╼ de  ADP    case            0.75 0.50  ╮ du\n \
                    ├─╼ le  DET    det                        ╯\n\
                    ─┶ 日本  PROPN  root\n \
                    · est          (3:cop 0:root)\n";
    assert_eq!(text(&sent), expected);
    let ascii = Diagram::new(&sent).to_text(TextStyle { ascii: true, colour: false });
    assert!(ascii.starts_with(" +-- de "), "{ascii}");
    assert!(ascii.lines().all(|line| line.replace("日本", "").is_ascii()), "{ascii}");
    let colour = Diagram::new(&sent).to_text(TextStyle { ascii: false, colour: true });
    assert!(colour.contains("\u{1b}[1mde\u{1b}[0m") && colour.contains("\u{1b}[33m0.75 0.50"));
    let svg = stack(&[Diagram::new(&sent).to_svg(&SvgStyle::default())]);
    for part in [">du<", ">日本<", ">est<", "class=\"arc enhanced\"", "opacity=\"0.36\""] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
}

#[test]
fn broken_sentences_are_drawn_as_far_as_they_go() {
    let cycle = text(&sentence(&[2, 1, 0, 1]));
    assert_eq!(cycle.lines().count(), 4, "{cycle}");
    assert!(cycle.lines().next().unwrap().ends_with("↑ 2"), "{cycle}");
    let mut sent = sentence(&[0, 9, 3, 1]);
    sent.set_head(4, None);
    let outside = text(&sent);
    assert!(outside.contains("↑ 9") && outside.contains("↑ 3"), "{outside}");
    assert_eq!(text(&Sentence::new()), "");
    for sent in [&sent, &Sentence::new()] {
        let _ = stack(&[Diagram::new(sent).to_svg(&SvgStyle::default())]);
    }
}

#[test]
fn forms_cannot_become_markup_or_control_a_terminal() {
    let hostile = "</text><script>alert('\"x\"')</script>\u{1b}[2J\u{202e}&";
    let mut sent = Sentence::from_words(&[(hostile, hostile, 0, hostile)]);
    sent.push_comment(&format!("# text = {hostile}"));
    sent.push_comment(&format!("# sent_id = {hostile}"));
    sent.set(1, Column::Lemma, hostile);
    let page = Page::default();
    let trees = [(hostile, Diagram::new(&sent))];
    let html = page.start(hostile) + &page.sentence(&sent, &trees) + page.end();
    assert!(!html.contains("<script") && !html.contains('\u{1b}'), "{html}");
    assert!(!html.contains("://") && !html.contains("src=") && !html.contains("@import"));
    let drawing = text(&sent);
    assert!(!drawing.contains(['\u{1b}', '\u{202e}']), "{drawing:?}");
    check_nesting(&stack(&[Diagram::new(&sent).to_svg(&SvgStyle::default())]));
}

/// Elements close in the order in which they open.
fn check_nesting(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn long_sentences_wrap_and_stay_small() {
    // One head for all words: the worst case for arcs that leave their line.
    let size = |len: usize| {
        let mut heads = vec![1; len];
        heads[0] = 0;
        let sent = sentence(&heads);
        let picture = Diagram::new(&sent).to_svg(&SvgStyle::default());
        assert!(picture.width < 1100.0);
        (stack(&[picture]).len(), text(&sent).len())
    };
    let (small, large) = (size(1000), size(2000));
    assert!(large.0 < small.0 * 5 / 2 && large.1 < small.1 * 5 / 2, "{small:?} {large:?}");
    // A chain is too deep for a terminal: it starts again at the left.
    let chain: Vec<u32> = (0..2000).collect();
    let drawing = text(&sentence(&chain));
    assert!(drawing.lines().all(|line| line.chars().count() < 160));
    assert_eq!(drawing.matches('↑').count(), 2000 / 61, "a round of 61 words fits");
    let vast: Vec<u32> = (0..20_000).collect();
    assert_eq!(text(&sentence(&vast)).lines().count(), 20_000);
}

#[test]
fn multiword_tokens_are_not_broken() {
    let mut sent = Sentence::new();
    for word in 1..=30 {
        if word % 3 == 1 {
            sent.push_row(TokenId::Range(word, word + 2));
        }
        sent.push_word("word");
        sent.set_head(word, Some(word - 1));
    }
    let diagram = Diagram::new(&sent);
    let layout = Layout::new(&diagram, 300.0);
    assert!(layout.lines.len() > 3);
    assert!(layout.lines.iter().all(|line| line.first % 3 == 0));
}

#[test]
fn arcs_are_compared_with_gold() {
    let system = Sentence::from_words(&[
        ("a", "X", 2, "nsubj"),
        ("b", "X", 0, "root"),
        ("c", "X", 2, "obl:tmod"),
        ("d", "X", 3, "det"),
        ("e", "X", 2, "new"),
    ]);
    let gold = |head, label| Some(GoldArc { head: Some(head), label });
    let gold = [gold(2, "obj"), gold(0, "root"), gold(2, "obl"), gold(2, "det"), None];
    let kinds = |labels| {
        let diagram = Diagram::against(&system, &gold, labels);
        let kinds: Vec<_> = diagram.arcs.iter().map(|arc| arc.kind).collect();
        (kinds, diagram.errors())
    };
    use ArcKind::{Missing, Right, WrongHead, WrongLabel};
    let universal = vec![WrongLabel, Right, Right, WrongHead, WrongHead, Missing];
    assert_eq!(kinds(Labels::Universal), (universal, 3));
    let full = vec![WrongLabel, Right, WrongLabel, WrongHead, WrongHead, Missing];
    assert_eq!(kinds(Labels::Full), (full, 4));
    let text = Diagram::against(&system, &gold, Labels::Universal).to_text(PLAIN);
    assert!(text.contains("gold: obj") && text.contains("gold: det ↑ b (2)"), "{text}");
}

#[test]
fn right_to_left_sentences_start_at_the_right() {
    let place = |forms: [&str; 2]| {
        let sent = Sentence::from_words(&[(forms[0], "X", 0, "root"), (forms[1], "X", 1, "dep")]);
        let svg = stack(&[Diagram::new(&sent).to_svg(&SvgStyle::default())]);
        let x = |form: &str| -> f64 {
            let before = svg.split(&format!(">{form}</text>")).next().unwrap();
            before.rsplit("x=\"").next().unwrap().split('"').next().unwrap().parse().unwrap()
        };
        x(forms[0]) < x(forms[1])
    };
    assert!(place(["one", "two"]));
    assert!(!place(["بۇ", "ئىدى"]));
}

#[test]
fn crossing_arcs_and_roots_are_marked() {
    let sent = sentence(&[2, 3, 0, 3, 2, 7, 5, 4]);
    let diagram = Diagram::new(&sent);
    let crossing: Vec<_> =
        diagram.arcs.iter().filter(|a| a.kind == ArcKind::Crossing).map(|a| a.child + 1).collect();
    assert_eq!(
        crossing,
        sent.tree().unwrap().non_projective_words().iter().map(|&w| w as usize).collect::<Vec<_>>()
    );
    assert!(!crossing.is_empty());
    let layout = Layout::new(&diagram, 1000.0);
    let roots = layout.lines[0].pieces.iter().filter(|piece| piece.left == End::Root);
    assert_eq!(roots.map(|piece| piece.right).collect::<Vec<_>>(), [End::Child(2)]);
}
