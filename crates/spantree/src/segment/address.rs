//! Web and e-mail addresses: stretches of characters that stay one token.
//!
//! An address is recognised inside a stretch without white space, by `scheme://`, `www.`, `mailto:` or an `@` between word
//! characters with a dot somewhere after it. It ends before closing punctuation that prose adds: full stops, commas, quotes,
//! and brackets that were not opened inside. Linear in the stretch.

use super::scan::Cell;

/// The first address in `cells`, as a range of positions.
pub(super) fn find(cells: &[Cell]) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    for (at, cell) in cells.iter().enumerate() {
        let start = match cell.folded {
            ':' if follows(cells, at, "://") => scheme_start(&cells[from..at]).map(|n| from + n),
            '.' if at >= 3 && at - 3 >= from && follows(cells, at - 3, "www.") => {
                word_start(cells, at - 3).then_some(at - 3)
            }
            '@' if is_mail(cells, at) => Some(mail_start(cells, from, at)),
            _ => None,
        };
        if let Some(start) = start {
            let end = end_of_address(cells, start, at);
            if end > at + 1 {
                return Some(start..end);
            }
            from = at + 1;
        }
    }
    None
}

fn follows(cells: &[Cell], at: usize, text: &str) -> bool {
    let mut cells = cells[at..].iter();
    text.chars().all(|c| cells.next().is_some_and(|cell| cell.folded == c))
}

fn word_start(cells: &[Cell], at: usize) -> bool {
    at == 0 || !cells[at - 1].class.is_word()
}

/// Where the letters of a scheme start; at most ten, so that looking back costs a constant.
fn scheme_start(before: &[Cell]) -> Option<usize> {
    let letters = before.iter().rev().take(11).take_while(|cell| cell.folded.is_ascii_lowercase());
    let count = letters.count();
    (2..=10).contains(&count).then(|| before.len() - count)
}

/// `x@y…z.z`: a word character on both sides and a dot between word characters after it.
fn is_mail(cells: &[Cell], at: usize) -> bool {
    let word = |index: usize| cells.get(index).is_some_and(|cell| cell.class.is_word());
    let mail = |cell: &&Cell| cell.class.is_word() || matches!(cell.folded, '.' | '-' | '_');
    let domain = cells[at + 1..].iter().take(64).take_while(mail).count();
    let dot =
        (at + 2..at + 1 + domain).any(|i| cells[i].folded == '.' && word(i - 1) && word(i + 1));
    at > 0 && (word(at - 1) || cells[at - 1].folded == '.') && word(at + 1) && dot
}

/// The start of the part before the `@`; at most 64 characters, as the standard allows.
fn mail_start(cells: &[Cell], from: usize, at: usize) -> usize {
    let local = |cell: &&Cell| {
        cell.class.is_word() || matches!(cell.folded, '.' | '-' | '_' | '+' | '%' | ':' | '\'')
    };
    let count = cells[from..at].iter().rev().take(64).take_while(local).count();
    // An address does not start with punctuation.
    let skipped = cells[at - count..at].iter().take_while(|cell| !cell.class.is_word()).count();
    at - count + skipped
}

/// The end, without the punctuation of the sentence around.
fn end_of_address(cells: &[Cell], start: usize, at: usize) -> usize {
    let stops = |cell: &Cell| matches!(cell.folded, '<' | '>' | '"' | '“' | '”' | '«' | '»');
    let mut end = at + 1 + cells[at + 1..].iter().take_while(|cell| !stops(cell)).count();
    let opens = |bracket| cells[start..end].iter().any(|cell| cell.folded == bracket);
    let (round, square) = (opens('('), opens('['));
    while end > at + 1 {
        let closes = match cells[end - 1].folded {
            ')' => !round,
            ']' => !square,
            c => matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '’' | '*' | '…'),
        };
        if !closes {
            break;
        }
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::scan::Scan;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let mut scan = Scan::default();
        scan.fill(text, char::is_whitespace);
        let found = find(scan.inner());
        let found: Option<String> =
            found.map(|range| scan.inner()[range].iter().map(|cell| cell.char).collect());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn addresses_end_before_the_punctuation_around_them() {
        check("http://a.org/x_(y)?q=1.", Some("http://a.org/x_(y)?q=1"));
        check("(https://a.org/b),", Some("https://a.org/b"));
        check("<www.example.com>", Some("www.example.com"));
        check("see:www.example.com/a,b!", Some("www.example.com/a,b"));
        check("me.you@mail.example.org.", Some("me.you@mail.example.org"));
        check("<mailto:a@b.com>", Some("mailto:a@b.com"));
        check("HTTP://A.ORG", Some("HTTP://A.ORG"));
    }

    #[test]
    fn other_things_are_no_addresses() {
        for text in ["a:b", "://x", "3@4", "me@home", "@user", "a@.b", "awww.", "www.", "x@"] {
            check(text, None);
        }
    }
}
