//! The logarithm of a smoothed matrix: a view that is made, not applied.
//!
//! ```text
//! Z = p(P) M,   y_ij = sign(z_ij) ln(1 + |z_ij| / m_j),   m_j = mean of |z_ij| over observed i
//! ```
//!
//! The logarithm needs every entry, so columns of `Z` are made in blocks, each by one smoothing,
//! and only their logarithms are kept. Of wide sources a sample of the columns is taken: the Gram
//! matrix is a sum over columns, so a sample estimates it, and some hundreds of 12,000 are enough
//! (see `docs/experiments.md`). The rows of what remains are reduced to their principal directions.
//! Cost: for each sampled column one smoothing; `n c^2 + 2 n c r` flops for `c` sampled and `r`
//! kept columns; `n c` numbers while it is made, `n r` afterwards.

use std::sync::Arc;

use faer::Mat;

use crate::graph::Mask;
use crate::views::operator::{Factor, LogColumns, Operator, SourceColumns, Stored};
use crate::views::spec::LogAffinity;
use gage_linalg::kernel::{
    column_sums, gram_working_precision, signed_ln_1p, times_small_working_precision,
};
use gage_linalg::random::mix;
use gage_linalg::small::symmetric_eigen_in;
use gage_linalg::tall::sum_over_rows;
use gage_linalg::workers::Partition;
use gage_linalg::{LocalReducer, Precision, Real, Tall};

use super::diagonals::inverse_or_zero;
use super::sampled_columns::SampledColumns;

/// Columns that are smoothed at a time.
const BLOCK: usize = 64;

/// Numbers that are held while the view is made, at most, unless there are more nodes than allow
/// the least sample: a quarter of a gigabyte in single precision.
const MOST_NUMBERS: usize = 1 << 26;

/// Columns that are sampled however many nodes there are.
const LEAST_SAMPLED: usize = 256;

/// Belongs to the sample of columns and to nothing else.
const SAMPLE: u64 = 0x1065_af1f;

/// Replaces an operator by the logarithm of its entries. Also returns what rows of new nodes need.
pub(super) fn log_affinity(
    operator: Operator,
    spec: LogAffinity,
    observed: Option<&Mask>,
    precision: Precision,
) -> (Operator, LogColumns) {
    let sampled = sample(operator.cols.all(), operator.local_rows, spec.sampled);
    match precision {
        Precision::F32 => made::<f32>(operator, sampled, spec, observed, Stored::MadeF32),
        Precision::F64 => made::<f64>(operator, sampled, spec, observed, Stored::DenseF64),
    }
}

/// The positions of the columns that are taken, in order.
fn sample(cols: usize, rows: usize, most: usize) -> Vec<u32> {
    let most = most.min((MOST_NUMBERS / rows.max(1)).max(LEAST_SAMPLED)).max(1);
    let mut columns: Vec<u32> = (0..cols as u32).collect();
    if cols > most {
        columns.sort_by_key(|&col| (mix(SAMPLE ^ mix(u64::from(col))), col));
        columns.truncate(most);
        columns.sort_unstable();
    }
    columns
}

fn made<T: Real>(
    operator: Operator,
    sampled: Vec<u32>,
    spec: LogAffinity,
    observed: Option<&Mask>,
    store: impl FnOnce(Arc<Tall<T>>) -> Stored,
) -> (Operator, LogColumns) {
    let (block, inverse_means) = logarithms::<T>(&operator, &sampled, observed);
    let (block, directions) = if block.cols() > spec.kept.max(1) {
        let directions = principal_directions(&block, spec.kept.max(1), observed);
        (times_small_working_precision(&block, directions.as_ref()), Some(directions))
    } else {
        (block, None)
    };
    let source = operator.base.as_ref().map(|base| {
        let own = operator.propagation.as_ref().map_or(1.0, |p| p.share_of_own_row());
        let slopes = slopes(base, (&sampled, &inverse_means), own);
        SourceColumns { all: operator.cols.all(), slopes }
    });
    let spread = operator.propagation.as_ref().map_or(0.0, |p| 1.0 - p.share_of_own_row());
    let cols = Partition::whole(block.cols());
    let base = Factor::whole(store(Arc::new(block)), None, None);
    let columns = LogColumns { sampled, source, directions, spread };
    let operator =
        Operator { propagation: None, base: Some(base), row_scale: None, cols, ..operator };
    (operator, columns)
}

