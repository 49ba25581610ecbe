//! Sums in double precision, with the vector instructions of the processor.

use crate::kernel::simd::{Level, at_level, level};
use crate::tall::Real;

/// `sums += factor * values`.
pub fn axpy<T: Real>(sums: &mut [f64], factor: f64, values: &[T]) {
    add_at(level(), sums, factor, values);
}

fn add_at<T: Real>(level: Level, sums: &mut [f64], factor: f64, values: &[T]) {
    at_level!(level, add::<T>(sums: &mut [f64], factor: f64, values: &[T]));
}

#[inline(always)]
fn add<T: Real>(sums: &mut [f64], factor: f64, values: &[T]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value.to_f64());
}

/// The sum of `term(x)` over a row, in 16 partial sums: a single one would serialise the additions.
pub fn unrolled_sum(row: &[f32], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 16];
    let chunks = row.chunks_exact(16);
    let rest: f64 = chunks.remainder().iter().map(|&x| term(f64::from(x))).sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, &x)| *sum += term(f64::from(x)));
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::levels;
    use crate::random::fill_normal;

    #[test]
    fn a_wide_sum_is_the_sum() {
        for count in [0, 1, 15, 16, 17, 100] {
            let row: Vec<f32> = (0..count).map(|at| at as f32 - 7.0).collect();
            let plain: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            assert_eq!(unrolled_sum(&row, |x| x * x), plain);
        }
    }

    #[test]
    fn every_level_adds_the_same_bits() {
        for count in [0, 1, 7, 64, 193] {
            let (mut values, mut begin) = (vec![0.0f32; count], vec![0.0; count]);
            fill_normal(3, 1, &mut values);
            fill_normal(3, 2, &mut begin);
            let plain: Vec<f64> =
                begin.iter().zip(&values).map(|(sum, &v)| sum + 0.3 * f64::from(v)).collect();
            for level in levels() {
                let mut sums = begin.clone();
                add_at(level, &mut sums, 0.3, &values);
                assert_eq!(sums, plain, "{level:?}");
            }
        }
    }
}
