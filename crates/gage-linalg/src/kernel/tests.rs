//! Products of tall matrices against their definitions.

use faer::Mat;

use super::*;
use crate::random::fill_normal;
use crate::tall::{Real, Tall};
use crate::workers::LocalReducer;

/// Random rows, every third one zero; more than one chunk and a partial one.
fn tall<T: Real>(rows: usize, cols: usize, seed: u64) -> Tall<T> {
    Tall::from_rows(rows, cols, |row, out| {
        if row % 3 != 1 {
            fill_normal(seed, row as u64, out);
        }
    })
}

/// `sum_i a_if b_ig`, one number after another.
fn plain<T: Real>(a: &Tall<T>, b: &Tall<T>) -> Mat<f64> {
    Mat::from_fn(a.cols(), b.cols(), |f, g| {
        (0..a.rows()).map(|i| a.row(i)[f].to_f64() * b.row(i)[g].to_f64()).sum()
    })
}

fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_l2() / b.norm_l2().max(1e-300)
}

fn agrees<T: Real>(rough: f64) {
    for (rows, p, q) in [(1, 1, 1), (255, 5, 3), (700, 33, 20), (300, 6, 6)] {
        let (a, b) = (tall::<T>(rows, p, 1), tall::<T>(rows, q, 2));
        assert!(distance(&gram(&a, &LocalReducer), &plain(&a, &a)) < 1e-13);
        assert!(distance(&gram_working_precision(&a, &LocalReducer), &plain(&a, &a)) < rough);
        assert!(distance(&cross_gram(&a, &b, &LocalReducer), &plain(&a, &b)) < 1e-13);
        assert!(
            distance(&cross_gram_working_precision(&a, &b, &LocalReducer), &plain(&a, &b)) < rough
        );
        let m = Mat::from_fn(p, q, |i, j| ((i * 5 + j) % 7) as f64 - 3.0);
        for (product, rounding) in [
            (times_small(&a, m.as_ref()), T::EPSILON.max(p as f64 * f64::EPSILON)),
            (times_small_working_precision(&a, m.as_ref()), (p + 1) as f64 * T::EPSILON),
        ] {
            for i in 0..rows {
                for g in 0..q {
                    let terms = || (0..p).map(|f| a.row(i)[f].to_f64() * m[(f, g)]);
                    let (value, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                    let error = (product.row(i)[g].to_f64() - value).abs();
                    assert!(error <= rounding * size, "{error} {size}");
                }
            }
        }
    }
}

#[test]
fn products_follow_their_definitions_in_both_number_types() {
    agrees::<f32>(1e-6);
    agrees::<f64>(1e-13);
}

#[test]
fn a_square_product_follows_its_definition() {
    let (a, b) = (tall::<f32>(300, 300, 1), tall::<f32>(300, 7, 2));
    let product = square_times_tall(0.5, &a, &b);
    for i in 0..300 {
        for f in 0..7 {
            let terms = || (0..300).map(|k| 0.5 * f64::from(a.row(i)[k]) * f64::from(b.row(k)[f]));
            let (value, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
            let error = (f64::from(product.row(i)[f]) - value).abs();
            assert!(error <= 300.0 * f64::from(f32::EPSILON) * size);
        }
    }
}

#[test]
fn nothing_times_anything_is_nothing() {
    let empty = Tall::<f32>::zeros(10, 0);
    assert_eq!(gram(&empty, &LocalReducer).ncols(), 0);
    assert_eq!(times_small(&empty, Mat::zeros(0, 3).as_ref()).data(), &[0.0; 30]);
    assert_eq!(gram(&Tall::<f32>::zeros(0, 2), &LocalReducer), Mat::<f64>::zeros(2, 2));
}
