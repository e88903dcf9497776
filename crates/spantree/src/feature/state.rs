//! Features of a state of a transition parser: templates over the stack, the buffer and the tree between them.
//!
//! A template file has a template per line, parts joined by `+`, comments after `#`. A part is `place.atom`:
//!
//! | place | token |
//! |---|---|
//! | `s0` `s1` `s2` `s3` | the top of the stack and the words below |
//! | `b0` `b1` `b2` `b3` | the front of the buffer and the words behind |
//! | `head` `child` | the ends of the arc that is about to be built, for templates of labels |
//! | any of these and `h`, `h2` | its head, and the head of that |
//! | … `l`, `l2`, `r`, `r2` | its leftmost child and the next one, its rightmost child and the one before |
//! | … `-1`, `+1` … | the neighbour in the sentence |
//! | `s0b0`, `s1s0`, `arc` | two together; the arc is that of `head` and `child` |
//!
//! Atoms of tokens are those of [`Atom`], and `label` (of its arc), `lefts` and `rights` (number of children, up to 5) and `edited`
//! (whether it was taken back). Atoms of two tokens are `distance`, `verbs`, `puncts` and `conjunctions` (between them), `same`
//! (the same form in lower case), `alike` (the same UPOS) and `agree` (in which keys of FEATS). A list-valued atom gives a feature per value;
//! a template may have two. A token that does not exist has a value of its own, and no list.
//!
//! A [`Window`] says which words these are, so that arcs are between `s0` and `b0` in all systems: where they join the two topmost
//! words of the stack, `b0` is the top of the stack, `s0` the word below it and `b1` the front of the buffer.
//!
//! Every distinct part is looked up once per state. A feature is the sum of its values, each times a random odd number of its
//! own (multilinear hashing, after Carter and Wegman 1979), so that its multiplications do not wait for each other.

use spantree_decode::transition::{NONE, State};

use super::arc::ArcShape;
use super::atom::Atom;
use super::atoms::{AtomSet, Atoms};
use super::defaults::Columns;
use super::hash;
use super::template::TemplateError;

/// Which words templates mean by `s0` and `b0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The top of the stack and the front of the buffer.
    Front,
    /// The two topmost words of the stack.
    Top,
    /// The words around a gap of the stack, which holds the whole sentence; the words that follow stand for the buffer.
    Gap(u32),
    /// These two, with the rest as in `Top`.
    Ends(u32, u32),
}

/// Words on either side that templates can ask for.
const REACH: usize = 4;

/// Words that a state is seen through: `s0` to `s3`, `b0` to `b3`, head and child.
const BASES: usize = 2 * REACH + 2;

/// A state as templates see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    state: &'a State,
    /// Each of the [`BASES`], or [`NONE`].
    words: [u32; BASES],
}

impl<'a> View<'a> {
    /// A state through a window, and the arc that is about to be built.
    #[must_use]
    pub fn new(state: &'a State, window: Window, arc: Option<(u32, u32)>) -> Self {
        let stack = |from: usize| std::array::from_fn(|at| state.stack_at(from + at));
        let buffer = std::array::from_fn(|at| state.buffer_at(at));
        let after_top: [_; REACH] = std::array::from_fn(|at| match at {
            0 => state.stack_at(0),
            _ => buffer[at - 1],
        });
        let (left, right): ([_; REACH], [_; REACH]) = match window {
            Window::Front => (stack(0), buffer),
            Window::Top => (stack(1), after_top),
            Window::Gap(gap) => {
                let (before, after) = state.stack().split_at(gap as usize + 1);
                let left = std::array::from_fn(|at| before.iter().nth_back(at).copied());
                (left, std::array::from_fn(|at| after.get(at).copied()))
            }
            Window::Ends(one, other) => {
                let (mut left, mut right) = (stack(1), after_top);
                (left[0], right[0]) = (Some(one), Some(other));
                (left, right)
            }
        };
        let arc = arc.map_or([None; 2], |(head, child)| [Some(head), Some(child)]);
        let mut words = [NONE; BASES];
        let all = left.into_iter().chain(right).chain(arc);
        words.iter_mut().zip(all).for_each(|(to, word)| *to = word.unwrap_or(NONE));
        Self { state, words }
    }
}

/// A relative of a word that a state is seen through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    /// Its number among the [`BASES`].
    base: u8,
    relation: Relation,
}

