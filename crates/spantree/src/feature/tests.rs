//! The features of the 2006 report, and what extraction promises.

use spantree_treebank::{Column, Sentence};

use super::*;
use crate::graph::{Decoder, TemplateTexts};

fn sentence(verb: &str) -> Sentence {
    Sentence::from_words(&[
        ("John", "N", 2, "nsubj"),
        (verb, "V", 0, "root"),
        ("the", "D", 4, "det"),
        ("ball", "N", 2, "obj"),
        ("with", "P", 2, "obl"),
        ("the", "D", 7, "det"),
        ("bat", "N", 5, "nmod"),
    ])
}

/// A plain reading of templates: the features of an arc as the report writes them, bare copies only.
fn describe(templates: &[Template], sent: &Sentence, head: u32, child: u32) -> Vec<String> {
    let mut features = Vec::new();
    for template in templates {
        let mut found = vec![String::new()];
        for token in &template.tokens {
            let (letter, word) =
                if token.place == Place::Head { ("p", head) } else { ("c", child) };
            let word = sent.word((word as i64 + i64::from(token.offset)) as u32);
            let offset =
                if token.offset == 0 { String::new() } else { format!("{:+}", token.offset) };
            let value = match token.atom {
                Atom::Form => format!("{letter}-word={}", word.form()),
                Atom::Upos => format!("{letter}-pos{offset}={}", word.upos()),
                Atom::Stem if word.form().len() > 5 => {
                    format!("{letter}-word:5={}", &word.form()[..5])
                }
                _ => {
                    found.clear();
                    continue;
                }
            };
            found.iter_mut().for_each(|feature| *feature += &format!("{value} "));
        }
        if template.arcs == [ArcAtom::Between] {
            let tags: std::collections::BTreeSet<_> =
                (head + 1..child).map(|word| sent.word(word).upos()).collect();
            found = tags
                .iter()
                .flat_map(|tag| found.iter().map(move |feature| format!("{feature}b-pos={tag} ")))
                .collect();
        }
        features.extend(found.into_iter().map(|feature| feature.trim().to_owned()));
    }
    features.sort();
    features
}

/// The features of an arc as the extractor finds them.
fn extract(text: &str, sent: &Sentence, head: usize, child: usize) -> Vec<ArcFeature> {
    let mut set = AtomSet::default();
    let templates = ArcTemplates::new(&template::read(text).unwrap(), &mut set);
    let (mut atoms, mut sides, mut between) =
        (Atoms::default(), ArcSides::default(), Between::default());
    atoms.fill(&set, sent);
    between.fill(atoms.tags());
    templates.sides(&atoms, &mut sides);
    let mut features = Vec::new();
    templates.features((&atoms, &between), &sides, (head, child), |feature| features.push(feature));
    features
}

#[test]
fn appendix_c_of_the_report() {
    let mut expected = [
        // Basic features.
        "p-word=hit p-pos=V c-word=with c-pos=P",
        "p-pos=V c-word=with c-pos=P",
        "p-word=hit c-word=with c-pos=P",
        "p-word=hit p-pos=V c-pos=P",
        "p-word=hit p-pos=V c-word=with",
        "p-word=hit c-word=with",
        "p-pos=V c-pos=P",
        "p-word=hit p-pos=V",
        "c-word=with c-pos=P",
        "p-word=hit",
        "p-pos=V",
        "c-word=with",
        "c-pos=P",
        // Extended features; the appendix prints four of the trigrams twice.
        "p-pos=V c-pos=P b-pos=D",
        "p-pos=V c-pos=P b-pos=N",
        "p-pos=V p-pos+1=D c-pos-1=N c-pos=P",
        "p-pos=V c-pos-1=N c-pos=P",
        "p-pos=V p-pos+1=D c-pos=P",
        "p-pos-1=N p-pos=V c-pos-1=N c-pos=P",
        "p-pos-1=N p-pos=V c-pos=P",
        "p-pos=V p-pos+1=D c-pos=P c-pos+1=D",
        "p-pos=V c-pos=P c-pos+1=D",
        "p-pos-1=N p-pos=V c-pos=P c-pos+1=D",
    ];
    expected.sort_unstable();
    let templates = template::read(MST06).unwrap();
    assert_eq!(describe(&templates, &sentence("hit"), 2, 5), expected);
    let features = extract(MST06, &sentence("hit"), 2, 5);
    assert_eq!(features.len(), expected.len());
    let sums: std::collections::BTreeSet<_> = features.iter().map(|feature| feature.sum).collect();
    assert_eq!(sums.len(), expected.len(), "different features have different hashes");
    // Every feature a second time with dir=R, dist=2: two words between.
    assert!(features.iter().all(|feature| feature.copies.bare && feature.copies.distance));
    assert_eq!(ArcShape::new(2, 5).distance, 3);
}

