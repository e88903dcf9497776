//! The characters of a paragraph, classified once, with edges on both sides so that windows need no checks.

use super::character::{self, Class, Glue};

/// Cells before the first and after the last character.
pub(super) const EDGE: usize = 4;

/// One character.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) char: char,
    /// In lower case; any white space is `' '`.
    pub(super) folded: char,
    /// Where it starts in the text.
    pub(super) byte: u32,
    pub(super) class: Class,
    /// It belongs to the character before.
    pub(super) sticks: bool,
}

/// The cells of a text. Positions count the edge: the first character is at [`EDGE`].
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    cells: Vec<Cell>,
}

impl Scan {
    /// Reads a text; `is_space` says what is white space.
    pub(super) fn fill(&mut self, text: &str, is_space: impl Fn(char) -> bool) {
        self.cells.clear();
        self.cells.resize(EDGE, Cell::default());
        let mut glue = Glue::default();
        for (byte, char) in text.char_indices() {
            let space = is_space(char);
            let class = match character::class(char) {
                _ if space => Class::Space,
                Class::Space => Class::Other,
                class => class,
            };
            let folded = if space { ' ' } else { character::fold(char) };
            let sticks = glue.sticks(char);
            self.cells.push(Cell { char, folded, byte: byte as u32, class, sticks });
        }
        let end = Cell { byte: text.len() as u32, ..Cell::default() };
        self.cells.resize(self.cells.len() + EDGE, end);
    }

    /// The position behind the last character.
    pub(super) fn end(&self) -> usize {
        self.cells.len().saturating_sub(EDGE)
    }

    /// All cells, with the edges.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The characters without the edges.
    #[cfg(test)]
    pub(super) fn inner(&self) -> &[Cell] {
        &self.cells[EDGE..self.end()]
    }

    /// The byte where the character at a position starts.
    pub(super) fn byte(&self, position: usize) -> usize {
        self.cells[position].byte as usize
    }

    /// The next stretch without white space that starts at or behind `from`.
    pub(super) fn stretch(&self, from: usize) -> Option<std::ops::Range<usize>> {
        let end = self.end();
        let start = (from..end).find(|&at| self.cells[at].class != Class::Space)?;
        let stop = (start..end).find(|&at| self.cells[at].class == Class::Space);
        Some(start..stop.unwrap_or(end))
    }
}
