//! Truncated singular value decomposition of an operator: randomised block Lanczos with thick
//! restarts.
//!
//! The wanted left singular vectors are the leading eigenvectors of `G = A A^T`. Blocks
//! `V_1 = orth(A Omega)` with random `Omega`, `V_{j+1} = orth((I - V V^T) G V_j)` are added to an
//! orthonormal basis `V` until it is a few times as wide as the rank; the eigenvectors `Z` of
//! `V^T G V` give the best approximations in it, `U = V Z`. What is outside the basis,
//! `G V - V V^T G V`, lies in the last block, which makes the residuals of all pairs known without
//! a further pass: `|G u - theta u| = |R z|` with the remainder `R` of the last block and the last
//! entries of `z`. If they are too large the basis is cut down to its best part and grows again.
//! One block costs one product with `A` and one with `A^T`.
//!
//! Everything stays in the range of `A`: rows of `A` that are zero give rows of `U` that are
//! exactly zero.
//!
//! Block Lanczos: Golub and Underwood 1977; thick restart: Wu and Simon 2000; random start of a
//! block: Musco and Musco 2015.

use faer::{Mat, MatRef};
use gage_embed::Tall;
use gage_linalg::LocalReducer;
use gage_linalg::kernel::{add_scaled, cross_gram, gram, orthonormalise, times_small};
use gage_linalg::random::fill_normal;
use gage_linalg::small::symmetric_eigen;

use super::columns::times_columns;
use super::operator::Operator;
use crate::Error;
use crate::task::Task;

/// Residuals `|A A^T u - s^2 u|` of all wanted vectors end below this times the largest `s^2`.
const TOLERANCE: f64 = 1e-7;
/// Blocks at most; a clustered spectrum may reach this, and its vectors are then a good mixture
/// within the cluster.
const MAX_BLOCKS: usize = 60;

/// `A ~ U diag(s) V^T`, largest singular value first; as many as requested, or fewer where the rank
/// of `A` is less.
pub(crate) struct Svd {
    pub(crate) left: Tall<f64>,
    pub(crate) values: Vec<f64>,
    pub(crate) right: Tall<f64>,
}

impl Svd {
    /// `U diag(s)`.
    pub(crate) fn scaled_left(&self) -> Tall<f64> {
        times_columns(&self.left, &self.values)
    }
}

/// The leading `rank` singular values and vectors. Cost: at most 60 products of a block of
/// `rank + 8` columns with `A` and as many with `A^T`, typically 7 to 15, and
/// `O((rows + cols) rank^2)` per restart.
pub(crate) fn truncated_svd(
    operator: &dyn Operator,
    rank: usize,
    seed: u64,
    task: &Task<'_>,
) -> Result<Svd, Error> {
    task.plan(MAX_BLOCKS);
    let rank = rank.min(operator.rows()).min(operator.cols());
    // At least as wide as the rank: a narrower block would miss singular values that are equal.
    let width = (rank + 8).min(operator.rows()).min(operator.cols());
    let random =
        Tall::from_rows(operator.cols(), width, |row, out| fill_normal(seed, row as u64, out));
    let mut next = orthonormalise(operator.apply(&random), &LocalReducer);
    let mut basis = Basis::default();
    let mut blocks = 0;
    loop {
        blocks += 1;
        let remainder = basis.push(next, operator);
        task.step()?;
        let (block, rest) = basis.orthogonal(remainder);
        next = block;
        let exhausted = next.cols() == 0;
        let full = basis.width() >= 4 * width;
        if !(exhausted || full || blocks >= MAX_BLOCKS) {
            continue;
        }
        let (values, vectors) = symmetric_eigen(basis.core().as_ref());
        let wanted = rank.min(values.len());
        let worst = basis.worst_residual(&rest, vectors.as_ref(), wanted);
        let top = values.first().copied().unwrap_or(0.0);
        if exhausted || blocks >= MAX_BLOCKS || worst <= TOLERANCE * top {
            return Ok(basis.finished(&values, vectors.as_ref(), wanted));
        }
        // A few more than wanted: what is just below the rank would have to be found again.
        basis.cut(vectors.as_ref(), (rank + width).min(values.len()));
    }
}

/// An orthonormal basis in blocks, and its image under `A^T`.
#[derive(Default)]
struct Basis {
    vectors: Vec<Tall<f64>>,
    images: Vec<Tall<f64>>,
}

impl Basis {
    fn width(&self) -> usize {
        self.vectors.iter().map(Tall::cols).sum()
    }

