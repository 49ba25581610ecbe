//! Non-negative least squares from normal equations.

use faer::{Mat, MatRef};

use crate::linalg::small::PsdSolver;

/// Minimises `c^T G c - 2 r^T c` over `c >= 0` for a symmetric positive semi-definite `G` and any number of `r`.
///
/// The unconstrained solution comes first: for the coefficients of a well-separated model it is mostly the answer, and `G` is
/// factorised once for all. Otherwise the active-set method of Lawson and Hanson goes on from a guess, or from the signs
/// of that solution. Cost `O(n^3)`, and as much again per change of the active set.
pub(crate) struct Nnls {
    g: Mat<f64>,
    free: PsdSolver,
}

impl Nnls {
    pub(crate) fn new(g: Mat<f64>) -> Nnls {
        let free = PsdSolver::new(g.as_ref());
        Nnls { g, free }
    }

    /// The answer for one `r`; the answer to a similar problem is a good guess: mostly the same entries are zero.
    pub(crate) fn solve(&self, r: &[f64], guess: Option<&[f64]>) -> Vec<f64> {
        let free = self.free.solve(MatRef::from_column_major_slice(r, r.len(), 1));
        let free = free.col_as_slice(0);
        if free.iter().all(|&c| c >= 0.0) {
            return free.to_vec();
        }
        let g = self.g.as_ref();
        let all: Vec<usize> = (0..r.len()).filter(|&i| g[(i, i)] > 0.0).collect();
        let guess = guess.unwrap_or(free);
        // Feasible, and made optimal on the set where it is positive by the inner loop.
        let mut c = vec![0.0; r.len()];
        all.iter().for_each(|&i| c[i] = guess[i].max(0.0));
        let passive = all.iter().copied().filter(|&i| c[i] > 0.0).collect();
        improve(g, r, &all, passive, c)
    }
}

/// Goes on from a feasible `c`, positive on the passive set only, to the optimum.
fn improve(
    g: MatRef<'_, f64>,
    r: &[f64],
    all: &[usize],
    mut passive: Vec<usize>,
    mut c: Vec<f64>,
) -> Vec<f64> {
    let n = r.len();
    let scale = r.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for _ in 0..3 * n + 3 {
        settle(g, r, &mut passive, &mut c);
        // Entries that want to become positive: gradient of the free problem.
        let gradient = |i: usize| r[i] - g.col(i).iter().zip(&c).map(|(g, c)| g * c).sum::<f64>();
        let best = all
            .iter()
            .filter(|i| !passive.contains(i))
            .map(|&i| (i, gradient(i)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        match best {
            Some((i, slope)) if slope > 1e-13 * scale => {
                passive.push(i);
                passive.sort_unstable();
            }
            _ => break,
        }
    }
    c
}

/// Moves `c` to the optimum on the passive set, dropping entries that would turn negative.
fn settle(g: MatRef<'_, f64>, r: &[f64], passive: &mut Vec<usize>, c: &mut [f64]) {
    for _ in 0..=r.len() {
        let target = solve_on(g, r, passive);
        let step = passive
            .iter()
            .zip(&target)
            .filter(|(_, t)| **t <= 0.0)
            .map(|(&i, &t)| c[i] / (c[i] - t).max(f64::MIN_POSITIVE))
            .fold(1.0f64, f64::min);
        let keep: Vec<bool> = passive
            .iter()
            .zip(&target)
            .map(|(&i, &t)| {
                c[i] += step * (t - c[i]);
                // At the limiting step an entry that heads below zero stands at zero.
                t > 0.0 || c[i] > 1e-14 * (c[i] - t).abs()
            })
            .collect();
        let all_kept = keep.iter().all(|&k| k);
        passive.iter().zip(&keep).filter(|(_, k)| !**k).for_each(|(&i, _)| c[i] = 0.0);
        let mut flags = keep.into_iter();
        passive.retain(|_| flags.next().unwrap_or(true));
        if all_kept && step >= 1.0 {
            break;
        }
    }
    for (i, value) in c.iter_mut().enumerate() {
        if !passive.contains(&i) {
            *value = 0.0;
        }
    }
}

fn solve_on(g: MatRef<'_, f64>, r: &[f64], set: &[usize]) -> Vec<f64> {
    let m = set.len();
    let rhs = Mat::from_fn(m, 1, |i, _| r[set[i]]);
    let solver = PsdSolver::new(Mat::from_fn(m, m, |i, j| g[(set[i], set[j])]).as_ref());
    let solved = solver.solve(rhs.as_ref());
    (0..m).map(|i| solved[(i, 0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::fill_normal;
    use proptest::prelude::*;

    proptest! {
        /// The optimality conditions: c >= 0, gradient >= 0, and one of them zero everywhere.
        #[test]
        fn satisfies_the_optimality_conditions(seed in 0u64..500, n in 1usize..12) {
            let mut values = vec![0.0; n * (n + 3) + n];
            fill_normal(seed, 1, &mut values);
            let (a, r) = values.split_at(n * (n + 3));
            let a = Mat::from_fn(n + 3, n, |i, j| a[i * n + j]);
            let g = a.transpose() * &a;
            let positive: Vec<f64> = r.iter().map(|&v: &f64| f64::max(v, 0.0)).collect();
            let nnls = Nnls::new(g.clone());
            for c in [
                nnls.solve(r, None),
                nnls.solve(r, Some(&positive)),
                nnls.solve(r, Some(&vec![1.0; n])),
                nnls.solve(r, Some(&vec![0.0; n])),
            ] {
                for i in 0..n {
                    let gradient = (0..n).map(|j| g[(i, j)] * c[j]).sum::<f64>() - r[i];
                    prop_assert!(c[i] >= 0.0);
                    prop_assert!(gradient > -1e-8, "gradient {gradient} at {i}");
                    prop_assert!((c[i] * gradient).abs() < 1e-7, "slackness at {i}");
                }
            }
        }
    }
}
