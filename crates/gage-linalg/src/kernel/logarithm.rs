//! Logarithms of many numbers.

use crate::kernel::simd::{Level, at_level, level};
use crate::tall::{Precision, Real};

/// `out = sign(x) ln(1 + factor |x|)`, number by number. In single precision by a series that the
/// compiler turns into vector instructions, good to a few units of the last digit; at every level
/// of instructions the same bits.
pub fn signed_ln_1p<T: Real>(out: &mut [T], values: &[T], factors: &[T]) {
    logarithms_at(level(), out, values, factors);
}

fn logarithms_at<T: Real>(level: Level, out: &mut [T], values: &[T], factors: &[T]) {
    at_level!(level, logarithms::<T>(out: &mut [T], values: &[T], factors: &[T]));
}

#[inline(always)]
fn logarithms<T: Real>(out: &mut [T], values: &[T], factors: &[T]) {
    if T::PRECISION == Precision::F32
        && let (Ok(values), Ok(factors)) =
            (bytemuck::try_cast_slice(values), bytemuck::try_cast_slice(factors))
        && let Ok(out) = bytemuck::try_cast_slice_mut::<T, f32>(out)
    {
        let inputs = values.iter().zip(factors);
        for (out, (&x, &factor)) in out.iter_mut().zip(inputs) {
            let (x, factor): (f32, f32) = (x, factor);
            *out = ln_1p(factor * x.abs()).copysign(x);
        }
        return;
    }
    for (out, (x, factor)) in out.iter_mut().zip(values.iter().zip(factors)) {
        let x = x.to_f64();
        *out = T::from_f64((x.abs() * factor.to_f64()).ln_1p().copysign(x));
    }
}

/// `ln(1 + x)` for `0 <= x < 2^126`: with `1 + x = m 2^e`, `m` between the roots of 1/2 and of 2,
/// it is `e ln 2 + 2 artanh((m - 1) / (m + 1))`. `m - 1` is found without rounding `1 + x`.
#[inline(always)]
fn ln_1p(x: f32) -> f32 {
    /// Bits of the root of one half.
    const ROOT_HALF: i32 = 0x3f35_04f3;
    let exponent = ((1.0 + x).to_bits() as i32 - ROOT_HALF) >> 23;
    let scale = f32::from_bits(((127 - exponent) << 23) as u32);
    let above = (scale - 1.0) + x * scale;
    let t = above / (2.0 + above);
    let square = t * t;
    let series = 1.0 / 9.0;
    let series = 1.0 / 7.0 + square * series;
    let series = 1.0 / 5.0 + square * series;
    let series = 1.0 / 3.0 + square * series;
    exponent as f32 * std::f32::consts::LN_2 + 2.0 * (t + t * (square * series))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::levels;

    #[test]
    fn logarithms_are_those_of_the_standard_library() {
        let mut values: Vec<f32> = (-400..360).map(|at| (at as f32 / 10.0).exp2()).collect();
        values.extend((0..2000).map(|at| at as f32 * 1e-3));
        let signed: Vec<f32> =
            values.iter().enumerate().map(|(at, x)| if at % 2 == 0 { *x } else { -x }).collect();
        let factors = vec![1.0; signed.len()];
        for level in levels() {
            let mut found = vec![0.0; signed.len()];
            logarithms_at(level, &mut found, &signed, &factors);
            for (&x, &found) in signed.iter().zip(&found) {
                let wanted = f64::from(x.abs()).ln_1p().copysign(f64::from(x));
                let error = (f64::from(found) - wanted).abs();
                assert!(error <= 4.0 * f64::from(f32::EPSILON) * wanted.abs(), "{x}: {found}");
            }
        }
        let mut found = [0.0; 2];
        signed_ln_1p(&mut found, &[0.5, -3.0], &[2.0, 1.0]);
        assert_eq!(found, [1f64.ln_1p(), -3f64.ln_1p()]);
        let mut found = [7.0f32; 2];
        signed_ln_1p(&mut found, &[0.0, 5.0], &[2.0, 0.0]);
        assert_eq!(found, [0.0; 2]);
    }
}