/// A token by its number, and a neighbour of it in the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    /// Of a base, or behind those of an address.
    number: u8,
    offset: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Head,
    Grandparent,
    Left(u8),
    Right(u8),
}

/// A question about two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PairAtom {
    Distance,
    /// Words of a kind between, see [`Atoms::between`].
    Count(u8),
    /// Whether a column of both is the same.
    Same(usize),
    /// See [`Atoms::agreement`].
    Agree,
}

/// A part of a template that is a column of the atoms of a token, both by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnPart {
    token: u16,
    column: u16,
}

/// A part of a template with one value that depends on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Label(Token),
    Lefts(Token),
    Rights(Token),
    Edited(Token),
    Pair(Token, Token, PairAtom),
}

/// A template with lists, or with many parts.
#[derive(Clone, Debug)]
struct Compiled {
    seed: u64,
    /// Numbers of parts, and what their values are multiplied by.
    parts: Vec<(u8, u64)>,
    lists: Vec<List>,
}

/// A part of a template with any number of values, and what they are multiplied by.
#[derive(Clone, Copy, Debug)]
struct List {
    token: Token,
    atom: Atom,
    factor: u64,
}

/// Templates without lists and with the same number of parts.
#[derive(Clone, Debug, Default)]
struct Plain {
    seeds: Vec<u64>,
    /// Numbers of parts, one template after the other, and what their values are multiplied by.
    parts: Vec<u8>,
    factors: Vec<u64>,
}

/// Values of parts by number; a number of one byte needs no check of bounds.
const VALUES: usize = 256;

/// Memory of [`StateTemplates::features`].
#[derive(Clone, Debug)]
pub struct StateScratch {
    /// The tokens by number, each the root, a word or [`NONE`].
    tokens: Vec<u32>,
    /// Where the atoms begin of each token that is asked for them.
    starts: Vec<usize>,
    /// The value of each part.
    values: [u64; VALUES],
}

impl Default for StateScratch {
    fn default() -> Self {
        Self { tokens: Vec::new(), starts: Vec::new(), values: [0; VALUES] }
    }
}

/// Templates compiled for states; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct StateTemplates {
    addresses: Vec<Address>,
    /// Tokens that are asked for columns of their atoms.
    tokens: Vec<Token>,
    /// Parts that are columns, numbered from 0 up.
    columns: Vec<ColumnPart>,
    /// Other parts, numbered from the last number down.
    parts: Vec<Part>,
    /// Templates without lists, by their number of parts.
    plain: [Plain; MAX_PARTS],
    /// All others.
    templates: Vec<Compiled>,
}

/// Templates with more parts than this are rare.
const MAX_PARTS: usize = 6;

