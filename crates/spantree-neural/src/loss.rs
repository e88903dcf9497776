//! Losses: from scores and the right answer to a number and the gradient of the scores.

use crate::real::Real;

/// Cross-entropy of the softmax over one row of scores, without the choice `barred`.
///
/// Writes the gradient, times `weight`, and returns the loss, −ln of the probability of `gold`. A gold choice that does not
/// exist or is barred costs nothing and teaches nothing.
pub fn cross_entropy<T: Real>(
    scores: &[T],
    gold: usize,
    barred: Option<usize>,
    weight: T,
    gradient: &mut [T],
) -> f64 {
    if gold >= scores.len() || barred == Some(gold) {
        gradient.fill(T::ZERO);
        return 0.0;
    }
    let allowed = |choice: usize| barred != Some(choice);
    let largest = (0..scores.len())
        .filter(|&choice| allowed(choice))
        .fold(scores[gold], |max, choice| if scores[choice] > max { scores[choice] } else { max });
    let mut sum = T::ZERO;
    for (choice, (&score, d)) in scores.iter().zip(&mut *gradient).enumerate() {
        *d = if allowed(choice) { (score - largest).exp() } else { T::ZERO };
        sum += *d;
    }
    let factor = weight / sum;
    gradient.iter_mut().for_each(|d| *d *= factor);
    gradient[gold] = gradient[gold] - weight;
    sum.wide().ln() - (scores[gold] - largest).wide()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, random};

    #[test]
    fn gradients_equal_finite_differences() {
        for barred in [None, Some(1)] {
            check_gradient(&random(5), |scores, gradient| {
                let mut d = [0.0; 5];
                let loss = cross_entropy(scores, 3, barred, 0.5, &mut d);
                gradient.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
                0.5 * loss
            });
        }
    }

    #[test]
    fn impossible_answers_teach_nothing() {
        let mut gradient = [1.0; 3];
        assert_eq!(cross_entropy(&[1.0, 2.0, 3.0], 7, None, 1.0, &mut gradient), 0.0);
        assert_eq!(gradient, [0.0; 3]);
        assert_eq!(cross_entropy(&[1.0, 2.0, 3.0], 1, Some(1), 1.0, &mut gradient), 0.0);
    }

    #[test]
    fn equal_scores_cost_the_logarithm_of_their_number() {
        let mut gradient = [0.0; 4];
        let loss = cross_entropy(&[2.0; 4], 0, Some(2), 1.0, &mut gradient);
        assert!((loss - 3.0_f64.ln()).abs() < 1e-12);
    }
}
