//! The transition parser from treebank to trees, on synthetic treebanks.

use spantree::Pipeline;
use spantree::parser::{ParseOptions, ParseWarning, SpanSource};
use spantree::pipeline::Stages;
use spantree::train::{
    TrainConfig, TransitionConfig, TransitionLearning, TransitionOracle, train_transition,
};
use spantree::transition::{Parser, TransitionSystem};
use spantree::treebank::repairs::edited_words;
use spantree::treebank::{Column, Generator, GeneratorConfig, Sentence};

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

fn config(system: TransitionSystem, beam: usize) -> TrainConfig {
    let transition = TransitionConfig { system, beam, greedy_epochs: 1, ..Default::default() };
    TrainConfig { epochs: 3, max_bits: 16, max_label_bits: 15, transition, ..Default::default() }
}

fn train(config: &TrainConfig) -> Parser {
    train_transition(config, (&treebank(1, 200), 1), &treebank(2, 40), &mut |_| ()).unwrap()
}

fn pipeline(parser: Parser) -> Pipeline {
    Pipeline::new(&Stages { parser: Some(parser.into()), ..Stages::default() }, Vec::new()).unwrap()
}

fn bytes(parser: Parser, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("spantree-{name}-{}", std::process::id()));
    pipeline(parser).save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

/// The same sentences with a word said twice in some of them, at first with a hesitation.
fn with_repairs(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let repair = |(number, sent): (usize, Sentence)| {
        let at = number % sent.len().max(1);
        if sent.is_empty() || number % 3 == 0 {
            return sent;
        }
        // Words from `at` on move by one.
        let moved = |word: u32| if word as usize > at { word + 1 } else { word };
        let word = |word: spantree::treebank::Token<'_>| {
            (
                word.form().to_owned(),
                word.upos().to_owned(),
                moved(word.head().unwrap()),
                word.deprel().to_owned(),
            )
        };
        let mut words: Vec<_> = sent.words().map(word).collect();
        let (form, upos, ..) = words[at].clone();
        words.insert(at, (form, upos, at as u32 + 2, "reparandum".to_owned()));
        let words: Vec<_> = words.iter().map(|(f, u, h, d)| (&**f, &**u, *h, &**d)).collect();
        Sentence::from_words(&words)
    };
    sentences.into_iter().enumerate().map(repair).collect()
}

#[test]
fn edits_are_learned_and_noted() {
    let data = with_repairs(treebank(1, 500));
    let dev = with_repairs(treebank(2, 60));
    for beam in [1, 4] {
        let config = config(TransitionSystem::ArcEdit, beam);
        let parser = train_transition(&config, (&data, 1), &dev, &mut |_| ()).unwrap();
        let mut worker = parser.worker();
        let (mut gold_edits, mut edits, mut both) = (0, 0, 0);
        for gold in with_repairs(treebank(3, 100)) {
            let mut guess = gold.clone();
            let options = ParseOptions { confidence: true, ..ParseOptions::default() };
            worker.parse(&mut guess, &options).unwrap();
            guess.tree().unwrap().root().unwrap();
            let (right, found) = (edited_words(&gold).unwrap(), edited_words(&guess).unwrap());
            for ((word, &found), &right) in guess.words().zip(&found).zip(&right) {
                assert_eq!(word.misc_value("Edited") == Some("Yes"), found);
                gold_edits += usize::from(right);
                edits += usize::from(found);
                both += usize::from(right && found);
            }
            assert_eq!(guess.comment("fluent_text").is_some(), found.contains(&true));
        }
        assert!(both * 10 > 9 * gold_edits && both * 10 > 9 * edits, "{both} {gold_edits} {edits}");
    }
    let refused = train_transition(
        &config(TransitionSystem::ArcEdit, 1),
        (&treebank(1, 20), 1),
        &[],
        &mut |_| (),
    );
    assert!(refused.unwrap_err().to_string().contains("reparandum"));
}

/// Arc-standard over the front of a queue has the same states under other names, so it learns the same weights.
#[test]
fn the_front_of_a_queue_is_the_top_of_a_stack() {
    let [stack, queue] = [TransitionSystem::ArcStandard, TransitionSystem::ArcQueue]
        .map(|system| train(&config(system, 2)));
    for mut sent in treebank(3, 40) {
        let mut other = sent.clone();
        stack.worker().parse(&mut sent, &ParseOptions::default()).unwrap();
        queue.worker().parse(&mut other, &ParseOptions::default()).unwrap();
        assert_eq!(sent.heads().collect::<Vec<_>>(), other.heads().collect::<Vec<_>>());
    }
}

