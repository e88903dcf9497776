//! Templates as text: one feature template per line, `head.form + child.upos + distance`.
//!
//! ```text
//! # a comment
//! [bare direction]                  every template below fires twice: as it is, and joined with the direction
//! head.lemma + child.upos
//! head.upos + child-1.upos + child.upos
//! head.upos + between + child.upos  one feature per tag class between
//! ```
//! Copies are `bare`, `direction` and `distance` (direction and distance bucket), in any combination.

use std::fmt;

use thiserror::Error;

use super::atom::{ArcAtom, Atom};
use super::hash;

/// Where a template looks. All but head and child exist only once there is a tree, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Place {
    /// The head of the arc.
    Head,
    /// Its child.
    Child,
    /// The head of the head.
    Grand,
    /// The nearest sibling of the child to its left.
    Left,
    /// The nearest sibling of the child to its right.
    Right,
    /// The leftmost child of the child.
    First,
    /// The rightmost child of the child.
    Last,
    /// Each child of the child: a feature per child.
    Below,
    /// Each sibling of the child: a feature per sibling.
    Sibling,
    /// The nearest sibling between head and child.
    Inner,
    /// The nearest sibling between head and inner sibling.
    Second,
}

impl Place {
    /// All places.
    pub const ALL: [Place; 11] = [
        Place::Head,
        Place::Child,
        Place::Grand,
        Place::Left,
        Place::Right,
        Place::First,
        Place::Last,
        Place::Below,
        Place::Sibling,
        Place::Inner,
        Place::Second,
    ];

    fn name(self) -> &'static str {
        [
            "head", "child", "grand", "left", "right", "first", "last", "below", "sibling",
            "inner", "second",
        ][self as usize]
    }
}

/// An atom of a token at an offset from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenAtom {
    /// The token to start from.
    pub place: Place,
    /// Surface neighbour: −1 is the word before.
    pub offset: i8,
    /// The question.
    pub atom: Atom,
}

/// Which copies of a feature fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Copies {
    /// The feature as it is.
    pub bare: bool,
    /// Joined with the direction of the arc.
    pub direction: bool,
    /// Joined with direction and distance.
    pub distance: bool,
}

impl fmt::Display for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            [(self.bare, "bare"), (self.direction, "direction"), (self.distance, "distance")];
        let names: Vec<_> = names.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect();
        f.write_str(&names.join(" "))
    }
}

/// A feature template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Questions about tokens.
    pub tokens: Vec<TokenAtom>,
    /// Questions about the arc.
    pub arcs: Vec<ArcAtom>,
    /// The copies that fire.
    pub copies: Copies,
}

/// Why a template file was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A name that is no atom.
    #[error(
        "template line {line}: \"{name}\" is not an atom; write place.atom such as child-1.upos, or an arc atom such as distance"
    )]
    UnknownAtom {
        /// Line, from 1.
        line: usize,
        /// What stands there.
        name: String,
    },
    /// A name that is no atom of a state.
    #[error(
        "template line {line}: \"{name}\" is not an atom of a state; write place.atom such as s0l.upos or s0b0.distance"
    )]
    UnknownStateAtom {
        /// Line, from 1.
        line: usize,
        /// What stands there.
        name: String,
    },
    /// A section line with something else than copies.
    #[error(
        "template line {line}: \"{name}\" is not a copy; write [bare], [direction], [distance] or several of them"
    )]
    UnknownCopy {
        /// Line, from 1.
        line: usize,
        /// What stands there.
        name: String,
    },
    /// More than one list-valued atom of a token, or a mixture that no extractor supports.
    #[error("template line {line}: {template} joins more lists than one per place")]
    TooManyLists {
        /// Line, from 1.
        line: usize,
        /// The template.
        template: String,
    },
    /// A file of templates of states that asks for more different things than there are numbers for.
    #[error("template line {line}: the file has more than {most} different parts; leave some out")]
    TooManyParts {
        /// Line, from 1.
        line: usize,
        /// Most different parts.
        most: usize,
    },
}

/// Reads a template file.
///
/// # Errors
/// Names the line and the word that is not understood.
pub fn read(text: &str) -> Result<Vec<Template>, TemplateError> {
    let mut copies = Copies { bare: true, direction: false, distance: false };
    let mut templates = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
        } else if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'))
        {
            copies = read_copies(section, line_number)?;
        } else {
            templates.push(read_template(line, line_number, copies)?);
        }
    }
    Ok(templates)
}

/// Writes templates so that [`read`] gives them back.
#[must_use]
pub fn write(templates: &[Template]) -> String {
    let mut text = String::new();
    let mut copies = None;
    for template in templates {
        if copies != Some(template.copies) {
            copies = Some(template.copies);
            text += &format!("[{}]\n", template.copies);
        }
        text += &format!("{template}\n");
    }
    text
}

