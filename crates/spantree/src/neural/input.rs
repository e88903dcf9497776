//! From words to rows of the embedding table.
//!
//! Each [`Atom`] of a word that was seen often enough in training owns a row; the embedding of a word is the sum of its rows.
//! Runs of characters may be inputs, too. Row 0 is the root. The next rows, one per atom, stand for values that are not known.
//! Then follow the known values, in the order of their keys, which a model file keeps. A network that learned from given and from
//! predicted tags has rows for either. Where a tagger says how sure it is, the rows of each tag that it considered count as much
//! as the tag is probable.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use spantree_neural::Summand;
use spantree_treebank::Sentence;

use crate::feature::{Atom, AtomSet, Atoms, Columns, hash};
use crate::tag::tagset::{COLUMNS, Tag};
use crate::tag::{Beliefs, TagSet};

/// The row of the root.
pub const ROOT_ROW: u32 = 0;

/// What a network sees of a word; see the [module](self).
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Atoms with one value per word, in the order of the columns of `set`.
    single: Vec<Atom>,
    set: AtomSet,
    /// Whether each pair of FEATS is an input.
    feats: bool,
    /// Length of the runs of characters that are inputs, too.
    grams: Option<u8>,
    keys: Vec<u64>,
    rows: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

/// Keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash::bytes(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// One input of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Its row.
    pub row: u32,
    /// How much it counts.
    pub weight: f32,
    /// The row that stands for an unknown value; `None` for an input that is then left out.
    pub unknown: Option<u32>,
    /// Whether it tells which word it is, and not only what it looks like.
    pub names_word: bool,
    /// Whether it is from the tags or the lemma.
    pub from_tags: bool,
}

impl From<Input> for Summand {
    fn from(input: Input) -> Self {
        Self { row: input.row, weight: input.weight }
    }
}

/// Where the tags of a word are from.
#[derive(Clone, Copy, Debug)]
pub enum WordTags<'a> {
    /// They were given.
    Given,
    /// A tagger chose them.
    Predicted,
    /// A tagger says how probable each tag of the words of the sentence is.
    Believed(&'a TagInputs, &'a Beliefs),
}

/// The inputs of every tag of a tagger, as a predicted one.
#[derive(Clone, Debug, Default)]
pub struct TagInputs {
    inputs: Vec<Input>,
    /// Where those of each tag begin, and where the last ones end.
    starts: Vec<usize>,
}

impl TagInputs {
    /// What a network with these inputs sees of each tag.
    #[must_use]
    pub fn new(inputs: &Inputs, tagset: &TagSet) -> Self {
        let (words, mut values) = (one_word_per_tag(tagset), Values::default());
        inputs.read(&words, &mut values);
        let mut all = Self { inputs: Vec::new(), starts: vec![0] };
        for word in 1..=words.len() {
            all.inputs.extend(inputs.some(&values, word, true, |source| inputs.is_tag(source)));
            all.starts.push(all.inputs.len());
        }
        all
    }

    /// The inputs of the tags of a word, from 1, each with the probability of its tag.
    fn weighed<'a>(&'a self, beliefs: &'a Beliefs, word: usize) -> impl Iterator<Item = Input> {
        let likely = beliefs.word(word - 1).iter().filter(|&&(_, chance)| chance >= LEAST_CHANCE);
        likely.flat_map(|&(tag, weight)| {
            self.of(tag).iter().map(move |input| Input { weight, ..*input })
        })
    }

    /// The inputs of a tag; none of one that is not in the set.
    fn of(&self, tag: Tag) -> &[Input] {
        let tag = usize::from(tag);
        let bounds = self.starts.get(tag..tag + 2).unwrap_or(&[0, 0]);
        &self.inputs[bounds[0]..bounds[1]]
    }
}

/// A sentence in which each tag has one word.
fn one_word_per_tag(tagset: &TagSet) -> Sentence {
    let mut words = Sentence::new();
    for names in tagset.names() {
        let word = words.push_word("_");
        COLUMNS.iter().zip(names).for_each(|(&column, name)| words.set(word, column, name));
    }
    words
}

/// Tags less probable than this are not worth the look.
const LEAST_CHANCE: f32 = 0.01;

/// Where an input is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The single-valued atom in this column.
    Column(usize),
    /// A pair of FEATS.
    Feat,
    /// A run of characters.
    Gram,
}