#[test]
fn every_system_learns_with_and_without_a_beam() {
    let plain = |system: &TransitionSystem| *system != TransitionSystem::ArcEdit;
    for system in TransitionSystem::ALL.into_iter().filter(plain) {
        use TransitionLearning::{
            EarlyUpdate, Local, LogLinear, Logistic, MaxViolation, SentenceCost,
        };
        let mut ways = vec![(1, Local), (4, Local), (4, MaxViolation), (4, SentenceCost)];
        if matches!(system, TransitionSystem::ArcStandard | TransitionSystem::EasyFirst) {
            ways.extend([(1, LogLinear), (4, LogLinear), (4, EarlyUpdate), (4, Logistic)]);
        }
        for (beam, learning) in ways {
            let mut config = config(system, beam);
            config.transition.learning = learning;
            let parser = train(&config);
            assert_eq!(parser.info().ranking.is_some(), matches!(learning, Local | LogLinear));
            let scores = parser.info().dev.unwrap();
            assert!(scores.las > 80.0, "{system}, beam {beam}, {learning:?}: {scores:?}");
            let mut worker = parser.worker();
            for mut sent in treebank(3, 20) {
                sent.set(1, Column::Misc, "Kept=Yes");
                worker.parse(&mut sent, &ParseOptions::default()).unwrap();
                sent.tree().unwrap().root().unwrap();
                assert_eq!(sent.word(1).get(Column::Misc), "Kept=Yes");
            }
            assert!(worker.parse(&mut Sentence::new(), &ParseOptions::default()).is_ok());
        }
    }
}

#[test]
fn doubtful_labels_have_alternatives() {
    let parser = train(&config(TransitionSystem::ArcStandard, 1));
    let mut worker = parser.worker();
    let options = ParseOptions { confidence: true, ..ParseOptions::default() };
    let mut alternatives = 0;
    for mut sent in treebank(3, 100) {
        sent.set(1, Column::Misc, "LabelAlternative=old");
        let confidences = worker.parse(&mut sent, &options).unwrap().confidences.clone();
        for (word, confidence) in sent.words().zip(confidences) {
            let second = word.misc_value("LabelAlternative");
            assert!(second.is_none() || confidence.label < 0.9);
            assert!(second != Some(word.deprel()) && second != Some("old"));
            alternatives += usize::from(second.is_some());
        }
    }
    assert!(alternatives > 0);
}

#[test]
fn each_oracle_leads_to_a_parser_of_its_own() {
    let mut models = Vec::new();
    for oracle in
        [TransitionOracle::Static, TransitionOracle::NonDeterministic, TransitionOracle::Dynamic]
    {
        let mut config = config(TransitionSystem::ArcEager, 1);
        config.transition.oracle = oracle;
        config.transition.explore_after = 0;
        let parser = train(&config);
        let scores = parser.info().dev.unwrap();
        assert!(scores.las > 75.0, "{oracle:?}: {scores:?}");
        models.push(bytes(parser, "transition-oracle"));
    }
    assert!(models[0] != models[1] && models[1] != models[2]);
}

