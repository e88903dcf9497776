//! Random damage to treebanks that keeps the text and gives every sentence one tree.

use std::collections::HashMap;
use std::fmt::Write as _;

use spantree_treebank::{Column, Random, Sentence, TokenId};

/// Shares of words, tokens and sentences that get damaged.
#[derive(Clone, Copy, Default)]
pub(crate) struct Damage {
    /// Words whose head, label, tags, lemma, features or enhanced dependencies change.
    pub(crate) annotation: f64,
    /// Tokens that are split, or merged with the next.
    pub(crate) tokens: f64,
    /// Tokens that become multiword tokens, and multiword tokens that stop being so or get other words.
    pub(crate) multiword: f64,
    /// Sentences that are split, or merged with the next.
    pub(crate) sentences: f64,
}

/// A word of a damaged treebank. Heads are keys, so that words may come and go.
#[derive(Clone)]
struct Word {
    key: usize,
    form: String,
    /// LEMMA, UPOS, XPOS, FEATS.
    columns: [String; 4],
    head: Option<usize>,
    label: String,
    /// Head, suffix of an empty node and relation.
    deps: Vec<(Option<usize>, String, String)>,
}

#[derive(Clone)]
struct Token {
    form: String,
    words: Vec<Word>,
    multiword: bool,
}

impl Damage {
    /// A damaged copy as CoNLL-U.
    pub(crate) fn apply(&self, sentences: &[Sentence], random: &mut Random) -> String {
        let mut maker = Maker { damage: *self, random, next_key: 0 };
        let mut damaged: Vec<Vec<Token>> = Vec::new();
        for sent in sentences {
            let mut tokens = maker.read(sent);
            maker.damage_tokens(&mut tokens);
            match maker.random.chance(self.sentences).then(|| maker.random.below(2)) {
                Some(0) if tokens.len() > 1 => {
                    let rest = tokens.split_off(1 + maker.random.below(tokens.len() - 1));
                    damaged.extend([tokens, rest]);
                }
                Some(1) if !damaged.is_empty() => damaged.last_mut().unwrap().extend(tokens),
                _ => damaged.push(tokens),
            }
        }
        damaged.iter_mut().for_each(|tokens| maker.damage_annotation(tokens));
        damaged.iter().map(|tokens| write(tokens)).collect()
    }
}

struct Maker<'r> {
    damage: Damage,
    random: &'r mut Random,
    next_key: usize,
}

impl Maker<'_> {
    fn read(&mut self, sent: &Sentence) -> Vec<Token> {
        let first = self.next_key;
        self.next_key += sent.len();
        let key = |number: u32| (number as usize).checked_sub(1).map(|index| first + index);
        let mut tokens: Vec<Token> = Vec::new();
        let mut covered = 0;
        for row in sent.tokens() {
            let form = row.form().to_owned();
            match row.id() {
                TokenId::Empty(..) => continue,
                TokenId::Range(_, last) => {
                    covered = last;
                    tokens.push(Token { form, words: Vec::new(), multiword: true });
                    continue;
                }
                TokenId::Word(number) if number > covered => {
                    tokens.push(Token { form: form.clone(), words: Vec::new(), multiword: false });
                }
                TokenId::Word(_) => {}
            }
            let number = row.number().unwrap();
            let columns = [Column::Lemma, Column::Upos, Column::Xpos, Column::Feats];
            let suffix = |empty: u32| if empty > 0 { format!(".{empty}") } else { String::new() };
            tokens.last_mut().unwrap().words.push(Word {
                key: first + number as usize - 1,
                form,
                columns: columns.map(|column| row.get(column).to_owned()),
                head: key(row.head().unwrap()),
                label: row.deprel().to_owned(),
                deps: row
                    .deps()
                    .map(|d| (key(d.head), suffix(d.empty), d.label.to_owned()))
                    .collect(),
            });
        }
        tokens
    }

    fn damage_tokens(&mut self, tokens: &mut Vec<Token>) {
        let mut at = 0;
        while at < tokens.len() {
            if self.random.chance(self.damage.tokens) {
                if self.random.chance(0.5) {
                    self.split(tokens, at);
                } else {
                    self.merge(tokens, at);
                }
            }
            if self.random.chance(self.damage.multiword) {
                self.remake_words(&mut tokens[at]);
            }
            at += 1;
        }
    }

    /// Cuts a token of one word in two; the second part hangs on the first.
    fn split(&mut self, tokens: &mut Vec<Token>, at: usize) {
        let cuts: Vec<_> = tokens[at].form.char_indices().map(|(i, _)| i).skip(1).collect();
        let Some(&cut) = self.random.choose(&cuts).filter(|_| !tokens[at].multiword) else {
            return;
        };
        let (left, right) = tokens[at].form.split_at(cut);
        // A part of spaces only would not be a token.
        if left.trim().is_empty() || right.trim().is_empty() {
            return;
        }
        let (left, right) = (left.to_owned(), right.to_owned());
        let mut word = tokens[at].words[0].clone();
        word.head = Some(word.key);
        word.key = self.key();
        word.form.clone_from(&right);
        tokens[at].form.clone_from(&left);
        tokens[at].words[0].form = left;
        tokens.insert(at + 1, Token { form: right, words: vec![word], multiword: false });
    }

    /// Joins a token with the next; the result is one word, or a multiword token of all their words.
    fn merge(&mut self, tokens: &mut Vec<Token>, at: usize) {
        if at + 1 == tokens.len() {
            return;
        }
        let next = tokens.remove(at + 1);
        let token = &mut tokens[at];
        token.form += &next.form;
        token.words.extend(next.words);
        token.multiword = true;
        if self.random.chance(0.5) {
            flatten(token);
        }
    }

    /// Makes a multiword token a word, or changes its words; makes a word a multiword token.
    fn remake_words(&mut self, token: &mut Token) {
        if token.multiword && self.random.chance(0.3) {
            flatten(token);
            return;
        }
        token.multiword = true;
        match self.random.below(3) {
            0 => token.words[0].form = token.words[0].form.to_uppercase(),
            1 => {
                let mut word = token.words[self.random.below(token.words.len())].clone();
                word.head = Some(word.key);
                word.key = self.key();
                let place = self.random.below(token.words.len() + 1);
                token.words.insert(place, word);
            }
            _ => token.words.last_mut().unwrap().form += "x",
        }
    }

    fn key(&mut self) -> usize {
        self.next_key += 1;
        self.next_key - 1
    }

    /// Damages single words, and repairs the tree: one root, no cycle, no head outside.
    fn damage_annotation(&mut self, tokens: &mut [Token]) {
        let keys: Vec<_> = tokens.iter().flat_map(|t| &t.words).map(|word| word.key).collect();
        let labels: Vec<_> =
            tokens.iter().flat_map(|t| &t.words).map(|word| word.label.clone()).collect();
        let words: Vec<_> = tokens.iter_mut().flat_map(|token| &mut token.words).collect();
        let mut words = words;
        for word in &mut words {
            if self.random.chance(self.damage.annotation) {
                self.damage_word(word, &keys, &labels);
            }
        }
        repair(&mut words);
    }

    fn damage_word(&mut self, word: &mut Word, keys: &[usize], labels: &[String]) {
        match self.random.below(10) {
            0..3 => word.head = self.random.choose(keys).copied(),
            3 => word.label = self.random.choose(labels).cloned().unwrap_or_default(),
            4 => word.label += ":sub",
            5 => word.columns[0] = ["_", "lemma"][self.random.below(2)].to_owned(),
            6 => word.columns[1] = ["NOUN", "VERB", "_"][self.random.below(3)].to_owned(),
            7 => word.columns[2] = "TAG".to_owned(),
            8 => {
                let feats =
                    ["_", "Number=Sing", "Foo=Bar|Number=Plur", "Voice=Act|Case=Nom|Number=Sing"];
                word.columns[3] = feats[self.random.below(feats.len())].to_owned();
            }
            _ => {
                let head = self.random.choose(keys).copied();
                let label = ["dep", "conj:and>obj", "nsubj:pass"][self.random.below(3)].to_owned();
                match (self.random.below(3), word.deps.first_mut()) {
                    (0, Some(dep)) => dep.0 = head,
                    (1, Some(dep)) => dep.2 = label,
                    _ => word.deps.push((head, String::new(), label)),
                }
            }
        }
    }
}