    /// Adds a block `v`; returns `A A^T v`.
    fn push(&mut self, block: Tall<f64>, operator: &dyn Operator) -> Tall<f64> {
        let image = operator.apply_transposed(&block);
        let product = operator.apply(&image);
        self.vectors.push(block);
        self.images.push(image);
        product
    }

    /// The part of `block` outside the basis: orthonormalised, and as its Gram matrix.
    fn orthogonal(&self, mut block: Tall<f64>) -> (Tall<f64>, Mat<f64>) {
        let before = diagonal_sum(&gram(&block, &LocalReducer));
        self.project_out(&mut block);
        self.project_out(&mut block);
        let rest = gram(&block, &LocalReducer);
        if diagonal_sum(&rest) <= 1e-26 * before {
            return (Tall::zeros(block.rows(), 0), rest);
        }
        let mut next = orthonormalise(block, &LocalReducer);
        self.project_out(&mut next);
        // A direction that mostly vanishes now was rounding error of the subtraction, not a
        // direction.
        let lengths = gram(&next, &LocalReducer);
        let kept: Vec<usize> = (0..next.cols()).filter(|&f| lengths[(f, f)] > 0.25).collect();
        let chosen = Tall::from_rows(next.rows(), kept.len(), |row, out: &mut [f64]| {
            out.iter_mut().zip(&kept).for_each(|(out, &f)| *out = next.row(row)[f]);
        });
        (orthonormalise(chosen, &LocalReducer), rest)
    }

    fn project_out(&self, block: &mut Tall<f64>) {
        for vectors in &self.vectors {
            let overlap = cross_gram(vectors, block, &LocalReducer);
            add_scaled(block, -1.0, &times_small(vectors, overlap.as_ref()));
        }
    }

    /// `V^T A A^T V`.
    fn core(&self) -> Mat<f64> {
        let mut core = Mat::zeros(self.width(), self.width());
        let mut top = 0;
        for (i, a) in self.images.iter().enumerate() {
            let mut left = 0;
            for b in &self.images[..=i] {
                let part = cross_gram(a, b, &LocalReducer);
                for (row, col) in (0..a.cols()).flat_map(|r| (0..b.cols()).map(move |c| (r, c))) {
                    core[(top + row, left + col)] = part[(row, col)];
                    core[(left + col, top + row)] = part[(row, col)];
                }
                left += b.cols();
            }
            top += a.cols();
        }
        core
    }

    /// The largest `|R z|` of the wanted pairs, with `R^T R = rest`.
    fn worst_residual(&self, rest: &Mat<f64>, z: MatRef<'_, f64>, wanted: usize) -> f64 {
        let last = self.width() - rest.ncols();
        let square = |f: usize| -> f64 {
            let entries = (0..rest.ncols()).flat_map(|i| (0..rest.ncols()).map(move |j| (i, j)));
            entries.map(|(i, j)| z[(last + i, f)] * rest[(i, j)] * z[(last + j, f)]).sum()
        };
        (0..wanted).map(|f| square(f).max(0.0).sqrt()).fold(0.0, f64::max)
    }

    /// Keeps the best `count` directions as one block.
    fn cut(&mut self, z: MatRef<'_, f64>, count: usize) {
        self.vectors = vec![combined(&self.vectors, z, count)];
        self.images = vec![combined(&self.images, z, count)];
    }

    fn finished(self, values: &[f64], z: MatRef<'_, f64>, wanted: usize) -> Svd {
        let top = values.first().copied().unwrap_or(0.0);
        // Squares of singular values below the rounding error of the largest are noise.
        let count = values[..wanted].iter().take_while(|&&v| v > 1e-13 * top && v > 0.0).count();
        let values: Vec<f64> = values[..count].iter().map(|v| v.sqrt()).collect();
        let (left, right) = (combined(&self.vectors, z, count), combined(&self.images, z, count));
        let signs = signs(&left);
        let inverse: Vec<f64> = values.iter().zip(&signs).map(|(v, sign)| sign / v).collect();
        Svd { left: times_columns(&left, &signs), right: times_columns(&right, &inverse), values }
    }
}

fn diagonal_sum(matrix: &Mat<f64>) -> f64 {
    (0..matrix.ncols()).map(|f| matrix[(f, f)]).sum()
}

/// `[B_1, B_2, ...] Z` with the first `count` columns of `Z`.
fn combined(blocks: &[Tall<f64>], z: MatRef<'_, f64>, count: usize) -> Tall<f64> {
    let mut sum = Tall::zeros(blocks.first().map_or(0, Tall::rows), count);
    let mut top = 0;
    for block in blocks {
        let part = z.subrows(top, block.cols()).subcols(0, count);
        add_scaled(&mut sum, 1.0, &times_small(block, part));
        top += block.cols();
    }
    sum
}

