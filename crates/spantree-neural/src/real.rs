//! The numbers that layers compute with: `f32` in use, `f64` where gradients are checked.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

/// A floating-point number.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number.
    fn of(value: f64) -> Self;
    /// The same number.
    fn small(value: i8) -> Self;
    /// The same number in double precision.
    fn wide(self) -> f64;
    /// `self · factor + sum`, rounded once if `FUSED`: fast where the processor has such an instruction, slow elsewhere.
    fn multiply_add<const FUSED: bool>(self, factor: Self, sum: Self) -> Self;
    /// The exponential function, in a form that compilers turn into vector instructions.
    fn exp(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;

    /// The logistic function 1 / (1 + e⁻ˣ).
    #[inline(always)]
    fn logistic(self) -> Self {
        Self::ONE / (Self::ONE + (-self).exp())
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn small(value: i8) -> Self {
        value.into()
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn multiply_add<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
        if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
    }

    #[inline(always)]
    fn exp(self) -> Self {
        f64::exp(self)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn small(value: i8) -> Self {
        value.into()
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn multiply_add<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
        if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
    }

    /// Relative error below 4·10⁻⁷ on [−87, 87]; outside, the value at the nearer end. `2^k · p(r)` with |r| ≤ ln 2 / 2.
    #[inline(always)]
    fn exp(self) -> Self {
        let x = self.clamp(-87.0, 87.0);
        // Adding 1.5 · 2²³ rounds to an integer, which is then in the low bits.
        let shifted = x * std::f32::consts::LOG2_E + 12_582_912.0;
        let power = shifted - 12_582_912.0;
        let r = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
        let mut p = 1.0 / 720.0 + r * (1.0 / 5040.0);
        p = p * r + 1.0 / 120.0;
        p = p * r + 1.0 / 24.0;
        p = p * r + 1.0 / 6.0;
        p = p * r + 0.5;
        p = p * r * r + r + 1.0;
        let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
        p * scale
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_accurate() {
        for step in -8600..=8600 {
            let x = step as f32 / 100.0;
            let error = (f64::from(Real::exp(x)) / f64::from(x).exp() - 1.0).abs();
            assert!(error < 4e-7, "exp({x}) is off by {error}");
        }
        assert!(Real::exp(-1000.0f32) < 1e-37);
        assert!(Real::exp(1000.0f32) > 1e37);
        assert_eq!(Real::exp(0.0f32), 1.0);
    }

    #[test]
    fn the_logistic_function_is_symmetric() {
        for step in -50..=50 {
            let x = step as f32 / 5.0;
            assert!((x.logistic() + (-x).logistic() - 1.0).abs() < 1e-6);
        }
    }
}
