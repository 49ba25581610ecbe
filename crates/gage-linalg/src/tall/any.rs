//! Tall matrices whose number type is known only at run time.

use super::real::{Precision, Real};
use super::tall::Tall;

/// Tall numbers in either precision.
#[derive(Clone, Debug)]
pub enum Numbers {
    /// Single precision.
    F32(Tall<f32>),
    /// Double precision.
    F64(Tall<f64>),
}

/// Borrowed tall numbers in either precision.
#[derive(Clone, Copy, Debug)]
pub enum NumbersRef<'a> {
    /// Single precision.
    F32(&'a Tall<f32>),
    /// Double precision.
    F64(&'a Tall<f64>),
}

impl Numbers {
    /// The same numbers, borrowed.
    pub fn borrowed(&self) -> NumbersRef<'_> {
        match self {
            Numbers::F32(tall) => NumbersRef::F32(tall),
            Numbers::F64(tall) => NumbersRef::F64(tall),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Numbers::F32(tall) => tall.rows(),
            Numbers::F64(tall) => tall.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Numbers::F32(tall) => tall.cols(),
            Numbers::F64(tall) => tall.cols(),
        }
    }

    /// The number type.
    pub fn precision(&self) -> Precision {
        match self {
            Numbers::F32(_) => Precision::F32,
            Numbers::F64(_) => Precision::F64,
        }
    }

    /// Copies one row, widened.
    pub fn row_f64(&self, row: usize) -> Vec<f64> {
        match self {
            Numbers::F32(tall) => tall.row(row).iter().map(|&v| f64::from(v)).collect(),
            Numbers::F64(tall) => tall.row(row).to_vec(),
        }
    }

    /// The numbers in single precision.
    pub fn to_f32(&self) -> Tall<f32> {
        match self {
            Numbers::F32(tall) => tall.clone(),
            Numbers::F64(tall) => tall.converted(),
        }
    }

    /// The numbers in double precision.
    pub fn to_f64(&self) -> Tall<f64> {
        match self {
            Numbers::F32(tall) => tall.converted(),
            Numbers::F64(tall) => tall.clone(),
        }
    }

    /// Wraps a tall matrix of either type, without a copy.
    pub fn from_tall<T: Real>(tall: Tall<T>) -> Numbers {
        T::numbers(tall)
    }

    /// Columns multiplied by one factor each, where they lie; in double precision where single would overflow or vanish.
    pub fn scale_columns(self, factors: &[f64]) -> Numbers {
        fn scale<T: Real>(mut tall: Tall<T>, factors: &[f64]) -> Tall<T> {
            tall.par_update_rows(|_, row| {
                for (x, factor) in row.iter_mut().zip(factors) {
                    *x = T::from_f64(x.to_f64() * factor);
                }
            });
            tall
        }
        let largest = factors.iter().copied().fold(0.0, f64::max);
        let fits = largest == 0.0 || (1e-30..=1e30).contains(&largest);
        match self {
            Numbers::F32(tall) if fits => Numbers::F32(scale(tall, factors)),
            Numbers::F32(tall) => Numbers::F64(scale(tall.converted::<f64>(), factors)),
            Numbers::F64(tall) => Numbers::F64(scale(tall, factors)),
        }
    }
}
