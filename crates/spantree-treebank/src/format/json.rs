//! JSON lines: one sentence per line, everything that a [`Sentence`] holds, and what programs would otherwise compute.
//!
//! `docs/output.md` describes the members. *Facts* are read and written: columns, comments, extra columns, predicates, trees.
//! *Conveniences* are written and ignored when read, because they follow from the facts: ranges in the text, confidences
//! (from `HeadProb` and `LabelProb` in MISC), the probability of the tree. `sent_id`, `text`, `newdoc` and `newpar` repeat
//! comments; when read, they become comments unless these are there.
//!
//! FEATS and MISC are objects and DEPS is a list as long as that says it all; a column that is no list of distinct
//! `key=value` pairs, or of `head:relation`, is written as the string it is. Columns that are `_` are left out.

mod attributes;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::attributes::{Attributes, Dependencies, Id};
use super::sequence::Sequence;
use crate::offset::{Offsets, TextRange};
use crate::read::ReadErrorKind;
use crate::sentence::{Column, NO_HEAD, Predicate, Row, Sentence, Token, TokenId, UNDERSCORE};

/// One of several trees for a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedTree {
    /// Score under the model.
    pub score: f64,
    /// Logarithm of its probability, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_probability: Option<f64>,
    /// Head of every word, 0 for the root.
    pub heads: Vec<u32>,
    /// Relation of every word.
    pub deprels: Vec<String>,
}

/// A sentence as it stands in the file.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newdoc: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newpar: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<Cow<'a, str>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    log_probability: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    #[serde(borrow)]
    tokens: Vec<TokenRecord<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    predicates: Vec<PredicateRecord<'a>>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    k_best: Cow<'a, [RankedTree]>,
}

/// A row of the sentence.
#[derive(Serialize, Deserialize)]
struct TokenRecord<'a> {
    id: Id,
    #[serde(borrow)]
    form: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lemma: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upos: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    xpos: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feats: Option<Attributes<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprel: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deps: Option<Dependencies<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    misc: Option<Attributes<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra: Option<Attributes<'a>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    chars: Option<[usize; 2]>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    bytes: Option<[usize; 2]>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
}

#[derive(Serialize)]
struct Confidence {
    head: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct PredicateRecord<'a> {
    word: u32,
    #[serde(borrow)]
    sense: Cow<'a, str>,
    args: Vec<ArgumentRecord<'a>>,
}

#[derive(Serialize, Deserialize)]
struct ArgumentRecord<'a> {
    word: u32,
    #[serde(borrow)]
    role: Cow<'a, str>,
}

/// Appends a sentence as one line, with its `k_best` trees if there are any.
pub fn write(sent: &Sentence, k_best: &[RankedTree], out: &mut Vec<u8>) {
    // Plain data with string keys always has a JSON form, and memory takes everything.
    let _ = serde_json::to_writer(&mut *out, &record(sent, k_best));
    out.push(b'\n');
}

/// Reads one line: the sentence and its *k* best trees.
///
/// # Errors
/// When the line is no JSON, a member has the wrong type, or ids or heads are not those of a sentence.
pub fn read(line: &str) -> Result<(Sentence, Vec<RankedTree>), ReadErrorKind> {
    let mut sent = Sentence::new();
    let k_best = read_into(line, &mut sent)?;
    Ok((sent, k_best))
}

fn record<'a>(sent: &'a Sentence, k_best: &'a [RankedTree]) -> Record<'a> {
    let offsets = sent.text().and_then(|_| sent.offsets().ok());
    let start = |key: &str| sent.comment(&format!("{key} id")).or_else(|| sent.comment(key));
    let predicates = sent.predicates().iter().map(|predicate| PredicateRecord {
        word: predicate.word,
        sense: Cow::Borrowed(&predicate.sense),
        args: predicate
            .args
            .iter()
            .map(|(word, role)| ArgumentRecord { word: *word, role: Cow::Borrowed(role) })
            .collect(),
    });
    Record {
        newdoc: start("newdoc").map(Cow::Borrowed),
        newpar: start("newpar").map(Cow::Borrowed),
        sent_id: sent.sent_id().map(Cow::Borrowed),
        text: sent.text().map(Cow::Borrowed),
        comments: sent.comments().map(Cow::Borrowed).collect(),
        log_probability: sent.comment("tree_logprob").and_then(finite),
        columns: sent.extra_columns().to_vec(),
        tokens: sent.tokens().map(|token| token_record(sent, token, offsets.as_ref())).collect(),
        predicates: predicates.collect(),
        k_best: Cow::Borrowed(k_best),
    }
}

