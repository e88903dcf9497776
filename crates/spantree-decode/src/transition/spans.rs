//! Parts of a sentence that must each hang together: one word has its head outside, and no other is the head of a word outside.
//!
//! A sentence is parsed from the inside out: first the words of each span by themselves, with one root, then all the others
//! with the root of each span standing for it. So every system ends in a tree in which all spans hang together, gets stuck in no
//! state, and can build all such trees of its kind, without a rule of its own. (Nivre, Goldberg and McDonald 2014 forbid single
//! actions of an arc-eager parser instead; theirs is the mode in which the root of a span may have children outside. Their rules
//! lead into dead ends, also corrected, when spans and one root meet.)
//!
//! ```
//! use spantree_decode::RootMode;
//! use spantree_decode::transition::{ArcStandard, Spans, State, System};
//!
//! let spans = Spans::new([(2, 3)]).unwrap();
//! let (system, mut state, mut actions) = (ArcStandard::new(RootMode::One), State::default(), Vec::new());
//! system.start(4, &mut state);
//! spans.parse(&system, &mut state, |state| {
//!     while !system.is_final(state) {
//!         system.actions(state, &mut actions);
//!         system.apply(state, actions[0], 0);
//!     }
//! });
//! assert!(spans.hold(&state.heads()));
//! ```

use super::System;
use super::state::State;
use crate::heads::Heads;

/// See the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// First and last word of each, from left to right.
    spans: Vec<(u32, u32)>,
}

impl Spans {
    /// Spans by their first and last words; `None` if they overlap. Single words say nothing and are left out.
    pub fn new(spans: impl IntoIterator<Item = (u32, u32)>) -> Option<Self> {
        let mut spans: Vec<_> = spans.into_iter().filter(|(first, last)| first < last).collect();
        spans.sort_unstable();
        let disjoint = spans.windows(2).all(|pair| pair[0].1 < pair[1].0);
        disjoint.then_some(Self { spans })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether two words are parsed together: in the same span, or both in none; the root is in none.
    pub fn together(&self, one: u32, other: u32) -> bool {
        let span = |word| self.spans.iter().find(|(first, last)| (*first..=*last).contains(&word));
        span(one) == span(other)
    }

    /// Parses a sentence whose first state is given; `finish` leads a state to a final one.
    ///
    /// # Panics
    /// If a span ends behind the sentence.
    pub fn parse(
        &self,
        system: &(impl System + ?Sized),
        state: &mut State,
        mut finish: impl FnMut(&mut State),
    ) {
        let mut next = 1;
        let mut others = Vec::new();
        for &(first, last) in &self.spans {
            let words: Vec<u32> = (first..=last).collect();
            system.restart(&words, state);
            finish(state);
            others.extend(next..first);
            others.extend(state.root_child());
            next = last + 1;
        }
        others.extend(next..=state.words() as u32);
        if !self.is_empty() {
            system.restart(&others, state);
        }
        finish(state);
    }

    /// Whether each span hangs together: one of its words has its head outside, and no other is the head of a word outside.
    pub fn hold(&self, tree: &Heads) -> bool {
        let arcs = || (1..).zip(tree.as_slice().iter().copied());
        let holds = |&(first, last): &(u32, u32)| {
            let inside = |word: u32| (first..=last).contains(&word);
            let mut roots = arcs().filter(|&(word, head)| inside(word) && !inside(head));
            let root = roots.next().map(|(word, _)| word);
            let mut below = arcs().filter(|&(word, head)| !inside(word) && inside(head));
            roots.next().is_none() && below.all(|(_, head)| Some(head) == root)
        };
        self.spans.iter().all(holds)
    }
}
