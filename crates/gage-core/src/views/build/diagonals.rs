//! Diagonal factors: degrees, row lengths, document frequencies, standard deviations.

use rayon::prelude::*;

use crate::graph::{Mask, Matrix};
use gage_linalg::{DenseMatrix, SparseMatrix};

use super::totals::Totals;

fn observed(mask: Option<&Mask>, row: usize) -> bool {
    mask.is_none_or(|mask| mask.contains(row))
}

/// Visits the known, non-zero entries of one row.
pub(crate) fn each_entry(matrix: &Matrix, row: usize, mut visit: impl FnMut(usize, f64)) {
    match matrix {
        Matrix::Sparse(matrix) => {
            let entries = matrix.row(row).filter(|entry| entry.1 != 0.0);
            entries.for_each(|(col, value)| visit(col as usize, value));
        }
        Matrix::Dense(matrix) => {
            for col in 0..matrix.cols() {
                let value = matrix.get(row, col);
                if value != 0.0 && !value.is_nan() {
                    visit(col, value);
                }
            }
        }
    }
}

/// Sum of absolute link weights at each node, plus the weight of a self-loop.
pub(crate) fn degrees(links: &SparseMatrix, self_loops: f64) -> Vec<f64> {
    (0..links.rows())
        .into_par_iter()
        .map(|row| links.row(row).map(|(_, value)| value.abs()).sum::<f64>() + self_loops)
        .collect()
}

/// `1 / x`, or zero where `x` is zero, so that empty rows and columns stay empty.
pub(crate) fn inverse_or_zero(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// Inverse document frequencies `ln((1 + n) / (1 + df)) + 1` over the observed rows.
pub(crate) fn inverse_document_frequencies(
    matrix: &Matrix,
    mask: Option<&Mask>,
    totals: &Totals<'_>,
) -> Vec<f64> {
    let mut frequency = vec![0.0; matrix.cols()];
    let mut documents = 0.0;
    for row in (0..matrix.rows()).filter(|&row| observed(mask, row)) {
        documents += 1.0;
        each_entry(matrix, row, |col, _| frequency[col] += 1.0);
    }
    let documents = totals.sum(documents);
    let frequency = totals.of_columns(frequency);
    frequency.into_iter().map(|df| ((1.0 + documents) / (1.0 + df)).ln() + 1.0).collect()
}

/// Inverse Euclidean norm of each row with its columns scaled by `right`; zero at unobserved rows.
pub(crate) fn inverse_row_lengths(
    matrix: &Matrix,
    right: Option<&[f64]>,
    mask: Option<&Mask>,
) -> Vec<f64> {
    inverse_row_sizes(matrix, right, mask, |value| value.powi(2), f64::sqrt)
}

/// As [`inverse_row_lengths`] with the sum of absolute values for the norm.
pub(crate) fn inverse_row_sums(
    matrix: &Matrix,
    right: Option<&[f64]>,
    mask: Option<&Mask>,
) -> Vec<f64> {
    inverse_row_sizes(matrix, right, mask, f64::abs, |sum| sum)
}

fn inverse_row_sizes(
    matrix: &Matrix,
    right: Option<&[f64]>,
    mask: Option<&Mask>,
    of_entry: impl Fn(f64) -> f64 + Sync,
    of_sum: impl Fn(f64) -> f64 + Sync,
) -> Vec<f64> {
    (0..matrix.rows())
        .into_par_iter()
        .map(|row| {
            let mut sum = 0.0;
            if observed(mask, row) {
                each_entry(matrix, row, |col, value| {
                    sum += of_entry(value * right.map_or(1.0, |right| right[col]));
                });
            }
            inverse_or_zero(of_sum(sum))
        })
        .collect()
}

/// Largest absolute value in the observed rows.
pub(crate) fn largest_entry(matrix: &Matrix, mask: Option<&Mask>, totals: &Totals<'_>) -> f64 {
    let rows = (0..matrix.rows()).into_par_iter().filter(|&row| observed(mask, row));
    let in_row = |row| {
        let mut largest = 0.0f64;
        each_entry(matrix, row, |_, value| largest = largest.max(value.abs()));
        largest
    };
    totals.largest(rows.map(in_row).reduce(|| 0.0, f64::max))
}

/// Mean and standard deviation of each column over the observed rows, without missing dense
/// entries. Entries are divided by `scale` before squaring.
pub(crate) fn column_moments(
    matrix: &Matrix,
    mask: Option<&Mask>,
    scale: f64,
    totals: &Totals<'_>,
) -> (Vec<f64>, Vec<f64>) {
    let rows: Vec<usize> = (0..matrix.rows()).filter(|&row| observed(mask, row)).collect();
    let columns = matrix.cols();
    let mut missing = vec![0.0; columns];
    let mut mean = vec![0.0; columns];
    for &row in &rows {
        each_entry(matrix, row, |col, value| mean[col] += value / scale);
        if let Matrix::Dense(dense) = matrix {
            count_missing(dense, row, &mut missing);
        }
    }
    let rows_of_all = totals.sum(rows.len() as f64);
    let missing = totals.of_columns(missing).into_iter();
    let present: Vec<f64> = missing.map(|missing| rows_of_all - missing).collect();
    let mut mean = totals.of_columns(mean);
    mean.iter_mut().zip(&present).for_each(|(mean, n)| *mean /= n.max(1.0));
    // Two passes avoid cancellation. A zero that is not stored differs from the mean by the mean.
    let mut stored = vec![0.0; columns];
    let mut square = vec![0.0; columns];
    for &row in &rows {
        each_entry(matrix, row, |col, value| {
            stored[col] += 1.0;
            square[col] += (value / scale - mean[col]).powi(2);
        });
    }
    let (stored, square) = (totals.of_columns(stored), totals.of_columns(square));
    let deviation = (0..columns)
        .map(|col| {
            let zeros = present[col] - stored[col];
            scale * ((square[col] + zeros * mean[col].powi(2)) / present[col].max(1.0)).sqrt()
        })
        .collect();
    mean.iter_mut().for_each(|mean| *mean *= scale);
    (mean, deviation)
}

fn count_missing(dense: &DenseMatrix, row: usize, missing: &mut [f64]) {
    for (col, missing) in missing.iter_mut().enumerate() {
        if dense.get(row, col).is_nan() {
            *missing += 1.0;
        }
    }
}

/// `A + A^T`, the undirected form of directed links.
pub(crate) fn symmetrised(links: &SparseMatrix) -> Result<SparseMatrix, gage_linalg::SparseError> {
    let mut entries = Vec::with_capacity(2 * links.nnz());
    for row in 0..links.rows() {
        for (col, value) in links.row(row) {
            entries.push((row as u32, col, value));
            entries.push((col, row as u32, value));
        }
    }
    SparseMatrix::from_triplets(links.rows(), links.cols(), &entries)
}
