use super::*;
use crate::random::Random;
use crate::tree::for_each_tree;

/// The example of the paper, shortened: `Z nich` ("of them") belongs to `jedna` ("one"), across the root `je` ("is").
fn prague() -> Sentence {
    Sentence::from_words(&[
        ("Z", "ADP", 5, "AuxP"),
        ("nich", "PRON", 1, "Atr"),
        ("je", "VERB", 0, "Pred"),
        ("jen", "PART", 5, "AuxZ"),
        ("jedna", "NUM", 3, "Sb"),
        ("na", "ADP", 3, "AuxP"),
        ("kvalitu", "NOUN", 6, "Adv"),
    ])
}

fn labels(sent: &Sentence) -> Vec<&str> {
    sent.words().map(|word| word.deprel()).collect()
}

/// `heads` with labels that tell the words apart.
fn with_heads(heads: &[u32]) -> Sentence {
    let mut sent = Sentence::new();
    for (index, &head) in heads.iter().enumerate() {
        let word = sent.push_word("w");
        sent.set_head(word, Some(head));
        sent.set(word, Column::Deprel, ["a", "b", "c"][index % 3]);
    }
    sent
}

#[test]
fn each_scheme_writes_its_labels_and_reads_them_back() {
    let gold = prague();
    for (scheme, first, fifth) in [
        (Scheme::Head, "AuxP↑Sb", "Sb"),
        (Scheme::Path, "AuxP↑", "Sb↓"),
        (Scheme::HeadPath, "AuxP↑Sb", "Sb↓"),
    ] {
        let encoder = PseudoProjective::new(scheme);
        let mut sent = gold.clone();
        assert_eq!(encoder.encode(&mut sent), Ok(1));
        assert_eq!(sent.word(1).head(), Some(3));
        assert_eq!(labels(&sent), [first, "Atr", "Pred", "AuxZ", fifth, "AuxP", "Adv"]);
        assert_eq!(encoder.decode(&mut sent), Ok(1));
        assert_eq!(sent.to_conllu(), gold.to_conllu());
    }
}

#[test]
fn ranks_tell_equal_candidates_apart() {
    // Word 4 hangs on 1 and word 5 on 2, across the root 3; both passed words have the label `a`.
    let gold = Sentence::from_words(&[
        ("w", "X", 3, "a"),
        ("w", "X", 3, "a"),
        ("w", "X", 0, "root"),
        ("w", "X", 1, "x"),
        ("w", "X", 2, "y"),
    ]);
    for scheme in Scheme::ALL {
        let mut plain = gold.clone();
        PseudoProjective::new(scheme).encode(&mut plain).unwrap();
        PseudoProjective::new(scheme).decode(&mut plain).unwrap();
        assert_eq!(plain.word(5).head(), Some(1), "{scheme}: the first candidate");
        let encoder = PseudoProjective::ranked(scheme);
        let mut sent = gold.clone();
        encoder.encode(&mut sent).unwrap();
        assert!(sent.word(5).deprel().starts_with("y↑↑"), "{}", sent.word(5).deprel());
        encoder.decode(&mut sent).unwrap();
        assert_eq!(sent.to_conllu(), gold.to_conllu());
    }
}

#[test]
fn every_small_tree_survives_with_its_roots_and_labels() {
    let (mut arcs, mut recovered) = (0, [0; 3]);
    for_each_tree(6, |tree| {
        let gold = with_heads(tree.heads());
        let lifted = tree.lift().lifted;
        arcs += lifted.len();
        for (scheme, recovered) in Scheme::ALL.into_iter().zip(&mut recovered) {
            let encoder = PseudoProjective::ranked(scheme);
            let mut sent = gold.clone();
            assert_eq!(encoder.encode(&mut sent), Ok(lifted.len()));
            assert!(sent.tree().unwrap().is_projective());
            encoder.decode(&mut sent).unwrap();
            assert_eq!(labels(&sent), labels(&gold));
            let decoded = sent.tree().unwrap();
            if tree.root().is_ok() {
                assert_eq!(decoded.root(), tree.root());
            }
            let same = |&&word: &&u32| decoded.head(word) == tree.head(word);
            *recovered += lifted.iter().filter(same).count();
        }
    });
    let share = recovered.map(|count| count as f64 / arcs as f64);
    assert!(share.iter().all(|&share| share > 0.9), "{share:?}");
}

#[test]
fn decoding_any_labels_gives_a_tree_without_new_roots() {
    let mut random = Random::new(3);
    let pool = ["a", "b", "a↑", "b↑a", "a↓", "b↑↓", "a↑↑b↓", "↑", "↓", "a↑↑↑↑↑↑↑↑↑↑↑↑", "↓↑↓"];
    for_each_tree(5, |tree| {
        for scheme in Scheme::ALL {
            let mut sent = with_heads(tree.heads());
            for word in 1..=5 {
                sent.set(word, Column::Deprel, random.choose(&pool).unwrap());
            }
            PseudoProjective::new(scheme).decode(&mut sent).unwrap();
            let decoded = sent.tree().unwrap();
            let roots = tree.children(0);
            assert!(decoded.children(0).iter().all(|root| roots.contains(root)));
            assert!(!decoded.children(0).is_empty());
        }
    });
}

#[test]
fn a_cap_keeps_the_most_frequent_traces() {
    let rare = prague();
    let common =
        Sentence::from_words(&[("w", "X", 3, "x"), ("w", "X", 0, "root"), ("w", "X", 2, "y")]);
    let corpus = [rare.clone(), common.clone(), common.clone()];
    let encoder = PseudoProjective::new(Scheme::Path).fit(&corpus, 2);
    let kept: Vec<_> = encoder.kept_labels().unwrap().iter().collect();
    assert_eq!(kept, ["x↑", "y↓"]);
    let mut sent = rare.clone();
    assert_eq!(encoder.encode(&mut sent), Ok(1));
    assert_eq!(labels(&sent), labels(&rare), "lifted without a trace");
    assert_eq!(sent.word(1).head(), Some(3));
    let mut sent = common.clone();
    encoder.encode(&mut sent).unwrap();
    assert_eq!(labels(&sent), ["x↑", "root", "y↓"]);
}

#[test]
fn unfit_sentences_are_refused_unchanged() {
    let encoder = PseudoProjective::new(Scheme::Path);
    let mut sent = with_heads(&[0, 1]);
    sent.set(2, Column::Deprel, "obj↑");
    let before = sent.to_conllu();
    let error = encoder.encode(&mut sent).unwrap_err();
    assert_eq!(error, EncodeError::ReservedLabel { word: 2, label: "obj↑".to_owned() });
    sent.set_head(2, Some(2));
    assert!(matches!(encoder.encode(&mut sent), Err(EncodeError::Tree(_))));
    assert!(encoder.decode(&mut sent).is_err());
    sent.set_head(2, Some(1));
    assert_eq!(sent.to_conllu(), before);
    assert_eq!("head+path".parse(), Ok(Scheme::HeadPath));
    assert!("both".parse::<Scheme>().unwrap_err().contains("both"));
}
