//! Crossing arcs: planarity, and trees in which all arcs that cross a given arc share an endpoint.
//!
//! Two arcs cross when exactly one end of each lies strictly inside the other. A tree is *planar* when no two arcs between
//! words cross (Kuhlmann & Nivre 2006: arcs from the artificial root are not drawn) and *1-endpoint-crossing* when for every
//! arc, those from the root at position 0 included, all arcs that cross it have an endpoint in common (Pitler, Kannan &
//! Marcus 2013). Both look only at arcs that some arc really crosses, found by range minima: O(n log n) plus the crossings.

use super::{RangeExtrema, Tree};

impl Tree {
    /// Whether no two arcs between words cross.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        let farthest = self.farthest_neighbours(false);
        self.arcs().filter(|&(head, _)| head != 0).all(|arc| {
            let (low, high) = ends(arc);
            farthest
                .of(low as usize + 1..high as usize)
                .is_none_or(|(first, last)| first >= low && last <= high)
        })
    }

    /// Whether, for every arc, the arcs that cross it share an endpoint.
    #[must_use]
    pub fn is_one_endpoint_crossing(&self) -> bool {
        let farthest = self.farthest_neighbours(true);
        self.arcs().all(|arc| {
            let (low, high) = ends(arc);
            let inside = farthest.of(low as usize + 1..high as usize);
            inside.is_none_or(|(first, last)| first >= low && last <= high)
                || self.crossers_share_an_end(low, high)
        })
    }

    /// The arcs that cross the arc between `low` and `high`, as `(end inside, end outside)`.
    fn crossers(&self, low: u32, high: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        (low + 1..high).flat_map(move |inside| {
            let head = std::iter::once(self.head(inside));
            let outside = move |&other: &u32| other < low || other > high;
            head.chain(self.children(inside).iter().copied())
                .filter(outside)
                .map(move |other| (inside, other))
        })
    }

    fn crossers_share_an_end(&self, low: u32, high: u32) -> bool {
        let mut shared: Option<[Option<u32>; 2]> = None;
        for (a, b) in self.crossers(low, high) {
            shared = Some(match shared {
                None => [Some(a), Some(b)],
                Some(ends) => ends.map(|end| end.filter(|&end| end == a || end == b)),
            });
            if shared == Some([None, None]) {
                return false;
            }
        }
        true
    }

    /// For each vertex the smallest and largest vertex that an arc joins it to (itself when there is none).
    fn farthest_neighbours(&self, with_root: bool) -> RangeExtrema {
        let mut reach: Vec<_> = (0..=self.len() as u32).map(|v| (v, v)).collect();
        for (head, child) in self.arcs().filter(|&(head, _)| with_root || head != 0) {
            for (from, to) in [(head, child), (child, head)] {
                let entry = &mut reach[from as usize];
                *entry = (entry.0.min(to), entry.1.max(to));
            }
        }
        RangeExtrema::from_pairs(reach)
    }
}

fn ends((head, child): (u32, u32)) -> (u32, u32) {
    (head.min(child), head.max(child))
}