#[test]
fn long_words_add_the_prefix_features_of_the_report() {
    let templates = template::read(MST06).unwrap();
    let features = describe(&templates, &sentence("smashed"), 2, 5);
    assert!(features.contains(&"p-word:5=smash c-word=with".to_owned()));
    assert_eq!(extract(MST06, &sentence("smashed"), 2, 5).len(), features.len());
    assert_eq!(features.len(), 23 + 7);
}

#[test]
fn sums_of_features_never_change() {
    let features = extract(
        "head.form + child.upos\nhead.upos + between + child.upos\n",
        &sentence("hit"),
        2,
        5,
    );
    let sums: Vec<_> = features.iter().map(|feature| feature.sum).collect();
    assert_eq!(sums, [295_475_371, 1_534_947_939, 1_544_640_960]);
}

#[test]
fn the_default_templates_are_read_and_follow_the_columns() {
    let all = Columns { lemma: true, xpos: true, feats: true, guide: false };
    let texts = TemplateTexts::for_columns(all, 3, Default::default(), Decoder::Eisner).unwrap();
    for text in [&texts.arc, &texts.label, &texts.relabel, &texts.pruner, &texts.part] {
        let templates = template::read(text).unwrap();
        let mut names: Vec<_> =
            templates.iter().map(|template| (template.to_string(), template.copies)).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "a template stands twice");
    }
    let bare = Columns { lemma: false, xpos: false, feats: false, guide: false };
    let texts = TemplateTexts::for_columns(bare, 3, Default::default(), Decoder::Eisner).unwrap();
    for word in ["lemma", "xpos", "fine", "feat", "agree"] {
        assert!(
            !texts.arc.contains(word)
                && !texts.label.contains(word)
                && !texts.relabel.contains(word),
            "{word}"
        );
    }
    assert!(texts.arc.contains("head.form + child.form"));
}

#[test]
fn columns_count_when_words_use_them() {
    let mut sent = sentence("hit");
    assert_eq!(
        Columns::of(&[sent.clone()]),
        Columns { lemma: false, xpos: false, feats: false, guide: false }
    );
    sent.set(1, Column::Lemma, "John");
    sent.set(1, Column::Xpos, "N");
    sent.set(2, Column::Feats, "Tense=Past");
    assert_eq!(
        Columns::of(&[sent]),
        Columns { lemma: true, xpos: false, feats: true, guide: false }
    );
}

#[test]
fn fine_tags_follow_case_but_not_number() {
    let sum = |feats| {
        let mut sent = Sentence::from_words(&[("a", "DET", 2, "det"), ("b", "NOUN", 0, "root")]);
        sent.set(1, Column::Feats, feats);
        extract("head.upos + child.fine", &sent, 2, 1)[0].sum
    };
    assert_eq!(sum("Case=Nom|Number=Sing"), sum("Case=Nom|Number=Plur"));
    assert_ne!(sum("Case=Nom"), sum("Case=Acc"));
    assert_ne!(sum("Case=Nom"), sum("_"));
}

#[test]
fn pairs_of_morphological_features_and_agreement() {
    let mut sent = Sentence::from_words(&[("a", "DET", 2, "det"), ("b", "NOUN", 0, "root")]);
    sent.set(1, Column::Feats, "Case=Nom|Number=Sing");
    sent.set(2, Column::Feats, "Case=Nom|Gender=Fem|Number=Plur");
    assert_eq!(extract("head.feat + child.feat", &sent, 2, 1).len(), 6);
    assert_eq!(extract("head.feat + child.upos", &sent, 2, 1).len(), 3);
    // Case agrees, Number does not, Gender is on one side only.
    assert_eq!(extract("agree", &sent, 2, 1).len(), 2);
    assert_eq!(extract("head.feat + child.feat", &sent, 0, 1).len(), 0, "the root has no features");
}

#[test]
fn the_marker_is_the_adposition_of_the_phrase() {
    let words = [
        ("in", "ADP", 3, "case"),
        ("the", "DET", 3, "det"),
        ("house", "NOUN", 0, "root"),
        ("dog", "NOUN", 3, "dep"),
    ];
    let mut sent = Sentence::from_words(&words);
    let marked = extract("child.marker", &sent, 4, 3);
    assert_ne!(marked, extract("child.marker", &sent, 3, 4), "a noun stands in the way");
    sent.set(2, Column::Upos, "VERB");
    assert_ne!(marked, extract("child.marker", &sent, 4, 3), "now a verb does");
}

