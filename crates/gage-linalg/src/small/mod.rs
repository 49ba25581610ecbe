//! Small dense algebra in `f64`, single-threaded: the same bits everywhere.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatRef, Side};

use crate::memory::{Kernel, Workspace};

/// Eigenvalues (largest first) and eigenvectors of a symmetric matrix.
///
/// Falls back to cyclic Jacobi rotations in the (never observed) case that faer does not converge.
pub fn symmetric_eigen(a: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let n = a.nrows();
    if n == 0 {
        return (Vec::new(), Mat::zeros(0, 0));
    }
    match a.self_adjoint_eigen(Side::Lower) {
        Ok(eigen) => {
            let (values, vectors) = (eigen.S().column_vector(), eigen.U());
            let order: Vec<usize> = (0..n).rev().collect();
            (
                order.iter().map(|&f| values[f]).collect(),
                Mat::from_fn(n, n, |i, f| vectors[(i, order[f])]),
            )
        }
        Err(_) => jacobi_eigen(a),
    }
}

/// As [`symmetric_eigen`], counted in a workspace.
pub fn symmetric_eigen_in(workspace: &Workspace, a: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let n = a.nrows() as u64;
    // About 4 n^3 for the tridiagonal form and back, and half as much again for its eigenvectors.
    workspace.count(Kernel::Eigen, 6 * n.pow(3), 16 * n.pow(2), || symmetric_eigen(a))
}

