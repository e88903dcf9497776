//! `eval --trees`: the systems' trees with their errors.

use std::path::Path;

use anyhow::Result;
use spantree::treebank::draw::{Diagram, Page, SvgStyle, TextStyle, stack};
use spantree::treebank::evaluate::{Comparison, Convention, Document, Labels, ReportOptions};

use crate::output::{Target, heading};

/// Draws the trees of every system in the form that the name of the file asks for.
pub(super) fn draw(
    path: &Path,
    gold: &Document,
    systems: &[Document],
    options: &ReportOptions,
) -> Result<String> {
    let comparisons = systems.iter().map(|system| match options.convention {
        Convention::Ud => Comparison::by_text(gold, system, options.roots),
        Convention::Conll => Comparison::by_position(gold, system, options.roots),
    });
    let comparisons = comparisons.collect::<Result<Vec<_>, _>>()?;
    let labels = options.attachment.labels;
    let all = comparisons.iter().flat_map(|comparison| {
        (0..comparison.system().sentences().len()).map(move |index| (comparison, index))
    });
    Ok(match Target::from_path(path) {
        Some(Target::Svg) => {
            let picture = |(c, index)| diagram(c, index, labels).to_svg(&SvgStyle::default());
            stack(&all.map(picture).collect::<Vec<_>>())
        }
        Some(Target::Html) => page(gold, &comparisons, labels),
        _ => {
            let text = |(c, index): (&Comparison<'_>, usize)| {
                let sent = &c.system().sentences()[index];
                heading(sent) + &diagram(c, index, labels).to_text(TextStyle::default()) + "\n"
            };
            all.map(text).collect()
        }
    })
}

/// A sentence of the system with what gold says of it.
fn diagram<'d>(comparison: &Comparison<'d>, index: usize, labels: Labels) -> Diagram<'d> {
    let sent = &comparison.system().sentences()[index];
    Diagram::against(sent, &comparison.gold_arcs(index), labels)
}

/// A page on which the trees of all systems for a sentence stand together, when they have the same sentences.
fn page(gold: &Document, comparisons: &[Comparison<'_>], labels: Labels) -> String {
    let page = Page { style: SvgStyle::default(), compared: true };
    let mut html = page.start(&format!("Errors against {}", gold.name()));
    let [first, others @ ..] = comparisons else { return html + page.end() };
    let count = first.system().sentences().len();
    let together = others.iter().all(|other| other.system().sentences().len() == count);
    let groups: Vec<&[Comparison]> = match together {
        true => vec![comparisons],
        false => comparisons.chunks(1).collect(),
    };
    for group in groups {
        for (index, sent) in group[0].system().sentences().iter().enumerate() {
            let names =
                group.iter().map(|c| if comparisons.len() > 1 { c.system().name() } else { "" });
            let trees: Vec<_> =
                names.zip(group.iter().map(|c| diagram(c, index, labels))).collect();
            html += &page.sentence(sent, &trees);
        }
    }
    html + page.end()
}
