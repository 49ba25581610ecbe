//! One form for every model: columns in a fixed order, with fixed length and sign.
//!
//! The loss does not care about the order, the signs or the lengths of the columns of `U`. We sort columns by energy
//! `sum_k w_k^2 c_kf^2`, give them length one, and choose the sign by the first odd moment of the column that is clearly
//! not zero. None of these depends on the order of the nodes, so permuting the nodes permutes the rows and nothing else.

use crate::linalg::{Real, Reducer, Tall, sum_over_rows};
use crate::solver::FullFactors;

/// A moment below this share of its absolute counterpart says nothing about the sign.
const CLEAR: f64 = 1e-6;

/// Brings the factors into canonical form; `false` if some of their numbers are not finite.
pub(crate) fn canonical_form<T: Real>(
    factors: &mut FullFactors<T>,
    weights: &[f64],
    reducer: &dyn Reducer,
) -> bool {
    let columns = factors.u.cols();
    let (squares, mut moments) = squares_and_cubes(&factors.u, reducer);
    let lengths: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
    if lengths.iter().any(|length| !length.is_finite()) {
        return false;
    }
    for power in [5, 7] {
        if moments.iter().all(|moment| moment.sign().is_some()) {
            break;
        }
        let further = odd_moments(&factors.u, power, reducer);
        for (moment, further) in moments.iter_mut().zip(further) {
            if moment.sign().is_none() {
                *moment = further;
            }
        }
    }
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
    let rearrange = |tall: &mut Tall<T>| {
        tall.par_update_rows(|_, values| {
            let old = values.to_vec();
            for ((value, &f), factor) in values.iter_mut().zip(&order).zip(&factor) {
                *value = T::from_f64(old[f].to_f64() * factor);
            }
        });
    };
    rearrange(&mut factors.u);
    factors.projections.iter_mut().for_each(rearrange);
    for values in factors.c.iter_mut().chain(&mut factors.energies) {
        let old = values.clone();
        values.iter_mut().zip(&order).for_each(|(value, &f)| *value = old[f]);
    }
    true
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

/// Sums of the squares of every column, and its third moment: one walk.
fn squares_and_cubes<T: Real>(u: &Tall<T>, reducer: &dyn Reducer) -> (Vec<f64>, Vec<Moment>) {
    let [squares, cubes, absolute] = column_totals(u, reducer, |x| {
        let square = x * x;
        [square, square * x, square * x.abs()]
    });
    (squares, moments(&cubes, &absolute))
}

fn odd_moments<T: Real>(u: &Tall<T>, power: i32, reducer: &dyn Reducer) -> Vec<Moment> {
    let [sums, absolute] = column_totals(u, reducer, |x| {
        let value = x.powi(power);
        [value, value.abs()]
    });
    moments(&sums, &absolute)
}

fn moments(sums: &[f64], absolute: &[f64]) -> Vec<Moment> {
    sums.iter().zip(absolute).map(|(&sum, &absolute)| Moment { sum, absolute }).collect()
}

/// Sums over each column of several functions of its entries.
fn column_totals<T: Real, const KINDS: usize>(
    u: &Tall<T>,
    reducer: &dyn Reducer,
    terms: impl Fn(f64) -> [f64; KINDS] + Sync,
) -> [Vec<f64>; KINDS] {
    let columns = u.cols();
    let mut totals = sum_over_rows(
        u.rows(),
        KINDS * columns,
        || std::array::from_fn::<_, KINDS, _>(|_| vec![0.0; columns]),
        |range, sums| {
            let mut sums = sums.each_mut().map(|sums| &mut sums[..columns]);
            for row in range {
                for (f, x) in u.row(row)[..columns].iter().enumerate() {
                    let terms = terms(x.to_f64());
                    for (sums, term) in sums.iter_mut().zip(terms) {
                        sums[f] += term;
                    }
                }
            }
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