impl StateTemplates {
    /// Reads and compiles a template file.
    ///
    /// # Errors
    /// Names the line and the word that is not understood.
    pub fn new(text: &str, set: &mut AtomSet) -> Result<Self, TemplateError> {
        let mut compiled = Self::default();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or("").trim();
            if !text.is_empty() {
                let template = compiled.compile(text, line, set)?;
                if template.lists.is_empty() && (1..=MAX_PARTS).contains(&template.parts.len()) {
                    let plain = &mut compiled.plain[template.parts.len() - 1];
                    plain.seeds.push(template.seed);
                    let (parts, factors): (Vec<_>, Vec<_>) = template.parts.into_iter().unzip();
                    plain.parts.extend(parts);
                    plain.factors.extend(factors);
                } else {
                    compiled.templates.push(template);
                }
            }
        }
        Ok(compiled)
    }

    /// The templates of a file that ask only for these columns.
    #[must_use]
    pub fn select(text: &str, columns: Columns) -> String {
        let answers = |part: &str| {
            let name = part.rsplit_once('.').map_or("", |(_, atom)| atom.trim());
            // Agreement is in FEATS; other atoms of two tokens are there in all treebanks.
            name.parse().map_or(name != "agree" || columns.feats, |atom| columns.has_atom(atom))
        };
        let keep = |line: &&str| line.split(" + ").all(answers);
        text.lines().filter(keep).flat_map(|line| [line, "\n"]).collect()
    }

    fn compile(
        &mut self,
        text: &str,
        line: usize,
        set: &mut AtomSet,
    ) -> Result<Compiled, TemplateError> {
        let seed = hash::text(text);
        let mut template = Compiled { seed, parts: Vec::new(), lists: Vec::new() };
        for (place, name) in (1..).zip(text.split(" + ").map(str::trim)) {
            let factor = factor(seed, place);
            let unknown = || TemplateError::UnknownStateAtom { line, name: name.to_owned() };
            let (place, atom) = name.split_once('.').ok_or_else(unknown)?;
            if let (Some(token), Ok(atom)) = (self.token(place), atom.parse::<Atom>())
                && atom.is_list()
            {
                template.lists.push(List { token, atom, factor });
            } else {
                let part = self.part(place, atom, set).ok_or_else(unknown)?;
                template.parts.push((part, factor));
            }
            if self.columns.len() + self.parts.len() > VALUES {
                return Err(TemplateError::TooManyParts { line, most: VALUES });
            }
        }
        if template.lists.len() > 2 {
            return Err(TemplateError::TooManyLists { line, template: text.to_owned() });
        }
        Ok(template)
    }

    /// The number of a part.
    fn part(&mut self, place: &str, atom: &str, set: &mut AtomSet) -> Option<u8> {
        if let Some(token) = self.token(place)
            && let Ok(atom) = atom.parse()
        {
            let (token, column) = (number(&mut self.tokens, token), set.column(atom));
            let column = ColumnPart { token: token as u16, column: column as u16 };
            return Some(number(&mut self.columns, column) as u8);
        }
        let part = self.state_part(place, atom, set)?;
        Some((VALUES - 1).wrapping_sub(number(&mut self.parts, part)) as u8)
    }

    fn state_part(&mut self, place: &str, atom: &str, set: &mut AtomSet) -> Option<Part> {
        if let Some((one, other)) = split_pair(place) {
            let atom = match atom {
                "distance" => PairAtom::Distance,
                "verbs" => PairAtom::Count(0),
                "puncts" => PairAtom::Count(1),
                "conjunctions" => PairAtom::Count(2),
                "same" => PairAtom::Same(set.column(Atom::Lower)),
                "agree" => PairAtom::Agree,
                "alike" => PairAtom::Same(set.column(Atom::Upos)),
                _ => return None,
            };
            return Some(Part::Pair(self.token(one)?, self.token(other)?, atom));
        }
        let token = self.token(place)?;
        Some(match atom {
            "label" => Part::Label(token),
            "lefts" => Part::Lefts(token),
            "rights" => Part::Rights(token),
            "edited" => Part::Edited(token),
            _ => return None,
        })
    }

    fn token(&mut self, place: &str) -> Option<Token> {
        let split = place.find(['-', '+']).unwrap_or(place.len());
        let (place, offset) = place.split_at(split);
        let offset = if offset.is_empty() { 0 } else { offset.parse().ok()? };
        let (base, relation) = read_address(place)?;
        let number = match relation {
            None => base.into(),
            Some(relation) => BASES + number(&mut self.addresses, Address { base, relation }),
        };
        Some(Token { number: number as u8, offset })
    }

    /// Appends what `position` makes of the hash of every feature of a state.
    pub fn features(
        &self,
        atoms: &Atoms,
        view: View<'_>,
        scratch: &mut StateScratch,
        position: impl Fn(u32) -> u32 + Copy,
        found: &mut Vec<u32>,
    ) {
        self.find_values(atoms, view, scratch);
        let StateScratch { tokens, values, .. } = scratch;
        let finish = move |sum: u64| position((sum >> 32) as u32);
        let [one, two, three, four, five, six] = &self.plain;
        one.features::<1>(values, finish, found);
        two.features::<2>(values, finish, found);
        three.features::<3>(values, finish, found);
        four.features::<4>(values, finish, found);
        five.features::<5>(values, finish, found);
        six.features::<6>(values, finish, found);
        for template in &self.templates {
            let terms =
                template.parts.iter().map(|&(part, factor)| (values[part as usize], factor));
            let sum = add_terms(template.seed, terms);
            match template.lists[..] {
                [] => found.push(finish(sum)),
                [one] => found
                    .extend(one.terms(atoms, tokens).map(|term| finish(sum.wrapping_add(term)))),
                [one, other, ..] => {
                    for first in one.terms(atoms, tokens) {
                        let sum = sum.wrapping_add(first);
                        let second = other.terms(atoms, tokens);
                        found.extend(second.map(|term| finish(sum.wrapping_add(term))));
                    }
                }
            }
        }
    }
}

