//! The numbers an elimination works with: plain, or logarithms with an infinitesimal.

use crate::heads::RootMode;
use crate::semiring::{LogSum, Semiring};

/// A product of weights as a logarithm.
///
/// `order` counts factors of the infinitesimal that stands before root arcs when one root child is
/// wanted: it ends as the least number of root children.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LogProduct {
    pub(super) order: i64,
    pub(super) log: f64,
}

/// A positive number or zero.
pub(super) trait Weight: Copy {
    const ZERO: Self;

    /// `exp(log)`.
    fn exp(log: f64) -> Self;

    /// The weight of a root arc, given `exp` of its score.
    fn root_arc(self, mode: RootMode) -> Self;

    /// The summed weight of the arcs into a word: `words` from other words, `root` from the root.
    fn total(words: Self, root: Self, mode: RootMode) -> Self;

    fn plus(self, other: Self) -> Self;

    fn times(self, other: Self) -> Self;

    /// Quotient by a number that is not zero.
    fn over(self, other: Self) -> Self;

    /// Quotient as a plain number, for a part of a total.
    fn share_of(self, total: Self) -> f64;

    fn log(self) -> LogProduct;

    /// By how much dividing by this number can enlarge what was lost to underflow: at most 1, and 0 if
    /// the number cannot be divided by.
    fn caution(self) -> f64;

    /// The order of the infinitesimal in the partition function of trees that satisfy `mode`.
    fn order_wanted(mode: RootMode) -> i64;
}

/// Plain numbers. Root arcs under [`RootMode::One`] are kept apart as first-order terms: they never enter
/// a total that other terms are in.
impl Weight for f64 {
    const ZERO: Self = 0.0;

    fn exp(log: f64) -> Self {
        log.exp()
    }

    fn root_arc(self, _mode: RootMode) -> Self {
        self
    }

    fn total(words: Self, root: Self, mode: RootMode) -> Self {
        match mode {
            RootMode::One => words,
            RootMode::Many => words + root,
        }
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn over(self, other: Self) -> Self {
        self / other
    }

    fn share_of(self, total: Self) -> f64 {
        self / total
    }

    fn log(self) -> LogProduct {
        LogProduct { order: 0, log: self.ln() }
    }

    fn caution(self) -> f64 {
        // Not a number and infinity must not pass.
        if self < f64::MAX { self.min(1.0) } else { 0.0 }
    }

    fn order_wanted(_mode: RootMode) -> i64 {
        0
    }
}

/// A weight as a power of the infinitesimal and a logarithm; the lower power outweighs the higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogWeight(LogProduct);

impl LogWeight {
    fn is_zero(self) -> bool {
        self.0.log == LogSum::ZERO
    }
}

impl Weight for LogWeight {
    const ZERO: Self = Self(LogProduct { order: 0, log: LogSum::ZERO });

    fn exp(log: f64) -> Self {
        Self(LogProduct { order: 0, log })
    }

    fn root_arc(self, mode: RootMode) -> Self {
        Self(LogProduct { order: i64::from(mode == RootMode::One), log: self.0.log })
    }

    fn total(words: Self, root: Self, _mode: RootMode) -> Self {
        words.plus(root)
    }

    fn plus(self, other: Self) -> Self {
        if other.is_zero() || (!self.is_zero() && self.0.order < other.0.order) {
            self
        } else if self.is_zero() || other.0.order < self.0.order {
            other
        } else {
            Self(LogProduct { order: self.0.order, log: LogSum::plus(self.0.log, other.0.log) })
        }
    }

    fn times(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(LogProduct { order: a.order + b.order, log: a.log + b.log })
    }

    fn over(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(LogProduct { order: a.order - b.order, log: a.log - b.log })
    }

    fn share_of(self, total: Self) -> f64 {
        if self.0.order == total.0.order { (self.0.log - total.0.log).exp() } else { 0.0 }
    }

    fn log(self) -> LogProduct {
        self.0
    }

    fn caution(self) -> f64 {
        if self.is_zero() { 0.0 } else { 1.0 }
    }

    fn order_wanted(mode: RootMode) -> i64 {
        i64::from(mode == RootMode::One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_order_outweighs_any_number() {
        let finite = LogWeight::exp(-1000.0);
        let infinitesimal = LogWeight::exp(1000.0).root_arc(RootMode::One);
        assert_eq!(finite.plus(infinitesimal), finite);
        assert_eq!(infinitesimal.plus(finite), finite);
        assert_eq!(infinitesimal.share_of(finite), 0.0);
        assert_eq!(LogWeight::ZERO.plus(infinitesimal), infinitesimal);
        assert_eq!(infinitesimal.over(infinitesimal), LogWeight::exp(0.0));
    }

    #[test]
    fn plain_numbers_out_of_range_are_not_trusted() {
        assert_eq!(f64::NAN.caution(), 0.0);
        assert_eq!(f64::INFINITY.caution(), 0.0);
        assert_eq!(7.0.caution(), 1.0);
    }
}
