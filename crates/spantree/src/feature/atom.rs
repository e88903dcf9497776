//! The table of atoms: every question that a template can ask about a token or an arc.
//!
//! A name in a template file is `place.atom` with an optional offset, such as `child-1.upos`, or the bare name of an arc
//! atom. [`Atom`] is about one token and independent of the tree; [`ArcAtom`] is about a pair of tokens.

use std::fmt;
use std::str::FromStr;

/// A question about one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// FORM.
    Form,
    /// FORM in lower case with digits as `0`.
    Lower,
    /// LEMMA.
    Lemma,
    /// UPOS.
    Upos,
    /// XPOS.
    Xpos,
    /// FEATS as one string.
    Feats,
    /// A fine tag: UPOS and XPOS with what FEATS say of case, form and mood of verbs and type of pronouns.
    Fine,
    /// Kind of characters: lower case, capital, digits, mixed, punctuation.
    Shape,
    /// Lower-cased form of the nearest function word (`ADP`, `SCONJ`, `PART`) of the token's phrase: to the left, or else to
    /// the right, with no content word, pronoun or punctuation in between. A stand-in for a case or mark child.
    Marker,
    /// First, last, only or inner word of the sentence.
    Edge,
    /// The first characters; the whole form when it is shorter.
    Prefix(u8),
    /// The last characters; the whole form when it is shorter.
    Suffix(u8),
    /// The first five characters; nothing when the form is not longer.
    Stem,
    /// The relation that the guide gives the word; see [`guide`](super::guide).
    GuideLabel,
    /// Where the guide's head is: its distance and side up to ten words, or the root.
    GuideOffset,
    /// UPOS of the guide's head.
    GuideTag,
    /// Each `key=value` of FEATS: a feature per value.
    Feat,
}

impl Atom {
    const PLAIN: [(&'static str, Atom); 15] = [
        ("form", Atom::Form),
        ("lower", Atom::Lower),
        ("lemma", Atom::Lemma),
        ("upos", Atom::Upos),
        ("xpos", Atom::Xpos),
        ("feats", Atom::Feats),
        ("fine", Atom::Fine),
        ("shape", Atom::Shape),
        ("marker", Atom::Marker),
        ("edge", Atom::Edge),
        ("stem", Atom::Stem),
        ("guide_label", Atom::GuideLabel),
        ("guide_offset", Atom::GuideOffset),
        ("guide_tag", Atom::GuideTag),
        ("feat", Atom::Feat),
    ];

    /// Whether a token can have no value or several.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Atom::Stem | Atom::Feat)
    }

    /// Whether the atom asks for the tree of another parser.
    pub(crate) fn is_guided(self) -> bool {
        matches!(self, Atom::GuideLabel | Atom::GuideOffset | Atom::GuideTag)
    }

    /// Whether the atom looks at a word and not only at its tags.
    #[must_use]
    pub fn is_lexical(self) -> bool {
        match self {
            Atom::Upos | Atom::Xpos | Atom::Feats | Atom::Feat | Atom::Fine | Atom::Edge => false,
            Atom::GuideLabel | Atom::GuideOffset | Atom::GuideTag => false,
            Atom::Form | Atom::Lower | Atom::Lemma | Atom::Shape | Atom::Marker => true,
            Atom::Prefix(_) | Atom::Suffix(_) | Atom::Stem => true,
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Atom::Prefix(length) => write!(f, "prefix{length}"),
            Atom::Suffix(length) => write!(f, "suffix{length}"),
            plain => {
                let name = Self::PLAIN.iter().find(|(_, atom)| *atom == plain);
                f.write_str(name.map_or("", |(name, _)| name))
            }
        }
    }
}

impl FromStr for Atom {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        if let Some((_, atom)) = Self::PLAIN.iter().find(|(known, _)| *known == name) {
            return Ok(*atom);
        }
        let length = |prefix: &str| {
            let digits = name.strip_prefix(prefix)?;
            digits.parse::<u8>().ok().filter(|length| (1..=9).contains(length))
        };
        length("prefix").map(Atom::Prefix).or(length("suffix").map(Atom::Suffix)).ok_or(())
    }
}

/// A question about an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArcAtom {
    /// Whether the child is left or right of its head.
    Direction,
    /// Direction and the number of words between: 0, 1, 2, 3, 4, 5–9, 10 and more.
    Distance,
    /// The tag class of each word between, each class once.
    Between,
    /// The set of tag classes between.
    BetweenSet,
    /// The tag classes between in order, when there are at most four; else only the two at each end.
    BetweenSequence,
    /// Number of verbs (`VERB`, `AUX`) between, up to 3.
    Verbs,
    /// Number of punctuation marks between, up to 3.
    Puncts,
    /// Number of coordinating conjunctions between, up to 3.
    Conjunctions,
    /// Each key of FEATS that both tokens have, with whether the values are equal.
    Agree,
    /// In templates of parts: the relation that each arc of the part has when scored by itself.
    Labels,
    /// In templates of parts, with the decoder `cube`: the number of siblings between head and child, or of children on the
    /// side of the word that the part sees below its child (Zhang & McDonald 2012).
    Valency,
    /// What the guide says about the arc: this head with a relation, another head, or nothing; see
    /// [`guide`](super::guide).
    Guide,
}

impl ArcAtom {
    const NAMES: [(&'static str, ArcAtom); 12] = [
        ("direction", ArcAtom::Direction),
        ("distance", ArcAtom::Distance),
        ("between", ArcAtom::Between),
        ("between_set", ArcAtom::BetweenSet),
        ("between_sequence", ArcAtom::BetweenSequence),
        ("verbs", ArcAtom::Verbs),
        ("puncts", ArcAtom::Puncts),
        ("conjunctions", ArcAtom::Conjunctions),
        ("agree", ArcAtom::Agree),
        ("labels", ArcAtom::Labels),
        ("valency", ArcAtom::Valency),
        ("guide", ArcAtom::Guide),
    ];

    /// Whether an arc can have no value or several.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, ArcAtom::Between | ArcAtom::Agree)
    }
}

impl fmt::Display for ArcAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, atom)| atom == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for ArcAtom {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, atom)| *atom).ok_or(())
    }
}
