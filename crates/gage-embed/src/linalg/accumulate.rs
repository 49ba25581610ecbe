//! Adding to sums in double precision, with the vector instructions that the processor has.

use super::real::Real;
use super::simd::{Level, at_level, level};

/// `sums += factor * values`.
pub(crate) fn add_multiple<T: Real>(sums: &mut [f64], factor: f64, values: &[T]) {
    add_at(level(), sums, factor, values);
}

fn add_at<T: Real>(level: Level, sums: &mut [f64], factor: f64, values: &[T]) {
    at_level!(level, add::<T>(sums: &mut [f64], factor: f64, values: &[T]));
}

#[inline(always)]
fn add<T: Real>(sums: &mut [f64], factor: f64, values: &[T]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value.to_f64());
}

#[cfg(test)]
mod tests {
    use super::super::random::fill_normal;
    use super::super::simd::levels;
    use super::*;

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
