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
//! Atoms of tokens are those of [`Atom`], and `label` (of its arc), `lefts` and `rights` (number of children, up to 5). Atoms of
//! two tokens are `distance`, `verbs`, `puncts` and `conjunctions` (between them). A list-valued atom gives a feature per value;
//! a template may have two. A token that does not exist has a value of its own, and no list.
//!
//! In systems that build arcs between the two topmost words of the stack, `b0` is the top of the stack, `s0` the word below it and
//! `b1` the front of the buffer, so that arcs are between `s0` and `b0` in all systems.
//!
//! Every distinct part is looked up once per state; a feature is then a short chain of multiplications.

use spantree_decode::transition::{NONE, State};

use super::arc::ArcShape;
use super::atom::Atom;
use super::atoms::{AtomSet, Atoms};
use super::defaults::Columns;
use super::hash;
use super::template::TemplateError;

/// A state as templates see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The state.
    pub state: &'a State,
    /// Whether the top of the stack counts as the front of the buffer.
    pub top_is_front: bool,
    /// The arc that is about to be built.
    pub arc: Option<(u32, u32)>,
}

/// Where a token of a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    base: Base,
    relation: Relation,
    offset: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Stack(u8),
    Buffer(u8),
    Head,
    Child,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Itself,
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
}

/// A part of a template with one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A column of the atoms.
    Token(Address, usize),
    Label(Address),
    Lefts(Address),
    Rights(Address),
    Pair(Address, Address, PairAtom),
}

#[derive(Clone, Debug)]
struct Compiled {
    seed: u64,
    /// Numbers of parts.
    parts: Vec<u16>,
    lists: Vec<(Address, Atom)>,
}

/// Templates compiled for states; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct StateTemplates {
    parts: Vec<Part>,
    templates: Vec<Compiled>,
}

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
                compiled.templates.push(template);
            }
        }
        Ok(compiled)
    }

    /// The templates of a file that ask only for these columns.
    #[must_use]
    pub fn select(text: &str, columns: Columns) -> String {
        let answers = |part: &str| {
            let atom = part.rsplit_once('.').and_then(|(_, atom)| atom.trim().parse().ok());
            atom.is_none_or(|atom| columns.has_atom(atom))
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
        let mut template =
            Compiled { seed: hash::text(text), parts: Vec::new(), lists: Vec::new() };
        for name in text.split(" + ").map(str::trim) {
            let unknown = || TemplateError::UnknownStateAtom { line, name: name.to_owned() };
            let (place, atom) = name.split_once('.').ok_or_else(unknown)?;
            if let (Some(address), Ok(atom)) = (read_address(place), atom.parse::<Atom>())
                && atom.is_list()
            {
                template.lists.push((address, atom));
            } else {
                let part = read_part(place, atom, set).ok_or_else(unknown)?;
                template.parts.push(self.number(part));
            }
        }
        if template.lists.len() > 2 {
            return Err(TemplateError::TooManyLists { line, template: text.to_owned() });
        }
        Ok(template)
    }

    fn number(&mut self, part: Part) -> u16 {
        let known = self.parts.iter().position(|&known| known == part);
        known.unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        }) as u16
    }

    /// Calls `found` with the hash of every feature of a state; `values` is scratch.
    pub fn features(
        &self,
        atoms: &Atoms,
        view: View<'_>,
        values: &mut Vec<u64>,
        mut found: impl FnMut(u32),
    ) {
        values.clear();
        values.extend(self.parts.iter().map(|part| part.value(atoms, view)));
        for template in &self.templates {
            let parts = template.parts.iter();
            let hash =
                parts.fold(template.seed, |hash, &part| hash::mix(hash, values[part as usize]));
            match template.lists[..] {
                [] => found(hash::side(hash)),
                [one] => each(one, atoms, view, hash, &mut found),
                [one, other, ..] => {
                    let Some(row) = one.0.row(view, atoms.len()) else { continue };
                    for &(_, value) in atoms.list(one.1, row) {
                        each(other, atoms, view, hash::mix(hash, value), &mut found);
                    }
                }
            }
        }
    }
}

