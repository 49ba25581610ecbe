//! Builds sparse matrices from unsorted entries, in about twice the memory of the result.

use rayon::prelude::*;

use gage_core::graph::Matrix;
use gage_linalg::{DenseMatrix, DenseValues, SparseError, SparseMatrix, Values};

use crate::error::{Origin, Place, ReadError};

/// Rows or columns accepted for any matrix; larger shapes need a number of entries.
const FREE_DIMENSION: u64 = 1 << 24;
/// Empty rows or columns accepted per stored entry, beyond that.
const EMPTY_PER_ENTRY: u64 = 64;

/// A position as one sortable number.
#[inline]
pub(crate) fn key(row: u32, col: u32) -> u64 {
    u64::from(row) << 32 | u64::from(col)
}

/// Checks that a claimed shape may be allocated: an array with one number per row must not come
/// from a mere claim.
pub(crate) fn check_shape(
    origin: impl Into<Origin>,
    place: Place,
    shape: (u64, u64),
    entries: u64,
) -> Result<(usize, usize), ReadError> {
    let limit = FREE_DIMENSION
        .max(entries.saturating_mul(EMPTY_PER_ENTRY))
        .min(SparseMatrix::MAX_DIMENSION as u64);
    for (what, size) in [("rows", shape.0), ("columns", shape.1)] {
        if size > limit {
            let found = format!("{size} {what} with {entries} stored entries");
            let expected = format!("at most {limit} {what}");
            let remedy = "check the shape in the file; leave out rows and columns without entries";
            return Err(ReadError::too_large(origin, place, found, expected, remedy));
        }
    }
    Ok((shape.0 as usize, shape.1 as usize))
}

/// Converts an error of the arrays of a matrix to one of the file.
pub(crate) fn sparse_error(
    origin: impl Into<Origin>,
    place: Place,
    error: SparseError,
) -> ReadError {
    match error {
        SparseError::NotFinite { row, column, value } => {
            let place = Place::entry(format!("row {row}, column {column}"));
            let remedy = "replace it by a number, or leave the entry out";
            ReadError::not_finite(origin, place, value, remedy)
        }
        other => {
            let expected = "the arrays of a sparse matrix";
            let remedy = "write the matrix again, for instance with scipy.sparse.save_npz";
            ReadError::malformed(origin, place, other.to_string(), expected, remedy)
        }
    }
}

/// Collects values in the narrowest form that holds them without loss, one at a time.
pub(crate) struct ValueBuilder {
    values: Collected,
}

