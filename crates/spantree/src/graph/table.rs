//! Tables of hashed weights, as they are in training (`f32`) and in a model file (16-bit integers with one scale).

use crate::feature::hash::position;
use crate::feature::{ArcFeature, ArcShape};

/// A weight that sums without loss of order: 16-bit weights sum exactly, so their sums do not depend on the order.
pub trait Weight: Copy {
    /// Type of sums.
    type Sum: Copy + Default + PartialOrd + std::ops::Add<Output = Self::Sum> + std::ops::AddAssign;
    /// The weight as a sum of one.
    fn widen(self) -> Self::Sum;
    /// A sum as a number, before scaling.
    fn to_f32(sum: Self::Sum) -> f32;
}

impl Weight for f32 {
    type Sum = f32;
    #[inline]
    fn widen(self) -> f32 {
        self
    }
    #[inline]
    fn to_f32(sum: f32) -> f32 {
        sum
    }
}

impl Weight for i16 {
    type Sum = i32;
    #[inline]
    fn widen(self) -> i32 {
        self.into()
    }
    #[inline]
    fn to_f32(sum: i32) -> f32 {
        sum as f32
    }
}

/// A table of `2^bits` weights.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a, W> {
    weights: &'a [W],
    bits: u32,
    /// What one unit of a sum is worth.
    pub scale: f32,
}

impl<'a, W: Weight> Table<'a, W> {
    /// The table over these weights, whose number must be a power of two.
    #[must_use]
    pub fn new(weights: &'a [W], scale: f32) -> Self {
        assert!(weights.len().is_power_of_two(), "{} weights", weights.len());
        Self { weights, bits: weights.len().trailing_zeros(), scale }
    }

    /// Binary logarithm of the number of weights.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The scaled sum of the weights at these positions, each XOR `mask`.
    #[inline]
    #[must_use]
    pub fn sum(&self, positions: &[u32], mask: u32) -> f32 {
        let mut sum = W::Sum::default();
        for &position in positions {
            sum += self.at(position ^ mask);
        }
        self.scale * W::to_f32(sum)
    }

    /// The position of a feature.
    #[inline]
    #[must_use]
    pub fn position(&self, sum: u32) -> u32 {
        position(sum, self.bits)
    }

    /// The weight at a position.
    #[inline]
    #[must_use]
    pub fn at(&self, position: u32) -> W::Sum {
        self.weights[position as usize].widen()
    }

    /// The summed weight of the copies of a feature on an arc.
    #[inline]
    #[must_use]
    pub fn feature(&self, feature: ArcFeature, arc: ArcShape) -> W::Sum {
        let position = self.position(feature.sum);
        let mut sum = W::Sum::default();
        for mask in feature.copies.masks(arc) {
            sum += self.at(position ^ mask);
        }
        sum
    }
}
