//! A sentence while it is being composed: words that know their heads by position and may still move.

use crate::random::Random;
use crate::sentence::{Column, Sentence, TokenId};

/// Labels that a slip of annotation puts in place of another.
const SLIPS: [&str; 6] = ["nmod", "obl", "obj", "nsubj", "advmod", "amod"];

#[derive(Clone, Debug)]
pub(super) struct Word {
    form: String,
    lemma: String,
    upos: &'static str,
    feats: String,
    /// Position of the head; `None` for the root.
    head: Option<usize>,
    label: &'static str,
    /// Whether no space stands before it.
    pub(super) glued: bool,
    /// The multiword token that this word and the next make together.
    contraction: Option<String>,
}

impl Word {
    pub(super) fn new(form: &str, lemma: &str, upos: &'static str, feats: &str) -> Self {
        Self {
            form: form.to_owned(),
            lemma: lemma.to_owned(),
            upos,
            feats: feats.to_owned(),
            head: None,
            label: "root",
            glued: false,
            contraction: None,
        }
    }
}

/// Words in order; each is the root until it is attached.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    words: Vec<Word>,
    /// Verbs without a subject of their own, and the subject that they share, if any.
    subjectless: Vec<(usize, Option<usize>)>,
}

impl Draft {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Appends a word; returns its position.
    pub(super) fn push(&mut self, word: Word) -> usize {
        self.words.push(word);
        self.words.len() - 1
    }

    pub(super) fn attach(&mut self, word: usize, head: usize, label: &'static str) {
        self.words[word].head = Some(head);
        self.words[word].label = label;
    }

    /// Contracts the preposition at `position` with the word after it, if that is an article: `sur ta` → `surta`.
    pub(super) fn contract(&mut self, position: usize) {
        let article = self.words.get(position + 1).filter(|next| next.upos == "DET");
        let form = article.map(|article| format!("{}{}", self.words[position].form, article.form));
        self.words[position].contraction = form;
    }

    /// Notes that a verb has no subject of its own; it may share one.
    pub(super) fn drop_subject(&mut self, verb: usize, shared: Option<usize>) {
        self.subjectless.push((verb, shared));
    }

    /// Moves the word at `from` back to `to`; those between go one place on.
    pub(super) fn move_back(&mut self, from: usize, to: usize) {
        let place = |old: usize| match old {
            _ if old == from => to,
            _ if (to..from).contains(&old) => old + 1,
            _ => old,
        };
        self.words[to..=from].rotate_right(1);
        for word in &mut self.words {
            word.head = word.head.map(place);
        }
        for (verb, shared) in &mut self.subjectless {
            *verb = place(*verb);
            *shared = shared.map(place);
        }
    }

    /// Gives words a wrong label, or a wrong head when that keeps the tree as projective as it is.
    pub(super) fn add_noise(&mut self, rate: f64, random: &mut Random) {
        for word in 0..self.len() {
            let Some(head) = self.words[word].head else { continue };
            if !random.chance(rate) {
                continue;
            }
            let above = self.words[head].head.filter(|_| self.is_outermost_leaf(word, head));
            match above.filter(|_| random.chance(0.5)) {
                Some(above) => self.words[word].head = Some(above),
                None => self.words[word].label = SLIPS[random.below(SLIPS.len())],
            }
        }
    }

    /// Whether `word` has no children and no sibling further out on its side of `head`.
    fn is_outermost_leaf(&self, word: usize, head: usize) -> bool {
        self.words.iter().enumerate().all(|(other, entry)| match entry.head {
            Some(above) if above == word => false,
            Some(above) if above == head && (other < head) == (word < head) => {
                other.abs_diff(head) <= word.abs_diff(head)
            }
            _ => true,
        })
    }

    /// Writes `# text` and all rows.
    pub(super) fn write_to(mut self, sent: &mut Sentence, enhanced: bool) {
        self.capitalise();
        let text = self.text();
        sent.push_comment(&format!("# text = {text}"));
        for position in 0..self.len() {
            let dropped = self.subjectless.contains(&(position, None));
            if enhanced && dropped {
                write_empty_subject(sent, position);
            }
            self.write_word(sent, position);
        }
        if enhanced {
            self.write_enhanced(sent);
        }
    }

    fn capitalise(&mut self) {
        let Some(first) = self.words.first_mut() else { return };
        for form in std::iter::once(&mut first.form).chain(&mut first.contraction) {
            *form = capitalised(form);
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut position = 0;
        while let Some(word) = self.words.get(position) {
            if !text.is_empty() && !word.glued {
                text.push(' ');
            }
            text.push_str(word.contraction.as_ref().unwrap_or(&word.form));
            position += 1 + usize::from(word.contraction.is_some());
        }
        text
    }

    fn write_word(&self, sent: &mut Sentence, position: usize) {
        let word = &self.words[position];
        let number = position as u32 + 1;
        let glued_to_next =
            |position: usize| self.words.get(position).is_some_and(|word| word.glued);
        let inside = position > 0 && self.words[position - 1].contraction.is_some();
        if let Some(form) = &word.contraction {
            let range = sent.push_row(TokenId::Range(number, number + 1));
            sent.set_token(range, Column::Form, form);
            let misc = if glued_to_next(position + 2) { "SpaceAfter=No" } else { "_" };
            sent.set_token(range, Column::Misc, misc);
        }
        sent.push_word(&word.form);
        for (column, value) in [
            (Column::Lemma, word.lemma.as_str()),
            (Column::Upos, word.upos),
            (Column::Xpos, &xpos(word)),
            (Column::Feats, &word.feats),
            (Column::Deprel, word.label),
        ] {
            sent.set(number, column, value);
        }
        sent.set_head(number, Some(word.head.map_or(0, |head| head as u32 + 1)));
        if glued_to_next(position + 1) && !inside && word.contraction.is_none() {
            sent.set(number, Column::Misc, "SpaceAfter=No");
        }
    }

    /// DEPS: the basic tree, plus the arcs to shared and dropped subjects.
    fn write_enhanced(&self, sent: &mut Sentence) {
        for (position, word) in self.words.iter().enumerate() {
            let mut deps = vec![(word.head.map_or(0, |head| head + 1), word.label)];
            for &(verb, shared) in &self.subjectless {
                if shared == Some(position) {
                    deps.push((verb + 1, "nsubj"));
                }
            }
            deps.sort_unstable();
            let deps: Vec<_> = deps.iter().map(|(head, label)| format!("{head}:{label}")).collect();
            sent.set(position as u32 + 1, Column::Deps, &deps.join("|"));
        }
    }
}

/// An empty pronoun before the verb at `position`.
fn write_empty_subject(sent: &mut Sentence, position: usize) {
    let row = sent.push_row(TokenId::Empty(position as u32, 1));
    for (column, value) in [
        (Column::Form, "li"),
        (Column::Lemma, "li"),
        (Column::Upos, "PRON"),
        (Column::Feats, "PronType=Prs"),
        (Column::Deps, &format!("{}:nsubj", position + 1)),
    ] {
        sent.set_token(row, column, value);
    }
}

/// UPOS and the initials of the feature values, such as `NOUN-AS` for a noun in the accusative singular.
fn xpos(word: &Word) -> String {
    let values = word.feats.split('|').filter_map(|pair| pair.split_once('='));
    let initials: String = values.filter_map(|(_, value)| value.chars().next()).collect();
    if initials.is_empty() { word.upos.to_owned() } else { format!("{}-{initials}", word.upos) }
}

pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