impl StateTemplates {
    /// Looks up all parts.
    fn find_values(&self, atoms: &Atoms, view: View<'_>, scratch: &mut StateScratch) {
        let StateScratch { tokens, starts, values } = scratch;
        tokens.clear();
        tokens.extend(view.words);
        tokens.extend(self.addresses.iter().map(|address| address.find(&view)));
        starts.clear();
        let start = |token: &Token| atoms.start(token.find(tokens), token.offset);
        starts.extend(self.tokens.iter().map(start));
        let columns = atoms.values();
        for (value, part) in values.iter_mut().zip(&self.columns) {
            *value = columns[starts[part.token as usize] + part.column as usize];
        }
        for (value, part) in values.iter_mut().rev().zip(&self.parts) {
            *value = part.value(atoms, view.state, tokens).unwrap_or(1);
        }
    }
}

/// What the value at a place of a template is multiplied by.
fn factor(seed: u64, place: u64) -> u64 {
    hash::mix(seed, place) | 1
}

/// Adds each value times its factor.
#[inline]
fn add_terms(seed: u64, terms: impl Iterator<Item = (u64, u64)>) -> u64 {
    terms.fold(seed, |sum, (value, factor)| sum.wrapping_add(value.wrapping_mul(factor)))
}

impl Plain {
    /// The features of templates of `N` parts: loops of a known length, which is where the time goes.
    #[inline]
    fn features<const N: usize>(
        &self,
        values: &[u64; VALUES],
        finish: impl Fn(u64) -> u32,
        found: &mut Vec<u32>,
    ) {
        let ((parts, _), (factors, _)) =
            (self.parts.as_chunks::<N>(), self.factors.as_chunks::<N>());
        let templates = self.seeds.iter().zip(parts).zip(factors);
        found.extend(templates.map(|((&seed, parts), factors)| {
            let values = parts.iter().map(|&part| values[part as usize]);
            finish(add_terms(seed, values.zip(factors.iter().copied())))
        }));
    }
}

/// The place of an item in a list, to which it is added when it is new.
fn number<T: Copy + PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|&known| known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

impl List {
    /// Each value times the factor.
    fn terms<'a>(self, atoms: &'a Atoms, tokens: &[u32]) -> impl Iterator<Item = u64> + 'a {
        let row = self.token.find(tokens);
        let row = row.and_then(|row| row.checked_add_signed(self.token.offset.into()));
        let row = row.filter(|&row| row <= atoms.len());
        let values = row.map_or(&[][..], |row| atoms.list(self.atom, row));
        values.iter().map(move |&(_, value)| value.wrapping_mul(self.factor))
    }
}

fn split_pair(place: &str) -> Option<(&str, &str)> {
    if place == "arc" {
        return Some(("head", "child"));
    }
    let pair = (place.get(..2)?, place.get(2..)?);
    (read_address(pair.0).is_some() && read_address(pair.1).is_some()).then_some(pair)
}

/// The number of a base, and which relative of it is meant if not itself.
fn read_address(place: &str) -> Option<(u8, Option<Relation>)> {
    let depth = || place.get(1..2)?.parse().ok().filter(|&depth| usize::from(depth) < REACH);
    let (base, relation) = match place.get(..1)? {
        "s" => (depth()?, place.get(2..)?),
        "b" => (REACH as u8 + depth()?, place.get(2..)?),
        "h" => (2 * REACH as u8, place.strip_prefix("head")?),
        _ => (2 * REACH as u8 + 1, place.strip_prefix("child")?),
    };
    let relation = match relation {
        "" => None,
        "h" => Some(Relation::Head),
        "h2" => Some(Relation::Grandparent),
        "l" => Some(Relation::Left(0)),
        "l2" => Some(Relation::Left(1)),
        "r" => Some(Relation::Right(0)),
        "r2" => Some(Relation::Right(1)),
        _ => return None,
    };
    Some((base, relation))
}

impl Address {
    /// The token there, or [`NONE`].
    #[inline]
    fn find(self, view: &View<'_>) -> u32 {
        let word = view.words[usize::from(self.base)];
        if word == NONE {
            return NONE;
        }
        let node = view.state.node(word);
        match self.relation {
            Relation::Head => node.head,
            Relation::Grandparent if node.head == NONE => NONE,
            Relation::Grandparent => view.state.node(node.head).head,
            Relation::Left(rank) => node.left[usize::from(rank)],
            Relation::Right(rank) => node.right[usize::from(rank)],
        }
    }
}

