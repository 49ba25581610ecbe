//! The term that centring subtracts from `A A^T`.

use gage_linalg::Real;
use gage_linalg::kernel::simd::{Level, at_level, level};

/// The centring term `C_ij = first_i second_j + second_i first_j`.
pub(crate) struct CentringTerm {
    first: Vec<f64>,
    second: Vec<f64>,
    /// Prefix sums of `first^2`, `first * second` and `second^2`.
    before: Vec<[f64; 3]>,
}

impl CentringTerm {
    pub(crate) fn new(first: Vec<f64>, second: Vec<f64>) -> CentringTerm {
        let mut sums = [0.0; 3];
        let mut before = Vec::with_capacity(first.len());
        for (&x, &y) in first.iter().zip(&second) {
            before.push(sums);
            sums = [sums[0] + x * x, sums[1] + x * y, sums[2] + y * y];
        }
        CentringTerm { first, second, before }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.first[i] * self.second[j] + self.second[i] * self.first[j]
    }

    /// `sum_(j < i) (row_j outer weights_j - C_ij)^2`.
    pub(crate) fn distance(&self, i: usize, row: &[f64], outer: f64, weights: &[f64]) -> f64 {
        let centre = [(self.first[i], &self.second[..i]), (self.second[i], &self.first[..i])];
        let mut squares = [0.0; LANES];
        add_distance_at(level(), &mut squares, (row, outer, weights), centre);
        squares.iter().sum()
    }

    /// `sum_(j < i) C_ij^2`.
    pub(crate) fn row_square(&self, i: usize) -> f64 {
        let ([xx, xy, yy], x, y) = (self.before[i], self.first[i], self.second[i]);
        x * x * yy + 2.0 * x * y * xy + y * y * xx
    }
}

/// Independent partial sums, which map to vector lanes.
const LANES: usize = 8;

type Lanes = [f64; LANES];
type Weighted<'a, T> = (&'a [T], f64, &'a [f64]);
type Multiples<'a> = [(f64, &'a [f64]); 2];

fn add_distance_at<T: Real>(
    level: Level,
    squares: &mut Lanes,
    row: Weighted<'_, T>,
    centre: Multiples<'_>,
) {
    at_level!(
        level,
        add_distance::<T>(squares: &mut Lanes, row: Weighted<'_, T>, centre: Multiples<'_>)
    );
}

/// Adds `(row_j outer weights_j - a x_j - b y_j)^2` to the lanes.
#[inline(always)]
fn add_distance<T: Real>(
    squares: &mut Lanes,
    (row, outer, weights): Weighted<'_, T>,
    [(a, x), (b, y)]: Multiples<'_>,
) {
    let centre = x.chunks(LANES).zip(y.chunks(LANES));
    for ((row, weights), (x, y)) in row.chunks(LANES).zip(weights.chunks(LANES)).zip(centre) {
        let values = row.iter().zip(weights).zip(x.iter().zip(y));
        for (square, ((row, weight), (x, y))) in squares.iter_mut().zip(values) {
            let difference = row.to_f64() * outer * weight - (a * x + b * y);
            *square += difference * difference;
        }
    }
}

/// Subtracts `at + m_j` from a row and adds `a x_j + b y_j`; returns the sum of squares of the
/// result.
pub(crate) fn centre_row(row: &mut [f32], (at, m): (f64, &[f64]), multiples: Multiples<'_>) -> f64 {
    let mut squares = [0.0; LANES];
    centre_at(level(), &mut squares, row, (at, m), multiples);
    squares.iter().sum()
}

fn centre_at<T: Real>(
    level: Level,
    squares: &mut Lanes,
    row: &mut [T],
    means: (f64, &[f64]),
    multiples: Multiples<'_>,
) {
    at_level!(
        level,
        centre::<T>(
            squares: &mut Lanes,
            row: &mut [T],
            means: (f64, &[f64]),
            multiples: Multiples<'_>,
        )
    );
}

#[inline(always)]
fn centre<T: Real>(
    squares: &mut Lanes,
    row: &mut [T],
    (at, m): (f64, &[f64]),
    [(a, x), (b, y)]: Multiples<'_>,
) {
    let others = m.chunks(LANES).zip(x.chunks(LANES).zip(y.chunks(LANES)));
    for (row, (m, (x, y))) in row.chunks_mut(LANES).zip(others) {
        let others = m.iter().zip(x.iter().zip(y));
        for (square, (value, (m, (x, y)))) in squares.iter_mut().zip(row.iter_mut().zip(others)) {
            *value = T::from_f64(value.to_f64() - at - m + a * x + b * y);
            *square += value.to_f64() * value.to_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::kernel::simd::levels;

    #[test]
    fn every_level_centres_a_row_as_defined() {
        let numbers =
            |of: u32| (0..43u32).map(|i| f64::from(i * of % 17) - 3.0).collect::<Vec<_>>();
        let (m, x, y) = (numbers(3), numbers(5), numbers(11));
        let row: Vec<f32> = numbers(7).into_iter().map(|x| x as f32).collect();
        let multiples = [(0.5, &x[..]), (-2.0, &y[..])];
        let wanted = |j: usize| f64::from(row[j]) - 1.5 - m[j] + 0.5 * x[j] - 2.0 * y[j];
        for level in levels() {
            let (mut found, mut squares) = (row.clone(), [0.0; LANES]);
            centre_at(level, &mut squares, &mut found, (1.5, &m), multiples);
            assert!((0..43).all(|j| f64::from(found[j]) == wanted(j)), "{found:?}");
            let square: f64 = (0..43).map(|j| wanted(j).powi(2)).sum();
            assert!((squares.iter().sum::<f64>() - square).abs() < 1e-9 * square);
        }
        assert!(centre_row(&mut [], (1.0, &[]), [(1.0, &[]), (1.0, &[])]) == 0.0);
    }

    #[test]
    fn every_level_measures_the_distance_of_the_definition() {
        let numbers =
            |of: u32| (0..40u32).map(|i| f64::from(i * of % 17) - 3.0).collect::<Vec<_>>();
        let centre = CentringTerm::new(numbers(3), numbers(5));
        let (row, weights) = (numbers(7), numbers(11));
        for i in 0..40 {
            let terms = (0..i).map(|j| (row[j] * 0.5 * weights[j] - centre.at(i, j)).powi(2));
            let wanted: f64 = terms.sum();
            let found = centre.distance(i, &row[..i], 0.5, &weights[..i]);
            assert!((found - wanted).abs() <= 1e-12 * (1.0 + wanted), "{found} {wanted}");
            let square: f64 = (0..i).map(|j| centre.at(i, j).powi(2)).sum();
            assert!((centre.row_square(i) - square).abs() <= 1e-9 * (1.0 + square));
            let of_level = |level| {
                let mut squares = [0.0; LANES];
                let multiples = [
                    (centre.first[i], &centre.second[..i]),
                    (centre.second[i], &centre.first[..i]),
                ];
                add_distance_at(level, &mut squares, (&row[..i], 0.5, &weights[..i]), multiples);
                squares
            };
            assert!(levels().into_iter().all(|level| of_level(level) == of_level(Level::Base)));
        }
    }
}
