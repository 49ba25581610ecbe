//! What layers are made of: propagation along links, products with attributes and with weights.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gage_linalg::kernel::{Diagonals, spmm_accumulate};
use gage_linalg::random::Stream;
use gage_linalg::{SparseMatrix, Tall};
use rayon::prelude::*;

use super::scalar::Scalar;
use crate::Error;
use crate::input::{Links, Table};

/// A product is split into about this many parts, but into parts of at most so many rows.
const PARTS: usize = 16;
const ROWS_AT_A_TIME: usize = 512;

/// Links with weight one in both directions, without loops: what all neural methods read.
pub(super) fn simple_links(links: &Links) -> Result<SparseMatrix, Error> {
    let mut entries = Vec::with_capacity(2 * links.matrix.nnz());
    for row in 0..links.matrix.rows() {
        for (col, value) in links.matrix.row(row) {
            if col as usize != row && value != 0.0 {
                entries.push((row as u32, col));
                entries.push((col, row as u32));
            }
        }
    }
    entries.sort_unstable();
    entries.dedup();
    let entries: Vec<(u32, u32, f64)> = entries.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
    Ok(SparseMatrix::from_triplets(links.matrix.rows(), links.matrix.cols(), &entries)?)
}

/// Simple links without a random share of them, rounded down; both directions go together.
pub(super) fn without_share(
    links: SparseMatrix,
    share: f64,
    seed: u64,
) -> Result<SparseMatrix, Error> {
    let ends = (0..links.rows()).flat_map(|i| links.row(i).map(move |(j, _)| (i as u32, j)));
    let mut pairs: Vec<(u32, u32)> = ends.filter(|(i, j)| i < j).collect();
    let hidden = (share * pairs.len() as f64) as usize;
    if hidden == 0 {
        return Ok(links);
    }
    Stream::keyed(seed, 0x7a11_da7e, 0).sample_to_front(&mut pairs, hidden);
    let kept = pairs[hidden..].iter().flat_map(|&(i, j)| [(i, j, 1.0), (j, i, 1.0)]);
    Ok(SparseMatrix::from_triplets(links.rows(), links.rows(), &kept.collect::<Vec<_>>())?)
}

/// Makes the rows of nodes without links and attributes zeros: biases would give them all one
/// vector, that of no information, as if it were one.
pub(super) fn blank_unknown<T: Scalar>(rows: &mut Tall<T>, links: &SparseMatrix, table: &Table) {
    rows.par_update_rows(|row, out| {
        let mut known = !links.row_range(row).is_empty();
        table.each(row, |_, _| known = true);
        if !known {
            out.fill(T::ZERO);
        }
    });
}

/// `D^-1/2 (A + I) D^-1/2` of simple links, with `D` the row sums of `A + I`; symmetric.
pub(super) struct Propagation {
    links: SparseMatrix,
    scale: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Propagation {
    pub(super) fn new(links: SparseMatrix) -> Propagation {
        let degree = |row| links.row(row).count() as f64 + 1.0;
        let scale: Vec<f64> = (0..links.rows()).map(|row| degree(row).sqrt().recip()).collect();
        let diagonal = scale.iter().map(|s| s * s).collect();
        Propagation { links, scale, diagonal }
    }

    /// The product with a block.
    pub(super) fn times<T: Scalar>(&self, x: &Tall<T>) -> Tall<T> {
        let mut out = Tall::zeros(x.rows(), x.cols());
        let around = Diagonals {
            left: Some(&self.scale),
            right: Some(&self.scale),
            shift: Some(&self.diagonal),
        };
        spmm_accumulate(&self.links, around, 1.0, x, &mut out);
        out
    }
}

/// A sparse matrix times a block.
pub(super) fn sparse_times<T: Scalar>(matrix: &SparseMatrix, x: &Tall<T>) -> Tall<T> {
    let mut out = Tall::zeros(matrix.rows(), x.cols());
    spmm_accumulate(matrix, Diagonals::default(), 1.0, x, &mut out);
    out
}

/// Attributes as the input of a layer.
pub(super) enum Features<T> {
    Sparse { matrix: SparseMatrix, transposed: Box<SparseMatrix> },
    Dense(Tall<T>),
}

impl<T: Scalar> Features<T> {
    pub(super) fn new(table: &Table) -> Features<T> {
        match table {
            Table::Sparse(matrix) => Features::Sparse {
                matrix: matrix.clone(),
                transposed: Box::new(matrix.transposed()),
            },
            Table::Dense(matrix) => Features::Dense(matrix.converted()),
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Features::Sparse { matrix, .. } => matrix.rows(),
            Features::Dense(matrix) => matrix.rows(),
        }
    }

