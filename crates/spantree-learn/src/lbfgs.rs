//! Limited-memory BFGS: a minimum of a smooth function of many variables.
//!
//! [`fit`](crate::fit) calls it on the log-likelihood of a whole training set. The direction comes from the last `memory` pairs
//! of steps and gradient changes by the two-loop recursion (Nocedal 1980; Nocedal and Wright 2006, algorithm 7.4); its length
//! from bisection until the weak Wolfe conditions hold (Lewis and Overton 2013), which keeps the pairs positive.
//! For n variables: O(memory · n) time per iteration and `8 n (2 memory + 5)` bytes.

use std::collections::VecDeque;

/// Settings of the minimiser; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// Number of pairs remembered.
    pub memory: usize,
    /// Largest number of iterations.
    pub iterations: usize,
    /// Converged when `‖gradient‖ ≤ tolerance · max(1, ‖x‖)`.
    pub tolerance: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self { memory: 7, iterations: 100, tolerance: 1e-5 }
    }
}

/// Where the minimiser stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Minimum {
    /// The value of the function there.
    pub value: f64,
    /// Iterations made.
    pub iterations: usize,
    /// Evaluations of the function and its gradient.
    pub evaluations: usize,
    /// Whether the gradient is small enough; if not, iterations ran out or no step improved the value.
    pub converged: bool,
}

/// A step and the change of the gradient along it, with the inverse of their product.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

/// A place with the value and gradient there.
struct Point {
    x: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl Lbfgs {
    /// Walks from `x` to a local minimum of `function`, which fills the gradient and returns the value. After each iteration
    /// `progress` gets its number, counted from 1, and the value.
    pub fn minimise(
        &self,
        x: &mut Vec<f64>,
        mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
        mut progress: impl FnMut(usize, f64),
    ) -> Minimum {
        let mut here = Point { gradient: vec![0.0; x.len()], x: std::mem::take(x), value: 0.0 };
        here.value = function(&here.x, &mut here.gradient);
        let mut next =
            Point { x: here.x.clone(), gradient: here.gradient.clone(), value: here.value };
        let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(self.memory);
        let mut direction = Vec::with_capacity(here.x.len());
        let (mut iterations, mut evaluations) = (0, 1);
        while iterations < self.iterations && !self.is_flat(&here) && here.value.is_finite() {
            descent_direction(&here.gradient, &pairs, &mut direction);
            // Without curvature to go by, the first step has length 1 at most.
            let first = if pairs.is_empty() { 1.0 / norm(&direction).max(1.0) } else { 1.0 };
            let mut search = LineSearch { length: first, shortest: 0.0, longest: f64::INFINITY };
            let found = search.run(&here, &direction, &mut next, &mut function, &mut evaluations);
            if !found {
                break;
            }
            self.remember(&mut pairs, &here, &next);
            std::mem::swap(&mut here, &mut next);
            iterations += 1;
            progress(iterations, here.value);
        }
        let minimum =
            Minimum { value: here.value, iterations, evaluations, converged: self.is_flat(&here) };
        *x = here.x;
        minimum
    }

    fn is_flat(&self, point: &Point) -> bool {
        norm(&point.gradient) <= self.tolerance * norm(&point.x).max(1.0)
    }

    /// Adds the pair from `here` to `next`, in the memory of the oldest one when there is no room.
    fn remember(&self, pairs: &mut VecDeque<Pair>, here: &Point, next: &Point) {
        if self.memory == 0 {
            return;
        }
        let mut pair = if pairs.len() >= self.memory { pairs.pop_front() } else { None }
            .unwrap_or_else(|| Pair {
                step: Vec::with_capacity(here.x.len()),
                change: Vec::with_capacity(here.x.len()),
                inverse: 0.0,
            });
        difference(&next.x, &here.x, &mut pair.step);
        difference(&next.gradient, &here.gradient, &mut pair.change);
        pair.inverse = 1.0 / dot(&pair.step, &pair.change);
        if pair.inverse.is_finite() && pair.inverse > 0.0 {
            pairs.push_back(pair);
        }
    }
}

/// Bisection between a step that is too short and one that is too long.
struct LineSearch {
    length: f64,
    shortest: f64,
    longest: f64,
}

impl LineSearch {
    /// Sufficient decrease and curvature constants of the Wolfe conditions.
    const DECREASE: f64 = 1e-4;
    const CURVATURE: f64 = 0.9;
    const TRIALS: usize = 50;