#[test]
fn a_guide_tree_changes_the_guide_feature_of_its_arcs() {
    let mut sent = sentence("hit");
    let mut set = AtomSet::default();
    let templates = ArcTemplates::new(&template::read("guide").unwrap(), &mut set);
    let (mut atoms, mut sides, mut between) =
        (Atoms::default(), ArcSides::default(), Between::default());
    atoms.fill(&set, &sent);
    between.fill(atoms.tags());
    templates.sides(&atoms, &mut sides);
    let sum = |atoms: &Atoms, head, child| {
        let mut sums = Vec::new();
        templates
            .features((atoms, &between), &sides, (head, child), |feature| sums.push(feature.sum));
        sums
    };
    let without = sum(&atoms, 2, 1);
    for word in 1..=sent.len() as u32 {
        let token = sent.word(word);
        let (row, guide) =
            (token.index(), format!("{}:{}", token.head().unwrap_or(0), token.deprel()));
        sent.set_attribute(row, Column::Misc, "Guide", Some(&guide));
    }
    atoms.fill(&set, &sent);
    let (right, wrong) = (sum(&atoms, 2, 1), sum(&atoms, 3, 1));
    assert!(without != right && right != wrong && without != wrong);
}

#[test]
fn tag_classes_are_distinct_for_universal_tags() {
    let classes: std::collections::BTreeSet<_> =
        ["ADJ", "NOUN", "VERB", "X", "PUNCT"].map(tag_class).into();
    assert_eq!(classes.len(), 5);
    assert!(["NN", "", "_", "動詞"].iter().all(|tag| (18..32).contains(&tag_class(tag))));
}

#[test]
fn parts_of_a_tree() {
    // 2 heads 1, 4 and 5; 4 heads 3; 0 heads 2.
    let heads = [2, 0, 4, 2, 2];
    let of = |child, kind| Part::of(&heads, child, kind);
    let part = |grand, head, inner, child| Part { grand, head, inner, child, ..Part::default() };
    assert_eq!(of(1, PartKind::GrandSibling), part(Some(0), 2, None, 1));
    assert_eq!(of(2, PartKind::GrandSibling), part(None, 0, None, 2));
    assert_eq!(of(3, PartKind::GrandSibling), part(Some(2), 4, None, 3));
    assert_eq!(of(5, PartKind::GrandSibling), part(Some(0), 2, Some(4), 5));
    assert_eq!(of(5, PartKind::Grand), part(Some(0), 2, None, 5));
    assert_eq!(of(5, PartKind::Sibling), part(None, 2, Some(4), 5));
    assert!(part(Some(5), 3, None, 4).is_possible(true));
    assert!(!part(Some(4), 3, None, 4).is_possible(false), "a cycle");
    assert!(part(Some(2), 3, None, 1).is_possible(false));
    assert!(!part(Some(2), 3, None, 1).is_possible(true), "3 → 1 crosses the arc into 2");
    let outermost = |head, child, below| Part { head, child, below, ..Part::default() };
    assert_eq!(of(2, PartKind::First), outermost(0, 2, Some(1)));
    assert_eq!(of(2, PartKind::Last), outermost(0, 2, Some(5)));
    assert_eq!(of(4, PartKind::Last), outermost(2, 4, None));
    assert!(
        !outermost(2, 4, Some(2)).is_possible(false) && !outermost(2, 4, Some(1)).is_possible(true)
    );
    assert!(
        outermost(2, 4, Some(1)).is_possible(false) && outermost(2, 4, Some(3)).is_possible(true)
    );
    let heads = [0, 1, 1, 1];
    let three = Part { head: 1, second: Some(2), inner: Some(3), child: 4, ..Part::default() };
    assert_eq!(Part::of(&heads, 4, PartKind::TriSibling), three);
    let pair = Part::of(&heads, 3, PartKind::TriSibling);
    assert!(pair.second.is_none() && PartKind::TriSibling.applies_to(pair));
    assert!(!PartKind::TriSibling.applies_to(Part::of(&heads, 2, PartKind::TriSibling)));
}

