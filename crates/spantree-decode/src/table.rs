//! A value for every arc of a sentence: the shape shared by scores, marginals and counts.
//!
//! Index convention, here and in the whole crate: words are `1..=n`, the artificial root is `0`, and an
//! arc is named `(head, child)`. The heads of one child lie next to each other in memory, because every
//! decoder first asks a child for its heads.

/// One value per arc of a sentence, `(n + 1) × (n + 1)` cells with the heads of a child contiguous.
///
/// Cells that name no arc (a child `0`, a word that heads itself) exist and hold the fill value.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcTable<T> {
    words: usize,
    cells: Vec<T>,
}

impl<T: Copy + Default> Default for ArcTable<T> {
    fn default() -> Self {
        Self::new(0, T::default())
    }
}

impl<T: Copy> ArcTable<T> {
    /// A table for `words` words with `fill` in every cell.
    pub fn new(words: usize, fill: T) -> Self {
        let mut table = Self { words: 0, cells: Vec::new() };
        table.reset(words, fill);
        table
    }

    /// Resizes to `words` words and puts `fill` in every cell; memory is kept.
    pub fn reset(&mut self, words: usize, fill: T) {
        self.words = words;
        self.cells.clear();
        self.cells.resize((words + 1) * (words + 1), fill);
    }

    /// Number of words, the root not counted.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The value of the arc `head → child`.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn get(&self, head: usize, child: usize) -> T {
        self.heads_of(child)[head]
    }

    /// Replaces the value of the arc `head → child`.
    ///
    /// # Panics
    /// If `head` or `child` exceeds the number of words.
    pub fn set(&mut self, head: usize, child: usize, value: T) {
        self.heads_of_mut(child)[head] = value;
    }

    /// The values of all arcs into `child`, indexed by head `0..=n`.
    ///
    /// # Panics
    /// If `child` exceeds the number of words.
    pub fn heads_of(&self, child: usize) -> &[T] {
        let width = self.words + 1;
        &self.cells[child * width..(child + 1) * width]
    }

    /// The values of all arcs into `child`, to be changed in place.
    ///
    /// # Panics
    /// If `child` exceeds the number of words.
    pub fn heads_of_mut(&mut self, child: usize) -> &mut [T] {
        let width = self.words + 1;
        &mut self.cells[child * width..(child + 1) * width]
    }

    /// Takes over size and values of `other`; memory is kept.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words = other.words;
        self.cells.clear();
        self.cells.extend_from_slice(&other.cells);
    }
}
