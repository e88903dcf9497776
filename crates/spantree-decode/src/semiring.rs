//! What a chart computes: the same recurrences in another algebra.
//!
//! A chart adds over alternatives and multiplies over parts. [`Max`] makes that the best score,
//! [`LogSum`] the log partition function, [`Count`] the number of structures; an outside crate may bring
//! its own algebra, such as dual numbers for second derivatives (Goodman, 1999; Li and Eisner, 2009).
//!
//! The work of a chart is in two kernels over contiguous slices, which an algebra may replace by a faster
//! equivalent: [`Semiring::dot`] on the way up and [`Outside::spread`] on the way down.

/// A commutative semiring: an associative, commutative `plus`, and a `times` that distributes over it.
pub trait Semiring {
    /// The elements.
    type Value: Copy;
    /// The sum of nothing, which also annihilates products.
    const ZERO: Self::Value;
    /// The product of nothing.
    const ONE: Self::Value;

    /// Combines alternatives.
    fn plus(a: Self::Value, b: Self::Value) -> Self::Value;

    /// Combines parts.
    fn times(a: Self::Value, b: Self::Value) -> Self::Value;

    /// The element for a score; −∞ gives [`Self::ZERO`].
    fn weight(score: f32) -> Self::Value;

    /// The sum of the products of corresponding elements.
    fn dot(a: &[Self::Value], b: &[Self::Value]) -> Self::Value {
        a.iter().zip(b).fold(Self::ZERO, |sum, (&x, &y)| Self::plus(sum, Self::times(x, y)))
    }
}

/// An algebra in which a chart can also be run backwards, from the goal to the parts.
///
/// What flows down is, by default, the value of everything outside an item, so that inside times outside
/// is the total over the structures that use the item. [`LogSum`] lets the item's probability itself flow
/// down instead (which is differentiation in reverse): no logarithms, and nothing to subtract.
pub trait Outside: Semiring {
    /// What an item not reached from above has.
    const UNREACHED: Self::Value = Self::ZERO;
    /// What the goal has.
    const GOAL: Self::Value = Self::ONE;

    /// Combines what reaches an item from two places.
    fn merge(a: Self::Value, b: Self::Value) -> Self::Value {
        Self::plus(a, b)
    }

    /// What reaches the rest of an item when one factor, `weight`, is split off.
    fn behind(weight: Self::Value, outer: Self::Value) -> Self::Value {
        Self::times(weight, outer)
    }

    /// The total over structures that use an item with the given inside value.
    fn total(inner: Self::Value, outer: Self::Value) -> Self::Value {
        Self::times(inner, outer)
    }

    /// Passes `outer`, which reached an item whose inside value is `inner = dot(a, b)`, on to the parts.
    fn spread(
        inner: Self::Value,
        outer: Self::Value,
        (a, b): (&[Self::Value], &[Self::Value]),
        (outer_a, outer_b): (&mut [Self::Value], &mut [Self::Value]),
    ) {
        let _ = inner;
        let parts = a.iter().zip(b).zip(outer_a.iter_mut().zip(outer_b));
        for ((&x, &y), (to_x, to_y)) in parts {
            *to_x = Self::plus(*to_x, Self::times(outer, y));
            *to_y = Self::plus(*to_y, Self::times(outer, x));
        }
    }
}

/// The best score: `max` and `+`.
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl Semiring for Max {
    type Value = f64;
    const ZERO: f64 = f64::NEG_INFINITY;
    const ONE: f64 = 0.0;

    fn plus(a: f64, b: f64) -> f64 {
        if b > a { b } else { a }
    }

    fn times(a: f64, b: f64) -> f64 {
        a + b
    }

    fn weight(score: f32) -> f64 {
        f64::from(score)
    }

    /// Independent lanes, so that the compiler can use vector instructions.
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        const LANES: usize = 4;
        let (mut chunks_a, mut chunks_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let mut best = [Self::ZERO; LANES];
        for (x, y) in chunks_a.by_ref().zip(chunks_b.by_ref()) {
            for lane in 0..LANES {
                best[lane] = Self::plus(best[lane], x[lane] + y[lane]);
            }
        }
        let tail = chunks_a.remainder().iter().zip(chunks_b.remainder());
        let tail = tail.fold(Self::ZERO, |top, (&x, &y)| Self::plus(top, x + y));
        let (low, high) = (Self::plus(best[0], best[1]), Self::plus(best[2], best[3]));
        Self::plus(Self::plus(low, high), tail)
    }
}

