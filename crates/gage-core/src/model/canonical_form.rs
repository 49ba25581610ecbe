//! A canonical form of the model: fixed order, norm and sign of the columns.
//!
//! The loss is invariant under order, signs and norms of the columns of `U`. We sort columns by
//! energy `sum_k w_k^2 c_kf^2`, normalise them, and choose the sign by the first odd moment of the
//! column that is clearly nonzero. None of these depends on the order of the nodes, so permuting
//! the nodes permutes the rows and nothing else.

use crate::error::Error;
use crate::progress::Stage;
use crate::solver::FullFactors;
use gage_linalg::kernel::simd::{Level, at_level, level};
use gage_linalg::tall::sum_over_rows;
use gage_linalg::{Real, Reducer, Tall};

/// A moment below this share of its absolute counterpart does not determine the sign.
const CLEAR: f64 = 1e-6;

/// Brings the factors into canonical form, if all their numbers are finite.
pub(crate) fn canonical_form<T: Real>(
    factors: &mut FullFactors<T>,
    weights: &[f64],
    reducer: &dyn Reducer,
) -> Result<(), Error> {
    let columns = factors.u.cols();
    let (squares, mut moments) = squares_and_cubes(&factors.u, reducer);
    let lengths: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
    if lengths.iter().any(|length| !length.is_finite()) {
        return Err(Error::NotFinite { stage: Stage::Factors });
    }
    resolve_signs(&factors.u, &mut moments, reducer);
    for (c, energies) in factors.c.iter_mut().zip(&mut factors.energies) {
        for ((c, energy), length) in c.iter_mut().zip(energies).zip(&lengths) {
            *c *= length * length;
            *energy = if *length > 0.0 { *energy / (length * length) } else { 0.0 };
        }
    }
    let energy =
        |f: usize| -> f64 { factors.c.iter().zip(weights).map(|(c, w)| (w * c[f]).powi(2)).sum() };
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|&a, &b| energy(b).total_cmp(&energy(a)).then(a.cmp(&b)));
    let factor: Vec<f64> = order
        .iter()
        .map(|&f| {
            let dead = lengths[f] == 0.0 || energy(f) == 0.0;
            if dead { 0.0 } else { moments[f].sign().unwrap_or(1.0) / lengths[f] }
        })
        .collect();
    rearrange(factors, &order, &factor);
    Ok(())
}

/// Replaces moments without a clear sign by moments of higher order.
fn resolve_signs<T: Real>(u: &Tall<T>, moments: &mut [Moment], reducer: &dyn Reducer) {
    for power in [5, 7] {
        if moments.iter().all(|moment| moment.sign().is_some()) {
            break;
        }
        let further = odd_moments(u, power, reducer);
        for (moment, further) in moments.iter_mut().zip(further) {
            if moment.sign().is_none() {
                *moment = further;
            }
        }
    }
}

/// Permutes the columns into this order and scales them; the factors are in the new order.
fn rearrange<T: Real>(factors: &mut FullFactors<T>, order: &[usize], scales: &[f64]) {
    let columns = factors.u.cols();
    // Scaling before the permutation works on whole vectors.
    let mut factor_of_old = vec![0.0; columns];
    order.iter().zip(scales).for_each(|(&f, &factor)| factor_of_old[f] = factor);
    let permute = |tall: &mut Tall<T>| {
        tall.par_replace_rows(|old, values| {
            for (old, factor) in old.iter_mut().zip(&factor_of_old) {
                *old = T::from_f64(old.to_f64() * factor);
            }
            values.iter_mut().zip(order).for_each(|(value, &f)| *value = old[f]);
        });
    };
    permute(&mut factors.u);
    factors.projections.iter_mut().for_each(permute);
    for values in factors.c.iter_mut().chain(&mut factors.energies) {
        let old = values.clone();
        values.iter_mut().zip(order).for_each(|(value, &f)| *value = old[f]);
    }
}

/// The sum of an odd power of the entries of one column, and of its absolute values.
#[derive(Clone, Copy, Debug)]
struct Moment {
    sum: f64,
    absolute: f64,
}

impl Moment {
    /// The sign of the sum, if it is clearly not zero.
    fn sign(self) -> Option<f64> {
        (self.sum.abs() > CLEAR * self.absolute).then(|| self.sum.signum())
    }
}

