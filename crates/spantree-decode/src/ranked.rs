//! A list of structures with their scores, best first: what `k_best` writes.

/// Structures and their scores, best first; the memory of earlier contents is reused.
#[derive(Clone, Debug, Default)]
pub struct Ranked<T> {
    slots: Vec<(T, f64)>,
    len: usize,
}

impl<T> Ranked<T> {
    /// Number of structures.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no structure at all: the input allowed none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The structure of the given rank, counted from 0, and its score.
    pub fn get(&self, rank: usize) -> Option<(&T, f64)> {
        self.slots[..self.len].get(rank).map(|(item, score)| (item, *score))
    }

    /// Structures and scores, best first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&T, f64)> {
        self.slots[..self.len].iter().map(|(item, score)| (item, *score))
    }

    /// Forgets the contents and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}

impl<T: Default> Ranked<T> {
    /// Appends a structure that `write` fills in; `write` returns its score.
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut T) -> f64) {
        if self.len == self.slots.len() {
            self.slots.push((T::default(), 0.0));
        }
        let (item, score) = &mut self.slots[self.len];
        *score = write(item);
        self.len += 1;
    }

    /// Moves neighbours that rounding put in the wrong order; equal scores keep their order.
    ///
    /// Searches rank by sums taken in another order than the final score, so that two structures may
    /// differ in the last bit. Linear for a list that is in order.
    pub(crate) fn settle(&mut self) {
        for end in 1..self.len {
            let mut at = end;
            while at > 0 && self.slots[at - 1].1 < self.slots[at].1 {
                self.slots.swap(at - 1, at);
                at -= 1;
            }
        }
    }
}
