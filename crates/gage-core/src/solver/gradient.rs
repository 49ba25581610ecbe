//! The gradient of the loss at full size.

use faer::Mat;

use gage_linalg::kernel::times_small;
use gage_linalg::{Real, Reducer, Tall};

use super::factors::FullFactors;
use super::line_search::{ViewTerms, view_normal};
use super::problem::Problem;
use super::rows::RowPatterns;

/// `sum_k w_k^2 [ X_k U C_k - (u_i - m_k) C_k G_k C_k ]` on the rows each view observes: minus a
/// quarter of the gradient.
pub(crate) fn negative_gradient<T: Real>(
    problem: &Problem<'_>,
    factors: &FullFactors<T>,
    terms: &[ViewTerms],
    patterns: &RowPatterns,
    reducer: &dyn Reducer,
) -> Tall<T> {
    let (ops, u) = (&problem.ops, &factors.u);
    let mut out = Tall::zeros_in(u.workspace(), u.rows(), u.cols());
    for (k, op) in ops.iter().enumerate() {
        let scaled = scaled_columns(&factors.projections[k], &factors.c[k], 1.0);
        op.expand_into(problem.weights[k] * problem.weights[k], &scaled, &mut out, reducer);
    }
    let normals: Vec<Mat<f64>> =
        (0..ops.len()).map(|k| view_normal(k, terms, &factors.c, &problem.weights)).collect();
    let means: Vec<Vec<f64>> = ops.iter().map(|op| op.mean_over_observed(u, reducer)).collect();
    if patterns.complete() {
        let (sum, constant) = pattern_system(&vec![true; ops.len()], &normals, &means);
        let product = times_small(u, sum.as_ref());
        out.par_update_rows(|row, values| {
            for ((value, &p), m) in values.iter_mut().zip(product.row(row)).zip(&constant) {
                *value = T::from_f64(value.to_f64() - p.to_f64() + m);
            }
        });
        return out;
    }
    let systems: Vec<(Mat<f64>, Vec<f64>)> =
        patterns.patterns.iter().map(|pattern| pattern_system(pattern, &normals, &means)).collect();
    out.par_update_rows(|row, values| {
        let (sum, constant) = &systems[patterns.id(row)];
        for (j, value) in values.iter_mut().enumerate() {
            let column = sum.col(j);
            let product: f64 =
                u.row(row).iter().zip(column.iter()).map(|(u, a)| u.to_f64() * a).sum();
            *value = T::from_f64(value.to_f64() - product + constant[j]);
        }
    });
    out
}

/// Rows with the same pattern share the matrix; the means give every pattern one constant row.
fn pattern_system(
    pattern: &[bool],
    normals: &[Mat<f64>],
    means: &[Vec<f64>],
) -> (Mat<f64>, Vec<f64>) {
    let f = means.first().map_or(0, Vec::len);
    let mut sum = Mat::<f64>::zeros(f, f);
    let mut constant = vec![0.0; f];
    for k in (0..normals.len()).filter(|&k| pattern[k]) {
        sum += &normals[k];
        for (j, constant) in constant.iter_mut().enumerate() {
            *constant += (0..f).map(|i| means[k][i] * normals[k][(i, j)]).sum::<f64>();
        }
    }
    (sum, constant)
}

/// `factor * B diag(c)`.
pub(crate) fn scaled_columns<T: Real>(b: &Tall<T>, c: &[f64], factor: f64) -> Tall<T> {
    Tall::from_rows_in(b.workspace(), b.rows(), b.cols(), |row, out| {
        for ((out, b), c) in out.iter_mut().zip(b.row(row)).zip(c) {
            *out = T::from_f64(factor * b.to_f64() * c);
        }
    })
}
