//! The inner-product decoder of graph autoencoders, tile by tile: no matrix of pairs is kept.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gage_linalg::{SparseMatrix, Tall};
use rayon::prelude::*;

use super::scalar::{Scalar, sigmoid};

/// Rows and columns of a tile of pairs.
const TILE_ROWS: usize = 64;
const TILE_COLS: usize = 512;

/// Weighted cross entropy between the links and `sigmoid(z_i^T z_j)` over all ordered pairs.
///
/// With `m` the number of ordered links, the target is `A + I`, links count `(n^2 - m) / m` times
/// as much as other pairs, and the mean over `n^2` pairs is multiplied by `n^2 / (2 (n^2 - m))`;
/// both factors are of `A` without the diagonal, as in the authors' code.
pub(super) struct Decoder<'a> {
    links: &'a SparseMatrix,
    link_weight: f64,
    /// What every pair is multiplied by.
    factor: f64,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(links: &'a SparseMatrix) -> Decoder<'a> {
        let pairs = (links.rows() as f64).powi(2);
        let linked = links.nnz() as f64;
        let others = (pairs - linked).max(1.0);
        Decoder { links, link_weight: others / linked.max(1.0), factor: 0.5 / others }
    }

    /// The loss, and its gradient `2 G Z` where `G` holds the derivatives by the inner products.
    ///
    /// Cost `4 n^2 F` flops and one exponential per pair; memory one tile per thread.
    pub(super) fn loss_and_gradient<T: Scalar>(&self, z: &Tall<T>) -> (f64, Tall<T>) {
        let width = z.cols();
        let mut gradient = Tall::zeros(z.rows(), width);
        let losses: Vec<f64> = gradient
            .data_mut()
            .par_chunks_mut((TILE_ROWS * width).max(1))
            .enumerate()
            .map_init(
                || vec![T::ZERO; TILE_ROWS * TILE_COLS],
                |space, (at, out)| self.rows_of_tiles(z, at * TILE_ROWS, space, out),
            )
            .collect();
        (losses.into_iter().sum::<f64>() * self.factor, gradient)
    }

    /// All tiles of some rows: their part of the loss; their rows of the gradient are written.
    fn rows_of_tiles<T: Scalar>(
        &self,
        z: &Tall<T>,
        top: usize,
        space: &mut [T],
        out: &mut [T],
    ) -> f64 {
        let width = z.cols();
        let count = out.len() / width;
        let own = rows(z, top, count);
        let mut out = MatMut::from_row_major_slice_mut(out, count, width);
        let mut loss = 0.0;
        for left in (0..z.rows()).step_by(TILE_COLS) {
            let cols = TILE_COLS.min(z.rows() - left);
            let tile = &mut space[..count * cols];
            let others = rows(z, left, cols);
            let products = MatMut::from_row_major_slice_mut(&mut *tile, count, cols);
            matmul(products, Accum::Replace, own, others.transpose(), T::ONE, Par::Seq);
            for (row, values) in tile.chunks_exact_mut(cols).enumerate() {
                loss += self.row_of_tile(top + row, left, values);
            }
            let derivatives = MatRef::from_row_major_slice(&*tile, count, cols);
            let twice = T::from_f64(2.0 * self.factor);
            matmul(out.as_mut(), Accum::Add, derivatives, others, twice, Par::Seq);
        }
        loss
    }

    /// Turns inner products of one node with a run of others into derivatives; returns their loss.
    fn row_of_tile<T: Scalar>(&self, node: usize, left: usize, values: &mut [T]) -> f64 {
        let range = left..left + values.len();
        let indices = &self.links.indices()[self.links.row_range(node)];
        let first = indices.partition_point(|&col| (col as usize) < range.start);
        let linked = indices[first..].iter().map(|&col| col as usize);
        let linked = linked.take_while(|col| *col < range.end);
        let own = range.contains(&node).then_some(node);
        let positive: Vec<(usize, T)> =
            linked.chain(own).map(|col| (col - left, values[col - left])).collect();
        let mut loss = not_linked(values);
        for (at, product) in positive {
            // softplus(-s) w instead of softplus(s), and their derivatives.
            let s = product.to_f64();
            let rest = (-s.abs()).exp().ln_1p();
            loss += self.link_weight * ((-s).max(0.0) + rest) - (s.max(0.0) + rest);
            values[at] = T::from_f64(self.link_weight * (sigmoid(s) - 1.0));
        }
        loss
    }
}