/// Calls `found` with `hash` and each value of a list.
fn each(
    (address, atom): (Address, Atom),
    atoms: &Atoms,
    view: View<'_>,
    hash: u64,
    found: &mut impl FnMut(u32),
) {
    if let Some(row) = address.row(view, atoms.len()) {
        let list = atoms.list(atom, row).iter();
        list.for_each(|&(_, value)| found(hash::side(hash::mix(hash, value))));
    }
}

fn read_part(place: &str, atom: &str, set: &mut AtomSet) -> Option<Part> {
    if let Some((one, other)) = split_pair(place) {
        let atom = match atom {
            "distance" => PairAtom::Distance,
            "verbs" => PairAtom::Count(0),
            "puncts" => PairAtom::Count(1),
            "conjunctions" => PairAtom::Count(2),
            _ => return None,
        };
        return Some(Part::Pair(one, other, atom));
    }
    let address = read_address(place)?;
    Some(match atom {
        "label" => Part::Label(address),
        "lefts" => Part::Lefts(address),
        "rights" => Part::Rights(address),
        atom => Part::Token(address, set.column(atom.parse().ok()?)),
    })
}

fn split_pair(place: &str) -> Option<(Address, Address)> {
    if place == "arc" {
        return Some((read_address("head")?, read_address("child")?));
    }
    let (one, other) = (place.get(..2)?, place.get(2..)?);
    (other.len() == 2).then_some(())?;
    Some((read_address(one)?, read_address(other)?))
}

fn read_address(place: &str) -> Option<Address> {
    let split = place.find(['-', '+']).unwrap_or(place.len());
    let (place, offset) = place.split_at(split);
    let offset = if offset.is_empty() { 0 } else { offset.parse().ok()? };
    let depth = || place.get(1..2)?.parse().ok().filter(|&depth| depth < 4);
    let (base, relation) = match place.get(..1)? {
        "s" => (Base::Stack(depth()?), place.get(2..)?),
        "b" => (Base::Buffer(depth()?), place.get(2..)?),
        "h" => (Base::Head, place.strip_prefix("head")?),
        _ => (Base::Child, place.strip_prefix("child")?),
    };
    let relation = match relation {
        "" => Relation::Itself,
        "h" => Relation::Head,
        "h2" => Relation::Grandparent,
        "l" => Relation::Left(0),
        "l2" => Relation::Left(1),
        "r" => Relation::Right(0),
        "r2" => Relation::Right(1),
        _ => return None,
    };
    Some(Address { base, relation, offset })
}

impl Address {
    /// The token, before the offset.
    #[inline]
    fn token(self, view: View<'_>) -> Option<u32> {
        let state = view.state;
        let word = match (self.base, view.top_is_front) {
            (Base::Stack(depth), top_is_front) => {
                state.stack_at(usize::from(depth) + usize::from(top_is_front))
            }
            (Base::Buffer(0), true) => state.stack_at(0),
            (Base::Buffer(depth), top_is_front) => {
                state.buffer_at(usize::from(depth) - usize::from(top_is_front))
            }
            (Base::Head, _) => view.arc.map(|arc| arc.0),
            (Base::Child, _) => view.arc.map(|arc| arc.1),
        }?;
        let head = |word: u32| Some(state.node(word).head).filter(|&head| head != NONE);
        match self.relation {
            Relation::Itself => Some(word),
            Relation::Head => head(word),
            Relation::Grandparent => head(head(word)?),
            Relation::Left(rank) => Some(state.node(word).left[rank as usize]),
            Relation::Right(rank) => Some(state.node(word).right[rank as usize]),
        }
        .filter(|&word| word != NONE)
    }

    /// The row of the atoms.
    #[inline]
    fn row(self, view: View<'_>, len: usize) -> Option<usize> {
        let row = self.token(view)? as usize;
        row.checked_add_signed(self.offset.into()).filter(|&row| row <= len)
    }
}