enum Collected {
    Ones(usize),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl ValueBuilder {
    pub(crate) fn new() -> Self {
        ValueBuilder { values: Collected::Ones(0) }
    }

    pub(crate) fn push(&mut self, value: f64) {
        match &mut self.values {
            Collected::Ones(count) if value == 1.0 => *count += 1,
            Collected::F32(values) if f64::from(value as f32) == value => values.push(value as f32),
            Collected::F64(values) => values.push(value),
            Collected::Ones(count) => {
                self.values = Collected::F32(vec![1.0; *count]);
                self.push(value);
            }
            Collected::F32(values) => {
                let wide = values.iter().map(|&value| f64::from(value)).collect();
                self.values = Collected::F64(wide);
                self.push(value);
            }
        }
    }

    pub(crate) fn finish(self) -> Values {
        match self.values {
            Collected::Ones(_) => Values::Ones,
            Collected::F32(values) => Values::F32(values.into()),
            Collected::F64(values) => Values::F64(values.into()),
        }
    }
}

/// A matrix of ones from positions; a position that stands `k` times gets the value `k`. Also
/// returns how many entries were repeats.
pub(crate) fn from_keys(
    rows: usize,
    cols: usize,
    mut keys: Vec<u64>,
) -> Result<(SparseMatrix, usize), SparseError> {
    keys.par_sort_unstable();
    let repeats = keys.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let values = if repeats > 0 {
        let runs = keys.chunk_by(|a, b| a == b).map(|run| run.len() as f32);
        let mut counts = Vec::with_capacity(keys.len() - repeats);
        counts.extend(runs);
        Values::F32(counts.into())
    } else {
        Values::Ones
    };
    keys.dedup();
    let pointers = pointers(rows, keys.iter().map(|key| key >> 32));
    let mut indices = vec![0u32; keys.len()];
    drain_back(keys, |at, key| indices[at] = key as u32);
    Ok((SparseMatrix::new(rows, cols, pointers, indices, values)?, repeats))
}

/// A matrix from positions with values; repeats are summed. Also returns how many entries were
/// repeats.
pub(crate) fn from_entries(
    rows: usize,
    cols: usize,
    mut entries: Vec<(u64, f64)>,
) -> Result<(SparseMatrix, usize), SparseError> {
    // Ordered by value too, so that sums do not depend on how the sort moved equal keys.
    entries.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let given = entries.len();
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let repeats = given - entries.len();
    Ok((compress(rows, cols, entries)?, repeats))
}

fn compress(
    rows: usize,
    cols: usize,
    entries: Vec<(u64, f64)>,
) -> Result<SparseMatrix, SparseError> {
    let pointers = pointers(rows, entries.iter().map(|entry| entry.0 >> 32));
    let mut indices = vec![0u32; entries.len()];
    let values = if entries.iter().all(|entry| entry.1 == 1.0) {
        drain_back(entries, |at, entry| indices[at] = entry.0 as u32);
        Values::Ones
    } else if entries.iter().all(|entry| f64::from(entry.1 as f32) == entry.1) {
        let mut values = vec![0f32; entries.len()];
        drain_back(entries, |at, entry| {
            indices[at] = entry.0 as u32;
            values[at] = entry.1 as f32;
        });
        Values::F32(values.into())
    } else {
        let mut values = vec![0f64; entries.len()];
        drain_back(entries, |at, entry| {
            indices[at] = entry.0 as u32;
            values[at] = entry.1;
        });
        Values::F64(values.into())
    };
    SparseMatrix::new(rows, cols, pointers, indices, values)
}

fn pointers(rows: usize, of_entries: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut pointers = vec![0u64; rows + 1];
    for row in of_entries {
        // A row out of range leaves the last pointer short, which `SparseMatrix::new` reports.
        if let Some(count) = pointers.get_mut(row as usize + 1) {
            *count += 1;
        }
    }
    for row in 0..rows {
        pointers[row + 1] += pointers[row];
    }
    pointers
}

/// Takes items from the end and gives their memory back on the way, so that source and result never
/// coexist whole.
fn drain_back<T: Copy>(mut items: Vec<T>, mut each: impl FnMut(usize, T)) {
    let piece = (items.len() / 16).max(1 << 14);
    while !items.is_empty() {
        let start = items.len().saturating_sub(piece);
        for (at, &item) in items.iter().enumerate().skip(start) {
            each(at, item);
        }
        items.truncate(start);
        items.shrink_to_fit();
    }
}

/// A dense table in the smaller of the two forms; only a table without missing entries may become
/// sparse.
pub(crate) fn sparse_if_smaller(
    origin: impl Into<Origin>,
    dense: DenseMatrix,
) -> Result<Matrix, ReadError> {
    let (mut full, mut missing) = (0usize, false);
    let mut look = |at: usize, value: f64| {
        full += usize::from(value != 0.0);
        missing |= value.is_nan();
        if value.is_infinite() { Some((at / dense.cols(), at % dense.cols())) } else { None }
    };
    let infinite = match dense.values() {
        DenseValues::F32(v) => v.iter().enumerate().find_map(|(at, &v)| look(at, f64::from(v))),
        DenseValues::F64(v) => v.iter().enumerate().find_map(|(at, &v)| look(at, v)),
    };
    if let Some((row, col)) = infinite {
        let place = Place::entry(format!("row {row}, column {col}"));
        let remedy = "replace it by a number, or by NaN if it is missing";
        return Err(ReadError::not_finite(origin, place, dense.get(row, col), remedy));
    }
    if missing || full.saturating_mul(3) > dense.rows().saturating_mul(dense.cols()) {
        return Ok(dense.into());
    }
    Ok(sparse_from_dense(origin, &dense)?.into())
}

/// The non-zero entries of a dense matrix.
pub(crate) fn sparse_from_dense(
    origin: impl Into<Origin>,
    dense: &DenseMatrix,
) -> Result<SparseMatrix, ReadError> {
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    let mut values = ValueBuilder::new();
    for row in 0..dense.rows() {
        for col in 0..dense.cols() {
            let value = dense.get(row, col);
            if value != 0.0 {
                indices.push(col as u32);
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    SparseMatrix::new(dense.rows(), dense.cols(), pointers, indices, values.finish())
        .map_err(|error| sparse_error(origin, Place::File, error))
}

/// The matrix without the zeros it stores, and how many there were.
pub(crate) fn without_zeros(matrix: SparseMatrix) -> (SparseMatrix, usize) {
    let zeros = (0..matrix.nnz()).filter(|&at| matrix.values().get(at) == 0.0).count();
    if zeros == 0 {
        return (matrix, 0);
    }
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    let mut values = ValueBuilder::new();
    for row in 0..matrix.rows() {
        for (col, value) in matrix.row(row).filter(|entry| entry.1 != 0.0) {
            indices.push(col);
            values.push(value);
        }
        pointers.push(indices.len() as u64);
    }
    let (rows, cols) = (matrix.rows(), matrix.cols());
    match SparseMatrix::new(rows, cols, pointers, indices, values.finish()) {
        Ok(clean) => (clean, zeros),
        Err(_) => (matrix, 0),
    }
}
