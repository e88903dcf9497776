use super::*;
use crate::evaluate::{Document, Roots};
use crate::format::Format;
use crate::read::TreebankReader;

/// A treebank of lines `id form lemma upos xpos feats head deprel`; an empty line ends a sentence.
fn document(lines: &str) -> Document {
    let mut text = String::new();
    for line in lines.lines().map(str::trim) {
        if !line.is_empty() {
            text += &line.split_whitespace().collect::<Vec<_>>().join("\t");
            text += "\t_\t_";
        }
        text.push('\n');
    }
    let reader = TreebankReader::new(std::io::Cursor::new(text + "\n"), "test", Format::Conllu);
    Document::read(reader).unwrap()
}

const GOLD: &str = "1 The   the  DET   DT  Definite=Def|PronType=Art 2 det
                    2 dogs  dog  NOUN  NNS Number=Plur               4 nsubj:pass
                    3 were  be   AUX   VBD Mood=Ind|Tense=Past       4 aux:pass
                    4 fed   feed VERB  VBN Tense=Past|VerbForm=Part  0 root
                    5 .     _    PUNCT .   _                         4 punct

                    1 Good  good ADJ   JJ  Degree=Pos                0 root
                    2 .     .    PUNCT .   _                         1 punct";

/// What is wrong: XPOS and a non-universal feature of 1.1, order of features of 1.3, its relation's subtype and UPOS, the
/// lemma of 1.5, the head and lemma of 2.1, and one sentence instead of two.
const SYSTEM: &str = "1 The   the  DET   XX  Definite=Def|Extra=Yes|PronType=Art 2 det
                      2 dogs  dog  NOUN  NNS Number=Plur                         4 nsubj
                      3 were  be   VERB  VBD Tense=Past|Mood=Ind                 4 aux
                      4 fed   feed VERB  VBN Tense=Past|VerbForm=Part            0 root
                      5 .     zzz  PUNCT .   _                                   4 punct
                      6 Good  X    ADJ   JJ  Degree=Pos                          4 parataxis
                      7 .     .    PUNCT .   _                                   6 punct";

#[test]
fn every_metric_by_hand() {
    let (gold, system) = (document(GOLD), document(SYSTEM));
    let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
    let expected = [
        (Metric::Tokens, 7, 7, 7, None),
        (Metric::Sentences, 2, 1, 0, None),
        (Metric::Words, 7, 7, 7, None),
        (Metric::Upos, 7, 7, 6, Some(7)),
        (Metric::Xpos, 7, 7, 6, Some(7)),
        (Metric::Ufeats, 7, 7, 7, Some(7)),
        (Metric::AllTags, 7, 7, 5, Some(7)),
        // `_` in gold accepts `zzz`.
        (Metric::Lemmas, 7, 7, 6, Some(7)),
        (Metric::Uas, 7, 7, 6, Some(7)),
        (Metric::Las, 7, 7, 6, Some(7)),
        // Content words: dogs, fed, Good.
        (Metric::Clas, 3, 3, 2, Some(3)),
        // "were" is a function word of "fed" and has another UPOS.
        (Metric::Mlas, 3, 3, 1, Some(3)),
        (Metric::Blex, 3, 3, 2, Some(3)),
        (Metric::Elas, 0, 0, 0, None),
        (Metric::Eulas, 0, 0, 0, None),
    ];
    for (metric, gold, system, correct, aligned) in expected {
        assert_eq!(comparison.score(metric), Score { gold, system, correct, aligned }, "{metric}");
    }
}

#[test]
fn sentence_scores_belong_to_gold_sentences() {
    let (gold, system) = (document(GOLD), document(SYSTEM));
    let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
    let scores = comparison.sentence_scores(Metric::Las);
    let counts: Vec<_> =
        scores.iter().map(|score| (score.gold, score.system, score.correct)).collect();
    assert_eq!(counts, [(5, 5, 5), (2, 2, 1)]);
    let turned = Comparison::by_text(&system, &gold, Roots::One).unwrap();
    let score = turned.score(Metric::Sentences);
    assert_eq!((score.gold, score.system, score.correct), (1, 2, 0));
}

#[test]
fn a_word_that_is_split_is_lost_with_its_arcs() {
    let system = SYSTEM.replacen("2 dogs  dog", "2 dog dog", 1).replacen(
        "3 were  be",
        "3 s s X X _ 2 dep
         4 were  be",
        1,
    );
    // Renumber what follows by hand.
    let system = system
        .replace("4 fed", "5 fed")
        .replace("5 .     zzz", "6 . zzz")
        .replace("6 Good", "7 Good")
        .replace("7 .     .", "8 . .")
        .replace("4 nsubj", "5 nsubj")
        .replace("4 aux", "5 aux")
        .replace("4 punct", "5 punct")
        .replace("4 parataxis", "5 parataxis")
        .replace("6 punct", "7 punct");
    let (gold, system) = (document(GOLD), document(&system));
    let comparison = Comparison::by_text(&gold, &system, Roots::One).unwrap();
    let counts = |metric| {
        let Score { gold, system, correct, aligned } = comparison.score(metric);
        (gold, system, correct, aligned)
    };
    assert_eq!(counts(Metric::Tokens), (7, 8, 6, None));
    assert_eq!(counts(Metric::Words), (7, 8, 6, None));
    // "The" hangs on "dog", which no gold word is.
    assert_eq!(counts(Metric::Uas), (7, 8, 4, Some(6)));
}

#[test]
fn names_are_read_in_any_case() {
    for metric in Metric::ALL {
        assert_eq!(metric.name().to_lowercase().parse(), Ok(metric));
    }
    assert!("LAX".parse::<Metric>().unwrap_err().contains("choose from Tokens,"));
}

#[test]
fn tables_are_sorted_for_binary_search() {
    assert!(CONTENT_RELATIONS.is_sorted());
}
