//! Squared distances between rows of an embedding and a few other rows.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use gage_linalg::{Real, Tall};

/// Rows of the embedding handled at a time.
pub(super) const CHUNK: usize = 256;

/// Row-major `f64` points with their squared lengths.
pub(super) struct Points {
    pub(super) cols: usize,
    pub(super) values: Vec<f64>,
    squares: Vec<f64>,
}

impl Points {
    /// Takes over row-major numbers.
    pub(super) fn new(values: Vec<f64>, rows: usize, cols: usize) -> Points {
        let squares = (0..rows).map(|row| square(&values[row * cols..(row + 1) * cols])).collect();
        Points { cols, values, squares }
    }

    /// The given rows of an embedding less `origin`. Distances do not change with the origin, but rounding errors
    /// grow with the distance from it.
    pub(super) fn gather<T: Real>(embedding: &Tall<T>, rows: &[u32], origin: &[f64]) -> Points {
        let values = rows
            .iter()
            .flat_map(|&row| {
                let row = embedding.row(row as usize);
                row.iter().zip(origin).map(|(value, origin)| value.to_f64() - origin)
            })
            .collect();
        Points::new(values, rows.len(), embedding.cols())
    }

    pub(super) fn rows(&self) -> usize {
        self.squares.len()
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.cols..(row + 1) * self.cols]
    }

    /// `|x_i - y_j|^2` for a range of rows i of `self` and all rows j of `others`, row-major, by
    /// `|x|^2 - 2 x.y + |y|^2`; never negative. Cost `2 p` flops each.
    pub(super) fn squared_distances(
        &self,
        range: std::ops::Range<usize>,
        others: &Points,
        out: &mut Vec<f64>,
    ) {
        let (rows, columns, cols) = (range.len(), others.rows(), self.cols);
        out.clear();
        out.resize(rows * columns, 0.0);
        if out.is_empty() {
            return;
        }
        if cols > 0 {
            let x = &self.values[range.start * cols..range.end * cols];
            let x = MatRef::from_row_major_slice(x, rows, cols);
            let y = MatRef::from_row_major_slice(&others.values, columns, cols);
            let product = MatMut::from_row_major_slice_mut(out, rows, columns);
            matmul(product, Accum::Replace, x, y.transpose(), -2.0, Par::Seq);
        }
        for (out, x) in out.chunks_exact_mut(columns).zip(&self.squares[range]) {
            for (out, y) in out.iter_mut().zip(&others.squares) {
                *out = (*out + x + y).max(0.0);
            }
        }
    }
}

/// Mean of all rows.
pub(super) fn centre<T: Real>(embedding: &Tall<T>, rows: &[u32]) -> Vec<f64> {
    let mut sum = vec![0.0; embedding.cols()];
    for &row in rows {
        for (sum, value) in sum.iter_mut().zip(embedding.row(row as usize)) {
            *sum += value.to_f64();
        }
    }
    let count = rows.len().max(1) as f64;
    sum.iter().map(|sum| sum / count).collect()
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// `|x - y|^2` by differences.
pub(super) fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::random;

    #[test]
    fn expansion_agrees_with_differences() {
        let embedding = random(30, 7, 1);
        let rows: Vec<u32> = (0..30).collect();
        let points = Points::gather(&embedding, &rows, &centre(&embedding, &rows));
        let mut out = Vec::new();
        points.squared_distances(5..9, &points, &mut out);
        for i in 5..9 {
            for j in 0..30 {
                let expected = squared_distance(points.row(i), points.row(j));
                assert!((out[(i - 5) * 30 + j] - expected).abs() < 1e-12);
            }
        }
    }
}