/// The atoms that suit the columns of a treebank.
#[must_use]
pub fn default_atoms(columns: Columns) -> Vec<Atom> {
    let mut atoms = vec![Atom::Lower, Atom::Shape, Atom::Upos];
    atoms.extend((1..=3).map(Atom::Prefix));
    atoms.extend((1..=4).map(Atom::Suffix));
    if columns.lemma {
        atoms.push(Atom::Lemma);
    }
    if columns.xpos {
        atoms.push(Atom::Xpos);
    }
    if columns.feats {
        atoms.extend([Atom::Feats, Atom::Feat]);
    }
    if columns.guide {
        atoms.extend([Atom::GuideLabel, Atom::GuideOffset, Atom::GuideTag]);
    }
    atoms
}

/// What was read of a sentence.
#[derive(Clone, Debug, Default)]
pub struct Values {
    atoms: Atoms,
    /// Hashes of the runs of characters of word `i`: `grams[gram_starts[i - 1]..gram_starts[i]]`.
    grams: Vec<u64>,
    gram_starts: Vec<usize>,
    /// The characters of a word, its ends included.
    chars: Vec<char>,
}

impl Values {
    fn fill_grams(&mut self, sent: &Sentence, length: Option<u8>) {
        self.grams.clear();
        self.gram_starts.clear();
        self.gram_starts.push(0);
        for word in sent.words() {
            if let Some(length) = length {
                self.push_grams(word.form(), length.into());
            }
            self.gram_starts.push(self.grams.len());
        }
    }

    /// The runs of the beginning of a word; there are words without end.
    fn push_grams(&mut self, form: &str, length: usize) {
        let lower = form.chars().flat_map(char::to_lowercase).take(LONGEST);
        self.chars.clear();
        self.chars.push('^');
        self.chars.extend(lower);
        self.chars.push('$');
        let run = |run: &[char]| run.iter().fold(0, |sum, &c| hash::mix(sum, c.into()));
        self.grams.extend(self.chars.windows(length.max(1)).map(run));
    }

    fn grams(&self, word: usize) -> &[u64] {
        &self.grams[self.gram_starts[word - 1]..self.gram_starts[word]]
    }
}

/// Characters of a word whose runs are looked at.
const LONGEST: usize = 40;

impl Inputs {
    /// Inputs with these known keys, in the order of their rows.
    #[must_use]
    pub fn new(atoms: &[Atom], keys: Vec<u64>) -> Self {
        let mut set = AtomSet::default();
        let mut single = Vec::new();
        for &atom in atoms.iter().filter(|atom| !atom.is_list()) {
            if set.column(atom) == single.len() {
                single.push(atom);
            }
        }
        let first = 1 + single.len() as u32;
        let rows = (first..).zip(&keys).map(|(row, &key)| (key, row)).collect();
        Self { single, set, feats: atoms.contains(&Atom::Feat), grams: None, keys, rows }
    }

    /// The same that also sees each run of so many characters of a word.
    #[must_use]
    pub fn with_grams(self, length: Option<u8>) -> Self {
        Self { grams: length, ..self }
    }

    /// The same with rows for further values, those seen at least `minimum` times in these sentences.
    #[must_use]
    pub fn with_frequent(self, sentences: &[Sentence], minimum: usize) -> Self {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        let mut values = Values::default();
        for sent in sentences {
            self.read(sent, &mut values);
            for word in 1..=sent.len() {
                self.keys(&values, word).for_each(|(_, key)| *counts.entry(key).or_default() += 1);
            }
        }
        let frequent = counts.into_iter().filter(|&(_, count)| count >= minimum);
        self.with_keys(frequent.map(|(key, _)| key).collect())
    }

    /// The same with rows for these keys, too.
    fn with_keys(self, mut added: HashSet<u64>) -> Self {
        let atoms: Vec<_> = self.atoms().collect();
        added.extend(self.keys);
        let mut keys: Vec<_> = added.into_iter().collect();
        keys.sort_unstable();
        Self::new(&atoms, keys).with_grams(self.grams)
    }

    /// The same that knows whether tags are predicted; with rows for predicted tags of this set beside those of given ones, which can be
    /// trusted more.
    #[must_use]
    pub fn with_predicted_tags(self, tagset: Option<&TagSet>) -> Self {
        let mut added = HashSet::from([PREDICTED]);
        if let Some(tagset) = tagset {
            let (words, mut values) = (one_word_per_tag(tagset), Values::default());
            self.read(&words, &mut values);
            for word in 1..=words.len() {
                let tags = self.keys(&values, word).filter(|&(source, _)| self.is_tag(source));
                let known = tags.filter(|(_, key)| self.rows.contains_key(key));
                added.extend(known.map(|(_, key)| predicted(key)));
            }
        }
        self.with_keys(added)
    }

