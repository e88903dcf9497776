//! Seeded damage to treebank files, at the level of bytes, lines and columns.

#![allow(dead_code, reason = "no test uses all of it")]

use spantree_treebank::Random;

/// Chooses damage.
pub(crate) struct Mutator(Random);

/// Values that are special somewhere.
const VALUES: [&str; 48] = [
    "",
    "_",
    "0",
    "1",
    "2",
    "7",
    "-1",
    "01",
    "99999999999",
    "1-2",
    "2-1",
    "3-3",
    "1.1",
    "0.1",
    "2.1",
    "x",
    " a",
    "a ",
    "a  b",
    "a b",
    "e\u{301}",
    "\u{fffd}",
    "\u{feff}",
    "\u{a0}",
    "\u{1c}",
    "root",
    "nsubj:pass",
    "ref",
    "NOUN",
    "Foo=Bar|Foo=Baz",
    "b=c",
    "B=C|A=B",
    "A=C,B",
    "A=B,B",
    "0:root",
    "1:dep|1:dep",
    "2:dep|1:dep",
    "1:b|1:a",
    "9:x",
    "1.1:dep",
    "1:Dep",
    "SpaceAfter=No",
    "SpaceAfter=Yes",
    "NoSpaceAfter=Yes",
    "|=x|spaceafter=No",
    "Y",
    "A0|A1",
    "SpacesAfter=\\s\\n|SpacesInToken=\\\\",
];

/// Lines that are special somewhere.
const LINES: [&str; 16] = [
    "",
    " ",
    "\t",
    "#",
    "# sent_id = 1",
    "# sent_id = a b",
    "#sent_id",
    "# text = x",
    "# text =",
    "# newdoc",
    "# newpar",
    "# parallel_id = a/b",
    "# parallel_id = a/b/alt2",
    "# global.columns = ID FORM HEAD",
    "x",
    "1",
];

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// A number below `limit`; 0 when the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// Changes one to eight things, anything from a bit to a block.
    pub(crate) fn damage(&mut self, text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        for _ in 0..=self.below(8) {
            if self.below(3) == 0 {
                self.damage_bytes(&mut bytes);
            } else {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                self.damage_lines(&mut lines);
                bytes = lines.join(&b'\n');
            }
        }
        bytes
    }

    fn damage_bytes(&mut self, bytes: &mut Vec<u8>) {
        const BYTES: &[u8] = b"\0\t\n\r #-.0129=:|_/\\\x1c\xc3\xa9\xcc\x81\xef\xbb\xbf\xff\x80A";
        let place = self.below(bytes.len() + 1);
        let byte = BYTES[self.below(BYTES.len())];
        match self.below(4) {
            0 => bytes.insert(place, byte),
            1 if place < bytes.len() => bytes[place] = byte,
            2 if place < bytes.len() => drop(bytes.remove(place)),
            _ if self.below(20) == 0 => bytes.truncate(place),
            _ => {}
        }
    }

    /// Changes one line, or one column of it.
    pub(crate) fn damage_lines(&mut self, lines: &mut Vec<Vec<u8>>) {
        let (line, other) = (self.below(lines.len()), self.below(lines.len()));
        if lines.is_empty() {
            return;
        }
        match self.below(20) {
            0 => drop(lines.remove(line)),
            1 => lines.insert(line, lines[other].clone()),
            2 => lines.swap(line, other),
            3 => {
                let text = LINES[self.below(LINES.len())];
                lines.insert(line, text.as_bytes().to_vec());
            }
            4 if line + 1 < lines.len() => {
                let next = lines.remove(line + 1);
                lines[line].extend(next);
            }
            _ => self.damage_column(&mut lines[line]),
        }
    }

    fn damage_column(&mut self, line: &mut Vec<u8>) {
        let mut columns: Vec<Vec<u8>> =
            line.split(|&byte| byte == b'\t').map(<[u8]>::to_vec).collect();
        if columns.len() < 2 {
            return;
        }
        let (column, other) = (self.below(columns.len()), self.below(columns.len()));
        match self.below(12) {
            0 => drop(columns.remove(column)),
            1 => columns.insert(column, columns[other].clone()),
            2 => columns.swap(column, other),
            _ => columns[column] = VALUES[self.below(VALUES.len())].as_bytes().to_vec(),
        }
        *line = columns.join(&b'\t');
    }
}
