//! Tall matrices whose number type is known only at run time.

use std::any::Any;

use crate::memory::Workspace;
use crate::tall::Tall;
use crate::tall::{Precision, Real};

/// Tall numbers in either precision.
#[derive(Clone, Debug)]
pub enum AnyTall {
    /// Single precision.
    F32(Tall<f32>),
    /// Double precision.
    F64(Tall<f64>),
}

/// Borrowed tall numbers in either precision.
#[derive(Clone, Copy, Debug)]
pub enum AnyTallRef<'a> {
    /// Single precision.
    F32(&'a Tall<f32>),
    /// Double precision.
    F64(&'a Tall<f64>),
}

/// A value as another type that is known to be the same one.
fn same_type<A: 'static, B: 'static>(value: A) -> Option<B> {
    let mut value = Some(value);
    (&mut value as &mut dyn Any).downcast_mut::<Option<B>>()?.take()
}

impl<T: Real> From<Tall<T>> for AnyTall {
    fn from(tall: Tall<T>) -> AnyTall {
        match T::PRECISION {
            Precision::F32 => same_type(tall).map(AnyTall::F32),
            Precision::F64 => same_type(tall).map(AnyTall::F64),
        }
        .expect("a number type has one precision")
    }
}

impl<'a, T: Real> From<&'a Tall<T>> for AnyTallRef<'a> {
    fn from(tall: &'a Tall<T>) -> AnyTallRef<'a> {
        let tall: &dyn Any = tall;
        let single = tall.downcast_ref().map(AnyTallRef::F32);
        single.or_else(|| tall.downcast_ref().map(AnyTallRef::F64)).expect("only two number types")
    }
}

impl<'a> AnyTallRef<'a> {
    /// The matrix itself, if it holds this number type.
    pub fn downcast<T: Real>(self) -> Option<&'a Tall<T>> {
        match self {
            AnyTallRef::F32(tall) => (tall as &dyn Any).downcast_ref(),
            AnyTallRef::F64(tall) => (tall as &dyn Any).downcast_ref(),
        }
    }
}

impl AnyTall {
    /// The same numbers, borrowed.
    pub fn as_ref(&self) -> AnyTallRef<'_> {
        match self {
            AnyTall::F32(tall) => AnyTallRef::F32(tall),
            AnyTall::F64(tall) => AnyTallRef::F64(tall),
        }
    }

    /// As [`Tall::moved_to`].
    pub fn moved_to(self, workspace: &Workspace) -> AnyTall {
        match self {
            AnyTall::F32(tall) => AnyTall::F32(tall.moved_to(workspace)),
            AnyTall::F64(tall) => AnyTall::F64(tall.moved_to(workspace)),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            AnyTall::F32(tall) => tall.rows(),
            AnyTall::F64(tall) => tall.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            AnyTall::F32(tall) => tall.cols(),
            AnyTall::F64(tall) => tall.cols(),
        }
    }

    /// The number type.
    pub fn precision(&self) -> Precision {
        match self {
            AnyTall::F32(_) => Precision::F32,
            AnyTall::F64(_) => Precision::F64,
        }
    }

    /// Copies one row, widened.
    pub fn row_f64(&self, row: usize) -> Vec<f64> {
        match self {
            AnyTall::F32(tall) => tall.row(row).iter().map(|&v| f64::from(v)).collect(),
            AnyTall::F64(tall) => tall.row(row).to_vec(),
        }
    }

    /// The numbers in single precision.
    pub fn to_f32(&self) -> Tall<f32> {
        match self {
            AnyTall::F32(tall) => tall.clone(),
            AnyTall::F64(tall) => tall.converted(),
        }
    }

    /// The numbers in double precision.
    pub fn to_f64(&self) -> Tall<f64> {
        match self {
            AnyTall::F32(tall) => tall.converted(),
            AnyTall::F64(tall) => tall.clone(),
        }
    }

    /// The matrix itself, if it holds this number type.
    pub fn into_tall<T: Real>(self) -> Option<Tall<T>> {
        match self {
            AnyTall::F32(tall) => same_type(tall),
            AnyTall::F64(tall) => same_type(tall),
        }
    }

    /// Scales every row in place to this length. Rows of zeros stay, and rows whose length is not
    /// finite. Costs `4 n F` flops.
    pub fn scale_rows_to(self, length: f64) -> AnyTall {
        fn scale<T: Real>(mut tall: Tall<T>, length: f64) -> Tall<T> {
            tall.par_update_rows(|_, row| {
                // Divided by its largest entry first, a row neither overflows nor vanishes.
                let largest = row.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
                if !(largest > 0.0 && largest.is_finite()) {
                    return;
                }
                let square: f64 = row.iter().map(|x| (x.to_f64() / largest).powi(2)).sum();
                let factor = length / square.sqrt();
                row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / largest * factor));
            });
            tall
        }
        match self {
            AnyTall::F32(tall) => AnyTall::F32(scale(tall, length)),
            AnyTall::F64(tall) => AnyTall::F64(scale(tall, length)),
        }
    }

    /// Scales the columns in place; in double precision where single would overflow or vanish.
    pub fn scale_columns(self, factors: &[f64]) -> AnyTall {
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
            AnyTall::F32(tall) if fits => AnyTall::F32(scale(tall, factors)),
            AnyTall::F32(tall) => AnyTall::F64(scale(tall.converted::<f64>(), factors)),
            AnyTall::F64(tall) => AnyTall::F64(scale(tall, factors)),
        }
    }
}
