//! Level 2: the values of single columns.

use std::ops::ControlFlow;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::block::{Block, COLUMNS, Row};
use super::catalogue as test;
use super::ids::{node_number, split_deps};
use super::{Checked, Report, Test, done};
use crate::sentence::universal_part;

const UPOS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
];

const DEPRELS: [&str; 37] = [
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "aux",
    "case",
    "cc",
    "ccomp",
    "clf",
    "compound",
    "conj",
    "cop",
    "csubj",
    "dep",
    "det",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "mark",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "punct",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];

/// Checks all rows; breaks when a feature is malformed.
pub(super) fn check(block: &Block<'_>, report: &mut Report<'_>) -> Checked<()> {
    let mut safe = true;
    for row in &block.rows {
        let mut row_report = RowReport { row, report };
        if row.is_range() {
            row_report.check_range();
        } else {
            row_report.check_tags();
            safe &= row_report.check_features().is_continue();
            row_report.check_relation();
            row_report.check_deps();
        }
        row_report.check_misc();
    }
    done(safe)
}

struct RowReport<'a, 'b, 'c> {
    row: &'a Row<'a>,
    report: &'b mut Report<'c>,
}

impl RowReport<'_, '_, '_> {
    fn add(&mut self, test: Test, column: usize, message: impl Into<String>) {
        self.report.add(test, self.row.line, COLUMNS[column], self.row.columns[column], message);
    }

    /// A multiword range has FORM and MISC; FEATS may say that it is a typo.
    fn check_range(&mut self) {
        for column in 2..9 {
            let value = self.row.columns[column];
            if value != "_" && !(COLUMNS[column] == "FEATS" && value == "Typo=Yes") {
                self.add(test::MWT_NONEMPTY_FIELD, column, "a multiword range must have _ here");
            }
        }
    }

    fn check_tags(&mut self) {
        let empty_node = self.row.is_empty_node();
        if empty_node {
            for column in [6, 7] {
                if self.row.columns[column] != "_" {
                    self.add(
                        test::EMPTY_NODE_NONEMPTY_FIELD,
                        column,
                        "an empty node must have _ here",
                    );
                }
            }
        }
        let upos = self.row.columns[3];
        let missing = empty_node && upos == "_";
        if !UPOS.contains(&upos) && !missing {
            self.add(test::UNKNOWN_UPOS, 3, format!("not one of {}", UPOS.join(", ")));
        }
        if self.row.columns[4].is_empty() {
            self.add(test::EMPTY_XPOS, 4, "XPOS is empty; write _");
        }
    }

    /// Breaks when a feature is not `Name=Value`.
    fn check_features(&mut self) -> Checked<()> {
        let feats = self.row.columns[5];
        if feats == "_" {
            return ControlFlow::Continue(());
        }
        let list: Vec<&str> = feats.split('|').collect();
        if !is_sorted_ignoring_case(&list) {
            self.add(
                test::UNSORTED_FEATURES,
                5,
                "features must be sorted by name, without regard to case",
            );
        }
        let mut safe = true;
        let mut names = Vec::with_capacity(list.len());
        for feature in &list {
            let Some((name, values)) = split_feature(feature) else {
                let message = format!(
                    "{feature:?} must be Name=Value of ASCII letters and digits, with capitals"
                );
                self.add(test::INVALID_FEATURE, 5, message);
                names.push(*feature);
                safe = false;
                continue;
            };
            names.push(name);
            if has_duplicates(&values) {
                self.add(test::REPEATED_FEATURE_VALUE, 5, format!("{feature:?} repeats a value"));
            }
            if !is_sorted_ignoring_case(&values) {
                self.add(
                    test::UNSORTED_FEATURE_VALUES,
                    5,
                    format!("the values of {feature:?} must be sorted"),
                );
            }
        }
        if has_duplicates(&names) {
            self.add(
                test::REPEATED_FEATURE,
                5,
                "a feature stands twice; join its values with a comma",
            );
        }
        done(safe)
    }

    fn check_relation(&mut self) {
        let deprel = self.row.columns[7];
        if !self.row.is_word() {
            return;
        }
        let (main, subtype) = deprel.split_once(':').unwrap_or((deprel, "x"));
        if !is_lower(main) || !is_lower(subtype) {
            let message = "a relation consists of lower-case ASCII letters and at most one colon, as in nsubj:pass";
            self.add(test::INVALID_DEPREL, 7, message);
        } else if !DEPRELS.contains(&main) {
            self.add(test::UNKNOWN_UDEPREL, 7, format!("{main:?} is not a universal relation"));
        }
    }

    fn check_deps(&mut self) {
        let deps = split_deps(self.row.deps()).unwrap_or_default();
        let heads: Vec<_> = deps.iter().map(|(head, _)| node_number(head)).collect();
        if !heads.is_sorted() {
            self.add(test::UNSORTED_DEPS, 8, "DEPS must be sorted by head");
        } else {
            for pair in deps.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                let (head, relation) = pair[1];
                if relation < pair[0].1 {
                    let message = format!("relations to head {head} must be sorted");
                    self.add(test::UNSORTED_DEPS_2, 8, message);
                } else if relation == pair[0].1 {
                    self.add(test::REPEATED_DEPS, 8, format!("{head}:{relation} stands twice"));
                }
            }
        }
        if heads.contains(&node_number(self.row.columns[0])) {
            self.add(test::DEPS_SELF_LOOP, 8, "a node that is its own head");
        }
        for (head, relation) in deps {
            if !is_enhanced_relation(relation) {
                let message =
                    format!("{relation:?} is not an enhanced relation such as obl:in_front_of:gen");
                self.add(test::INVALID_EDEPREL, 8, message);
            } else if !DEPRELS.contains(&universal_part(relation))
                && universal_part(relation) != "ref"
            {
                let message = format!("{head}:{relation} does not start with a universal relation");
                self.add(test::UNKNOWN_EUDEPREL, 8, message);
            }
        }
    }

    fn check_misc(&mut self) {
        const DOCUMENTED: [&str; 8] =
            ["SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"];
        if self.row.misc() == "_" {
            return;
        }
        let mut counts = [0; DOCUMENTED.len()];
        for part in self.row.misc().split('|') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if part.is_empty() {
                self.add(
                    test::EMPTY_MISC,
                    9,
                    "an empty attribute; is a vertical bar out of place?",
                );
            } else if name.is_empty() {
                self.add(test::EMPTY_MISC_KEY, 9, format!("{part:?} has no name"));
            }
            let has_outer_space = |text: &str| {
                text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace)
            };
            if has_outer_space(name) || has_outer_space(value) {
                self.add(
                    test::MISC_EXTRA_SPACE,
                    9,
                    format!("white space around name or value of {part:?}"),
                );
            }
            if let Some(index) = DOCUMENTED.iter().position(|known| *known == name) {
                counts[index] += 1;
            } else if let Some(known) =
                DOCUMENTED.iter().find(|known| known.eq_ignore_ascii_case(name.trim()))
            {
                self.add(test::MISC_ATTR_TYPO, 9, format!("{name:?} may be meant to be {known}"));
            }
        }
        for (name, _) in DOCUMENTED.iter().zip(counts).filter(|(_, count)| *count > 1) {
            self.add(test::REPEATED_MISC, 9, format!("{name} must not stand twice"));
        }
    }
}

