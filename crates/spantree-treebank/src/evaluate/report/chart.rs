//! Plots as inline SVG. Colours are CSS variables of the page, so that they follow light and dark mode.

use std::fmt::Write as _;

use crate::markup::escape;

/// A curve: one value per category, none where there is nothing to count.
pub(super) struct Series {
    pub(super) values: Vec<Option<f64>>,
    /// What a point says when the pointer rests on it.
    pub(super) notes: Vec<String>,
}

/// Size of a line chart and the room for its axes.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;

/// Number of colours that the page defines.
pub(super) const COLOURS: usize = 6;

/// Curves over categories from `low` to 1, with grey columns behind them for the share of each category.
pub(super) fn line_chart(
    categories: &[&str],
    shares: &[f64],
    series: &[Series],
    low: f64,
) -> String {
    let step = (WIDTH - LEFT - RIGHT) / categories.len().max(1) as f64;
    let x = |index: usize| LEFT + (index as f64 + 0.5) * step;
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (value - low) / (1.0 - low));
    let mut svg = format!(r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#);
    share_columns(&mut svg, shares, &x, step);
    grid(&mut svg, low, &y);
    for (index, category) in categories.iter().enumerate() {
        let (x, y) = (x(index), HEIGHT - BOTTOM + 16.0);
        let _ = write!(
            svg,
            r#"<text class="tick" x="{x:.1}" y="{y}" text-anchor="middle">{}</text>"#,
            escape(category)
        );
    }
    for (number, series) in series.iter().enumerate() {
        curve(&mut svg, number % COLOURS, series, &x, &y);
    }
    svg + "</svg>"
}

/// Where an axis for these curves starts: at the largest tenth that leaves some room below all points and has a grid line.
pub(super) fn axis_start<'s>(series: impl Iterator<Item = &'s Series>) -> f64 {
    let values = series.flat_map(|series| series.values.iter().flatten());
    let lowest = values.copied().fold(1.0, f64::min);
    let tenths = (10.3 - lowest * 10.0).ceil().clamp(1.0, 10.0) as u32;
    1.0 - f64::from(tenths.next_multiple_of(grid_stride(tenths))) / 10.0
}

/// Tenths between grid lines, for an axis of so many tenths.
fn grid_stride(tenths: u32) -> u32 {
    if tenths > 5 { 2 } else { 1 }
}

fn share_columns(svg: &mut String, shares: &[f64], x: &impl Fn(usize) -> f64, step: f64) {
    let largest = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (index, share) in shares.iter().enumerate() {
        let height = (HEIGHT - TOP - BOTTOM) * 0.45 * share / largest;
        let (left, top, width) = (x(index) - 0.36 * step, HEIGHT - BOTTOM - height, 0.72 * step);
        let _ = write!(
            svg,
            r#"<rect class="share" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"><title>{:.1} % of the gold arcs</title></rect>"#,
            100.0 * share
        );
    }
}

fn grid(svg: &mut String, low: f64, y: &impl Fn(f64) -> f64) {
    let tenths = ((1.0 - low) * 10.0).round() as u32;
    let stride = grid_stride(tenths);
    for tenth in (0..=tenths).filter(|tenth| (tenths - tenth).is_multiple_of(stride)) {
        let value = low + f64::from(tenth) / 10.0;
        let (y, right) = (y(value), WIDTH - RIGHT);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/><text class="tick" x="{}" y="{:.1}" text-anchor="end">{:.0}</text>"#,
            LEFT - 6.0,
            y + 4.0,
            100.0 * value
        );
    }
}

