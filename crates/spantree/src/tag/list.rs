//! Lists that users supply: tags that forms may have, clusters that forms belong to.
//!
//! Both are text with a form, a tab and a value per line; empty lines are skipped. A form may stand on several lines.

use std::collections::HashMap;
use std::hash::Hash;

use spantree_treebank::Sentence;
use thiserror::Error;

use super::neighbours::Neighbours;
use super::tagset::{Tag, TagSet};

/// A line that is no `form<TAB>value`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}:{line}: expected a form, a tab and a value, but found \"{found}\"")]
pub struct ListError {
    /// The file.
    pub name: String,
    /// From 1.
    pub line: usize,
    /// The line.
    pub found: String,
}

fn pairs<'a>(
    name: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<(&'a str, &'a str), ListError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines.map(move |(index, line)| match line.split_once('\t') {
        Some((form, value)) if !form.is_empty() && !value.is_empty() => Ok((form, value)),
        _ => Err(ListError { name: name.to_owned(), line: index + 1, found: line.to_owned() }),
    })
}

/// Tags that forms may have: UPOS or XPOS. A form that is listed takes no other tag (Täckström et al. 2013).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    tags: HashMap<String, Vec<String>>,
}

impl Dictionary {
    /// Reads `form<TAB>tag` lines; `name` stands for them in messages.
    ///
    /// # Errors
    /// At the first line that is none.
    pub fn read(name: &str, text: &str) -> Result<Self, ListError> {
        let mut tags: HashMap<_, Vec<_>> = HashMap::new();
        for pair in pairs(name, text) {
            let (form, tag) = pair?;
            tags.entry(form.to_owned()).or_default().push(tag.to_owned());
        }
        Ok(Self { tags })
    }

    /// Whether a form may have a tag; `None` for forms that are not listed.
    pub(super) fn filter<'a>(
        &'a self,
        tagset: &'a TagSet,
        form: &str,
    ) -> Option<impl Fn(Tag) -> bool + 'a> {
        let allowed = self.tags.get(form)?;
        Some(move |tag| {
            let [upos, xpos, _] = tagset.columns(tag);
            allowed.iter().any(|name| name == upos || name == xpos)
        })
    }
}

/// Clusters of forms, such as those of Brown et al. (1992).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Forms and numbers of clusters, sorted.
    pub(super) forms: Vec<(String, u16)>,
}

impl Clusters {
    /// Clusters of the words of a treebank by their neighbours.
    #[must_use]
    pub fn of_treebank(sentences: &[Sentence], count: usize) -> Self {
        let mut neighbours = Neighbours::default();
        sentences.iter().for_each(|sent| neighbours.add(sent));
        Self::new(neighbours.clusters(count, 1))
    }

    /// Reads `form<TAB>cluster` lines; the names of clusters are free. Beyond 65,535 clusters the rest are one.
    ///
    /// # Errors
    /// At the first line that is none.
    pub fn read(name: &str, text: &str) -> Result<Self, ListError> {
        Ok(Self::new(pairs(name, text).collect::<Result<Vec<_>, _>>()?))
    }

    /// Clusters are numbered as they come.
    fn new<C: Eq + Hash>(pairs: Vec<(&str, C)>) -> Self {
        let mut numbers = HashMap::new();
        let mut forms = Vec::new();
        for (form, cluster) in pairs {
            let next = numbers.len().min(u16::MAX.into()) as u16;
            forms.push((form.to_owned(), *numbers.entry(cluster).or_insert(next)));
        }
        forms.sort_unstable();
        Self { forms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_bad_lines_named() {
        let dictionary = Dictionary::read("d.tsv", "can\tAUX\n\ncan\tNN\nhas to\tAUX\n").unwrap();
        let tag = |upos: &str, xpos: &str| [upos.to_owned(), xpos.to_owned(), "_".to_owned()];
        let tagset = TagSet::new(vec![tag("AUX", "MD"), tag("NOUN", "NN"), tag("VERB", "VB")]);
        let tagset = tagset.unwrap();
        let may = dictionary.filter(&tagset, "can").unwrap();
        assert_eq!([0, 1, 2].map(may), [true, true, false]);
        assert!(dictionary.filter(&tagset, "Can").is_none());
        let clusters = Clusters::read("c", "b\t0110\na\t0110\nc\t1\n").unwrap();
        assert_eq!(clusters.forms, [("a".into(), 0), ("b".into(), 0), ("c".into(), 1)]);
        for bad in ["a\n", "\tNN\n", "a\t\n"] {
            let error = Dictionary::read("d.tsv", &format!("x\ty\n{bad}")).unwrap_err();
            assert!(error.to_string().starts_with("d.tsv:2: "), "{error}");
        }
    }
}