fn is_lower(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_sorted_ignoring_case(list: &[&str]) -> bool {
    list.len() < 2 || list.iter().map(|item| item.to_lowercase()).is_sorted()
}

fn has_duplicates(list: &[&str]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// Name (with its layer in brackets) and values of a feature; `None` when it is malformed.
fn split_feature(feature: &str) -> Option<(&str, Vec<&str>)> {
    let (name, values) = feature.split_once('=')?;
    let (plain, layer) = match name.split_once('[') {
        Some((plain, layer)) => (plain, layer.strip_suffix(']')?),
        None => (name, "x"),
    };
    let is_layer = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_alphanumeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let values: Vec<&str> = values.split(',').collect();
    let is_value = |value: &&str| {
        value.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
            && is_alphanumeric(value)
    };
    let good_name = plain.starts_with(|c: char| c.is_ascii_uppercase()) && is_alphanumeric(plain);
    let good_layer = !layer.is_empty() && layer.bytes().all(is_layer);
    (good_name && good_layer && values.iter().all(is_value)).then_some((name, values))
}

/// `relation[:subtype][:preposition][:case]`: ASCII letters but for the preposition, which is words joined by `_`.
fn is_enhanced_relation(relation: &str) -> bool {
    let mut parts: Vec<&str> = relation.split(':').collect();
    if !parts
        .iter()
        .enumerate()
        .all(|(index, part)| is_lower(part) || (index > 0 && is_preposition(part)))
    {
        return false;
    }
    // At most one part is more than ASCII letters; one plain part may stand before it and one behind.
    parts.remove(0);
    match parts.iter().position(|part| !is_lower(part)) {
        None => parts.len() <= 3,
        Some(place) => {
            place <= 1
                && parts.len() <= place + 2
                && parts[place + 1..].iter().all(|part| is_lower(part))
        }
    }
}

fn is_preposition(part: &str) -> bool {
    use unicode_properties::GeneralCategory as Category;
    let is_letter = |c: char| {
        let category = c.general_category();
        let letter = matches!(
            category,
            Category::LowercaseLetter | Category::ModifierLetter | Category::OtherLetter
        );
        letter || c.general_category_group() == GeneralCategoryGroup::Mark
    };
    part.split('_').all(|word| !word.is_empty() && word.chars().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_name_and_values() {
        let good =
            [("Number=Sing", "Number"), ("Number[psor]=Plur", "Number[psor]"), ("A1=1,B", "A1")];
        for (feature, name) in good {
            assert_eq!(split_feature(feature).unwrap().0, name);
        }
        for bad in [
            "",
            "Number",
            "number=Sing",
            "Number=sing",
            "A=",
            "A=B,",
            "A=B=C",
            "A[]=B",
            "A[B]=C",
            "Ä=B",
            "A]=B",
        ] {
            assert!(split_feature(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn enhanced_relations() {
        for good in [
            "nsubj",
            "obl:arg",
            "obl:in_front_of",
            "obl:v:loc",
            "obl:arg:v_rámci:gen",
            "nmod:के_लिए",
            "a:b:c:d",
        ] {
            assert!(is_enhanced_relation(good), "{good}");
        }
        for bad in [
            "",
            "Nsubj",
            "obl:",
            "obl:In",
            "obl:_in",
            "obl:in__of",
            "a:b_c:d_e",
            "a:b:c:d:e",
            "ö",
            "a:b:c:d_e",
            "obl:2",
        ] {
            assert!(!is_enhanced_relation(bad), "{bad}");
        }
    }
}
