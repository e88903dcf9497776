//! What a piece of a tree looks like from outside, and how two pieces go together.
//!
//! A piece is a forest over an interval and perhaps one word beside it. It meets the rest of the tree in two
//! or three *points*; every other word has its head inside, and every tree of the forest has a point as
//! root. All that matters outside is the *signature*: the root of each point's tree. There are 3
//! signatures of two points and 10 of three.
//!
//! With one root child, pieces that have the artificial root as a point also say whether it has a child. The
//! root has no head in exchange, so that there are 3 and 9 signatures then.
//!
//! Two pieces go together when no point gets two heads and no cycle arises. A point of theirs that is no
//! point of the result must have a head. All pairs are listed once, per kind of join.

/// The most signatures that pieces have.
pub(crate) const SIGNATURES: usize = 10;

/// The values of a piece by signature; −∞ where there is no such piece.
pub(crate) type Values = [f64; SIGNATURES];

/// No piece at all.
pub(crate) const NOTHING: Values = [f64::NEG_INFINITY; SIGNATURES];

/// Names of points, one letter each.
pub(crate) type Points = &'static str;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    /// The point at the root of each point's tree.
    roots: Vec<char>,
    /// Whether the artificial root, if it is a point, has a child.
    has_child: bool,
}

impl Signature {
    /// All signatures of these points, always in the same order; `top` names the artificial root, if it can
    /// only have one child.
    fn all(points: Points, top: Option<char>) -> Vec<Signature> {
        let mut found = vec![];
        for code in 0..points.len().pow(points.len() as u32) {
            let digit = |place: usize| code / points.len().pow(place as u32) % points.len();
            let names: Vec<char> = points.chars().collect();
            let roots: Vec<char> = (0..names.len()).map(|place| names[digit(place)]).collect();
            for has_child in [false, true] {
                let signature = Signature { roots: roots.clone(), has_child };
                if signature.is_possible(points, top) {
                    found.push(signature);
                }
            }
        }
        found
    }

    fn is_possible(&self, points: Points, top: Option<char>) -> bool {
        let root = |point: char| self.root(points, point);
        let has_top = points.chars().any(|point| Some(point) == top);
        let is_forest = self.roots.iter().all(|&point| root(point) == point);
        let top_is_root = points.chars().all(|point| Some(point) != top || root(point) == point);
        let child_is_seen =
            points.chars().any(|point| Some(point) != top && Some(root(point)) == top);
        let is_noted = if has_top { self.has_child || !child_is_seen } else { !self.has_child };
        is_forest && top_is_root && is_noted
    }

    /// The root of a point's tree; the point itself if it belongs to another piece.
    fn root(&self, points: Points, point: char) -> char {
        points.find(point).map_or(point, |place| self.roots[place])
    }
}

/// One way of putting two pieces together, for all signatures.
#[derive(Clone, Debug)]
pub(crate) struct Join {
    /// For each signature of the first piece: signatures of the second and of the result.
    pairs: [Vec<(u8, u8)>; SIGNATURES],
}

impl Join {
    /// Joins pieces with the points `first` and `second` to one with the points `result`.
    pub(crate) fn new(first: Points, second: Points, result: Points, top: Option<char>) -> Self {
        let [firsts, seconds, results] =
            [first, second, result].map(|points| Signature::all(points, top));
        let mut pairs: [Vec<(u8, u8)>; SIGNATURES] = Default::default();
        for (a, one) in firsts.iter().enumerate() {
            for (b, other) in seconds.iter().enumerate() {
                let joined = combine((one, first), (other, second), result);
                if let Some(place) = joined.and_then(|x| results.iter().position(|y| *y == x)) {
                    pairs[a].push((b as u8, place as u8));
                }
            }
        }
        Self { pairs }
    }

    /// Raises the values of the result to what these pieces reach.
    pub(crate) fn apply(&self, first: &Values, second: &Values, result: &mut Values) {
        for (pairs, &value) in self.pairs.iter().zip(first) {
            if value == f64::NEG_INFINITY {
                continue;
            }
            for &(b, at) in pairs {
                let (b, at) = (usize::from(b), usize::from(at));
                result[at] = result[at].max(value + second[b]);
            }
        }
    }

    /// The signatures of pieces that reach `goal` under the signature `wanted`.
    pub(crate) fn explain(
        &self,
        first: &Values,
        second: &Values,
        (wanted, goal): (usize, f64),
    ) -> Option<(usize, usize)> {
        let all = self.pairs.iter().enumerate();
        let mut pairs = all.flat_map(|(a, pairs)| pairs.iter().map(move |&(b, at)| (a, b, at)));
        pairs.find_map(|(a, b, at)| {
            let b = usize::from(b);
            let fits = usize::from(at) == wanted && first[a] + second[b] == goal;
            fits.then_some((a, b))
        })
    }
}

