//! Non-negative least squares from normal equations.

use std::sync::OnceLock;

use faer::{Mat, MatRef};

use gage_linalg::small::{PsdSolver, product};

/// Minimises `c^T G c - 2 r^T c` over `c >= 0` for a symmetric positive semi-definite `G` and any
/// number of `r`.
///
/// The unconstrained solution comes first: for the coefficients of a well-separated model it is
/// mostly the answer, and `G` is factorised once for all. Otherwise the active-set method of Lawson
/// and Hanson continues from a guess, or from the signs of that solution. Cost `O(n^3)`, and for
/// each change of the active set `O(n z + z^3)` with `z` zeros in the answer, or `O(n^3)` where
/// that would lose digits.
pub(crate) struct Nnls {
    g: Mat<f64>,
    free: PsdSolver,
    /// The inverse of `G`, made when it is first needed.
    inverse: OnceLock<Mat<f64>>,
}

impl Nnls {
    pub(crate) fn new(g: Mat<f64>) -> Nnls {
        let free = PsdSolver::new(g.as_ref());
        Nnls { g, free, inverse: OnceLock::new() }
    }

    /// The answer for one `r`; the answer to a similar problem is a good guess: mostly the same
    /// entries are zero.
    pub(crate) fn solve(&self, r: &[f64], guess: Option<&[f64]>) -> Vec<f64> {
        let free = self.free.solve(MatRef::from_column_major_slice(r, r.len(), 1));
        let free = free.col_as_slice(0);
        if free.iter().all(|&c| c >= 0.0) {
            return free.to_vec();
        }
        let all: Vec<usize> = (0..r.len()).filter(|&i| self.g[(i, i)] > 0.0).collect();
        let guess = guess.unwrap_or(free);
        // Feasible, and made optimal on the set where it is positive by the inner loop.
        let mut c = vec![0.0; r.len()];
        all.iter().for_each(|&i| c[i] = guess[i].max(0.0));
        let passive = all.iter().map(|&i| c[i] > 0.0).collect();
        Search { nnls: self, r, free, all, passive, c }.run()
    }

    /// The inverse of `G`, unless it would have lost too many digits.
    fn inverse(&self) -> Option<&Mat<f64>> {
        self.free.is_well_conditioned().then(|| self.inverse.get_or_init(|| self.free.inverse()))
    }
}

/// The state of the method of Lawson and Hanson for one `r`.
struct Search<'a> {
    nnls: &'a Nnls,
    r: &'a [f64],
    /// The answer without constraints.
    free: &'a [f64],
    /// Entries that matter.
    all: Vec<usize>,
    /// Which of them may be positive.
    passive: Vec<bool>,
    /// Feasible, positive on the passive set only.
    c: Vec<f64>,
}

impl Search<'_> {
    fn run(mut self) -> Vec<f64> {
        let n = self.r.len();
        let scale = self.r.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut last = None;
        for _ in 0..3 * n + 3 {
            self.settle();
            // Entries with a positive gradient: gradient of the free problem.
            let zeros = (0..self.all.len()).filter(|&at| !self.passive[at]);
            let slopes = zeros.map(|at| (at, self.slope(self.all[at])));
            let best = slopes.max_by(|a, b| a.1.total_cmp(&b.1));
            match best {
                // What has just been let in and thrown out again is zero up to rounding.
                Some((at, slope)) if slope > 1e-13 * scale && last != Some(at) => {
                    self.passive[at] = true;
                    last = Some(at);
                }
                _ => break,
            }
        }
        self.c
    }

    fn slope(&self, i: usize) -> f64 {
        self.r[i] - product(self.nnls.g.col_as_slice(i), &self.c)
    }

    /// Moves `c` to the optimum on the passive set, dropping entries that would turn negative.
    fn settle(&mut self) {
        for _ in 0..=self.r.len() {
            let target = self.optimum();
            let (all, c, passive) = (&self.all, &mut self.c, &mut self.passive);
            let moving = || (0..all.len()).zip(&target).map(|(at, &t)| (at, all[at], t));
            let step = moving()
                .filter(|&(at, _, t)| passive[at] && t <= 0.0)
                .map(|(_, i, t)| c[i] / (c[i] - t).max(f64::MIN_POSITIVE))
                .fold(1.0f64, f64::min);
            let mut all_kept = true;
            for (at, i, t) in moving() {
                if !passive[at] {
                    c[i] = 0.0;
                    continue;
                }
                c[i] += step * (t - c[i]);
                // At the limiting step an entry that would become negative is zero.
                if t <= 0.0 && c[i] <= 1e-14 * (c[i] - t).abs() {
                    (passive[at], c[i], all_kept) = (false, 0.0, false);
                }
            }
            if all_kept && step >= 1.0 {
                break;
            }
        }
    }

    /// The optimum on the passive set, zero elsewhere, for all entries that matter.
    fn optimum(&self) -> Vec<f64> {
        let Search { nnls, r, free, all, passive, .. } = self;
        let split = |kind: bool| -> Vec<usize> {
            (0..all.len()).filter(|&at| passive[at] == kind).map(|at| all[at]).collect()
        };
        let zeros = split(false);
        match nnls.inverse().filter(|_| 2 * zeros.len() <= all.len()) {
            // Of all answers `free - G^-1 y` with `y` on the zeros only, the one that is zero
            // there.
            Some(inverse) => {
                let mut target = free.to_vec();
                let y = on(inverse, free, &zeros);
                for (&z, y) in zeros.iter().zip(y) {
                    let column = target.iter_mut().zip(inverse.col_as_slice(z));
                    column.for_each(|(target, inverse)| *target -= inverse * y);
                }
                all.iter().map(|&i| target[i]).collect()
            }
            None => {
                let set = split(true);
                let mut solved = on(&nnls.g, r, &set).into_iter();
                let mut next = |is: &bool| if *is { solved.next().unwrap_or(0.0) } else { 0.0 };
                passive.iter().map(&mut next).collect()
            }
        }
    }
}

/// Solves the system of some rows and columns of a symmetric matrix.
fn on(g: &Mat<f64>, r: &[f64], set: &[usize]) -> Vec<f64> {
    let m = set.len();
    let rhs = Mat::from_fn(m, 1, |i, _| r[set[i]]);
    let solver = PsdSolver::new(Mat::from_fn(m, m, |i, j| g[(set[i], set[j])]).as_ref());
    solver.solve(rhs.as_ref()).col_as_slice(0).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::fill_normal;
    use proptest::prelude::*;

    proptest! {
        /// The optimality conditions: c >= 0, gradient >= 0, and one of them zero everywhere.
        #[test]
        fn satisfies_the_optimality_conditions(seed in 0u64..500, n in 1usize..24) {
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
