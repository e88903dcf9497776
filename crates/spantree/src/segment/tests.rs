//! A small segmenter learned from made-up sentences, on ordinary and on hostile text.

use std::sync::OnceLock;

use spantree_learn::Rng;
use spantree_treebank::offset::unescape_spaces;
use spantree_treebank::{Column, Sentence, TokenId};

use super::*;

/// A sentence from a line: `~` joins tokens without space, `_` is a space inside a token, `don't=do+n't` is two words.
fn sentence(line: &str) -> Sentence {
    let mut sent = Sentence::new();
    for group in line.split(' ') {
        let mut tokens = group.split('~').peekable();
        while let Some(token) = tokens.next() {
            let (form, words) = token.split_once('=').unwrap_or((token, ""));
            let first = sent.len() as u32 + 1;
            let row = if words.is_empty() {
                sent.push_word(&form.replace('_', " "));
                sent.token_count() - 1
            } else {
                let words: Vec<_> = words.split('+').collect();
                let row = sent.push_row(TokenId::Range(first, first + words.len() as u32 - 1));
                sent.set_token(row, Column::Form, form);
                words.iter().for_each(|word| {
                    sent.push_word(word);
                });
                row
            };
            if tokens.peek().is_some() {
                sent.set_token(row, Column::Misc, "SpaceAfter=No");
            }
        }
    }
    sent
}

/// Sentences with abbreviations, quotes, numbers, brackets and clitics.
fn treebank(count: usize, seed: u64) -> Vec<Sentence> {
    let names = ["Mary", "John", "Dr. Smith", "Mr. Jones", "Anna", "The dog", "My old friend"];
    let verbs = ["saw", "bought", "don't=do+n't want", "likes", "isn't=is+n't near", "found"];
    let things = [
        "a cat",
        "3.5 apples",
        "the (~big~) house",
        "\"~art~\"",
        "10,000 books",
        "tea",
        "Anna~'s bag",
    ];
    let ends = ["~.", "~!", "~?", "~.", " etc.", "~."];
    let mut rng = Rng::new(seed);
    let mut pick = |list: &[&'static str]| list[rng.below(list.len())];
    let mut list: Vec<_> = (0..count)
        .map(|_| {
            let middle = pick(&["", "", "~, however~,"]);
            sentence(&format!(
                "{}{middle} {} {}{}",
                pick(&names),
                pick(&verbs),
                pick(&things),
                pick(&ends)
            ))
        })
        .collect();
    list.iter_mut().step_by(7).for_each(|sent| sent.push_comment("# newpar"));
    list
}

fn config() -> TrainConfig {
    TrainConfig { epochs: 4, bits: 15, ..TrainConfig::default() }
}

fn english() -> &'static Segmenter {
    static MODEL: OnceLock<Segmenter> = OnceLock::new();
    MODEL.get_or_init(|| train(&config(), &treebank(300, 1), &[], &mut |_| {}).unwrap())
}

/// A language in which tokens contain spaces.
fn spaced() -> &'static Segmenter {
    static MODEL: OnceLock<Segmenter> = OnceLock::new();
    MODEL.get_or_init(|| {
        let lines = [
            "học_sinh đi học .",
            "tôi là học_sinh .",
            "học_sinh học sinh_học .",
            "tôi đi Hà_Nội .",
        ];
        let list: Vec<_> = lines.iter().cycle().take(80).map(|line| sentence(line)).collect();
        train(&config(), &list, &[], &mut |_| {}).unwrap()
    })
}

fn forms(sent: &Sentence) -> String {
    sent.surface_tokens().map(|token| token.form().replace(' ', "_")).collect::<Vec<_>>().join(" ")
}

fn segmented(segmenter: &Segmenter, text: &str) -> Vec<String> {
    segmenter.segment(text).iter().map(forms).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(segmented(english(), text), expected, "{text}");
}

/// All sentences of a text that comes in pieces of the given sizes, and the places of their tokens.
fn run(
    segmenter: &Segmenter,
    bytes: &[u8],
    options: Options,
    mut size: impl FnMut() -> usize,
) -> (Vec<Sentence>, Vec<Place>) {
    let mut run = segmenter.segmentation(options);
    let (mut list, mut places, mut sent) = (Vec::new(), Vec::new(), Sentence::new());
    let mut rest = bytes;
    loop {
        if rest.is_empty() {
            run.finish();
        } else {
            let (piece, after) = rest.split_at(size().clamp(1, rest.len()));
            run.feed(piece);
            rest = after;
        }
        let over = rest.is_empty();
        while run.next(&mut sent) {
            list.push(sent.clone());
            places.extend_from_slice(run.places());
        }
        if over {
            run.finish();
            while run.next(&mut sent) {
                list.push(sent.clone());
                places.extend_from_slice(run.places());
            }
            return (list, places);
        }
    }
}