/// The logarithms of the sampled columns, and the inverse means of these columns.
fn logarithms<T: Real>(
    operator: &Operator,
    sampled: &[u32],
    observed: Option<&Mask>,
) -> (Tall<T>, Vec<f64>) {
    let (workspace, rows) = (&operator.workspace, operator.local_rows);
    let seen = |row: usize| observed.is_none_or(|mask| mask.contains(row));
    let count = observed.map_or(rows, Mask::count) as f64;
    let mut block = Tall::<T>::zeros_in(workspace, rows, sampled.len());
    let mut inverse_means = Vec::with_capacity(sampled.len());
    let sparse = SampledColumns::new(operator, sampled);
    for (at, columns) in sampled.chunks(BLOCK).enumerate() {
        let first = at * BLOCK;
        let smoothed = match &sparse {
            Some(sparse) => sparse.smoothed::<T>(first..first + columns.len()),
            None => smoothed_units(operator, columns),
        };
        let sums = absolute_sums(&smoothed, seen);
        let inverse: Vec<f64> = sums.iter().map(|&sum| count * inverse_or_zero(sum)).collect();
        let factors: Vec<T> = inverse.iter().map(|&inverse| T::from_f64(inverse)).collect();
        block.par_update_rows(|row, out| {
            signed_ln_1p(&mut out[first..first + factors.len()], smoothed.row(row), &factors);
        });
        inverse_means.extend(inverse);
    }
    (block, inverse_means)
}

/// The same columns of a source that is not sparse: its products with unit vectors.
fn smoothed_units<T: Real>(operator: &Operator, columns: &[u32]) -> Tall<T> {
    let (workspace, rows) = (&operator.workspace, operator.local_rows);
    let mut unit = Tall::<T>::zeros_in(workspace, operator.cols.all(), columns.len());
    for (k, &col) in columns.iter().enumerate() {
        unit.row_mut(col as usize)[k] = T::ONE;
    }
    let mut smoothed = Tall::<T>::zeros_in(workspace, rows, columns.len());
    operator.apply(1.0, (&unit).into(), &mut smoothed, &LocalReducer);
    smoothed
}

/// Sums of absolute values of every column over some rows.
fn absolute_sums<T: Real>(block: &Tall<T>, seen: impl Fn(usize) -> bool + Sync) -> Vec<f64> {
    sum_over_rows(
        block.rows(),
        block.cols(),
        || vec![0.0; block.cols()],
        |range, sums| {
            for row in range.filter(|&row| seen(row)) {
                let values = sums.iter_mut().zip(block.row(row));
                values.for_each(|(sum, z)| *sum += z.to_f64().abs());
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    )
}

/// The leading eigenvectors of the centred Gram matrix of the columns. Single precision is enough
/// to choose a subspace.
fn principal_directions<T: Real>(
    block: &Tall<T>,
    kept: usize,
    observed: Option<&Mask>,
) -> Mat<f64> {
    let seen = |row: usize| observed.is_none_or(|mask| mask.contains(row));
    // Rows that are not observed are zero.
    let mut gram = gram_working_precision(block, &LocalReducer);
    let sums = column_sums(block, seen, &LocalReducer);
    let inverse_count = inverse_or_zero(observed.map_or(block.rows(), Mask::count) as f64);
    for col in 0..gram.ncols() {
        for row in 0..gram.nrows() {
            gram[(row, col)] -= sums[row] * sums[col] * inverse_count;
        }
    }
    let (_, vectors) = symmetric_eigen_in(block.workspace(), gram.as_ref());
    vectors.subcols(0, kept).to_owned()
}

/// For every sampled column, the logarithm of what a typical entry of a row adds to the row itself,
/// for one unit of the entry: the logarithm as a linear function of the rows of new nodes.
fn slopes(base: &Factor, (sampled, inverse_means): (&[u32], &[f64]), own: f64) -> Vec<f64> {
    let (sums, counts) = base.column_sizes();
    let columns = sampled.iter().zip(inverse_means);
    let slope = |(&col, inverse): (&u32, &f64)| {
        let typical = own * sums[col as usize] * inverse_or_zero(counts[col as usize]);
        if typical > 0.0 { (typical * inverse).ln_1p() / typical } else { 0.0 }
    };
    columns.map(slope).collect()
}
