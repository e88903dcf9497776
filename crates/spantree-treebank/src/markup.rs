//! What all HTML and SVG outputs share: escaping, and the frame and look of a page.

/// Colours and type of every page; charts and trees add their own rules.
const STYLE: &str = include_str!("markup/page.css");

/// The start of a self-contained page up to its body; `style` is added to that of all pages.
pub(crate) fn page_start(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n",
        escape(title)
    )
}

/// The end of a page.
pub(crate) const PAGE_END: &str = "</body>\n</html>\n";

/// Text that means itself in HTML and SVG; characters that XML cannot hold become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a b='\"&\">"), "&lt;a b=&#39;&quot;&amp;&quot;&gt;");
        assert_eq!(escape("a\0\u{1b}\u{ffff}b\té"), "a\u{fffd}\u{fffd}\u{fffd}b\té");
    }
}