fn whole(segmenter: &Segmenter, bytes: &[u8], input: Input) -> (Vec<Sentence>, Vec<Place>) {
    run(segmenter, bytes, Options { input, ..Options::default() }, || usize::MAX)
}

/// The bytes of the surface of a token, from its row.
fn surface(token: spantree_treebank::Token<'_>) -> Vec<u8> {
    let mut text = String::new();
    match token.misc_value("SpacesInToken") {
        Some(original) => unescape_spaces(original, &mut text),
        None => text.push_str(token.form()),
    }
    let Some(invalid) = token.misc_value("InvalidUtf8") else { return text.into_bytes() };
    let mut originals = invalid.split(',').map(|hex| {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect::<Vec<_>>()
    });
    let mut bytes = Vec::new();
    for c in text.chars() {
        match c {
            char::REPLACEMENT_CHARACTER => bytes.extend(originals.next().unwrap()),
            c => bytes.extend(c.to_string().bytes()),
        }
    }
    assert_eq!(originals.next(), None);
    bytes
}

/// The input, rebuilt from the sentences.
fn rebuilt(list: &[Sentence]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for token in list.iter().flat_map(Sentence::surface_tokens) {
        let mut spaces = String::new();
        unescape_spaces(token.misc_value("SpacesBefore").unwrap_or_default(), &mut spaces);
        bytes.extend(spaces.bytes());
        bytes.extend(surface(token));
        spaces.clear();
        match token.misc_value("SpacesAfter") {
            Some(after) => unescape_spaces(after, &mut spaces),
            None if token.space_after() => spaces.push(' '),
            None => {}
        }
        bytes.extend(spaces.bytes());
    }
    bytes
}

/// Every byte is there, places are right, sentences are sound.
#[track_caller]
fn check_coverage(segmenter: &Segmenter, bytes: &[u8], input: Input) {
    let (list, places) = whole(segmenter, bytes, input);
    if list.is_empty() {
        assert!(String::from_utf8_lossy(bytes).chars().all(character::is_space));
        return;
    }
    assert!(rebuilt(&list) == bytes, "{:?}", String::from_utf8_lossy(bytes));
    let tokens: Vec<_> = list.iter().flat_map(Sentence::surface_tokens).collect();
    assert_eq!(tokens.len(), places.len());
    let (mut byte, mut char) = (0, 0);
    for (token, place) in tokens.iter().zip(&places) {
        assert!(place.bytes.start >= byte && place.chars.start >= char);
        (byte, char) = (place.bytes.end, place.chars.end);
        assert_eq!(&bytes[place.bytes.start as usize..byte as usize], surface(*token));
        // The start of the text is enough: counting from there for every token is quadratic.
        let before = &bytes[..place.bytes.start.min(1000) as usize];
        if place.bytes.start < 1000
            && let Ok(before) = std::str::from_utf8(before)
        {
            assert_eq!(before.chars().count() as u64, place.chars.start);
        }
    }
    for (number, sent) in (1..).zip(&list) {
        assert!(!sent.is_empty());
        assert_eq!(sent.sent_id(), Some(number.to_string().as_str()));
    }
}

/// Text of all sorts of characters, in words and out of them.
fn hostile_bytes(rng: &mut Rng, length: usize) -> Vec<u8> {
    let pieces: [&[u8]; 34] = [
        b"a",
        b"The",
        b" ",
        b" ",
        b" ",
        b"\n",
        b"\n\n",
        b"\t",
        b"\r\n",
        b".",
        b"...",
        b"?!",
        b"\"",
        b"'s",
        b"(",
        b")",
        b"Dr.",
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x98",
        "\u{fffd}".as_bytes(),
        "é".as_bytes(),
        "e\u{301}".as_bytes(),
        "👩\u{200d}👧".as_bytes(),
        "🇫🇷".as_bytes(),
        "שלום".as_bytes(),
        "\u{a0}".as_bytes(),
        "\u{3000}".as_bytes(),
        "\u{feff}".as_bytes(),
        "http://x.y/(".as_bytes(),
        "don't".as_bytes(),
        "|\\s".as_bytes(),
    ];
    (0..length).flat_map(|_| pieces[rng.below(pieces.len())]).copied().collect()
}

