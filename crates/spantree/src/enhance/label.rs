//! Relations as patterns: that of the tree, or another, perhaps with a marker, as in `nmod:of`.
//!
//! A treebank has far fewer patterns than relations, and new markers make new relations.

use super::view::View;

/// Where the last part of a relation is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The first marker of the word.
    First,
    /// Its last marker.
    Last,
    /// The first marker of its head.
    Head,
    /// The first marker of a later sibling with the same relation.
    Later,
}

const SOURCES: [(Source, &str); 4] = [
    (Source::First, "first"),
    (Source::Last, "last"),
    (Source::Head, "head"),
    (Source::Later, "later"),
];

/// A relation, or a way to make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// `None`: the DEPREL of the word.
    base: Option<String>,
    source: Option<Source>,
}

/// A base that is the DEPREL of the word, as text.
const SAME: &str = "=";

impl Pattern {
    /// The DEPREL of the word.
    pub(super) const SAME: Self = Self { base: None, source: None };

    /// The pattern that gives this relation to a word with this DEPREL.
    pub(super) fn of(label: &str, view: &View, word: u32, deprel: &str) -> Self {
        let base = |text: &str| Some(text.to_owned()).filter(|text| text != deprel);
        if let Some((start, last)) = label.rsplit_once(':').filter(|_| label != deprel) {
            let matches = |(source, _): &(Source, &str)| source.marker(view, word) == Some(last);
            if let Some(&(source, _)) = SOURCES.iter().find(|source| matches(source)) {
                return Self { base: base(start), source: Some(source) };
            }
        }
        Self { base: base(label), source: None }
    }

    /// Appends the relation of a word; without its last part if the word has no such marker.
    pub(super) fn write(&self, view: &View, word: u32, deprel: &str, text: &mut String) {
        text.push_str(self.base.as_deref().unwrap_or(deprel));
        if let Some(marker) = self.source.and_then(|source| source.marker(view, word)) {
            text.push(':');
            text.push_str(marker);
        }
    }

    /// The pattern as text: `nmod:<first>`.
    pub(super) fn to_text(&self) -> String {
        let base = self.base.as_deref().unwrap_or(SAME);
        let name = |source| SOURCES.iter().find(|(known, _)| *known == source).map(|known| known.1);
        match self.source.and_then(name) {
            Some(name) => format!("{base}:<{name}>"),
            None => base.to_owned(),
        }
    }

    /// Reads what [`to_text`](Self::to_text) wrote; `None` if a source is unknown.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let base = |text: &str| Some(text.to_owned()).filter(|text| text != SAME);
        let source = text.strip_suffix('>').and_then(|text| text.rsplit_once(":<"));
        let Some((start, name)) = source else {
            return Some(Self { base: base(text), source: None });
        };
        let source = SOURCES.iter().find(|(_, known)| *known == name)?.0;
        Some(Self { base: base(start), source: Some(source) })
    }
}

impl Source {
    fn marker(self, view: &View, word: u32) -> Option<&str> {
        let marker = match self {
            Self::First => view.markers(word).first(),
            Self::Last => view.markers(word).last(),
            Self::Head => view.markers(view.head(word)).first(),
            Self::Later => view.later_marker(word),
        };
        marker.map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use spantree_treebank::{Column, Sentence};

    use super::*;

    #[test]
    fn markers_become_patterns_and_come_back() {
        // "out of house and home": home shares the marker of house.
        let mut sent = Sentence::from_words(&[
            ("Out", "ADP", 3, "case"),
            ("of", "ADP", 1, "fixed"),
            ("house", "NOUN", 0, "root"),
            ("and", "CCONJ", 5, "cc"),
            ("home", "NOUN", 3, "conj"),
        ]);
        for (word, lemma) in [(1, "out"), (2, "of"), (3, "house"), (4, "and"), (5, "home")] {
            sent.set(word, Column::Lemma, lemma);
        }
        let mut view = View::default();
        assert!(view.fill(&sent));
        for (word, deprel, label, text) in [
            (3, "obl", "obl:out_of", "=:<first>"),
            (5, "conj", "obl:out_of", "obl:<head>"),
            (5, "conj", "conj:and", "=:<first>"),
            (5, "conj", "acl:relcl", "acl:relcl"),
            (3, "nsubj:pass", "nsubj:pass", "="),
            (3, "root", "root", "="),
        ] {
            let pattern = Pattern::of(label, &view, word, deprel);
            assert_eq!(pattern.to_text(), text);
            assert_eq!(Pattern::from_text(text), Some(pattern.clone()));
            let mut written = String::new();
            pattern.write(&view, word, deprel, &mut written);
            assert_eq!(written, label);
        }
        assert_eq!(Pattern::from_text("obl:<nowhere>"), None);
    }
}
