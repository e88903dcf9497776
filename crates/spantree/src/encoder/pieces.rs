//! WordPiece: words become the longest pieces of a vocabulary, from left to right (Wu et al. 2016).
//!
//! Before that, as in BERT, control characters go, letters become small and lose their accents where the model wants that, and
//! punctuation and Chinese characters stand alone. A word that cannot be cut is the piece `[UNK]`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::{EncoderError, Named, read};

/// A vocabulary; see the [module](self).
#[derive(Debug)]
pub(super) struct Pieces {
    /// Pieces at the start of a word.
    first: HashMap<Box<str>, u32>,
    /// Pieces further on, without `##`.
    further: HashMap<Box<str>, u32>,
    lowercase: bool,
    unknown: u32,
    /// Stands before a text.
    pub(super) start: u32,
    /// Stands behind it.
    pub(super) end: u32,
}

/// Longer words are unknown.
const LONGEST: usize = 100;

impl Pieces {
    /// Reads the vocabulary in a folder, whose bytes are also given back.
    pub(super) fn load(folder: &Path) -> Result<(Self, Vec<u8>), EncoderError> {
        let list = folder.join("vocab.txt");
        let path = if list.exists() { list } else { folder.join("tokenizer.json") };
        let (name, bytes) = (path.display().to_string(), read(&path)?);
        let file = Named { name: &name };
        let text = std::str::from_utf8(&bytes).map_err(|error| file.invalid(error.to_string()))?;
        let (list, lowercase) = if path.ends_with("vocab.txt") {
            (numbered(text), lowercase(folder)?)
        } else {
            of_json(&file, text)?
        };
        Ok((Self::new(&file, list, lowercase)?, bytes))
    }

    fn new(
        file: &Named<'_>,
        list: impl IntoIterator<Item = (String, u32)>,
        lowercase: bool,
    ) -> Result<Self, EncoderError> {
        let (mut first, mut further) = (HashMap::new(), HashMap::new());
        for (piece, id) in list {
            match piece.strip_prefix("##").filter(|rest| !rest.is_empty()) {
                Some(rest) => further.insert(rest.into(), id),
                None => first.insert(piece.into(), id),
            };
        }
        let special = |name: &str| {
            let missing = || file.invalid(format!("the vocabulary has no {name}"));
            first.get(name).copied().ok_or_else(missing)
        };
        let (unknown, start, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        Ok(Self { first, further, lowercase, unknown, start, end })
    }

    /// The largest number of a piece.
    pub(super) fn largest(&self) -> u32 {
        self.first.values().chain(self.further.values()).copied().max().unwrap_or(0)
    }

    /// Adds the pieces of a word, at least one.
    pub(super) fn cut(&self, word: &str, pieces: &mut Vec<u32>) {
        let before = pieces.len();
        let text = self.normalise(word);
        text.split_whitespace().for_each(|part| self.cut_part(part, pieces));
        if pieces.len() == before {
            pieces.push(self.unknown);
        }
    }

    /// The word with spaces around what stands alone.
    fn normalise(&self, word: &str) -> String {
        let mut text = String::new();
        let mut add = |character: char| {
            if is_punctuation(character) || is_chinese(character) {
                text.extend([' ', character, ' ']);
            } else if self.lowercase {
                text.extend(character.to_lowercase());
            } else {
                text.push(character);
            }
        };
        let kept = word.chars().filter(|&character| !is_control(character));
        if self.lowercase {
            kept.nfd().filter(|&character| !is_combining_mark(character)).for_each(&mut add);
        } else {
            kept.for_each(&mut add);
        }
        text
    }

    fn cut_part(&self, part: &str, pieces: &mut Vec<u32>) {
        let before = pieces.len();
        let mut rest = part;
        if part.chars().count() > LONGEST {
            pieces.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let known = if rest.len() == part.len() { &self.first } else { &self.further };
            let ends = rest.char_indices().map(|(start, last)| start + last.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| Some((end, *known.get(&rest[..end])?)));
            let Some((end, id)) = longest else {
                pieces.truncate(before);
                pieces.push(self.unknown);
                return;
            };
            pieces.push(id);
            rest = &rest[end..];
        }
    }
}

/// A piece a line, numbered from 0.
fn numbered(text: &str) -> Vec<(String, u32)> {
    text.lines().map(|line| line.trim_end().to_owned()).zip(0..).collect()
}

/// Whether the model knows small letters only, which most do.
fn lowercase(folder: &Path) -> Result<bool, EncoderError> {
    let path = folder.join("tokenizer_config.json");
    if !path.exists() {
        return Ok(true);
    }
    let settings = serde_json::from_slice(&read(&path)?).unwrap_or(Value::Null);
    Ok(settings["do_lower_case"].as_bool().unwrap_or(true))
}

/// Vocabulary and normalisation of a `tokenizer.json`.
fn of_json(file: &Named<'_>, text: &str) -> Result<(Vec<(String, u32)>, bool), EncoderError> {
    let settings: Value =
        serde_json::from_str(text).map_err(|error| file.invalid(error.to_string()))?;
    let list = settings["model"]["vocab"].as_object().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| file.invalid("it has no WordPiece vocabulary"))?;
    let numbered = list.iter().filter_map(|(piece, id)| {
        let id = u32::try_from(id.as_u64()?).ok()?;
        Some((piece.clone(), id))
    });
    Ok((numbered.collect(), settings["normalizer"]["lowercase"].as_bool().unwrap_or(true)))
}

