//! Eisner's chart in any semiring, up and down: for algebras that [`Eisner`](super::Eisner) does not offer.
//!
//! All sums are dot products of contiguous slices. `left` and `right` are kept twice, as symmetric
//! squares: row `s` lists spans that start at `s`, row `t` those that end there. `open` is indexed by
//! head and child, so its square is full.

use crate::heads::RootMode;
use crate::semiring::{Outside, Semiring};
use crate::table::ArcTable;

/// Values of all items of a sentence: see the [recurrences](super) and the [layout](self).
///
/// ```
/// use spantree_decode::{Count, RootMode, eisner::chart::Chart};
/// let trees = Chart::default().inside::<Count>(5, RootMode::Many, |_head, _child| 1);
/// assert_eq!(trees, 273);
/// ```
#[derive(Clone, Debug)]
pub struct Chart<V> {
    width: usize,
    link: Vec<V>,
    open: Vec<V>,
    left: Vec<V>,
    right: Vec<V>,
}

impl<V> Default for Chart<V> {
    fn default() -> Self {
        let (link, open, left, right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { width: 1, link, open, left, right }
    }
}

impl<V: Copy> Chart<V> {
    /// Fills the chart for `words` words from the weights of arcs `(head, child)`; returns the goal value.
    ///
    /// `weight` is asked once for each arc between different words and from the root.
    pub fn inside<S: Semiring<Value = V>>(
        &mut self,
        words: usize,
        mode: RootMode,
        weight: impl Fn(usize, usize) -> V,
    ) -> V {
        self.reset(words, S::ZERO, S::ONE);
        for (s, t) in spans_upwards(words) {
            let link = S::dot(&self.right(s)[s..t], &self.left(t)[s + 1..=t]);
            self.set_link(s, t, link);
            self.set_open(s, t, S::times(link, weight(s, t)));
            self.set_open(t, s, S::times(link, weight(t, s)));
            let left = S::dot(&self.left(s)[s..t], &self.open(t)[s..t]);
            self.set_left(s, t, left);
            let right = S::dot(&self.open(s)[s + 1..=t], &self.right(t)[s + 1..=t]);
            self.set_right(s, t, right);
        }
        for t in 1..=words {
            let splits = root_splits(mode, t);
            let link = S::dot(&self.right(0)[..splits], &self.left(t)[1..=splits]);
            self.set_link(0, t, link);
            self.set_open(0, t, S::times(link, weight(0, t)));
            let right = S::dot(&self.open(0)[1..=t], &self.right(t)[1..=t]);
            self.set_right(0, t, right);
        }
        self.right_value(0, words)
    }

    /// After [`inside`](Self::inside) with the same weights: the total over all trees that use each arc.
    ///
    /// `outside` is overwritten.
    pub fn totals<S: Outside<Value = V>>(
        &self,
        mode: RootMode,
        weight: impl Fn(usize, usize) -> V,
        outside: &mut Self,
        totals: &mut ArcTable<V>,
    ) {
        let words = self.words();
        totals.reset(words, S::UNREACHED);
        outside.reset(words, S::UNREACHED, S::UNREACHED);
        outside.right[words] = S::GOAL;
        let mut down = Descent::<S> { inside: self, outside, totals };
        for t in (1..=words).rev() {
            down.spread_right(0, t);
            down.spread_link(0, t, root_splits(mode, t), &weight);
        }
        for (s, t) in spans_downwards(words) {
            down.spread_right(s, t);
            down.spread_left(s, t);
            down.spread_link(s, t, t - s, &weight);
        }
    }

    fn reset(&mut self, words: usize, fill: V, diagonal: V) {
        self.width = words + 1;
        let cells = self.width * self.width;
        for square in [&mut self.link, &mut self.open, &mut self.left, &mut self.right] {
            square.clear();
            square.resize(cells, fill);
        }
        for square in [&mut self.left, &mut self.right] {
            square.iter_mut().step_by(words + 2).for_each(|cell| *cell = diagonal);
        }
    }

    pub(super) fn words(&self) -> usize {
        self.width - 1
    }

    /// Row `s` of `right` before column `s`: items that end at `s`; from there on: items that start at `s`.
    pub(super) fn right(&self, row: usize) -> &[V] {
        &self.right[row * self.width..(row + 1) * self.width]
    }

    pub(super) fn left(&self, row: usize) -> &[V] {
        &self.left[row * self.width..(row + 1) * self.width]
    }

    /// The open items of one head, by child.
    pub(super) fn open(&self, head: usize) -> &[V] {
        &self.open[head * self.width..(head + 1) * self.width]
    }

    pub(super) fn right_value(&self, s: usize, t: usize) -> V {
        self.right[s * self.width + t]
    }

    pub(super) fn left_value(&self, s: usize, t: usize) -> V {
        self.left[s * self.width + t]
    }

