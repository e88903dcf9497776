//! Multiword tokens: which forms can be several words, and which words they are.
//!
//! A [`Splitter`] proposes at most one way to split a token; whether it is split is decided by the model, because forms such
//! as French *des* are two words in one sentence and one in the next. The way comes from a dictionary of the forms seen in
//! training, or else from the longest suffix rule: `'s → | 's`, seen with two stems at least, applies to any stem.
//!
//! Forms are looked up in lower case. Where the words are the form cut into pieces (*don't* → *do n't*) the letters keep their
//! case; otherwise (*du* → *de le*) words get the case of the form: capitals for capitals, an initial for an initial.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::character::fold;
use super::feature::{EMPTY, extend};

/// The longest suffix of a rule, in characters.
const LONGEST_SUFFIX: usize = 8;

/// Dictionary and rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Splitter {
    entries: Vec<Entry>,
    /// Entry by the hash of its form.
    forms: HashMap<u64, u32>,
    /// Entry by the hash of its suffix, from the end.
    suffixes: HashMap<u64, u32>,
    longest_suffix: usize,
}

/// A form or a suffix, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// In lower case.
    key: String,
    /// For a rule the first one is what the stem gets behind it.
    words: Vec<String>,
    is_rule: bool,
}

/// A way to split a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    entry: u32,
    rule: u64,
}

impl Candidate {
    /// Names the rule in features; 0 for forms of the dictionary.
    pub(super) fn rule_hash(self) -> u64 {
        self.rule
    }
}

/// A multiword token of a treebank: its form and words.
pub(super) type Seen<'a> = (&'a str, Vec<&'a str>);

impl Splitter {
    /// Learns from all multiword tokens of a treebank.
    pub(super) fn learn<'a>(seen: impl IntoIterator<Item = Seen<'a>>) -> Self {
        let mut counts: BTreeMap<String, BTreeMap<Vec<String>, usize>> = BTreeMap::new();
        for (form, words) in seen {
            let words = words.into_iter().map(folded).collect();
            *counts.entry(folded(form)).or_default().entry(words).or_default() += 1;
        }
        let mut forms = Vec::new();
        for (form, ways) in counts {
            // The most frequent way; the first in the alphabet among equals.
            let best = ways.into_iter().rev().max_by_key(|(_, count)| *count);
            forms.extend(best.map(|(words, count)| (form, words, count)));
        }
        let rules = rules(&forms);
        let mut splitter = Self::default();
        for (suffix, words) in rules {
            splitter.push(Entry { key: suffix, words, is_rule: true });
        }
        for (key, words, count) in forms {
            // A form seen once teaches more as an example of its rule: that is how unseen forms will be split.
            let by_rule =
                splitter.candidate(&key, hash(&key)).map(|rule| splitter.words(&key, rule));
            if count > 1 || by_rule.as_ref() != Some(&words) {
                splitter.push(Entry { key, words, is_rule: false });
            }
        }
        splitter
    }

    /// The entry is added unless its key is there already.
    fn push(&mut self, entry: Entry) -> bool {
        let number = self.entries.len() as u32;
        let (table, key) = if entry.is_rule {
            self.longest_suffix = self.longest_suffix.max(entry.key.chars().count());
            (&mut self.suffixes, entry.key.chars().rev().fold(EMPTY, extend))
        } else {
            (&mut self.forms, hash(&entry.key))
        };
        if table.contains_key(&key) {
            return false;
        }
        table.insert(key, number);
        self.entries.push(entry);
        true
    }

    /// Whether nothing is ever split.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Numbers of forms and of rules.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.forms.len(), self.suffixes.len())
    }

    /// How a token might be split; `hash` is of its form in lower case.
    pub(super) fn candidate(&self, form: &str, hash: u64) -> Option<Candidate> {
        if let Some(&entry) = self.forms.get(&hash) {
            return Some(Candidate { entry, rule: 0 });
        }
        let (mut suffix, mut best) = (EMPTY, None);
        let mut chars = form.chars();
        for _ in 0..self.longest_suffix {
            let Some(c) = chars.next_back() else { break };
            suffix = extend(suffix, fold(c));
            // One character at least is left for the stem.
            if let Some(&entry) = self.suffixes.get(&suffix).filter(|_| !chars.as_str().is_empty())
            {
                best = Some(Candidate { entry, rule: suffix });
            }
        }
        best
    }

    /// The words of a token under a way to split it.
    pub(super) fn words(&self, form: &str, way: Candidate) -> Vec<String> {
        let entry = &self.entries[way.entry as usize];
        let length = entry.key.chars().count();
        let stem = form.chars().count().saturating_sub(length);
        let cut = form.char_indices().nth(stem).map_or(form.len(), |(byte, _)| byte);
        let (stem, changed) = if entry.is_rule { form.split_at(cut) } else { ("", form) };
        let mut words = replaced(changed, entry);
        if let Some(first) = words.first_mut() {
            first.insert_str(0, stem);
        }
        words
    }

    /// The text form: forms and rules, one a line, tabs between key and words; rules start with a tab.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            if entry.is_rule {
                text.push('\t');
            }
            text.push_str(&entry.key);
            for word in &entry.words {
                text.push('\t');
                text.push_str(word);
            }
            text.push('\n');
        }
        text
    }

    /// Reads the text form.
    pub(super) fn from_text(text: &str) -> Result<Self, String> {
        let mut splitter = Self::default();
        for line in text.lines() {
            let rule = line.strip_prefix('\t');
            let mut fields = rule.unwrap_or(line).split('\t').map(str::to_owned);
            let key = fields.next().unwrap_or_default();
            let entry = Entry { key, words: fields.collect(), is_rule: rule.is_some() };
            let empty = entry.words.iter().skip(usize::from(entry.is_rule)).any(String::is_empty);
            let long = entry.is_rule && entry.key.chars().count() > LONGEST_SUFFIX;
            if entry.key.is_empty()
                || entry.words.len() < 2
                || empty
                || long
                || !splitter.push(entry)
            {
                return Err(format!("line {line:?} of its multiword tokens makes no sense"));
            }
        }
        Ok(splitter)
    }
}