fn curve(
    svg: &mut String,
    colour: usize,
    series: &Series,
    x: &impl Fn(usize) -> f64,
    y: &impl Fn(f64) -> f64,
) {
    let mut path = String::new();
    let mut pen = 'M';
    for (index, value) in series.values.iter().enumerate() {
        match value {
            Some(value) => {
                let _ = write!(path, "{pen}{:.1} {:.1}", x(index), y(*value));
                pen = 'L';
            }
            None => pen = 'M',
        }
    }
    let _ = write!(svg, r#"<path class="curve c{colour}" d="{path}"/>"#);
    for (index, (value, note)) in series.values.iter().zip(&series.notes).enumerate() {
        if let Some(value) = value {
            let (x, y) = (x(index), y(*value));
            let _ = write!(
                svg,
                r#"<circle class="dot c{colour}" cx="{x:.1}" cy="{y:.1}" r="3.2"><title>{}</title></circle>"#,
                escape(note)
            );
        }
    }
}

/// Gold labels down, system labels across; the shade is the share of the gold label's words.
pub(super) fn confusion_matrix(labels: &[&str], counts: &[Vec<u64>]) -> String {
    const CELL: f64 = 38.0;
    const MARGIN: f64 = 92.0;
    let size = MARGIN + CELL * labels.len() as f64;
    let width = size + 60.0;
    let mut svg = format!(
        r#"<svg class="matrix" viewBox="0 0 {width} {size}" style="max-width:{width}px" role="img">"#
    );
    for (index, label) in labels.iter().enumerate() {
        let at = MARGIN + (index as f64 + 0.5) * CELL;
        let (label, across, down) = (escape(label), MARGIN - 8.0, at + 4.0);
        let _ = write!(
            svg,
            r#"<text class="tick" x="{across}" y="{down}" text-anchor="end">{label}</text><text class="tick" transform="translate({at} {across}) rotate(-45)">{label}</text>"#
        );
    }
    let darkest = counts.iter().enumerate().flat_map(|(row, cells)| error_shares(row, cells));
    let darkest = darkest.fold(f64::MIN_POSITIVE, f64::max);
    for (row, cells) in counts.iter().enumerate() {
        for ((column, &count), share) in cells.iter().enumerate().zip(error_shares(row, cells)) {
            let (x, y) = (MARGIN + column as f64 * CELL, MARGIN + row as f64 * CELL);
            // The square root lets small shares be seen.
            let (class, shade) = if row == column {
                ("right", 0.2)
            } else {
                ("wrong", 0.8 * (share / darkest).sqrt())
            };
            let _ = write!(
                svg,
                r#"<g><title>{} as {}: {count}</title><rect class="{class}" x="{x}" y="{y}" width="{w}" height="{w}" fill-opacity="{shade:.2}"/>"#,
                escape(labels[row]),
                escape(labels[column]),
                w = CELL - 1.0
            );
            if count > 0 {
                let (x, y) = (x + CELL / 2.0, y + CELL / 2.0 + 4.0);
                let _ = write!(
                    svg,
                    r#"<text class="count" x="{x}" y="{y}" text-anchor="middle">{count}</text>"#
                );
            }
            svg.push_str("</g>");
        }
    }
    svg + "</svg>"
}

/// The share of each cell in its row; 0 for the right one.
fn error_shares(row: usize, cells: &[u64]) -> impl Iterator<Item = f64> {
    let total = cells.iter().sum::<u64>().max(1) as f64;
    let share =
        move |column: usize, count: u64| if row == column { 0.0 } else { count as f64 / total };
    cells.iter().enumerate().map(move |(column, &count)| share(column, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_start_at_a_grid_line_below_all_points() {
        let start = |values: &[f64]| {
            let values = values.iter().copied().map(Some).collect();
            let series = Series { values, notes: Vec::new() };
            (axis_start(std::iter::once(&series)) * 10.0).round() as u32
        };
        assert_eq!(start(&[]), 9);
        assert_eq!(start(&[1.0, 0.95]), 9);
        assert_eq!(start(&[0.92, 1.0]), 8, "too close to the line at 0.9");
        assert_eq!(start(&[0.55]), 5);
        assert_eq!(start(&[0.39]), 2, "lines at every fifth from here on");
        assert_eq!(start(&[0.0]), 0);
    }
}