    pub(super) fn cols(&self) -> usize {
        match self {
            Features::Sparse { matrix, .. } => matrix.cols(),
            Features::Dense(matrix) => matrix.cols(),
        }
    }

    /// `X W`.
    pub(super) fn times(&self, weights: &Tall<T>) -> Tall<T> {
        match self {
            Features::Sparse { matrix, .. } => sparse_times(matrix, weights),
            Features::Dense(matrix) => times(matrix, weights),
        }
    }

    /// `X^T G`: the gradient of the weights of [`times`](Features::times).
    pub(super) fn transposed_times(&self, gradient: &Tall<T>) -> Tall<T> {
        match self {
            Features::Sparse { transposed, .. } => sparse_times(transposed, gradient),
            Features::Dense(matrix) => transposed_times(matrix, gradient),
        }
    }
}

fn view<T: Scalar>(block: &Tall<T>) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(block.data(), block.rows(), block.cols())
}

/// `A W`.
pub(super) fn times<T: Scalar>(a: &Tall<T>, weights: &Tall<T>) -> Tall<T> {
    product(view(a), view(weights))
}

/// `A W^T`: the gradient of the input of [`times`].
pub(super) fn times_transposed<T: Scalar>(a: &Tall<T>, weights: &Tall<T>) -> Tall<T> {
    product(view(a), view(weights).transpose())
}

/// `A^T G`: the gradient of the weights of [`times`].
pub(super) fn transposed_times<T: Scalar>(a: &Tall<T>, gradient: &Tall<T>) -> Tall<T> {
    product(view(a).transpose(), view(gradient))
}

/// A product in working precision; every row of it is the work of one thread.
fn product<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Tall<T> {
    let cols = b.ncols();
    let mut out = Tall::zeros(a.nrows(), cols);
    let rows = a.nrows().div_ceil(PARTS).clamp(8, ROWS_AT_A_TIME);
    let chunks = out.data_mut().par_chunks_mut((rows * cols).max(1));
    chunks.enumerate().for_each(|(at, out)| {
        let count = out.len() / cols;
        let target = MatMut::from_row_major_slice_mut(out, count, cols);
        let own = a.subrows(at * rows, count);
        matmul(target, Accum::Replace, own, b, T::ONE, Par::Seq);
    });
    out
}

/// A block with entries `f(x, y)` of two blocks of one shape.
pub(super) fn combine<T: Scalar>(
    x: &Tall<T>,
    y: &Tall<T>,
    f: impl Fn(T, T) -> T + Sync,
) -> Tall<T> {
    Tall::from_rows(x.rows(), x.cols(), |row, out: &mut [T]| {
        for ((out, &x), &y) in out.iter_mut().zip(x.row(row)).zip(y.row(row)) {
            *out = f(x, y);
        }
    })
}

/// Weights from the uniform distribution on `[-bound, bound]`, drawn row after row.
pub(super) fn uniform<T: Scalar>(
    rows: usize,
    cols: usize,
    bound: f64,
    random: &mut Stream,
) -> Tall<T> {
    let mut weights = Tall::zeros(rows, cols);
    for value in weights.data_mut() {
        *value = T::from_f64(bound * (2.0 * random.unit() - 1.0));
    }
    weights
}

/// Weights of Glorot and Bengio: uniform with bound `sqrt(6 / (rows + cols))`.
pub(super) fn glorot<T: Scalar>(rows: usize, cols: usize, random: &mut Stream) -> Tall<T> {
    uniform(rows, cols, (6.0 / (rows + cols).max(1) as f64).sqrt(), random)
}

/// The sum of `f(row)` over rows, in a fixed order.
pub(super) fn ordered_sum(rows: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let parts: Vec<f64> = (0..rows.div_ceil(256))
        .into_par_iter()
        .map(|part| (256 * part..rows.min(256 * (part + 1))).map(&f).sum())
        .collect();
    parts.into_iter().sum()
}