    /// Whether an input belongs to the tag of a word.
    fn is_tag(&self, source: Source) -> bool {
        match source {
            Source::Column(column) => {
                matches!(self.single[column], Atom::Upos | Atom::Xpos | Atom::Feats)
            }
            Source::Feat => true,
            Source::Gram => false,
        }
    }

    /// The row that says that the tags of a word are predicted, not given; `None` if the network makes no difference.
    #[must_use]
    pub fn predicted_row(&self) -> Option<u32> {
        self.rows.get(&PREDICTED).copied()
    }

    /// Number of rows of the table.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 + self.single.len() + self.keys.len()
    }

    /// The keys of the known values.
    #[must_use]
    pub fn known(&self) -> &[u64] {
        &self.keys
    }

    /// The atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.single.iter().copied().chain(self.feats.then_some(Atom::Feat))
    }

    /// Reads the values of a sentence.
    pub fn read(&self, sent: &Sentence, values: &mut Values) {
        values.atoms.fill(&self.set, sent);
        values.fill_grams(sent, self.grams);
    }

    /// The inputs of a word of the sentence that was read.
    pub fn of_word<'a>(
        &'a self,
        values: &'a Values,
        word: usize,
        tags: WordTags<'a>,
    ) -> impl Iterator<Item = Input> {
        let believed = match tags {
            WordTags::Believed(inputs, beliefs) => Some((inputs, beliefs)),
            WordTags::Given | WordTags::Predicted => None,
        };
        let predicted = !matches!(tags, WordTags::Given);
        let chosen = move |source| believed.is_none() || !self.is_tag(source);
        let weighed = believed.map(|(inputs, beliefs)| inputs.weighed(beliefs, word));
        self.some(values, word, predicted, chosen).chain(weighed.into_iter().flatten())
    }

    /// The inputs of a word from some sources.
    fn some<'a>(
        &'a self,
        values: &'a Values,
        word: usize,
        predicted_tags: bool,
        wanted: impl Fn(Source) -> bool + 'a,
    ) -> impl Iterator<Item = Input> {
        let predicted_tags = predicted_tags && self.predicted_row().is_some();
        let keys = self.keys(values, word).filter(move |&(source, _)| wanted(source));
        keys.filter_map(move |(source, key)| {
            let column = match source {
                Source::Column(column) => Some(column),
                Source::Feat | Source::Gram => None,
            };
            let unknown = column.map(|column| 1 + column as u32);
            let is_tag = self.is_tag(source);
            let own = || self.rows.get(&predicted(key));
            let own = if predicted_tags && is_tag { own() } else { None };
            let row = own.or_else(|| self.rows.get(&key)).copied().or(unknown)?;
            let is = |atom: Atom| column.is_some_and(|column| self.single[column] == atom);
            let names_word = is(Atom::Form) || is(Atom::Lower) || is(Atom::Lemma);
            let from_tags = is_tag || is(Atom::Lemma);
            Some(Input { row, weight: 1.0, unknown, names_word, from_tags })
        })
    }

    /// The keys of a word, with the source of each.
    fn keys<'a>(&'a self, values: &'a Values, word: usize) -> impl Iterator<Item = (Source, u64)> {
        let single = values.atoms.row(word).iter().enumerate();
        let single = single
            .map(|(column, &value)| (Source::Column(column), hash::mix(column as u64, value)));
        let feats = if self.feats { values.atoms.feats(word) } else { &[] };
        let feats = feats.iter().map(|&(_, pair)| (Source::Feat, hash::mix(FEATS_COLUMN, pair)));
        let grams = values.grams(word).iter();
        let grams = grams.map(|&gram| (Source::Gram, hash::mix(GRAMS_COLUMN, gram)));
        single.chain(feats).chain(grams)
    }
}

/// The key of words whose tags are predicted.
const PREDICTED: u64 = 0x7072_6564_6963_7465;
/// Stands for the pairs of FEATS in keys.
const FEATS_COLUMN: u64 = 255;
/// Stands for runs of characters in keys.
const GRAMS_COLUMN: u64 = 254;

