//! Kernels of k-means: distances of many rows to a few, assignment, and means of clusters.
//!
//! Distances come from `|x - y|^2 = |x|^2 - 2 x.y + |y|^2`, so that a matrix product does the work.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::tall::{Real, Tall};

/// Rows that are compared with all centroids at a time.
const ROWS: usize = 256;

/// Squared lengths of the rows.
pub fn squared_lengths<T: Real>(rows: &Tall<T>) -> Vec<T> {
    let square = |row: &[T]| row.iter().map(|x| x.to_f64() * x.to_f64()).sum();
    (0..rows.rows()).map(|row| T::from_f64(square(rows.row(row)))).collect()
}

/// `|x_i - x_j|^2` for a range of rows i and all rows j of a matrix with these squared lengths,
/// row-major; never negative. Cost `2 p` flops each.
pub fn squared_distances(
    rows: &Tall<f64>,
    squares: &[f64],
    range: Range<usize>,
    out: &mut Vec<f64>,
) {
    inner_products(rows, range.clone(), rows, out);
    for (out, x) in out.chunks_exact_mut(rows.rows().max(1)).zip(&squares[range]) {
        for (out, y) in out.iter_mut().zip(squares) {
            *out = (*out + x + y).max(0.0);
        }
    }
}

/// `-2 x_i.y_j` for a range of rows of one matrix and all rows of another, row-major.
fn inner_products<T: Real>(x: &Tall<T>, range: Range<usize>, y: &Tall<T>, out: &mut Vec<T>) {
    let (rows, columns, p) = (range.len(), y.rows(), x.cols());
    out.clear();
    out.resize(rows * columns, T::ZERO);
    if out.is_empty() || p == 0 {
        return;
    }
    let x = MatRef::from_row_major_slice(&x.data()[range.start * p..range.end * p], rows, p);
    let y = MatRef::from_row_major_slice(y.data(), columns, p);
    let product = MatMut::from_row_major_slice_mut(out, rows, columns);
    matmul(product, Accum::Replace, x, y.transpose(), T::from_f64(-2.0), Par::Seq);
}

/// The nearest centroid of each row; of equally near ones the first. Cost `2 n p k` flops for `n`
/// rows of `p` columns and `k` centroids.
pub fn nearest_centroids<T: Real>(rows: &Tall<T>, centroids: &Tall<T>) -> Vec<u32> {
    let squares = squared_lengths(centroids);
    let mut nearest = vec![0u32; rows.rows()];
    nearest.par_chunks_mut(ROWS).enumerate().for_each_init(Vec::new, |products, (chunk, out)| {
        let first = chunk * ROWS;
        inner_products(rows, first..first + out.len(), centroids, products);
        for (out, products) in out.iter_mut().zip(products.chunks_exact(squares.len())) {
            // The squared length of the row is the same for all centroids.
            let mut least = (T::from_f64(f64::INFINITY), 0);
            for (at, (&product, &square)) in products.iter().zip(&squares).enumerate() {
                let distance = product + square;
                if distance < least.0 {
                    least = (distance, at as u32);
                }
            }
            *out = least.1;
        }
    });
    nearest
}

/// Rows of each cluster, in rising order.
pub fn cluster_members(assignment: &[u32], clusters: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); clusters];
    for (row, &cluster) in assignment.iter().enumerate() {
        members[cluster as usize].push(row as u32);
    }
    members
}

/// Moves each centroid to the mean of its members, summed in double precision in their order;
/// without members it stays.
pub fn update_centroids<T: Real>(rows: &Tall<T>, members: &[Vec<u32>], centroids: &mut Tall<T>) {
    let p = centroids.cols().max(1);
    let moved = centroids.data_mut().par_chunks_exact_mut(p).zip(members);
    moved.filter(|(_, members)| !members.is_empty()).for_each(|(centroid, members)| {
        let mut sums = vec![0.0; p];
        for &row in members {
            let row = rows.row(row as usize);
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.to_f64());
        }
        let count = members.len() as f64;
        centroid.iter_mut().zip(sums).for_each(|(c, sum)| *c = T::from_f64(sum / count));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill_normal;

    fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    fn by_differences(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
    }

    #[test]
    fn expansion_agrees_with_differences() {
        let rows = random(30, 7, 1);
        let mut out = Vec::new();
        squared_distances(&rows, &squared_lengths(&rows), 5..9, &mut out);
        for i in 5..9 {
            for j in 0..30 {
                let expected = by_differences(rows.row(i), rows.row(j));
                assert!((out[(i - 5) * 30 + j] - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn assignment_and_means_follow_their_definitions() {
        let (rows, mut centroids) = (random(700, 5, 2), random(9, 5, 3));
        let assignment = nearest_centroids(&rows, &centroids);
        for (row, &own) in assignment.iter().enumerate() {
            let distance = |c: usize| by_differences(rows.row(row), centroids.row(c));
            assert!((0..9).all(|c| distance(own as usize) <= distance(c) + 1e-12), "row {row}");
        }
        assert_eq!(nearest_centroids(&rows.converted::<f32>(), &centroids.converted()), assignment);
        let mut members = cluster_members(&assignment, 9);
        members[4].clear();
        let before = centroids.row(4).to_vec();
        update_centroids(&rows, &members, &mut centroids);
        assert_eq!(centroids.row(4), before);
        let sum: f64 = members[0].iter().map(|&row| rows.row(row as usize)[2]).sum();
        assert_eq!(centroids.row(0)[2], sum / members[0].len() as f64);
    }

    #[test]
    fn rows_without_columns_are_all_alike() {
        let mut centroids = Tall::zeros(2, 0);
        assert_eq!(nearest_centroids(&Tall::<f32>::zeros(3, 0), &centroids), [0, 0, 0]);
        update_centroids(&Tall::<f32>::zeros(3, 0), &[vec![0], vec![]], &mut centroids);
    }
}
