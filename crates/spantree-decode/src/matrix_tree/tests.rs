use super::*;

/// Two words that each want the other as head, `pull` above what the root offers.
fn tug_of_war(pull: f32) -> ArcScores {
    ArcScores::from_fn(2, |head, _| if head == 0 { -pull } else { pull })
}

#[test]
fn a_dominant_cycle_does_not_cancel() {
    let scores = tug_of_war(1000.0);
    let (mut scratch, mut marginals) = Default::default();
    for mode in [RootMode::One, RootMode::Many] {
        let matrix_tree = MatrixTree::new(mode);
        // Two trees of one root arc and one word arc; the third, of two root arcs, weighs nothing.
        let log_z = matrix_tree.marginals(&scores, &mut scratch, &mut marginals).unwrap();
        assert!((log_z - 2f64.ln()).abs() < 1e-12, "{log_z}");
        for (head, child) in [(0, 1), (2, 1), (0, 2), (1, 2)] {
            assert!((marginals.get(head, child) - 0.5).abs() < 1e-12);
        }
        assert_eq!(Some(log_z), matrix_tree.log_partition(&scores, &mut scratch));
    }
}

#[test]
fn plain_numbers_and_logarithms_agree() {
    let scores = ArcScores::from_fn(12, |head, child| ((head * 31 + child * 17) % 13) as f32 - 6.0);
    for mode in [RootMode::One, RootMode::Many] {
        let (mut plain, mut logarithmic) = (Elimination::<f64>::default(), Elimination::default());
        let (mut a, mut b) = Default::default();
        let log_a = plain.marginals(&scores, mode, &mut a).unwrap();
        let log_b = Elimination::<LogWeight>::marginals(&mut logarithmic, &scores, mode, &mut b);
        assert!((log_a - log_b.unwrap()).abs() < 1e-11);
        for child in 1..=12 {
            for (x, y) in a.heads_of(child).iter().zip(b.heads_of(child)) {
                assert!((x - y).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn long_sentences_of_extreme_scores() {
    let words = 300;
    let mut seed = 1u64;
    let scores = ArcScores::from_fn(words, |_, _| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        if seed >> 63 == 0 { 1000.0 } else { -1000.0 }
    });
    let (mut scratch, mut marginals) = Default::default();
    for mode in [RootMode::One, RootMode::Many] {
        let matrix_tree = MatrixTree::new(mode);
        let log_z = matrix_tree.marginals(&scores, &mut scratch, &mut marginals).unwrap();
        assert!(log_z > 1000.0 * words as f64 && log_z < 1000.0 * words as f64 + 2000.0);
        for child in 1..=words {
            let sum: f64 = marginals.heads_of(child).iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{child}: {sum}");
        }
        let roots: f64 = (1..=words).map(|child| marginals.get(0, child)).sum();
        assert!(mode == RootMode::Many || (roots - 1.0).abs() < 1e-9, "{roots}");
    }
}

#[test]
fn a_word_without_word_heads_must_be_the_root() {
    let mut scores = ArcScores::from_fn(4, |head, child| (head + child) as f32 / 4.0);
    scores.require(0, 3);
    let (mut scratch, mut marginals) = Default::default();
    MatrixTree::new(RootMode::One).marginals(&scores, &mut scratch, &mut marginals).unwrap();
    assert!((marginals.get(0, 3) - 1.0).abs() < 1e-12);
    assert!(marginals.get(0, 1) == 0.0);
    scores.require(0, 1);
    assert_eq!(MatrixTree::new(RootMode::One).log_partition(&scores, &mut scratch), None);
    assert!(MatrixTree::new(RootMode::Many).log_partition(&scores, &mut scratch).is_some());
}