/// The key of a predicted tag, given the key of the tag.
fn predicted(key: u64) -> u64 {
    hash::mix(PREDICTED, key)
}

#[cfg(test)]
mod tests {
    use spantree_treebank::Column;

    use super::*;

    fn sentence(forms: &[&str]) -> Sentence {
        let mut sent = Sentence::new();
        for form in forms {
            let word = sent.push_word(form);
            sent.set(word, Column::Upos, "X");
            sent.set(word, Column::Feats, "Case=Nom|Number=Sing");
        }
        sent
    }

    fn of_treebank(atoms: &[Atom], sentences: &[Sentence], minimum: usize) -> Inputs {
        Inputs::new(atoms, Vec::new()).with_frequent(sentences, minimum)
    }

    const ATOMS: [Atom; 4] = [Atom::Lower, Atom::Feat, Atom::Upos, Atom::Suffix(1)];

    fn rows(inputs: &Inputs, sent: &Sentence, word: usize) -> Vec<u32> {
        let mut values = Values::default();
        inputs.read(sent, &mut values);
        inputs.of_word(&values, word, WordTags::Given).map(|input| input.row).collect()
    }

    #[test]
    fn frequent_values_have_rows_of_their_own() {
        let inputs = of_treebank(&ATOMS, &[sentence(&["ab", "cb", "ab", "d"])], 2);
        // ab, X, -b, Case=Nom, Number=Sing.
        assert_eq!(inputs.known().len(), 5);
        assert_eq!(inputs.rows(), 1 + 3 + 5);
        let known = rows(&inputs, &sentence(&["ab"]), 1);
        assert_eq!(known.len(), 5);
        assert!(known.iter().all(|&row| (4..9).contains(&row)));
        assert_eq!(
            known,
            rows(&inputs, &sentence(&["zz", "Ab"]), 2),
            "the first letter may be a capital"
        );
    }

    #[test]
    fn unknown_values_share_a_row_per_atom_and_unknown_pairs_are_left_out() {
        let inputs = of_treebank(&ATOMS, &[sentence(&["ab", "cb", "ab", "d"])], 2);
        let mut sent = sentence(&["zz"]);
        sent.set(1, Column::Upos, "Y");
        sent.set(1, Column::Feats, "Case=Acc");
        assert_eq!(rows(&inputs, &sent, 1), [1, 2, 3]);
        let mut values = Values::default();
        inputs.read(&sent, &mut values);
        let named: Vec<_> =
            inputs.of_word(&values, 1, WordTags::Given).map(|input| input.names_word).collect();
        assert_eq!(named, [true, false, false]);
        let tags: Vec<_> =
            inputs.of_word(&values, 1, WordTags::Given).map(|input| input.from_tags).collect();
        assert_eq!(tags, [false, true, false]);
    }

    #[test]
    fn known_keys_are_all_that_a_model_needs() {
        let sent = sentence(&["ab", "cb", "ab", "d"]);
        let inputs = of_treebank(&ATOMS, std::slice::from_ref(&sent), 1);
        let names: Vec<_> = inputs.atoms().map(|atom| atom.to_string()).collect();
        assert_eq!(names, ["lower", "upos", "suffix1", "feat"]);
        let atoms: Vec<Atom> = names.iter().map(|name| name.parse().unwrap()).collect();
        let again = Inputs::new(&atoms, inputs.known().to_vec());
        for word in 1..=4 {
            assert_eq!(rows(&again, &sent, word), rows(&inputs, &sent, word));
        }
    }

    #[test]
    fn predicted_tags_have_rows_of_their_own() {
        let sent = sentence(&["ab", "ab"]);
        let plain = of_treebank(&ATOMS, std::slice::from_ref(&sent), 1);
        assert_eq!(plain.predicted_row(), None);
        let count = plain.rows();
        let inputs =
            plain.with_predicted_tags(TagSet::from_treebank(std::slice::from_ref(&sent)).as_ref());
        // One for all words with predicted tags, then X, Case=Nom, Number=Sing.
        assert_eq!(inputs.rows(), count + 4);
        let again = Inputs::new(&ATOMS, inputs.known().to_vec());
        assert_eq!(again.predicted_row(), inputs.predicted_row(), "as a model file keeps it");
        let mut values = Values::default();
        inputs.read(&sent, &mut values);
        let [given, predicted]: [Vec<_>; 2] = [WordTags::Given, WordTags::Predicted]
            .map(|tags| inputs.of_word(&values, 1, tags).collect());
        for (given, predicted) in given.iter().zip(&predicted) {
            assert_eq!(given.row != predicted.row, given.from_tags);
        }
        assert!(predicted.iter().all(|input| Some(input.row) != inputs.predicted_row()));
    }