fn token_record<'a>(
    sent: &'a Sentence,
    token: Token<'a>,
    offsets: Option<&Offsets>,
) -> TokenRecord<'a> {
    let place = offsets.and_then(|offsets| offsets.of_row(token.index()));
    let (chars, bytes) = match place {
        Some(TextRange { bytes, chars }) => {
            (Some([chars.start, chars.end]), Some([bytes.start, bytes.end]))
        }
        None => (None, None),
    };
    let filled = |column| Some(token.get(column)).filter(|value| *value != "_");
    let text = |column| filled(column).map(Cow::Borrowed);
    let probability = |name| token.misc_value(name).and_then(finite);
    let extra = sent.extra_columns().iter().enumerate().filter_map(|(column, name)| {
        let value = sent.extra_at(token.index(), column);
        (value != "_").then_some((Cow::Borrowed(name.as_str()), Cow::Borrowed(value)))
    });
    TokenRecord {
        id: Id(token.id()),
        form: Cow::Borrowed(token.form()),
        lemma: text(Column::Lemma),
        upos: text(Column::Upos),
        xpos: text(Column::Xpos),
        feats: filled(Column::Feats).map(Attributes::of),
        head: token.head(),
        deprel: text(Column::Deprel),
        deps: filled(Column::Deps).map(Dependencies::of),
        misc: filled(Column::Misc).map(Attributes::of),
        extra: Some(Attributes::Pairs(extra.collect())).filter(|extra| !extra.is_empty()),
        chars,
        bytes,
        confidence: probability("HeadProb")
            .map(|head| Confidence { head, label: probability("LabelProb") }),
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Reads one line into `sent`.
pub(super) fn read_into(line: &str, sent: &mut Sentence) -> Result<Vec<RankedTree>, ReadErrorKind> {
    sent.clear();
    let record: Record = serde_json::from_str(line).map_err(|error| ReadErrorKind::json(&error))?;
    add_comments(&record, sent);
    sent.set_extra_columns(Arc::from(record.columns));
    let is_word = |token: &&TokenRecord| matches!(token.id.0, TokenId::Word(_));
    let words = record.tokens.iter().filter(is_word).count();
    let mut sequence = Sequence::default();
    for token in &record.tokens {
        sequence.check(token.id.0)?;
        token.check(words)?;
        add_token(token, sent);
    }
    let predicates = record.predicates.into_iter().map(|predicate| Predicate {
        word: predicate.word,
        sense: predicate.sense.into_owned(),
        args: predicate.args.into_iter().map(|arg| (arg.word, arg.role.into_owned())).collect(),
    });
    sent.set_predicates(predicates.collect());
    Ok(record.k_best.into_owned())
}

fn add_comments(record: &Record, sent: &mut Sentence) {
    record.comments.iter().for_each(|comment| sent.push_comment(comment));
    for (key, value) in [("newdoc", &record.newdoc), ("newpar", &record.newpar)] {
        match value.as_deref() {
            Some("") if sent.comment(key).is_none() => sent.push_comment(&format!("# {key}")),
            Some(id) if sent.comment(key).is_none() => {
                sent.push_comment(&format!("# {key} id = {id}"));
            }
            _ => {}
        }
    }
    for (key, value) in [("sent_id", &record.sent_id), ("text", &record.text)] {
        if let Some(value) = value.as_deref().filter(|_| sent.comment(key).is_none()) {
            sent.push_comment(&format!("# {key} = {value}"));
        }
    }
}

impl TokenRecord<'_> {
    /// Whether all words that it names are among the `words` of the sentence.
    fn check(&self, words: usize) -> Result<(), ReadErrorKind> {
        match (self.id.0, self.head) {
            (TokenId::Range(_, last), _) if last as usize > words => Err(ReadErrorKind::Range {
                value: self.id.0.to_string(),
                problem: "covers words that do not exist",
            }),
            (id, Some(head)) if head as usize > words => {
                Err(ReadErrorKind::HeadOutOfRange { id: id.to_string(), head, len: words })
            }
            _ => Ok(()),
        }
    }
}

