//! Terms of the loss per view, for factors at full size.

use std::sync::Arc;

use faer::Mat;

use crate::views::CentredGram;
use gage_linalg::kernel::{cross_gram, gram};
use gage_linalg::{Real, Reducer, Tall};

use super::line_search::ViewTerms;

/// `diag(B_k^T B_k)` of every view.
pub(crate) fn energies_of<T: Real>(
    projections: &[Tall<T>],
    reducer: &dyn Reducer,
) -> Vec<Vec<f64>> {
    projections.iter().map(|b| column_dots(b, b, reducer)).collect()
}

/// `diag(a^T b)` over the rows of all workers.
pub(crate) fn column_dots<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> Vec<f64> {
    let mut sums = gage_linalg::tall::sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range {
                for ((sum, x), y) in sums.iter_mut().zip(a.row(row)).zip(b.row(row)) {
                    *sum += x.to_f64() * y.to_f64();
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    );
    reducer.sum_f64(&mut sums);
    sums
}

/// `a^T J_k b` over the nodes of one view.
pub(crate) fn centred_cross<T: Real>(
    op: &CentredGram<'_>,
    a: &Tall<T>,
    b: &Tall<T>,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    let masked;
    let left = if op.partial() {
        masked = Tall::from_rows_in(a.workspace(), a.rows(), a.cols(), |row, out| {
            if op.observes(row) {
                out.copy_from_slice(a.row(row));
            }
        });
        &masked
    } else {
        a
    };
    let mut product =
        if std::ptr::eq(left, b) { gram(left, reducer) } else { cross_gram(left, b, reducer) };
    let (mean_a, mean_b) = (op.mean_over_observed(a, reducer), op.mean_over_observed(b, reducer));
    for j in 0..product.ncols() {
        for i in 0..product.nrows() {
            product[(i, j)] -= op.observed() * mean_a[i] * mean_b[j];
        }
    }
    product
}

/// The terms of every view at `u`.
pub(crate) fn view_terms<T: Real>(
    ops: &[CentredGram<'_>],
    u: &Tall<T>,
    energies: &[Vec<f64>],
    reducer: &dyn Reducer,
) -> Vec<ViewTerms> {
    let grams = shared_if_complete(ops, |k| centred_cross(&ops[k], u, u, reducer));
    let terms = grams.into_iter().zip(energies);
    terms.map(|(gram, energy)| ViewTerms { energy: energy.clone(), gram }).collect()
}

/// Something that depends on the nodes of a view alone, made once for all views that have all
/// nodes.
pub(crate) fn shared_if_complete<R>(
    ops: &[CentredGram<'_>],
    mut make: impl FnMut(usize) -> R,
) -> Vec<Arc<R>> {
    let mut complete: Option<Arc<R>> = None;
    let of_view = |(k, op): (usize, &CentredGram<'_>)| match op.partial() {
        true => Arc::new(make(k)),
        false => Arc::clone(complete.get_or_insert_with(|| Arc::new(make(k)))),
    };
    ops.iter().enumerate().map(of_view).collect()
}
