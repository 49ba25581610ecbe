//! Matrices that are applied, not formed.

use faer::Mat;
use gage_embed::{SparseMatrix, Tall};
use gage_linalg::LocalReducer;
use gage_linalg::kernel::{Diagonals, add_scaled, cross_gram, spmm_accumulate, times_small};

use crate::Error;
use crate::input::{Links, Table};

/// A linear map between blocks of columns. Both directions, because singular vectors need both.
pub(crate) trait Operator {
    /// Length of what comes out of [`apply`](Operator::apply).
    fn rows(&self) -> usize;
    /// Length of what goes into it.
    fn cols(&self) -> usize;
    /// `A x`.
    fn apply(&self, x: &Tall<f64>) -> Tall<f64>;
    /// `A^T y`.
    fn apply_transposed(&self, y: &Tall<f64>) -> Tall<f64>;
}

/// A stored matrix; of a sparse one the transpose is kept, since gathering is faster than
/// scattering.
pub(crate) enum Stored {
    Sparse { matrix: SparseMatrix, transposed: Box<SparseMatrix> },
    Dense(Tall<f64>),
}

impl Stored {
    pub(crate) fn sparse(matrix: SparseMatrix) -> Stored {
        let transposed = Box::new(matrix.transposed());
        Stored::Sparse { matrix, transposed }
    }
}

impl From<Table> for Stored {
    fn from(table: Table) -> Stored {
        match table {
            Table::Sparse(matrix) => Stored::sparse(matrix),
            Table::Dense(matrix) => Stored::Dense(matrix),
        }
    }
}

impl Operator for Stored {
    fn rows(&self) -> usize {
        match self {
            Stored::Sparse { matrix, .. } => matrix.rows(),
            Stored::Dense(matrix) => matrix.rows(),
        }
    }

    fn cols(&self) -> usize {
        match self {
            Stored::Sparse { matrix, .. } => matrix.cols(),
            Stored::Dense(matrix) => matrix.cols(),
        }
    }

    fn apply(&self, x: &Tall<f64>) -> Tall<f64> {
        match self {
            Stored::Sparse { matrix, .. } => times(matrix, x),
            Stored::Dense(matrix) => {
                times_small(matrix, Mat::from_fn(x.rows(), x.cols(), |i, j| x.row(i)[j]).as_ref())
            }
        }
    }

    fn apply_transposed(&self, y: &Tall<f64>) -> Tall<f64> {
        match self {
            Stored::Sparse { transposed, .. } => times(transposed, y),
            Stored::Dense(matrix) => {
                let product = cross_gram(matrix, y, &LocalReducer);
                Tall::from_rows(product.nrows(), product.ncols(), |row, out: &mut [f64]| {
                    out.iter_mut().enumerate().for_each(|(col, out)| *out = product[(row, col)]);
                })
            }
        }
    }
}

/// A sparse matrix times a block.
pub(crate) fn times(matrix: &SparseMatrix, x: &Tall<f64>) -> Tall<f64> {
    let mut out = Tall::zeros(matrix.rows(), x.cols());
    spmm_accumulate(matrix, Diagonals::default(), 1.0, x, &mut out);
    out
}

/// `S = D^-1/2 (A + I) D^-1/2` of undirected links, `D` the row sums of absolute values of `A + I`.
pub(crate) struct Smoother {
    links: SparseMatrix,
    scale: Vec<f64>,
    own: Vec<f64>,
}

impl Smoother {
    pub(crate) fn new(links: &Links) -> Result<Smoother, Error> {
        let links = links.undirected()?;
        let degree = |row| links.row(row).map(|(_, value)| value.abs()).sum::<f64>() + 1.0;
        let scale: Vec<f64> = (0..links.rows()).map(|row| 1.0 / f64::sqrt(degree(row))).collect();
        let own = scale.iter().map(|s| s * s).collect();
        Ok(Smoother { links, scale, own })
    }

    fn step(&self, x: &Tall<f64>) -> Tall<f64> {
        let mut out = Tall::zeros(x.rows(), x.cols());
        let around =
            Diagonals { left: Some(&self.scale), right: Some(&self.scale), shift: Some(&self.own) };
        spmm_accumulate(&self.links, around, 1.0, x, &mut out);
        out
    }

    /// `(S + S^2 + ... + S^steps) x / steps`.
    fn mean(&self, steps: usize, x: Tall<f64>) -> Tall<f64> {
        let mut sum = Tall::zeros(x.rows(), x.cols());
        let mut power = x;
        for _ in 0..steps {
            power = self.step(&power);
            add_scaled(&mut sum, 1.0 / steps as f64, &power);
        }
        sum
    }
}

/// Attributes averaged over 1 to `steps` steps of a smoother.
pub(crate) struct Smoothed {
    pub(crate) smoother: Smoother,
    pub(crate) steps: usize,
    pub(crate) table: Stored,
}

impl Operator for Smoothed {
    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn cols(&self) -> usize {
        self.table.cols()
    }

    fn apply(&self, x: &Tall<f64>) -> Tall<f64> {
        self.smoother.mean(self.steps, self.table.apply(x))
    }

    fn apply_transposed(&self, y: &Tall<f64>) -> Tall<f64> {
        // The smoother is symmetric.
        self.table.apply_transposed(&self.smoother.mean(self.steps, y.clone()))
    }
}

#[cfg(test)]
mod tests {
    use gage_linalg::random::fill_normal;

    use super::*;

    fn inner(a: &Tall<f64>, b: &Tall<f64>) -> f64 {
        a.data().iter().zip(b.data()).map(|(a, b)| a * b).sum()
    }

    /// `<y, A x> = <A^T y, x>`.
    fn check(operator: &dyn Operator) {
        let random = |rows: usize, seed: u64| {
            Tall::from_rows(rows, 3, |row, out| fill_normal(seed, row as u64, out))
        };
        let (x, y) = (random(operator.cols(), 1), random(operator.rows(), 2));
        let (one, other) =
            (inner(&y, &operator.apply(&x)), inner(&operator.apply_transposed(&y), &x));
        assert!((one - other).abs() < 1e-12 * one.abs().max(1.0), "{one} and {other}");
    }

    #[test]
    fn transposes_are_transposes() {
        let entries = [(0, 1, 2.0), (1, 0, -1.0), (2, 4, 0.5), (3, 3, 1.0), (4, 0, 3.0)];
        let links = SparseMatrix::from_triplets(5, 5, &entries).unwrap();
        let words =
            SparseMatrix::from_triplets(5, 7, &[(0, 6, 1.0), (1, 2, 2.0), (4, 2, -1.0)]).unwrap();
        check(&Stored::sparse(words.clone()));
        check(&Stored::Dense(Tall::from_rows(5, 7, |row, out| fill_normal(9, row as u64, out))));
        let links = Links { matrix: links, directed: true };
        let smoother = Smoother::new(&links).unwrap();
        check(&Smoothed { smoother, steps: 3, table: Stored::sparse(words) });
    }
}
