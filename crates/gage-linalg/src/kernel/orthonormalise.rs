//! Sums, differences and orthonormalisation of tall matrices.

use faer::Mat;

use crate::kernel::axpy::axpy;
use crate::kernel::gram::gram;
use crate::kernel::times_small::times_small;
use crate::small;
use crate::tall::Real;
use crate::tall::Tall;
use crate::tall::sum_over_rows;
use crate::workers::Reducer;

/// `a += factor * b`.
pub fn add_scaled<T: Real>(a: &mut Tall<T>, factor: f64, b: &Tall<T>) {
    a.par_update_rows(|row, values| {
        for (a, &b) in values.iter_mut().zip(b.row(row)) {
            *a = T::from_f64(a.to_f64() + factor * b.to_f64());
        }
    });
}

/// Sum of the rows for which `include` holds, over all workers.
pub fn column_sums<T: Real>(
    a: &Tall<T>,
    include: impl Fn(usize) -> bool + Sync,
    reducer: &dyn Reducer,
) -> Vec<f64> {
    let mut sums = sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range.filter(|&row| include(row)) {
                axpy(sums, 1.0, a.row(row));
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    );
    reducer.sum_f64(&mut sums);
    sums
}

/// `sum_i weights[i] * a_i` over the rows `a_i` of a matrix that every worker has complete.
pub fn weighted_row_sum<T: Real>(a: &Tall<T>, weights: &[f64]) -> Vec<f64> {
    sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range.filter(|&row| weights[row] != 0.0) {
                axpy(sums, weights[row], a.row(row));
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    )
}

/// Subtracts one row vector from the rows for which `include` holds.
pub fn subtract_row<T: Real>(
    a: &mut Tall<T>,
    vector: &[f64],
    include: impl Fn(usize) -> bool + Sync,
) {
    let vector: Vec<T> = vector.iter().map(|&v| T::from_f64(v)).collect();
    a.par_update_rows(|row, values| {
        if include(row) {
            for (value, &shift) in values.iter_mut().zip(&vector) {
                *value -= shift;
            }
        }
    });
}

/// An orthonormal basis of the column space of `a`, with as many columns as `a` has numerical rank.
///
/// Two rounds of a multiplication by a small matrix found from the Gram matrix: the inverse
/// Cholesky factor where columns are independent, otherwise eigenvectors, which reveal the rank.
/// Cost `6 n p^2` flops and two reductions of `p^2` numbers.
pub fn orthonormalise<T: Real>(mut a: Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
    // A direction whose squared length is below the rounding error of the Gram matrix is noise.
    let cutoff = (T::EPSILON * T::EPSILON * 16.0).max(1e-14) * a.cols().max(1) as f64;
    for _ in 0..2 {
        let transform = orthonormaliser(&gram(&a, reducer), cutoff);
        a = times_small(&a, transform.as_ref());
    }
    a
}

/// A small `t` such that `a t` has orthonormal columns, from the Gram matrix of `a`:
/// [`independent_orthonormaliser`] if it exists. Otherwise eigendecompose `Z diag(l) Z^T` and take
/// `Z diag(l)^(-1/2)` without the directions whose squared length is below `cutoff` times the
/// largest.
pub fn orthonormaliser(gram: &Mat<f64>, cutoff: f64) -> Mat<f64> {
    if let Some(found) = independent_orthonormaliser(gram) {
        return found;
    }
    let (scale, scaled) = unit_columns(gram);
    let (values, vectors) = small::symmetric_eigen(scaled.as_ref());
    let top = values.first().copied().unwrap_or(0.0);
    let rank = values.iter().take_while(|&&v| v > cutoff * top && v > 0.0).count();
    Mat::from_fn(gram.ncols(), rank, |i, f| scale[i] * vectors[(i, f)] / values[f].sqrt())
}

/// Scales the columns and takes `L^-T` of the Cholesky factor `L`, if no column nearly depends on
/// the ones before it.
pub fn independent_orthonormaliser(gram: &Mat<f64>) -> Option<Mat<f64>> {
    let (scale, scaled) = unit_columns(gram);
    let inverse = small::independent_inverse(scaled.as_ref())?;
    Some(Mat::from_fn(gram.ncols(), gram.ncols(), |i, f| scale[i] * inverse[(i, f)]))
}

/// One over the lengths of the columns, and the Gram matrix of the columns at length one.
fn unit_columns(gram: &Mat<f64>) -> (Vec<f64>, Mat<f64>) {
    let p = gram.ncols();
    let norms: Vec<f64> = (0..p).map(|f| gram[(f, f)].max(0.0).sqrt()).collect();
    let largest = norms.iter().copied().fold(0.0, f64::max);
    // Exactly zero columns carry no direction and would divide by zero.
    let scale: Vec<f64> = norms
        .iter()
        .map(|&n| if n > largest * 1e-150 && n > 0.0 { 1.0 / n } else { 0.0 })
        .collect();
    let scaled = Mat::from_fn(p, p, |i, j| gram[(i, j)] * scale[i] * scale[j]);
    (scale, scaled)
}
