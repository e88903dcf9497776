//! The lexicon: which tags a form was seen with, and which tags words with its ending had.
//!
//! A word's candidates are the tags of its form. Unless the form is frequent, the tags of its lower-cased form and those seen
//! with its ending join them; endings get shorter until enough words had them.

use std::collections::HashMap;

use super::atoms::{Atom, Atoms, SUFFIXES, guise};
use super::list::Clusters;
use super::tagset::{Tag, TagSet};
use crate::feature::hash;
use crate::rows::{Row, Rows, RowsBuilder};

/// A form seen this often keeps to the tags that it was seen with.
const FREQUENT: i32 = 30;
/// Forms seen up to this often teach what endings mean.
const RARE: u32 = 10;
/// Endings are shortened until words with them were seen this often.
const TRUSTED: i32 = 40;
/// At most this many tags are kept under a key.
const TAGS_PER_KEY: usize = 40;
/// Endings seen fewer times are left out.
const MIN_ENDING: u32 = 2;

fn form_key(atoms: &Atoms) -> u64 {
    hash::mix(11, atoms.get(Atom::Form))
}

fn lower_key(atoms: &Atoms) -> u64 {
    hash::mix(12, atoms.get(Atom::Lower))
}

fn ending_key(atoms: &Atoms, guise: u64, length: usize) -> u64 {
    hash::mix(hash::mix(13 + length as u64, guise), atoms.suffix(length))
}

/// A lexicon in a model file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexicon<'a> {
    /// What [`LexiconBuilder`] counted.
    pub(super) words: Rows<'a>,
    /// Clusters of forms, from [`cluster_rows`].
    pub(super) clusters: Option<Rows<'a>>,
}

impl Lexicon<'_> {
    /// Writes into `candidates` the tags that a word may have, at least one, and returns what is known of it; `lower` is a
    /// buffer.
    pub(super) fn look_up(
        &self,
        tagset: &TagSet,
        form: &str,
        lower: &mut String,
        candidates: &mut Vec<Tag>,
    ) -> Atoms {
        let mut atoms = Atoms::of_form(form, lower);
        self.add_candidates(tagset, form, &mut atoms, candidates);
        if let Some(clusters) = &self.clusters {
            let exact = clusters.get(form_key(&atoms));
            let row = if exact.is_empty() { clusters.get(lower_key(&atoms)) } else { exact };
            let cluster = row.iter().next().map_or(u64::MAX, |(cluster, _)| cluster.into());
            atoms.set(Atom::Cluster, cluster);
        }
        atoms
    }

    fn add_candidates(
        &self,
        tagset: &TagSet,
        form: &str,
        atoms: &mut Atoms,
        candidates: &mut Vec<Tag>,
    ) {
        candidates.clear();
        let exact = self.words.get(form_key(atoms));
        let lower = self.words.get(lower_key(atoms));
        let known = if exact.is_empty() { lower } else { exact };
        let (coarse, fine) = classes(tagset, known, atoms);
        atoms.set(Atom::Coarse, coarse);
        atoms.set(Atom::Fine, fine);
        atoms.set(Atom::LowerCoarse, classes(tagset, lower, atoms).0);
        extend(candidates, exact);
        if total(exact) < FREQUENT {
            extend(candidates, lower);
            self.guess(form, atoms, candidates);
        }
        if candidates.is_empty() {
            candidates.extend(tagset.all());
        }
    }

    fn guess(&self, form: &str, atoms: &Atoms, candidates: &mut Vec<Tag>) {
        let (guise, mut seen) = (guise(form), 0);
        for length in (0..=SUFFIXES).rev() {
            let row = self.words.get(ending_key(atoms, guise, length));
            extend(candidates, row);
            seen += total(row);
            if seen >= TRUSTED {
                break;
            }
        }
    }
}

fn total(row: Row<'_>) -> i32 {
    row.iter().map(|(_, count)| i32::from(count)).sum()
}

fn extend(candidates: &mut Vec<Tag>, row: Row<'_>) {
    for (tag, _) in row.iter() {
        if !candidates.contains(&tag) {
            candidates.push(tag);
        }
    }
}

/// The most frequent tag with the set of tags seen more than one time in twenty: as UPOS, and as they are.
fn classes(tagset: &TagSet, row: Row<'_>, atoms: &Atoms) -> (u64, u64) {
    let Some((top, _)) = row.iter().next() else {
        let unknown = hash::mix(atoms.get(Atom::Shape), atoms.get(Atom::Suffix2));
        return (hash::mix(5, unknown), hash::mix(5, unknown));
    };
    let negligible = total(row) / 20;
    let (mut coarse, mut fine) = (0u64, 0u64);
    for (tag, _) in row.iter().filter(|&(_, count)| i32::from(count) > negligible) {
        coarse |= 1 << (tagset.coarse(tag) % 64);
        fine = fine.wrapping_add(hash::mix(3, tag.into()));
    }
    let coarse = hash::mix(hash::mix(6, coarse), tagset.coarse(top).into());
    (coarse, hash::mix(hash::mix(7, fine), top.into()))
}

