//! Hildreth's method: the shortest vector that satisfies linear inequalities, by coordinate ascent on the dual.
//!
//! Given `a_i` and `b_i`, minimise `‖δ‖` such that `a_i · δ ≥ b_i`. The solution is `δ = Σ α_i a_i` with `α_i ≥ 0`; each step
//! moves the coordinate that violates the KKT conditions most to its optimum,
//!
//! ```text
//! α_i = max(0, α_i + (b_i − a_i · δ) / ‖a_i‖²)
//! ```
//!
//! until no violation exceeds 10⁻⁸, or for 10,000 steps (contradictory constraints have no solution). Steps cost O(k).
//! Hildreth 1957; Censor and Zenios 1997, §6.5; constants of the MIRA parser of McDonald, Crammer and Pereira.

const TOLERANCE: f64 = 1e-8;
const MAX_STEPS: usize = 10_000;

/// Fills `alpha` for k constraints from the k × k matrix `gram` of `a_i · a_j`. `residuals` holds `b` on entry and
/// `b_i − a_i · δ` on return. The diagonal of `gram` must be positive.
pub(super) fn hildreth(gram: &[f64], residuals: &mut [f64], alpha: &mut Vec<f64>) {
    let k = residuals.len();
    alpha.clear();
    alpha.resize(k, 0.0);
    for _ in 0..MAX_STEPS {
        let Some(worst) = most_violated(residuals, alpha) else { return };
        let row = &gram[worst * k..(worst + 1) * k];
        let step = (residuals[worst] / row[worst]).max(-alpha[worst]);
        alpha[worst] += step;
        for (residual, product) in residuals.iter_mut().zip(row) {
            *residual -= step * product;
        }
    }
}

/// The constraint furthest from its KKT condition, if it is further than the tolerance: an active one must hold with
/// equality, the others must hold.
fn most_violated(residuals: &[f64], alpha: &[f64]) -> Option<usize> {
    let violation =
        |(&residual, &alpha): (&f64, &f64)| if alpha > 0.0 { residual.abs() } else { residual };
    let violations = residuals.iter().zip(alpha).map(violation).enumerate();
    let worst = violations
        .filter(|&(_, violation)| violation > TOLERANCE)
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(worst.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn one_constraint_is_the_closed_form() {
        let mut alpha = Vec::new();
        hildreth(&[5.0], &mut [3.0], &mut alpha);
        assert_eq!(alpha, [3.0 / 5.0]);
        hildreth(&[5.0], &mut [-3.0], &mut alpha);
        assert_eq!(alpha, [0.0]);
    }

    #[test]
    fn two_constraints_by_hand() {
        // a₁ = (1, 0), a₂ = (1, 1), b = (1, 3): the first is implied; δ = α₂ a₂ with 2 α₂ = 3.
        let mut alpha = Vec::new();
        hildreth(&[1.0, 1.0, 1.0, 2.0], &mut [1.0, 3.0], &mut alpha);
        assert!(alpha[0].abs() < 1e-7 && (alpha[1] - 1.5).abs() < 1e-7, "{alpha:?}");
        // b = (2, 1): now the second is implied.
        hildreth(&[1.0, 1.0, 1.0, 2.0], &mut [2.0, 1.0], &mut alpha);
        assert!((alpha[0] - 2.0).abs() < 1e-7 && alpha[1].abs() < 1e-7, "{alpha:?}");
    }

    #[test]
    fn no_active_set_does_better() {
        let mut rng = Rng::new(4);
        for _ in 0..300 {
            let a: Vec<[f64; 4]> =
                (0..3).map(|_| std::array::from_fn(|_| rng.uniform() * 4.0 - 1.0)).collect();
            let b: Vec<f64> = (0..3).map(|_| rng.uniform() * 3.0 - 1.0).collect();
            let gram: Vec<f64> = (0..9).map(|cell| dot(&a[cell / 3], &a[cell % 3])).collect();
            let (mut residuals, mut alpha) = (b.clone(), Vec::new());
            hildreth(&gram, &mut residuals, &mut alpha);
            assert!(
                residuals.iter().all(|&residual| residual < 1e-6),
                "constraint broken by {residuals:?}"
            );
            let squared: f64 =
                (0..9).map(|cell| alpha[cell / 3] * alpha[cell % 3] * gram[cell]).sum();
            let best = shortest_by_enumeration(&gram, &b);
            assert!((squared - best).abs() < 1e-5 * (1.0 + best), "{squared} against {best}");
        }
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    /// Squared length of the solution: the best of the feasible solutions over all sets of constraints held with equality.
    fn shortest_by_enumeration(gram: &[f64], b: &[f64]) -> f64 {
        (0..8_usize)
            .filter_map(|active| equality_solution(gram, b, active))
            .fold(f64::INFINITY, f64::min)
    }

    fn equality_solution(gram: &[f64], b: &[f64], active: usize) -> Option<f64> {
        let rows: Vec<usize> = (0..3).filter(|&row| active >> row & 1 == 1).collect();
        let mut system: Vec<Vec<f64>> = rows
            .iter()
            .map(|&r| rows.iter().map(|&c| gram[r * 3 + c]).chain([b[r]]).collect())
            .collect();
        for pivot in 0..rows.len() {
            for row in 0..rows.len() {
                if row != pivot {
                    let factor = system[row][pivot] / system[pivot][pivot];
                    for column in 0..=rows.len() {
                        system[row][column] -= factor * system[pivot][column];
                    }
                }
            }
        }
        let mut alpha = [0.0; 3];
        for (position, &row) in rows.iter().enumerate() {
            alpha[row] = system[position][rows.len()] / system[position][position];
        }
        let feasible = (0..3).all(|row| dot(&gram[row * 3..row * 3 + 3], &alpha) >= b[row] - 1e-9);
        feasible.then(|| (0..9).map(|cell| alpha[cell / 3] * alpha[cell % 3] * gram[cell]).sum())
    }

    #[test]
    fn contradictions_and_nan_end() {
        let mut alpha = Vec::new();
        hildreth(&[1.0, -1.0, -1.0, 1.0], &mut [1.0, 1.0], &mut alpha);
        assert!(alpha.iter().all(|a| a.is_finite()));
        hildreth(&[1.0], &mut [f64::NAN], &mut alpha);
        hildreth(&[], &mut [], &mut alpha);
        assert!(alpha.is_empty());
    }
}
