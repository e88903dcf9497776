//! How wide a text is in a sans-serif font, near enough to lay out pictures without one.

use unicode_normalization::char::decompose_canonical;
use unicode_width::UnicodeWidthChar;

/// Widths of ASCII characters from the space on, in thousandths of the font size: those of Helvetica.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Other fonts of the same kind are wider by up to this factor.
const MARGIN: f64 = 1.16;

/// The width of `text` at a font size, in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(thousandths).sum();
    f64::from(thousandths) / 1000.0 * size * MARGIN
}

fn thousandths(c: char) -> u32 {
    let mut base = c;
    if !c.is_ascii() {
        let mut first = None;
        decompose_canonical(c, |part| first = first.or(Some(part)));
        base = first.unwrap_or(c);
    }
    let ascii = (base as usize).checked_sub(0x20).and_then(|index| ASCII.get(index));
    match (ascii, base.width()) {
        (Some(&width), _) => u32::from(width),
        (None, Some(0) | None) => 0,
        (None, Some(1)) => 610,
        // Ideographs and emoji are squares.
        (None, Some(_)) => 1000,
    }
}

/// Whether most letters of `text` are written from right to left.
pub(super) fn is_right_to_left<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let (mut right_to_left, mut other) = (0usize, 0usize);
    for c in texts.flat_map(str::chars).filter(|c| c.is_alphabetic()) {
        match c {
            // Hebrew, Arabic, Syriac, Thaana, N'Ko and their neighbours; presentation forms; ancient and African scripts.
            '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}' => right_to_left += 1,
            _ => other += 1,
        }
    }
    right_to_left > other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_characters() {
        assert_eq!(width("", 10.0), 0.0);
        assert_eq!(width("ü", 10.0), width("u", 10.0));
        assert_eq!(width("u\u{308}", 10.0), width("u", 10.0), "combining marks take no room");
        assert!((width("日本", 10.0) - 23.2).abs() < 1e-9);
        assert!(width("W", 10.0) > 3.0 * width("i", 10.0));
    }

    #[test]
    fn direction_is_that_of_most_letters() {
        let right_to_left = |text: &str| is_right_to_left(text.split(' '));
        assert!(right_to_left("بۇ Linux ئەمەس ، 2024"));
        assert!(!right_to_left("Arabic : بۇ"));
        assert!(!right_to_left("1 2 !"));
    }
}
