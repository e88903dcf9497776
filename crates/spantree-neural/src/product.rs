//! Products of matrices.
//!
//! `C += A · B`, or `C = A · B + b` with one row `b` added to all, with `B` packed beforehand: weights are packed once and used
//! for many batches. The left matrix is cut into blocks of six rows, the right one into panels of sixteen columns, both stored
//! in the order in which a tile of `C` reads them. A tile, held in twelve registers, is a block times a panel, or two panels
//! where registers are wide. Every entry of `C` is one sum in the order of the inner index, whatever the shapes, so a row of the
//! product does not depend on the rows around it.
//!
//! Rows are taken in slices so that the part of `C` at hand stays in the first level of address translation and in the cache.
//!
//! Cost: 2·m·n·k operations; packing reads and writes each matrix once.

use std::ops::Range;

use crate::real::Real;
use crate::simd::{self, Kernel};

/// Rows of a tile.
const HEIGHT: usize = 6;
/// Rows of a lower tile, for the last few rows: fewer would not be faster, as each sum waits for the one before.
const LOW: usize = 4;
/// Rows of the lowest tile, which has more panels instead: recurrent layers multiply few rows at the end of sentences.
const LOWEST: usize = 2;
const LOWEST_PANELS: usize = 3;
/// Columns of a tile.
const WIDTH: usize = 16;
/// Rows of a slice, a multiple of those of a tile.
const SLICE: usize = 48;
const _: () = assert!(SLICE.is_multiple_of(HEIGHT));

/// A matrix in a slice: entry (row, column) is at `row · row_step + column · column_step`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    row_step: usize,
    column_step: usize,
}

impl<'a, T: Real> View<'a, T> {
    /// A matrix stored row by row, without gaps.
    ///
    /// # Panics
    /// If the slice is too short.
    #[must_use]
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Self {
        Self::part(data, rows, columns, columns)
    }

    /// The first `columns` columns of a matrix whose rows begin `step` apart.
    ///
    /// # Panics
    /// If the slice is too short.
    #[must_use]
    pub fn part(data: &'a [T], rows: usize, columns: usize, step: usize) -> Self {
        assert!(rows == 0 || (rows - 1) * step + columns <= data.len());
        Self { data, rows, columns, row_step: step, column_step: 1 }
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
        }
    }
}

/// A right-hand matrix, packed; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Packed<T> {
    inner: usize,
    columns: usize,
    panels: Vec<T>,
}

impl<T: Real> Packed<T> {
    /// Packs a matrix; memory is kept.
    pub fn pack(&mut self, matrix: View<'_, T>) {
        (self.inner, self.columns) = (matrix.rows, matrix.columns);
        pack::<T, WIDTH>(matrix.transposed(), &mut self.panels);
    }

    /// Number of rows.
    #[must_use]
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }
}

/// Cuts the rows of a matrix into blocks of `N` and stores each block column by column, missing rows as zeros.
fn pack<T: Real, const N: usize>(matrix: View<'_, T>, blocks: &mut Vec<T>) {
    let View { rows, columns, .. } = matrix;
    blocks.resize(rows.div_ceil(N) * N * columns, T::ZERO);
    let (cells, _) = blocks.as_chunks_mut::<N>();
    for (index, block) in cells.chunks_exact_mut(columns.max(1)).enumerate() {
        let first = index * N;
        let height = N.min(rows - first);
        if height < N {
            block.fill([T::ZERO; N]);
        }
        if matrix.row_step == 1 {
            for (column, cells) in block.iter_mut().enumerate() {
                let start = first + column * matrix.column_step;
                match matrix.data[start..].first_chunk() {
                    Some(whole) if height == N => *cells = *whole,
                    _ => cells[..height].copy_from_slice(&matrix.data[start..start + height]),
                }
            }
        } else {
            for row in 0..height {
                let start = (first + row) * matrix.row_step;
                let values = matrix.data[start..].iter().step_by(matrix.column_step);
                block.iter_mut().zip(values).for_each(|(cells, &value)| cells[row] = value);
            }
        }
    }
}

