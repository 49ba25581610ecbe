//! Rows of tall matrices in the precision of a product.

use std::ops::Range;

use crate::memory::Kernel;
use crate::tall::{Precision, Real, Tall};

/// The first of two kernels if `S` is double precision, the second if it is single.
pub fn by_precision<S: Real>(double: Kernel, single: Kernel) -> Kernel {
    match S::PRECISION {
        Precision::F64 => double,
        Precision::F32 => single,
    }
}

/// Rows of `cols` numbers in precision `S`, without rows of zeros. They are written to `out` unless
/// `rows` can be used as they are.
pub fn rows_as<'a, T: Real, S: Real>(rows: &'a [T], cols: usize, out: &'a mut [S]) -> &'a [S] {
    if cols == 0 {
        return &[];
    }
    let all = rows.len() / cols;
    let filled = rows.chunks_exact(cols).filter(|row| !is_zero(row)).count();
    if filled == all
        && let Ok(same) = bytemuck::try_cast_slice::<T, S>(rows)
        && T::PRECISION == S::PRECISION
    {
        return same;
    }
    let kept = rows.chunks_exact(cols).filter(|row| filled == all || !is_zero(row));
    out.chunks_exact_mut(cols).zip(kept).for_each(|(out, row)| convert(row, out));
    &out[..filled * cols]
}

/// Converts numbers to precision `S`; a copy if they have it already.
pub fn convert<T: Real, S: Real>(from: &[T], to: &mut [S]) {
    match bytemuck::try_cast_slice::<T, S>(from) {
        Ok(same) if T::PRECISION == S::PRECISION => to.copy_from_slice(same),
        _ => to.iter_mut().zip(from).for_each(|(to, x)| *to = S::from_f64(x.to_f64())),
    }
}

/// The numbers of a range of rows.
pub fn row_slice<T: Real>(a: &Tall<T>, range: Range<usize>) -> &[T] {
    &a.data()[range.start * a.cols()..range.end * a.cols()]
}

pub fn is_zero<T: Real>(row: &[T]) -> bool {
    row.iter().all(|&value| value == T::ZERO)
}