#[test]
fn a_beam_learns_without_greedy_training_before() {
    let mut config = config(TransitionSystem::ArcEager, 4);
    config.transition.learning = TransitionLearning::MaxViolation;
    config.transition.greedy_epochs = 0;
    let scores = train(&config).info().dev.unwrap();
    assert!(scores.las > 70.0, "{scores:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_loads_again() {
    for beam in [1, 2] {
        let config = config(TransitionSystem::ArcEager, beam);
        let parser = train(&config);
        assert_eq!(parser.info().shortcuts.is_some(), beam == 1);
        let first = bytes(parser, "transition-first");
        assert!(first == bytes(train(&config), "transition-second"));
        let other = TrainConfig { seed: 2, ..config };
        assert!(first != bytes(train(&other), "transition-other"));
        let loaded = Pipeline::from_bytes("copy", &first).unwrap();
        let summary = loaded.info().parser.as_ref().unwrap().summary();
        assert_eq!(summary, format!("transition, system arc-eager, beam {beam}"));
        // Half a file is refused.
        assert!(Pipeline::from_bytes("half", &first[..first.len() / 2]).is_err());
    }
}

#[test]
fn greedy_parsers_decide_clear_cases_alike_and_need_a_development_set_for_it() {
    let config = config(TransitionSystem::ArcStandard, 1);
    let parser = train(&config);
    let shortcuts = parser.info().shortcuts.unwrap();
    assert!(shortcuts.action_lead < 1e6 && shortcuts.label_lead < 1e6, "{shortcuts:?}");
    // A list of two trees comes from a beam, which asks all templates.
    let beam = ParseOptions { k_best: 2, ..ParseOptions::default() };
    let (mut same, mut words) = (0, 0);
    let mut worker = parser.worker();
    for mut sent in treebank(3, 60).into_iter().filter(|sent| !sent.is_empty()) {
        worker.parse(&mut sent, &ParseOptions::default()).unwrap();
        let quick: Vec<_> = sent.heads().collect();
        worker.parse(&mut sent, &beam).unwrap();
        same += quick.into_iter().zip(sent.heads()).filter(|(one, other)| one == other).count();
        words += sent.len();
    }
    assert!(same * 20 > words * 19, "{same} of {words}");
    let alone = train_transition(&config, (&treebank(1, 50), 1), &[], &mut |_| ()).unwrap();
    assert_eq!(alone.info().shortcuts, None);
}

#[test]
fn given_heads_are_kept_even_when_they_cross() {
    for system in [
        TransitionSystem::ArcEager,
        TransitionSystem::EasyFirst,
        TransitionSystem::LrSpine,
        TransitionSystem::Swap,
    ] {
        let parser = train(&config(system, 1));
        let mut worker = parser.worker();
        let options = ParseOptions { keep: true, confidence: true, ..ParseOptions::default() };
        for (number, gold) in treebank(4, 40).iter().enumerate().filter(|(_, s)| s.len() > 4) {
            let mut sent = gold.clone();
            let len = sent.len() as u32;
            // A few heads from a chain that the grammar would never build, the other words free.
            let given = |word: u32| (word % 3 == number as u32 % 3).then(|| word % len + 1);
            for word in 1..=len {
                sent.set_head(word, given(word).filter(|&head| head != word && word < len));
                sent.set(word, Column::Deprel, "_");
            }
            let wanted: Vec<_> = sent.heads().collect();
            let confidences = worker.parse(&mut sent, &options).unwrap().confidences.clone();
            sent.tree().unwrap().root().unwrap();
            assert_eq!(confidences.len(), sent.len());
            for ((wanted, found), confidence) in wanted.iter().zip(sent.heads()).zip(confidences) {
                if wanted.is_some() {
                    assert_eq!((*wanted, confidence.head), (found, 1.0));
                }
            }
        }
        // Heads that a projective tree can have need no repair.
        let projective = |sent: &&Sentence| sent.tree().unwrap().is_projective();
        for (number, gold) in (0..).zip(treebank(5, 40).iter().filter(projective)) {
            let mut sent = gold.clone();
            for word in (1..=sent.len() as u32).filter(|word| (word + number) % 3 > 0) {
                sent.set_head(word, None);
            }
            let warnings = &worker.parse(&mut sent, &options).unwrap().warnings;
            assert!(system == TransitionSystem::Swap || warnings.is_empty(), "{system}");
        }
        let mut sent = treebank(4, 40).into_iter().find(|sent| sent.len() > 4).unwrap();
        let all: Vec<u32> = (1..=sent.len() as u32).collect();
        all.iter().for_each(|&word| sent.set_head(word, None));
        sent.set_head(1, Some(3));
        sent.set_head(2, Some(4));
        let warnings = worker.parse(&mut sent, &options).unwrap().warnings.clone();
        assert_eq!((sent.word(1).head(), sent.word(2).head()), (Some(3), Some(4)));
        assert!(system == TransitionSystem::Swap || warnings == [ParseWarning::CrossingHeads]);
    }
}

#[test]
fn spans_hang_together_in_every_system() {
    let plain = |system: &TransitionSystem| *system != TransitionSystem::ArcEdit;
    for system in TransitionSystem::ALL.into_iter().filter(plain) {
        let parser = train(&config(system, 2));
        let mut worker = parser.worker();
        let options =
            ParseOptions { spans: SpanSource::Misc, confidence: true, ..Default::default() };
        let mut changed = 0;
        for (number, gold) in treebank(4, 30).iter().enumerate().filter(|(_, s)| s.len() > 4) {
            let (mut free, mut sent) = (gold.clone(), gold.clone());
            let first = 1 + number as u32 % (sent.len() as u32 - 3);
            let rows: Vec<_> = (first..first + 3).map(|word| sent.word(word).index()).collect();
            rows.iter().for_each(|&row| sent.set_attribute(row, Column::Misc, "Span", Some("a")));
            worker.parse(&mut free, &ParseOptions::default()).unwrap();
            let analysis = worker.parse(&mut sent, &options).unwrap();
            assert!(analysis.warnings.is_empty() && analysis.confidences.len() == sent.len());
            let tree = sent.tree().unwrap();
            tree.root().unwrap();
            let span = first..first + 3;
            let tops: Vec<_> =
                span.clone().filter(|&word| !span.contains(&tree.head(word))).collect();
            assert_eq!(tops.len(), 1, "{system}");
            let outside =
                tree.arcs().filter(|(head, word)| span.contains(head) && !span.contains(word));
            assert!(outside.map(|arc| arc.0).all(|head| head == tops[0]), "{system}");
            changed += usize::from(free.heads().ne(sent.heads()));
        }
        assert!(changed > 0, "{system}: nothing tested");
    }
}

#[test]
fn prefixes_show_what_is_known_after_every_word() {
    let parser = train(&config(TransitionSystem::ArcEager, 1));
    let mut worker = parser.worker();
    for mut sent in treebank(7, 20).into_iter().filter(|sent| sent.len() > 1) {
        let mut prefixes = Vec::new();
        worker.parse_prefixes(&mut sent, |prefix| prefixes.push(prefix.clone())).unwrap();
        assert_eq!(prefixes.len(), sent.len());
        let mut parsed = sent.clone();
        worker.parse(&mut parsed, &ParseOptions::default()).unwrap();
        let whole: Vec<_> = parsed.heads().collect();
        let crosses = !parsed.tree().unwrap().is_projective();
        for (words, prefix) in (1..).zip(&prefixes) {
            assert_eq!(prefix.len(), words);
            for (word, &head) in prefix.words().zip(&whole) {
                let unseen = word.misc_value("Head") == Some("Unseen");
                assert_eq!(unseen, word.head().is_none());
                // What has been built stays, but for crossing arcs, which come last.
                assert!(unseen || crosses || word.head() == head);
                assert!(word.head().is_none_or(|head| head as usize <= words));
            }
        }
        let unseen = |sent: &Sentence| sent.heads().filter(Option::is_none).count();
        assert!(unseen(&prefixes[0]) == 1 && unseen(&prefixes[sent.len() - 1]) == 0);
        assert_eq!(prefixes.last().unwrap().heads().collect::<Vec<_>>(), whole);
    }
}

#[test]
fn a_beam_lists_different_trees_best_first() {
    let parser = train(&config(TransitionSystem::ArcHybrid, 4));
    let mut worker = parser.worker();
    let options = ParseOptions { k_best: 8, ..ParseOptions::default() };
    for mut sent in treebank(5, 20).into_iter().filter(|sent| sent.len() > 4) {
        let trees = worker.parse(&mut sent, &options).unwrap().trees.clone();
        assert!((2..=8).contains(&trees.len()));
        assert!(trees.windows(2).all(|pair| pair[0].score >= pair[1].score));
        for (rank, tree) in trees.iter().enumerate() {
            assert!(trees[..rank].iter().all(|better| better.heads != tree.heads));
        }
    }
}

#[test]
fn confidences_tell_right_arcs_from_wrong_ones() {
    let parser = train(&config(TransitionSystem::ArcEager, 1));
    let mut worker = parser.worker();
    let options = ParseOptions { confidence: true, ..ParseOptions::default() };
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for gold in treebank(6, 100) {
        let mut guess = gold.clone();
        let confidences = worker.parse(&mut guess, &options).unwrap().confidences.clone();
        assert_eq!(confidences.len(), gold.len());
        for ((gold, guess), confidence) in gold.words().zip(guess.words()).zip(confidences) {
            assert!(
                (0.0..=1.0).contains(&confidence.head) && (0.0..=1.0).contains(&confidence.label)
            );
            let list = if gold.head() == guess.head() { &mut right } else { &mut wrong };
            list.push(confidence.head);
        }
    }
    let mean = |list: &[f32]| list.iter().sum::<f32>() / list.len() as f32;
    assert!(mean(&right) > mean(&wrong) + 0.03, "{} {}", mean(&right), mean(&wrong));
}

#[test]
fn sentences_with_missing_heads_help_too() {
    let mut data = treebank(1, 200);
    for (number, sent) in data.iter_mut().enumerate().filter(|(number, _)| number % 2 == 0) {
        for word in (1..=sent.len() as u32).filter(|word| (word + number as u32).is_multiple_of(3))
        {
            sent.set_head(word, None);
        }
    }
    let config = config(TransitionSystem::ArcEager, 1);
    let parser = train_transition(&config, (&data, 1), &treebank(2, 40), &mut |_| ()).unwrap();
    assert!(parser.info().dev.unwrap().las > 75.0, "{:?}", parser.info().dev);
}