impl Token {
    /// The word, before the offset.
    #[inline]
    fn find(self, tokens: &[u32]) -> Option<usize> {
        let word = tokens[usize::from(self.number)];
        (word != NONE).then_some(word as usize)
    }
}

impl Part {
    /// The value of what is not a column of the atoms.
    fn value(&self, atoms: &Atoms, state: &State, tokens: &[u32]) -> Option<u64> {
        let node = |token: Token| token.find(tokens).map(|word| state.node(word as u32));
        match *self {
            Part::Label(token) => {
                node(token).filter(|node| node.head != NONE).map(|node| u64::from(node.label) + 2)
            }
            Part::Lefts(token) => node(token).map(|node| u64::from(node.lefts.min(5)) + 2),
            Part::Rights(token) => node(token).map(|node| u64::from(node.rights.min(5)) + 2),
            Part::Edited(token) => token
                .find(tokens)
                .and_then(|word| word.checked_add_signed(token.offset.into()))
                .filter(|&word| word <= state.words())
                .map(|word| u64::from(state.is_edited(word as u32)) + 2),
            Part::Pair(one, other, atom) => {
                let pair = one.find(tokens).zip(other.find(tokens));
                pair.map(|(one, other)| atom.value(atoms, one, other))
            }
        }
    }
}