#[test]
fn part_features_tell_words_and_shapes_apart() {
    let sent = Sentence::from_words(&[
        ("a", "DET", 2, "det"),
        ("b", "NOUN", 3, "nsubj"),
        ("c", "VERB", 0, "root"),
        ("d", "NOUN", 3, "obj"),
    ]);
    let templates =
        "[direction]\nhead.upos + inner.form + child.form\ngrand.form + child.form + distance\n";
    let mut set = AtomSet::default();
    let templates = PartTemplates::new(&template::read(templates).unwrap(), &mut set);
    assert!(templates.has(PartKind::Sibling) && templates.has(PartKind::Grand));
    assert!(!templates.has(PartKind::GrandSibling));
    let (mut atoms, mut between, mut sides) = Default::default();
    Atoms::fill(&mut atoms, &set, &sent);
    Between::fill(&mut between, atoms.tags());
    templates.sides(&atoms, &[0; 25], &mut sides);
    let feature = |kind, grand, head, inner, child| {
        let mut found = Vec::new();
        let part = Part { grand, head, inner, child, ..Part::default() };
        let part = (part, PartLabels::default());
        templates.features(kind, (&atoms, &between), &sides, part, |sum| found.push(sum));
        assert_eq!(found.len(), 1);
        found[0]
    };
    let siblings = [
        feature(PartKind::Sibling, None, 1, None, 3),
        feature(PartKind::Sibling, None, 1, Some(2), 3),
        feature(PartKind::Sibling, None, 4, Some(2), 3),
        feature(PartKind::Sibling, None, 2, None, 3),
        feature(PartKind::Grand, Some(1), 2, None, 3),
        feature(PartKind::Grand, Some(4), 2, None, 3),
        feature(PartKind::Grand, None, 2, None, 3),
        feature(PartKind::Grand, Some(1), 4, None, 3),
    ];
    let distinct: std::collections::HashSet<_> = siblings.iter().collect();
    assert_eq!(distinct.len(), siblings.len(), "{siblings:?}");
    let same_tag = feature(PartKind::Sibling, None, 2, Some(3), 4);
    assert_ne!(same_tag, feature(PartKind::Sibling, None, 1, Some(3), 4));
}

#[test]
fn part_features_see_the_labels_of_all_arcs() {
    let sent =
        Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", 1, "x"), ("c", "X", 1, "x")]);
    let templates = "[direction]\ninner.upos + labels\ngrand.upos + labels\n";
    let mut set = AtomSet::default();
    let templates = PartTemplates::new(&template::read(templates).unwrap(), &mut set);
    let (mut atoms, between, mut sides) = Default::default();
    Atoms::fill(&mut atoms, &set, &sent);
    let mut feature = |kind, labelled: &[(usize, usize)]| {
        let mut labels = [0; 16];
        labelled.iter().for_each(|&(head, child)| labels[child * 4 + head] = 5);
        templates.sides(&atoms, &labels, &mut sides);
        let part = Part { grand: Some(0), head: 1, inner: Some(2), child: 3, ..Part::default() };
        let mut found = 0;
        let part = (part, sides.labels(part));
        templates.features(kind, (&atoms, &between), &sides, part, |sum| found = sum);
        found
    };
    for (kind, seen, unseen) in
        [(PartKind::Sibling, (1, 2), (0, 1)), (PartKind::Grand, (0, 1), (1, 2))]
    {
        let none = feature(kind, &[]);
        assert_eq!(none, feature(kind, &[unseen, (2, 3)]), "no arc of the part");
        let some =
            [feature(kind, &[seen]), feature(kind, &[(1, 3)]), feature(kind, &[seen, (1, 3)])];
        assert!(!some.contains(&none) && some[0] != some[1] && some[1] != some[2], "{some:?}");
    }
}

#[test]
fn part_features_see_agreement_and_valency() {
    let words = [("a", "DET", 3, "det"), ("b", "ADJ", 3, "amod"), ("c", "NOUN", 0, "root")];
    let mut set = AtomSet::default();
    let text = "[direction]\ninner.upos + agree\nfirst.upos + valency\n";
    let templates = PartTemplates::new(&template::read(text).unwrap(), &mut set);
    assert!(templates.see_valency());
    let feature = |feats: &str, kind, valency| {
        let mut sent = Sentence::from_words(&words);
        sent.set(1, Column::Feats, "Case=Nom|Number=Sing");
        sent.set(2, Column::Feats, feats);
        let (mut atoms, mut between, mut sides) = Default::default();
        Atoms::fill(&mut atoms, &set, &sent);
        Between::fill(&mut between, atoms.tags());
        templates.sides(&atoms, &[0; 16], &mut sides);
        let part = Part { head: 3, inner: Some(2), child: 1, ..Part::default() };
        let part = (part, PartLabels { valency, ..PartLabels::default() });
        let mut found = Vec::new();
        templates.features(kind, (&atoms, &between), &sides, part, |sum| found.push(sum));
        found
    };
    let agree = |feats| feature(feats, PartKind::Sibling, 0);
    assert_eq!(agree("Case=Nom").len(), 1, "one value, however many keys");
    assert_eq!(agree("Case=Nom"), agree("Case=Nom|Gender=Fem"), "a key that one word has");
    assert_ne!(agree("Case=Nom"), agree("Case=Acc"));
    assert_ne!(agree("Case=Nom"), agree("Case=Nom|Number=Sing"));
    let valency = |count| feature("_", PartKind::First, count);
    assert_ne!(valency(1), valency(2));
}
