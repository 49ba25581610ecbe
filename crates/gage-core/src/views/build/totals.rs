//! Numbers that need the rows of all workers.

use std::sync::Arc;

use crate::graph::{Mask, Matrix};
use gage_linalg::workers::{Halo, Partition, transposed_rows};
use gage_linalg::{Reducer, SparseMatrix};

/// A matrix of one worker: of its columns only those that its rows name.
#[derive(Clone)]
pub(crate) struct OwnRows {
    pub(crate) matrix: Matrix,
    /// What its columns are; `None` is all of them, where there is one worker.
    pub(crate) columns: Option<(Arc<Halo>, Partition)>,
}

/// Completes sums over the rows of one worker.
#[derive(Clone, Copy)]
pub(crate) struct Totals<'a> {
    pub(crate) halo: Option<&'a Halo>,
    pub(crate) reducer: &'a dyn Reducer,
}

impl Totals<'_> {
    /// Sums for each column, given those over own rows.
    pub(crate) fn of_columns(&self, partial: Vec<f64>) -> Vec<f64> {
        self.halo.map_or_else(|| partial.clone(), |halo| halo.totals(&partial, self.reducer))
    }

    /// A sum over all rows.
    pub(crate) fn sum(&self, own: f64) -> f64 {
        self.reducer.sum(own)
    }

    /// The largest over all rows.
    pub(crate) fn largest(&self, own: f64) -> f64 {
        let mut values = [own];
        self.reducer.max_f64(&mut values);
        values[0]
    }

    /// A mask on all workers if there is one on any, so that all of them do the same.
    pub(crate) fn agreed(&self, mask: Option<Mask>, rows: usize) -> Option<Mask> {
        let some = self.largest(f64::from(u8::from(mask.is_some()))) > 0.0;
        if some { Some(mask.unwrap_or_else(|| Mask::new(vec![true; rows]))) } else { mask }
    }
}

/// The rows of a matrix with the columns they name, and where these are.
pub(crate) fn own_rows(matrix: &Matrix, cols: Partition, reducer: &dyn Reducer) -> OwnRows {
    if reducer.is_single() {
        return OwnRows { matrix: matrix.clone(), columns: None };
    }
    let (matrix, touched) = match matrix {
        Matrix::Sparse(matrix) => {
            let (compact, touched) = matrix.compacted();
            (Matrix::Sparse(compact), touched)
        }
        // All columns of dense rows are needed.
        Matrix::Dense(matrix) => {
            (Matrix::Dense(matrix.clone()), (0..matrix.cols() as u32).collect())
        }
    };
    let halo = Arc::new(Halo::plan(&cols, touched, reducer));
    OwnRows { matrix, columns: Some((halo, cols)) }
}

/// Whether links equal their transpose, over all workers; as it is known, or found by exchanging
/// all entries.
pub(crate) fn is_symmetric(links: &SparseMatrix, rows: &Partition, reducer: &dyn Reducer) -> bool {
    if reducer.is_single() {
        return links.is_symmetric();
    }
    // Some workers may not know.
    let known = links.known_symmetry();
    let unknown = reducer.sum(f64::from(u8::from(known.is_none()))) > 0.0;
    let same = match known {
        Some(known) if !unknown => known,
        _ => same_entries(&transposed_rows(links, rows, rows, reducer), links),
    };
    reducer.sum(f64::from(u8::from(!same))) == 0.0
}

/// Whether two matrices are equal, however their values are stored.
fn same_entries(a: &SparseMatrix, b: &SparseMatrix) -> bool {
    let values = || (0..a.nnz()).all(|at| a.values().get(at) == b.values().get(at));
    a.indptr() == b.indptr() && a.indices() == b.indices() && values()
}
