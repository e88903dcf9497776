//! Every format on the files of `testdata/treebank`: byte-exact round trips, exact messages, conversions, large inputs.

use std::fs;
use std::path::{Path, PathBuf};

use spantree_treebank::{
    Column, Format, Predicate, ReadError, Sentence, TreebankReader, TreebankWriter,
};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/treebank")
}

fn files() -> Vec<(PathBuf, Format)> {
    let entries = fs::read_dir(testdata()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter_map(|path| Format::from_path(&path).map(|format| (path, format))).collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

fn reader(bytes: impl Into<Vec<u8>>, format: Format) -> TreebankReader {
    TreebankReader::new(std::io::Cursor::new(bytes.into()), "x", format)
}

fn sentences(text: &str, format: Format) -> Vec<Sentence> {
    reader(text, format).collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}"))
}

fn written(sentences: &[Sentence], format: Format) -> String {
    let mut writer = TreebankWriter::new(Vec::new(), format);
    sentences.iter().for_each(|sent| writer.write(sent).unwrap());
    String::from_utf8(writer.into_inner()).unwrap()
}

fn load(name: &str) -> String {
    fs::read_to_string(testdata().join(name)).unwrap()
}

#[test]
fn every_file_round_trips_byte_for_byte() {
    let files = files();
    for format in Format::ALL {
        assert!(files.iter().any(|file| file.1 == format), "no file in {format}");
    }
    for (path, format) in files {
        let mut reader = TreebankReader::open(&path, None).unwrap();
        assert_eq!(reader.format(), format);
        let first = reader.next().unwrap().unwrap();
        let mut writer = TreebankWriter::with_layout(Vec::new(), format, reader.layout().clone());
        writer.write(&first).unwrap();
        for sent in &mut reader {
            writer.write(&sent.unwrap()).unwrap();
        }
        assert!(reader.warnings().is_empty(), "{path:?}: {:?}", reader.warnings());
        let (found, expected) = (writer.into_inner(), fs::read(&path).unwrap());
        assert_eq!(
            String::from_utf8(found).unwrap(),
            String::from_utf8(expected).unwrap(),
            "{path:?}"
        );
    }
}

#[test]
fn json_holds_every_file() {
    for (path, format) in files() {
        let mut reader = TreebankReader::open(&path, None).unwrap();
        let original: Vec<Sentence> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        let back = sentences(&written(&original, Format::Json), Format::Json);
        let again = |sentences: &[Sentence]| {
            let layout = reader.layout().clone();
            let mut writer = TreebankWriter::with_layout(Vec::new(), format, layout);
            sentences.iter().for_each(|sent| writer.write(sent).unwrap());
            String::from_utf8(writer.into_inner()).unwrap()
        };
        assert_eq!(again(&back), fs::read_to_string(&path).unwrap(), "{path:?}");
        for (before, after) in original.iter().zip(&back) {
            assert_eq!(before.predicates(), after.predicates(), "{path:?}");
            assert_eq!(before.to_conllu(), after.to_conllu(), "{path:?}");
        }
    }
}

#[test]
fn unclean_inputs_have_their_messages() {
    let suite: toml::Table = load("unclean.toml").parse().unwrap();
    let cases = suite["case"].as_array().unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        let field = |key: &str| case.get(key).and_then(toml::Value::as_str);
        let name = field("name").unwrap();
        let mut reader = reader(field("text").unwrap(), field("format").unwrap().parse().unwrap());
        let result: Result<Vec<Sentence>, ReadError> = reader.by_ref().collect();
        let error = result.err().map(|error| error.to_string().split_off("x:".len()));
        assert_eq!(error.as_deref(), field("error"), "{name}");
        let expected = case.get("warnings").and_then(toml::Value::as_array);
        let expected: Vec<_> =
            expected.into_iter().flatten().filter_map(toml::Value::as_str).collect();
        let found = reader.warnings().describe("x");
        let found: Vec<_> = found.map(|line| line[2..].replacen(" warning:", "", 1)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn invalid_utf8_names_line_and_byte() {
    let mut reader =
        reader(b"# ok\n1\tna\xffve\n\n1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n", Format::Conllu);
    let error = reader.next().unwrap().unwrap_err().to_string();
    let remedy = "convert the file, for example with iconv -t UTF-8";
    assert_eq!(error, format!("x:2: invalid UTF-8 at byte 5 of the line; {remedy}"));
    assert_eq!(reader.next().unwrap().unwrap().word(1).form(), "Hi", "reading goes on");
    assert!(reader.next().is_none());
}

#[test]
fn predicates_of_conll2009() {
    let sents = sentences(&load("roles.conll2009"), Format::Conll2009);
    let args =
        |list: &[(u32, &str)]| list.iter().map(|&(word, role)| (word, role.to_owned())).collect();
    let expected = [
        Predicate { word: 2, sense: "want.01".into(), args: args(&[(1, "A0"), (3, "A1")]) },
        Predicate { word: 4, sense: "sell.01".into(), args: args(&[(1, "A0"), (6, "A1")]) },
        Predicate { word: 6, sense: "share.02".into(), args: args(&[(5, "A0"), (5, "A1")]) },
    ];
    assert_eq!(sents[0].predicates(), expected);
    assert!(sents[1].predicates().is_empty());
    let sell = sents[0].word(4);
    assert_eq!((sell.xpos(), sell.upos(), sell.extra("PPOS")), ("VB", "_", Some("VBP")));
    let blind = sentences(&load("blind.conll2009"), Format::Conll2009);
    let expected = [Predicate { word: 2, sense: "_".into(), args: Vec::new() }];
    assert_eq!(blind[0].predicates(), expected);
}

#[test]
fn words_of_conll2008_are_the_split_ones() {
    let sents = sentences(&load("roles.conll2008"), Format::Conll2008);
    let word = sents[0].word(4);
    assert_eq!((word.form(), word.lemma(), word.xpos()), ("keeping", "keep", "VBG"));
    assert_eq!(word.extra("UNSPLIT_FORM"), Some("_"));
    assert_eq!(sents[0].word(2).extra("UNSPLIT_FORM"), Some("book-keeping"));
    assert_eq!(sents[0].predicates()[0].args, [(2, "A1".to_owned())]);
}

#[test]
fn predicates_survive_a_change_of_format() {
    let from_2009 = sentences(&load("roles.conll2009"), Format::Conll2009);
    let back = sentences(&written(&from_2009, Format::Conll2008), Format::Conll2008);
    for (before, after) in from_2009.iter().zip(&back) {
        assert_eq!(before.predicates(), after.predicates());
        assert!(before.heads().eq(after.heads()));
    }
}

#[test]
fn conversion_keeps_what_the_target_has() {
    let sents = sentences(&load("basic.conllu"), Format::Conllu);
    let conll2009 = written(&sents, Format::Conll2009);
    let sleeps = "5\tsleeps\tsleep\tsleep\tVBZ\tVBZ\tMood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\t\
                  Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\t0\t0\troot\troot\t_\t_";
    assert_eq!(
        conll2009.lines().nth(4),
        Some(sleeps),
        "no comments, no ranges, copies in the P columns"
    );
    // The third sentence has no XPOS: the only tag is UPOS then.
    assert!(conll2009.contains("\tSYM\tSYM\t"), "{conll2009}");
    let conllx = written(&sents, Format::Conllx);
    assert!(
        conllx.starts_with("1\tThe\tthe\tDET\tDT\tDefinite=Def|PronType=Art\t2\tdet\t_\t_\n2\t")
    );
    let tagged = written(&sents, Format::Tagged);
    assert_eq!(
        tagged.lines().next(),
        Some("The_DET gardener_NOUN 's_PART cat_NOUN sleeps_VERB ._PUNCT")
    );
    let mst = written(&sents[..1], Format::Mst);
    assert_eq!(mst.lines().nth(3), Some("2\t4\t2\t5\t0\t5"));
    for (format, text) in
        [(Format::Conll2009, conll2009), (Format::Conllx, conllx), (Format::Mst, mst)]
    {
        let first = &sentences(&text, format)[0];
        assert!(first.heads().eq(sents[0].heads()), "{format}");
        assert_eq!(first.word(4).form(), "cat", "{format}");
    }
}

#[test]
fn a_sentence_of_100_000_tokens() {
    let mut text = String::from("# text = long\n");
    for word in 1..=100_000 {
        let line = format!("{word}\tw{word}\t_\tX\t_\t_\t{}\tdep\t_\t_\n", word - 1);
        text.push_str(&line);
    }
    text.push('\n');
    let sents = sentences(&text, Format::Conllu);
    assert_eq!(sents[0].len(), 100_000);
    let tree = sents[0].tree().unwrap();
    assert_eq!(tree.depth(100_000), 100_000);
    assert!(tree.is_projective());
    assert!(written(&sents, Format::Conllu) == text);
}

#[test]
fn a_line_of_ten_megabytes() {
    let form = "ä".repeat(5 << 20);
    let text = format!("# text = {form}\n1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n");
    let sents = sentences(&text, Format::Conllu);
    assert_eq!(sents[0].word(1).form().len(), 10 << 20);
    assert!(written(&sents, Format::Conllu) == text);
    let tagged = format!("{form}_X b_Y\n");
    assert!(written(&sentences(&tagged, Format::Tagged), Format::Tagged) == tagged);
}

#[test]
fn senses_and_roles_cannot_break_the_file() {
    let mut sent = Sentence::from_words(&[("a", "X", 0, "root"), ("b", "X", 1, "dep")]);
    sent.set(1, Column::Lemma, "a");
    let predicate = |word, sense: &str, args: &[(u32, &str)]| Predicate {
        word,
        sense: sense.to_owned(),
        args: args.iter().map(|&(word, role)| (word, role.to_owned())).collect(),
    };
    // Tabs, words that do not exist, and two predicates on one word.
    sent.set_predicates(vec![
        predicate(9, "x.01", &[(1, "A0")]),
        predicate(2, "b\t01", &[(7, "A9"), (1, "A\n0"), (0, "A1")]),
        predicate(2, "b.02", &[(1, "A5")]),
    ]);
    let text = written(&[sent], Format::Conll2009);
    let rows: Vec<Vec<&str>> =
        text.lines().map(|line| line.split('\t').skip(12).collect()).collect();
    assert_eq!(rows[0], ["_", "_", "A 0"]);
    assert_eq!(rows[1], ["Y", "b 01", "_"]);
}