/// The loss of pairs without a link, `sum softplus(s)`; `s` becomes its derivative `sigmoid(s)`.
fn not_linked<T: Scalar>(values: &mut [T]) -> f64 {
    let mut loss = 0.0;
    // A product of 64 factors in (1, 2] is below 2^64: one logarithm instead of 64.
    for part in values.chunks_mut(64) {
        let (mut product, mut linear) = ([1.0f64; 8], [T::ZERO; 8]);
        for lanes in part.chunks_mut(8) {
            for ((value, product), linear) in lanes.iter_mut().zip(&mut product).zip(&mut linear) {
                let s = *value;
                let positive = s > T::ZERO;
                let e = (if positive { T::ZERO - s } else { s }).exp_of_negative();
                *product *= 1.0 + e.to_f64();
                *linear += if positive { s } else { T::ZERO };
                let large = T::from_f64(1.0 / (1.0 + e.to_f64()));
                *value = if positive { large } else { e * large };
            }
        }
        loss += product.iter().product::<f64>().ln();
        loss += linear.iter().map(|x| x.to_f64()).sum::<f64>();
    }
    loss
}

fn rows<T: Scalar>(z: &Tall<T>, top: usize, count: usize) -> MatRef<'_, T> {
    let width = z.cols();
    MatRef::from_row_major_slice(&z.data()[top * width..(top + count) * width], count, width)
}

#[cfg(test)]
mod tests {
    use gage_linalg::random::fill_normal;

    use super::super::scalar::softplus;
    use super::*;

    /// 700 nodes (several tiles both ways) in a ring with chords.
    fn ring(nodes: u32) -> SparseMatrix {
        let mut entries = Vec::new();
        for i in 0..nodes {
            for j in [(i + 1) % nodes, (i + 7) % nodes] {
                entries.extend([(i, j, 1.0), (j, i, 1.0)]);
            }
        }
        SparseMatrix::from_triplets(nodes as usize, nodes as usize, &entries).unwrap()
    }

    #[test]
    fn tiles_give_the_loss_and_gradient_of_the_definition() {
        let links = ring(700);
        let z = Tall::<f64>::from_rows(700, 5, |row, out| fill_normal(3, row as u64, out));
        let (loss, gradient) = Decoder::new(&links).loss_and_gradient(&z);
        let n = 700.0f64;
        let m = links.indices().len() as f64;
        let (weight, norm) = ((n * n - m) / m, n * n / (2.0 * (n * n - m)));
        let target = |i: usize, j: usize| i == j || links.row(i).any(|(col, _)| col as usize == j);
        let (mut expected, mut by_z) = (0.0, vec![[0.0; 5]; 700]);
        for i in 0..700 {
            for j in 0..700 {
                let s: f64 = z.row(i).iter().zip(z.row(j)).map(|(a, b)| a * b).sum();
                let (l, g) = if target(i, j) {
                    (weight * softplus(-s), -weight / (1.0 + s.exp()))
                } else {
                    (softplus(s), 1.0 / (1.0 + (-s).exp()))
                };
                expected += l;
                by_z[i].iter_mut().zip(z.row(j)).for_each(|(sum, x)| *sum += g * x);
                by_z[j].iter_mut().zip(z.row(i)).for_each(|(sum, x)| *sum += g * x);
            }
        }
        let scale = norm / (n * n);
        assert!((loss - scale * expected).abs() < 1e-11 * loss, "{loss}");
        for (i, row) in by_z.iter().enumerate() {
            for (ours, theirs) in gradient.row(i).iter().zip(row) {
                assert!((ours - scale * theirs).abs() < 1e-11, "{i}: {ours}");
            }
        }
    }

    #[test]
    fn single_precision_agrees_to_its_digits() {
        let links = ring(700);
        let z = Tall::<f64>::from_rows(700, 5, |row, out| fill_normal(3, row as u64, out));
        let (loss, gradient) = Decoder::new(&links).loss_and_gradient(&z);
        let (single, of_single) = Decoder::new(&links).loss_and_gradient(&z.converted::<f32>());
        assert!((loss - single).abs() < 1e-5 * loss, "{loss} and {single}");
        let largest = gradient.data().iter().fold(0.0f64, |top, x| top.max(x.abs()));
        for (a, b) in gradient.data().iter().zip(of_single.data()) {
            assert!((a - f64::from(*b)).abs() < 1e-5 * largest);
        }
    }
}
