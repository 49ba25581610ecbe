//! The design matrix of a regression: selected rows of an embedding, with a constant 1 appended.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use gage_linalg::{Real, Tall};

/// Rows widened at a time for a Gram matrix; 256 rows of a few hundred numbers fit the second-level
/// cache.
const CHUNK: usize = 256;

/// A Gram matrix is the sum of at most this many pieces, whatever the number of threads.
const MAX_PIECES: usize = 8;

/// Width of the partial sums that let a loop over columns use vector instructions.
const LANES: usize = 8;

/// The matrix `X` with rows `(e_i, 1)` for the chosen rows `e_i` of an embedding; nothing is
/// copied.
#[derive(Clone, Copy)]
pub(super) struct Design<'a, T> {
    embedding: &'a Tall<T>,
    rows: &'a [u32],
}

impl<'a, T: Real> Design<'a, T> {
    /// `rows` must exist in `embedding`.
    pub(super) fn new(embedding: &'a Tall<T>, rows: &'a [u32]) -> Self {
        Design { embedding, rows }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Number of columns, the constant one included.
    pub(super) fn width(&self) -> usize {
        self.embedding.cols() + 1
    }

    fn row(&self, at: usize) -> &'a [T] {
        self.embedding.row(self.rows[at] as usize)
    }

    /// `X v`. Cost `2 n p` flops.
    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.rows()).map(|at| affine(self.row(at), v)).collect()
    }

    /// `X^T c`. Cost `2 n p` flops.
    pub(super) fn transposed_times(&self, c: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.width()];
        for (at, &factor) in c.iter().enumerate() {
            add_row(factor, self.row(at), &mut sum);
        }
        sum
    }

    /// `X^T diag(d) X v`, reading every row once. Cost `4 n p` flops.
    pub(super) fn curvature_times(&self, d: &[f64], v: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.width()];
        for (at, &weight) in d.iter().enumerate() {
            let row = self.row(at);
            add_row(weight * affine(row, v), row, &mut sum);
        }
        sum
    }

    /// `X^T diag(d) X` for `d >= 0`, in `f64`. Cost `n p^2` flops.
    pub(super) fn gram(&self, d: &[f64]) -> Mat<f64> {
        let (n, p) = (self.rows(), self.width());
        let chunks = n.div_ceil(CHUNK);
        let per_piece = chunks.div_ceil(MAX_PIECES).max(1);
        let pieces: Vec<Mat<f64>> = (0..chunks.div_ceil(per_piece))
            .into_par_iter()
            .map(|piece| {
                let start = piece * per_piece * CHUNK;
                self.gram_piece(d, start..(start + per_piece * CHUNK).min(n))
            })
            .collect();
        let mut sum = Mat::<f64>::zeros(p, p);
        for piece in pieces {
            sum += piece;
        }
        for col in 0..p {
            for row in 0..col {
                sum[(row, col)] = sum[(col, row)];
            }
        }
        sum
    }

    /// Lower triangle of the Gram matrix of a range of rows.
    fn gram_piece(&self, d: &[f64], range: std::ops::Range<usize>) -> Mat<f64> {
        let p = self.width();
        let mut sum = Mat::<f64>::zeros(p, p);
        let mut scratch = Vec::with_capacity(CHUNK * p);
        for start in range.clone().step_by(CHUNK) {
            let end = (start + CHUNK).min(range.end);
            scratch.clear();
            for (at, weight) in (start..end).zip(&d[start..end]) {
                let root = weight.sqrt();
                scratch.extend(self.row(at).iter().map(|value| root * value.to_f64()));
                scratch.push(root);
            }
            let block = MatRef::from_row_major_slice(&scratch, end - start, p);
            triangular::matmul(
                sum.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Add,
                block.transpose(),
                BlockStructure::Rectangular,
                block,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        }
        sum
    }
}

/// `(x, 1) . v`, summed in an order that depends on the length alone.
#[inline]
pub(super) fn affine<T: Real>(x: &[T], v: &[f64]) -> f64 {
    let (weights, constant) = v.split_at(x.len());
    let mut lanes = [0.0; LANES];
    let (xs, ws) = (x.chunks_exact(LANES), weights.chunks_exact(LANES));
    let rest: f64 = xs.remainder().iter().zip(ws.remainder()).map(|(x, w)| x.to_f64() * w).sum();
    for (x, w) in xs.zip(ws) {
        for lane in 0..LANES {
            lanes[lane] += x[lane].to_f64() * w[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest + constant.first().copied().unwrap_or(0.0)
}

/// `sum += factor * (x, 1)`.
#[inline]
fn add_row<T: Real>(factor: f64, x: &[T], sum: &mut [f64]) {
    let (sums, constant) = sum.split_at_mut(x.len());
    for (sum, value) in sums.iter_mut().zip(x) {
        *sum += factor * value.to_f64();
    }
    constant[0] += factor;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::random;

    #[test]
    fn products_agree_with_the_gram_matrix() {
        let embedding = random(700, 13, 1);
        let rows: Vec<u32> = (0..700).filter(|row| row % 3 != 0).collect();
        let design = Design::new(&embedding, &rows);
        let d: Vec<f64> = (0..rows.len()).map(|at| (at % 7) as f64 / 7.0).collect();
        let v: Vec<f64> = (0..14).map(|at| (at as f64).sin()).collect();
        let product = design.curvature_times(&d, &v);
        let weighted: Vec<f64> = design.times(&v).iter().zip(&d).map(|(z, d)| z * d).collect();
        let in_two_steps = design.transposed_times(&weighted);
        let gram = design.gram(&d);
        for i in 0..14 {
            let row: f64 = (0..14).map(|j| gram[(i, j)] * v[j]).sum();
            assert!((row - product[i]).abs() < 1e-10 * row.abs().max(1.0));
            assert!((in_two_steps[i] - product[i]).abs() < 1e-10 * row.abs().max(1.0));
        }
    }
}