/// The signature of two pieces together, if they go together.
fn combine(
    (first, first_points): (&Signature, Points),
    (second, second_points): (&Signature, Points),
    result: Points,
) -> Option<Signature> {
    if first.has_child && second.has_child {
        return None;
    }
    let heads = |point: char| [first.root(first_points, point), second.root(second_points, point)];
    let points = || first_points.chars().chain(second_points.chars());
    for point in points() {
        match heads(point).iter().filter(|&&head| head != point).count() {
            0 if !result.contains(point) => return None,
            2 => return None,
            _ => {}
        }
    }
    let up = |point: char| heads(point).into_iter().find(|&head| head != point).unwrap_or(point);
    // A chain has at most four points.
    let top = |point: char| up(up(up(point)));
    let has_cycle = points().any(|point| up(top(point)) != top(point));
    let roots = result.chars().map(top).collect();
    (!has_cycle).then_some(Signature { roots, has_child: first.has_child || second.has_child })
}

/// All joins of the [chart](super::chart); the letters are those of its recurrences.
#[derive(Clone, Debug)]
pub(super) struct Joins {
    pub(super) concat: Join,
    pub(super) same_span: Join,
    pub(super) own_arc: Join,
    pub(super) over_cross: Join,
    pub(super) beside: Join,
    pub(super) arc_to_first: Join,
    pub(super) arc_to_last: Join,
    pub(super) region_span: Join,
    pub(super) hook_left: Join,
    pub(super) hook_right: Join,
    pub(super) regions_left: Join,
    pub(super) regions_right: Join,
    pub(super) same_region: Join,
    pub(super) arc_within: Join,
    pub(super) meet: Join,
    pub(super) cover: Join,
    pub(super) cross_right: Join,
    pub(super) cross_left: Join,
}

impl Joins {
    /// The joins; `top` is the letter of the artificial root if it must have one child.
    pub(super) fn new(top: Option<char>) -> Self {
        let join = |first, second, result| Join::new(first, second, result, top);
        Self {
            concat: join("ik", "kj", "ij"),
            same_span: join("ij", "j", "ij"),
            own_arc: join("ij", "ij", "ij"),
            over_cross: join("ibc", "cjb", "ij"),
            beside: join("ij", "x", "ijx"),
            arc_to_first: join("ijx", "xi", "ijx"),
            arc_to_last: join("ijx", "xj", "ijx"),
            region_span: join("ikx", "kj", "ijx"),
            hook_left: join("xk", "ik", "ikx"),
            hook_right: join("xk", "kj", "kjx"),
            regions_left: join("ikx", "kji", "ijx"),
            regions_right: join("kjx", "ikj", "ijx"),
            same_region: join("ijx", "x", "ijx"),
            arc_within: join("ijx", "ij", "ijx"),
            meet: join("ikx", "kjx", "ijx"),
            cover: join("ikx", "kx", "ix"),
            cross_right: join("ibc", "bc", "ibc"),
            cross_left: join("ib", "bci", "ibc"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_signatures() {
        let count = |points, top| Signature::all(points, top).len();
        assert_eq!([count("i", None), count("ij", None), count("ijx", None)], [1, 3, 10]);
        for top in ['i', 'x'] {
            assert_eq!(count("ijx", Some(top)), 9);
        }
        assert_eq!(
            [count("ij", Some('i')), count("ij", Some('j')), count("i", Some('i'))],
            [3, 3, 2]
        );
        assert_eq!(count("ij", Some('x')), 3, "the root is no point here");
    }

    /// A piece in which only this signature exists.
    fn only(points: Points, top: Option<char>, roots: &str, has_child: bool) -> Values {
        let signature = Signature { roots: roots.chars().collect(), has_child };
        let place = Signature::all(points, top).iter().position(|other| *other == signature);
        let mut values = NOTHING;
        values[place.unwrap()] = 1.0;
        values
    }

    fn joined(first: &str, second: &str, has_child: [bool; 2], top: Option<char>) -> bool {
        let mut result = NOTHING;
        let (first, second) =
            (only("ik", top, first, has_child[0]), only("kj", top, second, has_child[1]));
        Join::new("ik", "kj", "ij", top).apply(&first, &second, &mut result);
        result != NOTHING
    }

    #[test]
    fn a_point_that_leaves_has_one_head() {
        let no = [false; 2];
        assert!(joined("ii", "kj", no, None), "i → k, j free");
        assert!(joined("ik", "jj", no, None), "j → k");
        assert!(!joined("ik", "kj", no, None), "k without a head");
        assert!(!joined("ii", "jj", no, None), "k with two heads");
        assert!(joined("kk", "jj", no, None), "j → k → i");
    }

    #[test]
    fn the_root_has_one_child() {
        let top = Some('i');
        assert!(joined("ii", "kj", [true, false], top));
        let mut result = NOTHING;
        let both = (only("ij", top, "ij", true), only("ij", top, "ii", true));
        Join::new("ij", "ij", "ij", top).apply(&both.0, &both.1, &mut result);
        assert_eq!(result, NOTHING, "two children");
    }

    #[test]
    fn explanations_reach_the_value() {
        let join = Join::new("ik", "kj", "ij", None);
        let values = |shift: usize| std::array::from_fn(|place| ((place * 7 + shift) % 5) as f64);
        let (first, second, mut result) = (values(1), values(2), NOTHING);
        join.apply(&first, &second, &mut result);
        for (place, &value) in result.iter().enumerate().take(3) {
            let (a, b) = join.explain(&first, &second, (place, value)).unwrap();
            assert_eq!(first[a] + second[b], value);
        }
    }
}