/// One word instead of several; what hung on the others is repaired later.
fn flatten(token: &mut Token) {
    token.words.truncate(1);
    token.words[0].form.clone_from(&token.form);
    token.multiword = false;
}

/// The first word without a head inside the sentence is the root; words outside its tree hang on it.
fn repair(words: &mut [&mut Word]) {
    let index: HashMap<usize, usize> =
        words.iter().enumerate().map(|(i, word)| (word.key, i)).collect();
    let heads: Vec<Option<usize>> =
        words.iter().map(|word| word.head.and_then(|key| index.get(&key).copied())).collect();
    let root = heads.iter().position(Option::is_none).unwrap_or(0);
    let root_key = words[root].key;
    words[root].head = None;
    for start in (0..words.len()).filter(|&word| word != root) {
        let inside = words[start].head.and_then(|key| index.get(&key));
        if inside.is_none() {
            words[start].head = Some(root_key);
        }
        let mut at = start;
        for _ in 0..words.len() {
            let Some(head) = words[at].head.and_then(|key| index.get(&key).copied()) else { break };
            at = head;
        }
        if at != root {
            words[start].head = Some(root_key);
        }
    }
    for word in words {
        word.deps.retain(|(head, ..)| head.is_none_or(|key| index.contains_key(&key)));
    }
}

fn write(tokens: &[Token]) -> String {
    let words = tokens.iter().flat_map(|token| &token.words);
    let numbers: HashMap<usize, usize> = words.map(|word| word.key).zip(1..).collect();
    let number = |key: Option<usize>| key.map_or(0, |key| numbers[&key]);
    let mut text = String::new();
    for token in tokens {
        if token.multiword {
            let (first, last) = (token.words.first().unwrap(), token.words.last().unwrap());
            let (first, last) = (number(Some(first.key)), number(Some(last.key)));
            writeln!(text, "{first}-{last}\t{}{}", token.form, "\t_".repeat(8)).unwrap();
        }
        for word in &token.words {
            let columns = word.columns.join("\t");
            let dep = |(head, suffix, label): &(Option<usize>, String, String)| {
                format!("{}{suffix}:{label}", number(*head))
            };
            let deps: Vec<_> = word.deps.iter().map(dep).collect();
            let deps = if deps.is_empty() { "_".to_owned() } else { deps.join("|") };
            let (id, head) = (number(Some(word.key)), number(word.head));
            writeln!(text, "{id}\t{}\t{columns}\t{head}\t{}\t{deps}\t_", word.form, word.label)
                .unwrap();
        }
    }
    text + "\n"
}