impl Outside for Max {}

/// The logarithm of a sum of exponentials: log partition functions and, backwards, probabilities.
#[derive(Clone, Copy, Debug)]
pub struct LogSum;

impl Semiring for LogSum {
    type Value = f64;
    const ZERO: f64 = f64::NEG_INFINITY;
    const ONE: f64 = 0.0;

    fn plus(a: f64, b: f64) -> f64 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if low == Self::ZERO { high } else { high + (low - high).exp().ln_1p() }
    }

    fn times(a: f64, b: f64) -> f64 {
        a + b
    }

    fn weight(score: f32) -> f64 {
        f64::from(score)
    }

    /// One exponential per element and one logarithm in all.
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        let top = Max::dot(a, b);
        if top == Self::ZERO {
            return Self::ZERO;
        }
        top + a.iter().zip(b).map(|(&x, &y)| (x + y - top).exp()).sum::<f64>().ln()
    }
}

/// What flows down is the probability of each item.
impl Outside for LogSum {
    const UNREACHED: f64 = 0.0;
    const GOAL: f64 = 1.0;

    fn merge(a: f64, b: f64) -> f64 {
        a + b
    }

    fn behind(_weight: f64, outer: f64) -> f64 {
        outer
    }

    fn total(_inner: f64, outer: f64) -> f64 {
        outer
    }

    fn spread(
        inner: f64,
        outer: f64,
        (a, b): (&[f64], &[f64]),
        (outer_a, outer_b): (&mut [f64], &mut [f64]),
    ) {
        if outer == 0.0 {
            return;
        }
        let parts = a.iter().zip(b).zip(outer_a.iter_mut().zip(outer_b));
        for ((&x, &y), (to_x, to_y)) in parts {
            let share = outer * (x + y - inner).exp();
            *to_x += share;
            *to_y += share;
        }
    }
}

/// The number of structures, saturating at [`u128::MAX`].
#[derive(Clone, Copy, Debug)]
pub struct Count;

impl Semiring for Count {
    type Value = u128;
    const ZERO: u128 = 0;
    const ONE: u128 = 1;

    fn plus(a: u128, b: u128) -> u128 {
        a.saturating_add(b)
    }

    fn times(a: u128, b: u128) -> u128 {
        a.saturating_mul(b)
    }

    fn weight(score: f32) -> u128 {
        u128::from(score > f32::NEG_INFINITY)
    }
}

impl Outside for Count {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values whose sums are exact, with −∞ among them, of every length around the lane count.
    fn samples(len: usize) -> (Vec<f64>, Vec<f64>) {
        let a = (0..len).map(|i| if i % 5 == 3 { Max::ZERO } else { ((i * 7) % 11) as f64 });
        let b = (0..len).map(|i| if i % 7 == 1 { Max::ZERO } else { -((i % 3) as f64) });
        (a.collect(), b.collect())
    }

    #[test]
    fn fast_kernels_equal_the_definition() {
        for len in 0..20 {
            let (a, b) = samples(len);
            let sums = a.iter().zip(&b).map(|(x, y)| x + y);
            assert_eq!(Max::dot(&a, &b), sums.clone().fold(Max::ZERO, f64::max));
            let folded = sums.fold(LogSum::ZERO, LogSum::plus);
            let fast = LogSum::dot(&a, &b);
            assert!(fast == folded || (fast - folded).abs() < 1e-12, "{len}: {fast} {folded}");
        }
    }

    #[test]
    fn log_sum_survives_extremes() {
        assert_eq!(LogSum::plus(LogSum::ZERO, LogSum::ZERO), LogSum::ZERO);
        assert_eq!(LogSum::plus(1000.0, -1000.0), 1000.0);
        assert!((LogSum::plus(1000.0, 1000.0) - (1000.0 + 2f64.ln())).abs() < 1e-12);
    }

    #[test]
    fn probabilities_spread_completely() {
        let (a, b) = samples(9);
        let inner = LogSum::dot(&a, &b);
        let (mut to_a, mut to_b) = (vec![0.0; 9], vec![0.0; 9]);
        LogSum::spread(inner, 0.5, (&a, &b), (&mut to_a, &mut to_b));
        assert!((to_a.iter().sum::<f64>() - 0.5).abs() < 1e-12);
        assert_eq!(to_a, to_b);
    }
}