fn folded(text: &str) -> String {
    text.chars().map(fold).collect()
}

/// The hash of a form in lower case.
fn hash(folded: &str) -> u64 {
    folded.chars().fold(EMPTY, extend)
}

/// The suffix rules that two stems at least have in common.
fn rules(forms: &[(String, Vec<String>, usize)]) -> BTreeMap<String, Vec<String>> {
    let mut stems: BTreeMap<(String, Vec<String>), BTreeSet<&str>> = BTreeMap::new();
    for (form, words, _) in forms {
        let common: usize = form
            .chars()
            .zip(words[0].chars())
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum();
        let (stem, suffix) = form.split_at(common);
        if stem.is_empty() || suffix.is_empty() || suffix.chars().count() > LONGEST_SUFFIX {
            continue;
        }
        let mut words = words.clone();
        words[0].drain(..common);
        stems.entry((suffix.to_owned(), words)).or_default().insert(stem);
    }
    let mut best: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    for ((suffix, words), stems) in stems {
        let rule = best.entry(suffix).or_default();
        if stems.len() > rule.0.max(1) {
            *rule = (stems.len(), words);
        }
    }
    best.into_iter().filter(|(_, rule)| rule.0 > 1).map(|(suffix, rule)| (suffix, rule.1)).collect()
}

/// The words that `text` becomes, with its case.
fn replaced(text: &str, entry: &Entry) -> Vec<String> {
    if entry.words.concat() == entry.key {
        let mut chars = text.chars();
        return entry
            .words
            .iter()
            .map(|word| chars.by_ref().take(word.chars().count()).collect())
            .collect();
    }
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    let initial = letters.next().is_some_and(char::is_uppercase);
    let capitals = initial && letters.next().is_some_and(char::is_uppercase);
    let mut words = entry.words.clone();
    if capitals {
        words.iter_mut().for_each(|word| *word = word.to_uppercase());
    } else if initial && let Some(c) = words[0].chars().next() {
        words[0].replace_range(..c.len_utf8(), &c.to_uppercase().to_string());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Splitter {
        let seen = [
            ("du", vec!["de", "le"]),
            ("du", vec!["de", "le"]),
            ("auxquels", vec!["à", "lesquels"]),
            ("John's", vec!["John", "'s"]),
            ("dog's", vec!["dog", "'s"]),
            ("don't", vec!["do", "n't"]),
            ("Don't", vec!["Do", "n't"]),
            ("isn't", vec!["is", "n't"]),
        ];
        Splitter::learn(seen)
    }

    fn split(splitter: &Splitter, form: &str) -> Option<Vec<String>> {
        splitter.candidate(form, hash(&folded(form))).map(|way| splitter.words(form, way))
    }

    #[test]
    fn forms_and_rules_keep_the_case() {
        let splitter = sample();
        for (form, expected) in [
            ("du", "de le"),
            ("Du", "De le"),
            ("DU", "DE LE"),
            ("Auxquels", "À lesquels"),
            ("DON'T", "DO N'T"),
            ("Mary's", "Mary 's"),
            ("WASN'T", "WAS N'T"),
        ] {
            assert_eq!(split(&splitter, form).unwrap().join(" "), expected);
        }
        for form in ["'s", "s", "", "due", "n't"] {
            assert_eq!(split(&splitter, form), None, "{form}");
        }
    }

    #[test]
    fn the_text_form_comes_back() {
        let splitter = sample();
        assert_eq!(Splitter::from_text(&splitter.to_text()), Ok(splitter));
        for bad in
            ["x\n", "\n", "x\ty\n", "\tx\n", "a\tb\tc\na\tb\tc\n", "x\ta\t\n", "\t123456789\t\ta\n"]
        {
            assert!(Splitter::from_text(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn forms_seen_once_are_examples_of_their_rule() {
        assert_eq!(sample().counts(), (3, 2), "{}", sample().to_text());
    }
}
