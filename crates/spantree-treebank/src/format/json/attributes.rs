//! Ids, lists of `key=value` and DEPS in JSON: structured where that says it all, else the string they are.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sentence::{Dep, TokenId};

/// A number for a word, a string such as `"3-4"` or `"3.1"` for other rows.
pub(super) struct Id(pub(super) TokenId);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            TokenId::Word(word) => serializer.serialize_u32(word),
            id => serializer.collect_str(&id),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a word number, or a range (\"3-4\") or empty node (\"3.1\") as a string")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Id, E> {
        let word = u32::try_from(value).ok().filter(|&word| word > 0);
        let bad = || E::invalid_value(Unexpected::Unsigned(value), &self);
        word.map(|word| Id(TokenId::Word(word))).ok_or_else(bad)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Id, E> {
        value.parse().map(Id).map_err(|()| E::invalid_value(Unexpected::Str(value), &self))
    }
}

/// FEATS, MISC or extra columns: pairs in the order of the column.
pub(super) enum Attributes<'a> {
    Pairs(Vec<(Cow<'a, str>, Cow<'a, str>)>),
    Text(Cow<'a, str>),
}

impl<'a> Attributes<'a> {
    /// Pairs when all parts are `key=value` with keys of their own.
    pub(super) fn of(text: &'a str) -> Self {
        let mut pairs: Vec<(Cow<str>, Cow<str>)> = Vec::new();
        for part in text.split('|') {
            match part.split_once('=') {
                Some((key, value)) if !key.is_empty() && pairs.iter().all(|pair| pair.0 != key) => {
                    pairs.push((Cow::Borrowed(key), Cow::Borrowed(value)));
                }
                _ => return Self::Text(Cow::Borrowed(text)),
            }
        }
        Self::Pairs(pairs)
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Pairs(pairs) if pairs.is_empty())
    }

    /// The text of the column.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Pairs(pairs) => {
                let parts: Vec<_> =
                    pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
                Cow::Owned(parts.join("|"))
            }
        }
    }
}

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Pairs(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Attributes<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AttributesVisitor)
    }
}

struct AttributesVisitor;

impl<'de> Visitor<'de> for AttributesVisitor {
    type Value = Attributes<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with strings as values, or a string")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Attributes::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut pairs = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, String>()? {
            pairs.push((Cow::Owned(key), Cow::Owned(value)));
        }
        Ok(Attributes::Pairs(pairs))
    }
}

/// DEPS.
pub(super) enum Dependencies<'a> {
    List(Vec<Dependency<'a>>),
    Text(Cow<'a, str>),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Dependency<'a> {
    head: Head,
    #[serde(borrow)]
    deprel: Cow<'a, str>,
}

/// A number for a word or the root, a string such as `"3.1"` for an empty node.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Head {
    Word(u32),
    Empty(String),
}

impl<'a> Dependencies<'a> {
    /// A list when all parts are `head:relation`.
    pub(super) fn of(text: &'a str) -> Self {
        let dependency = |part| {
            let Dep { head, empty, label } = Dep::parse(part)?;
            let head = match empty {
                0 => Head::Word(head),
                _ => Head::Empty(format!("{head}.{empty}")),
            };
            Some(Dependency { head, deprel: Cow::Borrowed(label) })
        };
        let list: Option<Vec<_>> = text.split('|').map(dependency).collect();
        list.map_or(Self::Text(Cow::Borrowed(text)), Self::List)
    }

    /// The text of the column.
    pub(super) fn text(&self) -> Cow<'_, str> {
        let part = |Dependency { head, deprel }: &Dependency| match head {
            Head::Word(head) => format!("{head}:{deprel}"),
            Head::Empty(head) => format!("{head}:{deprel}"),
        };
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::List(list) => Cow::Owned(list.iter().map(part).collect::<Vec<_>>().join("|")),
        }
    }
}

impl Serialize for Dependencies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Dependencies<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DependenciesVisitor)
    }
}

struct DependenciesVisitor;

impl<'de> Visitor<'de> for DependenciesVisitor {
    type Value = Dependencies<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of objects with head and deprel, or a string")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Dependencies::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let mut list = Vec::new();
        while let Some(Dependency { head, deprel }) = seq.next_element::<Dependency>()? {
            list.push(Dependency { head, deprel: Cow::Owned(deprel.into_owned()) });
        }
        Ok(Dependencies::List(list))
    }
}