fn is_control(character: char) -> bool {
    let group = character.general_category_group();
    character == '\u{fffd}' || (group == GeneralCategoryGroup::Other && !character.is_whitespace())
}

/// All symbols of ASCII count as punctuation.
fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation()
        || character.general_category_group() == GeneralCategoryGroup::Punctuation
}

fn is_chinese(character: char) -> bool {
    matches!(u32::from(character), 0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df
        | 0x2a700..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(lowercase: bool) -> Pieces {
        let list = "[UNK]\n[CLS]\n[SEP]\nun\n##able\n##ab\n##le\nn\n'\nt\n中\nUn\n";
        Pieces::new(&Named { name: "vocab.txt" }, numbered(list), lowercase).unwrap()
    }

    fn cut(word: &str) -> Vec<u32> {
        let mut found = Vec::new();
        pieces(true).cut(word, &mut found);
        found
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        assert_eq!(cut("unable"), [3, 4]);
        assert_eq!(cut("unab"), [3, 5]);
        assert_eq!(cut("unx"), [0], "all of it is unknown");
        assert_eq!(cut("n't"), [7, 8, 9], "punctuation stands alone");
        assert_eq!(cut("Ünable"), [3, 4], "small, without accents");
        assert_eq!(cut("un中n"), [3, 10, 7]);
        assert_eq!(cut("un able"), [3, 0]);
        assert_eq!([cut(""), cut("\u{200d}\u{0}"), cut(&"n".repeat(101))], [[0], [0], [0]]);
    }

    #[test]
    fn capitals_stay_where_the_model_knows_them() {
        let mut found = Vec::new();
        pieces(false).cut("Unable", &mut found);
        assert_eq!(found, [11, 4]);
    }

    #[test]
    fn both_forms_of_a_vocabulary_are_read() {
        let file = Named { name: "tokenizer.json" };
        let text = r####"{"normalizer": {"lowercase": false}, "model": {"vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "##a": 7}}}"####;
        let (list, lowercase) = of_json(&file, text).unwrap();
        let pieces = Pieces::new(&file, list, lowercase).unwrap();
        assert_eq!((pieces.largest(), pieces.lowercase, pieces.end), (7, false, 2));
        for broken in ["", "{}", r#"{"model": {"vocab": {}}}"#, r#"{"model": 3}"#] {
            assert!(of_json(&file, broken).is_err(), "{broken}");
        }
        assert!(Pieces::new(&file, numbered("[UNK]\n[CLS]"), true).is_err());
    }
}
