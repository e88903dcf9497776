//! Tables of hashed weights, as they are in training (`f32`) and in a model file (16-bit integers with one scale).

use crate::feature::hash::position;
use crate::feature::{ArcShape, Copies, GROUP};

/// A weight that sums without loss of order: 16-bit weights sum exactly, so their sums do not depend on the order.
pub trait Weight: Copy {
    /// Type of sums.
    type Sum: Copy
        + Default
        + std::fmt::Debug
        + PartialOrd
        + std::ops::Add<Output = Self::Sum>
        + std::ops::AddAssign;
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
}

/// A table of arc weights, in which every feature owns a group.
///
/// In training a group has [`GROUP`] weights, one per copy. When all templates have the copies `bare` and `direction`, a model
/// holds *folded* groups of two, rightward and leftward, each with the bare weight added: half the memory, half the look-ups.
#[derive(Clone, Copy, Debug)]
pub struct ArcGroups<'a, W> {
    table: Table<'a, W>,
    folded: bool,
}

impl<'a, W: Weight> ArcGroups<'a, W> {
    /// The groups in these weights, whose number must be a power of two and at least one group.
    #[must_use]
    pub fn new(weights: &'a [W], scale: f32, folded: bool) -> Self {
        assert!(weights.len() >= GROUP as usize, "{} weights", weights.len());
        Self { table: Table::new(weights, scale), folded }
    }

    /// The table of the groups.
    #[must_use]
    pub fn table(&self) -> Table<'a, W> {
        self.table
    }

    /// What one unit of a sum is worth.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.table.scale
    }

    /// The sum of the weights of features with these copies on an arc; features are sums of sides.
    #[inline]
    #[must_use]
    pub fn sum(&self, features: &[u32], copies: Copies, arc: ArcShape) -> W::Sum {
        let mut sum = W::Sum::default();
        if self.folded {
            for &feature in features {
                sum += self.table.at(self.table.position(feature) & !1 | u32::from(arc.leftward));
            }
        } else {
            for (turn, place) in copies.places(arc) {
                for &feature in features {
                    sum += self.table.at(group_position(
                        feature.wrapping_add(turn),
                        place,
                        self.table.bits,
                    ));
                }
            }
        }
        sum
    }
}

/// The position of a weight of a feature in a table of `2^bits` weights that is not folded.
#[inline]
#[must_use]
pub fn group_position(feature: u32, place: u32, bits: u32) -> u32 {
    position(feature, bits) & !(GROUP - 1) | place
}

/// Folds groups of [`GROUP`] weights into groups of two; see [`ArcGroups`].
#[must_use]
pub fn fold(weights: &[f32]) -> Vec<f32> {
    let groups = weights.chunks_exact(GROUP as usize);
    groups.flat_map(|group| [group[0] + group[1], group[0] + group[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_groups_give_the_same_sums() {
        let weights: Vec<f32> = (0..64).map(|i| (i * i % 37) as f32).collect();
        let folded = fold(&weights);
        assert_eq!(folded.len(), 32);
        let copies = Copies { bare: true, direction: true, distance: false };
        let features: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        for shape in ArcShape::all() {
            let whole = ArcGroups::new(&weights, 1.0, false).sum(&features, copies, shape);
            assert_eq!(ArcGroups::new(&folded, 1.0, true).sum(&features, copies, shape), whole);
        }
    }
}
