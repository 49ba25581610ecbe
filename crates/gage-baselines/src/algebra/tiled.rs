//! A dense table of single-precision numbers, too large to be kept twice or wider.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gage_embed::Tall;
use rayon::prelude::*;

use super::operator::Operator;

/// Rows and columns of a tile: 256 kB once widened, which stays in a core's cache.
const TILE_ROWS: usize = 128;
const TILE_COLS: usize = 256;

/// A table in `f32` whose products are computed and summed in `f64`, tile after tile, so that
/// nothing of its size is made anew. Each part of a result is the work of one thread from first to
/// last tile: the bits do not depend on threads.
pub(crate) struct Tiled(pub(crate) Tall<f32>);

impl Tiled {
    /// The tile at a row and a column, row after row, in double precision.
    fn tile<'a>(&self, top: usize, left: usize, space: &'a mut Vec<f64>) -> MatRef<'a, f64> {
        let rows = TILE_ROWS.min(self.0.rows() - top);
        let cols = TILE_COLS.min(self.0.cols() - left);
        space.clear();
        for row in top..top + rows {
            space.extend(self.0.row(row)[left..left + cols].iter().map(|&x| f64::from(x)));
        }
        MatRef::from_row_major_slice(space, rows, cols)
    }
}

/// Rows of a block from `top` on, `count` of them.
fn part(block: &Tall<f64>, top: usize, count: usize) -> MatRef<'_, f64> {
    let width = block.cols();
    MatRef::from_row_major_slice(&block.data()[top * width..(top + count) * width], count, width)
}

impl Operator for Tiled {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn cols(&self) -> usize {
        self.0.cols()
    }

    fn apply(&self, x: &Tall<f64>) -> Tall<f64> {
        let width = x.cols();
        let mut out = Tall::zeros(self.rows(), width);
        let chunks = out.data_mut().par_chunks_mut((TILE_ROWS * width).max(1));
        chunks.enumerate().for_each_init(Vec::new, |space, (at, out)| {
            let mut out = MatMut::from_row_major_slice_mut(out, out.len() / width, width);
            for left in (0..self.cols()).step_by(TILE_COLS) {
                let tile = self.tile(at * TILE_ROWS, left, space);
                let right = part(x, left, tile.ncols());
                matmul(out.as_mut(), Accum::Add, tile, right, 1.0, Par::Seq);
            }
        });
        out
    }

    fn apply_transposed(&self, y: &Tall<f64>) -> Tall<f64> {
        let width = y.cols();
        let mut out = Tall::zeros(self.cols(), width);
        let chunks = out.data_mut().par_chunks_mut((TILE_COLS * width).max(1));
        chunks.enumerate().for_each_init(Vec::new, |space, (at, out)| {
            let mut out = MatMut::from_row_major_slice_mut(out, out.len() / width, width);
            for top in (0..self.rows()).step_by(TILE_ROWS) {
                let tile = self.tile(top, at * TILE_COLS, space);
                let right = part(y, top, tile.nrows());
                matmul(out.as_mut(), Accum::Add, tile.transpose(), right, 1.0, Par::Seq);
            }
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use gage_linalg::random::fill_normal;

    use super::*;
    use crate::algebra::Stored;

    fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    #[test]
    fn products_are_those_of_the_same_numbers_in_double_precision() {
        // Less than a tile, whole tiles, and a part of one at both ends; no rows, no columns.
        for (rows, cols) in [(3, 5), (128, 256), (300, 600), (129, 1), (0, 4), (4, 0)] {
            let wide = Tiled(random(rows, cols, 1).converted());
            let plain = Stored::Dense(wide.0.converted());
            let (x, y) = (random(cols, 7, 2), random(rows, 7, 3));
            let pairs = [
                (wide.apply(&x), plain.apply(&x)),
                (wide.apply_transposed(&y), plain.apply_transposed(&y)),
            ];
            for (ours, theirs) in pairs {
                assert_eq!((ours.rows(), ours.cols()), (theirs.rows(), theirs.cols()));
                for (a, b) in ours.data().iter().zip(theirs.data()) {
                    assert!((a - b).abs() < 1e-11, "{rows} x {cols}: {a} and {b}");
                }
            }
        }
    }
}
