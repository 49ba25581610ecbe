//! A matrix with many rows and few columns.

use rayon::prelude::*;

use crate::memory::{Storage, Workspace};
use crate::tall::{ROW_CHUNK, Real};

/// A row-major matrix with one row per node (or attribute column) and a few hundred columns,
/// aligned to cache lines.
#[derive(Clone)]
pub struct Tall<T> {
    rows: usize,
    cols: usize,
    storage: Storage,
    number: std::marker::PhantomData<T>,
}

impl<T: Real> Tall<T> {
    /// A matrix of zeros in a workspace of its own.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Tall::zeros_in(&Workspace::default(), rows, cols)
    }

    /// A matrix of zeros.
    pub fn zeros_in(workspace: &Workspace, rows: usize, cols: usize) -> Self {
        // Written, although fresh memory is zero. A page that is read first is mapped to a shared
        // page of zeros; the first write then faults again and interrupts all processors. That
        // made Gram matrices of small fits six times as slow.
        Tall::uninit_in(workspace, rows, cols).cleared(cols)
    }

    /// A matrix of arbitrary numbers, for callers that overwrite all of them.
    pub fn uninit_in(workspace: &Workspace, rows: usize, cols: usize) -> Self {
        let storage = Storage::uninit(workspace, rows * cols * size_of::<T>());
        Tall { rows, cols, storage, number: std::marker::PhantomData }
    }

    /// As [`from_rows_in`](Tall::from_rows_in), in a workspace of its own.
    pub fn from_rows(rows: usize, cols: usize, fill: impl Fn(usize, &mut [T]) + Sync) -> Self {
        Tall::from_rows_in(&Workspace::default(), rows, cols, fill)
    }

    /// Fills a matrix row by row, in parallel; rows are zero before.
    pub fn from_rows_in(
        workspace: &Workspace,
        rows: usize,
        cols: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> Self {
        let mut out = Tall::uninit_in(workspace, rows, cols);
        out.par_update_rows(|row, values| {
            values.fill(T::ZERO);
            fill(row, values);
        });
        out
    }

    /// Where the matrix was allocated, and what is computed from it will be.
    pub fn workspace(&self) -> &Workspace {
        self.storage.workspace()
    }

    /// The same matrix in another workspace; a copy unless it is there already.
    pub fn moved_to(self, workspace: &Workspace) -> Self {
        if self.workspace().is_same(workspace) {
            return self;
        }
        let mut copy = Tall::uninit_in(workspace, self.rows, self.cols);
        copy.data_mut().copy_from_slice(self.data());
        copy
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All numbers, row by row.
    pub fn data(&self) -> &[T] {
        bytemuck::cast_slice(&self.storage[..self.bytes()])
    }

    /// All numbers, row by row, to be changed.
    pub fn data_mut(&mut self) -> &mut [T] {
        let bytes = self.bytes();
        bytemuck::cast_slice_mut(&mut self.storage[..bytes])
    }

    /// One row.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.data()[row * self.cols..(row + 1) * self.cols]
    }

    /// One row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let cols = self.cols;
        &mut self.data_mut()[row * cols..(row + 1) * cols]
    }

    /// Changes every row in parallel; `update` receives the row number and the row.
    pub fn par_update_rows(&mut self, update: impl Fn(usize, &mut [T]) + Sync) {
        let cols = self.cols;
        if cols == 0 {
            return;
        }
        self.data_mut().par_chunks_mut(ROW_CHUNK * cols).enumerate().for_each(|(chunk, block)| {
            for (row, values) in block.chunks_exact_mut(cols).enumerate() {
                update(chunk * ROW_CHUNK + row, values);
            }
        });
    }

    /// Replaces every row in parallel; `replace` receives a copy of the row and the row to
    /// overwrite.
    pub fn par_replace_rows(&mut self, replace: impl Fn(&mut [T], &mut [T]) + Sync) {
        let cols = self.cols.max(1);
        let chunks = self.data_mut().par_chunks_mut(ROW_CHUNK * cols);
        chunks.for_each_init(
            || vec![T::ZERO; cols],
            |old, block| {
                for values in block.chunks_exact_mut(cols) {
                    old.copy_from_slice(values);
                    replace(old, values);
                }
            },
        );
    }

    /// Zeros in the same memory, in no more columns.
    pub fn cleared(self, cols: usize) -> Self {
        let mut zeros = self.with_fewer_columns(cols);
        zeros.data_mut().par_chunks_mut(1 << 16).for_each(|part| part.fill(T::ZERO));
        zeros
    }

    /// The numbers that rows of fewer columns take, from the beginning, in the same memory.
    pub fn with_fewer_columns(mut self, cols: usize) -> Self {
        self.cols = cols.min(self.cols);
        self
    }

    /// Bytes the numbers take.
    pub fn bytes(&self) -> usize {
        self.rows * self.cols * size_of::<T>()
    }

    /// The same numbers in another precision.
    pub fn converted<S: Real>(&self) -> Tall<S> {
        Tall::from_rows_in(self.workspace(), self.rows, self.cols, |row, out| {
            for (out, &value) in out.iter_mut().zip(self.row(row)) {
                *out = S::from_f64(value.to_f64());
            }
        })
    }
}

impl<T: Real> std::fmt::Debug for Tall<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tall({} x {}, {:?})", self.rows, self.cols, T::PRECISION)
    }
}
