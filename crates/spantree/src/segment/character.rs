//! What the segmenter knows of a character: a coarse class, its lower-case twin, and whether it sticks to the one before.
//!
//! Classes follow the Unicode general category; punctuation is told apart by its use, because a full stop, an apostrophe and
//! a closing bracket end tokens and sentences in different ways. Class numbers are part of feature hashes and therefore of
//! model files: they never change.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Coarse class of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Class {
    /// Before the first and after the last character of a paragraph.
    #[default]
    Edge,
    Space,
    Lower,
    Upper,
    /// A letter without case.
    Letter,
    Han,
    Hiragana,
    Katakana,
    Digit,
    FullStop,
    Comma,
    /// Colons and semicolons.
    Colon,
    /// Exclamation and question marks, ellipses, full stops of other scripts.
    Stop,
    /// Hyphens and dashes.
    Hyphen,
    Apostrophe,
    /// Quotation marks whose direction does not show, or that differ in direction between languages.
    Quote,
    Open,
    Close,
    Slash,
    At,
    /// Other punctuation.
    Punctuation,
    Currency,
    /// Mathematical signs and modifiers.
    Sign,
    /// Other symbols, emoji among them.
    Symbol,
    /// Control and format characters, unassigned and private ones.
    Other,
}

impl Class {
    /// More than the number of classes; a power of two.
    pub(super) const LIMIT: usize = 32;

    /// Letters and digits.
    pub(super) fn is_word(self) -> bool {
        (Class::Lower..=Class::Digit).contains(&self)
    }
}

/// White space, and the byte order mark, which means nothing inside a text.
#[inline]
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The class of a character.
#[inline]
pub(super) fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        _ if is_space(c) => Class::Space,
        '.' => Class::FullStop,
        ',' | '،' | '、' | '，' => Class::Comma,
        ':' | ';' | '؛' | '：' | '；' | '·' => Class::Colon,
        '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' | '॥' | '¡' | '¿' | '．' => {
            Class::Stop
        }
        '\'' | '’' | 'ʼ' | '`' | '´' | '‘' => Class::Apostrophe,
        '"' | '“' | '”' | '„' | '«' | '»' | '‟' | '‹' | '›' => Class::Quote,
        '/' | '\\' | '|' => Class::Slash,
        '@' => Class::At,
        // What replaces a byte that is not UTF-8: most often a letter in another encoding.
        '\u{fffd}' => Class::Letter,
        _ => by_category(c),
    }
}

fn by_category(c: char) -> Class {
    use GeneralCategory as G;
    match c.general_category() {
        G::LowercaseLetter => Class::Lower,
        G::UppercaseLetter | G::TitlecaseLetter => Class::Upper,
        G::ModifierLetter | G::OtherLetter => match c {
            '\u{3040}'..='\u{309f}' => Class::Hiragana,
            '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => {
                Class::Katakana
            }
            '\u{3005}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Class::Han,
            '\u{20000}'..='\u{3ffff}' => Class::Han,
            _ => Class::Letter,
        },
        // A mark without its letter; elsewhere marks stick to what they stand on.
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Letter,
        G::DecimalNumber | G::LetterNumber | G::OtherNumber => Class::Digit,
        G::DashPunctuation => Class::Hyphen,
        G::OpenPunctuation => Class::Open,
        G::ClosePunctuation => Class::Close,
        G::InitialPunctuation | G::FinalPunctuation => Class::Quote,
        G::ConnectorPunctuation | G::OtherPunctuation => Class::Punctuation,
        G::CurrencySymbol => Class::Currency,
        G::MathSymbol | G::ModifierSymbol => Class::Sign,
        G::OtherSymbol => Class::Symbol,
        _ => Class::Other,
    }
}

/// The lower-case letter, if it is a single one.
#[inline]
pub(super) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

/// Tells which characters never start a token, because they belong to the character before.
///
/// Marks, joiners, variation selectors, skin tones and tags stick to what precedes them; so does whatever follows a joiner,
/// and the second of two regional indicators (a flag).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Glue {
    joiner: bool,
    /// The last character was the first half of a flag.
    half_flag: bool,
}

impl Glue {
    /// Whether `c` sticks to the characters given before.
    #[inline]
    pub(super) fn sticks(&mut self, c: char) -> bool {
        if c < '\u{300}' {
            let sticks = self.joiner && !is_space(c);
            *self = Self::default();
            return sticks;
        }
        self.sticks_beyond_latin(c)
    }

    fn sticks_beyond_latin(&mut self, c: char) -> bool {
        let flag = ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
        let joins = matches!(c, '\u{200c}' | '\u{200d}');
        let extends = matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
            || c.general_category_group() == GeneralCategoryGroup::Mark;
        let sticks = joins || extends || (self.joiner && !is_space(c)) || (flag && self.half_flag);
        *self = Self { joiner: joins, half_flag: flag && !self.half_flag };
        sticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_many_scripts() {
        for (text, expected) in [
            ("aßéжαñ", Class::Lower),
            ("AÉЖΑ", Class::Upper),
            ("אبက\u{fffd}", Class::Letter),
            ("漢々", Class::Han),
            ("ひ", Class::Hiragana),
            ("カー", Class::Katakana),
            ("0٣½", Class::Digit),
            ("-–—", Class::Hyphen),
            ("([{「", Class::Open),
            (")]}」", Class::Close),
            ("€$", Class::Currency),
            ("😀☂", Class::Symbol),
            (" \t\n\u{a0}\u{3000}\u{feff}\u{2028}", Class::Space),
            ("\0\u{7}", Class::Other),
        ] {
            for c in text.chars() {
                assert_eq!(class(c), expected, "{c:?}");
            }
        }
    }

    #[test]
    fn clusters_stick_together() {
        for (text, expected) in [
            ("e\u{301}a", "_+_"),
            ("👩\u{200d}👩\u{200d}👧x", "_++++_"),
            ("👍🏽👍", "_+_"),
            ("🇫🇷🇩🇪", "_+_+"),
            ("❤\u{fe0f}a", "_+_"),
            ("a\u{200d} b", "_+__"),
        ] {
            let mut glue = Glue::default();
            let found: String =
                text.chars().map(|c| if glue.sticks(c) { '+' } else { '_' }).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn folding_keeps_one_character() {
        assert_eq!(fold('É'), 'é');
        assert_eq!(fold('İ'), 'İ', "its lower case has two characters");
        assert_eq!(fold('z'), 'z');
    }
}
