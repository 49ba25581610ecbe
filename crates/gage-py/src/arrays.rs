//! NumPy arrays as the library's buffers, without a copy, and back.

use std::sync::Arc;

use gage_embed::linalg::{Buffer, DenseValues, Values};
use gage_embed::{AnyTall, DenseMatrix, Matrix, SparseMatrix, Tall};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::BindingError;
use crate::run::run_attached;

/// Memory of a NumPy array, alive as long as this is.
struct Borrowed<T> {
    start: *const T,
    length: usize,
    /// the array; its memory cannot be resized while somebody refers to it
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read, `_owner` keeps it allocated, and Python's reference count is
// changed only by `Py`, which may be dropped on any thread. The documentation requires callers not
// to write to arrays while they are in use.
unsafe impl<T: Sync> Send for Borrowed<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Borrowed<T> {}

impl<T> AsRef<[T]> for Borrowed<T> {
    fn as_ref(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: `borrow` checked that `length` aligned elements are there, one after the other.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

/// A buffer over the memory of an array whose elements have the size of `T` and are valid as `T`.
fn borrow<T, E>(
    array: &Bound<'_, PyAny>,
    start: *mut E,
    length: usize,
) -> Result<Buffer<T>, BindingError>
where
    T: Send + Sync + 'static,
{
    if size_of::<T>() != size_of::<E>() || !start.cast::<T>().is_aligned() {
        return Err(BindingError::Value("an array whose elements are not aligned".to_owned()));
    }
    let owner = array.clone().unbind();
    Ok(Buffer::shared(Arc::new(Borrowed {
        start: start.cast_const().cast::<T>(),
        length,
        _owner: owner,
    })))
}

fn not_usable(what: &str, wanted: &str) -> BindingError {
    BindingError::Value(format!("{what}: found an array that is not contiguous or not of {wanted}"))
}

/// Elements of a contiguous vector, shared.
fn shared<T, E>(array: &Bound<'_, PyAny>) -> Option<Result<Buffer<T>, BindingError>>
where
    T: Send + Sync + 'static,
    E: Element,
{
    let typed = array.cast::<PyArray1<E>>().ok().filter(|typed| typed.is_contiguous())?;
    Some(borrow(array, typed.data(), typed.len()))
}

/// Row pointers: 64-bit ones are shared, 32-bit ones widened (8 bytes a row).
fn pointers(array: &Bound<'_, PyAny>) -> Result<Buffer<u64>, BindingError> {
    if let Some(wide) = shared::<u64, i64>(array) {
        return wide;
    }
    let narrow: Buffer<i32> = shared::<i32, i32>(array)
        .ok_or_else(|| not_usable("indptr", "32- or 64-bit integers"))??;
    // A negative pointer becomes a huge one, which the checks of the matrix refuse.
    Ok(narrow.iter().map(|&at| i64::from(at) as u64).collect::<Vec<_>>().into())
}

/// Column indices: 32-bit ones are shared, 64-bit ones narrowed (4 bytes an entry).
fn indices(array: &Bound<'_, PyAny>, columns: usize) -> Result<Buffer<u32>, BindingError> {
    if let Some(narrow) = shared::<u32, i32>(array) {
        return narrow;
    }
    let wide: Buffer<i64> = shared::<i64, i64>(array)
        .ok_or_else(|| not_usable("indices", "32- or 64-bit integers"))??;
    let narrow: Option<Vec<u32>> = wide.iter().map(|&at| u32::try_from(at).ok()).collect();
    narrow.map(Buffer::from).ok_or_else(|| {
        BindingError::Value(format!(
            "indices: found a column outside the matrix, which has {columns}"
        ))
    })
}

fn values(array: Option<&Bound<'_, PyAny>>) -> Result<Values, BindingError> {
    let Some(array) = array else { return Ok(Values::Ones) };
    if let Some(single) = shared::<f32, f32>(array) {
        return Ok(Values::F32(single?));
    }
    let double = shared::<f64, f64>(array);
    Ok(Values::F64(double.ok_or_else(|| not_usable("data", "32- or 64-bit floats"))??))
}

/// A sparse matrix over the three arrays of compressed rows; `data` is all ones if absent. Rows in
/// canonical form are not copied.
pub(crate) fn sparse(
    shape: (usize, usize),
    indptr: &Bound<'_, PyAny>,
    columns: &Bound<'_, PyAny>,
    data: Option<&Bound<'_, PyAny>>,
) -> Result<SparseMatrix, BindingError> {
    let (rows, cols) = shape;
    let (pointers, indices, values) = (pointers(indptr)?, indices(columns, cols)?, values(data)?);
    run_attached(|| SparseMatrix::new(rows, cols, pointers, indices, values))
}

/// A dense matrix over a contiguous array of floats.
pub(crate) fn dense(array: &Bound<'_, PyAny>) -> Result<DenseMatrix, BindingError> {
    let made = if let Ok(single) = array.cast::<PyArray2<f32>>()
        && single.is_c_contiguous()
    {
        let (rows, cols) = (single.shape()[0], single.shape()[1]);
        let values = borrow(array, single.data(), single.len())?;
        DenseMatrix::new(rows, cols, DenseValues::F32(values))
    } else if let Ok(double) = array.cast::<PyArray2<f64>>()
        && double.is_c_contiguous()
    {
        let (rows, cols) = (double.shape()[0], double.shape()[1]);
        let values = borrow(array, double.data(), double.len())?;
        DenseMatrix::new(rows, cols, DenseValues::F64(values))
    } else {
        None
    };
    made.ok_or_else(|| not_usable("values", "32- or 64-bit floats in rows"))
}

/// An embedding given as an array: a copy in the library's own layout.
pub(crate) fn numbers(array: &Bound<'_, PyAny>) -> Result<AnyTall, BindingError> {
    fn tall<T: gage_embed::linalg::Real>(rows: usize, cols: usize, values: &[T]) -> Tall<T> {
        let mut tall = Tall::zeros(rows, cols);
        tall.data_mut().copy_from_slice(values);
        tall
    }
    let dense = dense(array)?;
    let (rows, cols) = (dense.rows(), dense.cols());
    Ok(match dense.values() {
        DenseValues::F32(values) => AnyTall::F32(tall(rows, cols, values)),
        DenseValues::F64(values) => AnyTall::F64(tall(rows, cols, values)),
    })
}

/// Numbers as a new NumPy array.
pub(crate) fn to_numpy<'py>(py: Python<'py>, numbers: &AnyTall) -> PyResult<Bound<'py, PyAny>> {
    fn array<'py, T: Element + gage_embed::linalg::Real>(
        py: Python<'py>,
        tall: &Tall<T>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flat = PyArray1::from_slice(py, tall.data());
        Ok(flat.reshape([tall.rows(), tall.cols()])?.into_any())
    }
    match numbers {
        AnyTall::F32(tall) => array(py, tall),
        AnyTall::F64(tall) => array(py, tall),
    }
}

/// A matrix as new NumPy arrays: `(indptr, indices, data)` of compressed rows, or one dense array.
pub(crate) fn matrix_to_numpy<'py>(
    py: Python<'py>,
    matrix: &Matrix,
) -> PyResult<Bound<'py, PyAny>> {
    match matrix {
        Matrix::Sparse(sparse) => {
            let indptr: Vec<i64> = sparse.indptr().iter().map(|&at| at as i64).collect();
            let indices: Vec<i32> = sparse.indices().iter().map(|&at| at as i32).collect();
            let data = match sparse.values() {
                Values::Ones => PyArray1::from_vec(py, vec![1f32; sparse.nnz()]).into_any(),
                Values::F32(values) => PyArray1::from_slice(py, values).into_any(),
                Values::F64(values) => PyArray1::from_slice(py, values).into_any(),
            };
            let indptr = PyArray1::from_vec(py, indptr);
            let indices = PyArray1::from_vec(py, indices);
            Ok((indptr, indices, data).into_pyobject(py)?.into_any())
        }
        Matrix::Dense(dense) => {
            let shape = [dense.rows(), dense.cols()];
            match dense.values() {
                DenseValues::F32(values) => {
                    Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
                }
                DenseValues::F64(values) => {
                    Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
                }
            }
        }
    }
}