/// Memory for the packed left matrix, kept by the caller between products.
#[derive(Clone, Debug, Default)]
pub struct ProductScratch<T> {
    blocks: Vec<T>,
    /// A right-hand matrix that is used once.
    packed: Packed<T>,
}

/// Adds `a · b` to `c`, whose rows begin `step` apart.
///
/// # Panics
/// If the shapes do not fit each other or `c`.
pub fn add_product<T: Real>(
    a: View<'_, T>,
    b: &Packed<T>,
    c: &mut [T],
    step: usize,
    scratch: &mut ProductScratch<T>,
) {
    multiply(a, b, (c, step), None, &mut scratch.blocks);
}

/// Writes `a · b`, with `bias` added to every row, to `c`, whose rows have no gaps.
///
/// # Panics
/// If the shapes do not fit each other, `bias` or `c`.
pub fn write_product<T: Real>(
    a: View<'_, T>,
    b: &Packed<T>,
    bias: &[T],
    c: &mut [T],
    scratch: &mut ProductScratch<T>,
) {
    assert_eq!(bias.len(), b.columns, "the bias of a product");
    multiply(a, b, (c, b.columns), Some(bias), &mut scratch.blocks);
}

/// Adds `a · b` to `c` for a matrix `b` that is not packed.
///
/// # Panics
/// If the shapes do not fit each other or `c`.
pub fn add_product_once<T: Real>(
    a: View<'_, T>,
    b: View<'_, T>,
    c: &mut [T],
    step: usize,
    scratch: &mut ProductScratch<T>,
) {
    scratch.packed.pack(b);
    multiply(a, &scratch.packed, (c, step), None, &mut scratch.blocks);
}

fn multiply<T: Real>(
    a: View<'_, T>,
    b: &Packed<T>,
    (c, step): (&mut [T], usize),
    bias: Option<&[T]>,
    blocks: &mut Vec<T>,
) {
    assert_eq!(a.columns, b.inner, "the inner sizes of a product");
    assert!(a.rows == 0 || (a.rows - 1) * step + b.columns <= c.len(), "the place for a product");
    pack::<T, HEIGHT>(a, blocks);
    simd::run(Product { a: blocks, b, c, rows: a.rows, step, bias });
}

struct Product<'a, T> {
    a: &'a [T],
    b: &'a Packed<T>,
    c: &'a mut [T],
    rows: usize,
    step: usize,
    /// What replaces the old `c`, if anything.
    bias: Option<&'a [T]>,
}

impl<T: Real> Kernel for Product<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(mut self) {
        let panels = self.b.columns.div_ceil(WIDTH);
        let tail = self.rows % HEIGHT;
        let end = if tail <= LOWEST { self.rows - tail } else { self.rows };
        for first in (0..end).step_by(SLICE) {
            let rows = first..(first + SLICE).min(end);
            let mut done = 0;
            if WIDE {
                while done + 2 <= panels {
                    self.panels::<FUSED, 2>(rows.clone(), done);
                    done += 2;
                }
            }
            for panel in done..panels {
                self.panels::<FUSED, 1>(rows.clone(), panel);
            }
        }
        if end < self.rows {
            let together = panels - panels % LOWEST_PANELS;
            for panel in (0..together).step_by(LOWEST_PANELS) {
                self.tile::<FUSED, LOWEST_PANELS, LOWEST>(end, panel);
            }
            for panel in together..panels {
                self.tile::<FUSED, 1, LOWEST>(end, panel);
            }
        }
    }
}