fn read_copies(section: &str, line: usize) -> Result<Copies, TemplateError> {
    let mut copies = Copies { bare: false, direction: false, distance: false };
    for name in section.split_whitespace() {
        match name {
            "bare" => copies.bare = true,
            "direction" => copies.direction = true,
            "distance" => copies.distance = true,
            other => return Err(TemplateError::UnknownCopy { line, name: other.to_owned() }),
        }
    }
    Ok(copies)
}

fn read_template(text: &str, line: usize, copies: Copies) -> Result<Template, TemplateError> {
    let mut template = Template { tokens: Vec::new(), arcs: Vec::new(), copies };
    for name in text.split('+').fold(Vec::new(), rejoin_offsets) {
        let name = name.trim();
        if let Ok(atom) = name.parse() {
            template.arcs.push(atom);
        } else if let Some(atom) = read_token_atom(name) {
            template.tokens.push(atom);
        } else {
            return Err(TemplateError::UnknownAtom { line, name: name.to_owned() });
        }
    }
    let lists =
        |place| template.tokens.iter().filter(|t| t.place == place && t.atom.is_list()).count();
    let arc_lists = template.arcs.iter().filter(|atom| atom.is_list()).count();
    if arc_lists > 1 || Place::ALL.iter().any(|&place| lists(place) > 1) {
        return Err(TemplateError::TooManyLists { line, template: template.to_string() });
    }
    Ok(template)
}

/// `child+1.upos` was cut at its sign: a part that starts with a digit belongs to the one before.
fn rejoin_offsets(mut parts: Vec<String>, part: &str) -> Vec<String> {
    match parts.last_mut() {
        Some(last) if part.starts_with(|c: char| c.is_ascii_digit()) => {
            last.push('+');
            last.push_str(part);
        }
        _ => parts.push(part.to_owned()),
    }
    parts
}

fn read_token_atom(name: &str) -> Option<TokenAtom> {
    let (place, atom) = name.split_once('.')?;
    let atom = atom.parse().ok()?;
    let split = place.find(['-', '+']).unwrap_or(place.len());
    let (place, offset) = place.split_at(split);
    let offset = if offset.is_empty() { 0 } else { offset.parse().ok()? };
    let place = *Place::ALL.iter().find(|known| known.name() == place)?;
    Some(TokenAtom { place, offset, atom })
}

impl Template {
    /// Distinguishes the template from all others; depends only on its text, not on its line.
    #[must_use]
    pub fn seed(&self) -> u64 {
        hash::text(&self.to_string())
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for token in &self.tokens {
            f.write_str(separator)?;
            f.write_str(token.place.name())?;
            if token.offset != 0 {
                write!(f, "{:+}", token.offset)?;
            }
            write!(f, ".{}", token.atom)?;
            separator = " + ";
        }
        for atom in &self.arcs {
            write!(f, "{separator}{atom}")?;
            separator = " + ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_come_back_from_their_text() {
        let text = "[bare distance]\nhead-1.form + child.upos\n[direction]\nhead.upos + child+2.suffix3 + between_set\n";
        let templates = read(text).unwrap();
        assert_eq!(templates.len(), 2);
        assert_eq!(
            templates[0].tokens[0],
            TokenAtom { place: Place::Head, offset: -1, atom: Atom::Form }
        );
        assert_eq!(
            templates[1].tokens[1],
            TokenAtom { place: Place::Child, offset: 2, atom: Atom::Suffix(3) }
        );
        assert_eq!(templates[1].arcs, [ArcAtom::BetweenSet]);
        assert_eq!(write(&templates), text);
    }

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let templates = read("# title\n\n  head.upos   # the tag\n").unwrap();
        assert_eq!(write(&templates), "[bare]\nhead.upos\n");
    }

    #[test]
    fn errors_name_the_line_and_the_word() {
        let message = |text| read(text).unwrap_err().to_string();
        assert!(message("head.upos\nhead.colour").starts_with("template line 2: \"head.colour\""));
        assert!(message("uncle.form").contains("uncle.form"));
        assert!(message("head.suffix99").contains("suffix99"));
        assert!(message("[bare sideways]").contains("\"sideways\""));
        assert!(message("head.feat + head.stem").contains("more lists"));
        assert!(message("head.upos + + child.upos").contains("not an atom"));
    }

    #[test]
    fn seeds_depend_on_the_text_alone() {
        let one = read("head.upos\nhead.form").unwrap();
        let other = read("[distance]\nhead.form").unwrap();
        assert_eq!(one[1].seed(), other[0].seed());
        assert_ne!(one[0].seed(), one[1].seed());
    }
}
