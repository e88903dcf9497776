//! The reliability diagram: how often a system is right, against how sure it is.
//!
//! Columns are the accuracies in bins of equal width, the curve joins bins of equal mass at their mean probability, and the
//! strip below shows how many words are in each bin of equal width. A calibrated system lies on the diagonal; below it, it is
//! too sure.

use std::fmt::Write as _;

use super::Report;
use crate::evaluate::Calibration;
use crate::markup::escape;

/// Rules for the classes in a diagram.
pub(super) const STYLE: &str = include_str!("reliability.css");

/// Size of a panel, the side of its square, and the strip below.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 430.0;
const SIDE: f64 = 290.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 40.0;
const STRIP: f64 = 44.0;
const STRIP_GAP: f64 = 8.0;

impl Report {
    /// The reliability diagrams of all systems as an SVG file.
    #[must_use]
    pub fn reliability_svg(&self) -> String {
        let panels = self.reliability_panels();
        let width = WIDTH * panels.len() as f64;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"reliability\" width=\"{width}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {width} {HEIGHT}\">\n<style>\n{STYLE}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
        );
        for (number, panel) in panels.iter().enumerate() {
            let _ = writeln!(
                svg,
                "<g transform=\"translate({} 0)\">{panel}</g>",
                WIDTH * number as f64
            );
        }
        svg + "</svg>\n"
    }

    /// The diagrams for a page, each an `svg` element.
    pub(super) fn reliability_elements(&self) -> String {
        let element = |panel: String| {
            format!(
                r#"<svg class="reliability" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{panel}</svg>"#
            )
        };
        self.reliability_panels().into_iter().map(element).collect()
    }

    fn reliability_panels(&self) -> Vec<String> {
        let one = |name: &str, calibration: &Calibration| match self.systems.len() {
            1 => panel(calibration, ""),
            _ => panel(calibration, name),
        };
        let systems = self.systems.iter();
        systems.flat_map(|s| s.calibrations.iter().map(|c| one(&s.document.name, c))).collect()
    }
}

fn x(probability: f64) -> f64 {
    LEFT + SIDE * probability
}

fn y(accuracy: f64) -> f64 {
    TOP + SIDE * (1.0 - accuracy)
}

fn panel(calibration: &Calibration, system: &str) -> String {
    let mut svg = String::new();
    let what = calibration.certainty.name();
    let title = if system.is_empty() { what.to_owned() } else { format!("{system}: {what}") };
    let _ = write!(
        svg,
        r#"<text class="title" x="{LEFT}" y="16">{}</text><text class="tick" x="{LEFT}" y="31">ECE {:.4} (equal width), {:.4} (equal mass)</text>"#,
        escape(&crate::offset::shortened(&title, 46)),
        calibration.ece_width,
        calibration.ece_mass
    );
    axes(&mut svg);
    columns(&mut svg, calibration);
    let _ =
        write!(svg, r#"<path class="diagonal" d="M{} {}L{} {}"/>"#, x(0.0), y(0.0), x(1.0), y(1.0));
    curve(&mut svg, calibration);
    svg
}

fn axes(svg: &mut String) {
    for tenth in (0..=10).step_by(2) {
        let value = f64::from(tenth) / 10.0;
        let _ = write!(
            svg,
            r#"<path class="grid" d="M{:.1} {TOP}V{:.1}M{LEFT} {:.1}H{:.1}"/><text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{value:.1}</text><text class="tick" x="{:.1}" y="{:.1}" text-anchor="middle">{value:.1}</text>"#,
            x(value),
            y(0.0),
            y(value),
            x(1.0),
            LEFT - 6.0,
            y(value) + 4.0,
            x(value),
            y(0.0) + STRIP_GAP + STRIP + 14.0
        );
    }
    let middle = y(0.5);
    let _ = write!(
        svg,
        r#"<text class="tick" transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">accuracy</text><text class="tick" x="{}" y="{}" text-anchor="middle">probability</text>"#,
        x(0.5),
        y(0.0) + STRIP_GAP + STRIP + 30.0
    );
}

/// Accuracy and number of words in each bin of equal width.
fn columns(svg: &mut String, calibration: &Calibration) {
    let most = calibration.equal_width.iter().map(|bin| bin.words).max().unwrap_or(0).max(1);
    for bin in calibration.equal_width.iter().filter(|bin| bin.words > 0) {
        let (left, width) = (x(bin.low) + 1.5, SIDE * (bin.high - bin.low) - 3.0);
        let _ = write!(
            svg,
            r#"<g><title>{:.1} to {:.1}: {} words, {:.1} % right, mean probability {:.3}</title>"#,
            bin.low,
            bin.high,
            bin.words,
            100.0 * bin.accuracy(),
            bin.mean
        );
        let height = STRIP * bin.words as f64 / most as f64;
        let floor = y(0.0) + STRIP_GAP + STRIP;
        let bars = [("column", y(bin.accuracy()), y(0.0)), ("share", floor - height, floor)];
        for (class, top, bottom) in bars {
            let _ = write!(
                svg,
                r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{:.1}"/>"#,
                bottom - top
            );
        }
        svg.push_str("</g>");
    }
}

fn curve(svg: &mut String, calibration: &Calibration) {
    let point = |bin: &crate::evaluate::ReliabilityBin| (x(bin.mean), y(bin.accuracy()));
    let points = calibration.equal_mass.iter().map(point);
    let path: Vec<_> = points.clone().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let _ = write!(svg, r#"<path class="curve" d="M{}"/>"#, path.join("L"));
    for ((x, y), bin) in points.zip(&calibration.equal_mass) {
        let _ = write!(
            svg,
            r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3"><title>{:.4} to {:.4}: {} words, {:.1} % right</title></circle>"#,
            bin.low,
            bin.high,
            bin.words,
            100.0 * bin.accuracy()
        );
    }
}
