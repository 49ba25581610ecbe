//! CP decomposition of a tensor with two sparse slabs by alternating least squares.
//!
//! Slab `k` is `U diag(c_k) V^T`. Given two of `U`, `V`, `c` the third is a linear least-squares
//! problem:
//!
//! ```text
//! U = (sum_k S_k V diag(c_k)) ((V^T V) * (C^T C))^-1        and V likewise with S_k^T
//! c_k = ((U^T U) * (V^T V))^-1 diag(U^T S_k V)
//! ```

use faer::Mat;
use gage_embed::Tall;
use gage_linalg::LocalReducer;
use gage_linalg::kernel::{add_scaled, gram, times_small};
use gage_linalg::random::fill_normal;
use gage_linalg::small::PsdSolver;

use super::params::TPine;
use crate::Error;
use crate::algebra::{Operator, Stored, times_columns};
use crate::task::Task;

/// The factor of the rows, columns times the length of their component.
pub(crate) fn node_factor(
    slabs: &[Stored; 2],
    params: &TPine,
    task: &Task<'_>,
) -> Result<Tall<f64>, Error> {
    let (nodes, rank) = (slabs[0].rows(), task.dimension);
    let total: f64 = slabs.iter().map(squared_norm).sum();
    let mut right =
        Tall::from_rows(nodes, rank, |row, out| fill_normal(task.seed, row as u64, out));
    let mut left = Tall::zeros(nodes, rank);
    let mut shares = Mat::from_fn(2, rank, |_, _| 1.0);
    let mut before = f64::INFINITY;
    for _ in 0..params.sweeps.max(1) {
        left = factor(slabs, &right, &shares, Stored::apply);
        normalise_columns(&mut left);
        right = factor(slabs, &left, &shares, Stored::apply_transposed);
        normalise_columns(&mut right);
        let explained;
        (shares, explained) = shares_of(slabs, &left, &right);
        let loss = total - explained;
        task.step_with_loss(loss / total.max(f64::MIN_POSITIVE))?;
        if (before - loss).abs() <= params.tolerance * total {
            break;
        }
        before = loss;
    }
    let lengths: Vec<f64> = (0..rank).map(|f| shares[(0, f)].hypot(shares[(1, f)])).collect();
    Ok(times_columns(&left, &lengths))
}

fn squared_norm(slab: &Stored) -> f64 {
    match slab {
        Stored::Sparse { matrix, .. } => {
            (0..matrix.rows()).flat_map(|row| matrix.row(row)).map(|(_, value)| value * value).sum()
        }
        Stored::Dense(matrix) => matrix.data().iter().map(|value| value * value).sum(),
    }
}

/// One node factor from the other.
fn factor(
    slabs: &[Stored; 2],
    other: &Tall<f64>,
    shares: &Mat<f64>,
    product: impl Fn(&Stored, &Tall<f64>) -> Tall<f64>,
) -> Tall<f64> {
    let rank = other.cols();
    let mut sum = Tall::zeros(other.rows(), rank);
    for (k, slab) in slabs.iter().enumerate() {
        let weights: Vec<f64> = (0..rank).map(|f| shares[(k, f)]).collect();
        add_scaled(&mut sum, 1.0, &times_columns(&product(slab, other), &weights));
    }
    let square = gram(other, &LocalReducer);
    let system = Mat::from_fn(rank, rank, |f, g| {
        square[(f, g)] * (shares[(0, f)] * shares[(0, g)] + shares[(1, f)] * shares[(1, g)])
    });
    let inverse = PsdSolver::new(system.as_ref()).solve(Mat::<f64>::identity(rank, rank).as_ref());
    times_small(&sum, inverse.as_ref())
}

/// The shares of the slabs, and how much of the squared tensor the model explains.
fn shares_of(slabs: &[Stored; 2], left: &Tall<f64>, right: &Tall<f64>) -> (Mat<f64>, f64) {
    let rank = left.cols();
    let (a, b) = (gram(left, &LocalReducer), gram(right, &LocalReducer));
    let system = Mat::from_fn(rank, rank, |f, g| a[(f, g)] * b[(f, g)]);
    let mut inner = Mat::zeros(rank, 2);
    for (k, slab) in slabs.iter().enumerate() {
        let product = slab.apply(right);
        for row in 0..left.rows() {
            for (f, (x, y)) in left.row(row).iter().zip(product.row(row)).enumerate() {
                inner[(f, k)] += x * y;
            }
        }
    }
    let shares = PsdSolver::new(system.as_ref()).solve(inner.as_ref());
    // At the least-squares solution the explained part is the inner product of tensor and model.
    let explained =
        (0..2).map(|k| (0..rank).map(|f| shares[(f, k)] * inner[(f, k)]).sum::<f64>()).sum();
    (shares.transpose().to_owned(), explained)
}

fn normalise_columns(table: &mut Tall<f64>) {
    let square = gram(table, &LocalReducer);
    let inverse = |f: usize| if square[(f, f)] > 0.0 { 1.0 / square[(f, f)].sqrt() } else { 0.0 };
    let inverse: Vec<f64> = (0..table.cols()).map(inverse).collect();
    *table = times_columns(table, &inverse);
}
