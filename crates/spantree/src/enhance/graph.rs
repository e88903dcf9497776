//! A graph over words in which a word may have several heads.

/// Heads of words with the numbers of their labels; word 0 is the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// By word, ascending.
    heads: Vec<Vec<(u32, u16)>>,
    /// Words still to be visited, and whether each was.
    waiting: Vec<u32>,
    seen: Vec<bool>,
}

impl Graph {
    /// Starts anew without arcs.
    pub(super) fn reset(&mut self, words: usize) {
        self.heads.iter_mut().for_each(Vec::clear);
        self.heads.resize_with(words + 1, Vec::new);
    }

    /// Adds an arc; without effect if the two words have one.
    pub(super) fn add(&mut self, head: u32, child: u32, label: u16) {
        let heads = &mut self.heads[child as usize];
        if let Err(place) = heads.binary_search_by_key(&head, |arc| arc.0) {
            heads.insert(place, (head, label));
        }
    }

    /// Removes an arc if a path still leads from the root to its child.
    pub(super) fn remove_if_connected(&mut self, head: u32, child: u32) {
        let heads = &mut self.heads[child as usize];
        let Ok(place) = heads.binary_search_by_key(&head, |arc| arc.0) else { return };
        let arc = heads.remove(place);
        if !self.is_above(0, child) {
            self.heads[child as usize].insert(place, arc);
        }
    }

    /// Whether a path leads from `top` down to `word`; a word is above itself.
    pub(super) fn is_above(&mut self, top: u32, word: u32) -> bool {
        self.seen.clear();
        self.seen.resize(self.heads.len(), false);
        self.waiting.clear();
        self.waiting.push(word);
        while let Some(word) = self.waiting.pop() {
            if word == top {
                return true;
            }
            if !std::mem::replace(&mut self.seen[word as usize], true) {
                self.waiting.extend(self.heads[word as usize].iter().map(|arc| arc.0));
            }
        }
        false
    }

    /// The heads of a word with their labels, by number.
    pub(super) fn heads(&self, word: u32) -> &[(u32, u16)] {
        &self.heads[word as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_go_only_where_the_root_stays_above() {
        let mut graph = Graph::default();
        graph.reset(3);
        for (head, child) in [(0, 1), (1, 2), (2, 3), (1, 3)] {
            graph.add(head, child, head as u16);
        }
        graph.add(1, 3, 9);
        assert_eq!(graph.heads(3), [(1, 1), (2, 2)], "sorted, and the first label stays");
        assert!(graph.is_above(1, 3) && graph.is_above(2, 2) && !graph.is_above(3, 1));
        graph.remove_if_connected(2, 3);
        graph.remove_if_connected(1, 3);
        graph.remove_if_connected(2, 1);
        assert_eq!(graph.heads(3), [(1, 1)]);
        // A cycle hangs on nothing.
        graph.add(3, 2, 0);
        graph.add(2, 3, 0);
        graph.remove_if_connected(1, 3);
        graph.remove_if_connected(1, 2);
        assert_eq!((graph.heads(2), graph.heads(3)), (&[(1, 1), (3, 0)][..], &[(2, 0)][..]));
    }
}