/// Cyclic Jacobi rotations: slow, simple, always converges on finite input.
fn jacobi_eigen(a: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let n = a.nrows();
    let mut m = a.to_owned();
    let mut v = Mat::<f64>::identity(n, n);
    for _sweep in 0..60 {
        let off: f64 =
            (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).map(|ij| m[ij].powi(2)).sum();
        if off <= 1e-30 * m.norm_l2().powi(2) {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if m[(p, q)] == 0.0 {
                    continue;
                }
                let theta = (m[(q, q)] - m[(p, p)]) / (2.0 * m[(p, q)]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (m[(k, p)], m[(k, q)]);
                    (m[(k, p)], m[(k, q)]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (m[(p, k)], m[(q, k)]);
                    (m[(p, k)], m[(q, k)]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[(k, p)], v[(k, q)]);
                    (v[(k, p)], v[(k, q)]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| m[(j, j)].total_cmp(&m[(i, i)]));
    (order.iter().map(|&f| m[(f, f)]).collect(), Mat::from_fn(n, n, |i, f| v[(i, order[f])]))
}

/// A factorised symmetric positive (semi-)definite matrix.
pub struct PsdSolver {
    scale: Vec<f64>,
    kind: Factor,
}

enum Factor {
    Cholesky(Llt<f64>),
    /// Inverse on the range, zero outside it.
    PseudoInverse(Mat<f64>),
}

impl PsdSolver {
    /// Factorises `a` after scaling its diagonal to one; a singular `a` is inverted on its range
    /// only.
    pub fn new(a: MatRef<'_, f64>) -> PsdSolver {
        let n = a.nrows();
        let scale: Vec<f64> =
            (0..n).map(|i| if a[(i, i)] > 0.0 { 1.0 / a[(i, i)].sqrt() } else { 0.0 }).collect();
        let scaled = Mat::from_fn(n, n, |i, j| {
            let value = a[(i, j)] * scale[i] * scale[j];
            if i == j && scale[i] == 0.0 { 1.0 } else { value }
        });
        let kind = match scaled.llt(Side::Lower) {
            // The pivots of a unit-diagonal matrix tell how close to singular it is.
            Ok(llt) if (0..n).all(|i| llt.L()[(i, i)] > 1e-6) => Factor::Cholesky(llt),
            _ => {
                let (values, vectors) = symmetric_eigen(scaled.as_ref());
                let cutoff = values.first().copied().unwrap_or(0.0) * 1e-13 * n as f64;
                let half = Mat::from_fn(n, n, |i, f| {
                    if values[f] > cutoff { vectors[(i, f)] / values[f].sqrt() } else { 0.0 }
                });
                Factor::PseudoInverse(&half * half.transpose())
            }
        };
        PsdSolver { scale, kind }
    }

    /// Solves for every column of `rhs`.
    pub fn solve(&self, rhs: MatRef<'_, f64>) -> Mat<f64> {
        let scale = &self.scale;
        let scaled = Mat::from_fn(rhs.nrows(), rhs.ncols(), |i, j| rhs[(i, j)] * scale[i]);
        let solved = match &self.kind {
            Factor::Cholesky(llt) => llt.solve(&scaled),
            Factor::PseudoInverse(inverse) => inverse * &scaled,
        };
        Mat::from_fn(solved.nrows(), solved.ncols(), |i, j| solved[(i, j)] * scale[i])
    }

    /// `rows A^-1`: solves for every row.
    pub fn solve_rows(&self, rows: MatRef<'_, f64>) -> Mat<f64> {
        let scaled = |m: MatRef<'_, f64>| {
            Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * self.scale[j])
        };
        let rows = scaled(rows);
        let solved = match &self.kind {
            Factor::Cholesky(llt) => llt.rsolve(&rows),
            Factor::PseudoInverse(inverse) => &rows * inverse,
        };
        scaled(solved.as_ref())
    }

    /// Whether solutions keep most of their digits: with the diagonal scaled to one, no column has
    /// less than a thousandth of its length orthogonal to the ones before it. Columns of zeros do
    /// not count.
    pub fn is_well_conditioned(&self) -> bool {
        match &self.kind {
            Factor::Cholesky(llt) => (0..self.scale.len()).all(|i| llt.L()[(i, i)] > 1e-3),
            Factor::PseudoInverse(_) => false,
        }
    }

    /// The (pseudo-)inverse as a matrix.
    pub fn inverse(&self) -> Mat<f64> {
        self.solve(Mat::<f64>::identity(self.scale.len(), self.scale.len()).as_ref())
    }
}

/// `L^-T` of the Cholesky factor `L` of a Gram matrix of unit columns. `None` if a column nearly
/// depends on the ones before it: less than a thousandth of its length is orthogonal to them.
pub fn independent_inverse(a: MatRef<'_, f64>) -> Option<Mat<f64>> {
    let n = a.nrows();
    let llt = a.llt(Side::Lower).ok()?;
    let factor = llt.L();
    (0..n).all(|i| factor[(i, i)] > 1e-3).then(|| {
        let mut inverse = Mat::identity(n, n);
        let upper = factor.transpose();
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            upper,
            inverse.as_mut(),
            faer::Par::Seq,
        );
        inverse
    })
}

/// `a += factor * b`.
pub fn add_scaled(a: &mut Mat<f64>, factor: f64, b: &Mat<f64>) {
    for (a, b) in a.col_iter_mut().zip(b.col_iter()) {
        a.iter_mut().zip(b.iter()).for_each(|(a, b)| *a += factor * b);
    }
}

/// `sum_i a_i b_i c_i` in eight partial sums: a single one would serialise the additions.
pub fn triple_product(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let (c, c_rest) = c.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for ((a, b), c) in a.iter().zip(b).zip(c) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane] * c[lane];
        }
    }
    let rest = a_rest.iter().zip(b_rest).zip(c_rest).map(|((a, b), c)| a * b * c);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// `sum_i a_i b_i`, as [`triple_product`].
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// Sum of the products of corresponding entries.
pub fn dot(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    let of_column = |j: usize| {
        let (a, b) = (a.col(j), b.col(j));
        match (a.try_as_col_major(), b.try_as_col_major()) {
            (Some(a), Some(b)) => product(a.as_slice(), b.as_slice()),
            _ => a.iter().zip(b.iter()).map(|(x, y)| x * y).sum::<f64>(),
        }
    };
    (0..a.ncols()).map(of_column).sum()
}