impl Part {
    #[inline]
    fn value(&self, atoms: &Atoms, view: View<'_>) -> u64 {
        let state = view.state;
        let value = match *self {
            Part::Token(address, column) => {
                address.token(view).map(|row| atoms.at(row as usize, address.offset, column))
            }
            Part::Label(address) => {
                let word = address.token(view).filter(|&word| !state.is_headless(word));
                word.map(|word| u64::from(state.node(word).label) + 2)
            }
            Part::Lefts(address) => {
                address.token(view).map(|word| u64::from(state.node(word).lefts.min(5)) + 2)
            }
            Part::Rights(address) => {
                address.token(view).map(|word| u64::from(state.node(word).rights.min(5)) + 2)
            }
            Part::Pair(one, other, atom) => {
                let pair = one.token(view).zip(other.token(view));
                pair.map(|(one, other)| atom.value(atoms, one as usize, other as usize))
            }
        };
        value.unwrap_or(1)
    }
}

impl PairAtom {
    fn value(self, atoms: &Atoms, one: usize, other: usize) -> u64 {
        match self {
            PairAtom::Distance => u64::from(ArcShape::new(one, other).distance) + 2,
            PairAtom::Count(kind) => u64::from(atoms.between(kind.into(), one, other)) + 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use spantree_decode::RootMode;
    use spantree_decode::transition::{Action, ArcEager, System};
    use spantree_treebank::Sentence;

    use super::*;

    /// "the dog barks loudly" after "the" has been attached to "dog" and "dog" pushed.
    fn state() -> (Sentence, State) {
        let sent = Sentence::from_words(&[
            ("the", "DET", 2, "det"),
            ("dog", "NOUN", 3, "nsubj"),
            ("barks", "VERB", 0, "root"),
            ("loudly", "ADV", 3, "advmod"),
        ]);
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
        let view = View { state: &state, top_is_front: false, arc };
        templates.features(&atoms, view, &mut Vec::new(), |feature| found.push(feature));
        found
    }

    /// The feature of a template with these values.
    fn expected(text: &str, values: &[u64]) -> Vec<u32> {
        vec![hash::side(
            values.iter().fold(hash::text(text), |hash, &value| hash::mix(hash, value)),
        )]
    }

    #[test]
    fn places_are_those_of_stack_buffer_tree_and_arc() {
        let word = hash::text;
        for (text, values) in [
            ("s0.form + b0.form", vec![word("dog"), word("barks")]),
            ("b1.upos", vec![word("ADV")]),
            ("s0l.form", vec![word("the")]),
            ("s0l.label + s0.label", vec![7 + 2, 1]),
            ("s0+1.form", vec![word("barks")]),
            ("s0.lefts + s0.rights", vec![1 + 2, 2]),
            ("s1.form", vec![1]),
            ("s0b0.distance", vec![1 + 2]),
        ] {
            assert_eq!(features(text, None), expected(text, &values), "{text}");
        }
        let text = "head.form + child.form + childl.form";
        let values = [word("barks"), word("dog"), word("the")];
        assert_eq!(features(text, Some((3, 2))), expected(text, &values));
    }

    #[test]
    fn the_top_of_the_stack_can_be_the_front() {
        let (sent, state) = state();
        let (mut set, mut atoms) = (AtomSet::default(), Atoms::default());
        let templates = StateTemplates::new("s0.form\nb0.form\nb1.form", &mut set).unwrap();
        atoms.fill(&set, &sent);
        let view = View { state: &state, top_is_front: true, arc: None };
        let mut found = Vec::new();
        templates.features(&atoms, view, &mut Vec::new(), |feature| found.push(feature));
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
    }

    #[test]
    fn templates_for_missing_columns_are_left_out() {
        let columns = Columns { lemma: false, xpos: false, feats: true };
        let kept =
            StateTemplates::select("s0.lemma + b0.upos\ns0.feats\ns0.xpos\nb0.upos", columns);
        assert_eq!(kept, "s0.feats\nb0.upos\n");
    }
}