    pub(super) fn link_value(&self, s: usize, t: usize) -> V {
        self.link[s * self.width + t]
    }

    fn set_link(&mut self, s: usize, t: usize, value: V) {
        self.link[s * self.width + t] = value;
    }

    fn set_open(&mut self, head: usize, child: usize, value: V) {
        self.open[head * self.width + child] = value;
    }

    fn set_left(&mut self, s: usize, t: usize, value: V) {
        self.left[s * self.width + t] = value;
        self.left[t * self.width + s] = value;
    }

    fn set_right(&mut self, s: usize, t: usize, value: V) {
        self.right[s * self.width + t] = value;
        self.right[t * self.width + s] = value;
    }
}

/// Spans are visited in blocks of this many ends `t`, so that a row `s` is read once for all of them.
const BLOCK: usize = 8;

/// All spans of words `s < t`, each after the spans inside it.
fn spans_upwards(words: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..words + 1).step_by(BLOCK).flat_map(move |start| {
        let end = (start + BLOCK).min(words + 1);
        (1..end).rev().flat_map(move |s| (start.max(s + 1)..end).map(move |t| (s, t)))
    })
}

/// The same spans, each before the spans inside it.
fn spans_downwards(words: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..words + 1).step_by(BLOCK).rev().flat_map(move |start| {
        let end = (start + BLOCK).min(words + 1);
        (1..end).flat_map(move |s| (start.max(s + 1)..end).rev().map(move |t| (s, t)))
    })
}

/// Number of splits of `link(0, t)`: one root child leaves only the split that puts no word left of it.
pub(super) fn root_splits(mode: RootMode, t: usize) -> usize {
    match mode {
        RootMode::One => 1,
        RootMode::Many => t,
    }
}

/// The way down: `outside` collects, in each of the two cells of an item, what reached that cell.
struct Descent<'a, S: Outside> {
    inside: &'a Chart<S::Value>,
    outside: &'a mut Chart<S::Value>,
    totals: &'a mut ArcTable<S::Value>,
}

impl<S: Outside> Descent<'_, S> {
    fn spread_right(&mut self, s: usize, t: usize) {
        let Chart { width, right, open, .. } = &mut *self.outside;
        let (row, column) = (s * *width, t * *width);
        let outer = S::merge(right[row + t], right[column + s]);
        let parts = (&self.inside.open(s)[s + 1..=t], &self.inside.right(t)[s + 1..=t]);
        let outer_parts =
            (&mut open[row + s + 1..=row + t], &mut right[column + s + 1..=column + t]);
        S::spread(self.inside.right_value(s, t), outer, parts, outer_parts);
    }

    fn spread_left(&mut self, s: usize, t: usize) {
        let Chart { width, left, open, .. } = &mut *self.outside;
        let (row, column) = (s * *width, t * *width);
        let outer = S::merge(left[row + t], left[column + s]);
        let parts = (&self.inside.left(s)[s..t], &self.inside.open(t)[s..t]);
        let outer_parts = (&mut left[row + s..row + t], &mut open[column + s..column + t]);
        S::spread(self.inside.left_value(s, t), outer, parts, outer_parts);
    }

    /// Both arcs over a span, and the link below them.
    fn spread_link(
        &mut self,
        s: usize,
        t: usize,
        splits: usize,
        weight: &impl Fn(usize, usize) -> S::Value,
    ) {
        let mut outer = self.finish_arc(s, t, weight);
        if s > 0 {
            outer = S::merge(outer, self.finish_arc(t, s, weight));
        }
        let Chart { width, left, right, .. } = &mut *self.outside;
        let (row, column) = (s * *width + s, t * *width + s + 1);
        let parts =
            (&self.inside.right(s)[s..s + splits], &self.inside.left(t)[s + 1..=s + splits]);
        let outer_parts = (&mut right[row..row + splits], &mut left[column..column + splits]);
        S::spread(self.inside.link_value(s, t), outer, parts, outer_parts);
    }

    /// Records the total of an arc and returns what its link gets from it.
    fn finish_arc(
        &mut self,
        head: usize,
        child: usize,
        weight: &impl Fn(usize, usize) -> S::Value,
    ) -> S::Value {
        let outer = self.outside.open(head)[child];
        self.totals.set(head, child, S::total(self.inside.open(head)[child], outer));
        S::behind(weight(head, child), outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_after_what_they_contain() {
        for words in 0..30 {
            let upwards: Vec<_> = spans_upwards(words).collect();
            assert_eq!(upwards.len(), words * words.saturating_sub(1) / 2);
            for (place, &(s, t)) in upwards.iter().enumerate() {
                let inside = |&(from, to): &(usize, usize)| s <= from && to <= t;
                assert!(!upwards[place + 1..].iter().any(inside), "{s} {t}");
            }
            let mut downwards: Vec<_> = spans_downwards(words).collect();
            downwards.reverse();
            assert_eq!(downwards, upwards);
        }
    }
}