/// `diag(A^T B)`.
pub fn column_products(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    (0..a.ncols()).map(|j| product(a.col_as_slice(j), b.col_as_slice(j))).collect()
}

/// Squared Frobenius norm.
pub fn norm_squared(a: MatRef<'_, f64>) -> f64 {
    dot(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill_normal;

    fn random(n: usize, m: usize, seed: u64) -> Mat<f64> {
        let mut values = vec![0.0; n * m];
        fill_normal(seed, 0, &mut values);
        Mat::from_fn(n, m, |i, j| values[i * m + j])
    }

    #[test]
    fn products_in_lanes_are_the_products() {
        for length in [0, 1, 7, 8, 9, 16, 100] {
            let rows: Vec<Vec<f64>> = [1, 2, 3]
                .map(|k| (0..length).map(|i| f64::from((i * k) % 11 - 5)).collect())
                .to_vec();
            let of = |term: &dyn Fn(usize) -> f64| (0..length as usize).map(term).sum::<f64>();
            let (a, b, c) = (&rows[0], &rows[1], &rows[2]);
            // Whole numbers: no order of the additions changes the sum.
            assert_eq!(product(a, b), of(&|i| a[i] * b[i]));
            assert_eq!(triple_product(a, b, c), of(&|i| a[i] * b[i] * c[i]));
        }
    }

    #[test]
    fn both_eigensolvers_satisfy_the_defining_equation() {
        let b = random(12, 12, 1);
        let a = &b + b.transpose();
        for (values, vectors) in [symmetric_eigen(a.as_ref()), jacobi_eigen(a.as_ref())] {
            let scaled = Mat::from_fn(12, 12, |i, f| vectors[(i, f)] * values[f]);
            assert!(norm_squared((&a * &vectors - scaled).as_ref()).sqrt() < 1e-12);
            assert!(values.windows(2).all(|w| w[0] >= w[1]));
        }
    }

    #[test]
    fn independent_columns_are_made_orthonormal() {
        let b = random(30, 9, 4);
        let lengths: Vec<f64> =
            (0..9).map(|f| norm_squared(b.as_ref().subcols(f, 1)).sqrt()).collect();
        let mut b = Mat::from_fn(30, 9, |i, f| b[(i, f)] / lengths[f]);
        let t = independent_inverse((b.transpose() * &b).as_ref()).unwrap();
        let v = &b * &t;
        let identity = Mat::<f64>::identity(9, 9);
        assert!(norm_squared((v.transpose() * &v - identity).as_ref()).sqrt() < 1e-12);
        for i in 0..30 {
            b[(i, 5)] = b[(i, 2)] + 1e-5 * b[(i, 7)];
        }
        assert!(independent_inverse((b.transpose() * &b).as_ref()).is_none());
    }

    #[test]
    fn rows_are_solved_for_as_columns_are() {
        for (full, seed) in [(3, 2), (10, 3)] {
            let b = random(10, full, seed);
            let solver = PsdSolver::new((&b * b.transpose()).as_ref());
            let rows = random(4, 10, 9);
            let expected = solver.solve(rows.transpose()).transpose().to_owned();
            let found = solver.solve_rows(rows.as_ref());
            let error = norm_squared((&found - &expected).as_ref()).sqrt();
            assert!(error < 1e-9 * norm_squared(expected.as_ref()).sqrt(), "{error}");
        }
    }

    #[test]
    fn singular_systems_are_solved_on_their_range() {
        let b = random(10, 3, 2);
        let a = &b * b.transpose();
        let x = random(10, 2, 3);
        let rhs = &a * &x;
        let solved = PsdSolver::new(a.as_ref()).solve(rhs.as_ref());
        let residual = &a * solved - &rhs;
        assert!(norm_squared(residual.as_ref()).sqrt() < 1e-10 * rhs.norm_l2());
    }
}