    #[test]
    fn models_without_such_rows_use_those_of_given_tags() {
        let sent = sentence(&["ab", "ab"]);
        let inputs = of_treebank(&ATOMS, std::slice::from_ref(&sent), 1);
        for inputs in [inputs.clone(), inputs.with_predicted_tags(None)] {
            let mut values = Values::default();
            inputs.read(&sent, &mut values);
            let [given, predicted] = [WordTags::Given, WordTags::Predicted]
                .map(|tags| inputs.of_word(&values, 1, tags).collect::<Vec<_>>());
            assert_eq!(given, predicted);
        }
    }

    #[test]
    fn tags_count_as_much_as_they_are_probable() {
        let mut train = sentence(&["ab", "ab", "cd"]);
        train.set(3, Column::Upos, "Y");
        let train = [train];
        let tagset = TagSet::from_treebank(&train).unwrap();
        let inputs = of_treebank(&ATOMS, &train, 1).with_predicted_tags(Some(&tagset));
        let tags = TagInputs::new(&inputs, &tagset);
        let mut values = Values::default();
        inputs.read(&train[0], &mut values);
        // A tagger that is sure of the tag says what the sentence says.
        let certain = Beliefs::certain(&tagset, &train[0]);
        for word in 1..=3 {
            let sorted = |inputs: &mut dyn Iterator<Item = Input>| {
                let mut inputs: Vec<_> = inputs.collect();
                inputs.sort_by_key(|input| input.row);
                inputs
            };
            let believed =
                sorted(&mut inputs.of_word(&values, word, WordTags::Believed(&tags, &certain)));
            assert_eq!(believed, sorted(&mut inputs.of_word(&values, word, WordTags::Predicted)));
        }
        // Else each tag has its share, the features that tags have in common both.
        let doubtful = Beliefs::of_one_word([(0, 0.75), (1, 0.245), (0, 0.005)]);
        let found: Vec<_> =
            inputs.of_word(&values, 1, WordTags::Believed(&tags, &doubtful)).collect();
        let sum: f32 = found.iter().filter(|input| input.from_tags).map(|i| i.weight).sum();
        assert!((sum - 3.0 * 0.995).abs() < 1e-6, "UPOS and two features: {found:?}");
        assert_eq!(found.iter().filter(|input| !input.from_tags).count(), 2);
        let strange = Beliefs::of_one_word([(9, 1.0)]);
        let found = inputs.of_word(&values, 1, WordTags::Believed(&tags, &strange));
        assert!(found.into_iter().all(|input| !input.from_tags), "there is no such tag");
    }

    #[test]
    fn runs_of_characters_include_the_ends_of_a_word() {
        let train = [sentence(&["Abc", "abd"])];
        let inputs = Inputs::new(&[Atom::Upos], Vec::new()).with_grams(Some(3));
        let inputs = inputs.with_frequent(&train, 2);
        let mut values = Values::default();
        inputs.read(&train[0], &mut values);
        assert_eq!(values.grams(1).len(), 3, "^ab abc bc$");
        assert_eq!(inputs.known().len(), 2, "X and ^ab");
        let found: Vec<_> = inputs.of_word(&values, 1, WordTags::Given).collect();
        assert_eq!(found.len(), 2, "unknown runs are left out");
        assert_eq!(found.iter().map(|input| input.from_tags).collect::<Vec<_>>(), [true, false]);
        inputs.read(&sentence(&["a", &"x".repeat(100_000)]), &mut values);
        assert_eq!([1, 2].map(|word| values.grams(word).len()), [1, LONGEST]);
    }

    #[test]
    fn keys_never_change() {
        let inputs = of_treebank(&[Atom::Upos, Atom::Feat], &[sentence(&["a"])], 1);
        let keys: Vec<_> = inputs.known().iter().map(|key| format!("{key:016x}")).collect();
        let expected = ["15b97dd70874fe6e", "3c122e2d3581d132", "d43ef5e9965c8360"];
        assert_eq!(keys, expected, "they are in model files");
    }
}
