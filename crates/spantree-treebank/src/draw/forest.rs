//! The basic arcs of a diagram as a forest, whatever they are.

use super::diagram::Diagram;

/// Trees over the nodes of a diagram. A node without a parent stands alone or at the top of its tree.
pub(super) struct Forest {
    pub(super) parent: Vec<Option<usize>>,
    pub(super) children: Vec<Vec<usize>>,
    /// Nodes in an order in which parents come before their children.
    pub(super) order: Vec<usize>,
}

impl Forest {
    /// The forest of the basic arcs; every cycle is cut above its first node.
    pub(super) fn new(diagram: &Diagram) -> Self {
        let len = diagram.nodes.len();
        let mut parent = vec![None; len];
        for arc in diagram.arcs.iter().filter(|arc| arc.kind.is_basic()) {
            parent[arc.child] = arc.head;
        }
        cut_cycles(&mut parent);
        let mut children = vec![Vec::new(); len];
        for (child, head) in parent.iter().enumerate() {
            if let Some(head) = head {
                children[*head].push(child);
            }
        }
        let mut order = Vec::with_capacity(len);
        let mut stack: Vec<_> = (0..len).rev().filter(|&node| parent[node].is_none()).collect();
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(children[node].iter().rev());
        }
        Self { parent, children, order }
    }
}

/// Removes the parent of the first node of every cycle.
fn cut_cycles(parent: &mut [Option<usize>]) {
    let mut seen_from = vec![usize::MAX; parent.len()];
    for start in 0..parent.len() {
        let mut node = Some(start);
        while let Some(at) = node.filter(|&at| seen_from[at] == usize::MAX) {
            seen_from[at] = start;
            node = parent[at];
        }
        // The walk ended where it had been before: a cycle, unless an earlier walk had been there.
        if let Some(again) = node.filter(|&at| seen_from[at] == start) {
            let cycle =
                std::iter::successors(Some(again), |&at| parent[at].filter(|&p| p != again));
            if let Some(first) = cycle.min() {
                parent[first] = None;
            }
        }
    }
}