impl<T: Real> Product<'_, T> {
    /// Multiplies some rows, the first of them at the start of a block, with `N` panels, from this one on.
    #[inline(always)]
    fn panels<const FUSED: bool, const N: usize>(&mut self, rows: Range<usize>, panel: usize) {
        for first in rows.step_by(HEIGHT) {
            if self.rows - first <= LOW {
                self.tile::<FUSED, N, LOW>(first, panel);
            } else {
                self.tile::<FUSED, N, HEIGHT>(first, panel);
            }
        }
    }

    /// Multiplies the first rows of the block that begins at this row with `N` panels.
    #[inline(always)]
    fn tile<const FUSED: bool, const N: usize, const ROWS: usize>(
        &mut self,
        first: usize,
        panel: usize,
    ) {
        let inner = self.b.inner;
        let left = self.a[first * inner..][..HEIGHT * inner].as_chunks().0;
        let right: [_; N] = std::array::from_fn(|next| {
            self.b.panels[(panel + next) * WIDTH * inner..][..WIDTH * inner].as_chunks().0
        });
        self.store(first, panel, &tiles::<T, FUSED, N, ROWS>(left, right));
    }

    /// Adds tiles to their places, which begin at this row and panel.
    #[inline(always)]
    fn store<const N: usize, const ROWS: usize>(
        &mut self,
        first: usize,
        panel: usize,
        tiles: &[[[T; WIDTH]; ROWS]; N],
    ) {
        for (tile, panel) in tiles.iter().zip(panel..) {
            let columns = panel * WIDTH..((panel + 1) * WIDTH).min(self.b.columns);
            let bias = self.bias.map(|bias| &bias[columns.clone()]);
            for (row, sums) in tile.iter().enumerate().take(self.rows - first) {
                let start = (first + row) * self.step;
                store(sums, bias, &mut self.c[start + columns.start..start + columns.end]);
            }
        }
    }
}

/// Adds a row of a tile to its place or to the bias; both are narrower at the right edge.
#[inline(always)]
fn store<T: Real>(sums: &[T; WIDTH], bias: Option<&[T]>, target: &mut [T]) {
    let bias = bias.map(|bias| (bias, bias.first_chunk::<WIDTH>()));
    match (bias, target.first_chunk_mut::<WIDTH>()) {
        (Some((_, Some(bias))), Some(target)) => {
            for column in 0..WIDTH {
                target[column] = bias[column] + sums[column];
            }
        }
        (None, Some(target)) => {
            for column in 0..WIDTH {
                target[column] += sums[column];
            }
        }
        (bias, _) => {
            bias.into_iter().for_each(|(bias, _)| target.copy_from_slice(bias));
            target.iter_mut().zip(sums).for_each(|(cell, &sum)| *cell += sum);
        }
    }
}

/// The products of the first rows of a block and one to three panels.
#[inline(always)]
fn tiles<T: Real, const FUSED: bool, const N: usize, const ROWS: usize>(
    left: &[[T; HEIGHT]],
    right: [&[[T; WIDTH]]; N],
) -> [[[T; WIDTH]; ROWS]; N] {
    let mut tiles = [[[T::ZERO; WIDTH]; ROWS]; N];
    let right = right.map(|panel| &panel[..left.len()]);
    for (index, left) in left.iter().enumerate() {
        // Not a loop: compilers would keep it, and the tiles in memory.
        add_outer_product::<T, FUSED, ROWS>(left, &right[0][index], &mut tiles[0]);
        if N > 1 {
            add_outer_product::<T, FUSED, ROWS>(left, &right[1][index], &mut tiles[1]);
        }
        if N > 2 {
            add_outer_product::<T, FUSED, ROWS>(left, &right[2][index], &mut tiles[2]);
        }
    }
    tiles
}