    /// Leaves an acceptable point in `next`; false if there is none along this direction.
    fn run(
        &mut self,
        here: &Point,
        direction: &[f64],
        next: &mut Point,
        function: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
        evaluations: &mut usize,
    ) -> bool {
        let slope = dot(&here.gradient, direction);
        for _ in 0..Self::TRIALS {
            for ((next, &x), &d) in next.x.iter_mut().zip(&here.x).zip(direction) {
                *next = x + self.length * d;
            }
            next.value = function(&next.x, &mut next.gradient);
            *evaluations += 1;
            let decreased = next.value <= here.value + Self::DECREASE * self.length * slope;
            if !decreased {
                self.longest = self.length;
            } else if dot(&next.gradient, direction) < Self::CURVATURE * slope {
                self.shortest = self.length;
            } else {
                return next.value.is_finite();
            }
            self.length = if self.longest.is_finite() {
                (self.shortest + self.longest) / 2.0
            } else {
                self.length * 2.0
            };
        }
        false
    }
}

/// `−H g` with `H` the approximate inverse Hessian of the pairs.
fn descent_direction(gradient: &[f64], pairs: &VecDeque<Pair>, direction: &mut Vec<f64>) {
    direction.clear();
    direction.extend(gradient.iter().map(|g| -g));
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = pair.inverse * dot(&pair.step, direction);
        add_scaled(direction, -factor, &pair.change);
        factors.push(factor);
    }
    if let Some(last) = pairs.back() {
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, factor) in pairs.iter().zip(factors.iter().rev()) {
        let correction = pair.inverse * dot(&pair.change, direction);
        add_scaled(direction, factor - correction, &pair.step);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add_scaled(a: &mut [f64], scale: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += scale * b);
}

fn difference(a: &[f64], b: &[f64], result: &mut Vec<f64>) {
    result.clear();
    result.extend(a.iter().zip(b).map(|(a, b)| a - b));
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Lbfgs = Lbfgs { memory: 7, iterations: 200, tolerance: 1e-9 };

    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient[0] = -2.0 * a - 400.0 * x[0] * b;
        gradient[1] = 200.0 * b;
        a * a + 100.0 * b * b
    }

    #[test]
    fn rosenbrock_valley() {
        let mut x = vec![-1.2, 1.0];
        let minimum = EXACT.minimise(&mut x, rosenbrock, |_, _| {});
        assert!(minimum.converged && minimum.value < 1e-15, "{minimum:?}");
        assert!(minimum.iterations < 60, "{minimum:?}");
        assert!((x[0] - 1.0).abs() < 1e-7 && (x[1] - 1.0).abs() < 1e-7, "{x:?}");
    }

    #[test]
    fn convex_quadratic() {
        // ½ Σ (i + 1) (x_i − i)², condition number 50.
        let quadratic = |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
                let (scale, error) = ((i + 1) as f64, x - i as f64);
                *g = scale * error;
                value += scale * error * error / 2.0;
            }
            value
        };
        let mut x = vec![3.0; 50];
        let mut values = vec![f64::INFINITY];
        let minimum = EXACT.minimise(&mut x, quadratic, |iteration, value| {
            assert_eq!(iteration, values.len());
            assert!(value < values[values.len() - 1], "the value never rises");
            values.push(value);
        });
        assert!(minimum.converged && minimum.iterations < 80, "{minimum:?}");
        assert!(x.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-6));
    }

    #[test]
    fn steps_that_are_too_short_are_made_longer() {
        // The first trial, from 0 to 1, leaves 99 % of the slope.
        let mut values = Vec::new();
        let far = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = x[0] - 100.0;
            gradient[0] * gradient[0] / 2.0
        };
        assert!(EXACT.minimise(&mut vec![0.0], far, |_, value| values.push(value)).converged);
        assert!(values[0] <= 90.0 * 90.0 / 2.0, "{values:?}");
    }

    #[test]
    fn steepest_descent_without_memory_is_slower() {
        let mut x = vec![-1.2, 1.0];
        let minimum = Lbfgs { memory: 0, ..EXACT }.minimise(&mut x, rosenbrock, |_, _| {});
        assert!(!minimum.converged && minimum.iterations == 200, "{minimum:?}");
    }

    #[test]
    fn hopeless_functions_end() {
        // Unbounded, undefined, flat, empty.
        let mut x = vec![0.0];
        let unbounded = |x: &[f64], g: &mut [f64]| {
            g[0] = -1.0;
            -x[0]
        };
        assert!(!EXACT.minimise(&mut x, unbounded, |_, _| {}).converged);
        assert!(
            !EXACT
                .minimise(
                    &mut vec![1.0],
                    |_, g| {
                        g[0] = 1.0;
                        f64::NAN
                    },
                    |_, _| {}
                )
                .converged
        );
        assert_eq!(EXACT.minimise(&mut vec![1.0], |_, _| 5.0, |_, _| {}).iterations, 0);
        assert!(EXACT.minimise(&mut Vec::new(), |_, _| 5.0, |_, _| {}).converged);
        // A wall at x > 1, beyond which nothing is finite, is no obstacle to the minimum before it.
        let wall = |x: &[f64], g: &mut [f64]| {
            g[0] = -1.0 / (2.0 - x[0]) + 1.0 / (1.0 - x[0]);
            (2.0 - x[0]).ln() - (1.0 - x[0]).ln() + 0.0 * x[0]
        };
        let mut x = vec![0.9];
        EXACT.minimise(&mut x, wall, |_, _| {});
        assert!(x[0] < 0.9 && x[0].is_finite());
    }
}
