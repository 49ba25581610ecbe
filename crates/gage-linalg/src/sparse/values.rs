//! Stored values: none for an unweighted matrix, otherwise single or double precision.

use crate::memory::Buffer;

/// Stored values of a sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Every stored entry is 1: an unweighted graph, a binary table. Takes no memory.
    Ones,
    /// Single precision.
    F32(Buffer<f32>),
    /// Double precision.
    F64(Buffer<f64>),
}

impl Values {
    /// The value at position `at`, widened.
    #[inline]
    pub fn get(&self, at: usize) -> f64 {
        match self {
            Values::Ones => 1.0,
            Values::F32(values) => f64::from(values[at]),
            Values::F64(values) => values[at],
        }
    }

    /// The narrowest form that holds `values` without loss.
    pub fn from_f64(values: Vec<f64>) -> Values {
        if values.iter().all(|&v| v == 1.0) {
            Values::Ones
        } else if values.iter().all(|&v| f64::from(v as f32) == v) {
            Values::F32(values.iter().map(|&v| v as f32).collect::<Vec<_>>().into())
        } else {
            Values::F64(values.into())
        }
    }

    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Values::Ones => None,
            Values::F32(values) => Some(values.len()),
            Values::F64(values) => Some(values.len()),
        }
    }

    pub(super) fn bytes_each(&self) -> usize {
        match self {
            Values::Ones => 0,
            Values::F32(_) => 4,
            Values::F64(_) => 8,
        }
    }
}