/// Sum of squares and third moment of every column: one pass.
fn squares_and_cubes<T: Real>(u: &Tall<T>, reducer: &dyn Reducer) -> (Vec<f64>, Vec<Moment>) {
    let level = level();
    let add = |row: &[T], sums: &mut [&mut [f64]; 3]| add_squares_and_cubes_at(level, row, sums);
    let [squares, cubes, absolute] = column_totals(u, reducer, add);
    (squares, moments(&cubes, &absolute))
}

fn add_squares_and_cubes_at<T: Real>(level: Level, row: &[T], sums: &mut [&mut [f64]; 3]) {
    at_level!(level, add_squares_and_cubes::<T>(row: &[T], sums: &mut [&mut [f64]; 3]));
}

#[inline(always)]
fn add_squares_and_cubes<T: Real>(row: &[T], [squares, cubes, absolute]: &mut [&mut [f64]; 3]) {
    let sums = squares.iter_mut().zip(cubes.iter_mut()).zip(absolute.iter_mut());
    for (x, ((squares, cubes), absolute)) in row.iter().zip(sums) {
        let x = x.to_f64();
        let square = x * x;
        *squares += square;
        *cubes += square * x;
        *absolute += square * x.abs();
    }
}

fn odd_moments<T: Real>(u: &Tall<T>, power: i32, reducer: &dyn Reducer) -> Vec<Moment> {
    let add = |row: &[T], [sums, absolute]: &mut [&mut [f64]; 2]| {
        for (x, (sum, absolute)) in row.iter().zip(sums.iter_mut().zip(absolute.iter_mut())) {
            let value = x.to_f64().powi(power);
            *sum += value;
            *absolute += value.abs();
        }
    };
    let [sums, absolute] = column_totals(u, reducer, add);
    moments(&sums, &absolute)
}

fn moments(sums: &[f64], absolute: &[f64]) -> Vec<Moment> {
    sums.iter().zip(absolute).map(|(&sum, &absolute)| Moment { sum, absolute }).collect()
}

/// Sums over each column of several functions of its entries; `add` adds one row.
fn column_totals<T: Real, const KINDS: usize>(
    u: &Tall<T>,
    reducer: &dyn Reducer,
    add: impl Fn(&[T], &mut [&mut [f64]; KINDS]) + Sync,
) -> [Vec<f64>; KINDS] {
    let columns = u.cols();
    let mut totals = sum_over_rows(
        u.rows(),
        KINDS * columns,
        || std::array::from_fn::<_, KINDS, _>(|_| vec![0.0; columns]),
        |range, sums| {
            let mut sums = sums.each_mut().map(|sums| &mut sums[..]);
            range.for_each(|row| add(u.row(row), &mut sums));
        },
        |left, right| {
            for (left, right) in left.iter_mut().zip(right) {
                left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
            }
        },
    );
    totals.iter_mut().for_each(|sums| reducer.sum_f64(sums));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::kernel::simd::levels;

    /// Rows with numbers of either sign, and a zero.
    fn row<T: Real>(at: usize) -> Vec<T> {
        (0..37).map(|f| T::from_f64(((f * 7 + at * 3) % 11) as f64 / 3.0 - 1.0)).collect()
    }

    fn sums<T: Real>(level: Level) -> [Vec<f64>; 3] {
        let mut sums = [vec![0.0; 37], vec![0.0; 37], vec![0.0; 37]];
        for at in 0..5 {
            add_squares_and_cubes_at(
                level,
                &row::<T>(at),
                &mut sums.each_mut().map(|s| &mut s[..]),
            );
        }
        sums
    }

    fn every_level_adds_the_same<T: Real>() {
        let base = sums::<T>(Level::Base);
        for f in 0..37 {
            let power = |power: i32| (0..5).map(move |at| row::<T>(at)[f].to_f64().powi(power));
            let expected = [power(2).sum(), power(3).sum(), power(3).map(f64::abs).sum::<f64>()];
            for (found, expected) in base.iter().zip(expected) {
                assert!((found[f] - expected).abs() <= 1e-14 * expected.abs().max(1.0));
            }
        }
        for level in levels() {
            assert_eq!(sums::<T>(level), base, "{level:?}");
        }
    }

    #[test]
    fn sums_of_powers_follow_their_definition_with_the_same_bits_at_every_level() {
        every_level_adds_the_same::<f32>();
        every_level_adds_the_same::<f64>();
    }
}