#[inline(always)]
fn add_outer_product<T: Real, const FUSED: bool, const ROWS: usize>(
    left: &[T; HEIGHT],
    right: &[T; WIDTH],
    tile: &mut [[T; WIDTH]; ROWS],
) {
    for row in 0..ROWS {
        for column in 0..WIDTH {
            tile[row][column] = left[row].multiply_add::<FUSED>(right[column], tile[row][column]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;
    use crate::simd::Instructions;

    fn random(rng: &mut Rng, len: usize) -> Vec<f32> {
        let mut values = vec![0.0; len];
        rng.fill(&mut values, 1.0);
        values
    }

    #[test]
    fn products_equal_the_definition_for_all_small_shapes() {
        let mut rng = Rng::new(1);
        let mut scratch = ProductScratch::default();
        for (m, n, k) in [
            (1, 1, 1),
            (2, 3, 4),
            (6, 16, 5),
            (7, 17, 9),
            (13, 33, 1),
            (5, 40, 64),
            (0, 3, 2),
            (3, 2, 0),
            (2, 70, 9),
            (8, 48, 7),
        ] {
            let (a, b) = (random(&mut rng, m * k), random(&mut rng, k * n));
            let expected = |i: usize, j: usize| -> f64 {
                (0..k).map(|x| f64::from(a[i * k + x]) * f64::from(b[x * n + j])).sum()
            };
            let mut c = vec![1.0f32; m * n];
            add_product_once(View::new(&a, m, k), View::new(&b, k, n), &mut c, n, &mut scratch);
            let mut packed = Packed::default();
            packed.pack(View::new(&b, k, n));
            let mut written = vec![7.0f32; m * n];
            let ones = vec![1.0; n];
            write_product(View::new(&a, m, k), &packed, &ones, &mut written, &mut scratch);
            let close = |(x, y): (&f32, &f32)| (x - y).abs() < 1e-5;
            assert!(c.iter().zip(&written).all(close), "{m} {n} {k}");
            // The transposed product: (B' · A')'.
            let mut d = vec![1.0f32; m * n];
            let (bt, at) = (View::new(&b, k, n).transposed(), View::new(&a, m, k).transposed());
            add_product_once(bt, at, &mut d, m, &mut scratch);
            for i in 0..m {
                for j in 0..n {
                    let sum = 1.0 + expected(i, j);
                    assert!((f64::from(c[i * n + j]) - sum).abs() < 1e-5, "{m} {n} {k}");
                    assert!((f64::from(d[j * m + i]) - sum).abs() < 1e-5, "{m} {n} {k}");
                }
            }
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_other_rows() {
        let (rows, inner, columns) = (29, 50, 37);
        let mut rng = Rng::new(2);
        let (a, b) = (random(&mut rng, rows * inner), random(&mut rng, inner * columns));
        let mut packed = Packed::default();
        packed.pack(View::new(&b, inner, columns));
        let mut scratch = ProductScratch::default();
        let mut all = vec![0.0; rows * columns];
        add_product(View::new(&a, rows, inner), &packed, &mut all, columns, &mut scratch);
        for row in 0..rows {
            let mut one = vec![0.0; columns];
            let left = View::new(&a[row * inner..], 1, inner);
            add_product(left, &packed, &mut one, columns, &mut scratch);
            assert_eq!(one, all[row * columns..][..columns], "bit for bit");
        }
    }

    #[test]
    fn all_instructions_agree_those_with_fused_sums_bit_for_bit() {
        let mut rng = Rng::new(3);
        for (rows, inner, columns) in [(9, 70, 21), (1, 33, 16), (13, 5, 48), (6, 1, 64), (7, 9, 5)]
        {
            let (a, b) = (random(&mut rng, rows * inner), random(&mut rng, inner * columns));
            let mut packed = Packed::default();
            packed.pack(View::new(&b, inner, columns));
            let [plain, eight, sixteen] = Instructions::ALL.map(|limit| {
                let (mut c, mut scratch) = (vec![0.5; rows * columns], ProductScratch::default());
                let a = View::new(&a, rows, inner);
                simd::limited_to(limit, || add_product(a, &packed, &mut c, columns, &mut scratch));
                c
            });
            assert_eq!(eight, sixteen, "{rows} {inner} {columns}");
            let close = |(x, y): (&f32, &f32)| (x - y).abs() < 1e-5;
            assert!(plain.iter().zip(&eight).all(close), "{rows} {inner} {columns}");
        }
    }
}