fn add_token(token: &TokenRecord, sent: &mut Sentence) {
    let index = sent.token_count();
    sent.push_parsed(Row {
        id: token.id.0,
        head: token.head.unwrap_or(NO_HEAD),
        fields: [UNDERSCORE; Column::COUNT],
    });
    sent.set_token(index, Column::Form, &token.form);
    for (column, value) in [
        (Column::Lemma, &token.lemma),
        (Column::Upos, &token.upos),
        (Column::Xpos, &token.xpos),
        (Column::Deprel, &token.deprel),
    ] {
        sent.set_token(index, column, value.as_deref().unwrap_or("_"));
    }
    for (column, value) in [(Column::Feats, &token.feats), (Column::Misc, &token.misc)] {
        sent.set_token(index, column, &value.as_ref().map_or(Cow::Borrowed("_"), Attributes::text));
    }
    let deps = token.deps.as_ref().map_or(Cow::Borrowed("_"), Dependencies::text);
    sent.set_token(index, Column::Deps, &deps);
    if let Some(Attributes::Pairs(pairs)) = &token.extra {
        pairs.iter().for_each(|(name, value)| sent.set_extra(index, name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(line: &str, expected: &str) {
        assert_eq!(read(line).unwrap_err().to_string(), expected);
    }

    #[test]
    fn members_are_what_they_should_be() {
        let mut sent =
            Sentence::from_words(&[("Où", "ADV", 0, "root"), ("?", "PUNCT", 1, "punct")]);
        sent.push_comment("# newdoc id = d");
        sent.push_comment("# newpar");
        sent.push_comment("# text = Où?");
        sent.set(1, Column::Feats, "A=1|B=2");
        sent.set(1, Column::Misc, "SpaceAfter=No|HeadProb=0.9000|LabelProb=0.5");
        sent.set(2, Column::Misc, "bare|X=1");
        sent.set(2, Column::Deps, "1:punct|1.1:dep:x");
        let tree = RankedTree {
            score: 1.5,
            log_probability: None,
            heads: vec![0, 1],
            deprels: vec!["root".into(), "punct".into()],
        };
        let mut out = Vec::new();
        write(&sent, std::slice::from_ref(&tree), &mut out);
        let line = String::from_utf8(out).unwrap();
        let expected = concat!(
            r##"{"newdoc":"d","newpar":"","text":"Où?","comments":["# newdoc id = d","# newpar","# text = Où?"],"##,
            r#""tokens":[{"id":1,"form":"Où","upos":"ADV","feats":{"A":"1","B":"2"},"head":0,"deprel":"root","#,
            r#""misc":{"SpaceAfter":"No","HeadProb":"0.9000","LabelProb":"0.5"},"chars":[0,2],"bytes":[0,3],"#,
            r#""confidence":{"head":0.9,"label":0.5}},"#,
            r#"{"id":2,"form":"?","upos":"PUNCT","head":1,"deprel":"punct","#,
            r#""deps":[{"head":1,"deprel":"punct"},{"head":"1.1","deprel":"dep:x"}],"misc":"bare|X=1","#,
            r#""chars":[2,3],"bytes":[3,4]}],"k_best":[{"score":1.5,"heads":[0,1],"deprels":["root","punct"]}]}"#,
            "\n"
        );
        assert_eq!(line, expected);
        let (back, trees) = read(&line).unwrap();
        assert_eq!(back.to_conllu(), sent.to_conllu());
        assert_eq!(trees, [tree]);
    }

    #[test]
    fn a_sentence_made_elsewhere_needs_little() {
        let line = r#"{"sent_id": "s", "text": "Hi \"x", "newpar": "", "mine": 1,
            "tokens": [{"id": 1, "form": "Hi", "tag": {}}, {"id": 2, "form": "\"x", "feats": {"B": "1"}, "head": 1}]}"#;
        let (sent, _) = read(line).unwrap();
        let expected = "# newpar\n# sent_id = s\n# text = Hi \"x\n1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n\
                        2\t\"x\t_\t_\t_\tB=1\t1\t_\t_\t_\n\n";
        assert_eq!(sent.to_conllu(), expected);
    }

    #[test]
    fn what_is_no_sentence_is_refused() {
        refused("[", "not a sentence in JSON: EOF while parsing a list (character 1)");
        refused("{}", "not a sentence in JSON: missing field `tokens` (character 2)");
        let word = |id: &str, head: &str| {
            format!(r#"{{"tokens":[{{"id":{id},"form":"a","head":{head}}}]}}"#)
        };
        refused(&word("2", "0"), "ID 2 follows nothing; expected 1");
        refused(&word("1", "2"), "HEAD 2 of token 1 does not exist: the sentence has 1 words");
        let beyond = "HEAD 4294967295 of token 1 does not exist: the sentence has 1 words";
        refused(&word("1", "4294967295"), beyond);
        refused(&word("\"1-2\"", "null"), "the multiword range 1-2 covers words that do not exist");
        assert!(read(&word("\"x\"", "0")).unwrap_err().to_string().contains("a word number"));
        assert!(read(&word("1", "-1")).is_err());
    }
}