/// Counts the words of a lexicon.
#[derive(Debug, Default)]
pub(super) struct LexiconBuilder {
    forms: HashMap<String, HashMap<Tag, u32>>,
}

impl LexiconBuilder {
    /// Counts a word.
    pub(super) fn count(&mut self, form: &str, tag: Tag) {
        match self.forms.get_mut(form) {
            Some(tags) => *tags.entry(tag).or_default() += 1,
            None => {
                self.forms.insert(form.to_owned(), HashMap::from([(tag, 1)]));
            }
        }
    }

    /// The rows of a lexicon.
    pub(super) fn rows(&self) -> RowsBuilder {
        let mut builder = RowsBuilder::default();
        for (key, tags) in self.by_key() {
            let mut tags: Vec<_> = tags.into_iter().collect();
            tags.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            tags.truncate(TAGS_PER_KEY);
            let row = tags.into_iter().map(|(tag, count)| (tag, count.min(i16::MAX as u32) as i16));
            builder.push(key, row);
        }
        builder
    }

    /// The counts under all keys, sorted by key.
    fn by_key(&self) -> Vec<(u64, HashMap<Tag, u32>)> {
        let (mut words, mut endings): (HashMap<u64, HashMap<Tag, u32>>, HashMap<_, _>) =
            Default::default();
        let mut lower = String::new();
        let add = |counts: &mut HashMap<u64, HashMap<Tag, u32>>, key, tags: &HashMap<Tag, u32>| {
            let counts = counts.entry(key).or_default();
            tags.iter().for_each(|(&tag, count)| *counts.entry(tag).or_default() += count);
        };
        for (form, tags) in &self.forms {
            let atoms = Atoms::of_form(form, &mut lower);
            add(&mut words, form_key(&atoms), tags);
            add(&mut words, lower_key(&atoms), tags);
            if tags.values().sum::<u32>() <= RARE {
                let guise = guise(form);
                (0..=SUFFIXES).for_each(|length| {
                    add(&mut endings, ending_key(&atoms, guise, length), tags);
                });
            }
        }
        endings.retain(|_, tags| tags.values().sum::<u32>() >= MIN_ENDING);
        let mut all: Vec<_> = words.into_iter().chain(endings).collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }
}

/// The rows of clusters: one label, the number of the cluster. A form in lower case stands for all its spellings.
pub(super) fn cluster_rows(clusters: &Clusters) -> RowsBuilder {
    let mut builder = RowsBuilder::default();
    let mut lower = String::new();
    for (form, cluster) in &clusters.forms {
        let atoms = Atoms::of_form(form, &mut lower);
        builder.push(form_key(&atoms), [(*cluster, 0)]);
        if *form == lower {
            builder.push(lower_key(&atoms), [(*cluster, 0)]);
        }
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sections;

    /// Candidates and classes of a form under a lexicon of `(form, tag, count)` over three tags.
    fn look_up(counts: &[(&str, Tag, usize)], form: &str) -> (Vec<Tag>, u64) {
        let tagset =
            TagSet::new(["A", "B", "C"].map(|u| [u, "_", "_"].map(str::to_owned)).to_vec());
        let mut builder = LexiconBuilder::default();
        for &(form, tag, count) in counts {
            (0..count).for_each(|_| builder.count(form, tag));
        }
        let mut sections = Sections::default();
        builder.rows().write("lexicon", &mut sections);
        let container = sections.into_container("test", &"").unwrap();
        let words = Rows::from_container(&container, "lexicon", 3).unwrap();
        let (mut lower, mut candidates) = (String::new(), Vec::new());
        let lexicon = Lexicon { words, clusters: None };
        let atoms = lexicon.look_up(&tagset.unwrap(), form, &mut lower, &mut candidates);
        (candidates, atoms.get(Atom::Coarse))
    }

    #[test]
    fn frequent_forms_keep_to_their_tags_and_others_learn_from_endings() {
        let counts = [("the", 2, 40), ("lathe", 0, 9), ("breathe", 1, 3), ("Breathe", 1, 1)];
        assert_eq!(look_up(&counts, "the").0, [2]);
        assert_eq!(look_up(&counts, "lathe").0, [0, 1]);
        assert_eq!(look_up(&counts, "bathe").0, [0, 1]);
        assert_eq!(look_up(&counts, "BREATHE").0, [1]);
        assert_eq!(
            look_up(&counts, "99").0,
            [0, 1, 2],
            "nothing is known of digits: everything is possible"
        );
        assert_eq!(look_up(&[], "x").0, [0, 1, 2]);
    }

    #[test]
    fn classes_leave_out_rare_tags() {
        let class = |counts: &[(&str, Tag, usize)]| look_up(counts, "w").1;
        assert_eq!(class(&[("w", 0, 50), ("w", 1, 1)]), class(&[("w", 0, 50)]));
        assert_ne!(class(&[("w", 0, 50), ("w", 1, 9)]), class(&[("w", 0, 50)]));
        assert_ne!(class(&[("w", 0, 2), ("w", 1, 1)]), class(&[("w", 0, 1), ("w", 1, 2)]));
    }
}