impl PairAtom {
    fn value(self, atoms: &Atoms, one: usize, other: usize) -> u64 {
        match self {
            PairAtom::Distance => u64::from(ArcShape::new(one, other).distance) + 2,
            PairAtom::Same(column) => {
                u64::from(atoms.at(one, 0, column) == atoms.at(other, 0, column)) + 2
            }
            PairAtom::Count(kind) => u64::from(atoms.between(kind.into(), one, other)) + 2,
            PairAtom::Agree => atoms.agreement(one, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use spantree_decode::RootMode;
    use spantree_decode::transition::{Action, ArcEager, System};
    use spantree_treebank::{Column, Sentence};

    use super::*;

    /// "the dog barks loudly" after "the" has been attached to "dog" and "dog" pushed.
    fn state() -> (Sentence, State) {
        let mut sent = Sentence::from_words(&[
            ("the", "DET", 2, "det"),
            ("dog", "NOUN", 3, "nsubj"),
            ("barks", "VERB", 0, "root"),
            ("loudly", "ADV", 3, "advmod"),
        ]);
        sent.set(2, Column::Feats, "Case=Nom|Number=Sing|Person=3");
        sent.set(3, Column::Feats, "Number=Sing|Person=2");
        let (system, mut state) = (ArcEager::new(RootMode::One), State::default());
        system.start(4, &mut state);
        for action in [Action::Shift, Action::Left, Action::Shift] {
            system.apply(&mut state, action, 7);
        }
        (sent, state)
    }

    fn features(text: &str, arc: Option<(u32, u32)>) -> Vec<u32> {
        let (sent, state) = state();
        let (mut set, mut atoms, mut found) = (AtomSet::default(), Atoms::default(), Vec::new());
        let templates = StateTemplates::new(text, &mut set).unwrap();
        atoms.fill(&set, &sent);
        let view = View::new(&state, Window::Front, arc);
        templates.features(&atoms, view, &mut StateScratch::default(), |hash| hash, &mut found);
        found
    }

    /// The feature of a template with these values.
    fn expected(text: &str, values: &[u64]) -> Vec<u32> {
        let seed = hash::text(text);
        let terms = (1..).zip(values).map(|(place, &value)| (value, factor(seed, place)));
        vec![(add_terms(seed, terms) >> 32) as u32]
    }

    #[test]
    fn places_are_those_of_stack_buffer_tree_and_arc() {
        let word = hash::text;
        let same = |key: &str, same: bool| hash::mix(word(key) as u32 as u64, same.into());
        let agreement = same("Number", true).wrapping_add(same("Person", false)).wrapping_add(2);
        for (text, values) in [
            ("s0.form + b0.form", vec![word("dog"), word("barks")]),
            ("b1.upos", vec![word("ADV")]),
            ("s0l.form", vec![word("the")]),
            ("s0l.label + s0.label", vec![7 + 2, 1]),
            ("s0+1.form", vec![word("barks")]),
            ("s0.lefts + s0.rights", vec![1 + 2, 2]),
            ("s1.form", vec![1]),
            ("s0b0.distance", vec![1 + 2]),
            ("s0b0.same + s0s0.same + s0b0.alike", vec![2, 1 + 2, 2]),
            ("s0b0.agree", vec![agreement]),
            ("b0-1.edited + s1.edited", vec![2, 1]),
        ] {
            assert_eq!(features(text, None), expected(text, &values), "{text}");
        }
        let text = "head.form + child.form + childl.form";
        let values = [word("barks"), word("dog"), word("the")];
        assert_eq!(features(text, Some((3, 2))), expected(text, &values));
    }

    #[test]
    fn templates_of_any_number_of_parts_and_lists_have_the_same_kind_of_hash() {
        let long = "s0.upos + s0.form + b0.upos + b0.form + b1.upos + b1.form + s1.upos";
        let lists = "s0.feat + b0.feat + b1.upos";
        let text = format!("s0.upos\n{lists}\n{long}\nb0.upos + b1.upos\n");
        let mut found = features(&text, None);
        let upos = |tag: &str| hash::text(tag);
        let words = [upos("dog"), upos("barks"), upos("loudly")];
        let tags = [upos("NOUN"), upos("VERB"), upos("ADV")];
        let feat = |key: &str, value: &str| hash::mix(hash::text(key), hash::text(value));
        let (number, third) = (feat("Number", "Sing"), feat("Person", "3"));
        let mut wanted = expected("s0.upos", &tags[..1]);
        wanted.extend(expected("b0.upos + b1.upos", &tags[1..]));
        let all = [tags[0], words[0], tags[1], words[1], tags[2], words[2], 1];
        wanted.extend(expected(long, &all));
        for one in [feat("Case", "Nom"), number, third] {
            for other in [number, feat("Person", "2")] {
                wanted.extend(expected(lists, &[one, other, tags[2]]));
            }
        }
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }

    #[test]
    fn the_top_of_the_stack_can_be_the_front() {
        let (sent, state) = state();
        let (mut set, mut atoms) = (AtomSet::default(), Atoms::default());
        let templates = StateTemplates::new("s0.form\nb0.form\nb1.form", &mut set).unwrap();
        atoms.fill(&set, &sent);
        let view = View::new(&state, Window::Top, None);
        let mut found = Vec::new();
        templates.features(&atoms, view, &mut StateScratch::default(), |hash| hash, &mut found);
        let one = |text, value| expected(text, &[value])[0];
        let (dog, barks) = (hash::text("dog"), hash::text("barks"));
        assert_eq!(found, [one("s0.form", 1), one("b0.form", dog), one("b1.form", barks)]);
    }

    #[test]
    fn errors_name_the_line_and_the_word() {
        let message =
            |text| StateTemplates::new(text, &mut AtomSet::default()).unwrap_err().to_string();
        assert!(message("s0.upos\ns0.colour").starts_with("template line 2: \"s0.colour\""));
        for text in ["s9.upos", "q0.upos", "s0x.upos", "s0b0.upos", "s0.upos + ", "upos"] {
            assert!(message(text).contains("not an atom of a state"), "{text}");
        }
        assert!(message("s0.feat + b0.feat + s1.feat").contains("more lists"));
        let many =
            (-100..100).flat_map(|at| [format!("s0{at:+}.upos\n"), format!("b0{at:+}.form\n")]);
        assert!(
            message(&many.collect::<String>()).contains("line 257: the file has more than 256")
        );
    }

    #[test]
    fn templates_for_missing_columns_are_left_out() {
        let columns = Columns { lemma: false, xpos: false, feats: true, guide: false };
        let kept =
            StateTemplates::select("s0.lemma + b0.upos\ns0.feats\ns0.xpos\nb0.upos", columns);
        assert_eq!(kept, "s0.feats\nb0.upos\n");
        let (text, bare) =
            ("s0b0.agree + b0.upos\ns0b0.distance", Columns { feats: false, ..columns });
        assert_eq!(StateTemplates::select(text, columns), "s0b0.agree + b0.upos\ns0b0.distance\n");
        assert_eq!(StateTemplates::select(text, bare), "s0b0.distance\n");
    }
}
