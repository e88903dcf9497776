use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::sentence::{Column, TokenId};
use crate::stats::Stats;
use crate::validate::{Finding, Options, Validator};

fn sentences(config: &GeneratorConfig, count: usize) -> Vec<Sentence> {
    Generator::new(config.clone()).take(count).collect()
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn the_first_hundred_sentences_never_change() {
    let config = GeneratorConfig { enhanced: true, noise: 0.05, ..GeneratorConfig::default() };
    let text: String = sentences(&config, 100).iter().map(Sentence::to_conllu).collect();
    assert_eq!(hash(&text), 11_829_681_685_903_166_166, "the text changed:\n{}", &text[..300]);
}

#[test]
fn seeds_change_the_text_and_grammars_the_words() {
    let forms = |config: &GeneratorConfig| -> BTreeSet<String> {
        let sents = sentences(config, 200);
        let words = sents.iter().flat_map(Sentence::words);
        words.filter(|word| word.upos() == "NOUN").map(|word| word.lemma().to_owned()).collect()
    };
    let base = GeneratorConfig::default();
    let other_seed = GeneratorConfig { seed: 1, ..base.clone() };
    let other_grammar = GeneratorConfig { grammar: 1, ..base.clone() };
    assert_ne!(sentences(&base, 1)[0].text(), sentences(&other_seed, 1)[0].text());
    let shared = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.intersection(b).count();
    let nouns = forms(&base);
    assert!(shared(&nouns, &forms(&other_seed)) * 10 > nouns.len() * 8);
    assert!(shared(&nouns, &forms(&other_grammar)) * 10 < nouns.len());
}

#[test]
fn rates_and_lengths_are_what_was_asked_for() {
    for rate in [0.0, 0.3, 1.0] {
        for noise in [0.0, 0.2] {
            let config = GeneratorConfig { non_projective: rate, noise, ..Default::default() };
            let mut stats = Stats::default();
            sentences(&config, 1000).iter().for_each(|sent| stats.add(sent));
            let report = stats.report();
            assert!((report.trees.non_projective_share - rate).abs() < 0.05);
            assert!(rate > 0.0 || report.trees.non_projective == 0);
            assert_eq!(report.trees.roots, BTreeMap::from([(1, 1000)]));
            assert!((9.0..15.0).contains(&report.sentence_length.mean));
        }
    }
    let long = GeneratorConfig { mean_length: 60, ..Default::default() };
    let words: usize = sentences(&long, 100).iter().map(Sentence::len).sum();
    assert!((5_000..7_000).contains(&words), "{words}");
}

#[test]
fn tags_are_ambiguous_only_when_asked_for() {
    let ambiguous = |rate| {
        let config = GeneratorConfig { tag_ambiguity: rate, ..Default::default() };
        let mut stats = Stats::default();
        sentences(&config, 1000).iter().for_each(|sent| stats.add(sent));
        stats.report().tags_per_form.ambiguous_share
    };
    assert_eq!(ambiguous(0.0), 0.0);
    assert!(ambiguous(0.3) > 0.02, "{}", ambiguous(0.3));
    assert!(ambiguous(1.0) > ambiguous(0.3));
}

#[test]
fn only_words_tell_where_a_prepositional_phrase_belongs() {
    let config = GeneratorConfig { non_projective: 0.0, ..Default::default() };
    let mut by_lemma: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for sent in sentences(&config, 3000) {
        for word in sent.words().filter(|word| matches!(word.deprel(), "nmod" | "obl")) {
            let head = word.head().unwrap();
            let has_object = sent.words().any(|other| {
                other.deprel() == "obj"
                    && [Some(head), sent.word(head).head()].contains(&other.head())
            });
            if has_object {
                by_lemma.entry(word.lemma().to_owned()).or_default()
                    [usize::from(word.deprel() == "obl")] += 1;
            }
        }
    }
    let total: usize = by_lemma.values().flatten().sum();
    let verbs: usize = by_lemma.values().map(|counts| counts[1]).sum();
    let by_word: usize = by_lemma.values().map(|counts| counts[0].max(counts[1])).sum();
    assert!(verbs * 10 > total * 3 && verbs * 10 < total * 7, "blind guessing: {verbs} of {total}");
    assert!(by_word * 10 > total * 9, "by the noun: {by_word} of {total}");
}

#[test]
fn agreement_text_and_layers_are_consistent() {
    let config = GeneratorConfig { enhanced: true, noise: 0.0, ..Default::default() };
    let (mut ranges, mut empty) = (0, 0);
    for sent in sentences(&config, 500) {
        let mut text = String::new();
        for token in sent.surface_tokens() {
            text.push_str(token.form());
            text.push_str(if token.space_after() { " " } else { "" });
        }
        assert_eq!(Some(text.trim_end()), sent.text());
        for word in sent.words().filter(|word| word.deprel() == "amod") {
            let noun = sent.word(word.head().unwrap());
            assert_eq!(word.get(Column::Feats), noun.get(Column::Feats), "{}", sent.to_conllu());
        }
        assert!(sent.words().all(|word| word.deps().any(|arc| Some(arc.head) == word.head())));
        for token in sent.tokens() {
            ranges += usize::from(matches!(token.id(), TokenId::Range(..)));
            empty += usize::from(matches!(token.id(), TokenId::Empty(..)));
        }
    }
    assert!(ranges > 10 && empty > 10);
}

#[test]
fn the_validator_has_nothing_to_say() {
    for (enhanced, noise) in [(false, 0.0), (true, 0.0), (true, 0.2)] {
        let config = GeneratorConfig { enhanced, noise, seed: 4, ..Default::default() };
        let text: String = sentences(&config, 500).iter().map(Sentence::to_conllu).collect();
        let mut findings = Vec::new();
        let mut validator = Validator::new(Options::default());
        let report = |finding: Finding| findings.push(finding.to_string());
        validator.check(text.as_bytes(), "synthetic", report).unwrap();
        assert!(validator.summary().passed() && findings.is_empty(), "{findings:?}");
    }
}

#[test]
fn extreme_configurations_still_give_trees() {
    let none = GeneratorConfig {
        vocabulary: 0,
        mean_length: 0,
        non_projective: 2.0,
        tag_ambiguity: -1.0,
        noise: 1.0,
        contraction: f64::NAN,
        document_length: 0,
        ..Default::default()
    };
    let large = GeneratorConfig { vocabulary: 30_000, mean_length: 300, ..Default::default() };
    for config in [none, large] {
        for sent in sentences(&config, 20) {
            assert!(sent.tree().unwrap().root().is_ok());
            assert!(config.document_length > 0 || sent.comment("newdoc").is_none());
        }
    }
}