/// Signs that make the largest entry of every column positive.
fn signs(table: &Tall<f64>) -> Vec<f64> {
    let mut largest = vec![0.0f64; table.cols()];
    for row in 0..table.rows() {
        for (largest, &x) in largest.iter_mut().zip(table.row(row)) {
            if x.abs() > largest.abs() {
                *largest = x;
            }
        }
    }
    largest.into_iter().map(|x| if x < 0.0 { -1.0 } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use gage_embed::{Graph, NoObserver, Nodes};

    use super::*;
    use crate::algebra::Stored;

    fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    fn dense(table: &Tall<f64>) -> Mat<f64> {
        Mat::from_fn(table.rows(), table.cols(), |i, j| table.row(i)[j])
    }

    fn decompose(matrix: &Tall<f64>, rank: usize) -> Svd {
        let graph = Graph::new(Nodes::numbered(1));
        let task = Task::new("svd", &graph, 1, 0, &NoObserver).unwrap();
        truncated_svd(&Stored::Dense(matrix.clone()), rank, 5, &task).unwrap()
    }

    /// `A` with falling columns, so that there are gaps, and the exact values of it.
    fn check(matrix: &Tall<f64>, rank: usize) {
        let svd = decompose(matrix, rank);
        let exact = dense(matrix).svd().unwrap();
        let values = exact.S().column_vector();
        let top = values[0];
        let positive = (0..values.nrows()).filter(|&f| values[f] > 1e-6 * top).count();
        assert_eq!(svd.values.len(), rank.min(positive));
        for (f, value) in svd.values.iter().enumerate() {
            assert!((value - values[f]).abs() < 1e-7 * top, "value {f}: {value}, {}", values[f]);
        }
        // The best approximation of this rank is unique where there is a gap.
        let count = svd.values.len();
        let ours = dense(&svd.scaled_left()) * dense(&svd.right).transpose();
        let (u, v) = (exact.U().subcols(0, count), exact.V().subcols(0, count));
        let scaled = Mat::from_fn(u.nrows(), count, |i, f| u[(i, f)] * values[f]);
        let difference = (ours - scaled * v.transpose()).norm_l2();
        assert!(difference < 1e-5 * top, "approximation off by {difference} of {top}");
        for side in [&svd.left, &svd.right] {
            let gram = gram(side, &LocalReducer);
            let identity = Mat::<f64>::identity(count, count);
            assert!((gram - identity).norm_l2() < 1e-9, "singular vectors are not orthonormal");
        }
    }

    fn falling(rows: usize, cols: usize, base: f64, seed: u64) -> Tall<f64> {
        let factors: Vec<f64> = (0..cols).map(|f| base.powi(f as i32)).collect();
        times_columns(&random(rows, cols, seed), &factors)
    }

    #[test]
    fn agrees_with_the_dense_decomposition() {
        check(&falling(300, 200, 0.98, 1), 10);
        check(&falling(90, 400, 0.99, 2), 20);
        check(&falling(400, 60, 0.9, 3), 60);
        check(&falling(1, 5, 0.9, 4), 3);
        check(&falling(5, 1, 0.9, 5), 3);
    }

    #[test]
    fn low_rank_ends_the_search() {
        let (a, b) = (random(120, 4, 6), random(80, 4, 7));
        let product = times_small(&a, dense(&b).transpose());
        let svd = decompose(&product, 10);
        assert_eq!(svd.values.len(), 4);
        check(&product, 3);
        assert!(decompose(&Tall::zeros(20, 10), 5).values.is_empty());
    }

    #[test]
    fn equal_singular_values_are_all_found() {
        // An identity has nothing but equal values, which a block narrower than the rank would not
        // see.
        let identity = Tall::from_rows(150, 150, |row, out: &mut [f64]| out[row] = 1.0);
        let svd = decompose(&identity, 40);
        assert_eq!(svd.values.len(), 40);
        assert!(svd.values.iter().all(|value| (value - 1.0).abs() < 1e-10));
    }

    #[test]
    fn empty_rows_stay_exactly_empty() {
        let mut matrix = falling(200, 50, 0.95, 8);
        matrix.row_mut(17).fill(0.0);
        assert!(decompose(&matrix, 12).left.row(17).iter().all(|&x| x == 0.0));
    }
}