#[test]
fn a_small_grammar_is_learned() {
    let gold = treebank(60, 2);
    let expected: Vec<_> = gold.iter().map(forms).collect();
    assert_eq!(segmented(english(), &raw_text(&gold)), expected);
}

fn container(segmenter: &Segmenter) -> crate::model::Container {
    let mut sections = crate::model::Sections::default();
    segmenter.push_sections(&mut sections);
    sections.into_container("sample", &"x").unwrap()
}

#[test]
fn training_is_deterministic_and_chooses_on_dev() {
    let (data, dev) = (treebank(60, 1), treebank(20, 2));
    let fit = || train(&config(), &data, &dev, &mut |_| {}).unwrap();
    let (first, second) = (fit(), fit());
    let sections = |segmenter: &Segmenter| {
        container(segmenter).section::<i16>("segment_weights").unwrap().to_vec()
    };
    assert!(first.info() == second.info() && sections(&first) == sections(&second));
    let loaded = Segmenter::from_container(&container(&first), first.info().clone()).unwrap();
    assert!(first.info().dev.unwrap().tokens > 95.0);
    let text = raw_text(&dev);
    assert_eq!(segmented(&loaded, &text), segmented(&first, &text));
}

#[test]
fn impossible_training_is_refused() {
    let no_progress = &mut |_| {};
    assert_eq!(train(&config(), &[], &[], no_progress).unwrap_err(), TrainError::Empty);
    let bits = TrainConfig { bits: 40, ..config() };
    assert_eq!(
        train(&bits, &treebank(1, 1), &[], no_progress).unwrap_err(),
        TrainError::Bits { bits: 40 }
    );
    let one = train(&config(), &[sentence("Hi")], &[], no_progress).unwrap();
    assert_eq!(segmented(&one, "Hi"), ["Hi"]);
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let good = english();
    type Change = fn(&mut Header);
    let changes: [(Change, &str); 5] = [
        (|header| header.scale = 0.0, "the scale"),
        (|header| header.scale = f32::NAN, "the scale"),
        (|header| header.boundaries.truncate(3), "3 classes"),
        (|header| header.thresholds.push(0.0), "5 thresholds"),
        (|header| header.thresholds[1] = f32::INFINITY, "a threshold"),
    ];
    let container = container(good);
    for (change, message) in changes {
        let mut header = good.info().clone();
        change(&mut header);
        let error = Segmenter::from_container(&container, header).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert!(Segmenter::from_container(&container, good.info().clone()).is_ok());
    let empty = crate::model::Sections::default().into_container("empty", &"x").unwrap();
    let error = Segmenter::from_container(&empty, good.info().clone()).unwrap_err();
    assert!(error.to_string().contains("segment_weights"));
}

#[test]
fn abbreviations_numbers_and_quotes() {
    check(
        "Dr. Smith saw 3.5 apples. Anna likes \"art\"!",
        &["Dr. Smith saw 3.5 apples .", "Anna likes \" art \" !"],
    );
    check("John likes tea etc. Mary found a cat?", &["John likes tea etc.", "Mary found a cat ?"]);
}

#[test]
fn addresses_and_clusters_stay_whole() {
    check(
        "Anna likes http://a.org/x?y=1. John saw me@mail.org!",
        &["Anna likes http://a.org/x?y=1 .", "John saw me@mail.org !"],
    );
    check("Mary saw 👩\u{200d}👩\u{200d}👧 tea", &["Mary saw 👩\u{200d}👩\u{200d}👧 tea"]);
    let family = segmented(english(), "👩\u{200d}👩\u{200d}👧🇫🇷👍🏽").join(" ");
    assert_eq!(family.replace(' ', ""), "👩\u{200d}👩\u{200d}👧🇫🇷👍🏽");
    assert!(family.split(' ').all(|token| !token.starts_with(['\u{200d}', '🏽', '🇷'])), "{family}");
}

#[test]
fn signs_that_the_treebank_lacks_join_words_and_others_are_learned() {
    check("John saw 2/B.", &["John saw 2/B ."]);
    check("John saw 16+3 books.", &["John saw 16+3 books ."]);
    let split = ["Anna saw 2~/~B~.", "tea~/~coffee likes John~."];
    let list: Vec<_> = split.iter().cycle().take(80).map(|line| sentence(line)).collect();
    let segmenter = train(&config(), &list, &[], &mut |_| {}).unwrap();
    assert_eq!(segmented(&segmenter, "John saw 3/C."), ["John saw 3 / C ."]);
}

#[test]
fn blank_lines_end_sentences_and_start_paragraphs() {
    let list = english().segment("\n A HEADLINE\n \nMary saw tea.  John likes\ntea.\n\n\n");
    let forms: Vec<_> = list.iter().map(forms).collect();
    assert_eq!(forms, ["A HEADLINE", "Mary saw tea .", "John likes tea ."]);
    let comments: Vec<Vec<_>> = list.iter().map(|sent| sent.comments().collect()).collect();
    assert_eq!(comments[0], ["# newdoc", "# newpar", "# sent_id = 1", "# text = A HEADLINE"]);
    assert_eq!(comments[1], ["# newpar", "# sent_id = 2", "# text = Mary saw tea."]);
    assert_eq!(comments[2], ["# sent_id = 3", "# text = John likes tea."]);
    let misc = |sent: usize, word: u32| list[sent].word(word).get(Column::Misc);
    assert_eq!(misc(0, 1), "SpacesBefore=\\n\\s");
    assert_eq!(misc(0, 2), "SpacesAfter=\\n\\s\\n");
    assert_eq!(misc(1, 3), "SpaceAfter=No");
    assert_eq!(misc(1, 4), "SpacesAfter=\\s\\s");
    assert_eq!(misc(2, 2), "SpacesAfter=\\n");
    assert_eq!(misc(2, 4), "SpacesAfter=\\n\\n\\n");
    for sent in &list {
        sent.offsets().unwrap();
    }
}

#[test]
fn multiword_tokens_are_split() {
    let list = english().segment("Mary don't want tea. Mary Don't");
    let rows: Vec<_> = list[0].tokens().map(|token| format!("{token:?}")).collect();
    assert_eq!(rows, ["1 Mary", "2-3 don't", "2 do", "3 n't", "4 want", "5 tea", "6 ."]);
    assert_eq!(list[1].word(2).form(), "Do");
    assert_eq!(list[1].token(1).get(Column::Misc), "SpaceAfter=No");
    assert_eq!(list[1].word(3).get(Column::Misc), "_");
}

#[test]
fn tokens_with_spaces() {
    let list = spaced().segment("tôi là học\n sinh .");
    assert_eq!(forms(&list[0]), "tôi là học_sinh .");
    assert_eq!(list[0].word(3).get(Column::Misc), "SpacesInToken=học\\n\\ssinh");
    list[0].offsets().unwrap();
}

#[test]
fn lines_and_tokens_can_be_given() {
    let text = "Mary saw tea. John\nlikes tea.\n\nx\u{a0}y don't .\n";
    let lines: Vec<_> =
        whole(english(), text.as_bytes(), Input::Lines).0.iter().map(forms).collect();
    assert_eq!(lines, ["Mary saw tea . John", "likes tea .", "x y don't ."]);
    let (list, _) = whole(english(), text.as_bytes(), Input::Tokens);
    let tokens: Vec<_> = list.iter().map(forms).collect();
    assert_eq!(tokens, ["Mary saw tea. John", "likes tea.", "x_y don't ."]);
    assert_eq!(list[2].word(2).form(), "do", "given tokens are split into words");
    assert_eq!(list[2].comments().next(), Some("# newpar"));
}

#[test]
fn documents_and_ranges() {
    let options = Options { ranges: true, ..Options::default() };
    let mut run = english().segmentation(options);
    let mut sent = Sentence::new();
    for id in ["a", "b"] {
        run.start_document(Some(id));
        run.feed("é tea".as_bytes());
        assert!(!run.next(&mut sent), "the paragraph may go on");
        run.finish();
        assert!(run.next(&mut sent));
        assert_eq!(sent.comment("newdoc id"), Some(id));
        assert_eq!(sent.word(2).misc_value("TokenRange"), Some("2:5"));
        assert_eq!(run.places()[1], Place { bytes: 3..6, chars: 2..5 });
        assert!(!run.next(&mut sent));
    }
}

#[test]
fn invalid_bytes_are_recorded() {
    let (list, places) = whole(english(), b"caf\xe9 \xef\xbf\xbd\xff tea", Input::Text);
    assert_eq!(list[0].word(1).form(), "caf\u{fffd}");
    assert_eq!(list[0].word(1).misc_value("InvalidUtf8"), Some("E9"));
    assert_eq!(list[0].word(2).misc_value("InvalidUtf8"), Some("EFBFBD,FF"));
    assert_eq!(places[2], Place { bytes: 10..13, chars: 8..11 });
}

#[test]
fn every_byte_is_covered() {
    let mut rng = Rng::new(11);
    for round in 0..400 {
        let length = rng.below(if round % 50 == 0 { 3000 } else { 40 });
        let bytes = hostile_bytes(&mut rng, length);
        for input in [Input::Text, Input::Lines, Input::Tokens] {
            check_coverage(english(), &bytes, input);
        }
        check_coverage(spaced(), &bytes, Input::Text);
    }
}

#[test]
fn the_result_does_not_depend_on_the_pieces() {
    let mut rng = Rng::new(5);
    for round in 0..60 {
        // Every tenth text fills several blocks, some without any line break.
        let mut bytes = hostile_bytes(&mut rng, if round % 10 == 0 { 60_000 } else { 60 });
        if round % 20 == 0 {
            bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
        let largest = [1, 7, 1000, 70_000][round % 4];
        if bytes.len() > 1000 && largest < 1000 {
            continue;
        }
        for input in [Input::Text, Input::Lines, Input::Tokens] {
            let options = Options { input, ..Options::default() };
            let expected = whole(english(), &bytes, input);
            let found = run(english(), &bytes, options, || 1 + rng.below(largest));
            let conllu =
                |list: &[Sentence]| list.iter().map(Sentence::to_conllu).collect::<String>();
            assert!(conllu(&found.0) == conllu(&expected.0) && found.1 == expected.1, "{input:?}");
        }
    }
}

#[test]
fn hostile_documents_pass() {
    let long = "a".repeat(1 << 20);
    for (name, text) in [
        ("a long token", long.clone()),
        ("a long token in a text", format!("Mary saw {long}. Anna likes tea.")),
        ("blank lines", format!("Mary{}tea", "\n".repeat(60_000))),
        ("NULs", "\0".repeat(100_000)),
        ("full stops", ".".repeat(200_000)),
        ("brackets", ")".repeat(100_000) + "http://x" + &")".repeat(100_000)),
        ("emoji", "😀👩\u{200d}👧".repeat(10_000)),
        ("joiners", "\u{200d}".repeat(100_000)),
        ("right to left", "שלום, עולם! ".repeat(5_000)),
        ("addresses", "www.".repeat(30_000) + &"a@b.c".repeat(20_000)),
        ("one long paragraph", "Mary saw tea. ".repeat(20_000)),
        ("no sentence end", "tea ".repeat(50_000)),
        ("empty", String::new()),
        ("white space", " \n".repeat(1000)),
    ] {
        println!("{name}");
        check_coverage(english(), text.as_bytes(), Input::Text);
    }
    let spaces = format!("Mary{}tea", " \n".repeat(200_000));
    let (list, places) = whole(english(), spaces.as_bytes(), Input::Text);
    assert_eq!(
        (list.len(), places[1].bytes.clone()),
        (2, 400_004..400_007),
        "offsets count what is not written"
    );
}

#[test]
fn long_sentences_are_cut() {
    let options = Options { longest_sentence: 3, ..Options::default() };
    let (list, _) = run(english(), b"tea tea tea tea tea tea tea", options, || 100);
    assert_eq!(list.iter().map(Sentence::len).collect::<Vec<_>>(), [3, 3, 1]);
}

#[test]
fn a_block_boundary_does_not_cut_a_sentence() {
    let text = "Mary saw a cat. Dr. Smith likes tea! ".repeat(6_000);
    let list = segmented(english(), &text);
    assert_eq!(list.len(), 12_000);
    assert!(list.chunks(2).all(|pair| pair == ["Mary saw a cat .", "Dr. Smith likes tea !"]));
}

#[test]
fn readers_are_read_to_their_end() {
    let mut found = Vec::new();
    let mut run = english().segmentation(Options::default());
    let text = "Mary saw tea. ".repeat(10_000);
    run.read_all(text.as_bytes(), |sent| {
        found.push(sent.len());
        Ok(())
    })
    .unwrap();
    assert_eq!(found, vec![4; 10_000]);
}
