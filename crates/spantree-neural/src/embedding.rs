//! Summed embeddings: a row of the output is the weighted sum of some rows of a table.
//!
//! A batch touches few rows of the table, so the gradient holds those alone.

use crate::real::Real;
use crate::simd::{self, Kernel};

/// A row of the table, and what it counts in a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summand {
    /// The row.
    pub row: u32,
    /// Its factor.
    pub weight: f32,
}

impl From<u32> for Summand {
    /// The row itself.
    fn from(row: u32) -> Self {
        Self { row, weight: 1.0 }
    }
}

/// What is summed: output row `i` is the sum of `summands[starts[i]..starts[i + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Bags<'a> {
    /// Rows of the table.
    pub summands: &'a [Summand],
    /// Where the summands of each output row begin, and where the last ones end.
    pub starts: &'a [usize],
}

impl<'a> Bags<'a> {
    /// The summands of each output row.
    fn rows(self) -> impl Iterator<Item = &'a [Summand]> {
        self.starts.windows(2).map(move |bounds| &self.summands[bounds[0]..bounds[1]])
    }
}

/// The table, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Table<'a, T> {
    /// The numbers themselves, for training.
    Exact(&'a [T]),
    /// Small integers with a scale per row: a quarter of the memory to be fetched.
    Rounded {
        /// The integers.
        values: &'a [i8],
        /// What one unit is worth in each row.
        scales: &'a [T],
    },
}

/// Writes the sums.
pub fn forward<T: Real>(table: Table<'_, T>, width: usize, bags: Bags<'_>, sums: &mut Vec<T>) {
    sums.clear();
    sums.resize((bags.starts.len() - 1) * width, T::ZERO);
    simd::run(Sums { table, width, bags, sums });
}

struct Sums<'a, T> {
    table: Table<'a, T>,
    width: usize,
    bags: Bags<'a>,
    sums: &'a mut [T],
}

impl<T: Real> Kernel for Sums<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool, const WIDE: bool>(self) {
        let width = self.width;
        for (sums, bag) in self.sums.chunks_exact_mut(width).zip(self.bags.rows()) {
            for &Summand { row, weight } in bag {
                let (row, weight) = (row as usize, T::of(weight.into()));
                match self.table {
                    Table::Exact(table) => {
                        let values = &table[row * width..][..width];
                        for i in 0..width {
                            sums[i] += weight * values[i];
                        }
                    }
                    Table::Rounded { values, scales } => {
                        let (values, scale) =
                            (&values[row * width..][..width], weight * scales[row]);
                        for i in 0..width {
                            sums[i] = T::small(values[i]).multiply_add::<FUSED>(scale, sums[i]);
                        }
                    }
                }
            }
        }
    }
}

/// Gradients of some rows of a table.
#[derive(Clone, Debug, Default)]
pub struct SparseRows<T> {
    width: usize,
    /// The rows, in the order in which they were first touched.
    touched: Vec<u32>,
    /// Their gradients, in the same order.
    values: Vec<T>,
    /// For each row of the table its place in `touched`, or [`FREE`].
    places: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl<T: Real> SparseRows<T> {
    /// No gradients yet, for a table of this size.
    #[must_use]
    pub fn new(rows: usize, width: usize) -> Self {
        Self { width, touched: Vec::new(), values: Vec::new(), places: vec![FREE; rows] }
    }

    /// Forgets all gradients.
    pub fn clear(&mut self) {
        self.touched.drain(..).for_each(|row| self.places[row as usize] = FREE);
        self.values.clear();
    }

    /// The gradient of a row, 0 if it is new.
    fn row(&mut self, row: u32) -> &mut [T] {
        let place = &mut self.places[row as usize];
        if *place == FREE {
            *place = self.touched.len() as u32;
            self.touched.push(row);
            self.values.resize(self.touched.len() * self.width, T::ZERO);
        }
        &mut self.values[*place as usize * self.width..][..self.width]
    }

    /// Adds the gradients of the sums to all rows that were summed.
    pub fn backward(&mut self, bags: Bags<'_>, dsums: &[T]) {
        for (bag, d) in bags.rows().zip(dsums.chunks_exact(self.width)) {
            for &Summand { row, weight } in bag {
                let weight = T::of(weight.into());
                self.row(row).iter_mut().zip(d).for_each(|(sum, &d)| *sum += weight * d);
            }
        }
    }

    /// Adds the gradients of other rows of the same table.
    pub fn add(&mut self, other: &Self) {
        for (&row, d) in other.touched.iter().zip(other.values.chunks_exact(self.width)) {
            self.row(row).iter_mut().zip(d).for_each(|(sum, &d)| *sum += d);
        }
    }

    /// The rows with their gradients.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[T])> {
        let rows = self.touched.iter().map(|&row| row as usize);
        rows.zip(self.values.chunks_exact(self.width.max(1)))
    }

    /// The gradients of all touched rows.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, to be scaled.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn gradients_equal_finite_differences() {
        let summands = [(2, 1.0), (0, 0.25), (2, 0.75), (3, 1.0), (3, 0.5)];
        let summands = summands.map(|(row, weight)| Summand { row, weight });
        let bags = Bags { summands: &summands, starts: &[0, 2, 2, 5] };
        let judge = random(9);
        check_gradient(&random(15), |table, gradient| {
            let mut sums = Vec::new();
            forward(Table::Exact(table), 3, bags, &mut sums);
            let mut rows = SparseRows::new(5, 3);
            rows.backward(bags, &[1.0; 9]);
            rows.clear();
            rows.backward(bags, &judge);
            for (row, d) in rows.iter() {
                gradient[row * 3..][..3].iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            }
            sums.iter().zip(&judge).map(|(y, j)| y * j).sum()
        });
    }

    #[test]
    fn rounded_tables_sum_as_exact_ones() {
        let (values, scales) = ([1_i8, -2, 127, 0, 3, -127], [0.5, 0.25]);
        let exact = [0.5, -1.0, 63.5, 0.0, 0.75, -31.75];
        let summands = [Summand { row: 0, weight: 0.5 }, 1.into(), 1.into()];
        let bags = Bags { summands: &summands, starts: &[0, 2, 2, 3] };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        forward(Table::Rounded { values: &values, scales: &scales }, 3, bags, &mut a);
        forward(Table::Exact(&exact), 3, bags, &mut b);
        assert_eq!(a, b);
    }
}
