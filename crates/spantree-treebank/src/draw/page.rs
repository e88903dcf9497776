//! Many sentences on one self-contained web page: no script, no outside resource, readable in light and dark mode.

use std::fmt::Write as _;

use super::diagram::Diagram;
use super::svg::{STYLE as TREE_STYLE, SvgStyle};
use crate::markup::{PAGE_END, escape, page_start};

const STYLE: &str = include_str!("page.css");

/// The parts of a page, to be written one after the other: [`Page::start`], a [`Page::sentence`] each, [`Page::end`].
///
/// ```
/// use spantree_treebank::Sentence;
/// use spantree_treebank::draw::{Diagram, Page};
/// let sent = Sentence::from_words(&[("Hi", "INTJ", 0, "root")]);
/// let page = Page::default();
/// let html = page.start("Greetings") + &page.sentence(&sent, &[("", Diagram::new(&sent))]) + page.end();
/// assert!(html.contains("<svg"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Page {
    /// How trees are drawn.
    pub style: SvgStyle,
    /// Whether trees are compared with gold: a legend, counts of errors, and a switch that leaves only sentences with errors.
    pub compared: bool,
}

impl Page {
    /// The head of the page.
    #[must_use]
    pub fn start(&self, title: &str) -> String {
        let mut page = page_start(title, &format!("{TREE_STYLE}{STYLE}"));
        let _ = writeln!(page, "<h1>{}</h1>", escape(title));
        if self.compared {
            page.push_str(
                "<p class=\"legend\"><span class=\"item\"><i class=\"key correct\"></i>as in gold</span>\
                 <span class=\"item\"><i class=\"key wrong-label\"></i>another relation (≠ gold)</span>\
                 <span class=\"item\"><i class=\"key wrong-head\"></i>another head</span>\
                 <span class=\"item\"><i class=\"key missing\"></i>gold arc that is missing</span></p>\n\
                 <p><label><input type=\"checkbox\" id=\"errors-only\"> only sentences with errors</label></p>\n",
            );
        } else {
            page.push_str(
                "<p class=\"legend\"><span class=\"item\"><i class=\"key crossing\"></i>not projective</span>\
                 <span class=\"item\"><i class=\"key enhanced\"></i>enhanced, of an empty node</span>\
                 <span class=\"item\">the paler an arc, the less sure the parser</span></p>\n",
            );
        }
        page
    }

    /// A sentence with one or more trees, each with its caption (which may be empty).
    #[must_use]
    pub fn sentence(&self, sent: &crate::Sentence, trees: &[(&str, Diagram<'_>)]) -> String {
        let errors = trees.iter().map(|(_, diagram)| diagram.errors()).max().unwrap_or(0);
        let class = if self.compared && errors == 0 { " class=\"flawless\"" } else { "" };
        let text = sent.text().map_or_else(|| sent.surface_text(), str::to_owned);
        let mut html = format!("<section{class}>\n<h2>{}", escape(sent.sent_id().unwrap_or("–")));
        let of = |count: usize| format!("{count} of {} words wrong", sent.len());
        if let ([(_, diagram)], true) = (trees, self.compared) {
            let _ = write!(html, " <span class=\"muted\">{}</span>", of(diagram.errors()));
        }
        let _ = writeln!(html, "</h2>\n<p class=\"text\" dir=\"auto\">{}</p>", escape(&text));
        for (caption, diagram) in trees {
            if !caption.is_empty() {
                let errors = if self.compared { of(diagram.errors()) } else { String::new() };
                let _ = writeln!(
                    html,
                    "<p class=\"caption\">{} <span class=\"muted\">{errors}</span></p>",
                    escape(caption)
                );
            }
            let _ = writeln!(
                html,
                "<div class=\"scroll\">{}</div>",
                diagram.to_svg(&self.style).element()
            );
        }
        html + "</section>\n"
    }

    /// The end of the page.
    #[must_use]
    pub fn end(&self) -> &'static str {
        PAGE_END
    }
}
