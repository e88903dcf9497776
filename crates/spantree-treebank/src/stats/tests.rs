use std::collections::BTreeMap;

use super::*;

/// Two sentences with a tree, one of them non-projective with a multiword token, and one without.
fn treebank() -> Vec<Sentence> {
    let mut first = Sentence::from_words(&[
        ("run", "NOUN", 2, "nsubj:pass"),
        ("run", "VERB", 0, "root"),
        ("!", "PUNCT", 2, "punct"),
    ]);
    first.push_comment("# newdoc id = a");
    first.set(1, Column::Lemma, "run");
    first.set(2, Column::Feats, "Number=Sing|Person=3");
    first.set(2, Column::Misc, "SpaceAfter=No");
    let mut second = Sentence::new();
    second.push_row(TokenId::Range(1, 2));
    for (head, label) in [(3, "nsubj"), (4, "obj"), (4, "dep"), (0, "root")] {
        let word = second.push_word("w");
        second.set(word, Column::Upos, "X");
        second.set_head(word, Some(head));
        second.set(word, Column::Deprel, label);
    }
    second.push_row(TokenId::Empty(4, 1));
    let third = Sentence::from_words(&[("a", "X", 2, "dep"), ("b", "X", 1, "dep")]);
    vec![first, second, third]
}

fn count(sentences: &[Sentence]) -> Stats {
    let mut stats = Stats::default();
    for sent in sentences {
        stats.add(sent);
    }
    stats
}

#[test]
fn figures_are_those_counted_by_hand() {
    let report = count(&treebank()).report();
    let sizes = Sizes {
        documents: 1,
        sentences: 3,
        without_tree: 1,
        tokens: 3 + 3 + 2,
        words: 9,
        multiword_tokens: 1,
        empty_nodes: 1,
        with_lemma: 1,
        with_xpos: 0,
        with_feats: 1,
        with_deps: 0,
        without_space_after: 1,
    };
    assert_eq!(report.sizes, sizes);
    let trees = &report.trees;
    assert_eq!((trees.trees, trees.arcs), (2, 7));
    // 1 ← 3 passes over 2, which 3 does not dominate; 2 ← 4 passes over 3, which 4 does.
    assert_eq!((trees.non_projective_arcs, trees.non_projective, trees.non_planar), (1, 1, 1));
    assert_eq!(trees.not_one_endpoint_crossing, 0);
    assert_eq!(trees.gap_degrees, BTreeMap::from([(0, 1), (1, 1)]));
    assert_eq!(trees.roots, BTreeMap::from([(1, 2)]));
    assert_eq!(trees.arc_length.histogram, BTreeMap::from([(1, 3), (2, 2)]));
    assert_eq!(trees.depth.histogram, BTreeMap::from([(2, 1), (3, 1)]));
    assert_eq!((report.sentence_length.mean, report.sentence_length.median), (3.0, 3.0));
    assert_eq!(report.inventories.labels.len(), 6);
    assert_eq!(report.inventories.universal_labels, 5);
    assert_eq!((report.inventories.features, report.inventories.feature_sets), (2, 1));
}

#[test]
fn ambiguity_counts_contexts_and_occurrences() {
    let report = count(&treebank()[..1]).report();
    let tags = &report.tags_per_form;
    assert_eq!((tags.contexts, tags.ambiguous_contexts), (2, 1));
    assert_eq!(tags.mean_values, 1.5);
    assert_eq!((tags.ambiguous_share, tags.majority_share), (2.0 / 3.0, 2.0 / 3.0));
    assert_eq!(report.labels_per_tag_pair.contexts, 3);
}

#[test]
fn parts_merge_to_the_whole() {
    let sentences = treebank();
    for cut in 0..=sentences.len() {
        let mut merged = count(&sentences[..cut]);
        merged.merge(&count(&sentences[cut..]));
        assert_eq!(merged, count(&sentences));
    }
}

#[test]
fn reports_are_readable_by_people_and_programs() {
    let report = count(&treebank()).report();
    let table = report.to_string();
    let rows: Vec<_> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let has = |row: &str| rows.contains(&row.split(' ').collect::<Vec<_>>());
    assert!(has("non-projective 1 14.29 %") && has("1-10 3 100.00 %"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["trees"]["gap_degrees"]["1"], 1);
    assert_eq!(json["inventories"]["upos"][0]["value"], "X");
    let empty = Stats::default().report();
    assert_eq!((empty.sentence_length.mean, empty.sentence_length.max), (0.0, 0));
    assert!(!empty.to_string().contains("NaN") && !empty.to_json().contains("null"));
}
